"""Vendor kernels that skip vector instructions (VSKIP) against their twins that branch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from reference.launch import Arg, Launch
from reference.vendor import BF16, preshuffle
from reference.vendor_moe import SPARE, route

pytestmark = pytest.mark.corpus
TOKENS, EXPERTS, TOPK, DIM, INTER = 3, 2, 1, 512, 256
TWINS = [
    (
        "fmoe_bf16_pertokenInt8_g1u1_silu_1tg_32x256",
        "fmoe_bf16_pertokenInt8_g1u1_vs_silu_1tg_32x256",
    ),
    (
        "fmoe_bf16_pertokenInt8_g1u1_multix_silu_1tg_32x256",
        "fmoe_bf16_pertokenInt8_g1u1_vs_multix_silu_1tg_32x256",
    ),
]


def _launch(kernel: str) -> Launch:
    """One-stage int8 mixture of experts; the arguments are those of fmoe_b16 with scales."""
    rng = np.random.default_rng(3)
    plan = route(rng, TOKENS, EXPERTS, TOPK, 32)
    x = rng.integers(-20, 20, (TOKENS + SPARE, DIM)).astype(np.int8)
    w1 = rng.integers(-20, 20, (EXPERTS, 2 * INTER, DIM)).astype(np.int8)
    w2 = rng.integers(-20, 20, (EXPERTS, DIM, INTER)).astype(np.int8)

    def scale(shape: tuple[int, ...], value: float) -> np.ndarray:
        return np.full(shape, value, np.float32)

    pointers = [
        Arg(0, "O", np.zeros((TOKENS, DIM), BF16), "inout"),
        Arg(16, "X", x),
        Arg(32, "G", np.stack([preshuffle(slab) for slab in w1])),
        Arg(48, "U", np.array([len(plan.ids), TOKENS], np.int32)),
        Arg(64, "D", np.stack([preshuffle(slab) for slab in w2])),
        Arg(80, "XQ", scale((TOKENS + SPARE,), 1 / 64)),
        Arg(96, "GQ", scale((EXPERTS, 2 * INTER), 1 / 64)),
        Arg(112, "DQ", scale((EXPERTS, DIM), 1 / 64)),
        Arg(128, "SMQ", scale((EXPERTS, INTER), 1.0)),
        Arg(144, "STP", plan.ids),
        Arg(160, "SW", plan.sorted_weights),
        Arg(176, "SEP", plan.experts),
    ]
    numbers = [DIM, INTER, TOKENS, EXPERTS, DIM, DIM, INTER, 2 * DIM, 2 * DIM * INTER]
    numbers += [DIM * INTER, 8 * INTER, 4 * DIM, 4 * INTER, TOPK]
    offsets = [192, 208, 224, 240, *range(256, 401, 16)]
    scalars = [Arg(o, f"n{o}", n) for o, n in zip(offsets, numbers, strict=True)]
    return Launch(
        kernel=kernel,
        grid=(1, len(plan.experts), 1),
        block=(256, 1, 1),
        args=(*pointers, *scalars),
        expected={},
        schedule="interleave:16",
        label=kernel,
    )


@pytest.mark.parametrize(("plain", "skipping"), TWINS, ids=["plain", "multix"])
def test_twins_agree(plain: str, skipping: str, aiter_root: Path) -> None:
    found: list[bytes] = []
    for name in (plain, skipping):
        path = next(aiter_root.rglob(f"gfx942/fmoe/silu/{name}.co"))
        data = path.read_bytes()
        kernel = CodeObject.open(data).kernel(None)
        launch = _launch(kernel.name)
        capsule = launch.capsule(kernel.metadata.kernarg_segment_size, "gfx942")
        result = EmulatedDevice().run(data, capsule, RunOptions(poison=1))
        assert result.ok, result.fault
        found.append(result.buffers["O"])
    assert any(found[0])
    assert found[0] == found[1]
