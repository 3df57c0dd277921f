"""Redacted recordings: other data, the same paths; what is kept decides where the kernel goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import asmevo
from asmevo.capsule.recorded import Allocation, open_capsule
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from reference.recorded import COUNTS, OUT, SOURCE, X, recorded


@pytest.fixture(scope="module")
def code() -> bytes:
    return assemble_object(SOURCE, Target("gfx942"))


def test_data_is_replaced_and_structure_stays(code: bytes, tmp_path: Path) -> None:
    path = recorded(code, tmp_path / "c", provenance={"command": ["secret"], "ordinal": 3})
    result = asmevo.redact_capsule(path, tmp_path / "r.zip")
    assert result.data["redacted"]
    with open_capsule(path) as before, open_capsule(tmp_path / "r.zip") as after:
        old, new = before.dispatches[0], after.dispatches[0]
        assert (old.grid, old.block, old.kernarg) == (new.grid, new.block, new.kernarg)
        assert new.provenance == {"ordinal": 3}
        was = {a.name: a.before.read() for a in old.allocations}
        now = {a.name: a.before.read() for a in new.allocations}
        assert now["table"][:24] == was["table"][:24]  # pointers
        rows = np.frombuffer(now["rows"], np.float32)
        assert np.isfinite(rows).all()
        assert not (rows == np.frombuffer(was["rows"], np.float32)).any()
        # Counted up, never followed; of 100 only the first 64 are touched.
        state = np.frombuffer(now["state"], np.int32)
        assert (state[:64] != COUNTS[:64]).all()
        assert not state[64:].any()
        assert all(a.after is None for a in new.allocations)
        assert new.variables[0].before.read() != old.variables[0].before.read()
    assert asmevo.verify(code, code, tmp_path / "r.zip").ok


def test_zeros_infinities_and_nan_stay_in_place(code: bytes, tmp_path: Path) -> None:
    special = X.copy()
    special[0, :6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42]
    with open_capsule(recorded(code, tmp_path / "c")) as whole:
        allocations = [
            Allocation("rows", a.address, special.tobytes()) if a.name == "rows" else a
            for a in whole.dispatches[0].allocations
        ]
        path = recorded(code, tmp_path / "d", allocations=tuple(allocations))
    asmevo.redact_capsule(path, tmp_path / "r")
    with open_capsule(tmp_path / "r") as after:
        rows = next(a for a in after.dispatches[0].allocations if a.name == "rows")
        found = np.frombuffer(rows.before.read(), np.float32)
    with np.errstate(invalid="ignore"):
        assert found[:4].tobytes() == special[0, :4].tobytes()
        assert np.isnan(found[4])
        assert 0 < abs(found[5]) <= 4
        assert np.isfinite(found[5:]).all()


GATHER = """
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
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v2, 2, v2
	global_load_dword v3, v2, s[8:9]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v3, s[6:7]
	s_endpgm
.Lfunc_end0:
	.size	gather, .Lfunc_end0-gather
"""


def test_indices_are_kept(tmp_path: Path) -> None:
    code = assemble_object(
        GATHER + SOURCE[SOURCE.index("	.section .rodata") :], Target("gfx942")
    )
    indices = np.random.default_rng(1).permutation(64).astype(np.int32)
    rows = np.random.default_rng(2).integers(0, 1 << 30, 64, np.int32)
    memory = (
        Allocation("indices", 0x7F31_4400_0000, indices.tobytes()),
        Allocation("out", OUT, bytes(256)),
        Allocation("rows", 0x7F31_4420_0000, rows.tobytes()),
    )
    path = recorded(code, tmp_path / "c", allocations=memory, grid=(1, 1, 1))
    result = asmevo.redact_capsule(path, tmp_path / "r")
    assert result.data["kept"] == ["0: indices"]
