"""Helpers for VALU opcodes of the semantics table: modifiers, DPP, SDWA, EXEC and result masks."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.emit import I1X64, I32X64, Helper, Variant, family
from asmevo.emulate.ir import Module, vec
from asmevo.isa.semantics import table
from asmevo.isa.semantics.values import Value, concat, where

# MODE denormal settings: bit 0 allows denormal inputs... encoded as in the descriptor.
_FLUSH_IN = {0: True, 1: False, 2: True, 3: False}
_FLUSH_OUT = {0: True, 1: True, 2: False, 3: False}


def flush(v: Value) -> Value:
    """Denormal to zero of the same sign."""
    exponent = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}[v.width]
    u = v.u
    return where((u & exponent) == 0, u & (1 << (v.width - 1)), u).f


def denorm_of(variant: Variant, width: int) -> int:
    """MODE's denormal setting for a float width (0 flush both .. 3 keep)."""
    single, other = variant.option("denorm", (3, 3))
    return single if width == 32 else other


def read_source(h: Helper, index: int, position: int, kind: str, type_: str) -> Value:
    """Source operand `position` (record slot `index`) as a typed value, modifiers applied."""
    variant = h.variant
    width, what = table.width_of(type_), table.kind_of(type_)
    if type_ == "lane":
        return h.v(h.lane_numbers(), 32)
    if type_ == "vccbit":
        return h.v(h.mask(h.field(L.VCC)), 1, "b")
    if type_ == "m":
        bits = h.fn.load("i64", h.slot(index))
        return h.v(h.mask(bits), 1, "b")
    if width == 64:
        value = h.v(h.source_wide(index, kind), 64, what)
    else:
        raw = h.source_row(index, kind)
        if position == 0 and variant.option("dpp"):
            raw = shuffle_dpp(h, raw)
        value = h.v(raw, 32)
        sdwa = variant.option("sdwa")
        if sdwa and position < 2:
            value = select_part(value, sdwa[2 + position], bool(variant.option("sext", 0)
                                                               >> position & 1))
        op_sel = variant.option("op_sel", ())
        if width == 16:
            if kind == "v" and position < len(op_sel) and op_sel[position]:
                value = value >> 16
            value = value.to(16)
        value = Value(value.alg, value.raw, value.width, what)
    return modify(variant, position, value, what == "f")


def modify(variant: Variant, position: int, value: Value, is_float: bool) -> Value:
    """Apply abs, neg and MODE flushing to a source."""
    if is_float and table_flush(variant) and _FLUSH_IN[denorm_of(variant, value.width)]:
        value = flush(value)
    if variant.option("abs", 0) >> position & 1:
        value = value.fabs()
    if variant.option("neg", 0) >> position & 1:
        sign = 1 << (value.width - 1)
        value = Value(value.alg, (value.u ^ sign).raw, value.width, value.kind)
    return value


def table_flush(variant: Variant) -> bool:
    """Whether the opcode obeys MODE's denormal setting."""
    semantic = table.lookup(variant.name)
    return semantic is None or semantic.flush


def select_part(value: Value, part: str, signed: bool) -> Value:
    """SDWA source selection of a byte or word, zero- or sign-extended to 32 bits."""
    if part == "DWORD":
        return value
    size, at = (8, int(part[-1]) * 8) if part.startswith("BYTE") else (16, int(part[-1]) * 16)
    piece = value.bits(at, size)
    return (piece.i if signed else piece).to(32).u


def dpp_lanes(control: str, amount: object) -> list[int]:
    """Source lane of every lane for a DPP control; -1 where it lies outside (ISA table DPP_CTRL)."""
    n = amount if isinstance(amount, int) else 0
    out: list[int] = []
    for lane in range(64):
        row, at = lane & ~15, lane & 15
        source = -1
        if control == "quad_perm":
            assert isinstance(amount, tuple)
            source = (lane & ~3) + amount[lane & 3]
        elif control == "row_shl":
            source = row + at + n if at + n < 16 else -1
        elif control == "row_shr":
            source = row + at - n if at >= n else -1
        elif control == "row_ror":
            source = row + (at - n) % 16
        elif control == "row_mirror":
            source = row + 15 - at
        elif control == "row_half_mirror":
            source = (lane & ~7) + 7 - (lane & 7)
        elif control == "row_newbcast":
            source = row + n
        elif control == "row_bcast":
            # 15: lane 15 of each row to the next row; 31: lane 31 to rows 2 and 3.
            if n == 15:
                source = row - 1 if row else -1
            else:
                source = 31 if lane >= 32 else -1
        elif control == "wave_shl":
            source = lane + 1 if lane < 63 else -1
        elif control == "wave_shr":
            source = lane - 1
        elif control == "wave_rol":
            source = (lane + 1) % 64
        elif control == "wave_ror":
            source = (lane - 1) % 64
        else:
            raise ValueError(control)
        out.append(source)
    return out


def _lane_mask(lanes: list[int]) -> int:
    return sum(1 << i for i, s in enumerate(lanes) if s >= 0)


