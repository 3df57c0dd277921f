"""Element types by use: small kernels written for one question each; the answers are by hand."""

from __future__ import annotations

import pytest

from asmevo.api import infer_launch
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from benchmarks.common import kernel_source

LOAD = "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, {shift}, v0\ns_waitcnt lgkmcnt(0)\n"
WAIT = "\ns_waitcnt vmcnt(0)\n"
CASES = {
    "f32": (2, "global_load_dword v2, v1, s[4:5]", "v_add_f32 v3, v2, v2",
            "global_store_dword v1, v3, s[6:7]", "f32", "f32"),
    "f16": (1, "global_load_ushort v2, v1, s[4:5]", "v_add_f16 v3, v2, v2",
            "global_store_short v1, v3, s[6:7]", "f16", "f16"),
    "bf16 raised and cut": (1, "global_load_ushort v2, v1, s[4:5]",
            "v_lshlrev_b32 v3, 16, v2\nv_add_f32 v3, v3, v3",
            "global_store_short_d16_hi v1, v3, s[6:7]", "bf16", "bf16"),
    "bf16 high half masked": (2, "global_load_dword v2, v1, s[4:5]",
            "v_and_b32 v3, 0xffff0000, v2\nv_mul_f32 v3, v3, v3\nv_lshrrev_b32 v3, 16, v3",
            "global_store_dword v1, v3, s[6:7]", "bf16", "bf16"),
    "fp8 to f32": (2, "global_load_dword v2, v1, s[4:5]", "v_cvt_f32_fp8 v3, v2",
            "global_store_dword v1, v3, s[6:7]", "fp8", "f32"),
    "integer": (2, "global_load_dword v2, v1, s[4:5]", "v_mul_lo_u32 v3, v2, v2",
            "global_store_dword v1, v3, s[6:7]", "i32", "i32"),
    "copied": (2, "global_load_dword v2, v1, s[4:5]", "v_mov_b32 v3, v2",
            "global_store_dword v1, v3, s[6:7]", "i32", "i32"),
    "f64": (3, "global_load_dwordx2 v[2:3], v1, s[4:5]", "v_add_f64 v[4:5], v[2:3], v[2:3]",
            "global_store_dwordx2 v1, v[4:5], s[6:7]", "f64", "f64"),
    "accumulated by fmac": (2, "global_load_dword v3, v1, s[4:5]", "v_fmac_f32 v3, 2.0, v3",
            "global_store_dword v1, v3, s[6:7]", "f32", "f32"),
    "through LDS": (2, "global_load_dword v2, v1, s[4:5]",
            "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\nds_read_b32 v3, v1\n"
            "s_waitcnt lgkmcnt(0)\nv_max_f32 v3, v3, v3",
            "global_store_dword v1, v3, s[6:7]", "f32", "f32"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CASES))
def test_type_by_use(name: str) -> None:
    shift, load, work, store, read, written = CASES[name]
    body = LOAD.format(shift=shift) + load + WAIT + work + "\n" + store
    found = infer_launch(assemble_object(kernel_source(body), Target("gfx942")))
    first, second = found.spec.args
    assert (first.dtype, first.role) == (read, "in")
    assert (second.dtype, second.role) == (written, "out")


def test_read_before_written_is_inout_and_after_is_out() -> None:
    head = LOAD.format(shift=2)
    update = "global_load_dword v2, v1, s[4:5]" + WAIT + "v_add_f32 v2, 1.0, v2\n"
    first = head + update + "global_store_dword v1, v2, s[4:5]"
    again = (
        head + "v_mov_b32 v2, 1.0\nglobal_store_dword v1, v2, s[4:5]" + WAIT
        + "global_load_dword v3, v1, s[4:5]" + WAIT + "v_add_f32 v3, v3, v3\n"
        + "global_store_dword v1, v3, s[6:7]"
    )  # fmt: skip
    roles = []
    for body in (first, again):
        found = infer_launch(assemble_object(kernel_source(body), Target("gfx942")))
        roles.append([("null" if a.null else a.role) for a in found.spec.args])
    assert roles == [["inout", "null"], ["out", "out"]]


def test_a_kernel_that_writes_nothing_is_no_launch() -> None:
    body = LOAD.format(shift=2) + "global_load_dword v2, v1, s[4:5]" + WAIT
    found = infer_launch(assemble_object(kernel_source(body), Target("gfx942")))
    assert not found.ok
    assert "writes nothing" in found.reason


def test_a_fault_is_explained() -> None:
    body = LOAD.format(shift=2) + "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nflat_load_dword v4, v[2:3]"
    found = infer_launch(assemble_object(kernel_source(body), Target("gfx942")))
    assert not found.ok
    assert "null pointer" in " ".join(found.data["questions"])
