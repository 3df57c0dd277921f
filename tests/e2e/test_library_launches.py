"""Vendor kernels run on the launch that the shipped library gives them, and write all they should.

Sizes and roles of the library come from the launchers; here the vendor's own code has to agree: a
wrong stride or extent faults, a wrong grid leaves bytes of the result unwritten.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.api import infer_launch
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions

# File below aiter_meta/hsa/gfx942, family, results that must be written whole.
FILES = [
    ("topksoftmax/topksoftmax_4x128x6.co", "topksoftmax", ("T", "W")),
    ("topksoftmax/topksoftmax_12x256x8.co", "topksoftmax", ("T", "W")),
    ("bf16gemm/bf16gemm_outf32_tn_48x64_pf3.co", "bf16gemm", ("D",)),
    ("i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_128x128.co", "i8gemm", ("C",)),
    ("layer_norm.co", "layer_norm", ("OutBuffer", "OutResidualBuffer")),
    ("pa/pa_bf16_noquant_gqa8_1tg_4w.co", "pa_noquant", ("O",)),
    ("pa/pa_fp16_noquant_gqa8_1tg_4w.co", "pa_noquant", ("O",)),
    ("fmha_v3_fwd/MI300/fwd_hd128_bf16.co", "fmha_fwd", ("R", "LSE")),
    (
        "fmoe_2stages/fmoe_stage1_bf16_pertokenInt8_g1u1_16x128_4tg_pf2.co",
        "fmoe_stage1",
        ("O",),
    ),
    ("fmoe_b16.co", "fmoe_b16", ()),
]


@pytest.mark.corpus
@pytest.mark.parametrize(("path", "family", "whole"), FILES, ids=[f[0] for f in FILES])
def test_vendor_launch(aiter_root: Path, path: str, family: str, whole: tuple[str, ...]) -> None:
    file = aiter_root / "aiter_meta" / "hsa" / "gfx942" / path
    found = infer_launch(file)
    assert found.ok, found.reason
    assert f"family {family}" in found.data["source"]
    co = CodeObject.open(file.read_bytes())
    capsule = synthesize(found.spec, co.kernels[0], co.target)
    device = EmulatedDevice()
    # Bytes that keep two kinds of contents were not written.
    runs = []
    for byte in (b"\x55", b"\xaa"):
        filled = capsule.with_data({n: byte * capsule.buffer(n).size for n in whole})
        runs.append((device.run(co.data, filled, RunOptions()), byte))
    for name in whole:
        kept = [
            {i for i, b in enumerate(r.buffers[name]) if bytes([b]) == byte} for r, byte in runs
        ]
        assert not kept[0] & kept[1], name
