"""Recorded dispatches through the judge: roles, inner pointers, module variables, witnesses.

Expected results are computed with NumPy. The kernel is written by hand: it reads a table of
pointers (two levels), a scale from a module variable, and keeps what it does not own:

    out[group * 64 + lane] = scale * table[group][lane];  state[lane] += 1 (in place)
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import asmevo
from asmevo.capsule.model import Capsule
from asmevo.capsule.placement import placed
from asmevo.capsule.recorded import (
    Allocation,
    CapsuleWriter,
    Dispatch,
    Variable,
    convert,
)
from asmevo.capsule.recorded.manifest import sealed
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

SOURCE = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	gather
	.p2align	8
	.type	gather,@function
gather:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_load_dwordx2 s[6:7], s[0:1], 0x8
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, scale@rel32@lo+4
	s_addc_u32 s11, s11, scale@rel32@hi+12
	s_load_dword s12, s[10:11], 0x0
	s_lshl_b32 s13, s2, 3
	s_waitcnt lgkmcnt(0)
	s_load_dwordx2 s[14:15], s[4:5], s13
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[14:15]
	v_lshl_add_u32 v3, s2, 8, v1
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, s12, v2
	global_store_dword v3, v2, s[6:7]
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 .Lend
	global_load_dword v4, v1, s[8:9]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v4, 1, v4
	global_store_dword v1, v4, s[8:9]
.Lend:
	s_endpgm
.Lfunc_end0:
	.size	gather, .Lfunc_end0-gather
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel gather
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.type	scale,@object
	.protected	scale
	.globl	scale
	.data
	.p2align	2
scale:
	.long	0x3f800000
	.size	scale, 4
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: gather
    .symbol: gather.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 24, .size: 8, .value_kind: hidden_hostcall_buffer}
...
	.end_amdgpu_metadata
"""
GROUPS, SCALE = 3, 2.5
# As hipMalloc gives them: neighbours without a gap, two megabytes apart, above and below.
TABLE, OUT, STATE, ROWS = 0x7F31_4400_0000, 0x7F31_4400_1000, 0x7F31_4420_0000, 0x7F2E_0000_0000
HOSTCALL = 0x7F55_0000_1000  # of a runtime that is gone
RNG = np.random.default_rng(11)
X = RNG.normal(size=(GROUPS, 64)).astype(np.float32)
COUNTS = RNG.integers(0, 1000, 100, np.int32)


@pytest.fixture(scope="module")
def code() -> bytes:
    return assemble_object(SOURCE, Target("gfx942"))


def answer() -> bytes:
    return (np.float32(SCALE) * X).tobytes()


def recorded(code: bytes, path: Path, out: bytes | None = None, **changes: object) -> Path:
    """A capsule of one dispatch: rows lie in another order than the table names them."""
    order = [2, 0, 1]
    rows = np.concatenate([X[order.index(n)] for n in range(GROUPS)])
    place = [ROWS + 256 * order[n] for n in range(GROUPS)]
    table = struct.pack("<3Q", *place).ljust(4096, b"\0")
    kernarg = struct.pack("<4Q", TABLE, OUT, STATE, HOSTCALL)
    after = COUNTS.copy()
    after[:64] += 1
    memory = (
        Allocation("table", TABLE, table, table),
        Allocation("out", OUT, out or bytes(4 * 64 * GROUPS), answer()),
        Allocation("state", STATE, COUNTS.tobytes(), after.tobytes()),
        Allocation("rows", ROWS, rows.tobytes(), kind="managed"),
    )
    variables = (Variable("scale", 0x7F60_0000_2000, struct.pack("<f", SCALE)),)
    with CapsuleWriter(path, target="gfx942", weak=str(changes.pop("weak", ""))) as writer:
        sha = writer.add_object(code)
        one = Dispatch("gather", sha, (GROUPS, 1, 1), (64, 1, 1), kernarg, 0x7F30_0000_0000,
                       memory, variables)  # fmt: skip
        writer.add_dispatch(replace(one, **changes))  # type: ignore[arg-type]
    return path


def launched(code: bytes, path: Path, as_recorded: bool = False) -> Capsule:
    (found,) = asmevo.launches(code, path, as_recorded=as_recorded)
    return found


@pytest.mark.parametrize("name", ["c.capsule", "c.zip"])
def test_a_recorded_dispatch_runs_at_its_own_addresses(
    code: bytes, tmp_path: Path, name: str
) -> None:
    capsule = launched(code, recorded(code, tmp_path / name), as_recorded=True)
    result = EmulatedDevice().run(code, capsule, RunOptions())
    assert result.fault is None
    assert result.buffers["out"] == answer()
    state = np.frombuffer(result.buffers["state"], np.int32)
    assert (state - COUNTS == [1] * 64 + [0] * 36).all()
    assert capsule.buffer("table").address == TABLE


