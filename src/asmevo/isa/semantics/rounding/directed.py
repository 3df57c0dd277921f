"""Directed rounding on top of an algebra that only rounds to nearest even.

MODE can ask for rounding up (1), down (2) or towards zero (3). Results are computed to nearest,
together with the sign of what was lost, and moved by one unit in the last place where needed.
f16 and f32 results go through f64 rounded to odd and are exact; so are f64 products and `fma`,
which are computed in integers. Other f64 results are exact except where an intermediate term
underflows.
"""

from __future__ import annotations

from typing import Any, cast

from asmevo.isa.semantics.rounding.exact_fma import DOWN, UP, ZERO, scaled_fma
from asmevo.isa.semantics.values import Algebra, Rawv, Value, where

_INFINITY = 0x7FF << 52


def _next(v: Value, mode: int) -> Value:
    """The neighbour of a float in a rounding direction."""
    if mode == ZERO:
        return (v.u - 1).f
    away = v.sign if mode == DOWN else ~v.sign
    return where(away, v.u + 1, v.u - 1).f


class DirectedAlgebra:
    """An algebra whose float results of some widths are rounded as asked.

    Args:
        base: the algebra underneath.
        rounding: MODE rounding (0..3) by float width.
    """

    def __init__(self, base: Algebra, rounding: dict[int, int]) -> None:
        self.base = base
        self.rounding = rounding

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    def _v(self, w: int, raw: Rawv) -> Value:
        return Value(self.base, raw, w, "f")

    def _mode(self, w: int) -> int:
        return self.rounding.get(w, 0)

    # --- rounding -------------------------------------------------------------------------
    def _settle(self, w: int, nearest: Value, lost: Value, *operands: Value) -> Rawv:
        """Directed result from the nearest one (width 64) and the sign of what it lost."""
        mode = self._mode(w)
        if w == 64:
            up, down = lost > 0.0, lost < 0.0
            overflow = nearest.fabs().u == _INFINITY
            for operand in operands:  # an infinite operand gives a true infinity
                overflow = overflow & (operand.fabs().u != _INFINITY)
            if mode == ZERO:
                move = where(nearest.sign, up.to(8), down.to(8)) != 0
                move = where(overflow, overflow, move)
            else:
                move = up if mode == UP else down
                wrong = nearest.sign if mode == UP else ~nearest.sign
                move = where(overflow, wrong, move)
            return where(move, _next(nearest, mode).u, nearest.u).raw
        inexact = (lost != 0.0) & ((nearest.u & 1) == 0) & ~lost.is_nan
        away = (lost > 0.0) ^ nearest.sign
        odd = where(inexact, where(away, nearest.u + 1, nearest.u - 1), nearest.u).f
        return self._narrow(64, w, odd.raw)

    def _narrow(self, w: int, to: int, raw: Rawv) -> Rawv:
        """A wider float rounded to width `to` as its mode says."""
        mode, wide = self._mode(to), self._v(w, raw)
        n = self._v(to, self.base.fconvert(w, to, raw))
        back = n.fconvert(w)
        if mode == ZERO:
            move = back.fabs() > wide.fabs()
        else:
            move = back < wide if mode == UP else back > wide
        return where(move, _next(n, mode).u, n.u).raw

    def _zero(self, w: int, raw: Rawv, differ: Value) -> Rawv:
        """An exact zero from operands of different sign is -0 when rounding down."""
        if self._mode(w) != DOWN:
            return raw
        r = self._v(w, raw).u
        return where((r << 1 == 0) & differ, r.const(1 << (w - 1)), r).raw

    def _product_loss(self, x: Value, y: Value, p: Value) -> Value:
        """x * y - p of f16 or f32 operands."""
        return self._v(64, self.base.fma(64, x.raw, y.raw, (-p).raw))

    # --- operations -----------------------------------------------------------------------
    def fadd(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """a + b."""
        if not self._mode(w):
            return self.base.fadd(w, a, b)
        x, y = self._v(w, a), self._v(w, b)
        wx, wy = x.fconvert(64), y.fconvert(64)
        s = wx + wy
        t = s - wx
        lost = (wx - (s - t)) + (wy - t)
        return self._zero(w, self._settle(w, s, lost, wx, wy), x.sign ^ y.sign)

    def fsub(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """a - b."""
        if not self._mode(w):
            return self.base.fsub(w, a, b)
        return self.fadd(w, a, (-self._v(w, b)).raw)

    def fmul(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """a * b."""
        if not self._mode(w):
            return self.base.fmul(w, a, b)
        x, y = self._v(w, a).fconvert(64), self._v(w, b).fconvert(64)
        if w == 64:
            zero = ((x.u ^ y.u) & (1 << 63)).f  # adding it changes nothing
            return scaled_fma(x, y, zero, x.i.const(0), self._mode(w)).raw
        p = x * y
        lost = self._product_loss(x, y, p)
        return self._settle(w, p, lost, x, y)

    def fma(self, w: int, a: Rawv, b: Rawv, c: Rawv) -> Rawv:
        """a * b + c with one rounding."""
        if not self._mode(w):
            return self.base.fma(w, a, b, c)
        x, y, z = (self._v(w, v).fconvert(64) for v in (a, b, c))
        if w == 64:
            return scaled_fma(x, y, z, x.i.const(0), self._mode(w)).raw
        p = x * y
        low = self._product_loss(x, y, p)
        r = self._v(64, self.base.fma(64, x.raw, y.raw, z.raw))
        s = p + z
        t = s - p
        error = (p - (s - t)) + (z - t)
        lost = (s - r) + (error + low)
        return self._zero(w, self._settle(w, r, lost, x, y, z), (x.sign ^ y.sign) ^ z.sign)

    def fdiv(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """a / b."""
        if not self._mode(w):
            return self.base.fdiv(w, a, b)
        x, y = self._v(w, a).fconvert(64), self._v(w, b).fconvert(64)
        q = x / y
        rest = self._v(64, self.base.fma(64, (-q).raw, y.raw, x.raw))
        return self._settle(w, q, where(y.sign, -rest, rest), x, y)

    def fsqrt(self, w: int, a: Rawv) -> Rawv:
        """Square root."""
        if not self._mode(w):
            return self.base.fsqrt(w, a)
        x = self._v(w, a).fconvert(64)
        s = self._v(64, self.base.fsqrt(64, x.raw))
        return self._settle(w, s, self._v(64, self.base.fma(64, (-s).raw, s.raw, x.raw)))

    def fconvert(self, w: int, to: int, a: Rawv) -> Rawv:
        """Between float widths."""
        if to >= w or not self._mode(to):
            return self.base.fconvert(w, to, a)
        return self._narrow(w, to, a)

    def from_sint(self, w: int, to: int, a: Rawv) -> Rawv:
        """Signed integer of at most 32 bits to float."""
        if to == 64 or not self._mode(to):
            return self.base.from_sint(w, to, a)
        return self._narrow(64, to, self.base.from_sint(w, 64, a))

    def from_uint(self, w: int, to: int, a: Rawv) -> Rawv:
        """Unsigned integer of at most 32 bits to float."""
        if to == 64 or not self._mode(to):
            return self.base.from_uint(w, to, a)
        return self._narrow(64, to, self.base.from_uint(w, 64, a))


def directed(base: Algebra, rounding: dict[int, int]) -> Algebra:
    """A `DirectedAlgebra`, typed as what it stands for (it forwards what it does not define)."""
    return cast(Algebra, DirectedAlgebra(base, rounding))


def rounding_of(value: Value) -> int:
    """MODE rounding that results of a value's width get (0 where its algebra only has nearest)."""
    alg = value.alg
    return alg.rounding.get(value.width, 0) if isinstance(alg, DirectedAlgebra) else 0


def nearest(value: Value) -> Value:
    """The same bits over the algebra underneath, which rounds to nearest even."""
    alg = value.alg.base if isinstance(value.alg, DirectedAlgebra) else value.alg
    return Value(alg, value.raw, value.width, value.kind)
