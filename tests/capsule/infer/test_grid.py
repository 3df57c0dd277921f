"""Axes: counts by hand."""

from __future__ import annotations

import pytest

from asmevo.capsule.expressions import evaluate
from asmevo.capsule.infer.grid import Axis, Part

CASES = [
    (Axis(), {}, 1),
    (Axis("rows"), {"rows": 7}, 7),
    (Axis("", (Part("n", 0, 256),)), {"n": 1000}, 4),
    (Axis("", (Part("w", 2, 64),)), {"w": 67}, 2),
    (Axis("", (Part("h", 2), Part("w", 2)), 256), {"h": 12, "w": 36}, 2),
    (Axis("", (Part("m", 0, 16), Part("n", 0, 32))), {"m": 17, "n": 64}, 4),
]


@pytest.mark.parametrize(("axis", "names", "count"), CASES)
def test_the_text_counts_as_the_axis_does(axis: Axis, names: dict[str, int], count: int) -> None:
    assert axis.count(names) == count
    assert evaluate(axis.text(), names, "grid") == count
