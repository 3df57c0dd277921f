"""`asmevo optimize`: search for a faster object that behaves like the original."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import Agent, Optimization, evidence_bundle, optimize
from asmevo.api.files import check_outputs, read_file, write_file
from asmevo.api.objects import launch_inputs
from asmevo.api.optimization import SCHEMA, before_after
from asmevo.cli.commands.agents import options
from asmevo.cli.common import (
    ForceOption,
    KernelOption,
    LaunchOption,
    MachineOption,
    SeedOption,
    SizeOption,
    sizes_of,
)
from asmevo.cli.output import (
    Format,
    FormatOption,
    emit,
    note,
    progress,
    table,
)
from asmevo.cli.render import report as html
from asmevo.cli.start import INTERRUPTED
from asmevo.drivers import DRIVER_NAMES
from asmevo.errors import AsmEvoError
from asmevo.search.store import SqliteReader
from asmevo.wording import counted

_SEED = re.compile(r", seed \d+")  # in notes: of use in the record, noise in the summary

_Store = Annotated[
    Path | None, typer.Option("--store", help="run store (SQLite) to keep, for --resume")
]
_Resume = Annotated[bool, typer.Option("--resume", help="go on with the run in --store")]
_Templates = Annotated[
    list[Path] | None, typer.Option(help="folder of further rewrite templates (docs/search.md)")
]
_Evidence = Annotated[
    Path | None,
    typer.Option("--evidence", help="write an evidence bundle that `asmevo audit` checks"),
]
_Exact = Annotated[bool, typer.Option("--exact", help="accept bit-equal results only")]
_Schedules = Annotated[
    list[str] | None,
    typer.Option("--schedule", help="further wave order to test: interleave:N or shuffle:SEED"),
]
_Untested = Annotated[
    bool, typer.Option("--allow-untested", help="accept edits of code that no launch executes")
]
_DriverName = Annotated[
    str, typer.Option("--driver", help=", ".join((*DRIVER_NAMES, "external:CMD", "llm")))
]


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the results of a search go.

    Attributes:
        object: the optimized object.
        record: JSON record, or None.
        report: HTML report, or None.
        evidence: evidence bundle, or None.
        force: whether to replace existing files.
        resumed: store of the run that goes on; its own earlier results may be replaced.
    """

    object: Path
    record: Path | None
    report: Path | None
    evidence: Path | None = None
    force: bool = False
    resumed: Path | None = None

    def check(self, inputs: Sequence[Path]) -> None:
        """Refuse outputs that would overwrite something, before the search.

        Raises:
            Refused: see `api.files.check_outputs`.
        """
        paths = [self.object, self.record, self.report, self.evidence]
        check_outputs(paths, inputs, force=True)
        fresh = [p for p in paths if p is not None and not self._own(p)]
        check_outputs(fresh, inputs, force=self.force)

    def _own(self, path: Path) -> bool:
        """Whether a file is a result of the run that is resumed."""
        if self.resumed is None or not path.is_file() or not self.resumed.is_file():
            return False
        try:
            with SqliteReader.open(self.resumed) as store:
                nodes = [n.id for n in store.nodes()]
            data = read_file(path)
        except AsmEvoError:
            return False
        if path == self.object:
            # Not the first node: a copy of K0 is an original, and no result.
            return hashlib.sha256(data).hexdigest() in nodes[1:]
        return nodes[0].encode() in data

    def write(self, result: Optimization) -> list[Path]:
        """Write what there is, and return the paths; no object when none was faster."""
        written: list[Path] = []
        # Checked before the search; a resumed run's own files are replaced.
        force = self.force or self.resumed is not None
        if result.object is not None:
            write_file(self.object, result.object, force=force)
            written.append(self.object)
        if self.record is not None:
            text = json.dumps(result.data, indent=2) + "\n"
            write_file(self.record, text.encode(), force=force)
            written.append(self.record)
        if self.report is not None:
            page = html.render(result.data, *before_after(result))
            write_file(self.report, page.encode(), force=force)
            written.append(self.report)
        if self.evidence is not None and result.object is not None:
            write_file(self.evidence, evidence_bundle(result), force=force)
            written.append(self.evidence)
        return written


