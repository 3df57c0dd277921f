"""What code edits around matrix instructions do to result bits, under the models.

Each property follows from the published formulas; those that do not hold are pinned by a
counterexample, because an edit that relies on them would pass a test with tame data.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.isa.semantics.matrix import matrix_op
from asmevo.isa.semantics.matrix_models import accumulate, model_of
from asmevo.isa.semantics.numpy_algebra import value
from asmevo.isa.semantics.table import FloatMode
from opinion.matrix_operands import codes

LANES = 600
NAMES = {
    "f16": "v_mfma_f32_16x16x16_f16",
    "bf16": "v_mfma_f32_16x16x16_bf16",
    "xf32": "v_mfma_f32_16x16x8_xf32",
    "fp8": "v_mfma_f32_16x16x32_fp8_fp8",
}
Codes = np.ndarray


def run(name: str, a: Codes, b: Codes, c: Codes, arch: str = "gfx942") -> Codes:
    """D of each lane: a, b are [lanes, k] codes, c f32 bits."""
    op = matrix_op(name)
    assert op is not None
    model = model_of(op, arch, name)
    columns = [[value(x[:, k].astype(np.uint32), 32) for k in range(x.shape[1])] for x in (a, b)]
    mode = FloatMode(fnuz=arch != "gfx950")
    acc = value(c, 32, "f")
    return np.asarray(accumulate(op, model, mode, acc, *columns).raw)


def operands(kind: str, k: int, seed: int) -> tuple[Codes, Codes, Codes]:
    rng = np.random.default_rng(seed)
    a, b = (codes(kind, "gfx942", LANES * k, rng, "wide").reshape(LANES, k) for _ in range(2))
    c = codes("f32", "gfx942", LANES, rng, "plain").astype(np.uint32)
    return a, b, c


def depth(kind: str) -> int:
    return {"xf32": 8, "fp8": 32}.get(kind, 16)


@pytest.mark.parametrize("kind", NAMES)
def test_swapping_a_and_b_changes_nothing(kind: str) -> None:
    a, b, c = operands(kind, depth(kind), 1)
    np.testing.assert_array_equal(run(NAMES[kind], a, b, c), run(NAMES[kind], b, a, c))


@pytest.mark.parametrize(("kind", "size"), [("f16", 8), ("bf16", 8), ("xf32", 4)])
def test_k_may_be_permuted_inside_a_group(kind: str, size: int) -> None:
    a, b, c = operands(kind, depth(kind), 2)
    before = run(NAMES[kind], a, b, c)
    rng = np.random.default_rng(3)
    inside = np.concatenate([at + rng.permutation(size) for at in range(0, depth(kind), size)])
    np.testing.assert_array_equal(run(NAMES[kind], a[:, inside], b[:, inside], c), before)
    across = np.roll(np.arange(depth(kind)), 1)
    assert np.any(run(NAMES[kind], a[:, across], b[:, across], c) != before)


def test_fp8_keeps_its_parity() -> None:
    a, b, c = operands("fp8", 32, 4)
    before = run(NAMES["fp8"], a, b, c)
    same = np.arange(32).reshape(2, 8, 2)[:, ::-1].reshape(-1)  # pairs reversed: parity kept
    np.testing.assert_array_equal(run(NAMES["fp8"], a[:, same], b[:, same], c), before)
    other = same.copy()
    other[[2, 5]] = other[[5, 2]]
    assert np.any(run(NAMES["fp8"], a[:, other], b[:, other], c) != before)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_tiles_of_both_shapes_agree(kind: str) -> None:
    a, b, c = operands(kind, 16, 5)
    whole = run(NAMES[kind], a, b, c)
    half = f"v_mfma_f32_32x32x8_{kind}"
    chained = run(half, a[:, 8:], b[:, 8:], run(half, a[:, :8], b[:, :8], c))
    np.testing.assert_array_equal(chained, whole)


@pytest.mark.parametrize("kind", NAMES)
def test_zero_products_leave_the_accumulator(kind: str) -> None:
    a, b, c = operands(kind, depth(kind), 6)
    np.testing.assert_array_equal(run(NAMES[kind], np.zeros_like(a), b, c), c)
    tiny = np.arange(1, LANES + 1, dtype=np.uint32)  # subnormals stay, unlike on gfx90a
    np.testing.assert_array_equal(run(NAMES[kind], np.zeros_like(a), b, tiny), tiny)
    zeros = np.zeros_like(a[:, :8])
    old = run("v_mfma_f32_16x16x16f16", zeros, zeros, tiny, "gfx90a")
    assert not np.any(old)


def test_negating_everything_is_not_neutral() -> None:
    a, b, c = operands("f16", 16, 7)
    plain = run(NAMES["f16"], a, b, c)
    negated = run(NAMES["f16"], a ^ np.uint64(0x8000), b, c ^ np.uint32(1 << 31))
    assert np.any(negated ^ np.uint32(1 << 31) != plain)
    size, sign = "v_mfma_f32_16x16x16f16", np.uint32(1 << 31)
    plain = run(size, a, b, c, "gfx90a")
    negated = run(size, a ^ np.uint64(0x8000), b, c ^ sign, "gfx90a")
    different = (negated ^ sign != plain) & ((plain & ~sign) != 0)
    assert not np.any(different), "symmetric there, but for zeros"


def test_starting_from_zero_and_adding_later_differs() -> None:
    a, b, c = operands("bf16", 16, 8)
    whole = run(NAMES["bf16"], a, b, c)
    apart = run(NAMES["bf16"], a, b, np.zeros_like(c)).view(np.float32) + c.view(np.float32)
    assert np.any(apart.view(np.uint32) != whole)
