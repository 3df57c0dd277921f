"""Every gate stops what it is there for, and nothing else stops that.

Each case is one edit of a real kernel, run through all gates one by one on the emulator: exactly
the expected gate must object. Then the pipeline as a whole must give that gate's verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import KERNELS, FakeDevice, capsule, kernel_object

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.check.findings import ERROR, Finding
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import Timing
from asmevo.errors import EnvironmentFault, UnsupportedError
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.program.recover import recover
from asmevo.search import gates, judge
from asmevo.search.bench import Bench, Problem
from asmevo.search.commit import CommitRule
from asmevo.search.gates import Candidate
from asmevo.search.judge import GATE_NAMES, Judgement, Task
from asmevo.search.types import edit_id, object_id
from asmevo.verify.report import VerifyConfig

LAUNCHES = Path(__file__).resolve().parents[2] / "kernels" / "launch"


@pytest.fixture(scope="module")
def setups() -> dict[str, Bench]:
    return {name: bench(name) for name in ("saxpy", "matmul_f32")}


def bench(name: str, device: EmulatedDevice | None = None) -> Bench:
    k0 = kernel_object(name)
    opened = CodeObject.open(k0)
    kernel = opened.kernel(None)
    launch = synthesize(LaunchSpec.load(LAUNCHES / f"{name}.yaml"), kernel, opened.target)
    device = device or EmulatedDevice()
    times = (device.time(k0, launch, 1),)
    problem = Problem(
        k0, kernel.name, (launch,), EmulatedDevice, VerifyConfig(), 1, CommitRule(), times
    )  # fmt: skip
    return Bench(problem, device)


def find(program: Program, text: str, nth: int = 0) -> int:
    return [i for i in range(len(program.instructions)) if program.line(i) == text][nth]


def task(base: Bench, edits: Sequence[Edit]) -> Task:
    problem = base.problem
    return Task(
        problem, problem.k0, problem.k0_timings, tuple(edits),
        objects={object_id(problem.k0): "node"},
    )  # fmt: skip


def candidate(base: Bench, edits: Sequence[Edit]) -> Candidate:
    given = task(base, edits)
    return Candidate(
        base.program, given.edits, given.parent_timings, given.attempted, given.objects
    )  # fmt: skip


def judged(base: Bench, edits: Sequence[Edit]) -> Judgement:
    return judge.judge(task(base, edits), base)


def replace_line(base: Bench, old: str, *new: str, nth: int = 0) -> list[Edit]:
    at = find(base.program, old, nth)
    return [Edit(at, at + 1, new)]


CASES = {
    "bad syntax": ("saxpy", "s_endpgm", ("v_add_f33 v0, v1",), "assemble", "build_invalid"),
    "file inclusion": (
        "saxpy", "s_endpgm", ('.incbin "/etc/passwd"', "s_endpgm"), "assemble", "build_invalid",
    ),
    "a second statement": (
        "saxpy", "s_endpgm", ("s_nop 0; s_endpgm",), "assemble", "build_invalid",
    ),
    "the same bytes again": (
        "saxpy", "v_fmac_f32_e32 v5, s4, v4", ("v_fmac_f32_e32 v5, s4, v4",), "same_object",
        "duplicate",
    ),
    "one register beyond the declared count": (
        "saxpy", "v_fmac_f32_e32 v5, s4, v4",
        ("v_fmac_f32_e32 v5, s4, v4", "v_mov_b32_e32 v8, v5"), "abi_resources", "static_invalid",
    ),
    "dropped wait": (
        "saxpy", "s_waitcnt vmcnt(0)", (), "static_check", "static_invalid",
    ),
    "weakened wait": (
        "saxpy", "s_waitcnt vmcnt(0)", ("s_waitcnt vmcnt(1)",), "static_check", "static_invalid",
    ),
    "read of an undefined register": (
        "saxpy", "v_fmac_f32_e32 v5, s4, v4",
        ("v_fmac_f32_e32 v5, s4, v4", "v_mov_b32_e32 v6, v7"), "static_check", "static_invalid",
    ),
    "changed constant": (
        "saxpy", "v_lshlrev_b64 v[0:1], 2, v[0:1]",
        ("v_lshlrev_b64 v[0:1], 2, v[0:1]", "v_and_b32_e32 v0, -8, v0"), "differential",
        "divergent",
    ),
    "another operation": (
        "matmul_f32", "v_fmac_f32_e32 v7, v12, v28", ("v_mul_f32_e32 v7, v12, v28",),
        "differential", "divergent",
    ),
    "store past the end of the buffer": (
        "saxpy", "v_cmp_gt_i32_e32 vcc, s5, v0",
        ("s_add_u32 s5, s5, 8", "v_cmp_gt_i32_e32 vcc, s5, v0"), "differential",
        "runtime_failure canary_corruption",
    ),
    "endless loop": (
        "saxpy", "v_ashrrev_i32_e32 v1, 31, v0",
        ("again:", "v_ashrrev_i32_e32 v1, 31, v0", "s_cmp_eq_u32 s4, s4", "s_cbranch_scc1 again"),
        "differential", "runtime_failure",
    ),
    "slower": (
        "saxpy", "s_waitcnt vmcnt(0)", ("s_nop 15", "s_waitcnt vmcnt(0)"), "screen",
        "insufficient_speedup",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_exactly_one_gate_stops_it(setups: dict[str, Bench], case: str) -> None:
    name, old, new, gate, statuses = CASES[case]
    base = setups[name]
    tried = candidate(base, replace_line(base, old, *new))
    stopped: dict[str, str] = {}
    for kind in judge._ORDER:
        if kind is gates.Time and stopped:
            break  # only correct candidates are timed
        if kind is gates.Screen and stopped:
            continue  # it says nothing of what is wrong
        verdict = kind(base).judge(tried)
        if verdict is not None:
            stopped[verdict.gate] = verdict.status
        if tried.object is None and kind is gates.Assemble:
            break  # nothing was built
    # Loads that arrive late show a lost wait to the differential gate, too.
    expected = [gate, "differential"] if "wait" in case else [gate]
    assert list(stopped) in ([gate], expected)
    assert stopped[gate] in statuses.split()

    verdict = judged(base, replace_line(base, old, *new))
    assert (verdict.gate, verdict.status) == (gate, stopped[gate])
    assert verdict.reason


@pytest.mark.parametrize("where", [(-1, 1), (1_000, 1_001), (None, None), (5, 3)])
def test_only_the_kernel_itself_is_edited(
    setups: dict[str, Bench], where: tuple[int | None, int | None]
) -> None:
    base = setups["saxpy"]
    end = base.program.function("saxpy").last
    first, last = (end if w is None else w for w in where)
    verdict = judged(base, [Edit(first, last, ("s_nop 0",))])
    assert (verdict.gate, verdict.status) == ("assemble", "build_invalid")
    assert "not within kernel saxpy" in verdict.reason


def test_a_dropped_barrier_is_found_without_running_it(setups: dict[str, Bench]) -> None:
    base = setups["matmul_f32"]
    for nth in (0, 1):
        edits = replace_line(base, "s_barrier", nth=nth)
        verdict = judged(base, edits)
        assert (verdict.gate, verdict.status) == ("static_check", "static_invalid")


def test_a_good_edit_passes_all_of_them(setups: dict[str, Bench]) -> None:
    base = setups["matmul_f32"]
    # The loop's last LDS read is waited for with two others; the store behind it needs nothing.
    from asmevo.edits import SinkStore

    edits = next(iter(SinkStore().composites(base.program, base.problem.kernel, (0, 10_000))))
    verdict = judged(base, edits)
    assert verdict.status == "accepted"
    assert verdict.evidence == "tested-exact"
    assert verdict.passed == GATE_NAMES[:-1]
    assert verdict.speedup is not None
    assert verdict.speedup > 1.1


def test_the_same_attempt_is_not_made_twice(setups: dict[str, Bench]) -> None:
    base = setups["saxpy"]
    edits = replace_line(base, "s_waitcnt vmcnt(0)")
    again = replace(task(base, edits), attempted=frozenset({edit_id(edits)}))
    verdict = judge.judge(again, base)
    assert (verdict.status, verdict.gate) == ("duplicate", "duplicate")
    assert verdict.object is None  # no work was done on it


def test_no_candidate_is_timed_before_it_is_correct() -> None:
    class Watched(EmulatedDevice):
        timed: list[bytes]

        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            self.timed = [*getattr(self, "timed", []), object]
            return super().time(object, capsule, samples, below)  # type: ignore[arg-type]

    device = Watched()
    base = bench("saxpy", device)
    assert base.findings is not None
    before = len(device.timed)
    for name, old, new, _, _ in (c for k, c in CASES.items() if k != "slower"):
        if name == "saxpy":
            judged(base, replace_line(base, old, *new))
    assert len(device.timed) == before


def test_what_cannot_pay_is_screened_out_after_one_right_run() -> None:
    device = FakeDevice()
    base = fake_bench(device)
    assert base.oracle.verify_reference(base.problem.capsules).ok
    before = device.runs
    verdict = judged(base, replace_line(base, "s_endpgm", "s_nop 7", "s_endpgm"))
    assert (verdict.gate, verdict.status) == ("screen", "insufficient_speedup")
    assert device.runs == before + 1
    assert verdict.timings == ()  # an estimate is no time,
    assert verdict.speedup is not None  # but tells a driver where to go on
    assert verdict.speedup < 1.0


def test_a_wrong_candidate_is_called_wrong_however_slow_it_is(setups: dict[str, Bench]) -> None:
    base = setups["saxpy"]
    _, old, new, _, _ = CASES["changed constant"]
    verdict = judged(base, replace_line(base, old, *new, "s_nop 15", "s_nop 15"))
    assert (verdict.gate, verdict.status) == ("differential", "divergent")


def test_measured_times_are_no_screen() -> None:
    class Measured(FakeDevice):
        label = "measured"

        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            found = super().time(object, capsule, samples, below)  # type: ignore[arg-type]
            return replace(found, label="measured")

    base = fake_bench(Measured())
    verdict = judged(base, replace_line(base, "s_endpgm", "s_nop 7", "s_endpgm"))
    assert (verdict.gate, verdict.status) == ("commit", "insufficient_speedup")
    assert "differential" in verdict.passed


def test_what_a_watched_run_shows_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only of what the commit rule would accept, and only what K0 does not show."""
    device = FakeDevice()
    base = fake_bench(device, assemble_object((KERNELS / "saxpy.s").read_text()))
    k0 = base.problem.k0_timings[0]
    given = task(base, replace_line(base, "s_endpgm", "s_nop 0", "s_endpgm"))
    given = replace(given, parent_timings=(replace(k0, samples=(k0.centre * 2,)),))
    slow = replace(base.problem, k0_timings=given.parent_timings)
    race = Finding("race.lds", "-", ERROR, "saxpy", 1, "ds_read_b32 v1, v0", message="a race")
    for own, status in (([], "divergent"), ([race], "accepted")):
        fresh = Bench(slow, device)
        seen: list[bytes] = []

        def dynamic(
            object: bytes, *_: object, seen: list[bytes] = seen, own: list[Finding] = own
        ) -> list[Finding]:
            seen.append(object)
            return own if object == slow.k0 else [race]

        monkeypatch.setattr("asmevo.verify.watched.check_dynamic", dynamic)
        verdict = judge.judge(replace(given, problem=slow), fresh)
        assert verdict.status == status, verdict.reason
        assert verdict.gate == ("watched" if status == "divergent" else "commit")
        assert len(seen) == 2


