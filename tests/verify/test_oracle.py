"""The oracle against kernels that are wrong in one known way each."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from asmevo.capsule.model import Tolerance
from asmevo.device.protocol import Fault, RunResult
from asmevo.errors import EnvironmentFault, InputError, UnsupportedError
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle, VerifyConfig, verify
from asmevo.verify.poison import poisoned


def scale(factor=2.5, dtype=np.float32):
    def kernel(m):
        m.write("y", m.read("x") * dtype(factor))

    return kernel


@pytest.fixture
def k0(device):
    return device.object("k0", scale())


def judge(device, k0, kernel, capsule, **config):
    return verify(k0, device.object("k1", kernel), [capsule], device, VerifyConfig(**config))


# What must pass


def test_a_copy_is_tested_exact(device, k0, make_capsule):
    report = verify(k0, k0, [make_capsule()], device)
    assert (report.status, report.evidence_class, report.exit_code) == (
        "accepted", "tested-exact", 0,
    )  # fmt: skip
    assert report.capsules[0].exact


def test_a_reordered_rounding_is_tested_tolerance(device, k0, make_capsule):
    report = judge(device, k0, scale(2.5 * (1 + 1e-6)), make_capsule())
    assert (report.status, report.evidence_class) == ("accepted", "tested-tolerance")
    assert 0 < report.capsules[0].runs[0].buffers[0].max_delta < 1e-3
    exact = judge(device, k0, scale(2.5 * (1 + 1e-6)), make_capsule(), exact=True)
    assert exact.status == "divergent"
    assert "bit-equal" in exact.reason


def test_a_kernel_that_writes_a_part_passes_when_the_same_part_is_written(device, make_capsule):
    def part(m):
        m.write("y", m.read("x")[:40], first=3)

    k0 = device.object("k0", part)
    assert verify(k0, device.object("k1", part), [make_capsule()], device).ok


def test_nan_and_infinity_at_the_same_places_pass(device, make_capsule):
    def special(factor):
        def kernel(m):
            y = m.read("x") * np.float32(factor)
            y[3], y[4], y[5] = np.nan, np.inf, -np.inf
            m.write("y", y)

        return kernel

    k0 = device.object("k0", special(1))
    report = judge(device, k0, special(1 + 1e-5), make_capsule())
    assert (report.status, report.evidence_class) == ("accepted", "tested-tolerance")


def test_scratch_is_not_compared_but_its_guards_are(device, make_capsule):
    base = make_capsule()
    y = base.buffer("y")
    scratch = dataclasses.replace(
        y, name="s", role="scratch", address=y.address + (1 << 33), undefined=True
    )
    capsule = dataclasses.replace(base, buffers=(*base.buffers, scratch))

    def with_scratch(value, first=0):
        def kernel(m):
            m.write("s", np.full(4, value), first=first)
            m.write("y", m.read("x"))

        return kernel

    k0 = device.object("k0", with_scratch(1))
    assert judge(device, k0, with_scratch(2), capsule).evidence_class == "tested-exact"
    report = judge(device, k0, with_scratch(2, 64), capsule)
    assert report.status == "canary_corruption"
    assert "s" in report.reason


# What must not pass, one fault each


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("first", [64, -1])
def test_store_past_the_end_or_before_the_start(device, k0, make_capsule, mapped, first):
    def kernel(m):
        scale()(m)
        m.write("y", [1.0], first=first)

    report = judge(device, k0, kernel, make_capsule(), guards_mapped=mapped)
    assert (report.status, report.exit_code) == ("canary_corruption", 1)
    assert "outside buffer y" in report.reason


def test_store_across_the_end(device, k0, make_capsule):
    def kernel(m):
        scale()(m)
        m.write("y", [1.0, 1.0], first=63)

    assert judge(device, k0, kernel, make_capsule()).status == "canary_corruption"


def test_load_past_the_end_is_a_runtime_failure(device, k0, make_capsule):
    def kernel(m):
        scale()(m)
        m.load(m.capsule.buffer("x").address + 64 * 4, 4)

    report = judge(device, k0, kernel, make_capsule())
    assert report.status == "runtime_failure"
    assert "instruction 7" in report.reason


def test_store_far_away_is_a_runtime_failure(device, k0, make_capsule):
    def kernel(m):
        scale()(m)
        m.store(0x1000, b"\0")

    assert judge(device, k0, kernel, make_capsule()).status == "runtime_failure"


def test_changed_constant(device, k0, make_capsule):
    report = judge(device, k0, scale(2.51), make_capsule())
    assert (report.status, report.exit_code) == ("divergent", 1)
    assert "tau" in report.reason
    assert "poison A" in report.reason


def test_changed_sign_of_everything(device, k0, make_capsule):
    wide = Tolerance(theta=0.9, tau=100.0)
    report = judge(device, k0, scale(-2.5), make_capsule(tolerance=wide))
    assert report.status == "divergent"
    assert "cosine -1" in report.reason


def test_one_changed_integer(device, make_capsule):
    def kernel(change):
        def run(m):
            y = np.arange(64)
            y[17] += change
            m.write("y", y)

        return run

    k0 = device.object("k0", kernel(0))
    report = judge(device, k0, kernel(1), make_capsule("i32"))
    assert report.status == "divergent"
    assert "1 of 64" in report.reason
    assert "[17]" in report.reason


def test_output_left_unwritten(device, k0, make_capsule):
    report = judge(device, k0, lambda m: m.read("x"), make_capsule())
    assert report.status == "divergent"
    assert "64 elements are left unwritten" in report.reason


@pytest.mark.parametrize("kind", ["f32", "i8", "bf16"])
def test_last_element_left_unwritten(device, make_capsule, kind):
    k0 = device.object("k0", lambda m: m.write("y", np.ones(64)))
    report = judge(device, k0, lambda m: m.write("y", np.ones(63)), make_capsule(kind))
    assert report.status == "divergent"


def test_write_of_what_k0_leaves_alone(device, make_capsule):
    k0 = device.object("k0", lambda m: m.write("y", np.ones(10)))
    report = judge(device, k0, lambda m: m.write("y", np.ones(11)), make_capsule())
    assert report.status == "divergent"
    assert "does not write" in report.reason


def test_write_of_the_very_poison_is_still_seen(device, make_capsule):
    """A store of the byte that lies there in the first run shows in the second."""
    seen = {}

    def sly(m):
        m.write("y", np.ones(10, np.uint8))
        y = m.capsule.buffer("y")
        seen.setdefault("byte", y.data[20:21])
        m.store(y.address + 20, seen["byte"])

    k0 = device.object("k0", lambda m: m.write("y", np.ones(10, np.uint8)))
    report = judge(device, k0, sly, make_capsule("u8"))
    assert report.status == "divergent"
    assert "poison B" in report.reason


@pytest.mark.parametrize("mapped", ["r", "rw"])
def test_modified_input(device, k0, make_capsule, monkeypatch, mapped):
    if mapped == "rw":
        original = type(make_capsule()).regions
        monkeypatch.setattr(
            "asmevo.capsule.model.Capsule.regions",
            lambda self, **kw: original(self, **{**kw, "inputs_writable": True}),
        )

    def kernel(m):
        scale()(m)
        m.store(m.capsule.buffer("x").address + 8, b"\x01")

    report = judge(device, k0, kernel, make_capsule())
    assert report.status == "divergent"
    assert "input x" in report.reason if mapped == "rw" else "read-only" in report.reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((np.nan, 1), (1, np.nan)),
        ((np.nan, 1), (0, 1)),
        ((1, 1), (np.nan, 1)),
        ((np.inf, 1), (-np.inf, 1)),
        ((np.inf, 1), (3e38, 1)),
        ((1, 1), (np.inf, 1)),
        ((np.nan, 1), (np.inf, 1)),
    ],
)
def test_moved_nan_or_infinity(device, make_capsule, before, after):
    def kernel(pair):
        def run(m):
            y = m.read("x")
            y[8], y[9] = pair
            m.write("y", y)

        return run

    k0 = device.object("k0", kernel(before))
    loose = Tolerance(theta=0.0, tau=1e30)
    report = judge(device, k0, kernel(after), make_capsule(tolerance=loose))
    assert report.status == "divergent"
    assert "NaN or infinity moved" in report.reason


@pytest.mark.parametrize(("delta", "passes"), [(0.9e-3, True), (1.1e-3, False)])
def test_tolerance_edge(device, make_capsule, delta, passes):
    """tau 1e-3 of the largest reference, here 2, so 2e-3 absolute."""

    def kernel(d):
        def run(m):
            y = np.ones(64, np.float32)
            y[0] = 2
            y[30] += np.float32(2 * d)
            m.write("y", y)

        return run

    k0 = device.object("k0", kernel(0))
    tight = Tolerance(theta=0.0, tau=1e-3)
    assert judge(device, k0, kernel(delta), make_capsule(tolerance=tight)).ok is passes


def test_result_from_undefined_registers(device, k0, make_capsule):
    def kernel(m):
        y = m.read("x") * np.float32(2.5)
        y[0] += np.float32(m.junk.uniform(0, 1e-6))
        m.write("y", y)

    report = judge(device, k0, kernel, make_capsule())
    assert report.status == "divergent"
    assert "undefined" in report.reason


def test_endless_loop_ends_by_budget(device, k0, make_capsule):
    def kernel(m):
        while True:
            m.read("x")

    report = judge(device, k0, kernel, make_capsule(), budget_floor=1000)
    assert report.status == "runtime_failure"
    assert "budget" in report.reason
    assert device.runs[-1][2].instruction_budget == 1000


def test_low_bytes_left_unwritten_within_tolerance(device, k0, make_capsule):
    """Poison in the lowest byte of a float is within any tolerance, but is not K0's result."""

    def kernel(m):
        y = m.capsule.buffer("y")
        data = (m.read("x") * np.float32(2.5)).tobytes()
        for i in range(64):
            m.store(y.address + 4 * i + 1, data[4 * i + 1 : 4 * i + 4])

    report = judge(device, k0, kernel, make_capsule())
    assert report.status == "divergent"
    assert "leaves unwritten byte 0, 64 bytes unlike K0" in report.reason


