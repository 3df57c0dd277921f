"""Bit-accurate accumulation models of the matrix cores, written over the value algebra.

An operand is its f32 number (every source format up to 19 bits fits exactly) or, for the models
that align products, an `Element`: significand and exponent apart. The models and their constants
follow published bitwise measurements of CDNA2 and CDNA3 (MMA-Sim, arXiv 2511.10909); no
measurement of CDNA4 or of the sparse forms is published, so they get the CDNA3 model of their
type with longer k chained, and `Model.measured` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.isa.semantics.matrix import SCALE_BLOCK, Format, MatrixOp, matrix_op
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Value, floor, fma, where
from asmevo.isa.semantics.vector.small_floats import decode, small_format

_F = 24  # fraction bits that products and accumulator keep below the largest exponent
_G = 31  # fraction bits of the adder's result
_ZERO_EXPONENT = -8192  # of a zero operand: it never raises a maximum
_LOWEST = -126  # exponent of the smallest normal f32; zero and subnormal accumulators have it
_NAN = 0x7FC00000  # the payload of the hardware's NaN is not known; the canonical one is used
_INFINITY = 0x7F800000
# Exponent of the smallest normal number: subnormals keep it (they are not normalized).
_SMALLEST = {"f16": -14, "bf16": -126, "xf32": -126, "fp8": -6, "bf8": -14} | {
    "fp6": 0,
    "bf6": -2,
    "fp4": 0,
}


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


# --- what `fast` and `exact` promise ------------------------------------------------------------
def group_error(model: Model, e: int, m: int, result: int) -> float:
    """Largest distance of one TR or GTR group from the exact sum.

    Args:
        e: largest exponent of a product, E(a) + E(b).
        m: the larger of `e` and the accumulator's exponent.
        result: exponent of the result (at least -126).
    """
    cuts = model.group + (2 if model.kind == "gtr" else 0)
    return cuts * 2.0 ** (e - 24) + 2.0 ** (m - 24) + 2.0 ** (m - 31) + 2.0 ** (result - 24)


def chain_error(k: int, magnitude: float) -> float:
    """Largest distance of `fast` from the exact sum of k products.

    The usual bound of a recursive sum of fused multiply-adds, with u = 2**-24 and one smallest
    subnormal per step; `magnitude` is |c| + sum |a b|.
    """
    u = k * 2.0**-24
    return u / (1 - u) * magnitude + k * 2.0**-149


def fast_bound(op: MatrixOp, model: Model) -> str:
    """How far `fast` may be from the hardware's model, as text for a report."""
    chain = f"{op.a_k}*2^-24*(|c|+sum|ab|)"
    if model.kind == "pairwise":
        return f"|error| <= {chain}, twice, and 2^-126 per subnormal that the sum flushes"
    cuts = model.group + (2 if model.kind == "gtr" else 0)
    steps = op.a_k // min(model.group, op.a_k)
    times = f"{steps} times " if steps > 1 else ""
    return (
        f"|error| <= {chain} + {times}({cuts}*2^(e-24) + 2^(m-24) + 2^(m-31) + ulp/2), "
        "e the largest product exponent, m with the accumulator's"
    )


def matrix_fidelity(base: str, arch: str, exact: bool) -> str:
    """What a matrix instruction's results are worth: exact, approximate or open, and why.

    Args:
        base: mnemonic. For the f8f6f4 forms the answer does not depend on the formats.
        arch: target, such as "gfx942".
        exact: whether `exact` arithmetic is asked for.
    """
    op = matrix_op(base)
    if op is None:
        return "unsupported"
    model = model_of(op, arch, base)
    if model.kind == "int":
        return "exact (integers)"
    if not exact and model.kind != "fma":
        reason = "" if model.measured else f"; model not published for {_unknown(op, arch)}"
        return f"approximate ({fast_bound(op, model)}{reason})"
    if model.measured:
        return "exact (published model)"
    return f"open (model not published for {_unknown(op, arch)})"


def _unknown(op: MatrixOp, arch: str) -> str:
    return f"sparse forms of {arch}" if op.sparse else arch


# --- operands -----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Element:
    """A float in parts: value = significand * 2**exponent.

    Attributes:
        significand: f32, of magnitude in [1, 2), less for subnormals, 0 for zero; infinities and
            NaNs stand here as they are.
        exponent: signed 32-bit integer, far below all others for zero.
    """

    significand: Value
    exponent: Value


def number_of(bits: Value, fmt: Format, mode: FloatMode) -> Value:
    """The f32 value of an element's bits (zero-extended to 32); exact but for xf32's cut."""
    if fmt.name == "f16":
        return bits.to(16).f.fconvert(32)
    if fmt.name == "bf16":
        return (bits << 16).f
    if fmt.name == "xf32":  # measured: the low 13 bits are cut off, not rounded
        return (bits & ~0x1FFF).f
    if fmt.name == "f32":
        # MODE.fp32_denorm holds for A and B of f32 forms (CDNA3 ISA 7.3).
        return _flush(bits, True) if mode.denorm_32 in (0, 2) else bits.f
    return decode(small_format(fmt.name, mode), bits).f


