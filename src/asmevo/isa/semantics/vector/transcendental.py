"""Transcendental functions, as polynomials over the algebra in double precision.

The hardware's results are within AMD's documented error (1 ulp for most) but not published to
the bit; here each is the double-precision value rounded once, which is nearly always the
correctly rounded result. The fidelity report says "approximate".
"""

from __future__ import annotations

import math
import struct
from typing import Any

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value, floor, fma, rint, sqrt, to_int, where
from asmevo.isa.semantics.vector.floats import default_nan, quiet

_ULP = "approximate (correctly rounded in nearly all cases; hardware within 1 ulp)"


def _d(like: Value, x: float) -> Value:
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    return Value(like.alg, like.alg.const(64, bits), 64, "f")


def _horner(x: Value, coefficients: list[float]) -> Value:
    """Polynomial with coefficients from the highest power down."""
    r = _d(x, coefficients[0])
    for c in coefficients[1:]:
        r = fma(r, x, _d(x, c))
    return r


_LN2 = math.log(2.0)
# exp2 on [-1/2, 1/2]: Taylor to degree 11, error below 2**-46.
_EXP2 = [_LN2**k / math.factorial(k) for k in range(11, -1, -1)]
_INTEGER = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits


def exp2_f64(x: Value) -> Value:
    """2**x of a double, for results in the range of f32 (0 and infinity beyond it)."""
    limited = where(x > _d(x, 200.0), _d(x, 200.0), where(x < _d(x, -200.0), _d(x, -200.0), x))
    shifted = limited + _d(x, _INTEGER)
    p = _horner(limited - (shifted - _d(x, _INTEGER)), _EXP2)
    # p lies in [0.7, 1.5): adding to its exponent field scales it exactly.
    r = (p.u + (shifted.u << 52)).f
    return where(x.is_nan, quiet(x), r)


# log2((1+s)/(1-s)) = 2/ln2 * (s + s^3/3 + ...), |s| <= 0.172 after centring on sqrt(1/2).
_LOG = [2.0 / (_LN2 * k) for k in range(23, 0, -2)]


def log2_f64(x: Value) -> Value:
    """log2 of a double; -inf for zero, NaN for negatives."""
    u = x.u
    sub = u < (1 << 52)
    norm = where(sub, x * _d(x, 2.0**54), x)
    e = ((norm.u >> 52) & 0x7FF).i - 1023 - where(sub, u.i.const(54), u.i.const(0))
    m = ((norm.u & ((1 << 52) - 1)) | (1023 << 52)).f  # [1, 2)
    big = m > _d(x, math.sqrt(2.0))
    m = where(big, m * _d(x, 0.5), m)
    e = where(big, e + 1, e)
    s = (m - _d(x, 1.0)) / (m + _d(x, 1.0))
    p = _horner(s * s, _LOG) * s
    r = p + e.i.to_float(64)
    inf = _d(x, math.inf)
    r = where(x == inf, inf, r)
    r = where(x == _d(x, 0.0), _d(x, -math.inf), r)
    r = where(x < _d(x, 0.0), default_nan(x), r)
    return where(x.is_nan, quiet(x), r)


# sin(2*pi*t) and cos(2*pi*t) for |t| <= 1/8 by Taylor.
_TAU = 2.0 * math.pi
_SIN = [(-1.0) ** k * _TAU ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(9, -1, -1)]
_COS = [(-1.0) ** k * _TAU ** (2 * k) / math.factorial(2 * k) for k in range(9, -1, -1)]


def _sin_turns(x: Value, quarter: int) -> Value:
    """sin of x turns, `quarter` quarter-turns ahead (1 gives cos)."""
    frac = x - floor(x)
    q = rint(frac * _d(x, 4.0))
    t = frac - q * _d(x, 0.25)
    k = (to_int(q, 64, True).u + quarter) & 3
    t2 = t * t
    s, c = _horner(t2, _SIN) * t, _horner(t2, _COS)
    r = where((k & 1) != 0, c, s)
    r = where((k & 2) != 0, -r, r)
    infinite = x.fabs() == _d(x, math.inf)
    r = where(infinite, default_nan(x), r)
    return where(x.is_nan, quiet(x), r)


# The f32 forms flush subnormals whatever MODE says (LLVM#203566, #211017).
_PLAIN: dict[str, Any] = {"rounds": False}
_FLUSH: dict[str, Any] = {"rounds": False, "forced_flush": True}
_ULP_32 = _ULP.removesuffix(")") + "; subnormals are flushed whatever MODE says, LLVM#203566)"

for _w in (16, 32):
    _t = f"f{_w}"
    _mode = _FLUSH if _w == 32 else _PLAIN
    _note = _ULP_32 if _w == 32 else _ULP

    def _exp(a: Value) -> Value:
        return exp2_f64(a.fconvert(64)).fconvert(a.width)

    def _log(a: Value) -> Value:
        return log2_f64(a.fconvert(64)).fconvert(a.width)

    def _sin(a: Value) -> Value:
        return where(a == 0.0, a, _sin_turns(a.fconvert(64), 0).fconvert(a.width))

    def _cos(a: Value) -> Value:
        return _sin_turns(a.fconvert(64), 1).fconvert(a.width)

    lane(f"v_exp_{_t}", _t, _t, exact=_note, **_mode)(_exp)
    lane(f"v_log_{_t}", _t, _t, exact=_note, **_mode)(_log)
    lane(f"v_sin_{_t}", _t, _t, exact=_note, **_mode)(_sin)
    lane(f"v_cos_{_t}", _t, _t, exact=_note, **_mode)(_cos)
lane("v_exp_legacy_f32", "f32", "f32", exact=_ULP_32, **_FLUSH)(_exp)
lane("v_log_legacy_f32", "f32", "f32", exact=_ULP_32, **_FLUSH)(_log)


def _rcp(a: Value) -> Value:
    return where(a.is_nan, quiet(a), a.const(1.0) / a)


for _t in ("f16", "f32", "f64"):
    _mode = _FLUSH if _t == "f32" else _PLAIN
    _note = _ULP_32 if _t == "f32" else _ULP
    lane(f"v_rcp_{_t}", _t, _t, exact=_note, **_mode)(_rcp)

    def _rsq(a: Value) -> Value:
        wide = a.fconvert(64)
        r = (_d(a, 1.0) / sqrt(wide)).fconvert(a.width)
        return where(a.is_nan, quiet(a), r)

    lane(f"v_rsq_{_t}", _t, _t, exact=_note, **_mode)(_rsq)
lane("v_rcp_iflag_f32", "f32", "f32", exact=_ULP_32, **_FLUSH)(_rcp)
