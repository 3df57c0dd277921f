"""`asmevo roundtrip`: prove that recovering and rebuilding a code object changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.cli.output import Format, FormatOption, emit, progress, read_file, table
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError, InputError
from asmevo.program import recover
from asmevo.program.rebuild import rebuild

SCHEMA = "asmevo/roundtrip/1"
_SUFFIXES = (".co", ".hsaco")


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
            if not found:
                raise InputError(f"{path}: no .co or .hsaco file below it", "name files instead")
            yield from found
        else:
            yield path


def check(path: Path) -> dict[str, Any]:
    """The identity proof of one file as plain values."""
    out: dict[str, Any] = {"file": str(path), "identical": False, "reason": ""}
    data = read_file(path)
    try:
        co = CodeObject.open(data)
        program = recover(co)
        out["target"] = co.target.target_id
        out["instructions"] = len(program.instructions)
        out["raw"] = sum(1 for i in program.instructions if not i.editable)
        out["identical"] = rebuild(program) == data
        if not out["identical"]:
            out["reason"] = "the rebuilt file differs"
    except AsmEvoError as err:
        out["reason"], out["exit_code"] = err.one_line(), err.exit_code
    return out


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("roundtrip")
    def command(
        paths: Annotated[list[Path], typer.Argument(help="code objects, or folders of them")],
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Recover and rebuild each object without edits; the bytes must be the same.

        Example: asmevo roundtrip K0.hsaco
        """
        files = list(_files(paths))
        results: list[dict[str, Any]] = []
        with progress("roundtrip") as advance:
            for n, path in enumerate(files):
                advance(n, len(files), path.name)
                results.append(check(path))
        bad = [r for r in results if not r["identical"]]
        if len(files) == 1 and bad and "exit_code" in bad[0]:
            from asmevo.errors import UnsupportedError

            kind = UnsupportedError if bad[0]["exit_code"] == 3 else InputError
            if bad[0]["exit_code"] in (2, 3):
                raise kind(f"{files[0]}: {bad[0]['reason']}")
        rows = [
            (
                Path(r["file"]).name,
                str(r.get("target", "-")),
                str(r.get("instructions", "-")),
                str(r.get("raw", "-")),
                "identical" if r["identical"] else r["reason"],
            )
            for r in (results if len(results) <= 40 else bad)
        ]
        lines = table(rows, ("file", "target", "instructions", "raw", "rebuild")) if rows else []
        summary = f"{len(results) - len(bad)} of {len(results)} identical"
        emit(
            format,
            SCHEMA,
            {"files": results, "identical": len(results) - len(bad)},
            lines,
            ok=not bad,
            reason=summary,
            status="ok" if not bad else "build_invalid",
        )

    del command
