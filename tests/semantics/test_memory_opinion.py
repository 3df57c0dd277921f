"""Loads, stores and atomics of the memory table against AMD's pseudocode."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from asmevo.isa.semantics import numpy_algebra
from asmevo.isa.semantics.memory import ATOMICS, MemoryOp, memory_op
from opinion import edges, evaluator
from opinion.evaluator import Memory, evaluate
from opinion.softfloat import BF16, F16, F32, F64, Format, is_nan, is_signal_nan

INPUTS = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64"))
ADDRESS, FIRST, SECOND = 64, 3, 5  # byte address, and the two offsets of pair forms


def _mnemonics() -> Iterator[tuple[str, str, MemoryOp]]:
    for entry in evaluator.table():
        mnemonic = entry.lower()
        if mnemonic.startswith(("ds_", "global_", "flat_", "buffer_", "scratch_")):
            op = memory_op(mnemonic)
            if op is not None:
                yield mnemonic, entry, op


ALL = list(_mnemonics())
ATOMIC = [
    (m, e, o)
    for m, e, o in ALL
    if o.action == "atomic" and o.atomic in ATOMICS and not o.pair and o.atomic != "condxchg"
]
MOVES = [(m, e, o) for m, e, o in ALL if o.action != "atomic"]
FLOATS: dict[str, Format] = {"pk_add_f16": F16, "pk_add_bf16": BF16}


def _format(op: MemoryOp) -> Format | None:
    if op.atomic in FLOATS:
        return FLOATS[op.atomic]
    return {4: F32, 8: F64}[op.size] if op.atomic.endswith("_f") else None


def _same(op: MemoryOp, want: int, got: int) -> bool:
    f = _format(op)
    if f is None:
        return want == got
    parts = [
        ((want >> at) & ((1 << f.width) - 1), (got >> at) & ((1 << f.width) - 1))
        for at in range(0, 8 * op.size, f.width)
    ]
    return all(a == b or (is_nan(f, a) and is_nan(f, b)) for a, b in parts)


@pytest.mark.parametrize(("mnemonic", "entry", "op"), ATOMIC, ids=[m for m, _, _ in ATOMIC])
def test_atomics(mnemonic: str, entry: str, op: MemoryOp) -> None:
    width = 8 * op.size
    f = _format(op)
    kind = "U" if f is None else ("F" if f.width == width else "PKF")
    rows = list(edges.tuples([(kind, width)] * 2, INPUTS, mnemonic))
    if f is not None and op.atomic in ("min_f", "max_f"):  # pending, as for v_min and v_max
        rows = [r for r in rows if not any(is_signal_nan(f, x) for x in r)]
    uint = {4: np.uint32, 8: np.uint64}[op.size]
    old, data = (numpy_algebra.value(np.array([r[i] for r in rows], uint), width) for i in (0, 1))
    product = np.broadcast_to(ATOMICS[op.atomic](old, data).raw, (len(rows),)).tolist()
    memory = Memory(256)
    for (before, value), got in zip(rows, product, strict=True):
        if (
            f is F32
            and op.space != "lds"
            and any(0 < x & F32.abs_mask < 1 << F32.mant for x in (before, value, int(got)))
        ):
            continue  # L2 flushes f32 subnormals; the engine decides, not the table
        memory.write(ADDRESS, width, before)
        result = evaluate(entry, {"MEM": memory, "ADDR": ADDRESS, "VADDR": ADDRESS, "DATA": value})
        want = memory.read(ADDRESS, width)
        assert _same(op, want, int(got)), (hex(before), hex(value), hex(want), hex(int(got)))
        if "RETURN_DATA" in result:
            assert result["RETURN_DATA"] & ((1 << width) - 1) == before


@pytest.mark.parametrize("entry", ["DS_CMPST_RTN_B32", "DS_CMPST_B64", "GLOBAL_ATOMIC_CMPSWAP"])
def test_compare_and_swap_operand_order(entry: str) -> None:
    """LDS: DATA0 compares, DATA1 is stored; vector memory: the low half is stored."""
    width = 64 if entry.endswith("64") else 32
    memory = Memory(256)
    memory.write(ADDRESS, width, 5)
    env: dict[str, Any] = {"MEM": memory, "ADDR": ADDRESS}
    if entry.startswith("DS_"):
        env.update(DATA=5, DATA2=9)
    else:
        env.update(DATA=(5 << 32) | 9)
    evaluate(entry, env)
    assert memory.read(ADDRESS, width) == 9


def _landing(op: MemoryOp, data: bytes, old: int) -> int:
    """Register contents after a load, from the table's description alone."""
    value = int.from_bytes(data, "little", signed=op.signed)
    if op.size >= 4:
        return value
    if op.extend == "whole":
        return value & 0xFFFFFFFF
    half = value & 0xFFFF
    if op.extend == "d16":
        return (old & 0xFFFF0000) | half
    assert op.extend == "d16_hi"
    return (old & 0xFFFF) | (half << 16)


@pytest.mark.parametrize(("mnemonic", "entry", "op"), MOVES, ids=[m for m, _, _ in MOVES])
def test_loads_and_stores(mnemonic: str, entry: str, op: MemoryOp) -> None:
    rng = random.Random(mnemonic)
    scale = op.pair or 1
    offsets = [FIRST * scale, SECOND * scale] if op.pair else [0]
    size = ADDRESS + max(offsets) + 64
    for _ in range(8):
        memory = Memory(size)
        memory.data[:] = rng.randbytes(size)
        before = bytes(memory.data)
        data, data2, old = (rng.getrandbits(128) for _ in range(3))
        env = {
            "MEM": memory,
            "ADDR": ADDRESS,
            "VADDR": ADDRESS,
            "DATA": data,
            "DATA2": data2,
            "VDATA": data if op.action == "store" else old & 0xFFFFFFFF,
            "RETURN_DATA": old & 0xFFFFFFFF,
        }
        if op.pair:
            env.update(OFFSET0=FIRST, OFFSET1=SECOND)
        got = evaluate(entry, env)
        if op.action == "load":
            wanted = 0
            for i, at in enumerate(offsets):
                part = before[ADDRESS + at : ADDRESS + at + op.size]
                wanted |= _landing(op, part, old) << (8 * op.size * i)
            width = max(32, 8 * op.size * len(offsets))
            result = got.get("RETURN_DATA", got.get("VDATA"))
            assert result is not None
            assert result & ((1 << width) - 1) == wanted
            assert bytes(memory.data) == before
            continue
        shift = 16 if op.extend == "hi" else 0
        after = bytearray(before)
        for value, at in zip((data, data2), offsets, strict=False):
            part = (value >> shift) & ((1 << (8 * op.size)) - 1)
            after[ADDRESS + at : ADDRESS + at + op.size] = part.to_bytes(op.size, "little")
        assert memory.data == after


def test_every_memory_entry_is_in_the_table() -> None:
    """What AMD's table defines and the product's memory table does not: named, with the reason."""
    prefixes = ("DS_", "GLOBAL_", "FLAT_", "BUFFER_", "SCRATCH_")
    missing = {e for e in evaluator.table() if e.startswith(prefixes)} - {e for _, e, _ in ALL}
    elsewhere = {
        "DS_BPERMUTE_B32",  # cross-lane family
        "DS_PERMUTE_B32",
        "DS_SWIZZLE_B32",
        "DS_READ_ADDTID_B32",  # addressed through M0, a family of their own
        "DS_WRITE_ADDTID_B32",
    }
    formats = {e for e in missing if "_FORMAT_" in e}  # a descriptor's data format decides
    assert missing - formats <= elsewhere, sorted(missing - formats - elsewhere)
