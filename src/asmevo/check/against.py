"""Did an edit make it worse? Findings of the edited program against those of the original.

Hand-written kernels that run every day break documented rules, so an edit is not asked to be
clean, only to add nothing: no finding that the original lacks, at any severity; no existing one
whose distance shrank; and nothing moves between a producer and a consumer that no wait covers in
the original, because there elapsed time is all that keeps them apart. Barriers and cache control
stay, and no memory operation crosses a barrier. Clocks, the wave's identity, mode registers and
messages are touched as in the original: there a run cannot vouch for what other machines do. What
the checker does not follow stays where it is, and nothing moves across it.

A finding keeps its identity by the texts of its producer and consumer. Where these are new because
registers were renamed, by the instructions without their registers and their order of appearance.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from asmevo.check.engine.facts import ProgramLike, skeleton
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.check.findings import ERROR, Finding
from asmevo.check.kept import kept
from asmevo.check.rules.untracked import UNREACHED
from asmevo.isa.flow import flow_of_text

_PINNED = ("wait.raw", "wait.waw")
_BY_PLACE = ("coverage.untracked", "wait.store-at-store", "wait.store-at-atomic")
_COUNTED = "-at-"  # in rules whose `have` is a count of pending operations


def _exact(text: str) -> str:
    return text.split()[0] if flow_of_text(text).direct else text


def metric(f: Finding) -> int:
    """How far from harm a finding is: larger is safer. Only comparable within one rule."""
    if _COUNTED in f.rule:
        return -(f.have or 0)
    if f.rule.startswith("hazard."):
        return f.have or 0
    return f.distance or 0


def _ordinals(program: ProgramLike) -> list[int]:
    """Order of appearance of each instruction among those with its skeleton."""
    seen: dict[str, int] = {}
    ordinals: list[int] = []
    for text in [f.skeleton for f in facts_of(program)]:
        number = seen.get(text, 0)
        ordinals.append(number)
        seen[text] = number + 1
    return ordinals


def _texts(program: ProgramLike) -> frozenset[str]:
    """Texts of all instructions of a program."""
    return frozenset(_exact(i.text or "") for i in set(program.instructions))


def _exact_key(f: Finding) -> tuple[object, ...]:
    return (f.kernel, f.rule, _exact(f.producer_text), _exact(f.text), f.what)


def _place_key(f: Finding, numbers: list[int]) -> tuple[object, ...]:
    """Identity that survives a renaming: skeletons and their orders of appearance."""
    places = (-1 if i is None or i < 0 else numbers[i] for i in (f.producer, f.index))
    return (f.kernel, f.rule, skeleton(f.producer_text), skeleton(f.text), *places)


def worse_findings(
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
    before = list(before)
    # What an edit adds that is not followed is judged by its place, and a store that tells other
    # waves by what had completed before it, both below.
    after = [f for f in after if f.rule not in _BY_PLACE]
    matched, left = _Pairing(before, k0, after, k1).solve()
    worse = [_worse(f, before) for f in left]
    worse += _moved_pins(matched, k0, k1)
    blind = any(f.rule == UNREACHED for f in before)
    return worse + kept(k0, k1, blind=blind)


class _Pairing:
    """Partners for findings after among findings before.

    A partner has the same texts and is not farther from harm. Findings whose texts are new
    (renamed registers) may have the one at their place as partner; where the whole program was
    renamed, all have. `solve` finds the largest such pairing by augmenting paths; nearly all
    pairs agree at once and need no search.
    """

    def __init__(
        self, before: Sequence[Finding], k0: ProgramLike, after: Sequence[Finding],
        k1: ProgramLike,
    ) -> None:  # fmt: skip
        self.before, self.after = before, after
        self.programs = (k0, k1)
        self.new_numbers = workbench().known(k1, "ordinals", _ordinals)
        self.texts: list[tuple[object, ...]] = [_exact_key(f) for f in before]
        self.by_text: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        self.by_place: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        old_numbers = workbench().known(k0, "ordinals", _ordinals)
        for n, f in enumerate(before):
            self.by_text[self.texts[n]].append(n)
            self.by_place[_place_key(f, old_numbers)].append(n)
        self.known_texts = workbench().known(k0, "texts", _texts)
        self.renamed = False
        self.holder: dict[int, int] = {}  # finding before -> its partner after
        self.held: dict[int, int] = {}

    def options(self, n: int) -> Iterator[int]:
        """Findings before that may be the partner of finding `n` after, the same place first."""
        f = self.after[n]
        least = metric(f)
        text = _exact_key(f)
        places = self.by_place.get(_place_key(f, self.new_numbers), ())
        known = self.by_text.get(text, ())
        if not self.renamed and (known or self._unrenamed(f)):
            places = [o for o in places if self.texts[o] == text]
        for keys in (places, () if self.renamed else known):
            for o in keys:
                if metric(self.before[o]) <= least:
                    yield o

    def _unrenamed(self, f: Finding) -> bool:
        """Whether both instructions stand in the original as they are: moved, not renamed."""
        return _exact(f.text) in self.known_texts and (
            f.producer is None or _exact(f.producer_text) in self.known_texts
        )

    def solve(self) -> tuple[list[tuple[Finding, Finding]], list[Finding]]:
        """Pairs (before, after), and the findings after that have no partner."""
        open_ones: list[int] = []
        for n in range(len(self.after)):
            free = next((o for o in self.options(n) if o not in self.holder), None)
            if free is None:
                open_ones.append(n)
            else:
                self.holder[free], self.held[n] = n, free
        left = [self.after[n] for n in open_ones if not self._augment(n)]
        if left and not self.renamed and renamed(*self.programs):
            self.renamed = True
            self.holder, self.held = {}, {}
            return self.solve()
        pairs = [(self.before[o], self.after[n]) for o, n in sorted(self.holder.items())]
        return pairs, left

    def _augment(self, start: int) -> bool:
        """Find a partner for `start` by giving others a different one (breadth first)."""
        asker: dict[int, int] = {}  # finding before -> finding after that asks for it
        todo = [start]
        for n in todo:
            for o in self.options(n):
                if o in asker:
                    continue
                asker[o] = n
                holder = self.holder.get(o)
                if holder is not None:
                    todo.append(holder)
                    continue
                while True:  # hand the partners along the path over
                    taker = asker[o]
                    given_up = self.held.get(taker)
                    self.holder[o], self.held[taker] = taker, o
                    if taker == start or given_up is None:
                        return True
                    o = given_up
        return False


_TUPLE = re.compile(r"\b([vsa])(?:(\d+)|\[(\d+):(\d+)\])")


def renamed(k0: ProgramLike, k1: ProgramLike) -> bool:
    """Whether `k1` is `k0` with its registers renamed, one for one and everywhere alike."""
    old, new = facts_of(k0), facts_of(k1)
    if len(old) != len(new):
        return False
    changed = [(f, g) for f, g in zip(old, new, strict=True) if f is not g]
    if any(f.skeleton != g.skeleton for f, g in changed):
        return False
    forward: dict[tuple[str, int], tuple[str, int]] = {}
    backward: dict[tuple[str, int], tuple[str, int]] = {}
    for f, g in changed:
        pairs = zip(_units(f.inst.text or ""), _units(g.inst.text or ""), strict=False)
        for a, b in pairs:
            if forward.setdefault(a, b) != b or backward.setdefault(b, a) != a:
                return False
    # What did not change must not name a register that was renamed.
    same = {f for f, g in zip(old, new, strict=True) if f is g}
    return all(
        forward.get(u, u) == u and backward.get(u, u) == u
        for f in same
        for u in _units(f.inst.text or "")
    )


def _units(text: str) -> list[tuple[str, int]]:
    """Registers that an instruction's text names, in order."""
    found: list[tuple[str, int]] = []
    for m in _TUPLE.finditer(text):
        first = int(m.group(2) or m.group(3))
        last = int(m.group(4) or first)
        found += [(m.group(1), n) for n in range(first, last + 1)]
    return found


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
