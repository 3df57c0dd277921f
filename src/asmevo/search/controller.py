"""The search loop: ask the driver, send the proposal through the gates, record, tell the driver.

A run is a function of K0, the capsules, the device, the driver with its seed, and the budget. A
resumed run walks through the recorded attempts again without running them, so it ends where an
uninterrupted one would have ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from asmevo.capsule.model import Capsule, timed_launches
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.program.cfg import blocks
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program
from asmevo.program.rebuild import rebuild
from asmevo.search.bench import Bench, Oracle, Problem
from asmevo.search.commit import CommitRule, speedup
from asmevo.search.driver import Driver, KeepsJournal
from asmevo.search.judge import Judgement, Task, judge
from asmevo.search.memory import Failure, FailureMemory
from asmevo.search.profile import profile_node
from asmevo.search.proof import proved_steps
from asmevo.search.store import SqliteStore, Store
from asmevo.search.types import Attempt, Node, Proposal, declared_by, edit_id, object_id
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
        capsules: launches to compare on, at least one; those that are `timed` give the speed.
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
    attempt: Attempt
    best: Node
    replayed: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a run.

    Attributes:
        kernel: the kernel's name.
        root: K0's node.
        best: the fastest accepted node (K0's when nothing was accepted).
        object: bytes of `best`.
        lineage: nodes from K0 to `best`.
        objects: their bytes.
        attempts: all outcomes in order.
        verdicts: verdict word -> number of attempts.
        rules: rule -> verdict word -> number of attempts.
        replayed: attempts taken over from an interrupted run.
        stopped: `budget`, `exhausted` (the driver had no more ideas), or `interrupted` (Ctrl-C:
            what was accepted until then counts).
    """

    kernel: str
    root: Node
    best: Node
    object: bytes
    lineage: tuple[Node, ...]
    objects: tuple[bytes, ...]
    attempts: tuple[Attempt, ...]
    verdicts: dict[str, int]
    rules: dict[str, dict[str, int]]
    replayed: int
    stopped: str

    def proved(self) -> SearchResult:
        """The same run with the evidence of a proof at each step of the lineage that has one."""
        if self.best.parent is None:
            return self
        steps = proved_steps(self.kernel, self.lineage, self.objects)
        return replace(self, best=steps[-1], lineage=steps)

    def parent(self) -> SearchResult:
        """The same run with the parent of `best` in its place.

        Raises:
            InputError: `best` is K0's node.
        """
        if len(self.lineage) < 2:
            raise InputError("K0 has no parent")
        return replace(
            self,
            best=self.lineage[-2],
            object=self.objects[-2],
            lineage=self.lineage[:-1],
            objects=self.objects[:-1],
        )


