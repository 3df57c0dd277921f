"""Recorded dispatches through the judge: roles, inner pointers, module variables, witnesses.

Expected results are computed with NumPy; the kernel is `reference.recorded.SOURCE`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import asmevo
from asmevo.capsule.model import Capsule
from asmevo.capsule.placement import placed
from asmevo.capsule.recorded import (
    Allocation,
    Variable,
    convert,
)
from asmevo.capsule.recorded.manifest import sealed
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from reference.recorded import COUNTS, OUT, ROWS, SOURCE, STATE, TABLE, answer, recorded


@pytest.fixture(scope="module")
def code() -> bytes:
    return assemble_object(SOURCE, Target("gfx942"))


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
    assert not [n for n in verdict.data["notes"] if "placement" in n]


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


def test_a_weak_oracle_is_named(code: bytes, tmp_path: Path) -> None:
    path = recorded(code, tmp_path / "c", weak="copied afterwards")
    verdict = asmevo.verify(code, code, path)
    assert verdict.ok
    assert verdict.reason.endswith("; weak oracle")
    assert "weak oracle: copied afterwards" in verdict.data["launch_notes"]


def test_the_recorded_outcome_is_a_second_witness(code: bytes, tmp_path: Path) -> None:
    path = recorded(code, tmp_path / "c")
    found = asmevo.run(code, path)
    assert found.data["runs"][0]["as_recorded"] == {"table": 0, "out": 0, "state": 0}
    assert "launch 1: all 3 buffers are as recorded afterwards" in found.data["notes"]
    wrong = asmevo.run(edited(*WRONG["does not count"]), path)
    assert wrong.data["runs"][0]["as_recorded"]["state"] >= 64
