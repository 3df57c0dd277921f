"""One static comparison for the command line, verification and the gates of the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest

from asmevo.check.comparison import Stage, StaticComparison, compare_objects, examine
from asmevo.check.report import check_against
from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild


@pytest.fixture
def data(kernel_objects: Callable[..., bytes]) -> bytes:
    return kernel_objects("rmsnorm")


def without_wait(data: bytes) -> bytes:
    program = recover(CodeObject.open(data))
    first = next(i for i, x in enumerate(program.instructions) if x.base == "s_waitcnt")
    return rebuild(apply(program, [Edit(first, first + 1, ("s_nop 0",))]))


def with_descriptor(data: bytes, **fields: int) -> bytes:
    kernel = CodeObject.open(data).kernels[0]
    raw = kernel.descriptor.replace(**fields).encode()
    at = kernel.descriptor_offset
    return data[:at] + raw + data[at + 64 :]


def compared(k0: bytes, k1: bytes, **options: object) -> StaticComparison:
    return compare_objects(examine(CodeObject.open(k0)), CodeObject.open(k1), **options)


def test_nothing_is_worse_in_the_same_object(data: bytes) -> None:
    found = compared(data, data)
    assert found == StaticComparison()
    assert found.ok
    with pytest.raises(FrozenInstanceError):
        found.abi = ()  # type: ignore[misc]


def test_each_fault_is_of_its_stage(data: bytes) -> None:
    racy = compared(data, without_wait(data))
    assert [f.rule for f in racy.abi + racy.resources] == []
    assert "wait.raw" in {f.rule for f in racy.code}
    small = compared(data, with_descriptor(data, vgprs=8, accum_offset=4))
    assert {f.rule for f in small.abi} == {"abi.descriptor"}
    assert "resource.vgprs" in {f.rule for f in small.resources}
    declared = compared(
        data, with_descriptor(data, vgprs=8, accum_offset=4), declared=("vgprs", "accum_offset")
    )
    assert declared.abi == ()
    assert declared.resources == small.resources


def test_a_caller_may_ask_stage_by_stage(data: bytes) -> None:
    worse = without_wait(data)
    assert compared(data, worse, stages=(Stage.ABI, Stage.RESOURCES)).ok
    whole, code = compared(data, worse), compared(data, worse, stages=(Stage.CODE,))
    assert whole.code == code.findings
    small = with_descriptor(data, vgprs=8, accum_offset=4)
    assert not compared(data, small, stages=(Stage.RESOURCES,)).ok
    assert compared(data, small, stages=(Stage.ABI,)).resources == ()


@pytest.mark.parametrize("make", [without_wait, lambda d: with_descriptor(d, ieee_mode=0)])
def test_the_report_of_a_comparison_is_the_comparison(
    data: bytes, make: Callable[[bytes], bytes]
) -> None:
    worse = make(data)
    here = compared(data, worse).findings
    assert here
    assert check_against("k", worse, data).findings == here
