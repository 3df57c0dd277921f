"""Whole computations against exact arithmetic: beside each correction of the second opinion.

The pseudocode is replaced where it is wrong (`corrections.py`) and differences are accepted where
it is disputed (`known.py`). Both are readings of the same people who read the semantics, so each
entry has a test here whose reference knows no instruction: rationals, NumPy's IEEE arithmetic,
published constants. `covers` names the entries; `test_arithmetic_coverage` fails when one has none.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from opinion.covered import covers
from opinion.exact import Array, exact, floats, nearest, ordinal, root, two_over_pi
from opinion.sequences import bench

from .test_division import every_exponent, patterns


def _values(width: int, count: int = 1024, seed: int = 5) -> Array:
    """Finite patterns over all exponents."""
    bits = np.concatenate([every_exponent(width), patterns(width, count, seed)])
    return bits[np.isfinite(floats(bits, width).astype(np.float64))]


def _one(text: str, bits: Array, width: int, out: int | None = None, arch: str = "gfx942") -> Array:
    return bench(text, arch)(bits, bits=width, out_bits=out)


def _name(width: int) -> tuple[str, str]:
    return ("v[40:41]", "v[2:3]") if width == 64 else ("v40", "v2")


def _assert_same(got: Array, want: list[int], *operands: Array) -> None:
    wrong = [i for i, w in enumerate(want) if int(got[i]) != w]
    assert not wrong, (
        "; ".join(
            f"{[hex(int(o[i])) for o in operands]}: {int(got[i]):#x}, not {want[i]:#x}"
            for i in wrong[:4]
        )
        + f" ({len(wrong)} of {len(want)})"
    )


# --- rounding to integers, parts of a float ---------------------------------------------------
@covers("V_RNDNE_F*")
@pytest.mark.parametrize("width", [16, 32, 64])
def test_round_to_nearest_even(width: int) -> None:
    out, a = _name(width)
    bits = _values(width)
    want = np.rint(floats(bits, width)).view(f"u{width // 8}")
    _assert_same(_one(f"v_rndne_f{width} {out}, {a}", bits, width), want.tolist(), bits)


@covers("V_FRACT_F*")
@pytest.mark.parametrize("width", [16, 32, 64])
def test_fraction(width: int) -> None:
    """x - floor(x), rounded once and kept below one (ISA V_FRACT)."""
    out, a = _name(width)
    bits = _values(width)
    below = {16: 0x3BFF, 32: 0x3F7FFFFF, 64: 0x3FEFFFFFFFFFFFFF}[width]
    want = [
        min(nearest(x - math.floor(x), width), below) for x in (exact(int(b), width) for b in bits)
    ]
    _assert_same(_one(f"v_fract_f{width} {out}, {a}", bits, width), want, bits)


@covers("V_FREXP_*_F*")
@pytest.mark.parametrize("width", [16, 32, 64])
def test_significand_and_exponent(width: int) -> None:
    """m in [0.5, 1) with the sign of x, and m * 2**e is x."""
    out, a = _name(width)
    bits = _values(width)
    mantissa = _one(f"v_frexp_mant_f{width} {out}, {a}", bits, width)
    kind = "i16" if width == 16 else "i32"
    powers = _one(f"v_frexp_exp_{kind}_f{width} v40, {a}", bits, width, int(kind[1:]))
    for b, m, e in zip(bits, mantissa, powers.view(f"i{int(kind[1:]) // 8}"), strict=True):
        x, significand = exact(int(b), width), exact(int(m), width)
        assert significand * Fraction(2) ** int(e) == x
        assert Fraction(1, 2) <= abs(significand) < 1 or x == 0
        assert int(m) >> (width - 1) == int(b) >> (width - 1)


@covers("V_CVT_RPI_I32_F32", "V_CVT_FLR_I32_F32")
@pytest.mark.parametrize(("opcode", "add"), [("rpi", Fraction(1, 2)), ("flr", Fraction(0))])
def test_floor_to_integer(opcode: str, add: Fraction) -> None:
    bits = _values(32)
    want = [
        max(-(2**31), min(2**31 - 1, math.floor(exact(int(b), 32) + add))) & 0xFFFFFFFF
        for b in bits
    ]
    _assert_same(_one(f"v_cvt_{opcode}_i32_f32 v40, v2", bits, 32), want, bits)


# --- roots, exponentials, trigonometry --------------------------------------------------------
@covers("V_RSQ_F*")
@pytest.mark.parametrize("width", [16, 32, 64])
def test_reciprocal_square_root(width: int) -> None:
    """Within 1 ulp of the exact root; f16 and f32 are rounded once, so nearly always equal."""
    out, a = _name(width)
    bits = _values(width, 400)
    bits = bits[floats(bits, width) > 0]
    if width == 32:
        bits = bits[bits >= 0x00800000]  # subnormals are flushed
    got = _one(f"v_rsq_f{width} {out}, {a}", bits, width)
    want = np.array([nearest(1 / root(exact(int(b), width)), width) for b in bits], np.uint64)
    distance = np.abs(ordinal(got, width) - ordinal(want, width))
    assert distance.max() <= 1
    assert (distance == 0).mean() > (0.4 if width == 64 else 0.999)


def test_square_roots_of_subnormals_are_flushed() -> None:
    """f32 forms flush with FP_DENORM=3, too (LLVM scales their operands up for that reason)."""
    bits = np.array([1, 0x007FFFFF, 0x80000001], np.uint64)
    assert _one("v_sqrt_f32_e32 v40, v2", bits, 32).tolist() == [0, 0, 0x80000000]
    assert _one("v_rsq_f32_e32 v40, v2", bits, 32).tolist() == [0x7F800000, 0x7F800000, 0xFF800000]


# exp2f and log2f as clang emits them: scaled where the opcodes would flush.
_EXP2 = """
s_mov_b32 s4, 0xc2fc0000
v_mov_b32_e32 v10, 0x42800000
v_cmp_gt_f32_e32 vcc, s4, v2
v_cndmask_b32_e32 v10, 0, v10, vcc
v_add_f32_e32 v10, v2, v10
v_exp_f32_e32 v10, v10
v_not_b32_e32 v11, 63
v_cndmask_b32_e32 v11, 0, v11, vcc
v_ldexp_f32 v40, v10, v11
"""
_LOG2 = """
s_mov_b32 s4, 0x800000
v_cmp_gt_f32_e32 vcc, s4, v2
v_cndmask_b32_e64 v10, 0, 32, vcc
v_ldexp_f32 v10, v2, v10
v_log_f32_e32 v10, v10
v_mov_b32_e32 v11, 0x42000000
v_cndmask_b32_e32 v11, 0, v11, vcc
v_sub_f32_e32 v40, v10, v11
"""


@covers("V_EXP_F32")
def test_exp2() -> None:
    """exp2f over its whole range, subnormal results included, within 1 ulp."""
    x = np.concatenate([np.linspace(-150, 128, 4001), np.arange(-149, 128)]).astype(np.float32)
    got = _one(_EXP2, x.view(np.uint32), 32)
    want = np.exp2(x.astype(np.float64)).astype(np.float32).view(np.uint32)
    assert np.abs(ordinal(got, 32) - ordinal(want, 32)).max() <= 1


@covers("V_LOG_F32")
def test_log2() -> None:
    """log2f of every exponent, subnormals included: within 1 ulp, and exact at powers of two."""
    bits = _values(32)
    bits = bits[floats(bits, 32) > 0]
    got = _one(_LOG2, bits, 32)
    want = np.log2(floats(bits, 32).astype(np.float64))
    # The subtraction of 32 after the opcode rounds once more.
    error = np.abs(floats(got, 32).astype(np.float64) - want)
    assert (error <= 1.5 * np.spacing(np.abs(want).astype(np.float32)) + 2.0**-24).all()
    powers = np.exp2(np.arange(-149, 128)).astype(np.float32).view(np.uint32)
    assert floats(_one(_LOG2, powers, 32), 32).tolist() == list(range(-149, 128))


@covers("V_RCP_F32", "V_RCP_IFLAG_F32")
@pytest.mark.parametrize("opcode", ["v_rcp_f32", "v_rcp_iflag_f32"])
def test_reciprocal(opcode: str) -> None:
    """Within 1 ulp where neither side is subnormal; those are flushed with their sign."""
    bits = _values(32)
    x = floats(bits, 32).astype(np.float64)
    tiny = float(np.finfo(np.float32).tiny)
    got = _one(f"{opcode} v40, v2", bits, 32)
    with np.errstate(all="ignore"):
        want = (1 / x).astype(np.float32)
    want = np.where(np.abs(x) < tiny, np.copysign(np.inf, x), want).astype(np.float32)
    want = np.where(np.abs(want) < tiny, np.copysign(0.0, x), want).astype(np.float32)
    assert np.abs(ordinal(got, 32) - ordinal(want.view(np.uint32), 32)).max() <= 1
    normal = (np.abs(want) >= tiny) & np.isfinite(want)
    assert normal.sum() > 400


@covers("V_SIN_F*", "V_COS_F*")
@pytest.mark.parametrize("width", [16, 32])
@pytest.mark.parametrize("opcode", ["sin", "cos"])
def test_sine_of_turns(opcode: str, width: int) -> None:
    """The angle is reduced exactly: every float beyond 2**mantissa is a whole number of turns."""
    bits = _values(width)
    got = _one(f"v_{opcode}_f{width} v40, v2", bits, width)
    for b, g in zip(bits, floats(got, width), strict=True):
        turns = exact(int(b), width)
        if width == 32 and abs(turns) < Fraction(2) ** -126:
            turns = Fraction(0)
        quarter, rest = divmod(turns * 4 % 4, 1)
        angle = math.pi / 2 * float(rest)
        s, c = math.sin(angle), math.cos(angle)
        index = int(quarter) + (opcode == "cos")
        want = (s, c, -s, -c)[index % 4]
        assert abs(float(g) - want) <= max(abs(want), 2.0**-14) * 2.0 ** -(
            10 if width == 16 else 22
        )


def test_sine_of_radians() -> None:
    """__sinf: multiply by 1/(2 pi), reduce, sine; the error is that of the product."""
    x = np.linspace(-200, 200, 4001).astype(np.float32)
    text = "v_mul_f32_e32 v10, 0.15915494, v2\nv_fract_f32_e32 v10, v10\nv_sin_f32_e32 v40, v10"
    got = floats(_one(text, x.view(np.uint32), 32), 32)
    assert np.abs(got - np.sin(x.astype(np.float64))).max() < 4e-5


@covers("V_TRIG_PREOP_F64")
def test_large_angles_reduce_exactly() -> None:
    """Three segments of 2/pi times x give quadrant and angle, as in the library's sin."""
    digits = two_over_pi(1400)
    rng = random.Random(3)
    xs = [math.ldexp(rng.uniform(0.5, 1), rng.randrange(60, 1024)) for _ in range(64)]
    bits = np.array(xs).view(np.uint64)
    parts = [
        floats(_one(f"v_trig_preop_f64 v[40:41], v[2:3], {n}", bits, 64), 64) for n in range(3)
    ]
    for i, x in enumerate(xs):
        scale = Fraction(2) ** (128 if math.frexp(x)[1] + 1022 >= 1968 else 0)
        got = sum(Fraction(float(p[i])) for p in parts) / scale * Fraction(x) % 4
        want = Fraction(x) * Fraction(digits, 1 << 1400) % 4
        apart = min((got - want) % 4, (want - got) % 4)
        assert apart < Fraction(2) ** -40, (x, float(got), float(want))


