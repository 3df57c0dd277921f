"""fp8, bf8, fp6, bf6 and fp4: encoding with rounding or stochastic rounding, and decoding.

Formats: `facts/matrix_numerics.md` sections 7 and 8. The eight-bit formats depend on the target:
FNUZ on gfx942 (no infinity, no negative zero, one NaN 0x80), OCP on gfx950.
"""

from __future__ import annotations

from dataclasses import dataclass

from .softfloat import BF16, F16, F32, RNE, Format, Mode, is_nan, round_pack, unpack


@dataclass(frozen=True)
class Small:
    """A format of at most 8 bits; `nan`/`inf` None when the format has none."""

    exp: int
    mant: int
    bias: int
    largest: int  # code of the largest finite magnitude
    nan: int | None
    inf: int | None = None
    signed_zero: bool = True

    @property
    def sign(self) -> int:
        return 1 << (self.exp + self.mant)


FP8_FNUZ = Small(4, 3, 8, 0x7F, 0x80, signed_zero=False)
BF8_FNUZ = Small(5, 2, 16, 0x7F, 0x80, signed_zero=False)
FP8_OCP = Small(4, 3, 7, 0x7E, 0x7F)
BF8_OCP = Small(5, 2, 15, 0x7B, 0x7F, 0x7C)
FP6 = Small(2, 3, 1, 0x1F, None)
BF6 = Small(3, 2, 3, 0x1F, None)
FP4 = Small(2, 1, 1, 0x7, None)


def small(name: str, mode: Mode) -> Small:
    """Format `fp8`, `bf8`, `fp6`, `bf6` or `fp4` on the target that `mode` describes."""
    if name == "fp8":
        return FP8_FNUZ if mode.fnuz else FP8_OCP
    if name == "bf8":
        return BF8_FNUZ if mode.fnuz else BF8_OCP
    return {"fp6": FP6, "bf6": BF6, "fp4": FP4}[name]


def _special(s: Small, sign: int, mode: Mode, *, nan: bool) -> int:
    """Code of NaN, or of an infinity or overflow (saturating when FP16_OVFL is set)."""
    signed = s.sign if sign else 0
    if s.nan is None:
        return signed | s.largest
    if nan:
        return s.nan if not s.signed_zero else signed | s.nan
    if mode.fp16_ovfl:
        return signed | s.largest
    if s.inf is not None:
        return signed | s.inf
    return s.nan if not s.signed_zero else signed | s.nan


def encode(src: Format, name: str, a: int, mode: Mode, *, scale: int = 127) -> int:
    """a / 2^(scale - 127), round to nearest even."""
    return _encode(src, name, a, mode, scale, None)


def encode_sr(src: Format, name: str, a: int, seed: int, mode: Mode, *, scale: int = 127) -> int:
    """a / 2^(scale - 127), seed added below the kept bits, then truncated."""
    return _encode(src, name, a, mode, scale, seed)


def _encode(src: Format, name: str, a: int, mode: Mode, scale: int, seed: int | None) -> int:
    s = small(name, mode)
    sign = a >> (src.width - 1)
    if is_nan(src, a) or scale == 255:
        return _special(s, sign, mode, nan=True)
    if (a & src.abs_mask) == src.inf:
        return _special(s, sign, mode, nan=False)
    _, sig, exp = unpack(src, a)
    exp -= scale - 127
    code = 0
    if sig:
        up = src.mant + 1 - sig.bit_length()  # subnormal sources are normalised first
        sig, exp = sig << up, exp - up
        emin = 1 - s.bias
        low = max(exp + src.mant, emin) - s.mant
        drop = low - exp
        if seed is not None:
            width = src.mant - s.mant
            noise = seed >> (32 - width)
            kept = (sig + (noise << (drop - width))) >> drop
        else:
            half = 1 << (drop - 1)
            rest = sig & ((1 << drop) - 1)
            kept = sig >> drop
            kept += rest > half or (rest == half and kept & 1)
        code = kept
        if kept >= 1 << s.mant:
            code = ((low + s.mant + s.bias - 1) << s.mant) + kept
        if code > s.largest:
            return _special(s, sign, mode, nan=False)
    if not code and not s.signed_zero:
        return 0
    return code | (s.sign if sign else 0)


def decode(name: str, code: int, dst: Format, mode: Mode, *, scale: int = 127) -> int:
    """Code * 2^(scale - 127) in the destination format, round to nearest even."""
    s = small(name, mode)
    sign = int(bool(code & s.sign))
    body = code & (s.sign - 1)
    signed = dst.sign_bit if sign else 0
    is_nan_code = s.nan is not None and (
        code == s.nan if not s.signed_zero else body > (s.inf if s.inf is not None else s.largest)
    )
    if is_nan_code or scale == 255:
        return signed | dst.inf | dst.quiet
    if s.inf is not None and body == s.inf:
        return signed | dst.inf
    field, frac = body >> s.mant, body & ((1 << s.mant) - 1)
    sig = frac | (1 << s.mant) if field else frac
    exp = max(field, 1) - s.bias - s.mant + scale - 127
    return round_pack(dst, sign, sig, exp, RNE)


def round_sr(dst: Format, a: int, seed: int) -> int:
    """f32 to f16 or bf16: the seed's top bits added below the kept bits, then truncated."""
    if (a & F32.abs_mask) >= F32.inf:
        frac = a & F32.mant_mask
        kept = (frac >> (F32.mant - dst.mant)) | dst.quiet if frac else 0
        return (dst.sign_bit if a & F32.sign_bit else 0) | dst.inf | kept
    sign, sig, exp = unpack(F32, a)
    if not sig:
        return dst.sign_bit if sign else 0
    up = F32.mant + 1 - sig.bit_length()
    sig, exp = sig << up, exp - up
    low = max(exp + F32.mant, 1 - dst.bias) - dst.mant
    drop, width = low - exp, F32.mant - dst.mant
    kept = (sig + ((seed >> (32 - width)) << (drop - width))) >> drop
    return round_pack(dst, sign, kept, low, RNE)


SOURCES = {"f32": F32, "f16": F16, "bf16": BF16}
