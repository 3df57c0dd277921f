"""Guarded access to device memory and LDS: addresses in, registers or memory out.

Every access is checked to the byte. Global memory goes through the region table; each record
remembers the region it hit last, so the usual case is one compare. Three paths: lanes contiguous
(one wide host access), all lanes inside the remembered region (hardware gather), anything else
(`asmevo_resolve`, lane by lane).
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import vec

RESOLVE = "asmevo_resolve"
_CHUNK = 16
_ZERO = "zeroinitializer"


def scale_lanes(h: Helper, step: int, width: int = 32) -> str:
    """Constant vector 0, step, 2*step, ... of i32 or i64 lanes."""
    return "<" + ", ".join(f"i{width} {i * step}" for i in range(h.lanes)) + ">"


def lane_loop(h: Helper, bits: str) -> tuple[str, str, str]:
    """Open a loop over the set bits of an i64, lowest first.

    The body follows; it branches to the step label, and the code behind the loop begins at the
    done label, which the caller places.

    Returns:
        (lane as i64, step label, done label).
    """
    f = h.fn
    loop, body, step, done = (f.label(x) for x in ("loop", "lane", "step", "done"))
    entry = f.block
    f.br(loop)
    f.place(loop)
    left, rest = f.fresh("left"), f.fresh("rest")
    f.emit(f"{left} = phi i64 [ {bits}, %{entry} ], [ {rest}, %{step} ]")
    f.cond(f.op(f"icmp eq i64 {left}, 0"), done, body)
    f.place(step)
    f.emit(f"{rest} = and i64 {left}, {f.op(f'sub i64 {left}, 1')}")
    f.br(loop)
    f.place(body)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {left}, i1 true", declare="i64, i1")
    return lane, step, done


def region_fields(h: Helper) -> tuple[str, str, str, str]:
    """(base, bytes, delta, flags) of the record's remembered region."""
    f = h.fn
    region = f.load("ptr", f.at("%rec", L.R_REGION), 8)
    return (
        f.load("i64", f.at(region, L.REGION_BASE), 8),
        f.load("i64", f.at(region, L.REGION_BYTES), 8),
        f.load("i64", f.at(region, L.REGION_DELTA), 8),
        f.load("i64", f.at(region, L.REGION_FLAGS), 8),
    )


def contiguous_host(h: Helper, first: str, size: int, permission: int, miss: str) -> str:
    """Host pointer for `size` bytes at device address `first` (i64), or a branch to `miss`."""
    f = h.fn
    base, length, delta, flags = region_fields(h)
    offset = f.op(f"sub i64 {first}, {base}")
    inside = f.op(f"icmp ult i64 {offset}, {length}")
    left = f.op(f"sub i64 {length}, {offset}")
    enough = f.op(f"icmp uge i64 {left}, {size}")
    allowed = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {permission}')}, 0")
    ok = f.op(f"and i1 {f.op(f'and i1 {inside}, {enough}')}, {allowed}")
    hit = f.label("hit")
    f.cond(ok, hit, miss, likely=True)
    f.place(hit)
    host = f.op(f"add i64 {first}, {delta}")
    return f.op(f"inttoptr i64 {host} to ptr")


def hosts(h: Helper, addresses: str, mask: str, size: int | str, permission: int) -> str:
    """Host addresses (i64s) of per-lane device addresses; faults leave the helper.

    Lanes outside `mask` (i64 bits) get meaningless addresses.
    """
    f = h.fn
    base, length, delta, flags = region_fields(h)
    limit = f.op(f"sub i64 {length}, {size}")
    enough = f.op(f"icmp uge i64 {length}, {size}")
    allowed = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {permission}')}, 0")
    usable = f.op(f"and i1 {enough}, {allowed}")
    offset = f.op(f"sub {f.i64s} {addresses}, {h.splat(base, 64)}")
    inside = f.op(f"icmp ule {f.i64s} {offset}, {h.splat(limit, 64)}")
    out = f.op(f"xor i64 {h.bits(inside)}, -1")
    missing = f.op(f"and i64 {out}, {mask}")
    none = f.op(f"icmp eq i64 {missing}, 0")
    good = f.op(f"and i1 {none}, {usable}")
    fast, slow, join = f.label("inregion"), f.label("search"), f.label("resolved")
    bad, found = f.label("badaddress"), f.label("found")
    f.cond(good, fast, slow, likely=True)
    f.place(fast)
    quick = f.op(f"add {f.i64s} {addresses}, {h.splat(delta, 64)}")
    f.br(join)
    f.place(slow)
    area = f.at("%st", L.HOST)
    f.store(f.i64s, addresses, area, L.ROW_ALIGN)
    h.module.declare(f"declare i32 @{RESOLVE}(ptr, ptr, i64, i64, i64)")
    code = f.op(f"call i32 @{RESOLVE}(ptr %st, ptr %rec, i64 {mask}, i64 {size}, i64 {permission})")
    f.cond(f.op(f"icmp eq i32 {code}, 0"), found, bad, likely=True)
    f.place(bad)
    h.leave(L.FAULTED)
    f.place(found)
    searched = f.load(f.i64s, area, L.ROW_ALIGN)
    f.br(join)
    f.place(join)
    return f.phi(f.i64s, [(quick, fast), (searched, found)])


