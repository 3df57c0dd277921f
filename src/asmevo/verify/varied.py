"""Variations of a launch on which K0 can serve as the reference.

`capsule.variation` says what may be changed; here K0 says what of it is legal. A variation on which
K0 faults, leaves its buffers, does not end, depends on undefined contents or on the order of waves,
or computes nothing (unless there is nothing to compute), is dropped and counted, with the reason.
So is one that costs too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule
from asmevo.capsule.variation import Variation, variations
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError, EnvironmentFault
from asmevo.verify.reference import OTHER_ORDERS, K0Runs, Reference
from asmevo.verify.report import Dropped, VerifyConfig

# Of the launch's own instructions: a candidate runs the launch itself some fifteen times.
_EACH, _ALL = 2, 4

Elsewhere = Callable[[Capsule, int], tuple[Capsule, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Varied:
    """The variations of one launch.

    Attributes:
        kept: capsule and K0 on it, in the order to test them.
        fresh: those of the capsules that reach code which nothing before them did.
        bare: those without an added constant (see `Variation.bare`).
        dropped: the others, with the reason.
    """

    kept: tuple[tuple[Capsule, Reference], ...] = ()
    fresh: tuple[Capsule, ...] = ()
    bare: tuple[Capsule, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def vary(
    k0: bytes,
    runs: K0Runs,
    config: VerifyConfig,
    capsule: Capsule,
    base: Reference,
    elsewhere: Elsewhere,
) -> Varied:
    """Variations of `capsule` with K0's results; none for recorded dispatches.

    Args:
        k0: the original object.
        runs: makes references of it.
        config: how hard to test.
        capsule: the launch.
        base: K0 on it.
        elsewhere: (capsule, turn) -> the capsule at the addresses of that turn, and their name.

    Raises:
        EnvironmentFault: the device is broken.
    """
    if capsule.recipe is None or not config.variation_limit:
        return Varied()
    code = CodeObject.open(k0)
    kernel = code.kernel(capsule.kernel)
    most = max(config.variation_limit, _EACH * base.instructions)
    left = max(4 * config.variation_limit, _ALL * base.instructions)
    reached = base.reached
    kept: list[tuple[Capsule, Reference]] = []
    fresh: list[Capsule] = []
    bare: list[Capsule] = []
    dropped: list[Dropped] = []
    size = sum(b.size for b in capsule.buffers)
    for one in _affordable(
        variations(capsule.recipe, kernel, code.target), most, base.instructions,
        config.stress_limit / max(1, size), dropped,
    ):  # fmt: skip
        try:
            other, place = elsewhere(one.capsule(kernel, code.target), one.number)
            if one.only_for_code and not _new(reached, runs.reaches(other, most)):
                continue
            # A count of nothing may also be one that a loop runs past.
            found = runs.reference(
                other, derived=True, orders=OTHER_ORDERS, placement=place, idle=one.idle,
                budget=_ALL * base.instructions if one.idle else most,
            )  # fmt: skip
        except EnvironmentFault:
            raise
        except AsmEvoError as error:
            dropped.append(Dropped(one.label, str(error)))
            continue
        if found.instructions > min(most, left):
            dropped.append(Dropped(one.label, f"{found.instructions} instructions are too many"))
            continue
        left -= found.instructions
        if _new(reached, found.reached):
            reached = found.reached if reached is None else reached | _bits(found.reached, reached)
            fresh.append(other)
        if one.bare:
            bare.append(other)
        kept.append((other, found))
    return Varied(tuple(kept), tuple(fresh), tuple(bare), tuple(dropped))


def _affordable(
    found: Iterator[Variation], most: int, usual: int, growth: float, dropped: list[Dropped]
) -> Iterator[Variation]:
    """Variations whose buffers and expected instructions stay within the limits."""
    for one in found:
        # Code that is hard to reach is looked for cheaply or not at all.
        limit = most // 8 if one.only_for_code else most
        if one.growth > growth or one.growth * usual > limit:
            if not one.only_for_code:
                dropped.append(Dropped(one.label, f"{one.growth:.3g} times the launch's memory"))
            continue
        yield one


def _bits(found: NDArray[np.bool_] | None, like: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.zeros_like(like) if found is None else found


def _new(reached: NDArray[np.bool_] | None, found: NDArray[np.bool_] | None) -> bool:
    """Whether a run executed instructions that none before it did."""
    if reached is None or found is None:
        return False
    return bool((found & ~reached).any())
