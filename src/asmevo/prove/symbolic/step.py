"""One instruction, or a region of them, over terms.

What is in the table of semantics runs as the table says. Matrix instructions and LDS permutations
are functions of all lanes of their operands of which only the name is known. Waits, delays and
hints change no value: whether they suffice is for the static checker. What is not modelled is
refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable

from asmevo.isa.decoded import MEMORY_CLASSES, Decoded, OpClass, decode
from asmevo.isa.flow import Condition
from asmevo.isa.hwreg import HwReg, hwreg_field
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, SCC, VCC
from asmevo.isa.semantics import table as semantics
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.mix import mix_semantic
from asmevo.isa.semantics.instruction.reference import run_on
from asmevo.isa.target import Target
from asmevo.prove.symbolic import lanes
from asmevo.prove.symbolic.access import event, run_memory
from asmevo.prove.symbolic.wave import LaneState, ScalarOperands, Wave
from asmevo.prove.terms.node import Node
from asmevo.prove.window import Diamond

# Bits of MODE that `FloatMode` has: rounding, denormals, DX10_CLAMP, IEEE, FP16_OVFL.
_FLOAT_MODE = 0x80_03FF
_NO_VALUE = frozenset({OpClass.WAIT, OpClass.NOP})
_EVENTS = frozenset({OpClass.BARRIER, OpClass.CACHE, OpClass.END})
_NOT_IDLE = frozenset({"s_sethalt", "s_setkill"})


class Unmodelled(UnsupportedForm):
    """An instruction whose meaning the prover does not have; carries its text and the reason."""


def run_region(wave: Wave, region: Iterable[Instruction | Diamond], target: Target) -> None:
    """Execute a region on a wave.

    Raises:
        Unmodelled: an instruction that is not modelled.
    """
    for item in region:
        if isinstance(item, Diamond):
            _diamond(wave, item, target)
        else:
            run(wave, item, target)


def run(wave: Wave, inst: Instruction, target: Target) -> None:
    """Execute one instruction on a wave.

    Raises:
        Unmodelled: it is not modelled.
    """
    try:
        _run(wave, inst, decode(inst, target))
    except UnsupportedForm as err:
        text = inst.text or inst.raw.hex()
        raise Unmodelled(f"{text}: {err.args[0] if err.args else err}") from None


def _run(wave: Wave, inst: Instruction, d: Decoded) -> None:
    # What LLVM re-encodes otherwise of matrix instructions are bits without meaning.
    if inst.text is None or not (inst.editable or d.kind is OpClass.MFMA):
        raise UnsupportedForm("its bytes are not understood")
    if d.traits.indirect:
        raise UnsupportedForm("registers chosen at run time are not modelled")
    if d.kind in _EVENTS:
        event(wave, inst, d)
    elif d.kind in _NO_VALUE:
        if inst.base in _NOT_IDLE:
            raise UnsupportedForm("not modelled")
    elif semantics.lookup(inst.base) is not None or mix_semantic(inst.base) is not None:
        run_on(
            inst,
            wave.mode,
            lambda operands, types, packed: LaneState(wave, operands, types, packed),
            lambda operands: ScalarOperands(wave, operands),
        )
    elif inst.base in ("v_nop", "ds_nop"):
        return
    elif d.kind is OpClass.MFMA:
        lanes.matrix(wave, inst, d)
    elif d.access is not None and d.access.permutes:
        lanes.permute(wave, inst)
    elif d.kind in MEMORY_CLASSES:
        run_memory(wave, inst, d)
    elif d.traits.sets_mode:
        _set_mode(wave, inst)
    elif not lanes.cross(wave, inst):
        raise UnsupportedForm(f"{inst.base} is not modelled")


def _set_mode(wave: Wave, inst: Instruction) -> None:
    if inst.base != "s_setreg_imm32_b32":
        raise UnsupportedForm("MODE from a register is not modelled")
    number, at, count = hwreg_field(inst)
    mask = ((1 << count) - 1) << at
    if number != HwReg.MODE or mask & ~_FLOAT_MODE:
        raise UnsupportedForm("this hardware register is not modelled")
    wave.change_mode(mask, int.from_bytes(inst.raw[4:8], "little") << at)


# --- branches -----------------------------------------------------------------------------------
def condition(wave: Wave, branch: Instruction, d: Decoded) -> Node:
    """Whether a conditional branch is taken.

    Raises:
        UnsupportedForm: it looks at something that is not modelled.
    """
    flow, table = d.flow, wave.table
    if flow.condition is Condition.SCC:
        found = wave.unit(SCC)
    elif flow.condition in (Condition.VCC, Condition.EXEC):
        unit = VCC if flow.condition is Condition.VCC else EXEC
        found = table.eq(wave.wide(unit), table.const(64, 0))
    else:
        raise UnsupportedForm(f"{branch.base} is not modelled")
    return found if flow.when else table.not_(found)


def _diamond(wave: Wave, diamond: Diamond, target: Target) -> None:
    d = decode(diamond.branch, target)
    try:
        taken_if = condition(wave, diamond.branch, d)
    except UnsupportedForm as err:
        raise Unmodelled(f"{diamond.branch.text}: {err.args[0]}") from None
    table, guard = wave.table, wave.memory.guard
    other = wave.copy()
    other.memory.guard = table.and_(guard, taken_if)
    run_region(other, diamond.taken, target)
    wave.memory.guard = table.and_(guard, table.not_(taken_if))
    run_region(wave, diamond.falls, target)
    other.memory.guard = wave.memory.guard = guard
    wave.meet(taken_if, other)
