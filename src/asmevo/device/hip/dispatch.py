"""Capsules on a GPU, inside the worker process: memory, launch, what came out, times.

Buffers lie wherever the allocator puts them, each with its red zones; declared pointers move along
(`Capsule.pointers`), so that a dispatch whose pointers are not all declared is refused by name.
"""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from asmevo.capsule.model import KERNARG, Capsule, guard_bytes
from asmevo.capsule.placement import require_declared
from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import STT_OBJECT
from asmevo.device.globals import variables
from asmevo.device.hip.library import DEVICE_TO_HOST, HOST_TO_DEVICE, Hip, HipError

_ALIGNMENT = 256
_WARM_UP = 0.05  # seconds of launches before the first sample
_COLD_BYTES = 512 << 20  # more than any last-level cache


@dataclass(frozen=True, slots=True)
class Ran:
    """What a dispatch left: buffers with guards, writable sections, and which of these changed."""

    memory: dict[str, bytes]
    globals: dict[str, bytes]
    changed: tuple[str, ...]


@dataclass(slots=True)
class _Placed:
    """A capsule in the memory of the device."""

    bases: dict[str, int] = field(default_factory=lambda: {})  # with guards
    addresses: dict[str, int] = field(default_factory=lambda: {})
    contents: dict[str, bytes] = field(default_factory=lambda: {})
    kernarg: bytes = b""


