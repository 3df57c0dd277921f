"""The tool `facts`: what named instructions do and ask for, from the tables that the gates use."""

from __future__ import annotations

from functools import lru_cache

from asmevo.drivers.tools.looking import registers
from asmevo.drivers.tools.model import Facts, FactsRequest, InstructionFacts
from asmevo.drivers.tools.text import shown
from asmevo.edits.order.latency import latencies_of
from asmevo.errors import AsmEvoError
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.hazards.roles import roles
from asmevo.isa.hazards.rows import rules_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.target import Target
from asmevo.program.encoding import table
from asmevo.program.grammar import vet_line
from asmevo.search.driver import Context

_MOST_HAZARDS = 24
# One instruction of each kind that a result can go to.
_CONSUMERS = {
    "vector": "v_mov_b32_e32 v0, v1",
    "memory": "global_load_dword v0, v1, s[0:1]",
    "scalar": "s_mov_b32 s0, s1",
}


def facts(context: Context, request: FactsRequest) -> Facts:
    """Facts of instructions by their text; a line that is none says why."""
    target = context.program(context.root.id).target
    found = [_facts(line, target) for line in request.lines]
    return Facts(target=target.arch, instructions=found)


def _facts(line: str, target: Target) -> InstructionFacts:
    try:
        statement = vet_line(line)
        if statement.text is None:
            return InstructionFacts(line=shown(line), error="a label is no instruction")
        inst = table(target).assemble([statement.text])[0]
        d = decode(inst, target)
        waits = dict(d.waits)
        raised = [f"{e.counter} ({e.order})" for e in d.events]
        clocks, result = _clocks(inst, d, target)
        hazards = _hazards(inst, target)
    except AsmEvoError as err:
        return InstructionFacts(line=shown(line), error=shown(err.one_line()))
    return InstructionFacts(
        line=statement.text,
        kind=str(d.kind),
        bytes=inst.size,
        reads=registers(d.uses),
        writes=registers(d.defs),
        raises=raised,
        waits=waits,
        issue_clocks=clocks,
        result_clocks=result,
        hazards=hazards,
    )


def _clocks(inst: Instruction, d: Decoded, target: Target) -> tuple[int, dict[str, int]]:
    latencies = latencies_of(target)
    if d.kind in (OpClass.WAIT, OpClass.NOP, OpClass.BARRIER, OpClass.END, OpClass.BRANCH):
        return latencies.issue(inst, d, target), {}
    consumers = {name: _consumer(text, target) for name, text in _CONSUMERS.items()}
    result = {
        name: latencies.result(inst, d, consumer, target) for name, consumer in consumers.items()
    }
    return latencies.issue(inst, d, target), result if d.defs else {}


@lru_cache(maxsize=64)
def _decoded(text: str, arch: str) -> Decoded:
    target = Target(arch)
    return decode(table(target).assemble([text])[0], target)


def _consumer(text: str, target: Target) -> Decoded:
    return _decoded(text, target.arch)


def _hazards(inst: Instruction, target: Target) -> list[str]:
    """Rules that name a role of the instruction, as producer or consumer, with wait states."""
    rules = rules_of(target)
    if rules is None:
        return []
    mine = roles(inst, target)
    made = {p.role for p in mine.produces}
    op = matrix_op(inst, target)
    passes = op.passes if op is not None else 0
    found: list[str] = []
    for rule in rules:
        if rule.producer in made:
            need = rule.wait_states(passes)
            if need:
                found.append(f"{rule.name}: {need} wait states, it comes first: {rule.text}")
        elif mine.consumer_bits >> rule.consumer & 1:
            need = rule.need if isinstance(rule.need, int) else max(rule.need.values())
            found.append(f"{rule.name}: up to {need} wait states, it comes second: {rule.text}")
    return found[:_MOST_HAZARDS]
