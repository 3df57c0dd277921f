"""Code in several sections, and objects without section headers.

Cases fs2 (`.text`, `.text.hot`, `.text.unlikely`) and st2 (`llvm-strip --strip-sections`). The
siblings are made from one linked object by writing other headers, field by field (gABI chapter 4).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from asmevo.check.image.compare import compare_images
from asmevo.codeobject import CodeObject, FormatError, WrongObjectError
from asmevo.codeobject.object import Outline
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, EditError, apply
from asmevo.program.model import Program
from asmevo.program.rebuild import rebuild
from asmevo.program.roundtrip import roundtrip_bytes
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read

SECTION = struct.Struct("<IIQQQQIIQQ")
SEGMENT = struct.Struct("<IIQQQQQQ")
LOAD, DYNAMIC, NOTE = 1, 2, 4

KERNEL = """
.globl {name}
.p2align 8
.type {name},@function
{name}:
    s_load_dwordx2 s[0:1], s[4:5], 0x0
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, helper@rel32@lo+4
    s_addc_u32 s3, s3, helper@rel32@hi+12
    s_waitcnt lgkmcnt(0)
    s_swappc_b64 s[30:31], s[2:3]
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 {name}_end
    v_mov_b32_e32 v1, 3
    v_add_u32_e32 v1, v1, v0
{name}_end:
    s_endpgm
.L{name}: .size {name}, .L{name}-{name}
"""
HELPER = """
.p2align 6
.type helper,@function
helper:
    v_mov_b32_e32 v1, 1
    v_mov_b32_e32 v2, 2
    s_setpc_b64 s[30:31]
.Lhelper: .size helper, .Lhelper-helper
"""
DESCRIPTOR = """
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 40
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
"""


@pytest.fixture(scope="module")
def linked() -> bytes:
    """Kernels `first` and `second` with a helper between them that both call."""
    names = ("first", "second")
    parts = [KERNEL.format(name="first"), HELPER, KERNEL.format(name="second")]
    kernels = "".join(
        f"  - .name: {n}\n    .symbol: {n}.kd\n    .kernarg_segment_size: 8\n"
        "    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n"
        "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 40\n"
        "    .vgpr_count: 8\n    .max_flat_workgroup_size: 64\n"
        for n in names
    )
    return assemble_object(
        '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n.text\n' + "".join(parts) + ".rodata\n"
        + "".join(DESCRIPTOR.format(name=n) for n in names)
        + ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\n"
        + "amdhsa.target: amdgcn-amd-amdhsa--gfx942\namdhsa.kernels:\n" + kernels
        + "...\n.end_amdgpu_metadata\n"
    )  # fmt: skip


def split(data: bytes, cuts: Sequence[tuple[int, int]], names: Sequence[str]) -> bytes:
    """The object with its code cut into sections: `cuts` are (start, end) offsets in it."""
    at, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    headers = [list(SECTION.unpack_from(data, at + 64 * i)) for i in range(count)]
    strings = struct.unpack_from("<H", data, 62)[0]
    code = next(i for i, h in enumerate(headers) if h[2] & 4)
    text = b"\0".join(n.encode() for n in names) + b"\0"
    place, size = headers[strings][4:6]
    table = data[place : place + size] + text
    whole = list(headers[code])
    numbers: list[int] = []
    for n, (start, end) in enumerate(cuts):
        name = size + sum(len(x) + 1 for x in names[:n])
        part = [name, 1, 6, whole[3] + start, whole[4] + start, end - start, 0, 0, 4, 0]
        numbers.append(code if n == 0 else len(headers))
        if n == 0:
            headers[code] = part
        else:
            headers.append(part)
    out = bytearray(data)
    for kind, _, offset, length in [(h[1], h[3], h[4], h[5]) for h in headers]:
        for record in range(offset, offset + length, 24) if kind in (2, 11) else ():
            (section,) = struct.unpack_from("<H", out, record + 6)
            (value,) = struct.unpack_from("<Q", out, record + 8)
            if section == code:
                holder = max(n for n, (start, _) in enumerate(cuts) if whole[3] + start <= value)
                struct.pack_into("<H", out, record + 6, numbers[holder])
    out += bytes(-len(out) % 8)
    headers[strings][4:6] = len(out), len(table)
    out += table + bytes(-len(table) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, len(headers))
    return bytes(out) + b"".join(SECTION.pack(*h) for h in headers)


def bounds(data: bytes) -> tuple[int, int, int, int]:
    """Offsets in the code of the helper, of its end, of `second`, and of the code's end."""
    co = CodeObject.open(data)
    at = {s.name: s for s in co.text_symbols}
    start, end = (at["helper"].value - co.text_address + n * at["helper"].size for n in (0, 1))
    return start, end, at["second"].value - co.text_address, len(co.text)


