"""Records that make loads arrive late: one behind each memory operation, one for each wait."""

from __future__ import annotations

from asmevo.emulate.decode.operands import Context, Record
from asmevo.emulate.native.variant import Variant
from asmevo.emulate.sanitize import pending
from asmevo.isa.counters import Order, decode_wait, events, is_counter_wait
from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import RegKind
from asmevo.isa.semantics.memory import memory_op
from asmevo.isa.target import Target

_CLASS = {
    Order.VMEM: pending.VMEM,
    Order.STORE: pending.VMEM,
    Order.SCRATCH_STORE: pending.VMEM,
    Order.LDS: pending.LDS,
    Order.SMEM: pending.SMEM,
    Order.FLAT: pending.FLAT,
}
_HALVES = {"d16": pending.LOW, "d16_hi": pending.HIGH}


def wait_record(inst: Instruction, target: Target) -> Record | None:
    """The commit record of an s_waitcnt, or None for anything else."""
    if not is_counter_wait(inst, target):
        return None
    fields = decode_wait(inst, target)
    vm = fields.get("vmcnt", pending.NO_WAIT)
    lgkm = fields.get("lgkmcnt", pending.NO_WAIT)
    return Record(Variant("commit", "commit"), imm=vm, imm2=lgkm)


def pending_records(ctx: Context, inst: Instruction, index: int, target: Target) -> list[Record]:
    """What follows a memory operation: it is counted, and its destination held back."""
    classes = [_CLASS[e.order] for e in events(inst, target) if e.order in _CLASS]
    if not classes:
        return []
    kind = pending.FLAT if pending.FLAT in classes else classes[0]
    effect = decode(inst, target)
    destination = None
    if effect.returns and effect.def_operands:
        destination = inst.operands[effect.def_operands[0]].reg
    if destination is None:
        return [Record(Variant("pend", "pend", "", (("kind", kind),)), index=index)]
    operand = inst.operands[effect.def_operands[0]]
    at = ctx.offset(operand)
    if destination.kind is RegKind.SGPR:
        options = (("kind", kind), ("scalars", destination.count))
        return [Record(Variant("pend", "pend", "", options), [at], index=index)]
    op = memory_op(inst.base)
    half = _HALVES.get(op.extend, pending.WHOLE) if op is not None else pending.WHOLE
    options = (("kind", kind), ("rows", destination.count), ("half", half))
    return [Record(Variant("pend", "pend", "v", options), [at], index=index)]
