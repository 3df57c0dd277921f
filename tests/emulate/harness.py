"""Small kernels around a few instructions: memory in, memory out, on the product's engine.

`run_body` wraps a body in a kernel whose SGPR pair s[2:3] holds the address of one buffer; v0 is
the lane. It goes through assembling, decoding, encoding and launching, so that branches, MODE,
LDS, scratch and faults behave as in a real run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import CodeObject
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, encode
from asmevo.emulate.decode.templates import PLAIN, Style
from asmevo.emulate.engine.launch import Launch, MemoryRegion, object_image
from asmevo.emulate.engine.machine import Machine, Outcome
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.emulate.native.library import HelperLibrary
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object

BUFFER, KERNARG = 0x7000_0000_0000, 0x7100_0000_0000

_TEMPLATE = """
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
{first}
\ts_load_dwordx2 s[2:3], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
{body}
\ts_endpgm
.Lend:
\t.size k, .Lend-k
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size {lds}
\t\t.amdhsa_private_segment_fixed_size {private}
\t\t.amdhsa_kernarg_size 8
\t\t.amdhsa_user_sgpr_count {user}
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
{preload_lines}\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t\t.amdhsa_next_free_vgpr 64
\t\t.amdhsa_next_free_sgpr 60
\t\t.amdhsa_accum_offset 64
\t\t.amdhsa_float_round_mode_32 {round_32}
\t\t.amdhsa_float_denorm_mode_32 {denorm_32}
\t\t.amdhsa_ieee_mode {ieee}
\t\t.amdhsa_dx10_clamp {dx10}
\t.end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: {lds}
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 256
    .name:           k
    .private_segment_fixed_size: {private}
    .sgpr_count:     60
    .symbol:         k.kd
    .vgpr_count:     64
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--{arch}
amdhsa.version:
  - 1
  - 2
...
\t.end_amdgpu_metadata
"""


@dataclass(frozen=True)
class Setup:
    """What the kernel descriptor says beyond the defaults of HSA compute kernels."""

    arch: str = "gfx942"
    lds: int = 0
    private: int = 0
    round_32: int = 0
    denorm_32: int = 3
    ieee: int = 1
    dx10: int = 1
    preload: int = 0
    unused_user_sgprs: int = 0  # beyond those that are enabled


DEFAULT = Setup()


@lru_cache(maxsize=1)
def library() -> HelperLibrary:
    return shared_library()


def encoded(
    body: str, setup: Setup = DEFAULT, style: Style = PLAIN, first: str = ""
) -> EncodedKernel:
    """The encoded kernel of a body; `first` runs before the buffer's address is loaded."""
    fields = {name: getattr(setup, name) for name in Setup.__dataclass_fields__}
    fields["first"] = first
    fields["user"] = 2 + setup.preload + setup.unused_user_sgprs
    fields["preload_lines"] = (
        f"\t\t.amdhsa_user_sgpr_kernarg_preload_length {setup.preload}\n" if setup.preload else ""
    )
    lines = "\n".join("\t" + line.strip() for line in body.strip().splitlines())
    data = assemble_object(_TEMPLATE.format(body=lines, **fields), Target(setup.arch))
    co = CodeObject.open(data)
    return encode(recover(co), co.kernel(None), library(), style)


def launched(
    kernel: EncodedKernel,
    memory: NDArray[np.generic],
    *,
    block: int = 64,
    groups: int = 1,
    **options: Any,
) -> tuple[NDArray[np.uint8], Outcome]:
    """Run an encoded kernel on a copy of `memory`; `options` are fields of `Launch`."""
    data = np.frombuffer(bytearray(memory.tobytes()), np.uint8)
    kernarg = BUFFER.to_bytes(8, "little").ljust(64, b"\0")
    launch = Launch((groups, 1, 1), (block, 1, 1), 0, kernarg, KERNARG, **options)
    regions = [
        MemoryRegion("buffer", BUFFER, data, True),
        MemoryRegion("kernarg", KERNARG, np.frombuffer(bytearray(kernarg), np.uint8), False),
        *object_image(kernel.program.object),
    ]
    return data, Machine(library()).run(kernel, launch, regions)


def run_body(
    body: str,
    memory: NDArray[np.generic],
    setup: Setup = DEFAULT,
    *,
    block: int = 64,
    quantum: int = 0,
    style: Style = PLAIN,
    expect_fault: bool = False,
    **options: Any,
) -> tuple[NDArray[np.uint8], Outcome]:
    """Run a body on a copy of `memory`; returns the memory's bytes afterwards and the outcome."""
    kernel = encoded(body, setup, replace(style, tick=quantum > 0))
    data, outcome = launched(kernel, memory, block=block, quantum=quantum, **options)
    if not expect_fault:
        assert not outcome.fault, (
            L.FAULT_KINDS[outcome.fault],
            kernel.unsupported.get(outcome.fault_index),
            kernel.program.instructions[outcome.fault_index].text,
        )
    return data, outcome


def lanes(
    body: str, *columns: NDArray[np.uint32], setup: Setup = DEFAULT, style: Style = PLAIN
) -> NDArray[np.uint32]:
    """Run a body with lane values in v1, v2, ... and return what it leaves in v1 per lane."""
    loads = ["v_lshlrev_b32 v0, 2, v0"]
    loads += [
        f"global_load_dword v{n + 1}, v0, s[2:3] offset:{256 * n}" for n in range(len(columns))
    ]
    store = "global_store_dword v0, v1, s[2:3]"
    text = "\n".join([*loads, "s_waitcnt vmcnt(0)", body, store])
    memory = np.concatenate([np.asarray(c, np.uint32) for c in columns])
    data, _ = run_body(text, memory, setup, style=style)
    return data[:256].view(np.uint32)
