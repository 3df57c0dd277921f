"""An edited assembly file back to an object: its container, with the code of the file.

Code lines are vetted like proposals and assembled one by one; the layout is the project's own. What
the file says about data sections and symbols must be what `asmfile` wrote: only code, kernel
descriptors and metadata can be edited, and anything else that changed is refused by line.
A file without a container is assembled and linked as a whole (`codeobject.build`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from asmevo.codeobject import CodeObject, FormatError, build, directives, metatext
from asmevo.codeobject.guarded import guarded
from asmevo.codeobject.note import put_note
from asmevo.errors import AsmEvoError, BuildError, InputError
from asmevo.isa.instruction import Instruction
from asmevo.isa.names import canonical
from asmevo.isa.target import Target
from asmevo.program.encoding import EncodingTable, table
from asmevo.program.grammar import EditError, vet_line
from asmevo.program.model import Function, Growth, PcReference, Program
from asmevo.program.rebuild import notes, rebuild
from asmevo.program.rebuild.layout import lay_out
from asmevo.program.rebuild.references import find_long_branch
from asmevo.program.rebuild.remap import Remap
from asmevo.program.recover import function_bounds
from asmevo.program.text.asmfile import CONTAINER, END_OF_TEXT, head, quoted, tail
from asmevo.program.text.directive_limits import vet
from asmevo.program.text.hold import firm, missing

_MAX_CONTAINER = 64 << 20
_LABEL = re.compile(r'([A-Za-z_.$][A-Za-z0-9_.$@]*|"(?:[^"\\]|\\.)*"):\Z')
_REFERENCE = re.compile(r", (\S+)@(rel32@lo|rel32@hi|rel64)\+(\d+)(, \d+)?\Z")
_FILL = re.compile(r"\.fill (\d+), 4, 0x([0-9a-f]{1,8})\Z")
_LONG = re.compile(r"\.long 0x[0-9a-f]{8}(, 0x[0-9a-f]{8}){0,4}\Z")
_KERNEL = re.compile(r"\.amdhsa_[a-z0-9_]+ -?\d+\Z")
_META_END = re.compile(r"\s*\.end_amdgpu_metadata\b")
_BITS = re.compile(r"; bits ((?:[0-9a-f]{8}){1,5})\Z")
# What other rooms say in front of a message; their line may be one of a text that they made.
_LOCATION = re.compile(
    r"(?:assembly(?: for \w+)? failed: )?"
    r"(?:<inline asm>:\d+:\d+: |line (?P<number>\d+)(?:, column \d+)?: )?"
)
_MARK = re.compile(r"; \d+: 0x([0-9a-f]{1,8})(?: |$)")  # see `asmfile.marked`
_LONGEST_QUOTE = 120
_PLACEHOLDER = Instruction(b"\0\0\0\0", None)
_SYMBOL_DIRECTIVE = (".globl ", ".weak ", ".protected ", ".hidden ", ".internal ", ".type ",
                     ".size ", ".p2align ")  # fmt: skip


class _Line(str):
    """A line that knows its number in the file, however it is cut."""

    __slots__ = ("number",)

    def __new__(cls, text: str, number: int) -> _Line:
        """`text` with its 1-based number."""
        line = super().__new__(cls, text)
        line.number = number
        return line


def _about(line: str, err: AsmEvoError) -> AsmEvoError:
    """The error, told to be about a line."""
    err.line = getattr(line, "number", 0)
    return err


@dataclass
class _Code:
    """Code lines turned into instructions, before layout."""

    instructions: list[Instruction] = field(default_factory=lambda: [])
    labels: dict[str, int] = field(default_factory=lambda: {})
    branches: dict[int, str] = field(default_factory=lambda: {})
    lines: dict[int, str] = field(default_factory=lambda: {})  # of branches and symbols
    symbols: list[tuple[int, str, str]] = field(default_factory=lambda: [])  # index, name, kind
    marks: dict[int, int] = field(default_factory=lambda: {})  # index -> offset that was noted


@dataclass(frozen=True, slots=True)
class Built:
    """What an assembly file gave: the object, and what is to be said about it, one line each."""

    data: bytes
    notes: tuple[str, ...] = ()


def read(text: str) -> bytes:
    """The object that an assembly file describes; see `build_of`."""
    return build_of(text).data


def build_of(text: str) -> Built:
    """The object that an assembly file describes, and what its code's edits changed besides.

    Raises:
        FormatError: the container in the comments is damaged.
        InputError: something was changed that cannot be, or the file has no target.
        EditError, BuildError: a code line, descriptor or metadata block is wrong.
        All of them name the file's own line and quote it, where they are about one.
    """
    try:
        return _build(text)
    except (InputError, BuildError) as err:
        message = str(err.args[0])
        named = _LOCATION.match(message)
        number = err.line or (int(named.group("number") or 0) if named else 0)
        source = text.splitlines()
        if not 0 < number <= len(source):
            raise
        said = message[named.end() :] if named else message
        shown = " ".join(source[number - 1].partition(";")[0].split())
        quote = f" `{shown[:_LONGEST_QUOTE]}`" if shown and shown not in said else ""
        err.line, err.args = number, (f"line {number}{quote}: {said}", *err.args[1:])
        raise


def _build(text: str) -> Built:
    lines: list[str] = [_Line(line, n) for n, line in enumerate(text.splitlines(), 1)]
    stored = [line[len(CONTAINER) :] for line in lines if line.startswith(CONTAINER)]
    if not stored:
        vet(text)
        return Built(guarded(lambda: build(text), len(text)))
    facts, co = _container("".join(stored))
    code, rest = _split(lines)
    program = _program(co, facts, code)
    if hashlib.sha256(program.text).hexdigest() == facts.sha256:
        begin = co.text_offset
        data = co.data[:begin] + program.text + co.data[begin + len(program.text) :]
        return Built(_descriptors(co, data, program, rest))
    data = rebuild(program)
    return Built(_descriptors(co, data, program, rest), notes(program))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the writer noted beside the container."""

    sha256: str
    anchors: list[tuple[int, str]]
    soft: frozenset[int]
    functions: list[tuple[str, str, bool, int]]  # name, label, is kernel, original offset
    growth_refused: str
    fixed: dict[str, int]  # labels whose offset must stay


