"""Compiled LDS, global and cross-lane instructions against AMD's pseudocode."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from asmevo.emulate import layout as L
from opinion import evaluator, memory_engine
from opinion.cross_lane import swizzle, transpose_16
from opinion.evaluator import evaluate
from opinion.memory_engine import FULL, MemoryOp, global_access, lds_access, memory_op
from opinion.wave import Wave, assemble

ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
PARTIAL = 0x8000_F0F1_1234_5671


def _names(prefix: str) -> list[str]:
    names = [e.lower() for e in evaluator.table() if e.startswith(prefix)]
    # AMD's text of ds_condxchg32 names its operands unlike all others (tests/emulate has it).
    found = [n for n in names if memory_op(n) is not None and "condxchg" not in n]
    return found if ALL else found[::4]


@pytest.mark.parametrize("mnemonic", _names("DS_"))
def test_lds(mnemonic: str) -> None:
    op = memory_op(mnemonic)
    assert isinstance(op, MemoryOp)
    size = op.size
    offsets = ((3, 5), (0, 7)) if op.pair else ((0,), (4 * size,), (256 * size,))
    for pair in offsets:
        access = lds_access(mnemonic, pair)
        assert access is not None
        for exec_mask in (FULL, PARTIAL, 0):
            left = memory_engine.run(access, exec_mask)
            assert not left, f"{access.text} EXEC {exec_mask:#x}: {left[0]}"


@pytest.mark.parametrize("mnemonic", _names("GLOBAL_"))
def test_global(mnemonic: str) -> None:
    op = memory_op(mnemonic)
    assert isinstance(op, MemoryOp)
    for returns in (False, True) if op.action == "atomic" else (False,):
        access = global_access(mnemonic, 16, returns=returns)
        assert access is not None
        for exec_mask in (FULL, PARTIAL, 0):
            left = memory_engine.run(access, exec_mask)
            assert not left, f"{access.text} EXEC {exec_mask:#x}: {left[0]}"


def _row(rng: random.Random) -> list[int]:
    return [rng.getrandbits(32) for _ in range(64)]


def _wave(rows: dict[int, list[int]], exec_mask: int) -> Wave:
    wave = Wave(lds=8192)
    for number, values in rows.items():
        wave.row(number)[:] = np.array(values, np.uint32)
    wave.set_scalar(L.EXEC, exec_mask, 8)
    return wave


@pytest.mark.parametrize("exec_mask", [FULL, PARTIAL, 0])
@pytest.mark.parametrize("offset", [0, 12, 255])
@pytest.mark.parametrize("mnemonic", ["ds_bpermute_b32", "ds_permute_b32"])
def test_permute(mnemonic: str, offset: int, exec_mask: int) -> None:
    rng = random.Random(f"{mnemonic} {offset}")
    rows = {8: _row(rng), 12: _row(rng), 32: _row(rng)}
    wave = _wave(rows, exec_mask)
    wave.run(assemble(f"{mnemonic} v32, v8, v12 offset:{offset}", "gfx942"), "gfx942")
    registers = [[rows[8][n], rows[12][n], rows[32][n]] for n in range(64)]
    evaluate(
        mnemonic.upper(),
        {"VGPR": registers, "ADDR": 0, "DATA0": 1, "VDST": 2, "OFFSET": offset, "EXEC": exec_mask},
    )
    assert wave.row(32).tolist() == [r[2] for r in registers]


@pytest.mark.parametrize("exec_mask", [FULL, PARTIAL])
@pytest.mark.parametrize(
    "pattern",
    [
        0xE000,
        0xE010,
        0xE01F,
        0xE007,
        0xC000,
        0xC0A0,
        0xC4A3,
        0xC7E0,
        0x80E4,
        0x801B,
        0x041F,
        0x7C1F,
        0x1234,
    ],
)
def test_swizzle(pattern: int, exec_mask: int) -> None:
    rng = random.Random(pattern)
    rows = {8: _row(rng), 32: _row(rng)}
    wave = _wave(rows, exec_mask)
    wave.run(assemble(f"ds_swizzle_b32 v32, v8 offset:{pattern}", "gfx942"), "gfx942")
    assert wave.row(32).tolist() == swizzle(pattern, rows[8], rows[32], exec_mask)


@pytest.mark.parametrize("mnemonic", ["v_permlane16_swap_b32", "v_permlane32_swap_b32"])
def test_permlane_swap(mnemonic: str) -> None:
    rng = random.Random(mnemonic)
    rows = {8: _row(rng), 12: _row(rng)}
    wave = _wave(rows, FULL)
    wave.run(assemble(f"{mnemonic} v8, v12", "gfx950"), "gfx950")
    registers = [[rows[8][n], rows[12][n]] for n in range(64)]
    evaluate(mnemonic.upper(), {"VGPR": registers, "VDST": 0, "SRC0": 1})
    assert wave.row(8).tolist() == [r[0] for r in registers]
    assert wave.row(12).tolist() == [r[1] for r in registers]


@pytest.mark.parametrize("exec_mask", [FULL, PARTIAL, 1 << 63, 0])
def test_single_lane_moves(exec_mask: int) -> None:
    rng = random.Random(exec_mask)
    rows = {8: _row(rng)}
    for select in (0, 5, 63, 64, 0xFFFFFFFF, 77):
        wave = _wave(rows, exec_mask)
        wave.set_scalar(L.sgpr(10), select)
        wave.run(
            assemble(
                "v_readfirstlane_b32 s20, v8\nv_readlane_b32 s21, v8, s10\n"
                "v_writelane_b32 v8, s10, s10",
                "gfx942",
            ),
            "gfx942",
        )
        first = (exec_mask & -exec_mask).bit_length() - 1 if exec_mask else 0
        assert wave.scalar(L.sgpr(20)) == rows[8][first]
        assert wave.scalar(L.sgpr(21)) == rows[8][select & 63]
        wanted = list(rows[8])
        wanted[select & 63] = select
        assert wave.row(8).tolist() == wanted


def test_lds_transpose_of_halves() -> None:
    rng = random.Random("transpose")
    wave = _wave({8: [lane * 8 for lane in range(64)]}, FULL)
    content = rng.randbytes(len(wave.lds))
    wave.lds[:] = np.frombuffer(content, np.uint8)
    wave.run(assemble("ds_read_b64_tr_b16 v[32:33], v8 offset:64", "gfx950"), "gfx950")
    chunks = [content[64 + 8 * lane : 72 + 8 * lane] for lane in range(64)]
    wanted = [int.from_bytes(c, "little") for c in transpose_16(chunks)]
    got = [a | b << 32 for a, b in zip(wave.row(32).tolist(), wave.row(33).tolist(), strict=True)]
    assert got == wanted
