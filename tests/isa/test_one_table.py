"""Rooms outside `isa/` ask the record of an instruction and take no mnemonic apart."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "asmevo"
_PARSES = re.compile(
    r"\b(?:base|mnemonic|variant\.name)\.(?:startswith|endswith|split|removeprefix)\("
    r"|\.(?:match|search|fullmatch)\((?:\w+\.)*(?:base|mnemonic)\)"
    r"|re\.(?:match|search|fullmatch)\([^\n]*\bbase\)"
)
# What is left, and why.
_ALLOWED = {
    "program/grammar.py": "which words of a proposal may stand where an operand does: its text is "
    "vetted by the mnemonic as it is written, before anything is assembled or decoded",
}


def test_no_room_takes_a_mnemonic_apart() -> None:
    found: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith("isa/") or any(name.startswith(known) for known in _ALLOWED):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if _PARSES.search(line):
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "ask asmevo.isa.decoded instead:\n" + "\n".join(found)


def test_the_pattern_sees_what_it_looks_for() -> None:
    for line in (
        'if inst.base.startswith("s_branch"):',
        "found = _LOAD.match(inst.base)",
        'found = re.match(r"ds_(read|load)", base)',
        'kind = base.endswith("_b64")',
        'if h.variant.name.startswith("ds_read"):',
    ):
        assert _PARSES.search(line)
    assert not _PARSES.search('if inst.base == "s_nop":')
