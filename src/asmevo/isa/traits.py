"""What an opcode is, beyond its class and roles: the questions that other rooms ask of names.

Each trait is one pattern, matched once per opcode. Rooms read them from the record of
`asmevo.isa.decoded`. Sources: CDNA3 ISA, RDNA3 and RDNA4 ISA, opcode descriptions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from asmevo.isa.flow import PC_READS
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, Imm, Reg, RegKind


class ExecWrite(Enum):
    """What an instruction does to EXEC."""

    NONE = 0
    NARROW = 1  # the new EXEC is a subset of the old one
    FULL = 2  # all lanes on
    OTHER = 3


class CacheAction(Enum):
    """What a cache control instruction does to vector caches."""

    NONE = 0
    WRITE_BACK = 1
    INVALIDATE = 2
    BOTH = 3


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts of an opcode (mnemonic without encoding suffix).

    Attributes:
        copies: moves a source unchanged to its destination, or to another lane.
        crosses_lanes: reads registers of other lanes than those it writes.
        swaps: exchanges two registers.
        moves: copies whole registers of its own lane, or one lane to a scalar.
        exchanges: swaps two registers lane by lane.
        selects: gives one of two sources.
        compares: its result is a condition: a mask of lanes or SCC.
        carries_addresses: an integer operation through which an address keeps being one.
        wide_sum: a sum of 64-bit integers.
        high_sum: an addition or subtraction with carry in: the high half of a sum of 64 bits.
        spreads: every operand decides the result, whatever the others are.
        ignores_exec: acts whatever EXEC says, although it is a vector or LDS instruction.
        environment: reads or changes the machine around the program, which no result shows.
        pinned: a scalar instruction that nothing may pass: modes, clocks, timing, program counter.
        indirect: the registers it names are not the ones, or not the only ones, it touches.
        narrows_exec: the EXEC it writes is a subset of the one before.
        saves_exec: writes the EXEC of before to its first operand.
        sets_mode: writes hardware registers or modes.
        packed: works on two values of one register, or is a dot product.
        cache: vector cache control.
        instruction_cache: concerns the instruction cache only.
        scalar_cache: invalidates or writes back the scalar data cache.
        reads_pc: reads the program counter into a register.
        prefetches_code: brings instructions into a cache, a mere hint.
        idles: gives time or priority to other waves (`s_sleep`, `s_setprio`).
        hints: waits, hints and cache control: in a run in program order it changes nothing.
    """

    copies: bool
    crosses_lanes: bool
    swaps: bool
    moves: bool
    exchanges: bool
    selects: bool
    compares: bool
    carries_addresses: bool
    wide_sum: bool
    high_sum: bool
    spreads: bool
    ignores_exec: bool
    environment: bool
    pinned: bool
    indirect: bool
    narrows_exec: bool
    saves_exec: bool
    sets_mode: bool
    packed: bool
    cache: CacheAction
    instruction_cache: bool
    scalar_cache: bool
    reads_pc: bool
    prefetches_code: bool
    idles: bool
    hints: bool


_COPIES = re.compile(
    r"v_mov_b(16|32|64)|v_accvgpr_|v_pk_mov_b32|s_mov_b|v_(read|write)lane_b32|v_readfirstlane_b32|"
    r"v_swap_b|v_permlane|ds_b?permute|ds_swizzle"
)
_OTHER_LANES = re.compile(
    r"v_(readlane|readfirstlane|permlane|mov_b32_dpp|interp)|ds_.*permute|ds_swizzle"
)
_SWAPS = re.compile(r"v_(swap_|swaprel_|permlane\d+_swap)")
_MOVES = re.compile(
    r"(s_mov_b(32|64)|v_mov_b(16|32|64)|v_accvgpr_(read|write|mov)(_b32)?|v_readfirstlane_b32)$"
)
_EXCHANGES = re.compile(r"v_swap_b(16|32)")
_SELECTS = re.compile(r"v_cndmask_b(16|32)|s_cselect_b(32|64)|s_cmov_b(32|64)")
_COMPARES = re.compile(r"v_cmpx?_|s_cmpk?_|s_bitcmp")
_CARRIES_ADDRESSES = re.compile(
    r"s_|v_(add|sub|lshl|lshr|mad_[ui]|or|and|xor|xad|bfe|bfi|perm|alignb)"
)
_WIDE_SUM = re.compile(r"v_lshl_add_u64|v_mad_[iu]64|[sv]_(add|sub)_(nc_)?[iu]64")
_HIGH_SUM = re.compile(r"s_addc_u32|s_subb_u32|v_addc_co_u32|v_add_co_ci_u32|v_addc_u32")
_SPREADS = re.compile(
    r"[sv]_(add|sub|subrev|addc|subb|add3|sub_nc|add_nc|add_co|sub_co|add_lshl|lshl_add|lshl|lshlrev|"
    r"lshr|lshrrev|ashr|ashrrev|xor|xad|not|brev|lshl\d_add|mad|mad_co|mad_u64)(_|$)"
)
_IGNORES_EXEC = re.compile(r"v_(readlane|writelane)|v_swaprel|ds_(gws|append|consume|ordered)")
# Idle time and priority (s_sleep, s_setprio) are free to change.
_ENVIRONMENT = re.compile(
    r"s_(getreg|setreg|memtime|memrealtime|get_waveid|sendmsg|trap|sethalt|setkill|rfe|ttracedata|"
    r"incperflevel|decperflevel|round_mode|denorm_mode|atc_probe|get_barrier_state|alloc_vgpr|"
    r"get_shader_cycles)|ds_gws_"
)
_HINTS = re.compile(
    r"s_(waitcnt|wait_|nop|sleep|setprio|icache_inv|dcache|inst_prefetch|set_inst_prefetch|"
    r"incperflevel|decperflevel|ttracedata|code_end|wakeup|clause|delay_alu|atc_probe)|"
    r"buffer_(wbl2|inv|wbinvl1)|v_nop|v_clrexcp|ds_nop"
)
_PINNED = re.compile(
    r"s_(setreg|set_gpr_idx|setvskip|getpc|get_pc|memtime|memrealtime|getreg|sleep|setprio|sethalt|"
    r"setkill|incperf|decperf|clause|delay_alu|round_mode|denorm_mode|code_end|set_inst_prefetch|"
    r"inst_prefetch|movrel|set_vgpr_msb|alloc_vgpr|monitor|wakeup|version|get_shader_cycles)"
)
_INDIRECT = re.compile(r"[sv]_movrel|s_set_gpr_idx|s_set_vgpr_msb|v_swaprel")
# gfx9 s_andn2_saveexec takes lanes that were off; s_andn1 and s_and only turn lanes off.
_NARROWING = re.compile(r"s_(and|andn1|and_not0)_(saveexec|wrexec)_b(32|64)|v_cmpx_")
_NARROWING_OP = re.compile(r"s_(and|andn2|and_not1)_b(32|64)")
_SETS_MODE = re.compile(r"s_(setreg|set_gpr_idx|setvskip|round_mode|denorm_mode|set_vgpr_msb)")
_PACKED = re.compile(r"v_(pk_\w+_f32|dot\d)")
_INVALIDATES = re.compile(r"(buffer|global)_(inv|wbinv|gl[01]_inv)")
_WRITES_BACK = re.compile(r"(buffer|global)_(wb)")


