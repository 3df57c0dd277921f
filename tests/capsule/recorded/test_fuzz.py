"""Mutated capsules and launch descriptions: typed one-line errors, nothing else touched.

The stream of `benchmarks.fuzz_launches`, of which a few are tried here; `python -m benchmarks.fuzz`
tries thousands.
"""

from __future__ import annotations

import random
from collections import Counter

from asmevo.errors import AsmEvoError
from benchmarks.fuzz_launches import stream


def test_mutated_launches_are_refused_in_one_line() -> None:
    outcomes: Counter[str] = Counter()
    with stream(random.Random(3), bundles=False) as (inputs, attempt):
        for _ in range(150):
            try:
                outcomes[attempt(next(inputs))] += 1
            except AsmEvoError as err:
                outcomes["refused" if err.one_line().isprintable() else "no line"] += 1
    assert outcomes["refused"] > 100
    assert outcomes["read"]
    assert not outcomes["no line"]
