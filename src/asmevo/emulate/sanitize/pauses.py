"""Waves that pause in front of memory instructions, perhaps for a long time.

Half of the instructions are slow, by a hash of their number and the seed: a wave stays in front of
one for some turns. So what is written late, and what is read early, of any pair of instructions
shows under one of a few seeds. An even seed and the next one take complementary halves. A wave that
comes to the same instruction again, with no other in between, may be polling: it lets the others go
on, too.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import held

_STEP, _INCREMENT = 6364136223846793005, 1442695040888963407  # Knuth's MMIX generator
_PLACES = 0x9E3779B1
QUICK, AGAIN, SLOW = 31, 16, 10  # of 32 draws, those that let a wave go on


def _draw(h: Helper) -> str:
    """The next five random bits of the wave (i64)."""
    f = h.fn
    state = f.op(f"add i64 {f.op(f'mul i64 {h.field(L.PAUSES)}, {_STEP}')}, {_INCREMENT}")
    h.set_field(L.PAUSES, state)
    # Waves begin with one state; what they draw differs by who they are.
    wave = f.op(f"zext i32 {h.field(L.WAVE_NUMBER, 'i32')} to i64")
    group = f.op(f"zext i32 {h.field(L.GROUP, 'i32')} to i64")
    who = f.op(f"add i64 {f.op(f'shl i64 {group}, 6')}, {wave}")
    mixed = f.op(f"xor i64 {state}, {f.op(f'mul i64 {who}, {_STEP}')}")
    folded = f.op(f"xor i64 {mixed}, {f.op(f'lshr i64 {mixed}, 32')}")
    return f.op(f"lshr i64 {f.op(f'mul i64 {folded}, {_STEP}')}, 59")


def goes_on(h: Helper) -> str:
    """i1: the wave goes on at this record now, and does not pause for a turn."""
    f = h.fn
    seed = h.field(L.PAUSE_SEED)
    index = f.op(f"zext i32 {f.load('i32', f.at('%rec', L.R_INDEX))} to i64")
    hashed = f.op(f"and i64 {f.op(f'mul i64 {index}, {_PLACES}')}, {(1 << 32) - 1}")
    which = f.op(f"and i64 {f.op(f'lshr i64 {seed}, 1')}, 15")
    place = f.op(f"lshr i64 {hashed}, {f.op(f'sub i64 31, {which}')}")
    slow = f.op(f"and i64 {f.op(f'xor i64 {place}, {seed}')}, 1")
    here = f.op("ptrtoint ptr %rec to i64")
    again = f.op(f"icmp eq i64 {h.field(L.PAUSED_AT)}, {here}")
    quick = f.op(f"select i1 {again}, i64 {AGAIN}, i64 {QUICK}")
    limit = f.op(f"select i1 {f.op(f'icmp eq i64 {slow}, 1')}, i64 {SLOW}, i64 {quick}")
    # While it is looked at for progress, a wave goes on (see `engine.spin`).
    looked_at = f.op(f"icmp sge i64 {h.field(L.TICKS)}, {L.NO_TICKS}")
    return f.op(f"or i1 {looked_at}, {f.op(f'icmp ult i64 {_draw(h)}, {limit}')}")


def _pause(h: Helper) -> None:
    """Leave, to come back to this record, or go on."""
    f = h.fn
    out, go = f.label("pause"), f.label("go")
    f.cond(goes_on(h), go, out)
    f.place(out)
    h.leave(L.YIELDED)
    f.place(go)


@family("pause")
def emit_pause(module: Module, variant: Variant) -> None:
    """In front of a memory instruction. `counted`: vmcnt counts it; `flush`: it sees own stores."""
    h = Helper(module, variant)
    f = h.fn
    _pause(h)
    h.set_field(L.PAUSED_AT, f.op("ptrtoint ptr %rec to i64"))
    if variant.option("counted"):
        h.set_field(L.VM_ISSUED, f.op(f"add i64 {h.field(L.VM_ISSUED)}, 1"))
    if variant.option("flush"):
        held.flush(h)
    h.next()
    h.finish()


def let_go(h: Helper, counter: str) -> None:
    """Let held stores go, with pauses, until a wait for `counter` (i64) is over."""
    f = h.fn
    some, done = f.label("some"), f.label("done")
    f.cond(held.outstanding(h, counter), some, done, likely=False)
    f.place(some)
    _pause(h)
    held.youngest(h)
    h.leave(L.YIELDED)
    f.place(done)


@family("let_go")
def emit_let_go(module: Module, variant: Variant) -> None:
    """s_waitcnt: imm is vmcnt."""
    h = Helper(module, variant)
    let_go(h, h.imm())
    h.next()
    h.finish()
