"""Helpers for VALU opcodes of the semantics table: evaluation, NaN guard, results, EXEC."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.emit import Helper, Variant, family
from asmevo.emulate.helpers.lane import perm as lane_perm
from asmevo.emulate.helpers.lane.dpp import dpp_valid, dpp_write_mask
from asmevo.emulate.helpers.lane.results import finish_float, place_16, place_part, place_sdwa
from asmevo.emulate.helpers.lane.sources import (
    FLUSH_IN,
    denorm_of,
    flush,
    old_destination,
    read_source,
)
from asmevo.emulate.native.ir import Module
from asmevo.isa.semantics import integer_clamp, table
from asmevo.isa.semantics.directed import directed
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, Semantic
from asmevo.isa.semantics.values import Value, concat

Results = tuple[Any, ...]
FULL = "_full"  # suffix of the function that knows every NaN rule


def mode_of(variant: Variant) -> FloatMode:
    """The mode that a variant's options stand for."""
    names = (f.name for f in fields(FloatMode))
    return FloatMode(**{n: variant.option(n, getattr(DEFAULT_MODE, n)) for n in names})


def _directed(variant: Variant, semantic: Semantic, args: list[Any]) -> list[Any]:
    """Arguments whose algebra rounds results of the opcode's width as MODE says."""
    rounding = variant.option("round")
    if rounding is None:
        return args
    widths = {table.width_of(d) for d in semantic.dsts if d[0] == "f"}
    modes = {w: rounding[0] if w == 32 else rounding[1] for w in widths}
    alg = directed(args[0].alg, modes)
    return [Value(alg, a.raw, a.width, a.kind) if isinstance(a, Value) else a for a in args]


def _nan_lanes(h: Helper, values: list[Any]) -> str | None:
    """<64 x i1> of lanes in which some float value is NaN."""
    mask: str | None = None
    for value in values:
        if not isinstance(value, Value) or value.kind != "f":
            continue
        raw = value.is_nan.raw
        mask = raw if mask is None else h.fn.op(f"or <64 x i1> {mask}, {raw}")
    return mask


def _may_hold_nan(h: Helper, values: list[Value]) -> str:
    """Whether some lane may be NaN: the sum over all lanes is (infinities can cancel, too)."""
    f = h.fn
    width = values[0].width
    element = {32: "float", 64: "double"}[width]
    parts = [f.op(f"bitcast <64 x i{width}> {v.raw} to <64 x {element}>") for v in values]
    size = 64
    while len(parts) > 1 or size > 8:
        if len(parts) == 1:
            (whole,) = parts
            size //= 2
            for first in (0, size):
                index = ", ".join(f"i32 {first + i}" for i in range(size))
                t = f"<{2 * size} x {element}>"
                parts.append(
                    f.op(f"shufflevector {t} {whole}, {t} poison, <{size} x i32> <{index}>")
                )
            parts = parts[1:]
        t = f"<{size} x {element}>"
        parts = [f.op(f"fadd {t} {parts[0]}, {parts[1]}"), *parts[2:]]
    t = f"<8 x {element}>"
    nan = f.op(f"fcmp uno {t} {parts[0]}, {parts[0]}")
    return f.op(f"icmp ne i8 {f.op(f'bitcast <8 x i1> {nan} to i8')}, 0")