@pytest.mark.parametrize("placement", ["low", "high"])
def test_pointers_in_buffers_move_along(code: bytes, tmp_path: Path, placement: str) -> None:
    capsule = launched(code, recorded(code, tmp_path / "c"), as_recorded=True)
    moved = placed(capsule, placement)  # type: ignore[arg-type]
    assert {b.address for b in moved.buffers}.isdisjoint({TABLE, OUT, STATE, ROWS})
    result = EmulatedDevice().run(code, moved, RunOptions())
    assert result.buffers["out"] == answer()


def test_roles_and_types_are_found_by_running(code: bytes, tmp_path: Path) -> None:
    # The answer of an earlier launch lies in `out`; what is judged must not start from it.
    capsule = launched(code, recorded(code, tmp_path / "c", out=answer()))
    found = {b.name: (b.role, b.dtype, b.undefined) for b in capsule.buffers}
    assert found["table"][0] == found["rows"][0] == "in"
    assert found["out"] == ("out", "f32", True)
    assert found["rows"][1] == "f32"
    assert found["state"][::2] == ("inout", False)
    assert found["state"][1] in ("i32", "u32")
    out = np.frombuffer(capsule.buffer("out").data, np.uint8)
    assert (out != np.frombuffer(answer(), np.uint8)).all()
    # It reads and writes part of `state`: all of it stays.
    assert capsule.buffer("state").data == COUNTS.tobytes()


def edited(old: str, new: str) -> bytes:
    assert old in SOURCE
    return assemble_object(SOURCE.replace(old, new), Target("gfx942"))


WRONG = {
    "stores nothing": ("global_store_dword v3, v2, s[6:7]", "s_nop 0\n\ts_nop 0"),
    "does not count": ("v_add_u32_e32 v4, 1, v4", "v_add_u32_e32 v4, 0, v4"),
    "takes the first row": ("s_lshl_b32 s13, s2, 3", "s_lshr_b32 s13, s2, 3"),
    "knows the scale": ("v_mul_f32_e32 v2, s12, v2", "v_mul_f32_e32 v2, 0.5, v2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_object_is_stopped_on_a_recorded_launch(
    code: bytes, tmp_path: Path, name: str
) -> None:
    path = recorded(code, tmp_path / "c", out=answer())
    verdict = asmevo.verify(code, edited(*WRONG[name]), path)
    assert verdict.status == "divergent", verdict.reason


def test_an_equal_object_passes_wherever_memory_lies(code: bytes, tmp_path: Path) -> None:
    verdict = asmevo.verify(code, code, recorded(code, tmp_path / "c"))
    assert verdict.ok, verdict.reason
    assert not [n for n in verdict.data.get("notes", ()) if "placement" in n]


@pytest.fixture
def refused(code: bytes, tmp_path: Path) -> Callable[..., AsmEvoError]:
    def check(kind: type[AsmEvoError], **changes: object) -> AsmEvoError:
        path = recorded(code, tmp_path / "c", **changes)
        with pytest.raises(kind) as info:
            asmevo.launches(code, path)
        return info.value

    return check


def test_what_cannot_be_run_is_refused_by_name(refused: Callable[..., AsmEvoError]) -> None:
    assert "partial" in str(refused(UnsupportedError, remainder=(10, 0, 0)))


def test_another_kernel_is_refused_by_name(refused: Callable[..., AsmEvoError]) -> None:
    assert "no kernel named 'other'" in str(refused(InputError, kernel="other"))


def test_a_missing_variable_is_refused_by_name(code: bytes, tmp_path: Path) -> None:
    path = recorded(code, tmp_path / "c", variables=(Variable("bias", 0, bytes(4)),))
    with pytest.raises(InputError, match="no module variable 'bias'"):
        asmevo.run(code, path)


def test_more_memory_than_there_is_is_refused(
    code: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(Allocation(f"a{n}", (n + 1) << 40, bytes(4 << 20)) for n in range(3))
    path = recorded(code, tmp_path / "c", allocations=many)
    monkeypatch.setattr(convert, "free_memory", lambda: 64 << 30)
    # 4 MiB of zeros say that they are 16 GiB each: 4,096 pieces of 4 MiB, of which none is stored.
    document = json.loads((path / "manifest.json").read_bytes())
    del document["seal"]
    for a in document["dispatches"][0]["allocations"]:
        a["before"] = {"size": 16 << 30, "pieces": a["before"]["pieces"] * 4096}
    (path / "manifest.json").write_bytes(sealed(document))
    with pytest.raises(EnvironmentFault, match="its memory needs"):
        asmevo.launches(code, path)
