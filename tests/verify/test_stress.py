"""Stressed inputs and coverage: where unit normals and one launch prove too little."""

from __future__ import annotations

import dataclasses
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.model import BufferState, Capsule
from asmevo.errors import InputError, UnsupportedError
from asmevo.verify.evidence import evidence
from asmevo.verify.oracle import DifferentialOracle, VerifyConfig, verify
from asmevo.verify.report import coverage
from asmevo.verify.stress import FLOAT_STRESSES, INTEGER_STRESSES, stressed, subjects


def softmax(m, shift=np.max):
    x = m.read("x").astype(np.float32)
    with np.errstate(all="ignore"):
        e = np.exp(x - np.float32(shift(x)))
        m.write("y", e / e.sum())


def test_a_softmax_without_its_maximum_passes_on_unit_normals_only(device, make_capsule):
    k0 = device.object("k0", softmax)
    k1 = device.object("k1", lambda m: softmax(m, shift=lambda _: 0))
    plain = verify(k0, k1, [make_capsule()], device, VerifyConfig(stress=()))
    assert plain.evidence_class == "tested-tolerance"
    report = verify(k0, k1, [make_capsule()], device)
    assert report.status == "divergent"
    assert "+wide" in report.reason


def test_a_lost_epsilon_shows_on_tiny_inputs(device, make_capsule):
    def norm(eps):
        def kernel(m):
            x = m.read("x").astype(np.float64)
            m.write("y", x / np.sqrt((x * x).mean() + eps))

        return kernel

    k0, k1 = device.object("k0", norm(1e-6)), device.object("k1", norm(0))
    assert verify(k0, k1, [make_capsule()], device, VerifyConfig(stress=("wide",))).ok
    assert "+tiny" in verify(k0, k1, [make_capsule()], device).reason


def test_a_maximum_that_starts_from_zero_shows_on_negative_inputs(device, make_capsule):
    def kernel(start):
        return lambda m: m.write("y", np.full(64, max(start, m.read("x").max())))

    k0, k1 = device.object("k0", kernel(-np.inf)), device.object("k1", kernel(0.0))
    assert "+negative" in verify(k0, k1, [make_capsule()], device).reason


def test_nan_handling_shows_on_special_inputs(device, make_capsule):
    k0 = device.object("k0", lambda m: m.write("y", np.fmax(m.read("x"), 0)))
    k1 = device.object("k1", lambda m: m.write("y", np.maximum(m.read("x"), 0)))
    assert "+special" in verify(k0, k1, [make_capsule()], device).reason


def test_stressed_launches_come_after_all_launches_and_cost_one_run(device, make_capsule):
    k0, k1 = device.object("k0", softmax), device.object("k1", softmax)
    oracle = DifferentialOracle(k0, device)
    capsules = [make_capsule(label="a"), make_capsule(n=9, label="b")]
    report = oracle.verify(k1, capsules)
    labels = [c.label for c in report.capsules]
    assert labels == ["a", "b"] + [f"{x} +{k}" for x in "ab" for k in FLOAT_STRESSES]
    assert report.evidence_class == "tested-exact"
    assert sum(o == k1 for o, _, _ in device.runs) == 2 * 5 + 2 * len(FLOAT_STRESSES)
    before = sum(o == k0 for o, _, _ in device.runs)
    oracle.verify(k1, capsules)
    assert sum(o == k0 for o, _, _ in device.runs) == before, "K0's runs are remembered"


@pytest.mark.parametrize("how", ["fault", "unsupported"])
def test_where_k0_cannot_run_the_stress_is_left_out_and_noted(device, make_capsule, how):
    def kernel(m):
        x = m.read("x")
        if not np.isfinite(x).all() or np.abs(x).max() > 100:
            if how == "unsupported":
                raise UnsupportedError("v_exotic is not implemented")
            m.load(0, 4)
        m.write("y", x)

    k0 = device.object("k0", kernel)
    oracle = DifferentialOracle(k0, device)
    for _ in range(2):
        report = oracle.verify(k0, [make_capsule()])
        assert report.ok
        assert any("+wide" in n and "left out" in n for n in report.notes)
    record = evidence(report, k0, k0, [make_capsule()], device, oracle.config)
    assert record["notes"] == list(report.notes)