def evaluate(h: Helper, semantic: Semantic, arg_sets: list[list[Any]], fast: bool) -> list[Results]:
    """Results of the opcode for each argument list (two for packed opcodes).

    With `fast`, the cheaper function is used, and the helper hands over to its full version
    when the guard finds a NaN in any lane: only that one knows which NaN comes out.
    """
    variant, f = h.variant, h.fn
    mode = mode_of(variant)
    arg_sets = [_directed(variant, semantic, args) for args in arg_sets]
    if not fast:
        immediates = {name: variant.option(name, 0) for name in semantic.immediates}
        return [table.apply(semantic, args, mode, **immediates) for args in arg_sets]
    quick = [table.apply(semantic, args, mode, fast=True) for args in arg_sets]
    if semantic.guard == "result" and table.width_of(semantic.dsts[0]) >= 32:
        found = _may_hold_nan(h, [v for r in quick for v in _typed(semantic, r)])
    else:
        watched = arg_sets if semantic.guard == "source" else [_typed(semantic, r) for r in quick]
        guard = _nan_lanes(h, [v for values in watched for v in values])
        assert guard is not None, semantic.name
        found = f.op(f"icmp ne i64 {h.bits(guard)}, 0")
    special, plain = f.label("nan"), f.label("plain")
    f.cond(found, special, plain, likely=False)
    f.place(special)
    # A separate function reads the sources again: nothing has to be kept for it here.
    full = variant.symbol + FULL
    f.emit(f"musttail call void @{full}(ptr noundef %st, ptr noundef %rec)")
    f.ret()
    f.place(plain)
    return quick


def _typed(semantic: Semantic, results: Results) -> list[Value]:
    """Results with the kinds of their types (a float may come as bits)."""
    return [
        Value(v.alg, v.raw, v.width, table.kind_of(t))
        for t, v in zip(semantic.dsts, results, strict=True)
        if t != "m"
    ]


@family("lane")
def emit_lane(module: Module, variant: Variant) -> None:
    """A VALU opcode of the semantics table."""
    semantic = table.lookup(variant.name)
    assert semantic is not None, variant
    h = Helper(module, variant)
    if lane_perm.applies(h):
        _emit(Helper(module, variant, FULL), semantic, False)
        lane_perm.emit_words(h, variant.symbol + FULL)
        return
    if semantic.fast is not None:
        _emit(Helper(module, variant, FULL), semantic, False)
    _emit(h, semantic, semantic.fast is not None)


def _emit(h: Helper, semantic: Semantic, fast: bool) -> None:
    variant = h.variant
    n_dst = len([d for d in semantic.dsts if d not in table.IMPLICIT])
    if semantic.packed:
        _emit_packed(h, semantic, n_dst, fast)
        return
    args: list[Any] = []
    slot = n_dst
    for position, type_ in enumerate(semantic.srcs):
        kind = "s" if type_ in table.IMPLICIT else variant.kinds[slot]
        args.append(read_source(h, slot, position, kind, type_))
        if type_ not in table.IMPLICIT:
            slot += 1
    if semantic.reads_dst:
        args.append(old_destination(h, semantic))
    results = evaluate(h, semantic, [args], fast)[0]
    rows: list[tuple[str, str]] = []
    for index, (type_, value) in enumerate(zip(semantic.dsts, results, strict=True)):
        if type_ == "m":
            _store_mask(h, semantic, index, value)
        else:
            rows += _result_rows(h, semantic, args, type_, value, h.slot(index))
    if not rows:
        h.next()
    elif variant.option("dpp"):
        h.store_rows(rows, dpp_write_mask(h))
    else:
        h.store_rows(rows)
    h.finish()


def _store_mask(h: Helper, semantic: Semantic, index: int, value: Value) -> None:
    """A lane mask result: inactive lanes become 0; lanes that DPP suppresses keep their bit."""
    f = h.fn
    bits = f.op(f"and i64 {h.bits(value.raw)}, {h.exec_bits()}")
    dpp = h.variant.option("dpp")
    if dpp and not dpp[-1]:
        valid = dpp_valid(h)
        lost = f.op(f"and i64 {f.op(f'xor i64 {valid}, -1')}, {h.exec_bits()}")
        kept = f.op(f"and i64 {f.load('i64', h.slot(index))}, {lost}")
        bits = f.op(f"or i64 {f.op(f'and i64 {bits}, {valid}')}, {kept}")
    h.fn.store("i64", bits, h.slot(index))
    if semantic.writes_exec:
        h.set_field(L.EXEC, bits)


