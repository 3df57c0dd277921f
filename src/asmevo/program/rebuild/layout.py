"""Layout: function alignment, offsets, branch displacements and PC-relative distances.

Function starts keep their alignment (kernels need 256 bytes); the padding between functions
takes up the difference. Everything that encodes a distance is encoded again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.errors import BuildError
from asmevo.isa.flow import flow_of
from asmevo.isa.instruction import Instruction
from asmevo.program.encoding import EncodingTable
from asmevo.program.grammar import EditError
from asmevo.program.model import Program
from asmevo.program.rebuild.image import encode_branch, shift_for, shifted
from asmevo.program.rebuild.references import encode_reference
from asmevo.program.rebuild.relax import relax
from asmevo.program.rebuild.remap import Remap

KERNEL_ALIGNMENT = 256


def lay_out(original: Program, draft: Program, encodings: EncodingTable) -> Program:
    """`draft` with aligned functions, offsets, and every distance encoded.

    `original` is the program before the edit; its function offsets give the alignments.

    Raises:
        EditError: a branch cannot reach its target even through islands, or the program refuses
            to change its size.
    """
    draft = _align_functions(original, _hold_second_entries(draft), encodings)
    relaxed = relax(draft, encodings)
    if relaxed is not draft:  # islands moved the functions behind them
        draft = relax(_align_functions(original, relaxed, encodings), encodings)
    instructions = list(draft.instructions)
    ends = list(accumulate([len(i.raw) for i in instructions]))
    offsets = (0, *ends)[:-1]
    size = ends[-1] if ends else 0
    co = draft.object
    if size != len(co.text) and draft.growth_refused:
        raise EditError(
            f"the code must keep its size: {draft.growth_refused}", "keep the edit's size"
        )
    for i, target in draft.targets.items():
        old = instructions[i]
        try:
            raw = encode_branch(old.raw, offsets[i], offsets[target])
        except BuildError as err:
            raise EditError(f"{draft.line(i)}: {err.args[0]}", err.remedy) from err
        if raw != old.raw:
            instructions[i] = _branch(encodings, raw, old)
    shift = shift_for(co, size)
    for r in draft.references:
        if r.target is not None:
            address = co.text_address + offsets[r.target]
        else:
            address = shifted(co, r.address, shift)
        distance = address - co.text_address - offsets[r.pc_read] - instructions[r.pc_read].size
        for index, raw in encode_reference(r, instructions, distance):
            if raw != instructions[index].raw:
                (instructions[index],) = encodings.decode(raw)
    return replace(draft, instructions=tuple(instructions), offsets=offsets)


def _branch(encodings: EncodingTable, raw: bytes, old: Instruction) -> Instruction:
    """The branch `old` with another displacement, without asking LLVM."""
    known = encodings.by_bytes.get(raw)
    if known is not None:
        return known
    text = old.text or ""
    words = int.from_bytes(raw[:2], "little")
    # LLVM prints the displacement as an unsigned number.
    made = Instruction(raw, f"{text[: text.rindex(' ')]} {words}")
    encodings.add_branch(made, like=old)
    return made


def _align_functions(original: Program, draft: Program, encodings: EncodingTable) -> Program:
    """Change the padding in front of functions so that each keeps its alignment."""
    if len(draft.functions) < 2:
        return draft
    shifts: list[tuple[int, int]] = []  # (index in draft, instructions inserted or removed)
    used = _pointed_at(draft)
    sizes = [len(i.raw) for i in draft.instructions]
    at = 0
    for n, f in enumerate(draft.functions):
        before = draft.functions[n - 1] if n else None
        if before is not None:
            old = original.offsets[original.functions[n].first]
            alignment = min(KERNEL_ALIGNMENT, old & -old) if old else KERNEL_ALIGNMENT
            missing = -at % alignment // 4
            spare = alignment // 4 - missing if missing else 0
            if missing:
                padding = range(before.last, before.padding_last)
                tail = padding[-spare:] if spare <= len(padding) else range(0)
                if tail and not used.intersection(tail) and all(sizes[i] == 4 for i in tail):
                    shifts.append((tail[0], -spare))
                    at -= 4 * spare
                else:
                    shifts.append((before.padding_last, missing))
                    at += 4 * missing
        at += sum(sizes[f.first : f.padding_last])
    if not shifts:
        return draft
    return _pad(draft, shifts, _padding_instruction(encodings))


def _hold_second_entries(draft: Program) -> Program:
    """Take padding out of entries for older firmware that grew, as far as there is any.

    Firmware with kernarg preload enters `PRELOAD_PROLOGUE` bytes behind the descriptor's entry, so
    what comes before must keep its size; it ends with `s_nop` that nothing falls into.
    """
    co, used = draft.object, _pointed_at(draft)
    shifts: list[tuple[int, int]] = []
    for kernel in co.kernels if co.target.is_gfx9 else ():
        second = draft.anchors.get(kernel.entry + PRELOAD_PROLOGUE)
        if not kernel.descriptor.kernarg_preload_length or second is None:
            continue
        inside = draft.instructions[draft.anchors[kernel.entry] : second]
        extra = (sum(len(i.raw) for i in inside) - PRELOAD_PROLOGUE) // 4
        first = second
        while first and first - 1 not in used and _is_nop(draft.instructions[first - 1]):
            first -= 1
        alone = first and not flow_of(draft.instructions[first - 1].base).falls
        if alone and 0 < extra <= second - first:
            shifts.append((second - extra, -extra))
    return _pad(draft, sorted(shifts), draft.instructions[0]) if shifts else draft


def _is_nop(inst: Instruction) -> bool:
    return inst.base == "s_nop"


def _pointed_at(draft: Program) -> set[int]:
    """Indices that something leads to or names."""
    used = {*draft.anchors.values(), *draft.targets.values()}
    used.update(r.target for r in draft.references if r.target is not None)
    return used


def _padding_instruction(encodings: EncodingTable) -> Instruction:
    text = "s_nop 0" if encodings.target.is_gcn else "s_code_end"
    return encodings.assemble([text])[0]


def _pad(draft: Program, shifts: Sequence[tuple[int, int]], filler: Instruction) -> Program:
    instructions: list[Instruction] = []
    at = 0
    for index, count in shifts:
        instructions.extend(draft.instructions[at:index])
        instructions.extend([filler] * max(count, 0))
        at = index + max(-count, 0)
    instructions.extend(draft.instructions[at:])
    remap = Remap([(i, i + max(-count, 0), max(count, 0)) for i, count in shifts])
    firsts = {f.first for f in draft.functions}

    def end(old: int, what: str) -> int:
        """Padding is no code: what ends at it stays in front of it."""
        new = remap.boundary(old)
        return remap.behind(old, what) if new is None else new

    def anchor(_: int, old: int) -> int:
        return remap.behind(old) if old in firsts else end(old, "symbol at")

    return remap.program(draft, instructions, end=end, anchor=anchor)
