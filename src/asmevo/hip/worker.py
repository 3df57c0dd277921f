"""The process that runs a program's kernels; its library starts it (`native/worker.c`).

It reads messages from a socket and answers each: a module to load, a launch to run. What it cannot
do is an error code in the answer and one line on the error stream; the program decides what it
makes of the code. Settings come by environment variables, from `asmevo exec`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from asmevo.capsule.recorded.convert import launches
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import DEFAULT_INSTRUCTION_BUDGET, Fault, FaultKind, Observation
from asmevo.errors import AsmEvoError, InputError
from asmevo.hip.arena import Arena
from asmevo.hip.devices import presented
from asmevo.hip.executor import Executor, Request, check_sizes
from asmevo.hip.modules import Module, NoBinary, description, load
from asmevo.hip.recording import Recorder, Selection, Shape, Snapshot, shape_of
from asmevo.timing.machine import machine_for

SOCKET, ARENA = 100, 101  # file descriptors, as in native/worker.c
LOAD, PLACE, LAUNCH, UNLOAD = range(1, 5)
_HEAD = struct.Struct("<II")
_REPLY = struct.Struct("<iIQ")
_LAUNCH = struct.Struct("<10I")
_PER_SECOND = 30_000_000  # wave instructions that most machines run in a second
_RUNNING = _REPLY.pack(-1, 0, 0)  # before an answer: the kernel starts now

SUCCESS, INVALID_VALUE, INVALID_IMAGE, NO_BINARY = 0, 1, 200, 209
ILLEGAL_ADDRESS, TIMEOUT, LAUNCH_FAILURE, NOT_SUPPORTED, UNKNOWN = 700, 702, 719, 801, 999
# What a GPU's driver would say of each kind of fault.
CODES: dict[FaultKind, int] = {
    "out_of_bounds": ILLEGAL_ADDRESS,
    "read_only": ILLEGAL_ADDRESS,
    "misaligned": ILLEGAL_ADDRESS,
    "budget": TIMEOUT,
    "timeout": TIMEOUT,
}


class Worker:
    """Answers the messages of one program.

    Args:
        arena: its device memory.
        arch: the device, e.g. `gfx942`.
        report: file that facts are appended to as JSON lines, or None.
        started: called when a kernel starts, after all preparation.
    """

    def __init__(
        self,
        arena: Arena,
        arch: str,
        report: str | None = None,
        started: Callable[[], None] = lambda: None,
    ) -> None:
        self._started = started
        self._arena = arena
        self._device = presented(arch)
        self._modules: dict[int, Module] = {}
        self._next = 1
        self._report = report
        self._execute = os.environ.get("ASMEVO_HIP_EXECUTE") != "0"
        self._executor: Executor | None = None
        self._launches: dict[str, dict[str, Any]] = {}
        self._found: set[tuple[str, str, int, int]] = set()
        self._times: dict[Shape, int] = {}
        self._device_model: EmulatedDevice | None = None
        self._model = (
            os.environ.get("ASMEVO_HIP_PROFILE") == "1"
            or os.environ.get("ASMEVO_HIP_TIME") == "modelled"
        )
        self._recorder = self._recording()
        self._counts: Counter[int] = Counter()
        self._injected = injections(os.environ.get("ASMEVO_HIP_INJECT", ""))

    def _recording(self) -> Recorder | None:
        """What `asmevo capture` asked for."""
        asked = os.environ.get("ASMEVO_HIP_CAPTURE")
        if not asked:
            return None
        wish = json.loads(asked)
        selection = Selection(wish["kernel"], wish["launch"], wish["most"])
        folder, command = Path(wish["folder"]), list(wish["command"])
        return Recorder(folder, selection, self._device.arch, command, self._note)

    # --- messages ---------------------------------------------------------------------------
    def answer(self, op: int, message: memoryview) -> bytes:
        """The reply to a message, header included."""
        ns, payload = 0, b""
        injected = self._injected.get((op, self._counts[op] + 1))
        self._counts[op] += 1
        if injected is not None:
            return _REPLY.pack(_inject(injected), 0, 0)
        try:
            if op == LAUNCH:
                status, ns = self._launch(message)
            elif op == LOAD:
                status, payload = self._load(message)
            elif op == PLACE:
                handle, keep, base = struct.unpack("<IIQ", message)
                self._modules[handle].place(self._arena, base, bool(keep))
                status = SUCCESS
            elif op == UNLOAD:
                module = self._modules.pop(struct.unpack("<I", message)[0])
                if self._executor is not None:
                    self._executor.forget(module)
                status = SUCCESS
            else:
                status = INVALID_VALUE
        except Exception as err:
            status = self._failed(err)
        return _REPLY.pack(status, len(payload), ns) + payload

    def _failed(self, err: Exception) -> int:
        """Say what went wrong, and the code for it."""
        if isinstance(err, AsmEvoError):
            say(err.one_line())
            self._note({"event": "refused", "message": err.one_line()})
            if isinstance(err, NoBinary):
                return NO_BINARY
            return INVALID_IMAGE if isinstance(err, InputError) else NOT_SUPPORTED
        text = f"internal error: {type(err).__name__}: {err}"
        say(text)
        if os.environ.get("ASMEVO_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        self._note({"event": "internal", "message": text})
        return UNKNOWN

    def _load(self, message: memoryview) -> tuple[int, bytes]:
        address, size = struct.unpack("<QQ", message)
        module = load(self._arena.bytes_at(address, size), self._device)
        handle = self._next
        self._next += 1
        self._modules[handle] = module
        return SUCCESS, description(handle, module)

    # --- launches ---------------------------------------------------------------------------
    def _launch(self, message: memoryview) -> tuple[int, int]:
        fields: tuple[int, ...] = _LAUNCH.unpack_from(message)
        handle, index, gx, gy, gz, bx, by, bz, lds, size = fields
        if not self._execute:
            return SUCCESS, 0
        module = self._modules[handle]
        kernel = module.code.kernels[index]
        explicit = bytes(message[_LAUNCH.size : _LAUNCH.size + size])
        request = Request(module, kernel, (gx, gy, gz), (bx, by, bz), lds, explicit)
        check_sizes(request)
        row = self._launches.setdefault(
            kernel.name,
            {"launches": 0, "instructions": 0, "seconds": 0.0, "faults": 0, "modelled_us": 0.0},
        )
        row["launches"] += 1
        snapshot = None
        if self._recorder is not None and self._recorder.selection.wants(request):
            snapshot = self._snapshot(request)
        ns = self._modelled(request) if self._model else 0
        row["modelled_us"] += ns / 1000
        start = time.perf_counter()
        if self._executor is None:
            self._executor = Executor(
                self._arena,
                watch=os.environ.get("ASMEVO_HIP_CHECK") == "1",
                threads=int(os.environ.get("ASMEVO_HIP_THREADS", "1")),
                budget=_budget(),
            )
        done = self._executor.run(request, list(self._modules.values()), self._started)
        row["instructions"] += done.instructions
        row["seconds"] += time.perf_counter() - start
        said = done.fault.one_line() if done.fault is not None else ""
        if snapshot is not None and self._recorder is not None:
            self._recorder.write(snapshot, self._arena, row["launches"], said)
        self._findings(request, done.observations, row["launches"])
        if done.early:
            self._early(request, done.early, row["launches"])
        if done.fault is None:
            return SUCCESS, ns
        row["faults"] += 1
        return self._faulted(request, done.fault, row["launches"]), ns

    def _snapshot(self, request: Request) -> Snapshot:
        return Snapshot.take(self._arena, request, list(self._modules.values()))

    def _modelled(self, request: Request) -> int:
        """Modelled nanoseconds of a launch of this shape; 0 where the model has no answer."""
        shape = shape_of(request)
        if shape not in self._times:
            self._times[shape] = self._estimate(request)
        return self._times[shape]

    def _estimate(self, request: Request) -> int:
        name = request.kernel.name
        recording = self._snapshot(request).recording(self._device.arch)
        try:
            (capsule,) = launches(recording, request.module.code, "launch", name)
            if self._device_model is None:
                self._device_model = EmulatedDevice()
            estimate = self._device_model.estimate(request.module.data, capsule)
        except AsmEvoError as err:
            self._note({"event": "refused", "message": f"no modelled time: {err.one_line()}"})
            return 0
        clock = machine_for(self._device.target)["clock_mhz"]
        return int(estimate.cycles * 1000 / clock)

    def _early(self, request: Request, place: str, number: int) -> None:
        name = request.kernel.name
        if (name, "early-load", 0, 0) in self._found:
            return
        self._found.add((name, "early-load", 0, 0))
        message = (
            f"early-load in {name}: {place} depends on a load that no wait completes "
            "(`asmevo check` on the object says which)"
        )
        say(message)
        self._note(
            {
                "event": "finding",
                "kernel": name,
                "launch": number,
                "kind": "early-load",
                "times": 1,
                "message": message,
            }
        )

    def _findings(self, request: Request, observations: Sequence[Observation], number: int) -> None:
        for o in observations:
            instructions = request.module.program.instructions
            key = (request.kernel.name, o.kind, o.first, o.second)
            if key in self._found:
                continue
            self._found.add(key)
            where = "LDS byte" if o.space == "lds" else "address"
            message = (
                f"{o.kind} in {request.kernel.name}: `{instructions[o.second].text}` "
                f"(instruction {o.second}) after `{instructions[o.first].text}` "
                f"(instruction {o.first}), {where} 0x{o.address:x}, waves {o.waves[0]} and "
                f"{o.waves[1]} of workgroup {o.workgroup}"
            )
            say(message)
            self._note(
                {
                    "event": "finding",
                    "kernel": request.kernel.name,
                    "launch": number,
                    "kind": o.kind,
                    "times": o.times,
                    "message": message,
                }
            )

    def _faulted(self, request: Request, fault: Fault, number: int) -> int:
        say(fault.one_line())
        self._note(
            {
                "event": "fault",
                "kernel": fault.kernel,
                "launch": number,
                "grid": request.grid,
                "block": request.block,
                "kind": fault.kind,
                "message": fault.one_line(),
                "instruction": fault.index,
                "text": fault.text,
                "lanes": fault.lanes,
                "address": fault.address,
            }
        )
        return CODES.get(fault.kind, LAUNCH_FAILURE)

    # --- reports ----------------------------------------------------------------------------
    def _note(self, fact: dict[str, Any]) -> None:
        if self._report is None:
            return
        line = json.dumps({"pid": os.getppid(), **fact}) + "\n"
        fd = os.open(self._report, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)

    def finish(self) -> None:
        """Write what was counted."""
        self._note({"event": "end", "kernels": self._launches})


def injections(text: str) -> dict[tuple[int, int], str]:
    """Faults to inject, for tests: (message kind, its number) -> a code, `hang` or `exit`.

    `load@1=209,launch@3=hang` fails the first load and hangs in the third launch.
    """
    found: dict[tuple[int, int], str] = {}
    for part in filter(None, text.split(",")):
        place, _, what = part.partition("=")
        name, _, number = place.partition("@")
        found[{"load": LOAD, "launch": LAUNCH}[name], int(number or "1")] = what
    return found


def _inject(what: str) -> int:
    if what == "exit":
        os._exit(1)
    if what == "hang":
        time.sleep(3600)
    return int(what)


def _budget() -> int:
    """Most instructions of a wave: far inside the library's patience, which ends the worker."""
    timeout = os.environ.get("ASMEVO_HIP_TIMEOUT")
    if not timeout:
        return DEFAULT_INSTRUCTION_BUDGET
    return max(1 << 20, min(DEFAULT_INSTRUCTION_BUDGET, int(float(timeout) * _PER_SECOND)))


