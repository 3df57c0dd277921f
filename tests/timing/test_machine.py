"""Machine tables: complete, sourced, refusing what they do not know; and true to the traces."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.timing import kernel
from asmevo.timing import machine as machine_module
from asmevo.timing.att import Capture
from asmevo.timing.compiled import compiled
from asmevo.timing.kernel import clock
from asmevo.timing.machine import find_machine, from_json, machine_for, named, names
from asmevo.timing.static import Kind

WORDS = ("trace", "calibrated", "LLVM", "gpu-benches", "spec", "ISA", "microbench", "white paper")
WORDS += ("assumed", "no such opcode", "there is none", "set for each launch", "Mojo")


@pytest.mark.parametrize("name", names())
def test_every_number_of_a_packaged_machine_names_its_source(name: str) -> None:
    folder = Path(machine_module.__file__).parent / "machines"
    lines = (folder / f"{name}.yaml").read_text().splitlines()
    numbers = [line for line in lines if re.match(r"  \w+: ", line)]
    assert numbers
    for line in numbers:
        assert "#" in line, line
        assert any(word in line.partition("#")[2] for word in WORDS), line
    assert named(name).name == name


def test_the_machines_that_are_there() -> None:
    """Compute units as AMD's data sheets have them (MI308X: as devices report)."""
    units = {name: named(name).count("compute_units") for name in names()}
    assert units == {
        "mi210": 104, "mi250x": 110, "mi300a": 228, "mi300x": 304, "mi308x": 80, "mi325x": 304,
        "mi350x": 256, "mi355x": 256,
    }  # fmt: skip
    assert named("mi308x")["lds_latency"] == named("mi300x")["lds_latency"]
    assert {named(n).arch for n in ("mi210", "mi250x")} == {"gfx90a"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no mapping"),
        ("- 1", "no mapping"),
        ("schema: asmevo/machine/9", "schema is"),
        ("schema: asmevo/machine/1", "arch is"),
        ("schema: asmevo/machine/1\narch: gfx1100", "arch is 'gfx1100'"),
        ("schema: asmevo/machine/1\narch: gfx942", "no compute_units"),
        ("schema: asmevo/machine/1\nlike: mi9000", "no other machine"),
        ("schema: asmevo/machine/1\nlike: mi300x\nlink: 1", "unknown key 'link'"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: [1]", "no mapping of names"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {warps: 1}", "unknown constant"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: four}", "slot is 'four'"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: yes}", "slot is True"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: 0}", "divides by it"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: -4}", "no number of clk"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: .nan}", "no number of clk"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {clock_mhz: .inf}", "of MHz"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {compute_units: 0.5}", "whole"),
        ("schema: asmevo/machine/1\nlike: mi300x\nlike: mi210", "given twice"),
        ("schema: asmevo/machine/1\nlike: mi300x\nconstants: {slot: 4, slot: 4}", "given twice"),
        ("schema: !!python/object/apply:os.system [true]", "not readable"),
        ("{" * 3000, "not readable"),
        ("schema: [", "not readable"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(says)) as refused:
        find_machine(path)
    assert "\n" not in refused.value.one_line()
    assert str(path) in refused.value.one_line()


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "half.yaml"
    path.write_text("schema: asmevo/machine/1\nlike: mi300x\nconstants:\n  compute_units: 152\n")
    half = find_machine(path)
    assert (half.name, half.arch, half["compute_units"]) == ("half", "gfx942", 152)
    assert half.title.startswith("half (")
    assert find_machine("MI300X").title == "mi300x"
    assert from_json(half.to_json()) == half == pickle.loads(pickle.dumps(half))
    with pytest.raises(InputError, match="half runs gfx942"):
        half.require(Target("gfx950"))
    with pytest.raises(InputError, match="no machine 'mi400'"):
        find_machine("mi400")
    with pytest.raises(InputError, match="too large"):
        find_machine(_large(tmp_path))


def _large(folder: Path) -> Path:
    path = folder / "large.yaml"
    path.write_text("#" * (2 << 20))
    return path


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
    assert callable(compiled(clock._run))
    monkeypatch.setenv("ASMEVO_CACHE", str(tmp_path / "cache"))
    assert callable(compiled(clock._run))
    assert (tmp_path / "cache" / "numba").is_dir()
