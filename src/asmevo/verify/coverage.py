"""What the launches executed: instructions, and both sides of every conditional branch.

The engine counts how often each basic block is entered. How often a branch was taken follows from
that by conservation: what enters a block leaves it. Computed jumps go to functions, to addresses
that code or data hold, and behind calls. An edge that this does not settle (several unknown ones
round a cycle) counts as not executed: whoever asks wants to know what was certainly tested.

What was not executed was not tested. A changed instruction must be executed; so must both sides of
a changed branch; and what a changed instruction computes must reach something that a launch showed:
a store, a barrier, a branch that went both ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.check.changes import Changes, changes
from asmevo.check.observed import unobserved
from asmevo.isa.flow import FlowKind, flow_of
from asmevo.program.model import Program
from asmevo.verify.report import VerifyReport

Edge = tuple[int, bool]
"""A conditional branch's index, and whether it was taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """What all launches together executed of one program.

    Attributes:
        program: the program.
        executed: bool [instructions].
        edges: every conditional branch that was executed, taken or not -> whether that happened.
    """

    program: Program
    executed: NDArray[np.bool_]
    edges: Mapping[Edge, bool]

    def missing(self) -> list[Edge]:
        """Sides of executed branches that no launch went."""
        return [edge for edge, seen in self.edges.items() if not seen]

    def half(self) -> frozenset[int]:
        """Executed branches that went one way only."""
        return frozenset(i for i, _ in self.missing())

    def to_json(self) -> dict[str, Any]:
        """Counts, and what is missing; padding is never reached, and no gap."""
        reached = self.executed.copy()
        for f in self.program.functions:
            reached[f.last : f.padding_last] = True
        padding = sum(f.padding for f in self.program.functions)
        flips = np.flatnonzero(np.diff(np.concatenate(([True], reached, [True])).astype(np.int8)))
        return {
            "instructions": len(reached) - padding,
            "executed": int(reached.sum()) - padding,
            "never_executed": [[int(a), int(b)] for a, b in flips.reshape(-1, 2)],
            "edges": len(self.edges),
            "executed_edges": sum(self.edges.values()),
            "never_taken": [i for i, taken in self.missing() if taken],
            "always_taken": [i for i, taken in self.missing() if not taken],
        }


def coverage_of(program: Program, counts: NDArray[np.int64]) -> Coverage:
    """Coverage from how often each instruction was executed, summed over complete runs.

    Args:
        program: what ran.
        counts: int64 [instructions].
    """
    executed: NDArray[np.bool_] = counts > 0
    return Coverage(program, executed, _edges(program, counts))


def _edges(program: Program, counts: NDArray[np.int64]) -> dict[Edge, bool]:
    flow = _Flow(program, counts)
    flow.settle()
    return {
        (i, taken): (flow.known.get((i, taken)) or 0) > 0
        for i in flow.branches
        for taken in (False, True)
    }


class _Flow:
    """Executions of edges between blocks, solved from those of the blocks."""

    def __init__(self, program: Program, counts: NDArray[np.int64]) -> None:
        self.known: dict[Edge, int] = {}
        self.branches: list[int] = []
        self._into: dict[int, list[Edge] | None] = {}  # branches that enter; None: from anywhere
        self._sure: dict[int, int] = {}  # executions that enter without a choice
        self._counts = counts
        reached = np.flatnonzero(counts).tolist()
        entries = {f.first for f in program.functions} | set(program.anchors.values())
        entries |= {r.target for r in program.references if r.target is not None}
        for i in reached:
            self._leave(program, i, flow_of(program.instructions[i].base).kind)
        for at in entries:
            self._into[at] = None

    def _leave(self, program: Program, i: int, kind: FlowKind) -> None:
        target, count = program.targets.get(i), int(self._counts[i])
        if kind is FlowKind.CONDITIONAL and target is not None:
            self.branches.append(i)
            if target == i + 1:  # both sides lead to the same place, and cannot be told apart
                self.known[i, True] = self.known[i, False] = count
                self._into[target] = None
                return
            self._enter(target, (i, True))
            self._enter(i + 1, (i, False))
        elif kind in (FlowKind.NEXT, FlowKind.TRAP):
            self._sure[i + 1] = self._sure.get(i + 1, 0) + count
        elif kind is FlowKind.JUMP and target is not None:
            self._sure[target] = self._sure.get(target, 0) + count
        elif kind is FlowKind.CALL:
            self._into[i + 1] = None  # by a return

    def _enter(self, at: int, edge: Edge) -> None:
        edges = self._into.setdefault(at, [])
        if edges is not None:
            edges.append(edge)

    def settle(self) -> None:
        """Find every edge that follows from the counts."""
        progress = True
        while progress:
            progress = False
            for i in self.branches:
                for taken in (False, True):
                    other = self.known.get((i, not taken))
                    if (i, taken) not in self.known and other is not None:
                        self.known[i, taken] = int(self._counts[i]) - other
                        progress = True
            for at, edges in self._into.items():
                if edges is None:
                    continue
                left = [e for e in edges if e not in self.known]
                count = int(self._counts[at]) if at < len(self._counts) else 0
                if len(left) == 1:
                    given = sum(self.known[e] for e in edges if e in self.known)
                    self.known[left[0]] = count - given - self._sure.get(at, 0)
                    progress = True
                elif left and not count:
                    self.known.update(dict.fromkeys(left, 0))
                    progress = True


@dataclass(frozen=True, slots=True)
class Untested:
    """What an edit changed and no launch showed.

    Attributes:
        instructions: of the edited program, changed and never executed.
        removed: of the original, taken out and never executed.
        edges: sides of changed branches of the edited program that no launch went.
        removed_edges: sides of branches that were taken out that no launch of the original went.
        unobserved: of the edited program: executed, but what they compute only matters where no
            launch went.
        removed_unobserved: the same of the original, taken out.
        unknown: the device does not count what it executes, so nothing is known to be tested.
    """

    program: Program
    original: Program
    instructions: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    edges: tuple[Edge, ...] = ()
    removed_edges: tuple[Edge, ...] = ()
    unobserved: tuple[int, ...] = ()
    removed_unobserved: tuple[int, ...] = ()
    unknown: bool = False

    @property
    def ok(self) -> bool:
        """Whether every change was tested."""
        return not (
            self.instructions or self.removed or self.edges or self.removed_edges
            or self.unobserved or self.removed_unobserved or self.unknown
        )  # fmt: skip

    def one_line(self) -> str:
        """What was not tested, in one line."""
        if self.unknown:
            return "the device does not count which instructions it executes"
        parts = [
            _listed("changed instruction", "never executed", self.program, self.instructions),
            _listed("removed instruction", "never executed", self.original, self.removed),
            _listed("changed instruction", "of effect only where no launch goes", self.program,
                    self.unobserved),
            _listed("removed instruction", "of effect only where no launch goes", self.original,
                    self.removed_unobserved),
            _sides("changed", self.program, self.edges),
            _sides("removed", self.original, self.removed_edges),
        ]  # fmt: skip
        return "; ".join(p for p in parts if p)

    def to_json(self) -> dict[str, Any]:
        """Indices, and the line for people."""
        return {
            "instructions": list(self.instructions),
            "removed": list(self.removed),
            "edges": [list(e) for e in self.edges],
            "removed_edges": [list(e) for e in self.removed_edges],
            "unobserved": list(self.unobserved),
            "removed_unobserved": list(self.removed_unobserved),
            "unknown": self.unknown,
            "text": self.one_line(),
        }


def _listed(what: str, why: str, program: Program, places: Sequence[int]) -> str:
    if not places:
        return ""
    at = places[0]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    name = program.function_at(at).name
    return f"{what} {program.line(at)!r} ({name}#{at}){more}: {why}"


def _sides(what: str, program: Program, edges: Sequence[Edge]) -> str:
    if not edges:
        return ""
    at, taken = edges[0]
    more = f" and {len(edges) - 1} more" if len(edges) > 1 else ""
    name = program.function_at(at).name
    how = "never taken" if taken else "always taken"
    return f"{what} branch {program.line(at)!r} ({name}#{at}){more}: {how}"


def untested(original: Coverage, candidate: Coverage, found: Changes | None = None) -> Untested:
    """What of the changes no launch showed.

    Args:
        original: of K0.
        candidate: of K1.
        found: what was changed, if known.
    """
    k0, k1 = original.program, candidate.program
    found = changes(k0, k1) if found is None else found
    if not found.removed and not found.added:
        return Untested(k1, k0)
    added, removed = frozenset(found.added), frozenset(found.removed)
    return Untested(
        k1,
        k0,
        tuple(i for i in found.added if not candidate.executed[i]),
        tuple(i for i in found.removed if not original.executed[i]),
        tuple(e for e in candidate.missing() if e[0] in added),
        tuple(e for e in original.missing() if e[0] in removed),
        _unobserved(candidate, found.added),
        _unobserved(original, found.removed),
    )


def _unobserved(coverage: Coverage, changed: Sequence[int]) -> tuple[int, ...]:
    executed = [bool(x) for x in coverage.executed]
    run = [i for i in changed if executed[i]]
    return tuple(unobserved(coverage.program, run, executed, coverage.half()))


def untested_changes(report: VerifyReport, k0: Program, k1: Program) -> Untested:
    """What of the changes from `k0` to `k1` the launches of a verification did not show."""
    if report.counts is None or report.k0_counts is None:
        return Untested(k1, k0, unknown=True)
    return untested(coverage_of(k0, report.k0_counts), coverage_of(k1, report.counts))


def judge_changes(
    report: VerifyReport, k0: Program, k1: Program, *, allowed: bool = False
) -> tuple[VerifyReport, Untested]:
    """The report, refused as `untested` where launches did not show what was changed.

    Args:
        report: of the runs; one that is not accepted stays as it is.
        k0, k1: the programs that ran.
        allowed: accept it all the same, with a note.
    """
    found = untested_changes(report, k0, k1)
    if found.ok or not report.ok:
        return report, found
    if allowed:
        note = f"untested changes are allowed: {found.one_line()}"
        return replace(report, notes=(*report.notes, note)), found
    reason = found.one_line()
    return replace(report, status="untested", reason=reason, evidence_class=None), found