def _facts(raw: Any) -> _Facts:
    """Checked facts.

    Raises:
        ValueError, TypeError, KeyError: they are not what the writer writes.
    """
    return _Facts(
        sha256=str(raw["sha256"]),
        anchors=sorted((int(k), str(v)) for k, v in dict(raw["anchors"]).items()),
        soft=frozenset(int(x) for x in raw["soft"]),
        functions=[(str(n), str(x), bool(k), int(o)) for n, x, k, o in raw["functions"]],
        growth_refused=str(raw["growth_refused"]),
        fixed={str(k): int(v) for k, v in dict(raw.get("fixed", {})).items()},
    )


def _container(encoded: str) -> tuple[_Facts, CodeObject]:
    try:
        packed = base64.b64decode(encoded, validate=True)
        unpacker = zlib.decompressobj()
        blob = unpacker.decompress(packed, _MAX_CONTAINER)
        if not unpacker.eof:
            raise FormatError("the container in the assembly file is too large or cut off")
        facts_text, _, shell = blob.partition(b"\0")
        return _facts(json.loads(facts_text)), CodeObject.open(shell)
    except (binascii.Error, zlib.error, ValueError, KeyError, TypeError) as err:
        raise FormatError(
            f"the container in the assembly file is damaged ({err})",
            "disassemble the object again, or remove its comment lines",
        ) from err


