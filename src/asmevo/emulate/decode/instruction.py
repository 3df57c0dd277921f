"""From instruction text to helper variants and record fields.

`Decoder.decode` chooses the helper variant of one instruction and where its operands live in the
wave state; the families are decoded in the `decode_*` modules.
"""

from __future__ import annotations

import re
from dataclasses import replace

from asmevo.emulate.decode.lane import decode_lane, decode_mix
from asmevo.emulate.decode.matrix import decode_matrix
from asmevo.emulate.decode.memory import decode_lds, decode_vector_memory
from asmevo.emulate.decode.operands import ConstantPool, Context, Record, Unsupported
from asmevo.emulate.decode.scalar import decode_scalar, decode_scalar_other
from asmevo.emulate.native.variant import Variant
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table

__all__ = ["NO_EFFECT", "ConstantPool", "Decoder", "Record", "Unsupported"]

# Functional no-ops: they order, wait or hint, and change no register.
NO_EFFECT = re.compile(
    r"(s_waitcnt|s_wait_|s_nop|s_sleep|s_setprio|s_icache_inv|s_dcache|s_inst_prefetch|"
    r"s_set_inst_prefetch|s_incperflevel|s_decperflevel|s_ttracedata|s_code_end|s_wakeup|"
    r"buffer_wbl2|buffer_inv|buffer_wbinvl1|v_nop|v_clrexcp|ds_nop|s_clause|s_delay_alu|"
    r"s_sethalt 0)"
)
_VECTOR = ("v_", "ds_", "global_", "buffer_", "tbuffer_", "scratch_", "flat_")


class Decoder(Context):
    """Decodes the instructions of one kernel for one mode and target."""

    def skips(self, inst: Instruction) -> bool:
        """Whether MODE.VSKIP suppresses an instruction that otherwise has a record."""
        return self.vskip and inst.base.startswith(_VECTOR) and not NO_EFFECT.match(inst.text or "")

    def decode(self, inst: Instruction) -> Record | None:
        """The record of one instruction; None for functional no-ops.

        Raises:
            Unsupported: opcode, operand or modifier that the emulator does not execute.
        """
        if inst.text is None:
            raise Unsupported("the bytes do not decode")
        if NO_EFFECT.match(inst.text) or self.skips(inst):
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
        base = inst.base
        semantic = table.lookup(base)
        if semantic is not None:
            if semantic.scope == "scalar":
                return decode_scalar(self, inst, semantic)
            return decode_lane(self, inst, semantic)
        if base.startswith("s_"):
            return decode_scalar_other(self, inst)
        if base.startswith("ds_"):
            return decode_lds(self, inst)
        if base.startswith(("global_", "buffer_", "tbuffer_", "scratch_", "flat_")):
            return decode_vector_memory(self, inst)
        if base.startswith(("v_mfma", "v_smfmac")):
            return decode_matrix(self, inst)
        return self._lane_movement(inst)

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
        if re.match(r"v_permlane(16|32)_swap_b32$", base):
            return Record(
                Variant("permlane_swap", base, "vv"), [self.offset(o) for o in inst.operands]
            )
        if re.match(r"v_(mad|fma)_mix(lo|hi)?_f(16|32)$", base):
            return decode_mix(self, inst)
        raise Unsupported(f"{base} is not supported")
