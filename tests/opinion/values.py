"""Typed expressions of the code generator: Python source text with a pseudocode type.

Kinds: U, B (non-negative ints), I (signed ints), F and BF of 16/32/64 bits and FP/BF of at most
8 bits (bit patterns), P (the exact power of two 2^n, `code` holds n), MODE (rounding state).
Integer operations are evaluated on exact ints and wrapped to the common type, which has at least
32 bits, as in C.
"""

from __future__ import annotations

from dataclasses import dataclass


class PcodeTypeError(Exception):
    """A construct whose meaning is not defined by the types involved."""


@dataclass(frozen=True)
class Val:
    code: str
    kind: str
    width: int
    literal: int | str | None = None
    hexadecimal: bool = False
    sign: str = ""  # "+" or "-" when the text wrote an explicit sign before a float literal

    @property
    def is_float(self) -> bool:
        return (self.kind, self.width) in FORMATS

    @property
    def is_int(self) -> bool:
        return self.kind in ("U", "I", "B")


FORMATS = {("F", 16): "F16", ("F", 32): "F32", ("F", 64): "F64", ("BF", 16): "BF16"}
BIT = ("U", 1)


def mask(width: int) -> str:
    return hex((1 << width) - 1)


def fmt(val: Val) -> str:
    try:
        return FORMATS[val.kind, val.width]
    except KeyError:
        raise PcodeTypeError(f"not a float: {val}") from None


def signed(code: str, width: int) -> str:
    """Python source: raw bits as a signed number."""
    top = hex(1 << (width - 1))
    return f"(({code} ^ {top}) - {top})"


def raw(val: Val) -> str:
    """Python source of the value's bits, non-negative."""
    if val.kind == "I":
        if isinstance(val.literal, int):
            return hex(val.literal & ((1 << val.width) - 1))
        return f"({val.code} & {mask(val.width)})"
    if val.kind in ("P", "MODE"):
        raise PcodeTypeError(f"no bits: {val}")
    return val.code


def from_raw(code: str, kind: str, width: int) -> Val:
    """Value of raw bits known to fit in width."""
    if kind == "I":
        return Val(signed(code, width), "I", width)
    return Val(code, kind, width)


def wrap(code: str, kind: str, width: int) -> Val:
    """Value of an exact integer expression reduced to the type."""
    return from_raw(f"({code} & {mask(width)})", kind, width)


def number(value: int | str, kind: str, width: int, hexadecimal: bool = False) -> Val:
    if kind == "F":
        return Val(f"from_float({FORMATS['F', width]}, {value}, DEFAULT)", "F", width, value)
    return Val(repr(value), kind, width, value, hexadecimal)


def common(a: Val, b: Val, least: int = 32) -> tuple[str, int]:
    """C's usual arithmetic conversions on sized integers."""
    width = max(a.width, b.width, least)
    kinds = {v.kind for v in (a, b) if v.width == width and v.kind != "I"}
    if kinds or (a.kind != "I" and b.kind != "I"):
        return "U", width
    return "I", width


def to_int(val: Val, kind: str, width: int) -> Val:
    """Integer conversion (value kept modulo 2^width)."""
    if not val.is_int:
        raise PcodeTypeError(f"not an integer: {val}")
    if isinstance(val.literal, int):
        value = val.literal & ((1 << width) - 1)
        if kind == "I" and value >> (width - 1):
            value -= 1 << width
        return Val(repr(value), kind, width, value)
    if val.kind == kind and val.width == width:
        return val
    if kind == "I":
        if val.width < width or (val.kind == "I" and val.width == width):
            return Val(val.code, "I", width)
        return wrap(val.code, "I", width)
    if val.kind != "I" and val.width <= width:
        return Val(val.code, kind, width)
    return Val(f"({val.code} & {mask(width)})", kind, width)


def to_float(val: Val, kind: str, width: int) -> Val:
    """Float cast: patterns are kept when the widths agree or the literal is hexadecimal."""
    name = FORMATS[kind, width]
    if val.is_float:
        if (val.kind, val.width) == (kind, width):
            return val
        return Val(f"cast({fmt(val)}, {name}, {val.code})", kind, width)
    if val.kind == "P":
        return Val(val.code, "P", width)
    if val.hexadecimal or (val.kind == "B" and val.width == width):
        return Val(raw(val), kind, width)
    if val.is_int:
        return Val(f"from_int({name}, {val.code}, m)", kind, width)
    raise PcodeTypeError(f"no float conversion of {val}")


def unify(a: Val, b: Val) -> tuple[Val, Val]:
    """The two arms of a selection, in one type."""
    if (a.kind, a.width) == (b.kind, b.width):
        return a, b
    if a.is_float and b.is_float:
        kind, width = (a.kind, a.width) if a.width >= b.width else (b.kind, b.width)
        return to_float(a, kind, width), to_float(b, kind, width)
    kind, width = common(a, b, 1)
    return to_int(a, kind, width), to_int(b, kind, width)


