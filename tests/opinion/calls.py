"""Functions the pseudocode calls without defining them, as typed Python source."""

from __future__ import annotations

import re
from collections.abc import Callable

from .values import BIT, FORMATS, PcodeTypeError, Val, fmt, raw, signed, to_float, to_int

_CONVERSION = re.compile(
    r"^([uif]\d+|bf16|bf8|bf6|fp8|fp6|fp4)_to_([uif]\d+|bf16|bf8|bf6|fp8|fp6|fp4|snorm|unorm)"
    r"(_scale|_sr_scale|_sr|_SR)?$"
)
_SMALL = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}
_FLOAT = {"f16": ("F", 16), "f32": ("F", 32), "f64": ("F", 64), "bf16": ("BF", 16)}


def _size(name: str) -> int:
    return int(re.sub(r"\D", "", name))


def _range(name: str) -> tuple[int, int]:
    size = _size(name)
    return (0, (1 << size) - 1) if name[0] == "u" else (-(1 << (size - 1)), (1 << (size - 1)) - 1)


def conversion(name: str, args: list[Val]) -> Val | None:
    found = _CONVERSION.match(name)
    if found is None:
        return None
    src, dst, how = found[1], found[2], found[3] or ""
    a = args[0]
    scale = f", scale={raw(args[-1])}" if how.endswith("scale") else ""
    if src in _SMALL:
        target = FORMATS[_FLOAT[dst]]
        return Val(f"decode('{src}', {raw(a)}, {target}, m{scale})", *_FLOAT[dst])
    if dst in _SMALL:
        kind, width = dst[:2].upper(), _SMALL[dst]
        seed = f", {raw(args[1])}" if "sr" in how else ""
        call = "encode_sr" if seed else "encode"
        return Val(f"{call}({fmt(a)}, '{dst}', {a.code}{seed}, m{scale})", kind, width)
    if how in ("_sr", "_SR"):
        target = FORMATS[_FLOAT[dst]]
        return Val(f"round_sr({target}, {a.code}, {raw(args[1])})", *_FLOAT[dst])
    if src in _FLOAT:
        return _from_float(src, dst, to_float(a, *_FLOAT[src]))
    if dst in _FLOAT:
        value = to_int(a, src[0].upper(), _size(src))
        return Val(f"from_int({FORMATS[_FLOAT[dst]]}, {value.code}, m)", *_FLOAT[dst])
    kind, width = dst[0].upper(), _size(dst)
    value = to_int(a, src[0].upper(), _size(src))
    if width >= _size(src):
        return to_int(value, kind, width)
    low, high = _range(dst)  # narrowing saturates
    return Val(f"max({low}, min({high}, {value.code}))", kind, width)


def _from_float(src: str, dst: str, a: Val) -> Val:
    if dst in _FLOAT:
        return Val(f"convert({fmt(a)}, {FORMATS[_FLOAT[dst]]}, {a.code}, m)", *_FLOAT[dst])
    if dst in ("snorm", "unorm"):
        scale, low = (32767, -32767) if dst == "snorm" else (65535, 0)
        kind = "I" if dst == "snorm" else "U"
        return Val(f"norm_to_int({fmt(a)}, {a.code}, {scale}, {low}, m)", kind, 16)
    low, high = _range(dst)
    rounding = "" if dst != "u8" else ", m.round_32"
    code = f"float_to_int({fmt(a)}, {a.code}, {low}, {high}, m{rounding})"
    return Val(code, dst[0].upper(), _size(dst))


def _same(name: str, *, mode: bool = True) -> Callable[[list[Val]], Val]:
    """Function of floats of one format, result in that format."""

    def build(args: list[Val]) -> Val:
        f = args[0]
        rest = "".join(f", {to_float(a, f.kind, f.width).code}" for a in args)
        return Val(f"{name}({fmt(f)}{rest}{', m' if mode else ''})", f.kind, f.width)

    return build


def _test(name: str) -> Callable[[list[Val]], Val]:
    return lambda args: Val(f"{name}({fmt(args[0])}, {args[0].code})", *BIT)


def _integral(rm: str) -> Callable[[list[Val]], Val]:
    return lambda args: Val(
        f"to_integral({fmt(args[0])}, {args[0].code}, {rm})", args[0].kind, args[0].width
    )


def _to_i32(half: bool) -> Callable[[list[Val]], Val]:
    return lambda args: Val(
        f"floor_to_int({fmt(args[0])}, {args[0].code}, {-(1 << 31)}, {(1 << 31) - 1}, m, "
        f"half={half})",
        "I",
        32,
    )


