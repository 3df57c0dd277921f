"""Launches of the project's kernels, inferred without help and held against what was written.

The expected roles, types, shapes and grids are those of the kernels' HIP sources.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.api import infer_launch
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from benchmarks.common import kernel_source

# Roles and types in the order of the arguments; shapes and grids in the names that they get.
KERNELS = {
    "saxpy": (
        [("in", "f32", ("arg3",)), ("inout", "f32", ("arg3",))],
        ("cdiv(arg3, 256)", 1, 1),
    ),
    "rmsnorm": (
        [
            ("in", "f32", ("grid_x", "arg3")),
            ("in", "f32", ("arg3",)),
            ("out", "f32", ("grid_x", "arg3")),
        ],
        ("grid_x", 1, 1),
    ),
    "softmax": (
        [("in", "f32", ("grid_x", "arg2")), ("out", "f32", ("grid_x", "arg2"))],
        ("grid_x", 1, 1),
    ),
    "reduce": (
        [("in", "f32", ("arg2",)), ("out", "f32", ("cdiv(arg2, 512)",))],
        ("cdiv(arg2, 512)", 1, 1),
    ),
    "matmul_f16": (
        [
            ("in", "f16", ("arg3", "arg5")),
            ("in", "f16", ("arg4", "arg5")),
            ("out", "f32", ("arg3", "arg4")),
        ],
        ("cdiv(arg4, 64)", "cdiv(arg3, 64)", 1),
    ),
}


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_own_kernels(kernel_objects: Callable[..., bytes], name: str) -> None:
    buffers, grid = KERNELS[name]
    found = infer_launch(kernel_objects(name))
    assert found.ok, found.reason
    entries = [a for a in found.spec.args if a.shape is not None]
    assert [(a.role, a.dtype, a.shape) for a in entries] == buffers
    assert found.spec.grid == grid
    assert all(a["reasons"] for a in found.data["args"])
    assert any(found.data["trial"]["written"].values())


# KernelBench kernels with something that the six do not have.
def test_strides_offsets_and_tiles(kernel_objects: Callable[..., bytes]) -> None:
    # Two convolution sizes less a border, and a grid of products.
    conv = infer_launch(kernel_objects("l2_001_conv_relu_bias", folder="kernelbench"))
    assert conv.spec.grid == ("cdiv((arg7 - 2)*(arg8 - 2), 256)", "arg6", "grid_z")
    assert conv.spec.args[4].shape == ("grid_z", "arg6", "arg7 - 2", "arg8 - 2")
    # No bounds check at all: the row stride alone tells the workgroups of a row.
    tiles = infer_launch(kernel_objects("l1_001_matmul", folder="kernelbench"))
    assert tiles.spec.block == (16, 16, 1)
    assert tiles.spec.grid == ("cdiv(arg3, 16)", "grid_y", 1)
    # A count that is a multiple of another size; its type is seen through 64-bit index arithmetic.
    pool = infer_launch(kernel_objects("l1_042_maxpool2d", folder="kernelbench"))
    assert pool.spec.args[0].shape == ("batch", "arg3", "arg4")
    assert pool.spec.args[2].value == "batch*(arg3 - 1)*(arg4 - 1)"


def test_bf16_is_seen_through_lds_and_matrix_instructions(
    kernel_objects: Callable[..., bytes],
) -> None:
    found = infer_launch(kernel_objects("l2_076_gemm_add_relu_mfma", folder="kernelbench"))
    assert [a.dtype for a in found.spec.args[:4]] == ["bf16", "bf16", "f32", "f32"]


def test_sizes_of_the_user_are_used(kernel_objects: Callable[..., bytes]) -> None:
    found = infer_launch(kernel_objects("saxpy"), sizes={"arg3": 1000})
    assert found.spec.sizes["arg3"] == 1000
    assert found.ok


def test_a_kernel_that_leaves_at_once_on_zeros_is_woken() -> None:
    """The count in memory is 0 at first: only with other contents does the kernel write."""
    body = """s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32 v1, 2, v0
s_waitcnt lgkmcnt(0)
s_load_dword s8, s[4:5], 0x0
s_waitcnt lgkmcnt(0)
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 leave
v_mov_b32 v2, 1.0
v_mul_f32 v2, v2, v2
global_store_dword v1, v2, s[6:7]
leave:"""
    found = infer_launch(assemble_object(kernel_source(body), Target("gfx942")))
    assert found.ok, found.reason
    assert found.spec.args[0].init == "fill(1)"
    assert found.spec.args[1].role == "out"


def test_names_of_the_metadata_stay_even_where_expressions_cannot_use_them() -> None:
    source = kernel_source(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dword s8, s[0:1], 0x10\n"
        "v_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\nv_cmp_gt_u32 vcc, s8, v0\n"
        "s_and_b64 exec, exec, vcc\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
        "v_add_f32 v2, v2, v2\nglobal_store_dword v1, v2, s[6:7]"
    )
    source = source.replace(".kernarg_segment_size: 16", ".kernarg_segment_size: 24")
    at = source.index("...\n.end_amdgpu_metadata")
    word = "      - {.offset: 16, .size: 4, .value_kind: by_value, .name: batch}\n"
    source = source[:at] + word + source[at:]
    source = source.replace("{.offset: 0,", "{.name: max, .offset: 0,")
    source = source.replace("{.offset: 8,", "{.name: 'a b', .offset: 8,")
    found = infer_launch(assemble_object(source, Target("gfx942")))
    assert found.ok, found.reason
    assert [a.name for a in found.spec.args] == ["max", "a b", "batch"]
    assert found.spec.args[0].shape == (found.spec.args[2].value,)
