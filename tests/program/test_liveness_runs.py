"""Liveness against execution: junk in a register that is said to be dead changes no result."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.isa.effects import effects
from asmevo.program import Program, recover
from asmevo.program.dataflow import liveness
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from reference.inputs import capsule_and_inputs, launch_paths, object_of

Objects = Callable[..., bytes]
PATHS = [p for p in launch_paths() if object_of(p)[1] in (".", "recovery")]
TRIALS = 12  # edits of one kernel; each fills several dead registers at several places


def dead_writes(program: Program, index: int, dead: set[int], rng: random.Random) -> list[str]:
    """Lines that put junk into some registers of `dead`."""
    # Nothing may be under way to the registers: no load, no matrix result.
    lines = ["s_waitcnt vmcnt(0) lgkmcnt(0)", "s_nop 15", "s_nop 3"]
    vectors = [u - 1024 for u in dead if 1024 <= u < 1536]
    scalars = [u for u in dead if u < 100]
    for v in rng.sample(vectors, min(3, len(vectors))):
        lines.append(f"v_mov_b32_e32 v{v}, 0x{rng.getrandbits(31) | 0x40000000:x}")
    for s in rng.sample(scalars, min(3, len(scalars))):
        lines.append(f"s_mov_b32 s{s}, 0x{rng.getrandbits(31) | 0x40000000:x}")
    if 106 in dead and 107 in dead:
        lines.append("s_mov_b64 vcc, 0x5a5a")
    if 128 in dead:
        lines.append(f"s_cmp_eq_u32 0, {rng.choice([0, 1])}")
    return [*lines, "s_nop 7"]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_dead_registers_may_hold_anything(path: Path, kernel_objects: Objects) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, "gfx942", folder)
    capsule, _ = capsule_and_inputs(data, path, {})
    program = recover(CodeObject.open(data))
    kernel = program.object.kernel(capsule.kernel)
    function = program.kernel_function(kernel)
    live = liveness(program, function)
    d = kernel.descriptor
    special, top = (106, 107, 128), 1024 + d.arch_vgprs
    named = {u for i in program.instructions for u in effects(i, program.target).defs}
    usable = {u for u in named if u < 100 or u in special or 1024 <= u < top}
    taken = {i for r in program.references for i in range(r.pc_read + 1, r.high + 1)}
    rng = random.Random(name)
    device = EmulatedDevice()
    expected = device.run(data, capsule, RunOptions(poison=5))
    assert expected.ok
    written = 0
    places = [i for i in range(function.first, function.last) if i not in taken]
    for _ in range(TRIALS):
        edits: list[Edit] = []
        for index in sorted(rng.sample(places, min(6, len(places)))):
            dead = usable - live.live_before(index)
            lines = dead_writes(program, index, dead, rng)
            written += len(lines) - 4
            edits.append(Edit(index, index, tuple(lines)))
        changed = rebuild(apply(program, edits))
        result = device.run(changed, capsule, RunOptions(poison=5))
        assert result.ok, (result.fault, edits)
        assert result.buffers == expected.buffers, edits
    assert written > 10
