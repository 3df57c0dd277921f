"""Code objects in whatever holds them, numbered and described: for `find` and `extract`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from asmevo.api.files import NotFound, check_outputs, read_file
from asmevo.api.kinds import explain
from asmevo.api.naming import naming
from asmevo.api.results import Result
from asmevo.codeobject import CodeObject, container
from asmevo.codeobject.container import BudgetError, Found, find
from asmevo.codeobject.object import Outline
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError
from asmevo.wording import counted

_TRITON_KEYS = ("name", "shared", "num_warps", "num_stages", "warp_size")
_LONGEST_JSON = 4 << 20
_UNUSABLE = {
    UnsupportedError.exit_code: "unsupported",
    EnvironmentFault.exit_code: "unreadable",
}
_OBJECT = 64 << 20  # a larger file is not read for its error message


@dataclass(frozen=True, slots=True)
class Numbered:
    """A found object with its number in the search's order (from 1), and what it says of itself.

    The object's bytes are not kept; `found.data` searches its file again.

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
    return {k: v for k in _TRITON_KEYS if (v := facts.get(k)) is not None and _plausible(k, v)}


def _plausible(key: str, value: object) -> bool:
    """Whether a value is one that Triton writes: a name, or a count."""
    if key == "name":
        return isinstance(value, str)
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def described(number: int, found: Found) -> Numbered:
    """A found object, opened just far enough to say what it is."""
    if found.error is not None:
        return Numbered(number, found, "", (), found.problem, found.error.exit_code, {})
    kept = container.forgotten(found)
    try:
        outline = Outline.read(found.content)
    except AsmEvoError as err:
        return Numbered(number, kept, "", (), err.one_line(), err.exit_code, {})
    facts = triton_facts(Path(found.steps[0].name)) if len(found.steps) == 1 else {}
    return Numbered(number, kept, outline.target.target_id, outline.kernels, "", 0, facts)


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
        data = read_file(paths[0])
        try:
            explain(paths[0], data)
        except AsmEvoError as err:
            return err
        try:
            CodeObject.open(data)
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


@dataclass(frozen=True, slots=True, eq=False)
class Search(Result):
    """Result of `find_objects`: `objects` in the search's order, and the exit code of a no."""

    objects: tuple[Numbered, ...]
    exit_code: int


def find_objects(
    paths: Sequence[str | Path] | str | Path,
    *,
    arch: str | None = None,
    kernel: str | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Search:
    """Every AMDGPU code object inside files and folders, recognized by content.

    Args:
        paths: files, folders, wheels, bundles, host programs and libraries.
        arch: only this processor.
        kernel: only objects with a kernel that this regular expression finds.
        progress: told (number, 0, file).

    Raises:
        InputError: a path that is not there, or no object anywhere.
    """
    places = [Path(paths)] if isinstance(paths, str | Path) else [Path(p) for p in paths]
    found: list[Numbered] = []
    targets: Counter[str] = Counter()
    damaged = incomplete = 0
    for one in search(places, arch, kernel):
        if progress is not None:
            progress(one.number, 0, one.found.steps[0].name)
        found.append(one)
        unusable = _UNUSABLE.get(one.exit_code, "damaged")
        targets[one.target or ("incomplete" if one.incomplete else unusable)] += 1
        incomplete += one.incomplete
        damaged += bool(one.problem) and one.exit_code != UnsupportedError.exit_code
    if not found and arch is None and kernel is None:
        raise nothing_in(places)
    counts = ", ".join(f"{n} {name}" for name, n in sorted(targets.items()))
    ok = bool(found) and not damaged and not incomplete
    only_incomplete = bool(incomplete) and not damaged
    data = {
        "objects": [one.as_json() for one in found],
        "targets": dict(targets),
        "damaged": damaged,
        "incomplete": incomplete,
    }
    return Search(
        ok,
        "ok" if ok else "unsupported" if only_incomplete else "input_invalid",
        f"{counted(len(found), 'object')}: {counts}" if found else "nothing fits the filters",
        data,
        tuple(found),
        UnsupportedError.exit_code if only_incomplete else 1,
    )


def extract(
    paths: Sequence[str | Path] | str | Path,
    folder: str | Path,
    *,
    arch: str | None = None,
    kernel: str | None = None,
    numbers: Sequence[int] | None = None,
    force: bool = False,
) -> Result:
    """Write the code objects of containers as files into a folder.

    Args:
        paths: files and folders to search.
        folder: where to; made if it is not there.
        arch, kernel, numbers: which of the objects; all if absent.
        force: whether existing files may be replaced; one that is searched never is.

    Raises:
        InputError: nothing is selected, a selected one is damaged, or a file exists.
    """
    places = [Path(paths)] if isinstance(paths, str | Path) else [Path(p) for p in paths]
    folder = Path(folder)
    picked = chosen(places, arch, kernel, numbers)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", "-o names a folder (a file with --replace)")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder}: its folder does not exist", "create the folder first")
    objects = [one.found for one in picked]
    names = container.file_names(objects)
    there = [p for name in names if (p := folder / name).exists()]
    if there:
        sources = dict.fromkeys(Path(one.steps[0].name) for one in objects)
        check_outputs(there, sources, force=force)
    written = container.extract(container.reread(objects), folder, force=force, names=names)
    entries = [
        {**one.as_json(), "output": str(path)} for one, path in zip(picked, written, strict=True)
    ]
    return Result(True, "ok", counted(len(written), "object"), {"objects": entries})


