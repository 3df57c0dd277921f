"""The adapter protocol `asmevo.adapter.v1`: one request file, one JSON object on stdout.

The operations are those that the published AsmEvo skill asks of a binary backend; its controller
names files and hashes, and this side does the work with the same functions as the command line.
Sources: adapter-contract.md and binary-backend.md of that skill. What is its own: a launch is a
launch.yaml or capsule in `inputs.launch`, and a proposal is the JSON of the tool `propose`.

A benchmark is asked for in milliseconds of a device. Modelled cycles are none, so it is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from asmevo.api import check, disasm, launches, open, roundtrip, run, verify
from asmevo.api.files import read_file, write_file
from asmevo.drivers.tools import faults
from asmevo.drivers.tools.model import ProposeRequest
from asmevo.errors import AsmEvoError, BuildError, InputError
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover

PROTOCOL: Literal["asmevo.adapter.v1"] = "asmevo.adapter.v1"
_LARGEST = 4 << 20


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Artifact(_Row):
    """A file of the controller, with the hash that it must have."""

    path: str
    sha256: str


class Request(_Row):
    """The request envelope."""

    schema_version: Literal[1]
    protocol: Literal["asmevo.adapter.v1"]
    request_id: str = Field(min_length=1, max_length=200)
    operation: str
    purpose: str = ""
    binding: dict[str, Any]
    contract: dict[str, Any] = Field(default_factory=dict[str, Any])
    artifacts: dict[str, Artifact] = Field(default_factory=dict[str, Artifact])
    inputs: dict[str, Any] = Field(default_factory=dict[str, Any])
    outputs: dict[str, str] = Field(default_factory=dict[str, str])
    attempt_directory: str = ""


class TimingInvalid(AsmEvoError):
    """Times that were asked for cannot be had here."""

    status = "timing_invalid"
    exit_code = 1


_Answer = dict[str, Any]


def answer(operation: str, path: Path) -> tuple[dict[str, Any], int]:
    """Carry out one request.

    Returns:
        (the response, the exit code). A response echoes `request_id`, `operation` and `binding`;
        `ok` says whether the phase is done, `status` and `reason` why it is not.

    Raises:
        InputError: the file is no request of this operation.
    """
    try:
        request = Request.model_validate_json(read_file(path, _LARGEST))
    except ValidationError as err:
        raise InputError(f"the request does not fit: {faults(err)}", f"see {PROTOCOL}") from None
    if operation not in OPERATIONS:
        raise InputError(f"there is no operation {operation!r}", "use " + ", ".join(OPERATIONS))
    if request.operation != operation:
        raise InputError(f"the request is for {request.operation!r}", f"call adapter {operation}")
    envelope: dict[str, Any] = {
        "schema_version": 1,
        "protocol": PROTOCOL,
        "request_id": request.request_id,
        "operation": operation,
        "binding": request.binding,
    }
    try:
        found = OPERATIONS[operation](request)
    except AsmEvoError as err:
        reason = err.one_line()
        return {**envelope, "ok": False, "status": err.status, "reason": reason}, err.exit_code or 1
    ok = bool(found.pop("ok", True))
    return {**envelope, "ok": ok, "status": "accepted", "reason": "", **found}, 0 if ok else 1


def _artifact(request: Request, name: str) -> bytes:
    """The bytes of an artifact, which must be those that the controller hashed."""
    if name not in request.artifacts:
        raise InputError(f"the request has no artifact {name!r}")
    item = request.artifacts[name]
    data = read_file(Path(item.path))
    if hashlib.sha256(data).hexdigest() != item.sha256:
        raise InputError(f"artifact {name!r} is not the one that was hashed")
    return data


def _write(request: Request, name: str, data: bytes) -> str:
    """Write an output where the controller wants it, and nowhere else; gives its hash."""
    if name not in request.outputs:
        raise InputError(f"the request names no output {name!r}")
    path = Path(request.outputs[name])
    inside = Path(request.attempt_directory or ".").resolve()
    if not path.resolve().is_relative_to(inside):
        raise InputError(f"output {name!r} leads out of the attempt's folder")
    write_file(path, data, force=False)
    return hashlib.sha256(data).hexdigest()


def _launch(request: Request) -> str:
    launch = request.inputs.get("launch")
    if not isinstance(launch, str):
        raise InputError("the request names no launch", "give inputs.launch, a path")
    return launch


def _recover(request: Request) -> _Answer:
    text = disasm(_artifact(request, "original")).text
    return {"output_sha256": _write(request, "recovered", text.encode())}


def _roundtrip(request: Request) -> _Answer:
    _artifact(request, "original")
    found = roundtrip(request.artifacts["original"].path, jobs=1)
    return {"ok": found.ok, "status": "accepted" if found.ok else "build_invalid",
            "reason": found.reason}  # fmt: skip


def _rebuild(request: Request) -> _Answer:
    parent = "parent" if "parent" in request.artifacts else "original"
    program = recover(open(_artifact(request, parent)).code)
    try:
        given = json.loads(_artifact(request, "proposal"))
        wanted = ProposeRequest.model_validate(given)
    except ValidationError as err:
        raise InputError(f"the proposal does not fit: {faults(err)}") from None
    except (ValueError, RecursionError):
        raise InputError("the proposal is no JSON") from None
    edits = [Edit(e.first, e.last, tuple(e.lines)) for e in wanted.edits]
    count = len(program.instructions)
    if any(not e.first <= e.last <= count for e in edits):
        raise BuildError(f"the program has {count} instructions")
    data = rebuild(apply(program, edits))
    return {"candidate_sha256": _write(request, "candidate_artifact", data)}


def _static_check(request: Request) -> _Answer:
    original = _artifact(request, "original")
    candidate = _artifact(request, "candidate") if "candidate" in request.artifacts else original
    found = check(candidate, against=original)
    return {"ok": found.ok, "status": "accepted" if found.ok else "static_invalid",
            "reason": found.reason}  # fmt: skip


def _observed(name: str) -> Callable[[Request], _Answer]:
    def observe(request: Request) -> _Answer:
        data = _artifact(request, name)
        capsules = launches(data, _launch(request))
        found = run(data, capsules)
        if not found.ok:
            return {"ok": False, "status": found.status, "reason": found.reason}
        rows = [
            {
                "case": capsule.label,
                "buffers": {
                    k: hashlib.sha256(v).hexdigest() for k, v in sorted(result.buffers.items())
                },
            }
            for capsule, result in zip(found.launches, found.results, strict=True)
        ]
        text = json.dumps({"object": hashlib.sha256(data).hexdigest(), "cases": rows}, indent=1)
        return {"output_sha256": _write(request, "observations", text.encode())}

    return observe


def _compare(request: Request) -> _Answer:
    original, candidate = _artifact(request, "original"), _artifact(request, "candidate")
    found = verify(original, candidate, _launch(request))
    cases = cast(list[Any], request.binding.get("case_ids") or [])
    # The launch description is judged as a whole: every frozen case stands or falls with it.
    return {
        "ok": found.ok,
        "status": found.status,
        "reason": found.reason,
        "equivalence": {"cases": [{"case_id": c, "equivalent": found.ok} for c in cases]},
    }


def _benchmark(request: Request) -> _Answer:
    _artifact(request, "original")
    raise TimingInvalid(
        "there is no device here, and modelled cycles are no milliseconds",
        "benchmark on the GPU, or use asmevo bench for modelled cycles",
    )


OPERATIONS: Mapping[str, Callable[[Request], _Answer]] = {
    "recover": _recover,
    "roundtrip": _roundtrip,
    "rebuild": _rebuild,
    "static_check": _static_check,
    "oracle": _observed("original"),
    "replay": _observed("candidate"),
    "compare": _compare,
    "benchmark": _benchmark,
}
