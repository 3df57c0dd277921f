"""What the prover says of a candidate's kernel against another version of it."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable

from asmevo.program.model import Program
from asmevo.prove.verdict import Verdict
from asmevo.prove.versions.comparing import Compared, compare
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Window
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