@dataclass(frozen=True, slots=True, eq=False)
class Replaced(Result):
    """Result of `replace`: bytes of the new container."""

    container: bytes


def replace(
    path: str | Path,
    new: str | Path,
    *,
    arch: str | None = None,
    kernel: str | None = None,
    number: int | None = None,
) -> Replaced:
    """A container with one of its objects exchanged.

    Args:
        path: the container.
        new: file of the object that takes the place.
        arch, kernel, number: which object is replaced; one must remain.

    Raises:
        InputError: not one object is selected, or the new one does not fit.
        BuildError: it has no room.
        UnsupportedError: the container cannot be written (an archive).
    """
    path, new = Path(path), Path(new)
    numbers = None if number is None else [number]
    picked = chosen([path], arch, kernel, numbers)
    if len(picked) != 1:
        raise InputError(
            f"--replace needs one object, {len(picked)} are selected", "select it with --number"
        )
    one = picked[0]
    replacement = read_file(new)
    explain(new, replacement)
    with naming(new):  # what is wrong with it is no fault of the container
        code = CodeObject.open(replacement)
    _may_stand_in(code, one, new)
    with naming(path):
        data = container.replace(read_file(path), one.found.steps[1:], replacement)
    record = {
        "container": str(path),
        "replaced": one.as_json(),
        "with": str(new),
        "bytes": len(data),
    }
    return Replaced(True, "ok", "1 object replaced", record, data)


def _may_stand_in(code: CodeObject, one: Numbered, new: Path) -> None:
    if code.target.target_id != one.target:
        raise InputError(
            f"{new} is for {code.target.target_id}, object {one.number} for {one.target}",
            "choose the object of that target with --number",
        )
    lost = sorted(set(one.kernels) - {k.name for k in code.kernels})
    if lost:
        raise InputError(f"{new} lacks kernel {lost[0]}", "programs would fail to load it")


def chosen(
    paths: Sequence[Path],
    arch: str | None,
    kernel: str | None,
    numbers: Sequence[int] | None,
) -> list[Numbered]:
    """The objects that the options select.

    Raises:
        InputError: nothing is selected, or a selected one is damaged.
    """
    picked: list[Numbered] = []
    seen = False
    for one in search(paths, arch, kernel):
        seen = True
        if not numbers or one.number in numbers:
            picked.append(one)
        # Only numbers that are still to come keep the search going.
        if numbers and one.number >= max(numbers):
            break
    if not seen and arch is None and kernel is None:
        raise nothing_in(paths)
    missing = sorted(set(numbers or ()) - {one.number for one in picked})
    if missing:
        raise InputError(
            f"there is no object number {missing[0]} among those that fit",
            "`asmevo find` with the same paths lists the numbers",
        )
    if not picked:
        raise InputError("no object fits the filters", "`asmevo find` lists what is there")
    for one in picked:
        if one.problem:
            kind = InputError(f"{one.found.location}: {one.problem}")
            kind.exit_code = one.exit_code
            raise kind
    return picked
