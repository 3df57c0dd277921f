"""AsmEvo: optimize compiled AMD GPU kernels, with evidence that they still behave the same.

`asmevo.open`, `asmevo.optimize` and the other use cases of `asmevo.api` are loaded when they are
first used, so that `import asmevo` costs nothing. Two of them have the name of a room of the
house (`asmevo.check`, `asmevo.verify`): there the room itself can be called.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

__version__ = "0.1.0"
_ROOMS = ("check", "verify")
_USE_CASES = (
    "Agent",
    "Assembled",
    "Checked",
    "Diff",
    "Disassembly",
    "Execution",
    "Exported",
    "Finished",
    "Inference",
    "Inspection",
    "Object",
    "Optimization",
    "Profile",
    "Replaced",
    "Result",
    "Roundtrip",
    "Run",
    "Search",
    "Session",
    "Verification",
    "ask",
    "asm",
    "audit",
    "bench",
    "capsule_contents",
    "capsule_object",
    "capture",
    "check",
    "check_launches",
    "check_templates",
    "diff",
    "disasm",
    "doctor",
    "evidence_bundle",
    "execute",
    "export_run",
    "extract",
    "find",
    "finish",
    "import_capsule",
    "infer_launch",
    "inspect",
    "launch_template",
    "launches",
    "list_runs",
    "open",
    "optimize",
    "profile",
    "redact_capsule",
    "replace",
    "roundtrip",
    "run",
    "run_diff",
    "run_tree",
    "schema",
    "show_run",
    "tell",
    "verify",
)
__all__ = ["__version__", *_USE_CASES]  # pyright: ignore[reportUnsupportedDunderAll]


class _Room(types.ModuleType):
    """A package that is also the use case of its name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(_api(), self.__name__.rpartition(".")[2])(*arguments, **options)


class _House(types.ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        # The import system binds a package to its parent here, whoever imports it first.
        if name in _ROOMS and type(value) is types.ModuleType:
            value.__class__ = _Room
        super().__setattr__(name, value)


def _api() -> types.ModuleType:
    # By name, as the rooms below the api import this package for its version.
    return importlib.import_module(f"{__name__}.api")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _USE_CASES:
        return getattr(_api(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_USE_CASES])


sys.modules[__name__].__class__ = _House
