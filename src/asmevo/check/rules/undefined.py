"""Undefined values behind copies: followed to where they decide something.

What: a register that was never written may be moved, spilled and reloaded without harm; compilers
copy pairs of which one half was never set. It is an error where the copy is used as an address, a
descriptor, a branch condition, a jump's target, EXEC or M0, or where nothing but it is stored.

How: from the first copy of an undefined register on, what holds an undefined value on every path
is followed: scalars, and of vector registers the lanes. What an instruction makes of it is asked
of its semantics (`undefined_results`): moves of every form, lane reads, writes and permutations,
swaps, selections, comparisons and arithmetic that cannot absorb its operands (not `and`, `min`, a
product). Spills to scratch or LDS are found again by their address: a constant, or the text of its
registers. Where EXEC is written anywhere, a vector result counts only in lanes that were undefined
before, too; a vector address is an error when most lanes are undefined. What is not known is taken
as defined.

Source: LLVM LangRef (`undef` as an address or branch condition is undefined behaviour); the case
`undefined-descriptor-base` of a public report (ROCm/FlyDSL 1087).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from asmevo.check.engine.facts import InstructionFacts
from asmevo.check.engine.view import View
from asmevo.check.findings import ERROR, Finding
from asmevo.check.rules.undefined_results import ONES, results
from asmevo.check.rules.waits import register_text
from asmevo.isa.access import Access, Space
from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.effects import MEMORY_CLASSES, OpClass
from asmevo.isa.flow import FlowKind
from asmevo.isa.hazards.roles import EXEC_MASK, mask_of, units_of
from asmevo.isa.movement import ALL, LANES, moved_operands
from asmevo.isa.operand import M0, VGPR0, Imm
from asmevo.isa.semantics.memory import memory_op

Slot = int | tuple[object, ...]
"""A register unit, or (space, address without its constants, byte)."""


class Origin(NamedTuple):
    """Where an undefined value came from: the first copy, and the unit that it copied."""

    at: int
    unit: int


class Held(NamedTuple):
    """An undefined value: its origin, the lanes that surely hold it (`ALL` of a scalar), its bits.

    What a mask leaves of an undefined value decides nothing but comparisons.
    """

    origin: Origin
    lanes: int
    bits: int = ONES


State = dict[Slot, Held]


class _Where(NamedTuple):
    """An address: (mask of its registers, their names), bytes behind them, bytes at each."""

    key: tuple[int, str]
    places: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class _Use:
    """Units of an instruction that decide something, and what they are to it."""

    what: str
    mask: int
    whole: bool = False  # only wrong when all of them are undefined


def undefined_uses(view: View, anywhere: Mapping[int, int]) -> list[Finding]:
    """Uses of undefined values behind copies; at most one finding for an instruction.

    Args:
        view: the function.
        anywhere: per reachable chunk, the units that some path to its start defines.
    """
    return _Follow(view, anywhere).findings()


class _Follow:
    """The analysis on one function: which slots surely hold an undefined value."""

    def __init__(self, view: View, anywhere: Mapping[int, int]) -> None:
        self.view, self.anywhere = view, anywhere
        self.changes_exec = any(f.defs & EXEC_MASK for f in view.facts)
        self.found: dict[int, Finding] = {}

    def findings(self) -> list[Finding]:
        """Findings at the fixed point."""
        view = self.view
        entries: dict[int, State] = {number: {} for number in view.entries}
        todo = set(entries)
        while todo:
            number = min(todo, key=view.order.index)
            todo.discard(number)
            chunk = view.chunks[number]
            out = self._walk(number, dict(entries[number]), report=False)
            for successor in chunk.successors:
                before = entries.get(successor)
                new = out if before is None else _meet(before, out)
                if before is None or _extents(new) != _extents(before):
                    entries[successor] = dict(new)
                    todo.add(successor)
        for number in view.order:
            if number in entries:
                self._walk(number, dict(entries[number]), report=True)
        return [self.found[i] for i in sorted(self.found)]

    def _walk(self, number: int, state: State, report: bool) -> State:
        chunk = self.view.chunks[number]
        maybe = self.anywhere.get(number, ~0)
        for i, f in enumerate(chunk.content.facts, chunk.first):
            record = decode(f.inst, self.view.target)
            if report and (state or _copies(record)):
                self._report(i, f, record, state, maybe)
            self._step(i, f, record, state, maybe)
            maybe |= f.defs
        return state

    # --- what an instruction does to the state --------------------------------------------

    def _step(self, i: int, f: InstructionFacts, record: Decoded, state: State, maybe: int) -> None:
        if record.flow.kind is FlowKind.CALL:
            state.clear()  # callees may define anything
            return
        new = dict(self._results(i, record, state, maybe))
        vector = f.kind in (OpClass.VALU, OpClass.TRANS)
        if new and vector and self.changes_exec and not record.traits.ignores_exec:
            # Lanes that were off may hold values: undefined only if they were so before.
            for slot in [s for s in new if isinstance(s, int) and s >= VGPR0]:
                old = self._is(slot, state, maybe, i)
                new[slot] = _common(new[slot], old) if old else new[slot]._replace(lanes=0)
        if f.kind is OpClass.BARRIER:
            for slot in [s for s in state if isinstance(s, tuple) and s[0] is Space.LDS]:
                del state[slot]
        if state and (f.defs or record.stores):
            self._overwrite(i, f, record, state)
        state.update((slot, held) for slot, held in new.items() if held.lanes and held.bits)

    def _overwrite(self, i: int, f: InstructionFacts, record: Decoded, state: State) -> None:
        """Forget what the instruction overwrites or may overwrite."""
        access = record.access if record.stores else None
        where = self._address(i, record, access) if access is not None else None
        for slot in list(state):
            if isinstance(slot, int):
                if f.defs >> slot & 1:
                    del state[slot]
            else:
                key = slot[1]
                assert isinstance(key, tuple)
                if f.defs & key[0] or (access is not None and _may_hit(access, where, slot)):
                    del state[slot]

    def _results(
        self, i: int, record: Decoded, state: State, maybe: int
    ) -> Iterator[tuple[Slot, Held]]:
        """Slots that the instruction fills with an undefined value."""
        for half in record.halves:
            access = half.access
            if half.kind in MEMORY_CLASSES and not (access is not None and access.permutes):
                yield from self._memory(i, half, state, maybe)
                continue
            known = self._sources(i, half, state, maybe)
            if not known or not half.defs:
                continue
            extents = {unit: (held.lanes, held.bits) for unit, held in known.items()}
            if self.changes_exec and not half.traits.ignores_exec and max(half.defs) < VGPR0:
                # To a scalar: which lane is the first, or takes part, is not known.
                extents = {unit: x for unit, x in extents.items() if x[0] == ALL}
            first = next(iter(known.values())).origin
            copied = half.traits.copies and len(half.def_operands) == 1
            for unit, extent in results(half, extents).items():
                origin = first
                if copied:  # of a tuple, each register has an origin of its own
                    origin = self._origin_of_copy(half, unit, known) or first
                yield unit, Held(origin, *extent)

    def _sources(self, i: int, half: Decoded, state: State, maybe: int) -> dict[int, Held]:
        """Undefined values that an instruction reads; the registers themselves if it copies."""
        known = {u: state[u] for u in half.uses if u in state}
        if half.traits.copies and not half.uses <= known.keys():
            for unit in units_of(moved_mask(half)):
                held = self._is(unit, state, maybe, i)
                if held is not None:
                    known[unit] = held
        return known

    def _origin_of_copy(self, half: Decoded, unit: int, known: Mapping[int, Held]) -> Origin | None:
        """The origin of the register at the same place of a copied tuple."""
        to = half.inst.operands[half.def_operands[0]].reg
        for n in half.use_operands:
            source = half.inst.operands[n].reg
            if to is not None and source is not None and unit in to.units:
                at = source.units.start + (unit - to.units.start)
                if at in known:
                    return known[at].origin
        return None

    def _memory(
        self, i: int, record: Decoded, state: State, maybe: int
    ) -> Iterator[tuple[Slot, Held]]:
        """Spills to scratch and LDS, and their reloads, by the address's text."""
        access = record.access
        if access is None or access.space not in (Space.SCRATCH, Space.LDS) or access.atomic:
            return
        kept = any(isinstance(slot, tuple) for slot in state)
        data = [record.inst.operands[n].reg for n in access.data]
        held = {
            unit: value
            for reg in data
            for unit in (reg.units if reg is not None else ())
            if (value := self._is(unit, state, maybe, i)) is not None
        }
        if access.part or not (held if record.stores else kept):
            return
        where = self._address(i, record, access)
        if where.size < 4:
            return
        if record.stores:
            for reg, first in zip(data, where.places, strict=False):
                for at, unit in enumerate(reg.units if reg is not None else ()):
                    if unit in held:
                        yield (access.space, where.key, first + 4 * at), held[unit]
        elif record.loads and len(record.def_operands) == 1:
            reg = record.inst.operands[record.def_operands[0]].reg
            bytes_ = [first + n for first in where.places for n in range(0, where.size, 4)]
            for unit, at in zip(reg.units if reg is not None else (), bytes_, strict=False):
                slot = (access.space, where.key, at)
                if slot in state:
                    yield unit, state[slot]

    def _address(self, i: int, record: Decoded, access: Access) -> _Where:
        mask, names, base = 0, list[str](), 0
        for n in access.address:
            operand = record.inst.operands[n]
            reg = operand.reg
            constant = self._constant(i, reg.units.start) if reg and reg.count == 1 else None
            if constant is not None:
                base += constant
            elif reg is not None:
                mask |= mask_of(reg.units)
                names.append(str(reg))
            elif str(operand.value) != "off":
                names.append(str(operand.value))
        places, size = _places(record, access)
        return _Where((mask, ",".join(names)), tuple(base + n for n in places), size)

    def _constant(self, i: int, unit: int) -> int | None:
        """What a move of the same basic block put into a register, EXEC unchanged since."""
        for back in range(i - 1, self.view.chunk_at(i).block - 1, -1):
            f = self.view.fact(back)
            if f.defs >> unit & 1:
                value = f.inst.operands[-1].value
                whole = f.decoded.traits.moves and f.defs.bit_count() == 1 and not f.partial
                return value.value if whole and isinstance(value, Imm) else None
            if f.defs & EXEC_MASK:
                return None
        return None

    def _is(self, slot: Slot, state: State, maybe: int, i: int) -> Held | None:
        """The undefined value of a slot; None when it may be defined."""
        held = state.get(slot)
        if held is None and isinstance(slot, int) and not maybe >> slot & 1:
            return Held(Origin(i, slot), ALL)
        return held

    # --- what it must not be used for -----------------------------------------------------

    def _report(
        self, i: int, f: InstructionFacts, record: Decoded, state: State, maybe: int
    ) -> None:
        raw = _copies(record)  # other reads of the register itself are reported anyway
        for use in _uses(f, record):
            bad: dict[int, Origin] = {}
            for unit in units_of(use.mask):
                held = self._is(unit, state, maybe if raw else ~0, i)
                if held and held.lanes.bit_count() >= _MOST and held.bits == ONES:
                    bad[unit] = held.origin
            if not bad or (use.whole and len(bad) < use.mask.bit_count()):
                continue
            origin = next(iter(bad.values()))
            names = register_text(mask_of(bad))
            source = self.view.fact(origin.at).inst.text or ""
            copied = f"; {register_text(1 << origin.unit)} was copied by {source!r} (#{origin.at})"
            self.found[i] = Finding(
                "register.undefined", "R", ERROR, self.view.name, i, f.inst.text or "",
                None if origin.at == i else origin.at,
                "" if origin.at == i else source, (),
                f"{names} is used as {use.what} and was never defined"
                + (copied if origin.at != i else ""),
                "define it first", None, None, None, names,
            )  # fmt: skip
            return


