"""Hostile siblings of every container kind: things that hold themselves, and lies in headers.

Siblings of hostile: self64, bombs4096, longnames, slip. Each must end in a typed error or a result
within the limits of `test_hostile.search` (5 s of CPU, 512 MB).
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pytest

from asmevo.codeobject.budget import NESTING

from . import makers
from .test_finding import STREAMS, tarred, zipped
from .test_hostile import SECTION, Outcome, search

Objects = Callable[..., bytes]


def errors(got: Outcome) -> str:
    return " | ".join(e.one_line() for e in got.errors)


# things that hold themselves ---------------------------------------------------------------------


def package_of(*places: tuple[int, int]) -> bytes:
    """The header of a package (version 2) whose images claim some (offset, size)."""
    size = 32 + 40 * len(places)
    head = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 2, size, 32, len(places))
    return head + b"".join(struct.pack("<HHIQQQQ", 1, 4, 0, 0, 0, o, s) for o, s in places)


@pytest.mark.parametrize("count", [1, 8, 500])
def test_a_package_that_contains_itself(count: int) -> None:
    size = len(package_of(*[(0, 0)] * count))
    got = search(package_of(*[(0, size)] * count))
    assert "over its header" in errors(got)


@pytest.mark.parametrize("count", [8, 64])
def test_images_that_share_one_package_at_every_level(count: int, kernel_objects: Objects) -> None:
    data = kernel_objects("saxpy")
    for _ in range(8):
        head = package_of(*[(0, 0)] * count)
        whole = bytearray(package_of(*[(len(head), len(data))] * count) + data)
        struct.pack_into("<Q", whole, 8, len(whole))
        data = bytes(whole)
    got = search(makers.elf([(".llvm.offloading", data)]))
    assert got.incomplete
    assert got.opened < 5000


@pytest.mark.parametrize("name", [".rodata", ".hip_fatbin", ".llvm.offloading", ".data.rel.ro"])
@pytest.mark.parametrize("count", [1, 2, 40, 900])
def test_a_program_whose_sections_are_the_program(name: str, count: int) -> None:
    data = bytearray(makers.elf([(name, b"x" * 16)] * count))
    (table,) = struct.unpack_from("<Q", data, 40)
    for i in range(1, count + 1):
        struct.pack_into("<QQ", data, table + 64 * i + 24, 0, len(data))
    got = search(bytes(data))
    assert got.errors
    assert not got.opened


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("depth", [NESTING + 1, 30])
def test_streams_in_streams(kind: str, depth: int, kernel_objects: Objects) -> None:
    data = kernel_objects("saxpy")
    for _ in range(depth):
        data = STREAMS[kind](data)
    got = search(data)
    assert got.incomplete
    assert "containers deep" in errors(got)


def test_every_kind_in_every_kind(kernel_objects: Objects) -> None:
    """What is inside is found, whatever lies around it."""
    k = kernel_objects("saxpy")
    wraps: dict[str, Callable[[bytes], bytes]] = {
        "bundle": lambda d: makers.bundle([(makers.GPU_ID, d)]),
        "ccob": lambda d: makers.compressed(d),
        "package": lambda d: makers.package([("gfx942", d)], 2),
        "elf": lambda d: makers.elf([(".hip_fatbin", d)]),
        "offloading": lambda d: makers.elf([(".llvm.offloading", d)]),
        "zip": lambda d: zipped(("a", d)),
        "tar": lambda d: tarred(("a", d)),
        "ar": lambda d: makers.ar([("a", d)]),
        **STREAMS,
    }
    for outer, wrap in wraps.items():
        for inner, other in wraps.items():
            got = search(wrap(other(k)))
            assert [f.data for f in got.found] == [k], (outer, inner, errors(got))


# lies in headers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [b"-1", b"+8", b"1 2", b"0x10", b"9" * 10, b"\xb2", b"1e3", b""])
def test_sizes_of_static_archives(size: bytes, kernel_objects: Objects) -> None:
    data = bytearray(makers.ar([("a.o", kernel_objects("saxpy"))]))
    at = data.index(b"a.o/")
    data[at + 48 : at + 58] = size.ljust(10)
    got = search(bytes(data))
    assert "static archive" in errors(got)


@pytest.mark.parametrize("name", [b"#1/4294967295", b"#1/99999999", b"/99999999", b"#1/-1"])
def test_names_of_static_archives(name: bytes, kernel_objects: Objects) -> None:
    data = bytearray(makers.ar([("a.o", kernel_objects("saxpy"))]))
    at = data.index(b"a.o/")
    data[at : at + 16] = name.ljust(16)[:16]
    search(bytes(data))


def test_names_out_of_a_large_table() -> None:
    """Every member takes its name from the begin of one long table."""
    table = b"x" * (3 << 20)
    head = f"{'//':<48}{len(table):<10}`\n".encode()
    member = f"{'/0':<48}{8:<10}`\n".encode() + b"\x7fELF\2\1\1\0"
    got = search(b"!<arch>\n" + head + table + member * 10_000)
    assert got.found
    assert all(len(f.location) < 5000 for f in got.found)


@pytest.mark.parametrize(
    "field", [b"\xff" * 12, b"\x80" + b"\xff" * 11, b"-0000000001\0", b"777777777777", b"9" * 12]
)
def test_sizes_of_tar(field: bytes, kernel_objects: Objects) -> None:
    data = bytearray(tarred(("a", kernel_objects("saxpy")), form=tarfile.GNU_FORMAT))
    data[124:136] = field
    total = sum(data[:148]) + 8 * 32 + sum(data[156:512])
    data[148:156] = f"{total:06o}\0 ".encode()
    assert "damaged tar" in errors(search(bytes(data)))


@pytest.mark.parametrize("size", ["-1", "99999999999999999999", "1e3", "٣", ""])
def test_pax_sizes(size: str, kernel_objects: Objects) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        info = tarfile.TarInfo("a")
        info.size = len(kernel_objects("saxpy"))
        info.pax_headers = {"size": size}
        t.addfile(info, io.BytesIO(kernel_objects("saxpy")))
    assert search(out.getvalue()).errors


def test_a_pax_header_of_small_records() -> None:
    """A megabyte of records that name nothing; reading it anew for each took minutes."""
    body = b"6 a=b\n" * 170_000
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for _ in range(2):
            info = tarfile.TarInfo("p")
            info.type, info.size = b"x", len(body)
            t.addfile(info, io.BytesIO(body))
    search(out.getvalue())


@pytest.mark.parametrize("form", ["S", "0.1", "1.0"])
def test_sparse_tar_members_are_named(form: str) -> None:
    info = tarfile.TarInfo("sparse.co")
    body = b"\x7fELF" + bytes(508)
    info.size = len(body)
    if form == "S":
        info.type = b"S"
    else:
        info.pax_headers = {"GNU.sparse.major": form[0], "GNU.sparse.minor": form[2]}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        t.addfile(info, io.BytesIO(body))
    assert "sparse tar member" in errors(search(out.getvalue()))


def zip64(*members: tuple[str, bytes]) -> bytes:
    """A zip with the 64-bit end record, and every size and offset in extra fields (APPNOTE 4.3)."""
    out, central = bytearray(), bytearray()
    for name, data in members:
        at, crc = len(out), zlib.crc32(data)
        extra = struct.pack("<HHQQ", 1, 16, len(data), len(data))
        out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 0, 0, 0, crc, 0xFFFFFFFF, 0xFFFFFFFF,
                           len(name), len(extra)) + name.encode() + extra + data  # fmt: skip
        extra = struct.pack("<HHQQQ", 1, 24, len(data), len(data), at)
        central += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, 0, 0, 0, crc,
                               0xFFFFFFFF, 0xFFFFFFFF, len(name), len(extra), 0, 0, 0, 0,
                               0xFFFFFFFF) + name.encode() + extra  # fmt: skip
    start, record = len(out), len(out) + len(central)
    out += central
    out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, len(members), len(members),
                       len(central), start)  # fmt: skip
    out += struct.pack("<4sIQI", b"PK\6\7", 0, record, 1)
    return bytes(out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF,
                                   0xFFFFFFFF, 0))  # fmt: skip


def test_zip64_is_opened(kernel_objects: Objects) -> None:
    k, other = kernel_objects("saxpy"), kernel_objects("softmax")
    data = zip64(("a.co", k), ("b.co", other))
    with zipfile.ZipFile(io.BytesIO(data)) as z:  # the maker is right
        assert z.read("b.co") == other
    got = search(data)
    assert [f.data for f in got.found] == [k, other]


@pytest.mark.parametrize("field", [24, 32, 40, 48])
@pytest.mark.parametrize("value", [0, 1 << 31, 1 << 62, (1 << 64) - 1])
def test_lies_in_zip64(field: int, value: int, kernel_objects: Objects) -> None:
    data = bytearray(zip64(("a.co", kernel_objects("saxpy"))))
    struct.pack_into("<Q", data, data.index(b"PK\6\6") + field, value)
    search(bytes(data))
    data = bytearray(zip64(("a.co", kernel_objects("saxpy"))))
    struct.pack_into("<Q", data, data.index(b"PK\6\7") + 8, value)
    assert search(bytes(data)).errors
    data = bytearray(zip64(("a.co", kernel_objects("saxpy"))))
    at = data.index(b"PK\1\2") + 46 + 4 + 4 + (field - 24) % 24
    struct.pack_into("<Q", data, at, value)
    search(bytes(data))


def test_long_names_in_a_zip() -> None:
    names = [f"{i:05}" + "n" * 60_000 for i in range(300)]
    got = search(zipped(*[(n, b"\x7fELF" + bytes(60)) for n in names]))
    assert all(e.one_line().isprintable() for e in got.errors)


@pytest.mark.parametrize("count", [40, 4096])
def test_bombs_in_packages(count: int) -> None:
    """`count` images that all are one gzip bomb of 60 MB."""
    bomb = gzip.compress(makers.BUNDLE + bytes(8) + bytes(60 << 20))
    head = len(package_of(*[(0, 0)] * count))
    whole = bytearray(package_of(*[(head, len(bomb))] * count) + bomb)
    struct.pack_into("<Q", whole, 8, len(whole))
    assert search(bytes(whole)).incomplete


@pytest.mark.parametrize("kind", [2, 3, 4, 7, 11])
def test_many_sections_of_a_host(kind: int) -> None:
    """30,000 headers over the same bytes: said to overlap, or read within the limits."""
    count = 30_000
    body = bytearray(makers.elf([(".rodata", b"y" * 64)]))
    table = len(body) + -len(body) % 8
    body += bytes(table - len(body))
    header = SECTION.pack(0, kind, 2, 0, 64, 64, 0, 0, 1, 24)
    struct.pack_into("<Q", body, 40, table)
    struct.pack_into("<HHH", body, 58, 64, count, 0)
    got = search(bytes(body) + bytes(64) + header * (count - 1))
    assert not got.opened
