"""Two roles of a launch: test launches try a candidate, timed ones give the speed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.capsule.model import Capsule, timed_launches
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize_all
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError

TEXT = """
schema: asmevo/launch/1
sizes: {{n: 100}}
variants: [{{n: 65}}, {{n: 1}}]
{more}
grid: [cdiv(n, 256), 1, 1]
block: [256, 1, 1]
args:
  - {{name: x, dtype: f32, shape: [n], init: zeros, role: in}}
  - {{name: y, dtype: f32, shape: [n], init: zeros, role: inout}}
  - {{name: a, dtype: f32, value: 2}}
  - {{name: n, dtype: i32, value: n}}
"""


@pytest.fixture
def made(kernel_objects: Callable[..., bytes]) -> Callable[[str], tuple[Capsule, ...]]:
    co = CodeObject.open(kernel_objects("saxpy"))

    def make(more: str) -> tuple[Capsule, ...]:
        spec = LaunchSpec.parse(TEXT.format(more=more))
        return synthesize_all(spec, co.kernels[0], co.target)

    return make


@pytest.mark.parametrize(
    ("more", "timed"),
    [
        ("", ["n=100"]),
        ("role: timed", ["n=100"]),
        ("timed: [{n: 4096}, {n: 8192}]", ["n=4096", "n=8192"]),
        ("role: timed\ntimed: [{n: 4096}]", ["n=100", "n=4096"]),
        ("role: test\ntimed: [{n: 4096}]", ["n=4096"]),
    ],
)
def test_which_launches_are_timed(
    made: Callable[[str], tuple[Capsule, ...]], more: str, timed: list[str]
) -> None:
    capsules = made(more)
    assert [c.label for c in timed_launches(capsules)] == timed
    assert [c.label for c in capsules][:3] == ["n=100", "n=65", "n=1"]


def test_no_speed_from_tests_alone(made: Callable[[str], tuple[Capsule, ...]]) -> None:
    with pytest.raises(InputError, match="no launch is timed"):
        timed_launches(made("role: test"))


def test_each_launch_draws_its_own_data_whatever_its_role(
    made: Callable[[str], tuple[Capsule, ...]],
) -> None:
    numbers = [c.provenance["variant"] for c in made("timed: [{n: 4096}]")]
    assert numbers == [0, 1, 2, 3]


def test_names_and_roles_are_checked() -> None:
    for more, words in (
        ("timed: [{m: 1}]", "timed\\[0\\] sets 'm'"),
        ("role: fast", "role"),
    ):
        with pytest.raises(InputError, match=words):
            LaunchSpec.parse(TEXT.format(more=more))
