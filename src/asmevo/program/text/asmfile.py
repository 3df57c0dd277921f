"""A program as one complete assembly file, which plain `llvm-mc` and `ld.lld` also accept.

The file has a head (target), the code with symbolic labels, data sections cut at their symbols,
kernel descriptors as directives, the metadata, and at the end, in comments, the original container
without its code. `asmevo.program.text.asmread` puts edited code back into that container, byte for
byte when nothing was changed; other assemblers ignore it and make an equivalent object of their
own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from asmevo.codeobject import CodeObject, directives, metatext
from asmevo.codeobject.elf import (
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHT_NOBITS,
    SHT_PROGBITS,
    SHT_RELA,
    STT_FUNC,
    STT_OBJECT,
    STT_SECTION,
    Section,
    Symbol,
)
from asmevo.codeobject.relocations import RelocationType
from asmevo.errors import UnsupportedError
from asmevo.isa.flow import flow_of
from asmevo.program.encoding import table
from asmevo.program.model import Function, PcReference, Program

CONTAINER = "; asmevo-container/1 "
END_OF_TEXT = ".Lasmevo_end_of_text"
_IDENTIFIER = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$@]*\Z")
_VISIBILITY = {1: ".internal", 2: ".hidden", 3: ".protected"}
_MARK = 56  # column of the comments that number instructions
_SKIPPED = frozenset({".dynamic", ".relro_padding", ".text"})


def quoted(name: str) -> str:
    """A symbol name as assembly accepts it."""
    if _IDENTIFIER.match(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def with_all_labels(program: Program) -> Program:
    """The program with a label at every place that the container names."""
    labels = dict(program.labels)
    co, used = program.object, set(program.labels.values())
    names = {s.value - co.text_address: s.name for s in co.text_symbols if s.type != STT_SECTION}
    for offset, index in sorted(program.anchors.items()):
        if index < len(program.instructions) and index not in labels:
            name = names.get(offset, "")
            plain = _IDENTIFIER.match(name) and name not in used
            labels[index] = name if plain else f".Lasmevo_{offset:x}"
            used.add(labels[index])
    for f in program.functions:
        labels.setdefault(f.first, f".Lasmevo_function_{f.first}")
        if program.growth_refused:  # control may come in behind what nothing falls through
            for i in range(f.first + 1, f.last):
                if not flow_of(program.instructions[i - 1].base).falls:
                    labels.setdefault(i, f".Lasmevo_place_{program.offsets[i]:x}")
    return replace(program, labels=labels)


def write(program: Program) -> str:
    """The whole assembly file of a program.

    Raises:
        UnsupportedError: data that cannot be written (a relocation other than RELATIVE64, ABS64).
    """
    program = with_all_labels(program)
    lines = [
        *(f"; {note}" for note in elsewhere(program)), *head(program.object), *code(program),
        *tail(program.object, program.labels_by_offset),
    ]  # fmt: skip
    return "\n".join([*lines, *_container(program)]) + "\n"


def ignored_bits(program: Program) -> dict[str, int]:
    """Mnemonic -> instructions whose text encodes to other values of bits that hardware ignores."""
    loose = table(program.target).loose
    found = Counter(i.mnemonic for i in program.instructions if i.raw in loose)
    return dict(found.most_common())


def debug_sections(co: CodeObject) -> tuple[str, ...]:
    """Names of the sections with debug information."""
    return tuple(s.name for s in co.elf.sections if s.name.startswith(".debug_") and s.size)


def elsewhere(program: Program) -> list[str]:
    """What other assemblers make otherwise of the file, one line each; `asm` does not."""
    out: list[str] = []
    bits, debug = ignored_bits(program), debug_sections(program.object)
    if bits:
        named = ", ".join(f"{count} {name}" for name, count in bits.items())
        out.append(
            f"Other assemblers write other values of bits that the hardware ignores in {named}: "
            "see `bits` there."
        )
    if debug:
        out.append(f"Other assemblers drop the debug information ({', '.join(debug)}).")
    return out


def head(co: CodeObject) -> list[str]:
    """Comment and directives before the code."""
    names = ", ".join(k.name for k in co.kernels)
    printable = "".join(c if c.isprintable() else "?" for c in names)
    return [
        f"; {printable}",
        "; Code, .amdhsa_kernel blocks and metadata may be edited; `asmevo asm` builds the object.",
        *("\t" + line for line in directives.header(co.target, co.abi_version)),
        "\t.text",
    ]


def _symbol_lines(s: Symbol, name: str, visibility: bool = True) -> list[str]:
    out: list[str] = []
    if s.binding:
        out.append(f"\t{'.weak' if s.binding == 2 else '.globl'} {name}")
    if s.visibility and visibility:
        out.append(f"\t{_VISIBILITY[s.visibility]} {name}")
    if s.type in (STT_FUNC, STT_OBJECT):
        out.append(f"\t.type {name},@{'function' if s.type == STT_FUNC else 'object'}")
    return out


def function_head(co: CodeObject, offset: int, alignment: int) -> list[str]:
    """Directives in front of the function at an original text offset."""
    symbol = next((s for s in co.function_symbols if s.value - co.text_address == offset), None)
    out = [f"\t.p2align {alignment.bit_length() - 1}"]
    if symbol is None:
        return out
    later = _visibility_after_block(co, symbol)
    return out + _symbol_lines(symbol, quoted(symbol.name), visibility=not later)


def _visibility_after_block(co: CodeObject, code: Symbol) -> bool:
    """Whether the code's symbol gets its visibility only behind the descriptor's block.

    LLVM gives the descriptor's symbol the visibility that the code's has at the block.
    """
    kd = next((s for s in co.elf.all_symbols() if s.name == code.name + ".kd"), None)
    return kd is not None and kd.visibility != code.visibility


def code(program: Program) -> list[str]:
    """The code section: functions with their directives, padding folded into `.fill`."""
    co = program.object
    entry_of = {i: offset for offset, i in sorted(program.anchors.items(), reverse=True)}
    sizes = {s.value - co.text_address: s.size for s in co.function_symbols}
    references = {i: r for r in program.references for i in r.literals}
    ends: dict[int, list[str]] = {}
    lines: list[str] = []
    for f in program.functions:
        lines += ends.get(f.first, [])
        offset = entry_of.get(f.first)
        if offset is not None:
            alignment = min(256, offset & -offset) if offset else 256
            lines += ["", *function_head(co, offset, alignment)]
            end = program.anchors.get(offset + sizes.get(offset, 0))
            if sizes.get(offset) and end is not None:
                name = quoted(f.name)
                ends.setdefault(end, []).append(f"\t.size {name}, .-{name}")
        lines += _function(program, f, references, ends)
    return [*lines, *ends.get(len(program.instructions), []), f"{END_OF_TEXT}:"]


def _function(
    program: Program,
    f: Function,
    references: Mapping[int, PcReference],
    ends: dict[int, list[str]],
) -> list[str]:
    encodings = table(program.target)
    loose, branches = encodings.loose, encodings.branches
    lines: list[str] = []
    i = f.first
    while i < f.padding_last:
        inst = program.instructions[i]
        if i > f.first:
            lines += ends.get(i, [])
        label = program.labels.get(i)
        if label is not None:
            lines.append(f"{quoted(label)}:")
        if i >= f.last and inst.size == 4:
            run = i + 1
            while (
                run < f.padding_last and program.instructions[run].raw == inst.raw
                and run not in program.labels and run not in ends
            ):  # fmt: skip
                run += 1
            word = int.from_bytes(inst.raw, "little")
            lines.append(f"\t.fill {run - i}, 4, 0x{word:08x}")
            i = run
            continue
        reference = references.get(i)
        if reference is not None:
            lines.append(marked(program, i, _reference_line(program, reference, i)))
        elif not inst.editable or (inst.raw in branches and i not in program.targets):
            # Data between functions may look like a branch; it goes nowhere and keeps its word.
            text = f"; {inst.text} " if inst.text else ""
            lines.append(marked(program, i, f"{long_words(inst.raw)} {text}"))
        elif inst.raw in loose:
            # The bits stand last: that is where `asmread` looks for them.
            lines.append(f"{marked(program, i, program.line(i))} ; bits {inst.raw.hex()}")
        else:
            lines.append(marked(program, i, program.line(i)))
        i += 1
    return lines


def marked(program: Program, index: int, text: str) -> str:
    """A code line with the instruction's index and byte offset in `.text` as a comment."""
    return f"\t{text.rstrip():<{_MARK}} ; {index}: 0x{program.offsets[index]:x}"


