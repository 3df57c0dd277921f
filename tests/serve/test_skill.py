"""The Agent Skill keeps the rules of the format, and its scripts do what they say.

Rules: agentskills.io/specification. `name` has 1 to 64 lower-case letters, digits and single
hyphens, none at an end, and is the folder's name; `description` has 1 to 1024 characters;
`compatibility` at most 500; the body is short, and its links lead to files of the folder, one level
deep.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from asmevo.errors import InputError
from asmevo.serve.skills import NAME, install_skill

LAUNCH = Path(__file__).resolve().parents[2] / "kernels" / "launch" / "saxpy.yaml"
FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    install_skill(tmp_path / "skills")
    return tmp_path / "skills" / NAME


def test_the_front_keeps_the_rules(skill: Path) -> None:
    text = (skill / "SKILL.md").read_text()
    _, front, body = re.split(r"^---$", text, maxsplit=2, flags=re.M)
    assert text.startswith("---\n")
    fields = yaml.safe_load(front)
    assert set(fields) <= FIELDS
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert len(fields["name"]) <= 64
    assert fields["name"] == skill.name
    assert 1 <= len(fields["description"].strip()) <= 1024
    assert "Use when" in fields["description"]
    assert not re.search(r"[<>]", front)
    assert len(fields["compatibility"]) <= 500
    assert all(isinstance(v, str) for v in fields["metadata"].values())
    assert len(body.splitlines()) < 500
    assert len(body) < 5000 * 4  # about 5000 tokens


def test_links_lead_to_files_one_level_deep(skill: Path) -> None:
    text = (skill / "SKILL.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    scripts = re.findall(r"`(scripts/[\w.]+)", text)
    assert links
    assert scripts
    for name in [*links, *scripts]:
        assert (skill / name).is_file(), name
        assert name.count("/") == 1
    named = {*links, *scripts, "SKILL.md"}
    assert {str(p.relative_to(skill)) for p in skill.rglob("*") if p.is_file()} == named


def test_scripts_run_a_session(
    skill: Path, kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    (tmp_path / "K0.hsaco").write_bytes(kernel_objects("saxpy"))
    (tmp_path / "asmevo").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m asmevo.cli.main "$@"\n'
    )
    (tmp_path / "asmevo").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }

    def script(name: str, *arguments: object) -> tuple[int, dict[str, object]]:
        done = subprocess.run(
            [skill / "scripts" / f"{name}.sh", *map(str, arguments)],
            capture_output=True, text=True, env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    code, got = script("begin", "K0.hsaco", LAUNCH, "run.db")
    assert code == 0
    assert got["answer"]["schema"] == "asmevo/tool-profile/1"  # type: ignore[index]
    code, got = script("look", "run.db", "window")
    assert code == 0
    proposal = {"edits": [{"first": 9, "last": 9, "lines": ["s_nop 0"]}], "reason": "to see"}
    (tmp_path / "proposal.json").write_text(json.dumps(proposal))
    code, got = script("propose", "run.db", "proposal.json")
    assert (code, got["status"]) == (1, "insufficient_speedup")
    code, got = script("finish", "K0.hsaco", LAUNCH, "run.db", "K1.hsaco")
    assert (code, got["reason"]) == (1, "nothing was accepted")


def test_the_example_of_a_proposal_fits_its_form(skill: Path) -> None:
    from asmevo.drivers.tools.model import ProposeRequest

    text = (skill / "references" / "proposals.md").read_text()
    (block,) = re.findall(r"```json\n(.*?)```", text, re.S)
    assert ProposeRequest.model_validate(json.loads(block)).node == "best"


def test_what_exists_is_replaced_on_request_only(skill: Path, tmp_path: Path) -> None:
    (skill / "SKILL.md").write_text("mine")
    with pytest.raises(InputError, match="exists"):
        install_skill(skill.parent)
    assert (skill / "SKILL.md").read_text() == "mine"
    install_skill(skill.parent, force=True)
    assert (skill / "SKILL.md").read_text().startswith("---")
    with pytest.raises(InputError, match="no folder"):
        install_skill(skill / "SKILL.md")
