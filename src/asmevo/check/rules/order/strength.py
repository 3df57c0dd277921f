"""Is every access still indivisible, and visible as far, as in the original?

An atomic may not become a load, an operation and a store: between them other waves come in. Scope
bits may grow, not shrink. Accesses are counted by the bytes of a lane, so that a wide one may be
split and narrow ones merged; unrolling adds to them.
"""

from __future__ import annotations

from collections import Counter

from asmevo.check.engine.facts import ProgramLike
from asmevo.check.engine.runs import accesses
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.check.findings import ERROR, Finding
from asmevo.isa.effects import OpClass
from asmevo.isa.ordering import Scope, memory_effect

Strength = Counter[tuple[str, ...]]


def strength(program: ProgramLike) -> Strength:
    """Atomics by (memory, operation, size, scope), and bytes by (memory, direction, scope)."""
    return workbench().known(program, "strength", _strength)


def _strength(program: ProgramLike) -> Strength:
    found: Strength = Counter()
    scalar = Counter(f for f in facts_of(program) if f.kind is OpClass.SMEM)
    seen = Counter(effect for _, _, effect in accesses(program))
    for f, times in scalar.items():
        effect = memory_effect(f.decoded)
        if effect is not None:
            seen[effect] += times
    for effect, times in seen.items():
        where = "+".join(sorted(effect.groups))
        if effect.atomic:
            found["atomic", where, effect.atomic, str(effect.size)] += times
            what = "atomic"
        else:
            what = "store" if effect.stores and not effect.loads else "load"
        for scope in Scope:
            if Scope.WAVE < scope <= effect.scope:
                found["scope", where, what, scope.name.lower()] += times * (effect.size or 1)
    return found


def weaker(k0: ProgramLike, k1: ProgramLike) -> list[Finding]:
    """Atomics that `k1` lost, and accesses whose scope it narrowed."""
    lost = strength(k0) - strength(k1)
    found: list[Finding] = []
    scopes: set[tuple[str, ...]] = set()
    for key in sorted(lost, key=lambda k: (k[:3], -_SCOPES.get(k[3], 0))):
        kind, where, what, more = key
        if kind == "atomic":
            message = (
                f"{lost[key]} atomic {what!r} of {more} bytes on {where} missing: in steps, other "
                "waves come in between"
            )
            rule, fix = "order.atomic", "keep the operation indivisible"
        elif (where, what) in scopes:
            continue  # said for the widest scope
        else:
            scopes.add((where, what))
            message = (
                f"{what}s of {where} that are coherent in the {more} cover {lost[key]} bytes less "
                "than in the original"
            )
            rule, fix = "order.scope", "keep the scope bits"
        found.append(Finding(rule, "-", ERROR, "", -1, "", message=message, fix=fix))
    return found


_SCOPES = {scope.name.lower(): int(scope) for scope in Scope}
