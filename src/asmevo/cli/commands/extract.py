"""`asmevo extract`: take code objects out of a container, or put a changed one back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.containers import Numbered, nothing_in, search
from asmevo.api.files import read_file, write_file
from asmevo.cli.commands.find import ArchOption, NameOption, PathsArgument
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.codeobject import CodeObject, container
from asmevo.errors import AsmEvoError, InputError

SCHEMA = "asmevo/extract/1"


def chosen(
    paths: list[Path], arch: str | None, kernel: str | None, numbers: list[int] | None
) -> list[Numbered]:
    """The objects that the options select.

    Raises:
        InputError: nothing is selected, or a selected one is damaged.
    """
    picked: list[Numbered] = []
    seen = False
    for one in search(paths, arch, kernel):
        seen = True
        if not numbers or one.number in numbers:
            picked.append(one)
        # Only numbers that are still to come keep the search going.
        if numbers and one.number >= max(numbers):
            break
    if not seen and arch is None and kernel is None:
        raise nothing_in(paths)
    missing = sorted(set(numbers or ()) - {one.number for one in picked})
    if missing:
        raise InputError(
            f"there is no object number {missing[0]} among those that fit",
            "`asmevo find` with the same paths lists the numbers",
        )
    if not picked:
        raise InputError("no object fits the filters", "`asmevo find` lists what is there")
    for one in picked:
        if one.problem:
            kind = InputError(f"{one.found.location}: {one.problem}")
            kind.exit_code = one.exit_code
            raise kind
    return picked


def replaced(path: Path, one: Numbered, new: Path) -> bytes:
    """The container with one object exchanged, after a check that the new one may stand there.

    Raises:
        InputError: the new object is for another target, or lacks a kernel of the old one.
        BuildError: it has no room.
        UnsupportedError: the container cannot be written (an archive).
    """
    data = read_file(new)
    co = CodeObject.open(data)
    if co.target.target_id != one.target:
        raise InputError(
            f"{new} is for {co.target.target_id}, object {one.number} for {one.target}",
            "choose the object of that target with --number",
        )
    lost = sorted(set(one.kernels) - {k.name for k in co.kernels})
    if lost:
        raise InputError(f"{new} lacks kernel {lost[0]}", "programs would fail to load it")
    return container.replace(read_file(path), one.found.steps[1:], data)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("extract")
    def command(
        paths: PathsArgument,
        output: Annotated[
            Path,
            typer.Option("--output", "-o", help="folder; with --replace the new container file"),
        ],
        number: Annotated[
            list[int] | None,
            typer.Option("--number", "-n", help="only this object of `asmevo find` (repeatable)"),
        ] = None,
        arch: ArchOption = None,
        kernel: NameOption = None,
        replace: Annotated[
            Path | None,
            typer.Option(help="put this object in the place of the selected one"),
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Write the code objects of a container as files, or exchange one of them.

        Example: asmevo extract libkernels.so --arch gfx942 -o objects

        Example: asmevo extract libkernels.so -n 3 --replace K1.co -o libkernels.new.so
        """
        picked = chosen(paths, arch, kernel, number)
        if replace is not None:
            _replace(format, paths, picked, replace, output)
            return
        if output.exists() and not output.is_dir():
            raise InputError(f"{output} is a file", "-o names a folder (a file with --replace)")
        if not output.absolute().parent.is_dir():
            raise InputError(f"{output}: its folder does not exist", "create the folder first")
        written = container.extract([one.found for one in picked], output)
        entries = [
            {**one.as_json(), "output": str(path)}
            for one, path in zip(picked, written, strict=True)
        ]
        emit(
            format,
            SCHEMA,
            {"objects": entries},
            [f"wrote {path}" for path in written],
            ok=True,
            reason=f"{len(written)} objects",
        )

    del command


def _replace(
    format: Format, paths: list[Path], picked: list[Numbered], new: Path, output: Path
) -> None:
    if len(paths) != 1 or not paths[0].is_file():
        raise InputError("--replace works on one container file", "name that file alone")
    if len(picked) != 1:
        raise InputError(
            f"--replace needs one object, {len(picked)} are selected", "select it with --number"
        )
    one = picked[0]
    try:
        data = replaced(paths[0], one, new)
    except AsmEvoError as err:
        if str(new) not in str(err.args[0]):
            err.args = (f"{paths[0]}: {err.args[0]}",)
        raise
    write_file(output, data)
    record: dict[str, Any] = {
        "container": str(paths[0]),
        "replaced": one.as_json(),
        "with": str(new),
        "output": str(output),
        "bytes": len(data),
    }
    lines = [f"wrote {output}: object {one.number} ({one.target}) is now {new}"]
    emit(format, SCHEMA, record, lines, ok=True, reason="1 object replaced")
