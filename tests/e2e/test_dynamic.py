"""The dynamic check on whole kernels: own and compiled ones are clean, vendor ones are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.check.engine.trace import check_trace
from asmevo.check.findings import ERROR, Finding
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import RunOptions
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.verify.dynamic import check_dynamic
from reference import triton_cases
from reference.inputs import capsule_and_inputs, launch_paths, object_of
from reference.launch import Launch
from reference.sanitizers import device
from reference.vendor_cases import CASES

OWN = [p for p in launch_paths() if object_of(p)[1] == "."]
KERNELBENCH = [p for p in launch_paths() if object_of(p)[1] == "kernelbench"]


def check(data: bytes, launch: Launch) -> list[Finding]:
    co = CodeObject.open(data)
    size = co.kernel(None).metadata.kernarg_segment_size
    return check_dynamic(data, [launch.capsule(size, co.target.target_id)], device())


@pytest.mark.parametrize("path", KERNELBENCH, ids=lambda p: p.stem)
def test_kernelbench_is_clean(path: Path, kernel_objects: Callable[..., bytes]) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, "gfx942", folder)
    assert not check_dynamic(data, [capsule_and_inputs(data, path, {})[0]], device())


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_each_lost_wait_shows_and_is_named(
    path: Path, kernel_objects: Callable[..., bytes]
) -> None:
    """Delete every wait in turn: it shows in the result exactly when the rules miss it."""
    name, folder = object_of(path)
    data = kernel_objects(name, "gfx942", folder)
    program = recover(CodeObject.open(data))
    launch = capsule_and_inputs(data, path, {})[0]
    kernel = program.object.kernel(launch.kernel)
    function = program.kernel_function(kernel)
    plain = device().run(data, launch, RunOptions(poison=1, profile=True))
    assert plain.counts is not None
    shown = 0
    for i in range(function.first, function.last):
        if program.instructions[i].base != "s_waitcnt" or not plain.counts[i]:
            continue
        edited = rebuild(apply(program, [Edit(i, i + 1, ("s_nop 0",))]))
        late = device().run(edited, launch, RunOptions(poison=1, late_loads=True))
        traced = device().run(edited, launch, RunOptions(poison=1, trace_workgroups=64))
        seen = check_trace(
            recover(CodeObject.open(edited)), kernel.name, [t.indices for t in traced.wave_traces]
        )
        named = [s for s in seen if s.finding.rule in ("wait.raw", "wait.waw")]
        differs = not late.ok or late.buffers != plain.buffers
        assert differs == bool(named), program.line(i)
        shown += differs
    assert shown


@pytest.mark.corpus
@pytest.mark.parametrize("name", sorted(triton_cases.entries()))
def test_triton_has_no_errors(name: str, triton_object: Callable[[str, str], bytes]) -> None:
    file = triton_cases.object_name(triton_cases.entries()[name], "gfx942", "small")
    found = check(triton_object("gfx942", file), triton_cases.build(name, "gfx942"))
    assert not [f.one_line() for f in found if f.severity == ERROR]


# What is known of these kernels: `docs/results/dynamic_vendor.md`.
VENDOR = {
    "topksoftmax_4x128x6-t5": set(),
    "pa_bf16_noquant_gqa8_1tg_4w-300": set(),
    "fmoe_b16-t1": {"race.lds", "wait.raw"},
    "fmoe_stage1_bf16_pertokenFp8_g1u1_32x128_3tg_pf2": {"race.lds"},
    "layer_norm-2": {"race.lds"},
    "pa_bf16_pertokenInt8_gqa16_2tg_4w-16": {"wait.raw"},
    "I8gemm_bf16_perTokenI8_BpreShuffle_128x128-128": {"wait.lds-dma"},
}


@pytest.mark.corpus
@pytest.mark.parametrize("name", VENDOR)
def test_vendor_kernels(name: str, aiter_root: Path) -> None:
    case = next(c for c in CASES if c.arch == "gfx942" and c.id.startswith(name))
    found = check((aiter_root / case.file).read_bytes(), case.build())
    errors = [f for f in found if f.severity == ERROR]
    assert {f.rule for f in errors} == VENDOR[name]
    assert all(f.producer is not None and f.producer_text for f in errors)