_MOST = LANES // 2


def _copies(record: Decoded) -> bool:
    return any(half.traits.copies for half in record.halves) or (
        record.stores and record.access is not None and record.access.space is Space.SCRATCH
    )


def moved_mask(record: Decoded) -> int:
    """Units whose contents a copy moves."""
    mask = 0
    for half in record.halves:
        mask |= _operand_mask(half, moved_operands(half.inst, half.use_operands))
    return mask


def _extents(state: State) -> dict[Slot, tuple[int, int]]:
    return {slot: (held.lanes, held.bits) for slot, held in state.items()}


def _common(a: Held, b: Held) -> Held:
    return Held(a.origin, a.lanes & b.lanes, a.bits & b.bits)


def _places(record: Decoded, access: Access) -> tuple[tuple[int, ...], int]:
    """(byte offsets of an access's elements, bytes of each); pair forms of LDS have two."""
    op = memory_op(record.name)
    if op is None or not op.pair:
        return (access.offsets[0] if access.offsets else 0,), access.size
    given = (record.inst.modifiers.get(name, 0) for name in ("offset0", "offset1"))
    return tuple(n * op.pair for n in given if isinstance(n, int)), op.size


def _may_hit(access: Access, where: _Where | None, slot: tuple[object, ...]) -> bool:
    """Whether a store may overwrite a spill: the same space, unless at another fixed place."""
    space, key, byte = slot
    if access.space is Space.FLAT:
        return True
    if access.space is not space:
        return access.may_touch_lds and space is Space.LDS
    if where is None or where.key != key or not where.size:
        return True
    assert isinstance(byte, int)
    return any(first - 3 <= byte < first + where.size for first in where.places)


