"""What the documentation tells people to type exists, and what it links to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from asmevo.cli.main import app
from asmevo.drivers.pool import default_rules

from .conftest import Run

CHECKOUT = Path(__file__).resolve().parents[2]
GROUPS = {group.name for group in app.registered_groups}
PAGES = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").glob("*.md")]


def commands(text: str) -> list[list[str]]:
    """Words of every `asmevo ...` line of code blocks and inline code."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    lines = [line.strip().removeprefix("$ ") for language, block in fences if not language
             for line in block.splitlines()]  # fmt: skip
    lines += re.findall(r"`(asmevo [^`]+)`", text)
    found: list[list[str]] = []
    for line in lines:
        line = line.partition("#")[0].replace("...", "")
        for part in line.split("&&"):
            words = shlex.split(part)
            if words and words[0] in ("asmevo", ".venv/bin/asmevo") and len(words) > 1:
                found.append(words[1:])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_and_options_exist(run: Run, page: Path) -> None:
    for words in commands(page.read_text()):
        if words[0].isupper():
            continue  # `asmevo COMMAND --help`
        name = words[:2] if words[0] in GROUPS else words[:1]
        got = run(*name, "--help")
        assert got.code == 0, (page.name, words)
        options = [w.partition("=")[0] for w in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", w)]
        for option in options:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", got.out), (page.name, words, option)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), (page.name, target)
    for path in re.findall(r"`((?:src|tests|docs|kernels|benchmarks)/[\w./-]+)`", text):
        if "*" not in path:
            assert (CHECKOUT / path).exists(), (page.name, path)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_numbered_lists_count(page: Path) -> None:
    last = 0
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            last = 0
        elif found := re.match(r"(\d+)\. ", line):
            assert int(found[1]) in (1, last + 1), (page.name, line)
            last = int(found[1])


@pytest.mark.parametrize("name", ["README.md", "docs/launch.md"])
def test_the_launch_descriptions_shown_serve_as_they_are(
    run: Run, saxpy: Path, tmp_path: Path, name: str
) -> None:
    """saxpy reads y: a description that calls it an output cannot be verified on."""
    [text] = re.findall(r"^```yaml\n(schema: asmevo/launch.*?)^```$", (CHECKOUT / name).read_text(),
                        re.S | re.M)  # fmt: skip
    launch = tmp_path / "shown.yaml"
    launch.write_text(text)
    got = run("verify", saxpy, saxpy, "--launch", launch)
    assert got.result == "Result: PASS (tested-exact)", got


def test_every_command_and_rule_is_in_its_table() -> None:
    readme = (CHECKOUT / "README.md").read_text()
    table = " ".join(re.findall(r"^\| (`[a-z`, ]+) \|", readme, re.M))
    shown = {c.name or "" for c in app.registered_commands} - {"demo"}  # demo has its own chapter
    assert shown | GROUPS == set(re.findall(r"`(\w+)`", table))
    rules = (CHECKOUT / "docs" / "search.md").read_text()
    for rule in default_rules(0):
        assert f"\n| `{rule.name}` |" in rules, rule.name


def test_contributing_is_readable_in_a_terminal() -> None:
    page = (CHECKOUT / "CONTRIBUTING.md").read_text()
    assert [line for line in page.splitlines() if len(line) > 100] == []


def test_makefile_targets_in_the_readme_exist() -> None:
    makefile = (CHECKOUT / "Makefile").read_text()
    for page in PAGES:
        for target in re.findall(r"\bmake ([a-z][a-z-]+)(?=[\s`,])", page.read_text()):
            if f"`make {target}" in page.read_text() or f"\nmake {target}" in page.read_text():
                assert re.search(rf"^{target}:", makefile, re.M), (page.name, target)
