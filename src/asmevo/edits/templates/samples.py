"""Instances of a template, to prove it on before it is used.

Registers are variables of a proof, so one instance with all of them different stands for all such.
It also stands for those in which variables share registers, but where a line would then read what
an earlier line wrote under another name (`mixed`): those are no instances. Constants are no
variables of a proof: each of some values gives an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

from asmevo.edits.templates.model import Template
from asmevo.edits.templates.pattern import (
    CONSTANTS,
    Bindings,
    Value,
    fill,
    variable_of,
    variables,
)
from asmevo.isa.operand import Reg, parse_value

_IMMEDIATES = (0, 1, 2, 5, 16, 24, 31)
_EXPONENTS = (1, 2, 5, 8, 16, 31)
_MOST = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One instance.

    Attributes:
        before, after: lines of assembly.
        bound: what the variables are.
        results: names of the variables that the replacement writes first in a line: what must be
            the same behind both.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    bound: Bindings
    results: tuple[str, ...]


def instance(template: Template, bound: Bindings) -> Sample:
    """The template with its variables filled in."""
    written = [line.operands[0] for line in template.result if line.operands]
    names = [word.lstrip("$").partition(":")[0].partition(".")[0] for word in written]
    return Sample(
        tuple(fill(line, bound) for line in template.pattern),
        tuple(fill(line, bound) for line in template.result),
        bound,
        tuple(dict.fromkeys(n for n in names if n in bound)),
    )


def samples(template: Template) -> Iterator[Sample]:
    """Instances with all registers different and constants over their ranges, a few hundred."""
    kinds = variables(template.pattern)
    registers: dict[str, Value] = {}
    for number, (name, kind) in enumerate(kinds.items()):
        if kind == "s":
            registers[name] = f"s{number + 10}"
        elif kind == "pair":
            registers[name] = f"v[{2 * number + 20}:{2 * number + 21}]"
        elif kind == "v":
            registers[name] = f"v{number + 1}"
    constants = {n: k for n, k in kinds.items() if k in CONSTANTS}
    ranges = [_IMMEDIATES if k == "imm" else _EXPONENTS for k in constants.values()]
    made = 0
    for values in product(*ranges):
        numbers = dict(zip(constants, values, strict=True))
        if made < _MOST and allowed(template, numbers):
            made += 1
            yield instance(template, {**registers, **numbers})


def results(sample: Sample) -> Iterator[int]:
    """Register units that the replacement is there to write."""
    for name in sample.results:
        register = parse_value(str(sample.bound[name]))
        assert isinstance(register, Reg), "only registers are written"
        yield from register.units


def mixed(template: Template, bound: Bindings) -> bool:
    """Whether a line reads, under another name, what an earlier line of its side has written.

    Also whether two results share a register, as their order would then matter.
    """
    units = {name: _units(value) for name, value in bound.items()}
    for side in (template.pattern, template.result):
        written: set[str] = set()
        for line in side:
            names = [variable_of(word) for word in line.operands]
            read = {n for n in names[1:] if n is not None}
            if any(units[r] & units[w] for r in read for w in written - {r}):
                return True
            written |= {n for n in names[:1] if n is not None}
    outs = instance(template, bound).results
    return any(units[a] & units[b] for a, b in combinations(outs, 2))


def _units(value: Value) -> frozenset[int]:
    register = parse_value(str(value))
    return frozenset(register.units) if isinstance(register, Reg) else frozenset()


def allowed(template: Template, bound: Mapping[str, Value]) -> bool:
    """Whether the template's conditions hold of the constants."""
    numbers = {k: v for k, v in bound.items() if isinstance(v, int)}
    return all(condition.holds(numbers) for condition in template.conditions)