def gather(h: Helper, host: str, extra: int, element: str, mask: str, passthru: str) -> str:
    """Masked gather of one element per lane at host + extra bytes."""
    f, t = h.fn, h.fn.vec(element)
    if extra:
        host = f.op(f"add {f.i64s} {host}, splat (i64 {extra})")
    pointers = f.op(f"inttoptr {f.i64s} {host} to {f.pointers}")
    name = f"llvm.masked.gather.v{f.lanes}{element}.v{f.lanes}p0"
    return f.call(
        t,
        name,
        f"{f.pointers} {pointers}, i32 1, {f.i1s} {mask}, {t} {passthru}",
        declare=f"{f.pointers}, i32 immarg, {f.i1s}, {t}",
    )


def scatter(h: Helper, host: str, extra: int, element: str, mask: str, value: str) -> None:
    """Masked scatter of one element per lane; on equal addresses the highest lane wins."""
    f, t = h.fn, h.fn.vec(element)
    if extra:
        host = f.op(f"add {f.i64s} {host}, splat (i64 {extra})")
    pointers = f.op(f"inttoptr {f.i64s} {host} to {f.pointers}")
    f.call(
        "void",
        f"llvm.masked.scatter.v{f.lanes}{element}.v{f.lanes}p0",
        f"{t} {value}, {f.pointers} {pointers}, i32 1, {f.i1s} {mask}",
        declare=f"{t}, {f.pointers}, i32 immarg, {f.i1s}",
    )


def _lane_pointers(h: Helper, hosts: str) -> list[str]:
    """Host pointers of the lanes."""
    f = h.fn
    area = f.at("%st", L.HOST)
    f.store(f.i64s, hosts, area, L.ROW_ALIGN)
    return [f.load("ptr", f.at(area, 8 * lane), 8) for lane in range(f.lanes)]


def gather_rows(h: Helper, hosts: str, dwords: int, mask: str) -> list[str]:
    """`dwords` rows from one element per lane of `mask` (bits); zeros elsewhere.

    Elements of two or four dwords are loaded whole when every lane takes part, which is twice as
    fast as a gather per dword.
    """
    f = h.fn
    if dwords not in (2, 4):
        return [gather(h, hosts, 4 * d, "i32", h.mask(mask), _ZERO) for d in range(dwords)]
    whole, some, done = f.label("whole"), f.label("some"), f.label("gathered")
    f.cond(h.is_full(mask), whole, some, likely=True)
    f.place(whole)
    quick = _load_elements(h, hosts, dwords)
    quick_end = f.block
    f.br(done)
    f.place(some)
    slow = [gather(h, hosts, 4 * d, "i32", h.mask(mask), _ZERO) for d in range(dwords)]
    slow_end = f.block
    f.br(done)
    f.place(done)
    return [
        f.phi(f.i32s, [(x, quick_end), (y, slow_end)]) for x, y in zip(quick, slow, strict=True)
    ]


def _load_elements(h: Helper, hosts: str, dwords: int) -> list[str]:
    f = h.fn
    pointers = _lane_pointers(h, hosts)
    element = vec("i32", dwords)
    columns: list[list[str]] = [[] for _ in range(dwords)]
    # A few lanes at a time: what is in flight fits the registers.
    for first in range(0, f.lanes, _CHUNK):
        loaded = [f.load(element, p, 1) for p in pointers[first : first + _CHUNK]]
        block = _joined(h, loaded, dwords)
        wide = vec("i32", _CHUNK * dwords)
        for d in range(dwords):
            index = ", ".join(f"i32 {lane * dwords + d}" for lane in range(_CHUNK))
            columns[d].append(
                f.op(f"shufflevector {wide} {block}, {wide} poison, <{_CHUNK} x i32> <{index}>")
            )
    return [_joined(h, column, _CHUNK) for column in columns]


