"""Fused multiply-add of doubles in integers: any rounding, and a power of two before it.

The algebra's own `fma` rounds to nearest even at the exponent it meets. `v_div_fmas_f64` scales
before it rounds, and MODE can ask for other roundings; both need the exact sum. It is held as a
128-bit integer: the product of two 53-bit significands has at most 106 bits, and whatever is
shifted out below only has to be remembered as "not zero" (a sticky bit).
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.isa.semantics.values import Value, ctlz, where

NEAREST, UP, DOWN, ZERO = 0, 1, 2, 3
_FRACTION, _BIAS = 52, 1023
_MASK = (1 << _FRACTION) - 1
_INFINITY = 0x7FF << _FRACTION
_FAR = 1 << 14  # below every exponent that a product can have


@dataclass(frozen=True, slots=True)
class Wide:
    """An unsigned 128-bit integer as two 64-bit words."""

    high: Value
    low: Value

    def zero(self) -> Value:
        """Whether it is zero."""
        return (self.high | self.low) == 0

    def leading(self) -> Value:
        """Leading zeros (128 for zero)."""
        return where(self.high == 0, ctlz(self.low) + 64, ctlz(self.high))

    def shl(self, n: Value) -> Wide:
        """Shift left by 0..127."""
        m = n & 63
        # A shift by 64 - m would be undefined for m = 0: shift by one and by 63 - m instead.
        carried = (self.low >> 1) >> (63 - m)
        high, low = (self.high << m) | carried, self.low << m
        far = n >= 64
        return Wide(where(far, low, high), where(far, low.const(0), low))

    def shr_sticky(self, n: Value) -> Wide:
        """Shift right by any amount; a one that falls out sets the last bit."""
        n = where(n > 127, n.const(127), n)
        m = n & 63
        far = n >= 64
        upper = (self.high << 1) << (63 - m)  # what moves from the high into the low word
        out = (self.low << 1) << (63 - m)
        high, low = self.high >> m, (self.low >> m) | upper
        lost = where(far, self.low | upper, out)
        low = where(far, high, low)
        return Wide(where(far, high.const(0), high), low | where(lost == 0, low.const(0), 1))

    def __add__(self, other: Wide) -> Wide:
        low = self.low + other.low
        carry = where(low < self.low, low.const(1), 0)
        return Wide(self.high + other.high + carry, low)

    def __sub__(self, other: Wide) -> Wide:
        borrow = where(self.low < other.low, self.low.const(1), 0)
        return Wide(self.high - other.high - borrow, self.low - other.low)

    def below(self, other: Wide) -> Value:
        """Whether it is less than another."""
        same = self.high == other.high
        return (self.high < other.high) | (same & (self.low < other.low))


def _choose(c: Value, a: Wide, b: Wide) -> Wide:
    return Wide(where(c, a.high, b.high), where(c, a.low, b.low))


def _product(a: Value, b: Value) -> Wide:
    """Product of two unsigned values below 2**53."""
    word = 0xFFFFFFFF
    a0, a1, b0, b1 = a & word, a >> 32, b & word, b >> 32
    low = a0 * b0
    middle = a1 * b0 + (low >> 32)  # below 2**54: cannot overflow
    other = a0 * b1 + (middle & word)
    return Wide(a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (low & word))


def _parts(a: Value) -> tuple[Value, Value]:
    """(significand, exponent of its last bit) of a finite double."""
    field = (a.u >> _FRACTION) & 0x7FF
    normal = field != 0
    fraction = a.u & _MASK
    significand = where(normal, fraction | (1 << _FRACTION), fraction)
    return significand, where(normal, field, 1).i - (_BIAS + _FRACTION)


def _rounded(value: Wide, exponent: Value, negative: Value, rounding: int) -> Value:
    """value * 2**exponent as a double; `value` is not zero."""
    lead = value.leading()
    value = value.shl(lead)
    top = exponent + 127 - lead.i  # exponent of the leading bit
    head = value.high | where(value.low == 0, value.high.const(0), 1)
    deep = (1 - _BIAS) - top  # how far below the normal range
    deep = where(deep < 0, deep.const(0), where(deep > 60, deep.const(60), deep)).u
    out = (head << 1) << (63 - deep)
    head = (head >> deep) | where(out == 0, head.const(0), 1)
    kept, rest = head >> 11, head & 0x7FF
    if rounding == NEAREST:
        step = (rest > 0x400) | ((rest == 0x400) & ((kept & 1) != 0))
    elif rounding == ZERO:
        step = rest != rest
    else:
        step = (rest != 0) & (~negative if rounding == UP else negative)
    kept = where(step, kept + 1, kept)
    field = top + (_BIAS - 1)  # the significand's leading one adds the last unit
    field = where(field < 0, field.const(0), where(field > 2047, field.const(2047), field)).u
    bits = (field << _FRACTION) + kept
    limit = bits.const(_INFINITY)
    largest = bits.const(_INFINITY - 1)
    if rounding == NEAREST:
        beyond = limit
    elif rounding == ZERO:
        beyond = largest
    else:
        beyond = where(negative if rounding == UP else ~negative, largest, limit)
    bits = where((bits >= _INFINITY) | (field > 2046), beyond, bits)
    return where(negative, bits | (1 << 63), bits).f


def scaled_fma(a: Value, b: Value, c: Value, power: Value, rounding: int = NEAREST) -> Value:
    """(a * b + c) * 2**power with one rounding.

    Args:
        a, b, c: doubles; where one is infinite or NaN the result is the algebra's `fma`.
        power: i64, at most 4,096 in magnitude.
        rounding: 0 nearest even, 1 up, 2 down, 3 towards zero.
    """
    plain = Value(a.alg, a.alg.fma(64, a.raw, b.raw, c.raw), 64, "f")
    finite = (a.fabs().u < _INFINITY) & (b.fabs().u < _INFINITY) & (c.fabs().u < _INFINITY)
    (sa, ea), (sb, eb), (sc, ec) = _parts(a), _parts(b), _parts(c)
    product, addend = _product(sa, sb), Wide(sc.const(0), sc)
    minus_product, minus_addend = a.sign ^ b.sign, c.sign
    # Both with their leading bit at position 126, one place free for the carry.
    far = ec.const(-_FAR & (2**64 - 1))
    lp, lc = product.leading(), addend.leading()
    ep = where(product.zero(), far, ea + eb - lp.i + 1)
    ec = where(addend.zero(), far, ec - lc.i + 1)
    product = product.shl(lp - 1)
    addend = addend.shl(lc - 1)
    exponent = where(ep > ec, ep, ec)
    product = product.shr_sticky((exponent - ep).u)
    addend = addend.shr_sticky((exponent - ec).u)
    smaller = product.below(addend)
    same = minus_product == minus_addend
    difference = _choose(smaller, addend - product, product - addend)
    total = _choose(same, product + addend, difference)
    negative = where(smaller, minus_addend, minus_product)
    result = _rounded(total, exponent + power, negative, rounding)
    # A zero: both of one sign keep it, an exact cancellation is -0 only when rounding down.
    minus_zero = ~same | minus_product if rounding == DOWN else same & minus_product
    zero = where(minus_zero, result.u.const(1 << 63), 0).f
    return where(finite, where(total.zero(), zero, result), plain)
