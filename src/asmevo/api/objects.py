"""Code objects and launches as the use cases take them: paths, bytes, or what is opened already."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asmevo.api.drafts.arguments import suspicious
from asmevo.api.files import NotFound, read_file
from asmevo.api.kinds import explain
from asmevo.api.naming import naming
from asmevo.capsule.model import Capsule
from asmevo.capsule.recorded import is_recording, open_capsule
from asmevo.capsule.recorded.convert import ORIGIN
from asmevo.capsule.spec import LaunchSpec
from asmevo.codeobject import CodeObject, Kernel
from asmevo.errors import AsmEvoError, InputError
from asmevo.program import recover
from asmevo.timing.machine import MachineModel, find_machine
from asmevo.verify.synthesize import capsules_for, is_capsule

if TYPE_CHECKING:
    from asmevo.device.emulated import EmulatedDevice
    from asmevo.device.hip.device import HipDevice

Progress = Callable[[int, int, str], None]
"""(done, total or 0, note): told while something long goes on."""


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An opened code object.

    Attributes:
        path: its file, or None when it was given as bytes.
        data: the bytes.
        code: the parsed view: descriptors, metadata, sections.
    """

    path: Path | None
    data: bytes
    code: CodeObject

    @property
    def name(self) -> str:
        """File name for messages."""
        return str(self.path) if self.path is not None else "object"

    @property
    def target(self) -> str:
        """Target id, e.g. `gfx942:sramecc+:xnack-`."""
        return self.code.target.target_id

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Its kernels."""
        return self.code.kernels

    @property
    def sha256(self) -> str:
        """Digest of the bytes, hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


ObjectLike = Object | bytes | str | Path
LaunchLike = Capsule | Sequence[Capsule] | str | Path
Sizes = Mapping[str, int | str]


def open(object: ObjectLike) -> Object:
    """Open a code object.

    Args:
        object: path of a `.hsaco` or `.co` file, its bytes, or an opened object.

    Raises:
        InputError: not there, damaged, or something else than a code object; says what to do.
        UnsupportedError: a processor or code object version that is not known.
    """
    if isinstance(object, Object):
        return object
    path = None if isinstance(object, bytes) else Path(object)
    data = object if isinstance(object, bytes) else read_file(Path(object))
    if path is not None:
        explain(path, data)
    opened = None
    with naming(path):
        opened = CodeObject.open(data)
    assert opened is not None
    return Object(path, data, opened)


def launches(
    object: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    as_recorded: bool = False,
) -> tuple[Capsule, ...]:
    """The launches of an object: of a launch description its sizes and variants, or a capsule.

    Args:
        object: the object to launch.
        launch: path of a launch.yaml or a capsule, or capsules.
        kernel: kernel name, when neither object nor launch leaves it clear.
        sizes: overrides of the description's sizes, numbers or expressions.
        input_seed: seed of the random inputs instead of the description's.
        as_recorded: leave memory of recorded dispatches as it was; else roles and types of it are
            found by running the object, and what it only writes holds junk (see
            `device.probe.recorded`).

    Raises:
        InputError: the description is wrong or does not fit the object.
        UnsupportedError: the kernel cannot be launched synthetically.
    """
    if isinstance(launch, Capsule):
        return (launch,)
    if not isinstance(launch, str | Path):
        return tuple(launch)
    _require(Path(launch))
    opened = open(object)
    found = capsules_for(opened.code, launch, sizes or None, kernel=kernel, seed=input_seed)
    if as_recorded or all(c.provenance.get("origin") != ORIGIN for c in found):
        return found
    from asmevo.device.probe.recorded import settled

    device = emulated()
    return tuple(settled(opened.data, c, device) for c in found)


def launch_inputs(launch: Path) -> list[Path]:
    """The file of a launch and the files that it names: inputs, which are never overwritten.

    Raises:
        InputError: it is no launch description.
    """
    _require(launch)
    return [launch, *(() if is_capsule(launch) else LaunchSpec.load(launch).files)]


def _require(launch: Path) -> None:
    """Report a missing file as such, whatever its format would be; capsules may be folders."""
    if is_capsule(launch):
        return
    if launch.is_dir():
        raise NotFound(f"{launch}: is a directory and no capsule", "give a launch.yaml or capsule")
    read_file(launch)


MachineLike = str | Path | MachineModel
"""A machine: its name, a file that describes it, or the model itself."""


def machine_of(machine: MachineLike | None) -> MachineModel | None:
    """The machine, None for the usual one of each target.

    Raises:
        InputError: no such machine, or a file that describes none.
    """
    if machine is None or isinstance(machine, MachineModel):
        return machine
    return find_machine(machine)


def emulated(
    progress: Progress | None = None, machine: MachineLike | None = None
) -> EmulatedDevice:
    """The embedded default device; `progress` is told of helpers being compiled.

    Raises:
        InputError: see `machine_of`.
    """
    # The compilers behind it take longer to load than most use cases to run.
    from asmevo.device.emulated import EmulatedDevice

    used = machine_of(machine)
    if progress is None:
        return EmulatedDevice(machine=used)
    show = progress
    return EmulatedDevice(
        progress=lambda done, total: show(done, total, "compiling helpers"), machine=used
    )


def device_of(name: str, progress: Progress | None = None) -> EmulatedDevice | HipDevice:
    """The device of that name: `emulated`, `hip`, `hip:N`, or `auto`.

    `auto` is the first GPU where the system has one, else the emulator.

    Raises:
        InputError: another name.
        EnvironmentFault: there is no such GPU, or no runtime for it.
    """
    kind, _, number = name.partition(":")
    if name == "auto":
        kind = "hip" if Path("/dev/kfd").exists() else "emulated"
    if kind == "emulated" and not number:
        return emulated(progress)
    if kind != "hip" or not (number or "0").isdigit():
        raise InputError(f"unknown device {name!r}", "use auto, emulated, hip or hip:N")
    from asmevo.device.hip.device import HipDevice

    return HipDevice(int(number or "0"))


def idle_notes(
    object: ObjectLike, timed: Sequence[Capsule], machine: MachineLike | None = None
) -> list[str]:
    """Timed launches that leave part of the machine idle, one line each, with the numbers."""
    from asmevo.device.clock import filling

    opened, used = open(object), machine_of(machine)
    notes: list[str] = []
    for capsule in timed:
        try:
            units, each, groups = filling(opened.code.kernel(capsule.kernel), capsule, used)
        except AsmEvoError:
            continue  # no machine table, or it fits nowhere: whoever times it says so
        if groups < units * each:
            label = f" {capsule.label}" if capsule.label else ""
            notes.append(
                f"timed launch{label} has {groups} workgroups, {units * each} fill the machine "
                f"({units} compute units with {each} each)"
            )
    return notes


def launch_notes(object: ObjectLike, launch: LaunchLike, kernel: str | None = None) -> list[str]:
    """What the code of an object says against a launch description, one line each.

    Scalars whose type it contradicts (see `api.drafts.arguments`); of recorded capsules why they
    are weak oracles.
    """
    if isinstance(launch, str | Path) and is_recording(launch):
        with open_capsule(launch) as recording:
            return [f"weak oracle: {recording.weak}"] if recording.weak else []
    if not isinstance(launch, str | Path) or is_capsule(launch):
        return []
    opened = open(object)
    spec = LaunchSpec.load(launch)
    chosen = opened.code.kernel(spec.kernel if kernel is None else kernel)
    return suspicious(recover(opened.code), chosen, spec)
