"""Metadata that grows: pages are put in behind the note, and everything behind them follows.

What followed is checked by a reader of ELF of the tests (`reference/growth.py`), which finds every
symbol, relocation, dynamic entry, descriptor and PC-relative address where it was before, in its
section; and by running the object.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import SHT_NOTE, SHT_RELA, Elf
from asmevo.codeobject.note import patch_numbers, put_note
from asmevo.codeobject.room import make_room
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import BuildError
from asmevo.program import recover
from asmevo.program.rebuild.resources import Resources, set_resources
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from reference.growth import compare
from reference.inputs import capsule_and_inputs, launch_paths, object_of

Objects = Callable[..., bytes]
_NOTE = ("size of .note changed", ".note+0x0 changed")


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("size", [1, 40, 5000])
def test_a_longer_argument_name_moves_what_follows(
    kernel_objects: Objects, arch: str, size: int
) -> None:
    data = kernel_objects("calls", arch, "recovery")
    co = CodeObject.open(data)
    text = write(recover(co))
    line = next(x for x in text.splitlines() if x.strip().startswith(("- .name:", ".name:")))
    longer = read(text.replace(line, line + "_" + "x" * size, 1))
    again = CodeObject.open(longer)
    assert again.metadata is not None
    assert "x" * size in again.metadata.data.decode("latin1")
    moved = again.text_address - co.text_address
    assert moved % 4096 == 0
    assert len(longer) - len(data) == moved
    assert size < 50 or moved >= size // 4096 * 4096
    found = compare(data, longer, co.target)
    assert [f for f in found if f not in _NOTE] == []
    assert read(write(recover(again))) == longer


@pytest.mark.parametrize("path", [p for p in launch_paths() if object_of(p)[1] == "recovery"],
                         ids=lambda p: p.stem)  # fmt: skip
def test_an_object_with_a_longer_note_runs_the_same(path: Path, kernel_objects: Objects) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, "gfx942", folder)
    co = CodeObject.open(data)
    section = next(s for s in co.elf.sections if s.type == SHT_NOTE)
    capsule, _ = capsule_and_inputs(data, path, {})
    device = EmulatedDevice()
    before = device.run(data, capsule, RunOptions(poison=3))
    after = device.run(make_room(data, section, 9000), capsule, RunOptions(poison=3))
    assert before.ok
    assert after.ok, after.fault
    assert after.buffers == before.buffers


def test_a_number_that_needs_more_bytes_gets_them(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("saxpy"))
    (kernel,) = co.kernels
    data = co.data
    for value in (200, 40_000):  # two and three bytes of msgpack where one was, then again
        data = patch_numbers(data, CodeObject.open(data), kernel,
                             {".sgpr_count": value, ".vgpr_count": value})  # fmt: skip
    again = CodeObject.open(data)
    numbers = again.kernels[0].metadata
    assert (numbers.sgpr_count, numbers.vgpr_count) == (40_000, 40_000)
    assert [f for f in compare(co.data, data, co.target) if f not in _NOTE] == []
    larger = set_resources(co, kernel, Resources(lds=65_536, vgprs=200))
    assert CodeObject.open(larger).kernels[0].metadata.group_segment_fixed_size == 65_536


def test_what_cannot_move_is_refused(kernel_objects: Objects) -> None:
    data = kernel_objects("calls", "gfx942", "recovery")
    elf = Elf.parse(data)
    rela = next(s for s in elf.sections if s.type == SHT_RELA)
    packed = bytearray(data)
    struct.pack_into("<I", packed, rela.header_offset + 4, 19)
    note = next(s for s in elf.sections if s.type == SHT_NOTE)
    with pytest.raises(BuildError, match="RELR relocations"):
        make_room(bytes(packed), note, 8)
    text = next(s for s in elf.sections if s.name == ".text")
    with pytest.raises(BuildError, match="stands in front"):
        make_room(data, text, 8)
    comment = next(s for s in elf.sections if not s.flags & 2 and s.size)
    with pytest.raises(BuildError, match="is not loaded"):
        make_room(data, comment, 8)


def test_a_shorter_note_keeps_the_rest_in_place(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("saxpy"))
    assert co.metadata is not None
    shorter = co.metadata.data[:-8]  # no document any more, but only its place is looked at
    data = put_note(co.data, co, co.metadata, shorter)
    assert len(data) == len(co.data)
    begin = co.metadata.data_offset
    assert data[begin : begin + len(shorter)] == shorter
    assert data[begin + len(co.metadata.data) + 4 :][-64:] == co.data[-64:]
