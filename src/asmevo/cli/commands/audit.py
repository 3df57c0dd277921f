"""`asmevo audit`: judge an evidence bundle again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import audit
from asmevo.cli.output import Format, FormatOption, emit, progress

SCHEMA = "asmevo/audit/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("audit")
    def command(
        bundle: Annotated[Path, typer.Argument(help="evidence bundle (optimize --evidence)")],
        seed: Annotated[
            int | None, typer.Option(help="of the junk in undefined memory; default: a new one")
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Check every claim of an evidence bundle, with nothing but the bundle.

        Hashes and chain, K1 from K0 by the edits, static rules, both side by side, times.

        Example: asmevo audit K1.evidence.zip
        """
        with progress("audit") as advance:
            result = audit(bundle, seed=seed, progress=advance)
        lines = [
            f"{'ok' if c['ok'] else 'NO':4}{c['name']}: {c['text']}" for c in result.data["checks"]
        ]
        emit(
            format,
            SCHEMA,
            result.data,
            lines,
            ok=result.ok,
            reason=result.reason,
            status=result.status,
        )

    del command
