"""Records to keep in a store, for its tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asmevo.device.protocol import Timing
from asmevo.program.edit import Edit
from asmevo.search.store import SqliteStore, Store
from asmevo.search.types import Attempt, Node, Proposal, Status, object_id

K0 = b"the original object"
ROOT = object_id(K0)
TIMES = (Timing((100.0, 101.0), "cycles", "modelled", 0.25, "class"),)
RUN: Mapping[str, Any] = {
    "k0": K0, "kernel": "k", "driver": "rules", "seed": 7, "config": {"a": [1]},
}  # fmt: skip


def with_root(store: Store) -> Store:
    store.record_root(Node(ROOT, None, (), TIMES, "original", 0, -1, 1.0))
    return store


def create(path: Path) -> SqliteStore:
    store = SqliteStore.create(path, **RUN)
    with_root(store)
    return store


def attempt(
    n: int, status: Status = "divergent", parent: str = ROOT, index: int | None = None
) -> Attempt:
    edit = Edit(n if index is None else index, n + 1, ("s_nop 0",), "why")
    return Attempt(
        n, Proposal(parent, (edit,), "because", "rule"), status, "differential", "reason",
        data={"x": n}, passed=("duplicate", "assemble"),
    )  # fmt: skip


def accepted(n: int, data: bytes, parent: str = ROOT) -> tuple[Attempt, Node]:
    proposal = attempt(n, "accepted", parent).proposal
    node = Node(
        object_id(data), parent, proposal.edits, TIMES, "tested-exact", 1, n, 1.25
    )  # fmt: skip
    full = Attempt(
        n, proposal, "accepted", "commit", "faster", node.id, 1.25, 80.0, {}, 0.5, node.id
    )  # fmt: skip
    return full, node
