"""Programs of given instructions, through the project's assembler."""

from __future__ import annotations

from asmevo.codeobject import CodeObject
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object

_FRAME = """
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
{body}
\ts_endpgm
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 40
{more}
\t.end_amdhsa_kernel
"""


def source(body: str, arch: str = "gfx942", directives: tuple[str, ...] = ()) -> str:
    """Assembly of one kernel `k`: `body`, `s_endpgm`, and further `.amdhsa_` directives."""
    if not arch.startswith("gfx1"):
        directives = ("accum_offset 8", *directives)
    more = "\n".join(f"\t\t.amdhsa_{d}" for d in directives)
    return _FRAME.format(arch=arch, body=body, more=more)


def straight(*lines: str, arch: str = "gfx942", directives: tuple[str, ...] = ()) -> Program:
    """One kernel `k` of these lines and `s_endpgm`, with further `.amdhsa_` directives."""
    text = source("\n".join(lines), arch, directives)
    return recover(CodeObject.open(assemble_object(text, Target(arch))))
