"""The commit rule at its edges."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asmevo.device.protocol import Timing
from asmevo.errors import EnvironmentFault, InputError
from asmevo.search.commit import CommitRule, decide, speedup


def modelled(*samples: float) -> Timing:
    return Timing(samples, "cycles", "modelled", 0.2, "test")


def measured(*samples: float) -> Timing:
    return Timing(samples, "s", "measured", 0.0, "measured")


RULE = CommitRule()
times = st.floats(1e-3, 1e9)


@given(times)
def test_equal_times_are_never_a_speedup(t: float) -> None:
    decision = decide(RULE, [modelled(t)], [modelled(t)], [modelled(t)])
    assert decision.status == "insufficient_speedup"
    assert decision.speedup == 1.0


@given(times, st.floats(0.0, 0.5))
def test_the_threshold_is_sharp(t: float, gain: float) -> None:
    # Close to the edge the division itself rounds.
    assume(abs(gain - 0.002) > 1e-9)
    decision = decide(RULE, [modelled(t)], [modelled(t)], [modelled(t / (1 + gain))])
    assert (decision.status == "accepted") == (gain > 0.002)
    assert math.isclose(decision.threshold, 1.002)


def test_exactly_the_threshold_is_enough() -> None:
    # 1.25 is exact in binary, so nothing rounds here.
    rule = CommitRule(eps=0.25)
    at = decide(rule, [modelled(5.0)], [modelled(5.0)], [modelled(4.0)])
    below = decide(rule, [modelled(5.0)], [modelled(5.0)], [modelled(math.nextafter(4.0, 5))])
    assert (at.status, below.status) == ("accepted", "insufficient_speedup")


@given(st.floats(0.0, 0.09), st.floats(0.001, 0.3))
def test_noise_raises_the_threshold(spread: float, gain: float) -> None:
    k0 = measured(1 - spread, 1.0, 1 + spread)  # cv == spread
    candidate = measured(*[1 / (1 + gain)] * 3)
    decision = decide(RULE, [k0], [measured(1.0, 1.0, 1.0)], [candidate])
    threshold = 1 + max(0.002, 0.85 * spread)
    assert math.isclose(decision.cv, spread, abs_tol=1e-12)
    assert math.isclose(decision.threshold, threshold)
    assume(abs(1 + gain - threshold) > 1e-9)
    assert (decision.status == "accepted") == (1 + gain > threshold)


def test_the_largest_spread_of_the_three_counts() -> None:
    still, noisy = measured(1.0, 1.0), measured(0.97, 1.03)
    for place in range(3):
        three = [[still], [still], [still]]
        three[place] = [noisy]
        assert decide(RULE, *three).cv == noisy.cv


def test_unstable_times_decide_nothing() -> None:
    noisy = measured(0.5, 1.0, 1.5)
    assert decide(RULE, [noisy], [noisy], [measured(0.1, 0.1)]).status == "timing_unstable"


def test_a_model_that_repeats_has_no_noise() -> None:
    decision = decide(RULE, [modelled(3)], [modelled(2)], [modelled(1.9)])
    assert decision.cv == 0.0
    assert decision.status == "accepted"


def _cased(time: float, **cases: float) -> Timing:
    return replace(modelled(time), cases=tuple(cases.items()))


def test_what_the_starts_of_workgroups_scatter_has_to_be_exceeded() -> None:
    """0.85 of 10 % scatter is more than 5 % gain and less than 10 %; it is never unstable."""
    scattered = replace(modelled(100), staggered=(90.0, 110.0))
    for gain, status in ((1.05, "insufficient_speedup"), (1.10, "accepted")):
        decision = decide(RULE, [scattered], [scattered], [modelled(100 / gain)])
        assert decision.status == status
        assert math.isclose(decision.cv, 0.1)


def test_a_case_in_which_it_is_slower_refuses_it() -> None:
    k0 = [_cased(100, cache=80, memory=120)]
    for memory, status in ((120, "accepted"), (120.1, "insufficient_speedup")):
        decision = decide(RULE, k0, k0, [_cased(90, cache=60, memory=memory)])
        assert decision.status == status
        assert ("memory" in decision.slower) == (status != "accepted")


def test_a_launch_that_gets_slower_is_not_paid_for_by_another() -> None:
    k0 = [modelled(100), modelled(100)]
    decision = decide(RULE, k0, k0, [modelled(50), modelled(101)])
    assert decision.status == "insufficient_speedup"
    assert "launch 1" in decision.slower


def test_cases_are_held_against_the_original_and_the_gain_against_the_parent() -> None:
    k0, parent = [_cased(100, memory=100)], [_cased(80, memory=85)]
    assert decide(RULE, k0, parent, [_cased(78, memory=99)]).status == "accepted"


@given(st.lists(st.tuples(times, times), min_size=1, max_size=5))
def test_speedup_is_the_geometric_mean(pairs: list[tuple[float, float]]) -> None:
    gain = speedup([modelled(a) for a, _ in pairs], [modelled(b) for _, b in pairs])
    expected = math.prod(a / b for a, b in pairs) ** (1 / len(pairs))
    assert math.isclose(gain, expected, rel_tol=1e-9)


def test_a_win_on_one_capsule_does_not_hide_a_loss_on_another() -> None:
    parent = [modelled(100), modelled(100)]
    decision = decide(RULE, parent, parent, [modelled(90), modelled(112)])
    assert decision.status == "insufficient_speedup"


def test_implausible_speedups_are_flagged() -> None:
    decision = decide(RULE, [modelled(1000)], [modelled(1000)], [modelled(1)])
    assert decision.implausible
    assert not decide(RULE, [modelled(1000)], [modelled(1000)], [modelled(500)]).implausible


def test_modelled_and_measured_are_never_compared() -> None:
    with pytest.raises(InputError, match="cannot be compared"):
        decide(RULE, [modelled(1)], [modelled(1)], [measured(1)])
    with pytest.raises(InputError, match="same capsules"):
        decide(RULE, [modelled(1)], [modelled(1)], [])


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_unusable_times_are_a_fault_of_the_device(bad: float) -> None:
    with pytest.raises(EnvironmentFault, match="unusable times"):
        decide(RULE, [modelled(1)], [modelled(1)], [modelled(bad)])


@pytest.mark.parametrize("field", ["eps", "k", "cv_limit"])
@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_nonsense_parameters_are_refused(field: str, bad: float) -> None:
    with pytest.raises(InputError, match=field):
        CommitRule(**{field: bad})


def test_k0_of_another_label_or_unit_is_refused_too() -> None:
    """The parent's times fit the candidate's; K0's do not."""
    with pytest.raises(InputError, match="cannot be compared"):
        decide(RULE, [measured(1)], [modelled(1)], [modelled(1)])
    nanoseconds = Timing((1.0,), "ns", "modelled", 0.2, "test")
    with pytest.raises(InputError, match="cannot be compared"):
        decide(RULE, [nanoseconds], [modelled(1)], [modelled(1)])
    with pytest.raises(InputError, match="same capsules"):
        decide(RULE, [modelled(1), modelled(1)], [modelled(1)], [modelled(1)])
    with pytest.raises(EnvironmentFault, match="unusable times"):
        decide(RULE, [modelled(0.0)], [modelled(1)], [modelled(1)])
