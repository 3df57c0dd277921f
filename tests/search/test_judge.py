"""The judge is a function: plain data in, plain data out, the same everywhere and every time."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import FrozenInstanceError, replace

import pytest
from fakes import FakeDevice, capsule, kernel_object
from test_gates import bench, find, replace_line, task

from asmevo.errors import EnvironmentFault, InputError, UnsupportedError
from asmevo.program.edit import Edit
from asmevo.search.bench import Bench, Problem
from asmevo.search.commit import CommitRule
from asmevo.search.judge import GATE_NAMES, Task, judge
from asmevo.search.types import object_id
from asmevo.verify.report import VerifyConfig


@pytest.fixture(scope="module")
def base() -> Bench:
    return bench("saxpy")


def tasks(base: Bench) -> dict[str, Task]:
    """One task per kind of end: built or not, wrong, slower, faster."""
    at = find(base.program, "s_waitcnt vmcnt(0)")
    return {
        "build_invalid": task(base, [Edit(0, 1, ("no such instruction",))]),
        "static_invalid": task(base, replace_line(base, "s_waitcnt vmcnt(0)")),
        "divergent": task(base, replace_line(base, "v_fmac_f32_e32 v5, s4, v4",
                                             "v_mul_f32_e32 v5, s4, v4")),
        "insufficient_speedup": task(base, [Edit(at, at, ("s_nop 15",))]),
        "accepted": replace(
            task(base, [Edit(at, at, ("s_nop 3",))]),
            # As if the parent had been slower.
            parent_timings=tuple(
                replace(t, samples=tuple(2 * s for s in t.samples))
                for t in base.problem.k0_timings
            ),
        ),
    }  # fmt: skip


def test_a_task_is_judged_alike_twice_and_with_a_used_bench(base: Bench) -> None:
    for status, given in tasks(base).items():
        first, again, anew = judge(given, base), judge(given, base), judge(given)
        assert first.status == status
        assert first == again == anew


def test_task_and_judgement_pickle(base: Bench) -> None:
    for given in tasks(base).values():
        assert pickle.loads(pickle.dumps(given)) == given
        judgement = judge(given, base)
        assert pickle.loads(pickle.dumps(judgement)) == judgement


def test_another_process_gives_the_identical_judgement(base: Bench) -> None:
    given = list(tasks(base).values())
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = list(pool.map(judge, given))
    assert there == [judge(g, base) for g in given]


def test_tasks_and_judgements_are_frozen(base: Bench) -> None:
    given = tasks(base)["static_invalid"]
    for record, name in ((given, "edits"), (judge(given, base), "status"), (given.problem, "k0")):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)


def test_what_was_passed_is_said_in_order(base: Bench) -> None:
    for given in tasks(base).values():
        judgement = judge(given, base)
        assert judgement.passed == GATE_NAMES[: GATE_NAMES.index(judgement.gate)]


def test_no_judgement_accepts_what_skipped_a_gate(base: Bench) -> None:
    good = judge(tasks(base)["accepted"], base)
    assert good.status == "accepted"
    for n in range(len(good.passed)):
        with pytest.raises(AssertionError, match="every gate"):
            replace(good, passed=good.passed[:n] + good.passed[n + 1 :])
    for missing in ({"object": None}, {"evidence": None}, {"timings": ()}, {"gate": "timing"}):
        with pytest.raises(AssertionError, match="every gate"):
            replace(good, **missing)


def test_bytes_that_were_judged_before_are_not_judged_again(base: Bench) -> None:
    given = tasks(base)["divergent"]
    first = judge(given, base)
    assert first.object is not None
    known = {**given.objects, object_id(first.object): first.status}
    again = judge(replace(given, objects=known), base)
    assert (again.status, again.gate) == ("duplicate", "same_object")
    assert "divergent" in again.reason


def test_a_bench_serves_its_own_problem_only(base: Bench) -> None:
    given = tasks(base)["static_invalid"]
    other = replace(given.problem, rule=CommitRule(eps=0.5))
    with pytest.raises(InputError, match="another problem"):
        judge(replace(given, problem=other), base)


def fake_task(device: FakeDevice, *edits: Edit) -> tuple[Task, Bench]:
    k0, launch = kernel_object("saxpy"), capsule("saxpy")
    times = (device.time(k0, launch, 1),)
    problem = Problem(
        k0, "saxpy", (launch,), device.recipe, VerifyConfig(), 1, CommitRule(), times
    )  # fmt: skip
    return Task(problem, k0, times, edits), Bench(problem, device)


def test_a_fault_of_the_device_is_raised_and_survives_the_way_back() -> None:
    class Broken(FakeDevice):
        def time(self, object: bytes, capsule: object, samples: int, below: float | None = None):
            if self.times:
                raise EnvironmentFault("the device fell off the bus", "reset it")
            return super().time(object, capsule, samples, below)  # type: ignore[arg-type]

    given, bench = fake_task(Broken(), Edit(0, 0, ("s_nop 0",)))
    with pytest.raises(EnvironmentFault) as caught:
        judge(given, bench)
    back = pickle.loads(pickle.dumps(caught.value))
    assert back.one_line() == "the device fell off the bus; reset it"


def test_what_is_wrong_with_k0_is_not_said_of_the_candidate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> object:
        raise UnsupportedError("K0 has an instruction that the checker does not know")

    monkeypatch.setattr("asmevo.search.bench.check_program", refuse)
    given, bench = fake_task(FakeDevice(), Edit(0, 0, ("s_nop 0",)))
    with pytest.raises(UnsupportedError, match="K0 has"):
        judge(given, bench)
