"""Wait counters: the one table of which counters a target has, how waits encode them, and which
instruction raises which counter in which completion order.

The checker, the edit rules, the cycle model and the emulator all read this module. Sources: LLVM
`SIInsertWaitcnts.cpp` and `Utils/AMDGPUBaseInfo.cpp` (fields), CDNA3/CDNA4 ISA section 4.4,
RDNA ISA chapters on `s_waitcnt`. A field that holds its maximum means "no wait on this counter".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from asmevo.errors import UnsupportedError
from asmevo.isa.effects import OpClass, effects
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import NULL, Reg
from asmevo.isa.target import Target


class Order(StrEnum):
    """Completion order classes. Operations of one ordered class finish in issue order."""

    VMEM = "vmem"  # buffer, global, scratch, image without sampler (loads; gfx9: stores too)
    SAMPLE = "sample"  # image with sampler
    BVH = "bvh"
    STORE = "store"  # gfx10+: global and buffer stores, which have a counter of their own
    SCRATCH_STORE = "scratch_store"
    FLAT = "flat"  # gfx9: while one is pending, only a wait for 0 proves anything
    LDS = "lds"
    SMEM = "smem"  # out of order even among themselves
    MESSAGE = "message"
    GDS = "gds"
    EXPORT = "export"
    ASYNC = "async"
    TENSOR = "tensor"


# Classes of which only a wait for zero proves completion.
UNORDERED = frozenset({Order.SMEM, Order.MESSAGE, Order.GDS, Order.FLAT, Order.EXPORT})


class Event(NamedTuple):
    """One raise of a counter by an instruction.

    Attributes:
        counter: counter name as in the wait text (`vmcnt`, `lgkmcnt`, `loadcnt`, ...).
        order: completion order class.
        weight: how much the hardware adds; SMEM loads of more than one dword add 2. Proofs must
            not rely on it (LLVM does not), a model may.
    """

    counter: str
    order: Order
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Field:
    """Place of one counter in an immediate: bit ranges (low bit, width), low part first."""

    parts: tuple[tuple[int, int], ...]

    @property
    def maximum(self) -> int:
        """Largest value, which means no wait."""
        return (1 << sum(width for _, width in self.parts)) - 1

    def get(self, word: int) -> int:
        """The field's value in `word`."""
        value = shift = 0
        for low, width in self.parts:
            value |= (word >> low & ((1 << width) - 1)) << shift
            shift += width
        return value

    def put(self, value: int) -> int:
        """The bits of `word` that hold `value`."""
        word = 0
        for low, width in self.parts:
            word |= (value & ((1 << width) - 1)) << low
            value >>= width
        return word


def _one(low: int, width: int) -> Field:
    return Field(((low, width),))


_Layout = Mapping[str, Field]
# Fields of the combined `s_waitcnt` by generation.
_WAITCNT: dict[int, dict[str, Field]] = {
    8: {"vmcnt": _one(0, 4), "expcnt": _one(4, 3), "lgkmcnt": _one(8, 4)},
    9: {"vmcnt": Field(((0, 4), (14, 2))), "expcnt": _one(4, 3), "lgkmcnt": _one(8, 4)},
    10: {"vmcnt": Field(((0, 4), (14, 2))), "expcnt": _one(4, 3), "lgkmcnt": _one(8, 6)},
    11: {"vmcnt": _one(10, 6), "expcnt": _one(0, 3), "lgkmcnt": _one(4, 6)},
}
# Counters with waits of their own: mnemonic -> fields.
_SEPARATE_10: dict[str, dict[str, Field]] = {"s_waitcnt_vscnt": {"vscnt": _one(0, 6)}}
_SOPK_10 = ("vmcnt", "expcnt", "lgkmcnt")
_SEPARATE_12: dict[str, dict[str, Field]] = {
    "s_wait_loadcnt": {"loadcnt": _one(0, 6)},
    "s_wait_storecnt": {"storecnt": _one(0, 6)},
    "s_wait_dscnt": {"dscnt": _one(0, 6)},
    "s_wait_kmcnt": {"kmcnt": _one(0, 5)},
    "s_wait_loadcnt_dscnt": {"dscnt": _one(0, 6), "loadcnt": _one(8, 6)},
    "s_wait_storecnt_dscnt": {"dscnt": _one(0, 6), "storecnt": _one(8, 6)},
}
_GRAPHICS_12: dict[str, dict[str, Field]] = {
    "s_wait_samplecnt": {"samplecnt": _one(0, 6)},
    "s_wait_bvhcnt": {"bvhcnt": _one(0, 3)},
    "s_wait_expcnt": {"expcnt": _one(0, 3)},
}
_ASYNC_1250: dict[str, dict[str, Field]] = {
    "s_wait_xcnt": {"xcnt": _one(0, 6)},
    "s_wait_asynccnt": {"asynccnt": _one(0, 6)},
    "s_wait_tensorcnt": {"tensorcnt": _one(0, 6)},
}
# `s_waitcnt_depctr` (gfx10.3, gfx11) and `s_wait_alu` (gfx12): 0 in a field = drained.
_DEPCTR: dict[str, Field] = {
    "sa_sdst": _one(0, 1),
    "va_vcc": _one(1, 1),
    "vm_vsrc": _one(2, 3),
    "hold_cnt": _one(7, 1),
    "va_ssrc": _one(8, 1),
    "va_sdst": _one(9, 3),
    "va_vdst": _one(12, 4),
}


