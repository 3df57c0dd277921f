"""Registers: defined on every path, within the declared counts, tuples aligned and disjoint.

At kernel entry the descriptor says which SGPRs and VGPRs hold values (LLVM `AMDGPUUsage`,
"Initial Kernel Execution State"). A vector register defined only while EXEC was reduced counts as
defined, and a path that skips a region because EXEC is zero does not undefine what the region
defines: no lane that would read it was active.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.check.engine.facts import CALL, InstructionFacts
from asmevo.check.engine.view import View
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.check.rules.undefined import moved_mask, undefined_uses
from asmevo.check.rules.waits import register_text
from asmevo.codeobject import KernelDescriptor
from asmevo.isa.access import Space
from asmevo.isa.hazards.roles import EXEC_MASK, SCALAR_MASK, VECTOR_MASK, VGPR_MASK
from asmevo.isa.operand import AGPR0, EXEC, FLAT_SCRATCH, MODE, SCC, TTMP0, VCC, VGPR0

EVERYTHING = SCALAR_MASK | EXEC_MASK | VECTOR_MASK | 1 << SCC | 1 << MODE


@dataclass(frozen=True, slots=True)
class Limits:
    """Register counts that code may use: `v0..`, `a0..`, `s0..` below these.

    `unified` is the size of a unified file (VGPRs and AGPRs together), 0 without one.
    """

    vgprs: int
    agprs: int
    sgprs: int
    unified: int = 0


def declared(descriptor: KernelDescriptor) -> Limits:
    """The counts that a descriptor allocates.

    SGPRs are allocated by 16 on gfx9; VCC and the other named registers have numbers of their own.
    """
    sgprs = descriptor.sgprs
    if descriptor.target.is_gfx9:
        sgprs = min(102, -(-sgprs // 16) * 16)
    else:
        sgprs = 106
    unified = descriptor.vgprs if descriptor.target.unified_vgprs else 0
    return Limits(descriptor.arch_vgprs, descriptor.agprs, sgprs, unified)


def entry_mask(descriptor: KernelDescriptor, preloaded: bool = True) -> int:
    """Units that hold values when the first instruction runs.

    `preloaded` is False at the compatibility entry of a kernel with preloaded arguments.
    """
    d, target = descriptor, descriptor.target
    sgprs = d.user_sgpr_count
    if not preloaded:
        sgprs -= d.kernarg_preload_length
    if target.major < 12:
        sgprs += (
            d.enable_sgpr_workgroup_id_x + d.enable_sgpr_workgroup_id_y
            + d.enable_sgpr_workgroup_id_z + d.enable_sgpr_workgroup_info
            + d.enable_private_segment
        )  # fmt: skip
    packed = target.unified_vgprs or target.major >= 11
    vgprs = 1 if packed else 1 + min(2, d.enable_vgpr_workitem_id)
    mask = ((1 << sgprs) - 1) | ((1 << vgprs) - 1) << VGPR0
    mask |= 0xF << FLAT_SCRATCH  # flat scratch and XNACK mask: set by the hardware or unused
    mask |= ((1 << 16) - 1) << TTMP0 | 3 << EXEC | 1 << MODE
    if d.wavefront_size32:
        mask |= 1 << (VCC + 1)  # instructions that name VCC read 32 bits of it
    return mask


def _beyond(limits: Limits) -> int:
    """Mask of the registers beyond the declared counts."""
    vgprs = ((1 << (AGPR0 - VGPR0)) - 1) << VGPR0
    mask = vgprs & ~(((1 << limits.vgprs) - 1) << VGPR0)
    agprs = ((1 << 512) - 1) << AGPR0
    mask |= agprs & ~(((1 << limits.agprs) - 1) << AGPR0)
    return mask | ((1 << FLAT_SCRATCH) - 1) & ~((1 << limits.sgprs) - 1)


def _defined_states(view: View, entries: dict[int, int], every: bool) -> dict[int, int]:
    """Units defined at the start of each reachable chunk: on every path, or on any path."""
    start = EVERYTHING if every else 0
    state = dict.fromkeys(view.order, start)
    reachable = set(view.order)
    changed = True
    while changed:
        changed = False
        for number in view.order:
            chunk = view.chunks[number]
            value = start
            ins = [p for p in chunk.predecessors if p in reachable]
            plain = [p for p in ins if number not in view.chunks[p].skip_edges]
            for p in ins:
                before = view.chunks[p]
                out = state[p] | before.content.gen
                if view.fact(before.last - 1).flow == CALL:
                    out = EVERYTHING
                if plain and number in before.skip_edges:
                    out |= VECTOR_MASK
                value = value & out if every else value | out
            if number in entries:
                value = value & entries[number] if every else value | entries[number]
            if value != state[number]:
                state[number] = value
                changed = True
    return state


def check_registers(view: View, limits: Limits | None, entries: dict[int, int]) -> list[Finding]:
    """Findings of the register rules.

    `entries` maps entry instruction indices to the units defined there; `limits` is None for
    functions without a descriptor of their own.
    """
    findings: list[Finding] = []
    by_chunk = {view.chunk_at(i).number: mask for i, mask in entries.items()}
    every = _defined_states(view, by_chunk, every=True)
    anywhere: dict[int, int] | None = None
    beyond = _beyond(limits) if limits is not None else 0
    reachable = set(view.order)
    behind, told = -1, 0
    for chunk in view.chunks:
        number, content = chunk.number, chunk.content
        if number not in reachable:
            continue
        for at, (rule, mark, severity, message) in content.faults:
            f, i = content.facts[at], chunk.first + at
            findings.append(_make(view, i, f, rule, mark, severity, message, "use other registers"))
        if content.touched & beyond and limits is not None:
            aliased = used_registers(view).agprs > 0
            findings += _beyond_findings(view, chunk.first, content.facts, beyond, limits, aliased)
        if chunk.leader or behind != number - 1:
            told = 0  # each register is told once in a basic block, however it is cut
        behind = number
        if not content.exposed & ~every[number] & ~told:
            continue
        if anywhere is None:
            anywhere = _defined_states(view, by_chunk, every=False)
        sure, maybe = every[number] | told, anywhere[number]
        for i, f in enumerate(content.facts, chunk.first):
            missing = f.strict_uses & ~sure
            if missing:
                findings += _undefined(view, i, f, missing, maybe)
                told |= missing
            sure |= f.defs | missing
            maybe |= f.defs
    if anywhere is not None and any(f.rule == "register.undefined-copy" for f in findings):
        findings += undefined_uses(view, anywhere)
    return findings


def _undefined(
    view: View, index: int, f: InstructionFacts, missing: int, maybe: int
) -> list[Finding]:
    if f.decoded.clears:
        return []
    found: list[Finding] = []
    never, sometimes = missing & ~maybe, missing & maybe
    if never and _only_copies(f, never):
        # Compilers spill and copy pairs of which one half was never set.
        names = register_text(never)
        found.append(
            _make(view, index, f, "register.undefined-copy", "-", NOTE,
                  f"{names} is copied but never defined before", "", names)
        )  # fmt: skip
    elif never:
        names = register_text(never)
        found.append(
            _make(view, index, f, "register.undefined", "R", ERROR,
                  f"{names} is read but never defined before", "define it first", names)
        )  # fmt: skip
    if sometimes:
        names = register_text(sometimes)
        found.append(
            _make(view, index, f, "register.maybe-undefined", "-", NOTE,
                  f"{names} is read but not defined on every path", "define it on all paths",
                  names)
        )  # fmt: skip
    return found


def _only_copies(f: InstructionFacts, units: int) -> bool:
    """Whether the instruction moves these units unchanged (a copy or a spill) and no more."""
    record = f.decoded
    if record.access is not None and record.access.space is Space.SCRATCH and record.stores:
        return True
    return all(half.traits.copies for half in record.halves) and not units & ~moved_mask(record)


def _beyond_findings(
    view: View,
    first: int,
    facts: tuple[InstructionFacts, ...],
    beyond: int,
    limits: Limits,
    aliased: bool,
) -> list[Finding]:
    """Registers beyond the declared counts.

    A VGPR at or above accum_offset is an AGPR's register under another name. Kernels that run
    every day do this when they use no AGPR (V!); together with AGPRs two names would share one.
    """
    found: list[Finding] = []
    alias = 0 if aliased else (((1 << limits.unified) - 1) << VGPR0) & VGPR_MASK
    for i, f in enumerate(facts, first):
        over = (f.defs | f.uses) & beyond
        if not over:
            continue
        if over & ~alias:
            names = register_text(over & ~alias)
            found.append(
                _make(view, i, f, "register.beyond-count", "R", ERROR,
                      f"{names} lies beyond the declared {limits.vgprs} VGPRs, {limits.agprs} "
                      f"AGPRs, {limits.sgprs} SGPRs",
                      "declare more registers or use lower ones", names)
            )  # fmt: skip
        if over & alias:
            names = register_text(over & alias)
            found.append(
                _make(view, i, f, "register.beyond-offset", "V!", NOTE,
                      f"{names} lies at or above accum_offset {limits.vgprs}, among the AGPRs",
                      "raise accum_offset", names)
            )  # fmt: skip
    return found


def _make(
    view: View, index: int, f: InstructionFacts, rule: str, mark: str, severity: str, message: str,
    fix: str, what: str = "",
) -> Finding:  # fmt: skip
    return Finding(
        rule, mark, severity, view.name, index, f.inst.text or "", message=message, fix=fix,
        what=what,
    )  # fmt: skip


def used_registers(view: View) -> Limits:
    """Register counts that the reachable code names: 1 + the highest of each file."""
    touched = 0
    for number in view.order:
        touched |= view.chunks[number].content.touched
    vgprs = (touched & VECTOR_MASK & ((1 << AGPR0) - 1)) >> VGPR0
    agprs = (touched & VECTOR_MASK) >> AGPR0
    sgprs = touched & ((1 << FLAT_SCRATCH) - 1)
    return Limits(vgprs.bit_length(), agprs.bit_length(), sgprs.bit_length())