def test_the_order_is_the_designs() -> None:
    assert GATE_NAMES == (
        "duplicate", "assemble", "same_object", "abi_resources", "static_check", "screen",
        "differential", "coverage", "timing", "watched", "commit",
    )  # fmt: skip


def fake_bench(device: FakeDevice, k0: bytes | None = None) -> Bench:
    k0 = k0 or kernel_object("saxpy")
    launch = capsule("saxpy")
    times = (device.time(k0, launch, 1),)
    problem = Problem(
        k0, "saxpy", (launch,), device.recipe, VerifyConfig(), 1, CommitRule(), times
    )  # fmt: skip
    return Bench(problem, device)


def test_what_the_device_does_not_support_is_no_crash() -> None:
    class Poor(FakeDevice):
        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            if self.times:
                raise UnsupportedError("no machine table", "use another target")
            return super().time(object, capsule, samples, below)  # type: ignore[arg-type]

    base = fake_bench(Poor())
    edits = replace_line(base, "s_endpgm", "s_nop 0", "s_endpgm")
    verdict = judged(base, edits)
    assert (verdict.status, verdict.gate) == ("unsupported", "timing")


def test_a_broken_device_is_no_verdict_on_the_candidate() -> None:
    class Broken(FakeDevice):
        def time(
            self, object: bytes, capsule: object, samples: int, below: float | None = None
        ) -> Timing:
            if self.times:
                raise EnvironmentFault("the device fell off the bus")
            return super().time(object, capsule, samples, below)  # type: ignore[arg-type]

    base = fake_bench(Broken())
    edits = replace_line(base, "s_endpgm", "s_nop 0", "s_endpgm")
    with pytest.raises(EnvironmentFault, match="bus"):
        judged(base, edits)


