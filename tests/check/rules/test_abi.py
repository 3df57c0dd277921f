"""Loaded data belongs to the ABI: a changed constant is found without a run."""

from __future__ import annotations

from collections.abc import Callable

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
    (finding,) = abi.compare(co, CodeObject.open(bytes(changed)))
    assert finding.rule == "abi.data"
    assert ".data" in finding.message


def test_moved_code_leaves_the_data_equal(kernel_objects: Callable[..., bytes]) -> None:
    co = CodeObject.open(kernel_objects("calls", folder="recovery"))
    program = recover(co)
    function = program.function("remember")
    grown = apply(program, [Edit(function.first, function.first, ("s_nop 0",) * 64)])
    assert abi.compare(co, CodeObject.open(rebuild(grown))) == []
