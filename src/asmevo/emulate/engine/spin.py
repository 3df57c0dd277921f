"""Waves that make no progress: a slice of instructions, then a look at whether state repeats.

A wave that polls memory repeats its registers exactly. When its slice is used up it goes on block
by block, and its registers are compared with a copy that is renewed at powers of two (Brent's
cycle search). Once they repeat and one more turn leaves memory and LDS as they are, only another
wave can free it: its status is STUCK. Counters and clocks in registers never repeat, so a wait
with a time-out is never stuck; it ends by itself.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.engine import runtime as R
from asmevo.emulate.engine.runtime import context, memcpy
from asmevo.emulate.native.ir import Fn, Module, vec
from asmevo.emulate.native.loops import CountedLoop

SLICE, _SPINS, _SAME, _DIGEST = "asmevo_slice", "asmevo_spins", "asmevo_same", "asmevo_digest"
_STEPS = 2048  # of one look
_SCALARS = L.SCC + 4 - L.SGPRS  # bytes of the scalar file with SCC
_ROW_TYPE = vec("i32", L.WIDEST)
# The copy: vector rows where they stand, then the scalars, then what else decides how to go on.
COPY_SIZE = L.CONTROL + 256
_ALSO = ((L.RECORD, "i64"), (L.RECORDS, "i64"), (L.MODE_BITS, "i32"))


def _resume(f: Fn) -> None:
    """Run the wave until it leaves again."""
    f.store("i32", str(L.RUNNING), f.at("%st", L.STATUS))
    record = f.load("ptr", f.at("%st", L.RECORD), 8)
    helper = f.load("ptr", record, 8)
    f.emit(f"call void {helper}(ptr noundef %st, ptr noundef {record})")


def _status_is(f: Fn, status: int) -> str:
    return f.op(f"icmp eq i32 {f.load('i32', f.at('%st', L.STATUS))}, {status}")


def _left(f: Fn) -> str:
    """Instructions of the wave's budget that it has neither executed nor been granted."""
    spent = f.op(f"add i64 {_wave(f, L.EXECUTED)}, {_wave(f, L.BUDGET)}")
    return f.op(f"sub i64 {context(f, R.C_BUDGET)}, {spent}")


def _wave(f: Fn, field: int) -> str:
    return f.load("i64", f.at("%st", field), 8)


def emit_slice(module: Module) -> None:
    """`void asmevo_slice(ctx, state)`: run a wave until it stops for a reason of its own.

    A used-up slice is none unless nothing of the budget is left or the wave makes no progress.
    """
    _emit_same(module)
    _emit_digest(module)
    _emit_spins(module)
    f = Fn(module, SLICE, "ptr %ctx, ptr %st", noinline=True)
    go, look, grant, out = (f.label(x) for x in ("go", "look", "grant", "out"))
    f.br(go)
    f.place(go)
    _resume(f)
    f.cond(_status_is(f, L.OUT_OF_BUDGET), look, out, likely=False)
    f.place(out)
    f.ret()
    f.place(look)
    every = context(f, R.C_SLICE)
    left = _left(f)
    spin, near = f.label("spin"), f.label("near")
    # A look takes steps without asking for the budget, so none is taken close to its end.
    reach = f.op(f"mul i64 {context(f, R.C_STEP)}, {_STEPS}")
    far = f.op(f"icmp sgt i64 {left}, {reach}")
    far = f.op(f"and i1 {far}, {f.op(f'icmp ne i64 {every}, 0')}")
    f.cond(far, spin, near)
    f.place(near)
    f.cond(f.op(f"icmp sgt i64 {left}, 0"), grant, out)
    f.place(spin)
    found = f.call("i1", _SPINS, "ptr %ctx, ptr %st")
    looked = f.block
    f.cond(_status_is(f, L.OUT_OF_BUDGET), grant, out)
    f.place(grant)
    stuck = f.phi("i1", [("false", near), (found, looked)])
    rest = _left(f)
    # Close to the end of the budget, or without looks, all of it at once.
    whole = f.op(f"icmp slt i64 {rest}, {every}")
    whole = f.op(f"or i1 {whole}, {f.op(f'icmp eq i64 {every}, 0')}")
    given = f.op(f"select i1 {whole}, i64 {rest}, i64 {every}")
    given = f.op(f"add i64 {_wave(f, L.BUDGET)}, {given}")
    f.store("i64", given, f.at("%st", L.BUDGET), 8)
    halt, more = f.label("halt"), f.label("more")
    f.cond(stuck, halt, more, likely=False)
    f.place(halt)
    f.store("i32", str(L.STUCK), f.at("%st", L.STATUS))
    f.ret()
    f.place(more)
    f.store("i64", "0", f.at("%ctx", R.C_STUCK), 8)
    f.br(go)
    f.finish()


