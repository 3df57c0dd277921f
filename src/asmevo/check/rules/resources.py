"""Resources: what the code uses against what descriptor and metadata declare.

Why: the loader allocates what is declared; a register or a byte of LDS beyond it belongs to
another wave. Prefetch reads past the last instruction, hence the padding.

Source: LLVM `AMDGPUUsage` (kernel descriptor, code object metadata, `s_code_end` padding).
"""

from __future__ import annotations

from asmevo.check.engine.kernels import kernel_view
from asmevo.check.engine.view import View
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.check.rules.registers import declared, used_registers
from asmevo.codeobject import Kernel
from asmevo.program import Program


def check(program: Program, kernel: Kernel, view: View | None = None) -> list[Finding]:
    """Findings of the resource rules for one kernel.

    Register numbers beyond the declared counts are errors of `check.rules.registers`; here the
    declarations themselves are compared with each other, with the target and with the code.
    """
    view = view or kernel_view(program, kernel)
    d, m, target = kernel.descriptor, kernel.metadata, program.target
    found: list[Finding] = []

    def add(rule: str, severity: str, message: str, fix: str, what: str,
            need: int | None = None, have: int | None = None) -> None:  # fmt: skip
        found.append(
            Finding(f"resource.{rule}", "R", severity, kernel.name, -1, "", message=message,
                    fix=fix, need=need, have=have, what=what)
        )  # fmt: skip

    used, limits = used_registers(view), declared(d)
    # Without AGPRs, code may name the whole unified file as VGPRs (see check.registers).
    vgprs = limits.unified if limits.unified and not used.agprs else limits.vgprs
    for name, use, limit in (
        ("vgprs", used.vgprs, vgprs),
        ("agprs", used.agprs, limits.agprs),
        ("sgprs", used.sgprs, limits.sgprs),
    ):
        if use > limit:
            add(name, ERROR, f"the code uses {use} {name}, the descriptor declares {limit}",
                f"declare at least {use}", name, use, limit)  # fmt: skip
    if target.unified_vgprs and d.accum_offset > d.vgprs:
        add("accum-offset", ERROR,
            f"AGPRs start at {d.accum_offset}, beyond the {d.vgprs} allocated registers",
            "lower accum_offset", "accum_offset", d.vgprs, d.accum_offset)  # fmt: skip
    if d.group_segment_fixed_size > target.lds_bytes_per_cu:
        add("lds", ERROR,
            f"{d.group_segment_fixed_size} bytes of LDS, {target.arch} has "
            f"{target.lds_bytes_per_cu}", "use less LDS", "group_segment_fixed_size",
            target.lds_bytes_per_cu, d.group_segment_fixed_size)  # fmt: skip
    for name, ours, theirs in (
        ("group_segment_fixed_size", d.group_segment_fixed_size, m.group_segment_fixed_size),
        ("private_segment_fixed_size", d.private_segment_fixed_size,
         m.private_segment_fixed_size),
        ("kernarg_size", d.kernarg_size, m.kernarg_segment_size),
    ):  # fmt: skip
        # Hand-written objects leave the descriptor's sizes at 0; the loader reads the metadata.
        if ours != theirs:
            add("mismatch", NOTE, f"{name} is {ours} in the descriptor, {theirs} in the metadata",
                "make them equal", name, theirs, ours)  # fmt: skip
    function = program.kernel_function(kernel)
    padding = program.instructions[function.last : function.padding_last]
    behind = sum(len(i.raw) for i in padding)
    if target.major >= 10 and behind < 256 and function.padding_last == len(program.instructions):
        add("end-padding", NOTE,
            f"{behind} bytes of padding behind the last instruction, prefetch may run past 256",
            "keep 64 dwords of s_code_end", "padding", 256, behind)  # fmt: skip
    return found
