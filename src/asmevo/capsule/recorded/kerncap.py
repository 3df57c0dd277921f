"""Capture folders of kerncap (AMDResearch/intellikit) as recordings.

Their memory was copied *after* the dispatch had run, so every recording of one is a weak oracle:
kernels that work in place start from the wrong state, and outputs hold the answer already. Of the
whole device memory that such a folder holds only what the kernarg segment reaches is taken.

Files: `dispatch.json` (names, ISA, grid in workitems, block, segment sizes), `kernarg.bin`,
`kernel.hsaco`, `memory_regions.json` with `memory/region_<hex address>.bin`, and, in newer ones,
`module_variables.json`. Nothing but regular files below the folder is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from asmevo.capsule.recorded.contents import CHUNK, Contents
from asmevo.capsule.recorded.model import (
    Allocation,
    CapsuleError,
    Dispatch,
    Recording,
    Triple,
    Variable,
)
from asmevo.capsule.recorded.reach import Extent, reachable
from asmevo.codeobject.object import CodeObject

WEAK = "kerncap copied memory after the dispatch: outputs hold the answer, in-place kernels differ"
_DISPATCH, _REGIONS, _OBJECT = "dispatch.json", "memory_regions.json", "kernel.hsaco"
_KERNARG = ("kernarg.bin", "kernarg_raw.bin")
_VARIABLES, _DONE = "module_variables.json", "capture_complete"
_LARGEST_TEXT, _LARGEST_OBJECT, _LARGEST_KERNARG = 64 << 20, 1 << 30, 1 << 20
_REMEDY = "capture it again with kerncap"

Size = Annotated[int, Field(ge=0, lt=1 << 47)]


class _Lax(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


_Model = TypeVar("_Model", bound=_Lax)


class _Launch(_Lax):
    mangled_name: str = Field(min_length=1, max_length=4096)
    isa_name: str = ""
    grid: list[Size] = Field(min_length=3, max_length=3)
    block: list[Annotated[int, Field(ge=1, le=1024)]] = Field(min_length=3, max_length=3)
    group_segment_size: Annotated[int, Field(ge=0, lt=1 << 32)] = 0


class _Region(_Lax):
    base: Size
    size: Size


class _RegionList(_Lax):
    regions: list[_Region] = Field(max_length=1 << 20)


class _VariableEntry(_Lax):
    executable_sha256: str
    name: str = Field(min_length=1, max_length=4096)
    size: Size
    blob: str


class _VariableList(_Lax):
    variables: list[_VariableEntry] = Field(max_length=1 << 16)


def is_kerncap(path: str | Path) -> bool:
    """Whether a folder looks like a capture of kerncap."""
    folder = Path(path)
    try:
        return all((folder / name).is_file() for name in (_DISPATCH, _REGIONS))
    except (OSError, ValueError):
        return False


def read_kerncap(path: str | Path) -> Recording:
    """The recording in a capture folder of kerncap; contents are read on demand.

    Raises:
        CapsuleError: not finished, truncated, or no such folder.
    """
    folder = Path(path)
    if not is_kerncap(folder):
        raise CapsuleError(f"{folder} is no capture folder of kerncap", f"it has no {_DISPATCH}")
    if not (folder / _DONE).exists():
        raise CapsuleError(f"{folder}: the capture was not finished: no {_DONE}", _REMEDY)
    launch = _parsed(folder, _DISPATCH, _Launch)
    object = _File(folder, _OBJECT, _LARGEST_OBJECT).read()
    code = CodeObject.open(object)
    kernel = code.kernel(launch.mangled_name)
    name = next((n for n in _KERNARG if (folder / n).is_file()), _KERNARG[0])
    kernarg = _File(folder, name, _LARGEST_KERNARG).read()
    grid, remainder = _geometry(launch)
    sha = hashlib.sha256(object).hexdigest()
    dispatch = Dispatch(
        kernel=kernel.name,
        object=sha,
        grid=grid,
        block=(launch.block[0], launch.block[1], launch.block[2]),
        kernarg=kernarg,
        kernarg_address=0,
        allocations=_memory(folder, kernarg),
        variables=_variables(folder, sha),
        lds_dynamic=max(0, launch.group_segment_size - kernel.descriptor.group_segment_fixed_size),
        remainder=remainder,
        label=folder.name,
    )
    target = launch.isa_name.rpartition("--")[2]
    return Recording({sha: object}, (dispatch,), target, WEAK, provenance={"tool": "kerncap"})


def _geometry(launch: _Launch) -> tuple[Triple, Triple]:
    """Workgroups and what a partial last one has; kerncap counts workitems."""
    groups = [max(1, -(-g // b)) for g, b in zip(launch.grid, launch.block, strict=True)]
    rest = [g % b for g, b in zip(launch.grid, launch.block, strict=True)]
    return (groups[0], groups[1], groups[2]), (rest[0], rest[1], rest[2])


def _memory(folder: Path, kernarg: bytes) -> tuple[Allocation, ...]:
    """What the kernarg segment reaches; regions that could not be copied are not there."""
    files: dict[str, _File] = {}
    extents: list[Extent] = []
    for region in _parsed(folder, _REGIONS, _RegionList).regions:
        name = f"memory/region_{region.base:x}.bin"
        if region.size and (folder / name).is_file():
            files[name] = _File(folder, name, region.size)
            if files[name].size != region.size:
                raise CapsuleError(f"{folder}: {name} is truncated", _REMEDY)
            extents.append(Extent(name, region.base, region.size))
    _check_apart(folder, extents)
    wanted = reachable(kernarg, extents, lambda n: files[n].read())
    by_name = {e.name: e for e in extents}
    return tuple(
        Allocation(f"mem{n}", by_name[name].address, files[name], kind="unknown")
        for n, name in enumerate(wanted)
    )


def _check_apart(folder: Path, extents: Sequence[Extent]) -> None:
    end = 0
    for extent in sorted(extents, key=lambda e: e.address):
        if extent.address < end:
            raise CapsuleError(f"{folder}: two memory regions overlap", _REMEDY)
        end = extent.address + extent.size


def _variables(folder: Path, sha: str) -> tuple[Variable, ...]:
    if not (folder / _VARIABLES).exists():
        return ()
    found: list[Variable] = []
    for entry in _parsed(folder, _VARIABLES, _VariableList).variables:
        part, _, name = entry.blob.partition("/")
        if part != "module_variables" or "/" in name or name in ("", ".", ".."):
            raise CapsuleError(f"{folder}: {_VARIABLES} names {entry.blob[:80]!r}", _REMEDY)
        if entry.executable_sha256 == sha and entry.size:
            contents = _File(folder, entry.blob, entry.size)
            if contents.size != entry.size:
                raise CapsuleError(f"{folder}: {entry.blob[:80]} is truncated", _REMEDY)
            found.append(Variable(entry.name, 0, contents))
    return tuple(found)


def _parsed(folder: Path, name: str, model: type[_Model]) -> _Model:
    try:
        document: Mapping[str, Any] = json.loads(_File(folder, name, _LARGEST_TEXT).read())
        return model.model_validate(document)
    except (ValidationError, ValueError, RecursionError):
        raise CapsuleError(f"{folder}: damaged: {name}", _REMEDY) from None


class _File(Contents):
    """A regular file below a folder, of at most `limit` bytes; links are not followed."""

    def __init__(self, folder: Path, name: str, limit: int) -> None:
        self._folder, self._name = folder, name
        handle = self._open()
        try:
            self.size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if self.size > limit:
            raise CapsuleError(f"{folder}: {name[:80]} has more bytes than {limit}", _REMEDY)

    def _open(self) -> int:
        part, _, name = self._name.rpartition("/")
        try:
            within = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                if part:
                    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                    below = os.open(part, flags, dir_fd=within)
                    os.close(within)
                    within = below
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
                handle = os.open(name, flags, dir_fd=within)
            finally:
                os.close(within)
        except (OSError, ValueError) as err:
            reason = (err.strerror if isinstance(err, OSError) else None) or str(err)
            raise CapsuleError(f"{self._folder}: {self._name[:80]}: {reason}", _REMEDY) from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise CapsuleError(f"{self._folder}: {self._name[:80]} is no file", _REMEDY)
        return handle

    def chunks(self) -> Iterator[memoryview]:
        with os.fdopen(self._open(), "rb") as stream:
            left = self.size
            while left:
                piece = stream.read(min(CHUNK, left))
                if not piece:
                    raise CapsuleError(f"{self._folder}: {self._name[:80]} became shorter", _REMEDY)
                left -= len(piece)
                yield memoryview(piece)
