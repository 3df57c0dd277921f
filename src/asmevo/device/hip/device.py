"""The device as the rest of the project sees it: a worker process, a watchdog, a health check."""

from __future__ import annotations

import hashlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import IO, Any, cast

import asmevo
from asmevo.capsule.model import Capsule
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.hip.dispatch import Ran
from asmevo.device.hip.library import (
    ILLEGAL_ADDRESS,
    INVALID_IMAGE,
    NO_BINARY,
    NOT_FOUND,
    OUT_OF_MEMORY,
    TIMEOUT,
)
from asmevo.device.hip.wire import Failure, receive, send
from asmevo.device.protocol import (
    DeviceRecipe,
    Fault,
    FaultKind,
    Label,
    RunOptions,
    RunResult,
    Timing,
)
from asmevo.errors import AsmEvoError, EnvironmentFault, UnsupportedError
from asmevo.program import Program

PATIENCE = 60.0  # seconds that a request may take
_START = 120.0
_STICKY = 100  # codes from here on leave a context that is of no use any more


class Hung(Exception):
    """The worker gave no answer in time."""


class Gone(Exception):
    """The worker ended."""


class HipDevice:
    """Kernels on a GPU (or on the emulated runtime), measured.

    One process owns the device. A request that takes too long, or a process that dies, is a fault
    of the kernel that ran; the process is replaced, a launch that worked before is tried again (the
    health check), and an object that hung is not run a second time.

    Args:
        number: of the device.
        patience: seconds that a request may take.
        cold: time with caches full of other memory; else as the launches before left them.
        environment: variables for the process on top of this one's.
    """

    def __init__(
        self,
        number: int = 0,
        *,
        patience: float = PATIENCE,
        cold: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._number = number
        self._patience = patience
        self._cold = cold
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._quarantined: dict[str, str] = {}
        self._good: tuple[bytes, Capsule, dict[str, bytes]] | None = None
        self._counting = EmulatedDevice()
        self._title, self._arch, self._count, self._path = "", "", 0, ""
        self._start()

    @property
    def name(self) -> str:
        """Name for reports."""
        return f"hip:{self._number} {self._title}"

    @property
    def arch(self) -> str:
        """Target id of the device."""
        return self._arch

    @property
    def label(self) -> Label:
        """Times are measured."""
        return "measured"

    @property
    def recipe(self) -> DeviceRecipe:
        """Makes an equal device with a process of its own."""
        return cast(
            "DeviceRecipe",
            partial(
                HipDevice, self._number, patience=self._patience, cold=self._cold,
                environment=self._environment,
            ),
        )  # fmt: skip

    # --- the process ------------------------------------------------------------------------
    def _start(self) -> None:
        root = os.path.dirname(os.path.dirname(asmevo.__file__))
        path = ":".join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "asmevo.device.hip.worker", str(self._number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "PYTHONPATH": path, **self._environment},
        )  # fmt: skip
        try:
            first = self._receive(_START)
        except (Hung, Gone):
            self.close()
            raise EnvironmentFault("the process of the HIP device does not start") from None
        if isinstance(first, Failure):
            self.close()
            raise EnvironmentFault(
                f"no HIP device {self._number}: {first.message}", "use --device emulated"
            )
        if isinstance(first, AsmEvoError):
            self.close()
            raise first
        self._title, self._arch, self._count, self._path = first

    def close(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _receive(self, patience: float) -> Any:
        assert self._process is not None
        out = cast("IO[bytes]", self._process.stdout)
        ready, _, _ = select.select([out], [], [], patience)
        if not ready:
            raise Hung
        try:
            return receive(cast("Any", out))
        except EOFError:
            raise Gone from None

    def _ask(self, name: str, *arguments: object) -> Any:
        """The worker's answer.

        Raises:
            Hung, Gone: there is none; the process has been ended.
            AsmEvoError: the request cannot be done.
        """
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it died with nothing to do, which is no request's fault
        if self._process is None:
            self._start()
        assert self._process is not None
        try:
            send(cast("Any", self._process.stdin), (name, arguments))
            found = self._receive(self._patience)
        except (Hung, Gone):
            self.close()
            raise
        except BrokenPipeError:
            self.close()
            raise Gone from None
        if isinstance(found, AsmEvoError):
            raise found
        if isinstance(found, Failure) and found.code >= _STICKY:
            self.close()
        return found

    # --- running ----------------------------------------------------------------------------
    def run(self, object: bytes, capsule: Capsule, options: RunOptions) -> RunResult:
        """Execute the capsule's kernel once; see `protocol.Device.run`.

        What a GPU cannot do (wave orders, poisoned registers, watching) is left out; execution
        counts, where they are asked for, come from the emulator.

        Raises:
            UnsupportedError: the object is not for this device.
            InputError: a pointer that the capsule does not declare.
            EnvironmentFault: out of memory, or the device does not work any more.
        """
        key = hashlib.sha256(object).hexdigest()
        if key in self._quarantined:
            return self._failed("timeout", self._quarantined[key], capsule)
        try:
            ran = self._ask("run", object, capsule)
        except Hung:
            said = f"no answer within {self._patience:g} s; it is not run again"
            self._quarantined[key] = said
            self._check_health()
            return self._failed("timeout", said, capsule)
        except Gone:
            self._check_health()
            return self._failed("crash", "the process of the device died", capsule)
        if isinstance(ran, Failure):
            return self._refused(ran, object, capsule)
        memory = cast("Ran", ran).memory
        result = self._result(capsule, cast("Ran", ran), options)
        if self._good is None:
            self._good = (object, capsule, memory)
        if options.profile:
            counted = self._counting.run(object, capsule, options)
            result = replace(result, counts=counted.counts, instructions=counted.instructions)
        return result

    def _result(self, capsule: Capsule, ran: Ran, options: RunOptions) -> RunResult:
        damage = capsule.guard_damage(ran.memory)
        fault = None
        if damage and not options.guards_mapped:
            # Red zones are ordinary memory here: what a fault would stop is found afterwards.
            fault = Fault(
                "out_of_bounds", f"store outside of buffer {', '.join(damage)}", capsule.kernel
            )
        inputs = [
            b.name
            for b in capsule.buffers
            if b.role == "in" and ran.memory[b.name][b.guard : b.guard + b.size] != b.data
        ]
        if inputs and fault is None:
            fault = Fault(
                "read_only", f"store to read-only buffer {', '.join(inputs)}", capsule.kernel
            )
        return RunResult(
            ok=fault is None,
            fault=fault,
            buffers={
                b.name: ran.memory[b.name][b.guard : b.guard + b.size] for b in capsule.buffers
            },
            globals=ran.globals,
            changed_globals=ran.changed,
            guard_damage=damage if options.guards_mapped else (),
        )

    @staticmethod
    def _failed(kind: FaultKind, message: str, capsule: Capsule) -> RunResult:
        return RunResult(False, Fault(kind, message, capsule.kernel))

    def _refused(self, failure: Failure, object: bytes, capsule: Capsule) -> RunResult:
        if failure.code == OUT_OF_MEMORY:
            raise EnvironmentFault(
                f"{self.name}: out of memory ({failure.call})", "use a smaller launch"
            )
        if failure.code in (NO_BINARY, INVALID_IMAGE):
            target = CodeObject.open(object).target.target_id
            if target.split(":")[0] != self._arch.split(":")[0]:
                raise UnsupportedError(
                    f"the object is for {target}, {self.name} is {self._arch}",
                    "use --device emulated",
                )
        kinds: dict[int, FaultKind] = {
            ILLEGAL_ADDRESS: "out_of_bounds", TIMEOUT: "timeout", NO_BINARY: "launch",
            INVALID_IMAGE: "launch", NOT_FOUND: "launch",
        }  # fmt: skip
        kind = kinds.get(
            failure.code, "launch" if failure.call != "hipDeviceSynchronize" else "crash"
        )
        if kind == "timeout":
            self._quarantined[hashlib.sha256(object).hexdigest()] = failure.message
        if kind != "launch":
            self._check_health()
        return self._failed(kind, failure.message, capsule)

    def _check_health(self) -> None:
        """After a failure: a launch that worked still gives what it gave.

        Raises:
            EnvironmentFault: it does not; nothing that this device says counts any more.
        """
        if self._good is None:
            return
        object, capsule, memory = self._good
        said = ""
        try:
            runs = [self._ask("run", object, capsule) for _ in range(2)]
        except (Hung, Gone):
            runs, said = [], "no answer"
        results = [r.memory for r in runs if isinstance(r, Ran)]
        for run in runs:
            if isinstance(run, Failure):
                said = run.message
        # A kernel that gives something else each time can only be asked to run.
        if not said and results[0] == results[1] and results[0] != memory:
            said = "another result"
        if said:
            raise EnvironmentFault(
                f"{self.name} does not work any more: a launch that worked gave {said}",
                "reset the device, and go on with --resume",
            )

    def program(self, object: bytes) -> Program:
        """The recovered program of an object."""
        return self._counting.program(object)

    # --- timing -----------------------------------------------------------------------------
    def time(
        self, object: bytes, capsule: Capsule, samples: int, below: float | None = None
    ) -> Timing:
        """Measured seconds of `samples` launches; see `compare`."""
        del below
        return self.compare([object], capsule, samples)[0]

    def compare(self, objects: list[bytes], capsule: Capsule, samples: int) -> list[Timing]:
        """Times of several objects, launch by launch in turns, after a warm-up.

        Raises:
            EnvironmentFault: a launch failed (nothing is timed before it is correct), or the device
                is used by others too.
        """
        try:
            found = self._ask("time", objects, capsule, samples, self._cold)
        except Hung:
            raise EnvironmentFault(f"{self.name}: timing took too long") from None
        except Gone:
            raise EnvironmentFault(f"{self.name}: its process died while timing") from None
        if isinstance(found, Failure):
            raise EnvironmentFault(f"{self.name}: {found.message} while timing")
        return [
            Timing(tuple(times), "s", "measured", 0.0, "measured")
            for times in cast("list[list[float]]", found)
        ]
