"""One wrong element fails at any tolerance; honest rounding in another order does not.

The sums are computed by NumPy in two orders; what is wrong is wrong by construction.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.model import BufferState, Tolerance
from asmevo.verify import elements as module
from asmevo.verify.compare import compare_buffer
from asmevo.verify.elements import judge_elements

DEFAULT = Tolerance()
WIDE_OPEN = Tolerance(0.0, 10.0)
FLOATS = ("f64", "f32", "f16", "bf16")


def run(a, b, kind="f32", tolerance=DEFAULT, shape=None, mask=None):
    np_kind = dtype(kind).numpy
    a, b = (np.asarray(v).astype(np_kind).reshape(-1) for v in (a, b))
    state = BufferState(
        "y", 1 << 20, bytes(a.nbytes), kind, shape or (len(a),), "out", 0, None, True
    )
    return compare_buffer(state, a.tobytes(), b.tobytes(), tolerance, mask)


def mixed(n=5000, large=1e9, at=0, seed=1):
    y = np.random.default_rng(seed).normal(0, 1, n)
    y[at] = large
    return y


@pytest.mark.parametrize("tolerance", [DEFAULT, Tolerance(0.5, 0.5), WIDE_OPEN])
@pytest.mark.parametrize("kind", ["f32", "f64", "bf16"])
def test_small_elements_beside_a_large_one(kind, tolerance):
    """A15_tolerance_mixed_scale: 4999 of 5000 elements are zero."""
    y = mixed()
    wrong = np.where(np.abs(y) > 1e8, y, 0.0)
    found = run(y, wrong, kind, tolerance)
    assert not found.ok
    assert found.max_delta < 1e-7, "the buffer's own scale does not see it"


@pytest.mark.parametrize("share", [0.15, 0.5, 0.9])
def test_a_share_of_small_elements_negated(share):
    y = mixed()
    flip = np.random.default_rng(2).random(len(y)) < share
    assert not run(y, np.where(flip & (np.abs(y) < 1e8), -y, y), tolerance=WIDE_OPEN).ok


def test_small_rows_beside_large_rows():
    """Half of the rows a million times larger: the others' errors count by their own scale."""
    y = np.random.default_rng(3).normal(0, 1, (16, 96))
    y[::2] *= 1e6
    wrong = y.copy()
    wrong[1::2] *= 1.01
    assert not run(y, wrong, shape=(16, 96)).ok
    assert run(y, wrong, shape=(16, 96)).max_delta < 1e-3


