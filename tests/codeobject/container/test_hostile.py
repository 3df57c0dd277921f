"""Files made to cost more than they should: a typed error, soon, and in little memory.

Every case measures CPU time and the peak of resident memory of `find` followed by opening
what was found, as `asmevo find` does.
"""

from __future__ import annotations

import io
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import zstandard

from asmevo.codeobject import CodeObject
from asmevo.codeobject.budget import NESTING
from asmevo.codeobject.container import Budget, BudgetError, Found, extract, find_in
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.program import recover

from . import makers
from .test_finding import STREAMS, tarred, zipped

Objects = Callable[..., bytes]
SECONDS, BYTES = 5.0, 512 << 20
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


@dataclass(frozen=True)
class Outcome:
    """What a search gave: objects that open, and errors of all kinds."""

    found: list[Found]
    opened: int
    errors: list[AsmEvoError]

    @property
    def incomplete(self) -> bool:
        return any(isinstance(e, BudgetError) for e in self.errors)


def memory(field: str) -> int:
    """Bytes of a field of this process's status: resident now, or at the peak."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(field + ":")[2].split()[0]) << 10


def search(data: bytes) -> Outcome:
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = memory("VmRSS")
    start = time.thread_time()
    found, errors, opened = list[Found](), list[AsmEvoError](), 0
    for one in find_in(data):
        found.append(one)
        if one.error is not None:
            errors.append(one.error)
            continue
        try:
            CodeObject.open(one.data)
            opened += 1
        except AsmEvoError as err:
            errors.append(err)
    seconds = time.thread_time() - start
    assert seconds < SECONDS
    assert memory("VmHWM") - before < BYTES
    for error in errors:
        assert error.one_line().isprintable()
    return Outcome(found, opened, errors)


# hostile: self2, self64, self1000 ----------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 64, 1000, 4096])
def test_a_bundle_that_contains_itself(count: int) -> None:
    size = len(makers.entries(*[(0, 0)] * count))
    got = search(makers.entries(*[(0, size)] * count))
    assert [e.exit_code for e in got.errors] == [2]
    assert "over the bundle's header" in got.errors[0].one_line()


@pytest.mark.parametrize("count", [8, 64, 300])
def test_entries_that_share_one_bundle_at_every_level(count: int, kernel_objects: Objects) -> None:
    """`count` ** 8 paths to one object, without any entry over a header."""
    data = kernel_objects("saxpy")
    for _ in range(8):
        head = len(makers.entries(*[(0, 0)] * count))
        data = makers.entries(*[(head, len(data))] * count) + data
    got = search(data)
    assert got.incomplete
    assert got.opened < 5000


@pytest.mark.parametrize("depth", [3, NESTING - 2, NESTING + 3, 60])
def test_nesting(depth: int, kernel_objects: Objects) -> None:
    data = kernel_objects("saxpy")
    for n in range(depth):
        data = (zipped(("a", data)), makers.ar([("a", data)]), tarred(("a", data)))[n % 3]
    got = search(data)
    assert got.opened == (depth <= NESTING)
    assert got.incomplete == (depth > NESTING)


# hostile: bombs4096, bombcat, zipbomb, hugetext ---------------------------------------------------


def ccob_bomb(size: int) -> bytes:
    return makers.compressed(makers.BUNDLE + bytes(8) + bytes(size))


def test_many_entries_that_are_one_bomb() -> None:
    bomb = ccob_bomb(60 << 20)
    head = len(makers.entries(*[(0, 0)] * 4096))
    got = search(makers.entries(*[(head, len(bomb))] * 4096) + bomb)
    assert got.incomplete


def test_bombs_one_behind_the_other() -> None:
    bomb = ccob_bomb(60 << 20)
    got = search(bomb * 32)
    assert got.incomplete


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_members_that_share_one_bomb(method: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("a", makers.BUNDLE + bytes(8) + bytes(40 << 20))
        first = z.infolist()[0]
        for i in range(2000):
            other = zipfile.ZipInfo(f"m{i}")
            for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(other, name, getattr(first, name))
            z.filelist.append(other)
    assert search(out.getvalue()).incomplete


@pytest.mark.parametrize("size", [20, 100, 200])
def test_a_zip_of_one_huge_text(size: int, kernel_objects: Objects) -> None:
    k = kernel_objects("saxpy")
    got = search(zipped(("k.co", k + bytes(size << 20))))
    assert got.incomplete
    assert not got.opened


def test_a_huge_text_is_refused_before_it_is_decoded(kernel_objects: Objects) -> None:
    k = bytearray(kernel_objects("saxpy"))
    at, count = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    code = next(i for i in range(count) if SECTION.unpack_from(k, at + 64 * i)[2] & 4)
    place = len(k) + -len(k) % 256
    size = 150 << 20
    struct.pack_into("<QQ", k, at + 64 * code + 24, place, size)
    k += bytes(place - len(k) + size)
    start = time.thread_time()
    with pytest.raises(UnsupportedError, match="bytes of code"):
        recover(CodeObject.open(bytes(k)))
    assert time.thread_time() - start < SECONDS


def test_streams_of_zeros(kernel_objects: Objects) -> None:
    body = makers.elf([(".rodata", bytes(160 << 20))])
    for kind, pack in STREAMS.items():
        if kind in ("gzip", "zstd"):
            got = search(pack(body))
            assert got.incomplete, kind
    inner = zstandard.ZstdCompressor().compress(zstandard.ZstdCompressor().compress(body))
    assert search(inner).incomplete


def test_windows_that_ask_for_memory(kernel_objects: Objects) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=30, write_content_size=0)
    pack = zstandard.ZstdCompressor(compression_params=parameters)
    stream = pack.compressobj()
    data = stream.compress(kernel_objects("saxpy")) + stream.flush()
    got = search(data)
    assert got.incomplete
    assert "window" in got.errors[0].one_line()


def test_claims_cost_nothing() -> None:
    for data in (
        makers.compressed(b"x", claim=(1 << 32) - 1),
        makers.compressed(b"x", claim=1 << 62, version=3),
        makers.package([("gfx942", b"x")], 3)[:32] + b"\xff" * 7 + b"\0" + bytes(80),
        makers.BUNDLE + struct.pack("<Q", 4096) + bytes(24),
    ):
        got = search(data)
        assert got.errors
        assert not got.opened


def test_many_members(kernel_objects: Objects) -> None:
    """More members than a file of that size may have: headers that share their bytes."""
    data = zipped(("a", b"\x7fELF"))
    at, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    head = data[at:end]
    count = 60_000
    tail = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(head) * count, at, 0)
    assert search(data[:at] + head * count + tail).incomplete


# hostile: names.hipfb, slip.zip -------------------------------------------------------------------

NAMES = ["../../../etc/evil.co", "/abs/evil.co", "..", "a\x1b]0;title\x07.co", "a\nResult: PASS",
         "con/../../y", "~/z", "x" * 3000, ""]  # fmt: skip


def test_names_stay_in_the_folder(tmp_path: Path, kernel_objects: Objects) -> None:
    folder = tmp_path / "out"
    k = kernel_objects("saxpy")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        for name in NAMES:
            z.writestr(zipfile.ZipInfo(name or "empty"), k)
        link = zipfile.ZipInfo("link.co")
        link.external_attr = 0o120777 << 16
        z.writestr(link, "/etc/passwd")
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as t:
        for name in NAMES[:8]:
            info = tarfile.TarInfo(name)
            info.size = len(k)
            t.addfile(info, io.BytesIO(k))
        info = tarfile.TarInfo("link")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        t.addfile(info)
    data = makers.bundle([(n, k) for n in NAMES])
    ar = makers.ar([(n.replace("/", "|"), k) for n in NAMES if n and "\n" not in n])
    for n, container in enumerate((archive.getvalue(), tar.getvalue(), data, ar)):
        got = search(container)
        assert got.opened >= 7
        assert not got.errors
        paths = extract(got.found, folder / str(n))
        assert {p.resolve().parent for p in paths} == {(folder / str(n)).resolve()}
        assert all(p.read_bytes() == k for p in paths)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    with pytest.raises(InputError, match="exists already"):
        extract(search(data).found, folder / "2")


# hostile: longnames, manysymtabs, manynotes, wrapoff, wrapsize, wrapaddr, overlap ----------------


def relinked(k: bytes, extra: bytes, more: list[tuple[int, ...]]) -> bytes:
    """An object with more bytes, and more section headers, behind it."""
    at, count = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    out = bytearray(k + extra + bytes(-len(k + extra) % 8))
    table = k[at : at + 64 * count] + b"".join(SECTION.pack(*m) for m in more)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, count + len(more))
    return bytes(out) + table


def test_names_without_end(kernel_objects: Objects) -> None:
    k = kernel_objects("saxpy")
    count = struct.unpack_from("<H", k, 60)[0]
    strings = b"\0" + b"A" * (1 << 20)
    symbols = bytes(24) + b"".join(
        SYMBOL.pack(1 + i % 9, 0, 0, 0xFFF1, 0, 0) for i in range(40_000)
    )
    at = len(k)
    got = search(relinked(k, strings + symbols, [
        (0, 3, 0, 0, at, len(strings), 0, 0, 1, 0),
        (0, 2, 0, 0, at + len(strings), len(symbols), count, 1, 8, 24),
    ]))  # fmt: skip
    assert "does not end" in got.errors[0].one_line()
    got = search(
        relinked(k, strings, [(1 + i, 3, 0, 0, at, 1 << 20, 0, 0, 1, 0) for i in range(9)])
    )
    assert got.errors
    sections = bytearray(makers.elf([(f".s{i}", b"") for i in range(2000)] + [("A" * 9999, b"")]))
    table = struct.unpack_from("<Q", sections, 40)[0]
    for i in range(2000):
        struct.pack_into("<I", sections, table + 64 * (1 + i), sections[table:].find(b"A") % 7)
    search(bytes(sections))


@pytest.mark.parametrize(("kind", "record"), [(2, bytes(24)), (11, bytes(24)), (7, bytes(12))])
def test_many_tables_over_the_same_bytes(kind: int, record: bytes, kernel_objects: Objects) -> None:
    k = kernel_objects("saxpy")
    table = record * 20_000
    header = (0, kind, 0, 0, len(k), len(table), 0, 1, 8, 24)
    got = search(relinked(k, table, [header] * 3000))
    assert "sections overlap" in got.errors[0].one_line()


@pytest.mark.parametrize("field", [3, 4, 5])
@pytest.mark.parametrize("value", [(1 << 64) - 8, (1 << 63), (1 << 32) + 4])
def test_places_that_wrap(field: int, value: int, kernel_objects: Objects) -> None:
    k = bytearray(kernel_objects("saxpy"))
    at, count = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    headers = [list(SECTION.unpack_from(k, at + 64 * i)) for i in range(count)]
    code = next(i for i, h in enumerate(headers) if h[2] & 4)
    headers[code][field] = value
    SECTION.pack_into(k, at + 64 * code, *headers[code])
    got = search(bytes(k))
    assert [e.exit_code for e in got.errors] == [2]
    host = bytearray(makers.elf([(".rodata", bytes(99)), (".hip_fatbin", bytes(k))]))
    table = struct.unpack_from("<Q", host, 40)[0]
    for section in (1, 2):
        struct.pack_into("<Q", host, table + 64 * section + (24 if field == 4 else 32), value)
    assert search(bytes(host)).errors


def test_sections_that_all_lie_over_the_code(kernel_objects: Objects) -> None:
    k = bytearray(kernel_objects("saxpy"))
    at, count = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    headers = [list(SECTION.unpack_from(k, at + 64 * i)) for i in range(count)]
    code = next(h for h in headers if h[2] & 4)
    for i, h in enumerate(headers[1:], 1):
        h[4:6] = code[4:6]
        SECTION.pack_into(k, at + 64 * i, *h)
    assert [e.exit_code for e in search(bytes(k)).errors] == [2]


# the budget ---------------------------------------------------------------------------------------


def test_time_runs_out(kernel_objects: Objects) -> None:
    """With no time left the next step ends the search; what was found before stays found."""
    data = makers.ar([(f"{i}.co", kernel_objects("saxpy")) for i in range(9)])
    budget = Budget.of(len(data))
    found: list[Found] = []
    for one in find_in(data, (), budget):
        found.append(one)
        if len(found) == 3:
            budget.seconds = 0.0
    assert [f.error is None for f in found] == [True, True, True, False]
    assert isinstance(found[-1].error, BudgetError)
    assert "longer" in found[-1].problem


def test_the_callers_time_is_not_the_files(kernel_objects: Objects) -> None:
    data = makers.ar([(f"{i}.co", kernel_objects("saxpy")) for i in range(3)])
    budget = Budget.of(len(data))
    budget.seconds = 0.3
    for one in find_in(data, (), budget):
        assert one.error is None
        end = time.thread_time() + 0.25
        while time.thread_time() < end:
            pass
