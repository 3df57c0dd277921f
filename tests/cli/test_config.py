"""Settings: `asmevo.toml`, the environment, and which of them wins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LAUNCH = Path(__file__).resolve().parents[2] / "kernels" / "launch" / "saxpy.yaml"
Run = Callable[..., Any]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Function (text) -> the settings file of the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> Path:
        path = tmp_path / "asmevo.toml"
        path.write_text(text)
        return path

    return write


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    run: Run, saxpy: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings(f'[optimize]\nbudget = 3\nlaunch = "{LAUNCH}"\noutput = "k1.hsaco"\n')

    def attempts(*more: object) -> int:
        (tmp_path / "k1.hsaco").unlink(missing_ok=True)
        return run("optimize", saxpy, "-f", "json", *more).json["attempts"]

    assert attempts() == 3
    monkeypatch.setenv("ASMEVO_OPTIMIZE_BUDGET", "2")
    assert attempts() == 2
    assert attempts("--budget", 1) == 1


def test_a_setting_at_the_top_is_for_every_command_that_has_it(
    run: Run, saxpy: Path, settings: Any
) -> None:
    path = settings('machine = "mi308x"\n["launch infer"]\nsize = ["n=64"]\n')
    got = run("bench", saxpy, "--launch", LAUNCH)
    assert got.code == 0
    assert "mi308x" in got.out.lower()
    assert path.name in got.err
    assert run("inspect", saxpy, "-q").err == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[optimise]\nbudget = 3\n", ("no command [optimise]",)),
        ("[optimize]\nbudgte = 3\n", ("optimize has no option --budgte",)),
        ("[optimize]\nforce = true\n", ("no option --force",)),
        ("machin = 3\n", ("no command has an option --machin",)),
        ("[optimize\n", ("asmevo.toml",)),
        ("[optimize]\nbudget = 2020-01-01\n", ("neither text",)),
        ('[optimize]\nbudget = "many"\n', ("budget",)),
        ("[optimize]\nsize = [[1]]\n", ("size",)),
    ],
)
def test_a_bad_file_is_one_line(
    run: Run, saxpy: Path, settings: Any, text: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    settings(text)
    run("optimize", saxpy, "--launch", LAUNCH, "-o", tmp_path / "x", "-q").complaint(2, *words)


def test_another_file_or_none(
    run: Run, saxpy: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings("[nothing]\n")
    monkeypatch.setenv("ASMEVO_CONFIG", "")
    assert run("inspect", saxpy).code == 0
    monkeypatch.setenv("ASMEVO_CONFIG", str(tmp_path / "absent.toml"))
    run("inspect", saxpy).complaint(2, "absent.toml", "ASMEVO_CONFIG")


def test_completion_is_offered(run: Run) -> None:
    assert "--install-completion" in run("--help").out
    assert "env var" not in run("optimize", "--help").out