def forms(data: bytes) -> dict[str, bytes]:
    helper, behind, second, end = bounds(data)
    usual = [".text", ".text.hot", ".text.unlikely"]
    return {
        "fs2": split(data, [(0, helper), (helper, behind), (second, end)], usual),
        "two": split(data, [(0, second), (second, end)], usual),
        "gap": split(data, [(0, helper - 8), (helper, end)], usual),
        "same name": split(data, [(0, helper), (helper, end)], [".text", ".text"]),
        "no .text": split(data, [(0, helper), (helper, end)], [".text.hot", ".text.cold"]),
        "nameless start": split(
            data, [(0, helper), (helper, helper + 4), (helper + 4, end)], usual
        ),
    }  # fmt: skip


FORMS = ("fs2", "two", "gap", "same name", "no .text", "nameless start")


def everywhere(program: Program) -> list[Edit]:
    """`s_nop` before every instruction that belongs to no address."""
    taken = {i for r in program.references for i in range(r.pc_read + 1, r.high + 1)}
    return [Edit(i, i, ("s_nop 0",)) for i in range(len(program.instructions)) if i not in taken]


@pytest.mark.parametrize("form", FORMS)
def test_several_sections_recover(form: str, linked: bytes) -> None:
    data = forms(linked)[form]
    one = recover(CodeObject.open(linked))
    report = roundtrip_bytes(data, growth=True)
    assert (report.status, report.growth_refused) == ("identical", "")
    program = recover(CodeObject.open(data))
    assert [i.raw for i in program.instructions] == [i.raw for i in one.instructions]
    assert {program.line(i) for i in program.targets} == {one.line(i) for i in one.targets}
    assert len(program.references) == 2
    assert {f.name for f in one.functions} <= {f.name for f in program.functions}
    assert read(write(program)) == data
    assert Outline.read(data).kernels == ("first", "second")


@pytest.mark.parametrize("form", FORMS)
def test_several_sections_grow(form: str, linked: bytes) -> None:
    """Every symbol stays inside its section, and every section where its bytes are loaded."""
    data = forms(linked)[form]
    program = recover(CodeObject.open(data))
    grown = rebuild(apply(program, everywhere(program)))
    after = recover(CodeObject.open(grown))
    assert compare_images(program, after) == []
    assert read(write(after)) == grown
    helper = next(f for f in after.functions if f.name == "helper")
    assert [r.target for r in after.references] == [helper.first] * 2
    assert [after.instructions[i].text for i in range(helper.first, helper.first + 4)] == [
        "s_nop 0", "v_mov_b32_e32 v1, 1", "s_nop 0", "v_mov_b32_e32 v2, 2"]  # fmt: skip
    old, new = (ELFFile(io.BytesIO(d)) for d in (data, grown))
    for a, b in zip(old.iter_sections(), new.iter_sections(), strict=True):
        if b["sh_flags"] & 4:
            assert b["sh_addr"] - b["sh_offset"] == a["sh_addr"] - a["sh_offset"]
            assert b["sh_size"] > a["sh_size"]
    for name in (".dynsym", ".symtab"):
        table = new.get_section_by_name(name)
        for symbol in table.iter_symbols() if table else ():
            if isinstance(symbol["st_shndx"], int):
                section = new.get_section(symbol["st_shndx"])
                assert section["sh_addr"] <= symbol["st_value"]
                end = section["sh_addr"] + section["sh_size"]
                crosses = form == "nameless start" and symbol.name == "helper"
                assert crosses or symbol["st_value"] + symbol["st_size"] <= end


def test_a_wrong_section_header_is_found(linked: bytes) -> None:
    data = forms(linked)["fs2"]
    program = recover(CodeObject.open(data))
    grown = bytearray(rebuild(apply(program, everywhere(program))))
    hot = next(s for s in CodeObject.open(bytes(grown)).code_sections if s.name == ".text.hot")
    struct.pack_into("<Q", grown, hot.header_offset + 32, hot.size - 4)
    rules = {f.rule for f in compare_images(program, recover(CodeObject.open(bytes(grown))))}
    assert "image.section" in rules


def test_sections_in_two_segments(linked: bytes) -> None:
    """As one address range they recover; growth of the first would meet the second."""
    data = bytearray(forms(linked)["two"])
    first, second = CodeObject.open(bytes(data)).code_sections
    at, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    places = [at + 56 * i for i in range(count)]
    code = next(p for p in places if SEGMENT.unpack_from(data, p)[:2] == (LOAD, 5))
    spare = next(p for p in places if SEGMENT.unpack_from(data, p)[0] not in (LOAD, DYNAMIC, NOTE))
    fields = SEGMENT.unpack_from(data, code)
    SEGMENT.pack_into(data, code, *fields[:5], first.size, first.size, fields[7])
    SEGMENT.pack_into(data, spare, LOAD, 5, second.offset, second.address, second.address,
                      second.size, second.size, fields[7])  # fmt: skip
    program = recover(CodeObject.open(bytes(data)))
    assert rebuild(program) == data
    assert "several segments" in program.growth_refused
    at = next(i for i, x in enumerate(program.instructions) if x.text == "v_mov_b32_e32 v2, 2")
    changed = rebuild(apply(program, [Edit(at, at + 1, ("v_mov_b32_e32 v2, 5",))]))
    assert compare_images(program, recover(CodeObject.open(changed))) == []


