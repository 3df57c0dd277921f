"""Judge an evidence bundle again, with nothing but the bundle."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from asmevo import __version__
from asmevo.api.files import read_file
from asmevo.api.objects import Progress, emulated
from asmevo.api.results import Result
from asmevo.capsule.model import timed_launches
from asmevo.check.comparison import compare_objects, examine
from asmevo.codeobject import CodeObject
from asmevo.deliver.bundle import Bundle, BundleError, unpack
from asmevo.device.clock import clock_version
from asmevo.device.emulated import EmulatedDevice
from asmevo.errors import AsmEvoError, InputError
from asmevo.program.edit import apply
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover
from asmevo.search.commit import slower_case, speedup
from asmevo.search.types import declared_by, object_id
from asmevo.timing.machine import from_json
from asmevo.verify.coverage import judge_changes
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig
from asmevo.wording import counted

LARGEST_BUNDLE = 4 << 30
# Strongest first; what was claimed may turn out stronger, never weaker.
_CLASSES = ("proved", "reordered", "tested-exact", "tested-tolerance")
_SAME = 1e-9  # modelled times repeat exactly; the factor allows for rounding


@dataclass(frozen=True, slots=True)
class _Audit:
    bundle: Bundle
    device: EmulatedDevice
    seed: int


def audit(
    bundle: str | Path, *, seed: int | None = None, progress: Progress | None = None
) -> Result:
    """Check every claim of a bundle: hashes, lineage, static rules, behaviour, times.

    K1 is built again from K0 by the edits of the lineage, held against K0 byte by byte and by the
    static rules, run beside it on the bundle's launches with junk that nobody has seen, and timed.

    Args:
        bundle: path of a bundle (`asmevo optimize --evidence`).
        seed: of the junk in undefined registers and memory; a new one each time by default.
        progress: told when helpers compile.

    Returns:
        `data["checks"]`: each claim with `ok` and `text`; `ok` if all hold.

    Raises:
        BundleError: no bundle, damaged, or changed after it was sealed.
        UnsupportedError: a target or instruction that this version does not run.
    """
    read = unpack(read_file(bundle, LARGEST_BUNDLE), str(bundle))
    work = _Audit(read, emulated(progress), secrets.randbits(32) if seed is None else seed)
    checks: list[dict[str, Any]] = [
        {
            "name": "seal",
            "ok": True,
            "text": f"{read.manifest.seal}, made by {read.manifest.asmevo}",
        }
    ]
    for name, check in _CHECKS.items():
        try:
            ok, text = check(work)
        except AsmEvoError as err:
            if err.status in ("unsupported", "infrastructure_error"):
                raise
            ok, text = False, err.one_line()
        checks.append({"name": name, "ok": ok, "text": text})
        if not ok:
            break  # what comes after rests on it
    failed = next((c for c in checks if not c["ok"]), None)
    manifest = read.manifest
    data = {
        "kernel": manifest.kernel,
        "target": manifest.target,
        "k0": manifest.k0,
        "k1": manifest.k1,
        "seal": manifest.seal,
        "evidence_class": manifest.evidence_class,
        "allow_untested": manifest.allow_untested,
        "speedup": manifest.speedup,
        "label": manifest.label,
        "seed": work.seed,
        "checks": checks,
        "versions": {"bundle": manifest.asmevo, "here": __version__},
        "clocks": {"bundle": manifest.clock, "here": clock_version()},
    }
    if failed is not None:
        return Result(False, "divergent", f"{failed['name']}: {failed['text']}", data)
    reason = f"{manifest.evidence_class}, {manifest.speedup:.4f}x {manifest.label}"
    if manifest.label == "modelled" and manifest.clock != clock_version():
        reason += " by another clock"
    if manifest.allow_untested:
        reason += "; untested changes were allowed"
    return Result(True, "accepted", reason, data)


def _lineage(work: _Audit) -> tuple[bool, str]:
    """Build K1 from K0 by the edits alone."""
    program = recover(CodeObject.open(work.bundle.k0))
    for step in work.bundle.manifest.steps:
        edits = [e.edit() for e in step.edits]
        built = rebuild(apply(program, edits))
        if object_id(built) != step.node:
            return False, f"step {step.sequence} gives another object than it claims"
        program = recover(CodeObject.open(built))
    if program.object.data != work.bundle.k1:
        return False, "the edits do not give K1"
    steps = len(work.bundle.manifest.steps)
    return True, f"{counted(steps, 'step')} from K0 to K1, byte for byte"


def _static(work: _Audit) -> tuple[bool, str]:
    """Image, ABI, waits, hazards, order: nothing that K0 had not."""
    k0, k1 = CodeObject.open(work.bundle.k0), CodeObject.open(work.bundle.k1)
    kernel = work.bundle.manifest.kernel
    steps = work.bundle.manifest.steps
    declared = declared_by(e.edit() for step in steps for e in step.edits)
    findings = compare_objects(examine(k0), k1, declared=declared, edited=(kernel,)).findings
    if findings:
        return False, f"{findings[0].rule}: {findings[0].message}"
    return True, "no finding that K0 does not have"


def _behaviour(work: _Audit) -> tuple[bool, str]:
    """Both side by side, with the bundle's options and junk of this audit's own."""
    manifest = work.bundle.manifest
    config = _config(manifest.verify, work.seed)
    oracle = DifferentialOracle(work.bundle.k0, work.device, config)
    report = oracle.verify(work.bundle.k1, work.bundle.launches)
    before, after = (work.device.program(x) for x in (work.bundle.k0, work.bundle.k1))
    report, missed = judge_changes(report, before, after, allowed=manifest.allow_untested)
    if not report.ok:
        return False, f"{report.status}: {report.reason}"
    found = str(report.evidence_class)
    if _CLASSES.index(found) > _CLASSES.index(manifest.evidence_class):
        return False, f"{found} only, {manifest.evidence_class} is claimed"
    runs = sum(len(c.runs) for c in report.capsules)
    text = f"{found} in {runs} runs on {len(work.bundle.launches)} launches and variants of them"
    return True, text if missed.ok else f"{text}; untested changes allowed: {missed.one_line()}"


def _config(options: dict[str, Any], seed: int) -> VerifyConfig:
    """The options of a bundle; unknown ones are refused, so that none is lost silently."""
    known = VerifyConfig().to_json()
    if set(options) - set(known):
        odd = sorted(set(options) - set(known))[0]
        raise BundleError(f"the bundle was verified with {odd!r}, which is unknown here")
    try:
        made = TypeAdapter(VerifyConfig).validate_python(options)
    except (ValidationError, InputError):
        raise BundleError("the bundle's options of verification are damaged") from None
    return replace(made, poison_seed=seed)


def _times(work: _Audit) -> tuple[bool, str]:
    """Time both again; figures of the same clock must repeat, of another one hold in kind."""
    manifest = work.bundle.manifest
    if manifest.label != "modelled":
        return True, "measured on a device that is not here: not repeated"
    timed = timed_launches(work.bundle.launches)
    recorded = work.bundle.record.get("machine")
    device = work.device if recorded is None else emulated(machine=from_json(recorded))
    k0 = [device.time(work.bundle.k0, c, 1) for c in timed]
    k1 = [device.time(work.bundle.k1, c, 1) for c in timed]
    gain = speedup(k0, k1)
    slower = slower_case(k0, k1)
    if manifest.clock != clock_version():
        own = f"clock {manifest.clock}" if manifest.clock else "a clock without a version"
        text = (
            f"the clock has changed: {gain:.4f}x by clock {clock_version()} here, "
            f"{manifest.speedup:.4f}x by {own} when the bundle was made"
        )
        return gain >= 1.0, f"{text}; here slower than K0 in {slower}" if slower else text
    if slower:
        return False, f"slower than K0 in a machine case: {slower}"
    if abs(gain / manifest.speedup - 1) > _SAME:
        return False, f"{gain:.4f}x modelled, {manifest.speedup:.4f}x is claimed"
    return True, f"{gain:.4f}x modelled, in no machine case slower than K0"


_CHECKS: dict[str, Callable[[_Audit], tuple[bool, str]]] = {
    "lineage": _lineage,
    "static rules": _static,
    "behaviour": _behaviour,
    "times": _times,
}