# --- minimum, maximum, median -----------------------------------------------------------------
def _key(bits: int, width: int) -> int:
    """Order of floats with -0 below +0."""
    top = 1 << (width - 1)
    return -(bits & (top - 1)) - 1 if bits & top else bits


def _three(width: int, seed: int) -> tuple[Array, Array, Array]:
    pool = np.concatenate([_values(width, 600, seed), [0, 1 << (width - 1)] * 20])
    rng = np.random.default_rng(seed)
    return tuple(rng.choice(pool, 1500).astype(np.uint64) for _ in range(3))


@covers("V_MED3_F*", "V_M[AI][XN]*_F*")
@pytest.mark.parametrize("width", [16, 32])
def test_median_minimum_maximum(width: int) -> None:
    abc = _three(width, 7)
    ordered = [
        sorted((int(x) for x in t), key=lambda v: _key(v, width)) for t in zip(*abc, strict=True)
    ]
    for index, opcode in enumerate(("min3", "med3", "max3")):
        got = bench(f"v_{opcode}_f{width} v40, v2, v4, v6", "gfx942")(*abc, bits=width)
        _assert_same(got, [o[index] for o in ordered], *abc)


@covers("V_PK_M[AI][XN]*_F*")
def test_packed_minimum_and_maximum() -> None:
    a, b, _ = _three(16, 8)
    for opcode, pick in (("min", min), ("max", max)):
        got = bench(f"v_pk_{opcode}_f16 v40, v2, v4", "gfx942")(a, b, bits=16)
        want = [pick(int(x), int(y), key=lambda v: _key(v, 16)) for x, y in zip(a, b, strict=True)]
        _assert_same(got, want, a, b)


