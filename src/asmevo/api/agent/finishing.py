"""The end of a run that somebody else drove: judge its winner from K0, and believe nothing else.

Whoever drives a run may have had the store in hand. So what is delivered rests on K0 and the
launch that the user gives, and on the edits: every step is built again from the one before, held
against the static rules, timed again and put to the commit rule, and the winner is run beside K0
once more. Recorded times, speedups, evidence and objects are claims, and one that does not hold
ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from asmevo.api.objects import LaunchLike, ObjectLike, Progress, Sizes, emulated, launches, open
from asmevo.api.optimization import SEARCH_ORDERS, final_config, verify_again
from asmevo.api.results import Result
from asmevo.capsule.model import Capsule, timed_launches
from asmevo.check.comparison import compare_objects, examine
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device, Timing
from asmevo.errors import AsmEvoError, InputError
from asmevo.program.edit import apply
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover
from asmevo.search.commit import CommitRule, decide, speedup
from asmevo.search.store import SqliteReader
from asmevo.search.types import Node, object_id
from asmevo.verify.report import VerifyConfig

_SAME = 1e-9  # modelled times repeat exactly; the factor allows for rounding
_SAMPLES = 5


class ClaimError(InputError):
    """A record of a run does not hold: the store was changed, or another version made it."""

    status = "divergent"
    exit_code = 1


@dataclass(frozen=True, slots=True, eq=False)
class Finished(Result):
    """Result of `finish`; `object` is the winner's bytes, or None when nothing was accepted."""

    object: bytes | None


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
    data = k0
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
        findings = compare_objects(known, CodeObject.open(data), edited=(kernel,)).findings
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


def finish(
    store: str | Path,
    original: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    exact: bool = False,
    progress: Progress | None = None,
) -> Finished:
    """The winner of a run, judged again from K0 and nothing of the store but its edits.

    Args:
        store: path of the run store.
        original, launch, kernel, sizes, input_seed: what the run was begun with.
        exact: ask for bit-equal results.
        progress: told when helpers compile.

    Raises:
        ClaimError: what the store says does not hold.
        InputError: no such run, or it is of another object.
    """
    opened = open(original)
    capsules = launches(opened, launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
    with SqliteReader.open(Path(store)) as reader, reader.snapshot():
        run, nodes = reader.run, reader.nodes()
        if run.k0 != object_id(opened.data):
            raise InputError(
                f"{store} is a run of another object", "give the object it was made of"
            )
        best = max(nodes, key=lambda n: (n.speedup, -n.sequence)) if nodes else None
        lineage = reader.lineage(best.id) if best is not None else []
        attempts, journal = reader.attempt_count(), len(reader.journal())
    name = opened.code.kernel(kernel if kernel is not None else capsules[0].kernel).name
    data: dict[str, Any] = {
        "kernel": name,
        "target": opened.target,
        "k0": run.k0,
        "attempts": attempts,
        "journal": journal,
        "k1": None,
        "speedup": 1.0,
        "lineage": [],
    }
    if best is None or best.parent is None:
        return Finished(False, "insufficient_speedup", "nothing was accepted", data, None)
    winner = recheck(opened.data, name, lineage, capsules, emulated(progress))
    options = final_config(VerifyConfig(exact=exact, schedules=SEARCH_ORDERS))
    evidence = verify_again(opened, winner, capsules, options)
    label = best.label
    data |= {
        "k1": best.id,
        "speedup": best.speedup,
        "label": label,
        "evidence": evidence,
        "lineage": [{"node": n.id, "speedup": n.speedup, "edits": len(n.edits)} for n in lineage],
    }
    return Finished(True, "accepted", f"{best.speedup:.4f}x {label}", data, winner)
