"""Every launch fits the metadata of the object it is for, at every size, and its reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from asmevo.capsule.kernarg import explicit_arguments
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject.object import CodeObject
from reference import kernelbench, kernels, triton_cases
from reference.inputs import CHECKOUT, capsule_and_inputs, launch_paths, object_of, reference_of
from reference.vendor_cases import CASES, Case

Objects = Callable[..., bytes]


@pytest.mark.parametrize("path", launch_paths(), ids=lambda p: p.stem)
def test_launch_fits_kernel_and_reference(path: Path, kernel_objects: Objects) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, folder=folder)
    spec = LaunchSpec.load(path)
    assert spec.kernel is not None
    sizes = kernels.SIZES[name] if folder == "." else ()
    for overrides in (*spec.variants, *sizes, {}):
        capsule, inputs = capsule_and_inputs(data, path, dict(overrides))
        expected = reference_of(path, spec.kernel)(inputs)
        outputs = {b.name: b.shape for b in capsule.buffers if b.role in ("out", "inout")}
        assert {n: a.shape for n, a in expected.items()} == outputs
        assert all(np.isfinite(a).all() and np.any(a) for a in expected.values())


@pytest.mark.parametrize("arch", ["gfx942", "gfx90a", "gfx950"])
def test_every_kernelbench_kernel_has_a_launch(arch: str, kernel_objects: Objects) -> None:
    root = CHECKOUT / "kernels" / "kernelbench"
    described = {
        LaunchSpec.load(p).kernel for p in launch_paths() if object_of(p)[1] == "kernelbench"
    }
    found: set[str] = set()
    for source in sorted(root.glob("*.hip")):
        co = CodeObject.open(kernel_objects(source.stem, arch, "kernelbench"))
        assert co.target.arch == arch
        found |= {k.name for k in co.kernels}
    assert found == described == set(kernelbench.REFERENCES)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"])
def test_the_calls_object_has_what_it_is_for(arch: str, kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("calls", arch, "recovery"))
    assert {k.name for k in co.kernels} == {"table_walk", "remember"}
    walk = co.kernel("table_walk")
    assert walk.metadata.uses_dynamic_stack
    assert walk.metadata.private_segment_fixed_size >= 256
    assert walk.metadata.group_segment_fixed_size == 0


@pytest.mark.corpus
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.arch}-{c.id}")
def test_vendor_launch_fits_the_metadata(case: Case, aiter_root: Path) -> None:
    kernel = CodeObject.open((aiter_root / case.file).read_bytes()).kernel(None)
    launch = case.build()
    assert launch.kernel == kernel.name
    arguments = explicit_arguments(kernel.metadata)
    assert [a.offset for a in launch.args] == [a.offset for a in arguments]
    if not case.path.startswith("mla/"):  # those names are of another kernel
        assert [a.name for a in launch.args] == [a.name for a in arguments]
    if kernel.metadata.reqd_workgroup_size is not None:
        assert launch.block == kernel.metadata.reqd_workgroup_size
    launch.capsule(kernel.metadata.kernarg_segment_size)


@pytest.mark.corpus
@pytest.mark.parametrize(
    "path",
    sorted((CHECKOUT / "kernels/launch/vendor").glob("topksoftmax_*.yaml")),
    ids=lambda p: p.stem,
)
def test_vendor_description_gives_the_same_kernarg(path: Path, aiter_root: Path) -> None:
    data = (aiter_root / f"aiter_meta/hsa/gfx942/topksoftmax/{path.stem}.co").read_bytes()
    co = CodeObject.open(data)
    capsule = synthesize(LaunchSpec.load(path), co.kernel(None), co.target)
    rows, experts, topk = (int(n) for n in path.stem.split("_")[1].split("x"))
    words = np.frombuffer(capsule.kernarg, np.uint32)
    assert words[[12, 16, 20, 24, 28]].tolist() == [rows + 1, experts, topk, 1, 4 * topk]
    assert [p.offset for p in capsule.pointers] == [0, 16, 32]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", sorted(triton_cases.entries()))
def test_triton_launch_is_complete(name: str, arch: str) -> None:
    launch = triton_cases.build(name, arch)
    capsule = launch.capsule()
    outputs = {b.name: b.shape for b in capsule.buffers if b.role in ("out", "inout")}
    assert {n: e.array.shape for n, e in launch.expected.items()} == outputs
    assert any(np.any(np.float64(e.array)) for e in launch.expected.values())


@pytest.mark.corpus
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", sorted(triton_cases.entries()))
def test_triton_launch_fits_the_metadata(
    name: str, arch: str, triton_object: Callable[[str, str], bytes]
) -> None:
    file = triton_cases.object_name(triton_cases.entries()[name], arch, "small")
    kernel = CodeObject.open(triton_object(arch, file)).kernel(None)
    launch = triton_cases.build(name, arch)
    assert launch.kernel == kernel.name
    arguments = explicit_arguments(kernel.metadata)
    hidden = {a.offset for a in launch.args if a.name.startswith("hidden_")}
    assert {a.offset for a in arguments} == {a.offset for a in launch.args} - hidden
    pointers = {a.offset for a in arguments if a.value_kind == "global_buffer"}
    assert pointers == {a.offset for a in launch.args if a.end - a.offset == 8} & pointers
