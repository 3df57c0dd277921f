"""Loaded data belongs to the ABI: a changed constant is found without a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.check.rules import abi
from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild


def test_a_changed_byte_of_data_is_found(kernel_objects: Callable[..., bytes]) -> None:
    data = kernel_objects("calls", folder="recovery")
    co = CodeObject.open(data)
    section = next(s for s in co.elf.sections if s.name == ".data")
    at = section.offset
    changed = bytearray(data)
    changed[at] ^= 1
    (finding,) = abi.changes(co, CodeObject.open(bytes(changed)))
    assert finding.rule == "abi.data"
    assert ".data" in finding.message


def test_moved_code_leaves_the_data_equal(kernel_objects: Callable[..., bytes]) -> None:
    co = CodeObject.open(kernel_objects("calls", folder="recovery"))
    program = recover(co)
    function = program.function("remember")
    grown = apply(program, [Edit(function.first, function.first, ("s_nop 0",) * 64)])
    assert abi.changes(co, CodeObject.open(rebuild(grown))) == []


def placed(data: bytes, **fields: int) -> CodeObject:
    """The object with fields of its kernel's descriptor set."""
    kernel = CodeObject.open(data).kernels[0]
    raw = kernel.descriptor.replace(**fields).encode()
    at = kernel.descriptor_offset
    return CodeObject.open(data[:at] + raw + data[at + 64 :])


@pytest.mark.parametrize(("byte", "fixed"), [(0, True), (127, True), (128, True), (255, True),
                                             (256, False)])  # fmt: skip
def test_all_256_bytes_before_the_preload_entry_stay(
    kernel_objects: Callable[..., bytes], byte: int, fixed: bool
) -> None:
    """AMDGPUUsage, "Preloaded Kernel Arguments": the entry with preload is 256 bytes on."""
    data = kernel_objects("softmax")
    k0 = placed(data, kernarg_preload_length=2)
    changed = bytearray(k0.data)
    changed[k0.text_section.offset + k0.kernels[0].entry + byte] ^= 1
    found = [f.rule for f in abi.changes(k0, CodeObject.open(bytes(changed)))]
    assert found == (["abi.preload-entry"] if fixed else [])
    # Without preloaded arguments these bytes are code like any other.
    plain = bytearray(data)
    plain[k0.text_section.offset + k0.kernels[0].entry + byte] ^= 1
    assert abi.changes(CodeObject.open(data), CodeObject.open(bytes(plain))) == []


@pytest.mark.parametrize(("by", "aligned"), [(64, False), (128, False), (256, True)])
def test_the_entry_stays_aligned_to_256_bytes(
    kernel_objects: Callable[..., bytes], by: int, aligned: bool
) -> None:
    data = kernel_objects("softmax")
    entry = CodeObject.open(data).kernels[0].descriptor.kernel_code_entry_byte_offset
    moved = placed(data, kernel_code_entry_byte_offset=entry + by)
    found = [f.rule for f in abi.changes(CodeObject.open(data), moved)]
    assert found == ([] if aligned else ["abi.entry-alignment"])
