"""What an edit must leave as the original has it, whatever the findings say.

Barriers and cache control stay on every path, and no memory operation crosses one, whatever its
text is now. Atomics stay indivisible, scopes as wide, releases and acquires in order
(`check.rules.order`). Clocks, the wave's identity, mode registers and messages are touched as in
the original: there a run cannot vouch for what other machines do. What the checker does not follow
(`check.rules.untracked`) stays where it is, at least as strong, and nothing moves across it.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from asmevo.check.engine.facts import InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.check.findings import ERROR, Finding
from asmevo.check.rules.crossing import Between, between, between_fences, crossed
from asmevo.check.rules.order.fences import bypassed, misplaced
from asmevo.check.rules.order.publishing import unordered
from asmevo.check.rules.order.strength import weaker
from asmevo.check.rules.untracked import BLINDING, Untracked, at_least
from asmevo.isa.effects import OpClass

_HARMLESS = "MSG_DEALLOC_VGPRS"


def kept(k0: ProgramLike, k1: ProgramLike, *, blind: bool = False) -> list[Finding]:
    """What the edited program `k1` did not leave as `k0` has it; empty: nothing.

    `blind`: no wait or nop can be judged, for a reason that the instructions alone do not show.
    """
    return (
        _synchronization(k0, k1)
        + weaker(k0, k1)
        + unordered(k0, k1)
        + _environment(k0, k1)
        + _untracked(k0, k1, blind)
    )


def _fences(program: ProgramLike) -> tuple[list[str], list[int]]:
    """Texts of the fences in order, and their indices."""
    facts = facts_of(program)
    places = [i for i, f in enumerate(facts) if f.fence]
    return [program.instructions[i].text or "" for i in places], places


def _synchronization(k0: ProgramLike, k1: ProgramLike) -> list[Finding]:
    """Fences that were removed, added or reordered; memory operations that crossed one."""
    old, places = _fences(k0)
    new, new_places = _fences(k1)
    if old != new:
        lost = Counter(old) - Counter(new)
        gained = Counter(new) - Counter(old)
        changed = [f"{n} {t!r} removed" for t, n in lost.items()]
        changed += [f"{n} {t!r} added" for t, n in gained.items()]
        at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), -1)
        place = places[at if 0 <= at < len(places) else -1] if places else -1
        return [
            Finding(
                "against.fence", "-", ERROR, "", place, "",
                message="barriers or cache control changed: "
                + (", ".join(changed) or "their order differs"),
                fix="keep every barrier, write-back and invalidate in its order",
            )
        ]  # fmt: skip
    if not places:
        return []
    text = _crosses(between_fences(k0), between_fences(k1)) or _scalar_crosses(k0, k1)
    if text:
        return [
            Finding(
                "against.crossed-fence", "-", ERROR, "", places[0], text,
                message=f"{text!r} moved across a barrier or cache control",
                fix="keep memory operations on their side",
            )
        ]  # fmt: skip
    left_out = bypassed(k0, places, k1, new_places)
    if left_out is not None:
        text = k1.instructions[left_out].text or ""
        return [
            Finding(
                "order.bypassed", "-", ERROR, "", left_out, text,
                message=f"a path leaves out {text!r}, which in the original it cannot",
                fix="let every path pass the same barriers and cache control",
            )
        ]  # fmt: skip
    what = misplaced(k0, places, k1, new_places)
    if what:
        return [_misplaced(what, places[0], "a barrier or cache control")]
    return []


def _scalar_crosses(k0: ProgramLike, k1: ProgramLike) -> str:
    """The text of a scalar access that crossed control of the scalar cache, or empty."""
    old, new = (
        [i for i, f in enumerate(facts_of(k)) if f.fence and f.decoded.traits.scalar_cache]
        for k in (k0, k1)
    )
    if not old or len(old) != len(new):
        return ""
    return _crosses(between(k0, old, _scalar), between(k1, new, _scalar))


def _scalar(f: InstructionFacts) -> bool:
    return f.kind is OpClass.SMEM


def _misplaced(what: str, index: int, fence: str) -> Finding:
    return Finding(
        "order.moved", "-", ERROR, "", index, "",
        message=f"{what} moved across {fence}: on one side fewer bytes, on the other more",
        fix="keep memory operations on their side",
    )  # fmt: skip


def _around(program: ProgramLike) -> dict[str, list[int]]:
    """Indices of the instructions that touch the machine around the program, by skeleton."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for i, f in enumerate(facts_of(program)):
        if f.environment and _HARMLESS not in f.skeleton:
            found[f.skeleton].append(i)
    return found


