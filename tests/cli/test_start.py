"""An interrupt while the command is still loading: one line, exit code 130, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import asmevo

SOURCES = Path(asmevo.__file__).parents[1]


def interrupted(tmp_path: Path, module: str, name: str, *arguments: str) -> tuple[int, str, str]:
    """Exit code and outputs of the command whose import of `module` brings a signal."""
    (tmp_path / f"{module}.py").write_text(
        "import os, signal, time\n"
        f"os.kill(os.getpid(), signal.{name})\ntime.sleep(0.2)\n"
        "raise ImportError('the signal was lost')\n"
    )
    path = os.pathsep.join((str(tmp_path), str(SOURCES)))
    done = subprocess.run(
        [sys.executable, "-m", "asmevo.cli.start", *arguments], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": path}, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("module", ["typer", "numpy"])
def test_a_signal_while_loading(tmp_path: Path, module: str, name: str) -> None:
    done = interrupted(tmp_path, module, name, "doctor")
    assert done == (130, "", "asmevo: interrupted\n")


def test_a_program_gets_an_object(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path, "typer", "SIGINT", "doctor", "-f", "json")
    assert (code, err) == (130, "asmevo: interrupted\n")
    assert json.loads(out) == {
        "schema": "asmevo/error/1",
        "ok": False,
        "status": "interrupted",
        "reason": "interrupted",
        "exit_code": 130,
    }


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    """As under `nohup`, or in the background of a script."""
    (tmp_path / "typer.py").write_text(
        "import os, signal, sys\nos.kill(os.getpid(), signal.SIGINT)\nsys.exit(7)\n"
    )
    path = os.pathsep.join((str(tmp_path), str(SOURCES)))
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code += "from asmevo.cli.start import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert done.returncode == 7
