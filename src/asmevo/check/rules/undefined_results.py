"""What one instruction leaves undefined when some of its operands are.

The question is answered by experiment on the instruction's own text (`isa.semantics`): it runs over
values with undefined bits beside them, with the other operands zero, all ones and at random, and
what is undefined each time, and changes when the undefined bits do, is so whatever they hold.
Comparisons count as decided by each operand, as far as the algebra of undefined bits says so: one
value of many tells nothing about `x == n`. Instructions that move values between lanes follow
`isa.movement`; for what the semantics do not state, an undefined operand of an opcode that spreads
every operand (`isa.traits`) is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.movement import ALL, LANES, moved_lanes
from asmevo.isa.operand import AGPR0, EXEC, SCC, VCC, VGPR0, Reg
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.definedness import nothing_undefined, run_defined
from asmevo.isa.semantics.instruction.reference import Registers, run
from asmevo.isa.target import Target

Extent = tuple[int, int]
"""Lanes of a register (`ALL` for scalars), and the bits of it that are undefined in each.

Either all bits are, or some, and the others are zero: what a mask leaves of an undefined value.
"""
Held = Mapping[int, Extent]
"""By register unit, what of it is undefined."""

ONES = 0xFFFFFFFF
"""The bits of a unit that is undefined as a whole; what a shift or a sum leaves of it counts as
whole, too."""

_FILE = 256  # VGPRs of the semantics' register file, and AGPRs behind them
_CHOICES = 4  # of the undefined bits: zeros, ones, and twice by lane


def results(record: Decoded, held: Held) -> dict[int, Extent]:
    """What is undefined of the units that the instruction writes, EXEC taken as full.

    Args:
        record: one half of a dual-issue instruction, or an instruction of its own; no access to
            memory, but permutations through LDS.
        held: undefined units before, of those it reads.
    """
    relevant = frozenset((u, extent) for u, extent in held.items() if u in record.uses)
    if not relevant or record.clears:
        return {}
    return dict(_results(record.inst, record.target.arch, relevant))


@lru_cache(maxsize=8192)
def _results(
    inst: Instruction, arch: str, relevant: frozenset[tuple[int, Extent]]
) -> tuple[tuple[int, Extent], ...]:
    record, held = decode(inst, Target(arch)), dict(relevant)
    regs = [o.reg for o in inst.operands]
    by_operand = [_common(r, held) for r in regs]
    moved = moved_lanes(inst, by_operand)
    if moved is not None:
        bits = _all(bits for _, bits in held.values())
        return tuple(
            (unit, (lanes, bits))
            for n, lanes in moved.items()
            if (reg := regs[n]) is not None
            for unit in reg.units
            if lanes
        )
    if record.traits.selects and _condition(record, held):
        return tuple((unit, (ALL, ONES)) for unit in _written(record))
    try:
        found = _tried(record, held)
    except UnsupportedForm:
        found = dict.fromkeys(_guessed(record, regs, held), (ALL, ONES))
    return tuple((unit, extent) for unit, extent in found.items() if all(extent))


def _all(sets: Iterable[int]) -> int:
    """What all the sets of bits have."""
    return reduce(lambda a, b: a & b, sets)


def _common(reg: Reg | None, held: Held) -> int:
    """Lanes in which all units of a register are undefined."""
    lanes = ALL if reg is not None else 0
    for unit in reg.units if reg is not None else ():
        lanes &= held.get(unit, (0, 0))[0]
    return lanes


def _written(record: Decoded) -> Iterable[int]:
    """Destination units, without flags beside them."""
    regs = (record.inst.operands[n].reg for n in record.def_operands)
    return [unit for reg in regs if reg is not None for unit in reg.units]


def _condition(record: Decoded, held: Held) -> bool:
    """Whether what a selection goes by is undefined."""
    operands = record.inst.operands
    if SCC in record.uses:
        return SCC in held
    mask = operands[3].reg if len(operands) > 3 else None
    units = mask.units if mask is not None else (VCC, VCC + 1)
    return any(unit in held for unit in units)


# --- by experiment -------------------------------------------------------------------------
def _tried(record: Decoded, held: Held) -> dict[int, Extent]:
    fills = ("random",) if record.traits.compares else ("zero", "ones", "random")
    with np.errstate(all="ignore"):  # noise overflows, and is no number
        trials = [_trial(record, held, fill) for fill in fills]
    return {
        unit: (_all(t[unit][0] for t in trials), _all(t[unit][1] for t in trials))
        for unit in trials[0]
    }


@lru_cache(maxsize=1)
def _noise() -> Registers:
    rng, noise = np.random.default_rng(41), Registers(LANES)
    for part in (noise.vector, noise.scalar):
        part[:] = rng.integers(0, 1 << 32, part.shape, np.uint32)
    return noise


def _filled(fill: str) -> Registers:
    values = Registers(LANES)
    if fill == "random":
        values.vector[:], values.scalar[:] = _noise().vector, _noise().scalar
    elif fill == "ones":
        values.vector[:], values.scalar[:], values.scc = ONES, ONES, True
    values.write_scalar(EXEC, ALL, LANES)
    return values


def _trial(record: Decoded, held: Held, fill: str) -> dict[int, Extent]:
    """What is undefined after one run; the operands that are defined hold `fill`."""
    values, undefined = _filled(fill), nothing_undefined(LANES)
    for unit, (lanes, bits) in held.items():
        _set(undefined, unit, np.where(_flags(lanes), bits, 0) if unit >= VGPR0 else bits)
    chosen = {unit: np.array(_get(undefined, unit)) for unit in held}
    _choose(values, chosen, 0)
    run_defined(record.inst, values, undefined)
    changes = _changes(record, chosen, fill) if not record.traits.compares else record.defs
    whole = any(bits == ONES for _, bits in held.values()) or record.traits.compares
    out: dict[int, Extent] = dict.fromkeys(record.defs, (0, 0))
    for unit in changes:
        left = _get(undefined, unit)
        most = record.traits.spreads or (record.traits.copies and unit not in record.uses)
        full = (left != 0 if most else left == ONES) & whole
        if np.any(full):
            out[unit] = _mask(unit, full), ONES
            continue
        some = (left != 0) & (_get(values, unit) & ~left == 0)
        if np.any(some):
            bits = np.bitwise_and.reduce(np.atleast_1d(left)[np.atleast_1d(some)])
            out[unit] = _mask(unit, some), int(bits)
    return out


def _choose(values: Registers, chosen: Mapping[int, Any], noise: Any) -> None:
    """Give undefined bits the value of `noise`; beside those that a mask left there are zeros."""
    for unit, mask in chosen.items():
        _set(values, unit, np.where(mask != 0, noise & mask, _get(values, unit)))


def _changes(record: Decoded, chosen: Mapping[int, Any], fill: str) -> set[int]:
    """Units that differ between runs in which the undefined bits were chosen differently.

    The algebra of undefined bits is on the safe side: it takes a product with zero for undefined.
    """
    rng, seen = np.random.default_rng(43), dict[int, set[bytes]]()
    for number in range(_CHOICES):
        values = _filled(fill)
        for unit, mask in chosen.items():
            noise = rng.integers(0, 1 << 32, mask.shape, np.uint32)
            _choose(values, {unit: mask}, (0, ONES, noise, noise)[number])
        run(record.inst, values)
        for unit in record.defs:
            seen.setdefault(unit, set()).add(np.asarray(_get(values, unit)).tobytes())
    return {unit for unit, results_ in seen.items() if len(results_) > 1}


def _get(registers: Registers, unit: int) -> Any:
    """Contents of a unit: a dword per lane, a dword, or SCC as all bits or none."""
    row = _row(unit)
    if row is not None:
        return registers.vector[row]
    if unit == SCC:
        return np.uint32(ONES if registers.scc else 0)
    return registers.scalar[unit] if unit < len(registers.scalar) else np.uint32(0)


def _set(registers: Registers, unit: int, value: Any) -> None:
    row = _row(unit)
    if row is not None:
        registers.vector[row] = value
    elif unit == SCC:
        registers.scc = bool(value & 1)
    elif unit < len(registers.scalar):
        registers.scalar[unit] = value


def _row(unit: int) -> int | None:
    """Row of a vector register in the semantics' register file.

    Raises:
        UnsupportedForm: a register behind those that it has.
    """
    if unit < VGPR0:
        return None
    number, first = (unit - VGPR0, 0) if unit < AGPR0 else (unit - AGPR0, _FILE)
    if number >= _FILE:
        raise UnsupportedForm("a register behind v255")
    return first + number


def _flags(lanes: int) -> list[bool]:
    return [bool(lanes >> n & 1) for n in range(LANES)]


def _mask(unit: int, flags: Any) -> int:
    return sum(1 << int(n) for n in np.flatnonzero(flags)) if unit >= VGPR0 else ALL


# --- without semantics ---------------------------------------------------------------------
def _guessed(record: Decoded, regs: list[Reg | None], held: Held) -> list[int]:
    """By what the opcode is known to be; sources count when they are undefined altogether."""
    traits = record.traits
    bad = {unit for unit, extent in held.items() if extent == (ALL, ONES)}
    if traits.moves and len(regs) == 2:
        to, source = regs
        if to is None or source is None:
            return []
        units = list(source.units)
        units = units if len(units) >= to.count else units * to.count
        return [a for a, b in zip(to.units, units, strict=False) if b in bad]
    sources = [regs[n] for n in record.use_operands if n not in record.def_operands]
    whole = [r is not None and not bad.isdisjoint(r.units) for r in sources]
    if traits.selects:
        return list(_written(record)) if len(whole) > 1 and all(whole[:2]) else []
    if any(whole) and (traits.spreads or traits.compares):
        flags = [u for u in record.defs if u in (SCC, VCC, VCC + 1)] if traits.compares else []
        return [*_written(record), *flags]
    return []
