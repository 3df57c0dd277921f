"""Capsules of recorded dispatches: what was written is read, and nothing but what was written."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from asmevo.capsule.recorded import (
    Allocation,
    CapsuleError,
    CapsuleWriter,
    Dispatch,
    Recording,
    Variable,
    is_recording,
    open_capsule,
    write_capsule,
)
from asmevo.errors import AsmEvoError, InputError

RNG = np.random.default_rng(5)
FLOATS = RNG.normal(size=3 << 20).astype(np.float32)  # three pieces of 4 MiB
TABLE = np.arange(1 << 20, dtype=np.int32)  # compresses
KINDS = ["c.capsule", "c.zip"]


def recording() -> Recording:
    allocations = (
        Allocation("x", 0x7F00_0000_0000, FLOATS, role="in", dtype="f32", shape=(3, 1 << 20)),
        Allocation("t", 0x7E00_0000_0000, TABLE.tobytes(), TABLE.tobytes()[::-1], "pinned"),
        Allocation("zeros", 0x7D00_0000_0100, bytes(9 << 20), kind="managed"),
        Allocation("empty", 0x7C00_0000_0000, b""),
    )
    one = Dispatch(
        "k", "", (3, 2, 1), (64, 4, 1), b"\x01\x02" * 20, 0x7B00_0000_0000, allocations,
        (Variable("scale", 0x7A00_0000_0010, b"\0\0\x80?"),), 512, (10, 0, 0), 0x7A00_0000_0000,
        "first", {"stream": 3},
    )  # fmt: skip
    code = b"\x7fELF of sorts"
    sha = hashlib.sha256(code).hexdigest()
    again = replace(one, object=sha, label="second", remainder=(0, 0, 0))
    return Recording(
        {sha: code}, (replace(one, object=sha), again), "gfx942", "", False, {"by": "t"}
    )


@pytest.mark.parametrize("name", KINDS)
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    given = recording()
    write_capsule(tmp_path / name, given)
    assert is_recording(tmp_path / name)
    with open_capsule(tmp_path / name) as found:
        assert (found.target, found.weak, found.redacted) == ("gfx942", "", False)
        assert found.provenance == {"by": "t"}
        ((sha, code),) = found.objects.items()
        assert sha in given.objects
        assert code.read() == given.objects[sha]
        for mine, theirs in zip(given.dispatches, found.dispatches, strict=True):
            for field in (
                "kernel",
                "object",
                "grid",
                "block",
                "kernarg",
                "kernarg_address",
                "lds_dynamic",
                "remainder",
                "load_address",
                "label",
                "provenance",
            ):
                assert getattr(mine, field) == getattr(theirs, field)
            memory = zip(
                (*mine.allocations, *mine.variables),
                (*theirs.allocations, *theirs.variables),
                strict=True,
            )
            for a, b in memory:
                assert (a.name, a.address, a.size) == (b.name, b.address, b.size)
                assert b.before.read() == np.asarray(memoryview(a.before)).tobytes()
                assert (b.after is None) == (a.after is None)
                if a.after is not None:
                    assert b.after.read() == a.after
            x, y = mine.allocations[0], theirs.allocations[0]
            assert (x.kind, x.role, x.dtype, x.shape) == (y.kind, y.role, y.dtype, y.shape)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_equal_memory_is_stored_once_and_zeros_not_at_all(tmp_path: Path) -> None:
    write_capsule(tmp_path / "c", recording())
    sizes = [p.stat().st_size for p in (tmp_path / "c" / "blobs").iterdir()]
    # Three pieces of floats, one of the table and of its reverse, the object, the variable.
    assert len(sizes) == 7
    assert sum(sizes) < FLOATS.nbytes + 2 * TABLE.nbytes


def test_a_capsule_is_copied_without_unpacking_it_whole(tmp_path: Path) -> None:
    write_capsule(tmp_path / "c", recording())
    with open_capsule(tmp_path / "c") as found:
        write_capsule(tmp_path / "d.zip", found)
    with open_capsule(tmp_path / "d.zip") as found:
        assert found.dispatches[1].allocations[1].before.read() == TABLE.tobytes()


@pytest.mark.parametrize("name", KINDS)
def test_nothing_appears_of_an_unfinished_capsule(tmp_path: Path, name: str) -> None:
    def stop() -> None:
        with CapsuleWriter(tmp_path / name) as out:
            out.add_object(b"abc")
            raise KeyError

    with pytest.raises(KeyError):
        stop()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", KINDS)
def test_an_existing_capsule_is_replaced_only_by_force(tmp_path: Path, name: str) -> None:
    write_capsule(tmp_path / name, recording())
    with pytest.raises(InputError, match="exists"):
        write_capsule(tmp_path / name, recording())
    write_capsule(tmp_path / name, Recording({}, (), "gfx950"), force=True)
    with open_capsule(tmp_path / name) as found:
        assert found.target == "gfx950"
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", KINDS)
def test_something_else_is_never_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.mkdir() if name == KINDS[0] else path.write_text("mine")
    with pytest.raises(InputError, match="exists"):
        write_capsule(path, recording(), force=True)


def test_contradictions_are_refused_when_written(tmp_path: Path) -> None:
    one = recording().dispatches[0]
    with CapsuleWriter(tmp_path / "c") as out:
        with pytest.raises(InputError, match="no code object"):
            out.add_dispatch(one)
        sha = out.add_object(b"abc")
        for names, places, text in (("aa", (0, 64), "one name"), ("ab", (0, 63), "overlap")):
            memory = tuple(Allocation(n, p, bytes(64)) for n, p in zip(names, places, strict=True))
            with pytest.raises(InputError, match=text):
                out.add_dispatch(Dispatch("k", sha, (1, 1, 1), (1, 1, 1), b"", 0, memory))
        changed = Allocation("a", 0, bytes(64), bytes(63))
        with pytest.raises(InputError, match="another size"):
            out.add_dispatch(Dispatch("k", sha, (1, 1, 1), (1, 1, 1), b"", 0, (changed,)))


def _written(tmp_path: Path) -> tuple[Path, Path]:
    """A capsule's folder, and a blob that is compressed."""
    write_capsule(tmp_path / "c", recording())
    blobs = sorted((tmp_path / "c" / "blobs").iterdir(), key=lambda p: p.stat().st_size)
    packed = next(p for p in blobs if p.read_bytes()[:4] == b"\x28\xb5\x2f\xfd")
    return tmp_path / "c", packed