def _shuffle(h: Helper, raw: str, element: str, lanes: list[int]) -> str:
    t = vec(element)
    index = ", ".join(f"i32 {max(s, 0)}" for s in lanes)
    return h.fn.op(f"shufflevector {t} {raw}, {t} poison, {I32X64} <{index}>")


def dpp_valid(h: Helper) -> str:
    """i64 mask of lanes whose DPP source exists and is active (GFX9 has no fetch-inactive)."""
    control, amount, *_ = h.variant.option("dpp")
    lanes = dpp_lanes(control, amount)
    active = _shuffle(h, h.mask(h.exec_bits()), "i1", lanes)
    return h.fn.op(f"and i64 {h.bits(active)}, {_signed(_lane_mask(lanes))}")


def shuffle_dpp(h: Helper, raw: str) -> str:
    """Source 0 after DPP; invalid lanes read 0 (they are written only with bound_ctrl)."""
    control, amount, *_ = h.variant.option("dpp")
    moved = _shuffle(h, raw, "i32", dpp_lanes(control, amount))
    valid = h.mask(dpp_valid(h))
    return h.fn.op(f"select {I1X64} {valid}, {I32X64} {moved}, {I32X64} zeroinitializer")


def dpp_write_mask(h: Helper) -> str:
    """i64 mask of lanes that a DPP instruction writes."""
    _control, _amount, row_mask, bank_mask, bound = h.variant.option("dpp")
    allowed = sum(
        1 << lane
        for lane in range(64)
        if (row_mask >> (lane // 16)) & 1 and (bank_mask >> ((lane % 16) // 4)) & 1
    )
    bits = h.fn.op(f"and i64 {h.exec_bits()}, {_signed(allowed)}")
    if not bound:
        bits = h.fn.op(f"and i64 {bits}, {dpp_valid(h)}")
    return bits


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def finish_float(h: Helper, value: Value) -> Value:
    """omod, clamp and MODE flushing of a float result."""
    variant = h.variant
    omod = variant.option("omod")
    if omod:
        value = value * {"mul2": 2.0, "mul4": 4.0, "div2": 0.5}[omod]
    if table_flush(variant) and _FLUSH_OUT[denorm_of(variant, value.width)]:
        value = flush(value)
    if variant.option("clamp"):
        zero = value.const(0.0)
        value = where(value > 1.0, value.const(1.0), where(value > 0.0, value, zero))
    return value


def saturated(name: str, args: list[Value], result: Value) -> Value:
    """Integer clamp: the result saturates instead of wrapping."""
    a, b = args[0], args[1]
    if name.startswith(("v_subrev",)):
        a, b = b, a
    w = result.width
    subtract = name.startswith("v_sub")
    signed = "_i" in name
    if not name.startswith(("v_add_", "v_sub_", "v_subrev_")):
        raise NotImplementedError(name)
    x, y = (a.i, b.i) if signed else (a.u, b.u)
    wide_x, wide_y = x.to(2 * w), y.to(2 * w)
    r = (wide_x - wide_y if subtract else wide_x + wide_y).i
    low = -(1 << (w - 1)) if signed else 0
    high = (1 << (w - 1)) - 1 if signed else (1 << w) - 1
    r = where(r < low, r.const(low & (2 ** (2 * w) - 1)), where(r > high, r.const(high), r))
    return r.to(w)


# 16-bit results of GFX9 that leave the other half alone; the rest zero it (LLVM
# GCNSubtarget::zeroesHigh16BitsOfDest, found by experiment).
_KEEPS_HIGH = frozenset({"v_mad_f16", "v_mad_u16", "v_mad_i16", "v_fma_f16", "v_div_fixup_f16"})


def place_16(h: Helper, value: Value, pointer: str) -> Value:
    """A 16-bit result as a 32-bit row: the half op_sel names, the other kept or zero."""
    op_sel = h.variant.option("op_sel", ())
    sources = len(h.variant.kinds) - 1
    if len(op_sel) > sources and op_sel[sources]:
        old = h.v(h.row(pointer), 32)
        return (old & 0xFFFF) | (value.u.to(32) << 16)
    if h.variant.name in _KEEPS_HIGH:
        return (h.v(h.row(pointer), 32) & 0xFFFF0000) | value.u.to(32)
    return value.u.to(32)


def place_sdwa(h: Helper, value: Value, pointer: str) -> Value:
    """SDWA destination selection: byte or word, the rest zero, sign or preserved."""
    dst_sel, unused, *_ = h.variant.option("sdwa")
    value = value.u.to(32)
    if dst_sel == "DWORD":
        return value
    size, at = (8, int(dst_sel[-1]) * 8) if dst_sel.startswith("BYTE") else (
        16, int(dst_sel[-1]) * 16)
    field = (1 << size) - 1
    part = (value & field) << at
    if unused == "UNUSED_PRESERVE":
        return (h.v(h.row(pointer), 32) & (0xFFFFFFFF ^ (field << at))) | part
    if unused == "UNUSED_SEXT":
        up = 32 - size - at
        return ((part << up).i >> up).u if up else part
    return part


@family("lane")
def emit_lane(module: Module, variant: Variant) -> None:
    """A VALU opcode of the semantics table."""
    semantic = table.lookup(variant.name)
    assert semantic is not None, variant
    h = Helper(module, variant)
    n_dst = len([d for d in semantic.dsts if d not in table.IMPLICIT])
    if semantic.packed:
        _emit_packed(h, semantic, n_dst)
        return
    args: list[Value] = []
    slot = n_dst
    for position, type_ in enumerate(semantic.srcs):
        kind = "s" if type_ in table.IMPLICIT else variant.kinds[slot]
        args.append(read_source(h, slot, position, kind, type_))
        if type_ not in table.IMPLICIT:
            slot += 1
    if semantic.reads_dst:
        type_ = semantic.dsts[0]
        width = table.width_of(type_)
        raw = h.source_wide(0, "v") if width == 64 else h.source_row(0, "v")
        old = h.v(raw, 64 if width == 64 else 32).to(width)
        old = Value(old.alg, old.raw, width, table.kind_of(type_))
        if old.kind == "f" and _FLUSH_IN[denorm_of(variant, width)] and semantic.flush:
            old = flush(old)
        args.append(old)
    results = table.apply(semantic, args)
    rows: list[tuple[str, str]] = []
    for index, (type_, value) in enumerate(zip(semantic.dsts, results, strict=True)):
        if type_ == "m":
            bits = h.fn.op(f"and i64 {h.bits(value.raw)}, {h.exec_bits()}")
            h.fn.store("i64", bits, h.slot(index))
            if semantic.writes_exec:
                h.set_field(L.EXEC, bits)
            continue
        pointer = h.slot(index)
        if table.kind_of(type_) == "f":
            value = finish_float(h, Value(value.alg, value.raw, value.width, "f"))
        elif variant.option("clamp"):
            value = saturated(variant.name, args, value)
        if value.width == 64:
            low, high = h.split(value.raw)
            rows += [(low, pointer), (high, h.fn.at(pointer, L.ROW))]
            continue
        if value.width == 16 and not variant.option("sdwa"):
            value = place_16(h, value, pointer)
        if variant.option("sdwa"):
            value = place_sdwa(h, value, pointer)
        rows.append((value.raw, pointer))
    if not rows:
        h.next()
    elif variant.option("dpp"):
        h.store_rows(rows, dpp_write_mask(h))
    else:
        h.store_rows(rows)
    h.finish()


def _emit_packed(h: Helper, semantic: table.Semantic, n_dst: int) -> None:
    variant = h.variant
    width = semantic.packed
    what = [table.kind_of(t) for t in semantic.srcs]
    count = len(semantic.srcs)
    op_sel = variant.option("op_sel", ()) or (0,) * count
    op_sel_hi = variant.option("op_sel_hi", ()) or (1,) * count
    neg_lo = variant.option("neg_lo", ()) or (0,) * count
    neg_hi = variant.option("neg_hi", ()) or (0,) * count
    halves: list[list[Value]] = [[], []]
    for position in range(count):
        kind = variant.kinds[n_dst + position]
        if width == 16:
            whole = h.v(h.source_row(n_dst + position, kind), 32)
            parts = [whole.bits(0, 16), whole.bits(16, 16)]
        else:
            index = n_dst + position
            parts = [h.v(h.source_row(index, kind, p), 32) for p in (0, 1)]
        for half, selector, negate in ((0, op_sel, neg_lo), (1, op_sel_hi, neg_hi)):
            if semantic.name == "v_pk_mov_b32":
                # The low result takes half op_sel[0] of source 0, the high one op_sel[1] of 1.
                value = parts[op_sel[position]]
            else:
                value = parts[selector[position]]
            value = Value(value.alg, value.raw, width, what[position])
            if what[position] == "f" and semantic.flush and _FLUSH_IN[denorm_of(variant, width)]:
                value = flush(value)
            if negate[position]:
                sign = 1 << (width - 1)
                value = Value(value.alg, (value.u ^ sign).raw, width, value.kind)
            halves[half].append(value)
    out: list[Value] = []
    for half in (0, 1):
        args = halves[half]
        if semantic.name == "v_pk_mov_b32":
            args = [args[half], args[half]]
        value = table.apply(semantic, args)[0]
        if table.kind_of(semantic.dsts[0]) == "f":
            value = finish_float(h, Value(value.alg, value.raw, width, "f"))
        elif variant.option("clamp"):
            value = saturated(semantic.name.replace("v_pk_", "v_"), args, value)
        out.append(value)
    pointer = h.slot(0)
    if width == 16:
        h.store_rows([(concat(out[0], out[1]).raw, pointer)])
    else:
        h.store_rows([(out[0].raw, pointer), (out[1].raw, h.fn.at(pointer, L.ROW))])
    h.finish()
