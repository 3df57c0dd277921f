"""What an instruction does besides computing: its class, the registers it defines and uses,
and the memory it touches.

This is the one table of operand roles; liveness, wait checks, hazards, the scheduler and the
cycle model all read it. Roles follow from mnemonic families (LLVM prints definitions first), so
opcodes that the emulator does not know have them too. Sources: CDNA3 ISA chapters 4-13, LLVM
`SIInstrInfo.td` for implicit operands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, MODE, SCC, VCC, RegKind
from asmevo.isa.target import Target


class OpClass(StrEnum):
    """Issue classes. A matrix instruction is `MFMA` (WMMA too); transcendentals are `TRANS`."""

    SALU = "salu"
    SMEM = "smem"
    VALU = "valu"
    TRANS = "trans"
    MFMA = "mfma"
    VMEM = "vmem"  # buffer, global, scratch
    FLAT = "flat"
    LDS = "lds"
    BRANCH = "branch"
    WAIT = "wait"
    NOP = "nop"
    BARRIER = "barrier"
    MESSAGE = "message"
    CACHE = "cache"  # cache control, no data
    END = "end"
    OTHER = "other"


VECTOR_CLASSES = frozenset({OpClass.VALU, OpClass.TRANS, OpClass.MFMA})
VECTOR_MEMORY = frozenset({OpClass.VMEM, OpClass.FLAT})
MEMORY_CLASSES = frozenset({OpClass.VMEM, OpClass.FLAT, OpClass.LDS, OpClass.SMEM})


@dataclass(frozen=True, slots=True)
class Effects:
    """Static effects of one instruction.

    Attributes:
        kind: issue class.
        defs: register units written (implicit ones included).
        uses: register units read (implicit ones included; a partially written destination
            that keeps old bits counts as read).
        def_operands: indices of the printed operands that are written.
        use_operands: indices of the printed operands that are read.
        loads: reads memory (global, LDS or constant).
        stores: writes memory.
        lds_dma: a vector memory load whose data goes to LDS, not to registers.
        returns: a memory instruction that writes registers when it completes.
    """

    kind: OpClass
    defs: frozenset[int]
    uses: frozenset[int]
    def_operands: tuple[int, ...]
    use_operands: tuple[int, ...]
    loads: bool = False
    stores: bool = False
    lds_dma: bool = False
    returns: bool = False


# s_ instructions that neither define their first operand nor read registers implicitly.
_NO_DEF = re.compile(
    r"s_(cmp_|cmpk_|bitcmp|cbranch|branch|setreg|set_gpr_idx|setvskip|setpc|rfe|waitcnt|wait_|"
    r"nop|sleep|barrier|endpgm|sendmsg|setprio|sethalt|setkill|trap|icache|dcache|store|"
    r"buffer_store|scratch_store|code_end|delay_alu|clause|ttrace|incperf|decperf|inst_prefetch|"
    r"set_inst_prefetch|prefetch|round_mode|denorm_mode|version|setprio_inc|monitor|wakeup|"
    r"set_vgpr_msb|gl1_inv|atc_probe|scratch_store)"
)
_WRITES_SCC = re.compile(
    r"s_(add|sub|min|max|and|or|xor|not|nand|nor|xnor|andn\d|orn\d|lshl|lshr|ashr|bfe|absdiff|abs|"
    r"wqm|quadmask|bcnt|cmp|cmpk|bitcmp|addk|addc|subb)"
)
_KEEPS_SCC = re.compile(r"s_(add_nc|sub_nc|add_f|sub_f|min_f|max_f|min_num|max_num|mul)")
_READS_SCC = re.compile(r"s_(addc|subb|cselect|cmov|cbranch_scc|add_co_ci|sub_co_ci)")
_RMW_SALU = re.compile(r"s_(addk|mulk|cmov|bitset|fmac|fmamk|cmovk)")
_TRANS = re.compile(
    r"v_s?_?(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos|tanh|exp_legacy|log_legacy)(_legacy|_iflag)?_"
    r"(f16|f32|f64|bf16)"
)
# v_ instructions whose destination is also a source.
_RMW_VALU = re.compile(
    r"v_(mac_|fmac_|pk_fmac_|dot\w*c_|smfmac_|swap_|swaprel_|writelane_|permlane\d+_swap|mov_b.*_dpp"
    r"|screen_partition|movrel|cvt_sr_|cvt_scalef32_(pk|sr)|div_fixup$)"
)
_TWO_DEFS = re.compile(
    r"v_(add_co|sub_co|subrev_co|addc_co|subb_co|subbrev_co|add_co_ci|sub_co_ci|subrev_co_ci|"
    r"div_scale|mad_u64_u32|mad_i64_i32|mad_co_[ui]64|swap_|swaprel_|permlane\d+_swap)"
)
_LANE_OP = re.compile(r"v_(readlane|writelane)_b32")  # ignore EXEC
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)")
_D16_LOAD = re.compile(r"(_d16|_d16_hi|_u8_d16|_i8_d16|_u16_d16)(_hi)?$")
_M0_READERS = re.compile(
    r"(ds_\w*addtid|ds_append|ds_consume|ds_gws|ds_ordered|s_movrel|v_movrel|s_sendmsg|"
    r"v_interp|s_ttracedata)"
)
_SCALAR_CONTROL: tuple[tuple[str, OpClass], ...] = (
    (r"s_(waitcnt|wait_)", OpClass.WAIT),
    (
        r"s_(nop|sleep|setprio|delay_alu|clause|code_end|set_inst_prefetch|inst_prefetch|"
        r"wakeup|incperf|decperf|sethalt|setkill|prefetch)",
        OpClass.NOP,
    ),
    (r"s_barrier", OpClass.BARRIER),
    (r"s_(sendmsg|ttrace)", OpClass.MESSAGE),
    (r"s_endpgm", OpClass.END),
    (r"s_(branch|cbranch|setpc|swappc|call|rfe|trap)", OpClass.BRANCH),
    (r"s_(icache|dcache|gl1_inv)", OpClass.CACHE),
    (
        r"s_(load|buffer_load|store|buffer_store|scratch_load|scratch_store|atomic|buffer_atomic|"
        r"memtime|memrealtime|atc_probe)",
        OpClass.SMEM,
    ),
)
_SCALAR_CONTROL_RE = tuple((re.compile(p), k) for p, k in _SCALAR_CONTROL)


@lru_cache(maxsize=4096)
def _classify(base: str) -> OpClass:
    if base.startswith("s_"):
        for pattern, kind in _SCALAR_CONTROL_RE:
            if pattern.match(base):
                return kind
        return OpClass.SALU
    if base.startswith("v_"):
        if _MATRIX.match(base):
            return OpClass.MFMA
        return OpClass.TRANS if _TRANS.match(base) else OpClass.VALU
    if base.startswith("ds_"):
        return OpClass.LDS
    if base.startswith("flat_"):
        return OpClass.FLAT
    if re.match(r"(buffer|global)_(wb|inv|gl[01]_inv|wbl2|wbinv)", base):
        return OpClass.CACHE
    if base.startswith(("buffer_", "tbuffer_", "global_", "scratch_", "image_")):
        return OpClass.VMEM
    return OpClass.OTHER


def _memory_roles(
    inst: Instruction, kind: OpClass, base: str
) -> tuple[tuple[int, ...], set[int], bool, bool, bool]:
    """(def operand indices, operand indices not read, loads, stores, lds_dma)."""
    mods = inst.modifiers
    lds_dma = (
        "_load_lds" in base or "_lds_" in base or (kind is OpClass.VMEM and mods.get("lds") is True)
    )
    if kind is OpClass.LDS:
        if re.match(r"ds_(read|load|bpermute|permute|swizzle|bvh)", base):
            touches = not re.match(r"ds_(bpermute|permute|swizzle)", base)
            return (0,), {0}, touches, False, False
        if re.match(r"ds_(append|consume|ordered)", base):
            return (0,), {0}, True, True, False
        if re.match(r"ds_(write|store)", base):
            return (), set(), False, True, False
        if re.match(r"ds_(nop|gws)", base):
            return (), set(), False, base != "ds_nop", False
        if "_rtn" in base:
            return (0,), {0}, True, True, False
        return (), set(), True, True, False
    if "_atomic" in base:
        returning = bool(
            mods.get("sc0") or mods.get("glc") or "TH_ATOMIC_RETURN" in str(mods.get("th", ""))
        )
        data_first = base.startswith(("buffer_", "s_"))
        if not returning:
            return (), set(), True, True, False
        # A returning buffer atomic prints one register that is both data and destination.
        return (0,), set() if data_first else {0}, True, True, False
    if "_store" in base:
        return (), set(), False, True, False
    if "_prefetch" in base:  # fills a cache, no register
        return (), set(), False, False, False
    if lds_dma:
        return (), set(), True, True, True
    if kind is OpClass.SMEM and base.startswith("s_atc_probe"):
        return (), set(), False, False, False
    if _D16_LOAD.search(base):
        return (0,), set(), True, False, False  # the other half is kept
    return (0,), {0}, not base.startswith(("s_memtime", "s_memrealtime")), False, False


def _vector_roles(inst: Instruction, base: str) -> tuple[tuple[int, ...], set[int]]:
    """(def operand indices, operand indices not read) of a VALU or matrix instruction."""
    mods = inst.modifiers
    if base in ("v_nop", "v_clrexcp", "v_pipeflush"):
        return (), set()
    defs: tuple[int, ...] = (0, 1) if _TWO_DEFS.match(base) else (0,)
    if base.startswith(("v_swap_", "v_swaprel_")) or re.match(r"v_permlane\d+_swap", base):
        return defs, set()
    keeps = bool(_RMW_VALU.match(base))
    keeps |= "dpp" in inst.form and not base.startswith("v_cmp")
    keeps |= mods.get("dst_unused") == "UNUSED_PRESERVE"
    op_sel = mods.get("op_sel")
    if isinstance(op_sel, tuple) and not base.startswith(("v_pk_", "v_mfma", "v_dot")):
        # op_sel's last bit picks the destination half; the other half is kept. The fp8
        # conversions print fewer bits than operands, so look at any beyond the sources.
        keeps |= any(op_sel[2:]) if len(op_sel) <= 3 else bool(op_sel[-1])
    unread: set[int] = set() if keeps else {0}
    if len(defs) == 2:
        unread.add(1)
    return defs, unread


@lru_cache(maxsize=400_000)
def _effects(inst: Instruction, arch: str) -> Effects:
    base = inst.base
    if inst.text is None:
        return Effects(OpClass.OTHER, frozenset(), frozenset(), (), ())
    kind = _classify(base)
    operands = inst.operands
    defs: set[int] = set()
    uses: set[int] = set()
    unread: set[int] = set()
    def_ops: tuple[int, ...] = ()
    loads = stores = lds_dma = False
    gfx9 = Target(arch).is_gfx9
    if kind in MEMORY_CLASSES:
        def_ops, unread, loads, stores, lds_dma = _memory_roles(inst, kind, base)
        if lds_dma or _M0_READERS.match(base):
            uses.add(M0)
        if kind is not OpClass.SMEM:
            uses.update((EXEC, EXEC + 1))
        if kind is OpClass.FLAT and arch in ("gfx908", "gfx90a"):
            uses.update((102, 103))
    elif kind in VECTOR_CLASSES:
        def_ops, unread = _vector_roles(inst, base)
        if not _LANE_OP.match(base):
            uses.update((EXEC, EXEC + 1))
        if base.startswith("v_cmpx"):
            defs.update((EXEC, EXEC + 1))
            if not gfx9:
                def_ops, unread = (), set()
        if base.startswith("v_div_fmas"):
            uses.update((VCC, VCC + 1))
        if _M0_READERS.match(base):
            uses.add(M0)
        uses.add(MODE)
    elif kind in (OpClass.SALU, OpClass.BRANCH, OpClass.MESSAGE):
        if not _NO_DEF.match(base):
            def_ops = (0,)
            unread = set() if _RMW_SALU.match(base) else {0}
        if _WRITES_SCC.match(base) and not _KEEPS_SCC.match(base):
            defs.add(SCC)
        if _READS_SCC.match(base):
            uses.add(SCC)
        if base.startswith("s_cbranch_vcc"):
            uses.update((VCC, VCC + 1))
        if base.startswith("s_cbranch_exec") or "execz" in base:
            uses.update((EXEC, EXEC + 1))
        if "saveexec" in base or "wrexec" in base:
            defs.update((EXEC, EXEC + 1, SCC))
            uses.update((EXEC, EXEC + 1))
        if base.startswith("s_set_gpr_idx"):
            defs.add(MODE)
            if base in ("s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
                defs.add(M0)
            if base in ("s_set_gpr_idx_idx",):
                defs.add(M0)
            uses.add(M0)
        if base.startswith(("s_setreg", "s_setvskip", "s_round_mode", "s_denorm_mode")):
            defs.add(MODE)
        if base.startswith("s_getreg"):
            uses.add(MODE)
        if _M0_READERS.match(base):
            uses.add(M0)
    use_ops: list[int] = []
    for i, operand in enumerate(operands):
        value = operand.value
        reg = operand.reg
        if i in def_ops and reg is not None:
            defs.update(reg.units)
        if i not in unread:
            use_ops.append(i)
            if reg is not None:
                uses.update(reg.units)
            elif value.__class__.__name__ == "Special":
                name = getattr(value, "name", "")
                if name in ("scc", "src_scc"):
                    uses.add(SCC)
                elif name in ("vccz", "src_vccz"):
                    uses.update((VCC, VCC + 1))
                elif name in ("execz", "src_execz"):
                    uses.update((EXEC, EXEC + 1))
    def_ops = tuple(i for i in def_ops if i < len(operands) and operands[i].reg is not None)
    returns = kind in MEMORY_CLASSES and bool(def_ops)
    # The null register neither holds nor carries anything.
    return Effects(
        kind,
        frozenset(defs - {125}),
        frozenset(uses - {125}),
        def_ops,
        tuple(use_ops),
        loads,
        stores,
        lds_dma,
        returns,
    )


def effects(inst: Instruction, target: Target) -> Effects:
    """Static effects of `inst` on `target` (cached; target decides VCC/EXEC rules only)."""
    return _effects(inst, target.arch)


def vector_registers(inst: Instruction) -> tuple[int, int]:
    """(1 + highest VGPR, 1 + highest AGPR) that the printed operands name; 0 for none."""
    highest = {RegKind.VGPR: 0, RegKind.AGPR: 0}
    for operand in inst.operands:
        reg = operand.reg
        if reg is not None and reg.kind in highest:
            highest[reg.kind] = max(highest[reg.kind], reg.index + reg.count)
    return highest[RegKind.VGPR], highest[RegKind.AGPR]