def test_each_kind_has_its_element_types(make_capsule):
    base = make_capsule()
    x = dataclasses.replace(base.buffer("x"), dtype="i32")
    integers = dataclasses.replace(base, buffers=(x, base.buffer("y")))
    for kind in FLOAT_STRESSES:
        assert stressed(integers, kind, 1) is None
        assert [b.name for b in subjects(base, kind)] == ["x"], "an output is no input"
    for kind in INTEGER_STRESSES:
        assert stressed(base, kind, 1) is None
        assert stressed(integers, kind, 1).buffer("x").data != x.data


def one_buffer(values, kind, role="in") -> Capsule:
    data = np.asarray(values).astype(dtype(kind).numpy).tobytes()
    state = BufferState("x", 1 << 20, data, kind, (len(values),), role)
    return Capsule(
        "k", (1, 1, 1), (64, 1, 1), 0, struct.pack("<Q", 1 << 20), (state,), 1 << 30, label="l"
    )


_MAY_KEEP = ("negative", "zeros")  # negative already; zeros of one sign in formats without -0
kinds = st.sampled_from(["f64", "f32", "f16", "bf16", "e4m3fnuz", "e5m2fnuz", "e4m3fn", "e5m2"])


@given(kinds, st.lists(st.floats(-30, 30), min_size=1, max_size=50), st.integers(0, 9))
def test_stress_is_a_function_and_keeps_the_shape(kind, values, seed):
    capsule = one_buffer(values, kind, "inout")
    before = capsule.buffer("x").array().astype(np.float64)
    for stress in FLOAT_STRESSES:
        found = stressed(capsule, stress, seed)
        assert found == stressed(capsule, stress, seed)
        if found is None:
            # A small buffer, or one of zeros, may stay as it is.
            assert len(values) < 8 or not np.any(before) or stress in _MAY_KEEP
            continue
        assert found.label == f"l +{stress}"
        assert found.kernarg == capsule.kernarg
        after = found.buffer("x").array().astype(np.float64)
        assert after.shape == before.shape
        if stress == "special":
            assert (after != before).sum() <= max(1, len(values) // 512)
            continue
        if stress in ("dense", "runs"):
            continue
        assert np.isfinite(after).all(), "finite inputs stay finite"
        if stress == "negative":
            assert sorted(after) == sorted(-abs(before))
        if stress == "tiny":
            assert abs(after).max() <= 32 / 4096
        if stress == "zeros":
            assert np.all((after == 0) | (after == before))


@pytest.mark.parametrize("kind", ["f64", "f32", "f16", "bf16"])
def test_kinds_reach_the_range_of_the_type(kind):
    """Limits of the types: IEEE 754-2008 table 3.5, and bfloat16 as float32's upper half."""
    largest, normal = {
        "f64": (1.7976931348623157e308, 2.0**-1022),
        "f32": (3.4028234663852886e38, 2.0**-126),
        "f16": (65504.0, 2.0**-14),
        "bf16": (3.3895313892515355e38, 2.0**-126),
    }[kind]
    capsule = one_buffer(np.random.default_rng(1).normal(0, 1, 2000), kind)

    def size(stress):
        return np.abs(stressed(capsule, stress, 1).buffer("x").array().astype(np.float64))

    assert size("large").max() > largest**0.5 / 2
    assert size("large").min() >= 1.0
    assert size("large").max() <= largest**0.5, "products stay finite"
    assert 0 < size("faint").min() < normal * 64
    assert (size("denormal") <= normal).all()
    assert (size("denormal") > 0).mean() > 0.9
    dense = stressed(capsule, "dense", 1).buffer("x").array().astype(np.float64)
    assert np.isnan(dense).sum() > 30
    assert np.isposinf(dense).any()
    assert np.isneginf(dense).any()
    assert ((dense == 0) & np.signbit(dense)).any()
    finite = np.abs(dense[np.isfinite(dense) & (dense != 0)])
    assert finite.max() > largest / 16
    assert finite.min() < normal
    assert ((finite > 8192) & (finite < largest / 4)).sum() > 20


@pytest.mark.parametrize(
    ("kind", "bits", "quiet"),
    [("f32", np.uint32, 22), ("f16", np.uint16, 9), ("bf16", np.uint16, 6)],
)
def test_dense_nan_carry_payloads_and_are_quiet(kind, bits, quiet):
    capsule = one_buffer(np.zeros(60_000), kind)
    state = stressed(capsule, "dense", 1).buffer("x")
    nan = state.array().view(bits)[np.isnan(state.array().astype(np.float64))]
    assert len(np.unique(nan)) > 30
    assert np.all(nan >> quiet & 1), "signalling ones order operations that no source orders"


def test_a_spike_hits_both_ends_and_every_row():
    state = one_buffer(np.ones(20 * 100), "f32").buffer("x")
    state = dataclasses.replace(state, shape=(20, 100))
    capsule = dataclasses.replace(one_buffer(np.ones(1), "f32"), buffers=(state,))
    values = stressed(capsule, "spike", 3).buffer("x").array()
    assert np.all((values == 4096).sum(axis=1) == 1)
    assert values[0, 0] == values[-1, -1] == 4096


@pytest.mark.parametrize("kind", ["i8", "u8", "i32", "u32", "i64"])
def test_integers_at_their_edges(kind):
    capsule = one_buffer(np.arange(3, 90), kind)
    bounds = stressed(capsule, "bounds", 1).buffer("x").array()
    assert set(bounds.tolist()) == {3, 89}, "an index stays one that was there"
    edges = stressed(capsule, "edges", 1).buffer("x").array().tolist()
    info = np.iinfo(dtype(kind).numpy)
    assert {info.min, info.max, 0} <= set(edges)
    assert len(set(edges) & set(range(3, 90))) > 60


def test_an_integer_stress_that_makes_k0_depend_on_the_order_is_left_out(device, make_capsule):
    """Two elements scatter to one place: whichever wave comes last wins."""

    def scatter(m):
        indices = m.read("x").astype(np.int64)
        values = np.zeros(64)
        order = range(64) if m.schedule == "barrier" else range(63, -1, -1)
        for i in order:
            values[indices[i]] = i
        m.write("y", values)

    base = make_capsule()
    x = np.random.default_rng(1).permutation(64).astype(np.int32).tobytes()
    state = dataclasses.replace(base.buffer("x"), dtype="i32", data=x)
    capsule = dataclasses.replace(base, buffers=(state, base.buffer("y")))
    k0 = device.object("k0", scatter)
    report = verify(k0, k0, [capsule], device, VerifyConfig(stress=("bounds",)))
    assert report.ok
    assert any("+bounds" in n and "order of waves" in n for n in report.notes)


def test_saturation_at_8192_shows(device, make_capsule):
    """A14_wrong_for_large_and_inf, and its kin in other places of the range."""
    k0 = device.object("k0", lambda m: m.write("y", m.read("x")))

    def broken(change):
        def kernel(m):
            with np.errstate(all="ignore"):
                m.write("y", change(m.read("x")))

        return kernel

    for n, change in enumerate((
        lambda x: np.where(np.abs(x) > 8192, np.float32(8192), x),
        lambda x: np.where(np.isinf(x), np.float32(3e38), x),
        lambda x: np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf),
        lambda x: np.where(np.abs(x) > 2.0**30, np.float32(2.0**30), x),
        lambda x: np.where(np.abs(x) < 2.0**-126, np.float32(0), x),
        lambda x: x.astype(np.float16).astype(np.float32),
        lambda x: np.where(x == -np.inf, np.float32(np.inf), x),
    )):  # fmt: skip
        report = verify(k0, device.object(f"k{n + 1}", broken(change)), [make_capsule(n=1000)],
                        device)  # fmt: skip
        assert report.status == "divergent", n


