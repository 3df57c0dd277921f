"""Values that depend on where things lie, and registers that no text names, may not newly enter.

The program counter, the apertures of LDS and scratch, trap registers, the base of scratch and the
mask of replays, the runtime's own pointers taken as numbers, addresses made of constants: what
comes from these is one thing here and another on the next machine, in the next run. Registers
reached through an index cannot be held against the allocation. An edit may use them as often as
the original does, kind by kind, and no more. Clocks, hardware registers and identities are
`against.environment`.

Sources: CDNA3 ISA sections 3.3 (GPR indexing) and 5.2 (program counter), chapter 4 on apertures and
trap temporaries; LLVM `AMDGPUUsage`, "Initial Kernel Execution State".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from asmevo.check.engine.facts import InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.check.findings import ERROR, Finding
from asmevo.codeobject import KernelDescriptor
from asmevo.isa.access import Space
from asmevo.isa.decoded import MEMORY_CLASSES, OpClass
from asmevo.isa.operand import (
    EXEC,
    FLAT_SCRATCH,
    MODE,
    SCC,
    TTMP0,
    VCC,
    XNACK_MASK,
    Imm,
    Special,
)
from asmevo.program.model import Function, Program

_COUNTER, _INDEX, _TRAP = "the program counter", "indexed registers", "trap registers"
_MACHINE = "a register of the machine's state"
_APERTURE, _POINTER, _LITERAL = "an aperture", "a pointer of the runtime", "a constant address"
_STATE = frozenset(range(FLAT_SCRATCH, XNACK_MASK + 2))  # where s102 on are no SGPRs
_TRAPS = range(TTMP0, TTMP0 + 16)
_CARRIES = frozenset({VCC, VCC + 1, SCC, EXEC, EXEC + 1, MODE})
_ADDRESSED = frozenset({Space.GLOBAL, Space.FLAT, Space.SCALAR, Space.BUFFER})
# User SGPRs in their order: descriptor field, how many, whether they hold an address.
_USER = (
    ("enable_sgpr_private_segment_buffer", 4, True), ("enable_sgpr_dispatch_ptr", 2, True),
    ("enable_sgpr_queue_ptr", 2, True), ("enable_sgpr_kernarg_segment_ptr", 2, True),
    ("enable_sgpr_dispatch_id", 2, False), ("enable_sgpr_flat_scratch_init", 2, True),
)  # fmt: skip


def new_sources(k0: Program, k1: Program) -> list[Finding]:
    """What depends on places, or reaches registers by index, more often in `k1` than in `k0`."""
    new = Counter(k1.instructions)
    new.subtract(k0.instructions)
    if not any(n > 0 for n in new.values()):
        return []

    def count(_: ProgramLike) -> Counter[str]:
        return Counter(kind for kind, _ in _uses(k0))

    before = workbench().known(k0, "sources", count)
    after: dict[str, list[int]] = {}
    for kind, index in _uses(k1):
        after.setdefault(kind, []).append(index)
    found: list[Finding] = []
    for kind, places in after.items():
        if len(places) <= before[kind]:
            continue
        at = next((i for i in places if new[k1.instructions[i]] > 0), places[-1])
        text = k1.instructions[at].text or ""
        why = (
            "which nothing holds against the allocation"
            if kind == _INDEX
            else "which is another one where things lie elsewhere"
        )
        found.append(
            Finding(
                "against.source", "-", ERROR, k1.function_at(at).name, at, text,
                message=f"{text!r} uses {kind}, {why}: {len(places)} times, in the original "
                f"{before[kind]}",
                fix="use what the original uses", what=kind,
            )
        )  # fmt: skip
    return found


def _uses(program: Program) -> Iterator[tuple[str, int]]:
    """(kind, instruction) of every use."""
    facts = facts_of(program)
    kernels = {program.kernel_function(k).first: k.descriptor for k in program.object.kernels}
    for f in program.functions:
        descriptor = kernels.get(f.first)
        given = _runtime_pointers(descriptor) if descriptor is not None else set[int]()
        yield from _in_function(facts, f, given)


def _in_function(
    facts: list[InstructionFacts], f: Function, given: set[int]
) -> Iterator[tuple[str, int]]:
    constant: dict[int, int | None] = {}  # units made of constants alone, and their values
    for i in range(f.first, f.last):
        x = facts[i]
        d = x.decoded
        for kind in _named(x):
            yield kind, i
        access = d.access if x.kind in MEMORY_CLASSES else None
        addresses = frozenset[int]()
        if access is not None:
            registers = [d.inst.operands[n].reg for n in access.address]
            addresses = frozenset(u for r in registers if r is not None for u in r.units)
        if _constant_address(x, constant):
            yield _LITERAL, i
        if given & (d.uses - addresses):
            yield _POINTER, i
        given -= d.defs
        # Carries and conditions choose among constants, and what is kept of the old value may.
        if _computes(x) and (d.uses - _CARRIES) <= constant.keys():
            constant.update(_values(x))
        else:
            for unit in d.defs & constant.keys():
                del constant[unit]


def _computes(x: InstructionFacts) -> bool:
    """Whether the result follows from the operands alone."""
    t = x.decoded.traits
    apart = t.reads_pc or t.environment or t.indirect or t.pinned
    named = any(isinstance(o.value, Special) for o in x.inst.operands)
    return x.kind in (OpClass.SALU, OpClass.VALU) and not apart and not named


def _values(x: InstructionFacts) -> dict[int, int | None]:
    """What a computation from constants puts into its registers, where it moves an immediate.

    The upper half of a wide move is the immediate's sign, which makes no address.
    """
    found = dict[int, int | None].fromkeys(x.decoded.defs)
    operands = list(x.inst.operands)
    if not x.decoded.traits.moves or len(operands) != 2:
        return found
    register, value = operands[0].reg, operands[1].value
    if isinstance(value, Imm) and register is not None:
        found[register.units[0]] = value.value
        found.update(dict.fromkeys(register.units[1:], 0))
    return found


def _constant_address(x: InstructionFacts, constant: Mapping[int, int | None]) -> bool:
    """Whether a constant, zero and sign apart, is the high half of an address or of a sum for one.

    Sums of 64 bits are an operation of their own, or end in an addition with carry.
    """
    d = x.decoded
    access = d.access if x.kind in MEMORY_CLASSES else None
    if access is not None:
        if access.space not in _ADDRESSED:
            return False
        registers = [d.inst.operands[n].reg for n in access.address]
        high = [r.units[1] for r in registers if r is not None and r.count >= 2]
    elif d.traits.wide_sum:
        registers = [d.inst.operands[n].reg for n in d.use_operands]
        high = [r.units[1] for r in registers if r is not None and r.count == 2]
    elif d.traits.high_sum:
        registers = [d.inst.operands[n].reg for n in d.use_operands]
        high = [r.units[0] for r in registers if r is not None and r.count == 1]
        if any(isinstance(o.value, Imm) and _far(o.value.value) for o in d.inst.operands):
            return True
    else:
        return False
    return any(u in constant and _far(constant[u]) for u in high)


def _far(value: int | None) -> bool:
    return value not in (0, -1, 0xFFFFFFFF)


def _named(x: InstructionFacts) -> Iterator[str]:
    d = x.decoded
    if d.traits.reads_pc:
        yield _COUNTER
    if d.traits.indirect:
        yield _INDEX
    if not d.uses.isdisjoint(_TRAPS):
        yield _TRAP
    if d.target.is_gcn:
        read = [d.inst.operands[n].reg for n in d.use_operands]
        if any(r is not None and not _STATE.isdisjoint(r.units) for r in read):
            yield _MACHINE
    for operand in d.inst.operands:
        value = operand.value
        if isinstance(value, Special) and value.name.startswith(("src_shared", "src_private")):
            yield _APERTURE


def _runtime_pointers(d: KernelDescriptor) -> set[int]:
    """SGPRs that hold addresses which the runtime gives, when the kernel starts."""
    found: set[int] = set()
    at = 0
    for name, count, address in _USER:
        if getattr(d, name):
            found |= set(range(at, at + count)) if address else set()
            at += count
    return found
