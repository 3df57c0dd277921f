"""The matrix cores' accumulation in exact rational arithmetic, one result element at a time.

Straight from the published formulas (MMA-Sim, arXiv 2511.10909, latest revision; see the
constants F = 24 and G = 31): slow, plain, and without any of the product's code.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as Q

NAN, INF = 0x7FC00000, 0x7F800000
F, G = 24, 31
# format: exponent bits, mantissa bits, bias
_FIELDS = {
    "f16": (5, 10, 15),
    "bf16": (8, 7, 127),
    "f32": (8, 23, 127),
    "f64": (11, 52, 1023),
    "fp6": (2, 3, 1),
    "bf6": (3, 2, 3),
    "fp4": (2, 1, 1),
}


@dataclass(frozen=True)
class Number:
    """An operand: its value and the exponent E, or "nan", "+inf", "-inf" in `special`."""

    value: Q = Q(0)
    e: int = 0
    special: str = ""


def floor_log2(x: Q) -> int:
    """Exponent of the leading bit of a nonzero rational."""
    n = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return n if abs(x) >= Q(2) ** n else n - 1


def floor_at(x: Q, q: int) -> Q:
    """Multiple of 2**q at or below x."""
    return Q((x / Q(2) ** q).__floor__()) * Q(2) ** q


def trunc_at(x: Q, q: int) -> Q:
    """Multiple of 2**q next to x toward zero."""
    return floor_at(x, q) if x >= 0 else -floor_at(-x, q)


def decode(code: int, kind: str, arch: str) -> Number:
    """An element's code as a number."""
    fnuz = arch != "gfx950"
    if kind == "xf32":
        return decode(code & ~0x1FFF, "f32", arch)
    if kind in ("fp8", "bf8"):
        exponent, mantissa = (4, 3) if kind == "fp8" else (5, 2)
        bias = (8 if fnuz else 7) if kind == "fp8" else (16 if fnuz else 15)
    else:
        exponent, mantissa, bias = _FIELDS[kind]
    field, fraction = code >> mantissa & ((1 << exponent) - 1), code & ((1 << mantissa) - 1)
    negative = code >> (exponent + mantissa) & 1
    top = field == (1 << exponent) - 1
    if kind in ("fp8", "bf8") and fnuz:
        if code == 0x80:
            return Number(special="nan")
    elif kind == "fp8":
        if top and fraction == 7:
            return Number(special="nan")
    elif kind not in ("fp6", "bf6", "fp4") and top:
        return Number(special="nan" if fraction else "-inf" if negative else "+inf")
    if field:
        value = (Q(1) + Q(fraction, 1 << mantissa)) * Q(2) ** (field - bias)
        e = field - bias
    else:
        value, e = Q(fraction, 1 << mantissa) * Q(2) ** (1 - bias), 1 - bias
    return Number(-value if negative else value, e)


def to_float(x: Q, kind: str = "f32", zero: int = 0) -> int:
    """Nearest float, ties to even, subnormals kept, overflow to infinity; `zero` for 0."""
    exponent, mantissa, bias = _FIELDS[kind]
    if x == 0:
        return zero
    sign = (1 << (exponent + mantissa)) if x < 0 else 0
    x = abs(x)
    q = max(floor_log2(x), 1 - bias) - mantissa
    n = round(x / Q(2) ** q)  # Python rounds halves to even
    top = n.bit_length() - 1 + q
    if n and top > bias:
        return sign | ((1 << exponent) - 1) << mantissa
    if n < 1 << mantissa:
        return sign | n
    if n == 2 << mantissa:
        n, q = n >> 1, q + 1
    return sign | (q + mantissa + bias) << mantissa | (n - (1 << mantissa))


def _special(acc: Number, products: list[tuple[Number, Number]]) -> int | None:
    """NaN or infinity that the specials of a group give, or None."""
    seen: set[str] = {acc.special} - {""}
    for a, b in products:
        if "nan" in (a.special, b.special):
            seen.add("nan")
            continue
        if not (a.special or b.special):
            if abs(a.value * b.value) >= Q(2) ** 128:
                seen.add("+inf" if (a.value < 0) == (b.value < 0) else "-inf")
            continue
        if (not a.special and a.value == 0) or (not b.special and b.value == 0):
            seen.add("nan")
            continue
        negative = [n.special == "-inf" if n.special else n.value < 0 for n in (a, b)]
        seen.add("+inf" if negative[0] == negative[1] else "-inf")
    if not seen:
        return None
    if "nan" in seen or len(seen) > 1:
        return NAN
    return INF if seen == {"+inf"} else INF | 0x80000000


def _products(pairs: list[tuple[Number, Number]]) -> list[tuple[Q, int]]:
    """Nonzero products and their exponents E(a) + E(b)."""
    return [(a.value * b.value, a.e + b.e) for a, b in pairs if a.value * b.value]


