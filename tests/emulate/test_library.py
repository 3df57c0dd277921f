"""The helper cache: reused when it is whole and our own, rebuilt when it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asmevo.emulate.helpers.emit import Variant
from asmevo.emulate.native import library
from asmevo.emulate.native.library import HelperLibrary

VARIANTS = [
    Variant("lane", "v_add_u32", "vvv"),
    Variant("lane", "v_sub_u32", "vvv"),
    Variant("scalar", "s_add_u32"),
    Variant("stop", "s_endpgm"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "helpers"
    path.mkdir(mode=0o700)
    return path


def objects(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.o"))


def test_a_second_library_loads_what_the_first_compiled(folder: Path) -> None:
    first = HelperLibrary(folder)
    assert set(first.addresses(VARIANTS)) == set(VARIANTS)
    assert first.compiled == len(VARIANTS)
    second = HelperLibrary(folder)
    assert all(second.addresses(VARIANTS).values())
    assert second.compiled == 0


def test_a_damaged_object_is_compiled_again_and_replaced(folder: Path) -> None:
    HelperLibrary(folder).addresses(VARIANTS)
    before = {p: p.read_bytes() for p in objects(folder)}
    for path in before:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    again = HelperLibrary(folder)
    assert all(again.addresses(VARIANTS).values())
    assert again.compiled == len(VARIANTS)
    assert {p: p.read_bytes() for p in objects(folder)} == before


@pytest.mark.parametrize("note", ["", "{", "[]", '{"symbols": 3}', '{"symbols": ["x"]}'])
def test_a_damaged_note_is_ignored(folder: Path, note: str) -> None:
    HelperLibrary(folder).addresses(VARIANTS)
    for path in folder.glob("*.json"):
        path.write_text(note)
    again = HelperLibrary(folder)
    assert all(again.addresses(VARIANTS).values())
    assert again.compiled == len(VARIANTS)


def test_a_note_that_claims_foreign_code_does_not_get_it_loaded(folder: Path) -> None:
    HelperLibrary(folder).addresses(VARIANTS)
    # An object of another origin under the right name: its digest is not the recorded one.
    for path in objects(folder):
        path.write_bytes(b"\x7fELF" + bytes(400))
    again = HelperLibrary(folder)
    assert all(again.addresses(VARIANTS).values())


def test_a_cache_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASMEVO_CACHE", str(tmp_path))
    mine = library.cache_folder()
    assert mine is not None
    mine.chmod(0o777)
    assert library.cache_folder() is None


def test_the_key_changes_with_the_host_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    key = library.cache_key()
    monkeypatch.setenv("ASMEVO_CPU", "haswell")
    assert library.cache_key() != key


def test_old_versions_are_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASMEVO_CACHE", str(tmp_path))
    for n in range(9):
        (tmp_path / "helpers" / f"old{n}").mkdir(parents=True)
    folder = library.cache_folder()
    assert folder is not None
    assert folder.is_dir()
    assert len(list(folder.parent.iterdir())) <= 4


def test_many_missing_helpers_compile_in_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_PARALLEL_BATCHES", 1)
    monkeypatch.setattr(library, "_BATCH", 2)
    monkeypatch.setattr(library.os, "cpu_count", lambda: 2)
    seen: list[tuple[int, int]] = []
    found = HelperLibrary(folder).addresses(VARIANTS, lambda d, t: seen.append((d, t)))
    assert all(found.values())
    assert seen[0] == (0, len(VARIANTS))
    assert seen[-1] == (len(VARIANTS), len(VARIANTS))
    notes = [json.loads(p.read_text()) for p in folder.glob("*.json")]
    named = {s for n in notes for s in n["symbols"]}
    assert {v.symbol for v in VARIANTS} <= named


def test_a_read_only_cache_costs_only_time(folder: Path) -> None:
    missing = folder / "gone"
    found = HelperLibrary(missing).addresses(VARIANTS[:1])
    assert all(found.values())
