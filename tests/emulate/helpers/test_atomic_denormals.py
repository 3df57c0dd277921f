"""Subnormal f32 values in atomic additions, per target and memory (case `num-atomic-denormal`).

Sources: LLVM uses the native atomic for IEEE denormals on gfx942 and gfx950 and a loop on gfx90a
(llvm/llvm-project#96443); the LDS unit follows MODE.FP_DENORM; half-precision additions keep
subnormals everywhere. Expected sums are exact: 2^-127 + 0 and 2^-127 + 2^-127 = 2^-126.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asmevo.emulate.decode import fidelity
from emulate.harness import DEFAULT, run_body
from opinion.wave import assemble

TINY, NORMAL = 0x00400000, 0x00800000
_GLOBAL = {
    "global_atomic_add_f32": "global_atomic_add_f32 v0, v1, s[2:3]",
    "buffer_atomic_add_f32": "buffer_atomic_add_f32 v1, v0, s[4:7], 0 offen",
    "flat_atomic_add_f32": "flat_atomic_add_f32 v[2:3], v1",
}
_SETUP = """
s_mov_b32 exec_lo, 1
s_mov_b32 exec_hi, 0
s_mov_b32 s4, s2
s_mov_b32 s5, s3
s_mov_b32 s6, 256
s_mov_b32 s7, 0x27000
v_mov_b32 v0, 0
v_mov_b32 v2, s2
v_mov_b32 v3, s3
v_mov_b32 v1, 0x400000
"""


def _sum(arch: str, denorm: int, access: str, start: int) -> int:
    memory = np.zeros(64, np.uint32)
    memory[0] = start
    setup = replace(DEFAULT, arch=arch, denorm_32=denorm, lds=256)
    data, _ = run_body(_SETUP + access, memory, setup)
    return int(data[:4].view(np.uint32)[0])


@pytest.mark.parametrize("denorm", [0, 3])
@pytest.mark.parametrize(
    ("arch", "opcode", "keeps"),
    [
        ("gfx90a", "global_atomic_add_f32", False),
        ("gfx90a", "buffer_atomic_add_f32", False),
        *((arch, opcode, True) for arch in ("gfx942", "gfx950") for opcode in _GLOBAL),
    ],
)
def test_device_memory_does_not_see_mode(arch: str, opcode: str, keeps: bool, denorm: int) -> None:
    access = _GLOBAL[opcode]
    assert _sum(arch, denorm, access, 0) == (TINY if keeps else 0)
    assert _sum(arch, denorm, access, TINY) == (NORMAL if keeps else 0)
    assert _sum(arch, denorm, access, 0x3F800000) == 0x3F800000


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize(("denorm", "kept"), [(0, 0), (3, TINY)])
def test_lds_follows_mode(arch: str, denorm: int, kept: int) -> None:
    access = """
    v_mov_b32 v4, 0
    ds_write_b32 v4, v4
    ds_add_f32 v4, v1
    ds_read_b32 v5, v4
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v5, s[2:3]
    """
    assert _sum(arch, denorm, access, 0) == kept


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_halves_keep_subnormals(arch: str) -> None:
    access = "v_mov_b32 v1, 0x00010002\nglobal_atomic_pk_add_f16 v0, v1, s[2:3]"
    assert _sum(arch, 3, access, 0x00010001) == 0x00020003


@pytest.mark.parametrize(
    ("arch", "text", "level"),
    [
        ("gfx90a", "global_atomic_add_f32 v0, v1, s[2:3]", "exact"),
        ("gfx942", "global_atomic_add_f32 v0, v1, s[2:3]", "open"),
        ("gfx950", "buffer_atomic_add_f32 v1, v0, s[4:7], 0 offen", "open"),
        ("gfx942", "flat_atomic_add_f32 v[2:3], v1", "open"),
        ("gfx942", "ds_add_f32 v0, v1", "exact"),
        ("gfx942", "global_atomic_add v0, v1, s[2:3]", "exact"),
        ("gfx942", "global_atomic_add_f64 v0, v[2:3], s[2:3]", "exact"),
    ],
)
def test_what_sources_dispute_is_not_called_exact(arch: str, text: str, level: str) -> None:
    (row,) = fidelity.report(assemble(text, arch), arch)
    assert row.level == level
    assert level == "exact" or "manual" in row.note
