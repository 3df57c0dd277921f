"""LDS and global memory instructions of the product's engine against the pseudocode."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from asmevo.emulate import layout as L
from asmevo.isa.semantics.memory import MemoryOp, memory_op

from . import edges
from .compare import Mismatch
from .evaluator import Memory, evaluate
from .softfloat import BF16, F16, F32, F64, Format, is_nan, is_signal_nan
from .wave import GLOBAL_BASE, Wave, assemble

ADDRESS, DATA, DATA2, RESULT = 8, 12, 16, 32  # first registers
STRIDE = 96  # bytes between the lanes' areas
SIZE = 64 * STRIDE + 8192
FULL = (1 << 64) - 1


TWO_DATA = ("cmpst", "cmpst_f", "mskor", "wrap")  # atomics with a second data register


@dataclass(frozen=True)
class Access:
    """One memory instruction: where its operands are and what its offsets say."""

    mnemonic: str
    entry: str
    op: MemoryOp
    text: str
    offsets: tuple[int, ...]  # as printed
    returns: bool


def registers(first: int, dwords: int) -> str:
    return f"v{first}" if dwords == 1 else f"v[{first}:{first + dwords - 1}]"


def dwords_of(op: MemoryOp) -> int:
    return max(1, op.size // 4)


def lds_access(mnemonic: str, offsets: tuple[int, ...]) -> Access | None:
    """The instruction for an LDS mnemonic; None when the product's table has none."""
    op = memory_op(mnemonic)
    if op is None:
        return None
    words = []
    count = dwords_of(op)
    if op.action == "load" or op.returns:
        words.append(registers(RESULT, count * (2 if op.pair else 1)))
    words.append(f"v{ADDRESS}")
    if op.action != "load":
        words.append(registers(DATA, count))
        if op.pair or op.atomic in TWO_DATA:
            words.append(registers(DATA2, count))
    if op.pair:
        suffix = f" offset0:{offsets[0]} offset1:{offsets[1]}"
    else:
        suffix = f" offset:{offsets[0]}"
    text = f"{mnemonic} {', '.join(words)}{suffix}"
    return Access(mnemonic, mnemonic.upper(), op, text, offsets, op.returns)


def global_access(mnemonic: str, offset: int, *, returns: bool) -> Access | None:
    """The instruction for a global mnemonic with a 64-bit vector address."""
    op = memory_op(mnemonic)
    if op is None:
        return None
    count = dwords_of(op)
    words = []
    if op.action == "load" or returns:
        words.append(registers(RESULT, count))
    words.append(registers(ADDRESS, 2))
    if op.action != "load":
        words.append(registers(DATA, count * (2 if op.atomic == "cmpswap" else 1)))
    text = f"{mnemonic} {', '.join(words)}, off offset:{offset}" + (" sc0" if returns else "")
    return Access(mnemonic, mnemonic.upper(), op, text, (offset,), returns)


def float_format(op: MemoryOp) -> Format | None:
    """Format of a float atomic."""
    if op.atomic.startswith("pk_"):
        return BF16 if op.atomic.endswith("bf16") else F16
    if op.atomic.endswith("_f"):
        return {4: F32, 8: F64}[op.size]
    return None


def _data(access: Access, rng: random.Random) -> list[int]:
    """64 data values of up to 16 bytes; atomics get edge values."""
    if access.op.action != "atomic":
        return [rng.getrandbits(128) for _ in range(64)]
    f, width = float_format(access.op), 8 * access.op.size
    kind = "U" if f is None else ("F" if f.width == width else "PKF")
    rows = list(edges.tuples([(kind, width)] * 2, 64, rng.random()))
    values = [a | b << width for a, b in rows]
    if f is not None:  # NaN kinds and L2 flushing are compared in the memory table's tests
        values = [0 if _awkward(f, v, 2 * width) else v for v in values]
    return values


def _awkward(f: Format, bits: int, width: int) -> bool:
    parts = [bits >> at & ((1 << f.width) - 1) for at in range(0, width, f.width)]
    small = any(p & f.abs_mask and not p & f.inf for p in parts)
    return small or any(is_signal_nan(f, p) for p in parts)


