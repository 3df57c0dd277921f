"""`asmevo ask`, `asmevo tell`, `asmevo finish`: a run that another program drives."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from asmevo.api import ask, finish, tell
from asmevo.api.files import check_outputs, read_file, write_file
from asmevo.api.objects import launch_inputs
from asmevo.cli.common import (
    ForceOption,
    KernelOption,
    LaunchOption,
    SeedOption,
    SizeOption,
    sizes_of,
)
from asmevo.cli.output import Format, FormatOption, emit, progress
from asmevo.errors import InputError

_LARGEST = 4 << 20

StoreOption = Annotated[Path, typer.Option(help="run store (SQLite)")]


def json_object(text: str, what: str) -> Mapping[str, Any]:
    """A JSON object.

    Raises:
        InputError: it is something else.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise InputError(f"{what} is not JSON", str(err)[:120]) from None
    if not isinstance(found, dict):
        raise InputError(f"{what} is no JSON object")
    return cast(dict[str, Any], found)


def read_json(path: Path, what: str) -> Mapping[str, Any]:
    """A JSON object from a file, or from stdin for `-`.

    Raises:
        InputError: too large, or no JSON object.
    """
    if str(path) == "-":
        data = sys.stdin.buffer.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InputError(f"{what} is larger than {_LARGEST >> 20} MiB")
    else:
        data = read_file(path, _LARGEST)
    try:
        return json_object(data.decode(), what)
    except UnicodeDecodeError:
        raise InputError(f"{what} is not UTF-8") from None


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @app.command("ask")
    def ask_command(
        store: StoreOption,
        object: Annotated[Path | None, typer.Argument(help="K0; only to begin a run")] = None,
        launch: Annotated[
            Path | None, typer.Option("--launch", "-l", help="launch.yaml; only to begin a run")
        ] = None,
        tool: Annotated[
            str, typer.Option(help="window, profile, listing, facts, history, failures, ...")
        ] = "window",
        arguments: Annotated[str, typer.Option(help="arguments of the tool, a JSON object")] = "{}",
        budget: Annotated[int, typer.Option(min=0, help="attempts of the whole run")] = 10_000,
        exact: Annotated[
            bool, typer.Option("--exact", help="accept bit-equal results only")
        ] = False,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """What a proposer may know of a run: windows, facts, failures. Begins the run if need be.

        Example: asmevo ask --store run.db K0.hsaco --launch launch.yaml --tool profile
        """
        given = json_object(arguments, "--arguments")
        with progress("ask") as advance:
            result = ask(
                store, object, launch, tool=tool, arguments=given, kernel=kernel,
                sizes=sizes_of(size), input_seed=input_seed, budget=budget, exact=exact,
                progress=advance,
            )  # fmt: skip
        _say(format, "asmevo/ask/1", {"tool": tool, "answer": result.data}, ok=True)

    @app.command("tell")
    def tell_command(
        store: StoreOption,
        proposal: Annotated[
            Path, typer.Argument(help="JSON file with edits and reason; - for stdin")
        ],
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Hand in edits of an accepted node; the gates judge them and the verdict says why.

        Example: asmevo tell --store run.db proposal.json -f json
        """
        given = read_json(proposal, "the proposal")
        with progress("tell") as advance:
            result = tell(store, given, advance)
        _say(
            format, "asmevo/tell/1", {"answer": result.data}, ok=result.ok, status=result.status,
            reason=result.reason,
        )  # fmt: skip

    @app.command("finish")
    def finish_command(
        object: Annotated[Path, typer.Argument(help="the original code object, K0")],
        launch: LaunchOption,
        store: StoreOption,
        output: Annotated[Path, typer.Option("--output", "-o", help="the optimized object, K1")],
        exact: Annotated[bool, typer.Option("--exact", help="ask for bit-equal results")] = False,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Judge the winner of a run again, from K0 and the edits alone, and write it.

        Example: asmevo finish K0.hsaco --launch launch.yaml --store run.db -o K1.hsaco
        """
        check_outputs([output], [object, *launch_inputs(launch), store], force=force)
        with progress("finish") as advance:
            result = finish(
                store, object, launch, kernel=kernel, sizes=sizes_of(size), input_seed=input_seed,
                exact=exact, progress=advance,
            )  # fmt: skip
        lines = [f"{result.data['attempts']} attempts, K0 {result.data['k0'][:12]}"]
        if result.object is not None:
            write_file(output, result.object, force=force)
            lines.append(f"wrote {output}")
        emit(
            format, "asmevo/finish/1", result.data, lines, ok=result.ok, reason=result.reason,
            status=result.status,
        )  # fmt: skip

    del ask_command, tell_command, finish_command


def _say(
    format: Format,
    schema: str,
    data: Mapping[str, Any],
    *,
    ok: bool,
    status: str = "",
    reason: str = "",
) -> None:
    lines = json.dumps(data["answer"], indent=1).splitlines()
    emit(format, schema, data, lines, ok=ok, status=status, reason=reason)
