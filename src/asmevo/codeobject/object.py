"""A code object: the original bytes, and typed views of its kernels, code and metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from asmevo.codeobject import metadata as md
from asmevo.codeobject.descriptor import SIZE, KernelDescriptor
from asmevo.codeobject.elf import (
    ELFOSABI_AMDGPU_HSA,
    EM_AMDGPU,
    ET_DYN,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_PROGBITS,
    STT_FUNC,
    STT_SECTION,
    Elf,
    FormatError,
    Section,
    Symbol,
    WrongObjectError,
)
from asmevo.codeobject.stripped import with_sections
from asmevo.errors import InputError
from asmevo.isa.target import Feature, Target

_ABI_NAMES = {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}  # EI_ABIVERSION -> code object version


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel of a code object.

    Attributes:
        name: the metadata's name (what launchers ask for), else the symbol without `.kd`.
        symbol: name of the descriptor's symbol.
        descriptor_offset: file offset of the 64 descriptor bytes.
        descriptor_address: virtual address of the descriptor.
        entry: byte offset in `.text` of the first instruction.
    """

    name: str
    symbol: str
    descriptor: KernelDescriptor
    descriptor_offset: int
    descriptor_address: int
    entry: int
    metadata: md.KernelMetadata


@dataclass(frozen=True)
class CodeObject:
    """An AMDGPU HSA code object (ET_DYN) and its parts.

    Attributes:
        data: the file's bytes.
        elf: parsed headers.
        target: processor and feature settings.
        abi_version: code object version, 3 to 6.
        text_section: the section that holds the code; where there are several (`.text.hot`), what
            spans them from the first one's begin to the last one's end, with the index of `.text`.
        kernels: in the metadata's order.
        metadata: the parsed notes as one, or None when there is none.
    """

    data: bytes
    elf: Elf
    target: Target
    abi_version: int
    text_section: Section
    kernels: tuple[Kernel, ...]
    metadata: md.Metadata | None

    @classmethod
    def open(cls, data: bytes) -> CodeObject:
        """Parse a code object.

        Raises:
            FormatError: not an ELF, truncated, a host ELF, or inconsistent inside.
            WrongObjectError: not for HSA, relocatable, or an unsupported code object version.
            UnsupportedError: the machine number is not a known processor.
        """
        elf, version, target, text = _parts(data)
        metadata = md.joined(list(_notes(elf)))
        kernels = tuple(_kernels(elf, target, text, metadata.kernels if metadata else ()))
        return cls(data, elf, target, version, text, kernels, metadata)

    @property
    def e_flags(self) -> int:
        """The ELF header's flags: machine number and feature settings."""
        return self.elf.flags

    @cached_property
    def text(self) -> bytes:
        """Bytes of the code section."""
        return self.elf.contents(self.text_section)

    @cached_property
    def code_sections(self) -> tuple[Section, ...]:
        """The sections that `text_section` spans, by address: `.text`, mostly, and no other."""
        return _code_sections(self.elf)

    @property
    def text_address(self) -> int:
        """Virtual address of the code section."""
        return self.text_section.address

    @property
    def text_offset(self) -> int:
        """File offset of the code section."""
        return self.text_section.offset

    @cached_property
    def text_symbols(self) -> tuple[Symbol, ...]:
        """Symbols that name a place in the code section, sorted by address."""
        code = {s.index for s in self.code_sections}
        found = [s for s in self.elf.all_symbols() if s.section in code]
        return tuple(sorted(found, key=lambda s: s.value))

    @cached_property
    def function_symbols(self) -> tuple[Symbol, ...]:
        """One FUNC symbol per address in the code section, global names preferred."""
        best: dict[int, Symbol] = {}
        for s in self.text_symbols:
            old = best.get(s.value)
            if s.type == STT_FUNC and (old is None or (s.binding and not old.binding)):
                best[s.value] = s
        return tuple(best[a] for a in sorted(best))

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Address -> the first symbol there whose name means no other address."""
        places: dict[str, set[int]] = {}
        symbols = [s for s in self.elf.all_symbols() if s.section and s.type != STT_SECTION]
        for s in symbols:
            places.setdefault(s.name, set()).add(s.value)
        out: dict[int, str] = {}
        for s in symbols:
            if s.name and len(places[s.name]) == 1:
                out.setdefault(s.value, s.name)
        return out

    def kernel(self, name: str | None = None) -> Kernel:
        """The kernel with that metadata name, symbol, or symbol without `.kd`.

        None asks for the only kernel.

        Raises:
            InputError: no such kernel, or None with several; the message lists the names.
        """
        names = ", ".join(k.name for k in self.kernels) or "none"
        if name is None:
            if len(self.kernels) == 1:
                return self.kernels[0]
            raise InputError(
                f"the object has {len(self.kernels)} kernels ({names})", "name one with --kernel"
            )
        for k in self.kernels:
            if name in (k.name, k.symbol, k.symbol.removesuffix(".kd")):
                return k
        raise InputError(f"no kernel named {name!r}; the object has {names}", "use one of these")


@dataclass(frozen=True, slots=True)
class Outline:
    """What a listing says of a code object: its target, and the kernels' names in order."""

    target: Target
    kernels: tuple[str, ...]

    @classmethod
    def read(cls, data: bytes | memoryview) -> Outline:
        """Check an object as `CodeObject.open` does, and keep only this.

        Of a view into a mapped file only headers, names, notes and descriptors are read, one note
        at a time: an object of a library may have hundreds of megabytes and ten thousand notes.

        Raises:
            FormatError, WrongObjectError, UnsupportedError: as `CodeObject.open`.
        """
        elf, _, target, text = _parts(data)
        listed = (k for note in _notes(elf) for k in note.kernels)
        return cls(target, tuple(k.name for k in _kernels(elf, target, text, listed)))


