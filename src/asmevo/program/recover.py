"""From a code object to a program, with proof that nothing was lost.

The proof has four parts: every distinct encoding re-assembles to its bytes or is kept as bytes and
marked; every branch re-encodes from its symbolic target to the same word; every descriptor encodes
to its 64 bytes; the rebuilt file is byte-identical to the original.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

from asmevo.codeobject import CodeObject
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.codeobject.elf import SHT_RELA, STB_LOCAL, STT_NOTYPE
from asmevo.codeobject.relocations import RelocationType
from asmevo.errors import UnsupportedError
from asmevo.isa.flow import FlowKind, flow_of_text
from asmevo.isa.instruction import Instruction
from asmevo.program.encoding import EncodingTable, table
from asmevo.program.model import Function, Growth, Program
from asmevo.program.rebuild.image import encode_branch, rebuild
from asmevo.program.rebuild.references import find_references
from asmevo.program.rebuild.unmoved import Code, refuse_growth

_IDENTIFIER = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]*\Z")
_PADDING = ("s_nop", "s_code_end")
# The largest object of a ROCm library has 320 MiB of code in 14,000 kernels, the largest kernels
# have 2 MiB. Far more code than functions is made to cost time.
LARGEST_TEXT = 512 << 20
_TEXT_BASE, _TEXT_FUNCTION = 32 << 20, 256 << 10


class RecoverError(UnsupportedError):
    """The object cannot be recovered exactly; it is refused."""


def recover(co: CodeObject) -> Program:
    """The program of a code object.

    Raises:
        RecoverError: the unedited program does not rebuild to the same bytes; the message names
            the first difference.
        UnsupportedError: LLVM does not know the target, or more code than `LARGEST_TEXT`, or than
            so few functions may have.
    """
    starts = _function_starts(co)
    most = min(LARGEST_TEXT, _TEXT_BASE + _TEXT_FUNCTION * len(starts))
    if co.text_section.size > most:
        raise UnsupportedError(
            f"{co.text_section.size} bytes of code; at most {most} are recovered "
            f"for {len(starts)} functions",
            "an instruction takes some 50 bytes of memory",
        )
    encodings = table(co.target)
    bounds = [at for at, _, _ in starts] + [len(co.text)]
    decoded: list[Instruction] = []
    firsts: list[int] = []
    for begin, end in pairwise(bounds):
        firsts.append(len(decoded))
        decoded.extend(encodings.decode(co.text, begin, end))
    instructions = tuple(decoded)
    del decoded
    # As machine words: a tuple and a dictionary of them take 140 bytes for each instruction.
    offsets = array("Q", accumulate([len(i.raw) for i in instructions], initial=0))
    end = offsets.pop()
    index_at = Places(offsets)
    marked = encodings.marked
    special = [i for i, inst in enumerate(instructions) if inst.raw in marked]
    targets, unresolved = _branch_targets(encodings, instructions, special, offsets, index_at)
    functions = function_bounds(starts, firsts, instructions)
    references, loose = find_references(co, encodings, instructions, special, offsets, index_at)
    refusal = ""
    if unresolved:
        refusal = (
            f"branch at {co.text_section.name}+0x{offsets[unresolved[0]]:x} goes to no instruction"
        )
    index_at = Places(offsets, end)
    anchors, soft, adrift = _anchors(co, index_at)
    refusal = refusal or adrift
    code = Code(
        co, encodings, instructions, special, offsets, targets, functions, references, loose
    )
    more = {r.target for r in references if r.target is not None}
    labels = _labels(co, functions, targets, more, index_at)
    program = Program(
        object=co,
        instructions=instructions,
        offsets=offsets,
        targets=targets,
        labels=labels,
        functions=functions,
        references=references,
        anchors=anchors,
        soft_anchors=soft,
        growth=Growth(refusal or partial(refuse_growth, code)),
    )
    _prove(program)
    return program


class Places(Mapping[int, int]):
    """Byte offset in the code -> index of the instruction that starts there.

    `end`, when given, is the offset behind the last one, and has the index behind it.
    """

    def __init__(self, offsets: Sequence[int], end: int | None = None) -> None:
        self._offsets, self._end = offsets, end

    def __getitem__(self, offset: int) -> int:
        """The index, or KeyError inside an instruction and outside the code."""
        index = bisect_left(self._offsets, offset)
        if index < len(self._offsets) and self._offsets[index] == offset:
            return index
        if offset == self._end:
            return index
        raise KeyError(offset)

    def __iter__(self) -> Iterator[int]:
        """All offsets in order."""
        yield from self._offsets
        if self._end is not None:
            yield self._end

    def __len__(self) -> int:
        """Number of offsets."""
        return len(self._offsets) + (self._end is not None)


def _anchors(
    co: CodeObject, index_at: Mapping[int, int]
) -> tuple[dict[int, int], frozenset[int], str]:
    """Original text offsets that headers name -> instruction index; the soft ones; a refusal."""
    wanted = {k.entry for k in co.kernels}
    for section in co.code_sections:
        wanted |= {section.address - co.text_address}
        wanted |= {section.address + section.size - co.text_address}
    if co.target.is_gfx9:  # firmware with kernarg preload enters behind the prologue
        preloading = (k for k in co.kernels if k.descriptor.kernarg_preload_length)
        wanted |= {k.entry + PRELOAD_PROLOGUE for k in preloading} & index_at.keys()
    soft: set[int] = set()
    for s in co.text_symbols:
        local = s.binding == STB_LOCAL and s.type == STT_NOTYPE
        (soft if local else wanted).add(s.value - co.text_address)
        (soft if local else wanted).add(s.value + s.size - co.text_address)
    for section in co.elf.sections:
        if section.type == SHT_RELA:
            relative = (
                r for r in co.elf.relocations(section) if r.type == RelocationType.RELATIVE64
            )
            wanted |= {r.addend - co.text_address for r in relative}
    inside = [at for at in wanted | soft if 0 <= at <= len(co.text)]
    adrift = [at for at in inside if at not in index_at]
    refusal = ""
    if adrift:
        refusal = f"a symbol or relocation names .text+0x{adrift[0]:x}, inside an instruction"
    found = {at: index_at[at] for at in inside if at in index_at}
    return found, frozenset(soft - wanted) & found.keys(), refusal


def _function_starts(co: CodeObject) -> list[tuple[int, str, bool]]:
    """(offset in text, name, is kernel) of every region that decoding must start at."""
    size = co.text_section.size
    starts: dict[int, tuple[str, bool]] = {}
    for s in co.function_symbols:
        at = s.value - co.text_address
        if 0 <= at < size and at % 4 == 0:
            starts[at] = (s.name, False)
    for k in co.kernels:
        name = starts.get(k.entry, (k.symbol.removesuffix(".kd"), True))[0]
        starts[k.entry] = (name, True)
    for section in co.code_sections:
        if section.size:
            starts.setdefault(section.address - co.text_address, (section.name, False))
    return [(at, *starts[at]) for at in sorted(starts)]


def _branch_targets(
    encodings: EncodingTable,
    instructions: Sequence[Instruction],
    special: Sequence[int],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
) -> tuple[dict[int, int], list[int]]:
    branches = encodings.branches
    targets: dict[int, int] = {}
    unresolved: list[int] = []
    for i in special:
        inst = instructions[i]
        if inst.raw in branches:
            words = int.from_bytes(inst.raw[:2], "little", signed=True)
            target = index_at.get(offsets[i] + 4 + 4 * words)
            if target is None:
                unresolved.append(i)
            else:
                targets[i] = target
    return targets, unresolved


def _is_padding(inst: Instruction) -> bool:
    return inst.raw == bytes(4) or (inst.text is not None and inst.text.startswith(_PADDING))


def function_bounds(
    starts: Sequence[tuple[int, str, bool]],
    firsts: Sequence[int],
    instructions: Sequence[Instruction],
) -> tuple[Function, ...]:
    """Functions from their starts (offset, name, is kernel) and first instructions."""
    out: list[Function] = []
    for n, (_, name, is_kernel) in enumerate(starts):
        first = firsts[n]
        end = firsts[n + 1] if n + 1 < len(firsts) else len(instructions)
        last = end
        while last > first and _is_padding(instructions[last - 1]):
            last -= 1
        # Trailing nops belong to the code unless control cannot reach them.
        text = instructions[last - 1].text if last > first else None
        flow = flow_of_text(text or "")
        if flow.falls and flow.kind is not FlowKind.TRAP:
            last = end
        out.append(Function(name, first, last, end, is_kernel))
    return tuple(out)


def _labels(
    co: CodeObject,
    functions: Sequence[Function],
    targets: Mapping[int, int],
    more: set[int],
    index_at: Mapping[int, int],
) -> dict[int, str]:
    names: dict[int, str] = {f.first: f.name for f in functions if _IDENTIFIER.match(f.name)}
    wanted = {t for t in targets.values()} | more
    used = set(names.values())
    for s in co.text_symbols:
        index = index_at.get(s.value - co.text_address)
        free = index in wanted and index not in names and s.name not in used
        if index is not None and free and _IDENTIFIER.match(s.name):
            names[index] = s.name
            used.add(s.name)
    labels: dict[int, str] = {}
    count = 0
    for index in sorted(wanted | set(names)):
        name = names.get(index)
        while name is None:
            name = f".L{count}"
            count += 1
            if name in used:
                name = None
        labels[index] = name
    return labels


def _prove(program: Program) -> None:
    co = program.object
    for i, target in program.targets.items():
        raw = program.instructions[i].raw
        if encode_branch(raw, program.offsets[i], program.offsets[target]) != raw:
            raise RecoverError(f"branch {program.line(i)} does not re-encode to {raw.hex()}")
    for kernel in co.kernels:
        at = kernel.descriptor_offset
        if kernel.descriptor.encode() != co.data[at : at + 64]:
            raise RecoverError(f"descriptor of {kernel.name} does not encode to its bytes")
    data = rebuild(program)
    if data != co.data:
        size = min(len(data), len(co.data))
        at = next((n for n in range(size) if data[n] != co.data[n]), size)
        raise RecoverError(f"the rebuilt file differs from the original at file offset {at}")
