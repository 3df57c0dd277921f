"""The instance of the value algebra whose values are terms.

Integers are exact. Comparisons and roundings of floats that bits decide are exact as well; sums,
products and the like are functions of which only their name is known, or, in `IeeeAlgebra`, those
of IEEE 754. Two NaN operands in another order may give another NaN (x86 and hardware return the
first), so only operands that are no NaNs commute.
"""

from __future__ import annotations

from asmevo.isa.semantics.values import Algebra
from asmevo.prove.terms.node import Node, Table

_FIELDS = {16: (10, 5), 32: (23, 8), 64: (52, 11)}  # mantissa, exponent bits


class TermAlgebra(Algebra):
    """Algebra over `Node`s of one `Table`; see `values.Algebra` for what each operation means."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def const(self, w: int, value: int) -> Node:
        return self.table.const(w, value)

    def add(self, w: int, a: Node, b: Node) -> Node:
        return self.table.add(a, b)

    def sub(self, w: int, a: Node, b: Node) -> Node:
        return self.table.sub(a, b)

    def mul(self, w: int, a: Node, b: Node) -> Node:
        return self.table.mul(a, b)

    def and_(self, w: int, a: Node, b: Node) -> Node:
        return self.table.and_(a, b)

    def or_(self, w: int, a: Node, b: Node) -> Node:
        return self.table.or_(a, b)

    def xor(self, w: int, a: Node, b: Node) -> Node:
        return self.table.xor(a, b)

    def shl(self, w: int, a: Node, b: Node) -> Node:
        return self.table.shift("shl", a, b)

    def lshr(self, w: int, a: Node, b: Node) -> Node:
        return self.table.shift("lshr", a, b)

    def ashr(self, w: int, a: Node, b: Node) -> Node:
        return self.table.shift("ashr", a, b)

    def eq(self, w: int, a: Node, b: Node) -> Node:
        return self.table.eq(a, b)

    def ult(self, w: int, a: Node, b: Node) -> Node:
        return self.table.less("ult", a, b)

    def slt(self, w: int, a: Node, b: Node) -> Node:
        return self.table.less("slt", a, b)

    def select(self, w: int, c: Node, a: Node, b: Node) -> Node:
        return self.table.ite(c, a, b)

    def zext(self, w: int, to: int, a: Node) -> Node:
        return self.table.zext(a, to)

    def sext(self, w: int, to: int, a: Node) -> Node:
        return self.table.sext(a, to)

    def trunc(self, w: int, to: int, a: Node) -> Node:
        return self.table.extract(a, 0, to)

    def _count(self, op: str, w: int, a: Node) -> Node:
        value = a.constant
        if value is None:
            return self.table.make(op, w, (a,))
        text = f"{value:0{w}b}"
        counts = {
            "popcount": value.bit_count(),
            "ctlz": w - value.bit_length(),
            "cttz": w - len(text.rstrip("0")) if value else w,
            "bitreverse": int(text[::-1], 2),
        }
        return self.table.const(w, counts[op])

    def popcount(self, w: int, a: Node) -> Node:
        return self._count("popcount", w, a)

    def ctlz(self, w: int, a: Node) -> Node:
        return self._count("ctlz", w, a)

    def cttz(self, w: int, a: Node) -> Node:
        return self._count("cttz", w, a)

    def bitreverse(self, w: int, a: Node) -> Node:
        return self._count("bitreverse", w, a)

    # --- what bits decide of floats -----------------------------------------------------------
    def _nan(self, w: int, a: Node) -> Node:
        t, (mantissa, exponent) = self.table, _FIELDS[w]
        magnitude = t.extract(a, 0, w - 1)
        return t.less("ult", t.const(w - 1, ((1 << exponent) - 1) << mantissa), magnitude)

    def feq(self, w: int, a: Node, b: Node) -> Node:
        t = self.table
        zero = t.const(w - 1, 0)
        both = t.and_(t.eq(t.extract(a, 0, w - 1), zero), t.eq(t.extract(b, 0, w - 1), zero))
        numbers = t.and_(t.not_(self._nan(w, a)), t.not_(self._nan(w, b)))
        return t.and_(numbers, t.or_(t.eq(a, b), both))

    def flt(self, w: int, a: Node, b: Node) -> Node:
        t = self.table
        zero = t.const(w - 1, 0)
        (x, y) = (t.extract(v, 0, w - 1) for v in (a, b))
        negative_a, negative_b = (t.extract(v, w - 1, 1) for v in (a, b))
        some = t.not_(t.and_(t.eq(x, zero), t.eq(y, zero)))
        below = t.ite(
            negative_a,
            t.ite(negative_b, t.less("ult", y, x), some),
            t.ite(negative_b, t.false, t.less("ult", x, y)),
        )
        numbers = t.and_(t.not_(self._nan(w, a)), t.not_(self._nan(w, b)))
        return t.and_(numbers, below)

    # --- functions of which only the name is known ----------------------------------------------
    def _float(self, name: str, to: int, *args: Node) -> Node:
        return self.table.make("float", to, args, name)

    def _commuting(self, name: str, w: int, a: Node, b: Node, *rest: Node) -> Node:
        """Operands that are no NaN in a fixed order."""
        if a is b:
            return self._float(name, w, a, b, *rest)
        t = self.table
        some = t.or_(self._nan(w, a), self._nan(w, b))
        first, second = (a, b) if a.number < b.number else (b, a)
        ordered = self._float(name, w, first, second, *rest)
        return t.ite(some, self._float(name, w, a, b, *rest), ordered)

    def fadd(self, w: int, a: Node, b: Node) -> Node:
        return self._commuting("add", w, a, b)

    def fsub(self, w: int, a: Node, b: Node) -> Node:
        # a - b is a + (-b), bit for bit, unless b is a NaN, whose sign may show.
        t = self.table
        sign = t.const(w, 1 << (w - 1))
        some = t.or_(self._nan(w, a), self._nan(w, b))
        return t.ite(some, self._float("sub", w, a, b), self.fadd(w, a, t.xor(b, sign)))

    def fmul(self, w: int, a: Node, b: Node) -> Node:
        return self._commuting("mul", w, a, b)

    def fdiv(self, w: int, a: Node, b: Node) -> Node:
        return self._float("div", w, a, b)

    def fma(self, w: int, a: Node, b: Node, c: Node) -> Node:
        t = self.table
        if a is b:
            return self._float("fma", w, a, b, c)
        some = t.or_(t.or_(self._nan(w, a), self._nan(w, b)), self._nan(w, c))
        first, second = (a, b) if a.number < b.number else (b, a)
        ordered = self._float("fma", w, first, second, c)
        return t.ite(some, self._float("fma", w, a, b, c), ordered)

    def fsqrt(self, w: int, a: Node) -> Node:
        return self._float("sqrt", w, a)

    def frint(self, w: int, a: Node) -> Node:
        return self._float("rint", w, a)

    def ffloor(self, w: int, a: Node) -> Node:
        return self._float("floor", w, a)

    def fceil(self, w: int, a: Node) -> Node:
        return self._float("ceil", w, a)

    def ftrunc(self, w: int, a: Node) -> Node:
        return self._float("trunc", w, a)

    def fconvert(self, w: int, to: int, a: Node) -> Node:
        return self._float(f"convert{w}", to, a)

    def from_sint(self, w: int, to: int, a: Node) -> Node:
        return self._float(f"from_sint{w}", to, a)

    def from_uint(self, w: int, to: int, a: Node) -> Node:
        return self._float(f"from_uint{w}", to, a)

    def to_sint(self, w: int, to: int, a: Node) -> Node:
        return self._float(f"to_sint{w}", to, a)

    def to_uint(self, w: int, to: int, a: Node) -> Node:
        return self._float(f"to_uint{w}", to, a)
