"""Comparison rules as properties, with figures computed the long way."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.model import BufferState, Tolerance
from asmevo.errors import InputError
from asmevo.verify import compare as module
from asmevo.verify.compare import compare_buffer
from asmevo.verify.poison import depends_on_poison, poison_bytes, written

DEFAULT = Tolerance()
STRICT = Tolerance(1.0, 0.0)
ANY = Tolerance(0.0, 1e300)


def buffer(kind="f32", n=8, tolerance=None):
    size = dtype(kind).size * n
    return BufferState("y", 1 << 20, bytes(size), kind, (n,), "out", 0, tolerance, True)


def run(a, b, kind="f32", tolerance=DEFAULT, mask=None):
    np_kind = dtype(kind).numpy
    a, b = (np.asarray(v).astype(np_kind) for v in (a, b))
    return compare_buffer(buffer(kind, len(a)), a.tobytes(), b.tobytes(), tolerance, mask)


floats = hnp.arrays(
    np.float32,
    st.integers(1, 40),
    elements=st.floats(-(2.0**100), 2.0**100, width=32, allow_nan=False),
)
wild = hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(width=32))


@given(wild)
def test_equal_bytes_are_exact_whatever_they_hold(values):
    found = run(values, values, tolerance=STRICT)
    assert found.ok
    assert found.exact


@given(floats, st.data())
def test_figures_are_the_definitions(a, data):
    b = data.draw(
        hnp.arrays(np.float32, a.shape, elements=st.floats(-(2.0**100), 2.0**100, width=32))
    )
    tau = data.draw(st.sampled_from([0.0, 1e-6, 1e-3, 0.5]))
    theta = data.draw(st.sampled_from([0.0, 0.5, 0.9999]))
    found = run(a, b, tolerance=Tolerance(theta, tau))
    scale = max(math.fabs(float(v)) for v in a)
    delta = max(math.fabs(float(x) - float(y)) for x, y in zip(a, b, strict=True))
    if a.tobytes() == b.tobytes():
        assert found.exact
        return
    assert not found.exact
    if scale == 0:
        assert found.ok == (delta == 0)
        return
    assert found.scale == scale
    assert found.max_delta == pytest.approx(delta / scale, rel=1e-9)
    # Python integers: the cosine without any rounding until the end.
    x, y = ([int(float(v) * 2**149) for v in u] for u in (a, b))
    dot = sum(p * q for p, q in zip(x, y, strict=True))
    norm = sum(p * p for p in x) * sum(q * q for q in y)
    if norm:
        cosine = math.copysign(math.sqrt((dot * dot) / norm), dot) if dot else 0.0
        assert found.cosine == pytest.approx(cosine, abs=1e-6)
        clear = abs(cosine - theta) > 1e-6 and abs(delta / scale - tau) > 1e-9 * max(1, tau)
        if clear:
            within = cosine >= theta and delta / scale <= tau
            # Single elements may be refused beyond that, never the other way round.
            by_element = "around it" in found.reason or "lost more" in found.reason
            assert found.ok == (within and not by_element)
            assert within or not by_element


@given(wild, st.data())
def test_special_values_may_not_move(a, data):
    index = data.draw(st.integers(0, len(a) - 1))
    b = a.copy()
    b[index] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf, np.float32(1)]))
    found = run(a, b, tolerance=ANY)
    x, y = float(a[index]), float(b[index])
    specials = (math.isnan(x), x == math.inf, x == -math.inf), (
        math.isnan(y), y == math.inf, y == -math.inf,
    )  # fmt: skip
    if specials[0] != specials[1]:
        assert not found.ok
        assert found.worst == (index,)
    json.dumps(found.to_json(), allow_nan=False)


@given(hnp.arrays(np.int32, st.integers(1, 30)), st.integers(0, 29), st.integers(1, 2**31 - 1))
def test_integers_have_no_tolerance(a, index, change):
    b = a.copy()
    index %= len(a)
    b[index] ^= change
    found = run(a, b, "i32", ANY)
    assert not found.ok
    assert found.worst == (index,)
    assert found.differing == 1


def test_zero_reference_accepts_zero_only():
    assert run([0.0, 0.0], [-0.0, 0.0], tolerance=STRICT).ok
    assert not run([0.0, 0.0], [1e-30, 0.0], tolerance=ANY).ok


def test_wrong_size_is_refused():
    with pytest.raises(InputError, match="bytes"):
        compare_buffer(buffer(), bytes(32), bytes(31), STRICT)


def test_buffers_own_tolerance_wins():
    a, b = (np.array(v, np.float32).tobytes() for v in ([1.0, 1.0], [1.0, 1.05]))
    assert not compare_buffer(buffer(n=2), a, b, Tolerance(0, 0.01)).ok
    assert compare_buffer(buffer(n=2, tolerance=Tolerance(0, 0.1)), a, b, Tolerance(0, 0.01)).ok


def test_unwritten_elements_take_no_part_in_the_scale():
    """Poison that reads as 1e38 must not make the tolerance meaningless."""
    a = np.array([1e38, 1.0, 1.0], np.float32)
    b = np.array([1e38, 1.0, 1.5], np.float32)
    mask = np.repeat([False, True, True], 4)
    assert run(a, b).max_delta < 1e-38
    found = run(a, b, mask=mask)
    assert not found.ok
    assert found.max_delta == 0.5
    assert found.scale == 1.0
    assert found.elements == 2


def test_partly_written_elements_are_compared_by_bytes():
    mask = np.ones(8, bool)
    mask[0] = False
    found = run([1.0, 2.0], [1.0000001, 2.0], mask=mask)
    assert not found.ok
    assert "in full" in found.reason


def test_chunks_give_the_same_figures(monkeypatch):
    rng = np.random.default_rng(1)
    a = rng.normal(size=1000)
    b = a + rng.normal(size=1000) * 1e-4
    b[777] += 0.01
    whole = run(a, b, "f64")
    monkeypatch.setattr(module, "_CHUNK", 64)
    parts = run(a, b, "f64")
    assert parts.worst == whole.worst == (777,)
    assert parts.max_delta == whole.max_delta
    assert parts.cosine == pytest.approx(whole.cosine, rel=1e-12)


def test_narrow_floats_compare_by_value():
    assert run([1.0, 2.0], [1.0, 2.0078125 * 1.001], "bf16", Tolerance(0.99, 0.01)).ok
    assert not run([1.0, 2.0], [1.0, 4.0], "e4m3fnuz").ok
    assert not run([1e308, 1.0], [-1e308, 1.0], "f64", Tolerance(0.0, 1.5)).ok


@given(st.binary(min_size=1, max_size=200), st.data())
def test_two_patterns_give_the_exact_written_set(stored, data):
    n = len(stored)
    a, b = (poison_bytes("y", n, p, 7) for p in "AB")
    which = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    after = [
        np.where(which, np.frombuffer(stored, np.uint8), np.frombuffer(p, np.uint8)).tobytes()
        for p in (a, b)
    ]
    mask = written(a, after[0], b, after[1])
    assert np.array_equal(mask, which)
    assert not depends_on_poison(mask, *after).any()


def test_poison_is_a_function_of_name_and_seed():
    assert poison_bytes("y", 64, "A", 1) == poison_bytes("y", 64, "A", 1)
    assert len({poison_bytes(n, 64, "A", s) for n in "xy" for s in (1, 2)}) == 4


@pytest.mark.parametrize(("below", "ok"), [(1e-8, False), (1e-10, False), (0.0, True)])
def test_a_cosine_just_below_theta_is_below(below, ok):
    """Two vectors at a known angle: cos = 0.96 (3-4-5 triangles), asked for a little more."""
    a, b = [3.0, 4.0], [4.0, 3.0]  # dot 24, both norms 25
    found = run(a, b, "f64", Tolerance(24 / 25 + below, 1.0))
    assert found.cosine == pytest.approx(0.96, abs=1e-15)
    assert found.ok is ok
    assert found.reason.count("cosine") == (not ok)
