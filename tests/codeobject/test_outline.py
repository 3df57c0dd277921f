"""What a listing reads of an object: the same as opening it, at a small part of the cost."""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from asmevo.api.containers import find_objects
from asmevo.codeobject import CodeObject, FormatError
from asmevo.codeobject.elf import SHT_NOTE, Elf
from asmevo.codeobject.object import Outline
from asmevo.errors import AsmEvoError, InputError

from .container import makers
from .container.test_finding import zipped

Objects = Callable[..., bytes]
NAMES = ("saxpy", "softmax", "matmul_f16")


def resident(field: str) -> int:
    """Bytes of a field of this process's status."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(field + ":")[2].split()[0]) << 10


def with_notes(k: bytes, count: int) -> bytes:
    """An object as Tensile's linker makes them: the metadata note `count` times more."""
    section = next(s for s in Elf.parse(k).sections if s.type == SHT_NOTE)
    note = k[section.offset : section.offset + section.size]
    at, sections = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    out = bytearray(k + bytes(-len(k) % 8))
    place = len(out)
    out += note * count
    out += bytes(-len(out) % 8)
    table = k[at : at + 64 * sections]
    table += struct.pack("<IIQQQQIIQQ", 0, SHT_NOTE, 0, 0, place, len(note) * count, 0, 0, 4, 0)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, sections + 1)
    return bytes(out) + table


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_opening_says(name: str, kernel_objects: Objects) -> None:
    data = kernel_objects(name)
    for form in (data, memoryview(data)):
        co, outline = CodeObject.open(data), Outline.read(form)
        assert outline == Outline(co.target, tuple(k.name for k in co.kernels))


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_what_opening_refuses(name: str, kernel_objects: Objects) -> None:
    """Every header byte at two extremes: the same outcome, to the word."""
    data = kernel_objects(name)
    places = [*range(64), *range(len(data) - 64 * 8, len(data), 3)]
    refused = 0
    for at in places:
        for value in (0, 0xFF):
            bad = bytearray(data)
            bad[at] = value
            said: list[str] = []
            for opener in (lambda b: CodeObject.open(bytes(b)), Outline.read):
                try:
                    opener(memoryview(bad))
                    said.append("")
                except AsmEvoError as err:
                    said.append(err.one_line())
            assert said[0] == said[1]
            refused += bool(said[0])
    assert refused > 40


def test_names_end_where_they_end(kernel_objects: Objects) -> None:
    for name in NAMES:
        elf = Elf.parse(kernel_objects(name))
        for suffix in (".kd", "d", "y", ".kd.kd"):
            expected = [s for s in elf.all_symbols() if s.name.endswith(suffix)]
            assert list(elf.symbols_ending(suffix)) == expected
    data = bytearray(kernel_objects("saxpy"))
    strings = next(s for s in Elf.parse(bytes(data)).sections if s.name == ".strtab")
    data[strings.offset + strings.size - 1] = 0x41
    damaged = Elf.parse(bytes(data))
    with pytest.raises(FormatError, match="does not end"):
        list(damaged.symbols_ending(".kd"))


def test_thousands_of_notes_cost_no_memory(tmp_path: Path, kernel_objects: Objects) -> None:
    """rocBLAS keeps 14,000 kernels in one object; the listing took 1.7 GB for it."""
    count = 20_000
    path = tmp_path / "library.co"
    path.write_bytes(with_notes(kernel_objects("matmul_f16"), count))
    assert path.stat().st_size > 12 << 20
    with path.open("rb") as stream:
        view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        Path("/proc/self/clear_refs").write_text("5")
        before, start = resident("VmHWM"), time.thread_time()
        outline = Outline.read(view)
        assert time.thread_time() - start < 5
        # The mapped pages and the names, but neither a copy of the file nor its metadata.
        assert resident("VmHWM") - before < path.stat().st_size + (8 << 20)
    assert len(outline.kernels) == count + 1


def packed_library(k: bytes, count: int) -> bytes:
    """A section of compressed bundles, each with an object and 4 MiB that pack as code does."""
    filler = np.zeros(4 << 20, np.uint8)
    filler[::32] = np.random.default_rng(1).integers(0, 256, len(filler) // 32, np.uint8)
    packed = makers.compressed(makers.bundle([(makers.GPU_ID, k + filler.tobytes())]))
    return makers.elf([(".hip_fatbin", packed * count)])


def test_a_listing_keeps_no_contents(tmp_path: Path, kernel_objects: Objects) -> None:
    """The bundles of hipBLASLt unpack to gigabytes; a listing of them took 5 GB."""
    k = kernel_objects("saxpy")
    path = tmp_path / "lib.so"
    path.write_bytes(packed_library(k, 40))
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmHWM")
    result = find_objects(path)
    assert len(result.objects) == 40
    assert sum(o.found.size for o in result.objects) > 160 << 20
    assert resident("VmHWM") - before < 64 << 20
    last = result.objects[-1].found
    assert last.data[: len(k)] == k  # it is still there for whoever asks
    assert len(last.data) == last.size


def test_what_was_let_go_is_found_again(tmp_path: Path, kernel_objects: Objects) -> None:
    k, other = kernel_objects("saxpy"), kernel_objects("softmax")
    (tmp_path / "a.zip").write_bytes(zipped(("x", k), ("y", other)))
    (tmp_path / "b.co").write_bytes(other)
    result = find_objects(tmp_path)
    assert [o.found.data for o in result.objects] == [k, other, other]
    assert [o.found.data for o in reversed(result.objects)] == [other, other, k]
    (tmp_path / "a.zip").write_bytes(zipped(("x", k)))
    with pytest.raises(InputError, match="no longer there"):
        _ = result.objects[1].found.data
