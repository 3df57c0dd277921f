"""Checks of many granules at once, which only rule findings out; `shadow_exact` finds them.

A check loads the write and read entries of neighbouring granules, compares them with this wave's
tag and updates them, unless one of them may be a finding: then nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.shadow_layout import (
    EPOCH_SHIFT,
    INDEX_BITS,
    LDS,
    MANY,
    MANY_GROUPS,
    MEMORY,
    Space,
)

WIDTHS = (1, 2, 4, 8, 16)
_INTERVAL = (1 << EPOCH_SHIFT) - 1  # entries of one interval differ in these bits only


@dataclass(frozen=True, slots=True)
class _Sweep:
    """Check and update of `width` neighbouring granules of one space."""

    f: Fn
    space: Space
    write: bool
    width: int
    tag: str  # scalars of the entry type
    new: str
    undefined: str  # i1

    @property
    def vector(self) -> str:
        t = self.space.type
        return t if self.width == 1 else f"<{self.width} x {t}>"

    def const(self, value: int) -> str:
        signed = value - (1 << self.space.bits) if value >> (self.space.bits - 1) else value
        return str(signed) if self.width == 1 else f"splat ({self.space.type} {signed})"

    def splat(self, scalar: str, t: str | None = None) -> str:
        if self.width == 1:
            return scalar
        element = t or self.space.type
        vector = f"<{self.width} x {element}>"
        one = self.f.op(f"insertelement {vector} poison, {element} {scalar}, i64 0")
        zero = f"<{self.width} x i32> zeroinitializer"
        return self.f.op(f"shufflevector {vector} {one}, {vector} poison, {zero}")

    def prepare(self) -> _Ready:
        """Broadcast what the loop needs, ahead of it."""
        masks = self.splat(self.undefined, "i1") if self.space is MEMORY else ""
        return _Ready(self, self.splat(self.tag), self.splat(self.new), masks)


@dataclass(frozen=True, slots=True)
class _Ready:
    sweep: _Sweep
    tag: str
    new: str
    undefined: str

    def _quick(self, own: str, writes: str, reads: str, done: str) -> None:
        """Two common cases that need no comparison: the same access again, and the first ever.

        What another wave did since the same access was reported when it did it.
        """
        s, f, t = self.sweep, self.sweep.f, self.sweep.vector
        align = s.space.bits // 8

        def none(value: str) -> str:
            if s.width == 1:
                return f.op(f"icmp eq {t} {value}, 0")
            mask = f.op(f"icmp ne {t} {value}, zeroinitializer")
            bits = f.op(f"bitcast <{s.width} x i1> {mask} to i{s.width}")
            return f.op(f"icmp eq i{s.width} {bits}, 0")

        fresh, first, rest = f.label("fresh"), f.label("first"), f.label("rest")
        again = f.op(f"xor {t} {own}, {self.new}")
        if not s.write:  # any read of this wave in this interval
            again = f.op(f"lshr {t} {again}, {s.const(INDEX_BITS)}")
        f.cond(none(again), done, fresh)
        f.place(fresh)
        other = f.load(t, reads if s.write else writes, align)
        untouched = none(f.op(f"or {t} {own}, {other}"))
        if not s.write:
            untouched = f.op(f"and i1 {untouched}, {f.op(f'xor i1 {s.undefined}, true')}")
        f.cond(untouched, first, rest)
        f.place(first)
        f.store(t, self.new, writes if s.write else reads, align)
        f.br(done)
        f.place(rest)

    def step(self, writes: str, reads: str, on_bad: str, done: str) -> None:
        """Check one chunk; branches to `on_bad` without a change, or updates and goes to `done`."""
        s, f, t = self.sweep, self.sweep.f, self.sweep.vector
        mask = "i1" if s.width == 1 else f"<{s.width} x i1>"
        align = s.space.bits // 8
        keep = s.const(~((1 << INDEX_BITS) - 1) & ((1 << s.space.bits) - 1))

        def apart(entry: str) -> tuple[str, str]:
            """(difference from the tag, whether another wave's in this interval)."""
            y = f.op(f"and {t} {f.op(f'xor {t} {entry}, {self.tag}')}, {keep}")
            below = f.op(f"sub {t} {y}, {s.const(1)}")
            return y, f.op(f"icmp ult {t} {below}, {s.const(_INTERVAL)}")

        def any_of(*masks: str) -> str:
            total = masks[0]
            for one in masks[1:]:
                total = f.op(f"or {mask} {total}, {one}")
            return total

        def foreign(entry: str, y: str) -> str:
            other = f.op(f"icmp uge {t} {y}, {s.const(1 << s.space.group_shift)}")
            there = f.op(f"icmp ne {t} {entry}, {s.const(0)}")
            return f.op(f"and {mask} {other}, {there}")

        own = f.load(t, writes if s.write else reads, align)
        if s.space is MEMORY:
            self._quick(own, writes, reads, done)
        other = f.load(t, reads if s.write else writes, align)
        w, r = (own, other) if s.write else (other, own)
        yw, bad = apart(w)
        yr, many = apart(r)
        group_flag = ""
        if s.space is MEMORY:
            bad = any_of(bad, foreign(w, yw))
            known = f.op(f"and {t} {r}, {s.const(MANY_GROUPS)}")
            known = f.op(f"icmp ne {t} {known}, {s.const(0)}")
            group_flag = any_of(foreign(r, yr), known)
        if s.write:
            bad = any_of(bad, many)
            if group_flag:
                bad = any_of(bad, group_flag)
        else:
            never = f.op(f"icmp eq {t} {w}, {s.const(0)}")
            if s.space is MEMORY:
                never = f.op(f"and {mask} {never}, {self.undefined}")
            bad = any_of(bad, never)
        if s.width > 1:
            bits = f.op(f"bitcast {mask} {bad} to i{s.width}")
            bad = f.op(f"icmp ne i{s.width} {bits}, 0")
        good = f.label("good")
        f.cond(bad, on_bad, good, likely=False)
        f.place(good)
        if s.write:
            f.store(t, self.new, writes, align)
        else:
            flag = f.op(f"select {mask} {many}, {t} {s.const(MANY)}, {t} {s.const(0)}")
            value = f.op(f"or {t} {self.new}, {flag}")
            if group_flag:
                flag = f.op(
                    f"select {mask} {group_flag}, {t} {s.const(MANY_GROUPS)}, {t} {s.const(0)}"
                )
                value = f.op(f"or {t} {value}, {flag}")
            f.store(t, value, reads, align)
        f.br(done)


def name_of(kind: str, space: Space, write: bool, width: int = 0) -> str:
    """Symbol of a check of one space and direction."""
    suffix = f"_{width}" if width else ""
    return f"asmevo_{kind}_{space.name}_{'w' if write else 'r'}{suffix}"


def emit_span(module: Module, space: Space, write: bool) -> None:
    """`i32 span(writes, reads, count, tag, new, undefined)`: 1 when it needs the exact check."""
    f = Fn(
        module,
        name_of("span", space, write),
        f"ptr %w, ptr %r, i64 %n, {space.type} %tag, {space.type} %new, i1 %undefined",
        "i32",
        noinline=True,
    )
    wide = 16 if space is LDS else 8
    size = space.bits // 8
    bad = f.label("bad")
    chunks = f.op(f"udiv i64 %n, {wide}")
    done_wide = f.op(f"mul i64 {chunks}, {wide}")
    rest = f.op(f"sub i64 %n, {done_wide}")
    skipped = f.op(f"mul i64 {done_wide}, {size}")
    for width, count, start in ((wide, chunks, "0"), (1, rest, skipped)):
        ready = _Sweep(f, space, write, width, "%tag", "%new", "%undefined").prepare()
        with CountedLoop(f, count, "chunk") as each:
            offset = f.op(f"mul i64 {each.i}, {width * size}")
            offset = f.op(f"add i64 {offset}, {start}")
            ready.step(f.at("%w", offset), f.at("%r", offset), bad, each.step)
            f.place(f.label("dead"))
    f.ret("i32 0")
    f.place(bad)
    f.ret("i32 1")
    f.finish()


def emit_lanes(module: Module, space: Space, write: bool, width: int) -> None:
    """`i64 lanes(hosts, lanes, area host, shift, writes, reads, chunks, tag, new, undefined)`.

    Each lane has `chunks` times `width` granules; returns the lanes that need the exact check.
    """
    f = Fn(
        module,
        name_of("lanes", space, write, width),
        "ptr %hosts, i64 %lanes, i64 %base, i64 %shift, ptr %w, ptr %r, i64 %chunks, "
        f"{space.type} %tag, {space.type} %new, i1 %undefined",
        "i64",
        noinline=True,
    )
    size = space.bits // 8
    left, bad = f.op("alloca i64"), f.op("alloca i64")
    f.store("i64", "%lanes", left, 8)
    f.store("i64", "0", bad, 8)
    ready = _Sweep(f, space, write, width, "%tag", "%new", "%undefined").prepare()
    head, body, out, wrong = (f.label(x) for x in ("head", "body", "out", "wrong"))
    f.br(head)
    f.place(head)
    now = f.load("i64", left, 8)
    f.cond(f.op(f"icmp eq i64 {now}, 0"), out, body)
    f.place(out)
    f.ret(f"i64 {f.load('i64', bad, 8)}")
    f.place(body)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {now}, i1 true", declare="i64, i1")
    next_left = f.op(f"and i64 {now}, {f.op(f'sub i64 {now}, 1')}")
    f.store("i64", next_left, left, 8)
    host = f.load("i64", f.at("%hosts", f.op(f"mul i64 {lane}, 8")), 8)
    number = f.op(f"lshr i64 {f.op(f'sub i64 {host}, %base')}, %shift")
    start = f.op(f"mul i64 {number}, {size}")
    with CountedLoop(f, "%chunks", "chunk") as each:
        offset = f.op(f"add i64 {start}, {f.op(f'mul i64 {each.i}, {width * size}')}")
        ready.step(f.at("%w", offset), f.at("%r", offset), wrong, each.step)
        f.place(f.label("dead"))
    f.br(head)
    f.place(wrong)
    bit = f.op(f"shl i64 1, {lane}")
    f.store("i64", f.op(f"or i64 {f.load('i64', bad, 8)}, {bit}"), bad, 8)
    f.br(head)
    f.finish()
