"""Memory instructions over terms: where they go, what they load and store.

Addresses follow CDNA3 ISA chapters 8-11. Buffer addresses stay functions of descriptor and
offsets, since bounds, swizzling and strides lie in the descriptor.
"""

from __future__ import annotations

from asmevo.isa.decoded import Decoded, OpClass
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import FLAT_SCRATCH, VGPR0, Imm, Operand
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.memory import (
    MemoryOp,
    memory_op,
    scalar_memory_op,
    transposed_bits,
)
from asmevo.prove.symbolic.memory import Place
from asmevo.prove.symbolic.wave import Wave, row_of
from asmevo.prove.terms.node import MEMORY, Node

_KNOWN = frozenset(
    {"offset", "offset0", "offset1", "offen", "idxen", "off", "sc0", "sc1", "nt", "glc", "slc",
     "scc", "lds"}
)  # fmt: skip


def run_memory(wave: Wave, inst: Instruction, d: Decoded) -> None:
    """Execute a memory instruction that moves no values between lanes.

    Raises:
        UnsupportedForm: a form that is not modelled.
    """
    if any(m not in _KNOWN for m in inst.modifiers):
        odd = next(m for m in inst.modifiers if m not in _KNOWN)
        raise UnsupportedForm(f"{inst.base} with {odd} is not modelled")
    access = d.access
    op = memory_op(d.name)
    if access is None or access.from_lds or access.typed or access.asynchronous:
        event(wave, inst, d)
    elif d.lds_dma and not access.ordered:
        _to_lds(wave, inst, d)
    elif d.kind is OpClass.SMEM:
        _scalar(wave, inst, d)
    elif transposed_bits(d.name):
        _transposed(wave, inst, d)
    elif op is None or access.ordered or op.action == "atomic":
        event(wave, inst, d)
    else:
        _vector(wave, inst, op)


def _name(inst: Instruction) -> tuple[object, ...]:
    """An instruction without the numbers of its registers."""
    mods = tuple(sorted((k, str(v)) for k, v in inst.modifiers.items()))
    return (inst.mnemonic, mods, tuple(_shape(o) for o in inst.operands))


def _sources(wave: Wave, inst: Instruction, d: Decoded) -> tuple[Node, ...]:
    """All that an instruction reads: printed operands in their order, then what is implicit."""
    units = [u for n in d.use_operands for u in _units(inst.operands[n])]
    units += sorted(d.uses - set(units))
    return tuple(wave.read_lane(u) if u >= VGPR0 else wave.unit(u) for u in units)


def _units(operand: Operand) -> tuple[int, ...]:
    return () if operand.reg is None else tuple(operand.reg.units)


def _to_lds(wave: Wave, inst: Instruction, d: Decoded) -> None:
    """From memory to LDS without registers."""
    versions = wave.memory.versions
    args = (wave.memory.guard, *_sources(wave, inst, d))
    before = (versions["lds"], versions["memory"])
    versions["lds"] = wave.table.make("stored", MEMORY, (*before, *args), _name(inst))


def _transposed(wave: Wave, inst: Instruction, d: Decoded) -> None:
    """An LDS read whose lanes exchange what they read."""
    args = (wave.memory.versions["lds"], *_sources(wave, inst, d))
    row = row_of(inst.operands[0])
    assert row is not None
    for n in range(len(_units(inst.operands[0]))):
        value = wave.table.make("wave", 32, args, (_name(inst), n))
        wave.write_lanes(row + n, value)


def event(wave: Wave, inst: Instruction, d: Decoded) -> None:
    """An atomic or the like: all that it reads decides all that it gives."""
    event = wave.memory.event(_name(inst), _sources(wave, inst, d))
    for n, index in enumerate(d.def_operands):
        reg = inst.operands[index].reg
        assert reg is not None
        for part, unit in enumerate(reg.units):
            if row_of(inst.operands[index]) is not None:
                value = wave.table.make("wave", 32, (event,), (n, part))
                wave.write_lanes(unit, value)
            else:
                wave.write(unit, wave.table.make("result", 32, (event,), (n, part)))


def _shape(operand: Operand) -> object:
    """An operand without its register's number."""
    reg = operand.reg
    return (reg.kind, reg.count) if reg is not None else operand


