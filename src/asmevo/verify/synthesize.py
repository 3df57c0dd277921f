"""Capsules for an object: from a launch description, or from capsule files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from asmevo.capsule import file
from asmevo.capsule.model import Capsule
from asmevo.capsule.recorded import convert, is_recording, open_capsule
from asmevo.capsule.spec import Expression, LaunchSpec
from asmevo.capsule.synthesize import synthesize_all
from asmevo.codeobject.object import CodeObject
from asmevo.errors import InputError


def capsules_for(
    obj: CodeObject | bytes,
    launch: LaunchSpec | str | Path,
    sizes: Mapping[str, Expression] | None = None,
    *,
    kernel: str | None = None,
    seed: int | None = None,
) -> tuple[Capsule, ...]:
    """All capsules that `launch` gives for an object: its sizes, then its variants.

    Args:
        obj: the object, or its bytes.
        launch: a description, the path of one, or the path of a capsule: a file, or recorded
            dispatches as a folder or zip archive.
        sizes: overrides of size names (descriptions only).
        kernel: kernel name, for a description that names none.
        seed: seed of the random inputs, instead of the description's.

    Raises:
        InputError: the launch does not fit the object.
        UnsupportedError: the kernel cannot be launched synthetically.
    """
    code = CodeObject.open(obj) if isinstance(obj, bytes) else obj
    if not isinstance(launch, LaunchSpec):
        if is_capsule(launch):
            if sizes or seed is not None:
                raise InputError(
                    f"{launch}: sizes and seed of a capsule are fixed",
                    "use its launch description instead",
                )
            return tuple(
                _fitting(c, code, str(launch), kernel) for c in _load(launch, code, kernel)
            )
        launch = LaunchSpec.load(launch)
    chosen = code.kernel(launch.kernel if kernel is None else kernel)
    return synthesize_all(launch, chosen, code.target, sizes, seed=seed)


def is_capsule(launch: str | Path) -> bool:
    """Whether it is the path of a capsule of either kind, and not of a description."""
    return file.is_capsule(launch) or is_recording(launch)


def _load(launch: str | Path, code: CodeObject, kernel: str | None) -> tuple[Capsule, ...]:
    if file.is_capsule(launch):
        return (file.load(launch),)
    with open_capsule(launch) as recording:
        return convert.launches(recording, code, str(launch), kernel)


def _fitting(capsule: Capsule, code: CodeObject, source: str, kernel: str | None) -> Capsule:
    """The capsule, if it was made for this kernel, target and kernarg segment."""
    found = code.kernel(capsule.kernel)
    if kernel is not None and code.kernel(kernel) is not found:
        raise InputError(f"{source}: capsule of kernel {capsule.kernel!r}, not {kernel!r}")
    arch = capsule.target.partition(":")[0]
    if arch and arch != code.target.arch:
        raise InputError(
            f"{source}: capsule for {arch}, the object is for {code.target.arch}",
            "make the capsule for this target",
        )
    needed = found.metadata.kernarg_bytes
    if len(capsule.kernarg) < needed:
        raise InputError(
            f"{source}: kernarg segment of {len(capsule.kernarg)} bytes, kernel "
            f"{found.name} takes {needed}",
            "record the capsule from a launch of this kernel",
        )
    return capsule
