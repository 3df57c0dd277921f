"""Damaged objects: a typed error or an exact round trip, and nothing else.

Each object goes the whole way: open, recover, rebuild, grow by one instruction, write as assembly,
read back. The expected value is the file itself; an untyped exception fails the test.
"""

from __future__ import annotations

import random
import re
import struct
import time
from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject, FormatError
from asmevo.codeobject.elf import (
    SHT_DYNAMIC,
    SHT_RELA,
    SHT_STRTAB,
    SHT_SYMTAB,
    Elf,
    StringTable,
    read_headers,
)
from asmevo.errors import AsmEvoError
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read

Objects = Callable[..., bytes]
_HEADER_FIELDS = [(0x18, "Q"), (0x20, "Q"), (0x28, "Q"), (0x30, "I"), (0x34, "H"), (0x36, "H"),
                  (0x38, "H"), (0x3A, "H"), (0x3C, "H"), (0x3E, "H")]  # fmt: skip
_SECTION_FIELDS = [(0, "I"), (4, "I"), (8, "Q"), (16, "Q"), (24, "Q"), (32, "Q"), (40, "I"),
                   (44, "I"), (48, "Q"), (56, "Q")]  # fmt: skip
_SEGMENT_FIELDS = [(0, "I"), (4, "I"), (8, "Q"), (16, "Q"), (24, "Q"), (32, "Q"), (40, "Q"),
                   (48, "Q")]  # fmt: skip


def _survives(data: bytes) -> bool:
    """Whether the object is accepted (and then exact); False for a typed refusal."""
    start = time.process_time()
    try:
        program = recover(CodeObject.open(data))
        assert rebuild(program) == data
        try:
            rebuild(apply(program, [Edit(0, 0, ("s_nop 0",))]))
        except AsmEvoError as err:
            assert "\n" not in err.one_line()  # noqa: PT017
        assert read(write(program)) == data
    except AsmEvoError as err:
        assert "\n" not in err.one_line()  # noqa: PT017
        assert err.exit_code in (2, 3)  # noqa: PT017
        return False
    finally:
        assert time.process_time() - start < 2
    return True


def _fields(data: bytes) -> list[tuple[int, str]]:
    """(file offset, layout) of every header field."""
    elf = Elf.parse(data)
    out = list(_HEADER_FIELDS)
    out += [(s.header_offset + at, x) for s in elf.sections for at, x in _SECTION_FIELDS]
    return out + [(p.header_offset + at, x) for p in elf.segments for at, x in _SEGMENT_FIELDS]


def _put(data: bytes, at: int, layout: str, value: int) -> bytes:
    out = bytearray(data)
    struct.pack_into("<" + layout, out, at, value & (1 << 8 * struct.calcsize(layout)) - 1)
    return bytes(out)


@pytest.mark.parametrize(("arch", "name"), [("gfx942", "calls"), ("gfx1100", "calls")])
def test_header_fields_at_their_extremes(kernel_objects: Objects, arch: str, name: str) -> None:
    good = kernel_objects(name, arch, "recovery")
    r = random.Random(arch)
    outcomes = [0, 0]
    for at, layout in _fields(good):
        extremes = [0, 1, 1 << 31, (1 << 63) - 8, (1 << 64) - 1, (1 << 64) - 64, len(good)]
        for value in r.sample(extremes, 2):
            outcomes[_survives(_put(good, at, layout, value))] += 1
    assert min(outcomes) > 20  # neither all refused nor all taken


@pytest.mark.parametrize("seed", range(3))
def test_flipped_bytes(kernel_objects: Objects, seed: int) -> None:
    r = random.Random(seed)
    sources = [kernel_objects("calls", "gfx942", "recovery"), kernel_objects("softmax")]
    for _ in range(80):
        data = bytearray(r.choice(sources))
        for _ in range(r.choice((1, 1, 2, 4))):
            data[r.randrange(len(data))] = r.randrange(256)
        _survives(bytes(data))


def test_cut_off_and_extended(kernel_objects: Objects) -> None:
    good = kernel_objects("calls", "gfx942", "recovery")
    assert _survives(good + b"behind")
    for size in range(64, len(good) - 1, 131):
        assert not _survives(good[:size])


def _section_at(data: bytes, kind: int) -> int:
    return next(s.header_offset for s in Elf.parse(data).sections if s.type == kind)


