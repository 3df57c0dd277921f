"""Where K0's own runs differ, a candidate may: there only, and only as far.

Kernels are Python functions over a fake device; expected verdicts follow from the rule.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.model import BufferState
from asmevo.verify.oracle import VerifyConfig, verify
from asmevo.verify.spread import MOST, learn

ORDERS = {"barrier": 0, "shuffle:3": 1, "interleave:5": 2}
QUIET = VerifyConfig(stress=(), late_loads=False, pauses=False)


def buffer(kind="i32", n=64) -> BufferState:
    return BufferState("y", 1 << 20, bytes(n * dtype(kind).size), kind, (n,), "inout", 0)


def first_comer(m, at=(3, 40), value=lambda n: 100 + n, rest=lambda x: x):
    """The last elements of a list hold whichever wave came first."""
    y = rest(np.arange(64.0))
    for place in at:
        y[place] = value(ORDERS.get(m.schedule, 3))
    m.write("y", y)


def judged(device, make_capsule, k1, k0=first_comer, kind="i32", config=QUIET):
    capsule = make_capsule(kind)
    return verify(device.object("k0", k0), device.object("k1", k1), [capsule], device, config)


def test_what_varies_is_named_and_k0_passes(device, make_capsule):
    report = judged(device, make_capsule, first_comer)
    assert report.ok
    notes = " ".join(report.capsules[0].notes)
    assert "K0's own y depends on the order of waves in 2 of 64 elements, first at 3" in notes


@pytest.mark.parametrize(("value", "ok"), [(100, True), (102, True), (103, False), (99, False)])
def test_integers_stay_within_the_set(device, make_capsule, value, ok):
    report = judged(device, make_capsule, lambda m: first_comer(m, value=lambda _: value))
    assert report.ok is ok
    assert report.evidence_class == (("tested-exact" if value == 100 else "tested-tolerance")
                                     if ok else None)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "ok"), [(100.5, True), (104.0, True), (98.0, True), (105.0, False), (np.nan, False)]
)
def test_floats_stay_within_the_bounds(device, make_capsule, value, ok):
    """K0 gives 100, 101 and 102: two apart, so 98 to 104 are within."""
    report = judged(
        device, make_capsule, lambda m: first_comer(m, value=lambda _: value), kind="f32"
    )
    assert report.ok is ok


def test_elsewhere_nothing_may_vary(device, make_capsule):
    def wrong(m):
        first_comer(m, rest=lambda x: np.where(x == 7, 8, x))

    report = judged(device, make_capsule, wrong)
    assert report.status == "divergent"
    assert "y[7]" in report.reason or "first at [7]" in report.reason


def test_exact_stays_exact(device, make_capsule):
    other = dataclasses.replace(QUIET, exact=True)
    report = judged(
        device, make_capsule, lambda m: first_comer(m, value=lambda _: 102), config=other
    )
    assert not report.ok


def test_too_much_variation_excuses_nothing(device, make_capsule):
    """A list that is another permutation in every order: the launch's own order counts."""

    def permuted(m):
        m.write("y", np.random.default_rng(ORDERS.get(m.schedule, 3)).permutation(64))

    assert judged(device, make_capsule, permuted, permuted).ok
    report = judged(
        device, make_capsule,
        lambda m: m.write("y", np.random.default_rng(1).permutation(64)), permuted,
    )  # fmt: skip
    assert report.status == "divergent"


def test_the_share_is_bounded():
    state = buffer()
    one = np.arange(64, dtype=np.int32)
    some, many = one.copy(), one.copy()
    some[: int(64 * MOST)] += 1
    many[: int(64 * MOST) + 1] += 1
    found = learn(state, [one.tobytes(), some.tobytes()])
    assert found is not None
    assert found.elements.tolist() == list(range(int(64 * MOST)))
    assert learn(state, [one.tobytes(), many.tobytes()]) is None
    assert learn(state, [one.tobytes(), one.tobytes()]) is None