@lru_cache(maxsize=4096)
def traits_of(base: str) -> Traits:
    """Traits of an opcode."""
    action = CacheAction(
        (1 if _WRITES_BACK.match(base) else 0) + (2 if _INVALIDATES.match(base) else 0)
    )
    return Traits(
        copies=_COPIES.match(base) is not None,
        crosses_lanes=_OTHER_LANES.match(base) is not None,
        swaps=_SWAPS.match(base) is not None,
        moves=_MOVES.match(base) is not None,
        exchanges=_EXCHANGES.match(base) is not None,
        selects=_SELECTS.match(base) is not None,
        compares=_COMPARES.match(base) is not None,
        carries_addresses=_CARRIES_ADDRESSES.match(base) is not None,
        wide_sum=_WIDE_SUM.match(base) is not None,
        high_sum=_HIGH_SUM.match(base) is not None,
        spreads=_SPREADS.match(base) is not None,
        ignores_exec=_IGNORES_EXEC.match(base) is not None,
        environment=_ENVIRONMENT.match(base) is not None,
        pinned=_PINNED.match(base) is not None,
        indirect=_INDIRECT.match(base) is not None,
        narrows_exec=_NARROWING.match(base) is not None,
        saves_exec="saveexec" in base,
        sets_mode=_SETS_MODE.match(base) is not None,
        packed=_PACKED.match(base) is not None,
        cache=action,
        instruction_cache=base.startswith("s_icache"),
        scalar_cache=base.startswith("s_dcache"),
        reads_pc=base in PC_READS,
        prefetches_code=base.startswith("s_prefetch_inst"),
        idles=base.startswith(("s_sleep", "s_setprio")),
        hints=_HINTS.match(base) is not None,
    )


def exec_write(inst: Instruction) -> ExecWrite:
    """Kind of EXEC change of an instruction that defines EXEC units."""
    operands, base = inst.operands, inst.base
    if traits_of(base).narrows_exec:
        return ExecWrite.NARROW
    if len(operands) >= 2 and base in ("s_mov_b64", "s_mov_b32"):
        value = operands[1].value
        if isinstance(value, Imm) and value.value in (-1, 0xFFFFFFFF):
            return ExecWrite.FULL
    if _NARROWING_OP.match(base) and len(operands) == 3:
        first, second, same = operands[1].reg, operands[2].reg, operands[0].reg
        if first == same or (second == same and "n" not in base[5:]):
            return ExecWrite.NARROW
    return ExecWrite.OTHER


def exec_copies(inst: Instruction) -> tuple[int, int]:
    """(SGPR that EXEC is restored from, SGPR that EXEC is saved to), -1 for none."""
    regs = [o.reg for o in inst.operands]
    if len(regs) < 2 or regs[0] is None:
        return -1, -1
    moves = inst.base.startswith("s_mov_b")
    if _is_exec(regs[0]):
        others = [r for r in regs[1:] if r != regs[0]]
        plain = moves or (inst.base.startswith("s_or_b") and len(others) == 1)
        if plain and others and others[0] is not None:
            return others[0].index, -1
        return -1, -1
    traits = traits_of(inst.base)
    saved = traits.narrows_exec and traits.saves_exec
    copied = moves and regs[1] is not None and regs[1].index == EXEC
    if (saved or copied) and regs[0].kind is RegKind.SGPR:
        return -1, regs[0].index
    return -1, -1


def _is_exec(reg: Reg) -> bool:
    return reg.index == EXEC and reg.kind is RegKind.SGPR


_CLEARING = re.compile(r"\w+_(xor_b|sub_u|sub_i|sub_nc_[ui])")


def clears_itself(inst: Instruction) -> bool:
    """Whether the result does not depend on the operands: `x ^ x`, `x - x`."""
    ops = inst.operands
    return len(ops) == 3 and ops[1] == ops[2] and _CLEARING.match(inst.base) is not None
