"""Eight-bit floats: gfx942 reads the FNUZ formats, gfx950 the OCP ones, from the same bytes."""

from __future__ import annotations

from asmevo.isa.semantics.values import Value, where


def decode8(byte: Value, fmt: str, arch: str) -> Value:
    """An fp8 (e4m3) or bf8 (e5m2) byte, zero-extended to 32 bits, as f32 bits; exact."""
    fnuz = arch != "gfx950"
    mantissa, bias = (3, 7) if fmt == "fp8" else (2, 15)
    if fnuz:
        bias += 1
    exponent_bits = 7 - mantissa
    sign = (byte & 0x80) << 24
    exponent = (byte >> mantissa) & ((1 << exponent_bits) - 1)
    fraction = byte & ((1 << mantissa) - 1)
    normal = ((exponent + (127 - bias)) << 23) | (fraction << (23 - mantissa))
    # A subnormal is fraction * 2**(1 - bias - mantissa), exact in f32.
    scale = byte.const((127 + 1 - bias - mantissa) << 23).f
    small = (fraction.to_float(32) * scale).u
    magnitude = where(exponent == 0, small, normal)
    value = sign | magnitude
    nan = byte.const(0x7FC00000)
    if fnuz:
        value = where(byte == 0x80, nan, value)
    elif fmt == "fp8":
        value = where((byte & 0x7F) == 0x7F, sign | nan, value)
    else:
        top = exponent == 31
        infinite = sign | 0x7F800000
        value = where(top, where(fraction == 0, infinite, sign | nan), value)
    return value.u
