"""Members of offload bundles and offload packages, one behind the other with zeros between."""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.codeobject import bundle as bd
from asmevo.codeobject import package as pk
from asmevo.codeobject.budget import Budget, BudgetError
from asmevo.codeobject.container.steps import Member, Step
from asmevo.codeobject.elf import FormatError
from asmevo.codeobject.kinds import kind_of, not_machine_code
from asmevo.codeobject.unpack import Buffer
from asmevo.errors import AsmEvoError, UnsupportedError

CONCATENATED = ("bundle", "compressed", "package")


def members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """All members of a concatenation.

    Bundles are bounded by their own headers. What is damaged, or is no bundle, becomes a member
    with an error, and the search goes on behind it.
    """
    at, number = skip_zeros(data, 0), 0
    while at < len(data):
        budget.visit()
        kind = kind_of(data[at : at + 32])
        try:
            if kind == "bundle":
                parsed = bd.parse_bundle(data, at)
                for i, e in enumerate(parsed.entries):
                    step = (Step("bundle", "", number), Step("bundle", e.id, i))
                    body = data[at + e.offset : at + e.offset + e.size]
                    yield _device(step, body, e.id, budget)
                size = parsed.size
            elif kind == "compressed":
                packed = bd.parse_compressed(data, at, budget)
                yield Member((Step("compressed", "", number),), packed.contents)
                size = packed.size
            elif kind == "package":
                parsed_package = pk.parse_package(data, at, budget)
                for i, image in enumerate(parsed_package.images):
                    step = (Step("package", "", number), Step("package", image.name, i))
                    body = parsed_package.contents[image.offset : image.offset + image.size]
                    yield _device(step, body, image.name, budget)
                size = parsed_package.size
            else:
                raise FormatError(f"bytes at offset {at} behind an offload bundle are no bundle")
        except BudgetError:
            raise
        except AsmEvoError as err:
            yield Member((Step(kind or "bundle", "", number),), error=err)
            size = _next_magic(data, at + 1, budget) - at
        number += 1
        at = skip_zeros(data, at + size)


def _device(steps: tuple[Step, ...], body: Buffer, name: str, budget: Budget) -> Member:
    """A member of a bundle; what is for a GPU and no machine code is said."""
    budget.visit()
    other = not_machine_code(body[:16])
    if other and not name.startswith("host"):
        return Member(
            steps,
            error=UnsupportedError(f"{other} for {name}, not machine code", "compile and link it"),
        )
    return Member(steps, body)


def locate(data: Buffer, number: int, budget: Budget) -> tuple[int, int]:
    """(start, size) of the bundle with that number in a concatenation.

    Raises:
        FormatError: there is none, or one before it is damaged.
    """
    at, n = skip_zeros(data, 0), 0
    while at < len(data):
        kind = kind_of(data[at : at + 32])
        try:
            if kind == "compressed":
                size = bd.parse_compressed(data, at, budget).size
            elif kind == "package":
                size = pk.parse_package(data, at).size
            else:
                size = bd.parse_bundle(data, at).size
        except BudgetError:
            raise
        except AsmEvoError:
            if n == number:
                raise
            size = _next_magic(data, at + 1, budget) - at
        if n == number:
            return at, size
        n += 1
        at = skip_zeros(data, at + size)
    raise FormatError(f"no bundle {number}")


def skip_zeros(data: Buffer, at: int) -> int:
    """Offset of the first byte from `at` that is not zero, or the end."""
    while at < len(data):
        chunk = bytes(data[at : at + 4096])
        rest = chunk.lstrip(b"\0")
        at += len(chunk) - len(rest)
        if rest:
            return at
    return at


def _next_magic(data: Buffer, start: int, budget: Budget) -> int:
    """Offset of the next plausible bundle or package, or the end of the data."""
    return next((at for at in scan(data, MAGICS, budget, start) if plausible(data, at)), len(data))


MAGICS = (bd.MAGIC, bd.COMPRESSED_MAGIC, pk.MAGIC)
_SCAN = 4 << 20
_PACKAGE_VERSIONS = (b"\1\0\0\0", b"\2\0\0\0", b"\3\0\0\0")


def scan(data: Buffer, magics: tuple[bytes, ...], budget: Budget, start: int = 0) -> Iterator[int]:
    """Offsets of all places where one of some magics stands, in order."""
    longest = max(map(len, magics))
    for at in range(start, len(data), _SCAN):
        chunk = bytes(data[at : at + _SCAN + longest - 1])
        hits: list[int] = []
        for magic in magics:
            place = chunk.find(magic)
            while 0 <= place < _SCAN:
                hits.append(at + place)
                place = chunk.find(magic, place + 1)
                if len(hits) % 4096 == 0:
                    budget.check_time()
        budget.looked(len(chunk))
        yield from sorted(hits)


def plausible(data: Buffer, at: int) -> bool:
    """Whether a bundle's or package's magic in some data begins one, and is not just text."""
    head = bytes(data[at : at + 64])
    kind = kind_of(head)
    if kind == "bundle":
        count = int.from_bytes(head[24:32], "little")
        name = int.from_bytes(head[48:56], "little")
        return len(head) == 64 and 0 < count <= bd.MAX_ENTRIES and 0 < name <= bd.MAX_ID
    if kind == "compressed":
        version, method = head[4] | head[5] << 8, head[6] | head[7] << 8
        return version in (1, 2, 3) and method in (bd.ZLIB, bd.ZSTD) and len(head) > 24
    if kind == "package":
        version, size = head[4:8], int.from_bytes(head[8:16], "little")
        return version in _PACKAGE_VERSIONS and pk.SMALLEST <= size <= len(data) - at
    return False
