"""Which file an error is about."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from asmevo.errors import AsmEvoError


@contextmanager
def naming(path: Path | None) -> Generator[None]:
    """Put a file's name in front of the errors that its contents cause."""
    try:
        yield
    except AsmEvoError as err:
        text = str(err.args[0])
        if path is not None and str(path) not in text and path.name not in text:
            err.args = (f"{path}: {text}", *err.args[1:])
        raise
