"""Bit-accurate accumulation models of the matrix cores, written over the value algebra.

Operands come as `Element`s: a signed integer significand and the exponent of its leading place,
so that products are exact integers. The models and their constants follow published bitwise
measurements of CDNA2 and CDNA3 (MMA-Sim, arXiv 2511.10909); no measurement of CDNA4 is published,
so its model is the CDNA3 one with the doubled shapes chained, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.isa.semantics.matrix import Format, MatrixOp
from asmevo.isa.semantics.values import Value, ctlz, where

_F = 24  # fraction bits that products and accumulator keep below the largest exponent
_G = 31  # fraction bits of the adder's result
ZERO_EXPONENT = -8192  # of a zero operand: it never raises a maximum
_BIAS = {"f16": 15, "bf16": 127, "xf32": 127, "fp8": 7, "bf8": 15, "fp6": 1, "bf6": 3, "fp4": 1}


@dataclass(frozen=True, slots=True)
class Model:
    """How an instruction accumulates.

    Attributes:
        kind: "fma" (chain), "pairwise" (gfx90a), "tr", "gtr" or "int".
        group: products that are summed at once (tr, gtr) or added pairwise.
        measured: whether the model was validated bitwise on hardware.
    """

    kind: str
    group: int = 1
    measured: bool = True


def model_of(op: MatrixOp, arch: str, base: str) -> Model:
    """The accumulation model of an instruction on a target."""
    name = op.a.name
    if op.acc == "i32":
        return Model("int")
    if name in ("f64", "f32"):
        return Model("fma", measured=arch != "gfx950")
    if arch == "gfx90a":
        return Model("pairwise", 2 if name == "bf16" and not base.endswith("_1k") else 4)
    known = arch == "gfx942" and not op.sparse
    if name in ("f16", "bf16"):
        return Model("tr", min(8, op.a_k), known)
    if name == "xf32":
        return Model("tr", 4, known)
    return Model("gtr", 16, known)


@dataclass(frozen=True, slots=True)
class Element:
    """A float operand in parts: value = significand * 2**(exponent - mantissa bits).

    `significand` is a signed 32-bit integer, `exponent` a signed 32-bit integer
    (`ZERO_EXPONENT` for zero), `special` says infinity or NaN (its significand is then 0).
    """

    significand: Value
    exponent: Value
    special: Value


def split_element(bits: Value, fmt: Format, fnuz: bool) -> Element:
    """Take an element apart; `bits` is zero-extended to 32 bits."""
    total, mantissa = 1 + fmt.exponent + fmt.mantissa, fmt.mantissa
    if fmt.name == "xf32":  # the low 13 bits are cut off
        bits = bits >> 13
        total = 19
    field = (bits >> mantissa) & ((1 << fmt.exponent) - 1)
    fraction = bits & ((1 << mantissa) - 1)
    sign = ((bits >> (total - 1)) & 1) != 0
    bias = _BIAS[fmt.name] + (1 if fnuz and fmt.name in ("fp8", "bf8") else 0)
    subnormal = field == 0
    magnitude = where(subnormal, fraction, fraction | (1 << mantissa)).i
    exponent = where(subnormal, field.i.const(1), field.i) - bias
    top = field == (1 << fmt.exponent) - 1
    never = top & ~top
    if fmt.name in ("fp6", "bf6", "fp4"):
        special = never
    elif fnuz and fmt.name in ("fp8", "bf8"):
        special = bits == 0x80
    elif fmt.name == "fp8":
        special = top & (fraction == 7)
    else:
        special = top
    magnitude = where(special, magnitude.const(0), magnitude)
    exponent = where(magnitude == 0, exponent.const(ZERO_EXPONENT & 0xFFFFFFFF), exponent)
    return Element(where(sign, -magnitude, magnitude), exponent, special)


def _max(a: Value, b: Value) -> Value:
    return where(a > b, a, b)


def _shift_down(v: Value, amount: Value) -> Value:
    """Arithmetic shift by an amount that may exceed the width (floor)."""
    limit = v.width - 1
    return v >> where(amount > limit, amount.const(limit), amount)


def _truncated(products: Sequence[tuple[Value, Value]], bits: int) -> tuple[Value, Value]:
    """Sum of products cut toward zero at 2**(e - F), with e: (sum, e).

    A product is (integer, exponent), worth integer * 2**(exponent - bits).
    """
    e = products[0][1]
    for _p, exponent in products[1:]:
        e = _max(e, exponent)
    total: Value | None = None
    for product, exponent in products:
        drop = e - exponent
        drop = where(drop > 31, drop.const(31), drop)
        magnitude = where(product < 0, -product, product).u << (_F - bits)
        cut = (magnitude >> drop.u).i
        signed = where(product < 0, -cut, cut)
        total = signed if total is None else total + signed
    assert total is not None
    return total, e


def _accumulator(acc: Value) -> tuple[Value, Value]:
    """(signed 24-bit significand, exponent) of an f32; zero has exponent -126."""
    u = acc.u
    field = (u >> 23) & 0xFF
    fraction = u & 0x7FFFFF
    magnitude = where(field == 0, fraction, fraction | 0x800000).i
    exponent = where(field == 0, field.i.const(1), field.i) - 127
    return where(acc.sign, -magnitude, magnitude), _max(exponent, exponent.const(-126 & 0xFFFFFFFF))


def _to_f32(s: Value, unit: Value) -> Value:
    """s * 2**unit as f32: cut to G bits below the leading one (floor), then nearest even."""
    magnitude = where(s < 0, -s, s).u
    leading = (ctlz(magnitude).i.const(63) - ctlz(magnitude).i).i  # -1 for zero
    wide_unit = unit.i.to(64)
    lowest = _max(leading + wide_unit, leading.const(-126 & (2**64 - 1))) - _G - wide_unit
    drop = _max(lowest, lowest.const(0))
    drop = where(drop > 62, drop.const(62), drop)
    kept = ((s >> drop).u << drop.u).i
    scale = ((wide_unit + 1023) << 52).u.f
    return (kept.to_float(64) * scale).fconvert(32)


def _finish(total: Value, e: Value, acc: Value, drop_far: bool) -> Value:
    """Add the accumulator to a sum in units of 2**(e - F) and round (TR and GTR tails)."""
    significand, acc_exponent = _accumulator(acc)
    m = _max(e, acc_exponent)
    # Everything in units of 2**(m - G - 1) = 2**(m - 32).
    gap = m - e - (_G + 1 - _F)
    right = _max(gap, gap.const(0))
    left = _max(-gap, gap.const(0))
    wide = _shift_down(total, right).to(64).i << left.to(64)
    behind = m - acc_exponent
    c = _shift_down(significand << 1, behind)
    if drop_far:
        c = where(behind > _F + 1, c.const(0), c)
    s = wide + (c.to(64).i << (_G + 1 - _F))
    return _to_f32(s, m - (_G + 1))


def tr_step(acc: Value, a: Sequence[Element], b: Sequence[Element], bits: int) -> Value:
    """One group of the TR model (gfx942 f16, bf16, xf32); `bits` is the products' scale."""
    products = [
        (x.significand * y.significand, x.exponent + y.exponent) for x, y in zip(a, b, strict=True)
    ]
    total, e = _truncated(products, bits)
    return _finish(total, e, acc, drop_far=False)