def test_inout_changes_count(device, make_capsule):
    capsule = make_capsule(role="inout")
    k0 = device.object("k0", lambda m: m.write("y", m.read("y") + 1))
    assert judge(device, k0, lambda m: m.write("y", m.read("y") + 1), capsule).ok
    assert judge(device, k0, lambda m: m.write("y", m.read("y") + 2), capsule).status == "divergent"
    assert judge(device, k0, lambda m: m.read("y"), capsule).status == "divergent"


def test_the_second_capsule_can_decide(device, k0, make_capsule):
    def kernel(m):
        if m.capsule.label == "small":
            m.write("y", m.read("x"))
        else:
            scale()(m)

    capsules = [make_capsule(), make_capsule(n=1, label="small"), make_capsule(n=9, label="last")]
    report = verify(k0, device.object("k1", kernel), capsules, device)
    assert report.status == "divergent"
    assert "[small]" in report.reason
    assert len(report.capsules) == 2


def test_a_race_that_a_further_schedule_shows(device, k0, make_capsule):
    def kernel(m):
        scale(2.5 if m.schedule == "barrier" else 3)(m)

    capsule = make_capsule()
    assert judge(device, k0, kernel, capsule).ok
    report = judge(device, k0, kernel, capsule, schedules=("interleave:7",))
    assert report.status == "divergent"
    assert "interleave:7" in report.reason


