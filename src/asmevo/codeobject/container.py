"""Where code objects are found: folders, wheels, host programs, bundles, bundles in bundles.

Everything is recognised by content, never by suffix. A code object is named by the path of steps
that leads to it, and the same path puts a changed object back into the same container.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from asmevo.codeobject import bundle as bd
from asmevo.codeobject.elf import EM_AMDGPU, Elf, FormatError, Section
from asmevo.errors import AsmEvoError, BuildError, InputError, UnsupportedError

MAX_STEPS = 10  # a compressed bundle in a host library in a wheel takes 6
MAX_FILE = 1 << 30
_ZIP = b"PK\x03\x04"
_ELF = b"\x7fELF"
_FATBIN = (".hip_fatbin", ".hipFatBin", "__clang_offload_bundle")


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a container.

    Attributes:
        kind: "file", "zip", "fatbin" (section of a host ELF), "bundle" or "compressed".
        name: file or member name, section name, or bundle id.
        index: position of the bundle in a concatenation, or of the member in its bundle.
    """

    kind: str
    name: str
    index: int = 0

    def __str__(self) -> str:
        if self.kind in ("file", "zip"):
            return self.name
        return f"{self.kind}[{self.index}]{':' + self.name if self.name else ''}"


@dataclass(frozen=True, slots=True)
class Found:
    """A code object and the steps to it; `problem` is set when a member could not be opened."""

    steps: tuple[Step, ...]
    data: bytes
    problem: str = ""

    @property
    def location(self) -> str:
        """The steps as one printable line."""
        return "!".join(str(s) for s in self.steps)

    @property
    def file_name(self) -> str:
        """A safe file name for an extracted object: no separators, no leading dots."""
        parts = [Path(s.name).name if s.kind == "file" else str(s) for s in self.steps]
        safe = re.sub(r"[^A-Za-z0-9._+=-]+", "_", "-".join(p for p in parts if p))
        safe = safe.removesuffix(".co").removesuffix(".hsaco")[-180:].lstrip("._-")
        return (safe or "object") + ".co"


def extract(objects: Iterable[Found], folder: Path) -> list[Path]:
    """Write code objects into `folder` (made if needed) and return their paths.

    Names come from `Found.file_name`, numbered where two are equal; existing files are kept.

    Raises:
        InputError: an object has a problem instead of data, or a file exists already.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    taken: set[str] = set()
    for found in objects:
        if found.problem:
            raise InputError(f"{found.location}: {found.problem}")
        name, number = found.file_name, 1
        while name in taken:
            number += 1
            name = f"{found.file_name.removesuffix('.co')}-{number}.co"
        taken.add(name)
        path = folder / name
        try:
            with path.open("xb") as stream:
                stream.write(found.data)
        except FileExistsError as err:
            raise InputError(f"{path} exists already", "choose an empty folder") from err
        written.append(path)
    return written


def kind_of(head: bytes) -> str:
    """ "elf", "bundle", "compressed", "zip" or an empty string, by the first bytes."""
    if head.startswith(_ELF):
        return "elf"
    if head.startswith(bd.MAGIC):
        return "bundle"
    if head.startswith(bd.COMPRESSED_MAGIC):
        return "compressed"
    return "zip" if head.startswith(_ZIP) else ""


def find(path: Path) -> Iterator[Found]:
    """All code objects in a file or below a folder, in a stable order.

    Links are not followed. A container that is damaged yields a `Found` with a `problem`.

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


def _find_file(path: Path) -> Iterator[Found]:
    with path.open("rb") as stream:
        if not kind_of(stream.read(32)):
            return
    step = Step("file", str(path))
    if path.stat().st_size > MAX_FILE:
        yield Found((step,), b"", f"larger than {MAX_FILE} bytes")
        return
    yield from find_in(path.read_bytes(), (step,))


def find_in(data: bytes, steps: tuple[Step, ...] = ()) -> Iterator[Found]:
    """All code objects in some bytes; errors become `Found.problem`."""
    kind = kind_of(data[:32])
    if len(steps) > MAX_STEPS:
        yield Found(steps, b"", f"nested more than {MAX_STEPS} steps deep")
        return
    try:
        if kind == "elf":
            yield from _find_elf(data, steps)
        elif kind in ("bundle", "compressed"):
            yield from _find_bundles(data, steps)
        elif kind == "zip":
            yield from _find_zip(data, steps)
    except AsmEvoError as err:
        yield Found(steps, b"", err.one_line())


def _find_elf(data: bytes, steps: tuple[Step, ...]) -> Iterator[Found]:
    if len(data) >= 20 and int.from_bytes(data[18:20], "little") == EM_AMDGPU:
        yield Found(steps, data)
        return
    if data[4:6] != b"\x02\x01":
        return
    elf = Elf.parse(data)
    for section in elf.sections:
        if section.name in _FATBIN and section.file_size:
            inner = elf.contents(section)
            if kind_of(inner[:32]):
                yield from find_in(inner, (*steps, Step("fatbin", section.name, section.index)))