_FLOAT_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_COMPARE = {"==", "!=", "<>", "<", "<=", ">", ">="}


def binary(op: str, a: Val, b: Val) -> Val:
    if op in ("&&", "||"):
        word = "and" if op == "&&" else "or"
        return Val(f"bool({a.code} {word} {b.code})", *BIT)
    if op == "**":
        if a.literal not in ("2.0", 2):
            raise PcodeTypeError(f"power of {a}")
        return Val(to_int(b, "I", 32).code, "P", a.width)
    if "P" in (a.kind, b.kind):
        number_, power = (b, a) if a.kind == "P" else (a, b)
        if op != "*" or not number_.is_float:
            raise PcodeTypeError(f"{op} on a power of two")
        code = f"ldexp({fmt(number_)}, {number_.code}, {power.code}, m)"
        return Val(code, number_.kind, number_.width)
    if a.is_float or b.is_float:
        return _float_binary(op, a, b)
    if op in _COMPARE:
        kind, width = common(a, b)
        x, y = to_int(a, kind, width), to_int(b, kind, width)
        return Val(f"({x.code} {'!=' if op == '<>' else op} {y.code})", *BIT)
    if op in ("<<", ">>"):
        width = max(a.width, 32)
        kind = "I" if a.kind == "I" else "U"
        value, count = to_int(a, kind, width), to_int(b, "U", max(b.width, 1))
        code = f"({value.code} {op} {count.code})"
        return wrap(code, kind, width) if op == "<<" else Val(code, kind, width)
    kind, width = common(a, b)
    x, y = to_int(a, kind, width), to_int(b, kind, width)
    if op in "&|^":
        return Val(f"({x.code} {op} {y.code})", kind, width)
    if op in "/%":
        if kind == "I":
            raise PcodeTypeError("signed division")
        return Val(f"({x.code} {'//' if op == '/' else '%'} {y.code})", kind, width)
    return wrap(f"({x.code} {op} {y.code})", kind, width)


def _float_binary(op: str, a: Val, b: Val) -> Val:
    special = {"DENORM", "OVERFLOW", "UNDERFLOW"}
    if op == "==" and b.literal in special:
        return Val(f"is_subnormal({fmt(a)}, {a.code})", *BIT)
    if not (a.is_float and b.is_float):
        raise PcodeTypeError(f"mixed {a.kind}{a.width} {op} {b.kind}{b.width}")
    zero_with_sign = op == "==" and b.sign and b.literal == "0.0"
    x, y = unify(a, b)
    if zero_with_sign:  # `x == -0.0`: the texts mean this zero, not either zero
        return Val(f"({x.code} == {y.code})", *BIT)
    f = fmt(x)
    if op in _COMPARE:
        tests = {
            "==": f"equal({f}, {x.code}, {y.code})",
            "!=": f"(not equal({f}, {x.code}, {y.code}))",
            "<": f"less({f}, {x.code}, {y.code})",
            ">": f"less({f}, {y.code}, {x.code})",
            "<=": f"less_equal({f}, {x.code}, {y.code})",
            ">=": f"less_equal({f}, {y.code}, {x.code})",
            "<>": f"unequal_ordered({f}, {x.code}, {y.code})",
        }
        return Val(tests[op], *BIT)
    if op not in _FLOAT_OPS:
        raise PcodeTypeError(f"{op} on floats")
    return Val(f"{_FLOAT_OPS[op]}({f}, {x.code}, {y.code}, m)", x.kind, x.width)


def unary(op: str, a: Val) -> Val:
    if op == "!":
        return Val(f"(not {a.code})", *BIT)
    if a.is_float:
        if op == "~":
            raise PcodeTypeError("~ on a float")
        if op == "+":
            return Val(a.code, a.kind, a.width, a.literal, sign="+")
        sign = "-" if a.literal is not None else ""
        return Val(f"({a.code} ^ {hex(1 << (a.width - 1))})", a.kind, a.width, a.literal, sign=sign)
    if op == "+":
        return a
    if isinstance(a.literal, int) and op == "-":
        return Val(repr(-a.literal), "I", max(a.width, 32), -a.literal)
    kind, width = ("I" if a.kind == "I" else "U"), max(a.width, 32)
    if op == "~":
        width = a.width  # complement stays within the operand
        if kind == "I":
            return Val(f"(~{a.code})", "I", width)
        return Val(f"({a.code} ^ {mask(width)})", kind, width)
    return wrap(f"(-{to_int(a, kind, width).code})", kind, width)
