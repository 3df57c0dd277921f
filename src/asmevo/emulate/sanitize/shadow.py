"""Shadow memory: who last wrote and read each granule, for races and uninitialized reads.

A granule is the smallest unit that the kernel accesses in an address space: a dword, or less when
it has byte or 16-bit instructions there, so that neighbouring bytes of two waves do not conflict.
Each granule has two entries, its last write and its last reads in the current barrier interval.
An entry holds instruction, wave, barrier interval and, for device memory, workgroup. Two accesses
conflict when they touch the same granule from different waves of one workgroup in one barrier
interval, or from different workgroups, at least one of them writes, and they are not both atomic.
Ordering by atomics or by spinning is not known here: a finding says "without a barrier", no more.

Speed: runs of consecutive granules are checked sixteen (LDS) or eight (memory) at a time, other
patterns lane by lane with short vectors. Both only decide "certainly no finding"; anything else
goes to `shadow_exact`, granule by granule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.carried import CLASS_SHIFT, HOLD, class_of
from asmevo.emulate.sanitize.early import EARLY_READ
from asmevo.emulate.sanitize.shadow_exact import (
    AREA,
    EXACT,
    Space,
    emit_area,
    emit_exact,
    emit_note,
    emit_taken,
)
from asmevo.emulate.sanitize.shadow_layout import (
    A_BYTES,
    A_HOST,
    A_READS,
    A_SHIFT,
    A_UNDEFINED,
    A_WRITES,
    ATOMIC,
    EPOCH_SHIFT,
    LDS,
    MEMORY,
    READ,
    WRITE,
)
from asmevo.emulate.sanitize.shadow_sweep import WIDTHS, emit_lanes, emit_span, name_of
from asmevo.isa.semantics.memory import memory_op, typed_op

SHADOW, STRAIGHT, AGE = "asmevo_shadow", "asmevo_straight", "asmevo_age"
_MOST_RUNS = 4


def flags_of(base: str) -> int:
    """What a memory mnemonic does: READ, WRITE or an atomic's READ | WRITE | ATOMIC."""
    op = memory_op(base)
    action = "load" if op is None else op.action
    return {"load": READ, "store": WRITE}.get(action, READ | WRITE | ATOMIC)


def granule_shifts(bases: Iterable[str]) -> tuple[int, int]:
    """log2 of the granules of (LDS, device memory) that these mnemonics need."""
    shifts = [2, 2]
    for base in bases:
        op = memory_op(base)
        if typed_op(base) is not None:
            shifts[1] = 0  # the descriptor says how wide
        if op is None or op.size >= 4:
            continue
        small = op.size.bit_length() - 1
        if op.space in ("lds", "flat"):
            shifts[0] = min(shifts[0], small)
        if op.space != "lds":
            shifts[1] = min(shifts[1], small)
    return shifts[0], shifts[1]


def _flags(h: Helper, flags: int, hold: bool) -> int:
    """Flags of an access, with its completion class where outstanding ones are kept."""
    if not hold or not h.variant.option("hold"):
        return flags
    return flags | (class_of(h) + 1) << CLASS_SHIFT


def access(
    h: Helper,
    hosts: str,
    mask: str,
    size: int | str,
    flags: int,
    lds: bool = False,
    hold: bool = True,
) -> None:
    """Emit the shadow check of one access at per-lane host addresses (LDS ones with `lds`).

    With `hold` it is kept while it is outstanding, in helpers that have the option of that name.
    """
    f = h.fn
    flags = _flags(h, flags, hold)
    f.store(f.i64s, hosts, f.at("%st", L.HOST), L.ROW_ALIGN)
    f.module.declare(f"declare void @{SHADOW}(ptr, ptr, i64, i64, i64, i64)")
    f.emit(
        f"call void @{SHADOW}(ptr %st, ptr %rec, i64 {mask}, i64 {size}, i64 {flags}, i64 {lds:d})"
    )


