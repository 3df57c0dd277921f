"""`asmevo runs`: run stores, looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import export_run, list_runs, run_diff, run_tree, show_run
from asmevo.api.files import check_outputs, write_file
from asmevo.cli.app import App
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit, table
from asmevo.wording import counted

app = App(help="Run stores: which there are, and what is in them.", no_args_is_help=True)

StoreArgument = Annotated[Path, typer.Argument(help="run store that `optimize --store` kept")]


@app.command("list")
def list_(
    folder: Annotated[Path, typer.Argument(help="where to look")] = Path("."),
    format: FormatOption = Format.TEXT,
) -> None:
    """Every run store in a folder and below it.

    Example: asmevo runs list
    """
    result = list_runs(folder)
    rows = [
        (r["store"], "-", "-", "-", r["problem"])
        if "problem" in r
        else (r["store"], r["kernel"], str(r["attempts"]), str(r["accepted"]), _speedup(r))
        for r in result.data["runs"]
    ]
    lines = table(rows, ("store", "kernel", "attempts", "accepted", "best")) if rows else []
    found = counted(len(rows), "run")
    emit(format, "asmevo/runs-list/1", result.data, lines, ok=True, reason=found)


@app.command("show")
def show(store: StoreArgument, format: FormatOption = Format.TEXT) -> None:
    """One run: what was tried, where it stopped, what was accepted.

    Example: asmevo runs show run.db
    """
    result = show_run(store)
    data = result.data
    lines = [
        f"kernel {data['kernel']}, K0 {data['k0'][:12]}, driver {data['driver']}, seed "
        f"{data['seed']}, begun {data['created']}",
        f"{counted(data['attempts'], 'attempt')} in {data['seconds']:.1f} s, "
        f"{data['accepted']} accepted",
    ]
    lines += table(
        [(g["gate"], g["status"], str(g["attempts"])) for g in data["gates"]],
        ("gate", "verdict", "attempts"),
    )
    lines += table(
        [(rule, ", ".join(f"{n} {w}" for w, n in words.items()))
         for rule, words in data["rules"].items()],
        ("rule", "verdicts"),
    )  # fmt: skip
    emit(format, "asmevo/runs-show/1", data, lines, ok=True, reason=result.reason)


@app.command("tree")
def tree(store: StoreArgument, format: FormatOption = Format.TEXT) -> None:
    """The accepted objects, each below the one that it was made from.

    Example: asmevo runs tree run.db
    """
    result = run_tree(store)
    emit(format, "asmevo/runs-tree/1", result.data, result.data["lines"], ok=True)


@app.command("diff")
def diff(
    store: StoreArgument,
    before: Annotated[str, typer.Argument(help="node: root, best, attempt or identity")] = "root",
    after: Annotated[str, typer.Argument(help="node: root, best, attempt or identity")] = "best",
    format: FormatOption = Format.TEXT,
) -> None:
    """How the code of two accepted objects differs; K0 and the best by default.

    Example: asmevo runs diff run.db
    """
    result = run_diff(store, before, after)
    emit(format, "asmevo/runs-diff/1", result.data, result.data["lines"], ok=True,
         reason=result.reason)  # fmt: skip


@app.command("export")
def export(
    store: StoreArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="where the object goes")],
    node: Annotated[str, typer.Option(help="root, best, attempt or identity")] = "best",
    record: Annotated[
        Path | None, typer.Option(help="write the steps that lead to it as JSON")
    ] = None,
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write an accepted object to a file. `asmevo verify` judges it again.

    Example: asmevo runs export run.db -o K1.hsaco
    """
    check_outputs([output, record], [store], force=force)
    result = export_run(store, node)
    write_file(output, result.object, force=force)
    lines = [f"wrote {output}"]
    if record is not None:
        write_file(record, (json.dumps(result.data, indent=2) + "\n").encode(), force=force)
        lines.append(f"wrote {record}")
    data = {**result.data, "output": str(output)}
    emit(format, "asmevo/runs-export/1", data, lines, ok=True, reason=result.reason)


def _speedup(row: dict[str, Any]) -> str:
    best = row["best"]
    return "-" if best is None else f"{best['speedup']:.4f}x {row['label']}"
