"""The search loop: ask the driver, send the proposal through the gates, record, tell the driver.

A run is a function of K0, the capsules, the device, the driver with its seed, and the budget. A
resumed run walks through the recorded attempts again without running them, so it ends where an
uninterrupted one would have ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asmevo.capsule.model import Capsule
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.program.cfg import blocks
from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.program.recover import recover
from asmevo.search.commit import CommitRule, speedup
from asmevo.search.driver import Driver
from asmevo.search.gates import Baseline, Candidate, GateVerdict, Oracle, Pipeline
from asmevo.search.memory import Failure, FailureMemory
from asmevo.search.profile import profile_node
from asmevo.search.store import Store
from asmevo.search.types import Node, Outcome, Proposal, object_id
from asmevo.search.windows import HotWindow, Profile, hot_windows
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig

INFRASTRUCTURE_LIMIT = 3
"""Environment faults in a row after which the run stops."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a run depends on.

    Attributes:
        k0: bytes of the original object.
        kernel: kernel name, None when the object has one kernel.
        capsules: launches to compare and time on, at least one.
        device: runs and times objects.
        driver: proposes.
        verify: how hard to test candidates.
        store: path of the run store.
        resume: go on with an existing store (one that does not exist yet is created).
        budget: attempts of the whole run, recorded ones included.
        samples: time samples per capsule and object.
        rule: the commit rule.
    """

    k0: bytes
    kernel: str | None
    capsules: tuple[Capsule, ...]
    device: Device
    driver: Driver
    store: Path
    resume: bool = False
    budget: int = 100
    samples: int = 5
    rule: CommitRule = field(default_factory=CommitRule)
    verify: VerifyConfig = field(default_factory=VerifyConfig)


@dataclass(frozen=True, slots=True)
class Progress:
    """One finished attempt, for whoever watches."""

    done: int
    budget: int
    outcome: Outcome
    best: Node
    replayed: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a run.

    Attributes:
        root: K0's node.
        best: the fastest accepted node (K0's when nothing was accepted).
        object: bytes of `best`.
        lineage: nodes from K0 to `best`.
        attempts: all outcomes in order.
        verdicts: verdict word -> number of attempts.
        rules: rule -> verdict word -> number of attempts.
        replayed: attempts taken over from an interrupted run.
        stopped: `budget` or `exhausted` (the driver had no more ideas).
    """

    root: Node
    best: Node
    object: bytes
    lineage: tuple[Node, ...]
    attempts: tuple[Outcome, ...]
    verdicts: dict[str, int]
    rules: dict[str, dict[str, int]]
    replayed: int
    stopped: str