@pytest.mark.parametrize("count", [200_001, 50 * 4096])
def test_large_buffers_are_shuffled_in_blocks(count):
    values = np.arange(count, dtype=np.float32)
    wide = stressed(one_buffer(values, "f32"), "wide", 0).buffer("x").array()
    assert not np.array_equal(wide, values * 1024)
    assert np.array_equal(np.sort(wide), values * 1024)
    assert (np.diff(wide) == 1024).mean() < 0.01, "neighbours do not stay together"


def test_huge_launches_are_not_stressed_and_say_so(device, make_capsule):
    k0 = device.object("k0", softmax)
    report = verify(k0, k0, [make_capsule()], device, VerifyConfig(stress_limit=100))
    assert [c.label for c in report.capsules] == ["n=64"]
    assert len(report.notes) == len(FLOAT_STRESSES)
    assert all("stress limit" in n for n in report.notes)


def test_wide_scales_up_to_the_formats_range():
    wide = stressed(one_buffer([1.0, -2.0, 0.0], "f32"), "wide", 0).buffer("x").array()
    assert sorted(wide.tolist()) == [-2048.0, 0.0, 1024.0]
    small = stressed(one_buffer([1.0, -2.0, 0.0], "e4m3fnuz"), "wide", 0).buffer("x").array()
    assert sorted(small.astype(float).tolist()) == [-240.0, 0.0, 240.0]