def _cut(products: list[tuple[Q, int]]) -> tuple[Q, int | None]:
    if not products:
        return Q(0), None
    e = max(e for _, e in products)
    return sum((trunc_at(p, e - F) for p, _ in products), Q(0)), e


def group(kind: str, acc: int, pairs: list[tuple[Number, Number]], shift: int = 0) -> int:
    """One step of TR or GTR: f32 bits of the accumulator after it.

    `shift` is the exponent of the scales, folded into the products.
    """
    c = decode(acc, "f32", "gfx950")
    special = _special(c, pairs)
    if special is not None:
        return special
    scaled = Q(2) ** shift
    if kind == "tr":
        t, e = _cut([(p * scaled, e + shift) for p, e in _products(pairs)])
    else:
        halves = [
            _cut([(p * scaled, e + shift) for p, e in _products(pairs[n::2])]) for n in (0, 1)
        ]
        known = [e for _, e in halves if e is not None]
        e = max(known) if known else None
        t = Q(0) if e is None else sum((floor_at(v, e - F) for v, _ in halves), Q(0))
    m = c.e if e is None else max(e, c.e)
    t = floor_at(t, m - G - 1)
    far = kind == "gtr" and c.e < m - F - 1
    s = t + (Q(0) if far else floor_at(c.value, m - F))
    if s == 0:
        return 0
    return to_float(floor_at(s, max(floor_log2(s), -126) - G))


# --- gfx90a -------------------------------------------------------------------------------------
def _ieee(kind: str, x: int, y: int) -> int:
    """f32 add or mul with IEEE specials and signed zeros, NaNs canonical."""
    a, b = decode(x, "f32", "gfx950"), decode(y, "f32", "gfx950")
    if "nan" in (a.special, b.special):
        return NAN
    sx, sy = x >> 31, y >> 31
    if kind == "mul":
        sign = (sx ^ sy) << 31
        if a.special or b.special:
            finite = b if a.special else a
            return NAN if not finite.special and finite.value == 0 else sign | INF
        return to_float(a.value * b.value, "f32", sign)
    if a.special and b.special:
        return x if sx == sy else NAN
    if a.special or b.special:
        return x if a.special else y
    zero = (sx & sy) << 31
    return to_float(a.value + b.value, "f32", zero)


def _flush(bits: int, keep: bool) -> int:
    if bits >> 23 & 0xFF:
        return bits
    return bits & 0x80000000 if keep else 0


def pairwise(acc: int, pairs: list[tuple[int, int]], kind: str, size: int) -> int:
    """gfx90a's f16 and bf16 sum; elements are codes, `size` is 2 or 4."""
    fields = {"f16": 0x7C00, "bf16": 0x7F80}[kind]

    def number(code: int) -> int:
        n = decode(code, kind, "gfx90a")
        if n.special:
            return NAN if n.special == "nan" else INF | (n.special == "-inf") << 31
        if not code & fields:
            return 0  # subnormals, and zeros of both signs
        return to_float(n.value)

    acc = _flush(acc, False)
    for at in range(0, len(pairs), size):
        parts = [_flush(_ieee("mul", number(a), number(b)), True) for a, b in pairs[at : at + size]]
        while len(parts) > 1:
            parts = [
                _flush(_ieee("add", x, y), True)
                for x, y in zip(parts[::2], parts[1::2], strict=True)
            ]
        acc = _flush(_ieee("add", acc, parts[0]), True)
    return acc


# --- chains -------------------------------------------------------------------------------------
def fma(kind: str, x: int, y: int, z: int) -> int:
    """Fused multiply-add on bits of f32 or f64, NaNs canonical."""
    top = {"f32": 31, "f64": 63}[kind]
    nan = {"f32": NAN, "f64": 0x7FF8 << 48}[kind]
    inf = {"f32": INF, "f64": 0x7FF << 52}[kind]
    a, b, c = (decode(v, kind, "gfx950") for v in (x, y, z))
    sign = (x >> top) ^ (y >> top)
    if "nan" in (a.special, b.special, c.special):
        return nan
    if a.special or b.special:
        if any(not n.special and n.value == 0 for n in (a, b)):
            return nan
        if c.special and z >> top != sign:
            return nan
        return sign << top | inf
    if c.special:
        return z
    exact = a.value * b.value + c.value
    zero = 0
    if exact == 0 and a.value * b.value == 0:
        zero = (sign & (z >> top)) << top
    return to_float(exact, kind, zero)


def true_sum(acc: Q, pairs: list[tuple[Number, Number]]) -> tuple[Q, Q]:
    """Exact sum, and the sum of the magnitudes of its terms."""
    terms = [acc, *(a.value * b.value for a, b in pairs)]
    return sum(terms, Q(0)), sum((abs(t) for t in terms), Q(0))
