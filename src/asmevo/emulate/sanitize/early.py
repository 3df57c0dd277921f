"""Reads of LDS that an LDS-DMA load still has to fill (shadow memory and late loads together).

Two checks find them: a read of LDS looks through its own wave's outstanding LDS-DMA loads, and a
load that arrives looks for reads of its bytes in a later barrier interval than its issue, which
are other waves' (or the own one's) that the barrier let go too early.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.pending import (
    LANDED,
    Q_ENTRY,
    Q_HEAD,
    Q_INDEX,
    Q_MASK,
    Q_OFFSET,
    Q_ROWS,
    TO_LDS,
)
from asmevo.emulate.sanitize.shadow_exact import NOTE
from asmevo.emulate.sanitize.shadow_layout import (
    A_READS,
    A_SHIFT,
    A_WRITES,
    EARLY,
    EPOCH_SHIFT,
    INDEX_BITS,
    LDS_INTERVALS,
    LDS_SPACE,
    WAVE_SHIFT,
)

EARLY_READ = "asmevo_early"


def _range(f: Fn, entry: str) -> tuple[str, str]:
    """(first LDS byte, bytes per lane) of an LDS-DMA entry."""
    rows = f.op(f"and i32 {f.load('i32', f.at(entry, Q_ROWS))}, {TO_LDS - 1}")
    step = f.op(f"mul i64 {f.op(f'zext i32 {rows} to i64')}, 4")
    return f.load("i64", f.at(entry, Q_OFFSET), 8), step


def _note(f: Fn, first: str, second: str, address: str, waves: str) -> None:
    group = f.load("i32", f.at("%st", L.GROUP))
    f.emit(
        f"call void @{NOTE}(ptr %st, i32 {EARLY}, i32 {first}, i32 {second}, i32 {LDS_SPACE}, "
        f"i64 {address}, i32 {waves}, i32 {group})"
    )


def emit_early(module: Module) -> None:
    """`void asmevo_early(state, record, offset, size)`: a read of LDS bytes by this wave."""
    f = Fn(module, EARLY_READ, "ptr %st, ptr %rec, i64 %offset, i64 %size", noinline=True)
    queue = f.load("ptr", f.at("%st", L.PENDING), 8)
    count = f.load("i64", queue, 8)
    wave = f.load("i32", f.at("%st", L.WAVE_NUMBER))
    waves = f.op(f"or i32 {f.op(f'shl i32 {wave}, 16')}, {wave}")
    index = f.load("i32", f.at("%rec", L.R_INDEX))
    end = f.op("add i64 %offset, %size")
    with CountedLoop(f, count, "entry") as each:
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {each.i}, {Q_ENTRY}"))
        rows = f.load("i32", f.at(entry, Q_ROWS))
        positive = f.op(f"icmp sgt i32 {rows}, {TO_LDS - 1}")
        dma = f.label("dma")
        f.cond(positive, dma, each.step)
        f.place(dma)
        start, step = _range(f, entry)
        mask = f.load("i64", f.at(entry, Q_MASK), 8)
        with CountedLoop(f, str(f.lanes), "lane") as lane:
            low = f.op(f"add i64 {start}, {f.op(f'mul i64 {lane.i}, {step}')}")
            high = f.op(f"add i64 {low}, {step}")
            meets = f.op(f"icmp ult i64 {low}, {end}")
            meets = f.op(f"and i1 {meets}, {f.op(f'icmp ugt i64 {high}, %offset')}")
            bit = f.op(f"and i64 {f.op(f'lshr i64 {mask}, {lane.i}')}, 1")
            meets = f.op(f"and i1 {meets}, {f.op(f'icmp ne i64 {bit}, 0')}")
            note = f.label("note")
            f.cond(meets, note, lane.step)
            f.place(note)
            _note(f, f.load("i32", f.at(entry, Q_INDEX)), index, "%offset", waves)
            f.br(each.step)
            f.place(f.label("dead"))
    f.ret()
    f.finish()


def emit_landed(module: Module) -> None:
    """`void asmevo_landed(state, held)`: an LDS-DMA load arrives; who read its bytes before?"""
    f = Fn(module, LANDED, "ptr %st, ptr %held", noinline=True)
    area = f.load("ptr", f.at("%st", L.SHADOW_LDS), 8)
    shift = f.load("i64", f.at(area, A_SHIFT), 8)
    writes, reads = (f.load("ptr", f.at(area, x), 8) for x in (A_WRITES, A_READS))
    start, step = _range(f, "%held")
    mask = f.load("i64", f.at("%held", Q_MASK), 8)
    own_index = f.load("i32", f.at("%held", Q_INDEX))
    wave = f.load("i32", f.at("%st", L.WAVE_NUMBER))
    granules = f.op(f"lshr i64 {step}, {shift}")
    with CountedLoop(f, str(f.lanes), "lane") as lane:
        bit = f.op(f"and i64 {f.op(f'lshr i64 {mask}, {lane.i}')}, 1")
        active = f.label("active")
        f.cond(f.op(f"icmp ne i64 {bit}, 0"), active, lane.step)
        f.place(active)
        first = f.op(f"add i64 {start}, {f.op(f'mul i64 {lane.i}, {step}')}")
        with CountedLoop(f, granules, "granule") as each:
            number = f.op(f"add i64 {f.op(f'lshr i64 {first}, {shift}')}, {each.i}")
            at = f.op(f"mul i64 {number}, 4")
            w, r = f.load("i32", f.at(writes, at)), f.load("i32", f.at(reads, at))
            # Still this load's bytes, and read in a later interval than that of its issue?
            want = f.op(f"or i32 {f.op(f'shl i32 {wave}, {WAVE_SHIFT}')}, 0")
            want = f.op(f"or i32 {want}, {f.op(f'add i32 {own_index}, 1')}")
            low = f.op(f"and i32 {w}, {(1 << (WAVE_SHIFT + 4)) - 1}")
            mine = f.op(f"icmp eq i32 {low}, {want}")
            epochs = [f.op(f"lshr i32 {x}, {EPOCH_SHIFT}") for x in (w, r)]
            ahead = f.op(f"sub i32 {f.op(f'add i32 {epochs[1]}, {LDS_INTERVALS}')}, {epochs[0]}")
            ahead = f.op(f"urem i32 {ahead}, {LDS_INTERVALS}")
            later = f.op(f"sub i32 {ahead}, 1")
            later = f.op(f"icmp ult i32 {later}, {LDS_INTERVALS // 2}")
            later = f.op(f"and i1 {later}, {mine}")
            for epoch in epochs:  # an aged entry says nothing
                later = f.op(f"and i1 {later}, {f.op(f'icmp ne i32 {epoch}, 0')}")
            note = f.label("note")
            f.cond(later, note, each.step)
            f.place(note)
            reader = f.op(f"and i32 {r}, {(1 << INDEX_BITS) - 1}")
            reader = f.op(f"sub i32 {reader}, 1")
            other = f.op(f"and i32 {f.op(f'lshr i32 {r}, {WAVE_SHIFT}')}, 15")
            waves = f.op(f"or i32 {f.op(f'shl i32 {wave}, 16')}, {other}")
            _note(f, own_index, reader, f.op(f"shl i64 {number}, {shift}"), waves)
            f.br(each.step)
            f.place(f.label("dead"))
    f.ret()
    f.finish()
