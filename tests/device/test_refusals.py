"""What the emulated device refuses by name instead of faulting somewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asmevo.device.protocol import RunOptions
from asmevo.errors import UnsupportedError
from asmevo.program.build import assemble_object
from reference import sanitizers
from reference.sanitizers import built, capsule, device

_ARGUMENT = "      - {{.offset: 16, .size: 8, .value_kind: {kind}}}\n...\n"
# What device code for printf does first: fetch the buffer's pointer and look at its header.
_USES = """s_load_dwordx2 s[10:11], s[0:1], 0x10
s_waitcnt lgkmcnt(0)
v_mov_b32 v20, 0
global_load_dwordx2 v[22:23], v20, s[10:11] offset:8
s_waitcnt vmcnt(0)
"""


def _object(body: str, kind: str) -> bytes:
    text = sanitizers._TEMPLATE.replace("...\n", _ARGUMENT.replace("{kind}", kind), 1)
    text = text.replace(".kernarg_segment_size: 16", ".kernarg_segment_size: 24")
    return assemble_object(text.format(body=sanitizers._HEAD + body, arch="gfx942"))


@pytest.mark.parametrize(
    "kind",
    [
        "hidden_hostcall_buffer",
        "hidden_printf_buffer",
        "hidden_heap_v1",
        "hidden_default_queue",
        "hidden_multigrid_sync_arg",
    ],
)
def test_state_of_the_runtime_that_a_kernel_uses_is_refused_by_kind(kind: str) -> None:
    launch = capsule()
    launch = replace(launch, kernarg=launch.kernarg + bytes(8))
    with pytest.raises(UnsupportedError, match=kind) as caught:
        device().run(_object(_USES, kind), launch, RunOptions())
    assert "printf" in (caught.value.remedy or "")
    # One that declares it and does not touch it runs.
    assert device().run(_object("s_nop 0\n", kind), launch, RunOptions()).ok


def test_a_null_pointer_of_the_kernel_itself_stays_a_fault() -> None:
    body = "s_mov_b64 s[10:11], 0\n" + _USES.split("\n", 2)[2]
    result = device().run(built(body), capsule(), RunOptions())
    assert result.fault is not None
    assert result.fault.kind == "out_of_bounds"


@pytest.mark.parametrize("bits", [0x0, 0x3, 0xF, 0xC])
def test_mode_from_memory_runs_in_the_mode_it_names(bits: int) -> None:
    # FP_DENORM from a buffer: the device encodes the kernel for every value that runs meet.
    body = """v_mov_b32 v20, 0
global_load_dword v21, v20, s[4:5]
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s10, v21
s_nop 4
s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s10
s_nop 4
v_mov_b32 v10, 0x400000
v_add_f32 v10, v10, v10
global_store_dword v1, v10, s[4:5]
"""
    launch = capsule(waves=1)
    a, b = launch.buffers
    data = np.full(len(a.data) // 4, bits, np.uint32).tobytes()
    launch = replace(launch, buffers=(replace(a, data=data), b))
    result = device().run(built(body), launch, RunOptions())
    assert result.ok
    out = np.frombuffer(result.buffers["a"][:256], np.uint32)
    assert (out == (0x800000 if bits & 1 else 0)).all()
