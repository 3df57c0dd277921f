"""Waves of a compute unit as a trace that Perfetto and chrome://tracing show.

Format: Trace Event Format, JSON object form; complete events (`X`) in microseconds of the modelled
clock, metadata events (`M`) for names. A process is a workgroup, a thread one of its waves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asmevo.program import Program
from asmevo.timing.static import Kind, static_program

if TYPE_CHECKING:
    from asmevo.timing.detail import LaunchDetail, WaveLine

_MOST_EVENTS = 200_000
_NAMES = {
    Kind.SALU: "scalar", Kind.SMEM: "scalar memory", Kind.VALU: "vector",
    Kind.TRANS: "transcendental", Kind.MFMA: "matrix", Kind.VMEM: "vector memory",
    Kind.LDS: "LDS", Kind.BRANCH: "branch", Kind.WAIT: "wait", Kind.NOP: "nop",
    Kind.BARRIER: "barrier", Kind.END: "end", Kind.OTHER: "other",
}  # fmt: skip


def perfetto(detail: LaunchDetail, program: Program, kernel: str) -> dict[str, Any]:
    """The trace; runs of instructions of one kind are one event.

    A trace holds at most 200,000 events; what was left out is said in `otherData`.
    """
    kinds = static_program(program.instructions, program.target, program.offsets).kind
    mhz = detail.machine["clock_mhz"]
    events: list[dict[str, Any]] = []
    left_out = 0
    for group in sorted({w.workgroup for w in detail.waves}):
        events.append(_named("process_name", group, 0, f"workgroup {group}"))
    for wave in detail.waves:
        title = f"wave {wave.wave} (SIMD {wave.simd})"
        events.append(_named("thread_name", wave.workgroup, wave.wave, title))
        made = _events(wave, kinds, program, mhz)
        room = max(0, _MOST_EVENTS - len(events))
        left_out += max(0, len(made) - room)
        events += made[:room]
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": kernel,
            "label": "modelled",
            "machine": detail.machine.name,
            "clock_mhz": mhz,
            "events_left_out": left_out,
        },
    }


def _named(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _events(wave: WaveLine, kinds: Any, program: Program, mhz: float) -> list[dict[str, Any]]:
    kind = kinds[wave.indices]
    if not kind.shape[0]:
        return []
    first = np.concatenate(([0], np.flatnonzero(np.diff(kind)) + 1))
    last = np.concatenate((first[1:], [kind.shape[0]]))
    events: list[dict[str, Any]] = []
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        begin, end = float(wave.edges[a]), float(wave.edges[b])
        index = int(wave.indices[a])
        name = _NAMES[Kind(int(kind[a]))]
        events.append(
            {
                "ph": "X",
                "name": name,
                "cat": "modelled",
                "ts": begin / mhz,
                "dur": (end - begin) / mhz,
                "pid": wave.workgroup,
                "tid": wave.wave,
                "args": {
                    "clocks": end - begin,
                    "instructions": b - a,
                    "index": index,
                    "text": program.line(index),
                },
            }
        )
    return events
