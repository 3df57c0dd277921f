"""A callee waits at its entry and before it returns (LLVM SIInsertWaitcnts does so)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from text_program import TextProgram, lines, verdict

from asmevo.check.comparison import compare_objects, examine
from asmevo.check.rules.convention import check_entry
from asmevo.check.rules.waits import check_waits
from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild

ENTRIES = [
    ("gfx942", "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", []),
    ("gfx942", "s_waitcnt vmcnt(0)\nv_nop\ns_waitcnt lgkmcnt(0)", ["lgkmcnt"]),
    ("gfx942", "s_waitcnt vmcnt(1) lgkmcnt(0)", ["vmcnt"]),
    ("gfx942", "s_nop 0\ns_waitcnt vmcnt(0)\ns_waitcnt lgkmcnt(0)", []),
    ("gfx1100", "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", []),
    ("gfx1200", "s_wait_loadcnt_dscnt 0x0\ns_wait_samplecnt 0x0\ns_wait_bvhcnt 0x0\n"
     "s_wait_kmcnt 0x0", []),
    ("gfx1250", "s_wait_loadcnt_dscnt 0x0", ["kmcnt"]),
    ("gfx1250", "", ["loadcnt", "dscnt", "kmcnt"]),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "entry", "missing"), ENTRIES)
def test_at_the_entry_everything_is_waited_for(arch: str, entry: str, missing: list[str]) -> None:
    text = f"{entry}\nv_mov_b32_e32 v1, v0\ns_endpgm"
    assert [f.what for f in check_entry(TextProgram.of(text, arch).view())] == missing


LOAD, BACK = "global_load_dword v1, v0, s[4:5]", "s_setpc_b64 s[30:31]"


def test_what_is_pending_at_a_return() -> None:
    (f,) = check_waits(TextProgram.of(f"{LOAD}\n{BACK}", "gfx942").view())
    assert (f.rule, f.severity, f.what, f.producer) == ("wait.pending-at-return", "note", "v1", 0)
    good = f"{LOAD}\ns_waitcnt vmcnt(0)\n{BACK}"
    assert check_waits(TextProgram.of(good, "gfx942").view()) == []
    assert verdict(good, f"{LOAD}\n{BACK}") == ["wait.pending-at-return"]
    # The return address itself is read: an error as before. Stores may stay in flight.
    address = "s_load_dwordx2 s[30:31], s[4:5], 0x0\n" + BACK
    assert [f.rule for f in check_waits(TextProgram.of(address, "gfx942").view())] == ["wait.raw"]
    store = "global_store_dword v1, v0, s[4:5]\n" + BACK
    assert check_waits(TextProgram.of(store, "gfx942").view()) == []
    assert check_waits(TextProgram.of(lines(LOAD), "gfx942").view()) == []


def test_the_waits_of_a_compiled_callee_stay(kernel_objects: Callable[..., bytes]) -> None:
    data = kernel_objects("calls", folder="recovery")
    k0 = examine(CodeObject.open(data))
    kernels = {k.name for k in k0.object.kernels}
    callee = next(f for f in k0.program.functions if f.name not in kernels and f.last > f.first)
    first = k0.program.instructions[callee.first]
    assert first.base == "s_waitcnt"
    edited = apply(k0.program, [Edit(callee.first, callee.first + 1, ("s_nop 0",))])
    rules = {f.rule for f in compare_objects(k0, CodeObject.open(rebuild(edited))).findings}
    assert "wait.caller-at-entry" in rules
    assert recover(CodeObject.open(data)).functions == k0.program.functions