@covers("V_MINIMUM3_*", "V_MAXIMUM3_*")
def test_minimum3_passes_a_nan_on() -> None:
    abc = _three(32, 9)
    nan = np.uint64(0x7FC00001)
    abc[1][::5] = nan
    for opcode, index in (("minimum3", 0), ("maximum3", 2)):
        got = bench(f"v_{opcode}_f32 v40, v2, v4, v6", "gfx950")(*abc, bits=32)
        want = [
            int(nan) if int(nan) in t else sorted(t, key=lambda v: _key(v, 32))[index]
            for t in ([int(x) for x in row] for row in zip(*abc, strict=True))
        ]
        _assert_same(got, want, *abc)


# --- products and sums ------------------------------------------------------------------------
@covers("V_MAD_MIX*")
def test_mixed_fma_rounds_once() -> None:
    a = patterns(16, 1500, 1)
    a = a[np.isfinite(floats(a, 16))]
    b, c = (patterns(32, len(a), s) & np.uint64(0x8FFFFFFF) | np.uint64(0x30000000) for s in (2, 3))
    want_f32, want_f16 = [], []
    for x, y, z in zip(a, b, c, strict=True):
        value = exact(int(x), 16) * exact(int(y), 32) + exact(int(z), 32)
        want_f32.append(nearest(value, 32))
        want_f16.append(nearest(exact(want_f32[-1], 32), 16))
    halves = "op_sel_hi:[1,0,0]"
    got = bench(f"v_fma_mix_f32 v40, v2, v4, v6 {halves}", "gfx942")(a, b, c, bits=32)
    _assert_same(got, want_f32, a, b, c)
    got = bench(f"v_fma_mixlo_f16 v40, v2, v4, v6 {halves}", "gfx942")(
        a, b, c, bits=32, out_bits=16
    )
    _assert_same(got, want_f16, a, b, c)
    high = f"v_fma_mixhi_f16 v40, v2, v4, v6 {halves}\nv_lshrrev_b32_e32 v40, 16, v40"
    _assert_same(bench(high, "gfx942")(a, b, c, bits=32, out_bits=16), want_f16, a, b, c)


