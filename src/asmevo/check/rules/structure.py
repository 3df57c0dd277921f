"""Structure: every path ends, branches go to instructions, nothing falls into padding.

Also here: branches on a VCCZ that half a write of VCC left stale, barriers that waves without
active lanes jump over, and what cannot be followed (unknown jumps, calls, undecodable bytes).

Source: ISA chapters on program flow; LLVM `SIInsertWaitcnts.cpp` (vccz bug of gfx9).
"""

from __future__ import annotations

from asmevo.check.engine.facts import COND, JUMP, NEXT
from asmevo.check.engine.view import View
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.isa.decoded import OpClass
from asmevo.isa.flow import Condition
from asmevo.isa.operand import VCC


def check_structure(view: View) -> list[Finding]:
    """Findings of the structure rules in one function."""
    findings: list[Finding] = []
    reachable = set(view.order)

    def reached(index: int) -> bool:
        return view.chunk_at(index).number in reachable

    def add(rule: str, severity: str, index: int, message: str, fix: str) -> None:
        text = view.fact(index).inst.text or ""
        findings.append(
            Finding(rule, "-", severity, view.name, index, text, message=message, fix=fix)
        )

    for index, target in view.stray:
        if not reached(index):
            continue
        where = "no instruction" if target is None else f"instruction {target} outside the function"
        add("structure.branch-target", ERROR, index, f"branch to {where}", "correct the target")
    for index in view.falls_off:
        if reached(index):
            add("structure.falls-through", ERROR, index,
                "execution continues behind the function's last instruction",
                "end the path with s_endpgm, s_setpc_b64 or a branch")  # fmt: skip
    for index in view.indirect:
        if reached(index):
            message = "the targets of this jump are not known: what follows it is not checked"
            add("structure.unknown-jump", NOTE, index, message, "")
    for index in view.calls:
        if reached(index):
            add("structure.call", NOTE, index,
                "the callee is assumed to follow the calling convention", "")  # fmt: skip
    for number in view.order:
        chunk = view.chunks[number]
        if not chunk.content.special:
            continue
        for i, f in enumerate(chunk.content.facts, chunk.first):
            if f.kind is OpClass.OTHER and f.inst.text is None:
                add("structure.undecodable", ERROR, i,
                    f"bytes {f.inst.raw.hex()} are reached but are no known instruction",
                    "use an LLVM that knows them")  # fmt: skip
    findings += _endless(view, reachable)
    findings += _vccz(view)
    findings += _skipped_barriers(view)
    return findings


def _endless(view: View, reachable: set[int]) -> list[Finding]:
    """Chunks from which no path leaves the function."""
    alive: set[int] = set()
    work: list[int] = []
    for number in reachable:
        chunk = view.chunks[number]
        if view.fact(chunk.last - 1).flow not in (NEXT, JUMP, COND) or not chunk.successors:
            work.append(number)
    while work:
        number = work.pop()
        if number not in alive:
            alive.add(number)
            work += view.chunks[number].predecessors
    dead = sorted(reachable - alive)
    if not dead:
        return []
    first = view.chunks[dead[0]].first
    text = view.fact(first).inst.text or ""
    return [
        Finding(
            "structure.endless",
            "-",
            ERROR,
            view.name,
            first,
            text,
            message="no path from here reaches an end",
            fix="add an exit",
        )
    ]


def _vccz(view: View) -> list[Finding]:
    """Branches on VCCZ behind a write of half of VCC (gfx9 does not update the flag then).

    Only inside a basic block, as LLVM does it (SIInsertWaitcnts).
    """
    if not view.target.is_gfx9:
        return []
    both = 3 << VCC
    findings: list[Finding] = []
    half = False
    for chunk in view.chunks:
        if chunk.leader:
            half = False
        if not chunk.content.special and not chunk.content.gen & both:
            continue
        for i, f in enumerate(chunk.content.facts, chunk.first):
            if half and f.decoded.flow.condition is Condition.VCC:
                text, message = f.inst.text or "", "VCC was written in halves, VCCZ may be stale"
                fix = "s_mov_b64 vcc, vcc before it"
                findings.append(
                    Finding(
                        "structure.vccz-partial", "L", NOTE, view.name, i, text,
                        message=message, fix=fix,
                    )
                )  # fmt: skip
            written = f.defs & both
            if written:
                half = written != both
    return findings


def _skipped_barriers(view: View) -> list[Finding]:
    """Barriers in a region that waves without active lanes jump over: they may not all meet."""
    findings: list[Finding] = []
    for chunk in view.chunks:
        last = chunk.last - 1
        if not view.fact(last).decoded.flow.skips_without_lanes:
            continue
        for number in chunk.skip_edges:
            for i in range(chunk.last, view.chunks[number].first):
                f = view.fact(i)
                if f.kind is OpClass.BARRIER:
                    findings.append(
                        Finding(
                            "structure.barrier-skipped", "-", NOTE, view.name, i,
                            f.inst.text or "", producer=last,
                            producer_text=view.fact(last).inst.text or "",
                            message="a wave without active lanes jumps over this barrier",
                            fix="take the barrier out of the region",
                        )
                    )  # fmt: skip
    return findings
