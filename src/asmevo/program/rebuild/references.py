"""PC-relative addresses: `s_getpc` and the additions that follow it.

Compilers form the address of a symbol as `s_getpc_b64 s[n:n+1]`, `s_add_u32 sn, sn, sym@rel32@lo`,
`s_addc_u32 sn+1, sn+1, sym@rel32@hi` (gfx12 `s_add_co_u32`, gfx1250 one `s_add_nc_u64`). The sum
of both literals and the address after the `s_getpc` is the symbol's address, so the literals can be
computed again when anything moves. Tensile's long branches put the distance into a register of
its own first (see `find_long_branch`). What else an `s_getpc` may be used for is looked at in
`unmoved`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asmevo.codeobject import CodeObject
from asmevo.isa.decoded import decode
from asmevo.isa.flow import flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.names import canonical
from asmevo.isa.operand import SCC, Imm, Reg, RegKind
from asmevo.isa.target import Target
from asmevo.program.encoding import EncodingTable
from asmevo.program.grammar import EditError
from asmevo.program.model import PcReference

# As `asmevo.isa.names` spells them.
_LOW, _HIGH, _WIDE = "s_add_u32", "s_addc_u32", "s_add_u64"
_DISTANCE = "s_add_i32"
_POSITIVE = (_DISTANCE, _LOW, _HIGH)
_NEGATIVE = (_DISTANCE, "s_abs_i32", "s_sub_u32", "s_subb_u32")
_EITHER = (
    _DISTANCE, "s_cmp_ge_i32", "s_cbranch_scc1", *_NEGATIVE[1:], "s_setpc_b64", *_POSITIVE[1:]
)  # fmt: skip
_WINDOW = 12  # instructions after s_getpc in which the additions must come
_LONG_WINDOW = 64  # as much for a long branch, which has up to nine instructions
_LITERAL_SOURCE = 0xFF  # SOP2: the first source is the literal that follows
_M64 = (1 << 64) - 1


def find_references(
    co: CodeObject,
    encodings: EncodingTable,
    instructions: Sequence[Instruction],
    special: Sequence[int],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
) -> tuple[tuple[PcReference, ...], tuple[int, ...]]:
    """(PC-relative references, indices of `s_getpc` whose use is no address that is known).

    `special` holds the indices of all that reads the program counter.
    """
    reads = encodings.pc_reads
    found: list[PcReference] = []
    loose: list[int] = []
    for i in special if reads else ():
        inst = instructions[i]
        if inst.raw not in reads:
            continue
        reference = _reference(co, instructions, offsets, index_at, i) or _long_branch(
            co, instructions, offsets, index_at, i
        )
        if reference is not None:
            found.append(reference)
        else:
            loose.append(i)
    return tuple(found), tuple(loose)


def _destination(inst: Instruction) -> Reg | None:
    return inst.operands[0].reg if inst.operands else None


def _adds_literal(inst: Instruction, name: str, reg: Reg) -> bool:
    """Whether `inst` is `op reg, reg, literal` with the literal in its last bytes."""
    if canonical(inst.base) != name or len(inst.operands) != 3 or len(inst.raw) == 4:
        return False
    dst, a, b = (o.value for o in inst.operands)
    return dst == reg and a == reg and isinstance(b, Imm) and inst.editable


def _reference(
    co: CodeObject,
    instructions: Sequence[Instruction],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
    at: int,
) -> PcReference | None:
    pair = _destination(instructions[at])
    if pair is None or pair.count != 2:
        return None
    low_reg = Reg(RegKind.SGPR, pair.index)
    high_reg = Reg(RegKind.SGPR, pair.index + 1)
    base = co.text_address + offsets[at] + len(instructions[at].raw)
    low = None
    for j in range(at + 1, min(at + 1 + _WINDOW, len(instructions))):
        inst = instructions[j]
        if _adds_literal(inst, _WIDE, pair):
            size = len(inst.raw) - 4
            literal = int.from_bytes(inst.raw[4:], "little", signed=size == 4)
            return _finish(co, index_at, at, j, j, (base + literal) & _M64)
        if low is None and _adds_literal(inst, _LOW, low_reg):
            low = j
            continue
        if low is not None and _adds_literal(inst, _HIGH, high_reg):
            literal = int.from_bytes(instructions[low].raw[4:8] + inst.raw[4:8], "little")
            return _finish(co, index_at, at, low, j, (base + literal) & _M64)
        if inst.base == "s_sext_i32_i16":  # gfx12 widens the 48-bit counter
            continue
        touched = decode(inst, co.target)
        if not touched.defs.isdisjoint(pair.units) or not touched.uses.isdisjoint(pair.units):
            return None
    return None


def _finish(
    co: CodeObject, index_at: Mapping[int, int], at: int, low: int, high: int, address: int
) -> PcReference | None:
    offset = address - co.text_address
    if 0 <= offset < len(co.text):
        target = index_at.get(offset)
        return PcReference(at, low, high, address, target) if target is not None else None
    return PcReference(at, low, high, address, None)


def find_long_branch(
    instructions: Sequence[Instruction], at: int, target: Target
) -> tuple[int, int, int, int] | None:
    """(low, high, addend, sign) of the long branch of Tensile that begins with the `s_getpc` `at`.

    `s_add_i32 t, literal, 4` and then `s_add_u32`, `s_addc_u32 0` where the target is ahead,
    `s_abs_i32`, `s_sub_u32`, `s_subb_u32 0` where it is behind, or both with `s_cmp_ge_i32 t, 0`
    before them (Tensile, `KernelWriterAssembly`: longBranchPositive, longBranchNegative,
    longBranch). hipBLASLt takes addresses of functions the same way, with the jump elsewhere.
    """
    pair = _destination(instructions[at])
    if pair is None or pair.count != 2:
        return None
    for names, sign in ((_POSITIVE, 1), (_NEGATIVE, -1), (_EITHER, 0)):
        found = _follow(instructions, at, pair, names, target)
        if found is not None:
            addend = instructions[found[0]].operands[2].value
            assert isinstance(addend, Imm)
            return found[0], found[-1], addend.value, sign
    return None


def _follow(
    instructions: Sequence[Instruction],
    at: int,
    pair: Reg,
    names: Sequence[str],
    target: Target,
) -> list[int] | None:
    """Indices of the instructions `names` behind `at`, others that touch nothing of it between."""
    parts = (Reg(RegKind.SGPR, pair.index), Reg(RegKind.SGPR, pair.index + 1))
    distance: Reg | None = None
    found: list[int] = []
    for i in range(at + 1, min(at + 1 + _LONG_WINDOW, len(instructions))):
        inst = instructions[i]
        if canonical(inst.base) == names[len(found)]:
            if distance is None:
                distance = _distance_register(inst)
                if distance is None or not set(distance.units).isdisjoint(pair.units):
                    return None
            elif not _is_step(inst, names[len(found)], pair, parts, distance):
                return None
            found.append(i)
            if len(found) == len(names):
                return found
            continue
        own = {*pair.units, *((*distance.units, SCC) if distance else ())}
        record = decode(inst, target)
        if not flow_of(inst.base).falls or not own.isdisjoint(record.defs | record.uses):
            return None
    return None


def _distance_register(inst: Instruction) -> Reg | None:
    """`t` of `s_add_i32 t, literal, addend`, the literal being the first source."""
    if len(inst.raw) != 8 or len(inst.operands) != 3 or inst.raw[0] != _LITERAL_SOURCE:
        return None
    addend = inst.operands[2].value
    usable = inst.editable and isinstance(addend, Imm) and 0 <= addend.value <= 4
    return inst.operands[0].reg if usable else None


def _is_step(
    inst: Instruction, name: str, pair: Reg, parts: tuple[Reg, Reg], distance: Reg
) -> bool:
    """Whether the registers are those of the sequence."""
    values = [o.value for o in inst.operands]
    zero = bool(values) and isinstance(values[-1], Imm) and values[-1].value == 0
    if name in (_LOW, "s_sub_u32"):
        return values == [parts[0], parts[0], distance]
    if name in (_HIGH, "s_subb_u32"):
        return values[:2] == [parts[1], parts[1]] and zero
    if name == "s_abs_i32":
        return values == [distance, distance]
    if name == "s_cmp_ge_i32":
        return values[0] == distance and zero
    if name == "s_setpc_b64":
        return values == [pair]
    return True  # the branch; where it goes is looked at where that is known


def _long_branch(
    co: CodeObject,
    instructions: Sequence[Instruction],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
    at: int,
) -> PcReference | None:
    found = find_long_branch(instructions, at, co.target)
    if found is None:
        return None
    low, high, addend, sign = found
    literal = int.from_bytes(instructions[low].raw[4:8], "little")
    distance = (literal + addend + (1 << 31)) % (1 << 32) - (1 << 31)
    base = offsets[at] + instructions[at].size
    target = index_at.get(base + distance)
    if target is None or distance * sign < 0:
        return None
    if sign == 0:  # the branch must lead to the addition
        branch = next(i for i in range(low, high) if flow_of(instructions[i].base).direct)
        words = int.from_bytes(instructions[branch].raw[:2], "little", signed=True)
        goal = index_at.get(offsets[branch] + 4 + 4 * words)
        if goal is None or not branch < goal <= high or canonical(instructions[goal].base) != _LOW:
            return None
    address = co.text_address + base + distance
    return PcReference(at, low, high, address, target, addend, sign)


def encode_reference(
    reference: PcReference,
    instructions: list[Instruction],
    distance: int,
) -> list[tuple[int, bytes]]:
    """New bytes of the additions for a distance from the end of the `s_getpc` to the target.

    Raises:
        EditError: a long branch that only goes forward would have to go back, or the reverse.
    """
    low, high = instructions[reference.low], instructions[reference.high]
    if reference.addend is not None:
        if distance * reference.sign < 0 or not -(1 << 31) <= distance < 1 << 31:
            raise EditError(
                f"{low.text} cannot hold a distance of {distance} bytes",
                "keep the target on its side of the branch",
            )
        literal = (distance - reference.addend) & 0xFFFFFFFF
        return [(reference.low, low.raw[:4] + literal.to_bytes(4, "little"))]
    if reference.low == reference.high:
        size = len(low.raw) - 4
        return [
            (reference.low, low.raw[:4] + (distance & (1 << 8 * size) - 1).to_bytes(size, "little"))
        ]
    literal = (distance & _M64).to_bytes(8, "little")
    return [
        (reference.low, low.raw[:4] + literal[:4]),
        (reference.high, high.raw[:4] + literal[4:]),
    ]
