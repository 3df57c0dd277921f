"""The commit rule: is a correct candidate enough faster than its parent?

Speedup = geometric mean over the capsules of parent time / candidate time. It must reach
`1 + max(eps, k * cv)`, cv being the largest coefficient of variation among the samples of K0,
parent and candidate (for a model: among the starts of the workgroups that it tried). And no timed
launch may be slower than K0's in any machine case: a gain that hangs on where the data lies, or on
a constant that no trace pins down, is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from asmevo.device.protocol import Timing
from asmevo.errors import EnvironmentFault, InputError

EPSILON = 0.002
CV_FACTOR = 0.85
CV_LIMIT = 0.10
"""Above this spread a measured time says nothing; the attempt is `timing_unstable`."""
_EQUAL = 1e-9  # times that differ by rounding only
IMPLAUSIBLE = 10.0
"""A speedup beyond this is flagged: it is more likely a fault of the harness than a win."""


@dataclass(frozen=True, slots=True)
class CommitRule:
    """Parameters of the rule.

    Attributes:
        eps: least relative speedup.
        k: how many coefficients of variation the speedup must exceed.
        cv_limit: largest acceptable coefficient of variation.
    """

    eps: float = EPSILON
    k: float = CV_FACTOR
    cv_limit: float = CV_LIMIT

    def __post_init__(self) -> None:
        for name in ("eps", "k", "cv_limit"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise InputError(f"commit rule: {name} is {value}", "give a number >= 0")

    def threshold(self, cv: float) -> float:
        """Least speedup at a coefficient of variation."""
        return 1.0 + max(self.eps, self.k * cv)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says.

    Attributes:
        status: `accepted`, `insufficient_speedup` or `timing_unstable`.
        speedup: parent time over candidate time.
        threshold: what the speedup had to reach.
        cv: the coefficient of variation used.
        implausible: the speedup is larger than anything seen in earnest.
        slower: machine case in which a launch is slower than K0's, with both times; or empty.
    """

    status: Literal["accepted", "insufficient_speedup", "timing_unstable"]
    speedup: float
    threshold: float
    cv: float
    implausible: bool
    slower: str = ""


def _check(timing: Timing) -> None:
    if not timing.samples or not all(math.isfinite(s) and s > 0 for s in timing.samples):
        raise EnvironmentFault(
            f"the device gave unusable times: {timing.samples[:4]}", "check the device"
        )


def speedup(parent: Sequence[Timing], candidate: Sequence[Timing]) -> float:
    """Geometric mean over capsules of parent time / candidate time (medians).

    Raises:
        InputError: the lists differ in length, label or unit: such times are never compared.
        EnvironmentFault: a time is missing, not finite or not positive.
    """
    if len(parent) != len(candidate) or not parent:
        raise InputError("parent and candidate were not timed on the same capsules")
    total = 0.0
    for a, b in zip(parent, candidate, strict=True):
        _check(a)
        _check(b)
        if (a.label, a.unit) != (b.label, b.unit):
            raise InputError(f"{a.label} {a.unit} cannot be compared with {b.label} {b.unit}")
        total += math.log(a.centre / b.centre)
    return math.exp(total / len(parent))


def decide(
    rule: CommitRule,
    k0: Sequence[Timing],
    parent: Sequence[Timing],
    candidate: Sequence[Timing],
) -> Decision:
    """Apply the rule to times of K0, the parent and the candidate, one `Timing` per capsule.

    Raises:
        InputError: the times are not comparable.
        EnvironmentFault: a time is unusable.
    """
    gain = speedup(parent, candidate)
    speedup(k0, candidate)
    cv = max(t.cv for t in (*k0, *parent, *candidate))
    threshold = rule.threshold(cv)
    slower = ""
    # A model repeats exactly: what its starts scatter raises the bar and is no instability.
    if cv > rule.cv_limit and any(t.label != "modelled" for t in candidate):
        status = "timing_unstable"
    elif gain < threshold:
        status = "insufficient_speedup"
    else:
        slower = slower_case(k0, candidate)
        status = "insufficient_speedup" if slower else "accepted"
    return Decision(status, gain, threshold, cv, gain > IMPLAUSIBLE, slower)


def slower_case(k0: Sequence[Timing], candidate: Sequence[Timing]) -> str:
    """The case and launch in which the candidate is slower than K0, or an empty string.

    The nominal time of every launch is a case like the others.
    """
    for number, (a, b) in enumerate(zip(k0, candidate, strict=True)):
        before, after = dict(a.cases), dict(b.cases)
        cases = [("nominal", a.centre, b.centre)]
        cases += [(name, before[name], after[name]) for name in before if name in after]
        for name, was, now in cases:
            if now > was * (1 + _EQUAL):
                return f"launch {number}: {now:.0f} instead of {was:.0f} {b.unit} with {name}"
    return ""
