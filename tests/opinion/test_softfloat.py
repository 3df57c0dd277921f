"""The exact arithmetic against NumPy, exact fractions and hand-computed values."""

from __future__ import annotations

import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from opinion import edges, smallfloat
from opinion.softfloat import (
    BF16,
    DOWN,
    F16,
    F32,
    F64,
    RNE,
    UP,
    ZERO,
    Format,
    Mode,
    add,
    cast,
    convert,
    div,
    equal,
    fma,
    fract,
    frexp_exp,
    frexp_mant,
    is_nan,
    ldexp,
    less,
    maximum,
    minimum,
    mul,
    rsqrt,
    sqrt,
    sub,
    to_int,
    to_integral,
    unpack,
)

KEEP = Mode()
TYPES = {
    "f16": (F16, np.uint16, np.float16),
    "f32": (F32, np.uint32, np.float32),
    "f64": (F64, np.uint64, np.float64),
}


def exact(f: Format, a: int) -> Fraction:
    sign, sig, exp = unpack(f, a)
    return Fraction(-sig if sign else sig) * Fraction(2) ** exp


def samples(f: Format, arity: int, count: int) -> list[tuple[int, ...]]:
    kind = ("F", f.width)
    rows = list(edges.tuples([kind] * arity, count, f"softfloat {f.name}"))
    special = edges.float_edges(f)
    rng = random.Random(1)
    return rows + [tuple(rng.choice(special) for _ in range(arity)) for _ in range(count // 2)]


@pytest.mark.parametrize("name", list(TYPES))
def test_basic_operations_match_numpy(name: str) -> None:
    f, uint, real = TYPES[name]
    rows = samples(f, 2, 1500)
    a = np.array([r[0] for r in rows], uint).view(real)
    b = np.array([r[1] for r in rows], uint).view(real)
    with np.errstate(all="ignore"):
        wanted = {
            add: a + b,
            sub: a - b,
            mul: a * b,
            div: a / b,
        }
        roots = np.sqrt(a)
    for operation, expected in wanted.items():
        for (x, y), bits in zip(rows, expected.view(uint).tolist(), strict=True):
            got = operation(f, x, y, KEEP)
            assert got == bits or (is_nan(f, got) and is_nan(f, bits)), (
                operation.__name__,
                hex(x),
                hex(y),
            )
    for (x, _), bits in zip(rows, roots.view(uint).tolist(), strict=True):
        got = sqrt(f, x, KEEP)
        assert got == bits or (is_nan(f, got) and is_nan(f, bits)), hex(x)


@pytest.mark.parametrize("name", list(TYPES))
def test_comparisons_match_numpy(name: str) -> None:
    f, uint, real = TYPES[name]
    rows = samples(f, 2, 800)
    a = np.array([r[0] for r in rows], uint).view(real)
    b = np.array([r[1] for r in rows], uint).view(real)
    assert [less(f, *r) for r in rows] == (a < b).tolist()
    assert [equal(f, *r) for r in rows] == (a == b).tolist()


def neighbours(f: Format, a: int) -> list[int]:
    """The pattern and the next ones towards and away from zero."""
    return [b for b in (a - 1, a, a + 1) if (b & f.abs_mask) <= f.inf and (b ^ a) < f.sign_bit]


@pytest.mark.parametrize("name", list(TYPES))
def test_fma_rounds_the_exact_value_once(name: str) -> None:
    f = TYPES[name][0]
    checked = 0
    for a, b, c in samples(f, 3, 1500):
        got = fma(f, a, b, c, KEEP)
        if any((x & f.abs_mask) >= f.inf for x in (a, b, c)):
            continue
        value = exact(f, a) * exact(f, b) + exact(f, c)
        if (got & f.abs_mask) == f.inf:
            assert abs(value) >= exact(f, f.inf - 1) + Fraction(2) ** (f.bias - f.mant - 1)
            continue
        error = abs(exact(f, got) - value)
        for near in neighbours(f, got):
            if (near & f.abs_mask) == f.inf:
                continue
            other = abs(exact(f, near) - value)
            assert error < other or near == got or (error == other and not got & 1)
        checked += 1
    assert checked > 400


def test_fma_of_halves_that_rounds_twice_in_f32_arithmetic() -> None:
    # 1 + 2^-10 squared plus a tiny addend: rounding the product first loses the tie break.
    a = 0x3C01
    assert fma(F16, a, a, 0x0001, KEEP) == 0x3C02
    assert fma(F32, 0x3F800001, 0x3F800001, 0xBF800002, KEEP) == 0x28800000  # 2^-46


@pytest.mark.parametrize(("rm", "last"), [(RNE, 0), (UP, 1), (DOWN, 0), (ZERO, 0)])
def test_rounding_modes(rm: int, last: int) -> None:
    assert add(F32, 0x3F800000, 0x30000000, Mode(round_32=rm)) == 0x3F800000 + last


def test_directed_overflow() -> None:
    big = F32.inf - 1
    assert add(F32, big, big, Mode(round_32=ZERO)) == big
    assert add(F32, big, big, Mode(round_32=UP)) == F32.inf
    assert add(F32, big | F32.sign_bit, big | F32.sign_bit, Mode(round_32=UP)) == 0xFF7FFFFF


def test_subnormals_are_flushed_as_mode_says() -> None:
    flush = Mode(denorm_32=0)
    assert add(F32, 1, 1, KEEP) == 2
    assert add(F32, 1, 0x3F800000, flush) == 0x3F800000
    assert mul(F32, 0x80000001, 0x3F800000, flush) == 0x80000000
    assert mul(F32, 0x00800000, 0x3F000000, Mode(denorm_32=1)) == 0  # output flushed
    assert mul(F32, 0x00400000, 0x3F800000, Mode(denorm_32=2)) == 0  # input flushed
    assert mul(F16, 0x0400, 0x3800, flush) == 0x0200  # the f16 field is another one
    # A product that rounds to the smallest normal at full precision is not tiny.
    assert mul(F32, 0x3F7FFFFF, 0x00800001, flush) == 0x00800000


def test_nan_rules() -> None:
    assert add(F32, 0x7F800001, 0x7FC00002, KEEP) == 0x7FC00001
    assert mul(F32, 0, F32.inf, KEEP) == 0xFFC00000
    assert add(F32, F32.inf, F32.inf | F32.sign_bit, KEEP) == 0xFFC00000
    assert fma(F32, 0, F32.inf, 0x7FC00123, KEEP) == 0xFFC00000
    assert fma(F32, 0x3F800000, 0x3F800000, 0x7F800123, KEEP) == 0x7FC00123
    assert sqrt(F16, 0xBC00, KEEP) == 0xFE00


def test_zero_signs() -> None:
    assert add(F32, 0x3F800000, 0xBF800000, KEEP) == 0
    assert add(F32, 0x3F800000, 0xBF800000, Mode(round_32=DOWN)) == 0x80000000
    assert add(F32, 0x80000000, 0x80000000, KEEP) == 0x80000000
    assert fma(F32, 0x80000000, 0x3F800000, 0x80000000, KEEP) == 0x80000000
    assert minimum(F32, 0, 0x80000000, KEEP) == 0x80000000
    assert maximum(F32, 0x80000000, 0, KEEP) == 0


def test_conversions_between_formats() -> None:
    for (a,) in samples(F32, 1, 2000):
        with np.errstate(all="ignore"):
            value = np.array([a], np.uint32).view(np.float32)
            half = int(value.astype(np.float16).view(np.uint16)[0])
            brain = int(value.astype(ml_dtypes.bfloat16).view(np.uint16)[0])
            wide = int(value.astype(np.float64).view(np.uint64)[0])
        if is_nan(F32, a):
            assert is_nan(F16, convert(F32, F16, a, KEEP))
            assert cast(F64, F32, cast(F32, F64, a)) == a
            continue
        assert convert(F32, F16, a, KEEP) == half
        assert convert(F32, BF16, a, KEEP) == brain
        assert convert(F32, F64, a, KEEP) == wide
        assert convert(F64, F32, wide, KEEP) == a
    assert convert(F32, F16, 0x477FF000, Mode(fp16_ovfl=True)) == 0x7BFF
    assert convert(F32, F16, 0x477FF000, KEEP) == 0x7C00
    assert convert(F32, F16, 0x7F7FFFFF, KEEP, rm=ZERO) == 0x7BFF


def test_integer_conversions() -> None:
    low, high = -(1 << 31), (1 << 31) - 1
    assert to_int(F32, 0x7FC00000, low, high, KEEP) == 0
    assert to_int(F32, 0xCF000000, low, high, KEEP) == low
    assert to_int(F32, 0x4F000000, low, high, KEEP) == high
    assert to_int(F32, 0xBF7FFFFF, low, high, KEEP) == 0
    assert to_int(F32, 0xBF800000, 0, 2**32 - 1, KEEP) == 0
    assert to_int(F32, 0x40200000, low, high, KEEP, RNE) == 2


def test_integral_rounding_matches_numpy() -> None:
    for f, uint, real in TYPES.values():
        rows = [r[0] for r in samples(f, 1, 500)]
        values = np.array(rows, uint).view(real)
        with np.errstate(all="ignore"):
            wanted = {
                RNE: np.rint(values),
                UP: np.ceil(values),
                DOWN: np.floor(values),
                ZERO: np.trunc(values),
            }
        for rm, expected in wanted.items():
            for a, bits in zip(rows, expected.view(uint).tolist(), strict=True):
                got = to_integral(f, a, rm)
                assert got == bits or (is_nan(f, got) and is_nan(f, bits)), (hex(a), rm)


def test_fract_stays_below_one() -> None:
    assert fract(F32, 0x80000001, KEEP) == 0x3F7FFFFF
    assert fract(F32, 0xBF000000, KEEP) == 0x3F000000
    assert fract(F16, 0x8001, KEEP) == 0x3BFF
    assert fract(F32, F32.inf, KEEP) == 0xFFC00000


def test_scaling_and_its_inverse() -> None:
    assert ldexp(F32, 0x3F800000, -149, KEEP) == 1
    assert ldexp(F32, 1, 149, KEEP) == 0x3F800000
    assert ldexp(F32, 0x3FC00000, -149, KEEP) == 2  # 1.5 units tie to even
    assert ldexp(F32, 0x3F800000, 2**31 - 1, KEEP) == F32.inf
    assert ldexp(F64, 0xBFF0000000000000, -(2**31), KEEP) == 1 << 63
    for f in (F16, F32, F64):
        for (a,) in samples(f, 1, 300):
            if is_nan(f, a):
                continue
            mant, exp = frexp_mant(f, a), frexp_exp(f, a)
            assert ldexp(f, mant, exp, KEEP) == a


def test_rsqrt_is_the_nearest() -> None:
    for (a,) in samples(F32, 1, 600):
        if a & F32.sign_bit or not 0 < a < F32.inf:
            continue
        got = rsqrt(F32, a, KEEP)
        middle_up = (exact(F32, got) + exact(F32, got + 1)) / 2
        middle_down = (exact(F32, got) + exact(F32, got - 1)) / 2
        assert middle_down**2 * exact(F32, a) <= 1 <= middle_up**2 * exact(F32, a)


SMALL = [
    ("fp8", Mode(fnuz=True), ml_dtypes.float8_e4m3fnuz),
    ("bf8", Mode(fnuz=True), ml_dtypes.float8_e5m2fnuz),
    ("fp8", Mode(fnuz=False), ml_dtypes.float8_e4m3fn),
    ("bf8", Mode(fnuz=False), ml_dtypes.float8_e5m2),
    ("fp6", KEEP, ml_dtypes.float6_e2m3fn),
    ("bf6", KEEP, ml_dtypes.float6_e3m2fn),
    ("fp4", KEEP, ml_dtypes.float4_e2m1fn),
]


@pytest.mark.parametrize(("name", "mode", "dtype"), SMALL)
def test_small_formats_match_ml_dtypes(name: str, mode: Mode, dtype: type) -> None:
    size = smallfloat.small(name, mode)
    codes = np.arange(2 * size.sign, dtype=np.uint8)
    wanted = codes.view(dtype).astype(np.float32).view(np.uint32).tolist()
    for code, bits in zip(codes.tolist(), wanted, strict=True):
        got = smallfloat.decode(name, code, F32, mode)
        assert got == bits or (is_nan(F32, got) and is_nan(F32, bits))
    rng = random.Random(3)
    for _ in range(2000):
        a = (rng.getrandbits(1) << 31) | (rng.randint(105, 145) << 23) | rng.getrandbits(23)
        value = np.array([a], np.uint32).view(np.float32)
        assert smallfloat.encode(F32, name, a, mode) == int(value.astype(dtype).view(np.uint8)[0])


def test_stochastic_rounding_brackets_the_value() -> None:
    mode = Mode(fnuz=False)
    one_and_a_bit = 0x3F810000  # 1 + 1/128: between 1.0 (0x38) and 1.125 (0x39)
    assert smallfloat.encode_sr(F32, "fp8", one_and_a_bit, 0, mode) == 0x38
    assert smallfloat.encode_sr(F32, "fp8", one_and_a_bit, 0xFFFFFFFF, mode) == 0x39
    # A carry out of the mantissa reaches the exponent.
    assert smallfloat.encode_sr(F32, "fp8", 0x3FFFFFFF, 0xFFFFFFFF, mode) == 0x40


def test_scaled_conversions() -> None:
    mode = Mode(fnuz=False)
    assert smallfloat.encode(F32, "fp4", 0x41000000, mode, scale=128) == 0x6  # 8 / 2 = 4
    assert smallfloat.decode("fp4", 0x6, F32, mode, scale=128) == 0x41000000
    assert smallfloat.encode(F32, "fp4", 0x7F800000, mode) == 0x7  # no infinity: largest
    assert is_nan(F32, smallfloat.decode("fp8", 0x38, F32, mode, scale=255))
