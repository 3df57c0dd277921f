"""K0 as a reference: its runs on a capsule, and whether they can serve as one at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.kernarg import unfilled
from asmevo.capsule.model import BufferState, Capsule
from asmevo.capsule.placement import HOME, NotMovable, placed
from asmevo.capsule.places import NEAR, nearest
from asmevo.check.rules.order.communication import talks
from asmevo.codeobject import CodeObject
from asmevo.device.globals import STATES
from asmevo.device.protocol import Device, Fault, RunOptions, RunResult
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError
from asmevo.program import Program, recover
from asmevo.verify.compare import compare_buffer
from asmevo.verify.globals import place, varying
from asmevo.verify.poison import (
    PATTERNS,
    Pattern,
    depends_on_poison,
    poisoned,
    poisoned_arguments,
    written,
)
from asmevo.verify.report import VerifyConfig
from asmevo.verify.spread import Spread, learn

# Under which a result must stay as it is, where the launch is one that nobody asked for.
OTHER_ORDERS = ("shuffle:3", "interleave:5")
# Half of the memory instructions are slow in the one, the other half in the other.
PAUSES = ("pause:0", "pause:1")


class OracleError(InputError):
    """K0 cannot serve as the oracle on a capsule: it faults, or does not reproduce its result."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One run that K0 made and every candidate has to make.

    Attributes:
        pattern: poison pattern in undefined memory, registers and LDS.
        capsule: the dispatch with the pattern filled in, at the case's addresses.
        expected: contents of the compared buffers after K0, by name.
        schedule: wave order; None for the capsule's own.
        late: whether loads arrive late.
        placement: where memory lies (see `capsule.placement`).
        globals: contents of the object's writable sections after K0, by name.
        state: what was in them before (see `device.globals`).
    """

    pattern: Pattern
    capsule: Capsule
    expected: dict[str, bytes]
    schedule: str | None = None
    late: bool = False
    placement: str = HOME
    globals: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    state: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """K0 on one capsule.

    Attributes:
        cases: its runs, in the order in which candidates make them: each poison pattern; further
            placements; further schedules that K0 does not mind; late loads where K0's result is
            the same with them. Of a stressed launch only the first.
        masks: bytes that K0 writes, for `out` buffers.
        instructions: wave instructions K0 executed.
        notes: what was left out, and what of K0's result depends on what.
        varying: bytes of device globals, by section, in which K0's own runs differ.
        spreads: by buffer, elements in which K0's own results differ from one wave order to
            another, and by how much.
        counts: int64 [instructions of K0's program], how often its first run executed each; None
            when the device does not count.
    """

    cases: tuple[Case, ...]
    masks: dict[str, NDArray[np.bool_]]
    instructions: int
    notes: tuple[str, ...]
    varying: Mapping[str, NDArray[np.bool_]]
    counts: NDArray[np.int64] | None = None
    spreads: Mapping[str, Spread] = field(default_factory=dict[str, Spread])

    @property
    def reached(self) -> NDArray[np.bool_] | None:
        """Bool array [instructions], those that K0's first run executed."""
        return None if self.counts is None else self.counts > 0


def junk_seed(config: VerifyConfig, pattern: Pattern) -> int:
    """Seed of undefined registers and LDS; differs between the patterns."""
    return config.poison_seed * 2 + PATTERNS.index(pattern)


def options(
    config: VerifyConfig,
    junk: int,
    schedule: str | None,
    budget: int,
    *,
    profile: bool = False,
    late: bool = False,
    state: int = 0,
) -> RunOptions:
    """Run options of a verification run."""
    return RunOptions(
        schedule=schedule,
        poison=junk,
        instruction_budget=budget,
        profile=profile,
        guards_mapped=config.guards_mapped,
        matrix=config.matrix,
        late_loads=late,
        globals_state=state,
    )


def limited(config: VerifyConfig, buffer: BufferState) -> BufferState:
    """The buffer with the tolerance that the configuration imposes, if any."""
    limits = config.tolerance
    return buffer if limits is None else replace(buffer, tolerance=limits)


class K0Runs:
    """Makes references of one K0 on one device."""

    def __init__(self, k0: bytes, device: Device, config: VerifyConfig) -> None:
        self._k0, self._device, self._config = k0, device, config
        self._program: Program | None = None

    def reference(
        self,
        capsule: Capsule,
        *,
        derived: bool = False,
        orders: Sequence[str] = (),
        placement: str = HOME,
        budget: int | None = None,
        idle: bool = False,
    ) -> Reference:
        """Run K0 three times or more: A twice, B, each further placement and schedule.

        A launch that was derived from another (see `verify.stress` and `verify.varied`) is run once
        with A and once with B; that K0 reproduces its result was seen on the launch it was made
        from. Under each wave order of `orders` the result must be the same.

        Args:
            capsule: the launch.
            derived: see above.
            orders: see above.
            placement: name of the addresses of `capsule`, for reports.
            budget: most instructions of one wave, instead of the configuration's.
            idle: whether K0 may leave all outputs as they are.

        Raises:
            OracleError: K0 is no usable oracle on this capsule.
            UnsupportedError: the device cannot run it.
        """
        config = self._config
        capsules: dict[Pattern, Capsule] = {
            p: poisoned(capsule, p, config.poison_seed) for p in PATTERNS
        }
        first = self._first(capsule, capsules["A"], budget)
        again = first if derived else self._run(capsules["A"], self._seed("A"))
        changed = _changed(capsule, first, again)
        if changed:
            raise self._refusal(
                capsule, f"is nondeterministic: buffer {changed} differs between two equal runs",
                "its result is no fixed reference; use a launch that has one",
            )  # fmt: skip
        second = self._run(capsules["B"], self._seed("B"))
        masks = self._masks(capsule, capsules, first, second)
        notes = [] if idle else self._require_effect(capsule, masks, first)
        self._require_settled(capsule, capsules["A"], first, orders)
        home = Case(
            "A", capsules["A"], _compared(capsule, first), placement=placement,
            globals=first.globals,
        )  # fmt: skip
        if derived:
            # B served for the masks.
            return Reference(
                (home,), masks, first.instructions, tuple(notes),
                varying([first.globals, second.globals]), first.counts,
            )  # fmt: skip
        spreads: dict[str, Spread] = {}
        cases = [
            home,
            Case("B", capsules["B"], _compared(capsule, second), globals=second.globals),
            *self._moved(capsules, {"A": first, "B": second}, notes),
            *self._ordered(capsule, home, masks, first, notes, spreads),
            *self._stateful(home, first, notes),
        ]
        if self._config.late_loads and self._device.label == "modelled":
            if self._late(capsule, capsules["A"], first):
                cases.append(replace(home, late=True))
            else:
                notes.append("late loads left out: they change K0's own result")
        unstable = varying([first.globals, *(c.globals for c in cases if not c.state)])
        for name, mask in unstable.items():
            where = place(self._k0, name, int(mask.argmax()))
            notes.append(f"{where}: K0's own runs differ; {int(mask.sum())} bytes left out")
        return Reference(
            tuple(cases),
            masks,
            first.instructions,
            tuple(notes),
            unstable,
            first.counts,
            spreads,
        )

    def _first(self, capsule: Capsule, with_a: Capsule, budget: int | None) -> RunResult:
        """K0's first run; refuses a launch on which nothing could be compared."""
        idle = self._refusal(
            capsule, "has no out or inout buffer", "declare the role of what it computes"
        )
        try:
            first = self._run(with_a, self._seed("A"), budget)
        except OracleError:
            if compared_buffers(capsule):
                raise
            raise idle from None
        if not compared_buffers(capsule) and not first.changed_globals:
            raise idle
        return first

    def _moved(
        self,
        capsules: dict[Pattern, Capsule],
        at_home: dict[Pattern, RunResult],
        notes: list[str],
    ) -> Iterator[Case]:
        """K0 elsewhere in the address space, by turns with either poison pattern."""
        if self._device.label != "modelled":
            return
        for number, placement in enumerate(self._config.placements):
            pattern = PATTERNS[(number + 1) % len(PATTERNS)]
            try:
                moved = placed(capsules[pattern], placement, self._config.poison_seed)
                moved, result = self._among_junk(moved, pattern)
            except (NotMovable, OracleError, UnsupportedError) as error:
                notes.append(f"placement {placement} left out: {error}")
                continue
            for b in compared_buffers(moved):
                differing = _differing(result.buffers[b.name], at_home[pattern].buffers[b.name])
                if differing:
                    notes.append(
                        f"K0's own {b.name} depends on where memory lies: {differing} of {b.size} "
                        f"bytes in placement {placement}"
                    )
            yield Case(
                pattern, moved, _compared(moved, result), placement=placement,
                globals=result.globals,
            )  # fmt: skip

    def _among_junk(self, moved: Capsule, pattern: Pattern) -> tuple[Capsule, RunResult]:
        """K0 with junk where nobody fills the kernarg segment, if it can do with that."""
        if moved.provenance.get("origin") == "synthesized":
            metadata = CodeObject.open(self._k0).kernel(moved.kernel).metadata
            spans = unfilled(metadata, len(moved.kernarg))
            changed = poisoned_arguments(moved, spans, pattern, self._config.poison_seed)
            with suppress(OracleError, UnsupportedError):
                return changed, self._run(changed, self._seed(pattern))
        return moved, self._run(moved, self._seed(pattern))

    def _stateful(self, home: Case, first: RunResult, notes: list[str]) -> Iterator[Case]:
        """K0 with other contents of its device globals, if it has any."""
        for state in STATES if first.globals else ():
            try:
                result = self._run(home.capsule, self._seed("A"), state=state)
            except (OracleError, UnsupportedError) as error:
                notes.append(f"other contents of device globals left out: {error}")
                continue
            expected = _compared(home.capsule, result)
            yield replace(home, expected=expected, globals=result.globals, state=state)

    def _ordered(
        self,
        capsule: Capsule,
        home: Case,
        masks: dict[str, NDArray[np.bool_]],
        first: RunResult,
        notes: list[str],
        spreads: dict[str, Spread],
    ) -> Iterator[Case]:
        """K0 under each further wave order; what varies between them goes to `spreads`."""
        config = self._config
        asked = [*dict.fromkeys((*config.schedules, *self._pauses(capsule)))]
        # Two orders at least, so that K0's own variation is known where nobody asked for any.
        orders = dict.fromkeys(
            (*asked, *(OTHER_ORDERS if self._device.label == "modelled" else ()))
        )
        results: dict[str, RunResult] = {}
        for schedule in orders:
            if schedule != capsule.schedule:
                chosen = options(config, self._seed("A"), schedule, config.k0_budget)
                results[schedule] = self._device.run(self._k0, home.capsule, chosen)
        ended = [r for r in results.values() if r.ok]
        for b in compared_buffers(capsule):
            found = learn(b, [r.buffers[b.name] for r in (first, *ended)])
            if found is not None:
                spreads[b.name] = found
                notes.append(
                    f"K0's own {b.name} depends on the order of waves in {len(found.elements)} of "
                    f"{found.total} elements, first at {int(found.elements[0])}: a candidate may "
                    "vary there, within what K0 gave"
                )
        for schedule, result in results.items():
            if schedule not in asked:
                continue
            if result.ok and not _changed(capsule, first, result):
                yield replace(home, schedule=schedule, globals=result.globals)
                continue
            close = result.ok and not config.exact and self._close(capsule, masks, first, result)
            if close or (result.ok and _within(capsule, first, result, spreads)):
                # Typically float atomics: their order is the schedule's.
                how = "within the tolerance" if close else "where it varies"
                notes.append(f"schedule {schedule} changes K0's own result {how}")
                yield replace(
                    home, schedule=schedule, expected=_compared(capsule, result),
                    globals=result.globals,
                )  # fmt: skip
            else:
                notes.append(f"schedule {schedule} left out: it changes K0's own result")

    def _pauses(self, capsule: Capsule) -> tuple[str, ...]:
        """Orders in which waves pause between accesses, where they communicate by memory."""
        if self._device.label != "modelled" or not self._config.pauses:
            return ()
        if self._program is None:
            try:
                self._program = recover(CodeObject.open(self._k0))
            except AsmEvoError:
                return ()  # a device of another kind runs what nobody here can read
        function = self._program.kernel_function(self._program.object.kernel(capsule.kernel))
        return PAUSES if talks(self._program, function.first, function.last) else ()

    def reaches(self, capsule: Capsule, budget: int) -> NDArray[np.bool_] | None:
        """Bool array [instructions] that K0 executes on a capsule; None when it cannot run it."""
        with_a = poisoned(capsule, "A", self._config.poison_seed)
        try:
            found = self._run(with_a, self._seed("A"), budget)
        except (OracleError, UnsupportedError):
            return None
        return None if found.counts is None else found.counts > 0

    def _require_settled(
        self, capsule: Capsule, with_a: Capsule, first: RunResult, orders: Sequence[str]
    ) -> None:
        for order in orders:
            chosen = options(self._config, self._seed("A"), order, self._config.k0_budget)
            result = self._device.run(self._k0, with_a, chosen)
            changed = "" if not result.ok else _changed(capsule, first, result)
            if changed is not None:
                what = f"buffer {changed} differs" if changed else "it does not end"
                raise self._refusal(
                    capsule, f"depends on the order of waves: {what} in order {order}",
                    "its result is no fixed reference",
                )  # fmt: skip

    def _late(self, capsule: Capsule, with_a: Capsule, first: RunResult) -> bool:
        """Whether K0 computes the same when its loads arrive only at a sufficient wait.

        Kernels that work by elapsed time do not; nor do more outstanding loads than are modelled.
        """
        chosen = options(self._config, self._seed("A"), None, self._config.k0_budget, late=True)
        try:
            result = self._device.run(self._k0, with_a, chosen)
        except UnsupportedError:
            return False
        return result.ok and not _changed(capsule, first, result)

    def _seed(self, pattern: Pattern) -> int:
        return junk_seed(self._config, pattern)

    def _run(
        self, capsule: Capsule, junk: int, budget: int | None = None, *, state: int = 0
    ) -> RunResult:
        most = budget or self._config.k0_budget
        chosen = options(self._config, junk, None, most, profile=True, state=state)
        result = self._device.run(self._k0, capsule, chosen)
        if not result.ok:
            raise self._fault(capsule, result.fault)
        require_buffers(self._device, capsule, result)
        if result.guard_damage:
            names = ", ".join(result.guard_damage)
            raise self._refusal(
                capsule, f"stores outside buffer {names}", "enlarge the shape of that buffer"
            )
        for b in capsule.buffers:
            if b.role == "in" and result.buffers[b.name] != b.data:
                raise self._refusal(
                    capsule, f"modifies its input {b.name}", f"declare {b.name} as inout"
                )
        return result

    def _fault(self, capsule: Capsule, fault: Fault | None) -> AsmEvoError:
        text = fault.one_line() if fault else "no reason given"
        if fault is not None and fault.kind == "unsupported":
            return UnsupportedError(f"K0 kernel {capsule.kernel}: {text}")
        hint = "check the launch description"
        near = None
        if fault is not None and fault.kind in ("out_of_bounds", "read_only"):
            near = None if fault.address is None else nearest(capsule, fault.address)
        if fault is not None and near is not None and near.distance < NEAR:
            name = near.buffer.name
            if fault.kind == "read_only":
                hint = f"it stores to {name}: declare that as inout"
            elif near.side == "before":
                hint = f"it goes below buffer {name}: look at the sizes, strides and scalars"
            else:
                hint = f"it goes past buffer {name}: enlarge its shape, or look at the sizes"
        return self._refusal(capsule, f"faults: {text}", hint)

    def _masks(
        self,
        capsule: Capsule,
        capsules: dict[Pattern, Capsule],
        first: RunResult,
        second: RunResult,
    ) -> dict[str, NDArray[np.bool_]]:
        """Written bytes of `out` buffers; refuses results that depend on undefined contents."""
        masks: dict[str, NDArray[np.bool_]] = {}
        for b in compared_buffers(capsule):
            after_a, after_b = first.buffers[b.name], second.buffers[b.name]
            if b.undefined:
                before_a = capsules["A"].buffer(b.name).data
                before_b = capsules["B"].buffer(b.name).data
                mask = written(before_a, after_a, before_b, after_b)
                masks[b.name] = mask
            else:
                mask = np.ones(b.size, dtype=np.bool_)
            unstable = depends_on_poison(mask, after_a, after_b)
            if unstable.any():
                raise self._undefined(capsule, capsules["A"], first, b, int(unstable.argmax()))
        return masks

    def _close(
        self,
        capsule: Capsule,
        masks: dict[str, NDArray[np.bool_]],
        first: RunResult,
        other: RunResult,
    ) -> bool:
        """Whether two results of K0 are equal within the tolerance."""
        return all(
            compare_buffer(
                limited(self._config, b),
                first.buffers[b.name],
                other.buffers[b.name],
                capsule.tolerance,
                masks.get(b.name),
            ).ok
            for b in compared_buffers(capsule)
        )

    def _require_effect(
        self, capsule: Capsule, masks: dict[str, NDArray[np.bool_]], first: RunResult
    ) -> list[str]:
        """Refuse a K0 that changes nothing (any candidate would pass); note idle outputs."""
        idle = [
            b.name
            for b in compared_buffers(capsule)
            if not (masks[b.name].any() if b.undefined else first.buffers[b.name] != b.data)
        ]
        if len(idle) == len(compared_buffers(capsule)) and not first.changed_globals:
            raise self._refusal(
                capsule, "writes no output", "check grid, sizes and roles of the launch"
            )
        return [f"K0 does not write {name} on this launch" for name in idle]

    def _undefined(
        self, capsule: Capsule, with_a: Capsule, first: RunResult, buffer: BufferState, byte: int
    ) -> OracleError:
        """Tell undefined registers and LDS from undefined memory by a run that changes one."""
        other = self._run(with_a, self._seed("B"))
        if other.buffers[buffer.name] != first.buffers[buffer.name]:
            return self._refusal(
                capsule,
                f"result {buffer.name} (byte {byte}) depends on uninitialized registers or LDS",
                "K0 is no fixed reference on this launch",
            )
        return self._refusal(
            capsule,
            f"result {buffer.name} (byte {byte}) depends on memory without defined contents",
            "give a buffer that it reads the role inout and an init",
        )

    def _refusal(self, capsule: Capsule, why: str, remedy: str) -> OracleError:
        where = f" on [{capsule.label}]" if capsule.label else ""
        return OracleError(f"K0 kernel {capsule.kernel}{where} {why}", remedy)


def compared_buffers(capsule: Capsule) -> list[BufferState]:
    """Buffers whose contents after the dispatch count."""
    return [b for b in capsule.buffers if b.role in ("out", "inout")]


def _compared(capsule: Capsule, result: RunResult) -> dict[str, bytes]:
    return {b.name: result.buffers[b.name] for b in compared_buffers(capsule)}


def _changed(capsule: Capsule, one: RunResult, other: RunResult) -> str | None:
    """First compared buffer that differs between two runs, or None."""
    for b in compared_buffers(capsule):
        if one.buffers[b.name] != other.buffers[b.name]:
            return b.name
    return None


def _within(
    capsule: Capsule, first: RunResult, other: RunResult, spreads: Mapping[str, Spread]
) -> bool:
    """Whether two results differ only where K0's results are known to."""
    for b in compared_buffers(capsule):
        one, two = first.buffers[b.name], other.buffers[b.name]
        if one != two and b.name not in spreads:
            return False
    return True


def _differing(one: bytes, other: bytes) -> int:
    """Bytes that differ."""
    a, b = (np.frombuffer(x, np.uint8) for x in (one, other))
    return int((a != b).sum())


def require_buffers(device: Device, capsule: Capsule, result: RunResult) -> None:
    """Refuse a device result that lacks a buffer.

    Raises:
        EnvironmentFault: contents are missing or have another size.
    """
    for b in capsule.buffers:
        if len(result.buffers.get(b.name, b"")) != b.size:
            raise EnvironmentFault(
                f"device {device.name} returned no contents of buffer {b.name!r}",
                "this is a fault of the device; please report it",
            )
