"""Combining edits of one parent, and carrying them over to a child."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from asmevo.program.edit import Edit

Group = tuple[Edit, ...]
"""Edits that belong together: they are proposed, kept and dropped as one."""


def joined(groups: Iterable[Group]) -> tuple[Edit, ...]:
    """All edits of the groups in program order."""
    return tuple(sorted((e for g in groups for e in g), key=lambda e: (e.first, e.last)))


def disjoint(first: Edit, second: Edit) -> bool:
    """Whether two edits touch different instructions and different places.

    Edits that meet at a boundary are disjoint unless one of them only inserts there.
    """
    if first.first == first.last or second.first == second.last:
        return first.last < second.first or second.last < first.first
    return first.last <= second.first or second.last <= first.first


def all_disjoint(edits: Sequence[Edit]) -> bool:
    """Whether no two of the edits touch."""
    ordered = sorted(edits, key=lambda e: (e.first, e.last))
    return all(disjoint(a, b) for a, b in pairwise(ordered))


def compatible(edits: Sequence[Edit], more: Iterable[Edit]) -> bool:
    """Whether `more` can be applied together with `edits`."""
    return all_disjoint([*edits, *more])


def rebase(edits: Iterable[Edit], applied: Sequence[Edit]) -> tuple[Edit, ...] | None:
    """`edits` of a parent as edits of the child that `applied` made.

    Indices behind an applied edit shift by the change of its length. Labels take no index.

    Returns:
        The shifted edits, or None when one of them touches an applied one.
    """
    moved: list[Edit] = []
    for edit in edits:
        shift = 0
        for done in applied:
            if not disjoint(edit, done):
                return None
            if done.last <= edit.first:
                shift += _instructions(done.lines) - (done.last - done.first)
        moved.append(replace(edit, first=edit.first + shift, last=edit.last + shift))
    return tuple(moved)


def _instructions(lines: Iterable[str]) -> int:
    return sum(1 for line in lines if line.strip() and not line.strip().endswith(":"))