def test_each_damage_is_named(kernel_objects: Objects) -> None:
    good = kernel_objects("calls", "gfx942", "recovery")
    elf = Elf.parse(good)
    symtab, strtab = _section_at(good, SHT_SYMTAB), _section_at(good, SHT_STRTAB)
    load = next(p for p in elf.segments if p.type == 1 and p.file_size)
    other = next(p for p in elf.segments if p.type == 1 and p.offset != load.offset)
    cases = [
        (_put(good, load.header_offset + 32, "Q", load.mem_size + 8), "in memory|needs bytes"),
        (_put(good, load.header_offset + 40, "Q", 0), "0 in memory"),
        (_put(good, other.header_offset + 16, "Q", load.vaddr + 1), "do not match"),
        (_put(_put(good, other.header_offset + 16, "Q", load.vaddr), other.header_offset + 48, "Q",
              0), "overlap"),
        (_put(good, other.header_offset + 16, "Q", (1 << 64) - 4096 + other.offset % 4096),
         "out of range"),
        (_put(good, symtab + 24, "Q", (1 << 64) - 8), "needs bytes"),  # section past the end
        (_put(good, symtab + 32, "Q", len(good)), "needs bytes"),
        (_put(good, symtab + 56, "Q", 0), "entries of 0"),
        (_put(good, _section_at(good, SHT_RELA) + 56, "Q", 0), "entries of 0"),
        (_put(good, _section_at(good, SHT_DYNAMIC) + 56, "Q", 7), "entries of 7"),
        (_put(good, symtab + 40, "I", 0), "no string table"),
        (_put(good, 0x3C, "H", 0xFFFE), "needs bytes"),
        (_put(good, 0x3E, "H", 0x7FFF), "names"),
        (_put(good, symtab, "I", 0xFFFFFF), "a name starts at"),
    ]  # fmt: skip
    # A string table whose last name does not end: its last byte is overwritten.
    at, size = struct.unpack_from("<QQ", good, strtab + 24)
    for n, (data, message) in enumerate(cases):
        try:
            assert CodeObject.open(data).text_symbols
        except FormatError as err:
            assert re.search(message, err.one_line()), (n, err)  # noqa: PT017
        else:
            pytest.fail(f"case {n} ({message}) was taken")
    with pytest.raises(FormatError, match="does not end"):
        StringTable(good[at : at + size - 1], 9, "names").at(size - 4)


@pytest.mark.parametrize("name", [".text", ".note", ".rodata", ".symtab"])
def test_a_section_past_the_end_is_refused(kernel_objects: Objects, name: str) -> None:
    """Whatever is in it, and though nobody asked for its contents: slices would just be short."""
    good = kernel_objects("calls", "gfx942", "recovery")
    (section,) = (s for s in Elf.parse(good).sections if s.name == name)
    fits = _put(good, section.header_offset + 32, "Q", len(good) - section.offset)
    assert read_headers(fits).sections[section.index].size == len(good) - section.offset
    long = _put(good, section.header_offset + 32, "Q", len(good) - section.offset + 1)
    with pytest.raises(FormatError, match=rf"section {section.index} needs bytes"):
        read_headers(long)
    for at in (len(good) - section.size + 1, (1 << 64) - 8):
        with pytest.raises(FormatError, match=rf"section {section.index} needs bytes"):
            read_headers(_put(good, section.header_offset + 24, "Q", at))


def test_names_that_overlap_without_end_are_refused() -> None:
    """Many symbols with one long name: 1 MB would become gigabytes."""
    table = StringTable(b"\0" + b"x" * (1 << 20) + b"\0", 9, "names")
    with pytest.raises(FormatError, match="add up to several"):
        [table.at(at) for at in range(1, 1 << 20)]


def test_two_symbols_of_one_name_keep_their_places(kernel_objects: Objects) -> None:
    """Static data of two compilation units may have one name; the text must not mix them up."""
    good = kernel_objects("calls", "gfx942", "recovery")
    elf = Elf.parse(good)
    objects = [s for s in elf.all_symbols() if s.type == 1 and not s.name.endswith(".kd")]
    places = {s.value: s for s in objects}
    assert len(places) > 1
    first, second, *_ = places.values()
    data = bytearray(good)
    for s in objects:
        if s.value == second.value:
            donor = next(o for o in objects if o.value == first.value
                         and (o.record_offset < elf.sections[-1].offset) is
                         (s.record_offset < elf.sections[-1].offset))  # fmt: skip
            data[s.record_offset : s.record_offset + 4] = good[
                donor.record_offset : donor.record_offset + 4
            ]
    program = recover(CodeObject.open(bytes(data)))
    assert read(write(program)) == bytes(data)
