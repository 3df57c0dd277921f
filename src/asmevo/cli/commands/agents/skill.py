"""`asmevo skill`: the Agent Skill for people's own coding agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.cli.app import App
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.serve.skills import NAME, install_skill

SCHEMA = "asmevo/skill-install/1"

app = App(help="The Agent Skill for coding agents.", no_args_is_help=True)


@app.command("install")
def install(
    to: Annotated[Path, typer.Option("--to", help="folder of skills of your agent")] = Path(
        ".agents/skills"
    ),
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the skill's folder, `asmevo-kernels`, where a coding agent looks for skills.

    Example: asmevo skill install --to .claude/skills
    """
    written = install_skill(to, force=force)
    data = {"name": NAME, "files": [str(path) for path in written]}
    emit(format, SCHEMA, data, [f"wrote {path}" for path in written], ok=True, reason=NAME)
