"""What watched runs show of a candidate alone is refused; what K0 shows too is not held against it.

LDS races and their effects are worked out by hand: wave 0 writes what wave 1 reads.
"""

from __future__ import annotations

from asmevo.device.protocol import Device
from asmevo.verify.watched import Watcher
from reference.sanitizers import built, capsule, device

# Each wave writes its dwords, and reads the neighbour's behind the barrier.
ORDERED = """ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v10, v2
s_waitcnt lgkmcnt(0)
global_store_dword v1, v10, s[4:5]
"""
RACE = ORDERED.replace("s_barrier\n", "s_nop 0\n")
UNDEFINED = ORDERED.replace("ds_write_b32 v1, v0", "ds_write_b32 v1, v0 offset:2048")


def rules(k0: str, k1: str, on: Device | None = None) -> set[str]:
    found, note = Watcher(built(k0), on or device(), 7).compare(built(k1), [capsule()])
    assert note == ""
    return {f.rule for f in found}


def test_a_new_race_is_shown_and_k0s_own_is_not() -> None:
    assert "race.lds" in rules(ORDERED, RACE)
    assert rules(RACE, RACE) == set()
    assert rules(RACE, ORDERED) == set()


def test_a_race_in_other_registers_is_k0s_race() -> None:
    assert rules(RACE, RACE.replace("v10", "v11")) == set()


def test_a_new_read_of_undefined_lds_is_shown() -> None:
    assert any(r.startswith("uninitialized.") for r in rules(ORDERED, UNDEFINED))


def test_a_lost_wait_is_shown() -> None:
    late = ORDERED.replace("s_waitcnt lgkmcnt(0)\nglobal", "s_nop 0\nglobal")
    assert any(r.startswith("wait.") for r in rules(ORDERED, late))
