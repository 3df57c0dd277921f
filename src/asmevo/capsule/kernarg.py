"""The kernarg segment of a dispatch, built from the kernel's metadata.

Explicit arguments come from the launch description, padding arguments stay zero, hidden ones are
filled as the HIP runtime does (LLVM AMDGPUUsage, "Code Object V5 Metadata", `.value_kind`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from asmevo.codeobject.metadata import KernelArg, KernelMetadata
from asmevo.errors import InputError, UnsupportedError

LARGEST = 1 << 20  # bytes; the runtimes allow 4 to 64 KiB
_PADDING = re.compile(r"_*pad(ding)?_?\d*", re.IGNORECASE)

# HIP dispatches three-dimensional grids only, also when y and z are 1.
GRID_DIMENSIONS = 3

_AXES = {"x": 0, "y": 1, "z": 2}
# Zero is what the runtime writes here, too, or means "not given".
_ZERO = ("hidden_none", "hidden_printf_buffer", "hidden_private_base", "hidden_shared_base")
# Each points to state of the runtime that a synthetic launch cannot make.
RUNTIME_STATE = (
    "hidden_hostcall_buffer",
    "hidden_queue_ptr",
    "hidden_heap_v1",
    "hidden_multigrid_sync_arg",
    "hidden_default_queue",
    "hidden_completion_action",
)
_UNPROMISED = ("hidden_none", "hidden_printf_buffer")  # zero here, not everywhere
_EXPLICIT = ("by_value", "global_buffer")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The numbers that hidden arguments repeat: workgroups, workitems, dynamic LDS bytes."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds_dynamic: int


def explicit_arguments(metadata: KernelMetadata) -> tuple[KernelArg, ...]:
    """Arguments that a launch must give: neither hidden nor padding, by rising offset.

    Raises:
        UnsupportedError: an argument that is neither a value nor a pointer to global memory.
    """
    found: list[KernelArg] = []
    for arg in metadata.args:
        if arg.is_hidden or (arg.name is not None and _PADDING.fullmatch(arg.name)):
            continue
        if arg.value_kind not in _EXPLICIT:
            raise UnsupportedError(
                f"kernel {metadata.name}: argument {describe(arg)} cannot be synthesized",
                "only by_value and global_buffer arguments are supported",
            )
        found.append(arg)
    return tuple(sorted(found, key=lambda a: a.offset))


def describe(arg: KernelArg) -> str:
    """An argument for messages: name if it has one, kind, size and offset."""
    name = f"{arg.name!r} " if arg.name else ""
    return f"{name}({arg.value_kind}, {arg.size} bytes at offset {arg.offset})"


def runtime_state(metadata: KernelMetadata) -> tuple[str, ...]:
    """Hidden arguments that need state of the runtime, by value kind."""
    kinds = {a.value_kind for a in metadata.args}
    return tuple(k for k in RUNTIME_STATE if k in kinds)


def unfilled(metadata: KernelMetadata, size: int) -> list[tuple[int, int]]:
    """Spans (first byte, end) of a kernarg segment whose contents nobody promises, ascending.

    They lie between the declared arguments and behind them, or are declared as padding, or would
    hold state of a runtime. A kernel without declared arguments has none.

    Args:
        metadata: of the kernel.
        size: bytes of the segment.
    """
    if not metadata.args:
        return []
    found: list[tuple[int, int]] = []
    end = 0
    for arg in sorted(metadata.args, key=lambda a: a.offset):
        padding = not arg.is_hidden and arg.name is not None and _PADDING.fullmatch(arg.name)
        if padding or arg.value_kind in (*RUNTIME_STATE, *_UNPROMISED):
            continue
        if arg.offset > end:
            found.append((end, min(arg.offset, size)))
        end = max(end, arg.offset + arg.size)
    return [*found, (end, size)] if end < size else found


def build(
    metadata: KernelMetadata,
    explicit: Mapping[int, bytes],
    dispatch: Dispatch,
    *,
    zero_runtime_state: bool = False,
) -> bytes:
    """Bytes of the kernarg segment.

    Args:
        metadata: of the kernel.
        explicit: bytes of each explicit argument by offset.
        dispatch: grid, block and dynamic LDS.
        zero_runtime_state: fill `RUNTIME_STATE` arguments with zeros instead of refusing; right
            only for a kernel that declares them and never uses them.

    Returns:
        max(declared size, end of the last argument) bytes; what nothing fills is zero.

    Raises:
        UnsupportedError: hidden arguments that need runtime state, or an unknown hidden kind.
        InputError: sizes that make no sense.
    """
    needed = runtime_state(metadata)
    if needed and not zero_runtime_state:
        raise UnsupportedError(
            f"kernel {metadata.name} takes {', '.join(needed)} from the runtime",
            "record a real dispatch; or, if the kernel never uses them, say `hidden: zero`",
        )
    size = max([metadata.kernarg_segment_size, *(a.offset + a.size for a in metadata.args)])
    if size > LARGEST:
        raise InputError(f"kernel {metadata.name}: kernarg segment of {size} bytes is not sane")
    segment = bytearray(size)
    for offset, data in explicit.items():
        if offset < 0 or offset + len(data) > size:
            raise InputError(f"kernarg offset {offset} lies outside the {size}-byte segment")
        segment[offset : offset + len(data)] = data
    for arg in metadata.args:
        if arg.is_hidden:
            value = _hidden(arg, dispatch, metadata.name)
            # Widths follow the metadata; a value that does not fit is cut by the runtime as well.
            data = struct.pack("<Q", value)[: arg.size]
            segment[arg.offset : arg.offset + len(data)] = data
    return bytes(segment)


def _hidden(arg: KernelArg, dispatch: Dispatch, kernel: str) -> int:
    kind = arg.value_kind
    axis = _AXES.get(kind[-1], 0)
    if kind.startswith("hidden_block_count_"):
        return dispatch.grid[axis]
    if kind.startswith("hidden_group_size_"):
        return dispatch.block[axis]
    # Grids are whole workgroups, so nothing remains; grids start at 0.
    if kind.startswith(("hidden_remainder_", "hidden_global_offset_")):
        return 0
    if kind == "hidden_grid_dims":
        return GRID_DIMENSIONS
    if kind == "hidden_dynamic_lds_size":
        return dispatch.lds_dynamic
    if kind in _ZERO or kind in RUNTIME_STATE:
        return 0
    raise UnsupportedError(
        f"kernel {kernel}: hidden argument {kind} at offset {arg.offset} is not known",
        "record a real dispatch instead of a synthetic launch",
    )
