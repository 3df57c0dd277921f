"""Objects that have grown go back into their containers, and other programs read the result."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from elftools.elf.elffile import ELFFile

from asmevo.codeobject.container import find_in, replace
from asmevo.errors import AsmEvoError, BuildError, UnsupportedError

from . import makers
from .test_finding import STREAMS, tarred, zipped

Objects = Callable[..., bytes]
CC = shutil.which("gcc") or shutil.which("cc")


@pytest.fixture
def k(kernel_objects: Objects) -> bytes:
    return kernel_objects("saxpy")


@pytest.fixture
def other(kernel_objects: Objects) -> bytes:
    return kernel_objects("softmax")


@pytest.fixture
def big(kernel_objects: Objects) -> bytes:
    """Larger than the others, by more than any padding."""
    data = kernel_objects("matmul_f16")
    return data + bytes(20_000)


def swap(data: bytes, number: int, new: bytes) -> bytes:
    """The container with one object exchanged, after a check that only that one changed."""
    before = list(find_in(data))
    assert replace(data, before[number].steps, before[number].data)
    changed = replace(data, before[number].steps, new)
    after = [f.data for f in find_in(changed)]
    expected = [new if i == number else f.data for i, f in enumerate(before)]
    assert [x for x in after if x not in expected] == []
    assert sorted(after) == sorted(expected)
    return changed


@pytest.mark.parametrize("number", [0, 1, 2, 3])
@pytest.mark.parametrize("alignment", [8, 4096])
def test_bundles(k: bytes, other: bytes, big: bytes, number: int, alignment: int) -> None:
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k), ("hip-b", other)], alignment)
    for data in (fat + bytes(-len(fat) % 4096) + fat, fat + makers.compressed(fat)):
        for new in (big, k, other):
            changed = swap(data, number, new)
            assert [f.data for f in find_in(changed)][number] == new


@pytest.mark.parametrize("version", [1, 2, 3])
def test_compressed_bundles(k: bytes, other: bytes, big: bytes, version: int) -> None:
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k), ("hip-b", other)])
    changed = swap(makers.compressed(fat, version=version), 0, big)
    assert changed[:8] == b"CCOB" + struct.pack("<HH", version, 0)


@pytest.mark.parametrize(("version", "inflate"), [(1, False), (2, False), (3, False), (3, True)])
def test_packages(k: bytes, other: bytes, big: bytes, version: int, inflate: bool) -> None:
    images = [("gfx942", k), ("gfx950", other)][: 1 if version == 1 else 2]
    data = makers.package(images, version, inflate)
    for number in range(len(images)):
        for new in (big, k[:-8], other):
            swap(data, number, new)
            swap(data + bytes(-len(data) % 8) + data, number + len(images), new)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_wheels(k: bytes, other: bytes, big: bytes, method: int, algorithm: str) -> None:
    """`zipfile` reads every member, and RECORD holds hash and size of each."""

    def row(name: str, data: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=")
        return f"{name},{algorithm}={digest.decode()},{len(data)}\r\n"

    lib = makers.ar([("a.o", other)])
    files = {"pkg/a.co": k, 'pkg/b, "c".a': lib, "pkg/text.py": b"pass\n"}
    record = row("pkg/a.co", k) + row('"pkg/b, ""c"".a"', lib) + row("pkg/text.py", b"pass\n")
    record += "p-1.dist-info/RECORD,,\r\n"
    data = zipped(*files.items(), ("p-1.dist-info/RECORD", record.encode()), method=method)
    changed = swap(swap(data, 0, big), 1, big)
    with zipfile.ZipFile(io.BytesIO(changed)) as z:
        assert z.testzip() is None
        assert z.namelist() == [*files, "p-1.dist-info/RECORD"]
        lines = z.read("p-1.dist-info/RECORD").decode().splitlines(keepends=True)
        new = {name: z.read(name) for name in files}
    assert new["pkg/a.co"] == big
    assert lines[0] == row("pkg/a.co", big)
    assert lines[1] == row('"pkg/b, ""c"".a"', new['pkg/b, "c".a'])
    assert lines[2:] == [row("pkg/text.py", b"pass\n"), "p-1.dist-info/RECORD,,\r\n"]


def test_what_cannot_be_replaced_in_is_refused_by_name(k: bytes, big: bytes) -> None:
    signed = zipped(("a.co", k), ("p-1.dist-info/RECORD.jws", b"{}"))
    deb = makers.ar([("debian-binary", b"2.0\n"), ("data.tar.gz", gzip.compress(tarred(("k", k))))])
    for data, word in ((signed, "signed"), (deb, "Debian package")):
        (found,) = find_in(data)
        with pytest.raises(UnsupportedError, match=word):
            replace(data, found.steps, big)
    image = makers.elf([(".rodata", b"x" + k + b"after")])
    (found,) = find_in(image)
    with pytest.raises(BuildError, match="a program addresses data"):
        replace(image, found.steps, big)
    same = k[:-4] + b"\1\2\3\4"
    assert [f.data for f in find_in(replace(image, found.steps, same))] == [same]
    host = makers.elf([(".hip_fatbin", makers.bundle([(makers.GPU_ID, k)]))])
    (found,) = find_in(host)
    with pytest.raises(BuildError, match="not loaded"):
        replace(host, found.steps, big)


def test_zip_with_descriptors_and_comments(k: bytes, big: bytes) -> None:
    """Streamed members have their sizes behind the data; the archive has a comment."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, piece: object) -> int:
            self.data += bytes(piece)  # type: ignore[call-overload]
            return len(bytes(piece))  # type: ignore[call-overload]

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:  # type: ignore[arg-type]
        z.writestr("a.co", k)
        z.writestr("b.co", k[:-8])
        z.comment = b"a comment"
    changed = swap(bytes(pipe.data), 0, big)
    with zipfile.ZipFile(io.BytesIO(changed)) as z:
        assert z.testzip() is None
        assert z.comment == b"a comment"
        assert z.read("b.co") == k[:-8]


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("number", [0, 1])
def test_tar(k: bytes, other: bytes, big: bytes, form: int, number: int) -> None:
    long = "/".join(["folder"] * 20) + "/k.co"
    data = tarred(("a.co", k), ("text", b"t" * 999), (long, other), form=form)
    for new in (big, k[:-8]):
        changed = swap(data, number, new)
        assert len(changed) % 10_240 == 0
        with tarfile.open(fileobj=io.BytesIO(changed)) as t:
            assert t.getnames() == ["a.co", "text", long]
            assert t.extractfile("text").read() == b"t" * 999  # type: ignore[union-attr]
            assert t.extractfile(["a.co", long][number]).read() == new  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", STREAMS)
