"""Hazards of gfx11 and later that are counted in vector instructions, not in wait states.

On these parts the hardware interlocks the gfx9 pairs, `s_nop` helps no longer, and what is left is
cured by other VALU instructions (`v_nop`) or by draining the VALU (`s_waitcnt_depctr va_vdst(0)`).
Source: LLVM `GCNHazardRecognizer.cpp` (fixVALUTransUseHazard, fixVcmpxPermlaneHazards,
fixWMMAHazards, fixVALUTransCoexecutionHazards, fixWMMACoexecutionHazards); the ISA documents do
not list them, so all are marked L. Not covered: the wave64-only rules of gfx11 (VALUMaskWrite,
VALUPartialForwarding), LDS-direct loads, and gfx12's VALUReadSGPR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from asmevo.isa.counters import decode_depctr
from asmevo.isa.effects import VECTOR_CLASSES, OpClass, effects
from asmevo.isa.hazards.roles import EXEC_MASK, VECTOR_MASK, mask_of, reg_mask
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target


@dataclass(frozen=True, slots=True)
class ValuRule:
    """One pair.

    Attributes:
        name: rule id.
        need: VALU instructions that must lie between.
        trans_ends: transcendentals between that end the hazard as well; 0 when they do not.
        nop_counts: whether `v_nop` counts as one of them.
        drains: whether memory and export instructions and `va_vdst(0)` end it.
        text: what the pair is.
        fix: what cures it.
    """

    name: str
    need: int
    text: str
    fix: str
    trans_ends: int = 0
    nop_counts: bool = True
    drains: bool = False


class Side(NamedTuple):
    """A rule of the target (by index) and the registers it concerns here."""

    rule: int
    mask: int


class ValuRoles(NamedTuple):
    """What an instruction is to the rules.

    `valu`, `trans`, `nop`: its kind; `drains`: it ends the rules that draining ends.
    """

    produces: tuple[Side, ...]
    consumes: tuple[Side, ...]
    valu: bool
    trans: bool
    nop: bool
    drains: bool


_NOP = "v_nop or an independent VALU instruction between them"
_TRANS_USE = ValuRule(
    "valu-trans-use", 6, "a transcendental result is read by VALU",
    "s_waitcnt_depctr va_vdst(0) between them", trans_ends=2, drains=True,
)  # fmt: skip
_PERMLANE = ValuRule(
    "vcmpx-permlane", 1, "v_cmpx writes EXEC before a permlane",
    "a VALU instruction other than v_nop between them", nop_counts=False,
)  # fmt: skip
_WMMA_AB = ValuRule("wmma-ab", 1, "a WMMA result is A, B or index of the next WMMA", _NOP)
_TRANS_RAW = ValuRule("trans-coexec-read", 1, "a transcendental result is read by VALU", _NOP)
_TRANS_WAR = ValuRule(
    "trans-coexec-write", 1, "a source of a transcendental is overwritten by VALU", _NOP
)
# gfx1250: (dense 8, dense 16, sparse 8, sparse 16 clocks) -> (to WMMA A/B/index, to other VALU).
_COEXEC = {(False, 8): (5, 4), (False, 16): (9, 8), (True, 8): (3, 2), (True, 16): (5, 4)}


@lru_cache(maxsize=64)
def rules_of(target: Target) -> tuple[ValuRule, ...]:
    """The rules of a target; empty before gfx11."""
    if target.arch == "gfx1250":
        coexec = [
            ValuRule(
                f"wmma-coexec-{'sparse' if sparse else 'dense'}{clocks}-{where}", need,
                f"a WMMA result is {what}", _NOP,
            )
            for (sparse, clocks), needs in _COEXEC.items()
            for where, what, need in (
                ("wmma", "A, B or index of a WMMA", needs[0]),
                ("valu", "read or overwritten by VALU", needs[1]),
            )
        ]  # fmt: skip
        return (_PERMLANE, _TRANS_RAW, _TRANS_WAR, *coexec)
    if target.major == 12:
        return (_PERMLANE, _WMMA_AB)
    if target.major == 11:
        late = target.arch.startswith("gfx115")
        return (_PERMLANE, _WMMA_AB) if late else (_PERMLANE, _WMMA_AB, _TRANS_USE)
    return ()


_MATRIX = re.compile(r"v_(wmma|swmmac)_")
_SLOW_MATRIX = re.compile(r"v_s?wmm\w+_(iu8|iu4)|v_s?wmm\w+_f8f6f4")
_PERMLANE_OP = re.compile(r"v_permlane")
_DRAINING = frozenset({OpClass.VMEM, OpClass.FLAT, OpClass.LDS})


def _matrix_clocks(inst: Instruction) -> int:
    """8 or 16 clocks of a gfx1250 WMMA (16: iu8, iu4, and f8f6f4 with an 8-bit side)."""
    if "f8f6f4" in inst.base:
        sides = [inst.modifiers.get(name, 0) for name in ("matrix_a_fmt", "matrix_b_fmt")]
        eight = any("FP8" in str(s) or "BF8" in str(s) or s in (0, 1) for s in sides)
        return 16 if eight else 8
    return 16 if _SLOW_MATRIX.match(inst.base) else 8


@lru_cache(maxsize=200_000)
def _roles(inst: Instruction, arch: str) -> ValuRoles:
    target = Target(arch)
    effect = effects(inst, target)
    rules = rules_of(target)
    index = {rule.name: n for n, rule in enumerate(rules)}
    valu = effect.kind in VECTOR_CLASSES
    drains = effect.kind in _DRAINING or inst.base == "exp"
    drains = drains or decode_depctr(inst, target).get("va_vdst") == 0
    produced: list[Side] = []
    consumed: list[Side] = []

    def add(sides: list[Side], name: str, mask: int) -> None:
        if name in index and mask:
            sides.append(Side(index[name], mask))

    if valu:
        defs = mask_of(effect.defs) & VECTOR_MASK
        uses = mask_of(effect.uses) & VECTOR_MASK
        matrix = bool(_MATRIX.match(inst.base))
        trans = effect.kind is OpClass.TRANS
        if inst.base.startswith("v_cmpx"):
            add(produced, "vcmpx-permlane", EXEC_MASK)
        if _PERMLANE_OP.match(inst.base):
            add(consumed, "vcmpx-permlane", EXEC_MASK)
        if trans:
            add(produced, "valu-trans-use", defs)
            add(produced, "trans-coexec-read", defs)
            add(produced, "trans-coexec-write", uses)
        else:
            add(consumed, "trans-coexec-read", uses)
            add(consumed, "trans-coexec-write", defs)
        add(consumed, "valu-trans-use", uses)
        sparse = "swmmac" in inst.base
        sources = 0
        if matrix:
            for operand in inst.operands[1 : 4 if sparse else 3]:
                if operand.reg is not None:
                    sources |= reg_mask(operand.reg) & VECTOR_MASK
            add(produced, "wmma-ab", defs)
            add(consumed, "wmma-ab", sources)
        for (thin, clocks), _needs in _COEXEC.items():
            stem = f"wmma-coexec-{'sparse' if thin else 'dense'}{clocks}"
            if matrix and thin == sparse and clocks == _matrix_clocks(inst):
                add(produced, f"{stem}-wmma", defs)
                add(produced, f"{stem}-valu", defs)
            if matrix:
                add(consumed, f"{stem}-wmma", sources)
            else:
                add(consumed, f"{stem}-valu", uses | defs)
    return ValuRoles(
        tuple(produced), tuple(consumed), valu, effect.kind is OpClass.TRANS,
        inst.base == "v_nop", drains,
    )  # fmt: skip


def valu_roles(inst: Instruction, target: Target) -> ValuRoles:
    """What `inst` is to the rules of the target (cached)."""
    return _roles(inst, target.arch)
