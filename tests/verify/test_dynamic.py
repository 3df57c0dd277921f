"""Findings of dynamic runs: what they name, how grave they are, and that clean kernels pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from asmevo.capsule.model import Capsule
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError
from asmevo.verify.dynamic import DynamicConfig, check_dynamic
from reference import kernels
from reference.inputs import capsule_and_inputs, launch_paths, object_of
from reference.sanitizers import built, capsule, device
from reference.vendor_cases import CASES

OUT = "global_store_dword v1, v10, s[4:5]\n"
SYNC = "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_barrier\n"
FILL = "ds_write_b32 v1, v0\n" + SYNC
LGKM, VM = "s_waitcnt lgkmcnt(0)\n", "s_waitcnt vmcnt(0)\n"


def check(body: str, launch: Capsule | None = None, **config: object) -> list[Finding]:
    chosen = DynamicConfig(**config)  # type: ignore[arg-type]
    return check_dynamic(built(body), [launch or capsule()], device(), chosen)


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, [f.one_line() for f in findings]
    return findings[0]


def pair(finding: Finding) -> tuple[str, str]:
    return finding.producer_text.split()[0], finding.text.split()[0]


def test_a_clean_kernel_has_no_findings() -> None:
    assert not check(FILL + "ds_read_b32 v10, v2\n" + LGKM + OUT, schedules=("interleave:3",))


@pytest.mark.parametrize(
    ("first", "second", "direction"),
    [
        ("ds_write_b32 v1, v20\n", "ds_read_b32 v10, v2\n", "read-after-write"),
        ("ds_read_b32 v10, v2\n", "ds_write_b32 v1, v20\n", "write-after-read"),
        ("ds_write_b32 v1, v20\n", "ds_write_b32 v2, v21\n", "write-after-write"),
    ],
)
def test_a_race_names_both_instructions(first: str, second: str, direction: str) -> None:
    body = (
        FILL + "v_mov_b32 v20, 7\nv_mov_b32 v21, 8\nv_mov_b32 v10, 0\ns_cmp_eq_u32 s8, 1\n"
        f"s_cbranch_scc1 .Lone\n{first}s_branch .Lboth\n.Lone:\n{second}.Lboth:\n"
        + SYNC + "ds_read_b32 v11, v1\n" + LGKM + "v_add_u32 v10, v10, v11\n" + OUT
    )  # fmt: skip
    found = only(check(body))
    assert (found.rule, found.severity, found.what) == ("race.lds", ERROR, direction)
    assert pair(found) == (first.split()[0], second.split()[0])
    program = device().program(built(body))
    assert program.instructions[found.index].text == found.text
    assert program.instructions[found.producer or 0].text == found.producer_text
    assert "s_barrier" in found.fix
    assert "wave" in found.message


def test_a_race_without_effect_is_a_note() -> None:
    # Both waves store the same value; one of them loads what nobody uses.
    same = "v_mov_b32 v10, 1\nv_mov_b32 v5, 0\nds_write_b32 v5, v10\n"
    found = only(check(FILL + same + OUT))
    assert (found.rule, found.severity) == ("race.lds", NOTE)
    assert pair(found) == ("ds_write_b32", "ds_write_b32")
    unused = "s_cmp_eq_u32 s8, 1\ns_cbranch_scc1 .Lone\nds_write_b32 v1, v0\n.Lone:\n"
    dead = unused + "ds_read_b32 v11, v2\nv_mov_b32 v10, 1\n" + LGKM + OUT
    assert {(f.rule, f.severity) for f in check(FILL + dead)} == {("race.lds", NOTE)}


def test_a_race_between_workgroups_is_an_error_unless_atomics_may_order_them() -> None:
    store = "v_mov_b32 v10, s2\n" + OUT
    found = only(check(store, capsule(groups=2)))
    assert (found.rule, found.severity) == ("race.workgroups", ERROR)
    assert pair(found) == ("global_store_dword", "global_store_dword")
    assert "of a" in found.message
    atomic = "v_mov_b32 v5, 0\nglobal_atomic_add v5, v0, s[4:5] offset:4092\n"
    found = only(check(store + atomic, capsule(groups=2)))
    assert (found.rule, found.severity) == ("race.workgroups", NOTE)


def test_waves_at_different_barriers_are_a_note() -> None:
    body = (
        "v_mov_b32 v10, 0\ns_cmp_eq_u32 s8, 1\ns_cbranch_scc1 .Lone\ns_barrier\ns_branch .Lboth\n"
        ".Lone:\ns_barrier\n.Lboth:\n"
    )
    found = only(check(body + OUT))
    assert (found.rule, found.severity) == ("race.divergent-barrier", NOTE)
    assert pair(found) == ("s_barrier", "s_barrier")


def test_undefined_lds_is_an_error_when_the_result_depends_on_it() -> None:
    read = "ds_read_b32 v10, v1\n" + LGKM
    found = only(check(read + OUT))
    assert (found.rule, found.severity) == ("uninitialized.lds", ERROR)
    assert found.text.startswith("ds_read_b32")
    found = only(check(read + "v_mov_b32 v10, 0\n" + OUT))
    assert (found.rule, found.severity) == ("uninitialized.lds", NOTE)


def test_an_undefined_register_is_named_at_its_first_use() -> None:
    body = "v_mov_b32 v20, v30\nv_xor_b32 v11, v40, v40\nv_add_u32 v10, v20, v11\n" + OUT
    copied = only(check(body))
    assert (copied.rule, copied.what) == ("uninitialized.register", "v20")
    assert copied.text.startswith("v_add_u32")
    found = only(check("v_add_u32 v10, v0, v30\n" + OUT))
    assert (found.rule, found.severity, found.what) == ("uninitialized.register", ERROR, "v30")
    assert found.text.startswith("v_add_u32")
    scalar = only(check("v_mov_b32 v10, 0\ns_add_u32 s20, s30, 1\nv_add_u32 v10, s20, v10\n" + OUT))
    assert (scalar.rule, scalar.what) == ("uninitialized.register", "s30")
    assert not check("v_xor_b32 v10, v30, v30\n" + OUT)


def test_undefined_memory_is_an_error_when_the_result_depends_on_it() -> None:
    load = "global_load_dword v10, v1, s[4:5]\n" + VM
    launch = capsule(undefined=True)
    found = only(check(load + "v_add_u32 v10, 1, v10\n" + OUT, launch))
    assert (found.rule, found.severity) == ("uninitialized.memory", ERROR)
    assert "of a" in found.message
    found = only(check(load + "v_mov_b32 v10, 1\n" + OUT, launch))
    assert (found.rule, found.severity) == ("uninitialized.memory", NOTE)


def test_a_load_used_too_early_is_named_with_its_load() -> None:
    body = "global_load_dword v10, v1, s[6:7]\n{wait}v_add_u32 v10, 1, v10\n" + OUT
    assert not check(body.format(wait=VM))
    late = check(body.format(wait=""))
    assert {(f.rule, f.severity) for f in late} == {("wait.raw", ERROR)}
    found = late[0]
    assert pair(found) == ("global_load_dword", "v_add_u32_e32")
    assert "a changes when loads arrive late" in found.message
    # Read too early, but to no effect.
    quiet = body.format(wait="").replace(
        OUT, "v_mov_b32 v10, 0\n" + VM + "v_mov_b32 v10, 3\n" + OUT
    )
    assert all(f.severity == NOTE for f in check(quiet))


def test_an_early_read_of_dma_data_is_named_with_its_load() -> None:
    dma = "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[6:7]\n"
    body = FILL + dma + "{wait}ds_read_b32 v10, v1\n" + LGKM + OUT
    assert not check(body.format(wait=VM), capsule(waves=1))
    found = only(check(body.format(wait=""), capsule(waves=1)))
    assert (found.rule, found.severity) == ("wait.lds-dma", ERROR)
    assert pair(found) == ("global_load_lds_dword", "ds_read_b32")


def test_wait_states_are_counted_along_the_executed_path() -> None:
    body = (
        "v_readfirstlane_b32 s20, v0\n{nops}v_mov_b32 v10, 1\nv_readlane_b32 s21, v1, s20\n" + OUT
    )
    hazards = [f.rule for f in check(body.format(nops=""))]
    assert any(r.startswith("hazard.") for r in hazards)
    assert not check(body.format(nops="s_nop 4\n"))


def test_a_fault_is_a_finding() -> None:
    far = "v_mov_b32 v5, 0x7ffff000\nglobal_load_dword v10, v5, s[4:5]\n" + VM + OUT
    found = only(check(far))
    assert (found.rule, found.severity) == ("dynamic.fault", ERROR)
    assert found.text.startswith("global_load_dword")


def test_a_further_schedule_can_show_more() -> None:
    # Run to the end one after the other, the waves of this kernel never meet.
    launch = replace(capsule(), schedule="barrier")
    body = FILL + "ds_read_b32 v10, v2\n" + LGKM + OUT
    plain = check(body, launch)
    assert check(body, launch, schedules=("interleave:1", "shuffle:2")) == plain


def test_no_launch_is_an_input_error() -> None:
    with pytest.raises(InputError):
        check_dynamic(built(FILL), [], device())


@pytest.mark.parametrize(
    "path", [p for p in launch_paths() if object_of(p)[1] == "."], ids=lambda p: p.stem
)
def test_own_kernels_are_clean(path: Path, kernel_objects: Callable[..., bytes]) -> None:
    name, _ = object_of(path)
    data = kernel_objects(name)
    launches = [capsule_and_inputs(data, path, dict(s))[0] for s in kernels.SIZES[name]]
    assert not check_dynamic(data, launches, device(), DynamicConfig(schedules=("interleave:5",)))


@pytest.mark.corpus
def test_the_race_of_a_vendor_kernel_is_named(aiter_root: Path) -> None:
    case = next(c for c in CASES if c.arch == "gfx942" and c.id.startswith("fmoe_b16-t4"))
    data = (aiter_root / case.file).read_bytes()
    size = CodeObject.open(data).kernel(None).metadata.kernarg_segment_size
    found = check_dynamic(data, [case.build().capsule(size)], device())
    races = [f for f in found if f.rule == "race.lds"]
    assert races
    assert {f.severity for f in races} == {ERROR}
    # The next tile is written where other waves still read this one.
    assert ("ds_read_b64", "ds_write_b64") in {pair(f) for f in races}
    assert all(f.producer is not None for f in races)
