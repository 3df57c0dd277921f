"""The loop: lineage, determinism, SIGKILL and resume, null test. On the fake device."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from fakes import FakeDevice, capsule, kernel_object

from asmevo.codeobject import CodeObject
from asmevo.device.protocol import RunOptions, RunResult, Timing
from asmevo.drivers import DRIVER_NAMES, make_driver
from asmevo.errors import EnvironmentFault, InputError
from asmevo.program.edit import Edit
from asmevo.program.recover import recover
from asmevo.search.bench import Bench, Problem
from asmevo.search.controller import Config, Controller, Progress, Search, SearchResult
from asmevo.search.driver import Context, Driver
from asmevo.search.store import MemoryStore, SqliteStore
from asmevo.search.types import Attempt, Node, Proposal, object_id

KERNEL = "matmul_f32"


def config(path: Path, driver: Driver, budget: int = 25, resume: bool = False,
           device: FakeDevice | None = None, kernel: str = KERNEL) -> Config:  # fmt: skip
    return Config(
        kernel_object(kernel), None, (capsule(kernel),), device or FakeDevice(), driver, path,
        resume, budget,
    )  # fmt: skip


def search(path: Path, seed: int = 0, driver: str = "rules", budget: int = 25,
           resume: bool = False, kernel: str = KERNEL) -> SearchResult:  # fmt: skip
    driven = make_driver(driver, seed)
    return Controller(config(path, driven, budget, resume, kernel=kernel)).run()


def identity(report: SearchResult) -> list[tuple[str, str, str, str | None]]:
    return [
        (o.proposal.parent, o.proposal.edit, o.status, o.node) for o in report.attempts
    ]  # fmt: skip


@pytest.mark.parametrize("driver", DRIVER_NAMES)
def test_one_seed_gives_one_lineage(tmp_path: Path, driver: str) -> None:
    kernel = KERNEL if driver == "rules" else "saxpy"
    one = search(tmp_path / "1.db", 3, driver, kernel=kernel)
    two = search(tmp_path / "2.db", 3, driver, kernel=kernel)
    assert identity(one) == identity(two)
    assert [n.id for n in one.lineage] == [n.id for n in two.lineage]
    assert one.object == two.object


def test_seeds_matter(tmp_path: Path) -> None:
    runs = [identity(search(tmp_path / f"{s}.db", s, "random", kernel="saxpy")) for s in (1, 2)]
    assert runs[0] != runs[1]


def test_accepted_nodes_form_a_lineage_of_growing_speedup(tmp_path: Path) -> None:
    report = search(tmp_path / "run.db")
    assert report.lineage[0] == report.root
    assert report.lineage[-1] == report.best
    assert len(report.lineage) > 1
    speeds = [n.speedup for n in report.lineage]
    assert speeds == sorted(speeds)
    assert speeds[0] == 1.0
    accepted = [o for o in report.attempts if o.accepted]
    assert all(o.speedup is not None and o.speedup >= 1.002 for o in accepted)
    assert object_id(report.object) == report.best.id
    nodes = {o.node for o in accepted} | {report.root.id}
    assert all(o.proposal.parent in nodes for o in report.attempts)


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = search(tmp_path / "whole.db", budget=25)
    path = tmp_path / "parts.db"
    search(path, budget=7)
    device = FakeDevice()
    report = Controller(
        config(path, make_driver("rules", 0), 25, resume=True, device=device)
    ).run()  # fmt: skip
    assert report.replayed == 7
    assert identity(report) == identity(whole)
    # Only K0 and what is new was timed; recorded attempts were not.
    assert device.times <= 25 - 7


def test_resuming_a_finished_run_does_nothing_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    first = search(path)
    device = FakeDevice()
    again = Controller(
        config(path, make_driver("rules", 0), resume=True, device=device)
    ).run()  # fmt: skip
    assert device.times == 0
    assert again.replayed == len(again.attempts)
    assert identity(again) == identity(first)
    assert again.object == first.object


CHILD = textwrap.dedent("""
    import sys
    sys.path.insert(0, sys.argv[2])
    from pathlib import Path
    from test_controller import config, make_driver
    from asmevo.search.controller import Controller
    def tell(progress):
        if not progress.replayed:
            print(progress.done, progress.attempt.status, flush=True)
    Controller(config(Path(sys.argv[1]), make_driver("rules", 0), 25, True), tell).run()
    print("end", flush=True)
