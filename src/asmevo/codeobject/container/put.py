"""A changed code object back into its container, at the steps at which it was found."""

from __future__ import annotations

from asmevo.codeobject import bundle as bd
from asmevo.codeobject import package as pk
from asmevo.codeobject.budget import Budget
from asmevo.codeobject.container import bundles
from asmevo.codeobject.container.steps import Step
from asmevo.codeobject.elf import Section, read_headers
from asmevo.codeobject.unpack import Buffer
from asmevo.errors import BuildError, InputError, UnsupportedError

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
        return _bundle(data, steps, new, budget)
    if step.kind == "fatbin":
        sections = read_headers(data).sections
        if not 0 < step.index < len(sections):
            raise InputError(f"no section {step.index} in the host file")
        section = sections[step.index]
        body = data[section.offset : section.offset + section.size]
        return _put(data, section, replace(body, rest, new, budget))
    raise UnsupportedError(f"replacing inside {step.kind}", "unpack it, replace, pack it again")


def _bundle(data: Buffer, steps: tuple[Step, ...], new: bytes, budget: Budget) -> bytes:
    """A concatenation with one bundle or package changed."""
    step, rest = steps[0], steps[1:]
    start, size = bundles.locate(data, step.index, budget)
    if step.kind == "compressed":
        packed = bd.parse_compressed(data, start, budget)
        inner = replace(packed.contents, rest, new, budget)
        changed = bd.compress(inner, packed.version, packed.method)
    else:
        if not rest:
            raise InputError("the steps end before a bundle member")
        member = rest[0].index
        if step.kind == "package":
            package = pk.parse_package(data, start, budget)
            _require_member(member, len(package.images))
            image = package.images[member]
            body: Buffer = package.contents[image.offset : image.offset + image.size]
            changed = pk.replace_image(package, member, replace(body, rest[1:], new, budget))
        else:
            parsed = bd.parse_bundle(data, start)
            _require_member(member, len(parsed.entries))
            e = parsed.entries[member]
            body = data[start + e.offset : start + e.offset + e.size]
            inner = replace(body, rest[1:], new, budget)
            changed = bd.replace_entries(data, parsed, {member: inner})
    follows = bundles.skip_zeros(data, start + size)
    if follows == len(data) and step.index == 0 and size == len(data):
        return changed
    room = follows - start
    if len(changed) > room:
        raise BuildError(
            f"the changed bundle needs {len(changed)} bytes where {room} are free", _REMEDY
        )
    return b"".join((data[:start], changed, bytes(room - len(changed)), data[follows:]))


def _require_member(member: int, count: int) -> None:
    if not 0 <= member < count:
        raise InputError(f"no member {member} in the bundle")


def _put(data: Buffer, section: Section, inner: bytes) -> bytes:
    if len(inner) > section.size:
        raise BuildError(
            f"the changed bundle needs {len(inner)} bytes, section {section.name} has "
            f"{section.size}",
            _REMEDY,
        )
    end = section.offset + section.size
    return b"".join((data[: section.offset], inner, bytes(section.size - len(inner)), data[end:]))
