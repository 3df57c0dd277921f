"""`asmevo verify`: does K1 behave like K0? ABI, static checks, then both side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.check import abi
from asmevo.check.against import compare as against
from asmevo.check.findings import Finding
from asmevo.check.run import check_program
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
from asmevo.program import recover
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig, VerifyReport

SCHEMA = "asmevo/verify/1"


def static_findings(k0: CodeObject, k1: CodeObject, kernel: str) -> list[Finding]:
    """ABI differences and findings of K1 that K0 does not have."""
    found = abi.compare(k0, k1)
    if found:
        return found
    p0, p1 = recover(k0), recover(k1)
    return against(check_program(p0, kernel), p0, check_program(p1, kernel), p1)


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
        exact: Annotated[bool, typer.Option(help="accept bit-equal results only")] = False,
        schedule: Annotated[
            list[str] | None,
            typer.Option(help="further wave order to test: interleave:N or shuffle:SEED"),
        ] = None,
        poison_seed: Annotated[
            int, typer.Option(help="seed of the junk in undefined registers, LDS and memory")
        ] = 0x5EED,
        matrix: MatrixOption = MatrixMode.EXACT,
        guards_mapped: Annotated[
            bool, typer.Option(help="map red zones as memory and look for damage, as on hardware")
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
            schedules=tuple(schedule or ()),
            guards_mapped=guards_mapped,
            matrix=matrix.value,
        )
        name = co0.kernel(kernel if kernel is not None else launches[0].kernel).name
        with naming(candidate):
            findings = static_findings(co0, co1, name)
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
        record = evidence(report, k0, k1, launches, device, config)
        record["evidence_schema"] = record.pop("schema")
        emit(
            format,
            SCHEMA,
            {k: v for k, v in record.items() if k not in ("status", "reason")},
            _lines(report),
            ok=report.ok,
            reason=f"{report.status}: {report.reason}"
            if not report.ok
            else str(report.evidence_class),
            status=report.status,
        )

    del command


def _lines(report: VerifyReport) -> list[str]:
    rows: list[tuple[str, ...]] = []
    for capsule in report.capsules:
        data = capsule.to_json()
        buffers = [b for run in data.get("runs", []) for b in run.get("buffers", [])]
        worst = max((float(b.get("max_abs", 0.0) or 0.0) for b in buffers), default=0.0)
        rows.append(
            (
                str(data.get("label") or data.get("capsule") or "-"),
                str(data.get("status")),
                "yes" if capsule.exact else "no",
                f"{worst:.3g}",
            )
        )
    return table(rows, ("launch", "status", "bit-equal", "max |delta|"))
