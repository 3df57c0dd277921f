"""The search: from a file or folder down to every code object in it, under one budget a file."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from asmevo.codeobject.budget import Budget, BudgetError
from asmevo.codeobject.container import archives, bundles, host
from asmevo.codeobject.container.steps import Found, Member, Step
from asmevo.codeobject.elf import EM_AMDGPU
from asmevo.codeobject.kinds import HEAD, kind_of, unopened
from asmevo.codeobject.unpack import Buffer, Spool, chunks
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError

LARGEST_FILE = 64 << 30
_MAP_FROM = 16 << 20  # smaller files are read


def find(path: Path) -> Iterator[Found]:
    """All code objects in a file or below a folder, in a stable order.

    Links are not followed. What is damaged, too large or not opened yields a `Found` with an
    `error`. Large files are mapped, and every file has one budget for all that is in it.

    Raises:
        InputError: the path does not exist.
    """
    if not path.exists():
        raise InputError(f"no such file or folder: {path}")
    if path.is_file():
        yield from _find_file(path)
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink():
                yield from _find_file(file)


def forgotten(found: Found) -> Found:
    """The same without its content, which may hold memory or a temporary file."""
    if found.error is not None:
        return found
    return replace(found, view=None, size=found.size, again=partial(_again, found.steps))


def _again(steps: tuple[Step, ...]) -> Buffer:
    return next(reread([Found(steps)])).content


def reread(objects: Sequence[Found]) -> Iterator[Found]:
    """Objects of earlier searches with their contents, in the same order.

    Objects of one file that are in the order of its search cost one search of that file.

    Raises:
        InputError: one is no longer where it was.
    """
    path, search = "", iter(list[Found]())
    for wanted in objects:
        for fresh in (False, True):
            if fresh or wanted.steps[0].name != path:
                path = wanted.steps[0].name
                search = find(Path(path))
            found = next((f for f in search if f.steps == wanted.steps), None)
            if found is not None:
                break
        else:
            raise InputError(f"{wanted.location} is no longer there", "its file was changed")
        yield found


def _find_file(path: Path) -> Iterator[Found]:
    steps = (Step("file", str(path)),)
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
            if not archives.relevant(head):
                return
            status = os.fstat(stream.fileno())
            # A sparse file's holes are no input.
            budget = Budget.of(min(status.st_size, 512 * status.st_blocks + (1 << 20)))
            if status.st_size > LARGEST_FILE:
                error = UnsupportedError(
                    f"too large: {status.st_size} bytes; at most {LARGEST_FILE} are searched"
                )
                yield Found(steps, error=error)
                return
            if status.st_size < _MAP_FROM:
                data: Buffer = head + stream.read()
            else:
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
                budget.add_map(mapped)
                data = memoryview(mapped)
    except OSError as err:
        error = EnvironmentFault(f"cannot be read: {err.strerror}", "check its permissions")
        yield Found(steps, error=error)
        return
    yield from find_in(data, steps, budget)


def find_in(
    data: Buffer, steps: tuple[Step, ...] = (), budget: Budget | None = None
) -> Iterator[Found]:
    """All code objects in some bytes; errors become `Found.error`.

    Args:
        budget: what everything in them is taken from; None is that of a file of this size. When
            it runs out, the last `Found` says so and the search of these bytes ends.
    """
    budget = budget or Budget.of(len(data))
    search = _walk(memoryview(data), steps, budget)
    while True:
        budget.resume()
        try:
            found = next(search, None)
        except _OutOfBudget as err:
            yield Found(err.steps, error=err.error)
            return
        finally:
            budget.pause()
        if found is None:
            return
        yield found


class _OutOfBudget(Exception):
    """Carries a `BudgetError` with the place where it happened through the whole walk."""

    def __init__(self, steps: tuple[Step, ...], error: BudgetError) -> None:
        super().__init__(str(error))
        self.steps, self.error = steps, error


def _walk(
    data: Buffer, steps: tuple[Step, ...], budget: Budget, depth: int = 0, kind: str = ""
) -> Iterator[Found]:
    kind = kind or kind_of(data[:HEAD])
    try:
        if kind == "elf" and int.from_bytes(bytes(data[18:20]), "little") == EM_AMDGPU:
            budget.report(len(data))
            yield Found(steps, data)
            return
        refused = unopened(data[:16])
        if refused:
            yield Found(steps, error=UnsupportedError(f"{refused[0]}, not opened", refused[1]))
            return
        opener = _OPENERS.get(kind)
        if opener is None:
            return
        if depth >= budget.nesting:
            raise BudgetError(
                f"nested more than {budget.nesting} containers deep", "unpack the outer ones"
            )
        for member in opener(data, budget):
            inner = (*steps, *member.steps)
            if member.error is not None:
                yield Found(inner, error=member.error)
            else:
                yield from _walk(member.data, inner, budget, depth + 1, member.kind)
    except BudgetError as err:
        raise _OutOfBudget(steps, err) from err
    except AsmEvoError as err:
        yield Found(steps, error=err)


def _stream(kind: str) -> Callable[[Buffer, Budget], Iterator[Member]]:
    """Opener of a compressed stream; contents that cannot hold objects are not unpacked."""

    def opener(data: Buffer, budget: Budget) -> Iterator[Member]:
        spool = Spool(budget, f"{kind} stream", len(data))
        known = False
        head = b""
        for chunk in chunks(kind, data):
            if not known:
                head += chunk
                if len(head) < HEAD:
                    continue
                if not archives.relevant(head):
                    return
                known, chunk = True, head
            spool.write(chunk)
        if not known:
            if not archives.relevant(head):
                return
            spool.write(head)
        yield Member((Step(kind, ""),), spool.view())

    return opener


_OPENERS: dict[str, Callable[[Buffer, Budget], Iterator[Member]]] = {
    "elf": host.members,
    "pe": host.pe_members,
    "bundle": bundles.members,
    "compressed": bundles.members,
    "package": bundles.members,
    "zip": archives.zip_members,
    "tar": archives.tar_members,
    "ar": archives.ar_members,
    "gzip": _stream("gzip"),
    "zstd": _stream("zstd"),
    "xz": _stream("xz"),
    "bzip2": _stream("bzip2"),
}
