"""What a verification says: verdict words, per-capsule details, evidence class, plain JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Tolerance
from asmevo.capsule.placement import HOME, PLACEMENTS, Placement
from asmevo.errors import InputError
from asmevo.verify.compare import BufferComparison
from asmevo.verify.stress import STRESSES, Stress

Status = Literal[
    "accepted",
    "divergent",
    "untested",
    "canary_corruption",
    "runtime_failure",
    "input_invalid",
    "unsupported",
]
EvidenceClass = Literal["tested-exact", "tested-tolerance"]
Origin = Literal["launch", "stressed", "varied"]
EXIT_CODES: dict[Status, int] = {
    "accepted": 0,
    "divergent": 1,
    "untested": 1,
    "canary_corruption": 1,
    "runtime_failure": 1,
    "input_invalid": 2,
    "unsupported": 3,
}


@dataclass(frozen=True, slots=True)
class VerifyConfig:
    """How hard to test.

    Attributes:
        poison_seed: seed of the junk in undefined memory, registers and LDS.
        schedules: wave orders to test besides the capsule's own.
        budget_factor: a candidate may execute this many times K0's instructions,
        budget_floor: but always this many.
        k0_budget: instruction budget of K0 itself.
        guards_mapped: find stray stores by damage to the red zones (as on hardware) instead of by
            a fault at the first access; needed for kernels that read past their buffers.
        exact: accept bit-equal results only.
        stress: kinds of further inputs made from every launch (see `verify.stress`); tested after
            all launches themselves passed.
        stress_limit: launches with more bytes of buffers are not stressed (each kind keeps a copy
            of the inputs and of K0's result), and the report says so.
        tolerance: instead of every capsule's and buffer's own.
        late_loads: on a modelled device also run with loads that arrive only at a sufficient wait,
            so that a lost or weakened wait shows; left out where K0's own result changes.
        pauses: on a modelled device, where waves of K0 communicate other than by barriers, also
            run them so that each pauses in front of memory instructions, for long at some.
        placements: where memory lies in further runs on a modelled device (`capsule.placement`).
        allow_untested: accept edits of code that no launch executes.
        variation_limit: most wave instructions of K0 on a variation of a launch (`verify.varied`),
            where the launch itself does not take half as many; 0 for no variations.
        matrix: arithmetic of matrix instructions, where the device has a choice: `fast` for a
            search, `exact` (the published accumulation models) for a final verification.
    """

    poison_seed: int = 0x5EED
    schedules: tuple[str, ...] = ()
    budget_factor: float = 8.0
    budget_floor: int = 1_000_000
    k0_budget: int = 20_000_000_000
    guards_mapped: bool = False
    exact: bool = False
    stress: tuple[Stress, ...] = STRESSES
    stress_limit: int = 256 << 20
    tolerance: Tolerance | None = None
    late_loads: bool = True
    pauses: bool = True
    placements: tuple[Placement, ...] = PLACEMENTS
    variation_limit: int = 1 << 20
    matrix: Literal["fast", "exact"] = "fast"
    allow_untested: bool = False

    def __post_init__(self) -> None:
        if self.budget_factor < 1 or self.budget_floor < 1 or self.k0_budget < 1:
            raise InputError("instruction budgets must be positive and the factor at least 1")
        for kind in self.stress:
            if kind not in STRESSES:
                raise InputError(f"unknown stress {kind!r}", "use " + ", ".join(STRESSES))
        for place in self.placements:
            if place not in PLACEMENTS:
                raise InputError(f"unknown placement {place!r}", "use " + ", ".join(PLACEMENTS))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "poison_seed": self.poison_seed,
            "schedules": list(self.schedules),
            "budget_factor": self.budget_factor,
            "budget_floor": self.budget_floor,
            "k0_budget": self.k0_budget,
            "guards_mapped": self.guards_mapped,
            "exact": self.exact,
            "stress": list(self.stress),
            "stress_limit": self.stress_limit,
            "late_loads": self.late_loads,
            "pauses": self.pauses,
            "placements": list(self.placements),
            "variation_limit": self.variation_limit,
            "matrix": self.matrix,
            "allow_untested": self.allow_untested,
            "tolerance": None
            if self.tolerance is None
            else {"theta": self.tolerance.theta, "tau": self.tolerance.tau},
        }


def _no_buffers() -> tuple[BufferComparison, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run of the candidate, judged.

    Attributes:
        pattern: poison pattern in undefined memory.
        schedule: wave order.
        status: verdict of this run.
        reason: one line, or an empty string when accepted.
        buffers: comparisons of all `out` and `inout` buffers.
        instructions: wave instructions the candidate executed.
        late_loads: whether loads arrived late in this run.
        placement: where memory lay, `home` for the capsule's own addresses.
    """

    pattern: str
    schedule: str
    status: Status
    reason: str = ""
    buffers: tuple[BufferComparison, ...] = field(default_factory=_no_buffers)
    instructions: int = 0
    late_loads: bool = False
    placement: str = HOME

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "pattern": self.pattern,
            "schedule": self.schedule,
            "late_loads": self.late_loads,
            "placement": self.placement,
            "status": self.status,
            "reason": self.reason,
            "instructions": self.instructions,
            "buffers": [b.to_json() for b in self.buffers],
        }