def _parts(data: bytes | memoryview) -> tuple[Elf, int, Target, Section]:
    """ELF, code object version, target and code of an object; errors as `CodeObject.open`."""
    elf = Elf.parse(data)
    if elf.machine == EM_AMDGPU and not elf.sections:
        elf = with_sections(elf)
    if elf.machine != EM_AMDGPU:
        raise FormatError(
            f"host ELF for {elf.machine_name}, not an AMDGPU code object",
            "use `asmevo find` and `asmevo extract` to get code objects out of a host file",
        )
    if elf.osabi != ELFOSABI_AMDGPU_HSA:
        raise WrongObjectError(
            f"AMDGPU ELF with OS ABI {elf.osabi}, not HSA ({ELFOSABI_AMDGPU_HSA})",
            "only amdhsa code objects are supported",
        )
    if elf.type != ET_DYN:
        raise WrongObjectError(
            f"AMDGPU ELF of type {elf.type}, not a linked code object (ET_DYN)",
            "link it first: ld.lld -shared",
        )
    version = _ABI_NAMES.get(elf.abi_version)
    if version is None or version < 3:
        raise WrongObjectError(
            f"code object ABI byte {elf.abi_version} is not version 3 to 6",
            "rebuild the object with a newer compiler",
        )
    return elf, version, _target(elf, version), _text_section(elf)


def _target(elf: Elf, version: int) -> Target:
    if version >= 4:
        return Target.from_eflags(elf.flags)
    # Version 3 has one bit per feature: set means on, clear means off where supported.
    plain = Target.from_eflags(elf.flags & 0xFF)
    xnack = Feature.ON if elf.flags & 0x100 else Feature.UNSUPPORTED
    sramecc = Feature.ON if elf.flags & 0x200 else Feature.UNSUPPORTED
    return Target(plain.arch, xnack, sramecc)


def _code_sections(elf: Elf) -> tuple[Section, ...]:
    """Sections with code in the file, by address."""
    code = [s for s in elf.sections if s.type == SHT_PROGBITS and s.flags & SHF_EXECINSTR]
    filled = [s for s in code if s.size]
    return tuple(sorted(filled or code[:1], key=lambda s: s.address))


def _text_section(elf: Elf) -> Section:
    """The section of the code, or what spans all of them (`.text`, `.text.hot` and so on).

    Raises:
        WrongObjectError: there is none, or something lies between them.
    """
    code = _code_sections(elf)
    if not code:
        raise WrongObjectError("no executable section", "give an object with code")
    if len(code) == 1:
        return code[0]
    first, last = code[0], code[-1]
    names = ", ".join(s.name for s in code)
    if any(s.address - s.offset != first.address - first.offset for s in code):
        raise WrongObjectError(
            f"executable sections in segments that are not mapped as one ({names})",
            "link the object with its code in one segment",
        )
    between = [
        s for s in elf.sections
        if s not in code and s.size and (
            (s.flags & SHF_ALLOC and first.address < s.address + s.size <= last.address)
            or (s.file_size and first.offset < s.offset + s.file_size <= last.offset)
        )
    ]  # fmt: skip
    if between:
        raise WrongObjectError(
            f"{between[0].name} lies between the executable sections ({names})",
            "link the object with its code in one segment",
        )
    main = next((s for s in code if s.name == ".text"), first)
    size = last.address + last.size - first.address
    return replace(main, address=first.address, offset=first.offset, size=size)


def _notes(elf: Elf) -> Iterator[md.Metadata]:
    """The metadata notes, parsed one at a time."""
    for note in elf.notes():
        if note.name == "AMDGPU" and note.type == md.NT_AMDGPU_METADATA:
            yield md.parse(note)


def _kernels(
    elf: Elf, target: Target, text: Section, listed: Iterable[md.KernelMetadata]
) -> Iterator[Kernel]:
    """The listed kernels, or when none is listed those that have a descriptor."""
    descriptors = {s.name: s.value for s in elf.symbols_ending(".kd") if s.section}
    known = iter(listed)
    first = next(known, None)
    if first is None:
        known = (md.KernelMetadata(n.removesuffix(".kd"), n) for n in descriptors)
    for kernel in known if first is None else chain([first], known):
        address = descriptors.get(kernel.symbol)
        if address is None:
            raise FormatError(f"kernel {kernel.name} has no descriptor symbol {kernel.symbol}")
        offset = elf.file_offset(address)
        if offset is None or offset + SIZE > len(elf.data):
            raise FormatError(f"descriptor {kernel.symbol} lies outside the file")
        descriptor = KernelDescriptor.decode(bytes(elf.data[offset : offset + SIZE]), target)
        entry = address + descriptor.kernel_code_entry_byte_offset - text.address
        if not 0 <= entry < text.size or entry % 4:
            raise FormatError(f"entry of kernel {kernel.name} is not inside {text.name}")
        yield Kernel(kernel.name, kernel.symbol, descriptor, offset, address, entry, kernel)