def _signext(args: list[Val]) -> Val:
    a = args[0]
    return a if a.kind == "I" else Val(signed(raw(a), a.width), "I", a.width)


def _signext_from_bit(args: list[Val]) -> Val:
    a, size = args
    return Val(f"sign_extend({raw(a)}, {to_int(size, 'U', 32).code}, {a.width})", "I", a.width)


FUNCTIONS: dict[str, Callable[[list[Val]], Val]] = {
    "abs": lambda a: Val(f"({a[0].code} & {hex((1 << (a[0].width - 1)) - 1)})", "F", a[0].width),
    "sign": lambda a: Val(f"({a[0].code} >> {a[0].width - 1})", *BIT),
    "exponent": lambda a: Val(f"exponent({fmt(a[0])}, {a[0].code})", "I", 32),
    "isNAN": _test("is_nan"),
    "isSignalNAN": _test("is_signal_nan"),
    "isQuietNAN": _test("is_quiet_nan"),
    "cvtToQuietNAN": _same("quiet", mode=False),
    "signext": _signext,
    "signext_from_bit": _signext_from_bit,
    "fma": _same("fma"),
    "fma_scaled": lambda a: Val(
        f"fma_scaled({fmt(a[0])}, {', '.join(x.code for x in a)}, m)", "F", a[0].width
    ),
    "flushed": _same("flush_in"),
    "div_overflow": lambda a: Val(
        f"overflow({fmt(a[0])}, {a[1].code}, {fmt(a[0])}.rounding(m))", "F", a[0].width
    ),
    "div_underflow": lambda a: Val(f"div_underflow({fmt(a[0])}, {a[1].code}, m)", "F", a[0].width),
    "two_over_pi_segment": lambda a: Val(f"two_over_pi_segment({a[0].code})", "U", 64),
    "fract": _same("fract"),
    "sqrt": _same("sqrt"),
    "rsqrt": _same("rsqrt"),
    "log2": _same("log2"),
    "sin_turns": _same("sin_turns"),
    "cos_turns": _same("cos_turns"),
    "v_minimum_f32": _same("minimum"),
    "v_maximum_f32": _same("maximum"),
    "trunc": _integral("ZERO"),
    "floor": _integral("DOWN"),
    "ceil": _integral("UP"),
    "rint": _integral("RNE"),
    "frexp_exp": lambda a: Val(f"frexp_exp({fmt(a[0])}, {a[0].code})", "I", 32),
    "frexp_mant": _same("frexp_mant", mode=False),
    "ldexp": lambda a: Val(
        f"ldexp({fmt(a[0])}, {a[0].code}, {to_int(a[1], 'I', 32).code}, m)", "F", a[0].width
    ),
    "bitCount": lambda a: Val(f"{raw(a[0])}.bit_count()", "U", 32),
    "floor_i32": _to_i32(half=False),
    "floor_half_i32": _to_i32(half=True),
    "CalcDsAddr": lambda a: Val(
        f"(({a[0].code} + {a[1].code} + ({a[2].code} << 8)) & 0xffffffff)", "U", 32
    ),
    **{
        name: lambda a: Val(f"(({' + '.join(x.code for x in a)}) & 0xffffffffffffffff)", "U", 64)
        for name in (
            "CalcGlobalAddr",
            "CalcFlatAddr",
            "CalcBufferAddr",
            "CalcScratchAddr",
            "CalcScalarGlobalAddr",
            "CalcScalarBufferAddr",
            "CalcScalarScratchAddr",
        )
    },
    "HwRegWriteMask": lambda a: Val("0xffffffff", "U", 32),
    "s_ff1_i32_b64": lambda a: Val(f"find_first_one({raw(a[0])})", "I", 32),
}


def call(name: str, args: list[Val]) -> Val:
    """Typed source of a built-in call.

    Raises:
        PcodeTypeError: the function is not known.
    """
    if name == "pow":
        if args[0].literal != "2.0":
            raise PcodeTypeError("pow of a base other than 2")
        return Val(f"exp2({fmt(args[1])}, {args[1].code}, m)", "F", args[1].width)
    if name in ("v_minimum3_f16", "v_maximum3_f16"):
        inner = "minimum" if "minimum" in name else "maximum"
        x, y, z = (a.code for a in args)
        return Val(f"{inner}(F16, {inner}(F16, {x}, {y}, m), {z}, m)", "F", 16)
    if name in FUNCTIONS:
        return FUNCTIONS[name](args)
    found = conversion(name, args)
    if found is None:
        raise PcodeTypeError(f"unknown function {name}")
    return found
