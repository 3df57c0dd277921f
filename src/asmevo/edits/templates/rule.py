"""Rule `template`: finds instances of the templates in a window and proposes what they say.

The lines of an instance may stand apart, as long as nothing between them touches what they read
or write. The replacement stands where the last of them stood; the others go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from asmevo.edits.base import CompositesOnly, Window, analysed, kernel_function
from asmevo.edits.order.dependence import is_fence
from asmevo.edits.templates.model import Template
from asmevo.edits.templates.pattern import Kind, Line, Value, fill, match, variables
from asmevo.edits.templates.samples import allowed, instance, mixed, results
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.settle import settled
from asmevo.errors import BuildError
from asmevo.isa.decoded import decode
from asmevo.isa.operand import EXEC
from asmevo.isa.target import Target
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Program

_REACH = 24
"""Instructions between the first and the last line of an instance, at most."""


class Templates(CompositesOnly):
    """See the module.

    Args:
        templates: what to look for in code of a target, best first, proved by whoever gives it.
    """

    name = "template"

    def __init__(self, templates: Callable[[Target], Sequence[Template]]) -> None:
        self._templates = templates

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """All instances that begin in `window` at once, where there are several; then each."""
        found = list(self._found(program, kernel, window))
        together: dict[int, Edit] = {}
        for edits in found:
            if not together.keys() & {e.first for e in edits}:
                together |= {e.first: e for e in edits}
        if len(together) > max((len(edits) for edits in found), default=0):
            yield tuple(together[place] for place in sorted(together))
        yield from found

    def _found(self, program: Program, kernel: str, window: Window) -> Iterator[tuple[Edit, ...]]:
        templates = [(t, t.pattern, variables(t.pattern)) for t in self._templates(program.target)]
        firsts = {pattern[0].mnemonic for _, pattern, _ in templates}
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        live = analysed(program, function, liveness)
        for block in waits.blocks:
            for first in range(max(block.first, window[0]), min(block.last, window[1])):
                if program.instructions[first].base not in firsts:
                    continue
                for template, pattern, kinds in templates:
                    found = _next_instance(program, template, pattern, kinds, first, block.last)
                    if found is None:
                        continue
                    edits = _edits(program, kernel, template, *found, live)
                    if edits is not None:
                        yield edits


def _next_instance(
    program: Program,
    template: Template,
    pattern: Sequence[Line],
    kinds: Mapping[str, Kind],
    first: int,
    end: int,
) -> tuple[tuple[int, ...], dict[str, Value]] | None:
    """Indices of the nearest instance that begins at `first`, and what its variables are."""
    bound: dict[str, Value] = {}
    if not match(pattern[0], program.instructions[first], kinds, bound):
        return None
    places = [first]
    for line in pattern[1:]:
        at = places[-1] + 1
        limit = min(end, first + _REACH)
        while at < limit:
            trial = dict(bound)
            if match(line, program.instructions[at], kinds, trial):
                bound = trial
                break
            at += 1
        if at >= limit:
            return None
        places.append(at)
    fits = allowed(template, bound) and not mixed(template, bound)
    return (tuple(places), bound) if fits else None


def _edits(
    program: Program,
    kernel: str,
    template: Template,
    places: tuple[int, ...],
    bound: Mapping[str, Value],
    live: Liveness,
) -> tuple[Edit, ...] | None:
    written = frozenset(results(instance(template, bound)))
    if not _movable(program, places, live, written):
        return None
    lines = tuple(fill(line, bound) for line in template.result)
    note = f"{template.name}: {template.description}"
    edits = tuple(Edit(p, p + 1, () if p != places[-1] else lines, note) for p in places)
    try:
        return settled(program, kernel, edits, len(edits) - 1)
    except BuildError:
        return None  # more constants than one instruction takes, as a rule


def _movable(
    program: Program, places: tuple[int, ...], live: Liveness, written: frozenset[int]
) -> bool:
    """Whether the lines may all stand at the last one's place, and what is not `written` go."""
    target = program.target
    records = {p: decode(program.instructions[p], target) for p in places}
    last = places[-1]
    gone = frozenset[int]().union(*(r.defs for r in records.values())) - written
    if gone & live.live_after(last):
        return False
    if any(p in program.labels for p in places[1:]):
        return False
    for p, record in records.items():
        between = (i for i in range(p + 1, last) if i not in records)
        for i in between:
            inst = program.instructions[i]
            other = decode(inst, target)
            if is_fence(inst, target) or other.defs & (EXEC_UNITS | record.uses | record.defs):
                return False
            if other.uses & record.defs:
                return False
    return True


EXEC_UNITS = frozenset((EXEC, EXEC + 1))
