"""Roles and element types of recorded memory, found by running the kernel on it.

A recording knows addresses and bytes; what is input and what is output nobody wrote down. The
kernel is run watched: what it writes, where, and by which instructions shows. Then it is run from
memory in which the places that it writes hold junk: where all results are as before, it never reads
them, and they keep the junk. Otherwise a recording of a launch that had run before would hold the
answer already, and a candidate that stores nothing would pass.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.model import KERNARG, BufferState, Capsule
from asmevo.capsule.recorded.convert import ORIGIN
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.probe.run import instructions
from asmevo.device.probe.types import Elements, choose
from asmevo.device.protocol import RunOptions
from asmevo.program import recover

_WATCHED = 256 << 20  # bytes of memory that are watched at most: each costs four more
_BUDGET = 2_000_000_000
Touched = Mapping[str, tuple[NDArray[np.uint64], NDArray[np.uint64]]]


def settled(data: bytes, capsule: Capsule, device: EmulatedDevice) -> Capsule:
    """The recorded dispatch with roles and element types, junk in what is only written.

    Args:
        data: the object that it was recorded with, K0.
        capsule: from `capsule.recorded.convert`; others come back as they are, and so does one on
            which the kernel faults.
        device: where it runs.

    Raises:
        UnsupportedError: the emulator cannot run the kernel.
    """
    if capsule.provenance.get("origin") != ORIGIN or not capsule.buffers:
        return capsule
    first = device.run(data, capsule, RunOptions(instruction_budget=_BUDGET))
    if first.fault is not None:
        return capsule
    changed = {b.name: _changed(b.data, first.buffers[b.name]) for b in capsule.buffers}
    stored = {name: bool(mask.any()) for name, mask in changed.items()}
    touched, shift = watch(data, capsule, device, stored)
    written: dict[str, NDArray[np.bool_]] = {}
    for b in capsule.buffers:
        mask = changed[b.name]
        if b.name in touched:
            mask = mask | np.repeat(touched[b.name][0] != 0, 1 << shift)[: b.size]
        written[b.name] = mask
    kinds = kinds_of(data, capsule, touched)
    outputs = [b for b in capsule.buffers if written[b.name].any()]
    # What is stored over is no pointer that anybody follows to the recorded place.
    kept = tuple(
        p
        for p in capsule.pointers
        if p.holder == KERNARG or not written[p.holder][p.offset : p.offset + 8].any()
    )
    capsule = replace(capsule, pointers=kept)
    fresh = _never_read(data, capsule, device, outputs, written, first.buffers)
    return replace(
        capsule,
        buffers=tuple(
            _state(b, written[b.name], fresh.get(b.name), kinds.get(b.name, ""))
            for b in capsule.buffers
        ),
    )


def _changed(before: bytes, after: bytes) -> NDArray[np.bool_]:
    return np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8)


def watch(
    data: bytes, capsule: Capsule, device: EmulatedDevice, changed: Mapping[str, bool]
) -> tuple[Touched, int]:
    """What is touched, of as much memory as can be watched: first of what `changed`.

    Returns:
        (written, read) entries by buffer, see `EmulatedDevice.touched`; bits of a granule.
    """
    room, chosen = _WATCHED, set[str]()
    for b in sorted(capsule.buffers, key=lambda b: not changed[b.name]):
        if b.size <= room:
            room -= b.size
            chosen.add(b.name)
    if not chosen:
        return {}, 2
    # Of memory with undefined contents every access is noted; contents stay as they are.
    watched = tuple(
        replace(b, role="scratch", undefined=True)
        if b.name in chosen
        else replace(b, role="inout" if changed[b.name] else "in", undefined=False)
        for b in capsule.buffers
    )
    found, shift, fault = device.touched(data, replace(capsule, buffers=watched), _BUDGET)
    known = {} if fault is not None else {n: t for n, t in found.items() if n in chosen}
    return known, shift


def _never_read(
    data: bytes,
    capsule: Capsule,
    device: EmulatedDevice,
    outputs: list[BufferState],
    written: Mapping[str, NDArray[np.bool_]],
    expected: Mapping[str, bytes],
) -> dict[str, bytes]:
    """Contents with junk in what is written, of the buffers in which nothing of it is read."""
    junk = {b.name: _junk(b, written[b.name], expected[b.name]) for b in outputs}

    def same(names: list[str]) -> bool:
        other = capsule.with_data({n: junk[n] for n in names})
        result = device.run(data, other, RunOptions(instruction_budget=_BUDGET))
        return result.ok and result.buffers == expected

    names = list(junk)
    if not names or same(names):
        return junk
    return {n: junk[n] for n in names if same([n])} if len(names) > 1 else {}


def _junk(b: BufferState, mask: NDArray[np.bool_], answer: bytes) -> bytes:
    """The buffer with seeded junk where `mask` is, unlike the answer in every byte."""
    key = hashlib.sha256(f"asmevo recorded {b.name}".encode()).digest()
    rng = np.random.Generator(np.random.PCG64(int.from_bytes(key[:8], "little")))
    changed = np.frombuffer(b.data, np.uint8).copy()
    drawn = rng.integers(1, 256, int(mask.sum()), np.uint8)
    changed[mask] = np.frombuffer(answer, np.uint8)[mask] ^ drawn
    return changed.tobytes()


def kinds_of(data: bytes, capsule: Capsule, touched: Touched) -> dict[str, str]:
    """Element types by buffer, where the instructions that touch it agree on one."""
    code = CodeObject.open(data)
    elements = Elements(recover(code), code.kernel(capsule.kernel))
    found: dict[str, str] = {}
    for name, (writes, reads) in touched.items():
        readers, writers = instructions(reads[reads != 0]), instructions(writes[writes != 0])
        votes: Counter[str] = Counter()
        for index in readers:
            votes.update(elements.loads(index))
        for index in writers:
            votes.update(elements.stores(index))
        width = min((elements.width(i) for i in readers | writers), default=4)
        kind = choose(votes, width)
        if kind is not None:
            found[name] = dtype(kind, code.target.arch).name
    return found


def _state(
    b: BufferState, written: NDArray[np.bool_], fresh: bytes | None, kind: str
) -> BufferState:
    """The buffer with what was found; what the recording says of it stays."""
    if b.dtype == "u8" and len(b.shape) == 1 and kind:
        size = dtype(kind).size
        if b.size % size == 0 and b.address % size == 0:
            b = replace(b, dtype=kind, shape=(b.size // size,))
    if b.role != "inout":
        return b
    if not written.any():
        return replace(b, role="in")
    if fresh is None:
        return b
    if written.all():
        return replace(b, role="out", data=fresh, undefined=True)
    return replace(b, data=fresh)


__all__ = ["Touched", "kinds_of", "settled", "watch"]
