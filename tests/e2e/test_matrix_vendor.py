"""Vendor kernels with exact matrix arithmetic: one per kind of matrix instruction they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.codeobject.object import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from reference.vendor_cases import CASES

pytestmark = pytest.mark.corpus
NAMES = [
    "gfx942-bf16gemm_outf32_tn_64x64_pf3-69x128x320",
    "gfx942-I8gemm_bf16_perTokenI8_BpreShuffle_128x128-137x256x384",
    "gfx942-flatmm-77x256x256",
    "gfx942-pa_fp16_noquant_gqa8_1tg_4w-300",
    "gfx942-MI300/fwd_hd128_bf16_causal_rtne-b1h1q70k70",
    "gfx942-fmoe_stage1_bf16_pertokenFp8_g1u1_32x128_3tg_pf3-t37e3",
    "gfx942-mla_dec_stage1_bf16_a16w16_subQ16_mqa16-300-2",
    "gfx950-fwd_hd128_bf16_group-70",
    "gfx950-pa_bf16_pertokenFp8_gqa8_2tg_4w-300",
]


@pytest.mark.parametrize("name", NAMES)
def test_vendor_kernel_in_exact_arithmetic(name: str, aiter_root: Path) -> None:
    case = next(c for c in CASES if f"{c.arch}-{c.id}" == name)
    data = (aiter_root / case.file).read_bytes()
    launch = case.build()
    size = CodeObject.open(data).kernel(None).metadata.kernarg_segment_size
    capsule = launch.capsule(size, case.arch)
    result = EmulatedDevice().run(data, capsule, RunOptions(poison=1, matrix="exact"))
    assert result.fault is None, result.fault.one_line()
    launch.check(result.buffers, capsule)
