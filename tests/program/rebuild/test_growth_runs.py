"""Kernels that were grown, disassembled and reassembled still compute the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from reference.inputs import capsule_and_inputs, launch_paths, object_of

Objects = Callable[..., bytes]
PATHS = [p for p in launch_paths() if object_of(p)[1] in (".", "recovery")]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_same_results_after_growth(path: Path, kernel_objects: Objects) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, "gfx942", folder)
    capsule, _ = capsule_and_inputs(data, path, {})
    program = recover(CodeObject.open(data))
    places = [i for f in program.functions for i in range(f.first, f.last)]
    grown = rebuild(apply(program, [Edit(i, i, ("s_nop 0",)) for i in places]))
    through_text = read(write(recover(CodeObject.open(grown))))
    assert through_text == grown
    device = EmulatedDevice()
    before = device.run(data, capsule, RunOptions(poison=3))
    after = device.run(grown, capsule, RunOptions(poison=3))
    assert before.ok
    assert after.ok, after.fault
    assert after.buffers == before.buffers
    assert after.instructions > before.instructions
