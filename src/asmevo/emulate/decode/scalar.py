"""Decoding of SALU, scalar memory and control instructions into records."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asmevo.emulate.decode.operands import Context, Record, Unsupported, integer, integer_modifier
from asmevo.emulate.layout import INDEX_BITS, MODE_EFFECTIVE
from asmevo.emulate.native.variant import Variant
from asmevo.isa.flow import Condition, FlowKind, flow_of
from asmevo.isa.hwreg import VSKIP_BIT, HwReg, hwreg_field
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Imm, Operand, Reg
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.decode import UnsupportedForm, printed_types
from asmevo.isa.semantics.instruction.scalar import scalar_operands
from asmevo.isa.semantics.memory import (
    ScalarAtomicOp,
    ScalarMemoryOp,
    scalar_atomic_op,
    scalar_memory_op,
)

_FOLLOWED = (Condition.SCC, Condition.VCC, Condition.EXEC)
_GPR_INDEX = ("s_set_gpr_idx_on", "s_set_gpr_idx_off", "s_set_gpr_idx_mode", "s_set_gpr_idx_idx")
_RELATIVE = ("s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64")


def decode_scalar(ctx: Context, inst: Instruction, semantic: table.Semantic) -> Record:
    """A SALU opcode of the semantics table."""
    try:
        operands = scalar_operands(inst, semantic)
    except UnsupportedForm as err:
        raise Unsupported(*err.args) from None
    types = printed_types(semantic)
    ops = [ctx.offset(o, t) for o, t in zip(operands, types, strict=True)]
    return Record(Variant("scalar", inst.base), ops)


def decode_scalar_other(ctx: Context, inst: Instruction) -> Record | None:
    """Every other scalar instruction."""
    base, operands = inst.base, inst.operands
    if base == "s_barrier":
        return Record(Variant("stop", base))
    if base in ("s_endpgm", "s_endpgm_saved"):
        return Record(Variant("stop", "s_endpgm"))
    if base == "s_trap":
        return Record(Variant("stop", base), misc=integer(operands[0]))
    if base == "s_sethalt" and integer(operands[0]) == 0:
        return None
    if base in ("s_sethalt", "s_setkill"):
        return Record(Variant("stop", "s_trap"), misc=integer(operands[0]))
    flow = flow_of(base)
    if flow.kind is FlowKind.JUMP or flow.condition in _FOLLOWED:
        return Record(Variant("branch", base), target=-1)
    if flow.condition is Condition.DEBUG:
        return None  # debugger flags are clear: never taken
    if base in ("s_getpc_b64", "s_setpc_b64", "s_swappc_b64", "s_rfe_b64"):
        return Record(
            Variant("jump", base.replace("rfe", "setpc")), [ctx.offset(o) for o in operands]
        )
    if base == "s_call_b64":
        return Record(Variant("jump", base), [ctx.offset(operands[0])], target2=-1)
    if base in ("s_sendmsg", "s_sendmsghalt"):
        if re.search(r"MSG_(INTERRUPT|DEALLOC_VGPRS)", inst.text or ""):
            return None
        raise Unsupported(f"{inst.text} is not supported")
    moved = scalar_memory_op(base)
    if moved is not None:
        return _scalar_memory(ctx, inst, moved)
    atomic = scalar_atomic_op(base)
    if atomic is not None:
        return _scalar_atomic(ctx, inst, atomic)
    if base in ("s_memtime", "s_memrealtime"):
        return Record(Variant("time", base), [ctx.offset(operands[0])])
    if base in _GPR_INDEX:
        return _gpr_index(ctx, inst)
    if base in _RELATIVE:
        return Record(Variant("movrel", base), [ctx.offset(o) for o in operands])
    if base in ("s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32", "s_setvskip"):
        return _hardware_register(ctx, inst)
    raise Unsupported(f"{base} is not supported")


def _address(ctx: Context, inst: Instruction, rest: list[Operand]) -> tuple[int, int]:
    """(immediate offset, state offset of the SGPR offset) of a scalar memory instruction."""
    imm = integer_modifier(inst, "offset")
    soffset = ctx.pool.put(0)
    if rest:
        value = rest[0].value
        if isinstance(value, Imm):
            imm += value.value
        else:
            soffset = ctx.offset(rest[0])
    return imm, soffset


def _scalar_memory(ctx: Context, inst: Instruction, op: ScalarMemoryOp) -> Record:
    if op.space == "scratch":
        raise Unsupported(f"{inst.base} is not supported")
    data, base, *rest = inst.operands
    imm, soffset = _address(ctx, inst, rest)
    return Record(
        Variant(
            "smem" if op.action == "load" else "smem_store",
            f"s_{op.action}",
            "",
            (("buffer", op.space == "buffer"), ("dwords", op.dwords)),
        ),
        [ctx.offset(data), ctx.offset(base), soffset],
        imm=imm,
    )


def _scalar_atomic(ctx: Context, inst: Instruction, op: ScalarAtomicOp) -> Record:
    data, base, *rest = inst.operands
    imm, soffset = _address(ctx, inst, rest)
    returns = bool(inst.modifiers.get("glc") or inst.modifiers.get("sc0"))
    return Record(
        Variant(
            "smem_atomic",
            op.name,
            "",
            (("buffer", op.buffer), ("returns", returns), ("size", op.size)),
        ),
        [ctx.offset(data), ctx.offset(base), soffset],
        imm=imm,
    )


def _gpr_index(ctx: Context, inst: Instruction) -> Record:
    base = inst.base
    bits = _index_enables(inst)
    ops: list[int] = []
    if base in ("s_set_gpr_idx_on", "s_set_gpr_idx_idx"):
        ops = [ctx.offset(inst.operands[0])]
    if ctx.static_index:
        return Record(Variant("gpridx", base, "", (("switch", True),)), ops, imm=bits)
    if base != "s_set_gpr_idx_idx":
        ctx.gpr_idx = bits
    if base == "s_set_gpr_idx_off":
        return Record(Variant("pass", "pass"))
    return Record(Variant("gpridx", base), ops, imm=bits)


def mode_changes(inst: Instruction, code: Sequence[Instruction] = ()) -> list[tuple[int, int]]:
    """(mask, bits) for every change of the effective MODE that constants fix.

    Args:
        inst: one instruction.
        code: where the constants of an s_setreg_b32 are looked for: those that a move puts into
            its register, wherever that stands.
    """
    base = inst.base
    if base == "s_setvskip":
        return [(1 << VSKIP_BIT, 0), (1 << VSKIP_BIT, 1 << VSKIP_BIT)]
    if base == "s_set_gpr_idx_off":
        return [(INDEX_BITS, 0)]
    if base in ("s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
        enables = _index_enables(inst) << 12
        return [(INDEX_BITS, enables | 1 << 27)]
    if base == "s_setreg_imm32_b32":
        number, at, count = hwreg_field(inst)
        mask = ((1 << count) - 1) << at & MODE_EFFECTIVE & ~INDEX_BITS
        if number == HwReg.MODE and mask:
            return [(mask, int.from_bytes(inst.raw[4:8], "little") << at & mask)]
    if base == "s_setreg_b32":
        number, at, count = hwreg_field(inst)
        mask = ((1 << count) - 1) << at & MODE_EFFECTIVE & ~INDEX_BITS
        if number == HwReg.MODE and mask:
            return sorted({(mask, v << at & mask) for v in _moved_constants(inst, code)})
    return []


def _moved_constants(inst: Instruction, code: Sequence[Instruction]) -> list[int]:
    """Constants that single moves of `code` put into the register that `inst` reads."""
    register = next(o.reg for o in inst.operands if o.reg is not None)
    found: list[int] = []
    for other in code:
        if other.base in ("s_mov_b32", "s_movk_i32") and other.operands[0].reg == register:
            value = other.operands[1].value
            if isinstance(value, Imm):
                found.append(value.value & 0xFFFFFFFF)
    return found


def index_enables(mode: int) -> int:
    """Register index enables (src0, src1, src2, dst) of an effective MODE value."""
    return mode >> 12 & 0xF if mode >> 27 & 1 else 0


def _index_enables(inst: Instruction) -> int:
    bits = 0
    for operand in inst.operands:
        text = getattr(operand.value, "text", "")
        for i, word in enumerate(("SRC0", "SRC1", "SRC2", "DST")):
            if re.search(rf"\b{word}\b", text):
                bits |= 1 << i
    return bits


def _hardware_register(ctx: Context, inst: Instruction) -> Record | None:
    base = inst.base
    if base == "s_setvskip":
        return Record(Variant("mode", base), [ctx.offset(o) for o in inst.operands])
    number, at, count = hwreg_field(inst)
    if base == "s_getreg_b32":
        return Record(
            Variant("getreg", base, "", (("register", number),)),
            [ctx.offset(inst.operands[0])],
            imm=at,
            imm2=(1 << count) - 1,
        )
    if number != HwReg.MODE:
        return None  # trap status and debug registers change nothing that is modelled
    mask = ((1 << count) - 1) << at & 0xFFFFFFFF
    if base == "s_setreg_imm32_b32":
        source = ctx.pool.put(int.from_bytes(inst.raw[4:8], "little"))
    else:
        register = next(o for o in inst.operands if isinstance(o.value, Reg))
        source = ctx.offset(register)
    mask &= ~INDEX_BITS
    return Record(Variant("mode", "s_setreg"), [source], imm=at, imm2=mask)
