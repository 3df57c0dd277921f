"""Resource edits against what LLVM writes for the same counts, and nothing else changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.directives import assemble_block
from asmevo.errors import BuildError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.rebuild.resources import Resources, set_resources

Objects = Callable[..., bytes]


def changed(data: bytes, wanted: Resources) -> tuple[CodeObject, CodeObject]:
    before = CodeObject.open(data)
    return before, CodeObject.open(set_resources(before, before.kernels[0], wanted))


def test_nothing_wanted_changes_nothing(kernel_objects: Objects) -> None:
    data = kernel_objects("saxpy")
    co = CodeObject.open(data)
    assert set_resources(co, co.kernels[0], Resources()) == data


@pytest.mark.parametrize(
    ("vgprs", "agprs"), [(5, 0), (8, 0), (64, 0), (10, 16), (120, 100), (1, 1)]
)
@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_unified_registers(kernel_objects: Objects, arch: str, vgprs: int, agprs: int) -> None:
    before, after = changed(
        kernel_objects("calls", arch, "recovery"), Resources(vgprs=vgprs, agprs=agprs)
    )
    accum = -(-vgprs // 4) * 4
    lines = [".amdhsa_kernel k", f".amdhsa_next_free_vgpr {accum + agprs if agprs else vgprs}",
             ".amdhsa_next_free_sgpr 8", f".amdhsa_accum_offset {accum}",
             ".end_amdhsa_kernel"]  # fmt: skip
    llvm = assemble_block(lines, Target(arch))
    d = after.kernels[0].descriptor
    assert (d.granulated_vgprs, d.granulated_accum_offset) == (llvm[48] & 63, llvm[44] & 63)
    m = after.kernels[0].metadata
    assert m.agpr_count == agprs
    assert m.vgpr_count == (accum + agprs if agprs else vgprs)
    assert only_differs(before, after, {".vgpr_count", ".agpr_count"})


def only_differs(before: CodeObject, after: CodeObject, keys: set[str]) -> bool:
    """Only the named keys of the first kernel's metadata differ, and code and symbols are equal."""
    a, b = before.kernels[0].metadata.raw, after.kernels[0].metadata.raw
    same = {k: v for k, v in a.items() if k not in keys} == {
        k: v for k, v in b.items() if k not in keys
    }
    others = [k.metadata.raw for k in before.kernels[1:]] == [
        k.metadata.raw for k in after.kernels[1:]
    ]
    recover(after)
    return same and others and before.text == after.text and a.keys() == b.keys()


def test_lds_scratch_and_sgprs(kernel_objects: Objects) -> None:
    before, after = changed(kernel_objects("softmax"), Resources(lds=2048, sgprs=60, vgprs=None))
    k = after.kernels[0]
    assert k.descriptor.group_segment_fixed_size == 2048
    assert k.metadata.group_segment_fixed_size == 2048
    assert (k.descriptor.sgprs, k.metadata.sgpr_count) == (72, 66)
    assert only_differs(before, after, {".group_segment_fixed_size", ".sgpr_count"})
    _, after = changed(kernel_objects("calls", folder="recovery"), Resources(scratch=300))
    assert after.kernels[0].descriptor.private_segment_fixed_size == 300


def test_a_longer_number_takes_the_padding_or_is_refused(kernel_objects: Objects) -> None:
    grown = refused = 0
    for name in ("saxpy", "softmax", "reduce", "rmsnorm", "matmul_f16", "matmul_f32"):
        data = kernel_objects(name)
        try:
            before, after = changed(data, Resources(vgprs=200))
        except BuildError as err:
            refused += "more bytes" in err.one_line()
            continue
        grown += 1
        assert after.kernels[0].metadata.vgpr_count == 200
        assert only_differs(before, after, {".vgpr_count"})
    assert grown + refused == 6
    assert grown


def test_limits_are_named(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("saxpy"))
    kernel = co.kernels[0]
    for wanted, reason in (
        (Resources(vgprs=257), "257 VGPRs"),
        (Resources(agprs=300), "300 AGPRs"),
        (Resources(sgprs=103), "103 SGPRs"),
        (Resources(lds=65537), "65537 bytes of LDS"),
        (Resources(vgprs=-1), "-1 VGPRs"),
    ):
        with pytest.raises(BuildError, match=reason):
            set_resources(co, kernel, wanted)
    with pytest.raises(UnsupportedError, match="no scratch"):
        set_resources(co, kernel, Resources(scratch=64))
    rdna = CodeObject.open(kernel_objects("calls", "gfx1100", "recovery"))
    with pytest.raises(UnsupportedError, match="no AGPRs"):
        set_resources(rdna, rdna.kernels[0], replace(Resources(), agprs=4))