@dataclass(frozen=True, slots=True)
class CapsuleReport:
    """All runs of the candidate on one capsule; runs stop at the first that is not accepted.

    Attributes:
        label: the capsule's label.
        digest: SHA-256 of the capsule.
        status: verdict.
        reason: one line, or an empty string.
        runs: the runs made.
        k0_instructions: wave instructions of K0 on this capsule.
        notes: what was left out and why (e.g. a schedule that changes K0's own result).
        counts: int64 [instructions of the candidate's program], how often the first run executed
            each; None when the device does not count.
        k0_counts: the same of K0 and its program.
        origin: `launch`, or what was made of one: `stressed` inputs, or other sizes (`varied`).
    """

    label: str
    digest: str
    status: Status
    reason: str = ""
    runs: tuple[RunReport, ...] = ()
    k0_instructions: int = 0
    notes: tuple[str, ...] = ()
    counts: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    k0_counts: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    origin: Origin = "launch"

    @property
    def exact(self) -> bool:
        """Whether every compared buffer was bit-equal in every run."""
        return self.status == "accepted" and all(b.exact for r in self.runs for b in r.buffers)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "label": self.label,
            "origin": self.origin,
            "digest": self.digest,
            "status": self.status,
            "reason": self.reason,
            "exact": self.exact,
            "k0_instructions": self.k0_instructions,
            "notes": list(self.notes),
            "runs": [r.to_json() for r in self.runs],
        }


@dataclass(frozen=True, slots=True)
class Dropped:
    """A variation of a launch that K0 cannot judge, or that costs too much, and why."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Verdict on a candidate.

    Attributes:
        status: verdict word; `accepted` means equal within the rules on every capsule tested.
        reason: one line, or an empty string when accepted.
        capsules: details, up to the first capsule that was not accepted; stressed launches and
            variations of launches last.
        evidence_class: `tested-exact` or `tested-tolerance` when accepted, else None.
        notes: stressed launches that were left out, and why.
        dropped: variations that were left out, and why.
    """

    status: Status
    reason: str = ""
    capsules: tuple[CapsuleReport, ...] = ()
    evidence_class: EvidenceClass | None = None
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def executed(self) -> NDArray[np.bool_] | None:
        """Which instructions of the candidate's program any tested launch executed.

        Bool array [instructions], or None when the device does not count. An edit of an
        instruction that none executed has not been tested at all.
        """
        return None if self.counts is None else self.counts > 0

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How often all tested launches together executed each of the candidate's instructions."""
        return _sum([c.counts for c in self.capsules])

    @property
    def k0_counts(self) -> NDArray[np.int64] | None:
        """The same of K0's instructions."""
        return _sum([c.k0_counts for c in self.capsules])

    def untested(self, first: int, last: int) -> tuple[int, ...]:
        """Instructions in [first, last) of the candidate that no tested launch executed."""
        executed = self.executed
        if executed is None:
            return ()
        return tuple(int(i) for i in np.flatnonzero(~executed[first:last]) + first)

    @property
    def ok(self) -> bool:
        """Whether the candidate is accepted."""
        return self.status == "accepted"

    @property
    def exit_code(self) -> int:
        """Process exit code for the verdict."""
        return EXIT_CODES[self.status]

    @classmethod
    def of(
        cls,
        capsules: tuple[CapsuleReport, ...],
        notes: tuple[str, ...] = (),
        dropped: tuple[Dropped, ...] = (),
    ) -> VerifyReport:
        """Verdict over several capsules: the first that is not accepted decides."""
        for c in capsules:
            if c.status != "accepted":
                where = f"[{c.label}] " if c.label else ""
                return cls(c.status, where + c.reason, capsules, None, notes, dropped)
        exact = all(c.exact for c in capsules)
        evidence: EvidenceClass = "tested-exact" if exact else "tested-tolerance"
        return cls("accepted", "", capsules, evidence, notes, dropped)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return {
            "schema": "asmevo/verify/1",
            "status": self.status,
            "reason": self.reason,
            "evidence_class": self.evidence_class,
            "notes": list(self.notes),
            "dropped": [{"label": d.label, "reason": d.reason} for d in self.dropped],
            "coverage": coverage(self.executed),
            "capsules": [c.to_json() for c in self.capsules],
        }


def _sum(counts: list[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    known = [c for c in counts if c is not None]
    return np.stack(known).sum(axis=0) if known else None


def coverage(executed: NDArray[np.bool_] | None) -> dict[str, Any] | None:
    """Plain summary of an `executed` array: counts, and ranges [first, last) never executed."""
    if executed is None:
        return None
    edges = np.flatnonzero(np.diff(np.concatenate(([True], executed, [True])).astype(np.int8)))
    ranges = [[int(a), int(b)] for a, b in edges.reshape(-1, 2)]
    return {
        "instructions": len(executed),
        "executed": int(executed.sum()),
        "never_executed": ranges,
    }
