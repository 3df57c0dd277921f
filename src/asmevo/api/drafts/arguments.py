"""How the code itself uses a scalar argument: as a float, or as an integer.

Metadata of most compilers gives the size of an argument and not its type. Where a value is loaded
from the kernarg segment into an SGPR and an instruction reads that SGPR as `f32`, the launch should
give an f32. The code is read once from top to bottom, as it stands: what this says is a hint for
people, and no part of any verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import match_arguments
from asmevo.codeobject import Kernel
from asmevo.codeobject.descriptor import KernelDescriptor
from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.operand import Imm, Reg, RegKind
from asmevo.isa.semantics.table import lookup
from asmevo.program import Program

_FLOATS = {"f16": 2, "f32": 4, "f64": 8}
_INTEGERS = {"i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}


@dataclass(frozen=True, slots=True)
class Use:
    """One instruction that reads an argument with a type.

    Attributes:
        kind: `float` or `integer`.
        type: type of the operand, e.g. `f32`.
        index: instruction index.
        text: its text.
    """

    kind: str
    type: str
    index: int
    text: str


def uses_of_arguments(program: Program, kernel: Kernel) -> dict[int, tuple[Use, ...]]:
    """Kernarg byte offset -> typed uses of the dword loaded from there, in code order."""
    function = program.kernel_function(kernel)
    pointer = _pointer(kernel.descriptor)
    held = _preloaded(kernel.descriptor)
    found: dict[int, list[Use]] = {}
    for index in range(function.first, function.last):
        inst = program.instructions[index]
        if inst.text is None:
            continue
        decoded = decode(inst, program.target)
        for offset, kind in _typed_reads(decoded, held):
            group = "float" if kind in _FLOATS else "integer"
            found.setdefault(offset, []).append(Use(group, kind, index, inst.text))
        loaded = _kernarg_load(decoded, pointer)
        for unit in decoded.defs:
            held.pop(unit, None)
        if pointer is not None and not decoded.defs.isdisjoint((pointer, pointer + 1)):
            pointer = None
        held.update(loaded)
    return {offset: tuple(uses) for offset, uses in found.items()}


def suspicious(program: Program, kernel: Kernel, spec: LaunchSpec) -> list[str]:
    """Scalar arguments of a description whose type the code contradicts, one line each.

    An integer counts as wrong when every typed use is a float's, and the other way round.
    """
    uses = uses_of_arguments(program, kernel)
    notes: list[str] = []
    for arg, entry in match_arguments(spec, kernel.metadata):
        if entry.value is None or entry.dtype is None:
            continue
        given = "float" if entry.dtype.startswith(("f", "bf")) else "integer"
        seen = uses.get(arg.offset, ())
        if seen and all(u.kind != given for u in seen):
            first = seen[0]
            notes.append(
                f"argument {entry.name} is given as {entry.dtype}, but instruction {first.index} "
                f"`{first.text}` reads it as {first.type}: is its dtype {_like(first, arg.size)}?"
            )
    return notes


def guessed_dtype(uses: tuple[Use, ...], size: int) -> tuple[str, Use] | None:
    """The dtype that the uses of an argument agree on, with the first use; None if they do not."""
    if not uses or len({u.kind for u in uses}) != 1:
        return None
    return _like(uses[0], size), uses[0]


def _like(use: Use, size: int) -> str:
    if use.kind == "integer":
        return {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(size, use.type)
    return {2: "f16", 4: "f32", 8: "f64"}.get(size, use.type)


def _pointer(d: KernelDescriptor) -> int | None:
    """First SGPR of the kernarg segment's address (AMDGPUUsage, initial kernel state)."""
    if not d.enable_sgpr_kernarg_segment_ptr:
        return None
    first = 4 * bool(d.enable_sgpr_private_segment_buffer)
    return first + 2 * bool(d.enable_sgpr_dispatch_ptr) + 2 * bool(d.enable_sgpr_queue_ptr)


def _preloaded(d: KernelDescriptor) -> dict[int, int]:
    """SGPR -> byte offset of arguments that the hardware loads before the kernel starts."""
    length, first = d.kernarg_preload_length, d.user_sgpr_count - d.kernarg_preload_length
    return {first + n: 4 * (d.kernarg_preload_offset + n) for n in range(length)}


def _kernarg_load(decoded: Decoded, pointer: int | None) -> dict[int, int]:
    """SGPR -> byte offset of what a scalar load takes from the kernarg segment."""
    name, operands = decoded.name, decoded.inst.operands
    if pointer is None or not name.startswith("s_load_dword") or len(operands) < 3:
        return {}
    target, base, offset = (operand.value for operand in operands[:3])
    if not (isinstance(target, Reg) and isinstance(base, Reg) and isinstance(offset, Imm)):
        return {}
    if base.kind is not RegKind.SGPR or base.index != pointer:
        return {}
    return {unit: offset.value + 4 * n for n, unit in enumerate(target.units)}


def _typed_reads(decoded: Decoded, held: dict[int, int]) -> list[tuple[int, str]]:
    """(kernarg offset, operand type) of operands that are an argument as it was loaded."""
    semantic = lookup(decoded.name)
    if semantic is None or not held:
        return []
    operands = decoded.inst.operands
    first = len(decoded.def_operands)
    out: list[tuple[int, str]] = []
    for kind, operand in zip(semantic.srcs, operands[first:], strict=False):
        reg, size = operand.value, _FLOATS.get(kind) or _INTEGERS.get(kind)
        if size is None or not isinstance(reg, Reg) or reg.kind is not RegKind.SGPR:
            continue
        if reg.units[0] in held and reg.count == max(size // 4, 1):
            out.append((held[reg.units[0]], kind))
    return out