def _flush32(x: Array) -> Array:
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(0, x), x).astype(np.float32)


@covers("V_MAD_F32", "V_MAC_F32", "V_MADMK_F32", "V_MADAK_F32", "V_MAD_LEGACY_F32", "V_MA[CD]_F32",
        "V_MAD[AM]K_F32")  # fmt: skip
@pytest.mark.parametrize(
    "text",
    [
        "v_mac_f32_e32 v6, v2, v4\nv_mov_b32_e32 v40, v6",
        "v_mad_f32 v40, v2, v4, v6",
        "v_mad_legacy_f32 v40, v2, v4, v6",
        "v_madmk_f32 v40, v2, 0x3fc66666, v6",
        "v_madak_f32 v40, v2, v4, 0x3fc66666",
    ],
)
def test_unfused_f32_multiply_add(text: str) -> None:
    """Product rounded and flushed, sum rounded and flushed (NumPy's f32 steps)."""
    run = bench(text, "gfx90a")
    bits = [_values(32, 900, s)[:2000] for s in (1, 2, 3)]
    rng = np.random.default_rng(4)
    a, b, c = (_flush32(floats(rng.permutation(x), 32)) for x in bits)
    constant = np.float32(np.array(0x3FC66666, np.uint32).view(np.float32))
    with np.errstate(all="ignore"):
        x, y, z = a, constant if "madmk" in text else b, constant if "madak" in text else c
        product = _flush32(x * y)
        if "legacy" in text:
            product = np.where((x == 0) | (y == 0), np.float32(0), product)
        want = _flush32(product + z)
    got = run(*(v.view(np.uint32) for v in (a, b, c)), bits=32)
    keep = ~np.isnan(want)
    _assert_same(got[keep], want.view(np.uint32)[keep].tolist(), *(v[keep] for v in bits))


