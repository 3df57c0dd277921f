"""Kernel descriptors as `.amdhsa_kernel` blocks, and back through LLVM.

The block is checked before it is used: LLVM must assemble it to the descriptor's bytes. Where it
does not (bits that no directive sets), the descriptor is written as data words. Source: LLVM
`AMDGPUUsage`, "AMDHSA Kernel Assembler Directives", and `AMDGPUAsmParser.cpp`.
"""

from __future__ import annotations

from asmevo.codeobject.descriptor import SIZE, KernelDescriptor
from asmevo.codeobject.elf import Elf
from asmevo.codeobject.emit import emit_object
from asmevo.errors import BuildError
from asmevo.isa.target import Target

_ENTRY = slice(16, 24)  # the entry offset, which the linker writes
_EXTRA_SGPRS = 6  # VCC, FLAT_SCRATCH and XNACK_MASK behind the numbered ones (gfx8, gfx9)
_MAX_SGPR = 102


def architected_flat_scratch(target: Target) -> bool:
    """Whether scratch is addressed without set-up SGPRs (gfx942, gfx950, gfx11 and later)."""
    return target.is_gfx940 or target.major >= 11


def directives(d: KernelDescriptor, sgprs: int = 0) -> list[tuple[str, int]]:
    """(name without `.amdhsa_`, value) of every directive that the descriptor needs.

    `sgprs` is shown as the SGPR count on gfx10 and later, where no descriptor field holds it.
    """
    t = d.target
    out: list[tuple[str, int]] = [
        ("group_segment_fixed_size", d.group_segment_fixed_size),
        ("private_segment_fixed_size", d.private_segment_fixed_size),
        ("kernarg_size", d.kernarg_size),
        ("user_sgpr_count", d.user_sgpr_count),
    ]
    architected = architected_flat_scratch(t)
    if not architected:
        out.append(("user_sgpr_private_segment_buffer", d.enable_sgpr_private_segment_buffer))
    out += [
        ("user_sgpr_dispatch_ptr", d.enable_sgpr_dispatch_ptr),
        ("user_sgpr_queue_ptr", d.enable_sgpr_queue_ptr),
        ("user_sgpr_kernarg_segment_ptr", d.enable_sgpr_kernarg_segment_ptr),
        ("user_sgpr_dispatch_id", d.enable_sgpr_dispatch_id),
    ]
    if not architected:
        out.append(("user_sgpr_flat_scratch_init", d.enable_sgpr_flat_scratch_init))
    if t.unified_vgprs or t.arch == "gfx1250":
        out += [
            ("user_sgpr_kernarg_preload_length", d.kernarg_preload_length),
            ("user_sgpr_kernarg_preload_offset", d.kernarg_preload_offset),
        ]
    out.append(("user_sgpr_private_segment_size", d.enable_sgpr_private_segment_size))
    if t.major >= 10:
        out.append(("wavefront_size32", int(d.wavefront_size32)))
    out.append(("uses_dynamic_stack", d.uses_dynamic_stack))
    private = "enable_private_segment" if architected else (
        "system_sgpr_private_segment_wavefront_offset"
    )  # fmt: skip
    out += [
        (private, d.enable_private_segment),
        ("system_sgpr_workgroup_id_x", d.enable_sgpr_workgroup_id_x),
        ("system_sgpr_workgroup_id_y", d.enable_sgpr_workgroup_id_y),
        ("system_sgpr_workgroup_id_z", d.enable_sgpr_workgroup_id_z),
        ("system_sgpr_workgroup_info", d.enable_sgpr_workgroup_info),
        ("system_vgpr_workitem_id", d.enable_vgpr_workitem_id),
        ("next_free_vgpr", d.vgprs),
    ]
    if t.is_gcn:
        out.append(("next_free_sgpr", max(0, min(d.sgprs - _EXTRA_SGPRS, _MAX_SGPR))))
    else:
        out.append(("next_free_sgpr", min(sgprs, _MAX_SGPR)))
    if t.unified_vgprs:
        out.append(("accum_offset", d.accum_offset))
    if t.arch == "gfx1250":
        out.append(("named_barrier_count", d.named_barrier_count))
    out.append(("reserve_vcc", 0))
    out += [
        ("float_round_mode_32", d.float_round_mode_32),
        ("float_round_mode_16_64", d.float_round_mode_16_64),
        ("float_denorm_mode_32", d.float_denorm_mode_32),
        ("float_denorm_mode_16_64", d.float_denorm_mode_16_64),
    ]
    if t.major < 12:
        out += [("dx10_clamp", d.dx10_clamp), ("ieee_mode", d.ieee_mode)]
    if t.major >= 9:
        out.append(("fp16_overflow", d.fp16_ovfl))
    if t.unified_vgprs:
        out.append(("tg_split", d.tg_split))
    if t.major >= 10:
        if t.arch != "gfx1250":
            out.append(("workgroup_processor_mode", d.workgroup_processor_mode))
        out += [
            ("memory_ordered", d.memory_ordered),
            ("forward_progress", d.forward_progress),
        ]
    if t.major in (10, 11):
        out.append(("shared_vgpr_count", d.shared_vgpr_count))
    if t.major >= 11:
        out.append(("inst_pref_size", d.inst_pref_size))
    if t.major >= 12:
        out.append(("round_robin_scheduling", d.round_robin))
    out += [
        ("exception_fp_ieee_invalid_op", d.exception_fp_ieee_invalid_op),
        ("exception_fp_denorm_src", d.exception_fp_denorm_src),
        ("exception_fp_ieee_div_zero", d.exception_fp_ieee_div_zero),
        ("exception_fp_ieee_overflow", d.exception_fp_ieee_overflow),
        ("exception_fp_ieee_underflow", d.exception_fp_ieee_underflow),
        ("exception_fp_ieee_inexact", d.exception_fp_ieee_inexact),
        ("exception_int_div_zero", d.exception_int_div_zero),
    ]
    return out


