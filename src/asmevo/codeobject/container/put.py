"""A changed code object back into its container, at the steps at which it was found."""

from __future__ import annotations

from asmevo.codeobject import bundle as bd
from asmevo.codeobject import package as pk
from asmevo.codeobject.budget import Budget
from asmevo.codeobject.container import bundles, rewrite
from asmevo.codeobject.container.grow import grow
from asmevo.codeobject.container.host import elf_extent
from asmevo.codeobject.container.steps import Step
from asmevo.codeobject.elf import read_headers
from asmevo.codeobject.kinds import HEAD, kind_of
from asmevo.codeobject.unpack import Buffer, unpack
from asmevo.errors import BuildError, InputError, UnsupportedError

_ALIGN = 4096
_REMEDY = "keep the object's size, or extract it and load it from a file of its own"


def replace(
    data: Buffer, steps: tuple[Step, ...], new: bytes, budget: Budget | None = None
) -> bytes:
    """The container's bytes with the object at `steps` replaced.

    `steps` are those of a `Found`, without the leading file step.

    Raises:
        BuildError: the new object has no room where addresses are fixed.
        InputError: the steps do not lead anywhere.
        UnsupportedError: a container that cannot be written.
    """
    if not steps:
        return new
    budget = budget or Budget.of(len(data))
    step, rest = steps[0], steps[1:]
    if step.kind in ("bundle", "compressed", "package"):
        start, size, changed = _bundle(data, steps, new, budget)
        room = bundles.skip_zeros(data, start + size) - start
        if start + room == len(data) and step.index == 0 and size == len(data):
            return changed
        if len(changed) <= room:
            return _spliced(data, start, room, changed)
        # Nothing addresses a file of bundles: what lies behind moves, aligned as it was.
        follows = start + room
        shift = -(-(len(changed) - room) // _ALIGN) * _ALIGN if follows < len(data) else 0
        return _spliced(data, start, room, changed + bytes(max(0, room + shift - len(changed))))
    if step.kind == "fatbin":
        return _fatbin(data, steps, new, budget)
    if step.kind == "image":
        old = data[step.index :]
        size = (
            elf_extent(old) if kind_of(old[:HEAD]) == "elf" else bundles.locate(old, 0, budget)[1]
        )
        inner = replace(old[:size], rest, new, budget)
        if len(inner) > size:
            raise BuildError(
                f"the changed image needs {len(inner)} bytes where {size} are; a program addresses "
                f"data in {step.name or 'its sections'} as it likes",
                _REMEDY,
            )
        return _spliced(data, step.index, size, inner)
    if step.kind in ("gzip", "zstd", "xz", "bzip2"):
        inside = unpack(step.kind, data, budget, f"{step.kind} stream")
        return rewrite.pack(step.kind, replace(inside, rest, new, budget), data)
    if step.kind == "zip":
        _, body = rewrite.zip_member(data, step.index, budget)
        inner = replace(body, rest, new, budget)
        return rewrite.replace_zip_member(data, step.index, inner, budget)
    if step.kind == "tar":
        member = rewrite.tar_member(data, step.index, budget)
        body = data[member.data_at : member.data_at + member.size]
        return rewrite.replace_tar_member(data, member, replace(body, rest, new, budget))
    if step.kind == "ar":
        part = rewrite.ar_member(data, step.index, budget)
        body = data[part.data_at : part.data_at + part.size]
        return rewrite.replace_ar_member(data, part, replace(body, rest, new, budget), budget)
    raise UnsupportedError(f"replacing inside {step.kind}", "unpack it, replace, pack it again")


def _spliced(data: Buffer, start: int, room: int, new: bytes) -> bytes:
    """The data with `new` in `room` bytes at `start`, filled up with zeros."""
    return b"".join((data[:start], new, bytes(max(0, room - len(new))), data[start + room :]))


def _fatbin(data: Buffer, steps: tuple[Step, ...], new: bytes, budget: Budget) -> bytes:
    """A host file with an object of a section made for objects changed."""
    step, rest = steps[0], steps[1:]
    sections = read_headers(data).sections
    if not 0 < step.index < len(sections):
        raise InputError(f"no section {step.index} in the host file")
    section = sections[step.index]
    body = data[section.offset : section.offset + section.size]
    if rest and rest[0].kind in ("bundle", "compressed", "package"):
        start, size, changed = _bundle(body, rest, new, budget)
        room = bundles.skip_zeros(body, start + size) - start
    else:
        start, room, changed = 0, len(body), replace(body, rest, new, budget)
    if len(changed) <= room:
        return _spliced(data, section.offset + start, room, changed)
    return grow(data, section, start, room, changed)


def _bundle(
    data: Buffer, steps: tuple[Step, ...], new: bytes, budget: Budget
) -> tuple[int, int, bytes]:
    """(start, size, changed bytes) of one bundle or package of a concatenation."""
    step, rest = steps[0], steps[1:]
    start, size = bundles.locate(data, step.index, budget)
    if step.kind == "compressed":
        packed = bd.parse_compressed(data, start, budget)
        inner = replace(packed.contents, rest, new, budget)
        return start, size, bd.compress(inner, packed.version, packed.method)
    if not rest:
        raise InputError("the steps end before a bundle member")
    member = rest[0].index
    if step.kind == "package":
        package = pk.parse_package(data, start, budget)
        _require_member(member, len(package.images))
        image = package.images[member]
        body = package.contents[image.offset : image.offset + image.size]
        inner = replace(body, rest[1:], new, budget)
        return start, size, pk.replace_image(package, member, inner)
    parsed = bd.parse_bundle(data, start)
    _require_member(member, len(parsed.entries))
    e = parsed.entries[member]
    inner = replace(data[start + e.offset : start + e.offset + e.size], rest[1:], new, budget)
    return start, size, bd.replace_entries(data, parsed, {member: inner})


def _require_member(member: int, count: int) -> None:
    if not 0 <= member < count:
        raise InputError(f"no member {member} in the bundle")