class Dispatcher:
    """Runs and times capsules on one device.

    Args:
        hip: the runtime.
        number: of the device.
    """

    def __init__(self, hip: Hip, number: int) -> None:
        self._hip = hip
        hip.call("hipInit", 0)
        hip.call("hipSetDevice", number)

    # --- memory -----------------------------------------------------------------------------
    @contextmanager
    def _placed(self, capsule: Capsule) -> Generator[_Placed]:
        require_declared(capsule)
        placed = _Placed()
        try:
            for b in capsule.buffers:
                base = self._hip.pointer("hipMalloc", b.size + 2 * b.guard + _ALIGNMENT)
                placed.bases[b.name] = base
                # Keep the alignment that the capsule's address has, up to what allocators promise.
                at = base + b.guard
                at += (b.address - at) % _ALIGNMENT
                placed.addresses[b.name] = at
            for b in capsule.buffers:
                data = self._relocated(capsule, placed, b.name, b.data)
                if b.guard:
                    low = guard_bytes(b.name, "low", b.guard)
                    data = low + data + guard_bytes(b.name, "high", b.guard)
                placed.contents[b.name] = data
            placed.kernarg = self._relocated(capsule, placed, KERNARG, capsule.kernarg)
            self._write(capsule, placed)
            yield placed
        finally:
            for base in placed.bases.values():
                with suppress(HipError):
                    self._hip.call("hipFree", base)

    @staticmethod
    def _relocated(capsule: Capsule, placed: _Placed, holder: str, data: bytes) -> bytes:
        changed = bytearray(data)
        for slot in capsule.pointers:
            if slot.holder == holder:
                value = placed.addresses[slot.buffer] + slot.addend
                struct.pack_into("<Q", changed, slot.offset, value)
        return bytes(changed)

    def _write(self, capsule: Capsule, placed: _Placed) -> None:
        """Memory as it is before the dispatch."""
        for b in capsule.buffers:
            data = placed.contents[b.name]
            if data:
                at = placed.addresses[b.name] - b.guard
                self._hip.call("hipMemcpy", at, data, len(data), HOST_TO_DEVICE)

    def _read(self, address: int, size: int) -> bytes:
        out = ctypes.create_string_buffer(size)
        if size:
            self._hip.call("hipMemcpy", out, address, size, DEVICE_TO_HOST)
        return out.raw

    # --- modules ----------------------------------------------------------------------------
    @contextmanager
    def _module(self, object: bytes) -> Generator[int]:
        module = self._hip.pointer("hipModuleLoadData", object)
        try:
            yield module
        finally:
            with suppress(HipError):  # what failed first is what counts
                self._hip.call("hipModuleUnload", module)

    def _symbols(self, module: int, code: CodeObject) -> dict[str, tuple[int, int, int]]:
        """Variables of writable sections: name -> (address in the object, on the device, size)."""
        sections = variables(code)
        found: dict[str, tuple[int, int, int]] = {}
        for s in code.elf.all_symbols():
            inside = any(v.address <= s.value < v.address + v.size for v in sections)
            if s.type != STT_OBJECT or not s.size or not inside or s.name in found:
                continue
            size = ctypes.c_size_t()
            at = self._hip.pointer(
                "hipModuleGetGlobal", ctypes.byref(size), module, s.name.encode()
            )
            found[s.name] = (s.value, at, s.size)
        return found

    def _sections(
        self, code: CodeObject, symbols: dict[str, tuple[int, int, int]]
    ) -> dict[str, bytes]:
        """Contents of the writable sections; what no variable covers is zero."""
        found: dict[str, bytes] = {}
        for v in variables(code):
            data = bytearray(v.size)
            for value, address, size in symbols.values():
                if v.address <= value and value + size <= v.address + v.size:
                    data[value - v.address : value - v.address + size] = self._read(address, size)
            for at in v.words:
                data[at : at + 8] = bytes(8)
            found[v.name] = bytes(data)
        return found

    # --- running ----------------------------------------------------------------------------
    def _launch(self, function: int, capsule: Capsule, kernarg: bytes) -> None:
        size = ctypes.c_size_t(len(kernarg))
        buffer = ctypes.create_string_buffer(kernarg, max(1, len(kernarg)))
        extra = (ctypes.c_void_p * 5)(
            1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 3
        )  # HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
        self._hip.call(
            "hipModuleLaunchKernel", function, *capsule.grid, *capsule.block,
            capsule.lds_dynamic, None, None, extra,
        )  # fmt: skip

    def _set_variables(self, capsule: Capsule, symbols: dict[str, tuple[int, int, int]]) -> None:
        for name, data in capsule.variables:
            if name in symbols:
                _, address, size = symbols[name]
                self._hip.call("hipMemcpy", address, data[:size], size, HOST_TO_DEVICE)

    def run(self, object: bytes, capsule: Capsule) -> Ran:
        """Run the capsule once.

        Raises:
            HipError: a call failed, or the kernel did.
            InputError: a pointer that is not declared; no such kernel.
        """
        code = CodeObject.open(object)
        kernel = code.kernel(capsule.kernel)
        with self._module(object) as module, self._placed(capsule) as placed:
            function = self._hip.pointer("hipModuleGetFunction", module, kernel.name.encode())
            symbols = self._symbols(module, code)
            self._set_variables(capsule, symbols)
            before = self._sections(code, symbols)
            self._launch(function, capsule, placed.kernarg)
            self._hip.call("hipDeviceSynchronize")
            memory: dict[str, bytes] = {}
            for b in capsule.buffers:
                data = self._read(placed.addresses[b.name] - b.guard, b.size + 2 * b.guard)
                memory[b.name] = self._home(capsule, placed, b.name, data, b.guard)
            after = self._sections(code, symbols)
        return Ran(memory, after, tuple(n for n in after if after[n] != before[n]))

    @staticmethod
    def _home(capsule: Capsule, placed: _Placed, holder: str, data: bytes, guard: int) -> bytes:
        """Contents with the capsule's addresses where they still hold a pointer that was put."""
        changed = bytearray(data)
        for slot in capsule.pointers:
            if slot.holder != holder:
                continue
            at = guard + slot.offset
            here = placed.addresses[slot.buffer] + slot.addend
            if int.from_bytes(changed[at : at + 8], "little") == here:
                home = capsule.buffer(slot.buffer).address + slot.addend
                struct.pack_into("<Q", changed, at, home)
        return bytes(changed)

    # --- timing -----------------------------------------------------------------------------
    def time(
        self, objects: list[bytes], capsule: Capsule, samples: int, cold: bool
    ) -> list[list[float]]:
        """Seconds of `samples` launches of each object, interleaved.

        Memory is put back before each launch, outside the measured time. Each object is warmed up
        by time, which drops its first launches. `cold`: the caches are filled with other memory.

        Raises:
            HipError, InputError: see `run`.
        """
        times: list[list[float]] = [[] for _ in objects]
        with ExitStack() as stack:
            placed = stack.enter_context(self._placed(capsule))
            events = stack.enter_context(self._events())
            functions: list[int] = []
            for object in objects:
                code = CodeObject.open(object)
                module = stack.enter_context(self._module(object))
                self._set_variables(capsule, self._symbols(module, code))
                name = code.kernel(capsule.kernel).name.encode()
                functions.append(self._hip.pointer("hipModuleGetFunction", module, name))
            for function in functions:
                end = time.monotonic() + _WARM_UP
                self._once(function, capsule, placed, events, False)
                while time.monotonic() < end:
                    self._once(function, capsule, placed, events, False)
            for _ in range(samples):
                for number, function in enumerate(functions):
                    times[number].append(self._once(function, capsule, placed, events, cold))
        return times

    @contextmanager
    def _events(self) -> Generator[tuple[int, int]]:
        pair = self._hip.pointer("hipEventCreate"), self._hip.pointer("hipEventCreate")
        try:
            yield pair
        finally:
            for event in pair:
                with suppress(HipError):
                    self._hip.call("hipEventDestroy", event)

    def _once(
        self,
        function: int,
        capsule: Capsule,
        placed: _Placed,
        events: tuple[int, int],
        cold: bool,
    ) -> float:
        """Seconds of one launch from the capsule's memory."""
        self._write(capsule, placed)
        if cold:
            self._flush()
        self._hip.call("hipEventRecord", events[0], None)
        self._launch(function, capsule, placed.kernarg)
        self._hip.call("hipEventRecord", events[1], None)
        self._hip.call("hipEventSynchronize", events[1])
        ms = ctypes.c_float()
        self._hip.call("hipEventElapsedTime", ctypes.byref(ms), *events)
        return ms.value / 1000

    def _flush(self) -> None:
        other = self._hip.pointer("hipMalloc", _COLD_BYTES)
        self._hip.call("hipMemset", other, 1, _COLD_BYTES)
        self._hip.call("hipFree", other)
