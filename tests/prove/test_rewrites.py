"""Every rewrite gets its verdict, and no wrong twin is called equal."""

from __future__ import annotations

import pytest

from asmevo.verify.proofs import prove
from prove.frame import window  # type: ignore[import-not-found]
from prove.rewrites import REWRITES, Rewrite  # type: ignore[import-not-found]


def test_there_are_enough() -> None:
    assert len(REWRITES) >= 60


@pytest.mark.parametrize("row", REWRITES, ids=lambda r: r.after[:40])
def test_the_rewrite_and_its_wrong_twin(row: Rewrite) -> None:
    right = window(row.before, row.after, row.live, exec_full=row.exec_full)
    wrong = window(row.before, row.wrong, row.live, exec_full=row.exec_full)
    assert prove(right, limit_seconds=20).status == row.expected
    assert prove(wrong, limit_seconds=20).status == "refuted"
