"""Did an edit make it worse? Findings of the edited program against those of the original.

Hand-written kernels that run every day break documented rules, so an edit is not asked to be
clean, only to add nothing: no finding that the original lacks, at any severity; no existing one
whose distance shrank; and nothing moves between a producer and a consumer that no wait covers in
the original, because there elapsed time is all that keeps them apart. Barriers and cache control
stay, and no memory operation crosses a barrier.

A finding keeps its identity by the texts of its producer and consumer. Where registers were
renamed, by the instructions with their registers left out and by their order of appearance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from asmevo.check.crossing import between_fences, crossed
from asmevo.check.findings import ERROR, Finding
from asmevo.check.view import ProgramLike, facts_of, remembered, skeleton

_PINNED = ("wait.raw", "wait.waw")
_COUNTED = ("-at-barrier", "-at-lds")  # rules whose `have` is a count of pending operations


def _exact(text: str) -> str:
    return text.split()[0] if text.startswith(("s_branch", "s_cbranch", "s_call")) else text


def metric(f: Finding) -> int:
    """How far from harm a finding is: larger is safer. Only comparable within one rule."""
    if f.rule.endswith(_COUNTED):
        return -(f.have or 0)
    if f.rule.startswith("hazard."):
        return f.have or 0
    return f.distance or 0


def _ordinals(program: ProgramLike) -> list[int]:
    """Order of appearance of each instruction among those with its skeleton."""
    seen: Counter[str] = Counter()
    ordinals: list[int] = []
    for f in facts_of(program):
        ordinals.append(seen[f.skeleton])
        seen[f.skeleton] += 1
    return ordinals


def _exact_key(f: Finding) -> tuple[str, ...]:
    return (f.kernel, f.rule, _exact(f.producer_text), _exact(f.text), f.what)


def _pair(
    before: Sequence[Finding], after: Sequence[Finding]
) -> tuple[list[tuple[Finding, Finding]], list[Finding]]:
    """Match each finding after with one before that is not farther from harm.

    The i-th smallest metric after needs at least i findings before at or below it.
    """
    old, new = sorted(before, key=metric), sorted(after, key=metric)
    matched: list[tuple[Finding, Finding]] = []
    left: list[Finding] = []
    at = 0
    for f in new:
        if at < len(old) and metric(old[at]) <= metric(f):
            matched.append((old[at], f))
            at += 1
        else:
            left.append(f)
    return matched, left


def compare(
    before: Iterable[Finding],
    k0: ProgramLike,
    after: Iterable[Finding],
    k1: ProgramLike,
) -> list[Finding]:
    """What is worse in the edited program `k1` than in the original `k0`; empty: the gate passes.

    Args:
        before: findings of `check_program` on the original.
        k0: the original program.
        after: findings of the same passes on the edited program.
        k1: the edited program.
    """
    before, after = list(before), list(after)
    worse: list[Finding] = []
    # The usual case first: most findings keep their texts and distances.
    groups: defaultdict[tuple[str, ...], tuple[list[Finding], list[Finding]]]
    groups = defaultdict(lambda: ([], []))
    for f in before:
        groups[_exact_key(f)][0].append(f)
    for f in after:
        groups[_exact_key(f)][1].append(f)
    matched: list[tuple[Finding, Finding]] = []
    rest_before: list[Finding] = []
    rest_after: list[Finding] = []
    for old, new in groups.values():
        pairs, left = _pair(old, new)
        matched += pairs
        rest_after += left
        used = {id(a) for a, _ in pairs}
        rest_before += [f for f in old if id(f) not in used]
    if rest_after:
        pairs, left = _match_renamed(rest_before, k0, rest_after, k1)
        matched += pairs
        worse += [_worse(f, rest_before) for f in left]
    worse += _moved_pins(matched, k0, k1)
    worse += _synchronization(k0, k1)
    return worse


def _match_renamed(
    before: Sequence[Finding], k0: ProgramLike, after: Sequence[Finding], k1: ProgramLike
) -> tuple[list[tuple[Finding, Finding]], list[Finding]]:
    old_numbers = remembered(k0, "ordinals", _ordinals)
    new_numbers = remembered(k1, "ordinals", _ordinals)

    def key(f: Finding, numbers: list[int]) -> tuple[object, ...]:
        return (
            f.kernel, f.rule, skeleton(f.producer_text), skeleton(f.text),
            *(-1 if i is None or i < 0 else numbers[i] for i in (f.producer, f.index)),
        )  # fmt: skip

    groups: defaultdict[tuple[object, ...], tuple[list[Finding], list[Finding]]]
    groups = defaultdict(lambda: ([], []))
    for f in before:
        groups[key(f, old_numbers)][0].append(f)
    for f in after:
        groups[key(f, new_numbers)][1].append(f)
    matched: list[tuple[Finding, Finding]] = []
    left: list[Finding] = []
    for old, new in groups.values():
        pairs, unmatched = _pair(old, new)
        matched += pairs
        left += unmatched
    return matched, left


def _worse(f: Finding, before: Sequence[Finding]) -> Finding:
    """The finding as a refusal, saying whether it is new or closer than it was."""
    closer = [b for b in before if _exact_key(b) == _exact_key(f)]
    if closer:
        was = max(metric(b) for b in closer)
        message = f"closer than in the original ({abs(was)} there): {f.message}"
    else:
        message = f"not in the original: {f.message}"
    return replace(f, severity=ERROR, message=message)


def _between(program: ProgramLike, f: Finding) -> list[str] | None:
    if f.producer is None or not 0 <= f.producer < f.index:
        return None
    return [i.skeleton for i in facts_of(program)[f.producer + 1 : f.index]]


def _moved_pins(
    matched: Sequence[tuple[Finding, Finding]], k0: ProgramLike, k1: ProgramLike
) -> list[Finding]:
    found: list[Finding] = []
    for old, new in matched:
        if old.rule not in _PINNED:
            continue
        if _between(k0, old) != _between(k1, new):
            found.append(
                replace(
                    new, rule="against.pinned-pair", severity=ERROR,
                    message="instructions moved between a producer and a consumer that no wait "
                    f"covers in the original: {new.producer_text!r} and {new.text!r}",
                    fix="leave what lies between them as it is",
                )
            )  # fmt: skip
    return found


def _fences(program: ProgramLike) -> tuple[list[str], list[int]]:
    """Texts of the fences in order, and their indices."""
    facts = facts_of(program)
    places = [i for i, f in enumerate(facts) if f.fence]
    return [program.instructions[i].text or "" for i in places], places


def _synchronization(k0: ProgramLike, k1: ProgramLike) -> list[Finding]:
    """Fences that were removed, added or reordered; memory operations that crossed one."""
    old, places = _fences(k0)
    new, _ = _fences(k1)
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
    # An operation of a new kind, or one more or less of a kind, is for differential execution.
    before, after = between_fences(k0), between_fences(k1)
    for text in sorted(before.keys() & after.keys()):
        same_number = before[text].total() == after[text].total()
        if same_number and crossed(before[text], after[text]):
            return [
                Finding(
                    "against.crossed-fence", "-", ERROR, "", places[0], text,
                    message=f"{text!r} moved across a barrier or cache control",
                    fix="keep memory operations on their side",
                )
            ]  # fmt: skip
    return []
