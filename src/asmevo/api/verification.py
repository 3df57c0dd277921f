"""Does K1 behave like K0? ABI, static checks, then both side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from asmevo.api.naming import naming
from asmevo.api.objects import (
    LaunchLike,
    ObjectLike,
    Progress,
    Sizes,
    device_of,
    launch_notes,
    launches,
    open,
)
from asmevo.api.results import Result
from asmevo.capsule.model import Capsule
from asmevo.check.comparison import compare_objects, examine
from asmevo.check.findings import Finding
from asmevo.check.rules.declared import fields_of
from asmevo.device.protocol import Device
from asmevo.errors import InputError, UnsupportedError
from asmevo.program import Program
from asmevo.verify.coverage import Untested, coverage_of, judge_changes
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig, VerifyReport
from asmevo.verify.watched import LIMIT, Watcher

# In the order of their numbers alone, waves that race for LDS can always come out right.
DEFAULT_SCHEDULES = ("shuffle:1",)
DEFAULT_POISON = 0x5EED
FINAL_VARIATIONS = 1 << 23  # wave instructions; a search affords less (see `VerifyConfig`)


@dataclass(frozen=True, slots=True, eq=False)
class Verification(Result):
    """Result of `verify`.

    Attributes:
        findings: static differences; where there are any, nothing was run.
        report: the runs, or None.
        program: K1's code, or None.
        launches: how many launches there are (stressed variants of them follow in `report`).
    """

    findings: tuple[Finding, ...] = ()
    report: VerifyReport | None = None
    program: Program | None = None
    launches: int = 0


def verify(
    original: ObjectLike,
    candidate: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    also_edited: Sequence[str] = (),
    declare: Sequence[str] = (),
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    exact: bool = False,
    schedules: tuple[str, ...] = DEFAULT_SCHEDULES,
    poison_seed: int = DEFAULT_POISON,
    matrix: Literal["fast", "exact"] = "exact",
    guards_mapped: bool = False,
    allow_untested: bool = False,
    device: str = "emulated",
    progress: Progress | None = None,
) -> Verification:
    """Judge K1 against K0: ABI, waits and hazards, then runs of both on every launch.

    Args:
        original: K0, the only oracle.
        candidate: K1.
        launch, kernel, sizes, input_seed: see `launches`.
        also_edited: further kernels that may differ, because they are verified on their own.
        declare: what else differs on purpose: `registers` (fewer of them).
        exact: accept bit-equal results only.
        schedules: further wave orders to test.
        poison_seed: seed of the junk in undefined registers, LDS and memory.
        matrix: arithmetic of matrix instructions.
        guards_mapped: map red zones as memory and look for damage, as on hardware.
        allow_untested: accept changes that no launch executes or shows the effect of.
        device: see `device_of`; wave orders and watched runs need the emulator.
        progress: told when helpers compile.

    Raises:
        InputError: an object or the launch is unusable; K0 is no usable reference on it.
        UnsupportedError: an instruction or target that is not supported.
    """
    declared = fields_of(declare)
    k0, k1 = open(original), open(candidate)
    capsules = launches(k0, launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
    notes = launch_notes(k0, launch, kernel)
    config = VerifyConfig(
        poison_seed=poison_seed,
        exact=exact,
        schedules=schedules,
        guards_mapped=guards_mapped,
        matrix=matrix,
        allow_untested=allow_untested,
        variation_limit=FINAL_VARIATIONS,
    )
    launched = k0.code.kernel(kernel if kernel is not None else capsules[0].kernel).name
    edited = (launched, *(k0.code.kernel(name).name for name in also_edited))
    with naming(k1.path):
        # K1 takes the place of K0 for all kernels; the launches run one of them.
        findings = compare_objects(
            examine(k0.code), k1.code, declared=declared, edited=edited
        ).findings
    if findings:
        return Verification(
            False,
            "static_invalid",
            f"static_invalid: {findings[0].message}",
            {"findings": [f.as_json() for f in findings]},
            tuple(findings),
        )
    runner = device_of(device, progress)
    report = DifferentialOracle(k0.data, runner, config).verify(k1.data, capsules)
    if report.status == "input_invalid":
        # No verdict on K1: K0 cannot serve as the reference on this launch.
        raise InputError(report.reason)
    if report.status == "unsupported":
        raise UnsupportedError(report.reason)
    program = runner.program(k1.data)
    report, missed = judge_changes(report, runner.program(k0.data), program, allowed=allow_untested)
    report, seen = watch(report, k0.data, k1.data, capsules, runner, config)
    record = evidence(report, k0.data, k1.data, capsules, runner, config)
    record["dynamic_findings"] = [f.as_json() for f in seen]
    record["evidence_schema"] = record.pop("schema")
    record["coverage"] = code_coverage(report, program)
    record["untested_changes"] = _by_function(missed)
    record["untested"] = missed.to_json()
    record["launch_notes"] = notes
    reason = str(report.evidence_class) if report.ok else f"{report.status}: {report.reason}"
    if report.ok and not missed.ok:
        reason += f"; untested changes allowed: {missed.one_line()}"
    if any(c.provenance.get("weak") for c in capsules):
        reason += "; weak oracle"
    data = {k: v for k, v in record.items() if k not in ("status", "reason")}
    return Verification(report.ok, report.status, reason, data, (), report, program, len(capsules))


def watch(
    report: VerifyReport,
    k0: bytes,
    k1: bytes,
    capsules: Sequence[Capsule],
    device: Device,
    config: VerifyConfig,
) -> tuple[VerifyReport, tuple[Finding, ...]]:
    """The report, refused where watched runs show what K0 does not (`verify.watched`)."""
    if not report.ok:
        return report, ()
    short = {c.digest for c in report.capsules if c.k0_instructions <= LIMIT}
    chosen = [c for c in capsules if c.digest() in short]
    found, note = Watcher(k0, device, config.poison_seed).compare(k1, chosen)
    notes = (*report.notes, note) if note else report.notes
    if not found:
        return replace(report, notes=notes), ()
    reason = f"{found[0].rule}: {found[0].message}"
    worse = replace(report, status="divergent", reason=reason, evidence_class=None, notes=notes)
    return worse, tuple(found)


def code_coverage(report: VerifyReport, program: Program) -> dict[str, Any] | None:
    """Coverage of the candidate's code by all launches, or None where nobody counted."""
    return None if report.counts is None else coverage_of(program, report.counts).to_json()


def _by_function(found: Untested) -> list[dict[str, Any]]:
    """Changed instructions that no launch executed, by function."""
    out: list[dict[str, Any]] = []
    for f in found.program.functions:
        inside = [i for i in found.instructions if f.first <= i < f.last]
        if inside:
            out.append({"function": f.name, "instructions": inside})
    return out
