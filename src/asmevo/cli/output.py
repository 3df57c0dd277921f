"""How every command speaks: results on stdout, progress on stderr, one verdict line at the end."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Format(Enum):
    """Output format of a command."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[
    Format, typer.Option("--format", "-f", help="text for people, json for programs")
]


class Emitted:
    """Whether the running command has said its result."""

    result: bool = False


def has_said_its_result() -> bool:
    """Whether the command got as far as `emit`."""
    return Emitted.result


def emit(
    format: Format,
    schema: str,
    data: Mapping[str, Any],
    lines: Iterable[str],
    *,
    ok: bool,
    reason: str = "",
    status: str = "",
    code: int = 1,
) -> None:
    """Print a result and leave with exit code 0 (ok) or `code`.

    Args:
        schema: value of the `schema` field, e.g. `asmevo/verify/1`.
        data: fields of the JSON object.
        lines: the text for people, without the verdict line.
        reason: why it failed, or what was achieved.
        status: the verdict word, when there is a better one than ok/failed.
    """
    Emitted.result = True
    if format is Format.JSON:
        record = {
            "schema": schema,
            "ok": ok,
            "status": status or ("ok" if ok else "failed"),
            "reason": reason,
            **data,
        }
        sys.stdout.write(json.dumps(record, indent=2, default=_plain) + "\n")
    else:
        for line in lines:
            sys.stdout.write(printable(line) + "\n")
        tail = f" ({printable(reason)})" if reason else ""
        sys.stdout.write(f"Result: {'PASS' if ok else 'FAIL'}{tail}\n")
    sys.stdout.flush()
    if not ok:
        raise typer.Exit(code)


def printable(text: str) -> str:
    """Text with control and format characters escaped, tabs kept.

    Names come from binaries: an escape sequence in one must not reach the terminal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    return c.encode("unicode_escape", "surrogatepass").decode("ascii")


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "tolist"):
        return value.tolist()  # type: ignore[union-attr]
    raise TypeError(f"{type(value).__name__} is not JSON")


Advance = Callable[[int, int, str], None]
QUIET: int = -1
NORMAL: int = 0
VERBOSE: int = 1
_LINES_EVERY = {NORMAL: 10.0, VERBOSE: 1.0}  # seconds, where no bar can be drawn


class Verbosity:
    """How much goes to stderr: `-q` nothing but errors, `-v` progress every second."""

    level: int = NORMAL


@contextmanager
def progress(title: str) -> Generator[Advance]:
    """What is going on, on stderr; yields (done, total or 0, note) -> None.

    A bar on a terminal. Elsewhere a line every ten seconds, so that a log shows life.
    """
    console = Console(stderr=True)
    if Verbosity.level == QUIET:
        yield lambda _done, _total, _note: None
    elif console.is_terminal:
        with _bar(title, console) as advance:
            yield advance
    else:
        with _lines(title, _LINES_EVERY[Verbosity.level]) as advance:
            yield advance


@contextmanager
def _bar(title: str, console: Console) -> Generator[Advance]:
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None, note="")

        def advance(done: int, total: int, note: str) -> None:
            bar.update(task, completed=done, total=total or None, note=printable(note))

        yield advance


@contextmanager
def _lines(title: str, every: float) -> Generator[Advance]:
    start, state, over = time.monotonic(), ["starting"], threading.Event()

    def advance(done: int, total: int, note: str) -> None:
        state[0] = " ".join(x for x in (f"{done}/{total}" if total else str(done), note) if x)

    def tell() -> None:
        while not over.wait(every):
            say(f"{title}: {state[0]} ({time.monotonic() - start:.0f} s)")

    # A thread of its own speaks up also while one step takes long.
    speaker = threading.Thread(target=tell, daemon=True)
    speaker.start()
    try:
        yield advance
    finally:
        over.set()
        speaker.join(timeout=1.0)


def note(text: str) -> None:
    """A remark on stderr that `-q` leaves out."""
    if Verbosity.level != QUIET:
        say(text)


def table(rows: Iterable[tuple[str, ...]], header: tuple[str, ...]) -> list[str]:
    """Plain aligned columns, right-aligned where every cell is a number."""
    cells = [header, *[tuple(printable(str(c)) for c in row) for row in rows]]
    widths = [max(len(r[i]) for r in cells) for i in range(len(header))]
    numeric = [all(_is_number(r[i]) for r in cells[1:]) for i in range(len(header))]
    out: list[str] = []
    for row in cells:
        parts = [
            c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)
        ]
        out.append("  ".join(parts).rstrip())
    return out


def cut(text: str, most: int) -> str:
    """Text of at most so many characters; the middle goes, as mangled names differ at the ends."""
    if len(text) <= most:
        return text
    head = (most - 3) * 2 // 3
    return f"{text[:head]}...{text[len(text) - (most - 3 - head) :]}"


def _is_number(text: str) -> bool:
    try:
        float(text.rstrip("x%"))
    except ValueError:
        return text in ("", "-")
    return True


def say(text: str) -> None:
    """A log line on stderr."""
    sys.stderr.write(printable(text) + "\n")
