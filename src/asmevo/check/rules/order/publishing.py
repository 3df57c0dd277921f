"""Do waves still tell each other only what is done, and use only what they were told?

At every release point of the original (`points`): what had completed before it must have completed
there in the edited program, and what had been issued before it may not stand behind it. Where only
other workgroups or agents can look, the order of issue means nothing, and only accesses count that
had completed and that others can see at all. At every acquire point: what stood behind it still
does.

A kernel without atomics, scoped stores and polling loops has no points, and costs one look.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from asmevo.check.engine.facts import NEXT, ProgramLike
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.check.findings import ERROR, Finding
from asmevo.check.rules.order.origins import Names, names
from asmevo.check.rules.order.points import (
    STORES,
    BytesBehind,
    Kind,
    Point,
    Points,
    Sides,
    around,
    points,
)
from asmevo.isa.ordering import Scope, scope_bits_on_stores


def unordered(k0: ProgramLike, k1: ProgramLike) -> list[Finding]:
    """Where `k1` tells before it is done, or goes on before it was told, and `k0` does not."""
    old = points(k0)
    if not old.releases and not old.acquires:
        return []
    if not old.acquires and _seen(k0) == _seen(k1):
        return []
    new = points(k1)
    return list(_changed(k1, old.acquires, new.acquires)) or [
        *_released(k0, old, k1, new), *_acquired(old, k1, new)
    ]  # fmt: skip


def _seen(program: ProgramLike) -> tuple[object, ...]:
    """All that release points depend on: accesses, waits, fences, and the ways between them."""
    return workbench().known(program, "seen", _all_seen)


def _all_seen(program: ProgramLike) -> tuple[object, ...]:
    facts = facts_of(program)
    kept = [i for i, f in enumerate(facts) if f.pushes or f.waits or f.fence or f.flow != NEXT]
    ways: list[int | None] = []
    for i in kept:
        target = program.branch_target(i) if facts[i].flow != NEXT else None
        ways.append(None if target is None else bisect_left(kept, target))
    return (*(facts[i] for i in kept), *ways)


def _text(program: ProgramLike, index: int) -> str:
    return program.instructions[index].text or ""


def _finding(rule: str, program: ProgramLike, index: int, message: str, fix: str) -> Finding:
    text = _text(program, index)
    return Finding(rule, "-", ERROR, "", index, text, message=message, fix=fix)


def _changed(k1: ProgramLike, old: tuple[Point, ...], new: tuple[Point, ...]) -> Iterator[Finding]:
    """Decisions by what other waves left that the edited program no longer takes."""
    if len(new) < len(old):
        yield Finding(
            "order.acquire", "-", ERROR, "", -1, "",
            message=f"the original decides {len(old)} times by what other waves left, this one "
            f"{len(new)} times",
            fix="keep every loop and branch that looks for other waves",
        )  # fmt: skip


def _pairs(
    old: tuple[Point, ...], new: tuple[Point, ...], called: tuple[Names, Names]
) -> Iterator[tuple[Point, Point | None]]:
    """Each point of the original with its partner; what `new` has more of, once again.

    A partner is called the same; for those that have none, it is the next one of its kind that is
    left, in code order.
    """
    same: defaultdict[str, list[Point]] = defaultdict(list)
    for p in reversed(new):
        same[called[1].get(p.index, "")].append(p)
    partner = {p: same[name].pop() for p in old if same[name := called[0].get(p.index, "")]}
    taken = set(partner.values())
    of_kind: defaultdict[tuple[str, ...], list[Point]] = defaultdict(list)
    for p in reversed(new):
        if p not in taken:
            of_kind[p.name].append(p)
    for p in old:
        if p not in partner and of_kind[p.name]:
            partner[p] = of_kind[p.name].pop()
        yield p, partner.get(p)
        for more in same[called[0].get(p.index, "")]:
            if more not in taken:
                yield p, more


def _released(k0: ProgramLike, old: Points, k1: ProgramLike, new: Points) -> Iterator[Finding]:
    scoped = scope_bits_on_stores(k0.target)
    called = names(k0, k1)
    counted: BytesBehind = {}
    counted_now: BytesBehind = {}
    for was, now in _pairs(old.releases, new.releases, called):
        if now is None:
            if was.near:
                yield _finding(
                    "order.release", k0, was.index,
                    f"{_text(k0, was.index)!r}, which other waves may wait for, has no counterpart",
                    "keep stores that other waves look at in one piece",
                )  # fmt: skip
            continue
        yield from _undone(old, was, k1, new, now)
        if not was.near and not was.done:
            continue
        counted = counted or old.bytes_behind(called[0])
        counted_now = counted_now or new.bytes_behind(called[1])
        for kind in _shifted(around(was, counted), around(now, counted_now)):
            _, _, direction, scope = kind
            # Stores without scope are seen outside of the workgroup only behind a write-back.
            seen = direction == "store" and (not scoped or scope != Scope.WAVE.name.lower())
            if was.near or seen:
                yield _finding(
                    "order.release", k1, now.index,
                    f"{_words(kind)} that came before {_text(k1, now.index)!r} come after it: "
                    "other waves are told too early",
                    "keep what other waves are told about in front",
                )  # fmt: skip
                break


def _undone(old: Points, was: Point, k1: ProgramLike, new: Points, now: Point) -> Iterator[Finding]:
    """What had completed at a release point and may be outstanding there now."""
    for key, count in sorted(now.pending.items()):
        kind, counter = key
        allowed = was.pending.get(key, 0)
        if count <= allowed or not (was.near or kind in STORES):
            continue
        before, every = old.issued(was, kind)
        before_now, every_now = new.issued(now, kind)
        completed = before - allowed
        # What the original issues later may come up in front, as long as no less is complete.
        if completed > 0 and (before_now - count < completed or every_now != every):
            yield _finding(
                "order.release", k1, now.index,
                f"{count} {kind} of {counter} may be outstanding where other waves are told, "
                f"in the original {allowed}",
                "wait for what other waves are told about",
            )  # fmt: skip


def _acquired(old: Points, k1: ProgramLike, new: Points) -> Iterator[Finding]:
    if not old.acquires:
        return
    counted, counted_now = old.bytes_behind({}), new.bytes_behind({})
    for was, now in zip(old.acquires, new.acquires, strict=False):
        # The other way round: what stood behind it and no longer does.
        before, behind = around(was, counted)
        before_now, behind_now = around(now, counted_now)
        for kind in _shifted((behind, before), (behind_now, before_now)):
            yield _finding(
                "order.acquire", k1, now.index,
                f"{_words(kind)} that came after {_text(k1, now.index)!r}, which decides by what "
                "other waves left, come before it",
                "keep them behind",
            )  # fmt: skip
            break


def _shifted(old: Sides, new: Sides) -> Iterator[Kind]:
    """Kinds of access of which the first side has fewer than it had, and the second more."""
    for kind in sorted(kind for kind, size in new[1].items() if size > old[1].get(kind, 0)):
        rest, rest_now = old[0].get(kind, 0), new[0].get(kind, 0)
        alike = rest_now + new[1][kind] == rest + old[1].get(kind, 0)
        if rest_now < rest and (alike or not kind[0]):
            yield kind


def _words(kind: Kind) -> str:
    which, group, direction, _ = kind
    return f"{direction}s of {group}" + (f" ({which})" if which else "")
