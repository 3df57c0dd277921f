"""The corpus fetcher, without the network: pip is replaced by a copy of a local wheel."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from asmevo.api.installation import corpora as corpus
from asmevo.errors import EnvironmentFault, InputError


def make_zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


class FakePip:
    """Stands for `python -m pip download`: writes `wheel` into the destination folder."""

    def __init__(self, wheel: bytes, name: str) -> None:
        self.wheel, self.name = wheel, name
        self.commands: list[list[str]] = []
        self.returncode, self.stderr = 0, ""

    def __call__(self, command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        assert not options.get("shell")
        self.commands.append(command)
        if self.returncode == 0:
            folder = Path(command[command.index("--dest") + 1])
            (folder / self.name).write_bytes(self.wheel)
        return subprocess.CompletedProcess(command, self.returncode, "", self.stderr)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> FakePip:
    data = make_zip({"aiter_meta/hsa/gfx942/a.co": b"object", "aiter/__init__.py": b""})
    pinned = replace(corpus.CORPORA["aiter"], sha256=hashlib.sha256(data).hexdigest())
    monkeypatch.setattr(corpus, "CORPORA", {"aiter": pinned})
    fake = FakePip(data, pinned.wheel)
    monkeypatch.setattr(corpus.subprocess, "run", fake)
    return fake


def test_fetch_unpacks_once(pip: FakePip, tmp_path: Path) -> None:
    root = tmp_path / "root"
    assert not corpus.available("aiter", root)
    folder = corpus.fetch("aiter", root)
    assert folder == root / "aiter"
    assert (folder / "aiter_meta/hsa/gfx942/a.co").read_bytes() == b"object"
    assert corpus.available("aiter", root)
    assert corpus.fetch("aiter", root) == folder
    assert len(pip.commands) == 1
    assert sorted(p.name for p in root.iterdir()) == ["aiter"]  # no scratch folder left
    assert "--no-deps" in pip.commands[0]
    assert "amd-aiter==0.1.7.post2.dev18" in pip.commands[0]


def test_another_version_is_replaced(pip: FakePip, tmp_path: Path) -> None:
    old = tmp_path / "aiter"
    old.mkdir()
    (old / corpus.MARKER).write_text(json.dumps({"sha256": "0" * 64}))
    (old / "stale").write_text("x")
    assert not corpus.available("aiter", tmp_path)
    corpus.fetch("aiter", tmp_path)
    assert not (old / "stale").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["aiter"]


def test_a_foreign_folder_is_not_deleted(pip: FakePip, tmp_path: Path) -> None:
    foreign = tmp_path / "aiter"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("mine")
    with pytest.raises(EnvironmentFault, match="in the way"):
        corpus.fetch("aiter", tmp_path)
    assert (foreign / "thesis.txt").read_text() == "mine"


def test_wrong_hash_leaves_nothing(pip: FakePip, tmp_path: Path) -> None:
    pip.wheel += b"\0"
    with pytest.raises(EnvironmentFault, match="sha256"):
        corpus.fetch("aiter", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_pip_failure_names_the_last_line(pip: FakePip, tmp_path: Path) -> None:
    pip.returncode, pip.stderr = 1, "noise\nERROR: No matching distribution found\n"
    with pytest.raises(EnvironmentFault, match="No matching distribution"):
        corpus.fetch("aiter", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_root_that_is_a_file(pip: FakePip, tmp_path: Path) -> None:
    (tmp_path / "root").write_text("")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        corpus.fetch("aiter", tmp_path / "root")


def test_unknown_name() -> None:
    with pytest.raises(InputError, match="nonsense"):
        corpus.fetch("nonsense")


def test_root_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASMEVO_CORPUS", str(tmp_path))
    assert corpus.corpus_root() == tmp_path
    monkeypatch.delenv("ASMEVO_CORPUS")
    assert corpus.corpus_root().name == "corpus"


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "a\\..\\evil", "C:evil"])
def test_member_outside_the_folder(name: str, tmp_path: Path) -> None:
    wheel = tmp_path / "w.whl"
    wheel.write_bytes(make_zip({"good": b"1", name: b"2"}))
    with pytest.raises(EnvironmentFault, match="no plain file"):
        corpus.unpack(wheel, tmp_path / "inside" / "out")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["w.whl"]


def test_symbolic_link_member(tmp_path: Path) -> None:
    wheel = tmp_path / "w.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc")
    with pytest.raises(EnvironmentFault, match="no plain file"):
        corpus.unpack(wheel, tmp_path / "out")


def test_limits(tmp_path: Path) -> None:
    wheel = tmp_path / "w.whl"
    wheel.write_bytes(make_zip({"a": bytes(5000), "b": b""}))
    with pytest.raises(EnvironmentFault, match="more than"):
        corpus.unpack(wheel, tmp_path / "out", max_bytes=4999)
    with pytest.raises(EnvironmentFault, match="more than"):
        corpus.unpack(wheel, tmp_path / "out", max_files=1)
    corpus.unpack(wheel, tmp_path / "out", max_files=2, max_bytes=5000)
    assert (tmp_path / "out" / "a").stat().st_size == 5000


def test_not_a_zip(tmp_path: Path) -> None:
    wheel = tmp_path / "w.whl"
    wheel.write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(EnvironmentFault, match="zip"):
        corpus.unpack(wheel, tmp_path / "out")
