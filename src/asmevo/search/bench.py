"""What every candidate of a run is measured against, and what one process derives from it.

`Problem` is plain data: it can be sent to another process or machine. `Bench` is that process'
workshop: K0 recovered and checked, the oracle with K0's own runs, programs by content. It is a
cache and nothing else: a judgement is the same with a used bench and with a new one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from asmevo.capsule.model import Capsule, timed_launches
from asmevo.check.comparison import Examined
from asmevo.check.findings import Finding
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device, DeviceRecipe, Timing
from asmevo.program.model import Program
from asmevo.program.recover import recover
from asmevo.search.commit import CommitRule
from asmevo.search.proof import Proofs
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig, VerifyReport
from asmevo.verify.watched import Watcher

_KEPT_PROGRAMS = 64


class Oracle(Protocol):
    """Runs an object and K0 on every capsule, poison pattern and schedule, and compares."""

    def verify(self, candidate: bytes, capsules: Sequence[Capsule], /) -> VerifyReport:
        """Compare `candidate` with K0."""
        ...

    def glance(self, candidate: bytes, capsules: Sequence[Capsule], /) -> bool:
        """Whether the first run of `candidate` on each capsule is right."""
        ...

    def verify_reference(self, capsules: Sequence[Capsule], /) -> VerifyReport:
        """Compare K0 with itself."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """What candidates are measured against. Holds no open handle; pickles.

    Attributes:
        k0: bytes of the original object.
        kernel: kernel name.
        capsules: the launches.
        device: makes the device that runs and times objects.
        verify: how hard to test.
        samples: time samples per capsule.
        rule: the commit rule.
        k0_timings: K0's times, one per timed launch.
    """

    k0: bytes
    kernel: str
    capsules: tuple[Capsule, ...]
    device: DeviceRecipe
    verify: VerifyConfig
    samples: int
    rule: CommitRule
    k0_timings: tuple[Timing, ...]

    @property
    def timed(self) -> tuple[Capsule, ...]:
        """The launches that are timed; all of them are compared."""
        return timed_launches(self.capsules)


class Bench:
    """See the module.

    Args:
        problem: what to judge against.
        device: a device as `problem.device` makes them; made when it is first needed by default.
        oracle: an oracle for the problem's K0, on such a device; likewise.
    """

    def __init__(
        self, problem: Problem, device: Device | None = None, oracle: Oracle | None = None
    ) -> None:
        self.problem = problem
        self._device = device
        self._oracle = oracle
        self._programs: OrderedDict[bytes, Program] = OrderedDict()

    @cached_property
    def device(self) -> Device:
        """Runs and times objects."""
        return self._device if self._device is not None else self.problem.device()

    @cached_property
    def oracle(self) -> Oracle:
        """Differential execution against K0."""
        if self._oracle is not None:
            return self._oracle
        return DifferentialOracle(self.problem.k0, self.device, self.problem.verify)

    @cached_property
    def watcher(self) -> Watcher:
        """Watched runs against K0's, in the wave orders of the runs before them."""
        verify = self.problem.verify
        return Watcher(self.problem.k0, self.device, verify.poison_seed, verify.schedules)

    @cached_property
    def code_object(self) -> CodeObject:
        """K0, opened."""
        return CodeObject.open(self.problem.k0)

    @cached_property
    def program(self) -> Program:
        """K0's program."""
        return recover(self.code_object)

    @cached_property
    def proofs(self) -> Proofs:
        """The prover's answers for the problem's kernel."""
        return Proofs(self.problem.kernel)

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """What the static checker says about K0."""
        return check_program(self.program, self.problem.kernel)

    @cached_property
    def examined(self) -> Examined:
        """K0 with what the static checker says about it, for comparisons."""
        return Examined(self.code_object, self.program, self.findings, self.problem.kernel)

    def prepare(self) -> None:
        """Recover and check K0 now, so that what is wrong with it is not said of a candidate.

        Raises:
            UnsupportedError: K0 needs something that recovery or the checker does not support.
        """
        _ = self.findings

    def program_of(self, object: bytes) -> Program:
        """The program of an object, recovered from its bytes; the last used ones are kept.

        Raises:
            AsmEvoError: the object does not recover.
        """
        if object == self.problem.k0:
            return self.program
        found = self._programs.get(object)
        if found is None:
            found = self._programs[object] = recover(CodeObject.open(object))
            if len(self._programs) > _KEPT_PROGRAMS:
                self._programs.popitem(last=False)
        self._programs.move_to_end(object)
        return found
