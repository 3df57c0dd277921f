"""Reading inputs and writing outputs: whole or not at all, and never over what must stay.

An output is written beside its place and then moved there, so that no reader ever sees half a
file. A device or a FIFO is written through; a symbolic link stays one, its target is written.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from asmevo.errors import EnvironmentFault, InputError

LARGEST_FILE = 8 << 30
_PIECE = 1 << 20
_EXISTS = "choose another name, or give --force"


class NotFound(InputError):
    """A file that is not there or cannot be read."""


class Refused(InputError):
    """An output that would destroy something."""


def read_file(path: str | Path, limit: int = LARGEST_FILE) -> bytes:
    """Contents of an input file.

    Memory is asked for as the file gives bytes, and not by its claimed size: a sparse file of
    terabytes is refused by its size, a growing one by the limit.

    Raises:
        NotFound: it cannot be read; the message says why.
    """
    try:
        with open(path, "rb", opener=_regular) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise _too_large(path, size, limit)
            data = file.read(size)
            while more := file.read(_PIECE):  # /proc says 0 of files that have contents
                data += more
                if len(data) > limit:
                    raise _too_large(path, len(data), limit)
    except (OSError, ValueError) as err:  # ValueError: a NUL character in the path
        text = (err.strerror if isinstance(err, OSError) else None) or str(err)
        raise NotFound(f"{path}: {text}", "check the path") from err
    except MemoryError as err:
        raise EnvironmentFault(f"{path}: does not fit into memory", "give a smaller file") from err
    return data


def _too_large(path: str | Path, size: int, limit: int) -> NotFound:
    return NotFound(f"{path}: {size} bytes, more than {limit}", "give a smaller file")


def _regular(path: str, flags: int) -> int:
    """Open a file without waiting for anybody; only regular files have an end."""
    handle = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        directory = stat.S_ISDIR(mode)
        code = errno.EISDIR if directory else errno.EINVAL
        raise OSError(code, "is a directory" if directory else f"is {_kind(mode)}, no file", path)
    return handle


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISDIR, "a directory"),
    ):
        if test(mode):
            return name
    return "something else"


def check_outputs(
    outputs: Iterable[Path | None], inputs: Iterable[Path | None] = (), *, force: bool = False
) -> None:
    """Refuse outputs before any long work: their folders, what they would overwrite.

    Args:
        outputs: files that will be written; None is skipped.
        inputs: files that are read. None of them is ever an output, however it is spelled
            (another path, a symbolic or a hard link).
        force: whether existing files may be replaced.

    Raises:
        Refused: an output is an input, exists, is named twice, or is no place for a file.
    """
    sources = [p for p in inputs if p is not None]
    seen: list[Path] = []
    for path in outputs:
        if path is None:
            continue
        if not path.absolute().parent.is_dir():
            raise Refused(f"{path}: its folder does not exist", "create the folder first")
        for source in sources:
            if _same(path, source):
                raise Refused(
                    f"{path} is the input {source}, which is never overwritten",
                    "choose another name",
                )
        for other in seen:
            if _same(path, other) and not _stream(path):
                raise Refused(f"{path} and {other} are one output", "choose two names")
        seen.append(path)
        _place(path, force)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


def _stream(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _place(path: Path, force: bool) -> None:
    """Refuse a place where no file can or may go."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as err:
        text = (err.strerror if isinstance(err, OSError) else None) or str(err)
        raise EnvironmentFault(f"cannot write {path}: {text}", "choose another path") from err
    if stat.S_ISREG(mode):
        if not force:
            raise Refused(f"{path} exists", _EXISTS)
    elif not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise Refused(f"{path} is {_kind(mode)}", "give the name of a file")


def write_file(path: Path, data: bytes, *, force: bool = True) -> None:
    """Write a whole file or nothing.

    Args:
        path: a new or an existing file, a link to one, a character device or a FIFO with a reader.
        data: the contents.
        force: whether an existing file may be replaced.

    Raises:
        Refused: it exists and `force` is false, or it is a directory, a socket or a disk.
        EnvironmentFault: the folder is missing or not writable, the disk is full.
    """
    _place(path, force)
    try:
        if _stream(path):
            _through(path, data)
        else:
            # A link stays a link: its target is what changes.
            _replace(Path(os.path.realpath(path)) if path.is_symlink() else path, data, force)
    except FileExistsError as err:
        raise Refused(f"{path} exists", _EXISTS) from err
    except OSError as err:
        reason = err.strerror or str(err)
        remedy = "choose another output path"
        if err.errno == errno.ENXIO:
            reason = "nobody reads from it"
        elif err.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "free some space, or choose another disk"
        raise EnvironmentFault(f"cannot write {path}: {reason}", remedy) from err


def _through(path: Path, data: bytes) -> None:
    # Opening a FIFO without a reader would wait for ever.
    handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as out:
        out.write(data)


def _replace(path: Path, data: bytes, force: bool) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(handle)
        os.chmod(name, _mode(path))
        if force:
            os.replace(name, path)
        else:
            _move_if_free(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _move_if_free(name: str, path: Path) -> None:
    """Rename, but fail where somebody made a file of that name in the meantime."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(errno.EEXIST, "exists", str(path)) from None
        os.replace(name, path)
