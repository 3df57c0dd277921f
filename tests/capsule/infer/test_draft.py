"""What a draft writes loads as a launch description, whatever names a binary has."""

from __future__ import annotations

import pytest

from asmevo.capsule.infer.draft import Argument, Draft
from asmevo.capsule.spec import LaunchSpec

NASTY = "evil: [\n\x1b # 'x\""


def draft(name: str) -> Draft:
    return Draft(
        kernel=name,
        source="a test",
        sizes={"n": 7, "y": "2 * n"},
        grid=("cdiv(n, 4)", "y", "1"),
        block=(64, 1, 1),
        lds=16,
        args=(
            Argument(
                {"name": name, "dtype": "f32", "shape": ["n", "n - 2"], "init": "normal(0, 1)",
                 "role": "in"},
                ("read\nonly",),
            ),
            Argument({"name": "off", "null": True}),
            Argument({"name": "b", "bytes": "00 00 00 00"}),
            Argument({"name": "s", "dtype": "f32", "value": 0.5}),
        ),
        variants=({"n": 12},),
        hidden_zero=True,
        reasons={"grid": "because # of\nthis"},
        questions=("what is\nb?",),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["plain", "no", "12", NASTY, "µ", "a b"])
def test_it_loads_and_says_the_same(name: str) -> None:
    text = draft(name).yaml()
    spec = LaunchSpec.parse(text)
    assert spec.kernel == name
    assert spec.args[0].name == name
    assert spec.args[0].shape == ("n", "n - 2")
    assert spec.args[1].null
    assert spec.grid == ("cdiv(n, 4)", "y", 1)
    assert spec.resolve_sizes() == {"n": 7, "y": 14}
    assert spec.hidden == "zero"
    assert "# QUESTION: what is b?" in text
    assert "\x1b" not in text


def test_json_has_reasons_by_argument() -> None:
    data = draft("k").to_json()
    assert data["args"][0]["reasons"] == ["read\nonly"]
    assert data["questions"] == ["what is\nb?"]