def _result_rows(
    h: Helper, semantic: Semantic, args: list[Any], type_: str, value: Any, pointer: str
) -> list[tuple[str, str]]:
    """The (row, pointer) stores of one result."""
    variant = h.variant
    if isinstance(value, list):
        parts = cast("list[Value]", value)
        return [(part.raw, h.fn.at(pointer, n * L.ROW)) for n, part in enumerate(parts)]
    value = Value(h.vector, value.raw, value.width, value.kind)
    if table.kind_of(type_) == "f":
        value = finish_float(h, semantic, args, value.f)
    elif variant.option("clamp"):
        value = integer_clamp.saturated(semantic.name, args, value)
    if value.width == 64:
        low, high = h.split(value.raw)
        return [(low, pointer), (high, h.fn.at(pointer, L.ROW))]
    if variant.option("sdwa"):
        value = place_sdwa(h, value, pointer)
    elif semantic.part:
        value = place_part(h, semantic, value, pointer)
    elif value.width == 16:
        value = place_16(h, semantic, value, pointer)
    return [(value.raw, pointer)]


def _emit_packed(h: Helper, semantic: Semantic, n_dst: int, fast: bool) -> None:
    variant = h.variant
    width = semantic.packed
    kind_of = [table.kind_of(t) for t in semantic.srcs]
    count = len(semantic.srcs)
    op_sel = variant.option("op_sel", ()) or (0,) * count
    op_sel_hi = variant.option("op_sel_hi", ()) or (1,) * count
    neg_lo = variant.option("neg_lo", ()) or (0,) * count
    neg_hi = variant.option("neg_hi", ()) or (0,) * count
    halves: list[list[Any]] = [[], []]
    for position in range(count):
        parts = _halves(h, n_dst + position, variant.kinds[n_dst + position], width)
        for half, selector, negate in ((0, op_sel, neg_lo), (1, op_sel_hi, neg_hi)):
            if semantic.name == "v_pk_mov_b32":
                # The low result takes half op_sel[0] of source 0, the high one op_sel[1] of 1.
                value = parts[op_sel[position]]
            else:
                value = parts[selector[position]]
            value = Value(value.alg, value.raw, width, kind_of[position])
            if kind_of[position] == "f" and FLUSH_IN[denorm_of(variant, width)]:
                value = flush(value)
            if negate[position]:
                sign = 1 << (width - 1)
                value = Value(value.alg, (value.u ^ sign).raw, width, value.kind)
            halves[half].append(value)
    if semantic.reads_dst:
        for half, value in enumerate(_halves(h, 0, "v", width)):
            old = Value(value.alg, value.raw, width, table.kind_of(semantic.dsts[0]))
            flushed = old.kind == "f" and FLUSH_IN[denorm_of(variant, width)]
            halves[half].append(flush(old) if flushed else old)
    if semantic.name == "v_pk_mov_b32":
        halves = [[args[half]] * 2 for half, args in enumerate(halves)]
    out: list[Value] = []
    for args, results in zip(halves, evaluate(h, semantic, halves, fast), strict=True):
        value = Value(h.vector, results[0].raw, width, results[0].kind)
        if table.kind_of(semantic.dsts[0]) == "f":
            value = finish_float(h, semantic, args, value.f)
        elif variant.option("clamp"):
            value = integer_clamp.saturated(semantic.name, args, value)
        out.append(value)
    pointer = h.slot(0)
    if width == 16:
        h.store_rows([(concat(out[0], out[1]).raw, pointer)])
    else:
        h.store_rows([(out[0].raw, pointer), (out[1].raw, h.fn.at(pointer, L.ROW))])
    h.finish()


def _halves(h: Helper, index: int, kind: str, width: int) -> list[Value]:
    """The low and high part of a packed operand, as values of `width` bits."""
    if width == 16:
        whole = h.v(h.source_row(index, kind), 32)
        return [whole.bits(0, 16), whole.bits(16, 16)]
    return [h.v(h.source_row(index, kind, part), 32) for part in (0, 1)]
