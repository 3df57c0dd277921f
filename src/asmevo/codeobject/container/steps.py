"""The way to a code object, the object, and its file when it is taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asmevo.codeobject.unpack import Buffer
from asmevo.errors import AsmEvoError, InputError

ARCHIVES = ("zip", "tar", "ar")


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a container.

    Attributes:
        kind: "file"; member of an archive: "zip", "tar", "ar"; stream: "gzip", "zstd", "xz",
            "bzip2"; part of a host program: "fatbin" (a section made for code objects) or "image"
            (anything recognised inside a data section); "bundle", "compressed", "package".
        name: file or member name, section name, bundle id, or target of a package's image.
        index: position of the bundle or package in a concatenation, of the member in its bundle
            or archive; index of a "fatbin" section; byte offset in its section of an "image".
    """

    kind: str
    name: str
    index: int = 0

    def __str__(self) -> str:
        if self.kind == "file" or self.kind in ARCHIVES:
            return self.name
        return f"{self.kind}[{self.index}]{':' + self.name if self.name else ''}"


@dataclass(frozen=True, slots=True)
class Member:
    """What a container holds: the steps from it, and a view of the bytes or why there is none.

    `kind` says what the bytes are where padding hides it; else their first ones do.
    """

    steps: tuple[Step, ...]
    data: Buffer = b""
    error: AsmEvoError | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A code object and the steps to it.

    Attributes:
        view: of the object in its (mapped) file; None when it was let go (`walk.forgotten`).
        error: set, and no content, when a member could not be opened or was left out.
        again: finds the content of one that was let go.
    """

    steps: tuple[Step, ...]
    view: Buffer | None = b""
    error: AsmEvoError | None = None
    size: int = -1
    again: Callable[[], Buffer] | None = None

    def __post_init__(self) -> None:
        """The size is that of the view."""
        if self.size < 0:
            object.__setattr__(self, "size", len(self.view or b""))

    @property
    def content(self) -> Buffer:
        """A view of the object; of one that was let go, the file is searched again."""
        if self.view is None and self.again is not None:
            return self.again()
        return self.view or b""

    @property
    def data(self) -> bytes:
        """A copy of the object's bytes."""
        return bytes(self.content)

    @property
    def problem(self) -> str:
        """Why there is no object, on one line, or an empty string."""
        return self.error.one_line() if self.error is not None else ""

    @property
    def location(self) -> str:
        """The steps as one line."""
        return "!".join(str(s) for s in self.steps)

    @property
    def file_name(self) -> str:
        """A safe file name for an extracted object: no separators, no leading dots."""
        parts = [Path(s.name).name if s.kind == "file" else str(s) for s in self.steps]
        safe = re.sub(r"[^A-Za-z0-9._+=-]+", "_", "-".join(p for p in parts if p))
        safe = safe.removesuffix(".co").removesuffix(".hsaco")[-180:].lstrip("._-")
        return (safe or "object") + ".co"

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes get the bytes."""
        return (Found, (self.steps, self.data, self.error))


def file_names(objects: Iterable[Found]) -> list[str]:
    """The name of each object's file: `Found.file_name`, numbered where two are equal."""
    taken: dict[str, None] = {}
    for found in objects:
        name, number = found.file_name, 1
        while name in taken:
            number += 1
            name = f"{found.file_name.removesuffix('.co')}-{number}.co"
        taken[name] = None
    return list(taken)


def extract(
    objects: Iterable[Found],
    folder: Path,
    *,
    force: bool = False,
    names: Sequence[str] | None = None,
) -> list[Path]:
    """Write code objects into `folder` (made if needed) and return their paths.

    Args:
        force: whether existing files are written anew.
        names: of the files; those of `file_names` if absent. With them, objects are taken one by
            one and not kept.

    Raises:
        InputError: an object has a problem instead of data, or a file exists already.
    """
    if names is None:
        objects = list(objects)
        names = file_names(objects)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for found, name in zip(objects, names, strict=True):
        if found.error is not None:
            raise InputError(f"{found.location}: {found.problem}")
        path = folder / name
        try:
            with path.open("wb" if force else "xb") as stream:
                stream.write(found.content)
        except FileExistsError as err:
            raise InputError(f"{path} exists already", "choose an empty folder") from err
        written.append(path)
    return written