def _environment(k0: ProgramLike, k1: ProgramLike) -> list[Finding]:
    """Instructions that touch the machine around the program and were added or removed."""
    old, new = _around(k0), _around(k1)
    found: list[Finding] = []
    for text in sorted(old.keys() | new.keys()):
        before, after = len(old.get(text, ())), len(new.get(text, ()))
        if before != after:
            place = new[text][-1] if after else old[text][-1]
            found.append(
                Finding(
                    "against.environment", "-", ERROR, "", place, text,
                    message=f"{text!r} occurs {after} times, in the original {before}: it reads or "
                    "changes the machine's state, which runs on other machines need not share",
                    fix="keep those of the original and add none",
                )
            )  # fmt: skip
    return found


def not_followed(program: ProgramLike) -> list[int]:
    """Indices of the instructions that the checker does not follow (`check.rules.untracked`)."""
    return workbench().known(program, "untracked", _not_followed)


def _not_followed(program: ProgramLike) -> list[int]:
    blind = any(f.untracked in BLINDING for f in facts_of(program))
    return _at_least(program, Untracked.IF_BLIND if blind else Untracked.ORDER)


def _at_least(program: ProgramLike, least: Untracked) -> list[int]:
    return [i for i, f in enumerate(facts_of(program)) if f.untracked >= least]


def _untracked(k0: ProgramLike, k1: ProgramLike, blind: bool) -> list[Finding]:
    """Instructions that the checker does not follow and that were lost, weakened or crossed."""
    old, new = (_at_least(k, Untracked.IF_BLIND) if blind else not_followed(k) for k in (k0, k1))
    if not old and not new:
        return []
    target = k0.target
    partners: list[int] = []
    left = iter(new)
    strangers: list[int] = []
    for i in old:
        inst = k0.instructions[i]
        for j in left:
            if at_least(k1.instructions[j], inst, target):
                partners.append(j)
                break
            strangers.append(j)
        else:
            return [_lost(k0, i)]
    strangers += left
    facts = facts_of(k1)
    for j in strangers:
        if facts[j].untracked in BLINDING:
            return [_lost(k1, j, added=True)]

    kinds = [facts_of(k0)[i].untracked for i in old]
    order = [n for n, why in enumerate(kinds) if why is Untracked.ORDER]
    rest = [n for n, why in enumerate(kinds) if why is not Untracked.ORDER]
    for chosen, concerned in ((order, _memory), (rest, _acts)):
        first, second = ([places[n] for n in chosen] for places in (old, partners))
        text = _crosses(between(k0, first, concerned), between(k1, second, concerned))
        if chosen and text:
            return [
                Finding(
                    "against.crossed-untracked", "-", ERROR, "", first[0], text,
                    message=f"{text!r} moved across an instruction that the checker does not "
                    "follow",
                    fix="keep it on its side",
                )
            ]  # fmt: skip
        what = misplaced(k0, first, k1, second) if chosen and concerned is _memory else ""
        if what:
            return [_misplaced(what, first[0], "a wait for stores")]
    return []


def _memory(f: InstructionFacts) -> bool:
    return f.memory and not f.fence


def _acts(f: InstructionFacts) -> bool:
    return f.untracked is Untracked.NO and f.kind is not OpClass.NOP


def _crosses(before: dict[str, Counter[Between]], after: dict[str, Counter[Between]]) -> str:
    """The first text of which an instruction crossed a fence, or an empty string.

    An instruction of a new kind, or one more or less of a kind, is for differential execution.
    """
    for text in sorted(before.keys() & after.keys()):
        same_number = before[text].total() == after[text].total()
        if same_number and crossed(before[text], after[text]):
            return text
    return ""


def _lost(program: ProgramLike, index: int, added: bool = False) -> Finding:
    inst = program.instructions[index]
    text = inst.text or f"bytes {inst.raw.hex()}"
    how = "added" if added else "removed, weakened or taken out of its order"
    return Finding(
        "against.untracked", "-", ERROR, "", index, inst.text or "",
        message=f"{text!r}, which the checker does not follow, was {how}",
        fix="leave it as it is",
    )  # fmt: skip
