"""Instructions that no table row states: mixed precision, packed moves, AGPR moves, buffers.

Mixed precision follows AMD's pseudocode (fused, as from gfx906 on); buffer addressing follows
`facts/semantics_traps.md` section 10 (measured on gfx950), with expectations computed here.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from asmevo.emulate import layout as L
from opinion import edges
from opinion.evaluator import evaluate
from opinion.modifiers import Modifiers, finish_float
from opinion.softfloat import F16, F32, Mode
from opinion.wave import GLOBAL_BASE, Wave, assemble

M32 = 0xFFFFFFFF
PARTIAL = 0x8000_F0F1_1234_5671
SETTINGS = [
    # op_sel, op_sel_hi, neg, abs
    ((0, 0, 0), (0, 0, 0), 0, 0),
    ((0, 0, 0), (1, 1, 1), 0, 0),
    ((1, 0, 1), (1, 1, 0), 0, 0),
    ((1, 1, 1), (1, 1, 1), 0b101, 0b110),
    ((0, 1, 0), (0, 1, 1), 0b010, 0b001),
]


def _mix_sources(seed: str) -> list[list[int]]:
    rows = list(edges.tuples([("PKF", 32)] * 3, 64, seed))
    floats = list(edges.tuples([("F", 32)] * 3, 64, seed + " f32"))
    return [[(rows if lane % 2 else floats)[lane][i] for lane in range(64)] for i in range(3)]


@pytest.mark.parametrize(
    "mode", [Mode(), Mode(denorm_32=0), Mode(denorm_16_64=0)], ids=["keep", "flush32", "flush16"]
)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("mnemonic", "entry"),
    [
        ("v_fma_mix_f32", "V_MAD_MIX_F32"),
        ("v_fma_mixlo_f16", "V_MAD_MIXLO_F16"),
        ("v_fma_mixhi_f16", "V_MAD_MIXHI_F16"),
    ],
)
def test_mix(
    mnemonic: str,
    entry: str,
    setting: tuple[tuple[int, ...], tuple[int, ...], int, int],
    mode: Mode,
) -> None:
    op_sel, op_sel_hi, neg, absolute = setting
    words = []
    for i in range(3):
        text = f"v{8 + i}"
        text = f"|{text}|" if absolute >> i & 1 else text
        words.append(f"-{text}" if neg >> i & 1 else text)
    for clamp in (False, True):
        line = (
            f"{mnemonic} v32, {', '.join(words)} op_sel:[{','.join(map(str, op_sel))}] "
            f"op_sel_hi:[{','.join(map(str, op_sel_hi))}]" + (" clamp" if clamp else "")
        )
        columns = _mix_sources(line)
        old = [random.Random(f"{line} {n}").getrandbits(32) for n in range(64)]
        wave = Wave()
        for i, column in enumerate(columns):
            wave.row(8 + i)[:] = np.array(column, np.uint32)
        wave.row(32)[:] = np.array(old, np.uint32)
        wave.run(assemble(line, "gfx942"), "gfx942", mode)
        for lane, got in enumerate(wave.row(32).tolist()):
            env = {
                "D0": old[lane],
                "OPSEL": sum(b << i for i, b in enumerate(op_sel)),
                "OPSEL_HI": sum(b << i for i, b in enumerate(op_sel_hi)),
            }
            for i in range(3):
                bits = columns[i][lane]
                sign = 1 << 15 if op_sel_hi[i] and not op_sel[i] else 1 << 31
                if absolute >> i & 1:
                    bits &= ~sign
                if neg >> i & 1:
                    bits ^= sign
                env[f"S{i}"] = bits
            want = evaluate(entry, env, mode)["D0"] & M32
            if clamp:
                f, at = (F32, 0) if entry.endswith("F32") else (F16, 16 * ("HI" in entry))
                mask = (1 << f.width) - 1 << at
                part = finish_float(Modifiers(clamp=True), f, (want & mask) >> at, mode)
                want = want & ~mask | part << at
            assert got == want, (
                line,
                lane,
                {k: hex(v) for k, v in env.items()},
                hex(got),
                hex(want),
            )


@pytest.mark.parametrize("selection", list(itertools.product((0, 1), repeat=2)))
def test_packed_move(selection: tuple[int, int]) -> None:
    rng = random.Random(str(selection))
    rows = {n: [rng.getrandbits(32) for _ in range(64)] for n in (8, 9, 12, 13)}
    wave = Wave()
    for n, values in rows.items():
        wave.row(n)[:] = np.array(values, np.uint32)
    a, b = selection
    wave.run(
        assemble(f"v_pk_mov_b32 v[32:33], v[8:9], v[12:13] op_sel:[{a},{b}]", "gfx942"), "gfx942"
    )
    for lane in range(64):
        env = {
            "S0": rows[8][lane] | rows[9][lane] << 32,
            "S1": rows[12][lane] | rows[13][lane] << 32,
            "OPSEL": a | b << 1,
        }
        want = evaluate("V_PK_MOV_B32", env)["D0"]
        assert int(wave.row(32)[lane]) | int(wave.row(33)[lane]) << 32 == want


def test_accumulation_register_moves() -> None:
    rng = random.Random("agpr")
    values, old = ([rng.getrandbits(32) for _ in range(64)] for _ in range(2))
    wave = Wave()
    wave.row(8)[:] = np.array(values, np.uint32)
    wave.row(3, agpr=True)[:] = np.array(old, np.uint32)
    wave.set_scalar(L.EXEC, PARTIAL, 8)
    wave.run(
        assemble(
            "v_accvgpr_write_b32 a3, v8\nv_accvgpr_mov_b32 a5, a3\nv_accvgpr_read_b32 v9, a5",
            "gfx942",
        ),
        "gfx942",
    )
    for lane in range(64):
        active = PARTIAL >> lane & 1
        assert int(wave.row(3, agpr=True)[lane]) == (values if active else old)[lane]
        assert int(wave.row(9)[lane]) == (values[lane] if active else 0)


BUFFER_FLAGS = 0x00027000  # word 3 of a raw or structured descriptor: 32-bit untyped data


def _buffer_wave(records: int, stride: int, soffset: int, seed: str) -> tuple[Wave, bytes]:
    wave = Wave(memory=16384)
    content = random.Random(seed).randbytes(16384)
    wave.memory[:] = np.frombuffer(content, np.uint8)
    wave.set_scalar(L.sgpr(4), GLOBAL_BASE + 4096 & M32)
    wave.set_scalar(L.sgpr(5), (GLOBAL_BASE + 4096) >> 32 | stride << 16)
    wave.set_scalar(L.sgpr(6), records)
    wave.set_scalar(L.sgpr(7), BUFFER_FLAGS)
    wave.set_scalar(L.sgpr(8), soffset)
    return wave, content


@pytest.mark.parametrize("soffset", [0, 64])
@pytest.mark.parametrize("inst_offset", [0, 16, 4095])
@pytest.mark.parametrize("dwords", [1, 2, 3, 4])
def test_raw_buffer_load_and_store_bounds(dwords: int, inst_offset: int, soffset: int) -> None:
    """Raw buffers: each dword is checked alone; out of range reads 0 and drops the store."""
    records = 4096 + 200
    rng = random.Random(f"{dwords} {inst_offset} {soffset}")
    offsets = [rng.randrange(0, 4600, 4) for _ in range(64)]
    offsets[0], offsets[1], offsets[2] = 0, records - 4, M32 - 63
    suffix = f"x{dwords}" if dwords > 1 else ""
    tuple_ = f"v[32:{31 + dwords}]" if dwords > 1 else "v32"
    for action in ("load", "store"):
        wave, content = _buffer_wave(records, 0, soffset, f"{dwords}{inst_offset}{soffset}")
        wave.row(8)[:] = np.array(offsets, np.uint32)
        data = [[rng.getrandbits(32) for _ in range(64)] for _ in range(dwords)]
        for d in range(dwords):
            wave.row(32 + d)[:] = np.array(data[d], np.uint32)
        text = f"buffer_{action}_dword{suffix} {tuple_}, v8, s[4:7], s8 offen offset:{inst_offset}"
        wave.run(assemble(text, "gfx942"), "gfx942")
        after = bytearray(content)
        for lane, offset in enumerate(offsets):
            start = (offset + inst_offset & M32) + soffset
            for d in range(dwords):
                inside = start + 4 * (d + 1) <= records
                at = 4096 + start + 4 * d
                if action == "load":
                    want = int.from_bytes(content[at : at + 4], "little") if inside else 0
                    assert int(wave.row(32 + d)[lane]) == want, (text, lane, d)
                elif inside:
                    after[at : at + 4] = data[d][lane].to_bytes(4, "little")
        if action == "store" and len(set(offsets)) == 64 and dwords == 1:
            assert wave.memory.tobytes() == bytes(after), text


def test_structured_buffer_index() -> None:
    """IDXEN with a stride: address = index * stride + offset, the index alone is checked."""
    stride, records = 24, 100
    wave, content = _buffer_wave(records, stride, 8, "structured")
    rng = random.Random("structured")
    indices = [rng.randrange(0, 120) for _ in range(64)]
    offsets = [4 * rng.randrange(0, 4) for _ in range(64)]
    wave.row(8)[:] = np.array(indices, np.uint32)
    wave.row(9)[:] = np.array(offsets, np.uint32)
    wave.run(
        assemble("buffer_load_dword v32, v[8:9], s[4:7], s8 idxen offen offset:4", "gfx942"),
        "gfx942",
    )
    for lane in range(64):
        at = 4096 + 8 + indices[lane] * stride + offsets[lane] + 4
        want = int.from_bytes(content[at : at + 4], "little") if indices[lane] < records else 0
        assert int(wave.row(32)[lane]) == want, lane
