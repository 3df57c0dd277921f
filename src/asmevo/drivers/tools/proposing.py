"""Tools that propose: edits as a typed request, and wins of another branch brought over.

Nothing here judges. A request becomes a `Proposal`, which the controller sends through all gates.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from asmevo.drivers.combine import all_disjoint, rebase
from asmevo.drivers.tools.looking import labels_of, node_of
from asmevo.drivers.tools.model import ComposeRequest, EditLines, ProposeRequest
from asmevo.drivers.tools.text import Labels, shown
from asmevo.errors import InputError
from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.search.driver import Context
from asmevo.search.types import Node, Proposal

_NOTE = 120


def propose(context: Context, request: ProposeRequest) -> Proposal:
    """The proposal that a request makes.

    Raises:
        InputError: no such node.
    """
    node = node_of(context, request.node)
    reason = shown(request.reason, 2000)
    edits = to_edits(request.edits, labels_of(context, node.id), reason[:_NOTE])
    return Proposal(node.id, edits, reason, request.kind)


def to_edits(rows: Sequence[EditLines], labels: Labels, note: str = "") -> tuple[Edit, ...]:
    """Edits of a request with the program's own labels."""
    return tuple(
        Edit(row.first, row.last, tuple(labels.back(line) for line in row.lines), note)
        for row in rows
    )


def compose(context: Context, request: ComposeRequest) -> Proposal:
    """What was accepted between a common ancestor and `other`, as edits of `node`.

    Raises:
        InputError: one is an ancestor of the other, or both changed the same instructions.
    """
    node, other = node_of(context, request.node), node_of(context, request.other)
    edits = composed(context, node, other)
    reason = shown(request.reason, 2000) or f"wins of {other.id[:12]} on {node.id[:12]}"
    return Proposal(node.id, edits, reason, "compose")


def composed(context: Context, node: Node, other: Node) -> tuple[Edit, ...]:
    """See `compose`."""
    ours, theirs = _lineage(context, node), _lineage(context, other)
    shared = [n for n in ours if n in theirs]
    if node.id in theirs or other.id in ours:
        raise InputError("one node comes from the other, so there is nothing to bring over")
    base = context.program(shared[-1])
    applied = changes(base, context.program(node.id), context.kernel)
    wanted = changes(base, context.program(other.id), context.kernel)
    # What both changed alike is there already.
    same = {(e.first, e.last, e.lines) for e in applied}
    fresh = [e for e in wanted if (e.first, e.last, e.lines) not in same]
    if not fresh:
        raise InputError("the node has all of the other's changes already")
    moved = rebase(fresh, applied)
    if moved is None or not all_disjoint(moved):
        raise InputError(
            "both nodes changed the same instructions", "propose the combination by hand"
        )
    return moved


def _lineage(context: Context, node: Node) -> list[str]:
    by_id = {n.id: n for n in context.nodes}
    found = [node.id]
    while (parent := by_id[found[-1]].parent) is not None:
        found.append(parent)
    return found[::-1]


def changes(before: Program, after: Program, kernel: str) -> tuple[Edit, ...]:
    """Edits of `before` that make the kernel's code read as in `after`."""
    a, b = before.function(kernel), after.function(kernel)
    old, new = _lines(before, a.first, a.last), _lines(after, b.first, b.last)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    edits: list[Edit] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            lines = after.listing(b.first + k, b.first + m)
            edits.append(Edit(a.first + i, a.first + j, tuple(lines), "brought over"))
    return tuple(edits)


def _lines(program: Program, first: int, last: int) -> list[str]:
    """One string per instruction, its label in front."""
    return [
        f"{program.labels[i]}: {program.line(i)}" if i in program.labels else program.line(i)
        for i in range(first, last)
    ]