def straight(h: Helper, host: str, size: int, flags: int, lds: bool = False) -> None:
    """Emit the shadow check of `size` consecutive bytes at a host pointer."""
    f = h.fn
    flags = _flags(h, flags, True)
    f.module.declare(f"declare void @{STRAIGHT}(ptr, ptr, ptr, i64, i64, i64)")
    f.emit(
        f"call void @{STRAIGHT}(ptr %st, ptr %rec, ptr {host}, i64 {size}, i64 {flags}, "
        f"i64 {lds:d})"
    )


class _Area:
    """Fields of an area, its granules and this access' entry values."""

    def __init__(self, f: Fn, pointer: str) -> None:
        self.f, self.pointer = f, pointer
        self.host = f.load("i64", f.at(pointer, A_HOST), 8)
        self.bytes = f.load("i64", f.at(pointer, A_BYTES), 8)
        self.writes = f.load("ptr", f.at(pointer, A_WRITES), 8)
        self.reads = f.load("ptr", f.at(pointer, A_READS), 8)
        self.shift = f.load("i64", f.at(pointer, A_SHIFT), 8)
        flag = f.load("i64", f.at(pointer, A_UNDEFINED), 8)
        self.undefined = f.op(f"icmp ne i64 {flag}, 0")
        own = f.load("ptr", f.at("%st", L.SHADOW_LDS), 8)
        self.in_lds = f.op(f"icmp eq ptr {pointer}, {own}")

    def values(self, space: Space) -> tuple[str, str]:
        """(tag, entry) of this access."""
        tag = space.tag(self.f)
        return tag, space.entry(self.f, tag)

    def dispatch(self, flags: str, call: Callable[[Space, bool, str], None]) -> None:
        """Emit `call` for each space and direction, selected at run time; all paths meet.

        `call` gets a label to end at.
        """
        f = self.f
        writes = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {WRITE}')}, 0")
        meet = f.label("meet")
        lds, memory = f.label("lds"), f.label("memory")
        f.cond(self.in_lds, lds, memory)
        for label, space in ((lds, LDS), (memory, MEMORY)):
            f.place(label)
            write, read = f.label("write"), f.label("read")
            f.cond(writes, write, read)
            for where, is_write in ((write, True), (read, False)):
                f.place(where)
                call(space, is_write, meet)
        f.place(meet)


def _hold(f: Fn, mask: str, host: str) -> None:
    """Keep the access that a function checks while it is outstanding, if it has a class."""
    hold, held = f.label("hold"), f.label("held")
    f.cond(f.op(f"icmp ult i64 %flags, {1 << CLASS_SHIFT}"), held, hold, likely=True)
    f.place(hold)
    f.emit(f"call void @{HOLD}(ptr %st, ptr %rec, i64 {mask}, i64 {host}, i64 %size, i64 %flags)")
    f.br(held)
    f.place(held)


def _exact(f: Fn, area: str, host: str, size: str, flags: str) -> None:
    f.emit(
        f"call void @{EXACT}(ptr %st, ptr %rec, ptr {area}, i64 {host}, i64 {size}, i64 {flags})"
    )