def listing(program: Program, first: int, last: int) -> list[str]:
    """Instructions [first, last) with labels, indices and offsets: to read, not to assemble."""
    lines: list[str] = []
    for i in range(first, last):
        if i in program.labels:
            lines.append(f"{program.labels[i]}:")
        lines.append(marked(program, i, program.line(i)))
    return lines


def long_words(raw: bytes) -> str:
    """`.long` directive for instruction bytes."""
    words = [int.from_bytes(raw[i : i + 4], "little") for i in range(0, len(raw), 4)]
    return ".long " + ", ".join(f"0x{w:08x}" for w in words)


def data_label(co: CodeObject, address: int) -> str:
    """Name of a data address: a symbol that means no other place, or a local label."""
    name = co.names.get(address)
    return quoted(name) if name is not None else f".Lasmevo_data_{address:x}"


def _reference_line(program: Program, r: PcReference, index: int) -> str:
    """`op dst, src, symbol@rel32@lo+n` for an addition that forms an address."""
    inst = program.instructions[index]
    if r.target is not None:
        symbol = quoted(program.labels[r.target])
    else:
        symbol = data_label(program.object, r.address)
    literal = program.offsets[index] + 4
    base = program.offsets[r.pc_read] + program.instructions[r.pc_read].size
    if r.addend is not None:  # the addend comes after the literal and is part of the distance
        head = (inst.text or "").partition(", ")[0]
        return f"{head}, {symbol}@rel32@lo+{literal - base - r.addend}, {r.addend}"
    head = (inst.text or "").rpartition(", ")[0]
    kind = "rel64" if inst.size == 12 else "rel32@lo" if index == r.low else "rel32@hi"
    return f"{head}, {symbol}@{kind}+{literal - base}"


