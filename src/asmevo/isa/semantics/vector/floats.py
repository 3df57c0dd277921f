"""VALU floating-point arithmetic (CDNA3 ISA 6.x; NaN and zero rules from AMD's pseudocode)."""

from __future__ import annotations

from typing import Any

from asmevo.isa.semantics.rounding.directed import DOWN, DirectedAlgebra
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import (
    Value,
    ceil,
    floor,
    fma,
    ftrunc,
    rint,
    sqrt,
    where,
)

MANTISSA = {16: 10, 32: 23, 64: 52}
BIAS = {16: 15, 32: 127, 64: 1023}


def fma_odd(a: Value, b: Value, c: Value) -> Value:
    """a * b + c of f16 (f32) operands as an f32 (f64) rounded to odd.

    The product is exact in the wider format; the sum is made odd when inexact, so that one later
    rounding to the operands' width (scaled or not) cannot round twice (Boldo and Melquiond, 2008).
    """
    wide = 2 * a.width
    x, y, z = a.fconvert(wide), b.fconvert(wide), c.fconvert(wide)
    p = x * y
    s = p + z
    t = s - p
    error = (p - (s - t)) + (z - t)
    # An infinite or NaN sum leaves a NaN error: nothing to adjust.
    inexact = (error != 0.0) & ((s.u & 1) == 0) & ~error.is_nan
    away = (error > 0.0) ^ s.sign  # error points away from zero
    odd = where(away, s.u + 1, s.u - 1)
    out = where(inexact, odd, s.u).f
    if isinstance(a.alg, DirectedAlgebra) and DOWN in a.alg.rounding.values():
        # Exact cancellation gives -0 when rounding down.
        differ = (a.sign ^ b.sign) ^ c.sign
        out = where((out == 0.0) & differ, -out.fabs(), out)
    return out


def exponent_field(a: Value) -> Value:
    """Biased exponent field of a float, in its own width."""
    return (a.u >> MANTISSA[a.width]) & (2 * BIAS[a.width] + 1)


def infinity(a: Value) -> Value:
    """Positive infinity's bits in a float's width."""
    return a.u.const((2 * BIAS[a.width] + 1) << MANTISSA[a.width])


def fma16(a: Value, b: Value, c: Value) -> Value:
    """Fused multiply-add of halves with one rounding."""
    return fma_odd(a, b, c).fconvert(16)


def mul_add(a: Value, b: Value, c: Value) -> Value:
    """fma in the operands' width; which NaN comes out is not stated."""
    return fma16(a, b, c) if a.width == 16 else fma(a, b, c)


def flush(v: Value) -> Value:
    """A subnormal to zero of the same sign."""
    return where(exponent_field(v) == 0, v.u & (1 << (v.width - 1)), v.u).f


# --- NaN rules ----------------------------------------------------------------------------------
def quiet(a: Value) -> Value:
    """A NaN made quiet, its sign and payload kept."""
    return (a.u | (1 << (MANTISSA[a.width] - 1))).f


def is_signalling(a: Value) -> Value:
    """Whether a float is a signalling NaN."""
    return a.is_nan & ((a.u & (1 << (MANTISSA[a.width] - 1))) == 0)


def default_nan(like: Value) -> Value:
    """The NaN that invalid operations make: negative and quiet."""
    w, m = like.width, MANTISSA[like.width]
    return like.u.const((((1 << (w - m)) - 1) << m) | (1 << (m - 1))).f


def first_nan(result: Value, *operands: Value) -> Value:
    """A NaN result becomes the first NaN operand, quieted, or the default NaN."""
    out = default_nan(result)
    for a in reversed(operands):
        out = where(a.is_nan, quiet(a), out)
    return where(result.is_nan, out, result)


def fma_full(a: Value, b: Value, c: Value) -> Value:
    """fma with its NaN: the first NaN operand; infinity times zero beats a NaN addend."""
    return fma_nan(mul_add(a, b, c), a, b, c)


def fma_nan(result: Value, a: Value, b: Value, c: Value) -> Value:
    """A NaN result of a * b + c becomes the NaN that hardware returns."""
    inf = infinity(a)
    invalid = ((a.fabs().u == inf) & (b == 0.0)) | ((b.fabs().u == inf) & (a == 0.0))
    out = where(c.is_nan & ~invalid, quiet(c), default_nan(result))
    out = where(b.is_nan, quiet(b), out)
    return where(result.is_nan, where(a.is_nan, quiet(a), out), result)


def _ieee(r: Value, operands: tuple[Value, ...], mode: FloatMode) -> Value:
    """MODE.IEEE: the first signalling NaN operand comes out quieted."""
    if mode.ieee:
        for a in reversed(operands):
            r = where(is_signalling(a), quiet(a), r)
    return r


def quick_min(a: Value, b: Value) -> Value:
    """Minimum of two numbers, -0 below +0."""
    return where(a == b, (a.u | b.u).f, where(a < b, a, b))


