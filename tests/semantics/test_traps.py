"""The traps of gfx9 arithmetic, each with values worked out by hand (`data/traps.txt`).

A row names the trap as `facts/semantics_traps.md` does, an instruction, the registers before and
the registers after. The expectations come from the documents, not from an evaluator, so they
guard the second opinion as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from asmevo.isa.codec.llvm import assembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from opinion import bench
from opinion.softfloat import Mode
from opinion.wave import Wave

FULL = (1 << 64) - 1
DATA = Path(__file__).parent / "data" / "traps.txt"


@dataclass(frozen=True)
class Row:
    """One expectation."""

    trap: str
    text: str
    before: dict[str, int]
    after: dict[str, int]
    mode: Mode
    arch: str


def _registers(text: str) -> dict[str, int]:
    pairs = (word.split("=") for word in text.split() if word != "-")
    return {name: int(value, 0) for name, value in pairs}


def load(path: Path) -> list[Row]:
    """Rows of the table: five columns between ` | `, the last one optional."""
    rows: list[Row] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        trap, text, before, after, *notes = line.split(" | ")
        words = notes[0].split() if notes else []
        mode = replace(Mode(), **_registers(" ".join(w for w in words if "=" in w)))
        arch = next((w for w in words if w.startswith("gfx")), "gfx942")
        rows.append(Row(trap, text, _registers(before), _registers(after), mode, arch))
    return rows


ROWS = load(DATA)


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.text.split()[0]}" for i, r in enumerate(ROWS)])
def test_trap(row: Row) -> None:
    wave = bench.run(row.text, row.before, row.arch, row.mode)
    exec_mask = row.before.get("exec", FULL)
    lane = (exec_mask & -exec_mask).bit_length() - 1
    got = {name: bench.read(wave, name, lane) for name in row.after}
    assert got == row.after, f"{row.trap}: {row.text}: { ({k: hex(v) for k, v in got.items()}) }"


def test_cmpx_writes_its_mask_and_exec() -> None:
    # Built by hand: AMD's LLVM of ROCm 7.2 decodes this encoding only with EXEC as destination.
    code = assembler(Target("gfx942")).assemble("v_cmpx_ne_u32_e64 s[4:5], v0, v1")
    wave = Wave()
    for name, value in {"v0": 3, "v1": 3, "exec": 0xF0, "vcc": 1}.items():
        bench.write(wave, name, value)
    wave.run([Instruction(code, "v_cmpx_ne_u32_e64 s[4:5], v0, v1")], "gfx942")
    assert [bench.read(wave, n) for n in ("s[4:5]", "exec", "vcc")] == [0, 0, 1]


@pytest.mark.shared
def test_traps_are_named_as_in_the_facts(shared_root: Path) -> None:
    text = (shared_root / "facts" / "semantics_traps.md").read_text(encoding="utf-8")
    features = [line.split("|")[0] for line in text.splitlines() if "|" in line]
    for row in ROWS:
        assert any(f.startswith(row.trap) for f in features), row.trap
