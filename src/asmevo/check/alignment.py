"""Which instructions of an edited program are those of the original: a linear-time alignment.

Patience alignment: what both sides have exactly once pins them together in the longest common
order; between the pins runs of equal instructions are followed from both ends, and small gaps are
compared in full. A gap of repeated instructions too long for that counts as changed: the answer
errs on the side of `changed`, never of `kept`.

Source: Bram Cohen, patience diff; the longest increasing subsequence by patience sorting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

_FULL = 4096  # product of the lengths of a gap that is compared in full


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs (index before, index after) of equal items, rising in both.

    Time: n log n in the number of items.
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
        elif (a_end - a) * (b_end - b) <= _FULL:
            matcher = SequenceMatcher(None, before[a:a_end], after[b:b_end], autojunk=False)
            for m in matcher.get_matching_blocks():
                found += [(a + m.a + n, b + m.b + n) for n in range(m.size)]
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
