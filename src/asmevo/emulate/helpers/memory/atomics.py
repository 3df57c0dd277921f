"""Atomics of LDS and device memory, lane by lane on host addresses kept in the state."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory.access import lane_loop
from asmevo.emulate.native.helper import Helper
from asmevo.isa.semantics.memory import ATOMICS, MemoryOp
from asmevo.isa.semantics.values import Value
from asmevo.isa.semantics.vector.floats import flush


def check_alignment(h: Helper, addresses: str, width: int, size: int, active: str) -> None:
    """Fault when an active lane's address (lanes of `width` bits) is not a multiple of size."""
    f = h.fn
    t = f.i64s if width == 64 else f.i32s
    low = f.op(f"and {t} {addresses}, splat (i{width} {size - 1})")
    odd = f.op(f"icmp ne {t} {low}, zeroinitializer")
    wrong = f.op(f"and i64 {h.bits(odd)}, {active}")
    good, bad = f.label("aligned"), f.label("misaligned")
    f.cond(f.op(f"icmp eq i64 {wrong}, 0"), good, bad, likely=True)
    f.place(bad)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {wrong}, i1 true", declare="i64, i1")
    address = f.op(f"extractelement {t} {addresses}, i64 {lane}")
    if width == 32:
        address = f.op(f"zext i32 {address} to i64")
    h.fault(L.ALIGN_FAULT, wrong, address)
    f.place(good)


def _new_value(op: MemoryOp, old: Value, data: Value, flushed: bool) -> Value:
    if flushed and op.atomic == "add_f" and op.size == 4:
        return flush(ATOMICS[op.atomic](flush(old.f).u, flush(data.f).u).f).u
    return ATOMICS[op.atomic](old, data)


def atomic_lanes(
    h: Helper,
    op: MemoryOp,
    valid: str,
    data: str,
    result: str | None,
    second: str | None = None,
    flushed: bool = False,
) -> None:
    """Atomics lane by lane, lowest first, on the host addresses stored in the state.

    `data` points to the data row(s); for cmpswap the compare value follows the new one, for the
    LDS cmpst form `second` points to the new value and `data` to the compare value. `flushed`
    f32 additions flush subnormals.
    """
    f = h.fn
    width = 8 * op.size
    t = f"i{width}"

    def lane_value(rows: str, lane: str, part: int = 0) -> str:
        low_at = f.op(f"mul i64 {lane}, 4")
        step = L.ROW * (op.size // 4)
        low = f.load("i32", f.at(f.at(rows, part * step), low_at))
        if width == 32:
            return low
        high = f.load("i32", f.at(f.at(rows, part * step + L.ROW), low_at))
        wide = f.op(f"shl i64 {f.op(f'zext i32 {high} to i64')}, 32")
        return f.op(f"or i64 {f.op(f'zext i32 {low} to i64')}, {wide}")

    lane, step, done = lane_loop(h, valid)
    slot = f.op(f"mul i64 {lane}, 8")
    host = f.load("i64", f.at(f.at("%st", L.HOST), slot), 8)
    pointer = f.op(f"inttoptr i64 {host} to ptr")
    value = lane_value(data, lane)
    old_holder: str
    if op.atomic in ("cmpswap", "cmpst") and not op.float_compare:
        if op.atomic == "cmpswap":
            new, expected = value, lane_value(data, lane, 1)
        else:
            assert second is not None
            new, expected = lane_value(second, lane), value
        pair = f.op(
            f"cmpxchg ptr {pointer}, {t} {expected}, {t} {new} seq_cst seq_cst, align {op.size}"
        )
        old_holder = f.op(f"extractvalue {{ {t}, i1 }} {pair}, 0")
    else:
        retry, swapped = f.label("retry"), f.label("swapped")
        first = f.op(f"load atomic {t}, ptr {pointer} monotonic, align {op.size}")
        before = f.block
        f.br(retry)
        f.place(retry)
        old_holder, again = f.fresh("old"), f.fresh("seen")
        f.emit(f"{old_holder} = phi {t} [ {first}, %{before} ], [ {again}, %{retry} ]")
        if op.float_compare:
            # NaN equals nothing, and the zeros equal each other.
            assert second is not None
            expected_value = h.s(value, width, "f")
            same = h.s(old_holder, width, "f") == expected_value
            new_value = lane_value(second, lane)
            new = f.op(f"select i1 {same.raw}, {t} {new_value}, {t} {old_holder}")
        elif op.atomic == "wrap":
            assert second is not None
            other = lane_value(second, lane)
            down = f.op(f"sub {t} {old_holder}, {value}")
            up = f.op(f"add {t} {old_holder}, {other}")
            reached = f.op(f"icmp uge {t} {old_holder}, {value}")
            new = f.op(f"select i1 {reached}, {t} {down}, {t} {up}")
        elif op.atomic == "mskor":
            assert second is not None
            keep = f.op(f"xor {t} {value}, -1")
            new = f.op(
                f"or {t} {f.op(f'and {t} {old_holder}, {keep}')}, {lane_value(second, lane)}"
            )
        else:
            old_value, new_data = h.s(old_holder, width), h.s(value, width)
            new = _new_value(op, old_value, new_data, flushed).raw
        pair = f.op(
            f"cmpxchg ptr {pointer}, {t} {old_holder}, {t} {new} seq_cst seq_cst, align {op.size}"
        )
        f.emit(f"{again} = extractvalue {{ {t}, i1 }} {pair}, 0")
        f.cond(f.op(f"extractvalue {{ {t}, i1 }} {pair}, 1"), swapped, retry, likely=True)
        f.place(swapped)
    if result is not None:
        at = f.op(f"mul i64 {lane}, 4")
        if width == 32:
            f.store("i32", old_holder, f.at(result, at))
        else:
            f.store("i32", f.op(f"trunc i64 {old_holder} to i32"), f.at(result, at))
            high = f.op(f"trunc i64 {f.op(f'lshr i64 {old_holder}, 32')} to i32")
            f.store("i32", high, f.at(f.at(result, L.ROW), at))
    f.br(step)
    f.place(done)