def run(
    access: Access, exec_mask: int = FULL, seed: str = "memory", arch: str = "gfx942"
) -> list[Mismatch]:
    """Run one memory instruction with disjoint addresses per lane and compare everything."""
    rng = random.Random(f"{seed} {access.text} {exec_mask}")
    op = access.op
    wave = Wave(lds=SIZE, memory=SIZE)
    where = wave.lds if op.space == "lds" else wave.memory
    content = bytearray(rng.randbytes(SIZE))
    f = float_format(op)
    align = op.size if op.action == "atomic" or rng.random() < 0.5 else 1
    places = [lane * STRIDE + rng.randrange(0, 16, align) for lane in range(64)]
    data, data2 = _data(access, rng), [rng.getrandbits(128) for _ in range(64)]
    if op.action == "atomic":
        _initial(access, content, places, data, f)
    where[:] = np.frombuffer(bytes(content), np.uint8)
    base = 0 if op.space == "lds" else GLOBAL_BASE
    _rows(wave, ADDRESS, [base + p for p in places], 2 if op.space != "lds" else 1)
    _rows(wave, DATA, data, 4)
    _rows(wave, DATA2, data2, 4)
    old = [rng.getrandbits(128) for _ in range(64)]
    _rows(wave, RESULT, old, 4)
    wave.set_scalar(L.EXEC, exec_mask, 8)
    wave.run(assemble(access.text, arch), arch)
    return _check(access, exec_mask, wave, where, content, places, data, data2, old)


def _initial(
    access: Access, content: bytearray, places: list[int], data: list[int], f: Format | None
) -> None:
    """Memory that atomics meet: related to the data, so that equality and limits occur."""
    size = access.op.size
    mask = (1 << (8 * size)) - 1
    for lane, place in enumerate(places):
        at = place + access.offsets[0]
        value = data[(lane * 5 + 1) % 64] & mask
        if lane % 3 == 0:
            value = data[lane] & mask  # equal operands
        if lane % 7 == 0 and f is None:
            value = data[lane] >> (8 * size) & mask  # a compare that succeeds
        content[at : at + size] = value.to_bytes(size, "little")


def _rows(wave: Wave, first: int, values: list[int], dwords: int) -> None:
    for d in range(dwords):
        wave.row(first + d)[:] = np.array([v >> (32 * d) & 0xFFFFFFFF for v in values], np.uint32)


def _equal(f: Format | None, want: int, got: int, width: int) -> bool:
    if want == got:
        return True
    if f is None:
        return False
    mask = (1 << f.width) - 1
    return all(
        a == b or (is_nan(f, a) and is_nan(f, b))
        for a, b in ((want >> at & mask, got >> at & mask) for at in range(0, width, f.width))
    )


def _check(
    access: Access,
    exec_mask: int,
    wave: Wave,
    where: np.ndarray[Any, Any],
    content: bytearray,
    places: list[int],
    data: list[int],
    data2: list[int],
    old: list[int],
) -> list[Mismatch]:
    op, f = access.op, float_format(access.op)
    reference = Memory(SIZE)
    reference.data[:] = content
    dwords = dwords_of(op) * (2 if op.pair else 1)
    if op.action != "load" and not access.returns:
        dwords = 0
    results = [
        sum(int(wave.row(RESULT + d)[lane]) << (32 * d) for d in range(4)) for lane in range(64)
    ]
    found: list[Mismatch] = []
    for lane in range(64):
        want = old[lane]
        if exec_mask >> lane & 1:
            env: dict[str, Any] = {
                "MEM": reference,
                "LDS": reference,
                "S0": places[lane],
                "S1": data[lane],
                "ADDR": places[lane],
                "ADDR_BASE": places[lane],
                "DATA": data[lane],
                "DATA2": data2[lane],
                "VDATA": data[lane] if op.action == "store" else old[lane],
                "RETURN_DATA": old[lane],
                "laneId": lane,
            }
            if op.pair:
                env.update(OFFSET0=access.offsets[0], OFFSET1=access.offsets[1])
            else:
                offset = access.offsets[0]
                env.update(OFFSET=offset, OFFSET0=offset & 0xFF, OFFSET1=offset >> 8)
            made = evaluate(access.entry, env)
            result = made.get("RETURN_DATA", made.get("VDATA", 0))
            if isinstance(result, list):  # RETURN_DATA declared as an array of dwords
                result = sum(part << (32 * i) for i, part in enumerate(result))
            if dwords:
                mask = (1 << (32 * dwords)) - 1
                if op.action == "load" and op.size < 4:
                    mask = 0xFFFFFFFF
                want = (old[lane] & ~mask) | (result & mask)
        if not _equal(f, want, results[lane], 128):
            found.append(
                Mismatch({"lane": lane, "address": places[lane]}, {"D": want}, {"D": results[lane]})
            )
    after = bytes(where.tobytes())
    if f is None:
        for at in np.flatnonzero(np.frombuffer(after, np.uint8) != reference.data):
            here = int(at)
            found.append(
                Mismatch({"byte": here}, {"MEM": reference.data[here]}, {"MEM": after[here]})
            )
            break
        return found
    for lane, place in enumerate(places):
        at = place + access.offsets[0]
        want = int.from_bytes(reference.data[at : at + op.size], "little")
        got = int.from_bytes(after[at : at + op.size], "little")
        if not _equal(f, want, got, 8 * op.size):
            found.append(Mismatch({"lane": lane}, {"MEM": want}, {"MEM": got}))
    return found
