"""The emulator's helpers and runtime put together: the compiled library that everybody shares.

Importing this module registers all emitters. As a program it is the worker that compiles batches
in a process of its own.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from asmevo.emulate.engine.schedule import runtime_module
from asmevo.emulate.helpers.lane import cross_lane
from asmevo.emulate.helpers.lane import mix as lane_mix
from asmevo.emulate.helpers.lane import ops as lane_ops
from asmevo.emulate.helpers.matrix import ops as matrix_ops
from asmevo.emulate.helpers.memory import lds as lds_ops
from asmevo.emulate.helpers.memory import lds_special, typed_buffer
from asmevo.emulate.helpers.memory import scalar as scalar_memory
from asmevo.emulate.helpers.memory import vector as vector_memory
from asmevo.emulate.helpers.scalar import control, passing
from asmevo.emulate.helpers.scalar import ops as scalar_ops
from asmevo.emulate.helpers.scalar import state as scalar_state
from asmevo.emulate.native.compile_worker import serve
from asmevo.emulate.native.library import HelperLibrary, Toolchain
from asmevo.emulate.sanitize import pending

REGISTERED = (
    control,
    cross_lane,
    lane_mix,
    lane_ops,
    lds_ops,
    lds_special,
    matrix_ops,
    passing,
    pending,
    scalar_memory,
    scalar_ops,
    scalar_state,
    typed_buffer,
    vector_memory,
)
TOOLCHAIN = Toolchain(
    runtime_module,
    ("asmevo_resolve", "asmevo_shadow", "asmevo_straight", "asmevo_queue", "asmevo_commit"),
    ("asmevo_setup", "asmevo_run"),
    "asmevo.emulate.engine.toolchain",
)
_SHARED_LOCK = threading.Lock()


def helper_library(folder: Path | None = None, use_cache: bool = True) -> HelperLibrary:
    """A library of its own; `folder` overrides the user's cache."""
    return HelperLibrary(TOOLCHAIN, folder, use_cache)


def shared_library() -> HelperLibrary:
    """The process-wide library."""
    with _SHARED_LOCK:
        return _only_library()


@lru_cache(maxsize=1)
def _only_library() -> HelperLibrary:
    return helper_library()


if __name__ == "__main__":
    serve()
