"""Machine tables: complete, sourced, refusing what they do not know; and true to the traces."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from asmevo.errors import UnsupportedError
from asmevo.isa.target import Target
from asmevo.timing import kernel
from asmevo.timing.att import Capture
from asmevo.timing.compiled import compiled
from asmevo.timing.machine import ROWS, machine_for
from asmevo.timing.static import Kind


def test_every_constant_names_its_source_once() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    for row in ROWS:
        words = ("trace", "calibrated", "LLVM", "gpu-benches", "spec", "ISA", "not separable")
        words += ("microbench", "white paper", "traffic", "assumed:")
        assert any(word in row.source for word in words), row.name
        assert min(row.gfx90a, row.gfx942, row.gfx950) >= 0


def test_the_simulator_asks_only_for_rows_of_the_table() -> None:
    order = kernel.Clocks._fields
    machine = machine_for("gfx942")
    clocks = kernel.Clocks(*(machine[name] for name in order))
    assert clocks.branch_taken == 20
    assert len(set(order)) == len(order)


def test_changed_constants_are_remembered() -> None:
    machine = machine_for(Target("gfx950")).with_values(vmem_latency=1.0)
    assert machine["vmem_latency"] == 1.0
    assert machine.changed == {"vmem_latency"}
    assert machine_for("gfx950").changed == frozenset()


def test_unknown_constants_and_parts_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="warp_size"):
        machine_for("gfx942").with_values(warp_size=32)
    with pytest.raises(UnsupportedError, match="gfx1100"):
        machine_for("gfx1100")


def gaps(captures: tuple[Capture, ...], before: str, after: str) -> Counter[int]:
    """Clocks between issues of neighbours whose texts start so."""
    found: Counter[int] = Counter()
    for capture in captures:
        first = np.array([t.startswith(before) for t in capture.text])
        second = np.array([t.startswith(after) for t in capture.text])
        for unit in capture.units:
            for wave in unit:
                pair = first[wave.indices[:-1]] & second[wave.indices[1:]]
                found.update(np.diff(wave.issue)[pair].tolist())
    return found


@pytest.mark.shared
@pytest.mark.parametrize(
    ("arch", "before", "after", "row"),
    [
        ("gfx942", "v_add_u32", "v_", "slot"),
        ("gfx950", "v_add_u32", "v_", "slot"),
        ("gfx942", "s_add_u32", "s_addc_u32", "slot"),
        ("gfx950", "v_exp_f32", "v_", "trans_issue"),
        ("gfx942", "v_rcp_iflag_f32", "s_", "trans_issue"),
        ("gfx950", "v_add_f32", "ds_", "valu_to_memory"),
        ("gfx942", "v_xor_b32", "ds_write", "valu_to_memory"),
        ("gfx942", "v_readfirstlane", "s_mul_i32", "valu_to_salu"),
        ("gfx942", "s_cmp", "s_cbranch_scc", "salu_to_branch"),
        ("gfx950", "s_cmp", "s_cbranch_scc", "salu_to_branch"),
    ],
)
def test_issue_rules_are_the_most_frequent_distance_in_the_traces(
    captures: dict[str, tuple[Capture, ...]], arch: str, before: str, after: str, row: str
) -> None:
    found = gaps(captures[arch], before, after)
    if not found:
        pytest.skip(f"the captures here have no {before} followed by {after}")
    (mode, _), *_ = found.most_common(1)
    assert mode == machine_for(arch)[row]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("arch", "mnemonic"),
    [("gfx942", "v_mfma_f32_16x16x16_bf16"), ("gfx950", "v_mfma_f32_16x16x32_bf16")],
)
def test_matrix_instructions_follow_each_other_at_their_passes(
    captures: dict[str, tuple[Capture, ...]], arch: str, mnemonic: str
) -> None:
    (mode, _), *_ = gaps(captures[arch], mnemonic, mnemonic).most_common(1)
    capture = next(c for c in captures[arch] if any(t.startswith(mnemonic) for t in c.text))
    index = next(i for i, t in enumerate(capture.text) if t.startswith(mnemonic))
    assert capture.program.kind[index] == Kind.MFMA
    assert mode == 4 * capture.program.passes[index] == 16


@pytest.mark.shared
def test_taken_branches_cost_what_the_table_says(captures: dict[str, tuple[Capture, ...]]) -> None:
    for arch, members in captures.items():
        found: Counter[int] = Counter()
        for capture in members:
            branch = capture.program.kind == Kind.BRANCH
            for unit in capture.units:
                for wave in unit:
                    here, there = wave.indices[:-1], wave.indices[1:]
                    taken = branch[here] & (there != here + 1)
                    # Waits and nops are stamped when they end, so look at other targets.
                    other = ~np.isin(
                        capture.program.kind[there], (Kind.WAIT, Kind.NOP, Kind.BARRIER)
                    )
                    found.update(np.diff(wave.issue)[taken & other].tolist())
        assert found.most_common(1)[0][0] == machine_for(arch)["branch_taken"]
        assert min(found) >= 4


def test_no_cache_folder_is_no_obstacle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A read-only home, another user's folder: compiled code is kept nowhere, and works."""
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no folder")
    monkeypatch.setenv("ASMEVO_CACHE", str(in_the_way))
    monkeypatch.setenv("HOME", "/nonexistent")
    assert callable(compiled(kernel._run))
    monkeypatch.setenv("ASMEVO_CACHE", str(tmp_path / "cache"))
    assert callable(compiled(kernel._run))
    assert (tmp_path / "cache" / "numba").is_dir()
