"""The gates between a proposal and the lineage. `judge` holds their one fixed order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from asmevo.check.comparison import Stage, compare_objects
from asmevo.check.findings import Finding
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Timing
from asmevo.errors import AsmEvoError, BuildError, EnvironmentFault, UnsupportedError
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover
from asmevo.search.bench import Bench
from asmevo.search.commit import Decision, decide, speedup
from asmevo.search.types import Evidence, Status, edit_id, object_id
from asmevo.verify.coverage import untested_changes
from asmevo.verify.report import VerifyReport
from asmevo.verify.watched import LIMIT


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What a gate says when it decides; gates that pass a candidate on say nothing.

    Attributes:
        status: the verdict word.
        gate: name of the gate.
        reason: one line.
        data: facts for the record, JSON types only.
    """

    status: Status
    gate: str
    reason: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Candidate:
    """A proposal on its way through the gates; each gate adds what it found out.

    Attributes:
        program: the parent's program.
        edits: what is proposed.
        parent_timings: the parent's times, one per timed launch.
        attempted: identities of the finished attempts at the same parent.
        objects: what became of objects so far, by identity.
        declared: descriptor fields that the edits from K0 on say they change.
        object: the built file.
        built: the program recovered from `object`, not the one that made it.
        code_object: `object`, opened.
        evidence: strength of the evidence, after differential execution.
        report: of the runs, likewise.
        estimate: parent time over candidate time as the model has it, from the screen on.
        timings: one per timed launch, after timing.
        decision: of the commit rule.
    """

    program: Program
    edits: tuple[Edit, ...]
    parent_timings: tuple[Timing, ...]
    attempted: frozenset[str] = frozenset()
    objects: Mapping[str, str] = field(default_factory=dict[str, str])
    declared: frozenset[str] = frozenset()
    object: bytes | None = None
    built: Program | None = None
    code_object: CodeObject | None = None
    evidence: Evidence | None = None
    report: VerifyReport | None = None
    estimate: float | None = None
    timings: tuple[Timing, ...] = ()
    decision: Decision | None = None


class Gate(ABC):
    """One gate. `judge` returns a verdict to stop the candidate, or None to let it pass."""

    name: ClassVar[str]

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    @abstractmethod
    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """Decide on `candidate`."""

    def _stop(self, status: Status, reason: str, **data: Any) -> GateVerdict:
        return GateVerdict(status, self.name, reason, data)


class Duplicate(Gate):
    """Stops an edit of a node that was tried already, before any work is done on it."""

    name = "duplicate"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        if edit_id(candidate.edits) in candidate.attempted:
            return self._stop("duplicate", "the same edit of the same parent was tried already")
        return None


class Assemble(Gate):
    """Vets, assembles and rebuilds; then recovers the result from its bytes alone."""

    name = "assemble"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        stray = self._outside(candidate)
        if stray is not None:
            return self._stop("build_invalid", stray)
        try:
            edited = apply(candidate.program, candidate.edits)
            candidate.object = rebuild(edited)
            candidate.code_object = CodeObject.open(candidate.object)
            candidate.built = recover(candidate.code_object)
        except BuildError as err:
            return self._stop("build_invalid", err.one_line())
        except UnsupportedError as err:
            return self._stop("unsupported", err.one_line())
        except EnvironmentFault:
            raise
        except AsmEvoError as err:
            # The edit made a file that does not read back.
            return self._stop("build_invalid", err.one_line())
        return None

    def _outside(self, candidate: Candidate) -> str | None:
        # Other kernels of the object are neither checked nor run, so they must stay as they are.
        function = candidate.program.function(self.bench.problem.kernel)
        for edit in candidate.edits:
            inside = function.first <= edit.first <= edit.last <= function.last
            if not inside or edit.first == function.last:
                return (
                    f"edit of instructions {edit.first} to {edit.last} is not within kernel "
                    f"{self.bench.problem.kernel} ({function.first} to {function.last})"
                )
        return None


class SameObject(Gate):
    """Stops a candidate whose bytes are those of a node or of an earlier attempt."""

    name = "same_object"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        known = candidate.objects.get(object_id(_bytes(candidate)))
        if known == "node":
            return self._stop("duplicate", "the object is byte-identical to an accepted one")
        if known is not None:
            return self._stop("duplicate", f"these bytes were judged before: {known}")
        return None


class AbiAndResources(Gate):
    """Every byte of the file; kernel arguments, descriptor, register counts, LDS, padding."""

    name = "abi_resources"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        base = self.bench
        assert candidate.code_object is not None, "a gate ran before the build"
        assert candidate.built is not None, "a gate ran before the build"
        found = compare_objects(
            base.examined, candidate.code_object, candidate.built,
            stages=(Stage.IMAGE, Stage.ABI, Stage.RESOURCES), declared=candidate.declared,
        )  # fmt: skip
        return _static(self, found.findings)


class StaticCheck(Gate):
    """Waits, hazards, registers, structure: nothing worse than in K0."""

    name = "static_check"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        base = self.bench
        assert candidate.code_object is not None, "a gate ran before the build"
        assert candidate.built is not None, "a gate ran before the build"
        found = compare_objects(
            base.examined, candidate.code_object, candidate.built, stages=(Stage.CODE,)
        )
        return _static(self, found.findings)


