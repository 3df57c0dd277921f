"""Running the command line in this process, and objects to run it on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from asmevo.cli.main import main

LAUNCHES = Path(__file__).resolve().parents[2] / "kernels" / "launch"


@dataclass(frozen=True)
class Outcome:
    """What a command did: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> str:
        """The last line of text output."""
        return self.out.splitlines()[-1]

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)

    def complaint(self, code: int, *words: str) -> str:
        """The error's only line, after a check that it is one, has the words and says nothing else.

        Whatever was wrong, nothing of a traceback and no control character reaches the user.
        """
        assert self.code == code, (self.code, self.out, self.err)
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        line = lines[0]
        assert line.startswith("asmevo: ")
        assert line.isprintable()
        assert "internal error" not in line
        for word in words:
            assert word in line, line
        return line


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Function (*arguments) -> Outcome of the command."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Outcome(code, out, err)

    return call


@pytest.fixture
def saxpy(tmp_path: Path, kernel_objects: Callable[..., bytes]) -> Path:
    """K0.hsaco in a folder with its launch.yaml."""
    path = tmp_path / "K0.hsaco"
    path.write_bytes(kernel_objects("saxpy"))
    shutil.copy(LAUNCHES / "saxpy.yaml", tmp_path / "launch.yaml")
    return path


@pytest.fixture
def launch(saxpy: Path) -> Path:
    """The launch description beside K0."""
    return saxpy.parent / "launch.yaml"


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, to see that nothing was written or changed."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
