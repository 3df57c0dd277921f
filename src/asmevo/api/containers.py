"""Code objects in whatever holds them, numbered and described: for `find` and `extract`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from asmevo.api.files import NotFound
from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import BudgetError, Found, find
from asmevo.errors import AsmEvoError, InputError

_TRITON_KEYS = ("name", "shared", "num_warps", "num_stages", "warp_size")
_LONGEST_JSON = 4 << 20
_OBJECT = 64 << 20  # a larger file is not read for its error message


@dataclass(frozen=True, slots=True)
class Numbered:
    """A found object with its number in the search's order (from 1), and what it says of itself.

    Attributes:
        problem: why it cannot be used, or empty.
        exit_code: of that error: 2 damaged, 3 unsupported or left out, 4 the environment's fault.
        triton: launch facts of the `.json` beside a Triton cache entry.
    """

    number: int
    found: Found
    target: str
    kernels: tuple[str, ...]
    problem: str
    exit_code: int
    triton: dict[str, Any]

    @property
    def incomplete(self) -> bool:
        """Whether the search of the file ended here, because it costs more than a file may."""
        return isinstance(self.found.error, BudgetError)

    def as_json(self) -> dict[str, Any]:
        """Plain values, without the bytes."""
        return {
            "number": self.number,
            "location": self.found.location,
            "container": self.found.steps[1].kind if len(self.found.steps) > 1 else "file",
            "bytes": self.found.size,
            "target": self.target,
            "kernels": list(self.kernels),
            "problem": self.problem,
            "incomplete": self.incomplete,
            **({"triton": self.triton} if self.triton else {}),
        }


def triton_facts(object: Path) -> dict[str, Any]:
    """The interesting part of `NAME.json` beside `NAME.hsaco`, if there is one."""
    path = object.with_suffix(".json")
    try:
        if path.stat().st_size > _LONGEST_JSON:
            return {}
        loaded: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # no description, or not Triton's
    if not isinstance(loaded, dict):
        return {}
    facts = cast("dict[str, Any]", loaded)
    return {k: facts[k] for k in _TRITON_KEYS if isinstance(facts.get(k), str | int)}


def described(number: int, found: Found) -> Numbered:
    """A found object, opened just far enough to say what it is."""
    if found.error is not None:
        return Numbered(number, found, "", (), found.problem, found.error.exit_code, {})
    try:
        co = CodeObject.open(found.data)
    except AsmEvoError as err:
        return Numbered(number, found, "", (), err.one_line(), err.exit_code, {})
    names = tuple(k.name for k in co.kernels)
    facts = triton_facts(Path(found.steps[0].name)) if len(found.steps) == 1 else {}
    return Numbered(number, found, co.target.target_id, names, "", 0, facts)


def search(
    paths: Sequence[Path], arch: str | None = None, kernel: str | None = None
) -> Iterator[Numbered]:
    """Every code object below some paths that fits; numbers count the ones left out, too.

    Args:
        arch: processor, with or without feature settings, e.g. `gfx942`.
        kernel: regular expression that some kernel's name must contain.

    Raises:
        InputError: a path does not exist, or a bad regular expression.
    """
    try:
        wanted = re.compile(kernel) if kernel is not None else None
    except re.error as err:
        raise InputError(f"--kernel {kernel!r} is no regular expression: {err}") from err
    require(paths)
    number = 0
    for path in paths:
        for found in find(path):
            number += 1
            one = described(number, found)
            if arch is not None and arch not in (one.target, one.target.partition(":")[0]):
                continue
            if wanted is not None and not any(wanted.search(k) for k in one.kernels):
                continue
            yield one


def require(paths: Sequence[Path]) -> None:
    """Refuse paths that are not there before any long work begins.

    Raises:
        NotFound: the first such path.
    """
    for path in paths:
        try:
            path.stat()
        except OSError as err:
            raise NotFound(f"{path}: {err.strerror}", "check the path") from err


def nothing_in(paths: Sequence[Path]) -> AsmEvoError:
    """The error for paths that hold no code object; for one file, what is wrong with it."""
    if len(paths) == 1 and paths[0].is_file() and paths[0].stat().st_size <= _OBJECT:
        try:
            CodeObject.open(paths[0].read_bytes())
        except AsmEvoError as err:
            if "asmevo find" in err.remedy:
                return InputError(
                    f"{paths[0]}: {err.args[0]}, and no code object is inside it",
                    "give a program with a .hip_fatbin section, or the object itself",
                )
            err.args = (f"{paths[0]}: {err.args[0]}",)
            return err
    where = ", ".join(str(p) for p in paths[:3])
    return InputError(
        f"no AMDGPU code object in {where}",
        "searched are code objects, bundles, offload packages, host programs and libraries, "
        "wheels and other archives, and folders",
    )
