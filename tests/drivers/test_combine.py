"""Combining edits, against plain list surgery."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asmevo.drivers.combine import all_disjoint, compatible, disjoint, rebase
from asmevo.program.edit import Edit


def splice(lines: list[str], edits: list[Edit]) -> list[str]:
    """Apply edits to a list, last one first."""
    out = list(lines)
    for e in sorted(edits, key=lambda e: -e.first):
        out[e.first : e.last] = e.lines
    return out


edit = st.builds(
    lambda first, length, count, tag: Edit(
        first, first + length, tuple(f"{tag}.{i}" for i in range(count))
    ),
    st.integers(0, 20),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from("abcdef"),
)


@given(edit, st.lists(edit, max_size=3))
def test_a_rebased_edit_does_to_the_child_what_it_did_to_the_parent(
    item: Edit, applied: list[Edit]
) -> None:
    if not all_disjoint([item, *applied]):
        return
    parent = [str(i) for i in range(30)]
    moved = rebase([item], applied)
    assert moved is not None
    assert splice(splice(parent, applied), list(moved)) == splice(parent, [item, *applied])


@given(edit, edit)
def test_overlap_is_symmetric_and_refused(a: Edit, b: Edit) -> None:
    assert disjoint(a, b) == disjoint(b, a)
    assert (rebase([a], [b]) is None) == (not disjoint(a, b))
    assert compatible([a], [b]) == disjoint(a, b)


def test_labels_take_no_index() -> None:
    applied = Edit(2, 3, ("again:", "s_nop 0", "s_branch again"))
    assert rebase([Edit(5, 6, ())], [applied]) == (Edit(6, 7, ()),)


def test_boundaries() -> None:
    assert disjoint(Edit(1, 3, ()), Edit(3, 4, ()))
    assert not disjoint(Edit(1, 3, ()), Edit(3, 3, ("s_nop 0",)))
    assert not disjoint(Edit(1, 3, ()), Edit(2, 4, ()))


def test_an_edit_right_behind_a_longer_one_is_shifted() -> None:
    grown = Edit(2, 5, ("s_nop 0",) * 5)
    shrunk = Edit(2, 5, ())
    assert rebase([Edit(5, 6, ())], [grown]) == (Edit(7, 8, ()),)
    assert rebase([Edit(5, 6, ())], [shrunk]) == (Edit(2, 3, ()),)
    assert rebase([Edit(0, 2, ())], [grown]) == (Edit(0, 2, ()),)
    assert rebase([Edit(5, 6, ()), Edit(9, 9, ("s_nop 1",))], [grown, Edit(6, 8, ())]) == (
        Edit(7, 8, ()),
        Edit(9, 9, ("s_nop 1",)),
    )