def smallest_exponent(fmt: Format, mode: FloatMode) -> int:
    """Exponent of a format's smallest normal number."""
    return _SMALLEST[fmt.name] - (1 if mode.fnuz and fmt.bits == 8 else 0)


def element_of(number: Value, smallest: int) -> Element:
    """Take an f32 number apart; `smallest` is its source format's `smallest_exponent`."""
    u = number.u
    field = ((u >> 23) & 0xFF).i
    exponent = field - 127
    subnormal = exponent < smallest
    scaled = number.f * (2.0**-smallest)
    normal = ((u & 0x807FFFFF) | 0x3F800000).f
    significand = where(subnormal, scaled, normal)
    exponent = where(subnormal, exponent.const(smallest & 0xFFFFFFFF), exponent)
    zero = (u & 0x7FFFFFFF) == 0
    exponent = where(zero, exponent.const(_ZERO_EXPONENT & 0xFFFFFFFF), exponent)
    special = field == 255
    return Element(where(special, number.f, significand), where(special, field.const(0), exponent))


def is_special(number: Value) -> Value:
    """Whether an f32 is infinite or NaN."""
    return (number.u & _INFINITY) == _INFINITY


# --- TR and GTR ---------------------------------------------------------------------------------
def _max(a: Value, b: Value) -> Value:
    return where(a > b, a, b)


def _at_least(v: Value, low: int) -> Value:
    return _max(v, v.const(low & ((1 << v.width) - 1)))


def _cut_sum(products: Sequence[tuple[Value, Value]]) -> tuple[Value, Value]:
    """Sum of products cut toward zero at 2**(e - F), in units of that, and e.

    A product is an f32 of magnitude below 4 and an exponent.
    """
    e = products[0][1]
    for _product, exponent in products[1:]:
        e = _max(e, exponent)
    base = e.const(_F + 127) - e
    total: Value | None = None
    for product, exponent in products:
        # Far below e the power becomes 0, and so does the cut product.
        power = (_at_least(exponent + base, 0) << 23).f
        scaled = product * power
        cut = Value(scaled.alg, scaled.alg.to_sint(32, 32, scaled.raw), 32, "i")
        total = cut if total is None else total + cut
    assert total is not None
    return total, e


def _power(exponent: Value) -> Value:
    """2**exponent as f64; the exponent is a signed i32 within the f64 range."""
    return ((exponent + 1023).u.to(64) << 52).f


def _floor_at(value: Value, unit: Value) -> Value:
    """value * 2**unit rounded down to an integer, f64."""
    return floor(value * _power(unit))


def _finish(total: Value, e: Value, acc: Value, drop_far: bool) -> Value:
    """Add the accumulator to a sum in units of 2**(e - F) and round (TR and GTR tails)."""
    acc_exponent = _at_least(((acc.u >> 23) & 0xFF).i, 1) - 127
    m = _max(e, acc_exponent)
    # Units of 2**(m - G - 1) = 2**(m - 32), but of 2**-157 at least: the cut after the sum, G bits
    # below the leading one or below the smallest normal, would take those bits anyway.
    lowest = m == (_LOWEST & 0xFFFFFFFF)
    unit = where(lowest, m.const((_LOWEST - _G) & 0xFFFFFFFF), m - (_G + 1))
    t = _floor_at(total.to_float(64), _at_least(e - unit - _F, -1000))
    c = _floor_at(acc.fconvert(64), m.const(_F) - m)
    if drop_far:
        c = where(acc_exponent < m - (_F + 1), c.const(0.0), c)
    places = where(lowest, c.const(2.0 ** (_G - _F)), c.const(2.0 ** (_G + 1 - _F)))
    s = t + c * places
    # Round down to G bits below the leading one: 20 bits of an f64 go, 53 - 1 - 31 = 21.
    rest = (1 << (52 - _G)) - 1
    up = (s.i >> 63).u & rest
    s = (((s.u + up) >> (52 - _G)) << (52 - _G)).f
    return (s * _power(unit)).fconvert(32)


def _special_product(product: Value, exponent: Value) -> Value:
    """Infinity or NaN of a product (or 0): from operands, or where it reaches 2**128."""
    special = where(is_special(product), product.u, product.u.const(0))
    wide = product.fabs() >= 2.0
    over = (exponent > 127) | ((exponent == 127) & wide)
    return where(over, (product.u & 0x80000000) | _INFINITY, special).f


def _special_sum(acc: Value, products: Sequence[tuple[Value, Value]]) -> Value:
    """NaN, infinity or 0: what the infinities and NaNs of a group and the accumulator give."""
    total = where(is_special(acc), acc.u, acc.u.const(0)).f
    for product, exponent in products:
        total = total + _special_product(product, exponent)
    return canonical(total)


