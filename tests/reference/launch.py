"""Capsules from arrays, for launches that a `launch.yaml` cannot express (preshuffled weights,
block tables, sorted expert lists), and the comparison of what comes out."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from asmevo.capsule.model import BufferState, Capsule, PointerSlot

GUARD = 8192
FIRST_ADDRESS = 1 << 40  # far from 0 and from 32-bit wrap-around, inside 48 bits
KERNARG_ADDRESS = 1 << 32

DTYPE_NAMES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e4m3fn": "e4m3fn",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float8_e5m2": "e5m2",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
}


@dataclass(frozen=True)
class Arg:
    """One kernel argument at a byte offset of the kernarg segment.

    `value` is an array (a buffer is made and its address passed), None (a null pointer), an int of
    `size` bytes or a float (fp32). With `alias` the address of that argument's buffer is passed.
    """

    offset: int
    name: str
    value: Any = None
    role: Literal["in", "out", "inout", "scratch"] = "in"
    size: int = 4
    alias: str | None = None

    @property
    def end(self) -> int:
        """First byte after the argument."""
        pointer = self.value is None or isinstance(self.value, np.ndarray)
        return self.offset + (8 if pointer else self.size)


@dataclass(frozen=True)
class Expected:
    """Expected contents of one buffer.

    kind: `close`: |delta| <= atol + rtol * max|array|, NaN at the same places; `exact`: equal
    values; `ulp`: bit patterns of 8- or 16-bit floats at most `atol` apart; `sets`: rows equal as
    sets of integers.
    """

    array: np.ndarray
    kind: Literal["close", "exact", "ulp", "sets"] = "close"
    atol: float = 0.0
    rtol: float = 0.0
    exact_share: float = 0.0  # least share of bit-equal elements, with `ulp`

    def check(self, actual: np.ndarray, name: str) -> None:
        """Assert that `actual` is as expected."""
        assert actual.shape == self.array.shape, f"{name}: {actual.shape} != {self.array.shape}"
        if self.kind == "exact":
            wrong = np.flatnonzero((actual != self.array).ravel())
            assert wrong.size == 0, f"{name}: {wrong.size} of {actual.size} differ, at {wrong[:5]}"
        elif self.kind == "sets":
            for i, (a, e) in enumerate(zip(actual, self.array, strict=True)):
                assert sorted(a.tolist()) == sorted(e.tolist()), f"{name}: row {i} differs"
        elif self.kind == "ulp":
            # Sign and magnitude to a monotonic integer, so that a distance counts roundings.
            def order(values: np.ndarray) -> np.ndarray:
                width = values.dtype.itemsize
                bits = np.ascontiguousarray(values).view(f"i{width}").astype(np.int32)
                return np.where(bits < 0, -(bits & (1 << 8 * width - 1) - 1), bits)

            distance = np.abs(order(actual) - order(self.array.astype(actual.dtype)))
            share = float((distance == 0).mean())
            assert distance.max() <= self.atol, f"{name}: {distance.max()} roundings apart"
            assert share >= self.exact_share, f"{name}: only {share:.4f} bit-equal"
        else:
            a, e = np.float64(actual), np.float64(self.array)
            assert np.array_equal(np.isnan(a), np.isnan(e)), f"{name}: NaN at other places"
            bound = self.atol + self.rtol * float(np.nanmax(np.abs(e), initial=0.0))
            delta = float(np.nanmax(np.abs(a - e), initial=0.0))
            assert delta <= bound, f"{name}: |delta| {delta:g} > {bound:g}"


@dataclass(frozen=True)
class Launch:
    """A dispatch and what it must compute."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[Arg, ...]
    expected: dict[str, Expected]
    lds_dynamic: int = 0
    schedule: str = "barrier"
    label: str = ""
    also: Callable[[dict[str, np.ndarray]], None] | None = None  # a check over several buffers

    def capsule(self, kernarg_size: int = 0, target: str = "") -> Capsule:
        """The launch as a capsule; the kernarg segment has at least `kernarg_size` bytes."""
        return capsule_from_arrays(self, kernarg_size, target)

    def check(self, buffers: dict[str, bytes], capsule: Capsule) -> None:
        """Assert that final buffer contents are as expected, and inputs unchanged."""
        for name, expected in self.expected.items():
            actual = capsule.buffer(name).view(buffers[name])
            expected.check(actual, f"{self.label or self.kernel}: {name}")
        if self.also is not None:
            self.also({b.name: b.view(buffers[b.name]) for b in capsule.buffers})
        for b in capsule.buffers:
            if b.role == "in":
                assert buffers[b.name] == b.data, f"{self.kernel}: input {b.name} was modified"


def capsule_from_arrays(launch: Launch, kernarg_size: int = 0, target: str = "") -> Capsule:
    """Lay out buffers with unmapped gaps between them and fill the kernarg segment."""
    kernarg = bytearray(max(kernarg_size, *(a.end for a in launch.args)))
    buffers: list[BufferState] = []
    pointers: list[PointerSlot] = []
    address = FIRST_ADDRESS + GUARD
    for arg in launch.args:
        if isinstance(arg.value, np.ndarray):
            array = np.ascontiguousarray(arg.value)
            data = array.tobytes()
            buffers.append(
                BufferState(
                    name=arg.name,
                    address=address,
                    data=data,
                    dtype=DTYPE_NAMES[array.dtype.name],
                    shape=array.shape,
                    role=arg.role,
                    guard=GUARD,
                    undefined=arg.role == "out",
                )
            )
            pointers.append(PointerSlot(arg.offset, arg.name))
            struct.pack_into("<Q", kernarg, arg.offset, address)
            address += (len(data) + 4095) // 4096 * 4096 + 2 * GUARD
        elif arg.alias is not None:
            shared = next(b for b in buffers if b.name == arg.alias)
            pointers.append(PointerSlot(arg.offset, arg.alias))
            struct.pack_into("<Q", kernarg, arg.offset, shared.address)
        elif isinstance(arg.value, float):
            struct.pack_into("<f", kernarg, arg.offset, arg.value)
        elif arg.value is None:
            struct.pack_into("<Q", kernarg, arg.offset, 0)
        else:
            word = (int(arg.value) & (1 << 8 * arg.size) - 1).to_bytes(arg.size, "little")
            kernarg[arg.offset : arg.offset + arg.size] = word
    return Capsule(
        kernel=launch.kernel,
        grid=launch.grid,
        block=launch.block,
        lds_dynamic=launch.lds_dynamic,
        kernarg=bytes(kernarg),
        buffers=tuple(buffers),
        kernarg_address=KERNARG_ADDRESS,
        pointers=tuple(pointers),
        schedule=launch.schedule,
        label=launch.label,
        target=target,
    )
