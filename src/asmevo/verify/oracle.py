"""The differential oracle: K0's own behaviour decides what a candidate must do.

K0 is run once per capsule and poison pattern and remembered. Before it may judge, it has to
reproduce its own result, and that result must not depend on undefined memory, registers or LDS;
a K0 that fails this is refused (`OracleError`), because anything would pass or fail by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState, Capsule
from asmevo.capsule.placement import HOME, NotMovable, placed
from asmevo.device.protocol import Device, Fault, RunResult
from asmevo.errors import InputError, UnsupportedError
from asmevo.verify.compare import BufferComparison, compare_buffer
from asmevo.verify.globals import differing
from asmevo.verify.poison import PATTERNS, Pattern, depends_on_poison, written
from asmevo.verify.reference import (
    OTHER_ORDERS,
    Case,
    K0Runs,
    OracleError,
    Reference,
    compared_buffers,
    junk_seed,
    limited,
    options,
    require_buffers,
)
from asmevo.verify.report import (
    CapsuleReport,
    Dropped,
    RunReport,
    Status,
    VerifyConfig,
    VerifyReport,
)
from asmevo.verify.stress import (
    ALL_STRESSES,
    BARE,
    INTEGER_STRESSES,
    Stress,
    stressed,
    subjects,
)
from asmevo.verify.varied import Varied, vary

__all__ = ["DifferentialOracle", "OracleError", "VerifyConfig", "VerifyReport", "verify"]


class DifferentialOracle:
    """Compares candidates with K0 on capsules, running K0 once for each."""

    def __init__(self, k0: bytes, device: Device, config: VerifyConfig | None = None) -> None:
        """Make an oracle.

        Args:
            k0: the original object.
            device: where objects run.
            config: how hard to test.
        """
        self.k0 = k0
        self.device = device
        self.config = config or VerifyConfig()
        self._k0_runs = K0Runs(k0, device, self.config)
        self._references: dict[str, Reference] = {}
        self._stressed: dict[tuple[str, Stress], tuple[Capsule, Reference] | str | None] = {}
        self._varied: dict[str, Varied] = {}
        # Digests hash whole buffers; remember them by identity, and the capsule to keep it alive.
        self._digests: dict[int, tuple[Capsule, str]] = {}

    def prepare(self, capsule: Capsule) -> None:
        """Run K0 on a capsule now rather than at the first check.

        Raises:
            OracleError: K0 is no usable oracle here.
        """
        self._reference(capsule)

    def check(self, candidate: bytes, capsule: Capsule) -> CapsuleReport:
        """Judge a candidate on one capsule: each poison pattern, then the further schedules.

        Raises:
            OracleError: K0 is no usable oracle here.
            UnsupportedError: the device cannot run one of the objects.
            EnvironmentFault: the device is broken.
        """
        return self._check(candidate, capsule, self._reference(capsule))

    def _check(self, candidate: bytes, capsule: Capsule, base: Reference) -> CapsuleReport:
        runs: list[RunReport] = []
        finals: dict[Pattern, dict[str, bytes]] = {}
        counts: NDArray[np.int64] | None = None
        for case in base.cases:
            result = self._run(candidate, base, case, profile=not runs)
            if result.counts is not None:
                counts = result.counts
            verdict = self._judge(candidate, base, case, result)
            if verdict.status == "accepted" and case.late:
                verdict = _unchanged(verdict, case, finals["A"], result)
            if verdict.status == "accepted" and case.pattern not in finals:
                finals[case.pattern] = result.buffers
                if len(finals) == len(PATTERNS):
                    verdict = self._poison_verdict(base, finals, verdict)
            runs.append(verdict)
            if verdict.status != "accepted":
                break
        last = runs[-1]
        return CapsuleReport(
            label=capsule.label,
            digest=self._digest(capsule),
            status=last.status,
            reason=_where(last) if last.status != "accepted" else "",
            runs=tuple(runs),
            k0_instructions=base.instructions,
            notes=base.notes,
            counts=counts,
            k0_counts=base.counts,
        )

    def glance(self, candidate: bytes, capsules: Iterable[Capsule]) -> bool:
        """Whether a candidate's first run on each capsule is right: the start of `verify`.

        Raises:
            OracleError: K0 is no usable oracle here.
            UnsupportedError: the device cannot run one of the objects.
            EnvironmentFault: the device is broken.
        """
        for capsule in capsules:
            base = self._reference(capsule)
            case = base.cases[0]
            result = self._run(candidate, base, case)
            if self._judge(candidate, base, case, result).status != "accepted":
                return False
        return True

    def verify_reference(self, capsules: Iterable[Capsule]) -> VerifyReport:
        """Judge K0 itself.

        On a modelled device runs repeat exactly, so what `verify` derives from the launches would
        show nothing: K0 is the only one that has run there.
        """
        return self._verify(self.k0, capsules, derived=self.device.label != "modelled")

    def verify(self, candidate: bytes, capsules: Iterable[Capsule]) -> VerifyReport:
        """Judge a candidate on capsules in order, up to the first that it fails.

        Stressed variants of all capsules follow, then variations of what their descriptions leave
        free; those where K0 itself cannot run are left out and noted.

        Raises:
            InputError: no capsule is given.
            EnvironmentFault: the device is broken.
        """
        return self._verify(candidate, capsules, derived=True)

    def _verify(
        self, candidate: bytes, capsules: Iterable[Capsule], *, derived: bool
    ) -> VerifyReport:
        reports: list[CapsuleReport] = []
        notes: list[str] = []
        dropped: list[Dropped] = []
        tested: list[Capsule] = []
        try:
            for capsule in capsules:
                reports.append(self.check(candidate, capsule))
                if reports[-1].status != "accepted":
                    return VerifyReport.of(tuple(reports))
                tested.append(capsule)
            if not reports:
                raise InputError("nothing to verify on", "give at least one capsule or launch.yaml")
            more = self._derived(candidate, tested, notes, dropped) if derived else ()
            for report in more:
                reports.append(report)
                if report.status != "accepted":
                    break
        except OracleError as error:
            return VerifyReport("input_invalid", error.one_line(), tuple(reports))
        except UnsupportedError as error:
            return VerifyReport("unsupported", error.one_line(), tuple(reports))
        return VerifyReport.of(tuple(reports), tuple(notes), tuple(dropped))

    def _derived(
        self,
        candidate: bytes,
        tested: Sequence[Capsule],
        notes: list[str],
        dropped: list[Dropped],
    ) -> Iterator[CapsuleReport]:
        """Reports on what is made of the launches; a variation that reaches new code is stressed
        like a launch."""
        yield from self._all_stressed(candidate, tested, notes)
        for capsule in tested:
            varied = self._variations(capsule)
            dropped += varied.dropped
            for other, base in varied.kept:
                yield replace(self._check(candidate, other, base), origin="varied")
            yield from self._all_stressed(candidate, varied.fresh, notes)
            yield from self._all_stressed(candidate, varied.bare, notes, (BARE,))

    def _all_stressed(
        self,
        candidate: bytes,
        capsules: Sequence[Capsule],
        notes: list[str],
        kinds: Sequence[Stress] | None = None,
    ) -> Iterator[CapsuleReport]:
        for capsule in capsules:
            for kind in self.config.stress if kinds is None else kinds:
                report = self._check_stressed(candidate, capsule, kind, notes)
                if report is not None:
                    yield report

    def _variations(self, capsule: Capsule) -> Varied:
        """Variations of a description's own sizes; its further launches are some already."""
        if capsule.provenance.get("variant", 0):
            return Varied()
        key = self._digest(capsule)
        if key not in self._varied:
            self._varied[key] = vary(
                self.k0, self._k0_runs, self.config, capsule, self._reference(capsule),
                self._elsewhere,
            )  # fmt: skip
        return self._varied[key]

    def _check_stressed(
        self, candidate: bytes, capsule: Capsule, kind: Stress, notes: list[str]
    ) -> CapsuleReport | None:
        """Judge on a stressed launch with one poison pattern and placement; None if left out.

        Whether results depend on poison was seen on the launch itself, and a byte left unwritten
        still holds the pattern here.
        """
        key = (self._digest(capsule), kind)
        if key not in self._stressed:
            self._stressed[key] = self._make_stressed(capsule, kind)
        found = self._stressed[key]
        if found is None:
            return None
        if isinstance(found, str):
            notes.append(found)
            return None
        other, base = found
        return replace(self._check(candidate, other, base), origin="stressed")

    def _make_stressed(
        self, capsule: Capsule, kind: Stress
    ) -> tuple[Capsule, Reference] | str | None:
        if not subjects(capsule, kind):
            return None
        size = sum(b.size for b in capsule.buffers)
        if size > self.config.stress_limit:
            return f"[{capsule.label} +{kind}] left out: {size} bytes are above the stress limit"
        other = stressed(capsule, kind, self.config.poison_seed)
        if other is None:
            return None
        other, place = self._elsewhere(other, ALL_STRESSES.index(kind))
        try:
            orders = OTHER_ORDERS if kind in INTEGER_STRESSES else ()
            return other, self._k0_runs.reference(
                other, derived=True, orders=orders, placement=place
            )
        except (OracleError, UnsupportedError) as error:
            return f"[{other.label}] left out: {error}"

    # Running

    def _digest(self, capsule: Capsule) -> str:
        known = self._digests.get(id(capsule))
        if known is None:
            known = self._digests[id(capsule)] = (capsule, capsule.digest())
        return known[1]

    def _elsewhere(self, capsule: Capsule, turn: int) -> tuple[Capsule, str]:
        """The capsule at its own or other addresses by turns, and which these are."""
        choices = (HOME, *self.config.placements)
        place = choices[turn % len(choices)]
        if place == HOME or self.device.label != "modelled":
            return capsule, HOME
        try:
            return placed(capsule, place, self.config.poison_seed), place
        except NotMovable:
            return capsule, HOME  # noted with the launch itself

    def _run(
        self, candidate: bytes, base: Reference, case: Case, *, profile: bool = False
    ) -> RunResult:
        config = self.config
        budget = max(config.budget_floor, int(config.budget_factor * base.instructions))
        chosen = options(
            config, junk_seed(config, case.pattern), case.schedule, budget,
            profile=profile, late=case.late, state=case.state,
        )  # fmt: skip
        return self.device.run(candidate, case.capsule, chosen)

    def _reference(self, capsule: Capsule) -> Reference:
        key = self._digest(capsule)
        if key not in self._references:
            self._references[key] = self._k0_runs.reference(capsule)
        return self._references[key]

    # The candidate

    def _judge(self, candidate: bytes, base: Reference, case: Case, result: RunResult) -> RunReport:
        capsule = case.capsule

        def report(
            status: Status, reason: str = "", buffers: Sequence[BufferComparison] = ()
        ) -> RunReport:
            order = capsule.schedule if case.schedule is None else case.schedule
            return RunReport(
                case.pattern, order, status, reason, tuple(buffers), result.instructions,
                case.late, case.placement,
            )  # fmt: skip

        if not result.ok:
            return report(*_fault_verdict(result.fault, capsule))
        require_buffers(self.device, capsule, result)
        if result.guard_damage:
            names = ", ".join(result.guard_damage)
            return report("canary_corruption", f"stores outside buffer {names}")
        for b in capsule.buffers:
            if b.role == "in" and result.buffers[b.name] != b.data:
                return report("divergent", f"modifies its input {b.name}")
        found = [
            self._compared(base, case, limited(self.config, b), result.buffers[b.name])
            for b in compared_buffers(capsule)
        ]
        for comparison in found:
            if not comparison.ok:
                reason = comparison.reason + _unwritten(base, case, comparison, result)
                return report("divergent", reason, found)
            if self.config.exact and not comparison.exact:
                return report(
                    "divergent",
                    f"{comparison.name}: {comparison.differing} elements are not bit-equal",
                    found,
                )
        reason = differing(case.globals, result.globals, base.varying, candidate)
        return report("divergent" if reason else "accepted", reason, found)

    def _compared(
        self, base: Reference, case: Case, buffer: BufferState, candidate: bytes
    ) -> BufferComparison:
        """One buffer against K0's; where K0's own results vary, against all that it gave."""
        expected, mask = case.expected[buffer.name], base.masks.get(buffer.name)
        limits = case.capsule.tolerance
        found = compare_buffer(buffer, expected, candidate, limits, mask)
        spread = base.spreads.get(buffer.name)
        if found.ok or spread is None or self.config.exact:
            return found
        settled = spread.settle(buffer, expected, candidate)
        again = compare_buffer(buffer, expected, settled, limits, mask)
        return replace(again, exact=False, differing=found.differing)

    def _poison_verdict(
        self, base: Reference, finals: dict[Pattern, dict[str, bytes]], last: RunReport
    ) -> RunReport:
        """Written bytes must be K0's, and independent of the poison as K0's are."""
        before = {case.pattern: case.capsule for case in reversed(base.cases)}
        for b in compared_buffers(before["A"]):
            after_a, after_b = finals["A"][b.name], finals["B"][b.name]
            if b.undefined:
                mask = written(
                    before["A"].buffer(b.name).data,
                    after_a,
                    before["B"].buffer(b.name).data,
                    after_b,
                )
                wrong = mask != base.masks[b.name]
                if wrong.any():
                    byte = int(wrong.argmax())
                    verb = "writes" if mask[byte] else "leaves unwritten"
                    return replace(
                        last,
                        status="divergent",
                        reason=f"{b.name}: {verb} byte {byte}, {int(wrong.sum())} bytes unlike K0",
                    )
            else:
                mask = np.ones(b.size, dtype=np.bool_)
            unstable = depends_on_poison(mask, after_a, after_b)
            if unstable.any():
                return replace(
                    last,
                    status="divergent",
                    reason=f"{b.name}: byte {int(unstable.argmax())} depends on undefined "
                    "registers, LDS or memory",
                )
        return last


