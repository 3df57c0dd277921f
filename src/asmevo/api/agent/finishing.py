"""The end of a run that somebody else drove: judge its winner from K0, and believe nothing else.

Whoever drives a run may have had the store in hand. So what is delivered rests on K0 and the
launch that the user gives, and on the edits: every step is built again from the one before, held
against the static rules, timed again and put to the commit rule, and the winner is run beside K0
once more. Recorded times, speedups, evidence and objects are claims, and one that does not hold
ends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asmevo.api.agent.claims import recheck
from asmevo.api.objects import LaunchLike, ObjectLike, Progress, Sizes, emulated, launches, open
from asmevo.api.optimization import SEARCH_ORDERS, FailedAgain, final_config, verify_again
from asmevo.api.results import Result
from asmevo.errors import InputError
from asmevo.search.store import SqliteReader
from asmevo.search.types import object_id
from asmevo.verify.report import VerifyConfig
from asmevo.wording import counted


@dataclass(frozen=True, slots=True, eq=False)
class Finished(Result):
    """Result of `finish`; `object` is the winner's bytes, or None when nothing was accepted."""

    object: bytes | None


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
    options = final_config(VerifyConfig(exact=exact, schedules=SEARCH_ORDERS))
    refused: list[str] = []
    while True:
        winner = recheck(opened.data, name, lineage, capsules, emulated(progress))
        try:
            evidence = verify_again(opened, winner, capsules, options)
            break
        except FailedAgain as error:
            refused.append(error.why)
            lineage = lineage[:-1]
        if len(lineage) < 2:
            reason = f"all of {counted(len(refused), 'accepted object')} failed the final "
            return Finished(False, "divergent", reason + f"verification: {refused[0]}", data, None)
    best, label = lineage[-1], best.label
    reason = f"{best.speedup:.4f}x {label}"
    if refused:
        what = f"{counted(len(refused), 'faster object')} failed the final verification"
        reason = f"{reason}; {what}: {refused[0]}"
    data |= {
        "k1": best.id,
        "speedup": best.speedup,
        "label": label,
        "evidence": evidence,
        "lineage": [{"node": n.id, "speedup": n.speedup, "edits": len(n.edits)} for n in lineage],
    }
    return Finished(True, "accepted", reason, data, winner)
