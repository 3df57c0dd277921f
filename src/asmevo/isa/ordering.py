"""What a memory instruction means to other waves: where it acts and how far it is visible.

The scope is how far the instruction itself is coherent, as its cache bits say:

* gfx940 and later gfx9: `sc0` workgroup, `sc1` agent, both system; atomics agent, with `sc1`
  system (their `sc0` returns the old value).
* gfx8, gfx90a and earlier gfx9: loads with `glc` agent, with `scc` system; atomics agent.
* gfx10: loads with `glc` workgroup, with `glc dlc` agent; atomics agent.
* gfx11: loads with `glc` agent; atomics agent. Before gfx12, except on gfx940 and later gfx9,
  stores have no scope: once complete they are in L2, which the agent shares.
* gfx12: `scope:` SE workgroup, DEV agent, SYS system.

`nt`, `slc` and `th:` are hints. Sources: LLVM AMDGPUUsage, memory model of GFX6-GFX9, GFX90A,
GFX942, GFX10-GFX11 and GFX12; `SIMemoryLegalizer.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache

from asmevo.isa.access import Space
from asmevo.isa.decoded import MEMORY_CLASSES, Decoded, OpClass
from asmevo.isa.target import Target


class Scope(IntEnum):
    """How far an access is coherent."""

    WAVE = 0
    WORKGROUP = 1
    AGENT = 2
    SYSTEM = 3


class Group(StrEnum):
    """Memories that order is kept in. Scratch is not among them: no other wave looks at it."""

    LDS = "lds"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class MemoryEffect:
    """What other waves can see of one memory instruction.

    Attributes:
        groups: memories that it may touch (a flat access: both); empty for scratch.
        loads, stores: what it does there.
        atomic: name of the indivisible operation (`add`, `cmpswap`), else empty.
        returns: an atomic whose old value the wave gets.
        scope: how far it is coherent.
        size: bytes of one lane.
    """

    groups: frozenset[Group]
    loads: bool
    stores: bool
    atomic: str
    returns: bool
    scope: Scope
    size: int


_LDS, _MEMORY = frozenset({Group.LDS}), frozenset({Group.MEMORY})
_GROUPS = {
    Space.LDS: _LDS, Space.GDS: _LDS, Space.FLAT: _LDS | _MEMORY, Space.TENSOR: _LDS | _MEMORY,
    Space.SCRATCH: frozenset[Group](),
}  # fmt: skip
_GFX12 = {
    "SCOPE_CU": Scope.WAVE, "SCOPE_SE": Scope.WORKGROUP, "SCOPE_DEV": Scope.AGENT,
    "SCOPE_SYS": Scope.SYSTEM,
}  # fmt: skip


def scope_bits_on_stores(target: Target) -> bool:
    """Whether plain stores may stay in a cache that other waves do not look at."""
    return target.is_gfx940 or target.major >= 12


def _scope(d: Decoded, atomic: bool) -> Scope:
    mods, target = d.inst.modifiers, d.target
    if target.major >= 12:
        return _GFX12.get(str(mods.get("scope", "SCOPE_CU")), Scope.SYSTEM)
    if target.is_gfx940:
        if atomic:
            return Scope.SYSTEM if "sc1" in mods else Scope.AGENT
        return Scope(("sc0" in mods) + 2 * ("sc1" in mods))
    if "scc" in mods:
        return Scope.SYSTEM
    if atomic:
        return Scope.AGENT
    if "glc" not in mods:
        return Scope.WAVE
    return Scope.WORKGROUP if target.major == 10 and "dlc" not in mods else Scope.AGENT


@lru_cache(maxsize=100_000)
def memory_effect(d: Decoded) -> MemoryEffect | None:
    """What other waves can see of an instruction, or None if it touches no memory.

    Cross-lane LDS instructions touch none. A scalar load is a load of memory.
    """
    access = d.access
    if access is None or d.kind not in MEMORY_CLASSES or not (d.loads or d.stores):
        return None
    groups = _GROUPS.get(access.space, _MEMORY)
    if d.lds_dma or access.from_lds:
        groups |= _LDS
    atomic = access.atomic
    if not atomic and d.kind is OpClass.LDS and d.loads and d.stores:
        atomic = d.name  # ds_append, ds_consume
    scope = Scope.WAVE if d.kind is OpClass.LDS else _scope(d, bool(atomic))
    return MemoryEffect(
        groups, d.loads, d.stores, atomic, bool(atomic) and d.returns, scope, access.size
    )
