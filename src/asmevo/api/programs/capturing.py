"""Record what a program launches: capsules with memory as it is before each dispatch."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asmevo.api.drafts.recordings import redact_capsule
from asmevo.api.programs.executing import Execution, execute
from asmevo.errors import AsmEvoError, InputError
from asmevo.hip.devices import DEFAULT_ARCH
from asmevo.hip.recording import Selection
from asmevo.wording import counted


def capture(
    command: Sequence[str],
    output: Path,
    *,
    kernel: str = "",
    launch: str = "each-shape",
    most: int = 1000,
    redact: bool = False,
    arch: str = DEFAULT_ARCH,
    hip: int = 7,
    log: Path | None = None,
    timeout: float | None = None,
    stdout: int | None = None,
) -> Execution:
    """Run a program on the emulated runtime and write a capsule for each chosen launch.

    A capsule has every allocation that the launch can reach as it was before, and as it was after
    (a second witness), the code object as it was loaded, geometry and kernel arguments.

    Args:
        command: program and arguments.
        output: folder of the capsules, made if need be; existing ones stay.
        kernel: regular expression; only kernels whose name contains a match.
        launch: `first` of each kernel, `each-shape`, or the number of a launch of each kernel.
        most: capsules at most.
        redact: replace values of data (see `redact_capsule`).
        arch, hip, log, timeout: see `execute`.
        stdout: where the program's standard output goes, a file descriptor.

    Returns:
        `data["capsules"]` beside what `execute` gives; not ok when nothing was recorded.

    Raises:
        InputError: `output` is a file, a choice that means nothing, a program that does not start.
        UnsupportedError, EnvironmentFault: see `execute`.
    """
    Selection(kernel, launch, most).check()
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is no folder", "choose another name")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".capture-") as passing:
        folder = Path(passing) if redact else output.resolve()
        wish = {
            "kernel": kernel,
            "launch": launch,
            "most": most,
            "folder": str(folder.resolve()),
            "command": list(command),
        }
        done = execute(
            command,
            arch=arch,
            hip=hip,
            log=log,
            timeout=timeout,
            settings={"ASMEVO_HIP_CAPTURE": json.dumps(wish)},
            output=stdout,
        )
        capsules = done.data.pop("written")
        if redact:
            capsules = _redacted(capsules, output, done.data["refused"])
    reason = done.reason
    if not capsules:
        reason = reason or "nothing was recorded: no launch matches"
    data: dict[str, Any] = {**done.data, "capsules": capsules}
    ok = bool(capsules)
    if ok:
        reason = f"{counted(len(capsules), 'capsule')} in {output}"
    return Execution(ok, "ok" if ok else "runtime_failure", reason, data, done.returncode)


def _redacted(
    capsules: list[dict[str, Any]], output: Path, refused: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The capsules with other data; one that cannot be redacted is not kept."""
    kept: list[dict[str, Any]] = []
    for row in capsules:
        to = output / Path(row["path"]).name
        try:
            redact_capsule(row["path"], to)
        except AsmEvoError as err:
            refused.append({"event": "refused", "message": f"{to.name}: {err.one_line()}"})
            continue
        kept.append({**row, "path": str(to)})
    return kept
