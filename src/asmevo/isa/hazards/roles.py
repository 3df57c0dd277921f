"""Which hazard roles an instruction plays: what it leaves behind and what it is sensitive to.

Register sets are *masks*: integers whose bit u stands for register unit u (see
`asmevo.isa.operand`); hardware registers are units from `HWREG0` on. The roles feed the rule
table of `asmevo.isa.hazards.rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from asmevo.isa.effects import Effects, OpClass, effects
from asmevo.isa.hazards.rows import C, P
from asmevo.isa.hwreg import VSKIP_BIT, HwReg, hwreg_field
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import MatrixClass, MatrixOp, matrix_op
from asmevo.isa.operand import AGPR0, EXEC, M0, NULL, SCC, VCC, VGPR0, Reg, RegKind, Special
from asmevo.isa.target import Target

HWREG0 = 256  # between the scalar and the vector units


def mask_of(units: Iterable[int]) -> int:
    """The mask of register units."""
    mask = 0
    for unit in units:
        mask |= 1 << unit
    return mask


def units_of(mask: int) -> list[int]:
    """The register units of a mask, ascending."""
    units: list[int] = []
    while mask:
        low = mask & -mask
        units.append(low.bit_length() - 1)
        mask ^= low
    return units


def reg_mask(reg: Reg) -> int:
    """The mask of a register tuple."""
    return ((1 << reg.count) - 1) << reg.units.start


VGPR_MASK = ((1 << (AGPR0 - VGPR0)) - 1) << VGPR0
AGPR_MASK = ((1 << 512) - 1) << AGPR0
VECTOR_MASK = VGPR_MASK | AGPR_MASK
EXEC_MASK = 3 << EXEC
VCC_MASK = 3 << VCC
SCALAR_MASK = ((1 << SCC) - 1) & ~EXEC_MASK & ~(1 << NULL)  # SGPRs, VCC, TTMPs, M0


class Produced(NamedTuple):
    """A role as producer. `key` is a tuple (start, count, passes), an opcode name, or None."""

    role: P
    mask: int
    key: object = None
    passes: int = 0


class Consumed(NamedTuple):
    """A role as consumer; `key` as in `Produced`."""

    role: C
    mask: int
    key: object = None


class Roles(NamedTuple):
    """All roles of one instruction; `consumer_bits` is the bit set of its consumer roles."""

    produces: tuple[Produced, ...]
    consumes: tuple[Consumed, ...]
    consumer_bits: int


_CARRY = re.compile(r"v_(addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci|cndmask)")
_LANE = re.compile(r"v_(readlane|writelane)_b32$")
_LANE_EXEC = re.compile(r"v_(readlane|readfirstlane|writelane)_b32$")
_READLANE = re.compile(r"v_(readlane|readfirstlane)_b32$")
_FP8_DST = re.compile(r"v_cvt_(pk|sr)_(fp8|bf8)_")
_FP4_DST = re.compile(r"v_cvt_scalef32_(sr_)?(pk\d*_)?fp4_")
_PACKED = re.compile(r"v_(pk_|mfma|smfmac|dot|fma_mix|mad_mix)")
_DOT = re.compile(r"v_dot\d")
_SWAP = re.compile(r"v_permlane(16|32)_swap")
_FMA64 = re.compile(r"v_fma(c)?_f64$")
_M0_ADDTID = re.compile(r"(ds_(read|write)_addtid|s_movrel|v_interp)")
_M0_MESSAGE = re.compile(r"(s_sendmsg|s_ttracedata|ds_gws|ds_ordered)")
_FLAT_LDSDMA = re.compile(r"(global|scratch)_load_lds_")
_WIDE_DATA = 3  # registers: more than 64 bits


class _Traits(NamedTuple):
    """What follows from the mnemonic alone."""

    dot: bool
    packed: bool
    fp8: bool
    fp4: bool
    carry: bool
    lane: bool
    lane_exec: bool
    readlane: bool
    swap: bool
    fma64: bool


@lru_cache(maxsize=4096)
def _traits(base: str) -> _Traits:
    return _Traits(
        *(
            bool(pattern.match(base))
            for pattern in (
                _DOT, _PACKED, _FP8_DST, _FP4_DST, _CARRY, _LANE, _LANE_EXEC, _READLANE, _SWAP,
                _FMA64,
            )
        )
    )  # fmt: skip


def _writes_part(inst: Instruction, target: Target) -> bool:
    """Whether the result goes to part of a register through a destination select."""
    base, mods = inst.base, inst.modifiers
    if mods.get("dst_sel", "DWORD") != "DWORD":
        return True
    if target.arch == "gfx950" and _traits(base).fp4:
        return True
    op_sel = mods.get("op_sel")
    if not isinstance(op_sel, tuple) or _traits(base).packed:
        return False
    if _traits(base).fp8:
        return any(op_sel[2:])
    sources = len(inst.operands) - 1
    return len(op_sel) > sources and bool(op_sel[-1])


def _explicit(inst: Instruction, effect: Effects) -> tuple[int, int, int]:
    """Masks of printed source operands: (constants, carry or select mask, vector registers)."""
    constants = carry = vectors = 0
    last = effect.use_operands[-1] if effect.use_operands else -1
    has_carry = _traits(inst.base).carry
    for i in effect.use_operands:
        reg = inst.operands[i].reg
        if reg is None or i in effect.def_operands:
            continue
        mask = reg_mask(reg)
        if reg.kind is not RegKind.SGPR:
            vectors |= mask
        elif has_carry and i == last:
            carry |= mask
        else:
            constants |= mask
    return constants, carry, vectors


def _valu(
    inst: Instruction, effect: Effects, defs: int, uses: int, target: Target
) -> tuple[list[Produced], list[Consumed]]:
    base = inst.base
    produced: list[Produced] = []
    consumed: list[Consumed] = []
    vdefs, sdefs = defs & VECTOR_MASK, defs & SCALAR_MASK
    vuses = uses & VECTOR_MASK
    traits = _traits(base)
    dot = traits.dot
    if sdefs:
        produced.append(Produced(P.VALU_SGPR, sdefs))
    if defs & EXEC_MASK:
        produced.append(Produced(P.VALU_EXEC, EXEC_MASK))
    if vdefs:
        if dot:
            produced.append(Produced(P.DOT_VGPR, vdefs, base))
        else:
            produced.append(Produced(P.VALU_VGPR, vdefs))
        if effect.kind is OpClass.TRANS:
            produced.append(Produced(P.TRANS_VGPR, vdefs))
        if _writes_part(inst, target):
            produced.append(Produced(P.DSTSEL_VGPR, vdefs))
    constants, _carry, sources = _explicit(inst, effect)
    plain = constants & ~EXEC_MASK
    if plain:
        lane_select = 0
        if traits.lane:
            select = inst.operands[2].reg
            lane_select = reg_mask(select) if select is not None else 0
            if lane_select:
                consumed.append(Consumed(C.LANE_SELECT, lane_select))
        if plain & ~lane_select:
            consumed.append(Consumed(C.VALU_SCONST, plain & ~lane_select))
    if constants & EXEC_MASK:
        consumed.append(Consumed(C.VALU_EXEC, EXEC_MASK))
    if base.startswith("v_div_fmas"):
        consumed.append(Consumed(C.DIV_FMAS, VCC_MASK))
    if traits.lane_exec:
        consumed.append(Consumed(C.LANE_EXEC, EXEC_MASK))
    if traits.readlane and sources:
        consumed.append(Consumed(C.READLANE, sources))
    if "dpp" in inst.form:
        consumed.append(Consumed(C.DPP_EXEC, EXEC_MASK))
        if vuses:
            consumed.append(Consumed(C.DPP_VGPR, vuses))
    kept = vdefs & vuses & ~sources if _writes_part(inst, target) else 0
    if kept:
        consumed.append(Consumed(C.KEPT_PART, kept))
    if vuses:
        consumed.append(Consumed(C.VALU_READ, vuses, base))
        if effect.kind is not OpClass.TRANS:
            consumed.append(Consumed(C.PLAIN_VALU_READ, vuses))
    if dot and sources:
        # A and B are the first two sources; C (or the tied destination) is forwarded.
        ab = mask_of(u for o in inst.operands[1:3] if o.reg is not None for u in o.reg.units)
        consumed.append(Consumed(C.DOT_AB, ab, base))
    if vdefs:
        consumed.append(Consumed(C.VALU_WRITE, vdefs, base))
    if traits.swap:
        consumed.append(Consumed(C.PERMLANE_SWAP, vuses))
        consumed.append(Consumed(C.PERMLANE_EXEC, EXEC_MASK))
    if traits.fma64:
        consumed.append(Consumed(C.FMA64, 0))
    for operand in inst.operands[1:]:
        value = operand.value
        if isinstance(value, Special):
            if value.name in ("vccz", "src_vccz"):
                consumed.append(Consumed(C.ZERO_FLAG, VCC_MASK))
            elif value.name in ("execz", "src_execz"):
                consumed.append(Consumed(C.ZERO_FLAG, EXEC_MASK))
            elif value.name in ("lds_direct", "src_lds_direct"):
                consumed.append(Consumed(C.M0_MESSAGE, 1 << M0))
    if base.startswith("v_interp"):
        consumed.append(Consumed(C.M0_ADDTID, 1 << M0))
    return produced, consumed


_C_ROLE = {
    MatrixClass.XDL: C.XDL_C,
    MatrixClass.SGEMM: C.SGEMM_C,
    MatrixClass.DGEMM: C.DGEMM_C,
}


def matrix_sources(inst: Instruction, op: MatrixOp) -> tuple[int, Reg | None]:
    """(mask of A, B, index and scale operands, register of C or None for a constant C)."""
    regs = [operand.reg for operand in inst.operands]
    c = regs[0] if op.sparse else regs[3] if len(regs) > 3 else None
    ab = 0
    for i, reg in enumerate(regs):
        if i and reg is not None and reg.kind is not RegKind.SGPR and (i != 3 or op.sparse):
            ab |= reg_mask(reg)
    return ab, c


def _matrix(inst: Instruction, op: MatrixOp) -> tuple[list[Produced], list[Consumed]]:
    ab, c = matrix_sources(inst, op)
    d = inst.operands[0].reg
    assert d is not None  # LLVM prints the destination of every matrix instruction first
    key = (d.units.start, d.count, op.passes)
    produced: list[Produced] = []
    if op.cls is MatrixClass.DGEMM:
        role = P.D4_D if op.m == 4 else P.D16_D
        produced.append(Produced(P.DGEMM, 0))
    else:
        role = P.XDL_D if op.cls is MatrixClass.XDL else P.SGEMM_D
    produced.append(Produced(role, reg_mask(d), key, op.passes))
    if op.cls is MatrixClass.XDL and c is not None:
        produced.append(Produced(P.XDL_C, reg_mask(c), None, op.passes))
    consumed = [
        Consumed(C.MFMA_EXEC, EXEC_MASK),
        Consumed(C.MFMA_AB, ab),
        Consumed(C.MATRIX_WRITE, reg_mask(d)),
    ]
    if c is not None and c.kind is not RegKind.SGPR:
        key = (c.units.start, c.count, op.passes)
        consumed.append(Consumed(_C_ROLE[op.cls], reg_mask(c), key))
    return produced, consumed


def store_data(inst: Instruction, effect: Effects) -> int:
    """Mask of the data VGPRs of a store that a following write may still reach, else 0.

    Stores and compare-swaps of more than 64 bits to global memory or scratch (CDNA3 ISA table 11).
    """
    if not effect.stores or effect.lds_dma or effect.kind not in (OpClass.VMEM, OpClass.FLAT):
        return 0
    data = 0
    for i in effect.use_operands:
        reg = inst.operands[i].reg
        if reg is not None and reg.kind is not RegKind.SGPR and reg.count >= _WIDE_DATA:
            data |= reg_mask(reg)
    return data


def _scalar_offset(inst: Instruction) -> bool:
    """Whether a buffer instruction takes its offset from a scalar register."""
    buffer = inst.base.startswith(("buffer_", "tbuffer_"))
    return buffer and len(inst.operands) > 3 and inst.operands[3].reg is not None


def _memory(
    inst: Instruction, effect: Effects, defs: int, uses: int
) -> tuple[list[Produced], list[Consumed]]:
    base, kind = inst.base, effect.kind
    produced: list[Produced] = []
    consumed: list[Consumed] = []
    if kind in (OpClass.VMEM, OpClass.FLAT):
        scalars = uses & SCALAR_MASK & ~(1 << M0)
        if scalars:
            consumed.append(Consumed(C.VMEM_SGPR, scalars))
        consumed.append(Consumed(C.VMEM_EXEC, EXEC_MASK))
        data = store_data(inst, effect)
        if data:
            role = P.STORE_DATA_SGPR if _scalar_offset(inst) else P.STORE_DATA
            produced.append(Produced(role, data))
    if uses & VECTOR_MASK:
        consumed.append(Consumed(C.MEM_READ, uses & VECTOR_MASK))
    if defs & VECTOR_MASK:
        produced.append(Produced(P.ANY_VGPR, defs & VECTOR_MASK))
        consumed.append(Consumed(C.LOAD_WRITE, defs & VECTOR_MASK))
    m0 = 1 << M0
    if _M0_ADDTID.match(base):
        consumed.append(Consumed(C.M0_ADDTID, m0))
    if _M0_MESSAGE.match(base) or inst.modifiers.get("gds") is True:
        consumed.append(Consumed(C.M0_MESSAGE, m0))
    if effect.lds_dma:
        flat = bool(_FLAT_LDSDMA.match(base))
        consumed.append(Consumed(C.M0_FLAT_LDSDMA if flat else C.M0_MUBUF_LDSDMA, m0))
    return produced, consumed


def _scalar(inst: Instruction, defs: int) -> tuple[list[Produced], list[Consumed]]:
    base = inst.base
    produced: list[Produced] = []
    consumed: list[Consumed] = []
    m0 = 1 << M0
    if defs & m0:
        produced.append(Produced(P.SALU_M0, m0))
    if base.startswith("s_setreg"):
        register, first, count = hwreg_field(inst)
        unit = 1 << (HWREG0 + register)
        produced.append(Produced(P.SETREG, unit))
        consumed.append(Consumed(C.SETREG, unit))
        if register == HwReg.MODE and first <= VSKIP_BIT < first + count:
            produced.append(Produced(P.VSKIP, 0))
    elif base == "s_setvskip":
        produced.append(Produced(P.VSKIP, 0))
    elif base.startswith("s_getreg"):
        register = hwreg_field(inst).register
        consumed.append(Consumed(C.GETREG, 1 << (HWREG0 + register)))
        if register == HwReg.MODE:
            consumed.append(Consumed(C.GETREG_MODE, 0))
    elif base.startswith("s_rfe"):
        consumed.append(Consumed(C.RFE, 1 << (HWREG0 + HwReg.TRAPSTS)))
    if _M0_ADDTID.match(base):
        consumed.append(Consumed(C.M0_ADDTID, m0))
    if _M0_MESSAGE.match(base):
        consumed.append(Consumed(C.M0_MESSAGE, m0))
    return produced, consumed


_NOTHING = Roles((), (), 0)


@lru_cache(maxsize=400_000)
def _roles(inst: Instruction, arch: str) -> Roles:
    target = Target(arch)
    effect = effects(inst, target)
    kind = effect.kind
    defs, uses = mask_of(effect.defs), mask_of(effect.uses)
    if kind in (OpClass.VALU, OpClass.TRANS):
        produced, consumed = _valu(inst, effect, defs, uses, target)
    elif kind is OpClass.MFMA:
        op = matrix_op(inst, target)
        if op is None:
            return _NOTHING
        produced, consumed = _matrix(inst, op)
    elif kind in (OpClass.VMEM, OpClass.FLAT, OpClass.LDS):
        produced, consumed = _memory(inst, effect, defs, uses)
    elif kind in (OpClass.SALU, OpClass.MESSAGE, OpClass.BRANCH):
        produced, consumed = _scalar(inst, defs)
    else:
        return _NOTHING
    if inst.base.startswith("v_") or kind in (OpClass.VMEM, OpClass.FLAT, OpClass.LDS):
        consumed.append(Consumed(C.VECTOR, 0))
    bits = 0
    for item in consumed:
        bits |= 1 << item.role
    return Roles(tuple(produced), tuple(consumed), bits)


def roles(inst: Instruction, target: Target) -> Roles:
    """The hazard roles of `inst` on `target` (cached).

    Raises:
        UnsupportedError: a matrix instruction whose shape is not in the table.
    """
    return _roles(inst, target.arch)


def wait_states_of(inst: Instruction, target: Target) -> int:
    """Wait states that `inst` provides: N+1 for `s_nop N`, else 1.

    The hardware reads 4 bits of N before gfx12 and 7 from then on; the assembler takes more.
    """
    if inst.base == "s_nop":
        return (int.from_bytes(inst.raw[:2], "little") & (target.nop_max - 1)) + 1
    return 1
