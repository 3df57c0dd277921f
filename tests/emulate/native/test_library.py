"""The helper cache: reused when it is whole and our own, rebuilt when it is not."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import asmevo
from asmevo.emulate.engine.toolchain import helper_library
from asmevo.emulate.native import library
from asmevo.emulate.native.variant import Variant

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
    first = helper_library(folder)
    assert set(first.addresses(VARIANTS)) == set(VARIANTS)
    assert first.compiled == len(VARIANTS)
    second = helper_library(folder)
    assert all(second.addresses(VARIANTS).values())
    assert second.compiled == 0


def test_a_damaged_object_is_compiled_again_and_replaced(folder: Path) -> None:
    helper_library(folder).addresses(VARIANTS)
    before = {p: p.read_bytes() for p in objects(folder)}
    for path in before:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    again = helper_library(folder)
    assert all(again.addresses(VARIANTS).values())
    assert again.compiled == len(VARIANTS)
    assert {p: p.read_bytes() for p in objects(folder)} == before


@pytest.mark.parametrize("note", ["", "{", "[]", '{"symbols": 3}', '{"symbols": ["x"]}'])
def test_a_damaged_note_is_ignored(folder: Path, note: str) -> None:
    helper_library(folder).addresses(VARIANTS)
    for path in folder.glob("*.json"):
        path.write_text(note)
    again = helper_library(folder)
    assert all(again.addresses(VARIANTS).values())
    assert again.compiled == len(VARIANTS)


def test_a_note_that_claims_foreign_code_does_not_get_it_loaded(folder: Path) -> None:
    helper_library(folder).addresses(VARIANTS)
    # An object of another origin under the right name: its digest is not the recorded one.
    for path in objects(folder):
        path.write_bytes(b"\x7fELF" + bytes(400))
    again = helper_library(folder)
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
    found = helper_library(folder).addresses(VARIANTS, lambda d, t: seen.append((d, t)))
    assert all(found.values())
    assert seen[0] == (0, len(VARIANTS))
    assert seen[-1] == (len(VARIANTS), len(VARIANTS))
    notes = [json.loads(p.read_text()) for p in folder.glob("*.json")]
    named = {s for n in notes for s in n["symbols"]}
    assert {v.symbol for v in VARIANTS} <= named


def test_a_read_only_cache_costs_only_time(folder: Path) -> None:
    missing = folder / "gone"
    found = helper_library(missing).addresses(VARIANTS[:1])
    assert all(found.values())


def _imports(path: Path) -> set[str]:
    """Modules that a file imports by name, submodules of packages included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return found


def test_the_cache_depends_on_everything_that_shapes_code() -> None:
    """What the hashed files import, they or the identity of a variant already hold."""
    root = Path(asmevo.__file__).parent
    hashed: set[Path] = set()
    for place in library.EMITTING:
        here = root / place
        hashed |= set(here.rglob("*.py")) if here.is_dir() else {here}
    assert all(p.is_file() for p in hashed)
    outside: set[str] = set()
    for path in hashed:
        for name in _imports(path):
            if not name.startswith("asmevo."):
                continue
            file = root.parent / Path(*name.split(".")).with_suffix(".py")
            if file.is_file() and file not in hashed:
                outside.add(name)
    assert outside <= {"asmevo.errors", "asmevo.caches"}


def test_a_list_of_symbols_that_was_changed_is_not_believed(folder: Path) -> None:
    """The digest covers which symbol stands at which place of the table, not the code alone."""
    helper_library(folder).addresses(VARIANTS)
    for path in folder.glob("*.json"):
        note = json.loads(path.read_text())
        note["symbols"] = note["symbols"][::-1]
        path.write_text(json.dumps(note))
    again = helper_library(folder)
    assert all(again.addresses(VARIANTS).values())
    assert again.compiled == len(VARIANTS)
