"""From instruction text to helper variants and record fields.

`Decoder.decode` chooses the helper variant of one instruction and where its operands live in the
wave state; the families are decoded in the `decode_*` modules.
"""

from __future__ import annotations

from dataclasses import replace

from asmevo.emulate.decode.lane import decode_lane, decode_mix
from asmevo.emulate.decode.matrix import decode_matrix
from asmevo.emulate.decode.memory import decode_lds, decode_vector_memory
from asmevo.emulate.decode.operands import ConstantPool, Context, Record, Unsupported
from asmevo.emulate.decode.scalar import decode_scalar, decode_scalar_other
from asmevo.emulate.native.variant import Variant
from asmevo.isa.decoded import VECTOR_CLASSES, VECTOR_MEMORY, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.mix import mix_semantic

__all__ = ["ConstantPool", "Decoder", "Record", "Unsupported"]

_VECTOR = VECTOR_CLASSES | VECTOR_MEMORY | {OpClass.LDS}


class Decoder(Context):
    """Decodes the instructions of one kernel for one mode and target."""

    def skips(self, inst: Instruction) -> bool:
        """Whether MODE.VSKIP suppresses an instruction that otherwise has a record."""
        if not self.vskip:
            return False
        record = decode(inst, self.target)
        return record.kind in _VECTOR and not record.traits.hints

    def decode(self, inst: Instruction) -> Record | None:
        """The record of one instruction; None for functional no-ops.

        Raises:
            Unsupported: opcode, operand or modifier that the emulator does not execute.
        """
        if inst.text is None:
            raise Unsupported("the bytes do not decode")
        if decode(inst, self.target).traits.hints or self.skips(inst):
            return None
        self.reads_flags = False
        record = self._dispatch(inst)
        if record is None:
            return None
        if self.reads_flags:
            options = (*record.variant.options, ("flags", True))
            record.variant = replace(record.variant, options=options)
        return self.sized(record)

    def _dispatch(self, inst: Instruction) -> Record | None:
        semantic = table.lookup(inst.base)
        if semantic is not None:
            if semantic.scope == "scalar":
                return decode_scalar(self, inst, semantic)
            return decode_lane(self, inst, semantic)
        kind = decode(inst, self.target).kind
        if kind is OpClass.LDS:
            return decode_lds(self, inst)
        if kind in VECTOR_MEMORY:
            return decode_vector_memory(self, inst)
        if kind is OpClass.MFMA:
            return decode_matrix(self, inst)
        if kind in VECTOR_CLASSES:
            return self._lane_movement(inst)
        return decode_scalar_other(self, inst)

    def _lane_movement(self, inst: Instruction) -> Record:
        base = inst.base
        if base in ("v_readfirstlane_b32", "v_readlane_b32"):
            places = [self.place(o) for o in inst.operands]
            return Record(
                Variant("readlane", base, "".join(k for k, _ in places), self.index_option(1)),
                [p for _, p in places],
            )
        if base == "v_writelane_b32":
            places = [self.place(o) for o in inst.operands]
            return Record(
                Variant("writelane", base, "vss", self.index_option(1)), [p for _, p in places]
            )
        if base in ("v_permlane16_swap_b32", "v_permlane32_swap_b32"):
            return Record(
                Variant("permlane_swap", base, "vv"), [self.offset(o) for o in inst.operands]
            )
        if mix_semantic(base) is not None:
            return decode_mix(self, inst)
        raise Unsupported(f"{base} is not supported")
