"""`find`, `extract`, `roundtrip` on all that holds code objects, with hand-made containers."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run, contents

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def bundle(members: list[tuple[str, bytes]], alignment: int = 4096) -> bytes:
    """A clang offload bundle, written from the format's description in the clang manual."""
    head_size = len(MAGIC) + 8 + sum(24 + len(name) for name, _ in members)
    head, body, at = bytearray(MAGIC + struct.pack("<Q", len(members))), bytearray(), head_size
    for name, data in members:
        start = -(-at // alignment) * alignment
        body += bytes(start - at) + data
        at = start + len(data)
        head += struct.pack("<QQQ", start, len(data), len(name)) + name.encode()
    return bytes(head + body)


def compressed(data: bytes) -> bytes:
    """Version 2 of the compressed form, zlib."""
    body = zlib.compress(data)
    digest = hashlib.md5(data).digest()[:8]
    return b"CCOB" + struct.pack("<HHII", 2, 0, 24 + len(body), len(data)) + digest + body


@pytest.fixture
def tree(tmp_path: Path, kernel_objects: Callable[..., bytes]) -> Path:
    """A folder with four objects in a plain file, a bundle, a compressed bundle, and a wheel."""
    saxpy, softmax = kernel_objects("saxpy"), kernel_objects("softmax")
    other = kernel_objects("calls", "gfx1100", "recovery")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.bin").write_bytes(saxpy)  # content decides, not the suffix
    host = "host-x86_64-unknown-linux-gnu-"
    device = "hipv4-amdgcn-amd-amdhsa--"
    (root / "b.fat").write_bytes(
        bundle([(host, b""), (device + "gfx942", softmax), (device + "gfx1100", other)])
    )
    (root / "c.ccob").write_bytes(compressed(bundle([(device + "gfx942", saxpy)])))
    with zipfile.ZipFile(root / "d.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("kernels/../../evil.co", softmax)
    (root / "notes.txt").write_text("no object")
    return root


def test_find_lists_every_object_with_its_number(run: Run, tree: Path) -> None:
    got = run("find", tree)
    assert got.code == 0
    assert got.result == "Result: PASS (5 objects: 1 gfx1100, 4 gfx942)"
    objects = run("find", tree, "-f", "json").json["objects"]
    assert [o["number"] for o in objects] == [1, 2, 3, 4, 5]
    assert [o["container"] for o in objects] == ["file", "bundle", "bundle", "compressed", "zip"]
    assert objects[1]["kernels"] == ["softmax"]
    only = run("find", tree, "--arch", "gfx1100", "-f", "json").json["objects"]
    assert [o["number"] for o in only] == [3]
    assert run("find", tree, "--kernel", "^soft", "-f", "json").json["objects"][0]["number"] == 2
    assert run("find", tree, "--arch", "gfx90a").code == 1


def test_find_reads_what_triton_wrote_beside_it(run: Run, saxpy: Path) -> None:
    saxpy.with_suffix(".json").write_text('{"name": "saxpy", "shared": 512, "num_warps": 4}')
    (entry,) = run("find", saxpy, "-f", "json").json["objects"]
    assert entry["triton"] == {"name": "saxpy", "shared": 512, "num_warps": 4}
    saxpy.with_suffix(".json").write_text("[" * 100_000)
    (entry,) = run("find", saxpy, "-f", "json").json["objects"]
    assert "triton" not in entry


def test_extract_gives_the_very_bytes_inside_the_folder(
    run: Run, tree: Path, tmp_path: Path, kernel_objects: Callable[..., bytes]
) -> None:
    out = tmp_path / "objects"
    got = run("extract", tree, "--arch", "gfx942", "-o", out)
    assert got.code == 0
    found = contents(out)
    assert sorted(found.values()) == sorted(
        [kernel_objects("saxpy")] * 2 + [kernel_objects("softmax")] * 2
    )
    assert all("/" not in name for name in found)
    assert not (tmp_path / "evil.co").exists()
    again = run("extract", tree, "--arch", "gfx942", "-o", out)
    again.complaint(2, "exists")
    assert contents(out) == found


def test_extract_replaces_with_force_and_never_an_input(run: Run, saxpy: Path) -> None:
    out, original = saxpy.parent / "objects", saxpy.read_bytes()
    assert run("extract", saxpy, "-o", out).code == 0
    (path,) = out.iterdir()
    path.write_bytes(b"of no worth")
    run("extract", saxpy, "-o", out).complaint(2, "exists", "--force")
    assert path.read_bytes() == b"of no worth"
    assert run("extract", saxpy, "-o", out, "--force").code == 0
    assert path.read_bytes() == original
    # The object's own file name, reached directly, by a folder and through a symbolic link.
    run("extract", path, "-o", out, "--force").complaint(2, "is the input")
    run("extract", out, "-o", out, "--force").complaint(2, "is the input")
    path.unlink()
    path.symlink_to(saxpy)
    run("extract", saxpy, "-o", out, "--force").complaint(2, "is the input")
    assert saxpy.read_bytes() == original


@pytest.mark.parametrize(("name", "number"), [("a.bin", 1), ("b.fat", 1), ("c.ccob", 1)])
def test_replace_changes_that_object_alone(
    run: Run, tree: Path, tmp_path: Path, name: str, number: int
) -> None:
    before = run("find", tree / name, "-f", "json").json["objects"]
    taken = tmp_path / "taken"
    assert run("extract", tree / name, "-n", number, "-o", taken).code == 0
    (path,) = taken.iterdir()
    data = path.read_bytes()
    new = tmp_path / "new.co"
    changed = data.replace(bytes.fromhex("000081bf"), bytes.fromhex("010081bf"), 1)  # s_endpgm 1
    assert changed != data
    new.write_bytes(changed)
    out = tmp_path / "out.bin"
    got = run("extract", tree / name, "-n", number, "--replace", new, "-o", out)
    assert got.code == 0, got
    after = run("find", out, "-f", "json").json["objects"]
    same = ("number", "container", "target", "kernels", "bytes")
    assert [[o[k] for k in same] for o in after] == [[o[k] for k in same] for o in before]
    taken_again = tmp_path / "again"
    assert run("extract", out, "-n", number, "-o", taken_again).code == 0
    (path,) = taken_again.iterdir()
    assert path.read_bytes() == changed


def test_replace_refuses_what_would_not_load(
    run: Run, tree: Path, saxpy: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    base = ("extract", tree / "b.fat", "-o", out, "--replace")
    run(*base, saxpy).complaint(2, "--number")
    run(*base, saxpy, "-n", 2).complaint(2, "gfx942", "gfx1100")
    run(*base, saxpy, "-n", 1).complaint(2, "softmax")
    run("extract", tree, "-n", 1, "-o", out, "--replace", saxpy).complaint(2, "one container")
    run("extract", tree / "d.whl", "-o", out, "--replace", saxpy).complaint(2, "softmax")
    run(*base, tmp_path / "none.co", "-n", 1).complaint(2, "none.co")
    assert not out.exists()


def test_damaged_members_are_named(run: Run, tree: Path, tmp_path: Path) -> None:
    data = (tree / "c.ccob").read_bytes()
    (tree / "c.ccob").write_bytes(data[:-5])
    got = run("find", tree)
    assert got.code == 1
    assert "damaged" in got.result
    assert "c.ccob" in got.out
    run("extract", tree, "-o", tmp_path / "o").complaint(2, "c.ccob")
    run("roundtrip", tree / "c.ccob").complaint(2, "c.ccob")
    assert not (tmp_path / "o").exists()


def test_roundtrip_proves_every_object(run: Run, tree: Path) -> None:
    got = run("roundtrip", tree, "--jobs", 2)
    assert got.code == 0
    assert got.result == "Result: PASS (5 of 5 identical)"
    data = run("roundtrip", tree / "b.fat", tree / "d.whl", "-f", "json").json
    assert data["identical"] == data["total"] == 3
    assert {o["status"] for o in data["objects"]} == {"identical"}


def test_roundtrip_names_what_fails_in_a_folder(run: Run, tree: Path) -> None:
    (tree / "z.co").write_bytes((tree / "a.bin").read_bytes()[:2000])
    got = run("roundtrip", tree)
    assert got.code == 1
    assert got.result == "Result: FAIL (5 of 6 identical)"
    assert any("z.co" in line and "truncated" in line for line in got.out.splitlines())


def test_check_looks_into_containers(run: Run, tree: Path) -> None:
    data = run("check", tree / "b.fat", "--kernel", ".", "-f", "json").json
    assert len(data["objects"]) == 2
    assert json.dumps(data)


@pytest.mark.corpus
def test_roundtrip_of_many_objects_is_summed_up(run: Run, aiter_root: Path) -> None:
    folder = aiter_root / "aiter_meta" / "hsa" / "gfx942" / "bf16gemm"
    got = run("roundtrip", folder, "--jobs", 2)
    assert got.code == 0
    assert "gfx942" in got.out