def test_different_seeds_and_buffers_differ():
    capsule = one_buffer(list(range(40)), "f32")
    assert stressed(capsule, "wide", 1) != stressed(capsule, "wide", 2)


def test_unknown_stress_is_refused():
    with pytest.raises(InputError, match="unknown stress 'loud'"):
        VerifyConfig(stress=("loud",))


def test_executed_instructions_are_united_over_launches(device, make_capsule):
    """Counts of three instructions; the second runs for n > 32 only, the third never."""

    def kernel(m):
        x = m.read("x")
        m.counts = [4, 1 if len(x) > 32 else 0, 0]
        m.write("y", x)

    k0 = device.object("k0", kernel)
    small, large = make_capsule(n=8, label="small"), make_capsule(n=64, label="large")
    config = VerifyConfig(stress=())
    one = verify(k0, k0, [small], device, config)
    assert one.executed.tolist() == [True, False, False]
    assert one.untested(0, 3) == (1, 2)
    both = verify(k0, k0, [small, large], device, config)
    assert both.executed.tolist() == [True, True, False]
    assert both.untested(0, 2) == ()
    record = evidence(both, k0, k0, [small, large], device, config)
    assert record["coverage"] == {
        "instructions": 3, "executed": 2, "never_executed": [[2, 3]],
    }  # fmt: skip
    json.dumps(record, allow_nan=False)


@given(st.lists(st.booleans(), max_size=40))
def test_coverage_ranges_hold_exactly_the_unexecuted(executed):
    found = coverage(np.array(executed, dtype=bool))
    never = [i for a, b in found["never_executed"] for i in range(a, b)]
    assert never == [i for i, e in enumerate(executed) if not e]
    assert found["executed"] + len(never) == found["instructions"] == len(executed)
    assert coverage(None) is None


def test_runs_hide_whole_rows_and_leave_others() -> None:
    """Masked rows: a maximum over nothing but minus infinity is minus infinity."""
    rows = np.random.default_rng(1).normal(size=64 * 100).tolist()
    capsule = one_buffer(rows, "f32", "in")
    found = stressed(capsule, "runs", 3)
    assert found is not None
    values = found.buffer("x").array().reshape(-1)
    assert values[0] == -np.inf
    kept = values == capsule.buffer("x").array().reshape(-1)
    assert 0.2 < kept.mean() < 0.8
    assert (np.diff(kept.astype(int)) != 0).sum() < 200  # long stretches
