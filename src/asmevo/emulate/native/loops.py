"""Counted loops in helper and runtime functions."""

from __future__ import annotations

from asmevo.emulate.native.ir import Fn


class CountedLoop:
    """A loop `for i in range(last)`; use as a context manager around the body.

    Attributes:
        i: the counter, an i64 value.
        step: label to branch to for the next turn (`continue`).
        exit: label behind the loop.
    """

    def __init__(self, f: Fn, last: str, name: str) -> None:
        self.f, self.last, self.name = f, last, name

    def __enter__(self) -> CountedLoop:
        f = self.f
        self.head, body, self.step, self.exit = (
            f.label(self.name + x) for x in ("head", "body", "step", "exit")
        )
        entry = f.block
        f.br(self.head)
        f.place(self.head)
        self.i, self._next = f.fresh(self.name), f.fresh(self.name)
        f.emit(f"{self.i} = phi i64 [ 0, %{entry} ], [ {self._next}, %{self.step} ]")
        f.cond(f.op(f"icmp ult i64 {self.i}, {self.last}"), body, self.exit)
        f.place(body)
        return self

    def __exit__(self, *_: object) -> None:
        f = self.f
        f.br(self.step)
        f.place(self.step)
        f.emit(f"{self._next} = add i64 {self.i}, 1")
        f.br(self.head)
        f.place(self.exit)
