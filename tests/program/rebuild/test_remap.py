"""Old to new instruction indices; all expected numbers are counted by hand."""

from __future__ import annotations

import pytest

from asmevo.program.grammar import EditError
from asmevo.program.rebuild.remap import Remap

# 0 1 [2 3 -> x y z] 4 (insert p q) 5 [6 7 -> ] 8 9
CHANGES = [(2, 4, 3), (5, 5, 2), (6, 8, 0)]
KEPT = [0, 1, None, None, 5, 8, None, None, 9, 10]
BOUNDARY = [0, 1, 2, None, 5, 6, 9, None, 9, 10]


def test_instructions_stay_behind_what_is_inserted_at_them() -> None:
    remap = Remap(CHANGES)
    assert [remap.kept(i) for i in range(10)] == KEPT


def test_places_stay_in_front_of_what_is_inserted_at_them() -> None:
    remap = Remap(CHANGES)
    assert [remap.boundary(i) for i in range(10)] == BOUNDARY


def test_a_replacement_right_behind_an_insertion() -> None:
    remap = Remap([(3, 3, 1), (3, 5, 4)])  # 0 1 2 (insert a) [3 4 -> b c d e] 5
    assert [remap.boundary(i) for i in range(6)] == [0, 1, 2, 3, None, 8]
    assert [remap.kept(i) for i in range(6)] == [0, 1, 2, None, None, 8]


def test_the_end_counts_as_a_place() -> None:
    remap = Remap([(4, 4, 2)])  # two lines behind the last of four
    assert (remap.boundary(4), remap.kept(4), remap.kept(3)) == (4, 6, 3)


def test_nothing_may_point_at_what_is_gone() -> None:
    remap = Remap(CHANGES)
    assert remap.behind(5) == 8
    with pytest.raises(EditError, match="branch target instruction 6 is gone"):
        remap.behind(6, "branch target")
