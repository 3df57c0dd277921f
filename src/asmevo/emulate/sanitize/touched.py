"""Recording of touched addresses for the clock: what `asmevo.timing.touches` describes.

Only traced waves have room for entries. Recording changes nothing that a kernel can see.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.timing import touches as T

TOUCH = "asmevo_touch"


def touch(h: Helper, addresses: str, mask: str, size: int, space: int) -> None:
    """Record byte addresses (an i64 per lane) of `size` bytes in the lanes of `mask` (bits)."""
    f = h.fn
    f.store(f.i64s, addresses, f.at("%st", L.HOST), 64)
    h.module.declare(f"declare void @{TOUCH}(ptr, ptr, i64, i64)")
    kind = size << T.SIZE_SHIFT | space << T.SPACE_SHIFT
    f.emit(f"call void @{TOUCH}(ptr %st, ptr %rec, i64 {mask}, i64 {kind})")


def emit_touch(module: Module) -> None:
    """`void asmevo_touch(state, record, lanes, head bits)`: append the addresses at HOST."""
    f = Fn(module, TOUCH, "ptr %st, ptr %rec, i64 %mask, i64 %kind", noinline=True)
    steps = "<" + ", ".join(f"i64 {lane}" for lane in range(f.lanes)) + ">"
    addresses = f.load(f.i64s, f.at("%st", L.HOST), 64)
    first = f.op(f"extractelement {f.i64s} {addresses}, i64 0")
    second = f.op(f"extractelement {f.i64s} {addresses}, i64 1")
    step = f.op(f"sub i64 {second}, {first}")
    rows = f.op(f"mul {f.i64s} {_splat(f, step)}, {steps}")
    expected = f.op(f"add {f.i64s} {rows}, {_splat(f, first)}")
    same = f.op(f"icmp eq {f.i64s} {addresses}, {expected}")
    bits = f.op(f"bitcast <{f.lanes} x i1> {same} to i{f.lanes}")
    regular = f.op(f"icmp eq i{f.lanes} {bits}, -1")
    length = f.load("i64", f.at("%st", L.TOUCH_LENGTH), 8)
    least, most = T.HEAD_WORDS + T.PROGRESSION_WORDS, T.HEAD_WORDS + f.lanes
    words = f.op(f"select i1 {regular}, i64 {least}, i64 {most}")
    after = f.op(f"add i64 {length}, {words}")
    room = f.op(f"icmp ule i64 {after}, {f.load('i64', f.at('%st', L.TOUCH_CAPACITY), 8)}")
    write, full = f.label("write"), f.label("full")
    f.cond(room, write, full, likely=True)
    f.place(full)
    # Nothing behind an entry that had no room: what is kept is a prefix.
    f.store("i64", "0", f.at("%st", L.TOUCH_CAPACITY), 8)
    f.ret()
    f.place(write)
    f.store("i64", after, f.at("%st", L.TOUCH_LENGTH), 8)
    start = f.load("ptr", f.at("%st", L.TOUCHES), 8)
    entry = f.at(start, f.op(f"mul i64 {length}, 8"))
    index = f.op(f"zext i32 {f.load('i32', f.at('%rec', L.R_INDEX))} to i64")
    form = f.op(f"select i1 {regular}, i64 {T.PROGRESSION << T.FORM_SHIFT}, i64 0")
    head = f.op(f"or i64 {f.op(f'or i64 {index}, {form}')}, %kind")
    f.store("i64", head, entry, 8)
    f.store("i64", "%mask", f.at(entry, 8), 8)
    short, long = f.label("progression"), f.label("each")
    f.cond(regular, short, long, likely=True)
    f.place(short)
    f.store("i64", first, f.at(entry, 16), 8)
    f.store("i64", step, f.at(entry, 24), 8)
    f.ret()
    f.place(long)
    f.store(f.i64s, addresses, f.at(entry, 16), 8)
    f.ret()
    f.finish()


def _splat(f: Fn, scalar: str) -> str:
    one = f.op(f"insertelement {f.i64s} poison, i64 {scalar}, i64 0")
    return f.op(f"shufflevector {f.i64s} {one}, {f.i64s} poison, <{f.lanes} x i32> zeroinitializer")
