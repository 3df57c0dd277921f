"""The judge: a task in, a judgement out, and nothing else.

`judge` is a function of its task. It reads no store, and no clock but for the limit on proofs, and
keeps nothing that could change a later judgement; both task and judgement are frozen data that
pickle: it runs as well in a worker process or on another machine as in the controller.

The gates stand in one fixed order:
duplicate -> assemble -> same object -> ABI and resources -> waits, hazards, registers ->
screen by estimate -> differential execution -> coverage -> timing -> watched runs -> commit rule.
Each is cheaper than the next, but for coverage, which counts what the runs before it did, and for
watched runs, which only those make that the commit rule would accept; a candidate that fails one
never reaches a later one, and none is timed before it is correct: the screen's estimate only ever
stops. There is no list of gates to pass in: nobody who proposes can leave one out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asmevo.device.protocol import Timing
from asmevo.errors import AsmEvoError, InputError
from asmevo.program.edit import Edit
from asmevo.search import gates
from asmevo.search.bench import Bench, Problem
from asmevo.search.gates import Candidate, Gate, GateVerdict
from asmevo.search.types import Evidence, Status, declared_by

_ORDER: tuple[type[Gate], ...] = (
    gates.Duplicate,
    gates.Assemble,
    gates.SameObject,
    gates.AbiAndResources,
    gates.StaticCheck,
    gates.Screen,
    gates.Differential,
    gates.Tested,
    gates.Time,
    gates.Watched,
    gates.Commit,
)
GATE_NAMES = tuple(gate.name for gate in _ORDER)


@dataclass(frozen=True, slots=True)
class Task:
    """One candidate to judge. Plain data; pickles.

    Attributes:
        problem: what it is measured against.
        parent: bytes of the node that is edited.
        parent_timings: that node's times, one per timed launch.
        edits: disjoint edits, indices of the parent's program.
        attempted: canonical identities (`types.edit_id`) of the finished attempts at this parent.
        objects: what became of objects so far: identity -> `node` or the verdict of its attempt.
        declared: descriptor fields that the edits from K0 to the parent declared.
    """

    problem: Problem
    parent: bytes
    parent_timings: tuple[Timing, ...]
    edits: tuple[Edit, ...]
    attempted: frozenset[str] = frozenset()
    objects: Mapping[str, str] = field(default_factory=dict[str, str])
    declared: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gates found.

    Attributes:
        status: the verdict word.
        gate: the gate that decided; the last one for accepted candidates.
        reason: one line.
        data: facts of the deciding gate, JSON types only.
        passed: names of the gates that it passed, in order.
        object: the built file, when it came to that.
        evidence: strength of the evidence, after differential execution.
        timings: one per timed launch, after timing.
        speedup: parent time over candidate time, after the commit rule; an estimate (`gate` is
            `screen`) where the candidate ended there.
    """

    status: Status
    gate: str
    reason: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    passed: tuple[str, ...] = ()
    object: bytes | None = None
    evidence: Evidence | None = None
    timings: tuple[Timing, ...] = ()
    speedup: float | None = None

    def __post_init__(self) -> None:
        if self.status == "accepted" and not (
            self.passed == GATE_NAMES[:-1]
            and self.gate == GATE_NAMES[-1]
            and self.object is not None
            and self.evidence is not None
            and self.timings
        ):
            raise AssertionError("accepted without having passed every gate")


def judge(task: Task, bench: Bench | None = None) -> Judgement:
    """Send one candidate through all gates.

    Args:
        task: the candidate.
        bench: workshop for the task's problem; one that is kept over many tasks saves the runs
            and checks of K0. A new one is made by default.

    Raises:
        InputError: the bench is for another problem, or the parent does not recover.
        UnsupportedError: K0 itself needs something that is not supported.
        EnvironmentFault: the device or a tool failed; says nothing about the candidate.
    """
    if bench is None:
        bench = Bench(task.problem)
    elif bench.problem is not task.problem and bench.problem != task.problem:
        raise InputError("the bench was made for another problem", "make one for each problem")
    bench.prepare()
    candidate = Candidate(
        bench.program_of(task.parent),
        task.edits,
        task.parent_timings,
        task.attempted,
        task.objects,
        task.declared | declared_by(task.edits),
    )
    passed: list[str] = []
    for kind in _ORDER:
        verdict = _verdict(kind(bench), candidate)
        if verdict is not None:
            return Judgement(
                verdict.status,
                verdict.gate,
                verdict.reason,
                verdict.data,
                tuple(passed),
                candidate.object,
                candidate.evidence,
                candidate.timings,
                candidate.decision.speedup if candidate.decision else _estimate(verdict, candidate),
            )
        passed.append(kind.name)
    raise AssertionError("the last gate always decides")


def _estimate(verdict: GateVerdict, candidate: Candidate) -> float | None:
    """The screen's figure, if that is what decided."""
    return candidate.estimate if verdict.gate == gates.Screen.name else None


def _verdict(gate: Gate, candidate: Candidate) -> GateVerdict | None:
    try:
        return gate.judge(candidate)
    except AsmEvoError as err:
        # A candidate may fault or need something unsupported at any gate.
        if err.status in ("unsupported", "runtime_failure"):
            return GateVerdict(err.status, gate.name, err.one_line())
        raise
