"""Search for a faster object that behaves like the original."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from asmevo.api.agent.claims import recheck
from asmevo.api.agent.proposers import Agent, proposer
from asmevo.api.objects import (
    LaunchLike,
    MachineLike,
    Object,
    ObjectLike,
    Progress,
    Sizes,
    emulated,
    idle_notes,
    launch_notes,
    launches,
    open,
)
from asmevo.api.results import Result
from asmevo.api.verification import FINAL_VARIATIONS, code_coverage, watch
from asmevo.capsule.model import Capsule, timed_launches
from asmevo.deliver.bundle import pack
from asmevo.device.protocol import Timing
from asmevo.drivers.templates import checked_folders
from asmevo.errors import InputError
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.search.commit import CommitRule
from asmevo.search.controller import Config, Controller, SearchResult
from asmevo.search.controller import Progress as SearchProgress
from asmevo.search.driver import Driver
from asmevo.search.types import edit_to_row
from asmevo.verify.coverage import judge_changes
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig
from asmevo.wording import counted

SCHEMA = "asmevo/optimize/1"


# With the launch's own order three in all: waves meet either way round, and in turns.
SEARCH_ORDERS = ("shuffle:1", "interleave:50")


@runtime_checkable
class Reporting(Protocol):
    """A driver that says what it did and spent."""

    def report(self) -> dict[str, Any]:
        """Plain values for the record."""
        ...


@contextmanager
def closing_driver(driver: Driver) -> Generator[None]:
    """End whatever a driver started, however the search ends."""
    try:
        yield
    finally:
        close = getattr(driver, "close", None)
        if close is not None:
            close()


@dataclass(frozen=True, slots=True, eq=False)
class Optimization(Result):
    """Result of `optimize`; `data` is the record of the run.

    Attributes:
        original: K0.
        object: bytes of the fastest accepted object, or None when none was faster.
        search: nodes and attempts in full.
        interrupted: Ctrl-C ended the search; what was accepted until then is the result.
        launches: what candidates were compared on.
        verification: options of the winner's last verification.
    """

    original: Object
    object: bytes | None
    search: SearchResult
    interrupted: bool
    launches: tuple[Capsule, ...]
    verification: VerifyConfig


def optimize(
    original: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    budget: int = 200,
    seed: int = 0,
    driver: str = "rules",
    store: str | Path | None = None,
    resume: bool = False,
    exact: bool = False,
    schedules: tuple[str, ...] = (),
    allow_untested: bool = False,
    agent: Agent | None = None,
    machine: MachineLike | None = None,
    templates: Sequence[str | Path] = (),
    progress: Progress | None = None,
) -> Optimization:
    """Search edits of a kernel, each through every gate, and verify the winner once more.

    A KeyboardInterrupt ends the search early and is no error: see `Optimization.interrupted`.

    Args:
        original: K0, the only oracle.
        launch, kernel, sizes, input_seed: see `launches`. Size variants test candidates and are
            not timed.
        budget: attempts.
        seed, driver: who proposes: a name, `external:CMD`, or `llm` (see `agent`).
        store: path of the run store (SQLite), kept for `resume`; a temporary one if None.
        resume: go on with the run in `store`.
        exact, schedules: accept bit-equal results only; further wave orders to test.
        allow_untested: accept edits of code that no launch executes.
        agent: how the driver `llm` works.
        machine: see `machine_of`.
        templates: folders of further template files (docs/search.md).
        progress: told (attempts, budget, news).

    Raises:
        InputError: bad options, object or launch description.
        UnsupportedError: the kernel needs something that is not supported.
        EnvironmentFault: the store cannot be written.
    """
    opened = open(original)
    _require_store(store, resume)
    capsules = launches(opened, launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
    notes = launch_notes(opened, launch, kernel)
    config = VerifyConfig(
        exact=exact, schedules=schedules or SEARCH_ORDERS, allow_untested=allow_untested
    )
    folders = checked_folders(opened.code.target, templates)
    device = emulated(progress, machine)
    modelled = device.machine(opened.data, kernel if kernel is not None else capsules[0].kernel)

    def show(p: SearchProgress) -> None:
        if progress is not None:
            news = f"{p.attempt.status}, best {p.best.speedup:.4f}x modelled"
            progress(p.done, p.budget, news)

    who = proposer(driver, seed, budget, agent, folders)
    with closing_driver(who), tempfile.TemporaryDirectory(prefix="asmevo-") as scratch:
        place = Path(store) if store is not None else Path(scratch) / "run.db"
        search = Config(
            opened.data, kernel, capsules, device, who, place,
            resume, budget, verify=config,
        )  # fmt: skip
        result = Controller(search, show).run()
    name = opened.code.kernel(kernel if kernel is not None else capsules[0].kernel).name
    labels = [c.label for c in timed_launches(capsules)]
    if not who.deterministic and result.best.parent is not None:
        # Its proposer may have had the store in hand: nothing but the edits is believed.
        recheck(opened.data, name, result.lineage, capsules, emulated(None, machine))
    final = final_config(config)
    result, refused, evidence = _settled(opened, result, capsules, final)
    record = _record(opened, name, who.name, seed, budget, result, labels)
    record["launch_notes"] = [*notes, *idle_notes(opened, timed_launches(capsules), machine)]
    record["machine"] = modelled.to_json()
    if isinstance(who, Reporting):
        record["agent"] = who.report()
    record["growth"] = recover(opened.code).growth_refused or "allowed"
    record["refused"] = refused
    if found := evidence is not None:
        record["evidence"] = evidence
    return Optimization(
        found,
        "accepted" if found else "insufficient_speedup",
        _reason(result, refused, evidence),
        record,
        opened,
        result.object if found else None,
        result,
        result.stopped == "interrupted",
        tuple(capsules),
        final,
    )


def _require_store(store: str | Path | None, resume: bool) -> None:
    if resume and store is None:
        raise InputError("--resume needs the run store", "give --store as in the first run")
    if store is not None and Path(store).exists() and not Path(store).is_file():
        raise InputError(f"{store} is no file, so no run store", "give the name of a file")


def evidence_bundle(result: Optimization) -> bytes:
    """The evidence bundle of an accepted object, as the bytes of a file; see `audit`.

    Raises:
        InputError: nothing was accepted.
    """
    if result.object is None:
        raise InputError("nothing was accepted, so there is no evidence", result.reason)
    return pack(
        result.original.data,
        result.object,
        result.search.lineage,
        result.launches,
        result.data,
        rule=asdict(CommitRule()),
        verify=result.verification.to_json(),
    )


def final_config(config: VerifyConfig) -> VerifyConfig:
    """Options of the winner's last verification: other junk and orders, exact arithmetic."""
    return VerifyConfig(
        poison_seed=config.poison_seed + 1,
        exact=config.exact,
        schedules=config.schedules or ("shuffle:1",),
        matrix="exact",
        allow_untested=config.allow_untested,
        variation_limit=FINAL_VARIATIONS,
    )


