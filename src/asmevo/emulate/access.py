"""Guarded access to device memory and LDS: addresses in, registers or memory out.

Every access is checked to the byte. Global memory goes through the region table; each record
remembers the region it hit last, so the usual case is one compare. Three paths: lanes contiguous
(one wide host access), all lanes inside the remembered region (hardware gather), anything else
(`asmevo_resolve`, lane by lane).
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.emit import I1X64, I32X64, I64X64, Helper
from asmevo.emulate.ir import vec

RESOLVE = "asmevo_resolve"
_PTRS = vec("ptr")


def scale_lanes(h: Helper, step: int, width: int = 32) -> str:
    """Constant vector 0, step, 2*step, ... of i32 or i64 lanes."""
    return "<" + ", ".join(f"i{width} {i * step}" for i in range(64)) + ">"


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
    """Host addresses (<64 x i64>) of per-lane device addresses; faults leave the helper.

    Lanes outside `mask` (i64 bits) get meaningless addresses.
    """
    f = h.fn
    base, length, delta, flags = region_fields(h)
    limit = f.op(f"sub i64 {length}, {size}")
    enough = f.op(f"icmp uge i64 {length}, {size}")
    allowed = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {permission}')}, 0")
    usable = f.op(f"and i1 {enough}, {allowed}")
    offset = f.op(f"sub {I64X64} {addresses}, {h.splat(base, 64)}")
    inside = f.op(f"icmp ule {I64X64} {offset}, {h.splat(limit, 64)}")
    out = f.op(f"xor i64 {h.bits(inside)}, -1")
    missing = f.op(f"and i64 {out}, {mask}")
    none = f.op(f"icmp eq i64 {missing}, 0")
    good = f.op(f"and i1 {none}, {usable}")
    fast, slow, join = f.label("inregion"), f.label("search"), f.label("resolved")
    bad, found = f.label("badaddress"), f.label("found")
    f.cond(good, fast, slow, likely=True)
    f.place(fast)
    quick = f.op(f"add {I64X64} {addresses}, {h.splat(delta, 64)}")
    f.br(join)
    f.place(slow)
    area = f.at("%st", L.HOST)
    f.store(I64X64, addresses, area, 64)
    h.module.declare(f"declare i32 @{RESOLVE}(ptr, ptr, i64, i64, i64)")
    code = f.op(f"call i32 @{RESOLVE}(ptr %st, ptr %rec, i64 {mask}, i64 {size}, i64 {permission})")
    f.cond(f.op(f"icmp eq i32 {code}, 0"), found, bad, likely=True)
    f.place(bad)
    h.leave(L.FAULTED)
    f.place(found)
    searched = f.load(I64X64, area, 64)
    f.br(join)
    f.place(join)
    return f.phi(I64X64, [(quick, fast), (searched, found)])


def gather(h: Helper, host: str, extra: int, element: str, mask: str, passthru: str) -> str:
    """Masked gather of one element per lane at host + extra bytes."""
    f, t = h.fn, vec(element)
    if extra:
        host = f.op(f"add {I64X64} {host}, splat (i64 {extra})")
    pointers = f.op(f"inttoptr {I64X64} {host} to {_PTRS}")
    name = f"llvm.masked.gather.v64{element}.v64p0"
    return f.call(
        t,
        name,
        f"{_PTRS} {pointers}, i32 1, {I1X64} {mask}, {t} {passthru}",
        declare=f"{_PTRS}, i32 immarg, {I1X64}, {t}",
    )


def scatter(h: Helper, host: str, extra: int, element: str, mask: str, value: str) -> None:
    """Masked scatter of one element per lane; on equal addresses the highest lane wins."""
    f, t = h.fn, vec(element)
    if extra:
        host = f.op(f"add {I64X64} {host}, splat (i64 {extra})")
    pointers = f.op(f"inttoptr {I64X64} {host} to {_PTRS}")
    f.call(
        "void",
        f"llvm.masked.scatter.v64{element}.v64p0",
        f"{t} {value}, {_PTRS} {pointers}, i32 1, {I1X64} {mask}",
        declare=f"{t}, {_PTRS}, i32 immarg, {I1X64}",
    )


def load_contiguous(h: Helper, pointer: str, dwords: int) -> list[str]:
    """`dwords` rows from 64 consecutive per-lane elements at a host pointer."""
    f = h.fn
    if dwords == 1:
        return [f.load(I32X64, pointer, 1)]
    wide = vec("i32", 64 * dwords)
    block = f.load(wide, pointer, 1)
    rows: list[str] = []
    for d in range(dwords):
        index = ", ".join(f"i32 {lane * dwords + d}" for lane in range(64))
        rows.append(f.op(f"shufflevector {wide} {block}, {wide} poison, {I32X64} <{index}>"))
    return rows


def store_contiguous(h: Helper, pointer: str, rows: list[str]) -> None:
    """The inverse of `load_contiguous`."""
    f, n = h.fn, len(rows)
    if n == 1:
        f.store(I32X64, rows[0], pointer, 1)
        return
    # Interleave by concatenating rows (widened to a power of two) and permuting once.
    pad = 1 << (n - 1).bit_length()
    level, width = [*rows] + ["poison"] * (pad - n), 64
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
    out = vec("i32", 64 * n)
    order = ", ".join(f"i32 {(i % n) * 64 + i // n}" for i in range(64 * n))
    block = f.op(f"shufflevector {t} {level[0]}, {t} poison, <{64 * n} x i32> <{order}>")
    f.store(out, block, pointer, 1)


def extend_loaded(h: Helper, raw: str, size: int, extend: str, signed: bool, old: str) -> str:
    """A gathered <64 x i8/i16> as the new 32-bit row."""
    f = h.fn
    element = vec(f"i{8 * size}")
    if extend == "whole":
        return f.op(f"{'sext' if signed else 'zext'} {element} {raw} to {I32X64}")
    half = raw
    if size == 1:
        half = f.op(f"{'sext' if signed else 'zext'} {element} {raw} to {vec('i16')}")
    wide = f.op(f"zext {vec('i16')} {half} to {I32X64}")
    if h.variant.option("open"):  # with SRAM ECC the other half is not preserved
        old = f.op(f"xor {I32X64} {old}, splat (i32 -1)")
    if extend == "d16":
        kept = f.op(f"and {I32X64} {old}, splat (i32 -65536)")
    else:
        kept = f.op(f"and {I32X64} {old}, splat (i32 65535)")
        wide = f.op(f"shl {I32X64} {wide}, splat (i32 16)")
    return f.op(f"or {I32X64} {wide}, {kept}")


def narrow_stored(h: Helper, row: str, size: int, high: bool) -> str:
    """The low (or high) byte or half of a row as <64 x i8/i16>."""
    f = h.fn
    if high:
        row = f.op(f"lshr {I32X64} {row}, splat (i32 16)")
    return f.op(f"trunc {I32X64} {row} to {vec(f'i{8 * size}')}")