@pytest.mark.parametrize("tolerance", [DEFAULT, Tolerance(0.9, 0.1), WIDE_OPEN])
@pytest.mark.parametrize("n", [1000, 4096, 50_000])
@pytest.mark.parametrize("change", [lambda v: 0.0, lambda v: v * 1.02, lambda v: -v])
def test_one_wrong_element_among_thousands(n, tolerance, change):
    y = np.random.default_rng(4).normal(0, 1, n)
    y[n // 3] = 0.9
    wrong = y.copy()
    wrong[n // 3] = change(wrong[n // 3])
    found = run(y, wrong, tolerance=tolerance)
    assert not found.ok
    assert found.worst == (n // 3,)


def test_one_wrong_element_among_rounded_ones():
    """Everything is off by rounding, and one element by much more."""
    rng = np.random.default_rng(5)
    y = rng.normal(0, 1, 8192)
    other = y * (1 + rng.normal(0, 1e-6, 8192))
    assert run(y, other).ok
    other[77] += 0.05
    assert not run(y, other, tolerance=WIDE_OPEN).ok


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("terms", [16, 256, 4096])
@pytest.mark.parametrize("heavy", [False, True])
def test_a_sum_in_another_order_passes(kind, terms, heavy):
    """Dot products accumulated in float32 left to right and in eight partial sums."""
    rng = np.random.default_rng(terms)
    a = rng.normal(0, 1, (512, terms))
    if heavy:
        a = a**3 * 64
    a = (a * rng.normal(0, 1, terms)).astype(np.float32)
    one = np.zeros(512, np.float32)
    parts = np.zeros((8, 512), np.float32)
    for k in range(terms):
        one += a[:, k]
        parts[k % 8] += a[:, k]
    two = np.zeros(512, np.float32)
    for part in parts:
        two += part
    # Rounding to a narrow type may take one step of it, which tau has to allow for.
    tolerance = {"f32": DEFAULT, "f16": DEFAULT, "bf16": Tolerance(0.999, 8e-3)}[kind]
    found = run(one, two, kind, tolerance)
    assert found.ok, found.reason


def test_accumulation_in_half_precision_passes_with_its_own_tolerance():
    """float16 partial sums are off by a percent everywhere; small results by more of themselves."""
    rng = np.random.default_rng(6)
    a = rng.normal(0, 1, (4096, 256)).astype(np.float16)
    one, parts = np.zeros(4096, np.float16), np.zeros((4, 4096), np.float16)
    for k in range(256):
        one += a[:, k]
        parts[k % 4] += a[:, k]
    two = (parts[0] + parts[1]) + (parts[2] + parts[3])
    found = run(one, two, "f16", Tolerance(0.999, 0.02))
    assert found.ok, found.reason


def test_a_rectifier_moves_its_boundary_by_rounding():
    """max(x, 0) of a sum near 0: zero on one side, 1e-9 on the other."""
    rng = np.random.default_rng(7)
    x = rng.normal(0, 1, 4096)
    x[::7] = 0.0
    other = x.copy()
    other[::7] = 1e-9
    assert run(np.maximum(x, 0), np.maximum(other, 0)).ok


@pytest.mark.parametrize("kind", FLOATS)
def test_denormals_flushed_to_zero_are_wrong(kind):
    tiny = float(module._Steps.of(dtype(kind).numpy).smallest)
    y = np.arange(1, 129) * (tiny * 2)
    assert run(y, y + tiny, kind, Tolerance(0.0, 1.0)).ok, "a step of the type is rounding"
    assert not run(y, np.where(np.arange(128) > 9, 0, y), kind, Tolerance(0.0, 1.0)).ok


def test_elements_that_do_not_count_take_no_part():
    y = np.ones(512)
    y[:256] = 1e30  # junk, equal in both
    wrong = y.copy()
    wrong[256:] = 1.01
    mask = np.repeat(np.arange(512) >= 256, 4)
    assert not run(y, wrong, mask=mask).ok


@settings(max_examples=50)
@given(
    st.integers(1, 400), st.integers(1, 300), st.sampled_from([1.0, 1e9]), st.integers(0, 2**32 - 1)
)
def test_scales_by_the_definition(rows, columns, large, seed):
    """Worst deviation against medians computed element by element."""
    rng = np.random.default_rng(seed)
    rows = 1 + rows // max(1, columns // 8)
    y = rng.normal(0, 1, (rows, columns)) * (rng.random((rows, columns)) > 0.2)
    y[0, 0] = large
    at = (int(rng.integers(rows)), int(rng.integers(columns)))
    wrong = y.copy()
    wrong[at] += 0.01
    flat = y.reshape(1, -1) if columns < 64 else y
    row, column = divmod(at[0] * columns + at[1], flat.shape[1])
    first = column // 64 * 64
    width = flat.shape[1]
    piece = flat[row, first : first + 64] if first + 64 <= width else flat[row, -64:]
    positive = sorted(np.abs(piece[piece != 0]))
    if not positive:
        return
    scale = max(abs(y[at]), positive[(len(positive) - 1) // 2])
    # f64 buffers: the bound is 2 * tau.
    for tau, ok in ((0.0055 / scale, True), (0.0045 / scale, False)):
        found = judge_elements(y.reshape(-1), wrong.reshape(-1), (rows, columns), None, tau)
        local = found is not None and "is above" in found.reason
        assert local == (not ok and 0.01 / scale > module.LOCAL)


def test_pieces_give_the_same_answer(monkeypatch):
    y = np.random.default_rng(8).normal(0, 1, (40, 200)).astype(np.float32)
    wrong = y * (1 + np.random.default_rng(9).normal(0, 1e-3, y.shape)).astype(np.float32)
    whole = judge_elements(y.reshape(-1), wrong.reshape(-1), y.shape, None, 0.0)
    for chunk in (64, 128, 1024):
        monkeypatch.setattr(module, "_CHUNK", chunk)
        assert judge_elements(y.reshape(-1), wrong.reshape(-1), y.shape, None, 0.0) == whole
