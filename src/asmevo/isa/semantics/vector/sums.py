"""VALU sums of absolute differences, byte averages and saturating packs (CDNA3 ISA 12.10)."""

from __future__ import annotations

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value, concat, where


def _absdiff(a: Value, b: Value) -> Value:
    return where(a > b, a - b, b - a)


@lane("v_sad_u8", "u32", "b32 b32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    for i in range(4):
        c = c + _absdiff((a >> (8 * i)) & 0xFF, (b >> (8 * i)) & 0xFF)
    return c


@lane("v_sad_hi_u8", "u32", "b32 b32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    total = c.const(0)
    for i in range(4):
        total = total + _absdiff((a >> (8 * i)) & 0xFF, (b >> (8 * i)) & 0xFF)
    return (total << 16) + c


@lane("v_sad_u16", "u32", "b32 b32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    return c + _absdiff(a & 0xFFFF, b & 0xFFFF) + _absdiff(a >> 16, b >> 16)


@lane("v_sad_u32", "u32", "u32 u32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    return c + _absdiff(a, b)


@lane("v_msad_u8", "u32", "b32 b32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    # Bytes of the reference (second operand) that are zero are masked out.
    for i in range(4):
        x, ref = (a >> (8 * i)) & 0xFF, (b >> (8 * i)) & 0xFF
        c = c + where(ref == 0, c.const(0), _absdiff(x, ref))
    return c


@lane("v_lerp_u8", "u32", "b32 b32 b32")
def _(a: Value, b: Value, c: Value) -> Value:
    out = a.const(0)
    for i in range(4):
        total = ((a >> (8 * i)) & 0xFF) + ((b >> (8 * i)) & 0xFF) + ((c >> (8 * i)) & 1)
        out = out | (((total >> 1) & 0xFF) << (8 * i))
    return out


@lane("v_sat_pk_u8_i16", "u16", "b32", high="open")
def _(a: Value) -> Value:
    out = a.const(0)
    for i in range(2):
        x = a.bits(16 * i, 16).i.to(32)
        x = where(x < 0, x.const(0), where(x > 255, x.const(255), x))
        out = out | (x.u << (8 * i))
    return out.to(16)


def _window(a: Value, at: int) -> Value:
    """The four bytes of a 64-bit value that start at bit `at`."""
    return ((a >> at) if at else a).to(32)


def _sad4(a: Value, b: Value, masked: bool) -> Value:
    """Sum of the absolute byte differences; with `masked`, zero bytes of b do not count."""
    total = a.const(0)
    for i in range(4):
        x, ref = (a >> (8 * i)) & 0xFF, (b >> (8 * i)) & 0xFF
        distance = _absdiff(x, ref)
        total = total + (where(ref == 0, total.const(0), distance) if masked else distance)
    return total


def _quad_pk(a: Value, b: Value, c: Value, masked: bool) -> Value:
    words = [
        (_sad4(_window(a, 8 * i), b, masked) + c.bits(16 * i, 16).to(32)).to(16) for i in range(4)
    ]
    return concat(concat(words[0], words[1]), concat(words[2], words[3]))


lane("v_qsad_pk_u16_u8", "u64", "u64 u32 u64")(lambda a, b, c: _quad_pk(a, b, c, False))
lane("v_mqsad_pk_u16_u8", "u64", "u64 u32 u64")(lambda a, b, c: _quad_pk(a, b, c, True))


@lane("v_mqsad_u32_u8", "b128", "u64 u32 b128")
def _(a: Value, b: Value, c: list[Value]) -> list[Value]:
    return [_sad4(_window(a, 8 * i), b, True) + c[i] for i in range(4)]


def _ashr_pk(a: Value, b: Value, n: Value, low: int, high: int) -> Value:
    out: list[Value] = []
    for v in (a, b):
        x = v >> (n & 31).i
        bottom, top = x.const(low & 0xFFFFFFFF), x.const(high)
        out.append(where(x < bottom, bottom, where(x > top, top, x)).to(8))
    return concat(out[0], out[1])


lane("v_ashr_pk_i8_i32", "u16", "i32 i32 u32", high="open")(
    lambda a, b, n: _ashr_pk(a, b, n, -128, 127)
)
lane("v_ashr_pk_u8_i32", "u16", "i32 i32 u32", high="open")(
    lambda a, b, n: _ashr_pk(a, b, n, 0, 255)
)