class Screen(Gate):
    """Stops what the model gives no chance, before the dear runs.

    Most candidates are correct and no faster. One that is right in its first run on every launch
    is estimated, and ends here if the estimate misses what the commit rule asks at the least. It
    accepts nothing and says nothing of correctness: a candidate that is wrong in that run, or that
    cannot be run, is left to the gates behind. Where times are measured it lets all pass.
    """

    name = "screen"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        base, problem = self.bench, self.bench.problem
        if base.device.label != "modelled":
            return None
        data, least = _bytes(candidate), problem.rule.threshold(0.0)
        try:
            if not base.oracle.glance(data, problem.capsules):
                return None
            timings = tuple(
                base.device.time(data, capsule, problem.samples, 0.0) for capsule in problem.timed
            )
            gain = speedup(candidate.parent_timings, timings)
        except EnvironmentFault:
            raise
        except AsmEvoError:
            return None
        candidate.estimate = gain
        if gain >= least:
            return None
        return self._stop(
            "insufficient_speedup",
            f"estimated speedup {gain:.5f}, needed at least {least:.5f}",
            speedup=gain, threshold=least, label="modelled",
        )  # fmt: skip


class Differential(Gate):
    """Runs the candidate and K0 on every capsule and poison pattern and compares."""

    name = "differential"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        report = self.bench.oracle.verify(_bytes(candidate), self.bench.problem.capsules)
        candidate.report = report
        if not report.ok:
            return self._stop(report.status, report.reason, **_difference(report))
        candidate.evidence = report.evidence_class
        return None


class Tested(Gate):
    """Stops a candidate whose changes no launch executed, or showed the effect of.

    A block whose instructions are only in another order passes if an independent check of their
    dependences agrees, and so does a kernel that is proved to do what K0 does.
    """

    name = "coverage"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        assert candidate.report is not None, "a gate ran before differential execution"
        assert candidate.built is not None, "a gate ran before the build"
        allowed = self.bench.problem.verify.allow_untested
        found = untested_changes(candidate.report, self.bench.program, candidate.built)
        if found.ok or allowed or not candidate.report.ok:
            return None
        if self.bench.proofs.compare(self.bench.program, candidate.built).holds:
            return None
        return self._stop("untested", found.one_line(), untested=found.to_json())


class Time(Gate):
    """Times the candidate, which is known to be correct by now."""

    name = "timing"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        base = self.bench
        data = _bytes(candidate)
        problem = base.problem
        # First what costs little, and is enough for most; estimated ones have that behind them.
        for below in (0.0, None) if candidate.estimate is None else (None,):
            candidate.timings = tuple(
                base.device.time(data, capsule, problem.samples, below) for capsule in problem.timed
            )
            if speedup(candidate.parent_timings, candidate.timings) < problem.rule.threshold(0.0):
                break
        return None


class Watched(Gate):
    """Races, early and undefined reads that a watched run shows and K0's does not.

    Only for what the commit rule would accept: results are right by now in every order that was
    tried, and a watched run is dear.
    """

    name = "watched"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        assert candidate.report is not None, "a gate ran before differential execution"
        problem = self.bench.problem
        rule, k0 = problem.rule, problem.k0_timings
        decision = decide(rule, k0, candidate.parent_timings, candidate.timings)
        if decision.status != "accepted":
            return None
        short = {c.digest for c in candidate.report.capsules if c.k0_instructions <= LIMIT}
        chosen = [c for c in problem.capsules if c.digest() in short]
        found, _ = self.bench.watcher.compare(_bytes(candidate), chosen)
        if not found:
            return None
        return self._stop(
            "divergent", f"{found[0].rule}: {found[0].message}",
            findings=[f.as_json() for f in found[:20]],
        )  # fmt: skip


class Commit(Gate):
    """The commit rule. The only gate that accepts."""

    name = "commit"

    def judge(self, candidate: Candidate) -> GateVerdict | None:
        """See the class."""
        problem, parent = self.bench.problem, candidate.parent_timings
        decision = decide(problem.rule, problem.k0_timings, parent, candidate.timings)
        candidate.decision = decision
        data: dict[str, Any] = {
            "speedup": decision.speedup,
            "threshold": decision.threshold,
            "cv": decision.cv,
            "implausible": decision.implausible,
            "slower": decision.slower,
            "cases": [dict(t.cases) for t in candidate.timings],
            "label": candidate.timings[0].label,
            "unit": candidate.timings[0].unit,
            "samples": [list(t.samples) for t in candidate.timings],
            "parent_samples": [list(t.samples) for t in parent],
        }
        reason = f"speedup {decision.speedup:.5f}, needed {decision.threshold:.5f}"
        if decision.slower:
            reason = f"slower than K0 in a machine case: {decision.slower}"
        if decision.implausible:
            reason += "; implausibly large, check the capsule"
        return GateVerdict(decision.status, self.name, reason, data)


def _bytes(candidate: Candidate) -> bytes:
    assert candidate.object is not None, "a gate ran before the candidate was built"
    return candidate.object


def _difference(report: VerifyReport) -> dict[str, Any]:
    """Where a candidate first behaved otherwise: launch, run, and the buffers that differ."""
    capsule = next((c for c in report.capsules if c.status != "accepted"), None)
    run = next((r for r in capsule.runs if r.status != "accepted"), None) if capsule else None
    if capsule is None or run is None:
        return {}
    return {
        "launch": capsule.label,
        "origin": capsule.origin,
        "schedule": run.schedule,
        "pattern": run.pattern,
        "late_loads": run.late_loads,
        "placement": run.placement,
        "buffers": [b.to_json() for b in run.buffers if not b.ok],
    }


def _static(gate: Gate, findings: Sequence[Finding]) -> GateVerdict | None:
    if not findings:
        return None
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    where = f" at `{first.text}`" if first.text else ""
    return GateVerdict(
        "static_invalid",
        gate.name,
        f"{first.rule}: {first.message}{where}{more}",
        {"findings": [f.as_json() for f in findings[:20]]},
    )
