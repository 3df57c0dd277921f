"""Recordings without their data: the structure stays, values are replaced.

What stays: geometry, the kernarg segment (sizes, strides, pointers), pointers in memory, integers
that decide where the kernel goes (indices, lengths, page tables), and of floats which are zero,
infinite or NaN. Everything else is replaced: other floats by numbers of the same kind between 1/4
and 4, other integers and bytes by random ones, memory that the kernel never touches by zeros.
Whether integers decide anything is found by replacing them and running the kernel: another fault,
another instruction count or other places touched mean that they do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.dtypes import DType, dtype
from asmevo.capsule.model import BufferState, Capsule
from asmevo.capsule.recorded import Dispatch, Recording, Variable
from asmevo.capsule.recorded.contents import Contents
from asmevo.capsule.recorded.convert import launches
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.probe.recorded import Touched, kinds_of, watch
from asmevo.device.protocol import RunOptions

_KEPT = ("tool", "version", "ordinal", "launch")  # of provenance; the rest may tell who it was
_BUDGET = 2_000_000_000
_FLOATS = ("f", "bf", "e4", "e5")


def redacted(recording: Recording, device: EmulatedDevice) -> Recording:
    """The recording with other data; contents after the dispatches are left out.

    Args:
        recording: what to redact; all of it is read.
        device: where its kernels run.

    Raises:
        InputError, UnsupportedError: a dispatch cannot be run, so that nobody can tell data from
            indices; nothing is redacted by halves.
    """
    dispatches: list[Dispatch] = []
    for number, dispatch in enumerate(recording.dispatches):
        data = Contents.of(recording.objects[dispatch.object]).read()
        alone = replace(recording, dispatches=(dispatch,))
        (capsule,) = launches(alone, CodeObject.open(data), f"dispatch {number}", dispatch.kernel)
        changed = _Redaction(data, capsule, device, number).capsule()
        contents = {b.address: b.data for b in changed.buffers}
        values = dict(changed.variables)
        dispatches.append(
            replace(
                dispatch,
                allocations=tuple(
                    replace(a, before=contents.get(a.address, b""), after=None)
                    for a in dispatch.allocations
                ),
                variables=tuple(
                    Variable(v.name, v.address, values[v.name]) for v in dispatch.variables
                ),
                provenance=_safe(dispatch.provenance),
            )
        )
    return replace(
        Recording(recording.objects, (), recording.target, recording.weak),
        dispatches=tuple(dispatches), redacted=True, provenance=_safe(recording.provenance),
    )  # fmt: skip


def _safe(provenance: Mapping[str, object]) -> dict[str, object]:
    return {k: v for k, v in provenance.items() if k in _KEPT}


class _Redaction:
    """Redacts one dispatch, piece by piece: what changes where the kernel goes is put back."""

    def __init__(self, data: bytes, capsule: Capsule, device: EmulatedDevice, number: int) -> None:
        self._data, self._device, self._number = data, device, number
        self._given, self._arch = capsule, CodeObject.open(data).target.arch
        self._seen, self._shift = self._look(capsule)

    def capsule(self) -> Capsule:
        """The dispatch with other data."""
        kinds = kinds_of(self._data, self._given, self._seen.places)
        now = self._given
        types = {
            b.name: b.dtype if b.dtype != "u8" or len(b.shape) != 1 else kinds.get(b.name, "")
            for b in now.buffers
        }
        others: list[BufferState] = []
        for b in self._given.buffers:
            if types[b.name].startswith(_FLOATS):
                now = self._with(now, b, self._replaced(b, types[b.name]))
            else:
                others.append(b)
        # Floats may decide branches, too; they are replaced all the same.
        self._seen, _ = self._look(now)
        for b in others:
            now = self._tried(now, self._with(now, b, self._replaced(b, "")))
        for number, (name, data) in enumerate(self._given.variables):
            drawn = self._rng(name).bytes(len(data))
            values = (*now.variables[:number], (name, drawn), *now.variables[number + 1 :])
            now = self._tried(now, replace(now, variables=values))
        return now

    def _with(self, capsule: Capsule, b: BufferState, data: bytes) -> Capsule:
        return capsule.with_data({b.name: capsule.with_pointers(b.name, data)})

    def _tried(self, before: Capsule, after: Capsule) -> Capsule:
        """`after` if the kernel goes where it went."""
        return after if self._look(after)[0].same(self._seen) else before

    def _replaced(self, b: BufferState, kind: str) -> bytes:
        """Other data for a buffer: of its kind where it is touched, zeros elsewhere."""
        rng = self._rng(b.name)
        if kind:
            data = _floats(b, dtype(kind, self._arch), rng)
        else:
            data = rng.bytes(b.size)
        touched = self._seen.places.get(b.name)
        if touched is None:
            return data
        mask = np.repeat((touched[0] != 0) | (touched[1] != 0), 1 << self._shift)[: b.size]
        return np.where(mask, np.frombuffer(data, np.uint8), 0).astype(np.uint8).tobytes()

    def _rng(self, name: str) -> np.random.Generator:
        key = hashlib.sha256(f"asmevo redact {self._number} {name}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(key[:16], "little")))

    def _look(self, capsule: Capsule) -> tuple[_Seen, int]:
        result = self._device.run(
            self._data, capsule, RunOptions(instruction_budget=_BUDGET, profile=True)
        )
        changed = {b.name: b.data != result.buffers.get(b.name, b.data) for b in capsule.buffers}
        places, shift = watch(self._data, capsule, self._device, changed)
        fault = "" if result.fault is None else f"{result.fault.kind} {result.fault.index}"
        return _Seen(fault, result.counts, places), shift


class _Seen:
    """Where a run went: its fault, executions of each instruction, places touched."""

    def __init__(self, fault: str, counts: NDArray[np.int64] | None, places: Touched) -> None:
        self.fault, self.counts, self.places = fault, counts, places

    def same(self, other: _Seen) -> bool:
        """Whether both went the same way."""
        if self.fault != other.fault or self.counts is None or other.counts is None:
            return False
        if not np.array_equal(self.counts, other.counts):
            return False
        return self.places.keys() == other.places.keys() and all(
            np.array_equal(mine != 0, theirs != 0)
            for name in self.places
            for mine, theirs in zip(self.places[name], other.places[name], strict=True)
        )


def _floats(b: BufferState, kind: DType, rng: np.random.Generator) -> bytes:
    """Zeros, infinities and NaN stay where they are; a buffer without signs gets none."""
    values = np.frombuffer(b.data, kind.numpy, b.size // kind.size)
    with np.errstate(all="ignore"):
        wide = values.astype(np.float64)
        finite = np.isfinite(wide) & (wide != 0)
        drawn = np.exp2(rng.uniform(-2, 2, len(values)))
        if (wide[finite] < 0).any():
            drawn *= rng.choice([-1.0, 1.0], len(values))
        replaced = np.where(finite, drawn, np.where(np.isnan(wide), np.nan, wide))
        rest = rng.bytes(b.size % kind.size)
        return replaced.astype(values.dtype).tobytes() + rest


__all__ = ["redacted"]
