"""Run the checks on a program: the one call that gates and the command line use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asmevo.check.engine.facts import CALL, COND, JUMP
from asmevo.check.engine.kernels import entry_indices, function_view, kernel_view
from asmevo.check.engine.view import View
from asmevo.check.engine.workbench import facts_of
from asmevo.check.findings import NOTE, Finding, ordered
from asmevo.check.rules import resources
from asmevo.check.rules.calls import End, open_ends
from asmevo.check.rules.clauses import check_clauses
from asmevo.check.rules.convention import check_entry
from asmevo.check.rules.hazards import check_hazards
from asmevo.check.rules.registers import EVERYTHING, check_registers, declared, entry_mask
from asmevo.check.rules.structure import check_structure
from asmevo.check.rules.untracked import Untracked, check_coverage, check_reach
from asmevo.check.rules.valu_hazards import check_valu_hazards
from asmevo.check.rules.waits import check_waits
from asmevo.codeobject import Kernel
from asmevo.errors import InputError
from asmevo.isa.hazards import valu as valu_hazards
from asmevo.isa.hazards.rows import rules_of
from asmevo.program import Function, Program

ALL_PASSES = ("structure", "registers", "resources", "waits", "hazards")


def _check_view(
    view: View, passes: Sequence[str], kernel: Kernel | None, program: Program
) -> list[Finding]:
    findings: list[Finding] = []
    if "structure" in passes:
        findings += check_structure(view)
    if "waits" in passes or "hazards" in passes:
        findings += check_coverage(view)
        findings += check_reach(view, kernel is not None, _inner_callees(view, program))
    if any(f.untracked is Untracked.BANKS for c in view.chunks for f in c.content.unfollowed):
        # Printed register numbers then lack their upper bits.
        findings.append(
            Finding(
                "coverage.vgpr-banks", "-", NOTE, view.name, -1, "",
                message="s_set_vgpr_msb: registers, waits and hazards are not checked",
            )
        )  # fmt: skip
        passes = [p for p in passes if p in ("structure", "resources")]
    if "registers" in passes:
        if kernel is None:
            masks = dict.fromkeys((view.first,), EVERYTHING)
            findings += check_registers(view, None, masks)
        else:
            entries = entry_indices(program, kernel)
            masks = {
                index: entry_mask(kernel.descriptor, preloaded=n == len(entries) - 1)
                for n, index in enumerate(entries)
            }
            findings += check_registers(view, declared(kernel.descriptor), masks)
    if "resources" in passes and kernel is not None:
        findings += resources.check(program, kernel, view)
    if "waits" in passes:
        findings += check_waits(view)
        if kernel is None:
            findings += check_entry(view)
    if "hazards" in passes:
        if rules_of(view.target) is None:
            some = valu_hazards.rules_of(view.target)
            what = "only " + ", ".join(r.name for r in some) if some else "no hazard rules"
            findings.append(
                Finding(
                    "coverage.hazards", "-", NOTE, view.name, -1, "",
                    message=f"{what} checked for {view.target.arch}",
                )
            )  # fmt: skip
        findings += check_hazards(view)
        findings += check_valu_hazards(view)
        findings += check_clauses(view)
    return findings


def _inner_callees(view: View, program: Program) -> list[int]:
    """Targets of direct calls that begin no function."""
    if not view.calls:
        return []
    starts = {f.first for f in program.functions}
    targets = (program.branch_target(i) for i in view.calls)
    return [t for t in targets if t is not None and t not in starts]


def check_program(
    program: Program, kernel: str | None = None, passes: Sequence[str] = ALL_PASSES
) -> list[Finding]:
    """Findings of the static checks, sorted by place.

    Args:
        program: the recovered (possibly edited) program.
        kernel: a kernel or function name; None checks every function of the object.
        passes: any of `structure`, `registers`, `resources`, `waits`, `hazards`.

    Raises:
        InputError: unknown pass or kernel.
        UnsupportedError: an instruction that the checker cannot follow.
    """
    unknown = [p for p in passes if p not in ALL_PASSES]
    if unknown:
        raise InputError(f"no check named {unknown[0]!r}", "use " + ", ".join(ALL_PASSES))
    findings: list[Finding] = []
    for f, owner in _functions(program, kernel):
        findings += _check_view(_view(program, f, owner), passes, owner, program)
    return ordered(findings)


def across_calls(program: Program, kernel: str | None = None) -> list[End]:
    """What a comparison must know besides `check_program`'s findings: see `check.rules.calls`.

    Raises:
        InputError: unknown kernel.
        UnsupportedError: an instruction that the checker cannot follow.
    """
    found: list[End] = []
    for f, owner in _functions(program, kernel):
        # A search compares thousands of kernels that call nothing: no graph is built for them.
        if owner is None or _leaves(program, f):
            found += open_ends(_view(program, f, owner), owner is not None)
    return found


def _leaves(program: Program, f: Function) -> bool:
    """Whether a function calls another or branches out of itself."""
    for i, fact in enumerate(facts_of(program)[f.first : f.last], f.first):
        if fact.flow == CALL:
            return True
        if fact.flow in (JUMP, COND):
            target = program.branch_target(i)
            if target is None or not f.first <= target < f.last:
                return True
    return False


def _functions(program: Program, kernel: str | None) -> Iterator[tuple[Function, Kernel | None]]:
    """The functions to look at, with the kernel that each of them is."""
    kernels = {program.kernel_function(k).first: k for k in program.object.kernels}
    for f in program.functions if kernel is None else (program.function(kernel),):
        if f.last > f.first:
            yield f, kernels.get(f.first)


def _view(program: Program, f: Function, owner: Kernel | None) -> View:
    return kernel_view(program, owner) if owner else function_view(program, f)
