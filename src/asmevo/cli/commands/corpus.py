"""`asmevo corpus`: fetch and list the public kernels that serve as real inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api.installation import corpora
from asmevo.cli.app import App
from asmevo.cli.output import Format, FormatOption, emit, say, table

SCHEMA = "asmevo/corpus/1"
app = App(
    help="Fetch and list public kernels (downloaded from the package index, never bundled).",
    no_args_is_help=True,
)

RootOption = Annotated[
    Path | None, typer.Option("--root", help="folder instead of $ASMEVO_CORPUS or the user cache")
]


@app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="corpus name, see `asmevo corpus list`")],
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Download, check and unpack a corpus.

    Example: asmevo corpus fetch aiter
    """
    if not corpora.available(name, root):
        say(f"fetching {name} with pip")
    path = corpora.fetch(name, root)
    emit(format, SCHEMA, {"name": name, "path": str(path)}, [str(path)], ok=True)


@app.command("list")
def list_(root: RootOption = None, format: FormatOption = Format.TEXT) -> None:
    """List the corpora and whether they are here.

    Example: asmevo corpus list
    """
    entries = [
        {
            "name": c.name,
            "package": f"{c.package}=={c.version}",
            "licence": c.licence,
            "available": corpora.available(c.name, root),
            "content": c.content,
        }
        for c in corpora.CORPORA.values()
    ]
    rows = [
        (
            str(e["name"]),
            str(e["package"]),
            str(e["licence"]),
            "here" if e["available"] else "missing",
            str(e["content"]),
        )
        for e in entries
    ]
    lines = table(rows, ("name", "package", "licence", "state", "content"))
    emit(format, SCHEMA, {"corpora": entries}, lines, ok=True)
