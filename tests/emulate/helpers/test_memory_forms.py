"""Address forms and LDS instructions that no compiler test reaches, against plain expectations."""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate import layout as L
from emulate.harness import Setup, lanes, run_body

LANE = np.arange(64, dtype=np.uint32)
SETUP = Setup(lds=4096, private=64)
GFX950 = Setup(arch="gfx950", lds=4096)


def test_flat_reaches_lds() -> None:
    body = """
        v_mbcnt_lo_u32_b32 v2, -1, 0
        v_mbcnt_hi_u32_b32 v2, -1, v2
        v_lshlrev_b32 v4, 2, v2
        s_mov_b64 s[10:11], src_shared_base
        v_mov_b32 v5, s11
        flat_store_dword v[4:5], v1
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_sub_u32 v6, 252, v4
        ds_read_b32 v1, v6
        s_waitcnt lgkmcnt(0)
    """
    value = np.random.default_rng(1).integers(0, 1 << 32, 64, dtype=np.uint32)
    assert (lanes(body, value, setup=SETUP) == value[::-1]).all()


def test_flat_reaches_scratch_as_scratch_instructions_see_it() -> None:
    body = """
        v_mov_b32 v4, 8
        s_mov_b64 s[10:11], src_private_base
        v_mov_b32 v5, s11
        v_not_b32 v2, v1
        scratch_store_dword off, v1, off offset:8
        scratch_store_dword off, v2, off offset:12
        s_waitcnt vmcnt(0)
        flat_load_dwordx2 v[6:7], v[4:5]
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_sub_u32 v1, v6, v7
    """
    assert (lanes(body, LANE, setup=SETUP) == (2 * LANE + 1)).all()


def test_flat_lanes_may_go_to_different_memories() -> None:
    # Even lanes read LDS, odd ones the buffer.
    body = """
        v_lshlrev_b32 v2, 2, v1
        ds_write_b32 v2, v2
        s_mov_b64 s[10:11], src_shared_base
        v_mov_b32 v5, s11
        v_mov_b32 v4, v2
        v_and_b32 v3, 1, v1
        v_cmp_eq_u32 vcc, 1, v3
        v_mov_b32 v6, s3
        v_add_u32 v7, s2, v2
        v_cndmask_b32 v4, v4, v7, vcc
        v_cndmask_b32 v5, v5, v6, vcc
        s_waitcnt lgkmcnt(0)
        flat_load_dword v1, v[4:5]
        s_waitcnt vmcnt(0) lgkmcnt(0)
    """
    got = lanes(body, LANE, setup=SETUP)
    assert (got == np.where(LANE % 2 == 1, LANE, 4 * LANE)).all()


def test_scratch_outside_the_segment_faults() -> None:
    _, outcome = run_body(
        "scratch_store_dword off, v0, off offset:64", LANE, SETUP, expect_fault=True
    )
    assert outcome.fault == L.SCRATCH_FAULT


def test_misaligned_atomic_faults() -> None:
    body = """
        v_lshlrev_b32 v0, 2, v0
        v_mov_b32 v1, 1
        global_atomic_add v0, v1, s[2:3] offset:2
    """
    _, outcome = run_body(body, np.zeros(128, np.uint32), SETUP, expect_fault=True)
    assert outcome.fault == L.ALIGN_FAULT


