"""From a program's kernels and functions to the checker's views of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from asmevo.check.engine.view import View, build_view
from asmevo.codeobject import Kernel
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.isa.flow import FlowKind, flow_of
from asmevo.program import Function, Program


def entry_indices(program: Program, kernel: Kernel) -> tuple[int, ...]:
    """Instruction indices where a kernel can start: its entry, and 256 bytes on with preload."""
    found: list[int] = []
    places = [kernel.entry]
    if kernel.descriptor.kernarg_preload_length:
        places.append(kernel.entry + PRELOAD_PROLOGUE)
    function = program.kernel_function(kernel)
    for n, place in enumerate(places):
        if n == 0 and program.moved:
            found.append(function.first)
            continue
        place += program.offsets[function.first] - kernel.entry if program.moved else 0
        index = bisect_left(program.offsets, place)
        if index < len(program.offsets) and program.offsets[index] == place:
            found.append(index)
    return tuple(found)


def _known_jumps(program: Program) -> Mapping[int, Sequence[int]]:
    """Targets of indirect jumps whose address is computed right before them from the PC."""
    found: dict[int, list[int]] = {}
    for reference in program.references:
        if reference.target is None:
            continue
        # The long branch that goes either way has a jump inside, in front of its last addition.
        for i in range(reference.low + 1, reference.high if reference.addend is not None else 0):
            if flow_of(program.instructions[i].base).kind is FlowKind.COMPUTED:
                found.setdefault(i, []).append(reference.target)
        for i in range(reference.high + 1, min(reference.high + 6, len(program.instructions))):
            if flow_of(program.instructions[i].base).kind is FlowKind.COMPUTED:
                found.setdefault(i, []).append(reference.target)
                break
    return found


def kernel_view(program: Program, kernel: Kernel) -> View:
    """The checker's graph of a kernel, with its one or two entries."""
    f = program.kernel_function(kernel)
    entries = entry_indices(program, kernel)
    return build_view(program, kernel.name, f.first, f.last, entries, _known_jumps(program))


def function_view(program: Program, f: Function) -> View:
    """The checker's graph of a function that is no kernel."""
    return build_view(program, f.name, f.first, f.last, [f.first], _known_jumps(program))