def _all(path: Path) -> None:
    with open_capsule(path) as found:
        for d in found.dispatches:
            for a in d.allocations:
                a.before.read()
                if a.after is not None:
                    a.after.read()


def test_blobs_that_are_not_what_was_written_are_refused(tmp_path: Path) -> None:
    folder, packed = _written(tmp_path)
    good = packed.read_bytes()
    for bad in (good[:-1], b"", good[:40] + bytes([good[40] ^ 1]) + good[41:], good + b"x"):
        packed.write_bytes(bad)
        with pytest.raises(CapsuleError):
            _all(folder)
    packed.unlink()
    with pytest.raises(CapsuleError, match="No such file"):
        open_capsule(folder)


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    folder, packed = _written(tmp_path)
    outside = tmp_path / "outside"
    outside.write_bytes(packed.read_bytes())
    packed.unlink()
    packed.symlink_to(outside)
    with pytest.raises(CapsuleError, match="is no file"):
        _all(folder)
    packed.unlink()
    os.mkfifo(packed)
    with pytest.raises(CapsuleError, match="is no file"):
        _all(folder)
    packed.unlink()
    outside.rename(packed)
    _all(folder)
    (folder / "blobs").rename(tmp_path / "elsewhere")
    (folder / "blobs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CapsuleError, match="blobs"):
        _all(folder)


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    folder, _ = _written(tmp_path)
    path = folder / "manifest.json"
    document = json.loads(path.read_bytes())
    document["dispatches"][0]["grid"][0] = 4
    path.write_text(json.dumps(document))
    with pytest.raises(CapsuleError, match="changed after it was sealed"):
        open_capsule(folder)
    path.write_text(json.dumps({**document, "schema": "asmevo/capsule/3"}))
    with pytest.raises(CapsuleError, match="schema 'asmevo/capsule/3', this program reads"):
        open_capsule(folder)


def test_archives_hold_members_as_they_are_and_once(tmp_path: Path) -> None:
    write_capsule(tmp_path / "c.zip", recording())
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    for bad in ("deflated", "twice", "cut"):
        with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
            for n, data in members.items():
                how = zipfile.ZIP_DEFLATED if bad == "deflated" else zipfile.ZIP_STORED
                archive.writestr(n, data, how)
            if bad == "twice":
                with pytest.warns(UserWarning, match="Duplicate"):
                    archive.writestr("manifest.json", members["manifest.json"])
        if bad == "cut":
            data = (tmp_path / "d.zip").read_bytes()
            (tmp_path / "d.zip").write_bytes(data[: len(data) // 2])
        with pytest.raises(CapsuleError):
            _all(tmp_path / "d.zip")


def test_paths_that_are_no_capsule(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("schema: asmevo/launch/1")
    (tmp_path / "folder").mkdir()
    for name in ("empty", "text", "folder", "none", "nul\0"):
        path = tmp_path / name
        assert "\0" in name or not is_recording(path)
        with pytest.raises(AsmEvoError):
            open_capsule(path)
