"""What would go wrong silently if the code changed its size: the reasons to refuse it.

A distance that nobody finds cannot be written anew: an offset in a jump table, an address in a
packed relocation, a constant between functions that looks like a branch. Each is refused by name
before anything is written; edits of the same size still work.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from asmevo.codeobject import CodeObject
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.codeobject.elf import SHF_ALLOC, SHT_REL
from asmevo.isa.decoded import decode
from asmevo.isa.flow import FlowKind, flow_of, flow_of_text
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Reg, RegKind
from asmevo.program.encoding import EncodingTable
from asmevo.program.model import Function, PcReference

_PACKED = {SHT_REL: "REL", 19: "RELR", 0x60000001: "Android REL", 0x60000002: "Android RELA",
           0x6FFFFF00: "Android RELR"}  # fmt: skip
_RETURN = Reg(RegKind.SGPR, 30, 2)  # where the calling convention of LLVM keeps the return address
_WINDOW = 64  # instructions in which a computed address must reach its jump
_TARGETED = (FlowKind.COMPUTED, FlowKind.CALL)


def refuse_growth(
    co: CodeObject,
    encodings: EncodingTable,
    instructions: Sequence[Instruction],
    offsets: Sequence[int],
    targets: Mapping[int, int],
    functions: Sequence[Function],
    references: Sequence[PcReference],
) -> str:
    """Why the code must keep its size, or an empty string."""
    for s in co.elf.sections:
        if s.type in _PACKED and s.flags & SHF_ALLOC and s.size:
            return f"{_PACKED[s.type]} relocations ({s.name}) hold addresses that are not followed"
    stops = [i for i, inst in enumerate(instructions) if inst.raw in encodings.stops]
    roots = {f.first for f in functions}
    for k in co.kernels if co.target.is_gfx9 else ():
        second = bisect_left(offsets, k.entry + PRELOAD_PROLOGUE)
        if k.descriptor.kernarg_preload_length and second < len(offsets):
            roots.add(second)
    followed: set[int] = set()
    calls = [i for i, inst in enumerate(instructions) if inst.raw in encodings.calls]
    sources: set[Reg | None] | None = None  # pairs that something jumps to
    for r in references:
        jumps = _jumps_of(co, instructions, r)
        followed.update(jumps)
        if r.target is None:
            continue
        if not jumps and sources is None:
            sources = {_pair(instructions[i]) for i in (*stops, *calls)} - {None}
        if jumps or (sources and _first(instructions[r.pc_read]) in sources):
            roots.add(r.target)
    computed = [i for i in stops if i not in targets and i not in followed
                and flow_of_text(instructions[i].text or "").kind is FlowKind.COMPUTED]  # fmt: skip
    returns = _return_pairs(instructions) if computed else {_RETURN}
    for i in computed:
        if not _returns(co, instructions, i, returns):
            return (
                f"{instructions[i].text} at {co.text_section.name}+0x{offsets[i]:x} "
                "jumps to an address that is not followed"
            )
    parts = {i for r in references for i in (r.low, r.high)}
    for i in calls:
        if _offset_added(co, encodings, instructions, i, parts):
            return (
                f"{instructions[i].text} at {co.text_section.name}+0x{offsets[i]:x} "
                "calls an address that is not followed"
            )
    stray = _unreached_branch(stops, len(instructions), targets, roots)
    if stray is not None:
        return (
            f"nothing leads to the word at {co.text_section.name}+0x{offsets[stray]:x}, "
            "which reads as a branch and may be data"
        )
    return ""


def _pair(inst: Instruction) -> Reg | None:
    reg = inst.operands[-1].reg if inst.operands else None
    return reg if reg is not None and reg.count == 2 else None


def _first(inst: Instruction) -> Reg | None:
    return inst.operands[0].reg if inst.operands else None


def _jumps_of(co: CodeObject, instructions: Sequence[Instruction], r: PcReference) -> list[int]:
    """The jumps or calls near it that take the address of `r` as it was computed."""
    pair = _first(instructions[r.pc_read])
    if pair is None:
        return []
    jumps = [i for i in range(r.low + 1, r.high) if r.addend is not None
             and flow_of(instructions[i].base).kind is FlowKind.COMPUTED]  # fmt: skip
    for i in range(r.high + 1, min(r.high + 1 + _WINDOW, len(instructions))):
        inst = instructions[i]
        if inst.text is None:
            break
        if flow_of_text(inst.text).kind in _TARGETED and _pair(inst) == pair:
            return [*jumps, i]
        if not decode(inst, co.target).defs.isdisjoint(pair.units):
            break
    return jumps


def _return_pairs(instructions: Sequence[Instruction]) -> set[Reg]:
    """Register pairs in which calls leave their return address."""
    calls = {i.text: i for i in instructions if i.text and i.text.startswith(("s_call", "s_swap"))}
    found = {c.operands[0].reg for c in calls.values() if c.operands}
    return {_RETURN, *(r for r in found if r is not None)}


def _returns(
    co: CodeObject, instructions: Sequence[Instruction], at: int, returns: set[Reg]
) -> bool:
    """Whether a computed jump goes to a return address that nothing near it calculates."""
    pair = _pair(instructions[at])
    if pair is None or pair not in returns:
        return False
    for inst in instructions[max(at - _WINDOW, 0) : at]:
        if _calculates(inst) and not decode(inst, co.target).defs.isdisjoint(pair.units):
            return False
    return True


def _calculates(inst: Instruction) -> bool:
    return inst.text is not None and inst.text.startswith(("s_add", "s_sub", "s_lshl"))


def _offset_added(
    co: CodeObject,
    encodings: EncodingTable,
    instructions: Sequence[Instruction],
    at: int,
    parts: set[int],
) -> bool:
    """Whether a call goes to a sum that is no followed address, as an entry of a table is."""
    pair = _pair(instructions[at])
    if pair is None:
        return False
    for i in range(at - 1, max(at - 1 - _WINDOW, -1), -1):
        inst = instructions[i]
        if inst.raw in encodings.stops:
            return False
        if inst.text is not None and not decode(inst, co.target).defs.isdisjoint(pair.units):
            return i not in parts and _calculates(inst)
    return False


def _unreached_branch(
    stops: Sequence[int], count: int, targets: Mapping[int, int], roots: set[int]
) -> int | None:
    """The first branch that no path from the roots comes to.

    `stops` are the indices that nothing falls through, in order. Between two of them code is
    reached from its lowest entry on.
    """
    branches = sorted(targets)
    lowest: dict[int, int] = {}  # number of the stop behind -> lowest reached index
    work = list(roots)
    while work:
        at = work.pop()
        segment = bisect_left(stops, at)
        last = stops[segment] if segment < len(stops) else count - 1
        before = lowest.get(segment, last + 1)
        if at < before:
            lowest[segment] = at
            reached = branches[bisect_left(branches, at) : bisect_left(branches, before)]
            work.extend(targets[i] for i in reached)
    for i in branches:
        if i < lowest.get(bisect_left(stops, i), count):
            return i
    return None
