"""Where does a kernel find out what other waves did, other than by barriers?

A wave learns of another one when what it loads decides where it goes on:

* a *polling loop* loads from one address again and again until the value lets it out;
* an atomic gives back the old value (a ticket, a lock), or a load that is coherent beyond the wave
  (a flag that is looked at once), and a branch or EXEC depends on it.

The deciding instructions are the acquire points: what comes behind them may rely on what other
waves did before. The memories that are looked at are *consumed*: a store there may be what somebody
waits for. Kernels that consume nothing talk to waves of their own workgroup by barriers only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from asmevo.check.engine.facts import CALL, INDIRECT, InstructionFacts, ProgramLike
from asmevo.check.engine.runs import Runs, accesses, runs_of
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.isa.effects import OpClass
from asmevo.isa.operand import EXEC
from asmevo.isa.ordering import Group, MemoryEffect, Scope, memory_effect

_EXEC_MASK = 0b11 << EXEC
_MOST_STEPS = 64  # definitions that are followed back from an address


@dataclass(frozen=True, slots=True)
class Communication:
    """How waves of a program learn of each other.

    Attributes:
        consumed: memories in which somebody looks for what others store.
        acquires: indices of the instructions that decide by what was found, in code order.
    """

    consumed: frozenset[Group] = frozenset()
    acquires: tuple[int, ...] = ()


@dataclass(slots=True)
class _Found:
    consumed: set[Group] = field(default_factory=lambda: set[Group]())
    acquires: set[int] = field(default_factory=lambda: set[int]())


def communication(program: ProgramLike) -> Communication:
    """How the waves of a program learn of each other; worked out once."""
    return workbench().known(program, "communication", _communication)


def _communication(program: ProgramLike) -> Communication:
    runs = runs_of(program)
    found = _Found()
    everywhere = range(len(runs))
    for group in Group:
        tokens = {i for i, _, effect in accesses(program) if group in _looks(effect)}
        _note(found, group, set(_decided(runs, tokens, everywhere)) if tokens else set())
    for body in _loops(runs):
        if any(f.kind is OpClass.BARRIER for f in _inside(runs, body)):
            continue
        for group, polls in _polls(runs, body).items():
            ways_out = {runs.lasts[n] for n in body if any(s not in body for s in runs.forward[n])}
            _note(found, group, ways_out.intersection(_decided(runs, polls, body, ~0)))
    return Communication(frozenset(found.consumed), tuple(sorted(found.acquires)))


def talks(program: ProgramLike, first: int, last: int) -> bool:
    """Whether waves may communicate other than by barriers in instructions [first, last).

    Atomics, accesses that are coherent beyond the wave, cache control, and polling loops say so.
    Calls go anywhere, so then the whole program counts.
    """
    facts = facts_of(program)
    if any(f.flow in (CALL, INDIRECT) for f in facts[first:last]):
        first, last = 0, len(facts)
    if any(f.fence and f.kind is not OpClass.BARRIER for f in facts[first:last]):
        return True
    said = any(
        effect.atomic or effect.scope > Scope.WAVE
        for i, _, effect in accesses(program)
        if first <= i < last
    )
    return said or any(first <= i < last for i in communication(program).acquires)


def _note(found: _Found, group: Group, marks: set[int]) -> None:
    if marks:
        found.consumed.add(group)
        found.acquires |= marks


def _looks(effect: MemoryEffect) -> Collection[Group]:
    """Memories in which an instruction may find, by itself, what another wave left."""
    scoped = effect.loads and not effect.atomic and effect.scope > Scope.WAVE
    return effect.groups if effect.returns or scoped else ()


def _inside(runs: Runs, body: Collection[int]) -> Iterator[InstructionFacts]:
    for n in body:
        yield from runs.facts[runs.starts[n] : runs.lasts[n] + 1]


def _reads(f: InstructionFacts) -> int:
    """Units that decide a result; lanes that are off only keep theirs."""
    if f.kind is OpClass.SALU or f.decoded.flow.condition is not None:
        return f.uses
    return f.uses & ~_EXEC_MASK


def _decided(
    runs: Runs, sources: Collection[int], body: Collection[int], kept: int = ~_EXEC_MASK
) -> Iterator[int]:
    """Conditional branches, and writers of EXEC, that what `sources` load decides.

    Args:
        runs: the program.
        sources: indices of the loads.
        body: runs that are followed.
        kept: units that are followed; without EXEC, what stands under a decision is none itself.
    """
    inside = set(body)
    entry: dict[int, int] = {}
    todo = [n for n in body if any(runs.starts[n] <= i <= runs.lasts[n] for i in sources)]
    marks: set[int] = set()
    while todo:
        n = todo.pop()
        state = entry.get(n, 0)
        for i in range(runs.starts[n], runs.lasts[n] + 1):
            f = runs.facts[i]
            if i in sources:
                state = state & ~f.defs | f.defs & ~_EXEC_MASK
            elif _reads(f) & state:
                if f.decoded.flow.condition is not None or f.defs & _EXEC_MASK:
                    marks.add(i)
                # The lanes of before, which it saves, were not decided here.
                saved = f.decoded.traits.saves_exec
                state |= f.defs & kept & (_EXEC_MASK if saved else ~0)
            else:
                state &= ~f.defs | f.partial
        for s in runs.forward[n]:
            if s in inside and state & ~entry.get(s, 0):
                entry[s] = entry.get(s, 0) | state
                todo.append(s)
    yield from marks


def _loops(runs: Runs) -> Iterator[frozenset[int]]:
    """Bodies of the natural loops, by the retreating edges of a depth-first walk."""
    done: set[int] = set()
    for root in range(len(runs)):
        if root in done or not runs.entered[root]:
            continue
        active: set[int] = {root}
        done.add(root)
        stack = [(root, iter(runs.forward[root]))]
        while stack:
            node, successors = stack[-1]
            for s in successors:
                if s in active:
                    yield _body(runs, s, node)
                elif s not in done:
                    done.add(s)
                    active.add(s)
                    stack.append((s, iter(runs.forward[s])))
                    break
            else:
                stack.pop()
                active.discard(node)


def _body(runs: Runs, head: int, tail: int) -> frozenset[int]:
    body, todo = {head, tail}, [tail]
    while todo:
        n = todo.pop()
        if n == head:
            continue
        for p in runs.backward[n]:
            if p not in body:
                body.add(p)
                todo.append(p)
    return frozenset(body)


def _polls(runs: Runs, body: Collection[int]) -> dict[Group, set[int]]:
    """Loads of a loop whose address is the same in every turn, by memory."""
    definitions: dict[int, list[InstructionFacts]] = {}
    for f in _inside(runs, body):
        units = f.defs
        while units:
            low = units & -units
            units ^= low
            definitions.setdefault(low.bit_length() - 1, []).append(f)
    found: dict[Group, set[int]] = {}
    for n in body:
        for i in range(runs.starts[n], runs.lasts[n] + 1):
            f = runs.facts[i]
            effect = memory_effect(f.decoded)
            if effect is None or not effect.loads or effect.atomic:
                continue
            if _same_address(f, definitions):
                for group in effect.groups:
                    found.setdefault(group, set()).add(i)
    return found


def _same_address(f: InstructionFacts, definitions: dict[int, list[InstructionFacts]]) -> bool:
    """Whether nothing that changes from turn to turn goes into the address of a load."""
    access, operands = f.decoded.access, f.inst.operands
    if access is None:
        return False
    todo = [u for n in access.address if (reg := operands[n].reg) is not None for u in reg.units]
    seen: set[InstructionFacts] = set()
    while todo:
        for definition in definitions.get(todo.pop(), ()):
            if definition in seen:
                continue
            seen.add(definition)
            own = definition.uses & definition.defs & ~_EXEC_MASK
            if len(seen) > _MOST_STEPS or own or memory_effect(definition.decoded) is not None:
                return False
            todo += [u for u in definition.decoded.uses if u != EXEC and u != EXEC + 1]
    return True
