"""The streams of `benchmarks.fuzz`: some hundred inputs, and all of them in the long suite."""

from __future__ import annotations

import os

import pytest

from benchmarks.fuzz import BYTES, COUNTS, SECONDS, figures

LONG = bool(os.environ.get("ASMEVO_CORPUS_TEST"))


@pytest.mark.parametrize("seed", [20_000])
def test_mutated_inputs_give_typed_errors(seed: int) -> None:
    """20,000 objects, 10,000 containers and 5,000 texts; 1 % of them in the short suite."""
    counts = COUNTS if LONG else {name: count // 100 for name, count in COUNTS.items()}
    for stream in figures(counts, seed):
        assert stream.slowest < SECONDS, stream
        assert stream.most < BYTES, stream
        assert len(stream.outcomes) > 2, stream
        assert "a message that is no line" not in stream.outcomes
