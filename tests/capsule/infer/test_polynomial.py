"""Polynomials from measured points: the coefficients expected are those the points came from."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from asmevo.capsule.infer.polynomial import Polynomial, depends_on, fit

NAMES = ("m", "n", "k")
BASE = {"m": 11, "n": 13, "k": 17}
STEPS = {"m": 6, "n": 5, "k": 1}
terms = st.dictionaries(
    st.sets(st.sampled_from(NAMES)).map(lambda s: tuple(n for n in NAMES if n in s)),
    st.integers(-50, 50).filter(bool),
    max_size=8,
)


@given(terms)
def test_every_multilinear_sum_is_found_again(made: dict[tuple[str, ...], int]) -> None:
    def measure(at: Mapping[str, int]) -> int:
        total = 0
        for term, c in made.items():
            for name in term:
                c *= at[name]
            total += c
        return total

    found = fit(measure, BASE, STEPS)
    assert found is not None
    assert dict(found.terms) == made


def test_what_is_no_polynomial_is_refused() -> None:
    assert fit(lambda v: -(-v["m"] // 4) * v["n"], BASE, {"m": 6, "n": 5}) is None
    assert fit(lambda v: min(v["m"], 20) * v["n"], BASE, {"m": 6, "n": 5}) is None
    assert fit(lambda v: v["m"] * v["m"], BASE, {"m": 6}) is None
    assert fit(lambda _: None, BASE, {"m": 6}) is None


def test_names_that_matter() -> None:
    assert depends_on(lambda v: v["m"] * 3 + v["k"], BASE, STEPS) == ("m", "k")
    assert depends_on(lambda _: 7, BASE, STEPS) == ()


def test_a_product_of_shifted_names_splits() -> None:
    # (h - 2) * (w - 2) * c
    poly = Polynomial({("c", "h", "w"): 1, ("c", "h"): -2, ("c", "w"): -2, ("c",): 4})
    assert poly.is_product
    assert poly.factors(("c", "h", "w")) == ("c", "h - 2", "w - 2")


def test_rows_with_gaps_are_no_product() -> None:
    rows = Polynomial({("rows", "stride"): 1, ("stride",): -1, ("columns",): 1})
    assert not rows.is_product
    assert rows.factors() == ("rows*stride + columns - stride",)
    dense = rows.replaced({"stride": Polynomial({("columns",): 1})})
    assert dense.factors(("rows", "columns")) == ("rows", "columns")


def test_a_square_keeps_both_factors() -> None:
    square = Polynomial({("m", "n"): 4}).replaced({"m": Polynomial({("n",): 1})})
    assert square.value({"n": 5}) == 100
    assert square.factors() == ("n", "n", "4")


def test_division_must_come_out_even() -> None:
    poly = Polynomial({("m",): 8, (): 4})
    assert poly.divided(4) == Polynomial({("m",): 2, (): 1})
    assert poly.divided(8) is None


def test_a_part_of_a_size_is_found_over_its_divisor() -> None:
    # rows of n / 128 scales, measured at multiples of 128: 4 * rows * n / 128 bytes
    base, steps = {"n": 256, "rows": 3}, {"n": 128, "rows": 1}
    found = fit(lambda v: 4 * v["rows"] * (v["n"] // 128), base, steps)
    assert found is not None
    assert found.value({"n": 4096, "rows": 6}) == 768
    elements = found.divided(4)
    assert elements is not None
    assert elements.factors() == ("(n*rows) // 128",)
    stride = elements.replaced({"rows": Polynomial({("m",): 1}, 2)})
    assert stride.value({"n": 256, "m": 10}) == 10


def test_what_counts_tiles_shows_far_away() -> None:
    def tiles(v: Mapping[str, int]) -> int:
        return -(-v["n"] // 512)

    assert depends_on(tiles, {"n": 32}, {"n": 16}) == ()
    assert depends_on(tiles, {"n": 32}, {"n": 16}, many=40) == ("n",)
    assert fit(lambda _: 4, {"n": 32}, {"n": 16}, 40) == Polynomial({(): 4})
    assert fit(tiles, {"n": 32}, {"n": 16}, 40) is None
