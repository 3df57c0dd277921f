"""Where a value comes from: the definitions that reach a register, followed back through copies.

A jump goes to the right place after the code moved only if its address came there as it was: from
memory (relocations follow), from a caller, from a call as return address, or from an address that
`references` writes anew. Whatever was calculated with it is no such address. The walk goes back
through blocks, over all ways, and through copies: moves, selects, and SGPRs kept in VGPR lanes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto

from asmevo.isa.decoded import MEMORY_CLASSES, Decoded, ExecWrite, OpClass, decode
from asmevo.isa.flow import FlowKind, flow_of_text
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import FLAT_SCRATCH, VGPR0, Imm, Reg
from asmevo.isa.target import Target
from asmevo.program.encoding import EncodingTable
from asmevo.program.model import PcReference
from asmevo.program.rebuild.occurrences import Occurrences

Unit = int | tuple[int, int]  # a register unit, or (VGPR unit, lane) where an SGPR was kept


class Source(Flag):
    """What a register may hold."""

    NONE = 0
    WORD = auto()  # as a caller or the dispatch gave it
    LOADED = auto()  # as memory gave it, lane by lane
    FETCHED = auto()  # as memory gave it to an SGPR
    LOW = auto()  # of an address that is written anew
    HIGH = auto()
    RETURN_LOW = auto()  # of a return address
    RETURN_HIGH = auto()
    COUNTER = auto()  # the program counter, in no address that is written anew
    NUMBER = auto()  # a constant, or calculated


@dataclass
class Found:
    """All that may reach the places asked about.

    Attributes:
        sources: what kinds.
        references: which references, by their number.
        summed: what sums and other integer results were made of, where that was asked for.
    """

    sources: Source = Source.NONE
    summed: Source = Source.NONE
    references: set[int] = field(default_factory=set[int])


@dataclass(frozen=True, slots=True)
class _Way:
    """How a walk came to a place.

    Attributes:
        inside: from behind a call, into the function that returns there.
        summed: through an integer operation.
    """

    inside: bool = False
    summed: bool = False


class _Walk:
    """One walk: what is still to be looked at, and what was."""

    def __init__(self, work: list[tuple[int, Unit, _Way]], arithmetic: bool) -> None:
        self.work = work
        self.arithmetic = arithmetic
        self.found = Found()
        self._seen: set[tuple[int, Unit, _Way, str]] = set()

    def first(self, key: tuple[int, Unit, _Way, str]) -> bool:
        """Whether a place is looked at for the first time."""
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def add(self, source: Source, way: _Way) -> None:
        """Note what may be there."""
        if way.summed:
            self.found.summed |= source
        else:
            self.found.sources |= source


_PLAIN_FORMS = ("", "e32", "e64", "dpp", "e64_dpp", "dpp8")
_PARTIAL_LOADS = re.compile(r"byte|short|_d16|_[iu](8|16)(_|$)")
_MOVES_REGISTERS_ABOUT = re.compile(r"s_movreld|s_movrelsd")
_LEAVES = re.compile(r"s_(xor|andn2|and_not1)_b(32|64) exec(_lo)?, exec(_lo)?, ")
_INDEXES_VGPRS = re.compile(r"v_movrel|v_swaprel|s_set_gpr_idx|s_set_vgpr_msb")


class Origins:
    """Definitions of one program, found when they are asked for.

    Args:
        target: what it was compiled for.
        encodings: the table its instructions are in.
        instructions: all of them.
        targets: branch index -> target index.
        entries: where control comes in from outside -> whether from a dispatch.
        firsts: first instruction of each function, ascending.
        references: the addresses that are written anew.

    What a call leaves in a register is what was there, or what its callee leaves: `leads` and
    `leads_anywhere` say where computed jumps go, as far as that is known; until then a call is
    taken to change nothing, so ask again after each.
    """

    def __init__(
        self,
        target: Target,
        encodings: EncodingTable,
        instructions: Sequence[Instruction],
        targets: Mapping[int, int],
        entries: Mapping[int, bool],
        firsts: Sequence[int],
        references: Sequence[PcReference],
    ) -> None:
        self._target = target
        self._instructions = instructions
        self._entries = entries
        self._firsts = firsts
        self.occurrences = every = Occurrences(target, instructions)
        self._stops = set(every.where(lambda i: i.raw in encodings.stops))
        self._edges: dict[int, list[int]] = defaultdict(list)
        for branch, goal in targets.items():
            self._edges[goal].append(branch)
        starts = {0, *entries, *self._edges, *(n + 1 for n in self._stops)}
        self._starts = sorted(starts)
        self._start_set = starts
        self._calls = every.where(lambda i: _kind(i) is FlowKind.CALL)
        self._jumps = [n for n in sorted(self._stops) if n not in targets
                       and _kind(instructions[n]) is FlowKind.COMPUTED]  # fmt: skip
        self._callees: dict[int, set[int]] = {
            n: {self._function(targets[n])} if n in targets else set() for n in self._calls
        }
        self._goals: dict[int, set[int]] = defaultdict(set)
        self.return_units = {
            u for n in self._calls for o in instructions[n].operands[:1] if o.reg
            for u in o.reg.units
        }  # fmt: skip
        self._parts = self._reference_parts(references)
        self._writers: dict[Unit, list[int]] = {}
        texts = [i.text for i in every.distinct if i.text]
        self._vague_sgprs = any(_MOVES_REGISTERS_ABOUT.match(t) for t in texts)
        self._vague_vgprs = any(_INDEXES_VGPRS.match(t) for t in texts)
        self._leaves = every.where(lambda i: i.text and _LEAVES.match(i.text))
        self._other_exec = every.where(self._sets_exec)

    def _reference_parts(self, references: Sequence[PcReference]) -> dict[tuple[int, int], int]:
        """(instruction, unit) that is a half of an address written anew -> its number."""
        parts: dict[tuple[int, int], int] = {}
        for n, r in enumerate(references):
            pair = self._instructions[r.pc_read].operands[0].reg
            assert pair is not None
            for i in range(r.pc_read + 1, r.high + 1):
                for unit in self.record(i).defs & set(pair.units):
                    parts[i, unit] = n
        return parts

    def record(self, index: int) -> Decoded:
        """The record of an instruction."""
        return decode(self._instructions[index], self._target)

    def in_reference(self, index: int, unit: int) -> bool:
        """Whether an instruction forms an address that is written anew, in that register."""
        return (index, unit) in self._parts

    def leads(self, jump: int, goal: int) -> bool:
        """Note that a computed jump or call goes to an instruction; False if that was known."""
        if goal in self._goals[jump]:
            return False
        self._goals[jump].add(goal)
        self._edges[goal].append(jump)
        if jump in self._callees:
            self._callees[jump].add(self._function(goal))
        if goal not in self._start_set:
            self._start_set.add(goal)
            self._starts = sorted(self._start_set)
        return True

    def leads_anywhere(self, call: int) -> bool:
        """Note that a call may go to any function; False if that was known."""
        callees = self._callees.get(call)
        if callees is None or len(callees) == len(self._firsts):
            return False
        callees.update(range(len(self._firsts)))
        return True

    def _function(self, index: int) -> int:
        return max(bisect_right(self._firsts, index) - 1, 0)

    def _returns(self, call: int) -> list[int]:
        """Jumps at which a callee may end, and those of what it goes on to."""
        out: list[int] = []
        work, seen = list(self._callees[call]), set[int]()
        while work:
            f = work.pop()
            if f in seen:
                continue
            seen.add(f)
            last = self._firsts[f + 1] if f + 1 < len(self._firsts) else len(self._instructions)
            for jump in self._jumps[bisect_left(self._jumps, self._firsts[f]) :]:
                if jump >= last:
                    break
                out.append(jump)
                work += [self._function(goal) for goal in self._goals.get(jump, ())]
        return out

    def _positions(self, unit: Unit) -> list[int]:
        """Where a register is written."""
        found = self._writers.get(unit)
        if found is None:
            numbers = self.occurrences.writers(unit if isinstance(unit, int) else unit[0])
            if isinstance(unit, tuple):
                distinct = self.occurrences.distinct
                numbers = {n for n in numbers if not _other_lane(distinct[n], unit[1])}
            found = self._writers[unit] = self.occurrences.places(numbers)
        return found

    # --- the walk ------------------------------------------------------------------------------

    def query(self, items: Iterable[tuple[int, Unit]], arithmetic: bool = False) -> Found:
        """What may be in a register right before an instruction, for all (instruction, register).

        Args:
            items: where to begin.
            arithmetic: go on through what integer operations were given, too.
        """
        walk = _Walk([(index, unit, _Way()) for index, unit in items], arithmetic)
        while walk.work:
            index, unit, way = walk.work.pop()
            register = unit if isinstance(unit, int) else unit[0]
            if self._vague_vgprs if register >= VGPR0 else self._vague_sgprs:
                walk.add(Source.NUMBER, way)
                continue
            if index not in self._start_set:
                self._behind(index - 1, unit, way, walk)
                continue
            if not walk.first((index, unit, way, "")):
                continue
            entry = index in self._entries
            if entry and not way.inside:
                walk.add(self._given(index, unit), way)
            for branch in self._edges.get(index, ()):
                if entry and way.inside and branch in self._callees:
                    continue  # the caller that asks looks at its own register
                if register in self.record(branch).defs:
                    self._transfer(branch, unit, way, walk)
                else:
                    walk.work.append((branch, unit, way))
            if index and index - 1 not in self._stops:
                self._behind(index - 1, unit, way, walk)
        return walk.found

    def _given(self, entry: int, unit: Unit) -> Source:
        if self._entries[entry] or unit not in self.return_units:
            return Source.WORD
        assert isinstance(unit, int)
        return Source.RETURN_HIGH if unit & 1 else Source.RETURN_LOW

    def _behind(self, index: int, unit: Unit, way: _Way, walk: _Walk) -> None:
        """Right behind instruction `index`, reached from it."""
        start = self._starts[bisect_right(self._starts, index) - 1]
        positions = self._positions(unit)
        n = bisect_right(positions, index) - 1
        last = positions[n] if n >= 0 and positions[n] >= start else None
        since = bisect_right(self._calls, start - 1 if last is None else last)
        register = unit if isinstance(unit, int) else unit[0]
        for call in self._calls[since : bisect_right(self._calls, index)]:
            if register >= VGPR0 and self._lanes_leave(call, index):
                continue
            left = _Way(True, way.summed)
            if walk.first((call, unit, left, "left")):
                walk.work += [(jump, unit, left) for jump in self._returns(call)]
        if last is None:
            walk.work.append((start, unit, way))
            return
        self._transfer(last, unit, way, walk)
        if register >= VGPR0 and self._lanes_return(last, index):
            walk.work.append((last, unit, way))

    def _lanes_return(self, first: int, last: int) -> bool:
        """Whether lanes that did not take part in `first` may be active again behind `last`."""
        return _any_within(self._other_exec, first, last)

    def _sets_exec(self, inst: Instruction) -> bool:
        named = inst.text is not None and "exec" in inst.text
        return named and decode(inst, self._target).exec_write is ExecWrite.OTHER

    def _lanes_leave(self, call: int, last: int) -> bool:
        """Whether the lanes that went into a call are taken out of EXEC behind it.

        Calls through a register of each lane are a loop over their values; what the callee leaves
        in the lanes that were called for does not matter then.
        """
        return _any_within(self._leaves, call, last)

    def _transfer(self, index: int, unit: Unit, way: _Way, walk: _Walk) -> None:
        """What instruction `index` puts into `unit`."""
        if not walk.first((index, unit, way, "made")):
            return
        inst, record = self._instructions[index], self.record(index)
        reference = self._parts.get((index, unit)) if isinstance(unit, int) else None
        if reference is not None:
            assert isinstance(unit, int)
            walk.add(Source.HIGH if unit & 1 else Source.LOW, way)
            walk.found.references.add(reference)
            return
        if record.traits.reads_pc:
            walk.add(Source.COUNTER, way)
            return
        if record.flow.kind is FlowKind.CALL:
            assert isinstance(unit, int)
            walk.add(Source.RETURN_HIGH if unit & 1 else Source.RETURN_LOW, way)
            return
        copied = _copied(inst, record, unit, self._target)
        if copied is not None:
            for source in copied:
                if source is None:
                    walk.add(Source.NUMBER, way)
                else:
                    walk.work.append((index, source, way))
            return
        if record.kind in MEMORY_CLASSES and record.loads and inst.text is not None:
            whole = not _PARTIAL_LOADS.search(record.name)
            access = record.access
            if whole and not (access is not None and (access.permutes or access.typed)):
                scalar = record.kind is OpClass.SMEM
                walk.add(Source.FETCHED if scalar else Source.LOADED, way)
                return
        walk.add(Source.NUMBER, way)
        integer = record.kind in (OpClass.SALU, OpClass.VALU) and record.traits.carries_addresses
        if walk.arithmetic and integer:
            used = [u for u in record.uses if u < FLAT_SCRATCH or u >= VGPR0]
            summed = _Way(way.inside, True)
            walk.work += [(index, u, summed) for u in used]


def _any_within(places: Sequence[int], before: int, last: int) -> bool:
    """Whether one of the places lies behind `before` and not behind `last`."""
    n = bisect_right(places, before)
    return n < len(places) and places[n] <= last


def _kind(inst: Instruction) -> FlowKind:
    return flow_of_text(inst.text or "").kind


def _lane(inst: Instruction) -> int | None:
    """The lane that `v_writelane_b32` or `v_readlane_b32` names, if it is a constant."""
    value = inst.operands[2].value if len(inst.operands) > 2 else None
    return value.value if isinstance(value, Imm) else None


def _other_lane(inst: Instruction, lane: int) -> bool:
    """Whether an instruction writes only one lane, and not this one."""
    if not (inst.text or "").startswith("v_writelane_b32"):
        return False
    written = _lane(inst)
    return written is not None and written != lane


def _copied(
    inst: Instruction, record: Decoded, unit: Unit, target: Target
) -> list[Unit | None] | None:
    """Registers whose content `unit` may get as it is (None is a constant), or None: no copy."""
    register, lane = unit if isinstance(unit, tuple) else (unit, None)
    if len(inst.halves) == 2:
        for half in inst.halves:
            part = decode(half, target)
            if register in part.defs:
                return _copied(half, part, unit, target)
        return None
    name = inst.base.replace("v_dual_", "v_")
    operands = inst.operands
    if inst.form not in _PLAIN_FORMS or any(o.neg or o.abs or o.sext for o in operands):
        return None
    if name == "v_writelane_b32":
        kept = [unit] if lane is None or _lane(inst) != lane else []
        return [*_units_of(inst, 1, register, None), *kept]
    if name == "v_readlane_b32":
        vector = operands[1].reg
        at = _lane(inst)
        if vector is None:
            return None
        return [vector.units[0] if at is None else (vector.units[0], at)]
    if name in ("v_swap_b32", "v_swap_b16"):
        regs = [o.reg for o in operands]
        other = regs[1] if regs[0] and register in regs[0].units else regs[0]
        return [_with_lane(other.units[0], lane)] if other and "16" not in name else None
    if name.endswith("b16") or any(o.reg and o.reg.half for o in operands):
        return None
    if name.startswith("s_cmov_b"):
        return [*_units_of(inst, 1, register, lane), unit]
    if record.traits.selects or name.startswith("v_cndmask_b32"):
        return [*_units_of(inst, 1, register, lane), *_units_of(inst, 2, register, lane)]
    if record.traits.moves or name in ("v_mov_b32", "v_mov_b64"):
        return _units_of(inst, 1, register, lane)
    return None


def _with_lane(unit: int, lane: int | None) -> Unit:
    return unit if lane is None or unit < VGPR0 else (unit, lane)


def _units_of(
    inst: Instruction, operand: int, register: int, lane: int | None
) -> list[Unit | None]:
    """The unit of a source operand that goes to `register` of the first operand."""
    to, source = inst.operands[0].reg, inst.operands[operand].value
    if not isinstance(source, Reg) or to is None or register not in to.units:
        return [None]
    part = register - to.units[0]
    return [_with_lane(source.units[part], lane)] if part < source.count else [None]
