"""`asmevo optimize`: search for a faster object that behaves like the original."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.files import write_file
from asmevo.cli.common import (
    KernelOption,
    LaunchOption,
    SeedOption,
    SizeOption,
    capsules,
    emulated,
    open_object,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, say, table
from asmevo.cli.render import report as html
from asmevo.codeobject import CodeObject
from asmevo.drivers import DRIVER_NAMES, make_driver
from asmevo.errors import InputError
from asmevo.program import recover
from asmevo.program.edit import apply
from asmevo.search.controller import Config, Controller, SearchResult
from asmevo.search.controller import Progress as SearchProgress
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig

SCHEMA = "asmevo/optimize/1"
_SEED = re.compile(r", seed \d+")  # in notes: of use in the record, noise in the summary


@dataclass(frozen=True, slots=True)
class Request:
    """One optimization, independent of the command line.

    Attributes:
        object: path of K0.
        launch: path of its launch description.
        output: where the optimized object goes.
        store: run store; None keeps it in a temporary folder.
        record: JSON record; None for none.
        report: HTML report; None for none.
    """

    object: Path
    launch: Path
    output: Path
    kernel: str | None = None
    budget: int = 200
    seed: int = 0
    driver: str = "rules"
    sizes: list[str] | None = None
    input_seed: int | None = None
    store: Path | None = None
    resume: bool = False
    record: Path | None = None
    report: Path | None = None
    exact: bool = False
    schedules: tuple[str, ...] = ()


def optimize(request: Request) -> tuple[SearchResult, dict[str, Any]]:
    """Run the search, verify the winner once more with fresh state, and write the results.

    No object is written when none was faster; record and report are.

    Raises:
        InputError: bad options, object or launch description.
        UnsupportedError: the kernel needs something that is not supported.
    """
    data, co = open_object(request.object)
    for path in (request.output, request.record, request.report, request.store):
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"{path}: its folder does not exist", "create the folder first")
    if request.resume and request.store is None:
        raise InputError("--resume needs the run store", "give --store as in the first run")
    launches = capsules(co, request.launch, request.kernel, request.sizes, request.input_seed)
    config = VerifyConfig(exact=request.exact, schedules=request.schedules)
    with tempfile.TemporaryDirectory(prefix="asmevo-") as scratch, progress("search") as advance:
        device = emulated(advance)
        store = request.store or Path(scratch) / "run.db"

        def show(p: SearchProgress) -> None:
            advance(p.done, p.budget, f"{p.attempt.status}, best {p.best.speedup:.4f}x modelled")

        controller = Controller(
            Config(
                data,
                request.kernel,
                launches,
                device,
                make_driver(request.driver, request.seed),
                store,
                request.resume,
                request.budget,
                verify=config,
            ),
            show,
        )
        try:
            result = controller.run()
        except KeyboardInterrupt:
            if request.store is not None:
                say(f"{request.store} holds what was done; the same command with --resume goes on")
            raise
    record = _record(request, co, result, [c.label for c in launches])
    if result.best.parent is not None:
        # The winner is judged again from scratch: other junk, a device without history, matrix
        # instructions in exact arithmetic.
        final = VerifyConfig(
            poison_seed=config.poison_seed + 1,
            exact=request.exact,
            schedules=request.schedules or ("shuffle:1",),
            matrix="exact",
        )
        device = emulated()
        again = DifferentialOracle(data, device, final).verify(result.object, launches)
        record["evidence"] = evidence(again, data, result.object, launches, device, final)
        if not again.ok:
            raise InputError(
                f"the winner failed its final verification: {again.reason}",
                "the launch description leaves something undefined; nothing was written",
            )
        write_file(request.output, result.object)
    if request.record is not None:
        write_file(request.record, (json.dumps(record, indent=2) + "\n").encode())
    if request.report is not None:
        page = html.render(record, *_before_after(co, result))
        write_file(request.report, page.encode())
    return result, record


def _before_after(
    co: CodeObject, result: SearchResult
) -> tuple[list[dict[str, Any]], tuple[list[str], list[str]]]:
    """Per accepted step the edited lines before and after, and the whole code of K0 and K1."""
    program = recover(co)
    original = program.listing(0, len(program.instructions))
    steps: list[dict[str, Any]] = []
    for node in result.lineage:
        if node.parent is None:
            continue
        edits = [
            {
                "note": e.note,
                "first": e.first,
                "before": program.listing(e.first, e.last),
                "after": list(e.lines),
            }
            for e in node.edits
        ]
        steps.append(
            {
                "sequence": node.sequence,
                "speedup": node.speedup,
                "evidence": node.evidence,
                "edits": edits,
            }
        )
        program = apply(program, node.edits)
    return steps, (original, program.listing(0, len(program.instructions)))


def _record(
    request: Request, co: CodeObject, result: SearchResult, labels: list[str]
) -> dict[str, Any]:
    best, root = result.best, result.root
    return {
        "schema": SCHEMA,
        "kernel": co.kernel(request.kernel).name,
        "target": co.target.target_id,
        "k0": root.id,
        "k1": best.id if best.parent is not None else None,
        "label": root.label,
        "unit": root.unit,
        "k0_time": root.time,
        "k1_time": best.time,
        "speedup": best.speedup,
        "launches": [
            {
                "label": label,
                "k0": before.centre,
                "k1": after.centre,
                "speedup": before.centre / after.centre,
            }
            for label, before, after in zip(labels, root.timings, best.timings, strict=True)
        ],
        "band": root.timings[0].band,
        "validation_class": root.timings[0].validation_class,
        "evidence_class": best.evidence,
        "driver": request.driver,
        "seed": request.seed,
        "budget": request.budget,
        "attempts": len(result.attempts),
        "replayed": result.replayed,
        "stopped": result.stopped,
        "verdicts": result.verdicts,
        "rules": result.rules,
        "lineage": [
            {
                "node": n.id,
                "parent": n.parent,
                "sequence": n.sequence,
                "time": n.time,
                "speedup": n.speedup,
                "evidence_class": n.evidence,
                "edits": [
                    {"first": e.first, "last": e.last, "lines": list(e.lines), "note": e.note}
                    for e in n.edits
                ],
            }
            for n in result.lineage
        ],
        "attempt_log": [
            {
                "sequence": o.sequence,
                "parent": o.proposal.parent,
                "rule": o.proposal.rule,
                "status": o.status,
                "gate": o.gate,
                "reason": o.reason,
                "speedup": o.speedup,
            }
            for o in result.attempts
        ],
    }


def summary(result: SearchResult, record: dict[str, Any]) -> list[str]:
    """The run in a few lines for people."""
    lines = [
        f"kernel {record['kernel']} ({record['target']}), K0 {record['k0'][:12]}",
        f"{record['attempts']} attempts, stopped: {record['stopped']}; "
        + ", ".join(f"{n} {word}" for word, n in sorted(record["verdicts"].items())),
    ]
    rows = [
        (
            str(n.sequence),
            f"{n.speedup:.4f}x",
            n.evidence,
            "; ".join(dict.fromkeys(_SEED.sub("", e.note) for e in n.edits if e.note)) or "-",
        )
        for n in result.lineage
        if n.parent is not None
    ]
    if rows:
        lines += table(rows, ("attempt", "speedup", "evidence", "edits"))
    if record["k1"] is None:
        times = ", ".join(f"{x['label'] or 'K0'} {x['k0']:.0f}" for x in record["launches"])
        return [*lines, f"K0, {record['label']} {record['unit']}: {times}"]
    lines += table(
        [
            (x["label"] or "-", f"{x['k0']:.0f}", f"{x['k1']:.0f}", f"{x['speedup']:.4f}x")
            for x in record["launches"]
        ],
        ("launch", f"K0 {record['unit']}", f"K1 {record['unit']}", "speedup"),
    )
    several = ", geometric mean over the launches" if len(record["launches"]) > 1 else ""
    lines.append(
        f"{record['speedup']:.4f}x {record['label']}{several} (model class: "
        f"{record['validation_class']}, error band {record['band']:.0%} per figure)"
    )
    return lines


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("optimize")
    def command(
        object: Annotated[Path, typer.Argument(help="the original code object, K0")],
        launch: LaunchOption,
        output: Annotated[Path, typer.Option("--output", "-o", help="the optimized object, K1")],
        budget: Annotated[int, typer.Option(min=1, help="attempts of the search")] = 200,
        seed: Annotated[int, typer.Option(help="seed of the search driver")] = 0,
        driver: Annotated[str, typer.Option(help=", ".join(DRIVER_NAMES))] = "rules",
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        store: Annotated[
            Path | None, typer.Option(help="run store (SQLite) to keep, for --resume")
        ] = None,
        resume: Annotated[
            bool, typer.Option("--resume", help="go on with the run in --store")
        ] = False,
        record: Annotated[Path | None, typer.Option(help="write a JSON record")] = None,
        report: Annotated[Path | None, typer.Option(help="write an HTML report")] = None,
        exact: Annotated[
            bool, typer.Option("--exact", help="accept bit-equal results only")
        ] = False,
        schedule: Annotated[
            list[str] | None,
            typer.Option(help="further wave order to test: interleave:N or shuffle:SEED"),
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Search for a faster object that behaves like the original.

        The launch description says how to run the kernel;
        `asmevo inspect K0.hsaco --launch-template launch.yaml` writes a first one.

        Example: asmevo optimize K0.hsaco --launch launch.yaml --budget 200 -o K1.hsaco
        """
        request = Request(
            object,
            launch,
            output,
            kernel,
            budget,
            seed,
            driver,
            size,
            input_seed,
            store,
            resume,
            record,
            report,
            exact,
            tuple(schedule or ()),
        )
        result, data = optimize(request)
        found = result.best.parent is not None
        data["output"] = str(output) if found else None
        lines = summary(result, data)
        if found:
            lines.append(f"wrote {output}")
        emit(
            format,
            SCHEMA,
            {k: v for k, v in data.items() if k != "schema"},
            lines,
            ok=found,
            reason=f"{result.best.speedup:.4f}x {data['label']}"
            if found
            else "no accepted edit; no object written",
            status="accepted" if found else "insufficient_speedup",
        )

    del command
