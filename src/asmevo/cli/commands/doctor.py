"""`asmevo doctor`: is everything here that AsmEvo needs?"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import typer

from asmevo import __version__
from asmevo.api import corpora
from asmevo.cli.output import Format, FormatOption, emit, table
from asmevo.errors import AsmEvoError, EnvironmentFault

SCHEMA = "asmevo/doctor/1"


def _assembler() -> str:
    from asmevo.isa.codec.llvm import assembler, disassembler, library
    from asmevo.isa.target import Target

    path = library()[1]
    for arch in ("gfx90a", "gfx942", "gfx950"):
        target = Target(arch)
        code = assembler(target).assemble("v_add_f32_e32 v0, v1, v2")
        text = disassembler(target).decode(code)[0].text
        if text != "v_add_f32_e32 v0, v1, v2":
            raise AsmEvoError(f"{path} does not round-trip an instruction for {arch}")
    return str(path)


def _helpers() -> str:
    from asmevo.emulate.native.library import cache_folder, host_cpu, shared_library

    shared_library()
    folder = cache_folder()
    where = str(folder) if folder else "no cache (folder not private or not writable)"
    return f"CPU {host_cpu()[0]}, cache {where}"


def _model() -> str:
    from asmevo.timing.machine import machine_for

    return ", ".join(machine_for(arch).arch for arch in ("gfx90a", "gfx942", "gfx950"))


def _corpora() -> str:
    states = [
        f"{n} {'fetched' if corpora.available(n) else 'not fetched'}" for n in corpora.CORPORA
    ]
    return "; ".join(states) + " (optional)"


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("assembler", _assembler),
    ("emulator", _helpers),
    ("cycle model", _model),
    ("corpora", _corpora),
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("doctor")
    def command(format: FormatOption = Format.TEXT) -> None:
        """Check the assembler, the emulator's compiler and cache, the model, the corpora.

        Exit code 4 when something is missing.

        Example: asmevo doctor
        """
        rows: list[tuple[str, ...]] = [
            ("asmevo", "ok", f"{__version__}, Python {platform.python_version()}"),
            ("gpu", "ok", "none needed: the emulator runs, the model estimates"),
        ]
        failed = ""
        for name, probe in CHECKS:
            try:
                rows.append((name, "ok", probe()))
            except AsmEvoError as err:
                rows.append((name, "FAILED", err.one_line()))
                failed = failed or err.one_line()
        data: dict[str, Any] = {
            "checks": [{"name": n, "state": s, "detail": d} for n, s, d in rows]
        }
        emit(
            format,
            SCHEMA,
            data,
            table(rows, ("check", "state", "detail")),
            ok=not failed,
            reason=failed,
            status="infrastructure_error" if failed else "ok",
            code=EnvironmentFault.exit_code,
        )

    del command
