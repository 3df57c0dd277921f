"""Finding, extracting and replacing code objects in every kind of container."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import FormatError
from asmevo.codeobject import bundle as bd
from asmevo.codeobject.container import (
    BudgetError,
    Found,
    extract,
    find,
    find_in,
    kind_of,
    replace,
)
from asmevo.errors import BuildError, InputError, UnsupportedError

Objects = Callable[..., bytes]
BUNDLER = shutil.which("clang-offload-bundler-22") or shutil.which("clang-offload-bundler")
IDS = ["host-x86_64-unknown-linux-gnu-", "hipv4-amdgcn-amd-amdhsa--gfx942",
       "hipv4-amdgcn-amd-amdhsa--gfx950"]  # fmt: skip


@pytest.fixture
def members(kernel_objects: Objects) -> list[tuple[str, bytes]]:
    return list(zip(IDS, [b"", kernel_objects("saxpy"), kernel_objects("softmax")], strict=True))


@pytest.fixture
def host(members: list[tuple[str, bytes]]) -> bytes:
    return host_elf(bd.build_bundle(members))


def host_elf(fatbin: bytes) -> bytes:
    """A minimal x86-64 ELF with one `.hip_fatbin` section."""
    names = b"\0.hip_fatbin\0.shstrtab\0"
    fat_at = 64
    names_at = fat_at + len(fatbin)
    table = -(-(names_at + len(names)) // 8) * 8
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 3, 62, 1, 0, 0,
                         table, 0, 64, 56, 0, 64, 3, 2)  # fmt: skip
    sections = bytes(64)
    sections += struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, fat_at, len(fatbin), 0, 0, 1, 0)
    sections += struct.pack("<IIQQQQIIQQ", 13, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    body = header + fatbin + names
    return body + bytes(table - len(body)) + sections


def contents(found: list[Found]) -> list[bytes]:
    assert not [f.problem for f in found if f.problem]
    return [f.data for f in found]


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", [bd.ZLIB, bd.ZSTD])
def test_bundles_compressed_concatenated_and_nested(
    members: list[tuple[str, bytes]], version: int, method: int
) -> None:
    if method == bd.ZSTD:
        pytest.importorskip("zstandard")
    objects = [b for _, b in members if b]
    raw = bd.build_bundle(members)
    packed = bd.compress(raw, version, method)
    assert contents(list(find_in(raw))) == objects
    assert contents(list(find_in(packed))) == objects
    assert contents(list(find_in(packed + bytes(77) + raw + packed))) == objects * 3
    nested = bd.build_bundle([("hip-amdgcn-amd-amdhsa--gfx942", packed)])
    assert contents(list(find_in(nested))) == objects


def test_a_magic_inside_a_member_is_not_a_bundle(members: list[tuple[str, bytes]]) -> None:
    trick = bd.build_bundle([*members, ("hip-x", b"data " + bd.build_bundle(members))])
    assert len(list(find_in(trick))) == 2


def test_host_program(host: bytes, members: list[tuple[str, bytes]]) -> None:
    found = list(find_in(host))
    assert contents(found) == [b for _, b in members if b]
    assert found[0].location == (
        "fatbin[1]:.hip_fatbin!bundle[0]!bundle[1]:hipv4-amdgcn-amd-amdhsa--gfx942"
    )


def test_wheel_and_folder(tmp_path: Path, host: bytes, kernel_objects: Objects) -> None:
    saxpy = kernel_objects("saxpy")
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("pkg/k.hsaco", saxpy)
        z.writestr("pkg/readme.txt", "text")
        z.writestr("pkg/lib.so", host)
    (tmp_path / "named.txt").write_bytes(saxpy)
    (tmp_path / "fake.hsaco").write_bytes(b"not an object")
    (tmp_path / "link.co").symlink_to(tmp_path / "named.txt")
    assert len(contents(list(find(tmp_path)))) == 1 + 2 + 1
    with pytest.raises(InputError, match="no such file"):
        list(find(tmp_path / "missing"))


def test_replace_puts_the_object_back(
    host: bytes, members: list[tuple[str, bytes]], kernel_objects: Objects
) -> None:
    raw = bd.build_bundle(members)
    small, big = kernel_objects("saxpy"), kernel_objects("matmul_f16")
    for data in (raw, bd.compress(raw, 3, bd.ZLIB)):
        found = list(find_in(data))
        for n, f in enumerate(found):
            assert replace(data, f.steps, f.data) == data
            for new in (small, big):
                changed = contents(list(find_in(replace(data, f.steps, new))))
                assert changed == [new if i == n else x.data for i, x in enumerate(found)]
    first, second = find_in(host)
    swapped = replace(host, second.steps, small)
    assert len(swapped) == len(host)
    assert contents(list(find_in(swapped))) == [first.data, small]
    with pytest.raises(BuildError, match=r"section \.hip_fatbin is not loaded"):
        replace(host, first.steps, big + bytes(200_000))


def test_members_never_leave_the_folder(tmp_path: Path, kernel_objects: Objects) -> None:
    body = kernel_objects("saxpy")
    names = ["../../../etc/evil", "/abs/evil", "..", "", "a\x00b", "x" * 3000, "con/../../y", "~/z"]
    found = list(find_in(bd.build_bundle([(n, body) for n in names])))
    folder = tmp_path / "out"
    paths = extract(found, folder)
    assert len(set(paths)) == len(names)
    assert {p.resolve().parent for p in paths} == {folder.resolve()}
    assert all(p.read_bytes() == body for p in paths)
    assert sorted(os.listdir(tmp_path)) == ["out"]
    with pytest.raises(InputError, match="exists already"):
        extract(found, folder)


@pytest.mark.skipif(BUNDLER is None, reason="clang-offload-bundler is not installed")
@pytest.mark.parametrize("options", [[], ["-bundle-align=4096"], ["-compress"]])
def test_bundles_of_clang(
    tmp_path: Path, members: list[tuple[str, bytes]], options: list[str]
) -> None:
    if options == ["-compress"]:
        pytest.importorskip("zstandard")
    inputs: list[str] = []
    for n, (_, body) in enumerate(members):
        (tmp_path / str(n)).write_bytes(body)
        inputs.append(f"-input={tmp_path / str(n)}")
    out = tmp_path / "out"
    assert BUNDLER is not None
    command = [BUNDLER, "-type=o", f"-targets={','.join(IDS)}", *inputs, f"-output={out}", *options]
    subprocess.run(command, check=True)
    data = out.read_bytes()
    assert contents(list(find_in(data))) == [b for _, b in members if b]
    if options == ["-compress"]:
        packed = bd.parse_compressed(data)
        again = bd.compress(packed.contents, packed.version, packed.method)
        out.write_bytes(again)
        unpacked = [tmp_path / f"u{n}" for n in range(3)]
        subprocess.run(
            [BUNDLER, "-type=o", "-unbundle", f"-targets={','.join(IDS)}", f"-input={out}",
             *[f"-output={u}" for u in unpacked]], check=True)  # fmt: skip
        assert [u.read_bytes() for u in unpacked] == [b for _, b in members]


def test_bombs_and_lies_are_refused_quickly() -> None:
    zeros = bytes(1 << 22)
    packed = zlib.compress(zeros)
    lies = b"CCOB" + struct.pack("<HHI", 1, 0, 100) + bytes(8) + packed
    with pytest.raises(FormatError, match="more than the 100 bytes"):
        bd.parse_compressed(lies)
    huge = b"CCOB" + struct.pack("<HHQQ", 3, 0, 32 + len(packed), 1 << 60) + bytes(8) + packed
    with pytest.raises(BudgetError, match="at most"):
        bd.parse_compressed(huge)
    with pytest.raises(UnsupportedError, match="header version 9"):
        bd.parse_compressed(b"CCOB" + struct.pack("<HHI", 9, 0, 1) + bytes(40))
    with pytest.raises(FormatError, match="claims 18446744073709551615 entries"):
        bd.parse_bundle(bd.MAGIC + b"\xff" * 8)
    good = bd.compress(b"hello", 2, 0)
    with pytest.raises(FormatError, match="checksum"):
        bd.parse_compressed(good[:20] + bytes(4) + good[24:])


def test_zstd_bomb_is_refused() -> None:
    zstandard = pytest.importorskip("zstandard")
    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 28))
    data = b"CCOB" + struct.pack("<HHII", 2, 1, 24 + len(bomb), 1000) + bytes(8) + bomb
    with pytest.raises(FormatError, match="more than the 1000 bytes"):
        bd.parse_compressed(data)


def test_kinds() -> None:
    assert kind_of(b"") == ""
    assert kind_of(b"PK\x03\x04...") == "zip"
    assert kind_of(b"\x7fELF") == "elf"
    assert kind_of(bytes(257) + b"ustar\0") == "tar"
    assert kind_of(b"some text") == ""