def _emit_straight(module: Module) -> None:
    """`void asmevo_straight(state, record, host, size, flags, lds)`: consecutive bytes."""
    f = Fn(
        module,
        STRAIGHT,
        "ptr %st, ptr %rec, ptr %first, i64 %size, i64 %flags, i64 %lds",
        noinline=True,
    )
    host = f.op("ptrtoint ptr %first to i64")
    own = f.load("ptr", f.at("%st", L.SHADOW_LDS), 8)
    known, search, found, out = (f.label(x) for x in ("known", "search", "found", "out"))
    f.cond(f.op("icmp ne i64 %lds, 0"), known, search)
    f.place(known)
    f.br(found)
    f.place(search)
    other = f.call("ptr", AREA, f"ptr %st, ptr %rec, i64 {host}")
    there = f.label("there")
    f.cond(f.op(f"icmp eq ptr {other}, null"), out, there)
    f.place(there)
    f.br(found)
    f.place(found)
    pointer = f.phi("ptr", [(own, known), (other, there)])
    area = _Area(f, pointer)
    watched = f.label("watched")
    f.cond(f.op(f"icmp eq ptr {area.writes}, null"), out, watched)
    f.place(watched)
    _hold(f, "0", host)
    early, calm = f.label("early"), f.label("calm")
    f.cond(_awaits_dma(f, area), early, calm, likely=False)
    f.place(early)
    _early(f, area, host, "%size")
    f.br(calm)
    f.place(calm)
    offset = f.op(f"sub i64 {host}, {area.host}")
    ragged = f.op(f"or i64 {offset}, %size")
    low = f.op(f"sub i64 {f.op(f'shl i64 1, {area.shift}')}, 1")
    ragged = f.op(f"icmp ne i64 {f.op(f'and i64 {ragged}, {low}')}, 0")
    atomic = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {ATOMIC}')}, 0")
    ragged = f.op(f"or i1 {ragged}, {atomic}")
    exact, even = f.label("exact"), f.label("even")
    f.cond(ragged, exact, even, likely=False)
    f.place(even)
    _span(f, area, offset, "%size", "%flags", exact, out)
    f.place(exact)
    _exact(f, pointer, host, "%size", "%flags")
    f.br(out)
    f.place(out)
    f.ret()
    f.finish()


def _awaits_dma(f: Fn, area: _Area) -> str:
    """Whether this is a read of LDS while the wave has LDS-DMA loads outstanding."""
    pending = f.op(f"icmp ne i64 {f.load('i64', f.at('%st', L.DMA_PENDING), 8)}, 0")
    reads = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {READ}')}, 0")
    return f.op(f"and i1 {f.op(f'and i1 {pending}, {reads}')}, {area.in_lds}")


def _early(f: Fn, area: _Area, host: str, size: str) -> None:
    offset = f.op(f"sub i64 {host}, {area.host}")
    f.emit(f"call void @{EARLY_READ}(ptr %st, ptr %rec, i64 {offset}, i64 {size})")


def _span(f: Fn, area: _Area, offset: str, size: str, flags: str, bad: str, good: str) -> None:
    """Check [offset, offset + size) of the area by runs, then go to `bad` or `good`."""
    first = f.op(f"lshr i64 {offset}, {area.shift}")
    count = f.op(f"lshr i64 {size}, {area.shift}")

    def call(space: Space, write: bool, _meet: str) -> None:
        at = f.op(f"mul i64 {first}, {space.bits // 8}")
        tag, new = area.values(space)
        code = f.call(
            "i32",
            name_of("span", space, write),
            f"ptr {f.at(area.writes, at)}, ptr {f.at(area.reads, at)}, i64 {count}, "
            f"{space.type} {tag}, {space.type} {new}, i1 {area.undefined}",
        )
        f.cond(f.op(f"icmp ne i32 {code}, 0"), bad, good, likely=False)

    area.dispatch(flags, call)
    f.br(good)  # not reached


