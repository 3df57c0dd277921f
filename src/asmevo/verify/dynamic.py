"""What only a run can show: races, reads of undefined contents, loads used before they arrived.

The object runs on each launch with memory watched, with other junk in undefined registers, LDS
and memory, and with loads that arrive late. Whatever a run shows becomes a finding that names both
instructions. Unlike the static check it knows addresses, and unlike it it sees executed paths only.

Severities. A race is an error if the result depends on the wave order: the launch runs in several
orders, in which nearly every pair of conflicting accesses meets both ways round. Without an
effect it is a note: compilers let several waves store the same value, or load what they never
use. An order in which a wave waits in vain for one that runs later shows nothing. Between
workgroups of a kernel with atomics on device memory it is a note, too, because those may order
them, which is not followed. Waves that wait at different barrier instructions are a note:
specialised waves do so legitimately. A read of undefined LDS or memory is an error if the result
depends on the junk and a note otherwise: kernels often load what they never use. A load used too
early is an error if late arrival changes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule
from asmevo.capsule.places import nearest
from asmevo.check.engine.trace import check_trace
from asmevo.check.engine.workbench import facts_of
from asmevo.check.findings import ERROR, NOTE, Finding, ordered
from asmevo.check.rules.registers import entry_mask
from asmevo.check.rules.waits import register_text
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import Device, Observation, RunOptions, RunResult, WaveTrace
from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.traits import clears_itself, traits_of
from asmevo.program import Program, recover
from asmevo.verify.poison import Pattern, poisoned, written
from asmevo.verify.reference import compared_buffers

_RACES = {
    "race-read-after-write": ("reads", "wrote"),
    "race-write-after-write": ("writes", "wrote"),
    "race-write-after-read": ("writes", "read"),
}
# A pair of waves runs in either order in half of the shuffles, anew at every barrier.
_ORDERS = ("barrier", "interleave:1", "interleave:50", *(f"shuffle:{seed}" for seed in range(1, 7)))
_SEEN = (*_RACES, "uninitialized-read", "divergent-barrier")
_MOST_TRACED = 64  # workgroups, when the first ones show no reason
_MOST_STORED = 64  # differing dwords of a result that are looked up
_NAMED = ("wait.raw", "wait.waw")


@dataclass(frozen=True, slots=True)
class DynamicConfig:
    """What to run.

    Attributes:
        schedules: wave orders to watch besides the capsule's own.
        poison_seed: of the junk in undefined registers, LDS and memory.
        trace_workgroups: workgroups whose executed paths are checked for waits and wait states.
        budget: instruction budget of each run.
        guards_mapped: as in `RunOptions`.
    """

    schedules: tuple[str, ...] = ()
    poison_seed: int = 0x5EED
    trace_workgroups: int = 1
    budget: int = 2_000_000_000
    guards_mapped: bool = False


def check_dynamic(
    object: bytes,
    capsules: Iterable[Capsule],
    device: Device,
    config: DynamicConfig | None = None,
) -> list[Finding]:
    """Findings of dynamic runs of one object, sorted by place.

    Args:
        object: bytes of the code object.
        capsules: launches of its kernels.
        device: an emulated device (others see no races and no late loads).
        config: what to run.

    Raises:
        InputError: no launch is given.
        UnsupportedError: an instruction that the device cannot execute.
    """
    co = CodeObject.open(object)
    program = recover(co)
    findings: list[Finding] = []
    launches = 0
    for capsule in capsules:
        launches += 1
        findings += _Check(object, program, capsule, device, config or DynamicConfig()).findings()
    if not launches:
        raise InputError("nothing to run", "give at least one launch")
    return _merged(findings)


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """One finding per rule, place and producer: the gravest."""
    found: dict[tuple[object, ...], Finding] = {}
    for f in findings:
        key = (f.kernel, f.rule, f.index, f.producer, f.what)
        if key not in found or (found[key].severity == NOTE and f.severity == ERROR):
            found[key] = f
    return ordered(found.values())


class _Check:
    """The runs of one launch."""

    def __init__(
        self,
        object: bytes,
        program: Program,
        capsule: Capsule,
        device: Device,
        config: DynamicConfig,
    ) -> None:
        self.object, self.program, self.capsule = object, program, capsule
        self.device, self.config = device, config
        self.kernel = program.object.kernel(capsule.kernel)
        self.facts = facts_of(program)
        self.schedule: str | None = None  # the capsule's own
        self.late: tuple[Observation, ...] = ()  # of the run with late loads

    def _run(self, pattern: Pattern = "A", junk: int = 0, **options: object) -> RunResult:
        chosen = RunOptions(
            poison=2 * self.config.poison_seed + junk,
            instruction_budget=self.config.budget,
            guards_mapped=self.config.guards_mapped,
        )
        options.setdefault("schedule", self.schedule)
        chosen = replace(chosen, **options)  # type: ignore[arg-type]
        launch = poisoned(self.capsule, pattern, self.config.poison_seed)
        return self.device.run(self.object, launch, chosen)

    def findings(self) -> list[Finding]:
        """Everything about this launch."""
        base = self._base()
        if base.fault is not None and base.fault.fair:
            # A wave waits for one that this order runs later: that is no fault of the kernel.
            self.schedule = base.fault.fair
            base = self._base()
        if base.fault is not None:
            return [*self._undefined_fault(base), self._fault(base, "dynamic.fault")]
        found = self._waits(base)
        depends = self._undefined(base, found)
        atomic = self._uses_atomics(base)
        observations = list(base.observations)
        for schedule in self.config.schedules:
            result = self._run(watch_memory=True, schedule=schedule)
            if result.fault is not None and not result.fault.fair:
                found.append(self._fault(result, "dynamic.fault"))
            observations += result.observations
        order = ""
        if any(o.kind in _RACES for o in observations):
            order = self._order_effect(base)
        found += [self._behind_barrier(o) for o in self.late if o.outstanding]
        found += [
            self._observed(o, atomic, depends, order) for o in observations if o.kind in _SEEN
        ]
        return found

    def _base(self) -> RunResult:
        return self._run(
            watch_memory=True, profile=True, trace_workgroups=self.config.trace_workgroups
        )

    # --- memory ---------------------------------------------------------------------------
    def _uses_atomics(self, base: RunResult) -> bool:
        """Whether an executed instruction does an atomic operation on device memory."""
        counts = base.counts
        for i, inst in enumerate(self.program.instructions):
            if counts is not None and not counts[i]:
                continue
            effect = decode(inst, self.program.target)
            if effect.kind in (OpClass.VMEM, OpClass.FLAT, OpClass.SMEM) and "atomic" in inst.base:
                return True
        return False

    def _order_effect(self, base: RunResult) -> str:
        """How the result depends on the wave order, or an empty string."""
        own = str(RunOptions(schedule=self.schedule).schedule_for(self.capsule))
        for schedule in _ORDERS:
            if schedule == own:
                continue
            result = self._run(schedule=schedule)
            if result.fault is not None and result.fault.fair:
                continue  # an unfair order shows nothing
            if result.fault is not None:
                return f"wave order {schedule} ends in a fault: {result.fault.one_line()}"
            if buffer := self._differing(base, result):
                return f"{buffer} is another one in wave order {schedule}"
        return ""

    def _observed(
        self, o: Observation, atomic: bool, depends: frozenset[str], order: str
    ) -> Finding:
        times = "once" if o.times == 1 else f"{o.times} times"
        lds = o.space == "lds"
        place = f"LDS byte {o.address:#x}" if lds else self._place(o.address)
        if o.kind == "divergent-barrier":
            return self._finding(
                "race.divergent-barrier", NOTE, o.second, o.first,
                f"waves of workgroup {o.workgroup} wait here and at {self._text(o.first)!r} "
                f"(#{o.first}) at the same time ({times})",
                "let all waves reach the same barrier, or make sure that their number agrees",
            )  # fmt: skip
        if o.kind == "uninitialized-read":
            where = "lds" if lds else "memory"
            matters = where in depends
            more = "and the result depends on it" if matters else "without effect on the result"
            return self._finding(
                f"uninitialized.{where}", ERROR if matters else NOTE, o.second, None,
                f"wave {o.waves[1]} of workgroup {o.workgroup} reads {place}, which nothing has "
                f"written ({times}), {more}",
                "write it first", place,
            )  # fmt: skip
        does, did = _RACES[o.kind]
        foreign = o.workgroup != o.other_workgroup
        if foreign:
            other = (
                "another workgroup" if o.other_workgroup < 0 else f"workgroup {o.other_workgroup}"
            )
            why = f"{other} {did}"
            rule, severity = "race.workgroups", ERROR if order and not atomic else NOTE
            fix = "order them by atomics, or let only one workgroup touch it"
            if atomic:
                why += "; atomics may order them"
        else:
            # Of several waves that read, the last may be this one.
            same = o.waves[0] == o.waves[1]
            other = "another wave" if same else f"wave {o.waves[0]}"
            why = f"{other} {did} since the last barrier"
            rule, severity = ("race.lds" if lds else "race.memory"), ERROR if order else NOTE
            fix = f"put {self._wait(o.first, lds)} and s_barrier between them"
        return self._finding(
            rule, severity, o.second, o.first,
            f"wave {o.waves[1]} of workgroup {o.workgroup} {does} {place} that {why} ({times}); "
            + (order or f"the result is the same in {len(_ORDERS)} wave orders"),
            fix, o.kind.removeprefix("race-"),
        )  # fmt: skip

    def _behind_barrier(self, o: Observation) -> Finding:
        """A conflict with an access that was outstanding at the barrier in between."""
        does, _ = _RACES[o.kind]
        lds = o.space == "lds"
        place = f"LDS byte {o.address:#x}" if lds else self._place(o.address)
        times = "once" if o.times == 1 else f"{o.times} times"
        message = (
            f"wave {o.waves[1]} of workgroup {o.workgroup} {does} {place} while "
            f"{self._text(o.first)!r} of wave {o.waves[0]} may be outstanding: it was issued "
            f"before the barrier, which waits for nothing, and no wait completes it ({times})"
        )
        split = self.kernel.descriptor.tg_split
        if not lds and not split:
            # Waves of a workgroup share the L1 of their CU, which serves them in order
            # (AMDGPUUsage, memory model GFX90A and GFX940: vmcnt(0) only in tgsplit mode).
            message += "; in order at the L1 of one CU, so harmless unless in tgsplit mode"
        return self._finding(
            "race.lds" if lds else "race.memory",
            ERROR if lds or split else NOTE,
            o.second,
            o.first,
            message,
            f"put {self._wait(o.first, lds)} before the s_barrier",
            o.kind.removeprefix("race-"),
        )

    def _wait(self, index: int, lds: bool) -> str:
        """The wait that completes an access: a flat one to LDS is in both counters."""
        kind = decode(self.program.instructions[index], self.program.target).kind
        counts = {OpClass.LDS: "lgkmcnt(0)", OpClass.FLAT: "vmcnt(0) lgkmcnt(0)"}
        return "s_waitcnt " + (counts.get(kind, "vmcnt(0)") if lds else "vmcnt(0)")

    def _place(self, address: int) -> str:
        near = nearest(self.capsule, address)
        if near is None or near.distance >= max(near.buffer.guard, 1):
            return f"address {address:#x}"
        if near.side != "inside":
            return near.one_line()
        return f"byte {near.offset} of {near.buffer.name}"

    # --- undefined contents -----------------------------------------------------------------
    def _undefined(self, base: RunResult, found: list[Finding]) -> frozenset[str]:
        """Which undefined contents results depend on, of `lds` and `memory`; adds findings."""
        depends: set[str] = set()
        other = self._run(junk=1)
        if other.fault is not None:
            found.append(self._fault(other, "uninitialized.fault"))
            depends.add("lds")
        else:
            buffer = self._differing(base, other)
            if buffer:
                found += self._register_read(base, other, buffer, depends)
        if any(b.undefined for b in self.capsule.buffers):
            third = self._run("B", 1)
            if third.fault is None and other.fault is None:
                buffer = self._differing_written(other, third)
                if buffer:
                    depends.add("memory")
                    if not any(o.kind == "uninitialized-read" and o.space == "memory"
                               for o in base.observations):  # fmt: skip
                        found.append(
                            self._finding(
                                "uninitialized.memory", ERROR, -1, None,
                                f"{buffer} depends on the contents of undefined buffers",
                                "declare what the kernel reads as inout, with an init", buffer,
                            )
                        )  # fmt: skip
            elif third.fault is not None:
                found.append(self._fault(third, "uninitialized.fault"))
        return frozenset(depends)

    def _undefined_fault(self, result: RunResult) -> list[Finding]:
        """The undefined places that operands of a faulting instruction got their values from."""
        fault = result.fault
        assert fault is not None
        if not fault.undefined:
            return []
        registers = ", ".join(r for r, _ in fault.undefined)
        places = list(dict.fromkeys(p for _, p in fault.undefined))
        reader = self._first_reader(places[0], result.counts)
        message = f"{registers} of the faulting instruction hold what {', '.join(places)} held "
        message += "when the wave started, which nothing has written"
        if reader >= 0 and reader != fault.index:
            message += f"; {self._text(reader)!r} (#{reader}) reads it first"
        return [
            self._finding(
                "uninitialized.register"
                if not places[0].startswith("LDS")
                else "uninitialized.lds",
                ERROR,
                fault.index,
                reader if reader >= 0 else None,
                message,
                f"define {places[0]} first",
                ", ".join(places),
            )
        ]

    def _first_reader(self, place: str, counts: NDArray[np.int64] | None) -> int:
        """First executed instruction in program order that reads a register by name, or -1."""
        for i, f in enumerate(self.facts):
            if counts is not None and not counts[i]:
                continue
            for operand in f.inst.operands:
                register = operand.reg
                if register is None or str(register)[0] != place[0]:
                    continue
                first = register.index
                inside = place[1:].isdigit() and first <= int(place[1:]) < first + register.count
                if inside and f.strict_uses & sum(1 << u for u in register.units):
                    return i
        return -1

    def _stored_junk(self, base: RunResult, other: RunResult, buffer: str) -> str:
        """The undefined place whose value a differing dword of the result still is, or empty."""
        if base.undefined_place is None:
            return ""
        one, two = (
            np.frombuffer(r.buffers[buffer][: len(r.buffers[buffer]) & ~3], np.uint32)
            for r in (base, other)
        )
        for at in np.flatnonzero(one != two)[:_MOST_STORED].tolist():
            place = base.undefined_place(int(one[at]))
            if place:
                return place
        return ""

    def _differing(self, one: RunResult, other: RunResult) -> str:
        for b in compared_buffers(self.capsule):
            if one.buffers[b.name] != other.buffers[b.name]:
                return b.name
        return ""

    def _differing_written(self, one: RunResult, other: RunResult) -> str:
        """First buffer whose written bytes differ between a run with A and one with B."""
        before = [poisoned(self.capsule, p, self.config.poison_seed) for p in ("A", "B")]
        for b in compared_buffers(self.capsule):
            after = [np.frombuffer(r.buffers[b.name], np.uint8) for r in (one, other)]
            unequal = after[0] != after[1]
            if b.undefined:
                unequal &= written(
                    before[0].buffer(b.name).data, one.buffers[b.name],
                    before[1].buffer(b.name).data, other.buffers[b.name],
                )  # fmt: skip
            if unequal.any():
                return b.name
        return ""

    def _register_read(
        self, base: RunResult, other: RunResult, buffer: str, depends: set[str]
    ) -> list[Finding]:
        """The first read of a register that holds nothing, along the traced waves.

        A result that still is the value of an undefined register names it, however it was copied.
        Where there is none, the reads of undefined LDS explain the result.
        """
        place = self._stored_junk(base, other, buffer)
        place = "" if place.startswith("LDS") else place
        reader = self._first_reader(place, base.counts) if place else -1
        for trace in base.wave_traces:
            seen = self._first_undefined(trace)
            if seen is not None:
                index, mask = seen
                names = register_text(mask)
                origin = ""
                if place and place not in names.split(", ") and reader >= 0:
                    origin = (
                        f"; {buffer} holds the value of {place}, which {self._text(reader)!r} "
                        f"(#{reader}) reads first"
                    )
                return [
                    self._finding(
                        "uninitialized.register", ERROR, index, None,
                        f"{names} holds nothing when wave {trace.wave} of workgroup "
                        f"{trace.workgroup} reads it, and {buffer} depends on undefined registers "
                        f"or LDS{origin}",
                        "define it first", names,
                    )
                ]  # fmt: skip
        if place:
            return [
                self._finding(
                    "uninitialized.register", ERROR, reader, None,
                    f"{place} holds nothing when it is read here first, and {buffer} holds its "
                    "value at the end",
                    "define it first", place,
                )
            ]  # fmt: skip
        depends.add("lds")
        if any(o.kind == "uninitialized-read" and o.space == "lds" for o in base.observations):
            return []
        return [
            self._finding(
                "uninitialized.result", ERROR, -1, None,
                f"{buffer} depends on undefined registers or LDS",
                "define what is read first", buffer,
            )
        ]  # fmt: skip

    def _first_undefined(self, trace: WaveTrace) -> tuple[int, int] | None:
        defined = entry_mask(self.kernel.descriptor)
        entry = self.program.kernel_function(self.kernel).first
        facts = self.facts
        seen: set[int] = set()
        for index in map(int, trace.indices):
            if index in seen:
                continue
            seen.add(index)
            f = facts[index]
            missing = f.strict_uses & ~defined
            if missing and _copies(f.inst):
                defined &= ~f.defs  # what is only moved is as undefined as before
                continue
            if missing and index >= entry and not clears_itself(f.inst):
                return index, missing
            defined |= f.defs
        return None

    # --- waits --------------------------------------------------------------------------------
    def _waits(self, base: RunResult) -> list[Finding]:
        """Wait states along executed paths, and loads that are used before they arrive."""
        seen = self._traced(base.wave_traces)
        hazards = [f for f in seen if f.rule.startswith("hazard.")]
        pairs = [f for f in seen if f.rule in _NAMED]
        try:
            late = self._run(late_loads=True, watch_memory=True)
        except UnsupportedError as error:
            return [
                *hazards,
                *pairs,
                self._finding("wait.not-run", NOTE, -1, None, error.one_line(), ""),
            ]
        self.late = late.observations
        effect = ""
        if late.fault is not None:
            effect = f"late loads end in a fault: {late.fault.one_line()}"
        elif buffer := self._differing(base, late):
            effect = f"{buffer} changes when loads arrive late"
        early = [self._early(o, effect) for o in late.observations if o.kind == "early-lds-read"]
        if not effect:
            # Whatever is read too early has no effect here.
            quiet = [replace(f, severity=NOTE) for f in pairs]
            return [*hazards, *quiet, *early]
        if not pairs and not early and self.capsule.workgroups > self.config.trace_workgroups:
            wide = self._run(trace_workgroups=min(_MOST_TRACED, self.capsule.workgroups))
            seen = self._traced(wide.wave_traces)
            pairs = [f for f in seen if f.rule in _NAMED]
        named = [*(_graver(f, effect) for f in pairs), *early]
        if not named:
            named = [
                self._finding(
                    "wait.late-load", ERROR, -1, None, effect, "look for a wait that is too weak"
                )
            ]
        return [*hazards, *named]

    def _early(self, o: Observation, effect: str) -> Finding:
        times = "once" if o.times == 1 else f"{o.times} times"
        fix = "s_waitcnt vmcnt before it"
        if o.waves[0] != o.waves[1]:
            fix = f"s_waitcnt vmcnt in wave {o.waves[0]} before the barrier"
        message = (
            f"wave {o.waves[1]} of workgroup {o.workgroup} reads LDS byte {o.address:#x} before "
            f"{self._text(o.first)!r} of wave {o.waves[0]} has filled it ({times})"
        )
        if effect:
            message += "; " + effect
        severity = ERROR if effect else NOTE
        return self._finding("wait.lds-dma", severity, o.second, o.first, message, fix, "LDS")

    def _traced(self, traces: Sequence[WaveTrace]) -> list[Finding]:
        paths = [[int(i) for i in t.indices] for t in traces]
        return [s.finding for s in check_trace(self.program, self.kernel.name, paths)]

    # --- findings -------------------------------------------------------------------------------
    def _text(self, index: int) -> str:
        return self.program.instructions[index].text or "" if index >= 0 else ""

    def _fault(self, result: RunResult, rule: str) -> Finding:
        assert result.fault is not None
        return self._finding(
            rule, ERROR, result.fault.index, None, result.fault.one_line(), "correct the address"
        )

    def _finding(
        self, rule: str, severity: str, index: int, producer: int | None, message: str, fix: str,
        what: str = "",
    ) -> Finding:  # fmt: skip
        where = f" [{self.capsule.label}]" if self.capsule.label else ""
        return Finding(
            rule, "-", severity, self.kernel.name, index, self._text(index), producer,
            self._text(producer) if producer is not None else "",
            message=message + where, fix=fix, what=what,
        )  # fmt: skip


def _copies(inst: Instruction) -> bool:
    """Whether an instruction only moves a source, to other lanes or another register."""
    traits = traits_of(inst.base)
    return traits.copies or traits.crosses_lanes or traits.swaps or traits.selects


def _graver(finding: Finding, effect: str) -> Finding:
    return replace(finding, severity=ERROR, message=f"{finding.message}; {effect}")
