"""Memory as versions: a term that each store, atomic or barrier makes a new one of.

A load is an unknown function of a version and an address; it looks past stores that are provably
elsewhere. Stores that are provably apart are kept in one order. Anything that other waves may be
ordered by (atomics, accesses with scope bits, barriers, messages, cache control) is an *event*: it
makes new versions of all memory and comes before or after each other event.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.prove.terms.node import MEMORY, Node, Table
from asmevo.prove.window import Assumptions

SPACES = ("memory", "lds", "scratch", "gds")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access goes.

    Attributes:
        kind: address form: "global", "scalar", "lds", "scratch", "buffer", "scalar buffer",
            "flat"; equal places of different forms are not compared.
        spaces: what it may touch.
        parts: terms that the address is a function of; of plain addresses the address alone.
    """

    kind: str
    spaces: tuple[str, ...]
    parts: tuple[Node, ...]

    @property
    def plain(self) -> bool:
        """Whether the only part is a byte address."""
        return self.kind in ("global", "scalar", "lds")


@dataclass(frozen=True, slots=True)
class Touch:
    """One access that may fault: a dword or less of each active lane."""

    kind: str
    parts: tuple[Node, ...]
    offset: int
    size: int
    active: Node


class Memory:
    """Versions of each space, and what was accessed on the way."""

    def __init__(self, table: Table, assumptions: Assumptions) -> None:
        self._table, self._disjoint = table, assumptions.disjoint
        self.versions = {s: table.make("initial", MEMORY, (), s) for s in SPACES}
        self.touched: dict[Touch, None] = {}
        self.guard = table.true

    def copy(self) -> Memory:
        """The same versions, to go on from separately."""
        other = Memory(self._table, Assumptions(disjoint=self._disjoint))
        other.versions, other.touched = dict(self.versions), dict(self.touched)
        other.guard = self.guard
        return other

    def meet(self, condition: Node, taken: Memory) -> None:
        """Become `taken` where a condition holds."""
        for space, version in self.versions.items():
            self.versions[space] = self._table.ite(condition, taken.versions[space], version)
        self.touched |= taken.touched

    # --- plain accesses -------------------------------------------------------------------
    def load(self, place: Place, offset: int, bits: int, active: Node) -> Node:
        """`bits` bits at a byte offset from a place."""
        table = self._table
        self._touch(place, offset, bits // 8, active)
        parts = place.parts
        if place.plain and offset:
            parts = (table.add(parts[0], table.const(parts[0].width, offset)),)
            offset = 0
        versions = [self.versions[s] for s in place.spaces]
        here = Place(place.kind, place.spaces, parts)
        if len(versions) == 1:
            while versions[0].op == "store" and self._apart(versions[0], here, offset, bits // 8):
                versions[0] = versions[0].args[0]
        data = (place.kind, offset, len(versions))
        return table.make("load", bits, (*versions, *parts), data)

    def store(self, place: Place, values: list[Node], active: Node) -> None:
        """Store values of each active lane side by side."""
        size = sum(v.width for v in values) // 8
        at = 0
        for value in values:
            self._touch(place, at, value.width // 8, active)
            at += value.width // 8
        lanes = self._table.and_(self.guard, active)
        tail = (lanes, *place.parts, *values)
        data = (place.kind, len(place.parts), size)
        if len(place.spaces) == 1:
            space = place.spaces[0]
            self.versions[space] = self._stored(self.versions[space], place, tail, data)
            return
        before = tuple(self.versions[s] for s in place.spaces)
        event = self._table.make("event", MEMORY, (*before, *tail), ("store", *data))
        for space in place.spaces:
            self.versions[space] = self._table.make("after", MEMORY, (event,), space)

    def _stored(
        self, version: Node, place: Place, tail: tuple[Node, ...], data: tuple[str, int, int]
    ) -> Node:
        if version.op == "store":
            top = (version.data, *[a.number for a in version.args[1:]])
            if (data, *[a.number for a in tail]) < top and self._apart(version, place, 0, data[2]):
                below = self._stored(version.args[0], place, tail, data)
                return self._table.make("store", MEMORY, (below, *version.args[1:]), version.data)
        return self._table.make("store", MEMORY, (version, *tail), data)

    def _touch(self, place: Place, offset: int, size: int, active: Node) -> None:
        parts = place.parts
        if place.plain and offset:
            table = self._table
            parts = (table.add(parts[0], table.const(parts[0].width, offset)),)
            offset = 0
        lanes = self._table.and_(self.guard, active)
        self.touched[Touch(place.kind, parts, offset, size, lanes)] = None

    def _apart(self, store: Node, place: Place, offset: int, size: int) -> bool:
        """Whether a store of any lane is provably elsewhere than an access of any lane."""
        kind, count, stored = store.data
        parts = store.args[2 : 2 + count]
        if self._disjoint:
            one, other = self._root(kind, parts), self._root(place.kind, place.parts)
            if one is not None and other is not None and one != other:
                return True
        if kind != place.kind or not place.plain:
            return False
        # Lanes differ, so one lane's distance says nothing of two lanes' unless all agree.
        a, b = parts[0], place.parts[0]
        if a.varies or b.varies:
            return False
        base, first = _split(a)
        other_base, second = _split(b)
        if base is not other_base:
            return False
        distance = (second + offset - first) % (1 << a.width)
        return distance >= stored and (1 << a.width) - distance >= size

    def _root(self, kind: str, parts: tuple[Node, ...]) -> int | None:
        """The assumed-apart SGPR pair that an address begins with."""
        found: set[int] = set()
        todo = [parts[0]]
        while todo:
            node = todo.pop()
            if node.op == "add":
                todo += node.args
            elif node.op == "concat":
                low = node.args[1]
                if low.op == "scalar" and low.data in self._disjoint:
                    found.add(low.data)
        if kind in ("buffer", "scalar buffer") and parts[0].op == "scalar":
            found |= {parts[0].data} & self._disjoint
        return found.pop() if len(found) == 1 else None

    # --- events ---------------------------------------------------------------------------
    def event(self, name: tuple[object, ...], args: tuple[Node, ...]) -> Node:
        """Something that others may be ordered by; new versions of everything."""
        table = self._table
        before = tuple(self.versions[s] for s in SPACES)
        made = table.make("event", MEMORY, (*before, self.guard, *args), name)
        for space in SPACES:
            self.versions[space] = table.make("after", MEMORY, (made,), space)
        return made


def _split(address: Node) -> tuple[Node | None, int]:
    if address.op == "const":
        return None, address.data
    if address.op == "add" and address.args[0].op == "const":
        return address.args[1], address.args[0].data
    return address, 0