def verify(
    k0: bytes,
    k1: bytes,
    capsules: Iterable[Capsule],
    device: Device,
    config: VerifyConfig | None = None,
) -> VerifyReport:
    """Judge `k1` against `k0` on every capsule.

    Raises:
        InputError: no capsule is given, or an object is unusable.
        EnvironmentFault: the device is broken.
    """
    return DifferentialOracle(k0, device, config).verify(k1, capsules)


def _where(run: RunReport) -> str:
    """Why a run failed, and which run it was."""
    place = "" if run.placement == HOME else f", placement {run.placement}"
    reason = f"{run.reason} (poison {run.pattern}, schedule {run.schedule}{place})"
    if run.late_loads:
        return f"with loads that arrive late (is a wait missing or too weak?) {reason}"
    return reason


def _unchanged(
    verdict: RunReport, case: Case, usual: dict[str, bytes], result: RunResult
) -> RunReport:
    """Late loads must change nothing, also not within the tolerance of K0."""
    changed = [b.name for b in compared_buffers(case.capsule)
               if result.buffers.get(b.name) != usual[b.name]]  # fmt: skip
    if changed:
        return replace(verdict, status="divergent", reason=f"{changed[0]} changes")
    return verdict


def _unwritten(base: Reference, case: Case, comparison: BufferComparison, result: RunResult) -> str:
    """A hint for the reason when elements that K0 writes still hold the poison."""
    buffer = case.capsule.buffer(comparison.name)
    if not buffer.undefined:
        return ""
    size = buffer.element.size
    kept, mask = (
        np.all(bits.reshape(-1, size), axis=1)
        for bits in (
            np.frombuffer(result.buffers[buffer.name], np.uint8)
            == np.frombuffer(buffer.data, np.uint8),
            base.masks[buffer.name],
        )
    )
    count = int((kept & mask).sum())
    return f"; {count} elements are left unwritten" if count else ""


def _fault_verdict(fault: Fault | None, capsule: Capsule) -> tuple[Status, str]:
    if fault is None:
        return "runtime_failure", "the run failed without a reason"
    text = fault.one_line()
    if fault.kind == "unsupported":
        return "unsupported", text
    near = None if fault.address is None else capsule.buffer_at(fault.address)
    if fault.kind == "read_only":
        return "divergent", f"stores to read-only memory: {text}"
    stores = fault.access in ("store", "atomic")
    # Also when the address itself is inside: then the store begins in the buffer and ends outside.
    if fault.kind == "out_of_bounds" and stores and near is not None:
        return "canary_corruption", f"stores outside buffer {near[0].name}: {text}"
    return "runtime_failure", text
