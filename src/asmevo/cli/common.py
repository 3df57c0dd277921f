"""What several commands share: options, opening objects and launches, the device."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from asmevo.api.files import read_file
from asmevo.capsule.model import Capsule
from asmevo.cli.output import Advance
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError, InputError
from asmevo.verify.synthesize import capsules_for

if TYPE_CHECKING:
    from asmevo.device.emulated import EmulatedDevice

ObjectArgument = Annotated[Path, typer.Argument(help="code object (.hsaco, .co)")]
KernelOption = Annotated[
    str | None, typer.Option("--kernel", "-k", help="kernel name, when the object has several")
]
LaunchOption = Annotated[
    Path, typer.Option("--launch", "-l", help="launch.yaml (see docs/launch.md) or capsule file")
]
SizeOption = Annotated[
    list[str] | None,
    typer.Option("--size", "-s", help="override a size of launch.yaml: NAME=EXPRESSION"),
]


class MatrixMode(Enum):
    """Arithmetic of matrix instructions on the emulator."""

    FAST = "fast"
    EXACT = "exact"


MatrixOption = Annotated[
    MatrixMode,
    typer.Option(help="matrix instructions: fused accumulation, or the published models (slower)"),
]
SeedOption = Annotated[
    int | None, typer.Option("--input-seed", help="seed of the random inputs of launch.yaml")
]


@contextmanager
def naming(path: Path) -> Any:
    """Put a file's name in front of the errors that its contents cause."""
    try:
        yield
    except AsmEvoError as err:
        text = str(err.args[0])
        if str(path) not in text and path.name not in text:
            err.args = (f"{path}: {text}", *err.args[1:])
        raise


def open_object(path: Path) -> tuple[bytes, CodeObject]:
    """Bytes and parsed view of a code object file."""
    data = read_file(path)
    with naming(path):
        return data, CodeObject.open(data)


def sizes_of(options: list[str] | None) -> Mapping[str, int | str]:
    """`NAME=EXPRESSION` options as a mapping.

    Raises:
        InputError: an option without a name or a value.
    """
    found: dict[str, int | str] = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"--size {option!r} is not NAME=EXPRESSION", "e.g. --size n=1000")
        found[name.strip()] = value.strip()
    return found


def capsules(
    co: CodeObject, launch: Path, kernel: str | None, sizes: list[str] | None, seed: int | None
) -> tuple[Capsule, ...]:
    """Capsules of a launch description or capsule file for an object."""
    read_file(launch)  # a missing file is reported as such, whatever its format would be
    return capsules_for(co, launch, sizes_of(sizes) or None, kernel=kernel, seed=seed)


def emulated(advance: Advance | None = None) -> EmulatedDevice:
    """The embedded default device; `advance` shows helpers being compiled."""
    # The compilers behind it take longer to load than most commands to run.
    from asmevo.device.emulated import EmulatedDevice

    if advance is None:
        return EmulatedDevice()
    show = advance
    return EmulatedDevice(progress=lambda done, total: show(done, total, "compiling helpers"))


def capsule_summary(c: Capsule) -> dict[str, Any]:
    """A capsule in a few plain fields."""
    return {
        "label": c.label,
        "kernel": c.kernel,
        "grid": list(c.grid),
        "block": list(c.block),
        "lds_dynamic": c.lds_dynamic,
        "digest": c.digest(),
    }
