"""What an instruction does besides computing: its class, the registers it defines and uses,
and the memory it touches.

This is the one table of operand roles; liveness, wait checks, hazards, the scheduler and the
cycle model all read it, through the record of `asmevo.isa.decoded`. Roles follow from mnemonic
families (LLVM prints definitions first), so opcodes that the emulator does not know have them too.
Sources: CDNA3 ISA chapters 4-13, RDNA3 and RDNA4 ISA; for implicit operands the `Uses` and `Defs`
of LLVM's `SOPInstructions.td`, `DSInstructions.td`, `FLATInstructions.td` and their like.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from asmevo.isa.flow import Condition, FlowKind, flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import (
    EXEC,
    FLAT_SCRATCH,
    M0,
    MODE,
    NULL,
    SCC,
    VCC,
    Raw,
    Reg,
    RegKind,
    Special,
    parse_value,
)
from asmevo.isa.target import Target


class OpClass(StrEnum):
    """Issue classes. A matrix instruction is `MFMA` (WMMA too); transcendentals are `TRANS`."""

    SALU = "salu"
    SMEM = "smem"
    VALU = "valu"
    TRANS = "trans"
    MFMA = "mfma"
    VMEM = "vmem"  # buffer, global, scratch, image, tensor
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


class Effects(NamedTuple):
    """Static effects of one instruction.

    Attributes:
        kind: issue class.
        defs: register units written (implicit ones included).
        uses: register units read (implicit ones included; a partially written destination
            that keeps old bits counts as read).
        partial: units written in part (one half, some lanes, some bytes) whose rest is kept, and
            which nothing else in the instruction reads. They are in `defs` and in `uses`.
        def_operands: indices of the printed operands that are written.
        use_operands: indices of the printed operands that are read.
        loads: reads memory (global, LDS or constant).
        stores: writes memory.
        lds_dma: a vector memory load whose data goes to LDS, not to registers.
        returns: an instruction that writes registers when it completes, later than it issues.
    """

    kind: OpClass
    defs: frozenset[int]
    uses: frozenset[int]
    partial: frozenset[int]
    def_operands: tuple[int, ...]
    use_operands: tuple[int, ...]
    loads: bool = False
    stores: bool = False
    lds_dma: bool = False
    returns: bool = False


# s_ instructions that neither define their first operand nor read registers implicitly.
_NO_DEF = re.compile(
    r"s_(cmp_|cmpk_|bitcmp|cbranch|branch|setreg|set_gpr_idx|setvskip|setpc|set_pc|add_pc|rfe|"
    r"waitcnt|wait_|nop|sleep|barrier|endpgm|sendmsg$|sendmsghalt|setprio|sethalt|setkill|trap|"
    r"icache|dcache|store|buffer_store|scratch_store|code_end|delay_alu|clause|ttrace|incperf|"
    r"decperf|inst_prefetch|set_inst_prefetch|prefetch|round_mode|denorm_mode|version|monitor|"
    r"wakeup|set_vgpr_msb|gl1_inv|atc_probe|alloc_vgpr)"
)
_WRITES_SCC = re.compile(
    r"s_(add|sub|min|max|and|or|xor|not|nand|nor|xnor|andn\d|orn\d|lshl|lshr|ashr|bfe|absdiff|abs|"
    r"wqm|quadmask|bcnt|cmp|cmpk|bitcmp|addk|addc|subb|alloc_vgpr|barrier_signal_isfirst|"
    r"barrier_leave)"
)
_KEEPS_SCC = re.compile(
    r"s_(add_nc|sub_nc|add_[uf]64|sub_[uf]64|add_f|sub_f|min_f|max_f|min_num|max_num|minimum|"
    r"maximum|mul|add_pc|subvector)"
)
_READS_SCC = re.compile(r"s_(addc|subb|cselect|cmov|cbranch_scc|add_co_ci|sub_co_ci)")
_RMW_SALU = re.compile(r"s_(addk|mulk|cmov|bitset|fmac|cmovk|movreld|movrelsd|subvector)")
_SALU_FLOAT = re.compile(r"s_\w*_f(16|32)(_|$)")  # gfx11.5 and later
_INDIRECT_DEF = re.compile(r"s_movrel(d|sd)")
_TRANS = re.compile(
    r"v_s?_?(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos|tanh|exp_legacy|log_legacy)(_legacy|_iflag)?_"
    r"(f16|f32|f64|bf16)"
)
# v_ instructions whose destination is also a source.
_RMW_VALU = re.compile(
    r"v_(mac_|fmac_|pk_fmac_|dot\w*c_|smfmac_|swmmac_|swap_|swaprel_|writelane_|permlane\d+_swap"
    r"|mov_b.*_dpp|screen_partition|movrel|cvt_sr_|cvt_scalef32_(pk|sr)|div_fixup$)"
)
# Read as a full operand, not merely kept in part.
_ACCUMULATES = re.compile(
    r"v_(mac_|fmac_|pk_fmac_|dot|smfmac_|swmmac_|swap|permlane|interp)|s_(?!movrel)|ds_bvh|image_|"
    r"buffer_atomic"
)
_TWO_DEFS = re.compile(
    r"v_(add_co|sub_co|subrev_co|addc_co|subb_co|subbrev_co|add_co_ci|sub_co_ci|subrev_co_ci|"
    r"div_scale|mad_u64_u32|mad_i64_i32|mad_co_[ui]64|swap_|swaprel_|permlane\d+_swap)"
)
_SWAPS = re.compile(r"v_(swap_|swaprel_|permlane\d+_swap)")
_LANE_OP = re.compile(r"v_(readlane|writelane)_b32")  # ignore EXEC
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)")
# Loads into one half of a register (gfx9 `_d16`, `_d16_hi` at the end; gfx11 `_d16_b16`), and
# block loads (gfx1250), which fill the registers that M0 selects.
_PART_LOAD = re.compile(r"_d16(_hi)?$|_d16(_hi)?_([bui](8|16)|x)$|_load_block")
# Readers of M0: what is sent, counted, indexed, or where LDS begins. Of the async loads to LDS
# only the multicast ones, for the mask of workgroups.
_M0_READERS = re.compile(
    r"(ds_\w*addtid|ds_append|ds_consume|ds_gws|ds_ordered|s_movrel|v_movrel|s_sendmsg(halt)?$|"
    r"s_ttracedata$|lds_(param|direct)_load|ds_(param|direct)_load|cluster_load|\w+_(load|store)"
    r"_block|s_barrier_init)"
)
_ASYNC = re.compile(r"\w+_(load|store)_async_|tensor_")
_SCALAR_CONTROL: tuple[tuple[str, OpClass], ...] = (
    (r"s_(waitcnt|wait_)", OpClass.WAIT),
    (
        r"s_(nop|sleep|setprio|delay_alu|clause|code_end|set_inst_prefetch|inst_prefetch|"
        r"wakeup$|incperf|decperf|sethalt|setkill|prefetch|monitor_sleep|version)",
        OpClass.NOP,
    ),
    (r"s_(barrier|wakeup_barrier)", OpClass.BARRIER),
    (r"s_(sendmsg|ttrace|get_barrier_state)", OpClass.MESSAGE),
    (r"s_(icache|dcache|gl1_inv)", OpClass.CACHE),
    (
        r"s_(load|buffer_load|store|buffer_store|scratch_load|scratch_store|atomic|buffer_atomic|"
        r"memtime|memrealtime|atc_probe)",
        OpClass.SMEM,
    ),
)
_SCALAR_CONTROL_RE = tuple((re.compile(p), k) for p, k in _SCALAR_CONTROL)
_CACHE = re.compile(r"(buffer|global)_(wb|inv|gl[01]_inv|wbl2|wbinv)")
_VMEM_PREFIXES = ("buffer_", "tbuffer_", "global_", "scratch_", "image_", "tensor_", "cluster_")
_EXEC_UNITS = (EXEC, EXEC + 1)
_VCC_UNITS = (VCC, VCC + 1)
_CONDITION_UNITS = {
    Condition.SCC: (SCC,),
    Condition.VCC: _VCC_UNITS,
    Condition.EXEC: _EXEC_UNITS,
    Condition.SUBVECTOR: _EXEC_UNITS,
}
_SPECIAL_UNITS: dict[str, tuple[int, ...]] = {
    "scc": (SCC,), "src_scc": (SCC,),
    "vccz": _VCC_UNITS, "src_vccz": _VCC_UNITS,
    "execz": _EXEC_UNITS, "src_execz": _EXEC_UNITS,
    "lds_direct": (M0,), "src_lds_direct": (M0,),
}  # fmt: skip


@lru_cache(maxsize=4096)
def classify(base: str) -> OpClass:
    """Issue class of an opcode (mnemonic without encoding suffix)."""
    if base.startswith("s_"):
        flow = flow_of(base)
        if flow.changes:
            return OpClass.END if flow.kind is FlowKind.END else OpClass.BRANCH
        for pattern, kind in _SCALAR_CONTROL_RE:
            if pattern.match(base):
                return kind
        return OpClass.SALU
    if base.startswith("v_"):
        if _MATRIX.match(base):
            return OpClass.MFMA
        return OpClass.TRANS if _TRANS.match(base) else OpClass.VALU
    if base.startswith(("ds_", "lds_")):
        return OpClass.LDS
    if base.startswith("flat_"):
        return OpClass.FLAT
    if _CACHE.match(base):
        return OpClass.CACHE
    return OpClass.VMEM if base.startswith(_VMEM_PREFIXES) else OpClass.OTHER


class _Roles(NamedTuple):
    """Roles of the printed operands; `unread` are operand indices."""

    defs: tuple[int, ...] = ()
    unread: frozenset[int] = frozenset()
    loads: bool = False
    stores: bool = False
    lds_dma: bool = False


_FIRST = frozenset({0})


def _lds_roles(base: str) -> _Roles:
    if re.match(r"ds_bvh", base):  # the stack pointer is written back
        return _Roles((0, 1), _FIRST, True, True)
    if "_rtn" in base:
        return _Roles((0,), _FIRST, True, True)
    if re.match(r"l?ds_(param|direct)_load", base):
        return _Roles((0,), _FIRST, True)
    if re.match(r"ds_(read|load|bpermute|permute|swizzle)", base):
        keeps = _PART_LOAD.search(base) is not None
        touches = not re.match(r"ds_(bpermute|permute|swizzle)", base)
        return _Roles((0,), frozenset() if keeps else _FIRST, touches)
    if re.match(r"ds_(append|consume|ordered)", base):
        return _Roles((0,), _FIRST, True, True)
    if re.match(r"ds_(write|store)", base):
        return _Roles(stores=True)
    if re.match(r"ds_(nop|gws)", base):
        return _Roles(stores=base != "ds_nop")
    return _Roles(loads=True, stores=True)


def returns_old_value(inst: Instruction) -> bool:
    """Whether a buffer, global, flat, scalar or image atomic gives back the old value."""
    mods = inst.modifiers
    return bool(mods.get("sc0") or mods.get("glc")) or "TH_ATOMIC_RETURN" in str(mods.get("th", ""))


def _memory_roles(base: str, kind: OpClass, returning: bool, to_lds: bool) -> _Roles:
    if kind is OpClass.LDS:
        return _lds_roles(base)
    lds_dma = (
        "_load_lds" in base
        or "_to_lds" in base
        or "_load_async" in base
        or (kind is OpClass.VMEM and to_lds)
    )
    if "_atomic" in base:
        if not returning:
            return _Roles(loads=True, stores=True)
        # These print one register that is both data and destination.
        data_first = base.startswith(("buffer_", "s_", "image_"))
        return _Roles((0,), frozenset() if data_first else _FIRST, True, True)
    if "_store" in base:
        return _Roles(stores=True)
    if "_prefetch" in base:  # fills a cache, no register
        return _Roles()
    if lds_dma:
        return _Roles(loads=True, stores=True, lds_dma=True)
    if kind is OpClass.SMEM and base.startswith("s_atc_probe"):
        return _Roles()
    if _PART_LOAD.search(base):
        return _Roles((0,), loads=True)  # the rest is kept
    return _Roles((0,), _FIRST, not base.startswith(("s_memtime", "s_memrealtime")))


def _vector_roles(base: str, keeps: bool, target: Target) -> _Roles:
    if base in ("v_nop", "v_clrexcp", "v_pipeflush"):
        return _Roles()
    defs: tuple[int, ...] = (0, 1) if _TWO_DEFS.match(base) else (0,)
    if _SWAPS.match(base):
        return _Roles(defs)
    if base.startswith("v_cmpx") and not target.is_gcn:
        return _Roles()
    keeps |= bool(_RMW_VALU.match(base))
    keeps |= base == "v_interp_p2_f32" and target.major <= 10
    unread: set[int] = set() if keeps else {0}
    if len(defs) == 2:
        unread.add(1)
    return _Roles(defs, frozenset(unread))


_WHOLE_OP_SEL = ("v_pk_", "v_mfma", "v_dot")


def _keeps_part(inst: Instruction, base: str) -> bool:
    """Whether a vector instruction, as it is written here, keeps part of its destination."""
    form = inst.form
    if "dpp" in form and not base.startswith("v_cmp"):
        return True
    mods = inst.modifiers
    if mods:
        if mods.get("dst_unused") == "UNUSED_PRESERVE":
            return True
        op_sel = mods.get("op_sel")
        # op_sel's last bit picks the destination half; the other half is kept. The fp8
        # conversions print fewer bits than operands, so look at any beyond the sources.
        if (
            isinstance(op_sel, tuple)
            and not base.startswith(_WHOLE_OP_SEL)
            and (any(op_sel[2:]) if len(op_sel) <= 3 else op_sel[-1])
        ):
            return True
    first = inst.operands[0].reg if inst.operands else None
    return first is not None and first.half != ""


def _memory_implicit(base: str, kind: OpClass, roles: _Roles, target: Target) -> set[int]:
    """Units that a memory instruction reads without printing them."""
    uses: set[int] = set()
    plain_dma = roles.lds_dma or "_store_lds" in base
    if (plain_dma and not _ASYNC.match(base)) or _M0_READERS.match(base):
        uses.add(M0)
    if kind is not OpClass.SMEM and not base.startswith("tensor_"):
        uses.update(_EXEC_UNITS)
    if target.facts.flat_scratch_sgprs and base.startswith(("flat_", "scratch_")):
        uses.update((FLAT_SCRATCH, FLAT_SCRATCH + 1))
    return uses


def _scalar_implicit(base: str, kind: OpClass) -> tuple[set[int], set[int]]:
    """(units written, units read) of scalar instructions without being printed."""
    defs: set[int] = set()
    uses: set[int] = set()
    if _WRITES_SCC.match(base) and not _KEEPS_SCC.match(base):
        defs.add(SCC)
    if _READS_SCC.match(base):
        uses.add(SCC)
    flow = flow_of(base)
    if flow.condition is not None:
        uses.update(_CONDITION_UNITS.get(flow.condition, ()))
    if "saveexec" in base or "wrexec" in base:
        defs.update((*_EXEC_UNITS, SCC))
        uses.update(_EXEC_UNITS)
    if flow.condition is Condition.SUBVECTOR or flow.kind is FlowKind.FORK:
        defs.update(_EXEC_UNITS)
        uses.update(_EXEC_UNITS)
    if base.startswith("s_set_gpr_idx"):
        defs.add(MODE)
        uses.add(MODE)
        if base != "s_set_gpr_idx_off":
            defs.add(M0)
            uses.add(M0)
    if base.startswith(("s_setreg", "s_setvskip", "s_round_mode", "s_denorm_mode", "s_set_vgpr")):
        defs.add(MODE)
        uses.add(MODE)
    if base.startswith("s_getreg") or (kind is OpClass.SALU and _SALU_FLOAT.match(base)):
        uses.add(MODE)
    if kind is OpClass.MESSAGE and base.startswith("s_sendmsg") and "_rtn" not in base:
        uses.update(_EXEC_UNITS)
    if _M0_READERS.match(base):
        uses.add(M0)
    return defs, uses


def _implicit(base: str, kind: OpClass, roles: _Roles, target: Target) -> tuple[set[int], set[int]]:
    """(units written, units read) without being printed."""
    if kind in MEMORY_CLASSES:
        return set(), _memory_implicit(base, kind, roles, target)
    defs: set[int] = set()
    uses: set[int] = set()
    if kind in VECTOR_CLASSES:
        uses.add(MODE)
        if not _LANE_OP.match(base):
            uses.update(_EXEC_UNITS)
        if base.startswith("v_cmpx"):
            defs.update(_EXEC_UNITS)
        if base.startswith("v_div_fmas"):
            uses.update(_VCC_UNITS)
        if base.startswith("v_movrel") or (base.startswith("v_interp") and target.major <= 10):
            uses.add(M0)
    elif kind in (OpClass.SALU, OpClass.BRANCH, OpClass.MESSAGE, OpClass.BARRIER):
        return _scalar_implicit(base, kind)
    elif base in ("exp", "export"):
        uses.update(_EXEC_UNITS)
    return defs, uses


class _Opcode(NamedTuple):
    """What is the same for all instructions of an opcode and variant."""

    kind: OpClass
    roles: _Roles
    defs: frozenset[int]  # unprinted
    uses: frozenset[int]
    kept: frozenset[int]  # unprinted, and written in part
    accumulates: bool


@lru_cache(maxsize=16384)
def _opcode(base: str, arch: str, keeps: bool, returning: bool, to_lds: bool) -> _Opcode:
    target = Target(arch)
    kind = classify(base)
    roles = _Roles()
    if kind in MEMORY_CLASSES:
        roles = _memory_roles(base, kind, returning, to_lds)
    elif kind in VECTOR_CLASSES:
        roles = _vector_roles(base, keeps, target)
    elif kind in (OpClass.SALU, OpClass.BRANCH, OpClass.MESSAGE) and not _NO_DEF.match(base):
        roles = _Roles((0,), frozenset() if _RMW_SALU.match(base) else _FIRST)
    defs, uses = _implicit(base, kind, roles, target)
    # What is read and written unprinted of M0 and MODE is a matter of their other bits.
    kept = frozenset(defs & uses & {M0, MODE})
    accumulates = _ACCUMULATES.match(base) is not None
    return _Opcode(kind, roles, frozenset(defs), frozenset(uses), kept, accumulates)


_UNDECODED = Effects(OpClass.OTHER, frozenset(), frozenset(), frozenset(), (), ())


def _variant(inst: Instruction, base: str) -> tuple[bool, bool, bool]:
    """(keeps part of its destination, returns the old value, loads to LDS), as written here."""
    first = base[0]
    if first == "v":
        return _keeps_part(inst, base), False, False
    if first == "s" and "_atomic" not in base:
        return False, False, False
    return False, returns_old_value(inst), inst.modifiers.get("lds") is True


def _single(inst: Instruction, target: Target) -> Effects:
    base = inst.base
    if base.startswith("v_dual_"):
        base = "v_" + base[7:]
    op = _opcode(base, target.arch, *_variant(inst, base))
    operands = inst.operands
    roles = op.roles
    defs = set(op.defs)
    uses = set(op.uses)
    if base == "v_cndmask_b32" and len(operands) == 3:  # only as half of a pair
        uses.add(VCC)
    elif base in ("exp", "export") and inst.modifiers.get("row_en") is True:
        uses.add(M0)
    def_ops: list[int] = []
    use_ops: list[int] = []
    kept: set[int] = set()
    read: set[int] = set()
    for i, operand in enumerate(operands):
        value = operand.value
        if isinstance(value, Reg):
            units = value.units
            defined = i in roles.defs
            if defined:
                defs.update(units)
                def_ops.append(i)
            if i not in roles.unread:
                use_ops.append(i)
                uses.update(units)
                (kept if defined else read).update(units)
        elif i not in roles.unread:
            use_ops.append(i)
            if isinstance(value, Special):
                uses.update(_SPECIAL_UNITS.get(value.name, ()))
            elif isinstance(value, Raw) and value.text.startswith("["):  # addresses of an image
                parts = (parse_value(part) for part in value.text[1:-1].split(", "))
                uses.update(u for reg in parts if isinstance(reg, Reg) for u in reg.units)
    partial = op.kept - read
    if kept and not op.accumulates:
        partial |= kept - read
    # The null register neither holds nor carries anything.
    defs.discard(NULL)
    uses.discard(NULL)
    late = (op.kind in MEMORY_CLASSES or op.kind is OpClass.MESSAGE) and bool(def_ops)
    return Effects(
        op.kind, frozenset(defs), frozenset(uses), frozenset(partial - {NULL}), tuple(def_ops),
        tuple(use_ops), roles.loads, roles.stores, roles.lds_dma, late,
    )  # fmt: skip


def _pair(first: Effects, second: Effects, shift: int) -> Effects:
    """Effects of a dual-issue pair: both halves read before either writes."""
    partial = (first.partial | second.partial) - (
        (first.uses - first.partial) | (second.uses - second.partial)
    )
    return Effects(
        first.kind,
        first.defs | second.defs,
        first.uses | second.uses,
        partial,
        (*first.def_operands, *(i + shift for i in second.def_operands)),
        (*first.use_operands, *(i + shift for i in second.use_operands)),
    )


@lru_cache(maxsize=400_000)
def _effects(inst: Instruction, arch: str) -> Effects:
    if inst.text is None:
        return _UNDECODED
    target = Target(arch)
    halves = inst.halves
    if len(halves) == 1:
        return _single(inst, target)
    return _pair(_single(halves[0], target), _single(halves[1], target), len(halves[0].operands))


def effects(inst: Instruction, target: Target) -> Effects:
    """Static effects of `inst` on `target` (cached). A dual-issue pair has those of both halves."""
    return _effects(inst, target.arch)


def vector_registers(inst: Instruction) -> tuple[int, int]:
    """(1 + highest VGPR, 1 + highest AGPR) that the printed operands name; 0 for none."""
    highest = {RegKind.VGPR: 0, RegKind.AGPR: 0}
    for operand in inst.operands:
        reg = operand.reg
        if reg is not None and reg.kind in highest:
            highest[reg.kind] = max(highest[reg.kind], reg.index + reg.count)
    return highest[RegKind.VGPR], highest[RegKind.AGPR]
