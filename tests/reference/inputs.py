"""The reference's view of a synthesized launch: arrays and numbers by argument name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject.object import CodeObject
from reference import kernelbench, kernels

CHECKOUT = Path(__file__).resolve().parents[2]


def launch_paths() -> list[Path]:
    """Every launch description of a kernel of this repository."""
    root = CHECKOUT / "kernels" / "launch"
    folders = (root, root / "kernelbench", root / "recovery")
    return [path for folder in folders for path in sorted(folder.glob("*.yaml"))]


def object_of(path: Path) -> tuple[str, str]:
    """Name and folder (as `kernel_objects` takes them) of the object a description is for."""
    if path.parent.name == "recovery":
        return "calls", "recovery"
    folder = "kernelbench" if path.parent.name == "kernelbench" else "."
    return path.stem.split("-")[0], folder


def reference_of(path: Path, kernel: str) -> Callable[[dict[str, Any]], dict[str, np.ndarray]]:
    """The reference function of a description's kernel."""
    tables = {".": kernels.REFERENCES, "kernelbench": kernelbench.REFERENCES}
    return tables.get(object_of(path)[1], kernels.RECOVERY)[kernel]


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