def _emit_spins(module: Module) -> None:
    """`i1 asmevo_spins(ctx, state)`: whether only another wave can free this one."""
    f = Fn(module, _SPINS, "ptr %ctx, ptr %st", "i1", noinline=True)
    save = context(f, R.C_SPIN_COPY, "ptr")
    budget, ticks = f.at("%st", L.BUDGET), f.at("%st", L.TICKS)
    spare, turns = f.load("i64", budget, 8), f.load("i64", ticks, 8)
    step = context(f, R.C_STEP)
    power, age, digest, seen = (f.op("alloca i64") for _ in range(4))
    for cell, value in ((power, "1"), (age, "0"), (digest, "0"), (seen, "0")):
        f.store("i64", value, cell, 8)
    f.store("i64", str(L.NO_TICKS), ticks, 8)
    _copy_registers(f, save)
    result = f.op("alloca i1")
    f.store("i1", "false", result, 1)
    done = f.label("done")
    with CountedLoop(f, str(_STEPS), "step") as each:
        f.store("i64", step, budget, 8)
        _resume(f)
        still = f.label("still")
        f.cond(_status_is(f, L.OUT_OF_BUDGET), still, done, likely=True)
        f.place(still)
        again, other = f.label("again"), f.label("other")
        same = f.call("i1", _SAME, f"ptr %ctx, ptr %st, ptr {save}")
        f.cond(same, again, other, likely=False)
        f.place(again)
        # Registers repeat: does memory, over one more turn?
        now = f.call("i64", _DIGEST, "ptr %st")
        first, second = f.label("first"), f.label("second")
        known = f.load("i64", seen, 8)
        f.cond(f.op(f"icmp eq i64 {known}, 0"), first, second)
        f.place(first)
        f.store("i64", now, digest, 8)
        f.store("i64", "1", seen, 8)
        f.br(each.step)
        f.place(second)
        f.store("i1", f.op(f"icmp eq i64 {now}, {f.load('i64', digest, 8)}"), result, 1)
        f.br(done)
        f.place(other)
        old = f.op(f"add i64 {f.load('i64', age, 8)}, 1")
        f.store("i64", old, age, 8)
        due = f.op(f"icmp eq i64 {old}, {f.load('i64', power, 8)}")
        open_ = f.op(f"icmp eq i64 {f.load('i64', seen, 8)}, 0")
        due = f.op(f"and i1 {due}, {open_}")
        renew = f.label("renew")
        f.cond(due, renew, each.step, likely=False)
        f.place(renew)
        f.store("i64", "0", age, 8)
        f.store("i64", f.op(f"shl i64 {old}, 1"), power, 8)
        _copy_registers(f, save)
    f.br(done)
    f.place(done)
    f.store("i64", spare, budget, 8)
    f.store("i64", turns, ticks, 8)
    f.ret(f"i1 {f.load('i1', result, 1)}")
    f.finish()


def _copy_registers(f: Fn, save: str) -> None:
    memcpy(f, save, "%st", context(f, R.C_VGPR_BYTES))
    agprs = L.agpr(0)
    memcpy(f, f.at(save, agprs), f.at("%st", agprs), context(f, R.C_AGPR_BYTES))
    memcpy(f, f.at(save, L.SGPRS), f.at("%st", L.SGPRS), str(_SCALARS))
    for field, kind in _ALSO:
        align = 8 if kind == "i64" else 4
        f.store(kind, f.load(kind, f.at("%st", field), align), f.at(save, field), align)