def test_a_schedule_that_changes_k0_itself_is_left_out_and_noted(device, make_capsule):
    def kernel(m):
        scale(2.5 if m.schedule == "barrier" else 3)(m)

    k0 = device.object("k0", kernel)
    report = judge(device, k0, kernel, make_capsule(), schedules=("interleave:7", "barrier"))
    assert report.ok
    assert report.capsules[0].notes == (
        "schedule interleave:7 left out: it changes K0's own result",
    )


def test_a_schedule_that_changes_k0_within_the_tolerance_has_its_own_reference(
    device, make_capsule
):
    """As float atomics do: their order is the schedule's."""

    def kernel(factor):
        def run(m):
            scale(factor if m.schedule == "barrier" else factor * (1 + 1e-5))(m)

        return run

    k0 = device.object("k0", kernel(2.5))
    options = {"schedules": ("interleave:7",), "stress": ()}
    report = judge(device, k0, kernel(2.5), make_capsule(), **options)
    assert report.evidence_class == "tested-exact"
    assert "within the tolerance" in report.capsules[0].notes[0]
    assert [r.schedule for r in report.capsules[0].runs if not r.late_loads][-1] == "interleave:7"
    exact = judge(device, k0, kernel(2.5), make_capsule(), exact=True, **options)
    assert exact.ok
    assert "left out" in exact.capsules[0].notes[0]


