"""Reading capsules: the manifest at once, memory when it is asked for, nothing outside the capsule.

A folder is opened by handle, and members by their fixed names below it without following links. In
an archive only members that are stored as they are count. Every piece is checked against its hash
when it is read, and unpacks to no more than the manifest says.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from asmevo.capsule.recorded.contents import Contents
from asmevo.capsule.recorded.manifest import (
    BLOBS,
    LARGEST_MANIFEST,
    MANIFEST,
    REMEDY,
    AllocationEntry,
    DispatchEntry,
    Piece,
    StoredContents,
    VariableEntry,
    parse,
)
from asmevo.capsule.recorded.model import (
    Allocation,
    CapsuleError,
    Dispatch,
    Recording,
    Variable,
)
from asmevo.codeobject.unpack import zstandard

_HEADER = 30  # bytes of a local file header of a zip archive, without names
_SLACK = 1 << 12  # zstd may need a little more than the bytes of a piece


@dataclass(frozen=True, slots=True)
class OpenedCapsule(Recording):
    """A recording whose contents are read from a capsule on demand; a context manager.

    Contents can be read until `close`.
    """

    store: _Source | None = None

    def close(self) -> None:
        """Give back files and mappings."""
        if self.store is not None:
            self.store.close()

    def __enter__(self) -> OpenedCapsule:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_capsule(path: str | Path) -> OpenedCapsule:
    """Open a capsule, folder or zip archive, without reading its memory.

    Raises:
        CapsuleError: no capsule; truncated, damaged, changed, or of another version. Pieces of
            memory are checked when they are read, that all are there is checked now.
    """
    path = Path(path)
    source = _source(path)
    try:
        manifest = parse(source.manifest(), str(path))
        seen: set[str] = set()
        stored = [*manifest.objects.values()]
        for d in manifest.dispatches:
            for one in (*d.allocations, *d.variables):
                stored += [one.before, *([] if one.after is None else [one.after])]
        for contents in stored:
            for piece in contents.pieces:
                if piece.packing != "zero" and piece.sha256 not in seen:
                    seen.add(piece.sha256)
                    source.require(piece)
        return OpenedCapsule(
            {sha: _Stored(source, c) for sha, c in manifest.objects.items()},
            tuple(_dispatch(source, d) for d in manifest.dispatches),
            manifest.target,
            manifest.weak,
            manifest.redacted,
            manifest.provenance,
            store=source,
        )
    except BaseException:
        source.close()
        raise


def is_recording(path: str | Path) -> bool:
    """Whether `path` is a folder or an archive with a manifest (False when it cannot be read)."""
    path = Path(path)
    try:
        if path.is_dir():
            return (path / MANIFEST).is_file()
        with path.open("rb") as stream:
            if stream.read(4) != b"PK\x03\x04":
                return False
            with zipfile.ZipFile(stream) as archive:
                return any(i.filename == MANIFEST for i in archive.infolist())
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


def _dispatch(source: _Source, d: DispatchEntry) -> Dispatch:
    return Dispatch(
        kernel=d.kernel,
        object=d.object,
        grid=(d.grid[0], d.grid[1], d.grid[2]),
        block=(d.block[0], d.block[1], d.block[2]),
        kernarg=bytes.fromhex(d.kernarg),
        kernarg_address=d.kernarg_address,
        allocations=tuple(_allocation(source, a) for a in d.allocations),
        variables=tuple(_variable(source, v) for v in d.variables),
        lds_dynamic=d.lds_dynamic,
        remainder=(d.remainder[0], d.remainder[1], d.remainder[2]),
        load_address=d.load_address,
        label=d.label,
        provenance=d.provenance,
    )


def _allocation(source: _Source, a: AllocationEntry) -> Allocation:
    after = None if a.after is None else _Stored(source, a.after)
    return Allocation(
        a.name, a.address, _Stored(source, a.before), after, a.kind, a.role, a.dtype, tuple(a.shape)
    )


def _variable(source: _Source, v: VariableEntry) -> Variable:
    after = None if v.after is None else _Stored(source, v.after)
    return Variable(v.name, v.address, _Stored(source, v.before), after)


class _Stored(Contents):
    def __init__(self, source: _Source, contents: StoredContents) -> None:
        self._source, self._pieces = source, contents.pieces
        self.size = contents.size

    @property
    def identity(self) -> object:
        return id(self._source), tuple(p.sha256 for p in self._pieces)

    def chunks(self) -> Iterator[memoryview]:
        for piece in self._pieces:
            if piece.packing == "zero":
                yield memoryview(bytes(piece.size))
            else:
                yield self._source.piece(piece)


class _Source(ABC):
    """Where the members of a capsule are."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def manifest(self) -> bytes:
        """Bytes of the manifest."""

    @abstractmethod
    def blob(self, sha: str) -> memoryview:
        """Bytes of a blob."""

    @abstractmethod
    def blob_size(self, sha: str) -> int:
        """Bytes of a blob, without reading it."""

    @abstractmethod
    def close(self) -> None:
        """Give back files and mappings."""

    def require(self, piece: Piece) -> None:
        """Check that a piece's blob is there and of a possible size."""
        size = self.blob_size(piece.sha256)
        fits = size == piece.size if piece.packing == "raw" else 0 < size <= piece.size
        if not fits:
            raise self.damaged(f"blob {piece.sha256[:16]}... has {size} bytes")

    def piece(self, piece: Piece) -> memoryview:
        """The bytes of a piece, unpacked and checked."""
        self.require(piece)
        data = self.blob(piece.sha256)
        if piece.packing == "zstd":
            data = self._unpacked(piece, data)
        if len(data) != piece.size or hashlib.sha256(data).hexdigest() != piece.sha256:
            raise self.damaged(f"blob {piece.sha256[:16]}... is not what its name says")
        return data

    def _unpacked(self, piece: Piece, data: memoryview) -> memoryview:
        module = zstandard()
        try:
            frame = module.get_frame_parameters(data[:18])
            if frame.content_size != piece.size or frame.window_size > piece.size + _SLACK:
                raise self.damaged(f"blob {piece.sha256[:16]}... unpacks to another size")
            out = module.ZstdDecompressor().decompress(
                data, max_output_size=piece.size, allow_extra_data=False
            )
        except module.ZstdError as err:
            raise self.damaged(f"blob {piece.sha256[:16]}...: {err}") from None
        return memoryview(out)

    def damaged(self, what: str) -> CapsuleError:
        """The error for a damaged capsule."""
        return CapsuleError(f"{self.path}: damaged: {what}", REMEDY)


