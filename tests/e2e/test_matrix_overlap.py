"""A matrix result that is shifted against its own addend, as compilers emit it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from reference.launch import Arg, Launch

KERNELS = Path(__file__).resolve().parents[2] / "kernels"

# x and out are [rows][64] dwords: A in rows 0-1, B in 2-3, C in 4-7.
BODY = """\
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v0, s[0:1]
	global_load_dword v3, v0, s[0:1] offset:256
	global_load_dword v4, v0, s[0:1] offset:512
	global_load_dword v5, v0, s[0:1] offset:768
	global_load_dword v8, v0, s[0:1] offset:1024
	global_load_dword v9, v0, s[0:1] offset:1280
	global_load_dword v10, v0, s[0:1] offset:1536
	global_load_dword v11, v0, s[0:1] offset:1792
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x16_f16 v[{d}:{e}], v[2:3], v[4:5], v[8:11]
	s_nop 15
	global_store_dword v0, v{d}, s[2:3]
	global_store_dword v0, v{f}, s[2:3] offset:256
	global_store_dword v0, v{g}, s[2:3] offset:512
	global_store_dword v0, v{e}, s[2:3] offset:768
	s_endpgm
"""


def kernel_with(body: str) -> str:
    """The committed saxpy's file with another body and enough registers."""
    text = (KERNELS / "gfx942" / "saxpy.s").read_text(encoding="utf-8")
    head, _, rest = text.partition("saxpy:\n")
    _, _, tail = rest.partition("\ts_endpgm\n")
    tail = tail.replace(".amdhsa_next_free_vgpr 6", ".amdhsa_next_free_vgpr 32")
    return (
        f"{head}saxpy:\n{body}{tail.replace('.amdhsa_accum_offset 8', '.amdhsa_accum_offset 32')}"
    )


def test_result_shifted_against_the_addend() -> None:
    rng = np.random.default_rng(0)
    halves = rng.normal(size=(4, 64, 2)).astype(np.float16)
    c = rng.normal(size=(4, 64)).astype(np.float32)
    x = np.concatenate([halves.view(np.uint32)[..., 0], c.view(np.uint32)])
    # Lane l holds A[l % 16][4 * (l / 16) + 0..3] and B likewise; element r of the result is
    # C[4 * (l / 16) + r][l % 16].
    a = halves[:2].transpose(1, 0, 2).reshape(4, 16, 4).transpose(1, 0, 2).reshape(16, 16)
    b = halves[2:].transpose(1, 0, 2).reshape(4, 16, 4).transpose(1, 0, 2).reshape(16, 16)
    product = np.float64(a) @ np.float64(b).T
    expected = np.float64(c) + product.reshape(4, 4, 16).transpose(1, 0, 2).reshape(4, 64)
    for d in (8, 10, 6, 12, 20, 2, 4):  # register tuples start at even numbers
        body = BODY.format(d=d, e=d + 3, f=d + 1, g=d + 2)
        data = assemble_object(kernel_with(body), Target("gfx942"))
        out = np.zeros((4, 64), np.float32)
        args = (Arg(0, "x", x), Arg(8, "out", out, "out"), Arg(16, "a", 0.0), Arg(20, "n", 0))
        launch = Launch("saxpy", (1, 1, 1), (64, 1, 1), args, {})
        capsule = launch.capsule(280)
        result = EmulatedDevice().run(data, capsule, RunOptions(poison=1))
        assert result.ok, result.fault
        found = capsule.buffer("out").view(result.buffers["out"])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=f"v[{d}:{d + 3}]")
