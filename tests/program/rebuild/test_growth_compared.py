"""`s_nop` before every instruction, compared by a reader and a disassembly of their own."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.text.asmfile import END_OF_TEXT, write
from asmevo.program.text.asmread import read
from reference.growth import MARKER_TEXT, Object, compare

Objects = Callable[..., bytes]
ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")


def grown(program: Program) -> bytes:
    """The object with a marker before every line of code of its text."""
    head, _, rest = write(program).partition("\t.text\n")
    code, _, tail = rest.partition(f"{END_OF_TEXT}:")
    lines: list[str] = []
    for line in code.splitlines():
        if line.startswith("\t") and line[1] not in ".;":
            lines.append("\t" + MARKER_TEXT)
        lines.append(line)
    return read(f"{head}\t.text\n" + "\n".join(lines) + f"\n{END_OF_TEXT}:{tail}")


@pytest.mark.parametrize("arch", ARCHS)
def test_calls_tables_and_data_grow_right(kernel_objects: Objects, arch: str) -> None:
    """`calls_gfx942`, `calls_gfx1100` and their siblings."""
    data = kernel_objects("calls", arch, "recovery")
    program = recover(CodeObject.open(data))
    assert compare(data, grown(program), program.target) == []


@pytest.mark.parametrize("name", ["saxpy", "softmax", "rmsnorm", "matmul_f16"])
def test_kernels_grow_right(kernel_objects: Objects, name: str) -> None:
    data = kernel_objects(name)
    program = recover(CodeObject.open(data))
    assert compare(data, grown(program), program.target) == []


def _broken(data: bytes, kind: str) -> bytes:
    """The object with one thing made wrong."""
    out, co = bytearray(data), Object(data)
    if kind == "branch":
        words = range(co.text.offset, co.text.offset + co.text.size, 4)
        at = next(i for i in words if data[i + 2 : i + 4] == bytes.fromhex("88bf"))
        struct.pack_into("<h", out, at, struct.unpack_from("<h", data, at)[0] + 2)
    elif kind == "address":
        words = range(co.text.offset, co.text.offset + co.text.size, 4)
        at = next(i for i in words if data[i : i + 4] == bytes.fromhex("00ff0080"))
        struct.pack_into("<I", out, at + 4, struct.unpack_from("<I", data, at + 4)[0] + 8)
    elif kind == "relocation":
        section = next(s for s in co.sections if s.type == 4)
        addend = struct.unpack_from("<q", data, section.offset + 16)[0]
        struct.pack_into("<q", out, section.offset + 16, addend + 8)
    elif kind == "symbol":
        section = next(s for s in co.sections if s.type == 11)
        value = struct.unpack_from("<Q", data, section.offset + 24 + 8)[0]
        struct.pack_into("<Q", out, section.offset + 24 + 8, value + 8)
    elif kind == "descriptor":
        kd = next(s for s in co.symbols if s.name.endswith(".kd"))
        section = co.sections[kd.section]
        at = section.offset + kd.value - section.address + 16
        struct.pack_into("<q", out, at, struct.unpack_from("<q", data, at)[0] + 256)
    elif kind == "data":
        section = next(s for s in co.sections if s.name == ".rodata")
        out[section.offset + section.size - 1] ^= 1
    elif kind == "instruction":
        out[co.text.offset + 4 + 1] ^= 1
    elif kind == "segment":
        out[next(i for i in range(64, 4096, 56) if out[i] == 1) + 8] ^= 4
    return bytes(out)


@pytest.mark.parametrize(
    "kind",
    ["branch", "address", "relocation", "symbol", "descriptor", "data", "instruction", "segment"],
)
def test_the_comparison_sees_what_is_wrong(kernel_objects: Objects, kind: str) -> None:
    data = kernel_objects("calls", "gfx942", "recovery")
    program = recover(CodeObject.open(data))
    broken = _broken(grown(program), kind)
    assert compare(data, broken, program.target)