def gtr_step(acc: Value, a: Sequence[Element], b: Sequence[Element], bits: int) -> Value:
    """One group of the GTR model (gfx942 fp8, bf8): even and odd k are cut apart."""
    products = [
        (x.significand * y.significand, x.exponent + y.exponent) for x, y in zip(a, b, strict=True)
    ]
    even, e_even = _truncated(products[0::2], bits)
    odd, e_odd = _truncated(products[1::2], bits) if len(products) > 1 else (even.const(0), e_even)
    e = _max(e_even, e_odd)
    total = _shift_down(even, e - e_even) + _shift_down(odd, e - e_odd)
    return _finish(total, e, acc, drop_far=True)


def _flush(v: Value, keep_sign: bool) -> Value:
    small = (v.u & 0x7F800000) == 0
    return where(small, v.u & (0x80000000 if keep_sign else 0), v.u).f


def pairwise_step(acc: Value, a: Sequence[Value], b: Sequence[Value]) -> Value:
    """One group of the gfx90a model: f32 products and pairwise sums, all flushed.

    `a` and `b` are f32 values whose subnormal inputs (of their own format) are already +0.
    """
    parts = [_flush(x * y, True) for x, y in zip(a, b, strict=True)]
    while len(parts) > 1:
        parts = [_flush(x + y, True) for x, y in zip(parts[::2], parts[1::2], strict=True)]
    return _flush(acc + parts[0], True)


def flush_input(v: Value) -> Value:
    """gfx90a input flush of an f32: subnormals become +0."""
    return _flush(v, False)


def special_sum(acc: Value, a: Sequence[Value], b: Sequence[Value]) -> Value:
    """NaN, infinity or 0: what the infinities and NaNs of a group and the accumulator give.

    `a`, `b` are f32 values; finite products count as zero, products beyond f32 as infinite.
    """

    def only_special(v: Value) -> Value:
        field = v.u & 0x7F800000
        return where(field == 0x7F800000, v.u, v.u.const(0)).f

    total = only_special(acc)
    for x, y in zip(a, b, strict=True):
        total = total + only_special(x * y)
    # The payload of the hardware's NaN is not known; the canonical one is used.
    return where(total.is_nan, total.u.const(0x7FC00000), total.u).f
