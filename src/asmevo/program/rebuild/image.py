"""From a program to a file: the original container with its code replaced, no linker.

Code of the same size is put in place. Code of another size moves what follows: the file and the
address space behind `.text` shift by whole pages, so that every alignment and every page offset
holds; section and program headers, symbols, `.dynamic`, relocations and the descriptors' entry
offsets follow. Notes, dynamic strings and descriptors are otherwise never written.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from asmevo.codeobject import CodeObject, Kernel
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.codeobject.elf import (
    DYNAMIC,
    PT_LOAD,
    RELA,
    SHF_ALLOC,
    SHT_DYNAMIC,
    SHT_DYNSYM,
    SHT_NULL,
    SHT_RELA,
    SHT_SYMTAB,
)
from asmevo.codeobject.relocations import RelocationType
from asmevo.codeobject.room import ADDRESS_TAGS, PAGE, SHN_ABS
from asmevo.errors import BuildError
from asmevo.program.model import Program

_PREFETCH_UNIT = 128  # bytes that one step of inst_pref_size stands for


def encode_branch(raw: bytes, at: int, target: int) -> bytes:
    """The branch word `raw`, standing at byte offset `at`, made to go to byte offset `target`.

    Raises:
        BuildError: the distance does not fit the signed 16-bit word count.
    """
    words, rest = divmod(target - at - 4, 4)
    if rest or not -32768 <= words <= 32767:
        raise BuildError(
            f"branch at 0x{at:x} cannot reach 0x{target:x}", "make the code between them shorter"
        )
    return (words & 0xFFFF).to_bytes(2, "little") + raw[2:]


def shift_for(co: CodeObject, size: int) -> int:
    """Bytes by which everything behind the code moves when the code becomes `size` bytes."""
    section = co.text_section
    growth = size - section.size
    if growth <= 0:
        return 0
    end_offset, end_address = section.offset + section.size, section.address + section.size
    elf = co.elf
    offsets = [s.offset for s in elf.sections if s.type != SHT_NULL and s.offset >= end_offset]
    offsets += [p.offset for p in elf.segments if p.file_size and p.offset >= end_offset]
    tables = [s.header_offset for s in elf.sections[:1]] + [
        p.header_offset for p in elf.segments[:1]
    ]
    offsets += [t for t in tables if t >= end_offset]
    addresses = [
        s.address for s in elf.sections if s.flags & SHF_ALLOC and s.address >= end_address
    ]
    room = min([o - end_offset for o in offsets] + [a - end_address for a in addresses] + [1 << 40])
    return 0 if growth <= room else -(-growth // PAGE) * PAGE


def shifted(co: CodeObject, address: int, shift: int) -> int:
    """Where an address outside the code is when everything behind the code moved by `shift`."""
    section = co.text_section
    return address + shift if address >= section.address + section.size else address


def rebuild(program: Program) -> bytes:
    """The whole file with the program's code in it.

    Raises:
        BuildError: the code changed its size and the program says it must not.
    """
    co, text = program.object, program.text
    section = co.text_section
    growth = len(text) - section.size
    if growth and program.growth_refused:
        raise BuildError(
            f"the code must keep its size: {program.growth_refused}", "keep the edit's size"
        )
    shift = shift_for(co, len(text))
    end = section.offset + section.size
    data = bytearray(co.data[: section.offset])
    data += text
    if growth < 0:
        data += bytes(-growth)
    elif shift:
        data += bytes(shift - growth)
        data += co.data[end:]
    if not shift:
        data += co.data[end + max(growth, 0) :]
    if growth or program.moved:
        _fix(program, data, len(text), shift)
    return bytes(data)


def _fix(program: Program, data: bytearray, size: int, shift: int) -> None:
    """Write every header, symbol, dynamic entry, relocation and descriptor that moved."""
    co = program.object
    elf, section = co.elf, co.text_section
    end_offset, end_address = section.offset + section.size, section.address + section.size

    def file_at(offset: int) -> int:
        return offset + shift if offset >= end_offset else offset

    def address(old: int) -> int:
        index = program.anchors.get(old - section.address)
        if section.address <= old <= end_address and index is not None:
            inside = index < len(program.offsets)
            return section.address + (program.offsets[index] if inside else size)
        if section.address < old < end_address:
            raise BuildError(f"address 0x{old:x} inside the code has no instruction to follow")
        return shifted(co, old, shift)

    def put(offset: int, layout: str, value: int) -> None:
        at = file_at(offset)
        if layout == "<Q" and not 0 <= value < 1 << 64:
            raise BuildError(f"0x{value:x} at file offset {at} does not fit 64 bits")
        struct.pack_into(layout, data, at, value)

    if elf.sections and not elf.stripped:
        struct.pack_into("<Q", data, 0x28, file_at(elf.sections[0].header_offset))
    if elf.segments:
        struct.pack_into("<Q", data, 0x20, file_at(elf.segments[0].header_offset))
    code = {s.index for s in co.code_sections}
    for s in elf.sections:
        if s.type == SHT_NULL or elf.stripped:
            continue
        at = s.header_offset
        if s.index in code:
            first, last = address(s.address), address(s.address + s.size)
            put(at + 16, "<Q", first)
            put(at + 24, "<Q", first - section.address + section.offset)
            put(at + 32, "<Q", last - first)
            continue
        if s.flags & SHF_ALLOC:
            put(at + 16, "<Q", shifted(co, s.address, shift))
        put(at + 24, "<Q", file_at(s.offset))
        if (
            s.name.startswith(".debug_") and size != section.size
        ):  # line tables would name wrong instructions
            put(at + 32, "<Q", 0)
    _fix_segments(program, put, file_at, size, shift)
    for s in elf.sections:
        if s.type in (SHT_SYMTAB, SHT_DYNSYM):
            for symbol in elf.symbols(s):
                if symbol.section in (0, SHN_ABS):
                    continue
                value = address(symbol.value)
                put(symbol.record_offset + 8, "<Q", value)
                if symbol.section in code and symbol.size:
                    put(
                        symbol.record_offset + 16, "<Q",
                        address(symbol.value + symbol.size) - value,
                    )  # fmt: skip
        elif s.type == SHT_DYNAMIC:
            for i in range(s.size // DYNAMIC.size):
                tag, value = DYNAMIC.unpack_from(co.data, s.offset + i * DYNAMIC.size)
                if tag in ADDRESS_TAGS:
                    put(s.offset + i * DYNAMIC.size + 8, "<Q", address(value))
        elif s.type == SHT_RELA:
            for r in elf.relocations(s):
                addend = address(r.addend) if r.type == RelocationType.RELATIVE64 else r.addend
                record = RELA.pack(address(r.offset), r.symbol << 32 | r.type, addend)
                at = file_at(r.record_offset)
                data[at : at + RELA.size] = record
                _fix_place(co, put, r.offset, r.addend, addend)
    for kernel in co.kernels:
        entry = address(section.address + kernel.entry)
        preloads = co.target.is_gfx9 and kernel.descriptor.kernarg_preload_length
        second = kernel.entry + PRELOAD_PROLOGUE
        if preloads and second in program.anchors:
            distance = address(section.address + second) - entry
            if distance != PRELOAD_PROLOGUE:
                raise BuildError(
                    f"the second entry of {kernel.name} is {distance} bytes behind the first; "
                    f"firmware with kernarg preload enters at {PRELOAD_PROLOGUE}",
                    f"keep the size of the first {PRELOAD_PROLOGUE} bytes",
                )
        put(kernel.descriptor_offset + 16, "<q", entry - address(kernel.descriptor_address))
        _fix_prefetch(program, put, kernel, size - (entry - section.address))


def _fix_prefetch(
    program: Program, put: Callable[[int, str, int], None], kernel: Kernel, left: int
) -> None:
    """Keep the instruction prefetch (gfx11+) inside the code when the code became shorter."""
    d = kernel.descriptor
    if d.inst_pref_size and d.inst_pref_size * _PREFETCH_UNIT > left:
        words = d.replace(inst_pref_size=left // _PREFETCH_UNIT).raw[44:48]
        put(kernel.descriptor_offset + 44, "<I", int.from_bytes(words, "little"))


def notes(program: Program) -> tuple[str, ...]:
    """What a rebuild of an edited program drops, or how it was held in place; one line each."""
    out: list[str] = []
    co = program.object
    debug = [s.name for s in co.elf.sections if s.name.startswith(".debug_") and s.size]
    if debug and len(program.text) != len(co.text):
        out.append(f"debug information dropped ({', '.join(debug)}): it names old addresses")
    if program.growth_refused:
        out.append(f"patched in place; the code must keep its size: {program.growth_refused}")
    return tuple(out)


def _fix_place(
    co: CodeObject, put: Callable[[int, str, int], None], place: int, old: int, new: int
) -> None:
    """Move the copy of an addend that some linkers also store at the relocated place."""
    at = co.elf.file_offset(place)
    if old == new or at is None or at + 8 > len(co.data):
        return
    if int.from_bytes(co.data[at : at + 8], "little") == old:
        put(at, "<Q", new)


def _fix_segments(
    program: Program,
    put: Callable[[int, str, int], None],
    file_at: Callable[[int], int],
    size: int,
    shift: int,
) -> None:
    co = program.object
    section = co.text_section
    end_offset, end_address = section.offset + section.size, section.address + section.size
    for p in co.elf.segments:
        at = p.header_offset
        if p.offset <= section.offset and end_offset <= p.offset + p.file_size and p.file_size:
            last = p.offset + p.file_size == end_offset
            if p.type == PT_LOAD or last:
                grown = size - section.size if last else shift
                put(at + 32, "<Q", p.file_size + grown)
                put(at + 40, "<Q", p.mem_size + grown)
            continue
        put(at + 8, "<Q", file_at(p.offset))
        if p.vaddr >= end_address:  # the physical address is a copy, or nothing
            put(at + 16, "<Q", p.vaddr + shift)
            put(at + 24, "<Q", p.paddr + shift)
