"""One launch on the program's own memory: nothing is copied, and what the kernel did stays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.kernarg import RUNTIME_STATE, Dispatch, build
from asmevo.capsule.model import Capsule
from asmevo.codeobject import Kernel
from asmevo.device.outcomes import fault_of, instruction_counts, observation, undefined_operands
from asmevo.device.protocol import DEFAULT_INSTRUCTION_BUDGET, Fault, Observation
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, encode
from asmevo.emulate.decode.templates import Style
from asmevo.emulate.engine.launch import Launch, MemoryRegion
from asmevo.emulate.engine.machine import Machine, Outcome
from asmevo.errors import InputError, UnsupportedError
from asmevo.hip.arena import BASE, Allocation, Arena
from asmevo.hip.modules import Module, helpers

KERNARG_ADDRESS = BASE - (1 << 20)
PACKET_ADDRESS = BASE - (2 << 20)
_SLICE, _FAIR_SLICE = 1 << 20, 1 << 17
_FAIR_QUANTUM = 64
_MOST_RESIDENT_WAVES = 4096
_COPIED = 256 << 20  # bytes of memory that is kept for a second attempt
_NULL_PAGE = 1 << 16
# Kernels that may wait for other workgroups, and so may need a fair order.
_WAITING = ("s_sleep", "atomic")


@dataclass(frozen=True, slots=True)
class Request:
    """One launch as the library sent it; `explicit` are the bytes that the program gave."""

    module: Module
    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds: int
    explicit: bytes

    def kernarg(self) -> bytes:
        """The whole kernarg segment, with hidden arguments as the runtime fills them.

        Arguments that need a host which answers are zero: a kernel that only declares them runs,
        and one that uses them is refused by name (`refused`).
        """
        meta = self.kernel.metadata
        hidden = [a for a in meta.args if a.is_hidden]
        size = max(meta.kernarg_bytes, len(self.explicit))
        if not hidden:
            return self.explicit.ljust(size, b"\0")
        made = build(meta, {}, Dispatch(self.grid, self.block, self.lds), zero_runtime_state=True)
        segment = bytearray(made.ljust(size, b"\0"))
        first = min(a.offset for a in hidden)
        # A program that packs the segment itself may fill hidden arguments, too: ours win.
        segment[:first] = self.explicit[:first].ljust(first, b"\0")
        return bytes(segment)


@dataclass(frozen=True, slots=True, eq=False)
class Executed:
    """What a launch did: its fault, if any, instructions, and what watching it found.

    `early` says where results differ when loads arrive as late as the waits allow, or is empty.
    """

    fault: Fault | None
    instructions: int
    observations: tuple[Observation, ...] = ()
    counts: NDArray[np.int64] | None = None
    early: str = ""


class Executor:
    """Runs launches in the arena.

    Args:
        arena: the program's memory.
        watch: look for races and undefined reads.
        threads: workers that share the workgroups.
        budget: most wave instructions of one wave.
    """

    def __init__(
        self,
        arena: Arena,
        *,
        watch: bool = False,
        threads: int = 1,
        budget: int = DEFAULT_INSTRUCTION_BUDGET,
    ) -> None:
        self._arena = arena
        self._watch = watch
        self._threads = threads
        self._budget = budget
        self._library = helpers()
        self._machine = Machine(self._library)
        self._encoded: dict[tuple[int, str, Style, tuple[int, ...]], EncodedKernel] = {}
        self._modes: dict[tuple[int, str], tuple[int, ...]] = {}
        self._may_wait: dict[tuple[int, str], bool] = {}
        self._regions: list[MemoryRegion] = []
        self._known: tuple[int, int] = (-1, -1)

    def forget(self, module: Module) -> None:
        """Drop what is kept of a module."""
        for kept in (self._encoded, self._modes, self._may_wait):
            for key in [k for k in kept if k[0] == id(module)]:
                del kept[key]  # pyright: ignore[reportArgumentType]

    # --- memory -----------------------------------------------------------------------------
    def regions(self, modules: Sequence[Module]) -> list[MemoryRegion]:
        """All memory that a kernel may touch: allocations, and the segments of images."""
        known = (self._arena.generation, len(modules))
        if known != self._known:
            self._regions = [
                self._region(a)
                for a in self._arena.allocations()
                if a.kind not in ("image", "staging") and a.size
            ] + [s for m in modules for s in m.segments]  # fmt: skip
            self._regions.sort(key=lambda r: r.address)
            self._known = known
        return self._regions

    def _region(self, a: Allocation) -> MemoryRegion:
        data = self._arena.view(a.base, a.size)
        return MemoryRegion(f"{a.kind} memory at 0x{a.base:x}", a.base, data, True)

    def _encode(self, request: Request, style: Style) -> EncodedKernel:
        place = (id(request.module), request.kernel.name)
        met = self._modes.get(place, ())
        key = (*place, style, met)
        if key not in self._encoded:
            self._encoded[key] = encode(
                request.module.program, request.kernel, self._library, style, met=met
            )
        return self._encoded[key]

    def _waits(self, request: Request) -> bool:
        key = (id(request.module), request.kernel.name)
        if key not in self._may_wait:
            names = {inst.base for inst in request.module.program.instructions}
            self._may_wait[key] = any(word in name for name in names for word in _WAITING)
        return self._may_wait[key]

    # --- running ----------------------------------------------------------------------------
    def run(
        self,
        request: Request,
        modules: Sequence[Module],
        started: Callable[[], None] = lambda: None,
    ) -> Executed:
        """Execute a launch.

        Args:
            request: the launch.
            modules: all that are loaded.
            started: called when everything is prepared.

        Raises:
            UnsupportedError: an instruction or a need of the kernel that is not emulated.
            InputError: sizes that the target cannot have.
        """
        regions = self.regions(modules)
        self._encode(request, Style(shadow=self._watch))
        started()
        kernarg = request.kernarg()
        before: list[tuple[MemoryRegion, bytes]] = []
        if self._watch or self._waits(request):
            writable = [r for r in regions if r.writable]
            if sum(len(r.data) for r in writable) <= _COPIED:
                before = [(r, r.data.tobytes()) for r in writable]
        late: list[bytes] = []
        if self._watch and before:
            arrived, *_ = self._attempt(request, regions, kernarg, fair=False, late=True)
            late = [] if arrived.stopped else [r.data.tobytes() for r, _ in before]
            _restore(before)
        outcome, encoded, launch = self._attempt(request, regions, kernarg, fair=False)
        if outcome.stuck and before:
            # A wave waits for one that the plain order runs later.
            _restore(before)
            outcome, encoded, launch = self._attempt(request, regions, kernarg, fair=True)
        fault = self._fault(request, regions, outcome, encoded, launch)
        return Executed(
            fault,
            outcome.executed,
            tuple(observation(r) for r in outcome.reports),
            instruction_counts(encoded, outcome),
            "" if fault is not None else _early(before, late),
        )

    def _attempt(
        self,
        request: Request,
        regions: list[MemoryRegion],
        kernarg: bytes,
        *,
        fair: bool,
        late: bool = False,
    ) -> tuple[Outcome, EncodedKernel, Launch]:
        style = Style(tick=fair, shadow=self._watch, waits=late)
        waves = -(-math.prod(request.block) // request.kernel.descriptor.wave_size)
        resident = max(1, min(math.prod(request.grid), _MOST_RESIDENT_WAVES // waves))
        launch = Launch(
            request.grid,
            request.block,
            request.lds,
            kernarg,
            KERNARG_ADDRESS,
            quantum=_FAIR_QUANTUM if fair else 0,
            resident=resident if fair else 1,
            budget=self._budget,
            slice=_FAIR_SLICE if fair else _SLICE,
            shadow=self._watch,
            waits=late,
            image=request.module.base,
            packet=PACKET_ADDRESS,
        )
        padded = np.frombuffer(kernarg + bytes(-len(kernarg) % 64), np.uint8)
        segment = MemoryRegion("kernarg", KERNARG_ADDRESS, padded, False)
        listed = [segment, *regions] if len(padded) else regions
        while True:
            encoded = self._encode(request, style)
            outcome = self._machine.run(encoded, launch, listed, self._threads)
            if outcome.fault != L.MODE_FAULT:
                return outcome, encoded, launch
            key = (id(request.module), request.kernel.name)
            self._modes[key] = (*self._modes.get(key, ()), outcome.fault_address)

    # --- faults -----------------------------------------------------------------------------
    def _fault(
        self,
        request: Request,
        regions: list[MemoryRegion],
        outcome: Outcome,
        encoded: EncodedKernel,
        launch: Launch,
    ) -> Fault | None:
        if not outcome.stopped:
            return None
        empty = Capsule(
            request.kernel.name, request.grid, request.block, request.lds, b"", (),
            KERNARG_ADDRESS,
        )  # fmt: skip
        fault = fault_of(outcome, encoded, regions, empty)
        assert fault is not None
        if fault.kind == "unsupported":
            raise UnsupportedError(
                f"kernel {fault.kernel}: {fault.message} at instruction {fault.index} "
                f"`{fault.text}`",
                "this instruction is not emulated yet",
            )
        if fault.address is not None and fault.address < _NULL_PAGE:
            refused(request.kernel, fault)
        if fault.address is not None:
            fault = replace(fault, place=place_of(self._arena.allocations(), fault.address))
        if outcome.stuck:
            where = f"wave {outcome.fault_wave} of workgroup {outcome.fault_group}"
            return replace(fault, message=f"{where} never ends: it repeats the same state")
        if fault.kind != "budget":
            junk = self._machine.junk(encoded, launch)
            fault = replace(fault, undefined=undefined_operands(outcome, encoded, junk))
        return fault


def _restore(before: Sequence[tuple[MemoryRegion, bytes]]) -> None:
    for region, data in before:
        region.data[:] = np.frombuffer(data, np.uint8)


def _early(before: Sequence[tuple[MemoryRegion, bytes]], late: Sequence[bytes]) -> str:
    """Where memory differs from what a run with late loads left."""
    for (region, _), data in zip(before, late, strict=False):
        unequal = np.flatnonzero(region.data != np.frombuffer(data, np.uint8))
        if len(unequal):
            return f"byte {int(unequal[0])} of {region.name}"
    return ""


def refused(kernel: Kernel, fault: Fault) -> None:
    """Raise where a fault round address 0 comes from a hidden argument that nobody filled."""
    pointed = (*RUNTIME_STATE, "hidden_printf_buffer")
    kinds = [a.value_kind for a in kernel.metadata.args if a.value_kind in pointed]
    if kinds:
        raise UnsupportedError(
            f"kernel {kernel.name} takes {', '.join(kinds)} from the runtime and uses it: "
            f"{fault.one_line()}",
            "printf, device-side malloc, multi-grid and queues of the device are not emulated",
        )


def place_of(allocations: Sequence[Allocation], address: int) -> str:
    """An address in words: how far before or behind which allocation, or inside."""
    best: tuple[int, str] | None = None
    for a in allocations:
        if a.kind == "staging":
            continue
        name = f"the {a.size} bytes of {a.kind} memory at 0x{a.base:x}"
        if a.base <= address < a.end:
            return f"byte {address - a.base} of {name}"
        far = a.base - address if address < a.base else address - a.end
        side = f"{far} bytes before" if address < a.base else f"{far} bytes behind the end of"
        if best is None or far < best[0]:
            best = (far, f"{side} {name}")
    return best[1] if best is not None and best[0] < 1 << 33 else "in no allocation"


def check_sizes(request: Request) -> None:
    """Refuse what the engine cannot run.

    Raises:
        InputError: the object says another workgroup size.
    """
    wanted = request.kernel.metadata.reqd_workgroup_size
    if wanted is not None and wanted != request.block:
        raise InputError(
            f"kernel {request.kernel.name} needs workgroups of {wanted}, not {request.block}"
        )
