"""The value algebra of definedness: each bit is known, or may be anything.

A raw value is a pair of NumPy arrays (bits, undefined). Where a bit is undefined, its value in
`bits` is only one of those it may have. An operation's result is defined where every choice of
the undefined bits gives the same: exact for bitwise operations, shifts by known amounts and
selections, safe for the rest (sums carry upwards, float operations depend on everything).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from asmevo.isa.semantics.numpy_algebra import ALGEBRA, Array
from asmevo.isa.semantics.values import Algebra


class Pair(NamedTuple):
    """Bits, and which of them may be anything."""

    bits: Array
    undefined: Array


def _any(w: int, a: Pair) -> Array:
    return a.undefined if w == 1 else a.undefined != 0


def _spread(w: int, where: Array) -> Array:
    """All bits of the elements that hold."""
    return where if w == 1 else ALGEBRA.sext(1, w, where)


class UndefinedAlgebra:
    """Algebra over pairs; see `values.Algebra` for what each operation means."""

    def const(self, w: int, value: int) -> Pair:
        bits = ALGEBRA.const(w, value)
        return Pair(bits, np.zeros_like(bits))

    # --- exact ----------------------------------------------------------------------------
    def and_(self, w: int, a: Pair, b: Pair) -> Pair:
        some = a.undefined | b.undefined
        return Pair(a.bits & b.bits, some & (a.bits | a.undefined) & (b.bits | b.undefined))

    def or_(self, w: int, a: Pair, b: Pair) -> Pair:
        some = a.undefined | b.undefined
        return Pair(a.bits | b.bits, some & (~a.bits | a.undefined) & (~b.bits | b.undefined))

    def xor(self, w: int, a: Pair, b: Pair) -> Pair:
        return Pair(a.bits ^ b.bits, a.undefined | b.undefined)

    def select(self, w: int, c: Pair, a: Pair, b: Pair) -> Pair:
        bits = np.where(c.bits, a.bits, b.bits)
        either = a.undefined | b.undefined | (a.bits ^ b.bits)
        known = np.where(c.bits, a.undefined, b.undefined)
        return Pair(bits, np.where(c.undefined, either, known))

    def zext(self, w: int, to: int, a: Pair) -> Pair:
        return Pair(*(ALGEBRA.zext(w, to, x) for x in a))

    def sext(self, w: int, to: int, a: Pair) -> Pair:
        return Pair(*(ALGEBRA.sext(w, to, x) for x in a))

    def trunc(self, w: int, to: int, a: Pair) -> Pair:
        return Pair(*(ALGEBRA.trunc(w, to, x) for x in a))

    def bitreverse(self, w: int, a: Pair) -> Pair:
        return Pair(*(ALGEBRA.bitreverse(w, x) for x in a))

    def _shift(self, op: Callable[[int, Array, Array], Array], w: int, a: Pair, b: Pair) -> Pair:
        moved = op(w, a.undefined, b.bits)
        return Pair(op(w, a.bits, b.bits), moved | _spread(w, _any(w, b)))

    def shl(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._shift(ALGEBRA.shl, w, a, b)

    def lshr(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._shift(ALGEBRA.lshr, w, a, b)

    def ashr(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._shift(ALGEBRA.ashr, w, a, b)

    def eq(self, w: int, a: Pair, b: Pair) -> Pair:
        some = a.undefined | b.undefined
        different = (a.bits ^ b.bits) & ~some
        known = different if w == 1 else different != 0
        return Pair(a.bits == b.bits, (some if w == 1 else some != 0) & ~known)

    # --- from the lowest undefined bit upwards --------------------------------------------
    def _carried(self, op: Callable[[int, Array, Array], Array], w: int, a: Pair, b: Pair) -> Pair:
        some = a.undefined | b.undefined
        return Pair(op(w, a.bits, b.bits), some | ALGEBRA.sub(w, np.zeros_like(some), some))

    def add(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._carried(ALGEBRA.add, w, a, b)

    def sub(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._carried(ALGEBRA.sub, w, a, b)

    def mul(self, w: int, a: Pair, b: Pair) -> Pair:
        return self._carried(ALGEBRA.mul, w, a, b)

    # --- all or nothing -------------------------------------------------------------------
    def __getattr__(self, name: str) -> Callable[..., Pair]:
        """Comparisons, counts and float operations: undefined when any source bit is."""
        op: Callable[..., Array] = getattr(ALGEBRA, name)

        def apply(w: int, *rest: Any) -> Pair:
            operands = [r for r in rest if isinstance(r, Pair)]
            widths = [r for r in rest if not isinstance(r, Pair)]
            bits = op(w, *widths, *(o.bits for o in operands))
            some = _any(w, operands[0])
            for o in operands[1:]:
                some = some | _any(w, o)
            out = widths[0] if widths else w
            if bits.dtype == np.bool_:
                return Pair(bits, np.broadcast_to(some, bits.shape))
            return Pair(bits, _spread(out, np.broadcast_to(some, bits.shape)))

        return apply


def algebra() -> Algebra:
    """The algebra, typed as what it stands for (it makes what it does not define)."""
    made: Any = UndefinedAlgebra()
    return made