def test_a_child_that_is_slower_than_its_parent_is_not_accepted_for_beating_k0() -> None:
    base = fake_bench(FakeDevice())
    # Five clocks off a nop: faster than K0. The parent was faster still.
    k0 = base.problem.k0_timings[0]
    slower = replace(k0, samples=(k0.centre * 2,))
    problem = replace(base.problem, k0_timings=(slower,))
    edits = replace_line(base, "s_endpgm", "s_nop 0", "s_endpgm")
    bench = Bench(problem, FakeDevice())
    given = replace(task(bench, edits), parent_timings=(replace(k0, samples=(k0.centre * 0.5,)),))
    verdict = judge.judge(given, bench)
    assert (verdict.gate, verdict.status) == ("screen", "insufficient_speedup")
    assert verdict.speedup is not None
    assert verdict.speedup < 1.0
    # Against K0's own times the same candidate would have passed.
    alone = judge.judge(replace(given, parent_timings=(slower,)), bench)
    assert alone.status == "accepted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".amdhsa_group_segment_fixed_size 0", ".amdhsa_group_segment_fixed_size 512"),
        (".amdhsa_system_sgpr_workgroup_id_y 0", ".amdhsa_system_sgpr_workgroup_id_y 1"),
        (".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_denorm_mode_32 0"),
        (".kernarg_segment_size: 280", ".kernarg_segment_size: 288"),
        (".value_kind:     by_value", ".value_kind:     global_buffer"),
    ],
)
def test_a_changed_abi_is_stopped_by_its_gate(old: str, new: str) -> None:
    base = fake_bench(FakeDevice())
    source = (KERNELS / "saxpy.s").read_text()
    assert old in source
    tried = candidate(base, [])
    tried.object = assemble_object(source.replace(old, new))
    tried.code_object = CodeObject.open(tried.object)
    tried.built = recover(tried.code_object)
    verdict = gates.AbiAndResources(base).judge(tried)
    assert verdict is not None
    assert (verdict.status, verdict.gate) == ("static_invalid", "abi_resources")


def test_the_abi_gate_lets_the_same_file_pass() -> None:
    base = fake_bench(FakeDevice())
    tried = candidate(base, [])
    tried.object, tried.code_object, tried.built = base.problem.k0, base.code_object, base.program
    assert gates.AbiAndResources(base).judge(tried) is None


def test_faults_that_k0_has_itself_are_tolerated_by_their_gate() -> None:
    """K0 uses a register beyond its declared count; a candidate that still does is no worse."""
    source = (KERNELS / "saxpy.s").read_text()
    k0 = assemble_object(source.replace("\ts_endpgm", "\tv_mov_b32_e32 v9, v5\n\ts_endpgm", 1))
    base = fake_bench(FakeDevice(), k0)
    assert any(f.rule == "register.beyond-count" for f in base.findings)
    tried = candidate(base, [])
    tried.object, tried.code_object, tried.built = k0, base.code_object, base.program
    assert gates.AbiAndResources(base).judge(tried) is None
