"""Code objects inside host programs: sections made for them, and images in data sections."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from asmevo.codeobject.budget import Budget
from asmevo.codeobject.container import bundles
from asmevo.codeobject.container.steps import Member, Step
from asmevo.codeobject.elf import (
    EM_AMDGPU,
    HEADER,
    SECTION,
    SEGMENT,
    SHF_EXECINSTR,
    SHT_NOBITS,
    SHT_PROGBITS,
    FormatError,
    Section,
    read_headers,
)
from asmevo.codeobject.kinds import HEAD, kind_of, not_machine_code
from asmevo.codeobject.unpack import Buffer
from asmevo.errors import UnsupportedError

_FATBIN = (".hip_fatbin", ".hipFatBin", "__clang_offload_bundle", ".llvm.offloading")
_BUNDLER = "__CLANG_OFFLOAD_BUNDLE__"  # sections of objects from clang-offload-bundler -type=o
_ELF64 = b"\x7fELF\x02\x01\x01"
_SANE = (EM_AMDGPU, 62, 183, 243, 21)  # AMDGPU, x86-64, AArch64, RISC-V, PowerPC64


def made_for_objects(name: str) -> bool:
    """Whether a section of that name is made to hold code objects."""
    return name.startswith((*_FATBIN, _BUNDLER)) and not name.startswith(".hipFatBinSegment")


def members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """What a host ELF holds, section by section.

    Sections made for code objects are given whole; in other data sections whatever begins like a
    code object, host program, bundle or package and is consistent is given as an "image".

    Raises:
        FormatError: the headers are damaged.
    """
    if bytes(data[4:6]) != b"\x02\x01":  # 32-bit or big-endian: no host of HIP, but it may carry
        yield from images(data, "", budget)
        return
    sections = read_headers(data).sections
    if not sections:
        yield from images(data, "", budget, HEADER.size)
        return
    for section in sections:
        budget.visit()
        if not section.file_size:
            continue
        if made_for_objects(section.name):
            yield from _fatbin(data, section)
        elif _is_data(section):
            body = data[section.offset : section.offset + section.size]
            for image in images(body, section.name, budget):
                place = Step("image", section.name, section.offset + image.steps[0].index)
                yield Member((place,), image.data)


def _fatbin(data: Buffer, section: Section) -> Iterator[Member]:
    """The contents of a section made for objects, which may stand behind padding."""
    body = data[section.offset : section.offset + section.size]
    start = bundles.skip_zeros(body, 0)
    kind = kind_of(body[start : start + HEAD])
    step = Step("fatbin", section.name, section.index)
    host = section.name.startswith(_BUNDLER + "host")
    if kind in bundles.CONCATENATED or (kind and start == 0):
        yield Member((step,), body, kind=kind)
    elif kind == "elf":
        yield Member((Step("image", section.name, section.offset + start),), body[start:])
    elif start < len(body) and not host:
        what = not_machine_code(body[start : start + 16]) or "unknown bytes"
        yield Member((step,), error=UnsupportedError(f"{what}, not machine code in a bundle"))


def _is_data(section: Section) -> bool:
    return (
        section.type == SHT_PROGBITS
        and not section.flags & SHF_EXECINSTR
        and not section.name.startswith(".debug")
    )


def images(data: Buffer, name: str, budget: Budget, start: int = 0) -> Iterator[Member]:
    """Images of code objects, host programs, bundles and packages anywhere in some bytes.

    The magic alone is not enough: compilers and tools carry it as text. An image must be
    consistent, and the search goes on behind its end.
    """
    end = start
    for at in bundles.scan(data, (_ELF64, *bundles.MAGICS), budget, start):
        if at < end:
            continue
        size = _extent(data, at, budget)
        if size:
            budget.visit()
            yield Member((Step("image", name, at),), data[at : at + size])
            end = at + size


def _extent(data: Buffer, at: int, budget: Budget) -> int:
    """Size of the image at `at`, 0 when there is none; up to the data's end when it is cut off."""
    if bytes(data[at : at + 7]) == _ELF64:
        return elf_extent(data[at:])
    if not bundles.plausible(data, at):
        return 0
    try:
        return bundles.locate(data[at:], 0, budget)[1]
    except FormatError:
        return len(data) - at  # damaged: the walk says how


def elf_extent(data: Buffer) -> int:
    """Bytes that the ELF at the start of `data` takes by its headers, or 0 if it is none."""
    if len(data) < HEADER.size:
        return 0
    (_, kind, machine, version, _, phoff, shoff, _, ehsize, phes, phnum, shes, shnum, _) = (
        HEADER.unpack_from(data)
    )
    if machine not in _SANE or version != 1 or ehsize != HEADER.size or kind > 4:
        return 0
    if (phnum and phes != SEGMENT.size) or (shnum and shes != SECTION.size):
        return 0
    end = max(HEADER.size, phoff + phnum * SEGMENT.size, shoff + shnum * SECTION.size)
    end = min(end, len(data))
    for i in range(phnum):
        if phoff + (i + 1) * SEGMENT.size <= len(data):
            fields = SEGMENT.unpack_from(data, phoff + i * SEGMENT.size)
            end = max(end, fields[2] + fields[5])
    for i in range(shnum):
        if shoff + (i + 1) * SECTION.size <= len(data):
            fields = SECTION.unpack_from(data, shoff + i * SECTION.size)
            if fields[1] not in (0, SHT_NOBITS):
                end = max(end, fields[4] + fields[5])
    return min(end, len(data))


def pe_members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """Images in a Windows program or library, in which HIP keeps bundles in `.hip_fat`."""
    (header,) = struct.unpack_from("<I", data, 60)
    if bytes(data[header : header + 4]) == b"PE\0\0":
        yield from images(data, "", budget, 64)
