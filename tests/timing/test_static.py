"""Flat instruction arrays: passes, widths, waits, dependences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing import static
from asmevo.timing.static import PAIR, Kind, lane_bytes, mfma_passes, static_program

from .conftest import Bench


@pytest.mark.parametrize(
    ("arch", "mnemonic", "passes"),
    [
        ("gfx942", "v_mfma_f32_16x16x16_f16", 4),
        ("gfx942", "v_mfma_f32_32x32x8_f16", 8),
        ("gfx942", "v_mfma_f32_32x32x4_2b_bf16", 16),
        ("gfx942", "v_mfma_f32_4x4x4_16b_f16", 2),
        ("gfx942", "v_mfma_f32_32x32x2_f32", 16),
        ("gfx942", "v_mfma_f32_16x16x8_xf32", 4),
        ("gfx942", "v_mfma_f64_16x16x4_f64", 8),
        ("gfx950", "v_mfma_f64_16x16x4_f64", 16),
        ("gfx90a", "v_mfma_f32_16x16x16f16", 8),
        ("gfx90a", "v_mfma_f32_32x32x8bf16_1k", 16),
        ("gfx950", "v_smfmac_f32_32x32x32_f16", 8),
    ],
)
def test_passes(arch: str, mnemonic: str, passes: int) -> None:
    text = f"{mnemonic} a[0:3], v[0:1], v[2:3], a[0:3]"
    assert mfma_passes(Instruction(b"", text), Target(arch)) == passes


def test_scaled_matrix_passes_depend_on_the_formats() -> None:
    line = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0, v20, v21"
    target = Target("gfx950")
    assert mfma_passes(Instruction(b"", line), target) == 8
    assert mfma_passes(Instruction(b"", f"{line} cbsz:4 blgp:4"), target) == 4
    assert mfma_passes(Instruction(b"", f"{line} cbsz:4"), target) == 8


def test_unknown_matrix_shapes_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="v_wmma_f32"):
        mfma_passes(Instruction(b"", "v_wmma_f32_a v0, v1, v2"), Target("gfx942"))


@pytest.mark.shared
def test_passes_agree_with_the_collected_table(shared_root: Path) -> None:
    rows = json.loads((shared_root / "facts" / "mfma_passes.json").read_text())
    checked = 0
    for row in rows:
        if not isinstance(row["passes"], int):
            continue  # depends on modifiers, tested above
        inst = Instruction(b"", f"{row['mnemonic']} a[0:3], v[0:1], v[2:3], a[0:3]")
        assert mfma_passes(inst, Target(row["arch"])) == row["passes"], row
        checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("base", "size"),
    [
        ("global_load_dwordx4", 16),
        ("buffer_load_dwordx3", 12),
        ("buffer_load_ushort", 4),
        ("global_load_dwordx2", 8),
        ("global_atomic_add_f64", 8),
        ("ds_read_b128", 16),
        ("ds_read2_b32", 8),
        ("ds_read2st64_b64", 16),
        ("ds_read_b64_tr_b16", 8),
        ("ds_write_b8", 4),
        ("ds_bpermute_b32", 4),
        ("tbuffer_load_format_xyzw", 16),
        ("scratch_load_dword", 4),
    ],
)
def test_bytes_of_a_lane(base: str, size: int) -> None:
    assert lane_bytes(base) == size


def test_waits_are_decoded_from_the_encoding(mi300: Bench) -> None:
    code = mi300.code(["s_waitcnt vmcnt(3)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(63)"])
    program = static_program(code, mi300.target)
    assert program.wait_vm.tolist() == [3, -1, -1]
    assert program.wait_lgkm.tolist() == [-1, 0, -1]


def test_kinds_and_flags(mi300: Bench) -> None:
    code = mi300.code(
        [
            "s_add_u32 s0, s0, 1",
            "s_load_dword s0, s[2:3], 0x0",
            "v_add_f32 v0, v1, v2",
            "v_exp_f32 v0, v1",
            "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]",
            "buffer_load_dword v0, v1, s[4:7], 0 offen",
            "global_store_dword v[0:1], v2, off",
            "flat_load_dword v0, v[2:3]",
            "ds_write_b64 v0, v[2:3]",
            "s_barrier",
            "s_setprio 2",
            "s_nop 5",
            "buffer_wbl2 sc1",
            "s_endpgm",
        ]
    )
    program = static_program(code, mi300.target)
    assert [Kind(k).name for k in program.kind] == [
        "SALU", "SMEM", "VALU", "TRANS", "MFMA", "VMEM", "VMEM", "VMEM", "LDS", "BARRIER",
        "NOP", "NOP", "OTHER", "END",
    ]  # fmt: skip
    flags = program.flags & ~static.STRADDLES
    assert flags[5] == static.BUFFER
    assert flags[6] == static.STORE
    assert flags[7] == static.LGKM_VALUE
    assert flags[8] == static.STORE
    assert program.immediate[[10, 11]].tolist() == [2, 5]


def test_only_results_that_can_delay_an_issue_are_tracked(mi300: Bench) -> None:
    code = mi300.code(
        [
            "v_add_f32 v0, v1, v2",  # in-order issue covers it
            "v_cmp_eq_u32 vcc, v0, v1",
            "s_and_b64 s[0:1], vcc, exec",
            "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]",
            "v_add_f32 v8, v4, v4",
        ]
    )
    program = static_program(code, mi300.target)
    writes = [program.dst[a:b].tolist() for a, b in zip(program.dst_start, program.dst_start[1:])]  # noqa: B905
    reads = [program.src[a:b].tolist() for a, b in zip(program.src_start, program.src_start[1:])]  # noqa: B905
    assert writes[0] == []
    assert len(writes[1]) == 2
    assert set(reads[2]) == set(writes[1])
    assert len(writes[3]) == 4
    # The accumulator is forwarded inside the matrix pipe: A and B alone are waited for.
    assert not set(reads[3]) & set(writes[3])
    assert set(reads[4]) & set(writes[3])


def test_other_generations_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="gfx1100"):
        static_program([], Target("gfx1100"))


def test_an_empty_program_is_fine() -> None:
    assert len(static_program([], Target("gfx942"))) == 0


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("ds_read2_b32 v[0:1], v2 offset1:1", True),
        ("ds_read2_b32 v[0:1], v2 offset0:4 offset1:1", True),
        ("ds_read2st64_b32 v[0:1], v2 offset1:1", True),
        ("ds_write2_b64 v0, v[2:3], v[4:5] offset1:8", True),
        ("ds_read_b64 v[0:1], v2 offset:8", False),
    ],
)
def test_pairs_are_known_whatever_their_offsets(line: str, pair: bool) -> None:
    """One execution records two accesses, so a wrong answer shifts all that follow."""
    made = static_program([Instruction(bytes(8), line)], Target("gfx942"))
    assert bool(made.flags[0] & PAIR) == pair