def say(text: str) -> None:
    """One line for the program's user."""
    print(f"asmevo: {text}", file=sys.stderr, flush=True)


def _exactly(channel: socket.socket, buffer: memoryview) -> bool:
    """Fill the buffer; False at the end of the stream."""
    at = 0
    while at < len(buffer):
        got = channel.recv_into(buffer[at:])
        if not got:
            return False
        at += got
    return True


def serve(channel: socket.socket, worker: Worker) -> None:
    """Answer messages until the program ends."""
    room = memoryview(bytearray(1 << 17))
    head = memoryview(bytearray(_HEAD.size))
    while _exactly(channel, head):
        op, size = _HEAD.unpack(head)
        if size > len(room):
            return
        message = room[:size]
        if not _exactly(channel, message):
            return
        channel.sendall(worker.answer(op, message))


def main() -> None:
    """Serve the program that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program's own business
    channel = socket.socket(fileno=SOCKET)
    try:
        arena = Arena(ARENA)
        os.close(ARENA)
        report = os.environ.get("ASMEVO_HIP_REPORT")

        def started() -> None:
            if os.environ.get("ASMEVO_HIP_TIMEOUT"):
                channel.sendall(_RUNNING)

        worker = Worker(arena, os.environ.get("ASMEVO_HIP_ARCH", "gfx942"), report, started)
    except AsmEvoError as err:
        say(err.one_line())
        raise SystemExit(err.exit_code) from None
    serve(channel, worker)
    worker.finish()


if __name__ == "__main__":
    main()
