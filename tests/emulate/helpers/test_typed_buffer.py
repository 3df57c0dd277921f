"""Typed buffer loads and stores against conversions written with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from emulate.harness import run_body

LANES = 64
RNG = np.random.default_rng(11)
# Data format code -> component widths, lowest bits first (CDNA3 ISA, buffer data formats).
WIDTHS = {
    1: (8,),
    3: (8, 8),
    4: (32,),
    5: (16, 16),
    6: (11, 11, 10),
    9: (10, 10, 10, 2),
    10: (8, 8, 8, 8),
    12: (16, 16, 16, 16),
    14: (32, 32, 32, 32),
}
NAMES = {
    1: "8",
    3: "8_8",
    4: "32",
    5: "16_16",
    6: "10_11_11",
    9: "2_10_10_10",
    10: "8_8_8_8",
    12: "16_16_16_16",
    14: "32_32_32_32",
}
NUMBERS = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "", "FLOAT"]


def _fields(data: np.ndarray, widths: tuple[int, ...]) -> list[np.ndarray]:
    """Components of 64 packed elements as Python integers."""
    size = sum(widths) // 8
    words = [
        int.from_bytes(data[i * size : (i + 1) * size].tobytes(), "little") for i in range(LANES)
    ]
    out, at = [], 0
    for width in widths:
        out.append(np.array([w >> at & ((1 << width) - 1) for w in words], np.uint64))
        at += width
    return out


def _expected(field: np.ndarray, width: int, number: int) -> np.ndarray:
    signed = np.where(
        field >> np.uint64(width - 1) & np.uint64(1),
        field.astype(np.int64) - (1 << width),
        field.astype(np.int64),
    )
    if number == 4:
        return field.astype(np.uint32)
    if number == 5:
        return signed.astype(np.int32).view(np.uint32)
    if number == 0:
        value = field.astype(np.float64) / ((1 << width) - 1)
    elif number == 1:
        value = np.maximum(signed / ((1 << (width - 1)) - 1), -1.0)
    elif number == 2:
        value = field.astype(np.float64)
    elif number == 3:
        value = signed.astype(np.float64)
    elif width == 32:
        return field.astype(np.uint32)
    else:
        half = field if width == 16 else field << np.uint64(15 - width)
        value = half.astype(np.uint16).view(np.float16).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return value.astype(np.float32).view(np.uint32)


def _supported(number: int, widths: tuple[int, ...]) -> bool:
    if number == 7:
        return all(w in (10, 11, 16, 32) for w in widths) and widths != (10, 10, 10, 2)
    return number != 6 and (max(widths) < 32 or number in (4, 5))


CASES = [(d, n) for d, w in WIDTHS.items() for n in range(8) if _supported(n, w)]


def _program(dfmt: int, number: int, verb: str, *, descriptor: bool, prefix: str = "") -> str:
    size = sum(WIDTHS[dfmt]) // 8
    word3 = 0xFAC | number << 12 | dfmt << 15 if descriptor else 0
    name = f"[BUF_DATA_FORMAT_{NAMES[dfmt]},BUF_NUM_FORMAT_{NUMBERS[number]}]"
    what = f"{'' if descriptor else 't'}buffer_{verb}_format_xyzw"
    suffix = "" if descriptor else f" format:{name}"
    return f"""
        {prefix}
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, {size << 16:#x}
        s_mov_b32 s10, {LANES}
        s_mov_b32 s11, {word3:#x}
        {what} v[4:7], v0, s[8:11], 0{suffix} idxen
    """


@pytest.mark.parametrize("descriptor", [False, True])
@pytest.mark.parametrize(("dfmt", "number"), CASES)
def test_load(dfmt: int, number: int, descriptor: bool) -> None:
    widths = WIDTHS[dfmt]
    data = np.zeros(4096, np.uint8)
    data[:1024] = RNG.integers(0, 256, 1024, dtype=np.uint8)
    body = (
        _program(dfmt, number, "load", descriptor=descriptor)
        + """
        s_waitcnt vmcnt(0)
        v_lshlrev_b32 v1, 4, v0
        global_store_dwordx4 v1, v[4:7], s[2:3] offset:2048
    """
    )
    after, _ = run_body(body, data)
    got = after[2048 : 2048 + 1024].view(np.uint32).reshape(LANES, 4)
    fields = _fields(data, widths)
    for c in range(4):
        if c < len(widths):
            want = _expected(fields[c], widths[c], number)
            nan = np.isnan(want.view(np.float32)) if number == 7 else np.zeros(LANES, bool)
            assert (got[~nan, c] == want[~nan]).all(), c
        else:
            one = 1 if number in (4, 5) else 0x3F800000
            assert (got[:, c] == (one if c == 3 else 0)).all()


@pytest.mark.parametrize(("dfmt", "number"), CASES)
def test_store_of_what_was_loaded_is_the_same(dfmt: int, number: int) -> None:
    """Every code but the second -1 of SNORM survives a load and a store."""
    widths = WIDTHS[dfmt]
    size = sum(widths) // 8
    data = np.zeros(4096, np.uint8)
    data[: LANES * size] = RNG.integers(0, 256, LANES * size, dtype=np.uint8)
    move = f"s_add_u32 s8, s2, 2048\ns_addc_u32 s9, s3, 0\ns_or_b32 s9, s9, {size << 16:#x}"
    load = _program(dfmt, number, "load", descriptor=False)
    name = f"[BUF_DATA_FORMAT_{NAMES[dfmt]},BUF_NUM_FORMAT_{NUMBERS[number]}]"
    store = f"tbuffer_store_format_xyzw v[4:7], v0, s[8:11], 0 format:{name} idxen"
    after, _ = run_body(f"{load}\ns_waitcnt vmcnt(0)\n{move}\n{store}", data)
    before, stored = (_fields(after[at:], widths) for at in (0, 2048))
    for width, a, b in zip(widths, before, stored, strict=True):
        keep = np.ones(LANES, bool)
        if number == 1:
            keep = a != 1 << (width - 1)
        if number == 7 and width < 32:
            exponent = 31 << (width - 5 if width < 16 else 10)
            keep = (a & np.uint64(exponent)) != exponent
        assert (a[keep] == b[keep]).all()


def test_elements_outside_the_records_are_zero_and_dropped() -> None:
    data = np.full(1024, 0xFF, np.uint8)
    uint = "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT]"
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, 0x40000
        s_mov_b32 s10, 32
        s_mov_b32 s11, 0
        tbuffer_load_format_x v1, v0, s[8:11], 0 {uint} idxen
        v_mov_b32 v3, 5
        s_waitcnt vmcnt(0)
        tbuffer_store_format_x v3, v0, s[8:11], 0 {uint} idxen
        v_lshlrev_b32 v2, 2, v0
        global_store_dword v2, v1, s[2:3] offset:512
    """
    after, _ = run_body(body, data)
    words = after.view(np.uint32)
    assert (words[:32] == 5).all()
    assert (words[32:64] == 0xFFFFFFFF).all()
    assert (words[128:160] == 0xFFFFFFFF).all()
    assert (words[160:192] == 0).all()


def test_d16_packs_two_components() -> None:
    data = np.zeros(1024, np.uint8)
    data[:512] = RNG.integers(0, 256, 512, dtype=np.uint8)
    unorm = "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]"
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, 0x40000
        s_mov_b32 s10, 64
        s_mov_b32 s11, 0
        tbuffer_load_format_d16_xy v1, v0, s[8:11], 0 {unorm} idxen
        v_lshlrev_b32 v2, 2, v0
        s_waitcnt vmcnt(0)
        global_store_dword v2, v1, s[2:3] offset:512
    """
    after, _ = run_body(body, data)
    got = after[512:768].view(np.float16).reshape(LANES, 2)
    want = (data[:256].reshape(LANES, 4)[:, :2] / 255).astype(np.float32).astype(np.float16)
    assert (got == want).all()
