"""Writing capsules: one dispatch after another, each piece of memory once, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from asmevo import __version__
from asmevo.capsule.recorded.contents import BytesLike, Contents
from asmevo.capsule.recorded.manifest import BLOBS, LARGEST_MANIFEST, MANIFEST, SCHEMA, sealed
from asmevo.capsule.recorded.model import Allocation, Dispatch, Recording, Variable
from asmevo.codeobject.unpack import zstandard
from asmevo.errors import EnvironmentFault, InputError

_LEVEL = 1  # memory of kernels is mostly floats: more effort costs time and saves little
_WORKERS = 2
_SAMPLE = 32 << 10
_WORTH = 8  # what packing must save, as a share: reading packed floats takes time
_AHEAD = 8  # pieces that may wait for the disk


class CapsuleWriter:
    """Writes a capsule at `path`: a folder, or a zip archive if the name ends in `.zip`.

    Use it as a context manager: on leaving without an exception the capsule appears complete; until
    then, and after an exception or a crash, there is nothing at `path` (at most a hidden folder
    beside it). Contents are read, hashed and stored while `add_dispatch` runs and not kept.

        with CapsuleWriter("saxpy.capsule", target="gfx942", provenance={"command": argv}) as out:
            sha = out.add_object(hsaco)
            out.add_dispatch(Dispatch("saxpy", sha, grid, block, kernarg, kernarg_address,
                                      (Allocation("x", 0x7F00_0000_0000, x_bytes), ...)))

    Args:
        path: a new folder or file; an existing one is an error unless `force`.
        target, weak, redacted, provenance: see `Recording`.
        force: replace an existing capsule.

    Raises:
        InputError: something is at `path` (without `force`, or no capsule).
        EnvironmentFault: the place cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        target: str = "",
        weak: str = "",
        redacted: bool = False,
        provenance: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> None:
        self.path = Path(path)
        self._force = force
        if os.path.lexists(self.path) and not (force and _replaceable(self.path)):
            remedy = "choose another name, or give --force"
            raise InputError(f"{self.path} exists", remedy if not force else "it is no capsule")
        self._head: dict[str, Any] = {
            "schema": SCHEMA,
            "asmevo": __version__,
            "target": target,
            "weak": weak,
            "redacted": redacted,
            "provenance": dict(provenance or {}),
        }
        self._objects: dict[str, Any] = {}
        self._dispatches: list[dict[str, Any]] = []
        self._packing: dict[str, str] = {}  # of pieces that are stored, by hash
        try:
            self._store: _Store = (
                _Archive(self.path) if self.path.suffix == ".zip" else _Folder(self.path)
            )
        except OSError as err:
            raise _cannot(self.path, err) from None
        self._pool = ThreadPoolExecutor(_WORKERS)

    # --- adding -----------------------------------------------------------------------------
    def add_object(self, data: BytesLike | Contents) -> str:
        """Add a code object as it was loaded; its SHA-256 (hex), for `Dispatch.object`.

        The same object again costs nothing.
        """
        raw = Contents.of(data).read()
        sha = hashlib.sha256(raw).hexdigest()
        if sha not in self._objects:
            self._objects[sha] = self._contents(raw)
        return sha

    def add_dispatch(self, dispatch: Dispatch) -> None:
        """Add a dispatch, with the contents of all its memory.

        Raises:
            InputError: its object was not added, or the dispatch contradicts itself.
            EnvironmentFault: the disk is full, or not writable.
        """
        if dispatch.object not in self._objects:
            raise InputError(f"no code object {dispatch.object[:80]!r} in this capsule yet")
        names = [a.name for a in dispatch.allocations]
        if len(set(names)) != len(names):
            raise InputError(f"dispatch of {dispatch.kernel}: two allocations have one name")
        spans = sorted((a.address, a.address + a.size, a.name) for a in dispatch.allocations)
        for (_, end, one), (start, _, other) in pairwise(spans):
            if start < end:
                raise InputError(f"allocations {one!r} and {other!r} overlap")
        entry: dict[str, Any] = {
            "kernel": dispatch.kernel,
            "object": dispatch.object,
            "grid": list(dispatch.grid),
            "block": list(dispatch.block),
            "remainder": list(dispatch.remainder),
            "lds_dynamic": dispatch.lds_dynamic,
            "kernarg": bytes(dispatch.kernarg).hex(),
            "kernarg_address": dispatch.kernarg_address,
            "load_address": dispatch.load_address,
            "label": dispatch.label,
            "provenance": dict(dispatch.provenance),
            "allocations": [self._allocation(a) for a in dispatch.allocations],
            "variables": [self._memory(v) for v in dispatch.variables],
        }
        self._dispatches.append(entry)

    def _allocation(self, a: Allocation) -> dict[str, Any]:
        more = {"kind": a.kind, "role": a.role, "dtype": a.dtype, "shape": list(a.shape)}
        return {**self._memory(a), **more}

    def _memory(self, one: Allocation | Variable) -> dict[str, Any]:
        after = None
        if one.after is not None:
            if Contents.of(one.after).size != one.size:
                raise InputError(f"{one.name!r} has another size after the dispatch")
            after = self._contents(one.after)
        return {
            "name": one.name,
            "address": one.address,
            "before": self._contents(one.before),
            "after": after,
        }

    def _contents(self, value: BytesLike | Contents) -> dict[str, Any]:
        """The entry of some contents, whose pieces are stored."""
        pieces: list[dict[str, Any]] = []
        waiting: deque[Future[tuple[str, int, str, bytes]]] = deque()

        def settle() -> None:
            sha, size, packing, data = waiting.popleft().result()
            if sha not in self._packing:
                self._packing[sha] = packing
                if packing != "zero":
                    self._put(f"{BLOBS}/{sha}", data)
            pieces.append({"sha256": sha, "size": size, "packing": self._packing[sha]})

        contents = Contents.of(value)
        for piece in contents.chunks():
            waiting.append(self._pool.submit(_packed, piece, self._packing))
            if len(waiting) > _AHEAD:
                settle()
        while waiting:
            settle()
        return {"size": contents.size, "pieces": pieces}

    def _put(self, name: str, data: bytes) -> None:
        try:
            self._store.put(name, data)
        except OSError as err:
            raise _cannot(self.path, err) from None

    # --- ending -----------------------------------------------------------------------------
    def __enter__(self) -> CapsuleWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Write the manifest and let the capsule appear at its path.

        Raises:
            EnvironmentFault: it cannot be written; nothing is left.
        """
        raw = sealed({**self._head, "objects": self._objects, "dispatches": self._dispatches})
        try:
            if len(raw) > LARGEST_MANIFEST:
                raise InputError(f"{self.path}: too many dispatches for one capsule")
            self._store.put(MANIFEST, raw)
            self._store.appear(self.path, self._force)
        except OSError as err:
            raise _cannot(self.path, err) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Leave nothing behind; a capsule that has appeared stays."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._store.discard()


def write_capsule(path: str | Path, recording: Recording, *, force: bool = False) -> None:
    """Write a whole recording; see `CapsuleWriter`.

    Contents may be those of an opened capsule: they are copied piece by piece.

    Raises:
        InputError: the recording contradicts itself, or something is at `path`.
        EnvironmentFault: it cannot be written.
    """
    with CapsuleWriter(
        path, target=recording.target, weak=recording.weak, redacted=recording.redacted,
        provenance=recording.provenance, force=force,
    ) as out:  # fmt: skip
        names: dict[str, str] = {}
        for sha, data in recording.objects.items():
            names[sha] = out.add_object(data)
        for dispatch in recording.dispatches:
            known = names.get(dispatch.object, dispatch.object)
            out.add_dispatch(replace(dispatch, object=known))


def _packed(piece: memoryview, known: Mapping[str, str]) -> tuple[str, int, str, bytes]:
    """(hash, size, packing, blob) of a piece; hashing and packing leave other threads running."""
    sha = hashlib.sha256(piece).hexdigest()
    if sha in known:
        return sha, len(piece), known[sha], b""
    if not np.frombuffer(piece, np.uint8).any():
        return sha, len(piece), "zero", b""
    packer = zstandard().ZstdCompressor(level=_LEVEL, write_content_size=True)
    middle = len(piece) // 2
    # What does not pack in the middle does not pack as a whole, or not by much.
    for part in (piece[middle : middle + _SAMPLE], piece):
        data = packer.compress(part)
        if len(data) > len(part) - len(part) // _WORTH:
            return sha, len(piece), "raw", bytes(piece)
    return sha, len(piece), "zstd", data


def _cannot(path: Path, err: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"cannot write {path}: {err.strerror or err}", "check the folder and the free space"
    )


def _replaceable(path: Path) -> bool:
    """Whether what is there is a capsule, and no link to one."""
    if path.is_symlink():
        return False
    return (path / MANIFEST).is_file() if path.is_dir() else zipfile.is_zipfile(path)


class _Store(ABC):
    """Where a capsule grows until it appears."""

    @abstractmethod
    def put(self, name: str, data: bytes) -> None:
        """Add a member."""

    @abstractmethod
    def appear(self, path: Path, force: bool) -> None:
        """Move to `path` at once."""

    @abstractmethod
    def discard(self) -> None:
        """Remove what has not appeared."""


class _Folder(_Store):
    def __init__(self, path: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", dir=path.parent))
        (self._folder / BLOBS).mkdir()

    def put(self, name: str, data: bytes) -> None:
        with (self._folder / name).open("xb") as out:
            out.write(data)
            if name == MANIFEST:
                out.flush()
                os.fsync(out.fileno())

    def appear(self, path: Path, force: bool) -> None:
        umask = os.umask(0)
        os.umask(umask)
        self._folder.chmod(0o777 & ~umask)
        if force and path.is_dir():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", dir=path.parent))
            path.rename(old / "replaced")
            self._folder.rename(path)
            shutil.rmtree(old)
        else:
            self._folder.rename(path)

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class _Archive(_Store):
    """Members are stored as they are: the pieces are packed already, and a reader maps them."""

    def __init__(self, path: Path) -> None:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
        self._name = Path(name)
        self._file = os.fdopen(handle, "wb")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED)

    def put(self, name: str, data: bytes) -> None:
        self._zip.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)

    def appear(self, path: Path, force: bool) -> None:
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        self._name.chmod(0o666 & ~umask)
        if force:
            os.replace(self._name, path)
        else:
            os.link(self._name, path)

    def discard(self) -> None:
        self._zip.close()
        self._file.close()
        self._name.unlink(missing_ok=True)
