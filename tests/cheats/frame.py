"""Wrong objects that look right on the launch they were made for, and the gates that stop them.

A `Cheat` is a kernel of the project, edits of it, and the names of the gates of the search that may
refuse it. `stopped` sends it through both judges: `asmevo.verify` (what the command line calls) and
`search.judge`. A new cheat is one more entry of a list in a `test_*.py` here; the edits are written
against the text of K0's instructions with the helpers of `Subject`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import asmevo
from asmevo.capsule.model import Capsule, timed_launches
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import Timing
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.search.bench import Bench, Problem
from asmevo.search.commit import CommitRule
from asmevo.search.judge import Judgement, Task, judge
from asmevo.verify.report import VerifyConfig
from asmevo.verify.synthesize import capsules_for

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
STATIC, RUN, TESTED = "static_check", "differential", "tested"
REFUSED = ("divergent", "runtime_failure", "canary_corruption", "static_invalid", "untested")


@dataclass(frozen=True)
class Base:
    """A kernel of the project on a target; `folder` is "." or "kernelbench"."""

    name: str
    arch: str = "gfx942"
    folder: str = "."

    @property
    def launch(self) -> Path:
        """Its launch description."""
        return KERNELS / "launch" / self.folder / f"{self.name}.yaml"


class Subject:
    """What an edit is written against: K0's code and its launches."""

    def __init__(self, base: Base) -> None:
        text = (KERNELS / base.folder / base.arch / f"{base.name}.s").read_text(encoding="utf-8")
        self.base = base
        self.object = assemble_object(text, Target(base.arch))
        self.program: Program = recover(CodeObject.open(self.object))
        self.capsules: tuple[Capsule, ...] = capsules_for(self.object, base.launch)

    @cached_property
    def bench(self) -> Bench:
        """A search's workshop; K0 is run and timed once.

        K0 is given far more time than it takes: what is tried here pretends to be fast, so that
        nothing but its faults can stop it.
        """
        device = EmulatedDevice()
        timings = tuple(
            slowed(device.time(self.object, c, 1)) for c in timed_launches(self.capsules)
        )
        problem = Problem(
            self.object, self.capsules[0].kernel, self.capsules, EmulatedDevice, VerifyConfig(),
            1, CommitRule(), timings,
        )  # fmt: skip
        return Bench(problem, device)

    def at(self, start: str, which: int = 0) -> int:
        """Number of the n-th instruction (from the end if negative) whose text begins so."""
        found = [i for i, inst in enumerate(self.program.instructions)
                 if (inst.text or "").startswith(start)]  # fmt: skip
        assert found, f"{self.base.name} has no {start}"
        return found[which]

    def replace(self, start: str, *lines: str, which: int = 0) -> Edit:
        """Other instructions in place of one."""
        at = self.at(start, which)
        return Edit(at, at + 1, lines)

    def before(self, start: str, *lines: str, which: int = 0) -> Edit:
        """More instructions in front of one."""
        at = self.at(start, which)
        return Edit(at, at, lines)

    def after(self, start: str, *lines: str, which: int = 0) -> Edit:
        """More instructions behind one."""
        at = self.at(start, which) + 1
        return Edit(at, at, lines)


def slowed(timing: Timing) -> Timing:
    """The timing, eight times as long."""
    return replace(
        timing,
        samples=tuple(8 * t for t in timing.samples),
        staggered=tuple(8 * t for t in timing.staggered),
        cases=tuple((name, 8 * t) for name, t in timing.cases),
    )


@dataclass(frozen=True)
class Cheat:
    """A wrong object.

    Attributes:
        name: what it does, for the test's id.
        base: the kernel that it pretends to be.
        edit: subject -> edits of K0's program.
        gates: gates of the search of which one has to refuse it.
        word: part of the reason that `verify` gives; empty for any.
    """

    name: str
    base: Base
    edit: Callable[[Subject], Sequence[Edit]]
    gates: tuple[str, ...] = (RUN,)
    word: str = ""


@cache
def subject(base: Base) -> Subject:
    """The subject of a base, made once."""
    return Subject(base)


def searched(cheat: Cheat) -> Judgement:
    """What the gates of the search say."""
    one = subject(cheat.base)
    problem = one.bench.problem
    task = Task(problem, one.object, problem.k0_timings, tuple(cheat.edit(one)))
    return judge(task, one.bench)


def verified(cheat: Cheat) -> asmevo.Verification:
    """What `asmevo verify` says, with untested code allowed: results alone have to show it."""
    one = subject(cheat.base)
    wrong = rebuild(apply(one.program, list(cheat.edit(one))))
    return asmevo.verify(one.object, wrong, one.base.launch)


def stopped(cheat: Cheat) -> None:
    """Assert that both judges refuse a cheat, each at a gate that is named for it."""
    judgement = searched(cheat)
    if set(cheat.gates) <= {"timing", "commit"}:
        assert judgement.status not in REFUSED, judgement.reason
    else:
        assert judgement.status in REFUSED, f"search: {judgement.status} at {judgement.gate}"
    assert judgement.gate in cheat.gates, f"search: {judgement.gate}: {judgement.reason}"
    result = verified(cheat)
    assert not result.ok, f"verify: {result.reason}"
    assert result.status in REFUSED
    assert cheat.word in result.reason, result.reason
