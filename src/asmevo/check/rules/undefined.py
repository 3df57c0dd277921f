"""Undefined values behind copies: followed to where they decide something.

What: a register that was never written may be moved, spilled and reloaded without harm; compilers
copy pairs of which one half was never set. It is an error where the copy is used as an address, a
descriptor, a branch condition, a jump's target, EXEC or M0, or where nothing but it is stored.

How: from the first copy of an undefined register on, the units that hold an undefined value on
every path are followed through moves, lane reads and writes, AGPR moves, selections between two
undefined values, swaps, arithmetic that cannot absorb its operands (not `and`, `min`, a product),
and spills to scratch or LDS whose address is the same text. A vector copy counts only where no
other lane can hold a value: EXEC was never written, or the destination was undefined, too. What is
not known is taken as defined.

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
from asmevo.check.rules.waits import register_text
from asmevo.isa.access import Access, Space
from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.effects import MEMORY_CLASSES, OpClass
from asmevo.isa.flow import FlowKind
from asmevo.isa.hazards.roles import EXEC_MASK, mask_of, units_of
from asmevo.isa.operand import M0, Imm, Reg

Slot = int | tuple[object, ...]
"""A register unit, ("lane", VGPR unit, lane), or (space, address text, byte)."""


class Origin(NamedTuple):
    """Where an undefined value came from: the first copy, and the unit that it copied."""

    at: int
    unit: int


State = dict[Slot, Origin]


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
                if before is None or new.keys() != before.keys():
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
        new: State = {}
        if not any(half.clears for half in record.halves):
            new = dict(self._results(i, record, state, maybe))
        vector = f.kind in (OpClass.VALU, OpClass.TRANS)
        if new and vector and self.changes_exec and f.base not in _LANES:
            # Other lanes may hold values: undefined in all only if it was so before.
            new = {s: o for s, o in new.items() if self._is(s, state, maybe, i) is not None}
        if f.kind is OpClass.BARRIER:
            for slot in [s for s in state if isinstance(s, tuple) and s[0] is Space.LDS]:
                del state[slot]
        if state and (f.defs or record.stores):
            self._overwrite(f, record, state)
        state.update(new)

    def _overwrite(self, f: InstructionFacts, record: Decoded, state: State) -> None:
        """Forget what the instruction overwrites or may overwrite."""
        access = record.access if record.stores else None
        lane = _lane(record) if f.base == "v_writelane_b32" else None
        for slot in list(state):
            if isinstance(slot, int):
                if f.defs >> slot & 1:  # after one lane was written, the others are not known
                    del state[slot]
            elif slot[0] == "lane":
                unit = slot[1]
                assert isinstance(unit, int)
                if f.defs >> unit & 1 and (lane is None or slot[2] == lane):
                    del state[slot]
            else:
                key = slot[1]
                assert isinstance(key, tuple)
                if f.defs & key[0] or (access is not None and _may_hit(access, record, slot)):
                    del state[slot]

    def _results(
        self, i: int, record: Decoded, state: State, maybe: int
    ) -> Iterator[tuple[Slot, Origin]]:
        """Slots that the instruction fills with an undefined value."""
        for half in record.halves:
            ops, base, traits = half.inst.operands, half.inst.base, half.traits
            if half.kind in MEMORY_CLASSES:
                yield from self._memory(i, half, state, maybe)
                continue
            regs = [o.reg for o in ops]
            if not regs or regs[0] is None:
                continue
            plain = not {"dpp", "sdwa"} & set(half.inst.form.split("_"))
            if traits.moves and len(regs) == 2 and regs[1] is not None and plain:
                pairs = zip(regs[0].units, _stretch(regs[1], regs[0].count), strict=False)
                for to, source in pairs:
                    origin = self._is(source, state, maybe, i)
                    if origin is not None:
                        yield to, origin
            elif base == "v_writelane_b32" and regs[1] is not None:
                origin = self._is(regs[1].units.start, state, maybe, i)
                lane = _lane(half)
                if origin is not None and lane is not None:
                    yield ("lane", regs[0].units.start, lane), origin
            elif base == "v_readlane_b32" and regs[1] is not None:
                vgpr = regs[1].units.start
                origin = state.get(("lane", vgpr, _lane(half))) or state.get(vgpr)
                if origin is not None:
                    yield regs[0].units.start, origin
            elif traits.exchanges and len(regs) == 2 and regs[1] is not None:
                for a, b in zip(regs[0].units, regs[1].units, strict=False):
                    for to, source in ((a, b), (b, a)):
                        if source in state:
                            yield to, state[source]
            elif traits.selects and len(regs) >= 3:
                origins = [self._operand(r, state) for r in regs[1:3]]
                if origins[0] is not None and origins[1] is not None:
                    yield from ((u, origins[0]) for u in regs[0].units)
            elif traits.spreads and plain:
                sources = (regs[n] for n in half.use_operands)
                origin = next(
                    (o for r in sources if (o := self._operand(r, state)) is not None), None
                )
                if origin is not None:
                    yield from ((u, origin) for u in regs[0].units)

    def _memory(
        self, i: int, record: Decoded, state: State, maybe: int
    ) -> Iterator[tuple[Slot, Origin]]:
        """Spills to scratch and LDS, and their reloads, by the address's text."""
        access = record.access
        if access is None or access.space not in (Space.SCRATCH, Space.LDS) or access.atomic:
            return
        key = _address(record, access)
        if key is None:
            return
        operands = record.inst.operands
        if record.stores and len(access.data) == 1:
            reg = operands[access.data[0]].reg
            for n, unit in enumerate(reg.units if reg is not None else ()):
                origin = self._is(unit, state, maybe, i)
                if origin is not None:
                    yield (access.space, key[0], key[1] + 4 * n), origin
        elif record.loads and len(record.def_operands) == 1 and not access.part:
            reg = operands[record.def_operands[0]].reg
            for n, unit in enumerate(reg.units if reg is not None else ()):
                origin = state.get((access.space, key[0], key[1] + 4 * n))
                if origin is not None:
                    yield unit, origin

    def _is(self, slot: Slot, state: State, maybe: int, i: int) -> Origin | None:
        """Where the undefined value of a slot comes from; None when it may be defined."""
        origin = state.get(slot)
        if origin is None and isinstance(slot, int) and not maybe >> slot & 1:
            return Origin(i, slot)
        return origin

    def _operand(self, reg: Reg | None, state: State) -> Origin | None:
        if reg is None:
            return None
        return next((state[u] for u in reg.units if u in state), None)

    # --- what it must not be used for -----------------------------------------------------

    def _report(
        self, i: int, f: InstructionFacts, record: Decoded, state: State, maybe: int
    ) -> None:
        raw = _copies(record)  # other reads of the register itself are reported anyway
        for use in _uses(f, record):
            bad: dict[int, Origin] = {}
            for unit in units_of(use.mask):
                origin = self._is(unit, state, maybe if raw else ~0, i)
                if origin is not None:
                    bad[unit] = origin
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