class FailedAgain(InputError):
    """An accepted object that its last verification refuses; `why` is the reason alone."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the winner failed its final verification: {why}",
            "the launch description leaves something undefined; nothing was written",
        )
        self.why = why


def _reason(
    result: SearchResult, refused: Sequence[dict[str, Any]], evidence: dict[str, Any] | None
) -> str:
    """The result in a line."""
    reason = "no accepted edit; no object written"
    if evidence is not None:
        reason = f"{result.best.speedup:.4f}x {result.root.label}"
    if refused:
        what = f"{counted(len(refused), 'accepted object')} failed its final verification"
        reason = f"{reason}; {what}: {refused[0]['reason']}"
    if evidence is not None and evidence["untested"]["text"]:
        reason += f"; untested changes allowed: {evidence['untested']['text']}"
    return reason


def _settled(
    opened: Object, result: SearchResult, capsules: Sequence[Capsule], final: VerifyConfig
) -> tuple[SearchResult, list[dict[str, Any]], dict[str, Any] | None]:
    """The run with the fastest object of its lineage that passes the last verification as `best`.

    Returns:
        That; what was refused on the way, fastest first; the evidence, None where only K0 is left.
    """
    refused: list[dict[str, Any]] = []
    while result.best.parent is not None:
        try:
            found = verify_again(opened, result.object, capsules, final)
            return result.proved(), refused, found
        except FailedAgain as error:
            best = result.best
            refused.append({"node": best.id, "speedup": best.speedup, "reason": error.why})
            result = result.parent()
    return result, refused, None


def verify_again(
    opened: Object, winner: bytes, capsules: Sequence[Capsule], final: VerifyConfig
) -> dict[str, Any]:
    """Judge the winner from scratch, on a device without history.

    Raises:
        FailedAgain: it is refused.
    """
    device = emulated()
    again = DifferentialOracle(opened.data, device, final).verify(winner, capsules)
    again, missed = judge_changes(
        again, device.program(opened.data), device.program(winner), allowed=final.allow_untested
    )
    again, _ = watch(again, opened.data, winner, capsules, device, final)
    if not again.ok:
        raise FailedAgain(again.reason)
    record = evidence(again, opened.data, winner, capsules, device, final)
    return {
        **record,
        "coverage": code_coverage(again, device.program(winner)),
        "untested": missed.to_json(),
    }


def _mean(timings: Sequence[Timing]) -> float:
    """Geometric mean of the timed launches; a ratio of two is the headline's speedup."""
    if len(timings) == 1:
        return timings[0].centre
    return math.exp(sum(math.log(t.centre) for t in timings) / len(timings))


