"""Alignment of two versions: pairs are equal and rising, as many as can be, in linear time."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from asmevo.program.alignment import align


def longest(a: str, b: str) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[j]))
        row = new
    return row[-1]


@pytest.mark.parametrize("letters", ["ab", "abcd", "abcdefghijklmnop"])
def test_pairs_are_equal_rising_and_nearly_the_most(letters: str) -> None:
    rng = random.Random(letters)
    lost = 0
    for _ in range(300):
        a = "".join(rng.choices(letters, k=rng.randrange(12)))
        b = "".join(rng.choices(letters, k=rng.randrange(12)))
        pairs = align(a, b)
        assert all(a[i] == b[j] for i, j in pairs)
        assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
        lost += longest(a, b) - len(pairs)
    # Pins may cost a pair, but only where something moved.
    assert lost <= 150


@pytest.mark.parametrize(
    ("a", "b", "kept"),
    [("", "", 0), ("", "ab", 0), ("abc", "abc", 3), ("aaaa", "aa", 2), ("abcabc", "abc", 3),
     ("abxcd", "abycd", 4), ("aabb", "bbaa", 2)],
)  # fmt: skip
def test_small_examples(a: str, b: str, kept: int) -> None:
    assert len(align(a, b)) == kept


def test_long_periodic_code_with_few_edits_is_aligned_in_linear_time() -> None:
    before = [n % 420 for n in range(50_000)]
    after = [*before[:10], -1, *before[10:25_000], *before[25_003:49_900], -2, *before[49_901:]]
    start = time.process_time()
    pairs = align(before, after)
    assert len(pairs) == 50_000 - 4
    assert time.process_time() - start < 5
