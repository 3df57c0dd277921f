"""The engine with an analysis small enough to work out by hand: instructions since the last nop."""

from __future__ import annotations

from text_program import TextProgram

from asmevo.check.engine.analysis import Analysis, Engine, engine_of
from asmevo.check.engine.facts import ChunkContent, Library

Found = tuple[int, int]


class SinceNop(Analysis[frozenset[int], Found]):
    """Possible distances from the last `s_nop` (at most 9), told at each s_barrier."""

    walked = 0

    @property
    def initial(self) -> frozenset[int]:
        return frozenset({0})

    def join(self, a: frozenset[int], b: frozenset[int]) -> frozenset[int]:
        return a if b <= a else a | b

    def walk(
        self, content: ChunkContent, entry: frozenset[int]
    ) -> tuple[frozenset[int], tuple[Found, ...]]:
        type(self).walked += 1
        state, found = entry, []
        for at, f in enumerate(content.facts):
            if f.base == "s_barrier":
                found += [(at, n) for n in sorted(state)]
            state = frozenset({0}) if f.base == "s_nop" else frozenset(min(n + 1, 9) for n in state)
        return state, tuple(found)


def told(text: str) -> list[int]:
    view = TextProgram.of(text + "\ns_endpgm", "gfx942").view()
    results = Engine(SinceNop(view.library)).solve(view)
    return sorted({n for r in results.values() for _, n in r.raws})


def test_straight_line_and_join() -> None:
    assert told("s_nop 0\nv_nop\nv_nop\ns_barrier") == [2]
    split = "s_nop 0\ns_cbranch_scc0 far\nv_nop\nv_nop\nfar:\ns_barrier"
    assert told(split) == [1, 3]


def test_a_loop_reaches_its_fixed_point() -> None:
    # Behind the branch the distance grows by two each time round, up to the cap.
    loop = "s_nop 0\nagain:\ns_barrier\ns_cbranch_scc0 again"
    assert told(loop) == [0, 2, 4, 6, 8, 9]


def test_equal_chunks_are_walked_once_and_each_analysis_has_its_own_engine() -> None:
    text = "s_nop 0\n" + "v_nop\n" * 400 + "s_barrier\ns_endpgm"
    view = TextProgram.of(text, "gfx942").view()
    library = Library(view.target)
    first = engine_of(library, SinceNop)
    before = SinceNop.walked
    a = first.solve(view)
    count = SinceNop.walked - before
    assert first.solve(view) == a
    assert SinceNop.walked - before == count  # all remembered
    assert engine_of(library, SinceNop) is first
    assert engine_of(Library(view.target), SinceNop) is not first