# --- scalar memory ------------------------------------------------------------------------------
def _scalar(wave: Wave, inst: Instruction, d: Decoded) -> None:
    op, table = scalar_memory_op(d.name), wave.table
    if op is None or op.action != "load" or op.space == "scratch" or _scoped(inst):
        event(wave, inst, d)
        return
    data, base, *rest = inst.operands
    offset = table.const(64, _integer(inst, "offset"))
    for operand in rest:
        if isinstance(operand.value, Imm):
            offset = table.add(offset, table.const(64, operand.value.value))
        elif operand.reg is not None:
            offset = table.add(offset, table.zext(wave.unit(operand.reg.index), 64))
        else:
            raise UnsupportedForm(f"{inst.text}: operand {operand.value} is not modelled")
    assert base.reg is not None
    assert data.reg is not None
    aligned = table.const(64, -4)
    if op.space == "buffer":
        words = tuple(wave.unit(u) for u in base.reg.units)
        place = Place("scalar buffer", ("memory",), (*words, table.and_(aligned, offset)))
    else:
        address = table.add(wave.wide(base.reg.index), offset)
        place = Place("scalar", ("memory",), (_aligned(wave, address),))
    values = [wave.memory.load(place, 4 * n, 32, table.true) for n in range(op.dwords)]
    for n, value in enumerate(values):
        wave.write(data.reg.index + n, value)


def _aligned(wave: Wave, address: Node) -> Node:
    """The address with its low two bits cleared; constants stay outside where they may."""
    table = wave.table
    mask = table.const(64, -4)
    if address.op == "add" and address.args[0].op == "const" and address.args[0].data % 4 == 0:
        return table.add(address.args[0], table.and_(mask, address.args[1]))
    return table.and_(mask, address)


# --- vector memory and LDS ------------------------------------------------------------------------
def _vector(wave: Wave, inst: Instruction, op: MemoryOp) -> None:
    operands = list(inst.operands)
    data = operands.pop(0) if op.action == "load" or op.space == "buffer" else None
    if op.space == "lds":
        place, stored, extra = _lds_place(wave, inst, op, operands)
    elif op.space == "buffer":
        place, stored, extra = _buffer_place(wave, inst, operands), data, ()
    else:
        place, stored, extra = _flat_place(wave, inst, op, operands)
    offsets = [0]
    if op.pair:
        offsets = [_integer(inst, f"offset{n}") * op.pair for n in (0, 1)]
    if op.action == "load":
        assert data is not None
        _load(wave, op, place, data, offsets)
    else:
        assert stored is not None
        _store(wave, op, place, [stored, *extra], offsets)


def _load(wave: Wave, op: MemoryOp, place: Place, data: Operand, offsets: list[int]) -> None:
    row = row_of(data)
    assert row is not None
    if op.size < 4:
        value = wave.memory.load(place, offsets[0], 8 * op.size, wave.active)
        wave.write_lanes(row, _extended(wave, op, value, wave.read_lane(row)))
        return
    values = [
        wave.memory.load(place, at + 4 * n, 32, wave.active)
        for at in offsets
        for n in range(op.dwords)
    ]
    for n, value in enumerate(values):
        wave.write_lanes(row + n, value)


def _extended(wave: Wave, op: MemoryOp, value: Node, old: Node) -> Node:
    """Where a byte or half lands in its register."""
    table = wave.table
    extend = table.sext if op.signed else table.zext
    if op.extend == "whole":
        return extend(value, 32)
    half = extend(value, 16)
    if op.extend == "d16":
        return table.concat(table.extract(old, 16, 16), half)
    return table.concat(half, table.extract(old, 0, 16))


def _store(wave: Wave, op: MemoryOp, place: Place, data: list[Operand], offsets: list[int]) -> None:
    table = wave.table
    for operand, at in zip(data, offsets, strict=False):
        row = row_of(operand)
        assert row is not None
        if op.size < 4:
            low = 16 if op.extend == "hi" else 0
            values = [table.extract(wave.read_lane(row), low, 8 * op.size)]
        else:
            values = [wave.read_lane(row + n) for n in range(op.dwords)]
        wave.memory.store(_moved(wave, place, at), values, wave.active)