def quick_max(a: Value, b: Value) -> Value:
    """Maximum of two numbers, -0 below +0."""
    return where(a == b, (a.u & b.u).f, where(a > b, a, b))


def fmin(a: Value, b: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    """minNum with -0 < +0; a quiet NaN operand yields the other."""
    r = where(a.is_nan, b, where(b.is_nan, a, quick_min(a, b)))
    return _ieee(r, (a, b), mode)


def fmax(a: Value, b: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    """maxNum with -0 < +0; a quiet NaN operand yields the other."""
    r = where(a.is_nan, b, where(b.is_nan, a, quick_max(a, b)))
    return _ieee(r, (a, b), mode)


def _min3(a: Value, b: Value, c: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    return fmin(fmin(a, b, mode), c, mode)


def _max3(a: Value, b: Value, c: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    return fmax(fmax(a, b, mode), c, mode)


def _quick_med3(a: Value, b: Value, c: Value) -> Value:
    return quick_max(quick_min(a, b), quick_min(quick_max(a, b), c))


def med3(a: Value, b: Value, c: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    """Median of three; with a NaN operand the minimum of all (pseudocode V_MED3_F32).

    Built from min and max so that -0 orders below +0; the pseudocode's == does not tell them
    apart and would return +0 for (-0, +0, -0).
    """
    any_nan = a.is_nan | b.is_nan | c.is_nan
    return where(any_nan, _min3(a, b, c, mode), _quick_med3(a, b, c))


def _minimum(a: Value, b: Value) -> Value:
    return where(a.is_nan, quiet(a), where(b.is_nan, quiet(b), quick_min(a, b)))


def _maximum(a: Value, b: Value) -> Value:
    return where(a.is_nan, quiet(a), where(b.is_nan, quiet(b), quick_max(a, b)))


def minimum3(a: Value, b: Value, c: Value) -> Value:
    """v_minimum3: a NaN operand comes out (gfx950)."""
    return _minimum(_minimum(a, b), c)


def maximum3(a: Value, b: Value, c: Value) -> Value:
    """v_maximum3: a NaN operand comes out (gfx950)."""
    return _maximum(_maximum(a, b), c)


# --- plain arithmetic: (fast, full) pairs ---------------------------------------------------------
def add(a: Value, b: Value) -> Value:
    """a + b with its NaN."""
    return first_nan(a + b, a, b)


def sub(a: Value, b: Value) -> Value:
    """a - b with its NaN."""
    return first_nan(a - b, a, b)


def mul(a: Value, b: Value) -> Value:
    """a * b with its NaN."""
    return first_nan(a * b, a, b)


def quick_add(a: Value, b: Value) -> Value:
    """a + b."""
    return a + b


def quick_sub(a: Value, b: Value) -> Value:
    """a - b."""
    return a - b


def quick_mul(a: Value, b: Value) -> Value:
    """a * b."""
    return a * b


def _product(a: Value, b: Value) -> Value:
    """The rounded product inside v_mad and v_mac; the f32 forms have no subnormals."""
    return flush(a * b) if a.width == 32 else a * b


def _quick_mad(a: Value, b: Value, c: Value) -> Value:
    return _product(a, b) + c


def _mad(a: Value, b: Value, c: Value) -> Value:
    return fma_nan(_product(a, b) + c, a, b, c)


def _quick_mul_legacy(a: Value, b: Value) -> Value:
    """0 times anything is +0 (DX9 rules)."""
    return where((a == 0.0) | (b == 0.0), a.const(0.0), a * b)


def _quick_mad_legacy(a: Value, b: Value, c: Value) -> Value:
    return flush(_quick_mul_legacy(a, b)) + c


def _mad_legacy(a: Value, b: Value, c: Value) -> Value:
    product = flush(_mul_legacy(a, b))
    return first_nan(product + c, product, c)


def _mul_legacy(a: Value, b: Value) -> Value:
    return first_nan(_quick_mul_legacy(a, b), a, b)


def _quick_subrev(a: Value, b: Value) -> Value:
    return b - a


def _quick_min3(a: Value, b: Value, c: Value) -> Value:
    return quick_min(quick_min(a, b), c)


def _quick_max3(a: Value, b: Value, c: Value) -> Value:
    return quick_max(quick_max(a, b), c)


_CHOICE: dict[str, Any] = {"guard": "source", "rounds": False}
_IEEE: dict[str, Any] = {"uses": ("ieee",), **_CHOICE}
_SQRT = "approximate (correctly rounded; hardware within 1 ulp)"
_SQRT_32 = (
    "approximate (correctly rounded; hardware within 1 ulp; subnormals are flushed whatever MODE "
    "says, as LLVM's lowering of sqrt supposes)"
)
_MAD_16 = (
    "open (LLVM selects it only where f16 subnormals are flushed, so it may flush whatever MODE "
    "says; followed here: MODE)"
)
MINIMUM3 = "open (which of several NaNs comes out is stated differently by manual and silicon)"

for _t in ("f16", "f32", "f64"):
    _2, _3 = f"{_t} {_t}", f"{_t} {_t} {_t}"
    _keep: dict[str, Any] = {"high": "keep"} if _t == "f16" else {}
    _open: dict[str, Any] = {"high": "open"} if _t == "f16" else {}
    # v_mad_f32 and v_mac_f32 have no denormals, whatever MODE says (LLVM isFMADLegal).
    _mode: dict[str, Any] = {"forced_flush": True} if _t == "f32" else {}
    lane(f"v_add_{_t}", _t, _2, fast=quick_add)(add)
    lane(f"v_mul_{_t}", _t, _2, fast=quick_mul)(mul)
    lane(f"v_fma_{_t}", _t, _3, fast=mul_add, **_keep)(fma_full)
    lane(f"v_fmac_{_t}", _t, _2, reads_dst=True, fast=mul_add, **_open)(fma_full)
    lane(f"v_min_{_t}", _t, _2, fast=quick_min, **_IEEE)(fmin)
    lane(f"v_max_{_t}", _t, _2, fast=quick_max, **_IEEE)(fmax)
    lane(f"v_trunc_{_t}", _t, _t, rounds=False)(ftrunc)
    lane(f"v_ceil_{_t}", _t, _t, rounds=False)(ceil)
    lane(f"v_floor_{_t}", _t, _t, rounds=False)(floor)
    lane(f"v_rndne_{_t}", _t, _t, rounds=False)(rint)
    lane(f"v_sqrt_{_t}", _t, _t, exact=_SQRT_32 if _t == "f32" else _SQRT, rounds=False, **_mode)(
        lambda a: where(a.is_nan, quiet(a), sqrt(a))
    )
    if _t != "f64":
        lane(f"v_sub_{_t}", _t, _2, fast=quick_sub)(sub)
        lane(f"v_subrev_{_t}", _t, _2, fast=_quick_subrev)(lambda a, b: sub(b, a))
        lane(
            f"v_min3_{_t}",
            _t,
            _3,
            **_IEEE,
            fast=_quick_min3,
            **_open,
        )(_min3)
        lane(
            f"v_max3_{_t}",
            _t,
            _3,
            **_IEEE,
            fast=_quick_max3,
            **_open,
        )(_max3)
        lane(f"v_med3_{_t}", _t, _3, fast=_quick_med3, **_IEEE, **_open)(med3)
        # v_mad and v_mac round the product first (no fused step).
        if _t == "f16":
            _mode = {"exact": _MAD_16}
        lane(f"v_mad_{_t}", _t, _3, fast=_quick_mad, **_keep, **_mode)(_mad)
        lane(f"v_mac_{_t}", _t, _2, reads_dst=True, fast=_quick_mad, **_open, **_mode)(_mad)
        lane(f"v_madak_{_t}", _t, _3, fast=_quick_mad, **_open, **_mode)(_mad)
        lane(f"v_fmaak_{_t}", _t, _3, fast=mul_add, **_open)(fma_full)
        # madmk/fmamk print the constant in the middle: D = S0 * K + S1.
        lane(f"v_madmk_{_t}", _t, _3, fast=_quick_mad, **_open, **_mode)(_mad)
        lane(f"v_fmamk_{_t}", _t, _3, fast=mul_add, **_open)(fma_full)

lane("v_mad_legacy_f16", "f16", "f16 f16 f16", fast=_quick_mad, exact=_MAD_16)(_mad)
lane("v_mul_legacy_f32", "f32", "f32 f32", fast=_quick_mul_legacy)(_mul_legacy)
lane(
    "v_mad_legacy_f32",
    "f32",
    "f32 f32 f32",
    forced_flush=True,
    fast=_quick_mad_legacy,
)(_mad_legacy)
lane("v_fma_legacy_f16", "f16", "f16 f16 f16", fast=mul_add)(fma_full)
lane(
    "v_minimum3_f32",
    "f32",
    "f32 f32 f32",
    **_CHOICE,
    fast=_quick_min3,
    exact=MINIMUM3,
)(minimum3)
lane(
    "v_maximum3_f32",
    "f32",
    "f32 f32 f32",
    **_CHOICE,
    fast=_quick_max3,
    exact=MINIMUM3,
)(maximum3)


@lane("v_fract_f16", "f16", "f16")
@lane("v_fract_f32", "f32", "f32")
@lane("v_fract_f64", "f64", "f64")
def _(a: Value) -> Value:
    # The result stays below one: 1 - ulp/2 is the largest value (ISA V_FRACT).
    below_one = a.u.const({16: 0x3BFF, 32: 0x3F7FFFFF, 64: 0x3FEFFFFFFFFFFFFF}[a.width]).f
    r = a - floor(a)
    return where(a.is_nan, quiet(a), where(r >= 1.0, below_one, r))