def test_streams(k: bytes, other: bytes, big: bytes, kind: str) -> None:
    changed = swap(STREAMS[kind](tarred(("a", k), ("b", other))), 1, big)
    if kind == "gzip":
        changed = gzip.decompress(changed)
    if kind == "zstd":
        changed = zstandard.ZstdDecompressor().decompress(changed)
    with tarfile.open(fileobj=io.BytesIO(changed)) as t:
        assert t.getnames() == ["a", "b"]


@pytest.mark.parametrize("bsd", [False, True])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_static_archives(k: bytes, other: bytes, big: bytes, bsd: bool, number: int) -> None:
    data = makers.ar([("a.o", other), ("a_member_with_a_long_name.o", k), ("a.o", k[:-8])], bsd)
    for new in (big, big + b"x", k[:-16]):
        swap(data, number, new)


WRAPPED = """
.section .hip_fatbin,"a",@progbits
.p2align 12
fat: .incbin "fat.hipfb"
.p2align 12
second: .incbin "second.hipfb"
.section .hipFatBinSegment,"aw",@progbits
.p2align 3
.globl wrapper
wrapper: .long 0x48495046, 1
.quad fat, 0
.globl wrapper2
wrapper2: .long 0x48495046, 1
.quad second, 0
.globl hello
.text
hello: mov $42, %eax
ret
"""
LOADER = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
assert lib.hello() == 42
for name, size in zip(("wrapper", "wrapper2"), map(int, sys.argv[2:4])):
    address = ctypes.addressof(ctypes.c_uint64.in_dll(lib, name))
    assert ctypes.c_uint64.from_address(address).value == 0x1_48495046
    pointer = ctypes.c_uint64.from_address(address + 8).value
    sys.stdout.buffer.write(ctypes.string_at(pointer, size))
