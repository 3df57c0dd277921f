"""What watched runs show of a candidate and do not show of K0: races, early and undefined reads.

Results alone hide a race that came out right. After a candidate passed everything else, both
objects run once more, watched (`verify.dynamic`), and the candidate's findings are held against
K0's one by one: a finding has a partner if K0 has one of the same rule between the same
instructions, registers left out. Notes say what compilers do without harm; a note is new only
where K0 has none of its rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.capsule.model import Capsule
from asmevo.check.engine.facts import skeleton
from asmevo.check.findings import ERROR, Finding
from asmevo.device.protocol import Device
from asmevo.errors import UnsupportedError
from asmevo.verify.dynamic import DynamicConfig, check_dynamic

LIMIT = 1 << 21
"""Launches on which K0 executes more wave instructions are not watched."""


def _key(f: Finding) -> tuple[str, str, str]:
    return f.rule, skeleton(f.text), skeleton(f.producer_text)


def new_findings(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """Findings of a candidate that K0 does not have, gravest first."""
    known, rules = {_key(f) for f in before}, {f.rule for f in before}
    found = [f for f in after
             if (_key(f) not in known if f.severity == ERROR else f.rule not in rules)]  # fmt: skip
    return sorted(found, key=lambda f: f.severity != ERROR)


class Watcher:
    """Holds candidates' findings against K0's, which is watched when a candidate first has any.

    Args:
        k0: the original object.
        device: an emulated one; others show nothing.
        poison_seed: of undefined contents.
        schedules: wave orders to watch besides the launches' own.
    """

    def __init__(
        self, k0: bytes, device: Device, poison_seed: int, schedules: Sequence[str] = ()
    ) -> None:
        self._k0, self._device = k0, device
        self._config = DynamicConfig(tuple(schedules), poison_seed)
        self._before: dict[tuple[str, ...], list[Finding]] = {}

    def compare(self, k1: bytes, capsules: Sequence[Capsule]) -> tuple[list[Finding], str]:
        """New findings of `k1` on the launches, and a note where they could not be watched.

        Args:
            k1: an object that was found equal to K0 in its results.
            capsules: launches to watch.
        """
        if self._device.label != "modelled" or not capsules:
            return [], "no launch was watched for races"
        try:
            after = check_dynamic(k1, capsules, self._device, self._config)
            if not after:
                return [], ""
            key = tuple(c.digest() for c in capsules)
            if key not in self._before:
                self._before[key] = check_dynamic(self._k0, capsules, self._device, self._config)
            return new_findings(self._before[key], after), ""
        except UnsupportedError as error:
            return [], f"not watched for races: {error.one_line()}"
