"""Addresses that others keep: GOT entries, arrays of functions, debug information; all grow right.

Cases `got` (globals and functions through the GOT), `ctor`
(`.fini_array`) and `callsg_gfx942` (`-g`), rewritten small, with siblings. The comparison reads
symbols and relocations on its own (`reference.growth`); what a loader finds follows from the gABI:
a RELATIVE64 entry is its addend, an ABS64 entry the value of its symbol.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import SHT_RELA
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.rebuild import notes, rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import build_of
from program.rebuild.test_growth_compared import grown
from program.text.test_elsewhere import _with_debug
from reference.growth import compare

Objects = Callable[..., bytes]
_FRAME = """
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
\t.amdhsa_code_object_version 5
\t.text
\t.globl f
\t.p2align 8
\t.type f,@function
f:
\tv_mov_b32 v2, 7
\ts_setpc_b64 s[30:31]
\t.size f, .-f
\t.type g,@function
g:
\tv_mov_b32 v2, 5
\ts_setpc_b64 s[30:31]
\t.size g, .-g
\t.globl k
\t.p2align 8
\t.type k,@function
k:
{body}
\ts_endpgm
\t.size k, .-k
{data}
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 40
{more}
\t.end_amdhsa_kernel
"""
_GOT = """s_getpc_b64 s[8:9]
s_add_u32 s8, s8, {0}@gotpcrel32@lo+4
s_addc_u32 s9, s9, {0}@gotpcrel32@hi+12
s_load_dwordx2 s[10:11], s[8:9], 0x0
s_waitcnt lgkmcnt(0)
"""
_GLOBAL = """
\t.data
\t.globl shared
\t.p2align 3
\t.type shared,@object
\t.size shared, 4
shared: .long 11
\t.p2align 3
pointer: .quad shared
"""
_ARRAY = """
\t.section {0}
\t.p2align 3
\t.type array,@object
array: .quad {1}
\t.size array, .-array
"""
_THROUGH = "s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, array@rel32@lo+4\n" \
    "s_addc_u32 s9, s9, array@rel32@hi+12\ns_load_dwordx2 s[10:11], s[8:9], 0x0\n" \
    "s_waitcnt lgkmcnt(0)\ns_swappc_b64 s[30:31], s[10:11]\n"  # fmt: skip
# Name -> (body, data).
KEPT = {
    "got": (_GOT.format("shared") + "s_load_dword s4, s[10:11], 0x0\n", _GLOBAL),
    "got-function": (_GOT.format("f") + "s_swappc_b64 s[30:31], s[10:11]\n", ""),
    "got-twice": (_GOT.format("f") + "s_swappc_b64 s[30:31], s[10:11]\n" + _GOT.format("shared"),
                  _GLOBAL),
    "ctor": ("s_nop 0", _ARRAY.format('.fini_array,"aw",@progbits', "g")),
    "init-array": ("s_nop 0", _ARRAY.format('.init_array,"aw",@progbits', "g, f")),
    "function-table": (_THROUGH, _ARRAY.format('.data.rel.ro,"aw",@progbits', "g, f, g")),
}  # fmt: skip


def built(name: str, arch: str) -> bytes:
    body, data = KEPT[name]
    more = "\t\t.amdhsa_accum_offset 8" if arch in ("gfx90a", "gfx942") else ""
    made = bytearray(assemble_object(_FRAME.format(arch=arch, body=body, data=data, more=more)))
    for section in CodeObject.open(bytes(made)).elf.sections:  # the built-in linker has no others
        kind = {".init_array": 14, ".fini_array": 15}.get(section.name)
        if kind is not None:
            struct.pack_into("<I", made, section.header_offset + 4, kind)
    return bytes(made)


def pointers(data: bytes) -> list[tuple[str, int]]:
    """(symbol or empty, RELATIVE64 address as seen from the function it names) of relocations."""
    co = CodeObject.open(data)
    names = {s.value: s.name for s in co.elf.symbols(co.elf.section(".symtab")) if s.name}
    found: list[tuple[str, int]] = []
    for section in co.elf.sections:
        for r in co.elf.relocations(section) if section.type == SHT_RELA else ():
            found.append((names.get(r.addend, "?") if r.type == 13 else "", r.type))
    return found


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("name", KEPT)
def test_addresses_in_data_follow_the_code(name: str, arch: str) -> None:
    data = built(name, arch)
    program = recover(CodeObject.open(data))
    assert rebuild(program) == data
    assert program.growth_refused == ""
    after = grown(program)
    assert len(after) > len(data)
    assert compare(data, after, program.target) == []
    assert pointers(after) == pointers(data) != []
    assert not any(name == "?" for name, _ in pointers(data))


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_debug_information_is_dropped_and_named(kernel_objects: Objects, arch: str) -> None:
    """`callsg_gfx942`: the code, its tables and data grow right; the result names what is gone."""
    data = _with_debug(kernel_objects("calls", arch, "recovery"))
    program = recover(CodeObject.open(data))
    assert (rebuild(program), notes(program)) == (data, ())
    after = grown(program)
    assert compare(data, after, program.target) == []
    (lines,) = [s for s in CodeObject.open(after).elf.sections if s.name == ".debug_line"]
    assert lines.size == 0


def test_asm_says_that_debug_information_was_dropped(kernel_objects: Objects) -> None:
    data = _with_debug(kernel_objects("saxpy"))
    text = write(recover(CodeObject.open(data)))
    assert build_of(text).notes == ()
    longer = text.replace("\ts_endpgm", "\ts_nop 0\n\ts_endpgm", 1)
    assert any("debug information dropped (.debug_line)" in note for note in build_of(longer).notes)