def _split(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """(code lines, everything else); the code is from the first `.text` to the end label."""
    try:
        first = next(i for i, line in enumerate(lines) if line.strip() == ".text")
        last = next(i for i, line in enumerate(lines) if line.strip() == f"{END_OF_TEXT}:")
    except StopIteration as err:
        raise InputError(
            f"the assembly file has no .text or no {END_OF_TEXT} label", "keep both lines"
        ) from err
    return list(lines[first + 1 : last]), [*lines[: first + 1], *lines[last + 1 :]]


def _parse_code(lines: Sequence[str], encodings: EncodingTable) -> _Code:
    code = _Code()
    texts: dict[int, tuple[str, str]] = {}  # index -> text still to be assembled, and its line
    for line in lines:
        try:
            _parse_line(line, code, texts, encodings)
        except BuildError as err:
            raise _about(line, err) from None
    try:
        made = encodings.assemble([text for text, _ in texts.values()])
    except BuildError:
        for text, line in texts.values():  # which one
            try:
                encodings.assemble([text])
            except BuildError as err:
                raise _about(line, err) from None
        raise
    for index, inst in zip(texts, made, strict=True):
        code.instructions[index] = inst
    return code


def _parse_line(
    line: str, code: _Code, texts: dict[int, tuple[str, str]], encodings: EncodingTable
) -> None:
    """Add what one line of code says."""
    stripped, bits = line.strip(), _BITS.search(line)
    stripped = " ".join(stripped.partition(";")[0].split())
    if not stripped or stripped.startswith(_SYMBOL_DIRECTIVE):
        return
    at = len(code.instructions)
    mark = _MARK.search(line)
    if mark:
        code.marks[at] = int(mark.group(1), 16)
    label = _LABEL.match(stripped)
    if label:
        if label.group(1) in code.labels:
            raise EditError(f"label {label.group(1)} is defined twice", "rename one")
        code.labels[label.group(1)] = at
        return
    fill = _FILL.match(stripped)
    if fill:
        count, word = int(fill.group(1)), int(fill.group(2), 16)
        if count > 1 << 22:
            raise EditError(f"{stripped}: too many words", "write fewer")
        code.instructions += encodings.decode(word.to_bytes(4, "little")) * count
        return
    if _LONG.match(stripped):
        words = [int(w, 16) for w in stripped[6:].split(", ")]
        code.instructions += encodings.decode(struct.pack(f"<{len(words)}I", *words))
        return
    reference = _REFERENCE.search(stripped)
    if reference:
        name, kind, addend = reference.group(1), reference.group(2), reference.group(4) or ""
        code.symbols.append((at, name, kind))
        code.lines[at] = line
        value = "0x5a5a5a5a5a5a5a5a" if kind == "rel64" else "lit(0x0)"
        stripped = f"{stripped[: reference.start()]}, {value}{addend}"
    statement = vet_line(stripped)
    text = statement.text or ""
    if statement.branch is not None:
        code.branches[at] = statement.branch
        code.lines[at] = line
    kept = encodings.decode(bytes.fromhex(bits.group(1))) if bits else []
    if len(kept) == 1 and kept[0].text == text:
        code.instructions.append(kept[0])
        return
    texts[at] = (text, line)
    code.instructions.append(_PLACEHOLDER)


def _program(co: CodeObject, facts: _Facts, lines: Sequence[str]) -> Program:
    encodings = table(co.target)
    code = _parse_code(lines, encodings)
    if facts.growth_refused:
        _hold(code, facts, len(co.text), encodings)
    count = len(code.instructions)

    def index_of(label: str, what: str) -> int:
        if label == END_OF_TEXT:
            return count
        index = code.labels.get(quoted(label))
        if index is None:
            raise EditError(f"label {label} ({what}) is missing", "keep the labels of the file")
        return index

    starts = [(offset, name, is_kernel) for name, _, is_kernel, offset in facts.functions]
    firsts = [index_of(label, f"entry of {name}") for name, label, _, _ in facts.functions]
    if firsts != sorted(set(firsts)):
        raise EditError("the functions are no longer in their order", "keep it")
    targets: dict[int, int] = {}
    for i, name in code.branches.items():
        target = code.labels.get(name)
        if target is None or target >= count:
            raise _about(code.lines[i], EditError(f"unknown label {name}", "define it"))
        targets[i] = target
    anchors: dict[int, int] = {}
    for offset, label in facts.anchors:
        if offset in facts.soft and quoted(label) not in code.labels and label != END_OF_TEXT:
            # A label of the symbol table whose code was taken out: keep it beside its neighbour.
            anchors[offset] = max(anchors.values(), default=0)
        else:
            anchors[offset] = index_of(label, "named by the container")
    draft = Program(
        object=co,
        instructions=tuple(code.instructions),
        offsets=(),
        targets=targets,
        labels={i: n for n, i in code.labels.items() if i < count},
        functions=function_bounds(starts, firsts, code.instructions),
        references=_references(co, code, encodings),
        anchors=anchors,
        soft_anchors=facts.soft,
        moved=True,
        growth=Growth(facts.growth_refused),
    )
    # The alignment of each function is that of its place in the original.
    original = replace(
        draft,
        functions=tuple(
            Function(f.name, n, n, n, f.is_kernel) for n, f in enumerate(draft.functions)
        ),
        offsets=tuple(at for at, _, _ in starts),
    )
    return lay_out(original, draft, encodings)


def _hold(code: _Code, facts: _Facts, size: int, encodings: EncodingTable) -> None:
    """Put padding where code that must keep its size became shorter; see `hold`."""
    places = firm(code.marks)
    places |= {code.labels[n]: at for n, at in facts.fixed.items() if n in code.labels}
    gaps = missing(code.instructions, places, size, facts.growth_refused)
    if not gaps:
        return
    (nop,) = encodings.assemble(["s_nop 0"])
    remap = Remap([(i, i, count) for i, count in gaps])
    for index, count in reversed(gaps):
        code.instructions[index:index] = [nop] * count
    moved = remap.behind
    code.labels = {name: moved(i) for name, i in code.labels.items()}
    code.branches = {moved(i): name for i, name in code.branches.items()}
    code.lines = {moved(i): line for i, line in code.lines.items()}
    code.symbols = [(moved(i), name, kind) for i, name, kind in code.symbols]


def _references(co: CodeObject, code: _Code, encodings: EncodingTable) -> tuple[PcReference, ...]:
    addresses = {quoted(s.name): s.value for s in co.elf.all_symbols() if s.section and s.name}
    out: list[PcReference] = []
    low: tuple[int, str] | None = None
    for index, name, kind in code.symbols:
        inst = code.instructions[index]
        long_branch = kind == "rel32@lo" and canonical(inst.base) == "s_add_i32"
        if kind == "rel32@lo" and not long_branch and canonical(inst.base) != "s_add_u64":
            low = (index, name)
            continue
        first = index
        if kind == "rel32@hi":
            if low is None or low[1] != name:
                raise EditError(f"{name}@rel32@hi has no @lo in front of it", "keep the pair")
            first = low[0]
        reads = [i for i in range(first) if code.instructions[i].raw in encodings.pc_reads]
        if not reads:
            raise EditError(f"{name}@{kind} has no s_getpc in front of it", "keep the sequence")
        target = code.labels.get(name)
        address = addresses.get(name, -1)
        if name.startswith(".Lasmevo_data_"):
            address = int(name.rpartition("_")[2], 16)
        if target is None and address < 0:
            raise EditError(f"unknown symbol {name}", "use a symbol of the file")
        if long_branch:
            out.append(_long_branch(code, reads[-1], index, address, target, co.target))
            continue
        out.append(PcReference(reads[-1], first, index, address, target))
        low = None
    return tuple(out)


def _long_branch(
    code: _Code, pc_read: int, index: int, address: int, target: int | None, processor: Target
) -> PcReference:
    found = find_long_branch(code.instructions, pc_read, processor)
    if found is None or found[0] != index or target is None:
        raise _about(code.lines[index], EditError("no long branch to a label", "keep the sequence"))
    _, high, addend, sign = found
    return PcReference(pc_read, index, high, address, target, addend, sign)


def _plain(lines: Sequence[str]) -> list[str]:
    """Lines without comments and with single spaces; empty ones left out."""
    found = (" ".join(line.partition(";")[0].split()) for line in lines)
    return [line for line in found if line]


def _cut(line: str) -> str:
    """A line without its comment and with single spaces, its number kept."""
    text = " ".join(line.partition(";")[0].split())
    return _Line(text, line.number) if isinstance(line, _Line) else text


def _blocks(lines: Sequence[str]) -> tuple[list[str], dict[str, list[str]], list[str]]:
    """(other lines, kernel name -> block, metadata block)."""
    other: list[str] = []
    kernels: dict[str, list[str]] = {}
    meta: list[str] = []
    it = iter(lines)
    for line in it:
        plain = _cut(line)
        if plain.startswith(".amdhsa_kernel "):
            name = plain.partition(" ")[2]
            block = kernels[name] = [plain]
            other.append(plain)
            for inner in it:
                inside = _cut(inner)
                if inside and inside != ".end_amdhsa_kernel" and not _KERNEL.match(inside):
                    failure = InputError(f"line {inside[:80]!r} inside .amdhsa_kernel {name}")
                    raise _about(inner, failure)
                block.extend([inside] if inside else [])
                if inside == ".end_amdhsa_kernel":
                    break
        elif plain == ".amdgpu_metadata":
            meta = [plain]
            other.append(plain)
            for inner in it:
                # LLVM ends the block at the directive, whatever follows it on the line.
                if _META_END.match(inner):
                    meta.append(".end_amdgpu_metadata")
                    break
                meta.append(inner)
        elif plain:
            other.append(plain)
    return other, kernels, meta


def _descriptors(co: CodeObject, data: bytes, program: Program, rest: Sequence[str]) -> bytes:
    """Check the lines outside the code, and put edited descriptors and metadata into `data`."""
    other, kernels, meta = _blocks(rest)
    written = [*head(co), *tail(co, program.labels_by_offset)]
    expected, old_kernels, old_meta = _blocks(written)
    if other != expected:
        n = next((n for n, (a, b) in enumerate(zip(other, expected, strict=False)) if a != b),
                 min(len(other), len(expected)))  # fmt: skip
        line = other[n] if n < len(other) else "end of file"
        failure = InputError(
            f"line {line[:80]!r} was changed", "edit only code, .amdhsa_kernel blocks and metadata"
        )
        raise _about(line, failure)
    out = bytearray(data)
    rebuilt = CodeObject.open(data)
    for name, lines in kernels.items():
        if lines == [" ".join(x.split()) for x in old_kernels[name]]:
            continue
        try:
            made = guarded(
                partial(directives.assemble_block, lines, co.target, co.abi_version),
                sum(map(len, lines)),
            )
        except BuildError as err:
            raise _about(lines[err.line - 1] if err.line else lines[0], err) from None
        at = next(
            k
            for k in rebuilt.kernels
            if name in (quoted(k.symbol), quoted(k.symbol.removesuffix(".kd")))
        )
        offset = at.descriptor_offset
        out[offset : offset + 16], out[offset + 24 : offset + 64] = made[:16], made[24:]
    if meta and _plain(meta) != _plain(old_meta):
        _put_metadata(co, out, meta)
    return bytes(out)


def _put_metadata(co: CodeObject, out: bytearray, lines: Sequence[str]) -> None:
    try:
        made = guarded(
            partial(metatext.assemble_block, lines, co.target, co.abi_version),
            sum(map(len, lines)),
        )
    except BuildError as err:
        raise _about(lines[min(err.line, len(lines)) - 1] if err.line else lines[0], err) from None
    old = co.metadata
    if old is None or made.raw == old.raw:
        return
    if old.parts:
        raise BuildError(
            f"the object has {len(old.parts)} metadata notes; their text cannot be changed",
            "change the code and the kernel descriptors only",
        )
    data = bytes(out)
    out[:] = put_note(data, CodeObject.open(data), old, made.data)
