"""Memory clauses that a page-fault replay (XNACK) could not repeat.

With XNACK, a run of consecutive scalar loads or of consecutive vector memory instructions may be
replayed as a whole. So no instruction of the run may write a register that one of them reads, and
no store may join a run that already defines registers. Any instruction of another kind ends the
run. LLVM breaks such runs for targets with xnack on or unspecified (`checkSoftClauseHazards`);
hand-written code mostly does not, so a finding is a note and matters in comparisons.
"""

from __future__ import annotations

from asmevo.check.engine.view import View
from asmevo.check.findings import NOTE, Finding
from asmevo.isa.effects import OpClass
from asmevo.isa.hazards.roles import EXEC_MASK
from asmevo.isa.target import Feature, Target

_KINDS = {OpClass.SMEM: 1, OpClass.VMEM: 2, OpClass.FLAT: 2}


def replays(target: Target) -> bool:
    """Whether code of the target may run with XNACK replay."""
    on_or_any = target.xnack in (Feature.ON, Feature.ANY)
    return on_or_any and (target.is_gfx9 or target.arch.startswith("gfx101"))


def check_clauses(view: View) -> list[Finding]:
    """Findings of the clause rule in one function; empty where XNACK cannot be on."""
    if not replays(view.target):
        return []
    findings: list[Finding] = []
    kind = length = defs = uses = first = 0
    for chunk in view.chunks:
        if chunk.leader:
            kind = 0
        for i, f in enumerate(chunk.content.facts, chunk.first):
            now = _KINDS.get(f.kind, 0)
            if not now:
                kind = 0
                continue
            own_defs, own_uses = f.defs, f.uses & ~EXEC_MASK
            if now != kind:
                kind, length, defs, uses, first = now, 1, own_defs, own_uses, i
                continue
            length += 1
            stores = bool(f.memory and not own_defs and f.kind is not OpClass.SMEM)
            clash = (defs | own_defs) & (uses | own_uses)
            if defs and (clash or stores):  # LLVM: a run of stores only may go on with a load
                what = "a store follows loads" if not clash else "a register is read and written"
                findings.append(
                    Finding(
                        "hazard.xnack-clause", "L", NOTE, view.name, i, f.inst.text or "",
                        producer=first, producer_text=view.fact(first).inst.text or "",
                        message=f"{what} in one memory clause of {length} instructions",
                        fix="put one other instruction between them", need=1, have=0,
                        distance=i - first,
                    )
                )  # fmt: skip
                length, defs, uses, first = 1, own_defs, own_uses, i
            else:
                defs |= own_defs
                uses |= own_uses
    return findings
