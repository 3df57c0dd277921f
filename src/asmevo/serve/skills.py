"""The Agent Skill: a folder that teaches a coding agent to drive `asmevo` from the command line.

Its form is that of the open Agent Skills format (agentskills.io/specification): `SKILL.md` with
`name` and `description` in front, references that are read on demand, scripts.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from asmevo.api.files import write_file
from asmevo.errors import InputError

NAME = "asmevo-kernels"
_SCRIPTS = "scripts"


def skill_files() -> dict[str, bytes]:
    """Every file of the skill by its path in the folder."""
    root = resources.files("asmevo.serve").joinpath("skill", NAME)
    found: dict[str, bytes] = {}

    def walk(folder: Traversable, prefix: str) -> None:
        for item in sorted(folder.iterdir(), key=lambda i: i.name):
            if item.is_dir():
                walk(item, f"{prefix}{item.name}/")
            elif not item.name.endswith(".pyc"):
                found[prefix + item.name] = item.read_bytes()

    walk(root, "")
    return found


def install_skill(folder: str | Path, *, force: bool = False) -> list[Path]:
    """Write the skill into `folder/asmevo-kernels` and return the paths.

    Raises:
        InputError: `folder` is no folder, or files of the skill exist there already.
    """
    root = Path(folder)
    if root.exists() and not root.is_dir():
        raise InputError(f"{root} is no folder", "give --to a folder")
    place = root / NAME
    files = skill_files()
    taken = [name for name in files if (place / name).exists()]
    if taken and not force:
        raise InputError(f"{place / taken[0]} exists", "use --force to replace the skill's files")
    written: list[Path] = []
    for name, data in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data, force=force)
        if name.startswith(_SCRIPTS):
            path.chmod(0o755)
        written.append(path)
    return written
