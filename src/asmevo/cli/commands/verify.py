"""`asmevo verify`: does K1 behave like K0? ABI, static checks, then both side by side."""

from __future__ import annotations

from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.check.comparison import compare_objects, examine
from asmevo.check.engine.facts import skeleton
from asmevo.check.findings import Finding
from asmevo.cli.common import (
    KernelOption,
    LaunchOption,
    MatrixMode,
    MatrixOption,
    SeedOption,
    SizeOption,
    capsules,
    emulated,
    naming,
    open_object,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError, UnsupportedError
from asmevo.program import Program
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import CapsuleReport, VerifyConfig, VerifyReport, coverage

SCHEMA = "asmevo/verify/1"
# In the order of their numbers alone, waves that race for LDS can always come out right.
DEFAULT_SCHEDULES = ("shuffle:1",)
_LONGEST_DIFF = 3000  # instructions; finer comparison takes quadratic time


def static_findings(k0: CodeObject, k1: CodeObject) -> list[Finding]:
    """ABI differences and findings of K1 that K0 does not have, in every function of the object.

    The launches run one kernel; K1 takes the place of K0 for all of them.
    """
    return list(compare_objects(examine(k0), k1).findings)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("verify")
    def command(
        original: Annotated[Path, typer.Argument(help="the original code object, K0")],
        candidate: Annotated[Path, typer.Argument(help="the object to judge, K1")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        exact: Annotated[
            bool, typer.Option("--exact", help="accept bit-equal results only")
        ] = False,
        schedule: Annotated[
            list[str] | None,
            typer.Option(
                help="further wave order to test: interleave:N or shuffle:SEED "
                f"[default: {', '.join(DEFAULT_SCHEDULES)}]"
            ),
        ] = None,
        poison_seed: Annotated[
            int, typer.Option(help="seed of the junk in undefined registers, LDS and memory")
        ] = 0x5EED,
        matrix: MatrixOption = MatrixMode.EXACT,
        guards_mapped: Annotated[
            bool,
            typer.Option(
                "--guards-mapped",
                help="map red zones as memory and look for damage, as on hardware",
            ),
        ] = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Judge K1 against K0: ABI, waits and hazards, then runs of both on every launch.

        Example: asmevo verify K0.hsaco K1.hsaco --launch launch.yaml
        """
        k0, co0 = open_object(original)
        k1, co1 = open_object(candidate)
        launches = capsules(co0, launch, kernel, size, input_seed)
        config = VerifyConfig(
            poison_seed=poison_seed,
            exact=exact,
            schedules=tuple(schedule or DEFAULT_SCHEDULES),
            guards_mapped=guards_mapped,
            matrix=matrix.value,
        )
        co0.kernel(kernel if kernel is not None else launches[0].kernel)
        with naming(candidate):
            findings = static_findings(co0, co1)
        if findings:
            data: dict[str, Any] = {"findings": [f.as_json() for f in findings]}
            emit(
                format,
                SCHEMA,
                data,
                [f.one_line() for f in findings],
                ok=False,
                reason=f"static_invalid: {findings[0].message}",
                status="static_invalid",
            )
        with progress("verify") as advance:
            device = emulated(advance)
            report = DifferentialOracle(k0, device, config).verify(k1, launches)
        if report.status == "input_invalid":
            # No verdict on K1: K0 cannot serve as the reference on this launch.
            raise InputError(report.reason)
        if report.status == "unsupported":
            raise UnsupportedError(report.reason)
        record = evidence(report, k0, k1, launches, device, config)
        record["evidence_schema"] = record.pop("schema")
        program = device.program(k1)
        record["untested_changes"] = untested(report, device.program(k0), program)
        emit(
            format,
            SCHEMA,
            {k: v for k, v in record.items() if k not in ("status", "reason")},
            [*_lines(report, len(launches), program), *_warnings(record["untested_changes"])],
            ok=report.ok,
            reason=f"{report.status}: {report.reason}"
            if not report.ok
            else str(report.evidence_class),
            status=report.status,
        )

    del command


def changed(before: Program, after: Program) -> list[int]:
    """Instructions of `after` that `before` does not have there, by the order of their texts.

    Where something was taken out, the instruction behind it counts. Branch distances do not.
    """

    def texts(program: Program) -> list[str]:
        known = program.instructions
        return [
            skeleton(text) if (text := i.text or i.raw.hex()).startswith("s_") and "branch" in text
            else text
            for i in known
        ]  # fmt: skip

    a, b = texts(before), texts(after)
    first = 0
    while first < min(len(a), len(b)) and a[first] == b[first]:
        first += 1
    back = 0
    while back < min(len(a), len(b)) - first and a[-1 - back] == b[-1 - back]:
        back += 1
    a, b = a[first : len(a) - back], b[first : len(b) - back]
    if max(len(a), len(b)) > _LONGEST_DIFF:
        return list(range(first, first + max(len(b), 1)))
    found: set[int] = set()
    for tag, _, _, low, high in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            found.update(range(first + low, first + max(high, low + 1)))
    return sorted(i for i in found if i < len(after.instructions))


def untested(report: VerifyReport, before: Program, after: Program) -> list[dict[str, Any]]:
    """Changed instructions that no launch executed, by function; padding left out."""
    executed = report.executed
    if executed is None:
        return []
    lost = [i for i in changed(before, after) if not executed[i]]
    out: list[dict[str, Any]] = []
    for f in after.functions:
        inside = [i for i in lost if f.first <= i < f.last]
        if inside:
            out.append({"function": f.name, "instructions": inside})
    return out


def _warnings(changes: list[dict[str, Any]]) -> list[str]:
    return [
        f"warning: {len(c['instructions'])} changed instructions of {c['function']} were never "
        f"executed, so nothing is known of them: {', '.join(map(str, c['instructions'][:8]))}"
        + (", ..." if len(c["instructions"]) > 8 else "")
        for c in changes
    ]


def _row(capsule: CapsuleReport) -> tuple[str, ...]:
    buffers = [b for run in capsule.runs for b in run.buffers]
    return (
        capsule.label or "-",
        capsule.status,
        str(len(capsule.runs)),
        "yes" if capsule.exact else "no",
        f"{max((b.max_delta for b in buffers), default=0.0):.3g}",
        f"{min((b.cosine for b in buffers), default=1.0):.6g}",
    )


_HEADER = ("launch", "status", "runs", "bit-equal", "max |delta|/scale", "cosine")


def _lines(report: VerifyReport, launches: int, program: Program) -> list[str]:
    """Launches one by one, their stressed variants summed up unless one failed."""
    stressed = report.capsules[launches:]
    shown = [*report.capsules[:launches], *(c for c in stressed if c.status != "accepted")]
    lines = table([_row(c) for c in shown], _HEADER)
    good = [c for c in stressed if c.status == "accepted"]
    if good:
        kinds = ", ".join(dict.fromkeys(c.label.rpartition("+")[2] for c in good))
        equal = sum(c.exact for c in good)
        lines.append(f"stressed inputs: {len(good)} accepted, {equal} bit-equal ({kinds})")
    if report.executed is not None:
        # Padding behind the functions is never reached; it is no gap of the test.
        reached = report.executed.copy()
        for f in program.functions:
            reached[f.last : f.padding_last] = True
        padding = sum(f.padding for f in program.functions)
        covered = coverage(reached) or {}
        total = covered["instructions"] - padding
        lines.append(f"executed: {covered['executed'] - padding} of {total} instructions")
        ranges = [f"{a}..{b - 1}" if b - a > 1 else str(a) for a, b in covered["never_executed"]]
        if ranges:
            lines.append(f"never executed, so not tested: {', '.join(ranges[:12])}")
    lines += [f"note: {note}" for note in report.notes]
    return lines + [f"note: {c.label}: {note}" for c in report.capsules for note in c.notes]
