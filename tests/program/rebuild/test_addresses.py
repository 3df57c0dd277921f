"""Dynamic entries after the code became longer: addresses follow, numbers stay.

Expected values come from the symbol and section tables of the file that was written.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import DYNAMIC, SHT_DYNAMIC, Elf
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild

Objects = Callable[..., bytes]
# gABI: tags whose d_ptr is an address, and some whose d_val is none.
ADDRESSES = {"PLTGOT": 3, "INIT": 12, "FINI": 13, "INIT_ARRAY": 25, "VERNEED": 0x6FFFFFFE}
NUMBERS = {"RELASZ": 8, "STRSZ": 10, "FLAGS": 30, "RELACOUNT": 0x6FFFFFF9}


def grown(data: bytes, count: int = 2000) -> bytes:
    """With `s_nop` in front of the last instruction of the first function."""
    program = recover(CodeObject.open(data))
    last = program.functions[0].last
    return rebuild(apply(program, [Edit(last - 1, last - 1, ("s_nop 0",) * count)]))


def dynamic(data: bytes) -> tuple[int, list[tuple[int, int]]]:
    """File offset of `.dynamic`, and its entries."""
    (section,) = (s for s in Elf.parse(data).sections if s.type == SHT_DYNAMIC)
    raw = data[section.offset : section.offset + section.size]
    return section.offset, list(DYNAMIC.iter_unpack(raw))


def with_entry(data: bytes, tag: int, value: int) -> tuple[bytes, int]:
    """The entry of DT_HASH overwritten, as the linker seldom writes others; its number."""
    at, entries = dynamic(data)
    n = next(n for n, (t, _) in enumerate(entries) if t == 4)
    out = bytearray(data)
    DYNAMIC.pack_into(out, at + n * DYNAMIC.size, tag, value)
    return bytes(out), n


@pytest.mark.parametrize("tag", ADDRESSES.values(), ids=ADDRESSES)
def test_dynamic_entries_follow_code_and_data(kernel_objects: Objects, tag: int) -> None:
    good = kernel_objects("calls", "gfx942", "recovery")
    elf = Elf.parse(good)
    places = {s.name: s.value for s in elf.all_symbols() if s.name and s.section}
    text = next(s for s in elf.sections if s.name == ".text")
    behind = [n for n, v in places.items() if v >= text.address + text.size]
    within = [n for n, v in places.items() if text.address < v < text.address + text.size]
    before = [n for n, v in places.items() if v < text.address]
    moved = 0
    for name in (behind[0], within[-1], before[0]):
        data, n = with_entry(good, tag, places[name])
        after = grown(data)
        now = {s.name: s.value for s in Elf.parse(after).all_symbols()}[name]
        assert dynamic(after)[1][n] == (tag, now)
        moved += now != places[name]
    assert moved == 2


@pytest.mark.parametrize("tag", NUMBERS.values(), ids=NUMBERS)
def test_dynamic_numbers_stay(kernel_objects: Objects, tag: int) -> None:
    good = kernel_objects("calls", "gfx942", "recovery")
    text = next(s for s in Elf.parse(good).sections if s.name == ".text")
    # A number that would be an address behind the code.
    data, n = with_entry(good, tag, text.address + text.size + 64)
    assert dynamic(grown(data))[1][n] == (tag, text.address + text.size + 64)