def _joined(h: Helper, parts: list[str], size: int) -> str:
    """Vectors of `size` dwords, one behind the other."""
    f = h.fn
    while len(parts) > 1:
        t = vec("i32", size)
        index = ", ".join(f"i32 {i}" for i in range(2 * size))
        parts = [
            f.op(f"shufflevector {t} {a}, {t} {b}, {vec('i32', 2 * size)} <{index}>")
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        size *= 2
    return parts[0]


def _store_elements(h: Helper, hosts: str, rows: list[str]) -> None:
    """Store one element of two or four dwords per lane, of all lanes; the highest lane wins."""
    f, n = h.fn, len(rows)
    block = _interleaved(h, rows)
    wide, narrow = vec("i32", f.lanes * n), vec("i32", n)
    for lane, pointer in enumerate(_lane_pointers(h, hosts)):
        index = ", ".join(f"i32 {lane * n + d}" for d in range(n))
        element = f.op(f"shufflevector {wide} {block}, {wide} poison, <{n} x i32> <{index}>")
        f.store(narrow, element, pointer, 1)


def scatter_rows(h: Helper, hosts: str, rows: list[str], mask: str) -> None:
    """Store `rows` as one element per lane of `mask` (bits)."""
    f = h.fn
    if len(rows) not in (2, 4):
        for d, row in enumerate(rows):
            scatter(h, hosts, 4 * d, "i32", h.mask(mask), row)
        return
    whole, some, done = f.label("whole"), f.label("some"), f.label("stored")
    f.cond(h.is_full(mask), whole, some, likely=True)
    f.place(whole)
    _store_elements(h, hosts, rows)
    f.br(done)
    f.place(some)
    for d, row in enumerate(rows):
        scatter(h, hosts, 4 * d, "i32", h.mask(mask), row)
    f.br(done)
    f.place(done)


def load_contiguous(h: Helper, pointer: str, dwords: int) -> list[str]:
    """`dwords` rows from consecutive per-lane elements at a host pointer."""
    f = h.fn
    if dwords == 1:
        return [f.load(f.i32s, pointer, 1)]
    return _deinterleaved(h, f.load(vec("i32", f.lanes * dwords), pointer, 1), dwords)


def _deinterleaved(h: Helper, block: str, dwords: int) -> list[str]:
    f = h.fn
    wide = vec("i32", f.lanes * dwords)
    rows: list[str] = []
    for d in range(dwords):
        index = ", ".join(f"i32 {lane * dwords + d}" for lane in range(f.lanes))
        rows.append(f.op(f"shufflevector {wide} {block}, {wide} poison, {f.i32s} <{index}>"))
    return rows


def store_contiguous(h: Helper, pointer: str, rows: list[str]) -> None:
    """The inverse of `load_contiguous`."""
    f, n = h.fn, len(rows)
    if n == 1:
        f.store(f.i32s, rows[0], pointer, 1)
        return
    f.store(vec("i32", f.lanes * n), _interleaved(h, rows), pointer, 1)


def _interleaved(h: Helper, rows: list[str]) -> str:
    """Lane by lane: the rows' dwords side by side."""
    f, n = h.fn, len(rows)
    # Interleave by concatenating rows (widened to a power of two) and permuting once.
    pad = 1 << (n - 1).bit_length()
    level, width = [*rows] + ["poison"] * (pad - n), f.lanes
    while len(level) > 1:
        t = vec("i32", width)
        index = ", ".join(f"i32 {i}" for i in range(2 * width))
        merged: list[str] = []
        for a, b in zip(level[::2], level[1::2], strict=True):
            merged.append(
                f.op(f"shufflevector {t} {a}, {t} {b}, {vec('i32', 2 * width)} <{index}>")
            )
        level, width = merged, 2 * width
    t = vec("i32", width)
    order = ", ".join(f"i32 {(i % n) * f.lanes + i // n}" for i in range(f.lanes * n))
    return f.op(f"shufflevector {t} {level[0]}, {t} poison, <{f.lanes * n} x i32> <{order}>")


def extend_loaded(h: Helper, raw: str, size: int, extend: str, signed: bool, old: str) -> str:
    """Gathered i8s or i16s as the new 32-bit row."""
    f = h.fn
    element = f.vec(f"i{8 * size}")
    if extend == "whole":
        return f.op(f"{'sext' if signed else 'zext'} {element} {raw} to {f.i32s}")
    half = raw
    if size == 1:
        half = f.op(f"{'sext' if signed else 'zext'} {element} {raw} to {f.vec('i16')}")
    wide = f.op(f"zext {f.vec('i16')} {half} to {f.i32s}")
    if h.variant.option("open"):  # with SRAM ECC the other half is not preserved
        old = f.op(f"xor {f.i32s} {old}, splat (i32 -1)")
    if extend == "d16":
        kept = f.op(f"and {f.i32s} {old}, splat (i32 -65536)")
    else:
        kept = f.op(f"and {f.i32s} {old}, splat (i32 65535)")
        wide = f.op(f"shl {f.i32s} {wide}, splat (i32 16)")
    return f.op(f"or {f.i32s} {wide}, {kept}")


def narrow_stored(h: Helper, row: str, size: int, high: bool) -> str:
    """The low (or high) byte or half of a row as i8s or i16s."""
    f = h.fn
    if high:
        row = f.op(f"lshr {f.i32s} {row}, splat (i32 16)")
    return f.op(f"trunc {f.i32s} {row} to {f.vec(f'i{8 * size}')}")
