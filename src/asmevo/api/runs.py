"""Run stores, looked at: which runs there are, what became of one, and what it accepted."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asmevo.api.results import Result
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError, InputError
from asmevo.program.recover import recover
from asmevo.search.store import SqliteReader, StoreReader
from asmevo.search.types import Node, edit_to_row

_SQLITE = b"SQLite format 3\0"
_DEPTH = 4
_CONTEXT = 3
Pathlike = str | Path


@dataclass(frozen=True, slots=True, eq=False)
class Exported(Result):
    """Result of `export_run`: `object` is the file that the node stands for."""

    object: bytes


def list_runs(folder: Pathlike = ".") -> Result:
    """The run stores in a folder and at most four folders below it.

    `data["runs"]` has one entry per store, in the order of paths; a store that cannot be read has
    `problem` in place of its facts.

    Raises:
        InputError: there is no such folder.
    """
    top = Path(folder)
    if not top.is_dir():
        raise InputError(f"{folder} is no folder", "give the folder that holds the run stores")
    found: list[dict[str, Any]] = []
    for path in _stores(top, _DEPTH):
        try:
            with SqliteReader.open(path) as store:
                found.append({"store": str(path), **_summary(store)})
        except AsmEvoError as err:
            found.append({"store": str(path), "problem": err.one_line()})
    return Result(True, "ok", "", {"runs": found})


def show_run(store: Pathlike) -> Result:
    """One run: its facts, how many candidates stopped at which gate, its nodes, its failures.

    Raises:
        InputError, EnvironmentFault: no store, or a damaged one.
    """
    with SqliteReader.open(Path(store)) as reader, reader.snapshot():
        attempts = reader.attempts()
        gates = Counter((a.gate, a.status) for a in attempts)
        rules: dict[str, Counter[str]] = {}
        for attempt in attempts:
            rules.setdefault(attempt.proposal.rule or "-", Counter())[attempt.status] += 1
        data: dict[str, Any] = {
            **_summary(reader),
            "config": dict(reader.run.config),
            "gates": [
                {"gate": gate, "status": status, "attempts": n}
                for (gate, status), n in sorted(gates.items())
            ],
            "rules": {rule: dict(sorted(words.items())) for rule, words in sorted(rules.items())},
            "seconds": sum(a.seconds for a in attempts),
            "nodes": [_row(n) for n in reader.nodes()],
        }
    return Result(True, "ok", f"best {data['best']['speedup']:.4f}x {data['label']}", data)


def run_tree(store: Pathlike) -> Result:
    """The accepted objects as a tree; `data["lines"]` draws it.

    Raises:
        InputError, EnvironmentFault: no store, or a damaged one.
    """
    with SqliteReader.open(Path(store)) as reader:
        nodes = reader.nodes()
    children: dict[str | None, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    best = _best(nodes)

    def draw(node: Node, lead: str, hang: str) -> Iterator[str]:
        mark = "  <- best" if node.id == best.id else ""
        what = "K0" if node.parent is None else f"attempt {node.sequence}: {_notes(node)}"
        yield f"{lead}{node.id[:12]}  {node.speedup:.4f}x  {node.evidence}  {what}{mark}"
        below = children.get(node.id, [])
        for child in below:
            last = child is below[-1]
            yield from draw(
                child, hang + ("`- " if last else "|- "), hang + ("   " if last else "|  ")
            )

    lines = [line for root in children.get(None, []) for line in draw(root, "", "")]
    return Result(True, "ok", "", {"nodes": [_row(n) for n in nodes], "lines": lines})


def run_diff(store: Pathlike, before: str = "root", after: str = "best") -> Result:
    """How the code of two nodes differs, as a unified diff of their listings.

    Args:
        store: path of the run store.
        before, after: nodes, see `find_node`.

    Raises:
        InputError, EnvironmentFault: no such node, no store, or a damaged one.
    """
    with SqliteReader.open(Path(store)) as reader, reader.snapshot():
        pair = [find_node(reader, word) for word in (before, after)]
        old, new = (recover(CodeObject.open(reader.blob(n.id))).listing() for n in pair)
    names = [f"{n.id[:12]} ({n.speedup:.4f}x)" for n in pair]
    lines = list(difflib.unified_diff(old, new, *names, n=_CONTEXT, lineterm=""))
    same = not lines
    data = {"before": _row(pair[0]), "after": _row(pair[1]), "lines": lines}
    return Result(True, "ok", "the code is the same" if same else "", data)


def export_run(store: Pathlike, node: str = "best") -> Exported:
    """The object of a node, and in `data` the steps that lead to it.

    What is exported is what the store holds; `verify` judges it again.

    Raises:
        InputError, EnvironmentFault: no such node, no store, or a damaged one.
    """
    with SqliteReader.open(Path(store)) as reader, reader.snapshot():
        found = find_node(reader, node)
        steps = [
            {**_row(n), "edits": [edit_to_row(e) for e in n.edits]}
            for n in reader.lineage(found.id)
        ]
        data = {**_summary(reader), "node": _row(found), "lineage": steps}
        return Exported(True, "ok", f"{found.speedup:.4f}x {found.label}", data,
                        reader.blob(found.id))  # fmt: skip


def find_node(store: StoreReader, word: str) -> Node:
    """A node by `root`, `best`, the number of its attempt, or the start of its identity.

    Raises:
        InputError: none, or more than one.
    """
    nodes = store.nodes()
    if word == "root":
        return nodes[0]
    if word == "best":
        return _best(nodes)
    found = [n for n in nodes if word.isdecimal() and n.sequence == int(word)]
    if not found and len(word) >= 4:
        found = [n for n in nodes if n.id.startswith(word.lower())]
    if len(found) != 1:
        what = "is no accepted node" if not found else f"is the start of {len(found)} nodes"
        raise InputError(
            f"{word!r:.40} {what} of {store.name}",
            "give root, best, an accepted attempt's number, or four letters of a node or more",
        )
    return found[0]


def _stores(folder: Path, depth: int) -> Iterator[Path]:
    """SQLite files with a run's tables, in the order of their paths."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.is_symlink():
            continue
        if path.is_dir():
            if depth > 0:
                yield from _stores(path, depth - 1)
        elif path.is_file() and _is_store(path):
            yield path


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE))
        if head != _SQLITE:
            return False
        with SqliteReader.open(path):
            return True
    except InputError:
        return False  # another program's
    except (OSError, AsmEvoError):
        return True  # listed with what is wrong with it


def _summary(store: StoreReader) -> dict[str, Any]:
    facts, nodes = store.run, store.nodes()
    best = _best(nodes) if nodes else None
    return {
        "kernel": facts.kernel,
        "k0": facts.k0,
        "driver": facts.driver,
        "seed": facts.seed,
        "created": facts.created,
        "attempts": store.attempt_count(),
        "accepted": max(0, len(nodes) - 1),
        "label": best.label if best else None,
        "best": _row(best) if best else None,
    }


def _best(nodes: list[Node]) -> Node:
    return max(nodes, key=lambda n: (n.speedup, -n.sequence))


def _row(node: Node) -> dict[str, Any]:
    return {
        "node": node.id,
        "parent": node.parent,
        "sequence": node.sequence,
        "speedup": node.speedup,
        "evidence_class": node.evidence,
        "notes": _notes(node),
    }


def _notes(node: Node) -> str:
    return "; ".join(dict.fromkeys(e.note for e in node.edits if e.note)) or "-"
