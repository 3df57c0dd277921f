"""The vendor's fp4 and fp8 GEMMs and experts on f8f6f4 instructions, in both arithmetics."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from asmevo.codeobject.object import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from reference.launch import Launch
from reference.vendor_f4 import block_scale, f4gemm, fused_fp4
from reference.vendor_mla8 import decode_fp8

pytestmark = pytest.mark.corpus
FOLDER = "aiter_meta/hsa/gfx950"


def run(data: bytes, launch: Launch, matrix: Literal["fast", "exact"]) -> None:
    """Run a launch on the emulator and compare."""
    kernarg = CodeObject.open(data).kernel(None).metadata.kernarg_segment_size
    capsule = launch.capsule(kernarg, "gfx950")
    result = EmulatedDevice().run(data, capsule, RunOptions(poison=1, matrix=matrix))
    assert result.fault is None, result.fault.one_line()
    launch.check(result.buffers, capsule)


@pytest.mark.parametrize("matrix", ["fast", "exact"])
@pytest.mark.parametrize(
    ("tile", "size"),
    [
        ((32, 128), (32, 128, 256)),
        ((32, 128), (45, 256, 768)),
        ((96, 256), (90, 256, 512)),
        ((256, 256), (256, 256, 256)),
    ],
)
def test_f4gemm(
    tile: tuple[int, int],
    size: tuple[int, int, int],
    matrix: Literal["fast", "exact"],
    aiter_root: Path,
) -> None:
    name = f"f4gemm_bf16_per1x32Fp4_BpreShuffle_{tile[0]}x{tile[1]}.co"
    data = (aiter_root / FOLDER / "f4gemm" / name).read_bytes()
    run(data, f4gemm(*size, *tile, seed=sum(size)), matrix)


@pytest.mark.parametrize("matrix", ["fast", "exact"])
@pytest.mark.parametrize(
    ("tile", "size"),
    [
        (32, (32, 256, 512)),
        (32, (19, 256, 640)),
        (64, (64, 256, 512)),
        (96, (77, 512, 512)),
        (128, (150, 256, 768)),
    ],
)
def test_fp8_gemm_with_block_scales(
    tile: int,
    size: tuple[int, int, int],
    matrix: Literal["fast", "exact"],
    aiter_root: Path,
) -> None:
    name = f"f8_block_scale_mi350_x{tile}"
    data = (aiter_root / FOLDER / f"{name}.co").read_bytes()
    run(data, block_scale(*size, tile, seed=sum(size)), matrix)


@pytest.mark.parametrize("matrix", ["fast", "exact"])
@pytest.mark.parametrize(
    ("name", "sub", "sizes"),
    [
        ("novs_silu_2tg_32x256", 256, (1, 1, 1, 512, 256)),
        ("vs_silu_1tg_32x512", 512, (2, 2, 1, 512, 512)),
        ("vs_silu_2tg_32x256", 256, (37, 3, 2, 1024, 512)),
    ],
)
def test_fp4_experts(
    name: str,
    sub: int,
    sizes: tuple[int, int, int, int, int],
    matrix: Literal["fast", "exact"],
    aiter_root: Path,
) -> None:
    whole = f"fmoe_bf16_pertokenMXfp4_g1u1_{name}"
    data = (aiter_root / FOLDER / "fmoe" / "silu" / f"{whole}.co").read_bytes()
    run(data, fused_fp4(whole, *sizes, sub, seed=sum(sizes)), matrix)


@pytest.mark.parametrize("matrix", ["fast", "exact"])
@pytest.mark.parametrize("lengths", [(64,), (200, 37)], ids=str)
def test_fp8_latent_attention(
    lengths: tuple[int, ...], matrix: Literal["fast", "exact"], aiter_root: Path
) -> None:
    name = "mla_a8w8_qh16_qseqlen4_gqaratio16.co"
    data = (aiter_root / FOLDER / "mla" / name).read_bytes()
    run(data, decode_fp8(lengths, seed=sum(lengths)), matrix)
