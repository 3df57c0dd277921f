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
from functools import lru_cache
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

Held = Mapping[int, int]
"""Register unit -> lanes in which all of it is undefined (`ALL` for scalars)."""

_FILE = 256  # VGPRs of the semantics' register file, and AGPRs behind them
_ONES = 0xFFFFFFFF
_CHOICES = 4  # of the undefined bits, in every lane


def results(record: Decoded, held: Held) -> dict[int, int]:
    """Undefined lanes of every unit that the instruction writes, EXEC taken as full.

    Args:
        record: one half of a dual-issue instruction, or an instruction of its own; no access to
            memory, but permutations through LDS.
        held: undefined units before, of those it reads.
    """
    relevant = frozenset((u, lanes) for u, lanes in held.items() if u in record.uses and lanes)
    if not relevant or record.clears:
        return {}
    return dict(_results(record.inst, record.target.arch, relevant))


@lru_cache(maxsize=8192)
def _results(
    inst: Instruction, arch: str, relevant: frozenset[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    record, held = decode(inst, Target(arch)), dict(relevant)
    regs = [o.reg for o in inst.operands]
    by_operand = [_common(r, held) for r in regs]
    moved = moved_lanes(inst, by_operand)
    if moved is not None:
        return tuple(
            (unit, lanes)
            for n, lanes in moved.items()
            if (reg := regs[n]) is not None
            for unit in reg.units
            if lanes or record.inst.base == "v_writelane_b32"
        )
    if record.traits.selects and _condition(record, held):
        return tuple((unit, ALL) for unit in _written(record))
    try:
        found = _tried(record, held)
    except UnsupportedForm:
        found = _guessed(record, regs, held)
    return tuple((unit, lanes) for unit, lanes in found.items() if lanes)


def _common(reg: Reg | None, held: Held) -> int:
    """Lanes in which all units of a register are undefined."""
    lanes = ALL if reg is not None else 0
    for unit in reg.units if reg is not None else ():
        lanes &= held.get(unit, 0)
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
def _tried(record: Decoded, held: Held) -> dict[int, int]:
    common: dict[int, int] | None = None
    for fill in ("random",) if record.traits.compares else ("zero", "ones", "random"):
        new = _trial(record, held, fill)
        common = new if common is None else {u: common[u] & new[u] for u in new}
    return common or {}


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
        values.vector[:], values.scalar[:], values.scc = _ONES, _ONES, True
    values.write_scalar(EXEC, ALL, LANES)
    return values


def _trial(record: Decoded, held: Held, fill: str) -> dict[int, int]:
    """Undefined lanes by unit after one run; the operands that are defined hold `fill`."""
    undefined = nothing_undefined(LANES)
    for unit, lanes in held.items():
        _set(undefined, unit, np.where(_flags(lanes), _ONES, 0) if unit >= VGPR0 else _ONES)
    chosen = {unit: np.array(_get(undefined, unit)) for unit in held}
    run_defined(record.inst, _filled(fill), undefined)
    changes = _changes(record, chosen, fill) if not record.traits.compares else record.defs
    out = dict.fromkeys(record.defs, 0)
    for unit in changes:
        bits = _get(undefined, unit)
        if record.traits.spreads or (record.traits.copies and unit not in record.uses):
            marked = bits != 0
        else:
            marked = bits == _ONES
        out[unit] = _mask(marked) if unit >= VGPR0 else ALL * bool(marked)
    return out


def _changes(record: Decoded, chosen: dict[int, np.ndarray], fill: str) -> set[int]:
    """Units that differ between runs in which the undefined bits were chosen differently.

    The algebra of undefined bits is on the safe side: it takes a product with zero for undefined.
    """
    rng, seen = np.random.default_rng(43), dict[int, set[bytes]]()
    for _ in range(_CHOICES):
        values = _filled(fill)
        for unit, mask in chosen.items():
            noise = rng.integers(0, 1 << 32, mask.shape, np.uint32)
            _set(values, unit, np.where(mask != 0, noise, _get(values, unit)))
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
        return np.uint32(_ONES if registers.scc else 0)
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


def _mask(flags: np.ndarray) -> int:
    return sum(1 << int(n) for n in np.flatnonzero(flags))


# --- without semantics ---------------------------------------------------------------------
def _guessed(record: Decoded, regs: list[Reg | None], held: Held) -> dict[int, int]:
    """By what the opcode is known to be; sources count when they are undefined in all lanes."""
    traits = record.traits
    if traits.moves and len(regs) == 2:
        to, source = regs
        if to is None or source is None:
            return {}
        units = list(source.units)
        units = units if len(units) >= to.count else units * to.count
        pairs = zip(to.units, units, strict=False)
        return {a: ALL for a, b in pairs if held.get(b) == ALL}
    sources = [regs[n] for n in record.use_operands if n not in record.def_operands]
    whole = [r is not None and any(held.get(u) == ALL for u in r.units) for r in sources]
    if traits.selects:
        return {u: ALL for u in _written(record)} if len(whole) > 1 and all(whole[:2]) else {}
    if any(whole) and (traits.spreads or traits.compares):
        flags = [u for u in record.defs if u in (SCC, VCC, VCC + 1)] if traits.compares else []
        return {u: ALL for u in (*_written(record), *flags)}
    return {}