""")


def test_sigkill_and_resume_repeat_nothing_and_lose_nothing(tmp_path: Path) -> None:
    whole = search(tmp_path / "whole.db", budget=25)
    path = tmp_path / "killed.db"
    seen: list[str] = []
    for kill_after in (1, 4, 6, None):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path), str(Path(__file__).parent)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        for reported, line in enumerate(child.stdout, 1):
            if line.startswith("end"):
                break
            seen.append(line.strip())
            if reported == kill_after:
                os.kill(child.pid, signal.SIGKILL)
                break
        rest = child.stdout.read()
        child.wait()
        seen += [r for r in rest.splitlines() if r and not r.startswith("end")]
    # Every attempt was reported at most once: none was run again after it was recorded. One that
    # was recorded but not yet reported when the process died may be missing.
    numbers = [int(s.split()[0]) for s in seen]
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= 25 - 3
    report = search(path, budget=25, resume=True)
    assert identity(report) == identity(whole)
    assert report.object == whole.object


class Fixed:
    """A driver that proposes what it is given, then nothing."""

    name = "fixed"
    seed = 0
    deterministic = True

    def __init__(self, *edits: tuple[Edit, ...]) -> None:
        self.edits = list(edits)
        self.told: list[Attempt] = []

    def ask(self, context: Context) -> Proposal | None:
        if not self.edits:
            return None
        return Proposal(context.root.id, self.edits.pop(0))

    def tell(self, outcome: Attempt) -> None:
        self.told.append(outcome)


def test_null_a_byte_copy_is_never_a_speedup(tmp_path: Path) -> None:
    driver = Fixed((), (Edit(0, 1, ("s_load_dwordx4 s[8:11], s[0:1], 0x0",)),), ())
    report = Controller(config(tmp_path / "run.db", driver)).run()
    assert [o.status for o in report.attempts] == ["duplicate"] * 3
    assert report.best == report.root
    assert report.object == kernel_object(KERNEL)
    assert report.stopped == "exhausted"


def test_a_driver_that_changed_is_noticed_on_resume(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    Controller(config(path, Fixed((Edit(0, 0, ("s_nop 0",)),)))).run()
    with pytest.raises(InputError, match="does not repeat attempt 0"):
        Controller(config(path, Fixed((Edit(0, 0, ("s_nop 1",)),)), resume=True)).run()


def test_a_driver_that_cannot_repeat_itself_is_told_the_past(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    Controller(config(path, Fixed((Edit(0, 0, ("s_nop 0",)),)))).run()
    driver = Fixed((Edit(0, 0, ("s_nop 1",)),))
    driver.deterministic = False
    report = Controller(config(path, driver, resume=True)).run()
    assert [o.sequence for o in driver.told] == [0, 1]
    assert len(report.attempts) == 2


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("k0", lambda p: config(p, make_driver("rules", 0), resume=True, kernel="saxpy")),
        ("driver", lambda p: config(p, make_driver("random", 0), resume=True)),
        ("seed", lambda p: config(p, make_driver("rules", 9), resume=True)),
    ],
)
def test_a_store_is_resumed_only_by_the_same_run(tmp_path: Path, what: str, change: object) -> None:
    path = tmp_path / "run.db"
    search(path, budget=2)
    with pytest.raises(InputError, match=f"another {what}"):
        Controller(change(path)).run()  # type: ignore[operator]


def test_an_existing_store_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    search(path, budget=2)
    with pytest.raises(InputError, match="exists"):
        search(path, budget=2)


def test_a_store_killed_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(b"")
    assert search(path, budget=1, resume=True).replayed == 0


def test_k0_that_does_not_repeat_itself_is_refused(tmp_path: Path) -> None:
    class Racy(FakeDevice):
        def run(self, object: bytes, capsule: object, options: RunOptions) -> RunResult:
            result = super().run(object, capsule, options)  # type: ignore[arg-type]
            result.buffers["out"] = bytes([self.runs % 256]) * 64
            return result

    with pytest.raises(InputError, match="no usable reference"):
        Controller(config(tmp_path / "run.db", make_driver("rules"), device=Racy())).run()


def test_environment_faults_are_recorded_and_end_the_run_when_they_repeat(tmp_path: Path) -> None:
    class Failing(FakeDevice):
        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            if self.times:
                raise EnvironmentFault("no device")
            return super().time(object, capsule, samples, below)  # type: ignore[arg-type]

    path = tmp_path / "run.db"
    with pytest.raises(EnvironmentFault, match="no device"):
        Controller(config(path, make_driver("rules"), device=Failing())).run()
    with SqliteStore.open(path) as store:
        assert [o.status for o in store.attempts()] == ["infrastructure_error"] * 2


def test_progress_tells_every_attempt(tmp_path: Path) -> None:
    told: list[Progress] = []
    cfg = config(tmp_path / "run.db", make_driver("rules"), budget=5)
    report = Controller(cfg, told.append).run()
    assert [p.done for p in told] == [1, 2, 3, 4, 5]
    assert tuple(p.attempt for p in told) == report.attempts
    assert sum(report.verdicts.values()) == 5


def test_bad_budgets_and_missing_capsules_are_refused(tmp_path: Path) -> None:
    good = config(tmp_path / "run.db", make_driver("rules"))
    with pytest.raises(InputError, match="budget"):
        Controller(Config(good.k0, None, good.capsules, good.device, good.driver, good.store,
                          budget=-1))  # fmt: skip
    with pytest.raises(InputError, match="capsule"):
        Controller(Config(good.k0, None, (), good.device, good.driver, good.store))


def test_an_unknown_driver_is_refused() -> None:
    with pytest.raises(InputError, match="no driver"):
        make_driver("clever")


def test_the_earliest_of_equally_fast_nodes_is_the_best(tmp_path: Path) -> None:
    run = config(tmp_path / "run.db", make_driver("rules"))
    times = (run.device.time(run.k0, run.capsules[0], 1),)
    problem = Problem(
        run.k0, KERNEL, run.capsules, run.device.recipe, run.verify, 1, run.rule, times
    )  # fmt: skip
    kept = MemoryStore(k0=run.k0, kernel=KERNEL, driver="rules", seed=0, config={})
    search = Search(run, kept, Bench(problem, run.device))
    root = object_id(run.k0)
    search.add_node(Node(root, None, (), times, "original", 0, -1, 1.0))
    for sequence, speed in ((3, 1.5), (4, 1.5), (1, 1.25), (2, 1.5)):
        search.add_node(
            Node(f"node {sequence}", root, (), times, "tested-exact", 1, sequence, speed)
        )  # fmt: skip
    assert search.best.id == "node 2"
    assert search.root.id == root


@pytest.mark.parametrize(
    ("pattern", "survives"), [("FFS" * 4, True), ("FSFFSFFS", True), ("FFFS", False)]
)
def test_only_faults_in_a_row_end_the_run(tmp_path: Path, pattern: str, survives: bool) -> None:
    class Flaky(FakeDevice):
        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            found = super().time(object, capsule, samples, below)  # type: ignore[arg-type]
            if self.times > 1 and pattern[self.times - 2] == "F":  # the first is K0's
                raise EnvironmentFault("no device")
            return found

    path = tmp_path / "run.db"
    # Each is right and slower, so that each comes to timing.
    driver = Fixed(*[(Edit(0, 0, (f"s_nop {n}",)),) for n in range(len(pattern))])
    run = Controller(config(path, driver, device=Flaky()))
    if survives:
        assert [a.status == "infrastructure_error" for a in run.run().attempts] == [
            c == "F" for c in pattern
        ]
    else:
        with pytest.raises(EnvironmentFault, match="no device"):
            run.run()


def test_duplicates_use_up_the_budget_and_are_replayed_once(tmp_path: Path) -> None:
    twice = (Edit(0, 0, ("s_nop 1",)),)
    more = [(Edit(0, 0, (f"s_nop {n}",)),) for n in range(2, 6)]
    first = Controller(config(tmp_path / "run.db", Fixed(twice, twice, *more), budget=3)).run()
    assert [a.status for a in first.attempts].count("duplicate") == 1
    assert len(first.attempts) == 3
    again = Controller(
        config(tmp_path / "run.db", Fixed(twice, twice, *more), budget=4, resume=True)
    ).run()  # fmt: skip
    assert (again.replayed, len(again.attempts)) == (3, 4)


def test_bytes_that_an_infrastructure_fault_left_unjudged_are_judged_later(tmp_path: Path) -> None:
    class Once(FakeDevice):
        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            found = super().time(object, capsule, samples, below)  # type: ignore[arg-type]
            if self.times == 2 and not failed:
                failed.append(True)
                raise EnvironmentFault("no device")
            return found

    failed: list[bool] = []
    # The same bytes by another edit.
    first = recover(CodeObject.open(kernel_object(KERNEL))).line(0)
    driver = Fixed((Edit(0, 0, ("s_nop 0",)),), (Edit(0, 1, ("s_nop 0", first)),))
    report = Controller(config(tmp_path / "run.db", driver, device=Once())).run()
    assert [a.status for a in report.attempts] == ["infrastructure_error", "insufficient_speedup"]