def _emit_same(module: Module) -> None:
    """`i1 asmevo_same(ctx, state, copy)`: whether the registers are those of the copy."""
    f = Fn(module, _SAME, "ptr %ctx, ptr %st, ptr %save", "i1", noinline=True)
    other = f.label("other")

    def require(equal: str) -> None:
        on = f.label("on")
        f.cond(equal, on, other)
        f.place(on)

    for field, kind in _ALSO:
        align = 8 if kind == "i64" else 4
        pair = [f.load(kind, f.at(base, field), align) for base in ("%st", "%save")]
        require(f.op(f"icmp eq {kind} {pair[0]}, {pair[1]}"))
    areas = (
        (L.SGPRS, "i32", 4, str(_SCALARS // 4)),
        (0, _ROW_TYPE, L.ROW, f.op(f"udiv i64 {context(f, R.C_VGPR_BYTES)}, {L.ROW}")),
        (L.agpr(0), _ROW_TYPE, L.ROW, f.op(f"udiv i64 {context(f, R.C_AGPR_BYTES)}, {L.ROW}")),
    )
    for start, kind, size, count in areas:
        with CountedLoop(f, count, "unit") as each:
            at = f.op(f"add i64 {f.op(f'mul i64 {each.i}, {size}')}, {start}")
            pair = [f.load(kind, f.at(base, at), 4) for base in ("%st", "%save")]
            if kind == "i32":
                require(f.op(f"icmp eq i32 {pair[0]}, {pair[1]}"))
                continue
            differ = f.op(f"xor {kind} {pair[0]}, {pair[1]}")
            name = f"llvm.vector.reduce.or.v{L.ROW // 4}i32"
            left = f.call("i32", name, f"{kind} {differ}", kind)
            require(f.op(f"icmp eq i32 {left}, 0"))
    f.ret("i1 true")
    f.place(other)
    f.ret("i1 false")
    f.finish()


def _emit_digest(module: Module) -> None:
    """`i64 asmevo_digest(state)`: a number that changes with writable memory, LDS and scratch."""
    f = Fn(module, _DIGEST, "ptr %st", "i64", noinline=True)
    total = f.op("alloca i64")
    f.store("i64", "0", total, 8)

    def add(host: str, size: str) -> None:
        # The region's length is no multiple of eight everywhere: its last bytes come alone.
        words = f.op(f"lshr i64 {size}, 3")
        rest = f.op(f"and i64 {size}, 7")
        for count, kind, step, start in (
            (words, "i64", 8, "0"),
            (rest, "i8", 1, f.op(f"shl i64 {words}, 3")),
        ):
            with CountedLoop(f, count, "word") as each:
                at = f.op(f"add i64 {f.op(f'mul i64 {each.i}, {step}')}, {start}")
                value = f.load(kind, f.at(host, at), 1)
                if kind == "i8":
                    value = f.op(f"zext i8 {value} to i64")
                sofar = f.op(f"mul i64 {f.load('i64', total, 8)}, {0x9E3779B97F4A7C15 - (1 << 64)}")
                f.store("i64", f.op(f"xor i64 {sofar}, {value}"), total, 8)

    regions = f.load("ptr", f.at("%st", L.REGIONS), 8)
    number = f.load("i64", f.at("%st", L.REGION_COUNT), 8)
    with CountedLoop(f, number, "region") as region:
        entry = f.at(regions, f.op(f"mul i64 {region.i}, {L.REGION_SIZE}"))
        flags = f.load("i64", f.at(entry, L.REGION_FLAGS), 8)
        writable = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {L.WRITABLE}')}, 0")
        body = f.label("body")
        f.cond(writable, body, region.step)
        f.place(body)
        base = f.load("i64", f.at(entry, L.REGION_BASE), 8)
        host = f.op(f"add i64 {base}, {f.load('i64', f.at(entry, L.REGION_DELTA), 8)}")
        add(f.op(f"inttoptr i64 {host} to ptr"), f.load("i64", f.at(entry, L.REGION_BYTES), 8))
    add(f.load("ptr", f.at("%st", L.LDS_BASE), 8), f.load("i64", f.at("%st", L.LDS_SIZE), 8))
    private = f.load("i64", f.at("%st", L.PRIVATE_SIZE), 8)
    lanes = L.ROW // 4
    add(f.load("ptr", f.at("%st", L.PRIVATE), 8), f.op(f"mul i64 {private}, {lanes}"))
    f.ret(f"i64 {f.load('i64', total, 8)}")
    f.finish()