def _moved(wave: Wave, place: Place, at: int) -> Place:
    if not at:
        return place
    address = wave.table.add(place.parts[0], wave.table.const(place.parts[0].width, at))
    return Place(place.kind, place.spaces, (address, *place.parts[1:]))


def _lds_place(
    wave: Wave, inst: Instruction, op: MemoryOp, operands: list[Operand]
) -> tuple[Place, Operand | None, tuple[Operand, ...]]:
    table = wave.table
    row = row_of(operands[0])
    if row is None or "addtid" in inst.base:
        raise UnsupportedForm(f"{inst.base} is not modelled")
    address = wave.read_lane(row)
    if not op.pair:
        address = table.add(address, table.const(32, _integer(inst, "offset")))
    stored = operands[1] if op.action == "store" else None
    return Place("lds", ("lds",), (address,)), stored, tuple(operands[2:])


def _buffer_place(wave: Wave, inst: Instruction, operands: list[Operand]) -> Place:
    """Descriptor, index, offset with its immediate, scalar offset."""
    table, mods = wave.table, inst.modifiers
    vaddr = operands.pop(0) if len(operands) == 3 else None
    descriptor, soffset = operands
    assert descriptor.reg is not None
    words = [wave.unit(u) for u in descriptor.reg.units]
    index = offset = table.const(32, 0)
    if vaddr is not None and row_of(vaddr) is not None:
        row = row_of(vaddr)
        assert row is not None
        if mods.get("idxen"):
            index = wave.read_lane(row)
            row += 1
        if mods.get("offen"):
            offset = wave.read_lane(row)
    offset = table.add(offset, table.const(32, _integer(inst, "offset")))
    scalar = wave.constant(soffset, "u32")
    assert scalar is not None
    scalar = table.extract(scalar, 0, 32)
    form = table.const(2, 2 * bool(mods.get("idxen")) + bool(mods.get("offen")))
    lane = table.make("lane", 32)  # for descriptors that add it
    return Place("buffer", ("memory",), (*words, index, offset, scalar, form, lane))


def _flat_place(
    wave: Wave, inst: Instruction, op: MemoryOp, operands: list[Operand]
) -> tuple[Place, Operand | None, tuple[Operand, ...]]:
    table = wave.table
    vaddr = operands.pop(0)
    stored = operands.pop(0) if op.action == "store" else None
    saddr = operands.pop(0) if operands else None
    base = None if saddr is None or saddr.reg is None else saddr.reg.index
    row, imm = row_of(vaddr), _integer(inst, "offset")
    if op.space == "scratch":
        parts = [table.const(32, imm)]
        parts[0] = table.add(parts[0], wave.read_lane(row)) if row is not None else parts[0]
        parts[0] = table.add(parts[0], wave.unit(base)) if base is not None else parts[0]
        form = table.const(2, 2 * (row is not None) + (base is not None))
        parts += [form, *_scratch_base(wave)]
        return Place("scratch", ("scratch",), tuple(parts)), stored, ()
    if row is None:
        raise UnsupportedForm(f"{inst.text} is not modelled")
    if base is not None:
        address = table.add(wave.wide(base), table.zext(wave.read_lane(row), 64))
    else:
        address = table.concat(wave.read_lane(row + 1), wave.read_lane(row))
    address = table.add(address, table.const(64, imm))
    if op.space == "flat":
        # Which aperture it is in is decided before the offset is added.
        before = table.add(address, table.const(64, -imm))
        parts = (address, before, *_scratch_base(wave))
        return Place("flat", ("memory", "lds", "scratch"), parts), stored, ()
    return Place("global", ("memory",), (address,)), stored, ()


def _scratch_base(wave: Wave) -> tuple[Node, ...]:
    """FLAT_SCRATCH, which targets that have it may add."""
    return (wave.unit(FLAT_SCRATCH), wave.unit(FLAT_SCRATCH + 1))


def _integer(inst: Instruction, name: str) -> int:
    value = inst.modifiers.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnsupportedForm(f"{inst.base}: {name}:{value} is not modelled")
    return value


def _scoped(inst: Instruction) -> bool:
    return any(name in inst.modifiers for name in ("sc0", "sc1", "glc", "scc"))