@lru_cache(maxsize=64)
def _waits(arch: str) -> Mapping[str, _Layout]:
    """Wait mnemonics of an architecture and the counter fields of their immediates."""
    target = Target(arch)
    if target.major <= 9:
        return {"s_waitcnt": _WAITCNT[target.major]}
    if target.major in (10, 11):
        combined = _WAITCNT[target.major]
        single = {
            f"s_waitcnt_{name}": {name: _one(0, combined[name].maximum.bit_length())}
            for name in _SOPK_10
        }
        return {"s_waitcnt": combined, **_SEPARATE_10, **single}
    if target.major == 12:
        return {**_SEPARATE_12, **(_ASYNC_1250 if arch == "gfx1250" else _GRAPHICS_12)}
    raise UnsupportedError(f"wait counters of {arch} are not known")


@lru_cache(maxsize=64)
def counter_max(target: Target) -> Mapping[str, int]:
    """Counters of the target with their largest value (which in a wait means "no wait")."""
    found: dict[str, int] = {}
    for fields in _waits(target.arch).values():
        for name, field in fields.items():
            found.setdefault(name, field.maximum)
    return MappingProxyType(found)


class CounterInfo(NamedTuple):
    """One counter of a target.

    Attributes:
        name: as in `counter_max`.
        maximum: largest value, which in a wait means "no wait".
        waits: mnemonics of the waits that hold a field for it.
        untracked: empty when `events` knows every raise of it; else why nothing can be proved
            about it, so that a wait on it is neither checked nor may be weakened.
        stores_only: it counts stores alone (gfx10 and later): no register depends on it, only
            the order in which other waves see them.
    """

    name: str
    maximum: int
    waits: tuple[str, ...]
    untracked: str = ""
    stores_only: bool = False


# Counters whose raises `events` does not tell.
_UNTRACKED = {
    "xcnt": "address translations in flight (XNACK replay) are not followed",
    "tensorcnt": "tensor transfers are not followed",
}
_STORES_ONLY = frozenset({"vscnt", "storecnt"})


@lru_cache(maxsize=64)
def _counters(arch: str) -> Mapping[str, CounterInfo]:
    found: dict[str, CounterInfo] = {}
    for name, maximum in counter_max(Target(arch)).items():
        waits = tuple(m for m, fields in _waits(arch).items() if name in fields)
        found[name] = CounterInfo(
            name, maximum, waits, _UNTRACKED.get(name, ""), name in _STORES_ONLY
        )
    return MappingProxyType(found)


def counters_of(target: Target) -> Mapping[str, CounterInfo]:
    """The target's counters by name.

    Raises:
        UnsupportedError: the counters of the generation are not known.
    """
    return _counters(target.arch)


def untracked_waits(inst: Instruction, target: Target) -> Mapping[str, str]:
    """Counters that `inst` waits on and that nothing else here follows: name -> why."""
    known = counters_of(target)
    return {n: known[n].untracked for n in decode_wait(inst, target) if known[n].untracked}


def is_counter_wait(inst: Instruction, target: Target) -> bool:
    """Whether `inst` is a wait on memory counters (not `depctr`/`s_wait_alu`)."""
    return inst.base in _waits(target.arch) or inst.base == "s_wait_idle"


def _immediate(inst: Instruction) -> int:
    # SOPP and SOPK both hold their immediate in the low 16 bits of the first word.
    return int.from_bytes(inst.raw[:2], "little")


@lru_cache(maxsize=8192)
def _decode_wait(inst: Instruction, arch: str) -> Mapping[str, int]:
    fields = _waits(arch).get(inst.base)
    if fields is None:
        if inst.base == "s_wait_idle":
            return MappingProxyType(dict.fromkeys(counter_max(Target(arch)), 0))
        return MappingProxyType({})
    if inst.base.startswith("s_waitcnt_"):
        # The SGPR form waits for "register + N"; only the null form is a plain wait.
        base_reg = inst.operands[0].reg if inst.operands else None
        if base_reg is not None and base_reg != Reg(base_reg.kind, NULL):
            return MappingProxyType({})
    word = _immediate(inst)
    values = {name: field.get(word) for name, field in fields.items()}
    return MappingProxyType({n: v for n, v in values.items() if v < fields[n].maximum})