def summary(result: Optimization) -> list[str]:
    """The run in a few lines for people."""
    record = result.data
    notes = [f"note: {text}" for text in record["launch_notes"]]
    if record["growth"] != "allowed":
        notes.append(f"note: only edits in place were tried: {record['growth']}")
    lines = [
        f"kernel {record['kernel']} ({record['target']}), K0 {record['k0'][:12]}, timed on "
        f"{record['machine']['name']}",
        f"{counted(record['attempts'], 'attempt')}, stopped: {record['stopped']}; "
        + ", ".join(f"{n} {word}" for word, n in sorted(record["verdicts"].items())),
    ]
    rows = [
        (
            str(n.sequence),
            f"{n.speedup:.4f}x",
            n.evidence,
            "; ".join(dict.fromkeys(_SEED.sub("", e.note) for e in n.edits if e.note)) or "-",
        )
        for n in result.search.lineage
        if n.parent is not None
    ]
    if rows:
        lines += table(rows, ("attempt", "speedup", "evidence", "edits"))
    lines += agent_lines(record.get("agent"))
    if record["k1"] is None:
        times = ", ".join(f"{x['label'] or 'K0'} {x['k0']:.0f}" for x in record["launches"])
        return [*lines, f"K0, {record['label']} {record['unit']}: {times}", *notes]
    lines += table(
        [
            (x["label"] or "-", f"{x['k0']:.0f}", f"{x['k1']:.0f}", f"{x['speedup']:.4f}x")
            for x in record["launches"]
        ],
        ("launch", f"K0 {record['unit']}", f"K1 {record['unit']}", "speedup"),
    )
    several = ", geometric mean over the launches" if len(record["launches"]) > 1 else ""
    lines.append(
        f"{record['speedup']:.4f}x {record['label']}{several}; error band of a speedup "
        f"{record['speedup_band']:.0%} ({record['speedup_class']}), of a figure "
        f"{record['band']:.0%} ({record['validation_class']})"
    )
    return [*lines, *notes]


def agent_lines(agent: dict[str, Any] | None) -> list[str]:
    """What the agent did and spent, for people."""
    if agent is None:
        return []
    stopped = f", stopped: {agent['stopped']}" if agent["stopped"] else ""
    if "input_tokens" not in agent:
        return [f"external: {counted(agent['calls'], 'call')}, {agent['refused']} refused{stopped}"]
    cost = f", {agent['usd']:.2f} USD" if agent["usd"] is not None else ""
    assumed = f" ({counted(agent['assumed'], 'call')} counted at their worst)"
    lines = [
        f"agent: {counted(agent['starts'], 'start')}, {counted(agent['calls'], 'call')}, "
        f"{agent['input_tokens']} + {agent['output_tokens']} tokens{cost}"
        f"{assumed if agent['assumed'] else ''}{stopped}"
    ]
    if agent["faults"]:
        lines.append(
            "agent: calls that failed: "
            + ", ".join(f"{count} {kind}" for kind, count in agent["faults"].items())
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
        driver: _DriverName = "rules",
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        store: _Store = None,
        resume: _Resume = False,
        record: Annotated[Path | None, typer.Option(help="write a JSON record")] = None,
        report: Annotated[Path | None, typer.Option(help="write an HTML report")] = None,
        evidence: _Evidence = None,
        exact: _Exact = False,
        schedule: _Schedules = None,
        allow_untested: _Untested = False,
        machine: MachineOption = None,
        model: options.Model = None,
        endpoint: options.Endpoint = None,
        starts: options.Starts = 4,
        first: options.First = None,
        time: options.Time = None,
        tokens: options.Tokens = None,
        usd: options.Usd = None,
        price_in: options.PriceIn = None,
        price_out: options.PriceOut = None,
        answer_tokens: options.AnswerTokens = 8192,
        call_time: options.CallTime = 300.0,
        templates: _Templates = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Search for a faster object that behaves like the original.

        `asmevo launch infer` writes a first launch description. Its variants test candidates; only
        its own sizes are timed. Ctrl-C ends the search and writes what was accepted until then.

        `--driver llm` asks a language model, whose key is in the environment: docs/agents.md.

        Example: asmevo optimize K0.hsaco --launch launch.yaml --budget 200 -o K1.hsaco
        """
        agent = Agent(
            model, endpoint, starts, first, time, tokens, usd, price_in, price_out, answer_tokens,
            call_time,
        )  # fmt: skip
        outputs = Outputs(output, record, report, evidence, force, store if resume else None)
        inputs = [object, *launch_inputs(launch)]
        outputs.check(inputs)
        if store is not None and not resume:
            check_outputs([store], [*inputs, output, record, report, evidence], force=True)
        with progress("search") as advance:
            result = optimize(
                object,
                launch,
                kernel=kernel,
                sizes=sizes_of(size),
                input_seed=input_seed,
                budget=budget,
                seed=seed,
                driver=driver,
                store=store,
                resume=resume,
                exact=exact,
                schedules=tuple(schedule or ()),
                allow_untested=allow_untested,
                machine=machine,
                agent=agent,
                templates=tuple(templates or ()),
                progress=advance,
            )
        written = outputs.write(result)
        lines = [*summary(result), *(f"wrote {path}" for path in written)]
        data = {k: v for k, v in result.data.items() if k != "schema"}
        data["output"] = str(output) if result.object is not None else None
        if result.interrupted:
            if store is not None:
                note(f"{store} holds what was done; the same command with --resume goes on")
            found = "what was accepted until then is the result"
            note(f"interrupted: {found if result.ok else 'nothing was accepted until then'}")
        emit(
            format,
            SCHEMA,
            data,
            lines,
            ok=result.ok,
            reason=f"interrupted; {result.reason}" if result.interrupted else result.reason,
            status=result.status,
            code=INTERRUPTED if result.interrupted else 1,
        )
        if result.interrupted:
            raise typer.Exit(INTERRUPTED)

    del command