class _Access:
    """`void asmevo_shadow(state, record, lanes, size, flags, lds)`; hosts stand in the state.

    Three ways to check: lanes side by side as a few runs, scattered lanes by short vectors, and
    granule by granule what neither can rule out, or what lies in several areas.
    """

    def __init__(self, module: Module) -> None:
        self.f = f = Fn(
            module,
            SHADOW,
            "ptr %st, ptr %rec, i64 %mask, i64 %size, i64 %flags, i64 %lds",
            noinline=True,
        )
        self.bits, self.bad = f.op("alloca i64"), f.op("alloca i64")
        self.out, self.mixed = f.label("out"), f.label("mixed")

    def emit(self) -> None:
        f = self.f
        some = f.label("some")
        f.cond(f.op("icmp eq i64 %mask, 0"), self.out, some)
        f.place(some)
        self.hosts = f.load(f.i64s, f.at("%st", L.HOST), L.ROW_ALIGN)
        self.active = f.op(f"bitcast i64 %mask to {f.i1s}")
        self.low, high = self._extreme("umin", -1), self._extreme("umax", 0)
        self.span = f.op(f"sub i64 {high}, {self.low}")
        self.area = _Area(f, self._find(high))
        self.offset = f.op(f"sub i64 {self.low}, {self.area.host}")
        self._enter(high)
        each_exact, lanes = f.label("eachexact"), f.label("lanes")
        relative, spread = self._relative(each_exact)
        self._near(relative, spread, lanes)
        f.place(lanes)
        self._scattered()
        f.br(each_exact)
        f.place(each_exact)
        pointer = self.area.pointer
        _each_lane(f, self.bits, self.out, lambda host: _exact(f, pointer, host, "%size", "%flags"))
        self._mixed()
        f.place(self.out)
        f.ret()
        f.finish()

    def _extreme(self, name: str, other: int) -> str:
        f = self.f
        filled = f.op(
            f"select {f.i1s} {self.active}, {f.i64s} {self.hosts}, {f.i64s} splat (i64 {other})"
        )
        name = f"llvm.vector.reduce.{name}.v{f.lanes}i64"
        return f.call("i64", name, f"{f.i64s} {filled}", f.i64s)

    def _find(self, high: str) -> str:
        """The area of the lowest lane; scratch needs no check."""
        f = self.f
        own = f.load("ptr", f.at("%st", L.SHADOW_LDS), 8)
        known, search, found = (f.label(x) for x in ("known", "search", "found"))
        f.cond(f.op("icmp ne i64 %lds, 0"), known, search)
        f.place(known)
        f.br(found)
        f.place(search)
        private = f.op(f"ptrtoint ptr {f.load('ptr', f.at('%st', L.PRIVATE), 8)} to i64")
        scratch = f.load("i64", f.at("%st", L.PRIVATE_SIZE), 8)
        scratch = f.op(f"mul i64 {scratch}, {f.lanes}")
        inside = [
            f.op(f"icmp ult i64 {f.op(f'sub i64 {x}, {private}')}, {scratch}")
            for x in (self.low, high)
        ]
        shared = f.label("shared")
        f.cond(f.op(f"and i1 {inside[0]}, {inside[1]}"), self.out, shared, likely=False)
        f.place(shared)
        other = f.call("ptr", AREA, f"ptr %st, ptr %rec, i64 {self.low}")
        there = f.label("there")
        f.cond(f.op(f"icmp eq ptr {other}, null"), self.mixed, there)
        f.place(there)
        f.br(found)
        f.place(found)
        return f.phi("ptr", [(own, known), (other, there)])

    def _enter(self, high: str) -> None:
        """Leave for several areas or an unwatched one; keep the access if it is outstanding."""
        f, area = self.f, self.area
        one_area, watched = f.label("onearea"), f.label("watched")
        top = f.op(f"sub i64 {high}, {area.host}")
        f.cond(f.op(f"icmp ult i64 {top}, {area.bytes}"), one_area, self.mixed, likely=True)
        f.place(one_area)
        early, calm = f.label("early"), f.label("calm")
        f.cond(_awaits_dma(f, area), early, calm, likely=False)
        f.place(early)
        f.store("i64", "%mask", self.bits, 8)
        _each_lane(f, self.bits, calm, lambda host: _early(f, area, host, "%size"))
        f.place(calm)
        f.cond(f.op(f"icmp eq ptr {area.writes}, null"), self.out, watched)
        f.place(watched)
        _hold(f, "%mask", "0")
        f.store("i64", "%mask", self.bits, 8)

    def _relative(self, each_exact: str) -> tuple[str, str]:
        """(distances from the lowest lane, their bits set anywhere); odd ones go to the exact."""
        f, area = self.f, self.area
        plain = f.label("plain")
        below = f.op(f"sub i64 {f.op(f'shl i64 1, {area.shift}')}, 1")
        relative = f.op(f"sub {f.i64s} {self.hosts}, {_splat64(f, self.low)}")
        relative = f.op(
            f"select {f.i1s} {self.active}, {f.i64s} {relative}, {f.i64s} zeroinitializer"
        )
        name = f"llvm.vector.reduce.or.v{f.lanes}i64"
        spread = f.call("i64", name, f"{f.i64s} {relative}", f.i64s)
        ragged = f.op(f"or i64 {f.op(f'or i64 {spread}, {self.offset}')}, %size")
        ragged = f.op(f"icmp ne i64 {f.op(f'and i64 {ragged}, {below}')}, 0")
        atomic = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {ATOMIC}')}, 0")
        f.cond(f.op(f"or i1 {ragged}, {atomic}"), each_exact, plain, likely=False)
        f.place(plain)
        return relative, spread

    def _near(self, relative: str, spread: str, lanes: str) -> None:
        """Lanes side by side: as few runs, one span each; others go to `lanes`."""
        f = self.f
        near, few = f.label("near"), f.label("few")
        less = f.op("sub i64 %size, 1")
        power = f.op(f"icmp eq i64 {f.op(f'and i64 %size, {less}')}, 0")
        even = f.op(f"and i64 {spread}, {less}")
        ok = f.op(f"and i1 {power}, {f.op(f'icmp eq i64 {even}, 0')}")
        reach = f.op(f"mul i64 %size, {f.lanes - 1}")
        ok = f.op(f"and i1 {ok}, {f.op(f'icmp ule i64 {self.span}, {reach}')}")
        f.cond(ok, near, lanes)
        f.place(near)
        log = f.call("i64", "llvm.cttz.i64", "i64 %size, i1 true", declare="i64, i1")
        position = f.op(f"lshr {f.i64s} {relative}, {_splat64(f, log)}")
        one = f.op(f"shl {f.i64s} splat (i64 1), {position}")
        # Inactive lanes are at position 0, where the lowest active lane is, too.
        name = f"llvm.vector.reduce.or.v{f.lanes}i64"
        bitmap = f.call("i64", name, f"{f.i64s} {one}", f.i64s)
        next_bits = f.op(f"shl i64 {bitmap}, 1")
        begins = f.op(f"and i64 {bitmap}, {f.op(f'xor i64 {next_bits}, -1')}")
        runs = f.call("i64", "llvm.ctpop.i64", f"i64 {begins}", declare="i64")
        f.cond(f.op(f"icmp ule i64 {runs}, {_MOST_RUNS}"), few, lanes)
        f.place(few)
        f.store("i64", bitmap, self.bits, 8)
        self._runs()

    def _runs(self) -> None:
        """Check every run of ones in the bitmap, from the lowest on."""
        f = self.f
        head, body, wrong = f.label("run"), f.label("runbody"), f.label("wrongrun")
        f.br(head)
        f.place(head)
        left = f.load("i64", self.bits, 8)
        f.cond(f.op(f"icmp eq i64 {left}, 0"), self.out, body)
        f.place(body)
        start = f.call("i64", "llvm.cttz.i64", f"i64 {left}, i1 true", declare="i64, i1")
        gone = f.op(f"xor i64 {f.op(f'lshr i64 {left}, {start}')}, -1")
        length = f.call("i64", "llvm.cttz.i64", f"i64 {gone}, i1 false", declare="i64, i1")
        first_bit = f.op(f"and i64 {left}, {f.op(f'sub i64 0, {left}')}")
        # Adding the lowest bit carries through the run; what stays was above it.
        carried = f.op(f"add i64 {left}, {first_bit}")
        f.store("i64", f.op(f"and i64 {left}, {carried}"), self.bits, 8)
        distance = f.op(f"mul i64 {start}, %size")
        size = f.op(f"mul i64 {length}, %size")
        place = f.op(f"add i64 {self.offset}, {distance}")
        _span(f, self.area, place, size, "%flags", wrong, head)
        f.place(wrong)
        _exact(f, self.area.pointer, f.op(f"add i64 {self.low}, {distance}"), size, "%flags")
        f.br(head)

    def _scattered(self) -> None:
        """Lanes anywhere in the area: which of them need the exact check."""
        f, area = self.f, self.area
        entries = f.op(f"lshr i64 %size, {area.shift}")
        twos = f.call("i64", "llvm.cttz.i64", f"i64 {entries}, i1 true", declare="i64, i1")
        capped = f.op(f"icmp ugt i64 {twos}, 4")
        twos = f.op(f"select i1 {capped}, i64 4, i64 {twos}")
        chunks = f.op(f"lshr i64 {entries}, {twos}")

        def call(space: Space, write: bool, meet: str) -> None:
            tag, new = area.values(space)
            labels = [f.label("width") for _ in WIDTHS]
            cases = " ".join(f"i64 {n}, label %{x}" for n, x in enumerate(labels))
            f.emit(f"switch i64 {twos}, label %{labels[0]} [ {cases} ]")
            for label, width in zip(labels, WIDTHS, strict=True):
                f.place(label)
                result = f.call(
                    "i64",
                    name_of("lanes", space, write, width),
                    f"ptr {f.at('%st', L.HOST)}, i64 %mask, i64 {area.host}, i64 {area.shift}, "
                    f"ptr {area.writes}, ptr {area.reads}, i64 {chunks}, {space.type} {tag}, "
                    f"{space.type} {new}, i1 {area.undefined}",
                )
                f.store("i64", result, self.bad, 8)
                f.br(meet)

        area.dispatch("%flags", call)
        f.store("i64", f.load("i64", self.bad, 8), self.bits, 8)

    def _mixed(self) -> None:
        """Lanes in several areas: each by itself."""
        f = self.f
        f.place(self.mixed)
        _hold(f, "%mask", "0")
        f.store("i64", "%mask", self.bits, 8)

        def by_lane(host: str) -> None:
            where = f.call("ptr", AREA, f"ptr %st, ptr %rec, i64 {host}")
            check, skip = f.label("check"), f.label("skip")
            f.cond(f.op(f"icmp eq ptr {where}, null"), skip, check)
            f.place(check)
            _exact(f, where, host, "%size", "%flags")
            f.br(skip)
            f.place(skip)

        _each_lane(f, self.bits, self.out, by_lane)