def block(name: str, d: KernelDescriptor, sgprs: int = 0) -> list[str] | None:
    """Lines of the `.amdhsa_kernel` block, or None when LLVM would make other bytes of it."""
    lines = [f".amdhsa_kernel {name}"]
    lines += [f"\t.amdhsa_{key} {value}" for key, value in directives(d, sgprs)]
    lines.append(".end_amdhsa_kernel")
    try:
        made = assemble_block(lines, d.target)
    except BuildError:
        return None
    return lines if _without_entry(made) == _without_entry(d.raw) else None


def _without_entry(raw: bytes) -> bytes:
    return raw[: _ENTRY.start] + bytes(8) + raw[_ENTRY.stop :]


def header(target: Target, version: int) -> list[str]:
    """The directives that name the target and the code object version."""
    return [
        f'.amdgcn_target "amdgcn-amd-amdhsa--{target.target_id}"',
        f".amdhsa_code_object_version {version}",
    ]


def assemble_block(lines: list[str], target: Target, version: int = 5) -> bytes:
    """The descriptor bytes of one `.amdhsa_kernel` block; the entry offset is 0 in them.

    Raises:
        BuildError: LLVM refuses a directive; `line` counts from the block's first line.
    """
    name = lines[0].strip().partition(" ")[2]  # quoted names may have spaces
    front = [
        *header(target, version),
        ".text",
        f"{name}:",
        "s_endpgm",
        '.section .rodata,"a",@progbits',
    ]
    try:
        elf = Elf.parse(emit_object("\n".join([*front, *lines]) + "\n"))
    except BuildError as err:
        err.line = max(err.line - len(front), 0)
        raise
    section = elf.section(".rodata")
    data = elf.contents(section) if section else b""
    if len(data) != SIZE:
        raise BuildError(f"the block of {name} is no kernel descriptor")
    return data[: _ENTRY.start] + bytes(8) + data[_ENTRY.stop :]
