"""Helpers for scalar memory: loads, stores and atomics (CDNA3 ISA chapter 8, GFX9 scalar writes).

Addresses are 64-bit base (slot 1) + SGPR offset (slot 2) + immediate, low two bits ignored.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory import access
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import shadow
from asmevo.isa.semantics.memory import ATOMICS

_DATA, _BASE, _OFFSET = range(3)


def _offset(h: Helper) -> str:
    f = h.fn
    soffset = f.op(f"zext i32 {f.load('i32', h.slot(_OFFSET))} to i64")
    return f.op(f"add i64 {h.imm()}, {soffset}")


def _address(h: Helper) -> str:
    """Device address of an unbuffered access."""
    f = h.fn
    base = f.load("i64", h.slot(_BASE))
    return f.op(f"and i64 {f.op(f'add i64 {base}, {_offset(h)}')}, -4")


def _host(h: Helper, at: str, size: int, permission: int) -> str:
    """Host pointer of `size` bytes at a device address; a bad address leaves the helper."""
    f = h.fn
    slow, have = f.label("search"), f.label("have")
    host = access.contiguous_host(h, at, size, permission, slow)
    quick_block = f.block
    f.br(have)
    f.place(slow)
    f.store("i64", at, f.at("%st", L.HOST), 8)
    h.module.declare(f"declare i32 @{access.RESOLVE}(ptr, ptr, i64, i64, i64)")
    code = f.op(
        f"call i32 @{access.RESOLVE}(ptr %st, ptr %rec, i64 1, i64 {size}, i64 {permission})"
    )
    bad, found = f.label("badaddress"), f.label("found")
    f.cond(f.op(f"icmp eq i32 {code}, 0"), found, bad, likely=True)
    f.place(bad)
    h.leave(L.FAULTED)
    f.place(found)
    searched = f.op(f"inttoptr i64 {f.load('i64', f.at('%st', L.HOST), 8)} to ptr")
    f.br(have)
    f.place(have)
    pointer = f.phi("ptr", [(host, quick_block), (searched, found)])
    if h.variant.option("shadow"):
        flags = {"smem": shadow.READ, "smem_store": shadow.WRITE}.get(h.variant.family)
        shadow.straight(h, pointer, size, flags or shadow.READ | shadow.WRITE | shadow.ATOMIC)
    return pointer


class _Buffer:
    """Base, offset and byte limit of a scalar buffer access; stride only scales the bound."""

    def __init__(self, h: Helper) -> None:
        f = h.fn
        pointer = h.slot(_BASE)
        low = f.load("i64", pointer)
        stride = f.op(f"and i64 {f.op(f'lshr i64 {low}, 48')}, {0x3FFF}")
        records = f.op(f"zext i32 {f.load('i32', f.at(pointer, 8))} to i64")
        scaled = f.op(f"mul i64 {records}, {stride}")
        flat = f.op(f"icmp eq i64 {stride}, 0")
        self.limit = f.op(f"select i1 {flat}, i64 {records}, i64 {scaled}")
        base = f.op(f"and i64 {low}, {(1 << 48) - 1}")
        self.offset = f.op(f"and i64 {_offset(h)}, -4")
        self.address = f.op(f"and i64 {f.op(f'add i64 {base}, {self.offset}')}, -4")

    def inside(self, h: Helper, first: int) -> str:
        """Whether dword number `first` lies inside the records."""
        end = h.fn.op(f"add i64 {self.offset}, {4 * first + 4}")
        return h.fn.op(f"icmp ule i64 {end}, {self.limit}")


@family("smem")
def emit_scalar_load(module: Module, variant: Variant) -> None:
    """s_load_dword*, s_buffer_load_dword*: all memory is read before the destination changes."""
    h = Helper(module, variant)
    f = h.fn
    dwords: int = variant.option("dwords")
    values: list[tuple[int, str, str]] = []
    if not variant.option("buffer"):
        kind = f"<{dwords} x i32>" if dwords > 1 else "i32"
        pointer = _host(h, _address(h), 4 * dwords, L.READABLE)
        values.append((0, kind, f.load(kind, pointer, 1)))
    else:
        buffer = _Buffer(h)
        for d in range(dwords):
            inside, join = f.label("inside"), f.label("loaded")
            before = f.block
            f.cond(buffer.inside(h, d), inside, join, likely=True)
            f.place(inside)
            at = f.op(f"add i64 {buffer.address}, {4 * d}")
            value = f.load("i32", _host(h, at, 4, L.READABLE), 1)
            after = f.block
            f.br(join)
            f.place(join)
            values.append((d, "i32", f.phi("i32", [(value, after), ("0", before)])))
    destination = h.slot(_DATA)
    for first, kind, value in values:
        f.store(kind, value, f.at(destination, 4 * first))
    h.next()
    h.finish()


@family("smem_store")
def emit_scalar_store(module: Module, variant: Variant) -> None:
    """s_store_dword*, s_buffer_store_dword*."""
    h = Helper(module, variant)
    f = h.fn
    dwords: int = variant.option("dwords")
    source = h.slot(_DATA)
    if not variant.option("buffer"):
        kind = f"<{dwords} x i32>" if dwords > 1 else "i32"
        value = f.load(kind, source)
        f.store(kind, value, _host(h, _address(h), 4 * dwords, L.WRITABLE), 1)
    else:
        buffer = _Buffer(h)
        for d in range(dwords):
            inside, join = f.label("inside"), f.label("stored")
            f.cond(buffer.inside(h, d), inside, join, likely=True)
            f.place(inside)
            at = f.op(f"add i64 {buffer.address}, {4 * d}")
            f.store("i32", f.load("i32", f.at(source, 4 * d)), _host(h, at, 4, L.WRITABLE), 1)
            f.br(join)
            f.place(join)
    h.next()
    h.finish()


@family("smem_atomic")
def emit_scalar_atomic(module: Module, variant: Variant) -> None:
    """s_atomic_*: once per wave; with glc the old value replaces the data."""
    h = Helper(module, variant)
    f = h.fn
    size: int = variant.option("size")
    kind, width = f"i{8 * size}", 8 * size
    data = h.slot(_DATA)
    value = f.load(kind, data)
    skip = f.label("outside")
    if variant.option("buffer"):
        buffer = _Buffer(h)
        inside = f.label("inside")
        f.cond(buffer.inside(h, size // 4 - 1), inside, skip, likely=True)
        f.place(inside)
        address = buffer.address
    else:
        address = _address(h)
    # The hardware drops the low bits of a misaligned address.
    address = f.op(f"and i64 {address}, {-size}")
    pointer = _host(h, address, size, L.WRITABLE)
    if variant.name == "cmpswap":
        expected = f.load(kind, f.at(data, size))
        pair = f.op(f"cmpxchg ptr {pointer}, {kind} {expected}, {kind} {value} seq_cst seq_cst")
        old = f.op(f"extractvalue {{ {kind}, i1 }} {pair}, 0")
    else:
        retry, done = f.label("retry"), f.label("done")
        first = f.op(f"load atomic {kind}, ptr {pointer} monotonic, align {size}")
        before = f.block
        f.br(retry)
        f.place(retry)
        old, again = f.fresh("old"), f.fresh("seen")
        f.emit(f"{old} = phi {kind} [ {first}, %{before} ], [ {again}, %{retry} ]")
        new = ATOMICS[variant.name](h.s(old, width), h.s(value, width)).raw
        pair = f.op(f"cmpxchg ptr {pointer}, {kind} {old}, {kind} {new} seq_cst seq_cst")
        f.emit(f"{again} = extractvalue {{ {kind}, i1 }} {pair}, 0")
        f.cond(f.op(f"extractvalue {{ {kind}, i1 }} {pair}, 1"), done, retry, likely=True)
        f.place(done)
    if variant.option("returns"):
        f.store(kind, old, data)
    h.next()
    if variant.option("buffer"):
        f.place(skip)
        h.next()
    h.finish()
