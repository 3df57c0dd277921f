"""Does every path still pass the same fences, and every access stand between the same ones?

A fence is a barrier or cache control. Two questions, both by control flow:

* Which fence can come next behind which? An edit may not add such a pair: then some path misses
  what lies between (a barrier behind a new branch).
* How many bytes does a lane load and store between which fences? Between two fences they may only
  become less if nowhere they become more: otherwise an access went to the other side, whatever
  its text is now. Splitting and merging keep the number, unrolling adds to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from asmevo.check.engine.facts import ProgramLike
from asmevo.check.engine.runs import accesses, runs_of
from asmevo.check.engine.workbench import workbench
from asmevo.check.rules.crossing import EDGE, Between, masks

Regions = dict[tuple[str, str], Counter[Between]]
"""(memory, direction) -> bytes of a lane, by the fences around."""
Places = Sequence[int]


def _follows(program: ProgramLike, places: Places) -> list[int]:
    """For each fence, and at last for the end: the fences that can be the last one before it."""
    runs = runs_of(program, places)
    before, _ = masks(runs, places)
    number = {place: n for n, place in enumerate(places)}
    found = [0] * (len(places) + 1)
    for n, start in enumerate(runs.starts):
        if start in number:
            found[number[start]] = before[n]
        if runs.leaves[n]:
            own = 1 << number[start] + 1 if start in number else 0
            found[-1] |= own or before[n]
    return found


def bypassed(k0: ProgramLike, old: Places, k1: ProgramLike, new: Places) -> int | None:
    """The first fence of `new` that a path of `k1` leaves out and none of `k0` does, or None.

    Args:
        k0, old: the original and the indices of its fences.
        k1, new: the edited program and its fences, as many and in the same order.
    """
    before, after = (
        workbench().known(p, f"follows {hash(tuple(places))}", lambda p, at=places: _follows(p, at))
        for p, places in ((k0, old), (k1, new))
    )
    for was, now in zip(before, after, strict=True):
        if now & ~was:
            # Where that path comes from, it used to meet the next fence of its kind.
            missing = was & ~now or was & ~EDGE or was
            at = max(missing.bit_length() - 2, 0)
            return new[min(at, len(new) - 1)]
    return None


def regions(program: ProgramLike, places: Places) -> Regions:
    """Bytes between fences; scratch and cross-lane instructions count for nothing."""
    found: defaultdict[tuple[str, str], Counter[Between]] = defaultdict(Counter)
    runs = runs_of(program, places)
    before, after = masks(runs, places)
    at = [(before[n], after[n]) for n in range(len(runs))]
    alike = Counter((effect, at[runs.at(i)]) for i, _, effect in accesses(program))
    for (effect, place), times in alike.items():
        for group in effect.groups:
            if effect.loads:
                found[group, "load"][place] += times * (effect.size or 1)
            if effect.stores:
                found[group, "store"][place] += times * (effect.size or 1)
    return dict(found)


def _near(a: Between, b: Between) -> bool:
    """Whether an access may have gone from one place to the other without crossing a fence."""
    return (a[0] == b[0] and (not a[1] & ~b[1] or not b[1] & ~a[1])) or (
        a[1] == b[1] and (not a[0] & ~b[0] or not b[0] & ~a[0])
    )


def moved(old: Counter[Between], new: Counter[Between], stores: bool) -> bool:
    """Whether bytes went from between some fences to between others.

    Args:
        old, new: bytes by the fences around, in the original and the edited program.
        stores: stores may not appear either where the original has none near.
    """
    lost, gained = old - new, new - old
    for there in list(gained):
        if stores and not any(_near(place, there) for place in old):
            return True
        for place in list(lost):
            if _near(place, there):
                amount = min(lost[place], gained[there])
                lost[place] -= amount
                gained[there] -= amount
    return bool(+lost) and bool(+gained)


def misplaced(k0: ProgramLike, old: Places, k1: ProgramLike, new: Places) -> str:
    """What was moved across a fence, in words (`stores of lds`), or an empty string."""
    before, after = (
        workbench().known(p, f"regions {hash(tuple(places))}", lambda p, at=places: regions(p, at))
        for p, places in ((k0, old), (k1, new))
    )
    for key in sorted(after):
        group, direction = key
        if moved(before.get(key, Counter()), after[key], direction == "store"):
            return f"{direction}s of {group}"
    return ""