_LANES = ("v_writelane_b32", "v_readlane_b32", "v_readfirstlane_b32")


def _copies(record: Decoded) -> bool:
    return record.traits.copies or (
        record.stores and record.access is not None and record.access.space is Space.SCRATCH
    )


def _lane(record: Decoded) -> int | None:
    value = record.inst.operands[2].value
    return value.value & 63 if isinstance(value, Imm) else None


def _stretch(reg: Reg, count: int) -> list[int]:
    units = list(reg.units)
    return units if len(units) >= count else units * count


def _address(record: Decoded, access: Access) -> tuple[tuple[int, str], int] | None:
    """((mask of the registers that form it, its text), byte offset) of a single address."""
    if len(access.offsets) > 1:
        return None
    operands = [record.inst.operands[n] for n in access.address]
    mask = 0
    for operand in operands:
        if operand.reg is not None:
            mask |= mask_of(operand.reg.units)
    text = ",".join(str(o.reg if o.reg is not None else o.value) for o in operands)
    return (mask, text), access.offsets[0] if access.offsets else 0


def _may_hit(access: Access, record: Decoded, slot: tuple[object, ...]) -> bool:
    """Whether a store may overwrite a spill: the same space, unless at another fixed place."""
    space, key, byte = slot
    if access.space is Space.FLAT:
        return True
    if access.space is not space:
        return access.may_touch_lds and space is Space.LDS
    own = _address(record, access)
    if own is None or own[0] != key or not access.size:
        return True
    assert isinstance(byte, int)
    return own[1] - 3 <= byte < own[1] + access.size


def _meet(a: State, b: State) -> State:
    return {slot: origin for slot, origin in a.items() if slot in b}


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
        for n in access.address:
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
