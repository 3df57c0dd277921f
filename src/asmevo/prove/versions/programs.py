"""Two versions of a program, function by function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from asmevo.errors import InputError, UnsupportedError
from asmevo.program.keys import keys, place
from asmevo.program.model import Function, Program
from asmevo.prove.prover import prove_window
from asmevo.prove.versions.comparing import WORST, Compared, Prove, StatusWord, compare
from asmevo.prove.versions.sides import Side

_SECONDS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class FunctionPair:
    """A function in both versions.

    Attributes:
        before, after: the versions.
        compared: what the prover says of their differences.
    """

    before: Side
    after: Side
    compared: Compared

    @property
    def name(self) -> str:
        """The function's name."""
        return self.before.function.name


@dataclass(frozen=True, slots=True, eq=False)
class ProgramPair:
    """Two versions of a program.

    Attributes:
        status: "identical", "proved", "reordered", "refuted" or "unknown": the worst of them.
        reason: of that one.
        functions: those that differ, in the order of the original.
        same: names of those whose instructions are the same.
    """

    status: StatusWord
    reason: str
    functions: tuple[FunctionPair, ...]
    same: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether both are known to do the same."""
        return self.status in ("identical", "proved", "reordered")


def compare_programs(
    k0: Program,
    k1: Program,
    kernel: str | None = None,
    *,
    prove: Prove | None = None,
    limit_seconds: float = 2.0,
    memory_mb: int = 1024,
    seconds: float = _SECONDS,
) -> ProgramPair:
    """Decide every difference between two versions of a program.

    Args:
        k0, k1: the original and the other version, of one target.
        kernel: only this kernel, and the functions that are no kernels.
        prove: decides one window; by default the prover with the next two limits.
        limit_seconds: for a window.
        memory_mb: for a window's solver, MB.
        seconds: for a function, after which no other division into windows is tried.

    Raises:
        InputError: no such kernel.
        UnsupportedError: other targets or functions.
    """
    if k0.target.arch != k1.target.arch:
        raise UnsupportedError(
            f"the original is for {k0.target.arch}, the other object for {k1.target.arch}",
            "compare objects of one target",
        )
    prove = prove or partial(prove_window, limit_seconds=limit_seconds, memory_mb=memory_mb)
    found: list[FunctionPair] = []
    same: list[str] = []
    for f, g in _pairs(k0, k1, kernel):
        if _identical(k0, k1, f, g):
            same.append(f.name)
            continue
        before, after = Side(k0, f), Side(k1, g)
        found.append(FunctionPair(before, after, compare(before, after, prove, seconds)))
    worst = min(found, key=lambda p: WORST.index(p.compared.status), default=None)
    if worst is None:
        return ProgramPair("identical", "", (), tuple(same))
    return ProgramPair(worst.compared.status, worst.compared.reason, tuple(found), tuple(same))


def _pairs(k0: Program, k1: Program, kernel: str | None) -> list[tuple[Function, Function]]:
    """The functions of both versions that are compared.

    Raises:
        InputError: the original has no such kernel.
        UnsupportedError: the versions have other functions.
    """
    first = [f for f in k0.functions if f.last > f.first]
    second = {f.name: f for f in k1.functions if f.last > f.first}
    if kernel is not None:
        chosen = k0.function(kernel)
        first = [f for f in first if f == chosen or not f.is_kernel]
        try:
            k1.function(kernel)
        except InputError as err:
            raise UnsupportedError(f"the other object has no kernel {kernel}") from err
    elif set(second) != {f.name for f in first}:
        strange = sorted(set(second) ^ {f.name for f in first})
        raise UnsupportedError(
            f"only one of the objects has {strange[0]}", "name one kernel of both with --kernel"
        )
    missing = [f.name for f in first if f.name not in second]
    if missing:
        raise UnsupportedError(f"the other object has no function {missing[0]}")
    return [(f, second[f.name]) for f in first]


def _identical(k0: Program, k1: Program, f: Function, g: Function) -> bool:
    """Whether two functions have the same instructions and branch to the same places."""
    if f.last - f.first != g.last - g.first or keys(k0, f) != keys(k1, g):
        return False
    old, new = (
        {i - h.first: _leads(k, h, t) for i, t in k.targets.items() if h.first <= i < h.last}
        for k, h in ((k0, f), (k1, g))
    )
    return old == new


def _leads(program: Program, f: Function, index: int) -> tuple[object, ...]:
    if f.first <= index < f.padding_last:
        return (index - f.first,)
    return place(program, index)