class Search:
    """State of a run in memory; the `Context` that drivers see and the gates' `History`."""

    def __init__(self, config: Config, store: Store, kernel: str) -> None:
        self._config = config
        self._store = store
        self._kernel = kernel
        self._nodes: dict[str, Node] = {}
        self._programs: dict[str, Program] = {}
        self._profiles: dict[str, Profile] = {}
        self._attempted: set[tuple[str, str]] = set()
        self._objects: dict[str, str] = {}
        self.memory = FailureMemory()
        self.done = 0

    # --- Context ----------------------------------------------------------------------------
    @property
    def kernel(self) -> str:
        """Kernel name."""
        return self._kernel

    @property
    def root(self) -> Node:
        """K0's node."""
        return next(iter(self._nodes.values()))

    @property
    def best(self) -> Node:
        """The node with the largest speedup over K0; the earliest of equals."""
        return max(self._nodes.values(), key=lambda n: (n.speedup, -n.sequence))

    @property
    def nodes(self) -> Sequence[Node]:
        """All accepted nodes, K0 first."""
        return tuple(self._nodes.values())

    @property
    def remaining(self) -> int:
        """Attempts left in the budget."""
        return self._config.budget - self.done

    def program(self, node: str) -> Program:
        """The program of an accepted node, recovered from its stored bytes.

        Raises:
            InputError: there is no such node.
        """
        if node not in self._nodes:
            raise InputError(f"there is no accepted node {node[:12]}")
        if node not in self._programs:
            self._programs[node] = recover(CodeObject.open(self._store.blob(node)))
        return self._programs[node]

    def windows(self, node: str, limit: int = 8) -> Sequence[HotWindow]:
        """Hot windows of an accepted node, hottest first."""
        program = self.program(node)
        if node not in self._profiles:
            self._profiles[node] = profile_node(
                self._store.blob(node), program, self._config.capsules, self._config.device
            )
        function = program.function(self._kernel)
        return hot_windows(blocks(program, function), self._profiles[node], limit)

    def tried(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether this exact attempt is finished already."""
        return self.attempted(parent, Proposal(parent, tuple(edits)).edit)

    def failures(self, parent: str, edits: Sequence[Edit]) -> Sequence[Failure]:
        """Earlier failures of the same textual change at any node."""
        return self.memory.failures(self.program(parent), edits)

    def hopeless(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether the same textual change failed for a reason that other parents share."""
        return self.memory.hopeless(self.program(parent), edits)

    # --- History ----------------------------------------------------------------------------
    def attempted(self, parent: str, edit: str) -> bool:
        """Whether this attempt is finished already."""
        return (parent, edit) in self._attempted

    def known_object(self, id: str) -> str | None:
        """`node`, the verdict of an earlier attempt with these bytes, or None."""
        return "node" if id in self._nodes else self._objects.get(id)

    # --- growth -----------------------------------------------------------------------------
    def add_node(self, node: Node) -> None:
        """Take a node into the lineage."""
        self._nodes[node.id] = node

    def add(self, outcome: Outcome) -> None:
        """Take a finished attempt into account."""
        proposal = outcome.proposal
        self._attempted.add((proposal.parent, proposal.edit))
        if outcome.object is not None and outcome.status != "duplicate":
            self._objects.setdefault(outcome.object, outcome.status)
        self.memory.add(self.program(proposal.parent), outcome)
        self.done += 1


class Controller:
    """Runs one search.

    Args:
        config: the run.
        progress: called after every attempt, replayed ones included.
    """

    def __init__(self, config: Config, progress: Callable[[Progress], None] | None = None) -> None:
        if not config.capsules:
            raise InputError("a search needs at least one capsule", "give a launch description")
        if config.budget < 0:
            raise InputError(f"budget is {config.budget}", "give a number of attempts >= 0")
        self._config = config
        self._progress = progress

    def run(self) -> Report:
        """Search until the budget is used up or the driver has no more ideas.

        Raises:
            InputError: K0, a capsule, or the store does not fit the configuration.
            UnsupportedError: K0 needs something the device or the checker does not support.
            EnvironmentFault: the device or the store failed; a resumed run goes on.
        """
        config = self._config
        opened = CodeObject.open(config.k0)
        program = recover(opened)
        kernel = opened.kernel(config.kernel).name
        with self._store(kernel) as store:
            return self._search(store, opened, program, kernel)

    def _identity(self) -> dict[str, Any]:
        """What must be the same for a store to be resumed."""
        config = self._config
        return {
            "capsules": [c.digest() for c in config.capsules],
            "label": config.device.label,
            "rule": {"eps": config.rule.eps, "k": config.rule.k, "cv": config.rule.cv_limit},
            "samples": config.samples,
            "verify": config.verify.to_json(),
        }

    def _store(self, kernel: str) -> Store:
        config = self._config
        if config.resume and Store.holds_run(config.store):
            store = Store.open(config.store)
            facts = store.run
            wanted = {
                "k0": object_id(config.k0),
                "kernel": kernel,
                "driver": config.driver.name,
                "seed": config.driver.seed,
                "config": self._identity(),
            }
            for name, value in wanted.items():
                if facts[name] != value:
                    store.close()
                    raise InputError(
                        f"run store {config.store} was made with another {name}",
                        "resume with the options of the first run, or use another store",
                    )
            return store
        return Store.create(
            config.store,
            k0=config.k0,
            kernel=kernel,
            driver=config.driver.name,
            seed=config.driver.seed,
            config=self._identity(),
        )

    def _search(self, store: Store, opened: CodeObject, program: Program, kernel: str) -> Report:
        config = self._config
        state = Search(config, store, kernel)
        findings = check_program(program, kernel)
        oracle = DifferentialOracle(config.k0, config.device, config.verify)
        root = self._root(store, oracle)
        state.add_node(root)
        baseline = Baseline(
            config.k0,
            opened,
            program,
            kernel,
            findings,
            config.capsules,
            oracle,
            config.device,
            config.samples,
            root.timings,
            config.rule,
            state,
            {root.id: root.timings},
        )
        pipeline = Pipeline(baseline)
        replayed = self._replay(store, state, baseline)
        stopped = "budget"
        faults = 0
        while state.done < config.budget:
            proposal = config.driver.ask(state)
            if proposal is None:
                stopped = "exhausted"
                break
            start = time.perf_counter()
            candidate = Candidate(
                proposal, self._parent(state, proposal), state.program(proposal.parent)
            )
            try:
                verdict = pipeline.judge(candidate)
                faults = 0
            except AsmEvoError as err:
                if err.status != "infrastructure_error":
                    raise
                faults += 1
                if faults >= INFRASTRUCTURE_LIMIT:
                    raise
                verdict = GateVerdict("infrastructure_error", "", err.one_line())
            outcome = self._record(
                store, state, baseline, candidate, verdict, time.perf_counter() - start
            )
            self._tell(state, outcome, replayed=False)
        best = state.best
        attempts = tuple(store.attempts())[: state.done]
        return Report(
            root,
            best,
            store.blob(best.id),
            tuple(store.lineage(best.id)),
            attempts,
            dict(Counter(o.status for o in attempts)),
            state.memory.verdicts(),
            replayed,
            stopped,
        )

    @staticmethod
    def _parent(state: Search, proposal: Proposal) -> Node:
        for node in state.nodes:
            if node.id == proposal.parent:
                return node
        raise InputError(
            f"the driver proposed an edit of {proposal.parent[:12]}, which is no accepted node"
        )

    def _root(self, store: Store, oracle: Oracle) -> Node:
        config = self._config
        for node in store.nodes():
            if node.parent is None:
                return node
        # K0 must reproduce its own results before anything is compared with them.
        own = oracle.verify(config.k0, config.capsules)
        if not own.ok:
            kind = UnsupportedError if own.status == "unsupported" else InputError
            raise kind(
                f"the original kernel is no usable reference: {own.reason}",
                "check the launch description; races and undefined inputs are usual causes",
            )
        timings = tuple(config.device.time(config.k0, c, config.samples) for c in config.capsules)
        node = Node(object_id(config.k0), None, (), timings, "original", 0, -1, 1.0)
        store.record_root(node)
        return node

    def _replay(self, store: Store, state: Search, baseline: Baseline) -> int:
        driver = self._config.driver
        recorded = store.attempts()[: self._config.budget]
        nodes = {n.sequence: n for n in store.nodes()}
        for outcome in recorded:
            if driver.deterministic:
                again = driver.ask(state)
                wanted = (outcome.proposal.parent, outcome.proposal.edit)
                if again is None or (again.parent, again.edit) != wanted:
                    raise InputError(
                        f"driver {driver.name} does not repeat attempt {outcome.sequence} of "
                        f"{store.path}",
                        "the store was made by another version; start a new one",
                    )
            node = nodes.get(outcome.sequence)
            if node is not None:
                state.add_node(node)
                baseline.node_timings[node.id] = node.timings
            state.add(outcome)
            self._tell(state, outcome, replayed=True)
        return len(recorded)

    def _record(
        self,
        store: Store,
        state: Search,
        baseline: Baseline,
        candidate: Candidate,
        verdict: GateVerdict,
        seconds: float,
    ) -> Outcome:
        config = self._config
        node: Node | None = None
        data = candidate.object
        if verdict.status == "accepted":
            assert data is not None, "accepted without an object"
            assert candidate.evidence is not None, "accepted without a comparison"
            node = Node(
                object_id(data),
                candidate.parent.id,
                candidate.proposal.edits,
                candidate.timings,
                candidate.evidence,
                candidate.parent.depth + 1,
                state.done,
                speedup(baseline.k0_timings, candidate.timings),
            )
        outcome = Outcome(
            state.done,
            candidate.proposal,
            verdict.status,
            verdict.gate,
            verdict.reason,
            node.id if node else None,
            candidate.decision.speedup if candidate.decision else None,
            sum(t.centre for t in candidate.timings) if candidate.timings else None,
            verdict.data,
            seconds,
            object_id(data) if data is not None else None,
        )
        store.record(outcome, config.driver.name, node, data if node else None)
        if node is not None:
            state.add_node(node)
            baseline.node_timings[node.id] = node.timings
        state.add(outcome)
        return outcome

    def _tell(self, state: Search, outcome: Outcome, *, replayed: bool) -> None:
        config = self._config
        config.driver.tell(outcome)
        if self._progress is not None:
            self._progress(Progress(state.done, config.budget, outcome, state.best, replayed))
