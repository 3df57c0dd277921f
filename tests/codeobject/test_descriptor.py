"""Descriptor fields against LLVM's own assembler, which is asked to encode each directive."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asmevo.codeobject import CodeObject, FormatError, KernelDescriptor
from asmevo.codeobject.descriptor import fields
from asmevo.codeobject.directives import assemble_block, block
from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.target import Target

ARCHES = ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250"]
ARCHITECTED = {"gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"}
UNIFIED = {"gfx90a", "gfx942", "gfx950"}

# (directive, field, values, architectures that lack it)
Case = tuple[str, str, list[int], set[str]]
CASES: list[Case] = [
    ("group_segment_fixed_size", "group_segment_fixed_size", [0, 16, 65536], set()),
    ("private_segment_fixed_size", "private_segment_fixed_size", [0, 4, 4096], set()),
    ("kernarg_size", "kernarg_size", [0, 24, 4096], set()),
    ("user_sgpr_dispatch_ptr", "enable_sgpr_dispatch_ptr", [0, 1], set()),
    ("user_sgpr_queue_ptr", "enable_sgpr_queue_ptr", [0, 1], set()),
    ("user_sgpr_kernarg_segment_ptr", "enable_sgpr_kernarg_segment_ptr", [0, 1], set()),
    ("user_sgpr_dispatch_id", "enable_sgpr_dispatch_id", [0, 1], set()),
    ("user_sgpr_private_segment_size", "enable_sgpr_private_segment_size", [0, 1], set()),
    ("user_sgpr_private_segment_buffer", "enable_sgpr_private_segment_buffer", [0, 1], ARCHITECTED),
    ("user_sgpr_flat_scratch_init", "enable_sgpr_flat_scratch_init", [0, 1], ARCHITECTED),
    ("user_sgpr_count", "user_sgpr_count", [2, 8, 16], set()),
    ("system_sgpr_workgroup_id_x", "enable_sgpr_workgroup_id_x", [0, 1], set()),
    ("system_sgpr_workgroup_id_y", "enable_sgpr_workgroup_id_y", [0, 1], set()),
    ("system_sgpr_workgroup_id_z", "enable_sgpr_workgroup_id_z", [0, 1], set()),
    ("system_sgpr_workgroup_info", "enable_sgpr_workgroup_info", [0, 1], set()),
    ("system_vgpr_workitem_id", "enable_vgpr_workitem_id", [0, 1, 2], set()),
    ("float_round_mode_32", "float_round_mode_32", [0, 1, 2, 3], set()),
    ("float_round_mode_16_64", "float_round_mode_16_64", [0, 1, 2, 3], set()),
    ("float_denorm_mode_32", "float_denorm_mode_32", [0, 1, 2, 3], set()),
    ("float_denorm_mode_16_64", "float_denorm_mode_16_64", [0, 1, 2, 3], set()),
    ("fp16_overflow", "fp16_ovfl", [0, 1], set()),
    ("uses_dynamic_stack", "uses_dynamic_stack", [0, 1], set()),
    ("dx10_clamp", "dx10_clamp", [0, 1], {"gfx1201", "gfx1250"}),
    ("ieee_mode", "ieee_mode", [0, 1], {"gfx1201", "gfx1250"}),
    ("exception_fp_ieee_invalid_op", "exception_fp_ieee_invalid_op", [0, 1], set()),
    ("exception_fp_denorm_src", "exception_fp_denorm_src", [0, 1], set()),
    ("exception_fp_ieee_div_zero", "exception_fp_ieee_div_zero", [0, 1], set()),
    ("exception_fp_ieee_overflow", "exception_fp_ieee_overflow", [0, 1], set()),
    ("exception_fp_ieee_underflow", "exception_fp_ieee_underflow", [0, 1], set()),
    ("exception_fp_ieee_inexact", "exception_fp_ieee_inexact", [0, 1], set()),
    ("exception_int_div_zero", "exception_int_div_zero", [0, 1], set()),
    ("tg_split", "tg_split", [0, 1], set(ARCHES) - UNIFIED),
    ("accum_offset", "accum_offset", [4, 12, 256], set(ARCHES) - UNIFIED),
    ("user_sgpr_kernarg_preload_length", "kernarg_preload_length", [0, 3, 10],
     set(ARCHES) - UNIFIED - {"gfx1250"}),
    ("wavefront_size32", "wavefront_size32", [0, 1],
     {"gfx908", *UNIFIED, "gfx1250"}),
    ("workgroup_processor_mode", "workgroup_processor_mode", [0, 1],
     {"gfx908", *UNIFIED, "gfx1250"}),
    ("memory_ordered", "memory_ordered", [0, 1], {"gfx908", *UNIFIED}),
    ("forward_progress", "forward_progress", [0, 1], {"gfx908", *UNIFIED}),
    ("inst_pref_size", "inst_pref_size", [0, 1, 63], {"gfx908", "gfx1030", *UNIFIED}),
    ("round_robin_scheduling", "round_robin", [0, 1], {"gfx908", "gfx1030", "gfx1100", *UNIFIED}),
    ("named_barrier_count", "named_barrier_count", [0, 4, 7], set(ARCHES) - {"gfx1250"}),
]  # fmt: skip


def llvm_block(arch: str, **values: int) -> bytes:
    given = {"next_free_vgpr": 32, "next_free_sgpr": 16, **values}
    if arch in UNIFIED:
        given.setdefault("accum_offset", 32)
    if "accum_offset" in values:
        given["next_free_vgpr"] = 256
    if "kernarg_preload_length" in " ".join(values):
        given["user_sgpr_kernarg_segment_ptr"] = 1
    lines = [".amdhsa_kernel k"] + [f".amdhsa_{k} {v}" for k, v in given.items()]
    return assemble_block([*lines, ".end_amdhsa_kernel"], Target(arch))


@pytest.mark.parametrize("arch", ARCHES)
def test_each_directive_is_the_field_that_llvm_writes(arch: str) -> None:
    base = KernelDescriptor.decode(llvm_block(arch), Target(arch))
    for directive, field, values, lacking in CASES:
        if arch in lacking:
            if field not in ("accum_offset", "wavefront_size32"):
                assert getattr(base, field) == 0
            continue
        for value in values:
            d = KernelDescriptor.decode(llvm_block(arch, **{directive: value}), Target(arch))
            assert int(getattr(d, field)) == value, (directive, value)
            if field != "wavefront_size32":
                assert d.replace(**{field: value}).raw == d.raw


@pytest.mark.parametrize(
    ("arch", "asked", "vgprs", "wave"),
    [
        ("gfx908", 1, 4, 64), ("gfx908", 5, 8, 64), ("gfx908", 256, 256, 64),
        ("gfx90a", 1, 8, 64), ("gfx90a", 512, 512, 64), ("gfx942", 129, 136, 64),
        ("gfx950", 257, 264, 64), ("gfx1030", 9, 16, 32), ("gfx1030", 9, 12, 64),
        ("gfx1100", 250, 256, 32), ("gfx1201", 17, 24, 32), ("gfx1250", 17, 32, 32),
        ("gfx1250", 1024, 1024, 32),
    ],
)  # fmt: skip
def test_vgpr_granules(arch: str, asked: int, vgprs: int, wave: int) -> None:
    values = {"next_free_vgpr": asked}
    if arch.startswith("gfx10") or arch in ("gfx1100", "gfx1201"):
        values["wavefront_size32"] = int(wave == 32)
    if arch in UNIFIED:
        values["accum_offset"] = 4
        lines = [".amdhsa_kernel k", f".amdhsa_next_free_vgpr {asked}", ".amdhsa_next_free_sgpr 8",
                 ".amdhsa_accum_offset 4", ".end_amdhsa_kernel"]  # fmt: skip
        raw = assemble_block(lines, Target(arch))
    else:
        raw = llvm_block(arch, **values)
    d = KernelDescriptor.decode(raw, Target(arch))
    assert (d.vgprs, d.wave_size) == (vgprs, wave)
    assert d.replace(vgprs=asked).raw == d.raw


@pytest.mark.parametrize("arch", ["gfx908", "gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("sgprs", [1, 10, 11, 26, 27, 96, 102])
def test_sgpr_granules_of_gfx9(arch: str, sgprs: int) -> None:
    d = KernelDescriptor.decode(llvm_block(arch, next_free_sgpr=sgprs), Target(arch))
    # VCC, FLAT_SCRATCH and XNACK_MASK take six more; the field counts in steps of 8.
    assert d.sgprs == -(-(sgprs + 6) // 8) * 8
    assert d.replace(sgprs=sgprs + 6).raw == d.raw


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(raw=st.binary(min_size=64, max_size=64), arch=st.sampled_from(ARCHES))
def test_any_64_bytes_survive(raw: bytes, arch: str) -> None:
    d = KernelDescriptor.decode(raw, Target(arch))
    assert d.encode() == raw
    same = {
        name: getattr(KernelDescriptor, name).get(raw) for name in fields(Target(arch))
    }  # fmt: skip
    assert d.replace(**same).raw == raw


def test_fields_do_not_overlap() -> None:
    for arch in ARCHES:
        used = [0] * 64
        for name in fields(Target(arch)):
            if name == "_user_sgprs_5" and arch == "gfx1250":
                continue  # gfx1250 has six bits there
            bits = getattr(KernelDescriptor, name)
            ones = bits.put(bytes(64), (1 << bits.width) - 1)
            for i, byte in enumerate(ones):
                assert used[i] & byte == 0, (arch, name)
                used[i] |= byte


def test_bad_values_are_refused() -> None:
    d = KernelDescriptor.decode(llvm_block("gfx942"), Target("gfx942"))
    with pytest.raises(InputError, match="cannot hold 4"):
        d.replace(float_round_mode_32=4)
    with pytest.raises(InputError, match="cannot hold"):
        d.replace(vgprs=520)
    with pytest.raises(InputError, match="no field frobnicate"):
        d.replace(frobnicate=1)
    with pytest.raises(UnsupportedError, match="gfx942 has no descriptor field"):
        d.replace(wavefront_size32=1)
    with pytest.raises(FormatError, match="63 bytes"):
        KernelDescriptor.decode(bytes(63), Target("gfx942"))


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"])
def test_compiled_descriptors_have_a_block(kernel_objects: Callable[..., bytes], arch: str) -> None:
    for kernel in CodeObject.open(kernel_objects("calls", arch, "recovery")).kernels:
        assert block(kernel.name, kernel.descriptor, kernel.metadata.sgpr_count) is not None


@pytest.mark.parametrize("name", ['"a b"', '"$(x) $(x) "'])
def test_a_name_with_spaces_is_one_name(name: str) -> None:
    # Cut at its space the second one sent LLVM's parser round for ever.
    d = KernelDescriptor.decode(llvm_block("gfx942"), Target("gfx942"))
    lines = block(name, d)
    assert lines is not None
    assert lines[0] == f".amdhsa_kernel {name}"