def tail(co: CodeObject, text_labels: Mapping[int, str]) -> list[str]:
    """Data sections, descriptors and metadata; `text_labels` names original text offsets."""
    lines: list[str] = []
    relocations = _relocations(co)
    named = {r for r in relocations.values() if isinstance(r, int)}
    for s in co.elf.sections:
        loaded = s.flags & SHF_ALLOC and s.type in (SHT_PROGBITS, SHT_NOBITS)
        if loaded and not s.flags & SHF_EXECINSTR and s.name not in _SKIPPED and s.size:
            lines += _data_section(co, s, relocations, named, text_labels)
    for k in co.kernels:
        lines += ["", *kernel_block(co, k.symbol)]
    if co.metadata is not None:
        lines += ["", *metatext.block(co.metadata)]
    return lines


def _relocations(co: CodeObject) -> dict[int, int | str]:
    """Place -> address that is stored there, or the expression of a symbol from outside."""
    out: dict[int, int | str] = {}
    for section in (s for s in co.elf.sections if s.type == SHT_RELA):
        symbols: list[Symbol] = []
        if section.link < len(co.elf.sections):
            symbols = co.elf.symbols(co.elf.sections[section.link])
        for r in co.elf.relocations(section):
            if r.type == RelocationType.RELATIVE64:
                out[r.offset] = r.addend
            elif r.type == RelocationType.ABS64 and 0 < r.symbol < len(symbols):
                out[r.offset] = f"{quoted(symbols[r.symbol].name)}{r.addend:+}"
            else:
                raise UnsupportedError(
                    f"relocation type {r.type} at 0x{r.offset:x} cannot be written as assembly"
                )
    return out


def kernel_block(co: CodeObject, symbol: str) -> list[str]:
    """The descriptor of a kernel: a directive block, or data words where no block can say it."""
    kernel = next(k for k in co.kernels if k.symbol == symbol)
    name = symbol.removesuffix(".kd")
    kd = next(s for s in co.elf.all_symbols() if s.name == symbol)
    lines = ['\t.section .rodata,"a",@progbits', "\t.p2align 6"]
    made = directives.block(quoted(name), kernel.descriptor, kernel.metadata.sgpr_count)
    if made is not None:
        lines += ["\t" + line for line in made]
        code = next((s for s in co.function_symbols if s.name == name), None)
        if code is not None and code.visibility and _visibility_after_block(co, code):
            lines.append(f"\t{_VISIBILITY[code.visibility]} {quoted(name)}")
        return lines
    raw = kernel.descriptor.raw
    return [
        *lines, *_symbol_lines(kd, quoted(symbol)), f"{quoted(symbol)}:",
        f"\t{long_words(raw[:16])}", f"\t.quad {quoted(name)}-{quoted(symbol)}",
        f"\t{long_words(raw[24:])}", f"\t.size {quoted(symbol)}, 64",
    ]  # fmt: skip


