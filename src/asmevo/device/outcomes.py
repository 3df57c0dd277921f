"""From what the engine reports to what a device returns: faults, observations, counts, traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule
from asmevo.capsule.places import describe
from asmevo.device.protocol import Fault, FaultKind, Observation, ObservationKind, WaveTrace
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel
from asmevo.emulate.engine.junk import Junk
from asmevo.emulate.engine.launch import MemoryRegion
from asmevo.emulate.engine.machine import Outcome, ShadowReport
from asmevo.emulate.sanitize import shadow_layout as shadow
from asmevo.isa.decoded import decode
from asmevo.isa.operand import RegKind

_KINDS: dict[int, FaultKind] = {
    L.LOAD_FAULT: "out_of_bounds",
    L.STORE_FAULT: "out_of_bounds",
    L.LDS_FAULT: "lds",
    L.SCRATCH_FAULT: "out_of_bounds",
    L.JUMP_FAULT: "illegal_instruction",
    L.TRAP_FAULT: "trap",
    L.ALIGN_FAULT: "misaligned",
    L.DESCRIPTOR_FAULT: "unsupported",
    L.PENDING_FAULT: "unsupported",
    L.UNSUPPORTED_FAULT: "unsupported",
    L.MODE_FAULT: "unsupported",
    L.SCRATCH_ALIGN_FAULT: "unsupported",
}


_PLACED = (L.LOAD_FAULT, L.STORE_FAULT, L.ALIGN_FAULT)  # their address is one of the launch's


def fault_of(
    outcome: Outcome, encoded: EncodedKernel, regions: Sequence[MemoryRegion], capsule: Capsule
) -> Fault | None:
    """Why the run stopped, or None when it ran to its end."""
    if not outcome.fault and not outcome.budget_spent:
        return None
    index = outcome.fault_index
    inst = encoded.program.instructions[index]
    kind: FaultKind = "budget" if outcome.budget_spent else _KINDS[outcome.fault]
    message = L.FAULT_KINDS[outcome.fault]
    address: int | None = outcome.fault_address
    access = {L.LOAD_FAULT: "load", L.STORE_FAULT: "store"}.get(outcome.fault)
    if outcome.budget_spent:
        message, address = "instruction budget used up (an endless loop?)", None
    elif outcome.fault == L.STORE_FAULT:
        for r in regions:
            if r.address <= outcome.fault_address < r.address + len(r.data) and not r.writable:
                kind, message = "read_only", f"store to read-only buffer {r.name}"
    elif outcome.fault == L.UNSUPPORTED_FAULT:
        message, address = encoded.unsupported.get(index, message), None
    placed = address is not None and outcome.fault in _PLACED
    return Fault(
        kind=kind,
        message=message,
        kernel=encoded.kernel.name,
        index=index,
        text=inst.text or "",
        lanes=outcome.fault_lanes,
        address=address,
        access=access,  # type: ignore[arg-type]
        place=describe(capsule, address) if placed and address is not None else "",
    )


def undefined_operands(
    outcome: Outcome, encoded: EncodedKernel, junk: Junk
) -> tuple[tuple[str, str], ...]:
    """(operand register, where its value was junk at the start) of a faulting instruction.

    Those of its operands whose dword is still what an undefined register or LDS dword held when
    the wave started, in the lowest lane that faulted.
    """
    inst = encoded.program.instructions[outcome.fault_index]
    lane = max(0, (outcome.fault_lanes & -outcome.fault_lanes).bit_length() - 1)
    found: dict[str, str] = {}
    sources = decode(inst, encoded.program.target).use_operands
    for operand in (inst.operands[n] for n in sources):
        register = operand.reg
        if register is None:
            continue
        for n in range(register.index, register.index + register.count):
            if register.kind is RegKind.SGPR:
                at, name = (L.sgpr(n)) // 4, f"s{n}"
            elif register.kind is RegKind.VGPR:
                at, name = L.vgpr(n) // 4 + lane, f"v{n}"
            elif register.kind is RegKind.AGPR:
                at, name = L.agpr(n) // 4 + lane, f"a{n}"
            else:
                continue
            place = junk.place_of(int(outcome.registers[at]))
            if place:
                found[name] = place
    return tuple(found.items())


_OBSERVED: dict[int, ObservationKind] = {
    shadow.READ_AFTER_WRITE: "race-read-after-write",
    shadow.WRITE_AFTER_WRITE: "race-write-after-write",
    shadow.WRITE_AFTER_READ: "race-write-after-read",
    shadow.UNINITIALIZED: "uninitialized-read",
    shadow.BARRIER: "divergent-barrier",
    shadow.EARLY: "early-lds-read",
}


def observation(report: ShadowReport) -> Observation:
    """A finding of shadow memory."""
    return Observation(
        _OBSERVED[report.kind],
        report.first,
        report.second,
        "lds" if report.lds else "memory",
        report.address,
        report.group,
        report.waves,
        report.times,
        report.other,
        report.outstanding,
    )


def instruction_counts(encoded: EncodedKernel, outcome: Outcome) -> NDArray[np.int64]:
    """int64 [instructions of the program]: wave executions of each."""
    counts = np.zeros(len(encoded.program.instructions), np.int64)
    for number in np.flatnonzero(outcome.block_counts).tolist():
        first, last = encoded.span(number)
        counts[first:last] += int(outcome.block_counts[number])
    return counts


def wave_traces(encoded: EncodedKernel, outcome: Outcome) -> list[WaveTrace]:
    """What the traced waves executed, and touched where that was recorded."""
    runs: dict[int, NDArray[np.int32]] = {}
    traces: list[WaveTrace] = []
    streams = zip(outcome.traces, outcome.touches, strict=True)
    for (group, wave, blocks, entered), touched in streams:
        for number in np.unique(blocks).tolist():
            if number not in runs:
                runs[number] = np.arange(*encoded.span(number), dtype=np.int32)
        parts = [runs[n] for n in blocks.tolist()]
        indices = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        touches = touched if touched.words.shape[0] or touched.complete else None
        # Of what lies behind a cut only the number of blocks is known.
        factor = entered / max(1, len(blocks))
        traces.append(WaveTrace(group, wave, indices, touches, max(1.0, factor)))
    return traces
