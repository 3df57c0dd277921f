"""The one static comparison of an edited object with its original.

The command line, verification and the search's gates all ask here, so that an object that one of
them accepts is accepted by all. Suppressions play no part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from asmevo.check.against import renamed, worse_findings
from asmevo.check.findings import Finding
from asmevo.check.image import compare_images
from asmevo.check.rules import abi
from asmevo.check.rules.calls import closer
from asmevo.check.rules.declared import check_declared
from asmevo.check.rules.sources import new_sources
from asmevo.check.run import ALL_PASSES, across_calls, check_program
from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover


class Stage(StrEnum):
    """What is compared, each stage cheaper than the next."""

    IMAGE = "image"  # every byte of the file, as the loader sees it
    ABI = "abi"  # what a launcher sees: symbols, arguments, descriptor, data
    RESOURCES = "resources"  # declared against used registers, LDS, padding
    CODE = "code"  # waits, hazards, registers, structure, order


_RESOURCES = ("resource.", "register.beyond-count")


@dataclass(frozen=True, slots=True)
class Examined:
    """An object with what the checker says of it; an original is examined once for many edits.

    Attributes:
        object: the object.
        program: its program.
        findings: of `check_program` on `kernel`, or on every function where that is None.
        kernel: the kernel that is looked at.
    """

    object: CodeObject
    program: Program
    findings: Sequence[Finding]
    kernel: str | None = None


@dataclass(frozen=True, slots=True)
class StaticComparison:
    """What is worse in an edited object than in its original; each finding is a refusal.

    Attributes:
        image: bytes of the file that no edit explains.
        abi: differences that a launcher could notice and that were not declared.
        resources: faults of the declared resources that the original does not have.
        code: what is new, or closer to harm, or was moved where nothing may move.
    """

    image: tuple[Finding, ...] = ()
    abi: tuple[Finding, ...] = ()
    resources: tuple[Finding, ...] = ()
    code: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, in the order of the stages."""
        return self.image + self.abi + self.resources + self.code

    @property
    def ok(self) -> bool:
        """Whether nothing is worse."""
        return not self.findings


def examine(
    code_object: CodeObject, program: Program | None = None, kernel: str | None = None
) -> Examined:
    """Recover and check an object.

    Args:
        code_object: the object.
        program: its program, if known.
        kernel: check this kernel or function only.

    Raises:
        InputError: no such kernel.
        UnsupportedError: an object or instruction that cannot be followed.
    """
    program = recover(code_object) if program is None else program
    return Examined(code_object, program, tuple(check_program(program, kernel)), kernel)


def compare_objects(
    k0: Examined,
    k1: CodeObject,
    program: Program | None = None,
    declared: Collection[str] = (),
    stages: Collection[Stage] = tuple(Stage),
    edited: Collection[str] | None = None,
) -> StaticComparison:
    """What is worse in `k1` than in the original `k0`.

    Args:
        k0: the original.
        k1: the edited object.
        program: `k1`'s program, if known.
        declared: descriptor fields that the edit says it changes (see `check.rules.abi`).
        stages: what to compare; a caller that stops at the first refusal asks stage by stage.
        edited: kernels whose code may differ; by default the one that was examined, or all.

    Raises:
        UnsupportedError: an object or instruction that cannot be followed.
    """
    image: list[Finding] = []
    if Stage.IMAGE in stages:
        program = recover(k1) if program is None else program
        if edited is None and k0.kernel is not None:
            edited = (k0.kernel,)
        image = compare_images(k0.program, program, edited, declared)
    found_abi: list[Finding] = []
    if Stage.ABI in stages:
        found_abi = abi.changes(k0.object, k1, declared)
        if declared:
            program = recover(k1) if program is None else program
            only = edited if edited is not None or k0.kernel is None else (k0.kernel,)
            found_abi += check_declared(k0.object, program, declared, only)
    resources: list[Finding] = []
    code: list[Finding] = []
    if Stage.RESOURCES in stages or Stage.CODE in stages:
        program = recover(k1) if program is None else program
        passes = ALL_PASSES if Stage.CODE in stages else ("resources",)
        after = check_program(program, k0.kernel, passes)
        if Stage.RESOURCES in stages:
            known = {(f.rule, f.message) for f in k0.findings}
            resources = [f for f in after if _declared(f) and (f.rule, f.message) not in known]
        if Stage.CODE in stages:
            code = worse_findings(_code(k0.findings), k0.program, _code(after), program)
            code += _nearer(k0, program)
            code += new_sources(k0.program, program)
    return StaticComparison(tuple(image), tuple(found_abi), tuple(resources), tuple(code))


def _nearer(k0: Examined, program: Program) -> list[Finding]:
    """What is nearer to a call, a return or a function's entry."""
    after = across_calls(program, k0.kernel)
    if not after or renamed(k0.program, program):  # all is where it was, in other registers
        return []
    return closer(across_calls(k0.program, k0.kernel), after)


def _declared(f: Finding) -> bool:
    return f.rule.startswith(_RESOURCES)


def _code(findings: Sequence[Finding]) -> list[Finding]:
    return [f for f in findings if not _declared(f)]
