"""Capsules of recorded dispatches: what is in one, one without its data, one from another tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asmevo.api.files import Refused
from asmevo.api.objects import emulated
from asmevo.api.results import Result
from asmevo.capsule.model import Capsule
from asmevo.capsule.recorded import (
    Allocation,
    Dispatch,
    OpenedCapsule,
    Recording,
    is_recording,
    open_capsule,
    write_capsule,
)
from asmevo.capsule.recorded.contents import Contents
from asmevo.capsule.recorded.kerncap import read_kerncap
from asmevo.device.protocol import RunResult
from asmevo.errors import InputError


def capsule_contents(capsule: str | Path) -> Result:
    """What a capsule of recorded dispatches holds, and that all of it is as it was written.

    Args:
        capsule: folder or zip archive.

    Raises:
        InputError: no such capsule; truncated, damaged or changed.
    """
    with open_capsule(capsule) as recording:
        data = _summary(recording)
        for value in _every(recording):
            for _ in Contents.of(value).chunks():
                pass  # reading checks
    return Result(True, "ok", f"{len(data['dispatches'])} dispatches, all as written", data)


def capsule_object(capsule: str | Path, kernel: str | None = None) -> bytes:
    """The code object of a capsule's dispatches, as it was loaded.

    Raises:
        InputError: as `capsule_contents`; dispatches of several objects, and no `kernel` given.
    """
    with open_capsule(capsule) as recording:
        found = {d.object for d in recording.dispatches if kernel in (None, d.kernel)}
        if len(found) != 1:
            names = ", ".join(dict.fromkeys(d.kernel[:120] for d in recording.dispatches)) or "none"
            raise InputError(
                f"{capsule}: dispatches of {len(found)} code objects",
                f"give --kernel; its kernels are {names}",
            )
        return Contents.of(recording.objects[found.pop()]).read()


def redact_capsule(capsule: str | Path, output: str | Path, *, force: bool = False) -> Result:
    """Write a capsule whose structure is another one's, with other data.

    See `device.probe.redact` for what stays.

    Args:
        capsule: folder or zip archive.
        output: the new one: a zip archive if its name ends in `.zip`, else a folder.
        force: replace a capsule that is there.

    Raises:
        InputError: see `capsule_contents`.
        UnsupportedError: a dispatch that cannot be run here.
        EnvironmentFault: it cannot be written.
    """
    from asmevo.device.probe.redact import redacted

    if Path(output).resolve() == Path(capsule).resolve():
        raise Refused(f"{output} is the input, which is never overwritten", "choose another name")
    with open_capsule(capsule) as recording:
        changed = redacted(recording, emulated())
        write_capsule(output, changed, force=force)
        kept = _kept(recording, changed)
        data = {**_summary(changed), "kept": kept}
    reason = f"values replaced; {len(kept)} allocations kept because they decide where it goes"
    return Result(True, "ok", reason, data)


def import_capsule(folder: str | Path, output: str | Path, *, force: bool = False) -> Result:
    """Write a capsule from a capture folder of kerncap, marked as a weak oracle.

    Args:
        folder: the capture folder.
        output, force: see `redact_capsule`.

    Raises:
        InputError: no finished capture folder.
        EnvironmentFault: it cannot be written.
    """
    recording = read_kerncap(folder)
    write_capsule(output, recording, force=force)
    return Result(True, "ok", f"weak oracle: {recording.weak}", _summary(recording))


@dataclass(frozen=True, slots=True)
class Witness:
    """Contents after recorded dispatches: a second witness beside the emulator.

    Attributes:
        after: of each launch, contents by buffer.
        recording: the capsule, open until `close`.
    """

    after: tuple[dict[str, Contents], ...]
    recording: OpenedCapsule

    @classmethod
    def of(cls, launch: object, capsules: Sequence[Capsule]) -> Witness | None:
        """That of a recorded capsule's path; None for anything else, or where nothing is there."""
        if not isinstance(launch, str | Path) or not is_recording(launch):
            return None
        recording = open_capsule(launch)
        named = [d for d in recording.dispatches if d.kernel == capsules[0].kernel]
        found = tuple(
            {a.name: Contents.of(a.after) for a in d.allocations if a.after is not None}
            for d in named
        )
        return cls(found, recording)

    def compare(self, number: int, result: RunResult) -> dict[str, int]:
        """Bytes by buffer that are not as recorded after launch `number`."""
        out: dict[str, int] = {}
        for name, contents in self.after[number].items():
            mine = np.frombuffer(result.buffers.get(name, b""), np.uint8)
            theirs = np.frombuffer(contents.read(), np.uint8)
            same = len(mine) == len(theirs)
            out[name] = int((mine != theirs).sum()) if same else len(theirs)
        return out

    def close(self) -> None:
        """Close the capsule."""
        self.recording.close()

    @staticmethod
    def notes(number: int, compared: dict[str, int]) -> list[str]:
        """What to say of it, in lines."""
        if not compared:
            return []
        if not any(compared.values()):
            return [f"launch {number + 1}: all {len(compared)} buffers are as recorded afterwards"]
        return [
            f"launch {number + 1}: {count} bytes of {name} are not as recorded afterwards"
            for name, count in compared.items()
            if count
        ]


def _every(recording: Recording) -> Sequence[Any]:
    found: list[Any] = [*recording.objects.values()]
    for d in recording.dispatches:
        for one in (*d.allocations, *d.variables):
            found += [one.before, *([] if one.after is None else [one.after])]
    return found


def _kept(before: Recording, after: Recording) -> list[str]:
    """Allocations whose data is as it was and not zeros, `dispatch number: name`."""
    pairs = zip(before.dispatches, after.dispatches, strict=True)
    return [
        f"{n}: {a.name}"
        for n, (one, other) in enumerate(pairs)
        for a, b in zip(one.allocations, other.allocations, strict=True)
        if (data := Contents.of(a.before).read()) == Contents.of(b.before).read() and any(data)
    ]


def _summary(recording: Recording) -> dict[str, Any]:
    return {
        "target": recording.target,
        "weak": recording.weak,
        "redacted": recording.redacted,
        "provenance": dict(recording.provenance),
        "objects": {sha: Contents.of(o).size for sha, o in recording.objects.items()},
        "dispatches": [_dispatch(d) for d in recording.dispatches],
    }


def _dispatch(d: Dispatch) -> dict[str, Any]:
    return {
        "kernel": d.kernel,
        "label": d.label,
        "object": d.object,
        "grid": list(d.grid),
        "block": list(d.block),
        "remainder": list(d.remainder),
        "lds_dynamic": d.lds_dynamic,
        "kernarg_bytes": len(d.kernarg),
        "bytes": d.size,
        "allocations": [_allocation(a) for a in d.allocations],
        "variables": [{"name": v.name, "bytes": v.size} for v in d.variables],
    }


def _allocation(a: Allocation) -> dict[str, Any]:
    return {
        "name": a.name,
        "address": a.address,
        "bytes": a.size,
        "kind": a.kind,
        "role": a.role,
        "dtype": a.dtype,
        "after": a.after is not None,
    }