def test_imposed_tolerance_overrides_the_buffers_own(device, k0, make_capsule):
    tight = Tolerance(1.0, 0.0)
    assert (
        judge(device, k0, scale(2.5000005), make_capsule(), tolerance=tight).status == "divergent"
    )
    loose = Tolerance(0.9, 0.1)
    assert judge(device, k0, scale(2.6), make_capsule(), tolerance=loose).ok


# Economy and edges


def test_k0_runs_once_per_capsule_for_many_candidates(device, k0, make_capsule):
    oracle = DifferentialOracle(k0, device)
    capsule = make_capsule()
    k1 = device.object("k1", scale())
    for _ in range(5):
        assert oracle.check(k1, capsule).status == "accepted"
    assert oracle.check(k1, make_capsule(label="the same contents")).status == "accepted"
    # K0: A twice, B, late loads, two placements, and two wave orders for what varies by itself.
    assert sum(o == k0 for o, _, _ in device.runs) == 8
    assert sum(o == k1 for o, _, _ in device.runs) == 6 * 5


def test_a_failing_candidate_stops_at_its_first_run(device, k0, make_capsule):
    judge(device, k0, scale(9), make_capsule())
    assert sum(o == b"k1" for o, _, _ in device.runs) == 1


def test_no_capsule_is_an_input_error(device, k0):
    with pytest.raises(InputError, match="nothing to verify"):
        verify(k0, k0, [], device)


def test_unsupported_instruction_is_said(device, k0, make_capsule, stop):
    def raises(m):
        raise UnsupportedError("instruction v_foo is not implemented", "report it")

    def returns(m):
        raise stop(Fault("unsupported", "instruction v_foo is not implemented"))

    for kernel in (raises, returns):
        report = judge(device, k0, kernel, make_capsule())
        assert (report.status, report.exit_code) == ("unsupported", 3)
        assert "v_foo" in report.reason
        bad = device.object("bad", kernel)
        assert verify(bad, bad, [make_capsule()], device).status == "unsupported"


def test_a_device_that_forgets_a_buffer_is_broken(device, k0, make_capsule, monkeypatch):
    monkeypatch.setattr(device, "run", lambda *_: RunResult(ok=True, buffers={}))
    with pytest.raises(EnvironmentFault, match="no contents"):
        verify(k0, k0, [make_capsule()], device)


def test_poison_fills_outputs_only_and_differs_in_every_byte(device, k0, make_capsule):
    capsule = make_capsule()
    before = {}

    def look(m):
        y = m.capsule.buffer("y")
        before[m.options.poison] = np.frombuffer(y.data, np.uint8)
        assert m.capsule.buffer("x").data == capsule.buffer("x").data
        scale()(m)

    assert judge(device, k0, look, capsule, stress=()).ok
    a, b = before.values()
    assert (a != b).all()
    assert len(set(a.tolist())) > 64


