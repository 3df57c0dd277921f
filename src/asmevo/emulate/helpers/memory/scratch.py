"""Scratch memory: dwords of the lanes side by side in rows, reached in three ways.

Scratch instructions give a lane's own byte offset, flat instructions the same behind the private
aperture, and buffer instructions of older targets swizzle it themselves.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory import access
from asmevo.emulate.native.helper import Helper

_ROW_SHIFT = (L.ROW // 4).bit_length() - 1  # from the offset of a dword to that of its row


def _base(h: Helper, field: int) -> str:
    return h.splat(h.fn.op(f"ptrtoint ptr {h.field(field, 'ptr')} to i64"), 64)


def _require(h: Helper, ok: str, mask: str, code: int, where: str) -> None:
    """Fault with `code` unless every lane of `mask` is ok; `where` holds the addresses."""
    f = h.fn
    missing = f.op(f"and i64 {f.op(f'xor i64 {h.bits(ok)}, -1')}, {mask}")
    good, bad = f.label("private"), f.label("badprivate")
    f.cond(f.op(f"icmp eq i64 {missing}, 0"), good, bad, likely=True)
    f.place(bad)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {missing}, i1 true", declare="i64, i1")
    h.fault(code, missing, f.op(f"extractelement {f.i64s} {where}, i64 {lane}"))
    f.place(good)


def _inside_dword(h: Helper, offset: str, size: int) -> str:
    """Lanes whose access does not cross a dword of the interleaved layout."""
    f = h.fn
    if size > 4:  # only atomics: their two dwords do not lie side by side
        return "zeroinitializer"
    low = f.op(f"and {f.i64s} {offset}, splat (i64 3)")
    return f.op(f"icmp ule {f.i64s} {low}, splat (i64 {4 - size})")


def lane_hosts(h: Helper, offset: str, mask: str, size: int) -> str:
    """Host addresses of per-lane byte offsets (at most one dword each)."""
    f = h.fn
    end = f.op(f"add {f.i64s} {offset}, splat (i64 {size})")
    limit = h.splat(h.field(L.PRIVATE_SIZE), 64)
    _require(h, f.op(f"icmp ule {f.i64s} {end}, {limit}"), mask, L.SCRATCH_FAULT, offset)
    _require(h, _inside_dword(h, offset, size), mask, L.SCRATCH_ALIGN_FAULT, offset)
    dword = f.op(f"and {f.i64s} {offset}, splat (i64 -4)")
    row = f.op(f"shl {f.i64s} {dword}, splat (i64 {_ROW_SHIFT})")
    byte = f.op(f"and {f.i64s} {offset}, splat (i64 3)")
    lane = f.op(f"add {f.i64s} {byte}, {access.scale_lanes(h, 4, 64)}")
    start = f.op(f"add {f.i64s} {row}, {_base(h, L.PRIVATE)}")
    return f.op(f"add {f.i64s} {start}, {lane}")


def window_hosts(h: Helper, addresses: str, mask: str, size: int) -> str:
    """Host addresses of swizzled addresses inside the scratch window."""
    f = h.fn
    offset = f.op(f"sub {f.i64s} {addresses}, splat (i64 {L.PRIVATE_WINDOW})")
    end = f.op(f"add {f.i64s} {offset}, splat (i64 {size})")
    limit = h.splat(f.op(f"mul i64 {h.field(L.PRIVATE_SIZE)}, {L.WIDEST}"), 64)
    _require(h, f.op(f"icmp ule {f.i64s} {end}, {limit}"), mask, L.SCRATCH_FAULT, offset)
    _require(h, _inside_dword(h, offset, size), mask, L.SCRATCH_ALIGN_FAULT, offset)
    return f.op(f"add {f.i64s} {offset}, {_base(h, L.PRIVATE)}")


def in_aperture(h: Helper, base: str, aperture: int) -> str:
    """i64 bits of the lanes whose address, before the offset, lies in an aperture (4 GiB each)."""
    f = h.fn
    high = f.op(f"lshr {f.i64s} {base}, splat (i64 32)")
    return h.bits(f.op(f"icmp eq {f.i64s} {high}, splat (i64 {aperture})"))


def flat_hosts(h: Helper, base: str, addresses: str, mask: str, size: int, permission: int) -> str:
    """Lanes whose register address is in an aperture go to LDS or scratch, others to memory.

    The aperture is chosen by `base`, the address without the immediate offset; `addresses` have
    it added. An offset that leaves the aperture, or leads into one, therefore faults.
    """
    f = h.fn
    apertures = (L.SHARED_BASE, L.PRIVATE_BASE)
    shared, private = (f.op(f"and i64 {in_aperture(h, base, a)}, {mask}") for a in apertures)
    low, own = (
        f.op(f"sub {f.i64s} {addresses}, splat (i64 {aperture << 32})") for aperture in apertures
    )
    end = f.op(f"add {f.i64s} {low}, splat (i64 {size})")
    limit = h.splat(h.field(L.LDS_SIZE), 64)
    _require(h, f.op(f"icmp ule {f.i64s} {end}, {limit}"), shared, L.LDS_FAULT, addresses)
    in_lds = f.op(f"add {f.i64s} {low}, {_base(h, L.LDS_BASE)}")
    in_scratch = lane_hosts(h, own, private, size)
    special = f.op(f"or i64 {shared}, {private}")
    rest = f.op(f"and i64 {f.op(f'xor i64 {special}, -1')}, {mask}")
    result = access.hosts(h, addresses, rest, size, permission)
    for chosen, host in ((shared, in_lds), (private, in_scratch)):
        result = f.op(f"select {f.i1s} {h.mask(chosen)}, {f.i64s} {host}, {f.i64s} {result}")
    return result