def _find_bundles(data: bytes, steps: tuple[Step, ...]) -> Iterator[Found]:
    """Bundles one after the other, with zero padding between them."""
    at, number = 0, 0
    while at < len(data):
        kind = kind_of(data[at : at + 32])
        if kind == "bundle":
            parsed = bd.parse_bundle(data, at)
            for i, e in enumerate(parsed.entries):
                body = data[at + e.offset : at + e.offset + e.size]
                if kind_of(body[:32]):
                    inner = (*steps, Step("bundle", "", number), Step("bundle", e.id, i))
                    yield from find_in(body, inner)
            at += parsed.size
        elif kind == "compressed":
            packed = bd.parse_compressed(data, at)
            yield from find_in(packed.contents, (*steps, Step("compressed", "", number)))
            at += packed.size
        else:
            raise FormatError(f"bytes at offset {at} behind an offload bundle are no bundle")
        number += 1
        at = _skip_zeros(data, at)


def _skip_zeros(data: bytes, at: int) -> int:
    while at < len(data):
        chunk = data[at : at + 4096]
        rest = chunk.lstrip(b"\0")
        at += len(chunk) - len(rest)
        if rest:
            return at
    return at


def _find_zip(data: bytes, steps: tuple[Step, ...]) -> Iterator[Found]:
    if any(s.kind == "zip" for s in steps):
        raise UnsupportedError("an archive inside an archive", "unpack it first")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = sorted(archive.infolist(), key=lambda m: m.filename)
        for member in members:
            if member.is_dir() or member.flag_bits & 1:
                continue
            with archive.open(member) as stream:
                head = stream.read(32)
                if not kind_of(head) or kind_of(head) == "zip":
                    continue
                body = head + stream.read(bd.MAX_UNCOMPRESSED)
                if len(body) > bd.MAX_UNCOMPRESSED:
                    raise FormatError(f"archive member {member.filename!r} is too large")
            yield from find_in(body, (*steps, Step("zip", member.filename)))
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as err:
        raise FormatError(f"damaged archive ({err})") from err


def replace(data: bytes, steps: tuple[Step, ...], new: bytes) -> bytes:
    """The container's bytes with the object at `steps` replaced.

    `steps` are those of a `Found`, without the leading file step.

    Raises:
        BuildError: the new object has no room where addresses are fixed (a host ELF's section,
            bundles one after the other in it).
        InputError: the steps do not lead anywhere.
        UnsupportedError: a container that cannot be written (an archive).
    """
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if step.kind == "zip":
        raise UnsupportedError("replacing inside an archive", "unpack it, replace, pack it again")
    if step.kind == "fatbin":
        elf = Elf.parse(data)
        if not 0 < step.index < len(elf.sections):
            raise InputError(f"no section {step.index} in the host file")
        section = elf.sections[step.index]
        inner = replace(elf.contents(section), rest, new)
        return _put(data, section, inner)
    start, size = _locate(data, step.index)
    if step.kind == "compressed":
        packed = bd.parse_compressed(data, start)
        inner = replace(packed.contents, rest, new)
        changed = bd.compress(inner, packed.version, packed.method)
    else:
        if not rest:
            raise InputError("the steps end before a bundle member")
        parsed = bd.parse_bundle(data, start)
        member = rest[0].index
        if not 0 <= member < len(parsed.entries):
            raise InputError(f"no member {member} in the bundle")
        e = parsed.entries[member]
        body = data[start + e.offset : start + e.offset + e.size]
        changed = bd.replace_entries(data, parsed, {member: replace(body, rest[1:], new)})
    follows = _skip_zeros(data, start + size)
    if follows == len(data) and step.index == 0 and size == len(data):
        return changed
    room = follows - start
    if len(changed) > room:
        raise BuildError(
            f"the changed bundle needs {len(changed)} bytes where {room} are free",
            "keep the object's size, or extract it and load it from a file of its own",
        )
    return data[:start] + changed + bytes(room - len(changed)) + data[follows:]


def _locate(data: bytes, number: int) -> tuple[int, int]:
    """(start, size) of the bundle with that number in a concatenation."""
    at = 0
    for n in range(number + 1):
        if kind_of(data[at : at + 32]) == "compressed":
            size = bd.parse_compressed(data, at).size
        else:
            size = bd.parse_bundle(data, at).size
        if n == number:
            return at, size
        at = _skip_zeros(data, at + size)
    raise InputError(f"no bundle {number}")


def _put(data: bytes, section: Section, inner: bytes) -> bytes:
    if len(inner) > section.size:
        raise BuildError(
            f"the changed bundle needs {len(inner)} bytes, section {section.name} has "
            f"{section.size}",
            "keep the object's size, or extract it and load it from a file of its own",
        )
    body = inner + bytes(section.size - len(inner))
    return data[: section.offset] + body + data[section.offset + section.size :]
