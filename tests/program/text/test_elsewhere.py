"""What plain LLVM makes of a file: the same code, but for the bits that the file names.

The text without its container goes through LLVM's assembler and the project's linker; where
`llvm-mc` and `ld.lld` are installed, `test_asmfile` goes through them. That the bits are ignored
follows from the ISA: an instruction with two sources has no third (RDNA3 ISA, "VOP3").
"""

from __future__ import annotations

import re
import struct
from collections import Counter

import pytest

import asmevo
from asmevo.codeobject import CodeObject
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.encoding import table
from asmevo.program.text.asmfile import CONTAINER, write
from asmevo.program.text.asmread import read
from program.frame import source


def _with_debug(data: bytes) -> bytes:
    """The object with a section `.debug_line` of twelve bytes, as clang's `-g` leaves it."""
    (at,), (count, names) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<2H", data, 60)
    headers = [list(struct.unpack_from("<2I4Q2I2Q", data, at + 64 * i)) for i in range(count)]
    strings = headers[names]
    table = data[strings[4] : strings[4] + strings[5]]
    headers.append([len(table), 1, 0, 0, len(data), 12, 0, 0, 1, 0])
    strings[4], strings[5] = len(data) + 12, len(table) + 12
    out = bytearray(data + struct.pack("<3I", 1, 2, 3) + table + b".debug_line\0")
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, count + 1)
    return bytes(out) + b"".join(struct.pack("<2I4Q2I2Q", *h) for h in headers)


def _with_source2(text: str, arch: str, value: int) -> str:
    """An instruction as words, with something in the third source that it does not have."""
    (inst,) = table(Target(arch)).assemble([text])
    first, second = (int.from_bytes(inst.raw[i : i + 4], "little") for i in (0, 4))
    return f".long 0x{first:08x}, 0x{second | value << 18:08x}"


CODE = {
    "gfx1100": ("v_lshlrev_b64 v[0:1], 2, v[2:3]", "v_mul_hi_u32 v4, v5, v6"),
    "gfx1201": ("v_mul_hi_u32 v4, v5, v6", "v_mul_lo_u32 v4, v5, v6", "v_mul_lo_u32 v4, v5, v6"),
}


@pytest.mark.parametrize("arch", CODE)
def test_ignored_bits_are_listed_and_all_that_differs(arch: str) -> None:
    odd = [_with_source2(line, arch, 0x80) for line in CODE[arch]]
    data = assemble_object(source("\n".join([*odd, "v_mov_b32 v7, 1"]), arch))
    program = recover(CodeObject.open(data))
    text = write(program)
    assert read(text) == data
    named = Counter(x.partition(" ")[0] for x in CODE[arch])
    listed = asmevo.disasm(data).data["ignored_bits"]
    assert {re.sub("_e64$", "", k): n for k, n in listed.items()} == named
    head = next(x for x in text.splitlines() if "hardware ignores" in x)
    assert all(f"{n} {name}" in head for name, n in listed.items())
    plain = "\n".join(x for x in text.splitlines() if not x.startswith(CONTAINER))
    made = recover(CodeObject.open(assemble_object(plain)))
    differing = [a.text for a, b in zip(program.instructions, made.instructions, strict=True)
                 if a.raw != b.raw]  # fmt: skip
    assert len(differing) == len(odd)
    assert [a.text for a in program.instructions] == [b.text for b in made.instructions]
    count = sum(x.split(";")[-1].startswith(" bits ") for x in text.splitlines())
    assert count == len(odd)


def test_nothing_is_listed_where_nothing_differs() -> None:
    data = assemble_object(source("v_mov_b32 v7, 1"))
    got = asmevo.disasm(data)
    assert (got.data["ignored_bits"], got.data["debug"], got.elsewhere) == ({}, [], ())
    assert "Other assemblers" not in got.text


def test_debug_information_that_is_dropped_is_named() -> None:
    data = _with_debug(assemble_object(source("v_mov_b32 v7, 1")))
    got = asmevo.disasm(data)
    assert got.data["debug"] == [".debug_line"]
    assert any("drop the debug information (.debug_line)" in x for x in got.elsewhere)
    assert "drop the debug information (.debug_line)" in got.text
    same = asmevo.asm(got.text)
    assert same.object == data
    assert same.data["notes"] == []
    line = next(x for x in got.lines if x.startswith("\tv_mov_b32"))
    grown = asmevo.asm(got.text.replace(line, line + "\n\ts_nop 0"))
    assert grown.data["notes"] == [
        "debug information dropped (.debug_line): it names old addresses"
    ]
    sections = CodeObject.open(grown.object).elf.sections
    assert [s.size for s in sections if s.name == ".debug_line"] == [0]