def _source(path: Path) -> _Source:
    try:
        return _FolderSource(path) if path.is_dir() else _ArchiveSource(path)
    except (OSError, ValueError) as err:  # ValueError: a NUL character in the path
        reason = (err.strerror if isinstance(err, OSError) else None) or str(err)
        raise CapsuleError(f"cannot read {path}: {reason}", "give a capsule's path") from None


class _FolderSource(_Source):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self._blobs = -1

    def manifest(self) -> bytes:
        return bytes(self._read(self._folder, MANIFEST, LARGEST_MANIFEST))

    def blob(self, sha: str) -> memoryview:
        return self._read(self._within(), sha, 1 << 31)

    def blob_size(self, sha: str) -> int:
        try:
            found = os.stat(sha, dir_fd=self._within(), follow_symlinks=False)
        except OSError as err:
            raise self.damaged(f"blob {sha[:16]}...: {err.strerror}") from None
        if not stat.S_ISREG(found.st_mode):
            raise self.damaged(f"blob {sha[:16]}... is no file")
        return found.st_size

    def _within(self) -> int:
        """Handle of the folder of blobs, which must be a folder and no link to one."""
        if self._blobs < 0:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            try:
                self._blobs = os.open(BLOBS, flags, dir_fd=self._folder)
            except OSError as err:
                raise self.damaged(f"{BLOBS}: {err.strerror}") from None
        return self._blobs

    def _read(self, folder: int, name: str, limit: int) -> memoryview:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            handle = os.open(name, flags, dir_fd=folder)
            with os.fdopen(handle, "rb") as stream:
                found = os.fstat(handle)
                if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
                    raise self.damaged(f"{name[:20]} is no file of a sane size")
                return memoryview(stream.read(found.st_size))
        except OSError as err:
            raise self.damaged(f"{name[:20]}: {err.strerror}") from None

    def close(self) -> None:
        for handle in (self._folder, self._blobs):
            if handle >= 0:
                os.close(handle)
        self._folder = self._blobs = -1


class _ArchiveSource(_Source):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or not found.st_size:
                raise CapsuleError(f"{path} is no capsule", "give a folder or zip archive of one")
            self._map = mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(handle)
        try:
            with zipfile.ZipFile(path) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, OSError) as err:
            self._map.close()
            raise CapsuleError(f"{path} is no capsule: {err}", REMEDY) from None
        self._infos = {i.filename: i for i in infos}
        if len(self._infos) != len(infos):
            self._map.close()
            raise CapsuleError(f"{path}: damaged: members appear twice", REMEDY)

    def manifest(self) -> bytes:
        return bytes(self._member(MANIFEST, LARGEST_MANIFEST))

    def blob(self, sha: str) -> memoryview:
        return self._member(f"{BLOBS}/{sha}", 1 << 31)

    def blob_size(self, sha: str) -> int:
        return self._info(f"{BLOBS}/{sha}").file_size

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = self._infos.get(name)
        if info is None:
            raise self.damaged(f"no member {name[:40]}")
        stored = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1
        if not stored or info.file_size != info.compress_size:
            raise self.damaged(f"member {name[:40]} is not stored as it is")
        return info

    def _member(self, name: str, limit: int) -> memoryview:
        info = self._info(name)
        at = info.header_offset
        head = self._map[at : at + _HEADER]
        if len(head) < _HEADER or head[:4] != b"PK\x03\x04":
            raise self.damaged(f"member {name[:40]} is not where the archive says")
        start = at + _HEADER + int.from_bytes(head[26:28], "little")
        start += int.from_bytes(head[28:30], "little")
        if info.file_size > limit or start + info.file_size > len(self._map):
            raise self.damaged(f"member {name[:40]} is cut off")
        return memoryview(self._map)[start : start + info.file_size]

    def close(self) -> None:
        try:
            self._map.close()
        except BufferError:  # somebody holds a piece; it goes with the last one
            self._map = mmap.mmap(-1, 1)
