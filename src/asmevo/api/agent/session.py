"""A session: a run whose proposals come from outside, one call after the other.

`Session` holds a run open (the MCP server does); `ask` and `tell` open it for one call each, so
that programs which drive the loop themselves need keep nothing but the path of the store. All
three go through the controller: the same gates, the same commit, the same store.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from asmevo.api.objects import LaunchLike, ObjectLike, Progress, Sizes, emulated, launches, open
from asmevo.api.optimization import SEARCH_ORDERS
from asmevo.api.results import Result
from asmevo.drivers.asked import AskedDriver, Call
from asmevo.drivers.tools import TOOLS, Answer, Refused
from asmevo.errors import InputError
from asmevo.search.controller import Config, Controller
from asmevo.search.store import SqliteReader, SqliteStore
from asmevo.search.types import object_id
from asmevo.verify.report import VerifyConfig

BUDGET = 10_000
DRIVER = "asked"
_OPENED = "opened"  # kind of the journal entry that says what the run is of
_ENDLESS = 1 << 40
_POLL = 0.5


class Session:
    """A run, held open. Use it as a context manager, or `close` it.

    Args:
        original: K0, the only oracle.
        launch, kernel, sizes, input_seed: see `launches`.
        store: path of the run store; an existing run of the same kernel goes on.
        budget: attempts of the whole run.
        exact: accept bit-equal results only.
        progress: told when helpers compile.

    Raises:
        InputError: bad options, object or launch, or the store is of another run.
        UnsupportedError: the kernel needs something that is not supported.
        EnvironmentFault: the store is in use, or cannot be written.
    """

    def __init__(
        self,
        original: ObjectLike,
        launch: LaunchLike,
        store: str | Path,
        *,
        kernel: str | None = None,
        sizes: Sizes | None = None,
        input_seed: int | None = None,
        budget: int = BUDGET,
        exact: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if budget < 0:
            raise InputError(f"budget is {budget}", "give a number of attempts >= 0")
        opened = open(original)
        capsules = launches(opened, launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
        self.store = Path(store)
        self._driver = _Remembered(
            budget,
            {
                "launch": str(Path(launch).resolve()) if isinstance(launch, str | Path) else None,
                "kernel": kernel,
                "sizes": dict(sizes or {}),
                "input_seed": input_seed,
                "budget": budget,
                "exact": exact,
            },
        )
        config = Config(
            opened.data, kernel, capsules, emulated(progress), self._driver, self.store, True,
            _ENDLESS, verify=VerifyConfig(exact=exact, schedules=SEARCH_ORDERS),
        )  # fmt: skip
        self._controller = Controller(config)
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="asmevo-run", daemon=True)
        self._thread.start()
        self.call("report", {})  # whatever is wrong with the run shows now

    def _run(self) -> None:
        try:
            self._controller.run()
        except BaseException as err:
            self._fault = err
        finally:
            self._driver.abandon(Refused(error="the run has ended"))

    def call(self, name: str, arguments: Mapping[str, Any] | object) -> Answer:
        """Carry out one tool; a proposal's answer is its verdict.

        Raises:
            AsmEvoError: the run itself failed: device, store, or K0.
        """
        item = Call(name, arguments)
        self._driver.submit(item)
        answer: Answer | None = None
        while answer is None:
            alive = self._thread.is_alive()
            try:
                answer = item.reply.get(timeout=_POLL)
            except queue.Empty:
                if not alive:  # nobody was left to take it
                    answer = Refused(error="the run has ended")
        if self._fault is not None:
            raise self._fault
        return answer

    def close(self) -> None:
        """End the run and let go of the store. Safe to call twice."""
        self._driver.submit(None)
        self._thread.join()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Remembered(AskedDriver):
    """Notes in the journal what the run is of, so that a later process finds the launch again."""

    def __init__(self, budget: int, options: Mapping[str, Any]) -> None:
        super().__init__(DRIVER, budget)
        self._options = options

    def attach(self, journal: Any) -> None:
        """See `search.driver.KeepsJournal`."""
        known = journal.journal(_OPENED)
        if not known or known[-1].data != self._options:
            journal.note(_OPENED, self._options)


def reopened(store: str | Path, progress: Progress | None = None) -> Session:
    """The session of an existing store, with the launch and options of its first one.

    Raises:
        InputError: there is none, or the launch description changed or is gone.
    """
    path = Path(store)
    with SqliteReader.open(path) as reader:
        known = reader.journal(_OPENED)
        if not known or reader.run.driver != DRIVER:
            raise InputError(
                f"{path} is no run that is asked and told", "begin one with an object and --launch"
            )
        options = known[-1].data
        original = reader.blob(reader.run.k0)
    if options.get("launch") is None:
        raise InputError(f"{path} was made from launches in memory", "give --launch again")
    return Session(
        original,
        options["launch"],
        path,
        kernel=options["kernel"],
        sizes=options["sizes"],
        input_seed=options["input_seed"],
        budget=options["budget"],
        exact=options["exact"],
        progress=progress,
    )


def ask(
    store: str | Path,
    original: ObjectLike | None = None,
    launch: LaunchLike | None = None,
    *,
    tool: str = "window",
    arguments: Mapping[str, Any] | None = None,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    budget: int = BUDGET,
    exact: bool = False,
    progress: Progress | None = None,
) -> Result:
    """What a proposer may know of a run: the answer of one reading tool. Makes the run if need be.

    Args:
        store: path of the run store.
        original, launch: needed to begin a run, and not later.
        tool: name of a tool that reads (`window`, `profile`, `failures`, ...).
        arguments: its arguments.
        kernel, sizes, input_seed, budget, exact, progress: as for `Session`.

    Raises:
        InputError: no such tool, arguments that do not fit it, or no such run.
    """
    if tool not in TOOLS or TOOLS[tool].proposes:
        readable = ", ".join(name for name, t in TOOLS.items() if not t.proposes)
        raise InputError(f"{tool!r} does not read", f"tools to ask are {readable}")
    if (original is None) != (launch is None):
        raise InputError("a run begins with an object and a launch", "give both, or neither")
    if original is not None and launch is not None:
        if SqliteStore.holds_run(Path(store)):
            with SqliteReader.open(Path(store)) as reader:
                if reader.run.k0 != object_id(open(original).data):
                    raise InputError(f"{store} is a run of another object", "use another store")
        session = Session(
            original, launch, store, kernel=kernel, sizes=sizes, input_seed=input_seed,
            budget=budget, exact=exact, progress=progress,
        )  # fmt: skip
    else:
        session = reopened(store, progress)
    with session:
        return _result(session.call(tool, dict(arguments or {})))


def tell(
    store: str | Path, proposal: Mapping[str, Any], progress: Progress | None = None
) -> Result:
    """Hand in a proposal: edits of an accepted node. The gates judge it, and the answer says how.

    Args:
        store: path of the run store.
        proposal: arguments of the tool `propose` (or of `compose`, with `other`). There is no
            field for a verdict, a time or an object; one that is there is refused.
        progress: told when helpers compile.

    Raises:
        InputError: the proposal does not fit its form, or there is no such run.
    """
    name = "compose" if "other" in proposal else "propose"
    with reopened(store, progress) as session:
        return _result(session.call(name, dict(proposal)))


def _result(answer: Answer) -> Result:
    if isinstance(answer, Refused):
        raise InputError(answer.error, answer.remedy)
    data = answer.to_json()
    status = str(data.get("status", "ok"))
    accepted = status in ("ok", "accepted")
    return Result(accepted, status, str(data.get("reason", "")), data)