def test_sections_that_are_no_range_are_refused(linked: bytes) -> None:
    data = bytearray(forms(linked)["two"])
    _, second = CodeObject.open(bytes(data)).code_sections
    far = bytearray(data)
    struct.pack_into("<Q", far, second.header_offset + 16, second.address + 0x10000)
    with pytest.raises(WrongObjectError, match=r"not mapped as one \(\.text, \.text\.hot\)"):
        CodeObject.open(bytes(far))
    helper, behind, start, end = bounds(linked)
    between = bytearray(
        split(linked, [(0, helper), (helper, behind), (start, end)], [".text", "x", "y"])
    )
    middle = CodeObject.open(bytes(between)).code_sections[1]
    struct.pack_into("<Q", between, middle.header_offset + 8, 2)  # now data
    with pytest.raises(WrongObjectError, match="x lies between the executable sections"):
        CodeObject.open(bytes(between))


def stripped(data: bytes) -> bytes:
    """Without section headers, as `llvm-strip --strip-sections` leaves the header."""
    out = bytearray(data)
    struct.pack_into("<Q", out, 40, 0)
    struct.pack_into("<HHH", out, 58, 0, 0, 0)
    return bytes(out)


@pytest.mark.parametrize("form", [None, "fs2", "gap"])
def test_without_section_headers(form: str | None, linked: bytes) -> None:
    """st2: the code, the kernels and the calls are found; edits of the same size work."""
    whole = linked if form is None else forms(linked)[form]
    data = stripped(whole)
    report = roundtrip_bytes(data, growth=True)
    assert (report.status, report.kernels) == ("identical", ("first", "second"))
    assert "no section headers" in report.growth_refused
    program, full = (recover(CodeObject.open(d)) for d in (data, whole))
    code = [i.text for i in full.instructions]
    assert [i.text for i in program.instructions[: len(code)]] == code
    assert {f.name for f in program.functions} >= {"first", "second"}
    assert Outline.read(memoryview(data)).kernels == ("first", "second")
    assert read(write(program)) == data
    at = next(i for i, x in enumerate(program.instructions) if x.text == "v_mov_b32_e32 v2, 2")
    changed = rebuild(apply(program, [Edit(at, at + 1, ("v_mov_b32_e32 v2, 5",))]))
    assert compare_images(program, recover(CodeObject.open(changed))) == []
    differ = [n for n, (a, b) in enumerate(zip(data, changed, strict=True)) if a != b]
    assert len(differ) == 1
    with pytest.raises(EditError, match="no section headers"):
        apply(program, [Edit(at, at, ("s_nop 0",))])


def test_damage_without_section_headers(linked: bytes) -> None:
    """Every dynamic entry at extremes: typed errors, and no table is believed."""
    data = stripped(linked)
    at, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    segments = [SEGMENT.unpack_from(data, at + 56 * i) for i in range(count)]
    dynamic = next(s for s in segments if s[0] == DYNAMIC)
    refused = 0
    for entry in range(dynamic[2], dynamic[2] + dynamic[5], 16):
        for field in (0, 8):
            for value in (0, 4, 6, 0x6FFFFEF5, 1 << 31, (1 << 63) - 1):
                bad = bytearray(data)
                struct.pack_into("<Q", bad, entry + field, value)
                try:
                    recover(CodeObject.open(bytes(bad)))
                except FormatError:
                    refused += 1
    assert refused > 10


def test_symbols_are_counted_by_either_hash_table(shared_root: Path) -> None:
    """The case st2 has both; without the first the GNU one must give the same."""
    data = (shared_root / "cases/recovery/st2.co").read_bytes()
    segments = [SEGMENT.unpack_from(data, 64 + 56 * i) for i in range(9)]
    dynamic = next(s for s in segments if s[0] == DYNAMIC)
    other = bytearray(data)
    for entry in range(dynamic[2], dynamic[2] + dynamic[5], 16):
        if struct.unpack_from("<Q", data, entry)[0] == 4:  # DT_HASH
            struct.pack_into("<Q", other, entry, 0x7000_0000)
    names = [{s.name for s in CodeObject.open(bytes(d)).elf.all_symbols()} for d in (data, other)]
    assert names[0] == names[1]
    assert {"direct.kd", "switchy", "weights"} <= names[0]
    assert roundtrip_bytes(bytes(other)).status == "identical"
