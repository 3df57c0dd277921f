"""The AQL kernel dispatch packet of a capsule, for kernels that ask for the dispatch pointer.

Source: HSA System Architecture 1.2, section 2.8.6 (kernel dispatch packet).
"""

from __future__ import annotations

import struct

from asmevo.capsule.model import Capsule

_LAYOUT = struct.Struct("<HHHHHHIIIIIQQQQ")
_TYPE_KERNEL_DISPATCH = 2
_SYSTEM_SCOPE_FENCES = 2 << 9 | 2 << 11  # acquire and release


def aql_packet(
    capsule: Capsule, *, kernel_object: int, group_segment: int, private_segment: int
) -> bytes:
    """The 64 packet bytes.

    Args:
        capsule: the dispatch.
        kernel_object: device address of the kernel descriptor.
        group_segment: LDS bytes of a workgroup, fixed and dynamic.
        private_segment: scratch bytes of a workitem.
    """
    x, y, z = capsule.block
    sizes = [g * b for g, b in zip(capsule.grid, capsule.block, strict=True)]
    dimensions = 3  # as HIP always says
    return _LAYOUT.pack(
        _TYPE_KERNEL_DISPATCH | _SYSTEM_SCOPE_FENCES,
        dimensions,
        x,
        y,
        z,
        0,
        *sizes,
        private_segment,
        group_segment,
        kernel_object,
        capsule.kernarg_address,
        0,
        0,
    )