def _data_section(
    co: CodeObject,
    section: Section,
    relocations: Mapping[int, int | str],
    named: set[int],
    text_labels: Mapping[int, str],
) -> list[str]:
    start, end = section.address, section.address + section.size
    kernels = {k.descriptor_address for k in co.kernels}
    symbols = [
        s for s in co.elf.all_symbols()
        if s.section == section.index and s.type != STT_SECTION and s.name
    ]  # fmt: skip
    by_address: dict[int, dict[str, Symbol]] = {}
    for s in symbols:
        by_address.setdefault(s.value, {}).setdefault(s.name, s)
    cuts = {start, end, *by_address, *(a for a in named if start <= a < end)}
    cuts |= {a for a in relocations if start <= a < end}
    cuts |= {a + 8 for a in relocations if start <= a < end}
    cuts |= kernels | {k + 64 for k in kernels}
    ordered = sorted(c for c in cuts if start <= c <= end)
    body: list[str] = []
    contents = co.elf.contents(section)
    for at, stop in pairwise(ordered):
        if at in kernels:
            continue  # written as a descriptor block
        for name, s in by_address.get(at, {}).items():
            body += [*_symbol_lines(s, quoted(name)), f"{quoted(name)}:"]
            if s.size:
                body.append(f"\t.size {quoted(name)}, {s.size}")
        if at in named and at not in by_address:
            body.append(f".Lasmevo_data_{at:x}:")
        if at in relocations:
            body.append(f"\t.quad {_address(co, relocations[at], text_labels)}")
        elif section.type == SHT_NOBITS or not any(contents[at - start : stop - start]):
            body.append(f"\t.zero {stop - at}")
        else:
            piece = contents[at - start : stop - start]
            for i in range(0, len(piece), 16):
                body.append("\t.byte " + ", ".join(f"0x{b:02x}" for b in piece[i : i + 16]))
    if not body:
        return []
    name = ".data.rel.ro.got" if section.name == ".got" else section.name
    flags = "aw" if section.flags & SHF_WRITE else "a"
    kind = "nobits" if section.type == SHT_NOBITS else "progbits"
    align = max(section.align, 1).bit_length() - 1
    return ["", f'\t.section {name},"{flags}",@{kind}', f"\t.p2align {align}", *body]


def _address(co: CodeObject, address: int | str, text_labels: Mapping[int, str]) -> str:
    if isinstance(address, str):
        return address
    inside = text_labels.get(address - co.text_address)
    return quoted(inside) if inside is not None else data_label(co, address)


def _container(program: Program) -> list[str]:
    co = program.object
    begin, size = co.text_offset, len(co.text)
    shell = co.data[:begin] + bytes(size) + co.data[begin + size :]
    offsets = program.labels_by_offset
    entry_of = {i: offset for offset, i in sorted(program.anchors.items(), reverse=True)}
    facts: dict[str, object] = {
        "sha256": hashlib.sha256(program.text).hexdigest(),
        "anchors": {
            str(offset): offsets.get(offset, END_OF_TEXT) for offset in sorted(program.anchors)
        },
        "functions": [
            [f.name, program.labels[f.first], f.is_kernel, entry_of.get(f.first, 0)]
            for f in program.functions
        ],
        "soft": sorted(program.soft_anchors),
        "growth_refused": program.growth_refused,
    }
    if program.growth_refused:
        offsets_now = program.offsets
        facts["fixed"] = {quoted(n): offsets_now[i] for i, n in sorted(program.labels.items())}
    blob = zlib.compress(json.dumps(facts).encode() + b"\0" + shell, 9)
    text = base64.b64encode(blob).decode()
    return ["", *(CONTAINER + text[i : i + 100] for i in range(0, len(text), 100))]
