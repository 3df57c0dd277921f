"""The calling convention of waits: a callee waits for what its caller left pending.

What: at its entry a function waits until the results of all loads are there, before it does
anything else; before it returns, its own loads are there (`wait.pending-at-return`, which the wait
engine finds at every computed jump).

Why: the checks do not follow a call. At a call nothing counts as pending any more, because the
callee waits; so a callee that waits no longer would break every caller without a finding. Both are
notes on an object, because hand-written code may have a convention of its own, and refusals where
an original waits and its edit does not.

Source: LLVM `SIInsertWaitcnts.cpp` (waits at function entry and before a return, stores excepted).
"""

from __future__ import annotations

from asmevo.check.engine.view import View
from asmevo.check.findings import NOTE, Finding
from asmevo.isa.counters import counter_max, encode_waits
from asmevo.isa.effects import OpClass

_RESULTS = ("vmcnt", "lgkmcnt", "loadcnt", "samplecnt", "bvhcnt", "dscnt", "kmcnt")


def check_entry(view: View) -> list[Finding]:
    """Counters that a function which is no kernel does not wait for at its entry."""
    left = [name for name in _RESULTS if name in counter_max(view.target)]
    at = view.first
    for at, f in enumerate(view.facts, view.first):  # noqa: B007
        if f.kind not in (OpClass.WAIT, OpClass.NOP):
            break
        done = {counter for counter, count in f.waits if count == 0}
        left = [name for name in left if name not in done]
    text = view.fact(at).inst.text or ""
    return [
        Finding(
            "wait.caller-at-entry", "-", NOTE, view.name, at, text,
            message=f"what a caller left pending on {name} is not waited for before {text!r}",
            fix=f"{' and '.join(encode_waits({name: 0}, view.target))} at the function's entry",
            need=0, what=name,
        )
        for name in left
    ]  # fmt: skip
