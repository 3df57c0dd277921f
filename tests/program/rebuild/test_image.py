"""What else in the file follows the code: prefetch sizes and stored copies of addends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import SHT_RELA
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild

Objects = Callable[..., bytes]
_KERNEL = """
\t.text
\t.globl {name}
\t.p2align 8
\t.type {name},@function
{name}:
\t.fill {nops}, 4, 0xbf800000
\ts_endpgm
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel {name}
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 40
\t\t.amdhsa_inst_pref_size {lines}
\t.end_amdhsa_kernel
"""


@pytest.mark.parametrize(
    ("sizes", "removed", "expected"),
    [
        # Code of 512 and 256 bytes; the last loses 10 instructions of 4 bytes: 216 are left.
        ([(127, 4), (63, 2)], 10, [4, 1]),
        ([(63, 2), (63, 1), (127, 4)], 40, [2, 1, 2]),  # 512 - 160 = 352 bytes: two lines of 128
        ([(63, 2), (63, 2)], 0, [2, 2]),
        ([(63, 2)], 40, [0]),  # 96 bytes
    ],
)
def test_prefetch_of_every_kernel_stays_in_the_code(
    sizes: list[tuple[int, int]], removed: int, expected: list[int]
) -> None:
    """gfx11 prefetches `inst_pref_size` times 128 bytes (LLVM AMDGPUUsage, compute_pgm_rsrc3)."""
    text = '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"\n' + "".join(
        _KERNEL.format(name=f"k{n}", nops=nops, lines=lines)
        for n, (nops, lines) in enumerate(sizes)
    )
    program = recover(CodeObject.open(assemble_object(text, Target("gfx1100"))))
    last = program.functions[-1]
    if removed:
        program = apply(program, [Edit(last.first + 1, last.first + 1 + removed, ())])
    kernels = {k.symbol: k for k in CodeObject.open(rebuild(program)).kernels}
    found = [kernels[f"k{n}.kd"].descriptor.inst_pref_size for n in range(len(sizes))]
    assert found == expected


@pytest.mark.parametrize(("offset", "follows"), [(0, True), (8, False), (-4, False)])
def test_a_stored_copy_of_an_addend_follows(
    kernel_objects: Objects, offset: int, follows: bool
) -> None:
    """A linker with `--apply-dynamic-relocs` also stores the addend; anything else is data."""
    data = bytearray(kernel_objects("calls", "gfx942", "recovery"))
    elf = CodeObject.open(bytes(data)).elf
    records = [r for s in elf.sections if s.type == SHT_RELA for r in elf.relocations(s)]
    assert len(records) == 4
    for r in records:
        at = elf.file_offset(r.offset)
        assert at is not None
        data[at : at + 8] = (r.addend + offset).to_bytes(8, "little")
    program = recover(CodeObject.open(bytes(data)))
    first = program.functions[0].first
    after = CodeObject.open(rebuild(apply(program, [Edit(first, first, ("s_nop 0",) * 80)]))).elf
    moved = [r for s in after.sections if s.type == SHT_RELA for r in after.relocations(s)]
    assert any(new.addend != old.addend for new, old in zip(moved, records, strict=True))
    for new, old in zip(moved, records, strict=True):
        at = after.file_offset(new.offset)
        assert at is not None
        stored = int.from_bytes(after.data[at : at + 8], "little")
        assert stored == (new.addend if follows else old.addend + offset)


def test_padding_is_no_code_of_the_function_in_front() -> None:
    """64 words in front of a kernel at 256: one more needs 63 words of padding."""
    text = '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"\n' + "".join(
        _KERNEL.format(name=f"k{n}", nops=63, lines=0) for n in range(2)
    )
    program = recover(CodeObject.open(assemble_object(text, Target("gfx1100"))))
    first, second = apply(program, [Edit(1, 1, ("s_nop 1",))]).functions
    assert (first.first, first.last, first.padding_last) == (0, 65, 128)
    assert (second.first, second.last, second.padding_last) == (128, 192, 192)
