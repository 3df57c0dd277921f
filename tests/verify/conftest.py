"""A device whose kernels are Python functions over a checked address space."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.layout import place
from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.device.protocol import DeviceRecipe, Fault, RunOptions, RunResult, Timing

# Loaded machines: no deadline per example.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


class Stop(Exception):
    """Ends a run with a fault."""


class Machine:
    """What a kernel function sees: memory by address, junk registers, the wave order."""

    def __init__(self, capsule: Capsule, options: RunOptions) -> None:
        regions = capsule.regions(guards_mapped=options.guards_mapped)
        self.memory = {r.address: (r, bytearray(r.data)) for r in regions}
        self.capsule, self.options = capsule, options
        self.junk = np.random.default_rng(options.poison)
        self.schedule = str(options.schedule_for(capsule))
        self.executed = 0
        self.counts = None  # a kernel may set executions per instruction

    def _locate(self, address: int, size: int, access: str) -> tuple[bytearray, int]:
        self.executed += 1
        if self.executed > self.options.instruction_budget:
            raise Stop(Fault("budget", "instruction budget used up"))
        for base, (region, data) in self.memory.items():
            if base <= address and address + size <= base + len(data):
                if access == "store" and region.permission == "r":
                    raise Stop(Fault("read_only", "store to read-only memory", address=address))
                return data, address - base
        raise Stop(
            Fault("out_of_bounds", f"{access} outside memory", "k", 7, "op", 1, address, access)
        )

    def load(self, address: int, size: int) -> bytes:
        data, at = self._locate(address, size, "load")
        return bytes(data[at : at + size])

    def store(self, address: int, value: bytes) -> None:
        data, at = self._locate(address, len(value), "store")
        data[at : at + len(value)] = value

    def read(self, name: str) -> np.ndarray:
        b = self.capsule.buffer(name)
        return b.view(self.load(b.address, b.size)).copy()

    def write(self, name: str, values, first: int = 0) -> None:
        b = self.capsule.buffer(name)
        data = np.asarray(values).astype(b.element.numpy).tobytes()
        self.store(b.address + first * b.element.size, data)


Kernel = Callable[[Machine], None]


class FakeDevice:
    """Runs the function registered under an object's bytes."""

    name, label = "fake", "modelled"
    recipe: DeviceRecipe

    def __init__(self) -> None:
        self.kernels: dict[bytes, Kernel] = {}
        self.runs: list[tuple[bytes, str, RunOptions]] = []

    def object(self, name: str, kernel: Kernel) -> bytes:
        self.kernels[name.encode()] = kernel
        return name.encode()

    def run(self, object: bytes, capsule: Capsule, options: RunOptions) -> RunResult:
        machine = Machine(capsule, options)
        self.runs.append((object, capsule.label, options))
        fault = None
        try:
            self.kernels[object](machine)
        except Stop as stop:
            fault = stop.args[0]
        whole = {r.name: bytes(d) for r, d in machine.memory.values()}
        inner = {}
        for r, data in machine.memory.values():
            inner[r.name] = bytes(data[r.guard : len(data) - r.guard])
        damage = capsule.guard_damage(whole) if options.guards_mapped else ()
        return RunResult(
            ok=fault is None,
            fault=fault,
            buffers=inner,
            guard_damage=damage,
            counts=np.array(machine.counts)
            if options.profile and machine.counts is not None
            else None,
            instructions=machine.executed,
        )

    def time(
        self, object: bytes, capsule: Capsule, samples: int, below: float | None = None
    ) -> Timing:
        raise AssertionError("verification never times")


def capsule(outputs="f32", n=64, role="out", label="n=64", **changes) -> Capsule:
    """x (f32, in) and y (`outputs`), n elements each."""
    rng = np.random.default_rng(5)
    kind = dtype(outputs)
    x = rng.normal(0, 1, n).astype(np.float32).tobytes()
    y = np.zeros(n, kind.numpy).tobytes()
    kernarg, (at_x, at_y) = place([len(x), len(y)], 256)
    values = {
        "kernel": "k",
        "grid": (1, 1, 1),
        "block": (64, 1, 1),
        "lds_dynamic": 0,
        "kernarg": struct.pack("<QQ", at_x, at_y),
        "buffers": (
            BufferState("x", at_x, x, "f32", (n,), "in", guard=256),
            BufferState("y", at_y, y, outputs, (n,), role, guard=256, undefined=role == "out"),
        ),
        "kernarg_address": kernarg,
        "pointers": (PointerSlot(0, "x"), PointerSlot(8, "y")),
        "label": label,
    }
    return Capsule(**{**values, **changes})


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


@pytest.fixture
def make_capsule() -> Callable[..., Capsule]:
    return capsule


@pytest.fixture
def stop() -> type[Stop]:
    return Stop
