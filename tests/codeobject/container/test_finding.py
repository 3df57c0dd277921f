"""Where objects are found. Every container is made by the standard library or by `makers`."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import mmap
import random
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from asmevo.codeobject.container import find, find_in

from . import makers

Objects = Callable[..., bytes]


@pytest.fixture
def k(kernel_objects: Objects) -> bytes:
    return kernel_objects("saxpy")


@pytest.fixture
def other(kernel_objects: Objects) -> bytes:
    return kernel_objects("softmax")


def got(data: bytes) -> list[bytes]:
    """Contents of all objects; none may have a problem."""
    found = list(find_in(data))
    assert not [f.problem for f in found if f.error]
    return [f.data for f in found]


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


def tarred(*members: tuple[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


# containers: emb.so, and siblings ------------------------------------------------------------


@pytest.mark.parametrize("section", [".rodata", ".data", ".data.rel.ro", "my_kernels"])
@pytest.mark.parametrize("before", [0, 1, 63, 5 << 20])
def test_images_in_data_sections(k: bytes, other: bytes, section: str, before: int) -> None:
    data = makers.elf([(section, b"x" * before + k + b"text" + other + b"\1" * 9)])
    assert got(data) == [k, other]
    place = list(find_in(data))[1].steps[0]
    assert (place.kind, place.name) == ("image", section)
    assert data[place.index :].startswith(other)


def test_other_things_in_data_sections(k: bytes, other: bytes) -> None:
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k)])
    for inner in (fat, makers.compressed(fat), makers.package([("gfx942", k)]),
                  makers.elf([(".hip_fatbin", fat)])):  # fmt: skip
        assert got(makers.elf([(".text", b"\x90" * 40), (".rodata", b"abc" + inner + other)])) == [
            k,
            other,
        ]


def test_code_and_text_are_no_images(k: bytes) -> None:
    assert got(makers.elf([(".text", k)], flags=6)) == []
    words = b"\x7fELF\x02\x01\x01\0" + b"__CLANG_OFFLOAD_BUNDLE__" + b"CCOB" + b"\x10\xff\x10\xad"
    assert (
        got(makers.elf([(".rodata", words + bytes(200)), (".data", words * 3 + b"zz" * 99)])) == []
    )


def test_hosts_without_sections_and_of_windows(k: bytes, other: bytes) -> None:
    host = bytearray(makers.elf([(".rodata", k + other)]))
    host[40:48], host[60:64] = bytes(8), bytes(4)  # e_shoff, e_shnum, e_shstrndx
    assert got(bytes(host)) == [k, other]
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k)])
    assert got(makers.windows(fat + makers.compressed(fat))) == [k, k]
    narrow = b"\x7fELF\x01\x01\x01" + bytes(77) + k  # 32-bit
    assert got(narrow) == [k]


def test_a_cut_image_is_damaged_not_silent(k: bytes) -> None:
    (found,) = find_in(makers.elf([(".rodata", k[:-100])]))
    assert len(found.data) == len(k) - 100  # opening it says what is missing


def test_many_sections_of_one_kind(k: bytes, other: bytes) -> None:
    fats = [makers.bundle([(makers.GPU_ID, x)]) for x in (k, other, k)]
    sections = [(".hip_fatbin", fats[0]), (".hip_fatbin", fats[1]), (".hip_fatbin.abc1", fats[2])]
    assert got(makers.elf(sections)) == [k, other, k]
    padded = [(".hip_fatbin", bytes(4096) + fats[0]), (".hipFatBin", k)]
    assert got(makers.elf(padded)) == [k, k]
    named = [("__CLANG_OFFLOAD_BUNDLE__host-x86_64-unknown-linux-gnu-", b"\0"),
             ("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx942", other)]  # fmt: skip
    assert got(makers.elf(named)) == [other]
    (found,) = find_in(makers.elf([(".hip_fatbin", b"\0BC\xc0\xde")]))
    assert found.error is not None
    assert "not machine code" in found.problem


# containers: pk.bin, `.llvm.offloading`, and siblings -----------------------------------------


@pytest.mark.parametrize(("version", "inflate"), [(1, False), (2, False), (3, False), (3, True)])
def test_offload_packages(k: bytes, other: bytes, version: int, inflate: bool) -> None:
    images = [("gfx942", k), ("gfx950", other)][: 1 if version == 1 else 2]
    data = makers.package(images, version, inflate)
    expected = [x for _, x in images]
    assert got(data) == expected
    assert got(makers.elf([(".llvm.offloading", data + bytes(-len(data) % 8) + data)])) == (
        expected * 2
    )
    assert str(next(iter(find_in(data))).steps[1]) == "package[0]:amdgcn-amd-amdhsa-gfx942"


def test_bitcode_is_said(k: bytes) -> None:
    code = b"BC\xc0\xde" + bytes(60)
    fat = makers.bundle([(makers.HOST_ID, code), (makers.GPU_ID, code), (makers.GPU_ID, k)])
    for data in (fat, makers.compressed(fat)):
        said, good = find_in(data)
        assert good.data == k
        assert said.error is not None
        assert said.error.exit_code == 3
        assert f"LLVM bitcode for {makers.GPU_ID}" in said.problem
    (said,) = find_in(makers.package([("gfx942", b"\x03\x02\x23\x07" + bytes(8))]))
    assert "SPIR-V" in said.problem


# containers: lib.a, libco.a, and siblings ------------------------------------------------------


@pytest.mark.parametrize("bsd", [False, True])
def test_static_archives(k: bytes, other: bytes, bsd: bool) -> None:
    host = makers.elf([(".hip_fatbin", makers.bundle([(makers.GPU_ID, k)]))])
    long = "a_member_with_a_long_name.o"
    data = makers.ar([("a.o", other), (long, host), ("a.o", k), ("odd", b"abc")], bsd)
    assert got(data) == [other, k, k]
    names = [f.steps[0].name for f in find_in(data)]
    assert names == ["a.o", long, "a.o"]
    indices = [f.steps[0].index for f in find_in(data)]
    assert len(set(indices)) == 3


@pytest.mark.skipif(shutil.which("ar") is None, reason="ar is not installed")
def test_archives_of_binutils(tmp_path: Path, k: bytes, other: bytes) -> None:
    for name, data in (("k.co", k), ("another_object_with_a_long_name.co", other)):
        (tmp_path / name).write_bytes(data)
    subprocess.run(["ar", "rc", "lib.a", "k.co", "another_object_with_a_long_name.co"],
                   cwd=tmp_path, check=True)  # fmt: skip
    assert got((tmp_path / "lib.a").read_bytes()) == [k, other]
    subprocess.run(["ar", "rcT", "thin.a", "k.co"], cwd=tmp_path, check=True)
    (found,) = find(tmp_path / "thin.a")
    assert "thin archive, not opened" in found.problem


# containers: t.tar, k.co.gz, k.co.zst, and siblings ---------------------------------------------


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_tar(k: bytes, other: bytes, form: int) -> None:
    long = "/".join(["folder"] * 20) + "/k.co"
    data = tarred(("a.co", k), (long, other), ("readme", b"text"), form=form)
    assert got(data) == [k, other]
    assert [f.location for f in find_in(data)] == ["a.co", long]


STREAMS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}


@pytest.mark.parametrize("kind", STREAMS)
def test_streams(k: bytes, other: bytes, kind: str) -> None:
    pack = STREAMS[kind]
    assert got(pack(k)) == [k]
    assert [str(s) for s in next(iter(find_in(pack(k)))).steps] == [f"{kind}[0]"]
    assert got(pack(tarred(("a", k), ("b", other)))) == [k, other]
    assert got(pack(k[:700]) + pack(k[700:])) == [k]  # members one behind the other are one stream
    assert got(pack(b"some text, and nothing else" * 99)) == []
    cut = pack(k)[:-20]
    (found,) = find_in(cut)
    assert f"damaged {kind}" in found.problem


# containers: nested.zip, onlynested.zip, and siblings ------------------------------------------


def test_archives_in_archives(k: bytes, other: bytes) -> None:
    wheel = zipped(("pkg/k.co", k), ("pkg/lib.a", makers.ar([("o.o", other)])))
    assert got(zipped(("k.co", k), ("w.whl", wheel))) == [k, k, other]
    assert got(zipped(("w.whl", wheel), method=zipfile.ZIP_STORED)) == [k, other]
    assert got(zipped(("d.tar.gz", gzip.compress(tarred(("w", wheel)))))) == [k, other]
    control, data = gzip.compress(tarred(("control", b"x"))), lzma.compress(tarred(("l", other)))
    deb = makers.ar(
        [("debian-binary", b"2.0\n"), ("control.tar.gz", control), ("data.tar.xz", data)]
    )
    assert got(deb) == [other]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_methods_of_zip(k: bytes, method: int) -> None:
    assert got(zipped(("k", k), ("t", b"text"), method=method)) == [k]


def test_what_is_left_out_is_said(k: bytes) -> None:
    known = {
        "a.7z": b"7z\xbc\xaf\x27\x1c",
        "b.rar": b"Rar!\x1a\x07",
        "c.rpm": b"\xed\xab\xee\xdb",
        "d.lz4": b"\x04\x22\x4d\x18",
    }
    data = zipped(*((n, d + bytes(600)) for n, d in known.items()), ("k.co", k))
    *said, good = find_in(data)
    assert good.data == k
    assert [f.steps[0].name for f in said] == list(known)
    for f in said:
        assert f.error is not None
        assert f.error.exit_code == 3
        assert "not opened" in f.problem
    secret = bytearray(zipped(("k.co", k)))
    secret[6] |= 1
    secret[secret.index(b"PK\x01\x02") + 8] |= 1
    (found,) = find_in(bytes(secret))
    assert "encrypted" in found.problem
    wrong = bytearray(zipped(("k.co", k), method=zipfile.ZIP_STORED))
    wrong[60] ^= 1
    (found,) = find_in(bytes(wrong))
    assert "checksum" in found.problem


# containers: cat_v1.hipfb, junk_between.hipfb, badhash_0.hipfb, and siblings --------------------


def test_the_search_goes_on_behind_damage(k: bytes, other: bytes) -> None:
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k)])
    last = makers.bundle([(makers.GPU_ID, other)])
    packed = makers.compressed(fat)
    bad = packed[:20] + bytes(4) + packed[24:]
    for middle in (b"junk" * 50, bad, b"__CLANG_OFFLOAD_BUNDLE__" + b"\xff" * 40, b"CCOB\x01\0"):
        found = list(find_in(fat + middle + bytes(40) + last))
        assert [f.data for f in found if not f.error] == [k, other], middle
        assert [f.error.exit_code for f in found if f.error] == [2]
    v1 = makers.compressed(fat, version=1)
    assert got(v1 + v1) == [k, k]
    assert got(v1 + bytes(99) + fat + packed) == [k, k, k]


# big libraries are mapped ----------------------------------------------------------------------


def test_a_large_library_costs_no_memory(tmp_path: Path, k: bytes) -> None:
    """A sparse library of 3 GB, of which 40 MB are scanned for images."""
    fat = makers.bundle([(makers.GPU_ID, k)])
    path = tmp_path / "lib.so"
    head = makers.elf([(".rodata", bytes(40 << 20) + k), (".hip_fatbin", fat)])
    size = 3 << 30
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(size)
    assert [f.data for f in find(path)] == [k, k]
    first = next(iter(find(path)))
    assert isinstance(first.content, memoryview)
    assert isinstance(first.content.obj, mmap.mmap)


def test_too_large_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "lib.so"
    with path.open("wb") as stream:
        stream.write(makers.elf([(".rodata", b"x")]))
        stream.truncate(65 << 30)
    (found,) = find(path)
    assert found.error is not None
    assert found.error.exit_code == 3
    assert found.problem.startswith("too large")


def test_large_members_go_to_a_file(k: bytes) -> None:
    """40 MB in a stream: more than is kept in memory, and less than the budget."""
    body = makers.elf([(".rodata", random.Random(4).randbytes(40 << 20) + k)])
    (found,) = find_in(gzip.compress(body, 1))
    assert isinstance(found.content, memoryview)
    assert isinstance(found.content.obj, mmap.mmap)
    assert found.data == k