class Search:
    """State of a run in memory; the `Context` that drivers see and the gates' `judge's tasks."""

    def __init__(self, config: Config, store: Store, bench: Bench) -> None:
        self._config = config
        self._store = store
        self._bench = bench
        self._nodes: dict[str, Node] = {}
        self._contents: dict[str, bytes] = {}
        self._profiles: dict[str, Profile] = {}
        self._finished: list[Attempt] = []
        self._attempted: dict[str, set[str]] = {}
        self._objects: dict[str, str] = {}
        self.memory = FailureMemory()
        self.done = 0

    # --- Context ----------------------------------------------------------------------------
    @property
    def kernel(self) -> str:
        """Kernel name."""
        return self._bench.problem.kernel

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
        return self._bench.program_of(self.object(node))

    def object(self, node: str) -> bytes:
        """The bytes of an accepted node.

        Raises:
            InputError: there is no such node.
        """
        if node not in self._contents:
            self._contents[node] = self._store.blob(self.node(node).id)
        return self._contents[node]

    @property
    def attempts(self) -> Sequence[Attempt]:
        """All finished attempts, in order."""
        return tuple(self._finished)

    @property
    def launches(self) -> Sequence[Capsule]:
        """The launches that are timed."""
        return self._bench.problem.timed

    def windows(self, node: str, limit: int = 8) -> Sequence[HotWindow]:
        """Hot windows of an accepted node, hottest first."""
        program = self.program(node)
        function = program.function(self.kernel)
        return hot_windows(blocks(program, function), self.profile(node), limit)

    def profile(self, node: str) -> Profile:
        """Cost of every instruction of an accepted node's program."""
        if node not in self._profiles:
            self._profiles[node] = profile_node(
                self.object(node), self.program(node), self._config.capsules, self._config.device
            )
        return self._profiles[node]

    def weigh(self, attempt: Attempt) -> tuple[Program, Profile]:
        """Program and profile of a finished attempt that was estimated or timed.

        Raises:
            InputError: it did not.
        """
        if attempt.node is not None:
            return self.program(attempt.node), self.profile(attempt.node)
        if attempt.speedup is None:
            raise InputError("only what was timed or estimated has a profile")
        parent = self.program(attempt.proposal.parent)
        data = rebuild(apply(parent, attempt.proposal.edits))
        program = self._bench.program_of(data)
        weighed = profile_node(data, program, self._config.capsules, self._config.device)
        return program, weighed

    def tried(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether this exact attempt is finished already."""
        return edit_id(edits) in self._attempted.get(parent, ())

    def failures(self, parent: str, edits: Sequence[Edit]) -> Sequence[Failure]:
        """Earlier failures of the same textual change at any node."""
        return self.memory.failures(self.program(parent), edits)

    def hopeless(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether the same textual change failed for a reason that other parents share."""
        return self.memory.hopeless(self.program(parent), edits)

    # --- the judge ---------------------------------------------------------------------------
    def node(self, id: str) -> Node:
        """An accepted node.

        Raises:
            InputError: there is none with this identity.
        """
        if id not in self._nodes:
            raise InputError(f"{id[:12]} is no accepted node")
        return self._nodes[id]

    def task(self, proposal: Proposal) -> Task:
        """The proposal as a task for the judge.

        Raises:
            InputError: the proposal's parent is no accepted node.
        """
        if proposal.parent not in self._nodes:
            raise InputError(
                f"the driver proposed an edit of {proposal.parent[:12]}, which is no accepted node"
            )
        return Task(
            self._bench.problem,
            self.object(proposal.parent),
            self._nodes[proposal.parent].timings,
            proposal.edits,
            frozenset(self._attempted.get(proposal.parent, ())),
            {**self._objects, **dict.fromkeys(self._nodes, "node")},
            self.declared(proposal.parent),
        )

    def declared(self, node: str) -> frozenset[str]:
        """Descriptor fields that the edits from K0 to `node` declared."""
        names: frozenset[str] = frozenset()
        at: str | None = node
        while at is not None:
            names |= declared_by(self._nodes[at].edits)
            at = self._nodes[at].parent
        return names

    # --- growth -----------------------------------------------------------------------------
    def add_node(self, node: Node) -> None:
        """Take a node into the lineage."""
        self._nodes[node.id] = node

    def add(self, attempt: Attempt) -> None:
        """Take a finished attempt into account."""
        proposal = attempt.proposal
        self._attempted.setdefault(proposal.parent, set()).add(proposal.edit)
        if attempt.object is not None and attempt.status != "duplicate":
            self._objects.setdefault(attempt.object, attempt.status)
        self._finished.append(attempt)
        self.memory.add(self.program(proposal.parent), attempt)
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

    def run(self) -> SearchResult:
        """Search until the budget is used up or the driver has no more ideas.

        Raises:
            InputError: K0, a capsule, or the store does not fit the configuration.
            UnsupportedError: K0 needs something the device or the checker does not support.
            EnvironmentFault: the device or the store failed; a resumed run goes on.
        """
        config = self._config
        kernel = CodeObject.open(config.k0).kernel(config.kernel).name
        with self._store(kernel) as store:
            return self._search(store, kernel)

    def _identity(self) -> dict[str, Any]:
        """What must be the same for a store to be resumed."""
        config = self._config
        return {
            "capsules": [c.digest() for c in config.capsules],
            "label": config.device.label,
            "device": config.device.name,
            "rule": {"eps": config.rule.eps, "k": config.rule.k, "cv": config.rule.cv_limit},
            "samples": config.samples,
            "verify": config.verify.to_json(),
        }

    def _store(self, kernel: str) -> Store:
        config = self._config
        if config.resume and SqliteStore.holds_run(config.store):
            store = SqliteStore.open(config.store)
            facts = store.run
            wanted = {
                "k0": object_id(config.k0),
                "kernel": kernel,
                "driver": config.driver.name,
                "seed": config.driver.seed,
                "config": self._identity(),
            }
            for name, value in wanted.items():
                if getattr(facts, name) != value:
                    store.close()
                    raise InputError(
                        f"run store {config.store} was made with another {name}",
                        "resume with the options of the first run, or use another store",
                    )
            return store
        return SqliteStore.create(
            config.store,
            k0=config.k0,
            kernel=kernel,
            driver=config.driver.name,
            seed=config.driver.seed,
            config=self._identity(),
        )

    def _search(self, store: Store, kernel: str) -> SearchResult:
        config = self._config
        oracle = DifferentialOracle(config.k0, config.device, config.verify)
        root = self._root(store, oracle)
        problem = Problem(
            config.k0,
            kernel,
            config.capsules,
            config.device.recipe,
            config.verify,
            config.samples,
            config.rule,
            root.timings,
        )
        bench = Bench(problem, config.device, oracle)
        bench.prepare()
        state = Search(config, store, bench)
        state.add_node(root)
        if isinstance(config.driver, KeepsJournal):
            config.driver.attach(store)
        replayed = self._replay(store, state)
        stopped = "budget"
        faults = 0
        try:
            while state.done < config.budget:
                proposal = config.driver.ask(state)
                if proposal is None:
                    stopped = "exhausted"
                    break
                start = time.perf_counter()
                try:
                    judgement = judge(state.task(proposal), bench)
                    faults = 0
                except AsmEvoError as err:
                    if err.status != "infrastructure_error":
                        raise
                    faults += 1
                    if faults >= INFRASTRUCTURE_LIMIT:
                        raise
                    judgement = Judgement("infrastructure_error", "", err.one_line())
                seconds = time.perf_counter() - start
                attempt = self._record(store, state, proposal, judgement, seconds)
                self._tell(state, attempt, replayed=False)
        except KeyboardInterrupt:
            # A half-finished attempt was not recorded; what is recorded is whole.
            stopped = "interrupted"
        best = state.best
        attempts = tuple(store.attempts())[: state.done]
        lineage = tuple(store.lineage(best.id))
        return SearchResult(
            kernel,
            root,
            best,
            store.blob(best.id),
            lineage,
            tuple(store.blob(n.id) for n in lineage),
            attempts,
            dict(Counter(o.status for o in attempts)),
            state.memory.verdicts(),
            replayed,
            stopped,
        )

    def _root(self, store: Store, oracle: Oracle) -> Node:
        config = self._config
        for node in store.nodes():
            if node.parent is None:
                return node
        # K0 must reproduce its own results before anything is compared with them.
        own = oracle.verify_reference(config.capsules)
        if not own.ok:
            kind = UnsupportedError if own.status == "unsupported" else InputError
            raise kind(
                f"the original kernel is no usable reference: {own.reason}",
                "check the launch description; races and undefined inputs are usual causes",
            )
        timed = timed_launches(config.capsules)
        timings = tuple(config.device.time(config.k0, c, config.samples) for c in timed)
        node = Node(object_id(config.k0), None, (), timings, "original", 0, -1, 1.0)
        store.record_root(node)
        return node

    def _replay(self, store: Store, state: Search) -> int:
        driver = self._config.driver
        recorded = store.attempts()[: self._config.budget]
        nodes = {n.sequence: n for n in store.nodes()}
        for attempt in recorded:
            if driver.deterministic:
                again = driver.ask(state)
                wanted = (attempt.proposal.parent, attempt.proposal.edit)
                if again is None or (again.parent, again.edit) != wanted:
                    raise InputError(
                        f"driver {driver.name} does not repeat attempt {attempt.sequence} of "
                        f"{store.name}",
                        "the store was made by another version; start a new one",
                    )
            node = nodes.get(attempt.sequence)
            if node is not None:
                state.add_node(node)
            state.add(attempt)
            self._tell(state, attempt, replayed=True)
        return len(recorded)

    def _record(
        self, store: Store, state: Search, proposal: Proposal, judgement: Judgement, seconds: float
    ) -> Attempt:
        node: Node | None = None
        data = judgement.object
        if judgement.status == "accepted":
            assert data is not None, "accepted without an object"
            assert judgement.evidence is not None, "accepted without a comparison"
            node = Node(
                object_id(data),
                proposal.parent,
                proposal.edits,
                judgement.timings,
                judgement.evidence,
                state.node(proposal.parent).depth + 1,
                state.done,
                speedup(state.root.timings, judgement.timings),
            )
        attempt = Attempt(
            state.done,
            proposal,
            judgement.status,
            judgement.gate,
            judgement.reason,
            node.id if node else None,
            judgement.speedup,
            sum(t.centre for t in judgement.timings) if judgement.timings else None,
            judgement.data,
            seconds,
            object_id(data) if data is not None else None,
            judgement.passed,
        )
        store.record(attempt, self._config.driver.name, node, data if node else None)
        if node is not None:
            state.add_node(node)
        state.add(attempt)
        return attempt

    def _tell(self, state: Search, attempt: Attempt, *, replayed: bool) -> None:
        config = self._config
        config.driver.tell(attempt)
        if self._progress is not None:
            self._progress(Progress(state.done, config.budget, attempt, state.best, replayed))
