"""Instructions in which lanes meet, over terms (CDNA3 ISA 6.6, 7, 11.4)."""

from __future__ import annotations

from asmevo.isa.decoded import Decoded
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Operand
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.lanes import swizzle_lanes
from asmevo.prove.symbolic.wave import Wave, row_of
from asmevo.prove.terms.node import LANES, Node

_READS = ("v_readfirstlane_b32", "v_readlane_b32")
_SWAPS = {"v_permlane16_swap_b32": 16, "v_permlane32_swap_b32": 32}


def cross(wave: Wave, inst: Instruction) -> bool:
    """Execute a VALU instruction that moves values between lanes; False if it is none."""
    base, table = inst.base, wave.table
    if base in _READS:
        target, source = inst.operands[:2]
        assert target.reg is not None
        wave.write(target.reg.index, _one_lane(wave, inst, source))
        return True
    if base == "v_writelane_b32":
        row = row_of(inst.operands[0])
        assert row is not None
        here = table.eq(table.make("lane", 32), _lane(wave, inst.operands[2]))
        wave.write_lanes(row, _scalar(wave, inst.operands[1]), here)
        return True
    step = _SWAPS.get(base)
    if step is None:
        return False
    first, second = (row_of(o) for o in inst.operands)
    assert first is not None
    assert second is not None
    a, b = wave.unit(first), wave.unit(second)
    odd = table.bit(table.const(64, sum(1 << n for n in range(LANES) if n // step & 1)))
    from_b = table.move(b, tuple(n - step if n // step & 1 else n for n in range(LANES)))
    from_a = table.move(a, tuple(n if n // step & 1 else n + step for n in range(LANES)))
    wave.write_lanes(first, table.ite(odd, from_b, a))
    wave.write_lanes(second, table.ite(odd, b, from_a))
    return True


def _scalar(wave: Wave, operand: Operand) -> Node:
    node = wave.constant(operand, "b32")
    if node is None:
        raise UnsupportedForm("a vector operand where a scalar is expected")
    return wave.table.extract(node, 0, 32)


def _lane(wave: Wave, operand: Operand) -> Node:
    return wave.table.and_(_scalar(wave, operand), wave.table.const(32, LANES - 1))


def _one_lane(wave: Wave, inst: Instruction, source: Operand) -> Node:
    row = row_of(source)
    if row is None:
        return _scalar(wave, source)
    if inst.base == "v_readfirstlane_b32":
        lane = wave.first_lane()
    else:
        lane = _lane(wave, inst.operands[2])
    return wave.table.at(wave.unit(row), lane)


def permute(wave: Wave, inst: Instruction) -> None:
    """Execute ds_bpermute, ds_permute or ds_swizzle; inactive source lanes give zero.

    Raises:
        UnsupportedForm: another instruction.
    """
    table, base = wave.table, inst.base
    target = row_of(inst.operands[0])
    assert target is not None
    zero = table.const(32, 0)
    if base == "ds_swizzle_b32":
        row = row_of(inst.operands[1])
        assert row is not None
        sources = tuple(swizzle_lanes(int.from_bytes(inst.raw[:2], "little"), LANES))
        sent = table.ite(wave.active, wave.unit(row), zero)
        wave.write_lanes(target, table.move(sent, sources))
        return
    offset = inst.modifiers.get("offset", 0)
    rows = [row_of(o) for o in inst.operands[1:]]
    if not isinstance(offset, int) or None in rows or len(rows) != 2:
        raise UnsupportedForm(f"{base} is not modelled")
    address, data = rows
    assert address is not None
    assert data is not None
    byte = table.add(wave.read_lane(address), table.const(32, offset))
    lane = table.and_(table.shift("lshr", byte, table.const(32, 2)), table.const(32, LANES - 1))
    if base == "ds_bpermute_b32":
        sent = table.ite(wave.active, wave.unit(data), zero)
        wave.write_lanes(target, table.pull(sent, lane))
    elif base == "ds_permute_b32":
        args = (lane, wave.read_lane(data), wave.active)
        wave.write_lanes(target, table.make("wave", 32, args, "ds_permute_b32"))
    else:
        raise UnsupportedForm(f"{base} is not modelled")


def matrix(wave: Wave, inst: Instruction, d: Decoded) -> None:
    """Execute a matrix instruction: all lanes take part, whatever EXEC says."""
    result, *sources = inst.operands
    args: list[Node] = []
    shapes: list[object] = []
    for operand in sources:
        row = row_of(operand)
        if row is not None:
            assert operand.reg is not None
            args += [wave.unit(row + n) for n in range(operand.reg.count)]
            shapes.append(operand.reg.count)
        elif operand.reg is not None:
            raise UnsupportedForm("a scalar operand of a matrix instruction")
        else:
            shapes.append(operand.value)
        shapes.append((operand.neg, operand.abs))
    row = row_of(result)
    assert row is not None
    assert result.reg is not None
    if 0 in d.use_operands:  # sparse ones accumulate in the result's register
        args += [wave.unit(row + n) for n in range(result.reg.count)]
    mods = tuple(sorted((k, str(v)) for k, v in inst.modifiers.items()))
    name = (inst.base, mods, tuple(shapes), wave.mode.denorm_32, wave.mode.denorm_16_64,
            wave.mode.round_32, wave.mode.round_16_64, wave.mode.fp16_ovfl)  # fmt: skip
    values = [wave.table.make("wave", 32, tuple(args), (name, n)) for n in range(result.reg.count)]
    for n, value in enumerate(values):
        wave.write_lanes(row + n, value, wave.table.true)