def test_evidence_is_plain_json_and_repeats(device, k0, make_capsule):
    capsules, config = [make_capsule()], VerifyConfig(schedules=("interleave:3",))
    k1 = device.object("k1", scale(2.5000002))
    records = []
    for _ in range(2):
        report = verify(k0, k1, capsules, device, config)
        records.append(json.dumps(evidence(report, k0, k1, capsules, device, config)))
    assert records[0] == records[1]
    record = json.loads(records[0])
    assert record["evidence_class"] == "tested-tolerance"
    assert record["capsules"][0]["digest"] == capsules[0].digest()
    runs = record["results"][0]["runs"]
    assert [r["placement"] for r in runs] == ["home", "home", "low", "high", "home", "home"]
    assert record["device"] == {"name": "fake", "label": "modelled"}
    assert "equivalent" not in record["statement"]
    failed = verify(k0, device.object("k2", scale(9)), capsules, device, config)
    assert "not accepted" in evidence(failed, k0, k1, capsules, device, config)["statement"]
    json.dumps(failed.to_json(), allow_nan=False)


# Loads that arrive late


def early(m):
    """Adds one, but uses the loaded value before it arrived."""
    x = m.read("x") + 1
    m.write("y", x + 5 if m.options.late_loads else x)


def late_enough(m):
    m.write("y", m.read("x") + 1)


def test_a_lost_wait_shows_when_loads_arrive_late(device, make_capsule):
    report = judge(device, device.object("waits", late_enough), early, make_capsule())
    assert report.status == "divergent"
    assert "arrive late" in report.reason
    assert report.capsules[0].runs[-1].late_loads
    assert not any(r.late_loads for r in report.capsules[0].runs[:-1])


def test_late_loads_may_not_change_anything_at_all(device, make_capsule):
    def barely(m):
        x = m.read("x") + 1
        m.write("y", x * np.float32(1 + 1e-6) if m.options.late_loads else x)

    report = judge(device, device.object("waits", late_enough), barely, make_capsule())
    assert report.status == "divergent"
    assert "arrive late" in report.reason


def test_a_k0_that_works_by_elapsed_time_is_not_run_with_late_loads(device, make_capsule):
    report = judge(device, device.object("by time", early), early, make_capsule())
    assert report.ok
    assert any("late loads left out" in n for n in report.capsules[0].notes)
    assert not any(r.late_loads for r in report.capsules[0].runs)


def test_late_loads_can_be_switched_off(device, make_capsule):
    k0 = device.object("waits", late_enough)
    assert judge(device, k0, early, make_capsule(), late_loads=False).ok


def test_result_from_undefined_scratch(device, k0, make_capsule):
    """Scratch without an init holds other junk in every run, as an output does."""
    base = make_capsule()
    y = base.buffer("y")
    scratch = dataclasses.replace(
        y, name="s", role="scratch", address=y.address + (1 << 33), undefined=True
    )
    capsule = dataclasses.replace(base, buffers=(*base.buffers, scratch))

    def kernel(m):
        out = m.read("x") * np.float32(2.5)
        # One bit of what nobody wrote, within any tolerance.
        out[3] += np.float32(1e-6) * (m.read("s").view(np.uint32)[0] & 1)
        m.write("y", out)

    report = judge(device, k0, kernel, capsule)
    assert report.status == "divergent"
    assert "depends on undefined" in report.reason

    def written_first(m):
        m.write("s", np.zeros(64, np.float32))
        kernel(m)

    assert judge(device, k0, written_first, capsule).ok


def test_poison_reaches_scratch_without_an_init_only(make_capsule):
    base = make_capsule()
    y = base.buffer("y")
    capsule = dataclasses.replace(
        base,
        buffers=(
            *base.buffers,
            dataclasses.replace(
                y, name="s", role="scratch", address=y.address + (1 << 33), undefined=True
            ),
            dataclasses.replace(
                y, name="z", role="scratch", address=y.address + (1 << 34), undefined=False
            ),
        ),
    )
    a, b = (poisoned(capsule, p, 5) for p in ("A", "B"))
    differ = {
        x.name for x in a.buffers if x.data != b.buffer(x.name).data
    }  # fmt: skip
    assert differ == {"y", "s"}
