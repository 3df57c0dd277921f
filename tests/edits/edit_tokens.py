"""Helpers of the edit tests: instructions from text, and what a run of them computes.

`meaning` is the independent truth for reorderings: it executes instructions over opaque tokens (a
result is the hash of the opcode and of what it read), so two orders with the same meaning compute
the same for every input. It knows nothing of dependence graphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.effects import OpClass, effects
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

GFX942 = Target("gfx942")


def assemble(lines: Sequence[str], target: Target = GFX942) -> list[Instruction]:
    """Instructions of text lines, with LLVM's text."""
    code = assembler(target).assemble("\n".join(lines))
    return [
        Instruction(code[d.offset : d.offset + d.size], d.text)
        for d in disassembler(target).decode(code)
    ]


def meaning(instructions: Sequence[Instruction], target: Target = GFX942) -> dict[object, object]:
    """Final token of every register unit and memory space, and the trace of synchronisation."""
    state: dict[object, object] = {}

    def read(key: object) -> object:
        return state.get(key, ("initial", key))

    trace: list[object] = []
    for inst in instructions:
        effect = effects(inst, target)
        if effect.kind in (OpClass.WAIT, OpClass.NOP):
            continue
        shape = (inst.mnemonic, re.sub(r"[vsa]\[?[\d:]+\]?", "R", inst.text or ""))
        inputs = tuple(read(u) for u in sorted(effect.uses))
        space = "lds" if effect.kind is OpClass.LDS else "memory"
        if effect.loads:
            inputs += (read(space),)
        token = hash((shape, inputs))
        if effect.kind is OpClass.BARRIER:
            trace.append((read("lds"), read("memory")))
            state["lds"] = hash(("after barrier", read("lds")))
            continue
        if effect.stores:
            state[space] = hash((token, read(space)))
        for unit in effect.defs:
            # A vector instruction keeps disabled lanes.
            kept = read(unit) if unit >= 1024 else None
            state[unit] = hash((token, unit, kept))
    state["trace"] = tuple(trace)
    return state
