"""Expressions against values computed while the text is generated."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.capsule.expressions import LONGEST, evaluate, evaluate_number
from asmevo.errors import InputError

NAMES = {"n": 1000, "M": 37, "K": 1}


def _ceil_div(pair):
    (a, x), (b, y) = pair
    q, r = divmod(x, y)
    return f"cdiv({a}, {b})", q + (1 if r else 0)


def _pow2(item):
    text, value = item
    p = 1
    while p < value:
        p *= 2
    return f"next_pow2({text})", p


leaves = st.one_of(
    st.integers(0, 5000).map(lambda v: (str(v), v)),
    st.sampled_from(sorted(NAMES.items())).map(lambda kv: (kv[0], kv[1])),
)


def _binary(inner):
    pair = st.tuples(inner, inner)
    nonzero = st.tuples(inner, inner.filter(lambda t: t[1] != 0))
    return st.one_of(
        pair.map(lambda p: (f"({p[0][0]} + {p[1][0]})", p[0][1] + p[1][1])),
        pair.map(lambda p: (f"({p[0][0]} - {p[1][0]})", p[0][1] - p[1][1])),
        pair.map(lambda p: (f"({p[0][0]} * {p[1][0]})", p[0][1] * p[1][1])),
        nonzero.map(lambda p: (f"({p[0][0]} // {p[1][0]})", divmod(p[0][1], p[1][1])[0])),
        nonzero.map(lambda p: (f"({p[0][0]} % {p[1][0]})", divmod(p[0][1], p[1][1])[1])),
        nonzero.map(_ceil_div),
        inner.map(_pow2),
        pair.map(lambda p: (f"min({p[0][0]}, {p[1][0]})", sorted([p[0][1], p[1][1]])[0])),
        pair.map(lambda p: (f"max({p[0][0]}, {p[1][0]})", sorted([p[0][1], p[1][1]])[1])),
        inner.map(lambda t: (f"-{t[0]}", -t[1])),
    )  # fmt: skip


trees = st.recursive(leaves, _binary, max_leaves=6).filter(
    lambda t: abs(t[1]) < 1 << 50 and len(t[0]) < LONGEST
)


@given(trees)
def test_value_is_the_value_of_the_generated_tree(tree):
    text, value = tree
    assert evaluate(text, NAMES, "x") == value


def outcome(text, what):
    """The integer, or the error's line."""
    try:
        return evaluate(text, NAMES, what)
    except InputError as error:
        return error.one_line()


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_an_input_error(text):
    found = outcome(text, "grid[0]")
    assert isinstance(found, int) or ("grid[0]" in found and "\n" not in found)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("__import__('os')", "unknown function"),
        ("n.__class__", "Attribute"),
        ("(lambda: 1)()", "not allowed"),
        ("[1][0]", "Subscript"),
        ("n ** 9", "**"),
        ("n / 2", "operator /"),
        ("2 << 3", "operator"),
        ("1.5", "literal"),
        ("True", "literal"),
        ("m", "unknown size 'm'"),
        ("cdiv(n)", "takes 2"),
        ("min()", "argument"),
        ("cdiv(n, 0)", "zero"),
        ("n % (K - 1)", "zero"),
        ("n, n", "Tuple"),
        ("cdiv(a=1, b=2)", "not allowed"),
        ("", "not an expression"),
        ("1 +", "not an expression"),
        ("9" * 5000, "characters"),
        ("9" * 300, "64 bits"),
        ("*".join(["99999"] * 60), "64 bits"),
    ],
)
def test_refusals(text, word):
    line = outcome(text, "shape[1]")
    assert word in line
    assert "shape[1]" in line


@pytest.mark.parametrize("text", ["(" * 199 + "1" + ")" * 199, "-" * 398 + "1", "min(1)"])
def test_deep_nesting_is_a_value_or_an_error(text):
    found = outcome(text, "x")
    assert found == 1 or "x: " in str(found)


def test_numbers_know_fractions_and_roots():
    assert evaluate_number("1 / sqrt(4)", NAMES, "v") == 0.5
    assert evaluate_number("1e-5", NAMES, "v") == 1e-5
    assert evaluate_number("-n * 0.5", NAMES, "v") == -500.0
    assert evaluate_number("-inf", NAMES, "v") == -math.inf
    assert math.isnan(evaluate_number("nan", NAMES, "v"))
    for bad in ("1 / 0", "sqrt(-1)", "exp(9999)", "1e308 * 1e308", "log(0)"):
        with pytest.raises(InputError):
            evaluate_number(bad, NAMES, "v")
