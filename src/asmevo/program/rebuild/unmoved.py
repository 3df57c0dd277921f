"""What would go wrong silently if the code changed its size: the reasons to refuse it.

A distance that nobody finds cannot be written anew: an offset in a jump table, an address in a
packed relocation, a constant between functions that looks like a branch. Each is refused by name
before anything is written; edits of the same size still work.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asmevo.codeobject import CodeObject
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.codeobject.elf import PT_LOAD, SHF_ALLOC, SHT_RELA
from asmevo.codeobject.relocations import PACKED, RelocationType
from asmevo.isa.decoded import decode
from asmevo.isa.flow import FlowKind, flow_of, flow_of_text
from asmevo.isa.instruction import Instruction
from asmevo.isa.names import canonical
from asmevo.isa.operand import Reg
from asmevo.program.encoding import EncodingTable
from asmevo.program.model import Function, PcReference
from asmevo.program.rebuild.origins import Origins, Source

_WINDOW = 64  # instructions in which an address usually reaches its jump
_TARGETED = (FlowKind.COMPUTED, FlowKind.CALL, FlowKind.FORK)
_AS_IT_CAME = Source.WORD | Source.LOADED | Source.FETCHED
_LOW = Source.LOW | Source.RETURN_LOW | _AS_IT_CAME
_HIGH = Source.HIGH | Source.RETURN_HIGH | _AS_IT_CAME


@dataclass(frozen=True)
class Code:
    """The decoded code of an object, as recovery finds it.

    Attributes:
        instructions: all of `.text` in order.
        special: indices of what changes or reads the program counter, in order.
        offsets: byte offset of each.
        targets: direct branch index -> target index.
        functions: in address order.
        references: the addresses that are written anew.
        loose_reads: indices of `s_getpc` that belong to no reference.
    """

    co: CodeObject
    encodings: EncodingTable
    instructions: Sequence[Instruction]
    special: Sequence[int]
    offsets: Sequence[int]
    targets: Mapping[int, int]
    functions: Sequence[Function]
    references: Sequence[PcReference]
    loose_reads: Sequence[int]

    def named(self, index: int) -> str:
        """An instruction with its place, for a message."""
        place = f"{self.co.text_section.name}+0x{self.offsets[index]:x}"
        return f"{self.instructions[index].text} at {place}"


def refuse_growth(code: Code) -> str:
    """Why the code must keep its size, or an empty string."""
    co = code.co
    if co.elf.stripped:
        return "the object has no section headers, which say what lies behind the code"
    text = co.text_section
    holding = (p for p in co.elf.segments if p.type == PT_LOAD and p.offset <= text.offset
               and text.offset + text.size <= p.offset + p.file_size)  # fmt: skip
    if len(co.code_sections) > 1 and next(holding, None) is None:
        return "the code lies in several segments"
    for s in co.elf.sections:
        if s.type in PACKED and s.flags & SHF_ALLOC and s.size:
            return f"{PACKED[s.type]} relocations ({s.name}) hold addresses that are not followed"
    stops = [i for i in code.special if code.instructions[i].raw in code.encodings.stops]
    entries = _entries(code)
    followed, entered = _plain_jumps(code, entries)
    if entered is not None:
        return f"{code.named(entered)} takes the program counter where other code comes in"
    refusal, more = _unproven(code, entries, followed)
    if refusal:
        return refusal
    roots = {*entries, *more, *(goal for goal in followed.values() if goal is not None)}
    reach = _Reach(stops, len(code.instructions), code.targets, roots)
    for r in code.references:
        if r.target is not None and r.target not in reach:
            place = f"{co.text_section.name}+0x{code.offsets[r.target]:x}"
            return f"{code.named(r.pc_read)} takes the address of {place}, which may be data"
    stray = reach.stray_branch()
    if stray is not None:
        return (
            f"nothing leads to the word at {co.text_section.name}+0x{code.offsets[stray]:x}, "
            "which reads as a branch and may be data"
        )
    return ""


def _entries(code: Code) -> dict[int, bool]:
    """Where control comes in: starts of functions and second entries -> whether from a dispatch."""
    entries = {f.first: f.is_kernel for f in code.functions}
    for k in code.co.kernels if code.co.target.is_gfx9 else ():
        second = bisect_left(code.offsets, k.entry + PRELOAD_PROLOGUE)
        if k.descriptor.kernarg_preload_length and second < len(code.offsets):
            entries.setdefault(second, True)
    return entries


def _pair(inst: Instruction) -> Reg | None:
    reg = inst.operands[-1].reg if inst.operands else None
    return reg if reg is not None and reg.count == 2 else None


def _plain_jumps(
    code: Code, entries: Mapping[int, bool]
) -> tuple[dict[int, int | None], int | None]:
    """(jumps that take a reference as it was just formed -> where they go, a faulty reference).

    A reference is faulty when control comes in between its instructions.
    """
    followed: dict[int, int | None] = {}
    starts = sorted({*code.targets.values(), *entries})
    instructions, target = code.instructions, code.co.target
    for r in code.references:
        first = bisect_right(starts, r.pc_read)
        entered = starts[first] if first < len(starts) else len(instructions)
        if entered <= r.high:
            inside = [i for i in range(r.pc_read, r.high) if code.targets.get(i) == entered]
            if r.addend is None or r.sign or not inside:
                return followed, r.pc_read
            following = bisect_right(starts, r.high)
            entered = starts[following] if following < len(starts) else len(instructions)
        pair = instructions[r.pc_read].operands[0].reg
        assert pair is not None
        jumps = [i for i in range(r.low + 1, r.high) if r.addend is not None
                 and flow_of(instructions[i].base).kind is FlowKind.COMPUTED]  # fmt: skip
        for i in range(r.high + 1, min(r.high + 1 + _WINDOW, entered)):
            inst = instructions[i]
            if inst.text is None:
                break
            flow = flow_of_text(inst.text)
            if flow.kind in _TARGETED and not flow.direct and _pair(inst) == pair:
                jumps.append(i)
                break
            if not flow.falls or flow.kind is FlowKind.CALL:
                break
            if not decode(inst, target).defs.isdisjoint(pair.units):
                break
        followed.update(dict.fromkeys(jumps, r.target))
    return followed, None


def _unproven(
    code: Code, entries: Mapping[int, bool], followed: Mapping[int, int | None]
) -> tuple[str, set[int]]:
    """(an address that is not proven to follow the code, or empty; where proven jumps go)."""
    kinds = [flow_of_text(code.instructions[i].text or "").kind for i in code.special]
    open_jumps = [
        i for i, kind in zip(code.special, kinds, strict=True)
        if kind in _TARGETED and i not in code.targets and i not in followed
    ]  # fmt: skip
    calls = FlowKind.CALL in kinds
    others = any(r.target is not None and r.target not in followed.values()
                 for r in code.references)  # fmt: skip
    if not open_jumps and not calls and not code.loose_reads and not others:
        return "", set()
    for i in open_jumps:
        name = canonical(code.instructions[i].base)
        if name == "s_add_pc_i64" or (_pair(code.instructions[i]) is None and not _joins(name)):
            return f"{code.named(i)} goes to an address that is not followed", set()
    origins = Origins(
        code.co.target, code.encodings, code.instructions, code.targets, entries,
        [f.first for f in code.functions], code.references,
    )  # fmt: skip
    for jump, goal in followed.items():
        if goal is not None:
            origins.leads(jump, goal)
    goals, unproven = _goals(code, origins, [i for i in open_jumps if _pair(code.instructions[i])])
    refusal = _misused(code, origins)
    if unproven is not None and not refusal:
        verb = "jumps to" if code.instructions[unproven].raw in code.encodings.stops else "calls"
        refusal = f"{code.named(unproven)} {verb} an address that is not followed"
    refusal = refusal or _stored(code, origins, open_jumps)
    return refusal or _read_as_data(code, origins, goals, followed), goals


def _joins(name: str) -> bool:
    """Whether a jump takes its address from where the fork of gfx9 noted it."""
    return name == "s_cbranch_join"


def _goals(code: Code, origins: Origins, jumps: Sequence[int]) -> tuple[set[int], int | None]:
    """(instructions that computed jumps go to, the first jump whose address is not proven)."""
    goals: set[int] = set()
    again = True
    while again:  # a jump found makes a way on which further addresses come
        again = False
        for i in jumps:
            low, high = (origins.query([(i, unit)]) for unit in _units(code.instructions[i]))
            if not _proven(code, i, low.sources, high.sources):
                return goals, i
            for n in low.references | high.references:
                goal = code.references[n].target
                if goal is not None:
                    goals.add(goal)
                    again |= origins.leads(i, goal)
            if (low.sources | high.sources) & ~(Source.LOW | Source.HIGH):
                again |= origins.leads_anywhere(i)
    return goals, None


def _proven(code: Code, jump: int, low: Source, high: Source) -> bool:
    """Whether the halves of an address came as they were, and belong together."""
    if low & ~_LOW or high & ~_HIGH or bool(low & Source.LOW) != bool(high & Source.HIGH):
        return False
    if not (low | high) & Source.FETCHED or code.instructions[jump].raw not in code.encodings.stops:
        return True
    # A jump on, no call, by a table of addresses: relocations must have put them there.
    co = code.co
    return any(
        r.type == RelocationType.RELATIVE64 and 0 <= r.addend - co.text_address < len(co.text)
        for s in co.elf.sections if s.type == SHT_RELA for r in co.elf.relocations(s)
    )  # fmt: skip


def _misused(code: Code, origins: Origins) -> str:
    """A program counter or return address that is neither jumped to nor merely kept."""
    reads = {u for i in code.loose_reads for o in code.instructions[i].operands[:1] if o.reg
             for u in o.reg.units}  # fmt: skip
    for i, unit in origins.occurrences.users(reads):
        record = origins.record(i)
        if record.traits.prefetches_code or origins.in_reference(i, unit):
            continue
        if origins.query([(i, unit)]).sources & Source.COUNTER:
            read = code.loose_reads[0]
            return f"{code.named(read)} takes the program counter in a way that is not understood"
    for i, unit in origins.occurrences.users(origins.return_units):
        record = origins.record(i)
        kept = record.traits.moves or record.traits.copies or record.stores or record.traits.selects
        if kept or record.flow.kind in _TARGETED:
            continue
        if origins.query([(i, unit)]).sources & (Source.RETURN_LOW | Source.RETURN_HIGH):
            return f"{code.named(i)} takes a return address in a way that is not understood"
    return ""


def _stored(code: Code, origins: Origins, jumps: Sequence[int]) -> str:
    """A sum with an address of the code in memory, from where a jump might take it."""
    loaded = origins.query([(i, u) for i in jumps for u in _units(code.instructions[i])])
    memory = Source.LOADED | Source.FETCHED
    if not loaded.sources & memory or not (code.references or origins.return_units):
        return ""

    def stored(inst: Instruction) -> list[int]:
        record = decode(inst, code.co.target) if inst.text else None
        access = record.access if record is not None and record.stores else None
        data = access.data if access is not None else ()
        return [u for n in data for reg in (inst.operands[n].reg,) if reg for u in reg.units]

    found = origins.query(origins.occurrences.pairs(stored), arithmetic=True)
    moved = Source.LOW | Source.HIGH | Source.RETURN_LOW | Source.RETURN_HIGH | Source.COUNTER
    if found.summed & moved:
        return "memory holds sums with addresses of the code, and jumps take theirs from memory"
    return ""


def _read_as_data(
    code: Code, origins: Origins, goals: set[int], followed: Mapping[int, int | None]
) -> str:
    """An address in the code, taken for no jump, with which memory is read."""
    jumped = {*goals, *followed.values()}
    open_ones = {n for n, r in enumerate(code.references)
                 if r.target is not None and r.target not in jumped}  # fmt: skip
    if not open_ones:
        return ""

    def addresses(inst: Instruction) -> list[int]:
        access = decode(inst, code.co.target).access if inst.text is not None else None
        regs = (inst.operands[n].reg for n in (access.address if access is not None else ()))
        return [unit for reg in regs if reg is not None for unit in reg.units]

    pairs = origins.occurrences.pairs(addresses)
    read = origins.query(pairs, arithmetic=True).references & open_ones
    if not read:
        return ""
    r = code.references[min(read)]
    return f"{code.named(r.pc_read)} takes an address of the code with which memory is read"


def _units(inst: Instruction) -> Sequence[int]:
    pair = _pair(inst)
    return pair.units if pair is not None else ()


class _Reach:
    """What control comes to from some roots.

    `stops` are the indices that nothing falls through, in order. Between two of them code is
    reached from its lowest entry on.
    """

    def __init__(
        self, stops: Sequence[int], count: int, targets: Mapping[int, int], roots: set[int]
    ) -> None:
        self._stops = stops
        self._count = count
        self._branches = branches = sorted(targets)
        self._lowest: dict[int, int] = {}  # number of the stop behind -> lowest reached index
        work = list(roots)
        while work:
            at = work.pop()
            segment = bisect_left(stops, at)
            last = stops[segment] if segment < len(stops) else count - 1
            before = self._lowest.get(segment, last + 1)
            if at < before:
                self._lowest[segment] = at
                reached = branches[bisect_left(branches, at) : bisect_left(branches, before)]
                work.extend(targets[i] for i in reached)

    def __contains__(self, index: int) -> bool:
        return index >= self._lowest.get(bisect_left(self._stops, index), self._count)

    def stray_branch(self) -> int | None:
        """The first branch that no path comes to."""
        return next((i for i in self._branches if i not in self), None)
