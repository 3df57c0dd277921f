"""Edits: replace a range of instructions by text, and place everything else around it.

A label stays in front of what replaces its instruction, so a branch to it runs the new lines; a
label strictly inside the range must be defined again by the lines if anything outside goes to it.

Code that must keep its size (`Program.growth_refused`) is patched in place: no edit may be longer
than what it replaces, the rest is filled up with `s_nop 0`, and nothing else moves.

An edit may declare other register counts for the kernel that it is in; descriptor and metadata
then change with the code, and the gates take that change because it is declared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from asmevo.codeobject import CodeObject
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.isa.instruction import Instruction
from asmevo.program.encoding import EncodingTable, table
from asmevo.program.grammar import EditError, Statement, vet
from asmevo.program.model import Program
from asmevo.program.rebuild.layout import lay_out
from asmevo.program.rebuild.remap import Remap
from asmevo.program.rebuild.resources import Resources, set_resources


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace instructions `[first, last)` by `lines`; `first == last` inserts before `first`.

    `resources` are what the kernel that holds `first` shall have from now on.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    note: str = ""
    resources: Resources | None = None


def apply(program: Program, edits: Sequence[Edit]) -> Program:
    """The program with the edits applied, assembled and laid out.

    All indices refer to `program`. Edits must not overlap.

    Raises:
        EditError: a refused line, a range that may not change, an unknown or lost label, a
            branch out of range, resources outside a kernel, or lines that are longer than what
            they replace where the program must keep its size.
        AssemblyError: LLVM rejects a line.
        BuildError: resources that the target does not have.
    """
    program = _with_resources(program, edits)
    if program.growth_refused:
        edits = fitted(program, edits)
    ordered = sorted(edits, key=lambda e: (e.first, e.last))
    statements = [vet(e.lines) for e in ordered]
    _check_ranges(program, ordered)
    encodings = table(program.target)
    assembled = iter(_instructions(program, encodings, ordered, statements))
    sizes = [sum(s.text is not None for s in group) for group in statements]
    remap = Remap([(e.first, e.last, n) for e, n in zip(ordered, sizes, strict=True)])

    instructions: list[Instruction] = []
    defined: dict[str, int] = {}
    branches: dict[int, str] = {}
    at = 0
    for edit, group in zip(ordered, statements, strict=True):
        instructions.extend(program.instructions[at : edit.first])
        for s in group:
            if s.label is not None:
                if s.label in defined:
                    raise EditError(f"label {s.label} is defined twice", "rename one")
                defined[s.label] = len(instructions)
                continue
            if s.branch is not None:
                branches[len(instructions)] = s.branch
            instructions.append(next(assembled))
        at = edit.last
    instructions.extend(program.instructions[at:])
    return _place(program, encodings, ordered, remap, instructions, defined, branches)


def _with_resources(program: Program, edits: Sequence[Edit]) -> Program:
    """The same code in an object that declares what the edits say."""
    for edit in edits:
        if edit.resources is None:
            continue
        holder = next(
            (
                k.name
                for k in program.object.kernels
                if program.kernel_function(k).first <= edit.first < program.kernel_function(k).last
            ),
            None,
        )
        if holder is None:
            raise EditError(f"instruction {edit.first} is in no kernel", "name one of a kernel")
        data = set_resources(program.object, program.object.kernel(holder), edit.resources)
        program = replace(program, object=CodeObject.open(data))
    return program


def fitted(program: Program, edits: Sequence[Edit]) -> list[Edit]:
    """The edits with `s_nop 0` lines behind them, so that each takes the bytes it replaces.

    Raises:
        EditError: a line is refused, or the lines are longer than what they replace.
        AssemblyError: LLVM rejects a line.
    """
    out: list[Edit] = []
    for edit in edits:
        group = vet(edit.lines)
        made = _instructions(program, table(program.target), [edit], [group])
        size = sum(i.size for i in made)
        room = sum(i.size for i in program.instructions[edit.first : edit.last])
        if size > room:
            why = f"; the code must keep its size: {program.growth_refused}"
            raise EditError(
                f"the lines take {size} bytes where {room} are replaced"
                + (why if program.growth_refused else ""),
                "keep the edit's size",
            )
        lines = (*edit.lines, *["s_nop 0"] * ((room - size) // 4))
        out.append(replace(edit, lines=lines))
    return out


def _instructions(
    program: Program,
    encodings: EncodingTable,
    edits: Sequence[Edit],
    statements: Sequence[Sequence[Statement]],
) -> list[Instruction]:
    """Instructions for all lines, in order.

    A line that repeats an instruction of its range takes that instruction as it is: moving code
    about keeps its bytes, also where LLVM would encode the text otherwise.
    """
    out: list[Instruction | None] = []
    fresh: list[str] = []
    for edit, group in zip(edits, statements, strict=True):
        kept: dict[str, deque[Instruction]] = {}
        for i in range(edit.first, edit.last):
            if i not in program.targets:
                inst = program.instructions[i]
                kept.setdefault(inst.text or "", deque()).append(inst)
        for s in group:
            if s.text is None:
                continue
            same = kept.get(s.text) if s.branch is None else None
            if same:
                out.append(same[0] if len(same) == 1 else same.popleft())
            else:
                out.append(None)
                fresh.append(s.text)
    made = iter(encodings.assemble(fresh))
    instructions = [next(made) if inst is None else inst for inst in out]
    if any(i.raw in encodings.pc_reads for i in instructions):
        raise EditError("a line reads the program counter", "leave PC-relative code as it is")
    return instructions


def _check_ranges(program: Program, edits: Sequence[Edit]) -> None:
    count = len(program.instructions)
    previous = 0
    for e in edits:
        if not 0 <= e.first <= e.last <= count:
            raise EditError(f"range {e.first}..{e.last} is outside the program of {count}")
        if e.first < previous:
            raise EditError(f"edits overlap at instruction {e.first}", "merge them")
        previous = e.last
        unknown = next(
            (i for i in range(e.first, e.last) if program.instructions[i].text is None), None
        )
        if unknown is not None:
            raise EditError(
                f"instruction {unknown} ({program.line(unknown)}) cannot be decoded", "leave it out"
            )
    touched = [(r, e) for r in program.references for e in edits
               if any(e.first <= i < e.last for i in (r.pc_read, r.low, r.high))]  # fmt: skip
    if touched:
        line = program.line(touched[0][0].low)
        raise EditError(f"the range holds a PC-relative address ({line})", "leave it out")
    for kernel in program.object.kernels if program.target.is_gfx9 else ():
        if kernel.descriptor.kernarg_preload_length:
            entry = program.anchors[kernel.entry]
            limit = program.offsets[entry] + PRELOAD_PROLOGUE
            frozen_last = bisect_left(program.offsets, limit)
            if any(e.first < frozen_last and e.last >= entry for e in edits if e.first >= entry):
                raise EditError(
                    f"the first {PRELOAD_PROLOGUE} bytes of {kernel.name} are the entry for "
                    "firmware without kernarg preload",
                    "edit behind them",
                )


def _labels(
    program: Program, edits: Sequence[Edit], remap: Remap, defined: dict[str, int], count: int
) -> dict[int, str]:
    """New index -> label, new definitions winning over the old place of the same name."""
    entries = {f.first for f in program.functions}
    labels: dict[int, str] = {}
    for old, name in program.labels.items():
        new = remap.boundary(old)
        if name in defined:
            if not any(e.first <= old <= e.last for e in edits):
                raise EditError(f"label {name} exists already", "choose another name")
            if old in entries and new != defined[name]:
                raise EditError(f"the entry {name} cannot move", "keep its label first")
            new = defined[name]
        if new is not None:
            labels.setdefault(new, name)
    for name, new in defined.items():
        labels.setdefault(new, name)
    behind = [name for index, name in labels.items() if index >= count]
    if behind:
        raise EditError(f"label {behind[0]} is behind the last instruction")
    return labels


def _place(
    program: Program,
    encodings: EncodingTable,
    edits: Sequence[Edit],
    remap: Remap,
    instructions: list[Instruction],
    defined: dict[str, int],
    branches: dict[int, str],
) -> Program:
    count = len(instructions)
    labels = _labels(program, edits, remap, defined, count)

    def moved(old: int, what: str) -> int:
        name = program.labels.get(old)
        if name is not None and name in defined:
            return defined[name]
        new = remap.boundary(old)
        if new is None:
            raise EditError(
                f"{what} {name or f'instruction {old}'} is inside the replaced range",
                "define its label again in the lines, or choose another range",
            )
        return new

    def end(old: int, what: str) -> int:
        return count if old == len(program.instructions) else moved(old, what)

    def anchor(at: int, old: int) -> int:
        """A mere label of the symbol table goes to the start of what replaced its place."""
        if at not in program.soft_anchors:
            return moved(old, "symbol at")
        while remap.boundary(old) is None:
            old -= 1
        return moved(old, "label")

    draft = remap.program(program, instructions, place=moved, end=end, anchor=anchor)
    targets = dict(draft.targets)
    for i, name in branches.items():
        old = program.index_of_label.get(name)
        if name in defined:
            targets[i] = defined[name]
        elif old is not None:
            targets[i] = moved(old, "label")
        else:
            raise EditError(f"unknown label {name}", "use a label of the listing, or define it")
    if any(target >= count for target in targets.values()):
        raise EditError("a branch goes behind the last instruction")
    draft = replace(draft, targets=targets, labels=labels, moved=True)
    return lay_out(program, draft, encodings)
