"""What became of the values of a window: merged, split, moved, renamed, re-associated, new, gone.

Values are numbered by what computes them: opcode, modifiers, and the numbers of what they are
computed from; what comes from outside is named by its register. Both sides share the numbering.
This tells a reader what an edit did; what it proves is the prover's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program.alignment import align

ChangeKind = Literal["merged", "split", "moved", "renamed", "re-associated", "new", "gone"]
_SILENT = frozenset({OpClass.WAIT, OpClass.NOP})
_JOINS = ("add", "mul", "and", "or", "xor", "min", "max", "pk_add", "pk_mul")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened to a value.

    Attributes:
        kind: "merged", "split", "moved", "renamed", "re-associated", "new" or "gone".
        text: the instruction that computes it, of the side that has it.
        before, after: places of it in the window's two sides.
    """

    kind: ChangeKind
    text: str
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """One register of a value."""

    value: int
    part: int


@dataclass(slots=True)
class _Side:
    """A side of a window with its values numbered."""

    values: dict[Hashable, list[int]] = field(
        default_factory=lambda: defaultdict[Hashable, list[int]](list)
    )
    registers: dict[Hashable, list[tuple[int, ...]]] = field(
        default_factory=lambda: defaultdict[Hashable, list[tuple[int, ...]]](list)
    )
    leaves: dict[Hashable, tuple[str, Counter[Hashable]]] = field(
        default_factory=dict[Hashable, "tuple[str, Counter[Hashable]]"]
    )
    order: list[Hashable] = field(default_factory=list[Hashable])


def changes(
    before: Sequence[Instruction], after: Sequence[Instruction], target: Target
) -> list[Change]:
    """What became of the values of one side in the other, in the order of the places."""
    numbers: dict[Hashable, int] = {}
    old, new = (_numbered(side, target, numbers) for side in (before, after))
    found: list[Change] = []
    same = {old.order[a] for a, _ in align(old.order, new.order)}
    for value in dict.fromkeys((*old.order, *new.order)):
        a, b = old.values.get(value, []), new.values.get(value, [])
        text = (before[a[0]] if a else after[b[0]]).text or ""
        kind: ChangeKind | None = None
        if a and b:
            if len(a) != len(b):
                kind = "merged" if len(b) < len(a) else "split"
            elif old.registers[value] != new.registers[value]:
                kind = "renamed"
            elif value not in same:
                kind = "moved"
        else:
            kind = "gone" if a else "new"
        if kind:
            found.append(Change(kind, text, tuple(a), tuple(b)))
    return _associated(found, old, new)


def _associated(found: list[Change], old: _Side, new: _Side) -> list[Change]:
    """Join a value that is gone and one that is new if the same operation joins the same parts."""
    gone, come = (
        {
            (name, frozenset(parts.items())): places
            for value, (name, parts) in side.leaves.items()
            for places in [side.values[value]]
        }
        for side in (old, new)
    )
    pairs = [(gone[key], come[key]) for key in gone.keys() & come.keys()]
    out = list(found)
    for a, b in pairs:
        one = next((c for c in out if c.kind == "gone" and c.before == tuple(a)), None)
        two = next((c for c in out if c.kind == "new" and c.after == tuple(b)), None)
        if one is not None and two is not None:
            out[out.index(one)] = Change("re-associated", one.text, one.before, two.after)
            out.remove(two)
    return out


def _numbered(side: Sequence[Instruction], target: Target, numbers: dict[Hashable, int]) -> _Side:
    found = _Side()
    held: dict[int, Hashable] = {}  # register unit -> number of its value and which part of it
    memory: Hashable = "memory"
    for at, inst in enumerate(side):
        d = decode(inst, target)
        if d.kind in _SILENT or (d.traits.hints and not d.defs):
            continue
        sources = _sources(d, held)
        masked = () if d.kind in (OpClass.SALU, OpClass.SMEM) else (held.get(126, 126),)
        what: Hashable = (
            inst.base, tuple(sorted(inst.modifiers.items(), key=str)), sources, masked,
            memory if d.loads or d.stores else None,
        )  # fmt: skip
        value = numbers.setdefault(what, len(numbers))
        found.values[value].append(at)
        found.order.append(value)
        regs = [inst.operands[n].reg for n in d.def_operands]
        found.registers[value].append(tuple(u for r in regs if r is not None for u in r.units))
        name = _join(d)
        if name:
            parts: Counter[Hashable] = Counter()
            for source in sources:
                inner = found.leaves.get(source.value) if isinstance(source, _Part) else None
                if inner is not None and inner[0] == name:
                    parts += inner[1]
                else:
                    parts[source] += 1
            found.leaves[value] = (name, parts)
        if d.stores:
            memory = ("after", value)
        for n, unit in enumerate(_written(d)):
            held[unit] = _Part(value, n)
    return found


def _written(d: Decoded) -> list[int]:
    named = [u for n in d.def_operands if (r := d.inst.operands[n].reg) for u in r.units]
    return named + sorted(d.defs - set(named))


def _sources(d: Decoded, held: dict[int, Hashable]) -> tuple[Hashable, ...]:
    """What an instruction computes from, in the order of its operands."""
    out: list[Hashable] = []
    seen: set[int] = set()
    for n in d.use_operands:
        operand = d.inst.operands[n]
        marks = operand.neg, operand.abs, operand.sext
        value: Hashable = str(operand.value)
        if operand.reg is not None:
            units = operand.reg.units
            seen |= set(units)
            parts = [held.get(u, u) for u in units]
            value = parts[0] if len(parts) == 1 else tuple(parts)
        out.append((value, marks) if any(marks) else value)
    out += [held.get(u, u) for u in sorted(d.uses - seen) if u != 126 and u != 127]
    if _join(d):
        out.sort(key=str)
    return tuple(out)


def _join(d: Decoded) -> str:
    """The operation of an instruction whose two operands may change places and groups."""
    core = d.name.removeprefix("v_").removeprefix("s_")
    operation = next((j for j in _JOINS if core.startswith(f"{j}_")), "")
    plain = len(d.inst.operands) == 3 and len(d.def_operands) == 1
    return core if operation and plain and not d.inst.modifiers else ""
