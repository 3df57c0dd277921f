"""Helpers for typed buffer accesses: buffer_load/store_format_* and tbuffer_load/store_format_*.

The element's format comes from the descriptor (MUBUF) or the instruction (MTBUF), so conversion
is a native function of the format, called lane by lane (CDNA3 ISA 9.1.6 and table "Buffer data
formats"). Accesses are in range as a whole or not at all.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory.access import lane_loop
from asmevo.emulate.helpers.memory.vector import DATA, SADDR, Addressing
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import shadow

# Widths of the components X, Y, Z, W, lowest bits first, by DATA_FORMAT.
FORMATS: dict[int, tuple[int, ...]] = {
    1: (8,),
    2: (16,),
    3: (8, 8),
    4: (32,),
    5: (16, 16),
    6: (11, 11, 10),
    7: (10, 11, 11),
    8: (2, 10, 10, 10),
    9: (10, 10, 10, 2),
    10: (8, 8, 8, 8),
    11: (32, 32),
    12: (16, 16, 16, 16),
    13: (32, 32, 32),
    14: (32, 32, 32, 32),
}
UNORM, SNORM, USCALED, SSCALED, UINT, SINT, _RESERVED, FLOAT = range(8)


def _tables(module: Module) -> None:
    """Sizes in bytes, and bit offset and width of each component, by data format."""
    if any(g.startswith("@asmevo_format_size") for g in module.globals):
        return
    sizes: list[int] = []
    offsets: list[int] = []
    widths: list[int] = []
    for code in range(16):
        parts = FORMATS.get(code, ())
        sizes.append(sum(parts) // 8)
        at = 0
        for c in range(4):
            width = parts[c] if c < len(parts) else 0
            offsets.append(at)
            widths.append(width)
            at += width

    def table(name: str, values: list[int]) -> None:
        text = ", ".join(f"i32 {v}" for v in values)
        module.globals.append(f"@{name} = internal constant [{len(values)} x i32] [{text}]")

    table("asmevo_format_size", sizes)
    table("asmevo_format_offset", offsets)
    table("asmevo_format_width", widths)


def _lookup(f: Fn, name: str, index: str) -> str:
    wide = f.op(f"zext i32 {index} to i64")
    return f.load("i32", f.at(f"@{name}", f.op(f"mul i64 {wide}, 4")))


def _float_op(f: Fn, text: str) -> str:
    """Emit a float operation and return its bits."""
    return f.op(f"bitcast float {f.op(text)} to i32")


def _select_format(f: Fn, number: str, results: dict[int, str], default: str) -> str:
    out = default
    for code, value in results.items():
        same = f.op(f"icmp eq i32 {number}, {code}")
        out = f.op(f"select i1 {same}, i32 {value}, i32 {out}")
    return out


def _unpack(module: Module, name: str) -> None:
    """`i32 name(ptr element, i32 dfmt, i32 nfmt, i32 component)`: one component as 32 bits."""
    f = Fn(module, name, "ptr %p, i32 %dfmt, i32 %nfmt, i32 %c", "i32", noinline=True)
    slot = f.op(f"add i32 {f.op('shl i32 %dfmt, 2')}, %c")
    offset, width = (
        _lookup(f, "asmevo_format_offset", slot),
        _lookup(f, "asmevo_format_width", slot),
    )
    have, absent = f.label("have"), f.label("absent")
    f.cond(f.op(f"icmp ne i32 {width}, 0"), have, absent)
    f.place(absent)
    # Missing components read as 0, W as 1 of the number format's kind.
    integer = f.op("icmp eq i32 " + f.op("and i32 %nfmt, 6") + f", {UINT}")
    one = f.op(f"select i1 {integer}, i32 1, i32 {0x3F800000}")
    is_w = f.op("icmp eq i32 %c, 3")
    f.ret("i32 " + f.op(f"select i1 {is_w}, i32 {one}, i32 0"))
    f.place(have)
    # Bytes that hold the component; fields never cross a dword.
    first = f.op(f"zext i32 {f.op(f'lshr i32 {offset}, 3')} to i64")
    inside = f.op(f"and i32 {offset}, 7")
    last = f.op(f"add i32 {f.op(f'add i32 {inside}, {width}')}, 7")
    count = f.op(f"lshr i32 {last}, 3")
    word = "0"
    for byte in range(4):
        use, skip = f.label("use"), f.label("skip")
        before = f.block
        f.cond(f.op(f"icmp ugt i32 {count}, {byte}"), use, skip)
        f.place(use)
        at = f.at("%p", f.op(f"add i64 {first}, {byte}"))
        piece = f.op(f"zext i8 {f.load('i8', at, 1)} to i32")
        moved = f.op(f"or i32 {word}, {f.op(f'shl i32 {piece}, {8 * byte}')}")
        after = f.block
        f.br(skip)
        f.place(skip)
        word = f.phi("i32", [(moved, after), (word, before)])
    up = f.op(f"sub i32 32, {width}")
    high = f.op(f"shl i32 {f.op(f'lshr i32 {word}, {inside}')}, {up}")
    field, signed = f.op(f"lshr i32 {high}, {up}"), f.op(f"ashr i32 {high}, {up}")
    # Normalised values are computed in double: one rounding.
    largest = f.op(f"lshr i32 -1, {up}")
    half = f.op(f"lshr i32 {largest}, 1")

    def ratio(kind: str, value: str, scale: str) -> str:
        x = f.op(f"{kind} i32 {value} to double")
        d = f.op(f"uitofp i32 {scale} to double")
        return f.op(f"fptrunc double {f.op(f'fdiv double {x}, {d}')} to float")

    snorm = ratio("sitofp", signed, half)
    low = f.op(f"fcmp olt float {snorm}, -1.0")
    as_half = f.op(f"shl i32 {field}, {f.op(f'sub i32 15, {width}')}")
    narrow = f.op(f"icmp ult i32 {width}, 16")
    sixteen = f.op(f"select i1 {narrow}, i32 {as_half}, i32 {field}")
    short = f.op(f"bitcast i16 {f.op(f'trunc i32 {sixteen} to i16')} to half")
    expanded = _float_op(f, f"fpext half {short} to float")
    whole = f.op(f"icmp eq i32 {width}, 32")
    unorm = ratio("uitofp", field, largest)
    results = {
        UNORM: f.op(f"bitcast float {unorm} to i32"),
        SNORM: _float_op(f, f"select i1 {low}, float -1.0, float {snorm}"),
        USCALED: _float_op(f, f"uitofp i32 {field} to float"),
        SSCALED: _float_op(f, f"sitofp i32 {signed} to float"),
        SINT: signed,
        FLOAT: f.op(f"select i1 {whole}, i32 {field}, i32 {expanded}"),
    }
    f.ret("i32 " + _select_format(f, "%nfmt", results, field))
    f.finish()


def _pack(module: Module, name: str) -> None:
    """`void name(ptr element, i32 dfmt, i32 nfmt, ptr words)`: four 32-bit values to an element."""
    f = Fn(module, name, "ptr %p, i32 %dfmt, i32 %nfmt, ptr %in", noinline=True)
    area = f.op("alloca [4 x i32], align 16")
    f.store("i128", "0", area, 16)
    for c in range(4):
        slot = f.op(f"add i32 {f.op('shl i32 %dfmt, 2')}, {c}")
        offset = _lookup(f, "asmevo_format_offset", slot)
        width = _lookup(f, "asmevo_format_width", slot)
        have, after = f.label("have"), f.label("after")
        f.cond(f.op(f"icmp ne i32 {width}, 0"), have, after)
        f.place(have)
        raw = f.load("i32", f.at("%in", 4 * c))
        value = _component(f, raw, width)
        word = f.op(f"zext i32 {f.op(f'lshr i32 {offset}, 5')} to i64")
        place = f.at(area, f.op(f"mul i64 {word}, 4"))
        moved = f.op(f"shl i32 {value}, {f.op(f'and i32 {offset}, 31')}")
        f.store("i32", f.op(f"or i32 {f.load('i32', place)}, {moved}"), place)
        f.br(after)
        f.place(after)
    size = f.op(f"zext i32 {_lookup(f, 'asmevo_format_size', '%dfmt')} to i64")
    f.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    f.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr {area}, i64 {size}, i1 false)")
    f.ret()
    f.finish()


def _component(f: Fn, raw: str, width: str) -> str:
    """A 32-bit value as a field of `width` bits in the number format %nfmt."""
    up = f.op(f"sub i32 32, {width}")
    largest = f.op(f"lshr i32 -1, {up}")
    half = f.op(f"lshr i32 {largest}, 1")
    x = f.op(f"fpext float {f.op(f'bitcast i32 {raw} to float')} to double")
    nan = f.op(f"fcmp uno double {x}, {x}")
    number = f.op(f"select i1 {nan}, double 0.0, double {x}")

    def scaled(low: str, scale: str | None, top: str, kind: str) -> str:
        value = number
        if scale is not None:
            value = f.op(f"fmul double {number}, {f.op(f'uitofp i32 {scale} to double')}")
        value = f.call("double", "llvm.rint.f64", f"double {value}", declare="double")
        bound = f.op(f"uitofp i32 {top} to double")
        value = f.call(
            "double", "llvm.minnum.f64", f"double {value}, double {bound}", declare="double, double"
        )
        value = f.call(
            "double", "llvm.maxnum.f64", f"double {value}, double {low}", declare="double, double"
        )
        return f.op(f"{kind} double {value} to i32")

    minus = f.op(f"fneg double {f.op(f'uitofp i32 {half} to double')}")
    lowest = f.op(f"fsub double {minus}, 1.0")
    short = f.op(f"fptrunc double {x} to half")
    bits = f.op(f"zext i16 {f.op(f'bitcast half {short} to i16')} to i32")
    # 11- and 10-bit floats keep the half's exponent and its upper mantissa bits; no sign.
    cut = f.op(f"lshr i32 {f.op(f'and i32 {bits}, 32767')}, {f.op(f'sub i32 15, {width}')}")
    narrow = f.op(f"icmp ult i32 {width}, 16")
    sixteen = f.op(f"select i1 {narrow}, i32 {cut}, i32 {bits}")
    whole = f.op(f"icmp eq i32 {width}, 32")
    results = {
        UNORM: scaled("0.0", largest, largest, "fptoui"),
        SNORM: scaled(minus, half, half, "fptosi"),
        USCALED: scaled("0.0", None, largest, "fptoui"),
        SSCALED: scaled(lowest, None, half, "fptosi"),
        FLOAT: f.op(f"select i1 {whole}, i32 {raw}, i32 {sixteen}"),
    }
    value = _select_format(f, "%nfmt", results, raw)
    return f.op(f"and i32 {value}, {largest}")


@family("typed")
def emit_typed(module: Module, variant: Variant) -> None:
    """A typed load or store; options: components, d16 ("", "d16", "hi"), the static formats."""
    h = Helper(module, variant)
    f = h.fn
    _tables(module)
    action = "unpack" if variant.option("load") else "pack"
    convert = f"{variant.symbol}_{action}"
    (_unpack if action == "unpack" else _pack)(module, convert)
    word3 = f.load("i32", f.at(h.slot(SADDR), 12))
    formats = variant.option("formats")
    if formats is None:
        dfmt = f.op(f"and i32 {f.op(f'lshr i32 {word3}, 15')}, 15")
        nfmt = f.op(f"and i32 {f.op(f'lshr i32 {word3}, 12')}, 7")
    else:
        dfmt, nfmt = (str(x) for x in formats)
    size32 = _lookup(f, "asmevo_format_size", dfmt)
    known, unknown = f.label("known"), f.label("unknown")
    f.cond(f.op(f"icmp ne i32 {size32}, 0"), known, unknown, likely=True)
    f.place(unknown)
    h.fault(L.DESCRIPTOR_FAULT)
    f.place(known)
    size = f.op(f"zext i32 {size32} to i64")
    a = Addressing(h, 4)
    a.note()
    valid = a.in_range(0, size)
    permission = L.READABLE if variant.option("load") else L.WRITABLE
    hosts = a.hosts(valid, 0, size, permission)
    if variant.option("shadow"):
        flags = shadow.READ if variant.option("load") else shadow.WRITE
        shadow.access(h, hosts, valid, size, flags)
    f.store(f.i64s, hosts, f.at("%st", L.HOST), L.ROW_ALIGN)
    if variant.option("load"):
        _load_lanes(h, valid, convert, dfmt, nfmt, word3 if formats is None else None)
    else:
        _store_lanes(h, valid, convert, dfmt, nfmt)
    h.next()
    h.finish()


def _element(h: Helper, lane: str) -> str:
    f = h.fn
    slot = f.at(f.at("%st", L.HOST), f.op(f"mul i64 {lane}, 8"))
    return f.op(f"inttoptr i64 {f.load('i64', slot, 8)} to ptr")


def _as_half(h: Helper, value: str, nfmt: str) -> str:
    """D16: floats are converted, integers truncated."""
    f = h.fn
    integer = f.op(f"icmp eq i32 {f.op(f'and i32 {nfmt}, 6')}, {UINT}")
    short = f.op(f"fptrunc float {f.op(f'bitcast i32 {value} to float')} to half")
    bits = f.op(f"zext i16 {f.op(f'bitcast half {short} to i16')} to i32")
    return f.op(f"select i1 {integer}, i32 {f.op(f'and i32 {value}, 65535')}, i32 {bits}")


def _load_lanes(
    h: Helper, valid: str, convert: str, dfmt: str, nfmt: str, selectors: str | None
) -> None:
    f, variant = h.fn, h.variant
    components: int = variant.option("components")
    d16: str = variant.option("d16", "")
    rows = h.slot(DATA)
    lane, step, done = lane_loop(h, h.exec_bits())
    at = f.op(f"mul i64 {lane}, 4")
    inside = f.op(f"trunc i64 {f.op(f'lshr i64 {valid}, {lane}')} to i1")
    read, zero, join = f.label("read"), f.label("zero"), f.label("join")
    f.cond(inside, read, zero, likely=True)
    f.place(read)
    pointer = _element(h, lane)
    values: list[str] = []
    for c in range(components):
        which, sel = str(c), "4"
        if selectors is not None:
            # DST_SEL: 0 and 1 are constants, 4..7 the components X..W.
            sel = f.op(f"and i32 {f.op(f'lshr i32 {selectors}, {3 * c}')}, 7")
            which = f.op(f"and i32 {sel}, 3")
        value = f.op(f"call i32 @{convert}(ptr {pointer}, i32 {dfmt}, i32 {nfmt}, i32 {which})")
        if selectors is not None:
            integer = f.op(f"icmp eq i32 {f.op(f'and i32 {nfmt}, 6')}, {UINT}")
            one = f.op(f"select i1 {integer}, i32 1, i32 {0x3F800000}")
            fixed = f.op(f"select i1 {f.op(f'icmp eq i32 {sel}, 1')}, i32 {one}, i32 0")
            chosen = f.op(f"icmp uge i32 {sel}, 4")
            value = f.op(f"select i1 {chosen}, i32 {value}, i32 {fixed}")
        values.append(_as_half(h, value, nfmt) if d16 else value)
    read_end = f.block
    f.br(join)
    f.place(zero)
    f.br(join)
    f.place(join)
    merged = [f.phi("i32", [(v, read_end), ("0", zero)]) for v in values]
    if d16:
        merged = _packed_halves(h, merged, d16, f.at(rows, at))
    for d, value in enumerate(merged):
        f.store("i32", value, f.at(f.at(rows, d * L.ROW), at))
    f.br(step)
    f.place(done)


def _packed_halves(h: Helper, halves: list[str], d16: str, old: str) -> list[str]:
    f = h.fn
    if d16 == "hi":
        kept = f.op(f"and i32 {f.load('i32', old)}, 65535")
        return [f.op(f"or i32 {kept}, {f.op(f'shl i32 {halves[0]}, 16')}")]
    out: list[str] = []
    for n in range(0, len(halves), 2):
        if n + 1 < len(halves):
            out.append(f.op(f"or i32 {halves[n]}, {f.op(f'shl i32 {halves[n + 1]}, 16')}"))
        else:
            kept = f.op(f"and i32 {f.load('i32', f.at(old, n // 2 * L.ROW))}, -65536")
            out.append(f.op(f"or i32 {halves[n]}, {kept}"))
    return out


def _store_lanes(h: Helper, valid: str, convert: str, dfmt: str, nfmt: str) -> None:
    f, variant = h.fn, h.variant
    components: int = variant.option("components")
    d16: str = variant.option("d16", "")
    rows = h.slot(DATA)
    area = f.at("%st", L.COMPONENTS)
    lane, step, done = lane_loop(h, valid)
    at = f.op(f"mul i64 {lane}, 4")
    for c in range(4):
        value = "0"
        if c < components:
            register = c // 2 if d16 else c
            value = f.load("i32", f.at(f.at(rows, register * L.ROW), at))
            if d16:
                upper = d16 == "hi" or c % 2 == 1
                half = f.op(f"lshr i32 {value}, {16 if upper else 0}")
                value = _widened(h, f.op(f"and i32 {half}, 65535"), nfmt)
        f.store("i32", value, f.at(area, 4 * c))
    f.emit(f"call void @{convert}(ptr {_element(h, lane)}, i32 {dfmt}, i32 {nfmt}, ptr {area})")
    f.br(step)
    f.place(done)


def _widened(h: Helper, half: str, nfmt: str) -> str:
    """D16 source: floats are converted to f32, signed integers sign-extended."""
    f = h.fn
    bits = f.op(f"trunc i32 {half} to i16")
    wide = _float_op(f, f"fpext half {f.op(f'bitcast i16 {bits} to half')} to float")
    signed = f.op(f"sext i16 {bits} to i32")
    return _select_format(f, nfmt, {UINT: half, SINT: signed}, wide)