def _meet(a: State, b: State) -> State:
    both = {slot: _common(held, b[slot]) for slot, held in a.items() if slot in b}
    return {slot: held for slot, held in both.items() if held.lanes and held.bits}


def _operand_mask(record: Decoded, places: tuple[int, ...]) -> int:
    mask = 0
    for n in places:
        if n in record.use_operands and (reg := record.inst.operands[n].reg) is not None:
            mask |= mask_of(reg.units)
    return mask


def _uses(f: InstructionFacts, record: Decoded) -> Iterator[_Use]:
    """What of an instruction decides something."""
    access = record.access
    if access is not None:
        buffer = access.space in (Space.BUFFER, Space.IMAGE, Space.TENSOR)
        data = moved_operands(record.inst, record.use_operands) if access.permutes else ()
        for n in access.address:
            if n in data:
                continue
            reg = record.inst.operands[n].reg
            what = "a descriptor" if buffer and reg is not None and reg.count >= 4 else "an address"
            yield _Use(what, _operand_mask(record, (n,)))
        if f.uses >> M0 & 1:
            yield _Use("M0 of a memory access", 1 << M0)
        if record.stores and access.space not in (Space.SCRATCH, Space.LDS):
            for n in access.data:
                yield _Use("the stored value", _operand_mask(record, (n,)), whole=True)
    elif record.flow.kind is FlowKind.CONDITIONAL:
        yield _Use("a branch condition", f.uses)
    elif record.flow.kind in (FlowKind.COMPUTED, FlowKind.CALL):
        yield _Use("a jump's target", f.uses)
    elif f.defs & EXEC_MASK:
        yield _Use("EXEC", _operand_mask(record, record.use_operands) & ~EXEC_MASK)