@pytest.mark.parametrize("stride", [0, 16])
def test_swizzled_buffer_interleaves_dwords_of_lanes(stride: int) -> None:
    # ADD_TID with SWIZZLE_ENABLE and an index stride of 64: dword d of lane l at 256 d + 4 l.
    word1 = 1 << 31 | stride << 16
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, {word1:#x}
        s_mov_b32 s10, -1
        s_mov_b32 s11, {1 << 23 | 3 << 21:#x}
        buffer_store_dword v0, off, s[8:11], 0 offset:4
        buffer_store_byte v0, off, s[8:11], 0 offset:1
    """
    data, _ = run_body(body, np.zeros(128, np.uint32))
    assert (data[256:512].view(np.uint32) == LANE).all()
    assert (data[:256].reshape(64, 4)[:, 1] == LANE).all()


def test_add_tid_without_swizzle_strides_by_lane() -> None:
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, {8 << 16:#x}
        s_mov_b32 s10, -1
        s_mov_b32 s11, {1 << 23:#x}
        buffer_store_dword v0, off, s[8:11], 0 offset:4
    """
    data, _ = run_body(body, np.zeros(128, np.uint32))
    assert (data.view(np.uint32).reshape(64, 2)[:, 1] == LANE).all()


@pytest.mark.parametrize(
    ("stride", "format_", "records", "index", "kept"),
    [
        (8, 0, 40, "v0", range(40)),  # IDXEN with a stride: the index against NUM_RECORDS
        (8, 1, 64, "v0", range(64)),  # DATA_FORMAT lengthens the stride only where lanes add
        (0, 0, 8, "v0", range(64)),  # no stride: bytes, and byte 4 to 7 lie inside
        (0, 0, 7, "v0", range(0)),
        (8, 0, 4, "", range(64)),  # without IDXEN nothing is checked
    ],
)
def test_add_tid_bounds(stride: int, format_: int, records: int, index: str, kept: range) -> None:
    """GFX9 range checking with ADD_TID (CDNA3 ISA 9.1.5; rocjitsu addr_calc_buffer.h)."""
    address = f"{index}, s[8:11], 0 idxen" if index else "off, s[8:11], 0"
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, {stride << 16:#x}
        s_mov_b32 s10, {records}
        s_mov_b32 s11, {1 << 23 | format_ << 15:#x}
        v_add_u32 v1, 1, v0
        buffer_store_dword v1, {address} offset:4
    """
    data, _ = run_body(body, np.zeros(130, np.uint32))
    found = data.view(np.uint32)
    if stride:
        want = [lane + 1 if lane in kept else 0 for lane in range(64)]
        assert found[1:129:2].tolist() == want
    else:
        assert int(found[1]) == (64 if kept else 0)


@pytest.mark.parametrize("bits", [16, 8, 4])
def test_transposed_read(bits: int) -> None:
    """Sixteen lanes hold rows of sixteen elements; lane c of the group receives column c."""
    body = f"""
        v_mbcnt_lo_u32_b32 v2, -1, 0
        v_mbcnt_hi_u32_b32 v2, -1, v2
        v_lshlrev_b32 v6, 3, v2
        v_mov_b32 v4, v1
        v_mov_b32 v5, v3
        ds_write_b64 v6, v[4:5]
        s_waitcnt lgkmcnt(0)
        ds_read_b64_tr_b{bits} v[8:9], v6
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v1, {{}}
    """
    rng = np.random.default_rng(bits)
    low, middle, high = (rng.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3))
    got = np.stack(
        [lanes(body.format(r), low, middle, high, setup=GFX950) for r in ("v8", "v9")], axis=1
    )

    # v2 is overwritten with the lane number, so the second column is not used.
    def elements(pairs: np.ndarray) -> np.ndarray:
        octets = np.ascontiguousarray(pairs).view(np.uint8).reshape(64, 8)
        if bits == 4:
            return np.stack([octets & 15, octets >> 4], axis=2).reshape(64, 16)
        return octets.view(f"u{bits // 8}")

    source = elements(np.stack([low, high], axis=1)).reshape(4, -1, 16)  # group, row, column
    assert (elements(got).reshape(4, 16, -1) == source.transpose(0, 2, 1)).all()


def test_six_bit_transposed_read() -> None:
    body = """
        v_mbcnt_lo_u32_b32 v7, -1, 0
        v_mbcnt_hi_u32_b32 v7, -1, v7
        v_lshlrev_b32 v7, 4, v7
        v_mov_b32 v4, v1
        v_mov_b32 v5, v2
        v_mov_b32 v6, v3
        ds_write_b96 v7, v[4:6]
        s_waitcnt lgkmcnt(0)
        ds_read_b96_tr_b6 v[8:10], v7
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v1, {}
    """
    rng = np.random.default_rng(6)
    columns = [rng.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3)]
    rows = [lanes(body.format(r), *columns, setup=GFX950) for r in ("v8", "v9", "v10")]

    def elements(words: list[np.ndarray]) -> np.ndarray:
        wide = [sum(int(w[lane]) << 32 * i for i, w in enumerate(words)) for lane in range(64)]
        return np.array([[x >> 6 * e & 63 for e in range(16)] for x in wide])

    source = elements(columns).reshape(4, 16, 16)
    assert (elements(rows).reshape(4, 16, 16) == source.transpose(0, 2, 1)).all()


def test_append_and_consume_count_active_lanes() -> None:
    body = """
        v_mov_b32 v2, 64
        v_mov_b32 v3, 100
        ds_write_b32 v2, v3 offset:16
        s_mov_b32 m0, 64
        s_mov_b64 s[10:11], exec
        s_mov_b64 exec, 0xff
        ds_append v4 offset:16
        ds_append v5 offset:16
        ds_consume v6 offset:16
        s_waitcnt lgkmcnt(0)
        v_lshl_add_u32 v1, v5, 8, v4
        v_lshl_add_u32 v1, v6, 16, v1
        s_mov_b64 exec, s[10:11]
    """
    got = lanes(body, LANE, setup=SETUP)
    assert (got[:8] == (116 << 16 | 108 << 8 | 100)).all()
    assert (got[8:] == LANE[8:]).all()


def test_addtid_uses_m0_and_the_lane() -> None:
    body = """
        s_mov_b32 m0, 32
        ds_write_addtid_b32 v1 offset:16
        v_mov_b32 v2, 48
        s_waitcnt lgkmcnt(0)
        ds_read_addtid_b32 v3 offset:16
        ds_read_b32 v4, v2
        s_waitcnt lgkmcnt(0)
        v_sub_u32 v1, v3, v4
    """
    assert (lanes(body, LANE + 5, setup=SETUP) == LANE).all()


def test_paired_exchange_returns_both_old_values() -> None:
    body = """
        v_lshlrev_b32 v2, 2, v1
        v_add_u32 v3, 1, v1
        v_add_u32 v4, 1000, v1
        v_add_u32 v5, 2000, v1
        ds_write2st64_b32 v2, v1, v3 offset0:0 offset1:2
        ds_wrxchg2st64_rtn_b32 v[6:7], v2, v4, v5 offset0:0 offset1:2
        ds_read2st64_b32 v[8:9], v2 offset0:0 offset1:2
        s_waitcnt lgkmcnt(0)
        v_lshl_add_u32 v1, v7, 8, v6
        v_sub_u32 v8, v8, v4
        v_sub_u32 v9, v9, v5
        v_or3_b32 v1, v8, v9, v1
    """
    assert (lanes(body, LANE, setup=SETUP) == LANE + (LANE + 1) * 256).all()


def test_conditional_exchange_by_halves() -> None:
    body = """
        v_lshlrev_b32 v2, 3, v1
        v_mov_b32 v4, 17
        v_mov_b32 v5, 34
        ds_write_b64 v2, v[4:5]
        v_mov_b32 v6, 0x80000003
        v_mov_b32 v7, 4
        ds_condxchg32_rtn_b64 v[8:9], v2, v[6:7]
        ds_read_b64 v[10:11], v2
        s_waitcnt lgkmcnt(0)
        v_lshl_add_u32 v1, v9, 8, v8
        v_lshl_add_u32 v1, v10, 16, v1
        v_lshl_add_u32 v1, v11, 24, v1
    """
    assert (lanes(body, LANE, setup=SETUP) == (34 << 24 | 3 << 16 | 34 << 8 | 17)).all()


def test_scalar_stores_and_atomics_reach_memory() -> None:
    setup = Setup(arch="gfx90a")
    body = """
        s_mov_b32 s8, 0x11
        s_mov_b32 s9, 0x22
        s_store_dwordx2 s[8:9], s[2:3], 0x10
        s_mov_b32 s10, 5
        s_atomic_add s10, s[2:3], 0x20 glc
        s_mov_b32 s11, 3
        s_atomic_dec s11, s[2:3], 0x24 glc
        s_waitcnt lgkmcnt(0)
        s_store_dword s10, s[2:3], 0x28
        s_store_dword s11, s[2:3], 0x2c
        s_dcache_wb
    """
    memory = np.zeros(16, np.uint32)
    memory[8:10] = (7, 0)
    data, _ = run_body(body, memory, setup)
    words = data.view(np.uint32)
    assert words[4:6].tolist() == [0x11, 0x22]
    assert words[8:12].tolist() == [12, 3, 7, 0]


def test_relative_scalar_moves() -> None:
    body = """
        s_mov_b32 s12, 40
        s_mov_b32 m0, 2
        s_movrels_b32 s20, s10
        s_movreld_b32 s30, s20
        v_mov_b32 v1, s32
    """
    assert (lanes(body, LANE) == 40).all()


def test_lds_dma_places_lanes_by_number_not_by_activity() -> None:
    body = """
        v_lshlrev_b32 v2, 2, v1
        v_mov_b32 v3, 77
        ds_write_b32 v2, v3 offset:128
        s_mov_b32 m0, 64
        s_waitcnt lgkmcnt(0)
        s_mov_b64 s[10:11], exec
        s_mov_b64 exec, 0xf0f0
        global_load_lds_dword v2, s[2:3] offset:64
        s_mov_b64 exec, s[10:11]
        s_waitcnt vmcnt(0)
        ds_read_b32 v1, v2 offset:128
        s_waitcnt lgkmcnt(0)
    """
    memory = LANE + 500
    got = lanes(body.replace("v_lshlrev_b32 v2, 2, v1", "v_mov_b32 v2, v0"), memory, setup=SETUP)
    active = (0xF0F0 >> LANE) & 1 == 1
    # Active lane l reads the dword at 64 + 4 l and stores it at LDS byte 64 + 64 + 4 l.
    expected = np.where(active, np.roll(memory, -16), 77)
    assert (got == expected).all()


@pytest.mark.parametrize(("width", "dwords"), [("dwordx3", 3), ("dwordx4", 4)])
def test_wide_lds_dma(width: str, dwords: int) -> None:
    memory = np.random.default_rng(dwords).integers(0, 1 << 32, 512, dtype=np.uint32)
    body = f"""
        v_mul_u32_u24 v1, {4 * dwords}, v0
        s_mov_b32 m0, 32
        global_load_lds_{width} v1, s[2:3]
        s_waitcnt vmcnt(0)
        v_mul_u32_u24 v2, {4 * dwords}, v0
        ds_read_b32 v3, v2 offset:{32 + 4 * dwords - 4}
        v_lshlrev_b32 v4, 2, v0
        s_waitcnt lgkmcnt(0)
        global_store_dword v4, v3, s[2:3] offset:1024
    """
    data, _ = run_body(body, memory, GFX950)
    got = data[1024:1280].view(np.uint32)
    assert (got == memory[: 64 * dwords].reshape(64, dwords)[:, -1]).all()


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("ubyte", lambda b: b.astype(np.uint32)),
        ("sbyte", lambda b: b.view(np.int8).astype(np.int32)),
    ],
)
def test_byte_lds_dma_writes_a_dword_per_lane(opcode: str, expected: object) -> None:
    memory = np.random.default_rng(9).integers(0, 256, 512, dtype=np.uint8)
    body = f"""
        s_mov_b32 m0, 0
        global_load_lds_{opcode} v0, s[2:3]
        v_lshlrev_b32 v1, 2, v0
        s_waitcnt vmcnt(0)
        ds_read_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        global_store_dword v1, v2, s[2:3] offset:256
    """
    data, _ = run_body(body, memory, SETUP)
    assert callable(expected)
    want = expected(memory[:64]).astype(np.int64) & 0xFFFFFFFF
    assert (data[256:512].view(np.uint32) == want).all()


def test_dpp_moves_64_bit_operands() -> None:
    body = """
        v_mov_b32 v4, v1
        v_not_b32 v5, v1
        v_mov_b64_dpp v[6:7], v[4:5] row_newbcast:5 row_mask:0xf bank_mask:0xf
        v_not_b32 v7, v7
        v_lshl_add_u32 v1, v6, 8, v7
    """
    source = (LANE & ~np.uint32(15)) + 5
    assert (lanes(body, LANE) == source * 257).all()


def test_register_index_follows_control_flow() -> None:
    # The indexed region is entered by a branch and left by another; the text in between is not.
    body = """
        v_mov_b32 v10, 100
        v_mov_b32 v11, 200
        v_mov_b32 v12, 300
        s_mov_b32 s10, 1
        s_branch .Lon
        .Lplain:
        v_mov_b32 v2, v10
        s_branch .Ldone
        .Lon:
        s_set_gpr_idx_on s10, gpr_idx(SRC0)
        v_mov_b32 v1, v10
        s_set_gpr_idx_idx 2
        v_add_u32 v1, v10, v1
        s_set_gpr_idx_off
        s_branch .Lplain
        .Ldone:
        v_add_u32 v1, v1, v2
    """
    assert (lanes(body, LANE) == 600).all()


@pytest.mark.parametrize(
    "selector",
    [
        0x07060302,
        0x05040100,
        0x01000504,
        0x03020706,
        0x07060706,
        0x03020100,
        0x06050201,
        0x0C0C0100,
        0x07060D02,
        0x09080302,
        0x00060302,
        0x0302FFFE,
    ],
)
def test_byte_permutation_by_a_scalar_selector(selector: int) -> None:
    rng = np.random.default_rng(selector)
    a, b = (rng.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(2))
    got = lanes(f"s_mov_b32 s10, {selector:#x}\nv_perm_b32 v1, v1, v2, s10", a, b)
    octets = np.stack([b, a], axis=1).view(np.uint8).reshape(64, 8)
    want = np.zeros((64, 4), np.uint8)
    for i in range(4):
        s = selector >> 8 * i & 0xFF
        if s < 8:
            want[:, i] = octets[:, s]
        elif s < 12:
            want[:, i] = np.where(octets[:, 2 * (s - 8) + 1] & 0x80, 0xFF, 0)
        else:
            want[:, i] = 0 if s == 12 else 0xFF
    assert (got == want.view(np.uint32)[:, 0]).all()