def _record(
    opened: Object,
    kernel: str,
    driver: str,
    seed: int,
    budget: int,
    result: SearchResult,
    labels: list[str],
) -> dict[str, Any]:
    best, root = result.best, result.root
    return {
        "schema": SCHEMA,
        "kernel": kernel,
        "target": opened.target,
        "k0": root.id,
        "k1": best.id if best.parent is not None else None,
        "label": root.label,
        "unit": root.unit,
        "k0_time": _mean(root.timings),
        "k1_time": _mean(best.timings),
        "speedup": best.speedup,
        "launches": [
            {
                "label": label,
                "k0": before.centre,
                "k1": after.centre,
                "speedup": before.centre / after.centre,
            }
            for label, before, after in zip(labels, root.timings, best.timings, strict=True)
        ],
        "band": root.timings[0].band,
        "validation_class": root.timings[0].validation_class,
        "speedup_band": root.timings[0].difference_band,
        "speedup_class": root.timings[0].difference_class,
        "evidence_class": best.evidence,
        "driver": driver,
        "seed": seed,
        "budget": budget,
        "attempts": len(result.attempts),
        "replayed": result.replayed,
        "stopped": result.stopped,
        "verdicts": result.verdicts,
        "rules": result.rules,
        "lineage": [
            {
                "node": n.id,
                "parent": n.parent,
                "sequence": n.sequence,
                "time": _mean(n.timings),
                "speedup": n.speedup,
                "evidence_class": n.evidence,
                "edits": [edit_to_row(e) for e in n.edits],
            }
            for n in result.lineage
        ],
        "attempt_log": [
            {
                "sequence": o.sequence,
                "parent": o.proposal.parent,
                "rule": o.proposal.rule,
                "status": o.status,
                "gate": o.gate,
                "reason": o.reason,
                "speedup": o.speedup,
            }
            for o in result.attempts
        ],
    }


def _replaced(program: Program, edit: Edit) -> list[str]:
    """The lines that an edit takes away.

    A label in front of them stays where it is, whatever follows it, unless the edit moves it.
    """
    lines = program.listing(edit.first, edit.last)
    label = program.labels.get(edit.first)
    kept = label is not None and edit.first < edit.last and f"{label}:" not in edit.lines
    return lines[1:] if kept else lines


def before_after(
    result: Optimization,
) -> tuple[list[dict[str, Any]], tuple[list[str], list[str]]]:
    """Per accepted step the edited lines before and after, and the whole code of K0 and K1."""
    program = recover(result.original.code)
    original = program.listing(0, len(program.instructions))
    steps: list[dict[str, Any]] = []
    for node in result.search.lineage:
        if node.parent is None:
            continue
        edits = [
            {
                "note": e.note,
                "first": e.first,
                "before": _replaced(program, e),
                "after": list(e.lines),
            }
            for e in node.edits
        ]
        steps.append(
            {
                "sequence": node.sequence,
                "speedup": node.speedup,
                "evidence": node.evidence,
                "edits": edits,
            }
        )
        program = apply(program, node.edits)
    return steps, (original, program.listing(0, len(program.instructions)))