def canonical(v: Value) -> Value:
    """An f32 or f64 with every NaN replaced by the canonical one."""
    nan = _NAN if v.width == 32 else 0x7FF8000000000000
    return where(v.is_nan, v.u.const(nan), v.u).f


def group_step(
    model: Model,
    acc: Value,
    a: Sequence[Element],
    b: Sequence[Element],
    scale: Value | None = None,
    careful: bool = True,
) -> Value:
    """One group of the TR model (f16, bf16, xf32) or the GTR model (fp8, bf8).

    Args:
        acc: the accumulator, f32; it may be infinite or NaN.
        scale: exponent that all products of the group are multiplied with (i32).
        careful: whether operands may be infinite or NaN, or products reach 2**128.
    """
    products = [
        (x.significand * y.significand, x.exponent + y.exponent) for x, y in zip(a, b, strict=True)
    ]
    special: Value | None = None
    if careful:
        special = _special_sum(acc, products)
        products = [(where(is_special(p), p.u.const(0), p.u).f, e) for p, e in products]
    if model.kind == "tr":
        total, e = _cut_sum(products)
    else:  # even and odd k are cut apart
        even, e_even = _cut_sum(products[0::2])
        odd, e_odd = _cut_sum(products[1::2])
        e = _max(e_even, e_odd)
        total = _shifted(even, e - e_even) + _shifted(odd, e - e_odd)
    if scale is not None:
        e = e + scale
    result = _finish(total, e, acc, drop_far=model.kind == "gtr")
    if special is None:
        return where(is_special(acc), canonical(acc), result)
    return where(is_special(special), special, result)


def _shifted(v: Value, amount: Value) -> Value:
    """Arithmetic shift (floor) by an amount that may exceed the width."""
    return v >> where(amount > 31, amount.const(31), amount)


# --- gfx90a -------------------------------------------------------------------------------------
def _flush(v: Value, keep_sign: bool) -> Value:
    small = (v.u & _INFINITY) == 0
    return where(small, v.u & (0x80000000 if keep_sign else 0), v.u).f


def flushed_input(number: Value, smallest: int) -> Value:
    """gfx90a input flush: subnormals of the source format (and of C, with -126) become +0."""
    return where(number.fabs() < 2.0**smallest, number.const(0.0), number)


def pairwise_step(acc: Value, a: Sequence[Value], b: Sequence[Value]) -> Value:
    """One group of the gfx90a model: f32 products and pairwise sums, all flushed.

    `a` and `b` are f32 values after `flushed_input`.
    """
    parts = [_flush(x * y, True) for x, y in zip(a, b, strict=True)]
    while len(parts) > 1:
        parts = [_flush(x + y, True) for x, y in zip(parts[::2], parts[1::2], strict=True)]
    return canonical(_flush(acc + parts[0], True))


# --- whole instructions -------------------------------------------------------------------------
def accumulate(
    op: MatrixOp,
    model: Model,
    mode: FloatMode,
    acc: Value,
    a: Sequence[Value],
    b: Sequence[Value],
    scales: Sequence[tuple[Value, Value]] = (),
) -> Value:
    """One result element (of many lanes): C plus all products, in ascending stored k.

    Args:
        acc: C, f32 or f64.
        a, b: the elements' bits, zero-extended to 32 (f64 as they are); of sparse forms the
            stored ones of A and the elements of B that they meet.
        scales: E8M0 codes of A and B per block of 32 k (i32).
    """
    if model.kind == "fma":
        for x, y in zip(a, b, strict=True):
            if op.acc == "f32":
                x, y = number_of(x, op.a, mode), number_of(y, op.b, mode)
            acc = fma(x.f, y.f, acc)
        return canonical(acc)
    numbers = [
        (number_of(x, op.a, mode), number_of(y, op.b, mode)) for x, y in zip(a, b, strict=True)
    ]
    low_a, low_b = smallest_exponent(op.a, mode), smallest_exponent(op.b, mode)
    size = min(model.group, len(numbers))
    if model.kind == "pairwise":
        acc = flushed_input(acc, _LOWEST)
        flat = [(flushed_input(x, low_a), flushed_input(y, low_b)) for x, y in numbers]
        for at in range(0, len(flat), size):
            part = flat[at : at + size]
            acc = pairwise_step(acc, [x for x, _ in part], [y for _, y in part])
        return acc
    parts = [(element_of(x, low_a), element_of(y, low_b)) for x, y in numbers]
    for at in range(0, len(parts), size):
        part = parts[at : at + size]
        codes = scales[at // SCALE_BLOCK] if scales else None
        scale = None if codes is None else codes[0] + codes[1] - 254
        acc = group_step(model, acc, [x for x, _ in part], [y for _, y in part], scale)
        if codes is not None:
            acc = scale_nan(acc, codes)
    return acc


def scale_nan(acc: Value, codes: tuple[Value, Value]) -> Value:
    """A scale code of 255 makes the sum NaN."""
    bad = (codes[0] == 255) | (codes[1] == 255)
    return where(bad, acc.u.const(_NAN), acc.u).f
