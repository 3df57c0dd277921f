"""Apply each slip of `mutants.toml` to a copy of the tree and run the tests that must catch it.

    python -m tests.mutants [--jobs N] [NAME ...]

A row names a file, one line of it (`old`), what it becomes (`new`), and the tests to run; `nth`
says which of several such lines. A line that is not there or not once, or tests that fail without
the slip, are errors, so that the rows
stay true while the code moves. Exit code 0: all caught; 1: a slip survived; 2: a row is wrong.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROWS = Path(__file__).with_name("mutants.toml")
COPIED = ("src", "tests", "kernels", "benchmarks", "docs", "pyproject.toml", "README.md")
TIMEOUT = 600.0  # seconds; a slip that makes a test hang is caught


@dataclass(frozen=True)
class Mutant:
    """One slip.

    Attributes:
        name: how it is called in reports.
        path: file below `src/asmevo`.
        old: a line of it, leading and trailing blanks aside.
        new: what the line becomes; empty to drop it.
        tests: arguments of pytest.
        nth: which of several such lines, from 1; 0: there is only one.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]
    nth: int = 0

    def apply(self, root: Path) -> str | None:
        """Change the file below `root`; the reason when that is not possible."""
        path = root / "src" / "asmevo" / self.path
        if not path.is_file():
            return f"{self.path} does not exist"
        lines = path.read_text().split("\n")
        places = [n for n, line in enumerate(lines) if line.strip() == self.old.strip()]
        if len(places) != 1 and not 1 <= self.nth <= len(places):
            return f"{self.path} holds the line {len(places)} times: {self.old.strip()}"
        place = places[max(0, self.nth - 1)]
        line = lines[place]
        indent = line[: len(line) - len(line.lstrip())]
        lines[place] = indent + (self.new.strip() or "pass")
        text = "\n".join(lines)
        try:
            compile(text, self.path, "exec")
        except SyntaxError as err:  # any test would catch it
            return f"{self.path} is no Python with the slip: {err.msg}"
        path.write_text(text)
        return None


def load() -> list[Mutant]:
    """The rows of the file."""
    rows: list[dict[str, Any]] = tomllib.loads(ROWS.read_text())["slip"]
    return [
        Mutant(r["name"], r["path"], r["old"], r["new"], tuple(r["tests"].split()), r.get("nth", 0))
        for r in rows
    ]


class Copies:
    """Copies of the tree, one per worker thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._local = threading.local()

    def root(self) -> Path:
        """This thread's copy."""
        found: Path | None = getattr(self._local, "root", None)
        if found is None:
            found = Path(tempfile.mkdtemp(dir=self._folder))
            for name in COPIED:
                source = ROOT / name
                if source.is_dir():
                    ignored = shutil.ignore_patterns("__pycache__")
                    shutil.copytree(source, found / name, ignore=ignored)
                elif source.is_file():
                    shutil.copy2(source, found / name)
            self._local.root = found
        return found


def run_tests(root: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Exit code and last lines of pytest in a copy; -1 when it hung."""
    settings = {
        **os.environ,
        "PYTHONPATH": str(root / "src"),
        # A compiled file of the same second and size would hide the change.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        ended = subprocess.run(
            command, cwd=root, env=settings, capture_output=True, text=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return -1, "timeout"
    return ended.returncode, "\n".join(ended.stdout.splitlines()[-3:])


def judge(mutant: Mutant, copies: Copies) -> tuple[str, str]:
    """`caught`, `SURVIVED` or `error`, and why."""
    root = copies.root()
    path = root / "src" / "asmevo" / mutant.path
    before = path.read_bytes() if path.is_file() else b""
    wrong = mutant.apply(root)
    if wrong is not None:
        return "error", wrong
    try:
        code, tail = run_tests(root, mutant.tests)
    finally:
        path.write_bytes(before)
    if code in (1, -1):
        return "caught", ""
    return ("SURVIVED", "") if code == 0 else ("error", f"pytest ended with {code}: {tail}")


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", help="rows to run; all by default")
    options = parser.parse_args()
    mutants = [m for m in load() if not options.names or m.name in options.names]
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="asmevo-mutants-") as folder:
        copies = Copies(Path(folder))
        # Tests that fail anyway would catch everything.
        wanted = list(dict.fromkeys(t for m in mutants for t in m.tests if not t.startswith("-")))
        code, tail = run_tests(copies.root(), wanted) if wanted else (0, "")
        if code != 0:
            print(f"error: the tests fail without any slip: {tail}")
            return 2
        with ThreadPoolExecutor(max(1, options.jobs)) as pool:
            for mutant, (word, why) in zip(
                mutants, pool.map(lambda m: judge(m, copies), mutants), strict=True
            ):
                counts[word] = counts.get(word, 0) + 1
                print(f"{word:8} {mutant.name} ({mutant.path}){': ' + why if why else ''}")
                sys.stdout.flush()
    print(", ".join(f"{n} {word}" for word, n in sorted(counts.items())) or "no such row")
    if counts.get("error") or not counts:
        return 2
    return 1 if counts.get("SURVIVED") else 0


if __name__ == "__main__":
    sys.exit(main())
