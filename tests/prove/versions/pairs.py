"""A kernel of the project and edited versions of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from asmevo.codeobject import CodeObject
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.prove.versions.programs import ProgramPair, compare_programs

KERNELS = Path(__file__).resolve().parents[3] / "kernels"


@cache
def original(name: str, arch: str = "gfx942", folder: str = ".") -> Program:
    """The program of a kernel."""
    text = (KERNELS / folder / arch / f"{name}.s").read_text(encoding="utf-8")
    return recover(CodeObject.open(assemble_object(text, Target(arch))))


def edited(program: Program, edits: Sequence[Edit]) -> Program:
    """The program with edits, recovered from the bytes of its object."""
    return recover(CodeObject.open(rebuild(apply(program, edits))))


def at(program: Program, start: str, which: int = 0) -> int:
    """Number of the n-th instruction whose text begins so."""
    found = [i for i, x in enumerate(program.instructions) if (x.text or "").startswith(start)]
    assert found, start
    return found[which]


def swap(program: Program, first: int) -> Edit:
    """Two neighbours exchanged."""
    return Edit(first, first + 2, (program.line(first + 1), program.line(first)))


def against(program: Program, *edits: Edit) -> ProgramPair:
    """A program held against an edited version of itself."""
    return compare_programs(program, edited(program, edits))
