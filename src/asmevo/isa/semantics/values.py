"""The value algebra in which instruction semantics are written.

A semantic function takes and returns `Value`s and reads as arithmetic: operators are overloaded
by the value's kind (unsigned, signed, IEEE float, lane boolean). The `Algebra` behind a value
decides what comes out: LLVM IR for the engine, NumPy arrays for the slow reference. One
definition, many uses.

Raw representation: every value is a bit pattern of `width` bits (floats too), so bit tricks and
float arithmetic mix without conversions.
"""

from __future__ import annotations

from typing import Any, Protocol

Rawv = Any  # one algebra's own representation of a bit vector


class Algebra(Protocol):
    """Operations on raw bit vectors. `w` is the width in bits of the operands.

    Shift amounts are always below the width (callers mask them). Comparisons return a one-bit
    raw. Float operations are IEEE 754 round-to-nearest-even with denormals kept; `fma` rounds
    once. Flushing and clamping are done outside, by explicit selects.
    """

    def const(self, w: int, value: int) -> Rawv:
        """A constant of width `w`."""
        ...

    def add(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Sum modulo 2**w."""
        ...

    def sub(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Difference modulo 2**w."""
        ...

    def mul(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Product modulo 2**w."""
        ...

    def and_(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Bitwise and."""
        ...

    def or_(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Bitwise or."""
        ...

    def xor(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Bitwise exclusive or."""
        ...

    def shl(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Shift left."""
        ...

    def lshr(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Logical shift right."""
        ...

    def ashr(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Arithmetic shift right."""
        ...

    def eq(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Equality of the bits."""
        ...

    def ult(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Unsigned less-than."""
        ...

    def slt(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Signed less-than."""
        ...

    def select(self, w: int, c: Rawv, a: Rawv, b: Rawv) -> Rawv:
        """`a` where `c` holds, else `b`."""
        ...

    def zext(self, w: int, to: int, a: Rawv) -> Rawv:
        """Zero-extend from `w` to `to` bits."""
        ...

    def sext(self, w: int, to: int, a: Rawv) -> Rawv:
        """Sign-extend from `w` to `to` bits."""
        ...

    def trunc(self, w: int, to: int, a: Rawv) -> Rawv:
        """Keep the low `to` bits."""
        ...

    def popcount(self, w: int, a: Rawv) -> Rawv:
        """Number of ones."""
        ...

    def ctlz(self, w: int, a: Rawv) -> Rawv:
        """Leading zeros; `w` for zero."""
        ...

    def cttz(self, w: int, a: Rawv) -> Rawv:
        """Trailing zeros; `w` for zero."""
        ...

    def bitreverse(self, w: int, a: Rawv) -> Rawv:
        """Bits in reverse order."""
        ...

    def fadd(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """IEEE sum."""
        ...

    def fsub(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """IEEE difference."""
        ...

    def fmul(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """IEEE product."""
        ...

    def fdiv(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """IEEE quotient."""
        ...

    def fma(self, w: int, a: Rawv, b: Rawv, c: Rawv) -> Rawv:
        """Fused multiply-add, one rounding."""
        ...

    def fsqrt(self, w: int, a: Rawv) -> Rawv:
        """IEEE square root."""
        ...

    def feq(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Ordered equality."""
        ...

    def flt(self, w: int, a: Rawv, b: Rawv) -> Rawv:
        """Ordered less-than."""
        ...

    def frint(self, w: int, a: Rawv) -> Rawv:
        """Round to integral, nearest even."""
        ...

    def ffloor(self, w: int, a: Rawv) -> Rawv:
        """Round to integral, down."""
        ...

    def fceil(self, w: int, a: Rawv) -> Rawv:
        """Round to integral, up."""
        ...

    def ftrunc(self, w: int, a: Rawv) -> Rawv:
        """Round to integral, toward zero."""
        ...

    def fconvert(self, w: int, to: int, a: Rawv) -> Rawv:
        """Between IEEE widths, nearest even."""
        ...

    def from_sint(self, w: int, to: int, a: Rawv) -> Rawv:
        """i<w> to f<to>, nearest even."""
        ...

    def from_uint(self, w: int, to: int, a: Rawv) -> Rawv:
        """u<w> to f<to>, nearest even."""
        ...

    def to_sint(self, w: int, to: int, a: Rawv) -> Rawv:
        """f<w> to i<to>, truncating; in range only."""
        ...

    def to_uint(self, w: int, to: int, a: Rawv) -> Rawv:
        """f<w> to u<to>, truncating; in range only."""
        ...


class Value:
    """A typed bit vector: `kind` is "u" (unsigned), "i" (signed), "f" (IEEE) or "b" (boolean)."""

    __slots__ = ("alg", "kind", "raw", "width")

    def __init__(self, alg: Algebra, raw: Rawv, width: int, kind: str = "u") -> None:
        self.alg = alg
        self.raw = raw
        self.width = width
        self.kind = kind

    # --- reinterpretation ---------------------------------------------------------------
    @property
    def u(self) -> Value:
        """The same bits as an unsigned integer."""
        return Value(self.alg, self.raw, self.width, "u")

    @property
    def i(self) -> Value:
        """The same bits as a signed integer."""
        return Value(self.alg, self.raw, self.width, "i")

    @property
    def f(self) -> Value:
        """The same bits as an IEEE float."""
        return Value(self.alg, self.raw, self.width, "f")

    def const(self, value: int | float, width: int | None = None) -> Value:
        """A constant of this value's kind; floats take the IEEE pattern of the width."""
        width = width or self.width
        if self.kind == "f" and isinstance(value, float):
            from asmevo.isa.operand import FloatImm

            return Value(self.alg, self.alg.const(width, FloatImm(value).bits(width)), width, "f")
        return Value(self.alg, self.alg.const(width, int(value)), width, self.kind)

    def coerced(self, other: Value | int | float) -> Value:
        """A plain number as a constant of this value's kind; values as they are."""
        if isinstance(other, Value):
            assert other.width == self.width, (self.width, other.width)
            return other
        if self.kind == "f":
            return self.const(float(other))
        return self.const(int(other) & ((1 << self.width) - 1))

    def _new(self, raw: Rawv) -> Value:
        return Value(self.alg, raw, self.width, self.kind)

    def _bool(self, raw: Rawv) -> Value:
        return Value(self.alg, raw, 1, "b")

    # --- arithmetic ---------------------------------------------------------------------
    def __add__(self, other: Value | int | float) -> Value:
        b = self.coerced(other)
        op = self.alg.fadd if self.kind == "f" else self.alg.add
        return self._new(op(self.width, self.raw, b.raw))

    def __sub__(self, other: Value | int | float) -> Value:
        b = self.coerced(other)
        op = self.alg.fsub if self.kind == "f" else self.alg.sub
        return self._new(op(self.width, self.raw, b.raw))

    def __rsub__(self, other: int | float) -> Value:
        return self.coerced(other) - self

    def __mul__(self, other: Value | int | float) -> Value:
        b = self.coerced(other)
        op = self.alg.fmul if self.kind == "f" else self.alg.mul
        return self._new(op(self.width, self.raw, b.raw))

    def __truediv__(self, other: Value | float) -> Value:
        return self._new(self.alg.fdiv(self.width, self.raw, self.coerced(other).raw))

    def __rtruediv__(self, other: float) -> Value:
        return self.coerced(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Value:
        if self.kind == "f":
            return self._new(self.alg.xor(self.width, self.raw, self._sign().raw))
        return self.const(0) - self

    def _sign(self) -> Value:
        return self.u.const(1 << (self.width - 1))

    # --- bits ---------------------------------------------------------------------------
    def __and__(self, other: Value | int) -> Value:
        return self._new(self.alg.and_(self.width, self.raw, self.coerced(other).raw))

    def __or__(self, other: Value | int) -> Value:
        return self._new(self.alg.or_(self.width, self.raw, self.coerced(other).raw))

    def __xor__(self, other: Value | int) -> Value:
        return self._new(self.alg.xor(self.width, self.raw, self.coerced(other).raw))

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> Value:
        ones = self.alg.const(self.width, (1 << self.width) - 1)
        return self._new(self.alg.xor(self.width, self.raw, ones))

    def __lshift__(self, other: Value | int) -> Value:
        return self._new(self.alg.shl(self.width, self.raw, self.coerced(other).raw))

    def __rshift__(self, other: Value | int) -> Value:
        """Logical for unsigned values, arithmetic for signed ones."""
        op = self.alg.ashr if self.kind == "i" else self.alg.lshr
        return self._new(op(self.width, self.raw, self.coerced(other).raw))

    # --- comparison ---------------------------------------------------------------------
    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        assert isinstance(other, Value | int | float)
        op = self.alg.feq if self.kind == "f" else self.alg.eq
        return self._bool(op(self.width, self.raw, self.coerced(other).raw))

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Value | int | float) -> Value:
        op = {"f": self.alg.flt, "i": self.alg.slt}.get(self.kind, self.alg.ult)
        return self._bool(op(self.width, self.raw, self.coerced(other).raw))

    def __gt__(self, other: Value | int | float) -> Value:
        return self.coerced(other).__lt__(self)

    def __le__(self, other: Value | int | float) -> Value:
        if self.kind == "f":
            b = self.coerced(other)
            return (self < b) | (self == b)
        return ~(self > other)

    def __ge__(self, other: Value | int | float) -> Value:
        if self.kind == "f":
            b = self.coerced(other)
            return (self > b) | (self == b)
        return ~(self < other)

    def __bool__(self) -> bool:
        raise TypeError("a Value has no truth value; use where()")

    # --- width --------------------------------------------------------------------------
    def to(self, width: int) -> Value:
        """Widen (by kind: zero or sign extension) or truncate the bit pattern."""
        if width == self.width:
            return self
        if width < self.width:
            raw = self.alg.trunc(self.width, width, self.raw)
        elif self.kind == "i":
            raw = self.alg.sext(self.width, width, self.raw)
        else:
            raw = self.alg.zext(self.width, width, self.raw)
        return Value(self.alg, raw, width, "u" if self.kind == "b" else self.kind)

    def bits(self, low: int, count: int) -> Value:
        """Bits `[low + count - 1 : low]` as an unsigned value of width `count` (8, 16 or 32)."""
        v = self.u
        return ((v >> low) if low else v).to(count)

    # --- floats -------------------------------------------------------------------------
    @property
    def is_nan(self) -> Value:
        """Whether the float is a NaN."""
        if self.width == 16:  # halves are compared as wider floats: integers are cheaper
            return (self.u & 0x7FFF) > 0x7C00
        v = self.f
        return ~(v == v)

    @property
    def sign(self) -> Value:
        """Sign bit as a boolean."""
        return self.i < 0

    def fabs(self) -> Value:
        """Magnitude (sign bit cleared)."""
        return self._new(
            self.alg.and_(
                self.width, self.raw, self.alg.const(self.width, (1 << (self.width - 1)) - 1)
            )
        )

    def fconvert(self, width: int) -> Value:
        """The float in another IEEE width, rounded to nearest even."""
        if width == self.width:
            return self
        return Value(self.alg, self.alg.fconvert(self.width, width, self.raw), width, "f")

    def to_float(self, width: int) -> Value:
        """Integer (by kind) to float of `width` bits."""
        op = self.alg.from_sint if self.kind == "i" else self.alg.from_uint
        return Value(self.alg, op(self.width, width, self.raw), width, "f")


# --- free functions -------------------------------------------------------------------------
def where(c: Value, a: Value, b: Value | int | float) -> Value:
    """`a` where the boolean holds, else `b`."""
    other = a.coerced(b)
    return Value(a.alg, a.alg.select(a.width, c.raw, a.raw, other.raw), a.width, a.kind)


def fma(a: Value, b: Value, c: Value) -> Value:
    """Fused multiply-add, one rounding."""
    return Value(a.alg, a.alg.fma(a.width, a.raw, b.raw, c.raw), a.width, "f")


def concat(low: Value, high: Value) -> Value:
    """The double-width value with `low` in the low bits."""
    w = low.width
    return low.u.to(2 * w) | (high.u.to(2 * w) << w)


def sqrt(a: Value) -> Value:
    """Square root, correctly rounded."""
    return Value(a.alg, a.alg.fsqrt(a.width, a.raw), a.width, "f")


def rint(a: Value) -> Value:
    """Round to integral, nearest even."""
    return Value(a.alg, a.alg.frint(a.width, a.raw), a.width, "f")


def floor(a: Value) -> Value:
    """Round to integral, downwards."""
    return Value(a.alg, a.alg.ffloor(a.width, a.raw), a.width, "f")


def ceil(a: Value) -> Value:
    """Round to integral, upwards."""
    return Value(a.alg, a.alg.fceil(a.width, a.raw), a.width, "f")


def ftrunc(a: Value) -> Value:
    """Round to integral, towards zero."""
    return Value(a.alg, a.alg.ftrunc(a.width, a.raw), a.width, "f")


def popcount(a: Value) -> Value:
    """Number of ones, in the value's own width."""
    return Value(a.alg, a.alg.popcount(a.width, a.raw), a.width, "u")


def ctlz(a: Value) -> Value:
    """Leading zeros; the width for zero."""
    return Value(a.alg, a.alg.ctlz(a.width, a.raw), a.width, "u")


def cttz(a: Value) -> Value:
    """Trailing zeros; the width for zero."""
    return Value(a.alg, a.alg.cttz(a.width, a.raw), a.width, "u")


def bitreverse(a: Value) -> Value:
    """Bits in reverse order."""
    return Value(a.alg, a.alg.bitreverse(a.width, a.raw), a.width, "u")


def to_int(a: Value, width: int, signed: bool) -> Value:
    """Float to integer, truncating and saturating; NaN gives 0 (v_cvt_i32_f32 and kin)."""
    if a.width == 16:
        a = a.fconvert(32)  # the integer range does not fit in a half
    alg, w = a.alg, a.width
    low = -(2.0 ** (width - 1)) if signed else 0.0
    high = 2.0 ** (width - 1) if signed else 2.0**width  # first value out of range
    t = ftrunc(a)
    inside = (t >= low) & (t < high)
    safe = where(inside, t, 0.0)
    op = alg.to_sint if signed else alg.to_uint
    kind = "i" if signed else "u"
    raw = Value(alg, op(w, width, safe.raw), width, kind)
    top = raw.const((1 << (width - 1)) - 1 if signed else (1 << width) - 1)
    bottom = raw.const(1 << (width - 1) if signed else 0)
    out = where(t >= high, top, where(t < low, bottom, raw))
    return where(a.is_nan, raw.const(0), out)
