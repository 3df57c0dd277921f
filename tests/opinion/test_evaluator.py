"""The evaluator against values worked out by hand from the ISA documents."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from opinion import corrections, evaluator, known, names
from opinion.evaluator import Memory, Scalars, evaluate
from opinion.softfloat import Mode
from opinion.syntax import PcodeSyntaxError, parse

M32 = 0xFFFFFFFF


def d0(name: str, *sources: int, **extra: Any) -> int:
    env: dict[str, Any] = {f"S{i}": s for i, s in enumerate(sources)}
    env.update(extra)
    return evaluate(name, env)["D0"]


# (entry, sources, result)
SCALAR: list[tuple[str, tuple[int, ...], int]] = [
    ("V_ADD_F32", (0x3F800000, 0x40000000), 0x40400000),
    ("V_ADD_U32", (M32, 2), 1),
    ("V_MUL_HI_I32", (0x80000000, 0x80000000), 0x40000000),
    ("V_MUL_I32_I24", (0xFFFFFF, 0xFFFFFF), 1),
    ("V_MUL_HI_I32_I24", (0x800000, 2), M32),
    ("V_BFE_U32", (0xABCD1234, 8, 8), 0x12),
    ("V_BFE_U32", (0xABCD1234, 8, 32), 0),
    ("V_BFE_I32", (0x80000000, 28, 8), 0xFFFFFFF8),
    ("V_BFI_B32", (0xFF, 0x12345678, 0xAAAAAAAA), 0xAAAAAA78),
    ("V_ALIGNBIT_B32", (0x12345678, 0x9ABCDEF0, 4), 0x89ABCDEF),
    ("V_ALIGNBIT_B32", (0x12345678, 0x9ABCDEF0, 32), 0x9ABCDEF0),
    ("V_ALIGNBYTE_B32", (0x12345678, 0x9ABCDEF0, 1), 0x789ABCDE),
    ("V_PERM_B32", (0x44332211, 0x8877FF55, 0x0C0D0804), 0x00FFFF11),
    ("V_PERM_B32", (0x80332211, 0x08775566, 0x0B090A03), 0xFF000008),
    ("V_SAD_U8", (0x01FF0010, 0xFF010020, 5), 0xFE + 0xFE + 0x10 + 5),
    ("V_SAD_U32", (1, M32, 0), 0xFFFFFFFE),
    ("V_MSAD_U8", (0x01FF0010, 0x00010020, 0), 0xFE + 0x10),
    ("V_LERP_U8", (0xFF00FF01, 0xFF01FF02, 0x01010100), 0xFF01FF01),
    ("V_FFBH_U32", (0,), M32),
    ("V_FFBH_U32", (0x00010000,), 15),
    ("V_FFBH_I32", (M32,), M32),
    ("V_FFBL_B32", (0x8000,), 15),
    ("V_BCNT_U32_B32", (0xF0F0, 3), 11),
    ("V_BFREV_B32", (0x1,), 0x80000000),
    ("V_LSHLREV_B32", (33, 1), 2),
    ("V_ASHRREV_I32", (4, 0x80000000), 0xF8000000),
    ("V_LSHLREV_B64", (63, 1), 1 << 63),
    ("V_ASHRREV_I64", (4, 1 << 63), 0xF8 << 56),
    ("V_MED3_I32", (5, M32, 3), 3),
    ("V_MED3_F32", (0x80000000, 0, 0x80000000), 0x80000000),
    ("V_MIN_F32", (0, 0x80000000), 0x80000000),
    ("V_MIN_F32", (0x80000000, 0), 0x80000000),
    ("V_MAX_F32", (0x80000000, 0), 0),
    ("V_MAX_F32", (0x7F800001, 0x3F800000), 0x7FC00001),
    ("V_MAX_F32", (0x7FC00001, 0x3F800000), 0x3F800000),
    ("V_CVT_I32_F32", (0xC0200000,), 0xFFFFFFFE),
    ("V_CVT_U32_F32", (0xC0200000,), 0),
    ("V_CVT_RPI_I32_F32", (0x3EFFFFFF,), 0),
    ("V_CVT_RPI_I32_F32", (0x3F000000,), 1),
    ("V_CVT_RPI_I32_F32", (0x4B000001,), 0x800001),
    ("V_CVT_FLR_I32_F32", (0xBF000000,), M32),
    ("V_CVT_F32_UBYTE3", (0xFE000000,), 0x437E0000),
    ("V_CVT_OFF_F32_I4", (0x8,), 0xBF000000),
    ("V_CVT_PKRTZ_F16_F32", (0x7F7FFFFF, 0x3F800000), 0x3C007BFF),
    ("V_CVT_PK_U16_U32", (0x12345, 7), 0x7FFFF),
    ("V_CVT_PK_I16_I32", (0x80000000, 40000), 0x7FFF8000),
    ("V_CVT_PKNORM_I16_F32", (0xBF800000, 0x3F800000), 0x7FFF8001),
    ("V_CVT_PK_BF16_F32", (0x3F808000, 0x3F818000), 0x3F823F80),
    ("V_RNDNE_F32", (0xBE99999A,), 0x80000000),
    ("V_RNDNE_F32", (0x40200000,), 0x40000000),
    ("V_RNDNE_F32", (0x4B000001,), 0x4B000001),
    ("V_FREXP_EXP_I32_F32", (0,), 0),
    ("V_FREXP_EXP_I32_F32", (1,), (-148) & M32),
    ("V_FREXP_MANT_F32", (0xC0400000,), 0xBF400000),
    ("V_LDEXP_F32", (0x3F800000, 200), 0x7F800000),
    ("V_LDEXP_F32", (0x1, 200), 0x59000000),
    ("V_FMA_F16", (0x3C01, 0x3C01, 0x0001), 0x3C02),
    ("V_DIV_FIXUP_F32", (0x7FC00000, 0x3F800000, 0xBF800000), 0xFF800000),
    ("V_DIV_FIXUP_F32", (0x3F800000, 0, 0), 0xFFC00000),
    ("V_DIV_FMAS_F32", (0x3F800000, 0x3F800000, 0), 0x3F800000),
    ("V_CUBEID_F32", (0x3F800000, 0, 0xC0000000), 0x40A00000),
    ("V_MUL_LEGACY_F32", (0x80000000, 0x7F800000), 0),
    ("V_SAT_PK_U8_I16", (0xFFFF0123,), 0x00FF),
    ("V_ASHR_PK_U8_I32", (0xFFFFFFFF, 0x1230, 4), 0xFF00),
    ("V_PRNG_B32", (0x80000001,), 2 ^ 197),
    ("V_PK_ADD_U16", (0xFFFF0001, 0x00020002), 0x00010003),
    ("V_PK_FMA_F16", (0x3C004000, 0x40003C00, 0x00003C00), 0x40004200),
    ("V_DOT4_I32_I8", (0xFF010203, 0x02010101, 10), 10 - 2 + 1 + 2 + 3),
    ("V_DOT8_U32_U4", (0x11111111, 0x22222222, 0), 16),
    ("V_LSHL_ADD_U64", (1 << 62, 2, 5), 5),
    ("S_BFE_I32", (0xF0000000, (8 << 16) | 24), 0xFFFFFFF0),
    ("S_BFE_U32", (0xF0000000, (64 << 16) | 24), 0xF0),
    ("S_BFM_B32", (8, 4), 0xFF0),
    ("S_ABSDIFF_I32", (0x80000000, 1), 0x7FFFFFFF),
    ("S_ABS_I32", (0x80000000,), 0x80000000),
    ("S_FLBIT_I32", (M32,), M32),
    ("S_BITREPLICATE_B64_B32", (0x80000001,), 0xC000000000000003),
    ("S_WQM_B32", (0x00100002,), 0x00F0000F),
    ("S_QUADMASK_B32", (0x00100002,), 0x21),
    ("S_PACK_HH_B32_B16", (0x12345678, 0x9ABCDEF0), 0x9ABC1234),
    ("S_MUL_HI_U32", (M32, M32), 0xFFFFFFFE),
]


@pytest.mark.parametrize(("name", "sources", "expected"), SCALAR)
def test_hand_computed(name: str, sources: tuple[int, ...], expected: int) -> None:
    width = 64 if expected >> 32 or "64" in name else 32
    assert d0(name, *sources) & ((1 << width) - 1) == expected


def test_carries_and_flags() -> None:
    got = evaluate("S_ADDC_U32", {"S0": M32, "S1": 0, "SCC": 1})
    assert (got["D0"], got["SCC"]) == (0, 1)
    got = evaluate("S_SUB_I32", {"S0": 0x80000000, "S1": 1})
    assert (got["D0"], got["SCC"]) == (0x7FFFFFFF, 1)
    got = evaluate("S_MAX_U32", {"S0": 4, "S1": 4})
    assert (got["D0"], got["SCC"]) == (4, 1)
    got = evaluate("S_MIN_U32", {"S0": 4, "S1": 4})
    assert (got["D0"], got["SCC"]) == (4, 0)
    got = evaluate("V_SUBB_CO_U32", {"S0": 5, "S1": 5, "VCC": 1 << 9, "laneId": 9})
    assert (got["D0"], got["VCC"] >> 9 & 1) == (M32, 1)
    got = evaluate("V_MAD_U64_U32", {"S0": M32, "S1": M32, "S2": (1 << 64) - 1})
    assert (got["D0"], got["D1"]) == (0xFFFFFFFE00000000, 1)
    got = evaluate("S_ANDN2_SAVEEXEC_B64", {"S0": 0xFF, "EXEC": 0x0F})
    assert (got["D0"], got["EXEC"], got["SCC"]) == (0x0F, 0xF0, 1)
    got = evaluate("S_BCNT1_I32_B64", {"S0": 0, "D0": 1 << 40})
    assert (got["D0"] & M32, got["SCC"]) == (0, 0)
    got = evaluate("S_ADDK_I32", {"D0": 0x7FFFFFFF, "S0": 1})
    assert (got["D0"], got["SCC"]) == (0x80000000, 1)


def test_compares_write_one_lane() -> None:
    got = evaluate("V_CMPX_LT_F32", {"S0": 0, "S1": 0x3F800000, "laneId": 3, "EXEC": 0, "D0": 0})
    assert got == {"D0": 8, "EXEC": 8}
    nan = 0x7FC00000
    assert d0("V_CMP_NLT_F32", nan, 0) & 1 == 1
    assert d0("V_CMP_LG_F32", nan, 0) & 1 == 0
    assert d0("V_CMP_NEQ_F32", nan, 0) & 1 == 1
    assert d0("V_CMP_CLASS_F32", 0x7F800001, 1) & 1 == 1
    assert d0("V_CMP_CLASS_F32", 0x80000001, 1 << 4) & 1 == 1
    assert d0("V_CMP_CLASS_F16", 0x0000, 1 << 6) & 1 == 1


def test_mode_reaches_the_operation() -> None:
    flush = Mode(denorm_32=0)
    assert evaluate("V_ADD_F32", {"S0": 1, "S1": 1}, flush)["D0"] == 0
    assert evaluate("V_MOV_B32", {"S0": 1}, flush)["D0"] == 1
    assert evaluate("V_MAX_F32", {"S0": 1, "S1": 0}, flush)["D0"] == 0
    assert evaluate("V_CMP_CLASS_F32", {"S0": 1, "S1": 1 << 7}, flush)["D0"] == 1
    no_ieee = Mode(ieee=False)
    assert evaluate("V_MAX_F32", {"S0": 0x7F800001, "S1": 1}, no_ieee)["D0"] == 1


def test_memory_operations() -> None:
    memory = Memory()
    memory.write(64, 32, 5)
    got = evaluate("DS_ADD_RTN_U32", {"MEM": memory, "ADDR": 60, "OFFSET0": 4, "DATA": M32})
    assert (got["RETURN_DATA"], memory.read(64, 32)) == (5, 4)
    evaluate("DS_WRITE2ST64_B32", {"MEM": memory, "DATA": 7, "DATA2": 8, "OFFSET1": 1})
    assert (memory.read(0, 32), memory.read(256, 32)) == (7, 8)
    memory.write(8, 64, 0x8000_0001_8000_0002)
    got = evaluate("DS_INC_RTN_U32", {"MEM": memory, "ADDR": 8, "DATA": 3})
    assert memory.read(8, 32) == 0
    got = evaluate(
        "GLOBAL_ATOMIC_CMPSWAP", {"MEM": memory, "ADDR": 12, "DATA": (0x80000001 << 32) | 9}
    )
    assert (got["RETURN_DATA"], memory.read(12, 32)) == (0x80000001, 9)
    memory.write(16, 32, 0x3F800000)
    evaluate("DS_ADD_F32", {"MEM": memory, "ADDR": 16, "DATA": 0x3F800000})
    assert memory.read(16, 32) == 0x40000000
    memory.write(20, 32, 0x3C003C00)
    evaluate("DS_PK_ADD_F16", {"MEM": memory, "ADDR": 16, "OFFSET": 4, "DATA": 0x40003C00})
    assert memory.read(20, 32) == 0x42004000
    memory.write(24, 8, 0x80)
    got = evaluate("DS_READ_I8", {"MEM": memory, "ADDR": 24})
    assert got["RETURN_DATA"] & M32 == 0xFFFFFF80


def test_cross_lane_operations() -> None:
    registers = [[lane, (lane * 4 + 8) & 0xFF, lane * 100, 0] for lane in range(64)]
    evaluate(
        "DS_BPERMUTE_B32",
        {"VGPR": registers, "ADDR": 1, "DATA0": 2, "VDST": 3, "EXEC": (1 << 64) - 1 - (1 << 5)},
    )
    assert registers[0][3] == 200
    assert registers[3][3] == 0  # lane 5 is inactive
    assert registers[5][3] == 0  # not written
    got = evaluate("V_READFIRSTLANE_B32", {"VGPR": registers, "SRC0": 2, "EXEC": 0xF0})
    assert got["D0"] == 400
    scalars = Scalars([0] * 16)
    scalars.write(6, 64, 0x1122334455667788)
    assert evaluate("S_MOVRELS_B64", {"SGPR": scalars, "SRC0": 4, "M0": 2})["D0"] == (
        0x1122334455667788
    )


def test_partial_destinations() -> None:
    got = evaluate("V_CVT_PK_FP8_F32", {"S0": 0x3F800000, "S1": 0, "D0": 0xAAAAAAAA, "OPSEL": 8})
    assert got["D0"] == 0x0040AAAA
    got = evaluate("V_MAD_MIXHI_F16", {"S0": 0x3F800000, "S1": 0x40000000, "D0": 0x1234})
    assert got["D0"] == 0x40001234
    got = evaluate("V_FMA_F16", {"S0": 0x3C00, "S1": 0x3C00, "D0": 0xAAAA0000})
    assert got["D0"] == 0xAAAA3C00
    assert known.high_half("V_ADD_F16") == "zero"
    assert known.high_half("V_FMA_F16") == "keep"


def test_every_text_that_is_not_prose_parses() -> None:
    prose = []
    for name, text in evaluator.table().items():
        try:
            parse(text)
        except PcodeSyntaxError:
            prose.append(name)
    assert all(
        name.startswith(("V_MFMA_", "V_SMFMAC_"))
        or name in ("DS_SWIZZLE_B32", "S_WAITCNT", "S_SLEEP")
        for name in prose
    )


def test_every_arithmetic_entry_compiles() -> None:
    missing = []
    for name in evaluator.table():
        try:
            evaluator.compiled(name)
        except PcodeSyntaxError:
            continue
        except evaluator.PcodeTypeError:
            missing.append(name)
    formatted = re.compile(r"(T?BUFFER_(LOAD|STORE)_FORMAT_|S_TRAP)")
    assert [n for n in missing if not formatted.match(n)] == []


def test_corrections_replace_existing_entries() -> None:
    for name in corrections.CORRECTIONS:
        assert name in evaluator.table(), name
        evaluator.compiled(name)


def test_known_differences_match_entries() -> None:
    from fnmatch import fnmatchcase

    for row in known.KNOWN_DIFFERENCES:
        assert any(fnmatchcase(n, row.opcode) for n in evaluator.table()), row.opcode
        assert row.reason
        assert row.source


def test_names() -> None:
    entries = evaluator.table()
    assert names.entry_of("v_add_f32_e32", entries) == "V_ADD_F32"
    assert names.entry_of("v_fma_mix_f32", entries) == "V_MAD_MIX_F32"
    assert names.entry_of("v_cmp_gt_u32_e64", entries) == "V_CMP_GT_U32"
    assert names.entry_of("v_no_such_op", entries) is None
    assert names.mnemonic_of("V_MAD_MIX_F32") == "v_fma_mix_f32"


def test_speed_is_enough_for_thousands_of_inputs() -> None:
    env = {"S0": 0x3F812345, "S1": 0x40054321, "S2": 0x3E999999}
    evaluate("V_FMA_F32", env)
    start = time.perf_counter()
    for _ in range(500):
        evaluate("V_FMA_F32", env)
    assert (time.perf_counter() - start) / 500 < 500e-6