def decode_wait(inst: Instruction, target: Target) -> Mapping[str, int]:
    """Counters that `inst` waits on, with the count it waits for; empty if it waits on none.

    Decoded from the encoding, so raw immediates read like symbolic ones. A counter at its
    maximum is left out. `s_waitcnt_*cnt sN, imm` with a register other than null is no proof of
    anything and gives an empty mapping.
    """
    return _decode_wait(inst, target.arch)


def _combined_text(fields: Mapping[str, int]) -> str:
    return " ".join(
        f"{name}({fields[name]})" for name in ("vmcnt", "expcnt", "lgkmcnt") if name in fields
    )


def encode_waits(fields: Mapping[str, int], target: Target) -> tuple[str, ...]:
    """Fewest wait instructions (text) that wait for `fields`; empty when no counter is left.

    Counts at or above a counter's maximum are dropped: they wait for nothing.

    Raises:
        UnsupportedError: the target has no such counter, or a count is negative.
    """
    maxima = counter_max(target)
    for name, value in fields.items():
        if name not in maxima or value < 0:
            raise UnsupportedError(
                f"{target.arch} cannot wait for {name}({value})",
                "its counters are " + ", ".join(maxima),
            )
    wanted = {n: v for n, v in fields.items() if v < maxima[n]}
    lines: list[str] = []
    if target.major <= 11:
        text = _combined_text(wanted)
        if text:
            lines.append(f"s_waitcnt {text}")
        if "vscnt" in wanted:
            lines.append(f"s_waitcnt_vscnt null, {wanted['vscnt']:#x}")
        return tuple(lines)
    left = dict(wanted)
    for first in ("loadcnt", "storecnt"):
        if first in left and "dscnt" in left:
            layout = _waits(target.arch)[f"s_wait_{first}_dscnt"]
            word = layout[first].put(left.pop(first)) | layout["dscnt"].put(left.pop("dscnt"))
            lines.append(f"s_wait_{first}_dscnt {word:#x}")
    lines += [f"s_wait_{name} {value:#x}" for name, value in left.items()]
    return tuple(lines)


def encode_wait(fields: Mapping[str, int], target: Target) -> str:
    """Text of the one instruction that waits for `fields`: `s_waitcnt vmcnt(3) lgkmcnt(0)`.

    Raises:
        UnsupportedError: it needs no instruction or more than one (use `encode_waits`).
    """
    lines = encode_waits(fields, target)
    if len(lines) != 1:
        raise UnsupportedError(
            f"{dict(fields)} takes {len(lines)} wait instructions on {target.arch}",
            "use encode_waits",
        )
    return lines[0]


def merge_waits(*waits: Mapping[str, int]) -> dict[str, int]:
    """The wait that does at least what each of `waits` does: the minimum per counter."""
    merged: dict[str, int] = {}
    for wait in waits:
        for name, value in wait.items():
            merged[name] = min(value, merged.get(name, value))
    return merged


@lru_cache(maxsize=1024)
def _decode_depctr(inst: Instruction, arch: str) -> Mapping[str, int]:
    if inst.base not in ("s_waitcnt_depctr", "s_wait_alu"):
        return MappingProxyType({})
    word = _immediate(inst)
    values = {name: field.get(word) for name, field in _DEPCTR.items()}
    return MappingProxyType({n: v for n, v in values.items() if v < _DEPCTR[n].maximum})


def decode_depctr(inst: Instruction, target: Target) -> Mapping[str, int]:
    """Fields below their maximum of `s_waitcnt_depctr` / `s_wait_alu`; empty for others."""
    return _decode_depctr(inst, target.arch)


_SMEM_ONE_DWORD = re.compile(r"s_(buffer_|scratch_)?load_(dword|b32|u8|i8|u16|i16)$")
# Cache control that a counter counts. LLVM: `buffer_wbl2` (llvm-project#178316) and, on gfx942 and
# gfx950, `buffer_inv` (#220694) in vmcnt; `global_wb`, `global_wbinv` in storecnt and `global_inv`
# in loadcnt (#135340). `buffer_wbinvl1*`, `buffer_invl2`, `buffer_gl*_inv` and the instruction
# cache are not counted by it; leaving out what is doubtful is the safe side, because a count that
# the hardware does not make would allow too large an N.
_WRITE_BACK = re.compile(r"(buffer|global)_(wbl2|wb|wbinv)$")
_GDS = re.compile(r"ds_(gws|ordered|(add|sub)_gs_reg)")
_LDSDIR = re.compile(r"(lds_direct_load|lds_param_load|ds_direct_load|ds_param_load|exp(ort)?$)")
_LATE_SCC = re.compile(r"s_barrier_(signal_isfirst|leave)")  # LLVM: SCC_WRITE, in kmcnt
_SMEM_COUNTED_CACHE = re.compile(r"s_dcache_")
_ASYNC_LDS = re.compile(r"\w+_(load|store)_async_|ds_.*async")