"""
MAIN = """
#include <stdio.h>
#include <stdlib.h>
extern struct { unsigned magic, version; const char *data; void *unused; } wrapper, wrapper2;
int hello(void);
int main(int argc, char **argv) {
    if (hello() != 42 || wrapper.magic != 0x48495046) return 1;
    fwrite(wrapper.data, 1, atol(argv[1]), stdout);
    fwrite(wrapper2.data, 1, atol(argv[2]), stdout);
    return 0;
}
"""


def linked(folder: Path, fats: tuple[bytes, bytes], *options: str, main: bool = False) -> bytes:
    assert CC is not None
    for name, data in zip(("fat.hipfb", "second.hipfb"), fats, strict=True):
        (folder / name).write_bytes(data)
    (folder / "host.s").write_text(WRAPPED)
    (folder / "main.c").write_text(MAIN)
    inputs = ["host.s", *(["main.c"] if main else [])]
    subprocess.run([CC, *options, *inputs, "-o", "out"], cwd=folder, check=True)
    return (folder / "out").read_bytes()


HOSTS = {
    "shared": ["-shared"],
    "relr": ["-shared", "-Wl,-z,pack-relative-relocs"],
    "stripped": ["-shared", "-s"],
    "pie": ["-pie", "-fPIE"],
    "static": ["-no-pie"],
    "whole": ["-static", "-no-pie"],
}


@pytest.mark.skipif(CC is None or sys.platform != "linux", reason="needs a C compiler")
@pytest.mark.parametrize("kind", HOSTS)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_host_programs_load_a_grown_bundle(
    tmp_path: Path, k: bytes, other: bytes, big: bytes, kind: str, number: int
) -> None:
    """The system's loader maps the result, runs its code, and the wrapper leads to the bundle."""
    fats = [makers.bundle([(makers.GPU_ID, k), ("hip-b", other)]), makers.bundle([("hip-c", k)])]
    main = kind in ("pie", "static", "whole")
    data = linked(tmp_path, (fats[0], fats[1]), *HOSTS[kind], main=main)
    # The objects of each bundle, in the order of the members; a grown bundle stands last.
    changed = swap(data, number, big)
    which, member = divmod(number, 2)
    fats[which] = replace(fats[which], list(find_in(fats[which]))[member].steps, big)
    assert big in fats[which]
    bigger = big + bytes(50_000)
    place = next(i for i, f in enumerate(find_in(changed)) if f.data == big)
    changed = swap(changed, place, bigger)  # and once more
    fats[which] = replace(fats[which], list(find_in(fats[which]))[member].steps, bigger)
    path = tmp_path / "changed"
    path.write_bytes(changed)
    path.chmod(0o755)
    command = [str(path)] if main else [sys.executable, "-c", LOADER, str(path)]
    sizes = [str(len(f)) for f in fats]
    got = subprocess.run([*command, *sizes], check=True, capture_output=True).stdout
    assert got == fats[0] + fats[1]
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        loads = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
        assert [s["p_vaddr"] for s in loads] == sorted(s["p_vaddr"] for s in loads)
        for s in loads:
            assert s["p_vaddr"] % s["p_align"] == s["p_offset"] % s["p_align"]
        names = [s.name for s in elf.iter_sections()]
        assert names.count(".hip_fatbin") >= 2
    old = ELFFile(io.BytesIO(data))
    new = ELFFile(io.BytesIO(changed))
    for before, after in zip(old.iter_sections(), new.iter_sections()):  # noqa: B905 (one more)
        assert before["sh_addr"] == after["sh_addr"]
        if before.name in (".text", ".dynsym", ".dynstr", ".dynamic", ".data"):
            assert before.data() == after.data()


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_objects_before_linking(tmp_path: Path, k: bytes, big: bytes) -> None:
    """A grown bundle in an object file of a static library, which the linker then takes."""
    assert CC is not None
    text = WRAPPED.replace('.p2align 12\nsecond: .incbin "second.hipfb"\n', "second = fat\n")
    (tmp_path / "fat.hipfb").write_bytes(makers.bundle([(makers.GPU_ID, k)]))
    (tmp_path / "host.s").write_text(text)
    subprocess.run([CC, "-c", "host.s"], cwd=tmp_path, check=True)
    library = makers.ar([("host.o", (tmp_path / "host.o").read_bytes())])
    changed = swap(library, 0, big)
    (tmp_path / "lib.a").write_bytes(changed)
    subprocess.run(
        [CC, "-shared", "-Wl,--whole-archive", "lib.a", "-Wl,--no-whole-archive", "-o", "lib.so"],
        cwd=tmp_path, check=True)  # fmt: skip
    assert [f.data for f in find_in((tmp_path / "lib.so").read_bytes())] == [big]


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_a_second_pointer_is_refused(tmp_path: Path, k: bytes, big: bytes) -> None:
    fats = (makers.bundle([(makers.GPU_ID, k)]), makers.bundle([(makers.GPU_ID, k)]))
    for extra, word in ((".data\n.quad fat + 100\n", "something besides"),
                        (".data\n.quad fat\n", "something besides")):  # fmt: skip
        (tmp_path / "more.s").write_text(WRAPPED + extra)
        for name, data in zip(("fat.hipfb", "second.hipfb"), fats, strict=True):
            (tmp_path / name).write_bytes(data)
        subprocess.run([str(CC), "-shared", "more.s", "-o", "out"], cwd=tmp_path, check=True)
        data = (tmp_path / "out").read_bytes()
        first = next(iter(find_in(data)))
        with pytest.raises(AsmEvoError, match=word):
            replace(data, first.steps, big)
