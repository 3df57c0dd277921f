"""Binary floating point in integer arithmetic: every result is exact, then rounded once.

A number travels as its bit pattern. `unpack` gives (sign, significand, exponent) with value
(-1)^sign * significand * 2^exponent; `round_pack` is the only place that rounds. Rules taken
from AMD's ISA documents and `facts/semantics_traps.md` section 6: inputs and outputs are flushed
per MODE.FP_DENORM, an arithmetic result with NaN sources is the first of them made quiet, and a
NaN made by the operation is the negative default (0xffc00000, 0xfe00, 0xfff8...).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

RNE, UP, DOWN, ZERO = 0, 1, 2, 3  # MODE.FP_ROUND encoding


@dataclass(frozen=True)
class Mode:
    """The bits of the MODE register that arithmetic reads, and the target's fp8 flavour.

    `denorm_*` bit 0 lets subnormal inputs pass, bit 1 subnormal outputs.
    """

    round_32: int = RNE
    round_16_64: int = RNE
    denorm_32: int = 3
    denorm_16_64: int = 3
    ieee: bool = True
    dx10_clamp: bool = True
    fp16_ovfl: bool = False
    fnuz: bool = True  # gfx942: fp8/bf8 without infinity and -0; False: OCP formats (gfx950)


DEFAULT = Mode()


@dataclass(frozen=True)
class Format:
    """IEEE-style format: 1 sign bit, `exp` exponent bits, `mant` stored significand bits."""

    name: str
    exp: int
    mant: int
    wide_mode: bool = False  # governed by the f16/f64 halves of FP_ROUND and FP_DENORM

    @property
    def width(self) -> int:
        return 1 + self.exp + self.mant

    def __post_init__(self) -> None:
        bias = (1 << (self.exp - 1)) - 1
        inf = ((1 << self.exp) - 1) << self.mant
        for name, value in {
            "bias": bias,
            "inf": inf,
            "sign_bit": 1 << (self.width - 1),
            "quiet": 1 << (self.mant - 1),
            "mant_mask": (1 << self.mant) - 1,
            "abs_mask": (1 << (self.width - 1)) - 1,
            "nan": (1 << (self.width - 1)) | inf | (1 << (self.mant - 1)),
            "exp_max": (1 << self.exp) - 1,
        }.items():
            object.__setattr__(self, name, value)

    bias: int = 0
    inf: int = 0
    sign_bit: int = 0
    quiet: int = 0
    mant_mask: int = 0
    abs_mask: int = 0
    nan: int = 0
    exp_max: int = 0

    def rounding(self, mode: Mode) -> int:
        return mode.round_16_64 if self.wide_mode else mode.round_32

    def denorm(self, mode: Mode) -> int:
        return mode.denorm_16_64 if self.wide_mode else mode.denorm_32


F16 = Format("f16", 5, 10, wide_mode=True)
F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52, wide_mode=True)
BF16 = Format("bf16", 8, 7)


def is_nan(f: Format, a: int) -> bool:
    return (a & f.abs_mask) > f.inf


def is_signal_nan(f: Format, a: int) -> bool:
    return (a & f.abs_mask) > f.inf and not a & f.quiet


def is_quiet_nan(f: Format, a: int) -> bool:
    return (a & f.abs_mask) > f.inf and bool(a & f.quiet)


def quiet(f: Format, a: int) -> int:
    return a | f.quiet if is_nan(f, a) else a


def flush_in(f: Format, a: int, mode: Mode) -> int:
    """Subnormal input to signed zero when MODE does not allow subnormal inputs."""
    if not f.denorm(mode) & 1 and not a & f.inf:
        return a & f.sign_bit
    return a


def unpack(f: Format, a: int) -> tuple[int, int, int]:
    """(sign, significand, exponent) of a finite number; significand 0 for zero."""
    sign = a >> (f.width - 1)
    field = (a & f.inf) >> f.mant
    frac = a & f.mant_mask
    if field:
        return sign, frac | (1 << f.mant), field - f.bias - f.mant
    return sign, frac, 1 - f.bias - f.mant


def _round(sig: int, shift: int, sticky: bool, sign: int, rm: int) -> int:
    """sig / 2^shift rounded to an integer; `sticky`: nonzero bits below sig were dropped."""
    if shift <= 0:
        kept, rest, half = sig << -shift, 0, 1
    else:
        kept, rest, half = sig >> shift, sig & ((1 << shift) - 1), 1 << (shift - 1)
    if rm == RNE:
        up = rest > half or (rest == half and (sticky or kept & 1))
        return kept + bool(up)
    if not rest and not sticky:
        return kept
    if (rm == UP and not sign) or (rm == DOWN and sign):
        return kept + 1
    return kept


def overflow(f: Format, sign: int, rm: int) -> int:
    to_inf = rm == RNE or (rm == UP and not sign) or (rm == DOWN and sign)
    return (f.sign_bit if sign else 0) | (f.inf if to_inf else f.inf - 1)


def round_pack(
    f: Format, sign: int, sig: int, exp: int, rm: int, *, keep: bool = True, sticky: bool = False
) -> int:
    """Bits of (-1)^sign * sig * 2^exp rounded to the format.

    `keep` False flushes subnormal results: a result is subnormal when the value, rounded with an
    unbounded exponent, is below the smallest normal number. With `sticky` the caller supplies
    enough bits that the dropped part lies below the rounding position.
    """
    sign_bits = f.sign_bit if sign else 0
    if not sig:
        return sign_bits
    top = exp + sig.bit_length() - 1
    emin = 1 - f.bias
    if not keep and top < emin:
        free = _round(sig, top - f.mant - exp, sticky, sign, rm)
        if not (top == emin - 1 and free >> (f.mant + 1)):
            return sign_bits
    low = max(top, emin) - f.mant
    kept = _round(sig, low - exp, sticky, sign, rm)
    if kept < 1 << f.mant:
        return sign_bits | kept
    bits = ((low + f.mant + f.bias - 1) << f.mant) + kept
    if bits >= f.inf:
        return overflow(f, sign, rm)
    return sign_bits | bits


def _finish(f: Format, sign: int, sig: int, exp: int, mode: Mode, sticky: bool = False) -> int:
    out = round_pack(
        f, sign, sig, exp, f.rounding(mode), keep=bool(f.denorm(mode) & 2), sticky=sticky
    )
    return _limit(f, out, mode)


def _limit(f: Format, out: int, mode: Mode) -> int:
    """MODE.FP16_OVFL: an overflowed f16 result becomes +-65504 (true infinities stay)."""
    if mode.fp16_ovfl and f is F16 and (out & f.abs_mask) == f.inf:
        return out - 1
    return out


def flush_out(f: Format, a: int, mode: Mode) -> int:
    """Subnormal result to signed zero when MODE does not allow subnormal results."""
    if not f.denorm(mode) & 2 and not a & f.inf:
        return a & f.sign_bit
    return a


def _first_nan(f: Format, *args: int) -> int | None:
    for a in args:
        if (a & f.abs_mask) > f.inf:
            return a | f.quiet
    return None


def add(f: Format, a: int, b: int, mode: Mode) -> int:
    a, b = flush_in(f, a, mode), flush_in(f, b, mode)
    nan = _first_nan(f, a, b)
    if nan is not None:
        return nan
    if (a & f.abs_mask) == f.inf:
        return f.nan if b == a ^ f.sign_bit else a
    if (b & f.abs_mask) == f.inf:
        return b
    return _sum(f, unpack(f, a), unpack(f, b), mode)


def _sum(f: Format, x: tuple[int, int, int], y: tuple[int, int, int], mode: Mode) -> int:
    """Rounded sum of two exact numbers; the sign of an exact zero follows IEEE 754 6.3."""
    exp = min(x[2], y[2])
    p = x[1] << (x[2] - exp)
    q = y[1] << (y[2] - exp)
    total = (-p if x[0] else p) + (-q if y[0] else q)
    if total == 0:
        if not p and not q and x[0] == y[0]:
            return f.sign_bit if x[0] else 0
        return f.sign_bit if f.rounding(mode) == DOWN else 0
    return _finish(f, int(total < 0), abs(total), exp, mode)


def sub(f: Format, a: int, b: int, mode: Mode) -> int:
    """a - b; a NaN in b keeps its sign (the hardware negates after the NaN test)."""
    return add(f, a, b if is_nan(f, b) else b ^ f.sign_bit, mode)


def mul(f: Format, a: int, b: int, mode: Mode) -> int:
    a, b = flush_in(f, a, mode), flush_in(f, b, mode)
    nan = _first_nan(f, a, b)
    if nan is not None:
        return nan
    ma, mb = a & f.abs_mask, b & f.abs_mask
    sign = (a ^ b) & f.sign_bit
    if ma == f.inf or mb == f.inf:
        return sign | f.inf if ma and mb else f.nan
    sa, pa, ea = unpack(f, a)
    sb, pb, eb = unpack(f, b)
    return _finish(f, sa ^ sb, pa * pb, ea + eb, mode)


def fma(f: Format, a: int, b: int, c: int, mode: Mode) -> int:
    """a * b + c with one rounding. inf * 0 gives the default NaN even when c is a NaN."""
    a, b, c = flush_in(f, a, mode), flush_in(f, b, mode), flush_in(f, c, mode)
    ma, mb = a & f.abs_mask, b & f.abs_mask
    nan = _first_nan(f, a, b)
    if nan is not None:
        return nan
    if (ma == f.inf and not mb) or (mb == f.inf and not ma):
        return f.nan
    if is_nan(f, c):
        return c | f.quiet
    sign = (a ^ b) & f.sign_bit
    if ma == f.inf or mb == f.inf:
        product = sign | f.inf
        return f.nan if c == product ^ f.sign_bit else product
    if (c & f.abs_mask) == f.inf:
        return c
    sa, pa, ea = unpack(f, a)
    sb, pb, eb = unpack(f, b)
    return _sum(f, (sa ^ sb, pa * pb, ea + eb), unpack(f, c), mode)


def fma_scaled(f: Format, a: int, b: int, c: int, n: int, mode: Mode) -> int:
    """(a * b + c) * 2^n with one rounding, inputs not flushed (V_DIV_FMAS)."""
    exact = fma(f, a, b, c, replace(mode, denorm_32=3, denorm_16_64=3))
    if (exact & f.abs_mask) >= f.inf and any((x & f.abs_mask) >= f.inf for x in (a, b, c)):
        return exact
    sa, pa, ea = unpack(f, a)
    sb, pb, eb = unpack(f, b)
    sc, pc, ec = unpack(f, c)
    return _sum(f, (sa ^ sb, pa * pb, ea + eb + n), (sc, pc, ec + n), mode)


def div_underflow(f: Format, sign: int, mode: Mode) -> int:
    """What V_DIV_FIXUP makes of a quotient below half the smallest subnormal."""
    return round_pack(f, sign, 1, -4 * f.bias, f.rounding(mode), keep=bool(f.denorm(mode) & 2))


def div(f: Format, a: int, b: int, mode: Mode) -> int:
    a, b = flush_in(f, a, mode), flush_in(f, b, mode)
    nan = _first_nan(f, a, b)
    if nan is not None:
        return nan
    ma, mb = a & f.abs_mask, b & f.abs_mask
    sign = (a ^ b) & f.sign_bit
    if ma == f.inf:
        return f.nan if mb == f.inf else sign | f.inf
    if mb == f.inf:
        return sign
    if not mb:
        return sign | f.inf if ma else f.nan
    sa, pa, ea = unpack(f, a)
    sb, pb, eb = unpack(f, b)
    up = 2 * f.mant + 6 + pb.bit_length()
    quotient, rest = divmod(pa << up, pb)
    return _finish(f, sa ^ sb, quotient, ea - eb - up, mode, sticky=bool(rest))


def sqrt(f: Format, a: int, mode: Mode) -> int:
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return a | f.quiet
    if not a & f.abs_mask:
        return a
    if a & f.sign_bit:
        return f.nan
    if a == f.inf:
        return a
    _, sig, exp = unpack(f, a)
    up = 2 * (f.mant + 6)
    if (exp - up) & 1:
        up += 1
    root = isqrt(sig << up)
    return _finish(f, 0, root, (exp - up) // 2, mode, sticky=root * root != sig << up)


def rsqrt(f: Format, a: int, mode: Mode) -> int:
    """1 / sqrt(a), rounded once."""
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return a | f.quiet
    if not a & f.abs_mask:
        return (a & f.sign_bit) | f.inf
    if a & f.sign_bit:
        return f.nan
    if a == f.inf:
        return 0
    _, sig, exp = unpack(f, a)
    if exp & 1:
        sig, exp = sig << 1, exp - 1
    up = f.mant + 8 + sig.bit_length()
    target = 1 << (2 * up)
    root = isqrt(target // sig)
    return _finish(f, 0, root, -up - exp // 2, mode, sticky=root * root * sig != target)


def ldexp(f: Format, a: int, n: int, mode: Mode) -> int:
    """a * 2^n, rounded once, for any n."""
    a = flush_in(f, a, mode)
    if (a & f.abs_mask) >= f.inf:
        return quiet(f, a)
    sign, sig, exp = unpack(f, a)
    n = max(-8192, min(8192, n))  # beyond every format's range
    return _finish(f, sign, sig, exp + n, mode)


def less(f: Format, a: int, b: int) -> bool:
    """Ordered a < b; false on NaN. Inputs are compared as they are (flush before)."""
    if is_nan(f, a) or is_nan(f, b):
        return False
    return _key(f, a) < _key(f, b)


def equal(f: Format, a: int, b: int) -> bool:
    if is_nan(f, a) or is_nan(f, b):
        return False
    return _key(f, a) == _key(f, b)


def _key(f: Format, a: int) -> int:
    return -(a & f.abs_mask) if a & f.sign_bit else a


def to_integral(f: Format, a: int, rm: int) -> int:
    """Round to an integer-valued number, sign of zero kept, NaN made quiet."""
    if (a & f.abs_mask) >= f.inf:
        return quiet(f, a)
    sign, sig, exp = unpack(f, a)
    if exp >= 0 or not sig:
        return a
    kept = _round(sig, -exp, False, sign, rm)
    return round_pack(f, sign, kept, 0, RNE)


def fract(f: Format, a: int, mode: Mode) -> int:
    """a - floor(a), at most the largest number below 1 (V_FRACT_*); NaN and inf give NaN."""
    if is_nan(f, a):
        return quiet(f, a)
    if (a & f.abs_mask) == f.inf:
        return f.nan
    floor = to_integral(f, a, DOWN)
    out = add(f, a, floor ^ f.sign_bit, mode)
    below_one = (f.bias << f.mant) - 1
    return min(out, below_one) if not out & f.sign_bit else out


def convert(src: Format, dst: Format, a: int, mode: Mode, *, rm: int | None = None) -> int:
    """Numeric conversion: source flush, one rounding, destination flush, NaN made quiet."""
    a = flush_in(src, a, mode)
    if is_nan(src, a):
        return cast(src, dst, a | src.quiet)
    sign = a >> (src.width - 1)
    if (a & src.abs_mask) == src.inf:
        return (dst.sign_bit if sign else 0) | dst.inf
    _, sig, exp = unpack(src, a)
    keep = bool(dst.denorm(mode) & 2)
    out = round_pack(dst, sign, sig, exp, dst.rounding(mode) if rm is None else rm, keep=keep)
    return _limit(dst, out, mode)


def cast(src: Format, dst: Format, a: int) -> int:
    """Change of format that keeps a NaN's payload and signalling bit (`64'F(S0.f32)`)."""
    if not is_nan(src, a):
        return convert(src, dst, a, DEFAULT)
    sign = dst.sign_bit if a & src.sign_bit else 0
    frac = a & src.mant_mask
    up = dst.mant - src.mant
    frac = frac << up if up >= 0 else frac >> -up
    return sign | dst.inf | (frac or 1)


def from_int(f: Format, value: int, mode: Mode) -> int:
    return _limit(f, round_pack(f, int(value < 0), abs(value), 0, f.rounding(mode)), mode)


def to_int(f: Format, a: int, low: int, high: int, mode: Mode, rm: int = ZERO) -> int:
    """Saturating conversion to an integer in [low, high]; NaN gives 0."""
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return 0
    if (a & f.abs_mask) == f.inf:
        return low if a & f.sign_bit else high
    sign, sig, exp = unpack(f, a)
    size = _round(sig, -exp, False, sign, rm)
    return max(low, min(high, -size if sign else size))


def frexp_exp(f: Format, a: int) -> int:
    """Exponent e with a = m * 2^e, 0.5 <= |m| < 1; 0 for zero, inf and NaN."""
    if (a & f.abs_mask) >= f.inf or not a & f.abs_mask:
        return 0
    _, sig, exp = unpack(f, a)
    return exp + sig.bit_length()


def frexp_mant(f: Format, a: int) -> int:
    if (a & f.abs_mask) >= f.inf or not a & f.abs_mask:
        return quiet(f, a)
    sign, sig, _ = unpack(f, a)
    return round_pack(f, sign, sig, -sig.bit_length(), RNE)


def exponent(f: Format, a: int) -> int:
    """Biased exponent field."""
    return (a & f.inf) >> f.mant


def _pick(f: Format, a: int, b: int, mode: Mode, *, largest: bool) -> int:
    """V_MINIMUM/V_MAXIMUM: the first NaN source wins, -0 orders below +0."""
    a, b = flush_in(f, a, mode), flush_in(f, b, mode)
    nan = _first_nan(f, a, b)
    if nan is not None:
        return nan
    if _key(f, a) == _key(f, b):
        return a & b if largest else a | b
    return a if (_key(f, a) > _key(f, b)) == largest else b


def minimum(f: Format, a: int, b: int, mode: Mode) -> int:
    return _pick(f, a, b, mode, largest=False)


def maximum(f: Format, a: int, b: int, mode: Mode) -> int:
    return _pick(f, a, b, mode, largest=True)
