"""Which instructions of an edited program are those of the original: a linear-time alignment.

Patience alignment: what both sides have exactly once pins them together in the longest common
order; between the pins runs of equal instructions are followed from both ends, and what is left is
compared by the greedy algorithm up to a number of differences. A gap with more of them counts as
changed: the answer errs on the side of `changed`, never of `kept`.

Sources: Bram Cohen, patience diff; E. Myers, `An O(ND) Difference Algorithm and Its Variations`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

_MOST = 128  # differences of a gap without pins that are looked for


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs (index before, index after) of equal items, rising in both.

    Time: n log n in the number of items, and proportional to the differences between pins.
    """
    found: list[tuple[int, int]] = []
    todo = [(0, len(before), 0, len(after))]
    while todo:
        a, a_end, b, b_end = todo.pop()
        while a < a_end and b < b_end and before[a] == after[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and before[a_end - 1] == after[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found.append((a_end, b_end))
        if a == a_end or b == b_end:
            continue
        pins = _pins(before, after, (a, a_end), (b, b_end))
        if pins:
            ends = [*pins, (a_end, b_end)]
            for x, y in ends:
                todo.append((a, x, b, y))
                a, b = x + 1, y + 1
            found += pins
        else:
            found += _greedy(before, after, (a, a_end), (b, b_end))
    return sorted(found)


def _pins(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    first: tuple[int, int],
    second: tuple[int, int],
) -> list[tuple[int, int]]:
    """Items that both ranges have exactly once, as far as their orders agree."""
    ours = Counter(before[first[0] : first[1]])
    theirs = Counter(after[second[0] : second[1]])
    places = {after[n]: n for n in range(*second) if theirs[after[n]] == 1}
    pairs = [(n, places[before[n]]) for n in range(*first)
             if ours[before[n]] == 1 and before[n] in places]  # fmt: skip
    tails: list[int] = []  # smallest last place of a rising run of each length
    ends: list[int] = []  # index in `pairs` of that last place
    previous: list[int] = []
    for n, (_, y) in enumerate(pairs):
        at = bisect_left(tails, y)
        previous.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [y]
        ends[at : at + 1] = [n]
    chain: list[tuple[int, int]] = []
    n = ends[-1] if ends else -1
    while n >= 0:
        chain.append(pairs[n])
        n = previous[n]
    return chain[::-1]


def _greedy(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    first: tuple[int, int],
    second: tuple[int, int],
) -> list[tuple[int, int]]:
    """Pairs of a shortest edit script between two ranges; none where it has too many steps."""
    n, m = first[1] - first[0], second[1] - second[0]
    furthest = {1: 0}  # diagonal -> how far into `first` the best path on it reaches
    steps: list[dict[int, int]] = []
    for d in range(min(n + m, _MOST) + 1):
        steps.append(dict(furthest))
        for k in range(-d, d + 1, 2):
            down = k == -d or (k != d and furthest[k - 1] < furthest[k + 1])
            x = furthest[k + 1] if down else furthest[k - 1] + 1
            while x < n and x - k < m and before[first[0] + x] == after[second[0] + x - k]:
                x += 1
            furthest[k] = x
            if x >= n and x - k >= m:
                return _walked_back(steps, first[0], second[0], n, m)
    return []


def _walked_back(
    steps: list[dict[int, int]], a: int, b: int, x: int, y: int
) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for d in range(len(steps) - 1, -1, -1):
        reached, k = steps[d], x - y
        down = k == -d or (k != d and reached[k - 1] < reached[k + 1])
        before = k + 1 if down else k - 1
        start = reached[before]
        while x > start + (not down) and y > start - before + down:
            x, y = x - 1, y - 1
            pairs.append((a + x, b + y))
        if d:
            x, y = start, start - before
    return pairs
