"""What the prover says of a candidate's kernel against another version of it.

The prover stops nobody: a window that is not equal says that registers differ at a place where
control passes, which a renamed register does as well, and no state of a kernel need lead there.
Its word is evidence, asked for once a search is over, of the lineage that is delivered.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise

from asmevo.codeobject import CodeObject
from asmevo.program.model import Program
from asmevo.program.recover import recover
from asmevo.prove.verdict import Verdict
from asmevo.prove.versions.comparing import Compared, compare
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Window
from asmevo.search.types import Node
from asmevo.verify.proofs import prove

_KEPT_SIDES, _KEPT_ANSWERS = 16, 4096
_SECONDS = 4.0  # of one comparison; what is not decided then is tested as ever
_WINDOW_SECONDS = 1.0


class Proofs:
    """Compares kernels window by window; remembers programs and the answers to windows."""

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._sides: OrderedDict[int, tuple[Program, Side]] = OrderedDict()
        self._answers: OrderedDict[Hashable, Verdict] = OrderedDict()

    def compare(self, k0: Program, k1: Program) -> Compared:
        """Whether two versions of the kernel do the same, as far as a few seconds tell."""
        stop = time.monotonic() + _SECONDS

        def ask(window: Window) -> Verdict:
            key = (window.before, window.after, window.live_out, window.mode, window.assumptions)
            known = self._answers.get(key)
            if known is None:
                left = min(_WINDOW_SECONDS, stop - time.monotonic())
                if left <= 0:
                    return Verdict("unknown", "out of time")
                known = self._answers[key] = prove(window, limit_seconds=left)
                if len(self._answers) > _KEPT_ANSWERS:
                    self._answers.popitem(last=False)
            return known

        return compare(self._side(k0), self._side(k1), ask, _SECONDS)

    def _side(self, program: Program) -> Side:
        known = self._sides.get(id(program))
        if known is None:
            function = program.function(self._kernel)
            known = self._sides[id(program)] = (program, Side(program, function))
            if len(self._sides) > _KEPT_SIDES:
                self._sides.popitem(last=False)
        return known[1]


def proved_steps(kernel: str, steps: Sequence[Node], objects: Sequence[bytes]) -> tuple[Node, ...]:
    """A lineage with the stronger evidence of a proof at each step that has one.

    Args:
        kernel: the kernel's name.
        steps: nodes from K0 on, each made from the one before it.
        objects: their files.
    """
    proofs = Proofs(kernel)
    programs = [recover(CodeObject.open(data)) for data in objects]
    found = [steps[0]]
    for node, (before, after) in zip(steps[1:], pairwise(programs), strict=True):
        verdict = proofs.compare(before, after)
        if verdict.holds:  # "identical" but for waits, whose values are none
            evidence = "reordered" if verdict.status == "reordered" else "proved"
            node = replace(node, evidence=evidence)
        found.append(node)
    return tuple(found)
