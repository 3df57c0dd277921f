"""Claims of a run store, held against what comes out when its edits are made again.

Nothing of a store is believed but the edits: every step is built again from the one before, held
against the static rules, timed, and put to the commit rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from asmevo.capsule.model import Capsule, timed_launches
from asmevo.check.comparison import compare_objects, examine
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device, Timing
from asmevo.errors import AsmEvoError, InputError
from asmevo.program.edit import apply
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover
from asmevo.search.commit import CommitRule, decide, speedup
from asmevo.search.types import Node, declared_by, object_id

_SAME = 1e-9  # modelled times repeat exactly; the factor allows for rounding
_SAMPLES = 5


class ClaimError(InputError):
    """A record of a run does not hold: the store was changed, or another version made it."""

    status = "divergent"
    exit_code = 1


def recheck(
    k0: bytes,
    kernel: str,
    lineage: Sequence[Node],
    capsules: Sequence[Capsule],
    device: Device,
    samples: int = _SAMPLES,
) -> bytes:
    """Build a lineage again from K0 and hold every claim of it against what comes out.

    Returns:
        The last node's bytes, as built here.

    Raises:
        ClaimError: a step gives another object, a finding, another time, or no gain.
    """
    if not lineage or lineage[0].id != object_id(k0) or lineage[0].parent is not None:
        raise ClaimError("the lineage does not begin with this K0")
    timed = timed_launches(capsules)
    rule, known = CommitRule(), examine(CodeObject.open(k0))
    data, declared = k0, frozenset[str]()
    first = times = _timings(device, data, timed, samples)
    _held(lineage[0], first, 1.0)
    for before, node in pairwise(lineage):
        if node.parent != before.id:
            raise ClaimError(f"node {node.id[:12]} does not come from the one before it")
        try:
            data = rebuild(apply(recover(CodeObject.open(data)), node.edits))
        except AsmEvoError as err:
            raise ClaimError(f"node {node.id[:12]} cannot be built: {err.one_line()}") from err
        if object_id(data) != node.id:
            raise ClaimError(f"the edits of node {node.id[:12]} give another object")
        declared |= declared_by(node.edits)
        findings = compare_objects(
            known, CodeObject.open(data), declared=declared, edited=(kernel,)
        ).findings
        if findings:
            raise ClaimError(f"node {node.id[:12]}: {findings[0].rule}: {findings[0].message}")
        after = _timings(device, data, timed, samples)
        decision = decide(rule, first, times, after)
        if decision.status != "accepted":
            raise ClaimError(f"node {node.id[:12]} is no gain: {decision.speedup:.5f}x")
        _held(node, after, speedup(first, after))
        times = after
    return data


def _timings(
    device: Device, data: bytes, timed: Sequence[Capsule], samples: int
) -> tuple[Timing, ...]:
    return tuple(device.time(data, capsule, samples) for capsule in timed)


def _held(node: Node, found: Sequence[Timing], gain: float) -> None:
    """Whether a node's recorded times are those that it has; measured ones never repeat."""
    if found[0].label != "modelled":
        return
    claimed = [t.centre for t in node.timings]
    here = [t.centre for t in found]
    same = len(claimed) == len(here) and all(
        abs(a - b) <= _SAME * b for a, b in zip(claimed, here, strict=True)
    )
    if not same or abs(node.speedup / gain - 1) > _SAME:
        raise ClaimError(
            f"the recorded times of node {node.id[:12]} are not those that it has",
            "the store was changed, or another version made it",
        )
