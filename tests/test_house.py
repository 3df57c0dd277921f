"""What a program can check of the house rules: sizes of modules, functions and rooms; paths."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ROOMS = ("src", "tests", "benchmarks", "kernels")
LINES, FUNCTION, FILES = 600, 100, 20
# Paths of somebody's machine; /tmp and the like are nobody's.
FOREIGN = re.compile(r"(?<![\w.])/(?:work|home|root|Users)/\w")


def sources() -> Iterator[Path]:
    for room in ROOMS:
        yield from (CHECKOUT / room).rglob("*.py")


def test_modules_and_functions_stay_short() -> None:
    long: list[str] = []
    for path in sources():
        text, name = path.read_text(), path.relative_to(CHECKOUT)
        if text.count("\n") > LINES:
            long.append(f"{name}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION:
                    long.append(f"{name}: {node.name} has {lines} lines")
    assert not long


def test_rooms_stay_small() -> None:
    full = {
        str(folder.relative_to(CHECKOUT)): count
        for folder in (CHECKOUT / "src").rglob("*")
        if folder.is_dir() and (count := len(list(folder.glob("*.py")))) > FILES
    }
    assert not full


def test_no_path_of_a_machine() -> None:
    pages = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md"), *sources()]
    found = [
        f"{page.relative_to(CHECKOUT)}:{number}"
        for page in pages
        if page != Path(__file__).resolve()
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if FOREIGN.search(line)
    ]
    assert not found
