"""Helpers for scalar state: MODE, other hardware registers, clocks, register indexing."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.layout import INDEX_BITS, MODE_EFFECTIVE
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.hwreg import VSKIP_BIT, HwReg


def _switch_mode(h: Helper, new: str) -> None:
    """Write MODE (i32) and continue after this record, in the copy that belongs to the mode."""
    f = h.fn
    h.set_field(L.MODE_BITS, new, "i32")
    wanted = f.op(f"and i32 {new}, {MODE_EFFECTIVE}")
    key = f.op(f"zext i32 {wanted} to i64")
    table, count = h.field(L.MODES, "ptr"), h.field(L.MODE_COUNT)
    loop, look, step, found, unknown = (
        f.label(x) for x in ("loop", "look", "step", "found", "unknown")
    )
    entry = f.block
    f.br(loop)
    f.place(loop)
    at, after = f.fresh("at"), f.fresh("at")
    f.emit(f"{at} = phi i64 [ 0, %{entry} ], [ {after}, %{step} ]")
    f.cond(f.op(f"icmp ult i64 {at}, {count}"), look, unknown)
    f.place(look)
    slot = f.at(table, f.op(f"mul i64 {at}, {L.MODE_ENTRY}"))
    same = f.op(f"icmp eq i64 {f.load('i64', slot, 8)}, {key}")
    f.cond(same, found, step)
    f.place(step)
    f.emit(f"{after} = add i64 {at}, 1")
    f.br(loop)
    f.place(unknown)
    h.fault(L.MODE_FAULT, "0", key)
    f.place(found)
    base = f.load("i64", f.at(slot, 8), 8)
    old = h.field(L.RECORDS)
    h.set_field(L.RECORDS, base)
    here = f.op("ptrtoint ptr %rec to i64")
    moved = f.op(f"add i64 {f.op(f'sub i64 {here}, {old}')}, {base}")
    h.jump(f.op(f"inttoptr i64 {f.op(f'add i64 {moved}, {L.RECORD_SIZE}')} to ptr"))


@family("mode")
def emit_mode(module: Module, variant: Variant) -> None:
    """s_setreg of MODE (source, imm = first bit, imm2 = mask) and s_setvskip (source, bit)."""
    h = Helper(module, variant)
    f = h.fn
    source = f.load("i32", h.slot(0))
    old = h.field(L.MODE_BITS, "i32")
    if variant.name == "s_setvskip":
        number = f.op(f"and i32 {f.load('i32', h.slot(1))}, 31")
        bit = f.op(f"and i32 {f.op(f'lshr i32 {source}, {number}')}, 1")
        moved = f.op(f"shl i32 {bit}, {VSKIP_BIT}")
        kept = f.op(f"and i32 {old}, {~(1 << VSKIP_BIT)}")
    else:
        first = f.op(f"trunc i64 {h.imm()} to i32")
        mask = f.op(f"trunc i64 {h.imm2()} to i32")
        moved = f.op(f"and i32 {f.op(f'shl i32 {source}, {first}')}, {mask}")
        kept = f.op(f"and i32 {old}, {f.op(f'xor i32 {mask}, -1')}")
    _switch_mode(h, f.op(f"or i32 {kept}, {moved}"))
    h.finish()


@family("getreg")
def emit_get_register(module: Module, variant: Variant) -> None:
    """s_getreg: (register >> imm) & imm2. Identity registers read as zero: one place, one XCC."""
    h = Helper(module, variant)
    f = h.fn
    number: int = variant.option("register")
    if number == HwReg.MODE:
        value = f.op(f"and i32 {h.field(L.MODE_BITS, 'i32')}, {~INDEX_BITS}")
    elif number == HwReg.SH_MEM_BASES:  # low half private, high half shared aperture
        value = str(L.PRIVATE_BASE >> 16 | L.SHARED_BASE)
    elif number == HwReg.HW_ID:  # the wave number in its lowest bits
        value = f.op(f"and i32 {h.field(L.WAVE_NUMBER, 'i32')}, 15")
    elif number == HwReg.LDS_ALLOC:  # size in units of 64 dwords at bit 12
        units = f.op(f"trunc i64 {f.op(f'lshr i64 {h.field(L.LDS_SIZE)}, 8')} to i32")
        value = f.op(f"shl i32 {units}, 12")
    else:
        value = "0"
    first = f.op(f"trunc i64 {h.imm()} to i32")
    mask = f.op(f"trunc i64 {h.imm2()} to i32")
    f.store("i32", f.op(f"and i32 {f.op(f'lshr i32 {value}, {first}')}, {mask}"), h.slot(0))
    h.next()
    h.finish()


@family("movrel")
def emit_relative_move(module: Module, variant: Variant) -> None:
    """s_movrels (source number + M0) and s_movreld (destination number + M0)."""
    h = Helper(module, variant)
    f = h.fn
    kind = "i64" if variant.name in ("s_movrels_b64", "s_movreld_b64") else "i32"
    m0 = h.field(L.M0, "i32")
    shift = f.op(f"mul i64 {f.op(f'zext i32 {m0} to i64')}, 4")
    destination, source = h.slot(0), h.slot(1)
    moved = destination if variant.name in ("s_movreld_b32", "s_movreld_b64") else source
    # The register number must stay among the scalars.
    address = f.op(f"ptrtoint ptr {moved} to i64")
    first = f.op(f"ptrtoint ptr {f.at('%st', L.SGPRS)} to i64")
    number = f.op(f"add i64 {f.op(f'sub i64 {address}, {first}')}, {shift}")
    inside, outside = f.label("inside"), f.label("outside")
    f.cond(f.op(f"icmp ult i64 {number}, {4 * 126}"), inside, outside, likely=True)
    f.place(outside)
    h.fault(L.UNSUPPORTED_FAULT)
    f.place(inside)
    relative = f.at(f.at("%st", L.SGPRS), number)
    if moved is destination:
        f.store(kind, f.load(kind, source), relative)
    else:
        f.store(kind, f.load(kind, relative), destination)
    h.next()
    h.finish()


@family("time")
def emit_time(module: Module, variant: Variant) -> None:
    """s_memtime and s_memrealtime: a counter that only grows (never compare its values)."""
    h = Helper(module, variant)
    f = h.fn
    now = f.op(f"add i64 {h.field(L.TIME)}, 64")
    h.set_field(L.TIME, now)
    f.store("i64", now, h.slot(0))
    h.next()
    h.finish()


@family("gpridx")
def emit_gpr_index(module: Module, variant: Variant) -> None:
    """s_set_gpr_idx_on/idx: M0[7:0] = index, M0[15:12] = enables (imm; -1 keeps them)."""
    h = Helper(module, variant)
    f = h.fn
    old = h.field(L.M0, "i32")
    name = variant.name
    enables = f.op(f"trunc i64 {h.imm()} to i32")
    new = old
    if name in ("s_set_gpr_idx_on", "s_set_gpr_idx_idx"):
        index = f.op(f"and i32 {f.load('i32', h.slot(0))}, 255")
        new = f.op(f"or i32 {f.op(f'and i32 {old}, {~0xFF}')}, {index}")
    if name in ("s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
        kept = f.op(f"and i32 {new}, {~0xF000}")
        new = f.op(f"or i32 {kept}, {f.op(f'shl i32 {enables}, 12')}")
    h.set_field(L.M0, new, "i32")
    if variant.option("switch") and name != "s_set_gpr_idx_idx":
        mode = f.op(f"and i32 {h.field(L.MODE_BITS, 'i32')}, {~INDEX_BITS}")
        if name != "s_set_gpr_idx_off":
            chosen = f.op(f"or i32 {f.op(f'shl i32 {enables}, 12')}, {1 << 27}")
            mode = f.op(f"or i32 {mode}, {chosen}")
        _switch_mode(h, mode)
        h.finish()
        return
    h.next()
    h.finish()