def _vector_memory_events(inst: Instruction, target: Target) -> tuple[Event, ...]:
    base, effect = inst.base, effects(inst, target)
    major = target.major
    flat = effect.kind is OpClass.FLAT
    if _ASYNC_LDS.match(base):
        return (Event("asynccnt", Order.ASYNC),)
    if base.startswith("tensor_"):
        return (Event("tensorcnt", Order.TENSOR),)
    if "_prefetch" in base:
        return ()
    # A vector memory instruction that gives the wave nothing back only stores.
    store_only = effect.stores and not effect.returns and not effect.lds_dma
    if major <= 9:
        if flat:
            return (Event("vmcnt", Order.FLAT), Event("lgkmcnt", Order.FLAT))
        return (Event("vmcnt", Order.VMEM),)
    load, store, lds = (
        ("vmcnt", "vscnt", "lgkmcnt") if major <= 11 else ("loadcnt", "storecnt", "dscnt")
    )
    if store_only:
        order = Order.SCRATCH_STORE if base.startswith("scratch_") else Order.STORE
        first = Event(store, order)
    elif base.startswith("image_bvh"):
        first = Event("bvhcnt" if major >= 12 else load, Order.BVH)
    elif re.match(r"image_(sample|gather|msaa)", base):
        first = Event("samplecnt" if major >= 12 else load, Order.SAMPLE)
    else:
        first = Event(load, Order.VMEM)
    return (first, Event(lds, Order.LDS)) if flat else (first,)


@lru_cache(maxsize=400_000)
def _events(inst: Instruction, arch: str) -> tuple[Event, ...]:
    target = Target(arch)
    kind, base = effects(inst, target).kind, inst.base
    scalar = "kmcnt" if target.major >= 12 else "lgkmcnt"
    if kind in (OpClass.VMEM, OpClass.FLAT):
        return _vector_memory_events(inst, target)
    if kind is OpClass.LDS:
        if base == "ds_nop":
            return ()
        if target.arch == "gfx1250" and _ASYNC_LDS.match(base):
            return (Event("asynccnt", Order.ASYNC),)
        if inst.modifiers.get("gds") is True or _GDS.match(base):
            lds = "dscnt" if target.major >= 12 else "lgkmcnt"
            return (Event(lds, Order.GDS), Event("expcnt", Order.GDS))
        if _LDSDIR.match(base):
            return (Event("expcnt", Order.EXPORT),)
        return (Event("dscnt" if target.major >= 12 else "lgkmcnt", Order.LDS),)
    if kind is OpClass.SMEM:
        return (Event(scalar, Order.SMEM, 1 if _SMEM_ONE_DWORD.match(base) else 2),)
    if kind is OpClass.MESSAGE and base.startswith(("s_sendmsg", "s_get_barrier_state")):
        return (Event(scalar, Order.MESSAGE),)
    if target.major >= 12 and _LATE_SCC.match(base):
        return (Event(scalar, Order.MESSAGE),)
    if kind is OpClass.CACHE:
        if _WRITE_BACK.match(base):
            if target.major >= 12:
                return (Event("storecnt", Order.STORE),)
            return (Event("vmcnt", Order.VMEM),) if target.is_gcn else ()
        if base == "global_inv" and target.major >= 12:
            return (Event("loadcnt", Order.VMEM),)
        if base == "buffer_inv" and target.is_gfx940:
            return (Event("vmcnt", Order.VMEM),)
        if _SMEM_COUNTED_CACHE.match(base):
            return (Event(scalar, Order.SMEM, 1),)
        return ()
    if _LDSDIR.match(base):
        return (Event("expcnt", Order.EXPORT),)
    return ()


def events(inst: Instruction, target: Target) -> tuple[Event, ...]:
    """The counters that issuing `inst` raises, empty for instructions that raise none.

    gfx9 flat operations raise `vmcnt` and `lgkmcnt`; LDS-DMA loads raise `vmcnt` only. Doubtful
    instructions are left out, which can only make a needed count smaller.
    """
    return _events(inst, target.arch)
