"""Run an unmodified HIP program without a GPU: its kernels execute on the emulator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asmevo
from asmevo.api.results import Result
from asmevo.errors import EnvironmentFault, InputError
from asmevo.hip.build import PERSONALITIES, build
from asmevo.hip.devices import DEFAULT_ARCH, presented


@dataclass(frozen=True, slots=True)
class Execution(Result):
    """Result of `execute`: `data["kernels"]`, `data["faults"]`, `data["refused"]`.

    Attributes:
        returncode: of the program; negative for a signal.
    """

    returncode: int


def environment(
    arch: str = DEFAULT_ARCH,
    *,
    hip: int = PERSONALITIES[-1],
    devices: int = 1,
    base: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The environment in which a program finds the emulated runtime.

    Args:
        arch: the device, e.g. `gfx942` or `gfx90a:sramecc+:xnack-`.
        hip: major HIP version that a program gets which asks for none.
        devices: how many it sees.
        base: environment to start from; this process's by default.

    Raises:
        UnsupportedError: an architecture that is not emulated.
        EnvironmentFault: the runtime cannot be built.
    """
    if hip not in PERSONALITIES:
        raise InputError(f"no HIP version {hip}", f"there are {PERSONALITIES}")
    device, folder = presented(arch), build()
    made = dict(os.environ if base is None else base)
    others = [p for p in made.get("LD_LIBRARY_PATH", "").split(":") if p]
    made["LD_LIBRARY_PATH"] = ":".join([str(folder / f"hip{hip}"), str(folder), *others])
    made["ROCM_PATH"] = made["HIP_PATH"] = str(folder / f"hip{hip}")
    made["TRITON_LIBHIP_PATH"] = str(folder / f"hip{hip}" / "libamdhip64.so")
    made["ASMEVO_HIP_ARCH"] = device.arch
    made["ASMEVO_HIP_DEVICE"] = device.numbers(devices)
    made["ASMEVO_HIP_PYTHON"] = sys.executable
    made["ASMEVO_HIP_PYTHONPATH"] = str(Path(asmevo.__file__).parent.parent)
    return made


def execute(
    command: Sequence[str],
    *,
    arch: str = DEFAULT_ARCH,
    hip: int = PERSONALITIES[-1],
    check: bool = False,
    profile: bool = False,
    log: Path | None = None,
    timeout: float | None = None,
    event_time: str = "wall",
    settings: Mapping[str, str] | None = None,
    output: int | None = None,
) -> Execution:
    """Run a program on the emulated HIP runtime; its own output goes where it always goes.

    Args:
        command: program and arguments.
        arch, hip: see `environment`.
        check: watch every launch for races and undefined reads.
        profile: model the time of each kernel and launch shape.
        log: file that gets a line for every HIP call.
        timeout: seconds of emulation, roughly, after which a launch counts as hung.
        event_time: what events measure: `wall` or `modelled` device time.
        settings: more environment variables.
        output: where its standard output goes, a file descriptor.

    Raises:
        InputError: the program cannot be started.
        UnsupportedError, EnvironmentFault: see `environment`.
    """
    made = environment(arch, hip=hip) | dict(settings or {})
    made["ASMEVO_HIP_TIME"] = event_time
    if check:
        made["ASMEVO_HIP_CHECK"] = "1"
    if profile:
        made["ASMEVO_HIP_PROFILE"] = "1"
    if log is not None:
        made["ASMEVO_HIP_LOG"] = str(log.resolve())
    if timeout is not None:
        made["ASMEVO_HIP_TIMEOUT"] = str(timeout)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        made["ASMEVO_HIP_REPORT"] = str(report)
        try:
            done = subprocess.run(list(command), env=made, stdout=output)
        except OSError as err:
            raise InputError(f"{command[0]}: {err.strerror or err}", "name a program") from err
        facts = _facts(report)
    return _result(done.returncode, facts)


def _facts(report: Path) -> list[dict[str, Any]]:
    if not report.exists():
        return []
    try:
        return [json.loads(line) for line in report.read_text().splitlines()]
    except ValueError as err:
        raise EnvironmentFault(f"a worker's report is damaged: {err}") from err


def _result(returncode: int, facts: list[dict[str, Any]]) -> Execution:
    kernels: dict[str, dict[str, Any]] = {}
    for fact in facts:
        for name, row in fact.get("kernels", {}).items():
            into = kernels.setdefault(name, dict.fromkeys(row, 0))
            for key, value in row.items():
                into[key] = into.get(key, 0) + value
    faults = [f for f in facts if f["event"] == "fault"]
    findings = [f for f in facts if f["event"] == "finding"]
    written = [f for f in facts if f["event"] == "capsule"]
    refused = [f for f in facts if f["event"] in ("refused", "internal")]
    reason = ""
    if returncode:
        reason = f"the program ended with exit code {returncode}"
        if returncode < 0:
            reason = f"the program was ended by signal {-returncode}"
    if faults:
        reason = faults[0]["message"]
    elif findings:
        reason = findings[0]["message"]
    data: dict[str, Any] = {
        "exit_code": returncode,
        "kernels": kernels,
        "faults": faults,
        "findings": findings,
        "refused": refused,
        "written": written,
    }
    status = "ok" if not reason else "runtime_failure"
    return Execution(not reason, status, reason, data, returncode)
