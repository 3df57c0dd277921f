"""Helpers for instructions that move data between lanes (CDNA3 ISA 6.6, 11.4)."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory.access import lane_loop
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.semantics.instruction.lanes import swizzle_lanes


def _lane_select(h: Helper, slot: int) -> str:
    """The scalar lane number in a slot, modulo the number of lanes, as i64."""
    f = h.fn
    low = f.op(f"and i32 {f.load('i32', h.slot(slot))}, {h.lanes - 1}")
    return f.op(f"zext i32 {low} to i64")


@family("readlane")
def emit_read_lane(module: Module, variant: Variant) -> None:
    """v_readfirstlane and v_readlane: one lane of a row to a scalar. EXEC = 0 reads lane 0."""
    h = Helper(module, variant)
    f = h.fn
    source = h.slot(1)
    if variant.kinds[1] == "s":
        value = f.load("i32", source)
    else:
        if variant.name == "v_readfirstlane_b32":
            first = f.call(
                "i64", "llvm.cttz.i64", f"i64 {h.exec_bits()}, i1 false", declare="i64, i1"
            )
            lane = f.op(f"and i64 {first}, {h.lanes - 1}")
        else:
            lane = _lane_select(h, 2)
        value = f.load("i32", f.at(source, f.op(f"mul i64 {lane}, 4")))
    f.store("i32", value, h.slot(0))
    h.next()
    h.finish()


@family("writelane")
def emit_write_lane(module: Module, variant: Variant) -> None:
    """v_writelane: one scalar into one lane, EXEC ignored."""
    h = Helper(module, variant)
    f = h.fn
    value = f.load("i32", h.slot(1))
    lane = _lane_select(h, 2)
    f.store("i32", value, f.at(h.slot(0), f.op(f"mul i64 {lane}, 4")))
    h.next()
    h.finish()


@family("permute")
def emit_permute(module: Module, variant: Variant) -> None:
    """ds_bpermute (pull) and ds_permute (push): byte address + offset selects the lane."""
    h = Helper(module, variant)
    f = h.fn
    offset = f.op(f"trunc i64 {h.imm()} to i32")
    address = f.op(f"add {f.i32s} {h.source_row(1, 'v')}, {h.splat(offset, 32)}")
    dword = f.op(f"lshr {f.i32s} {address}, splat (i32 2)")
    lanes = f.op(f"and {f.i32s} {dword}, splat (i32 {h.lanes - 1})")
    data = h.source_row(2, "v")
    active = h.mask(h.exec_bits())
    # Inactive source lanes contribute zero.
    zero = "zeroinitializer"
    area = f.at("%st", L.HOST)
    f.store(f.i32s, lanes, area, L.ROW_ALIGN)
    values = f.at("%st", L.HOST + L.ROW)
    destination = h.slot(0)
    if variant.name == "ds_bpermute_b32":
        sent = f.op(f"select {f.i1s} {active}, {f.i32s} {data}, {f.i32s} {zero}")
        f.store(f.i32s, sent, values, L.ROW_ALIGN)
        lane, step, done = lane_loop(h, h.exec_bits())
        at = f.op(f"mul i64 {lane}, 4")
        source = f.op(f"zext i32 {f.load('i32', f.at(area, at))} to i64")
        value = f.load("i32", f.at(values, f.op(f"mul i64 {source}, 4")))
        f.store("i32", value, f.at(destination, at))
        f.br(step)
        f.place(done)
        h.next()
    else:
        # Lanes ascend, so the highest source lane wins; lanes nobody writes get zero.
        f.store(f.i32s, zero, values, L.ROW_ALIGN)
        rows = f.at("%st", L.HOST)
        source_row = h.slot(2)
        lane, step, done = lane_loop(h, h.exec_bits())
        at = f.op(f"mul i64 {lane}, 4")
        target = f.op(f"zext i32 {f.load('i32', f.at(rows, at))} to i64")
        value = f.load("i32", f.at(source_row, at))
        f.store("i32", value, f.at(values, f.op(f"mul i64 {target}, 4")))
        f.br(step)
        f.place(done)
        h.store_rows([(f.load(f.i32s, values, L.ROW_ALIGN), destination)], h.exec_bits())
    h.finish()


@family("swizzle")
def emit_swizzle(module: Module, variant: Variant) -> None:
    """ds_swizzle_b32: a fixed permutation; inactive source lanes read as zero."""
    h = Helper(module, variant)
    f = h.fn
    active = h.mask(h.exec_bits())
    data = h.source_row(1, "v")
    sent = f.op(f"select {f.i1s} {active}, {f.i32s} {data}, {f.i32s} zeroinitializer")
    index = ", ".join(f"i32 {s}" for s in swizzle_lanes(variant.option("pattern"), h.lanes))
    moved = f.op(f"shufflevector {f.i32s} {sent}, {f.i32s} poison, {f.i32s} <{index}>")
    h.store_rows([(moved, h.slot(0))])
    h.finish()


@family("permlane_swap")
def emit_permlane_swap(module: Module, variant: Variant) -> None:
    """v_permlane16_swap and v_permlane32_swap (gfx950): odd rows of vdst for even ones of src."""
    h = Helper(module, variant)
    f = h.fn
    step = {"v_permlane16_swap_b32": 16, "v_permlane32_swap_b32": 32}[variant.name]
    a, b = h.source_row(0, "v"), h.source_row(1, "v")
    # Lane l of the pair (row 2k+1 of vdst) exchanges with lane l - step of src (row 2k).
    every, other = range(h.lanes), h.lanes  # the numbers of `b`'s lanes begin at `other`
    first = [other + lane - step if (lane // step) & 1 else lane for lane in every]
    second = [other + lane if (lane // step) & 1 else lane + step for lane in every]
    new_a = f.op(
        f"shufflevector {f.i32s} {a}, {f.i32s} {b}, {f.i32s} "
        f"<{', '.join(f'i32 {i}' for i in first)}>"
    )
    new_b = f.op(
        f"shufflevector {f.i32s} {a}, {f.i32s} {b}, {f.i32s} "
        f"<{', '.join(f'i32 {i}' for i in second)}>"
    )
    h.store_rows([(new_a, h.slot(0)), (new_b, h.slot(1))])
    h.finish()
