"""What an edit may declare: fewer registers for the kernel it edits, and nothing else.

Fewer registers let more waves live on a SIMD; the loader reads the counts from the descriptor, and
tools read them from the metadata, so both must say the same. More registers are refused: waves of
different workgroups that wait for each other may no longer be resident together. Counts are only
worth lowering where the code itself shows all registers that it names, so a kernel that calls
other code, jumps to places unknown, or picks registers at run time keeps what it has.

Source: LLVM `AMDGPUUsage`, "compute_pgm_rsrc1", "compute_pgm_rsrc3 for GFX90A, GFX942", and
"Code Object V3 Metadata".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asmevo.check.engine.kernels import kernel_view
from asmevo.check.findings import ERROR, Finding
from asmevo.check.rules.registers import used_registers
from asmevo.codeobject import CodeObject, Kernel
from asmevo.codeobject.note import patch_numbers
from asmevo.errors import BuildError, InputError
from asmevo.isa.traits import traits_of
from asmevo.program import Program

DECLARABLE = frozenset({"vgprs", "accum_offset"})
"""Descriptor fields, as `check.rules.abi` names them, that an edit may declare to change."""

NAMES = {"registers": DECLARABLE}
"""What a user may declare, by the word for it."""

_COUNTS = (".vgpr_count", ".agpr_count")


def fields_of(names: Collection[str]) -> frozenset[str]:
    """The descriptor fields behind the words of `NAMES`.

    Raises:
        InputError: an unknown word.
    """
    unknown = next((n for n in names if n not in NAMES), None)
    if unknown is not None:
        raise InputError(f"{unknown!r:.40} cannot be declared", f"declare {', '.join(NAMES)}")
    return frozenset(name for n in names for name in NAMES[n])


def check_declared(
    k0: CodeObject,
    program: Program,
    declared: Collection[str],
    edited: Collection[str] | None = None,
) -> list[Finding]:
    """What is wrong with the declared changes of an edited object.

    Args:
        k0: the original.
        program: the edited object's program.
        declared: the fields that were declared.
        edited: kernels that may differ; None allows every one.
    """
    if not declared:
        return []
    found = [
        _finding("", name, f"{name} is nothing that an edit may change", "leave it as it is")
        for name in sorted(set(declared) - DECLARABLE)
    ]
    others = {k.symbol: k for k in program.object.kernels}
    changed = [
        (kernel, others[kernel.symbol])
        for kernel in k0.kernels
        if kernel.symbol in others and _differ(kernel, others[kernel.symbol])
    ]
    for before, after in changed:
        if edited is not None and before.name not in edited:
            found.append(
                _finding(before.name, "vgprs", "registers of a kernel that is not edited differ",
                         "restore them")
            )  # fmt: skip
            continue
        found += _counts(before, after, program)
    if not found and _notes(_restated(k0, changed)) != _notes(program.object):
        found.append(
            _finding("", "note", "notes differ by more than the declared register counts",
                     "restore them")
        )  # fmt: skip
    return found


def _finding(kernel: str, what: str, message: str, fix: str) -> Finding:
    return Finding("abi.declared", "R", ERROR, kernel, -1, "", message=message, what=what, fix=fix)


def _differ(before: Kernel, after: Kernel) -> bool:
    same = all(before.metadata.raw.get(key) == after.metadata.raw.get(key) for key in _COUNTS)
    a, b = before.descriptor, after.descriptor
    return not same or (a.vgprs, a.arch_vgprs) != (b.vgprs, b.arch_vgprs)


def _counts(before: Kernel, after: Kernel, program: Program) -> Iterator[Finding]:
    """Faults of one kernel's new counts."""
    a, b = before.descriptor, after.descriptor
    for name, old, new in (
        ("vgprs", a.vgprs, b.vgprs),
        ("accum_offset", a.arch_vgprs, b.arch_vgprs),
    ):
        if new > old:
            yield _finding(before.name, name, f"{name} was {old}, is {new}: more than before",
                           "declare fewer, never more")  # fmt: skip
    view = kernel_view(program, after)
    code = program.instructions[view.first : view.last]
    unseen = any(i.text is None or traits_of(i.base).indirect for i in code)
    if unseen or view.calls or view.indirect:
        yield _finding(
            before.name, "vgprs",
            "the code calls, jumps to places unknown or picks registers at run time, so what it "
            "needs is not known", "leave the registers as they are",
        )  # fmt: skip
        return
    used = used_registers(view)
    told = after.metadata.vgpr_count
    least = max(used.vgprs, used.agprs)
    # That the code uses more than the descriptor has is the resource rules' to say.
    restated = after.metadata.raw.get(".vgpr_count") is not None and least <= b.vgprs
    if restated and not least <= told <= b.vgprs:
        yield _finding(
            before.name, "vgprs",
            f"metadata says {told} registers; the code uses {least}, the descriptor has {b.vgprs}",
            "make them agree",
        )  # fmt: skip


def _restated(k0: CodeObject, changed: Collection[tuple[Kernel, Kernel]]) -> CodeObject | None:
    """The original with the new counts in its notes; None where they do not fit."""
    data = k0.data
    for before, after in changed:
        raw = after.metadata.raw
        numbers = {key: int(raw[key]) for key in _COUNTS if key in raw}
        try:
            data = patch_numbers(data, k0, before, numbers)
        except BuildError:
            return None
    return CodeObject.open(data)


def _notes(co: CodeObject | None) -> list[tuple[str, int, bytes]] | None:
    return None if co is None else [(n.name, n.type, n.desc) for n in co.elf.notes()]