def _halves(seed: int) -> tuple[Array, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-8, 8, 2000).astype(np.float16) for _ in range(3))


@covers("V_FMAC_F16", "V_FMAMK_F16", "V_FMAAK_F16", "V_MA[CD]_F16", "V_MAD_LEGACY_F16",
        "V_MAD[AM]K_F16")  # fmt: skip
@pytest.mark.parametrize(
    ("text", "fused"),
    [
        ("v_fma_f16 v40, v2, v4, v6", True),
        ("v_mad_f16 v40, v2, v4, v6", False),
        ("v_mad_legacy_f16 v40, v2, v4, v6", False),
        ("v_mac_f16_e32 v6, v2, v4\nv_mov_b32_e32 v40, v6", False),
    ],
)
def test_f16_multiply_add(text: str, fused: bool) -> None:
    """No emulated target encodes v_fmac_f16 and kin: they are v_fma_f16's function."""
    run = bench(text, "gfx90a")
    a, b, c = _halves(6)
    wide = a.astype(np.float64) * b
    product = wide if fused else wide.astype(np.float16).astype(np.float64)
    want = (product + c).astype(np.float16).view(np.uint16)
    got = run(*(v.view(np.uint16) for v in (a, b, c)), bits=16)
    _assert_same(got, want.tolist(), a.view(np.uint16), b.view(np.uint16), c.view(np.uint16))


@covers("V_LSHL_ADD_U64")
def test_shift_and_add() -> None:
    rng = np.random.default_rng(12)
    a, c = rng.integers(0, 1 << 63, (2, 640), dtype=np.uint64)
    for count in range(5):  # counts above 4 are disputed
        text = f"v_lshl_add_u64 v[40:41], v[2:3], {count}, v[6:7]"
        got = bench(text, "gfx942")(a, a, c, bits=64)
        _assert_same(
            got, [(int(x) * 2**count + int(z)) % 2**64 for x, z in zip(a, c, strict=True)], a, c
        )
