"""The reference's view of a synthesized launch: arrays and numbers by argument name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject.object import CodeObject

CHECKOUT = Path(__file__).resolve().parents[2]


def launch_paths() -> list[Path]:
    """Every launch description of a kernel of this repository."""
    root = CHECKOUT / "kernels" / "launch"
    return sorted(root.glob("*.yaml")) + sorted((root / "kernelbench").glob("*.yaml"))


def object_of(path: Path) -> tuple[str, str]:
    """Name and folder (as `kernel_objects` takes them) of the object a description is for."""
    folder = "kernelbench" if path.parent.name == "kernelbench" else "."
    return path.stem.split("-")[0], folder


def capsule_and_inputs(
    data: bytes, path: Path, sizes: dict[str, int]
) -> tuple[Capsule, dict[str, Any]]:
    """A capsule of a launch description and what a reference function takes."""
    spec = LaunchSpec.load(path)
    co = CodeObject.open(data)
    capsule = synthesize(spec, co.kernel(spec.kernel), co.target, sizes)
    names = spec.resolve_sizes(sizes)
    inputs: dict[str, Any] = {b.name: b.array() for b in capsule.buffers}
    for argument in spec.args:
        if argument.value is not None:
            value = argument.value
            # The descriptions here use names, integers and + - * // only.
            inputs[argument.name] = (
                eval(value, {"__builtins__": {}}, dict(names)) if isinstance(value, str) else value
            )
    return capsule, inputs
