"""Integer CLAMP of VOP3: results that saturate instead of wrapping (CDNA3 ISA 6.2.2).

Each entry computes the exact result in 64 bits; `saturated` brings it into the range of the
result. Products (v_mul_lo) never saturate.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from asmevo.isa.semantics.values import Value, where

_Wide = Callable[[list[Any], bool], Value]
_ADD = re.compile(r"v_(pk_)?(add|sub|subrev)(_co)?_([ui])(16|32)$")
_CARRY = re.compile(r"v_(addc|subb|subbrev)_co_u32$")
_MAD = re.compile(r"v_(pk_)?mad(_legacy)?_([ui])16$")
_MAD_24 = re.compile(r"v_mad_([ui])32_[ui](24|16)$")
_SAD = re.compile(r"v_m?sad_(hi_)?u(8|16|32)$")
_DOT = re.compile(r"v_dot[248]c?_([ui])32_[ui](16|8|4)$")


_MAD_64 = re.compile(r"v_mad_([ui])64_[ui]32$")
_CHOICE = re.compile(r"v_(pk_)?(min|max|med)3?_[ui](16|32)$")
_BITWISE = re.compile(
    r"v_((and|or|xor|xnor|not|bfrev|alignbit|alignbyte|pk_mov)_b32|ffb[hl]_[iub]32|prng_b32|"
    r"(pk_)?(lshl|lshr|ashr)rev_[bi](16|32))$"
)
# Products that are the low half by definition, or that fit; conversions saturate by themselves.
_FITTING = re.compile(
    r"v_((pk_)?mul_lo_u16|mul_hi_[iu]32_[iu]24|cvt_(flr_|rpi_)?[iu](16|32)_f(16|32|64)|"
    r"frexp_exp_i(16|32)_f(16|32|64)|cvt_(pk)?norm_[iu]16_f(16|32)|cvt_pk(accum)?_u8_f32|"
    r"sat_pk_u8_i16)$"
)


def _saturated_64(args: list[Any], result: Value) -> Value:
    a, b, c = args[:3]
    if c.kind == "u":
        return where(result.u < c.u, result.u.const((1 << 64) - 1), result.u)
    product = a.to(64) * b.to(64)
    overflow = (~(product ^ c) & (product ^ result.i)) < 0
    limit = where(product < 0, product.const(1 << 63), product.const((1 << 63) - 1))
    return where(overflow, limit, result.i)


def _wide(v: Value, signed: bool) -> Value:
    return (v.i if signed else v.u).to(64).i


def _low(v: Value, bits: int, signed: bool) -> Value:
    """The low `bits` of a 32-bit value, extended to 64 bits."""
    up = 32 - bits
    w = v.u << up
    return ((w.i if signed else w) >> up).to(64).i if up else _wide(v, signed)


def _exact(name: str, args: list[Any]) -> tuple[Value, bool] | None:
    """(exact 64-bit result, whether the result is signed) of a clampable opcode."""
    m = _ADD.match(name)
    if m:
        signed = m.group(4) == "i"
        a, b = _wide(args[0], signed), _wide(args[1], signed)
        total = {"add": a + b, "sub": a - b, "subrev": b - a}[m.group(2)]
        return total, signed
    m = _CARRY.match(name)
    if m:
        a, b, carry = _wide(args[0], False), _wide(args[1], False), args[2].to(64).i
        return {"addc": a + b + carry, "subb": a - b - carry, "subbrev": b - a - carry}[
            m.group(1)
        ], False
    m = _MAD.match(name)
    if m:
        signed = m.group(3) == "i"
        a, b, c = (_wide(v, signed) for v in args[:3])
        return a * b + c, signed
    m = _MAD_24.match(name)
    if m:
        signed, bits = m.group(1) == "i", int(m.group(2))
        a, b = (_low(v.to(32) if v.width == 32 else v.u.to(32), bits, signed) for v in args[:2])
        return a * b + _wide(args[2], signed), signed
    return None


def _sum(name: str, args: list[Any]) -> tuple[Value, bool]:
    """Sums of products or differences, accumulated exactly."""
    a, b, total = args[0], args[1], args[2]
    m = _DOT.match(name)
    if m:
        signed, bits = m.group(1) == "i", int(m.group(2))
        out = _wide(total, signed)
        for at in range(0, 32, bits):
            x, y = (_low(v.u >> at if at else v.u, bits, signed) for v in (a, b))
            out = out + x * y
        return out, signed
    m = _SAD.match(name)
    assert m, name
    bits, out = int(m.group(2)), _wide(total, False)
    for at in range(0, 32, bits):
        x, y = (_low(v.u >> at if at else v.u, bits, False) for v in (a, b))
        distance = where(x > y, x - y, y - x)
        if name.startswith("v_msad"):
            distance = where(y == 0, y.const(0), distance)
        out = out + (distance << 16 if m.group(1) else distance)
    return out, False


def in_range_anyway(name: str) -> bool:
    """Whether results never leave the range, so that CLAMP changes nothing."""
    return any(p.match(name) for p in (_CHOICE, _BITWISE, _FITTING))


def clampable(name: str) -> bool:
    """Whether CLAMP has a defined meaning for an integer opcode."""
    return bool(_MAD_64.match(name)) or any(
        p.match(name) for p in (_ADD, _CARRY, _MAD, _MAD_24, _SAD, _DOT)
    )


def saturated(name: str, args: list[Any], result: Value) -> Value:
    """The clamped result of an opcode; packed opcodes pass one half's operands."""
    if _MAD_64.match(name):
        return _saturated_64(args, result)
    found = _exact(name, args)
    exact, signed = found if found is not None else _sum(name, args)
    w = result.width
    low = -(1 << (w - 1)) if signed else 0
    high = (1 << (w - 1)) - 1 if signed else (1 << w) - 1
    top, bottom = exact.const(high), exact.const(low & (2**64 - 1))
    return where(exact < bottom, bottom, where(exact > top, top, exact)).to(w)
