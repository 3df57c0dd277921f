"""Declared registers and LDS against the code, the metadata and the target."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.check.rules import resources
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.program import recover


@pytest.fixture
def data(kernel_objects: Callable[..., bytes]) -> bytes:
    return kernel_objects("rmsnorm")


def with_descriptor(data: bytes, **fields: int) -> bytes:
    """The object with fields of its kernel's descriptor set."""
    kernel = CodeObject.open(data).kernels[0]
    raw = kernel.descriptor.replace(**fields).encode()
    at = kernel.descriptor_offset
    return data[:at] + raw + data[at + 64 :]


def test_too_few_declared_registers_are_found_twice(data: bytes) -> None:
    """Both as a resource fault of the kernel and at each instruction that uses one."""
    program = recover(CodeObject.open(with_descriptor(data, vgprs=8, accum_offset=4)))
    found = check_program(program, passes=("registers", "resources"))
    by_rule = {f.rule for f in found}
    assert {"resource.vgprs", "register.beyond-count"} <= by_rule
    kernel = program.object.kernels[0]
    (f,) = [f for f in resources.check(program, kernel) if f.rule == "resource.vgprs"]
    assert f.need is not None
    assert f.need > 8


def test_accum_offset_beyond_the_file(data: bytes) -> None:
    program = recover(CodeObject.open(with_descriptor(data, vgprs=64, accum_offset=128)))
    rules = [f.rule for f in check_program(program, passes=("resources",))]
    assert "resource.accum-offset" in rules


def test_lds_beyond_the_target(data: bytes) -> None:
    program = recover(CodeObject.open(with_descriptor(data, group_segment_fixed_size=70000)))
    rules = {f.rule for f in check_program(program, passes=("resources",))}
    assert {"resource.lds", "resource.mismatch"} <= rules


@pytest.mark.parametrize(("size", "fits"), [(65535, True), (65536, True), (65537, False)])
def test_all_of_the_lds_may_be_used(data: bytes, size: int, fits: bool) -> None:
    """64 KiB per compute unit (CDNA3 ISA, "Local Data Share")."""
    program = recover(CodeObject.open(with_descriptor(data, group_segment_fixed_size=size)))
    rules = {f.rule for f in check_program(program, passes=("resources",))}
    assert ("resource.lds" not in rules) is fits