def _each_lane(f: Fn, bits: str, out: str, body: Callable[[str], None]) -> None:
    head, work = f.label("each"), f.label("eachbody")
    f.br(head)
    f.place(head)
    left = f.load("i64", bits, 8)
    f.cond(f.op(f"icmp eq i64 {left}, 0"), out, work)
    f.place(work)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {left}, i1 true", declare="i64, i1")
    f.store("i64", f.op(f"and i64 {left}, {f.op(f'sub i64 {left}, 1')}"), bits, 8)
    body(f.load("i64", f.at(f.at("%st", L.HOST), f.op(f"mul i64 {lane}, 8")), 8))
    f.br(head)


def _splat64(f: Fn, scalar: str) -> str:
    one = f.op(f"insertelement {f.i64s} poison, i64 {scalar}, i64 0")
    return f.op(f"shufflevector {f.i64s} {one}, {f.i64s} poison, <{f.lanes} x i32> zeroinitializer")


def _emit_age(module: Module) -> None:
    """`void asmevo_age(area)`: LDS entries lose their interval, whose numbers start again."""
    f = Fn(module, AGE, "ptr %area", noinline=True)
    shift = f.load("i64", f.at("%area", A_SHIFT), 8)
    count = f.op(f"lshr i64 {f.load('i64', f.at('%area', A_BYTES), 8)}, {shift}")
    for field in (A_WRITES, A_READS):
        entries = f.load("ptr", f.at("%area", field), 8)
        with CountedLoop(f, count, "entry") as each:
            at = f.at(entries, f.op(f"mul i64 {each.i}, 4"))
            f.store("i32", f.op(f"and i32 {f.load('i32', at)}, {(1 << EPOCH_SHIFT) - 1}"), at)
    f.ret()
    f.finish()


def emit_shadow(module: Module) -> None:
    """All functions of shadow memory."""
    emit_note(module)
    emit_taken(module)
    emit_area(module)
    emit_exact(module)
    for space in (LDS, MEMORY):
        for write in (False, True):
            emit_span(module, space, write)
            for width in WIDTHS:
                emit_lanes(module, space, write, width)
    _emit_straight(module)
    _Access(module).emit()
    _emit_age(module)
