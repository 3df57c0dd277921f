"""Lines with variables: read, matched with instructions, and filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from asmevo.capsule.expressions import evaluate
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Imm, Operand, Reg, RegKind

Kind = str
KINDS = ("v", "s", "imm", "pow2", "mask", "pair")
CONSTANTS = ("imm", "pow2", "mask")
Value = int | str
"""A constant, or the name of a register: `v7`, `s3`, `v[4:5]`."""
Bindings = Mapping[str, Value]

_VARIABLE = re.compile(r"\$([a-z]\w*)(?:\.([01]))?(?::([a-z0-9]+))?$")
_COMPUTED = re.compile(r"\$\(([^()$]{1,80})\)$")
_PLAIN = re.compile(r"[\w\[\]:.-]+$")
_MNEMONIC = re.compile(r"[a-z][a-z0-9_]*$")
_COMPARISON = re.compile(r"([^<=>]+)(<=|<|==)([^<=>]+)$")
_PLAIN_FORMS = ("", "e32", "e64")
_MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction with variables.

    Attributes:
        mnemonic: without encoding suffix, or with the one that a replacement asks for.
        operands: as written.
        modifiers: as written behind the operands; empty as a rule.
    """

    mnemonic: str
    operands: tuple[str, ...]
    modifiers: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of two expressions of constants."""

    left: str
    sign: str
    right: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read one.

        Raises:
            ValueError: it is none.
        """
        found = _COMPARISON.match(text)
        if found is None:
            raise ValueError(f"{text!r:.40} is no comparison like n < 32")
        return cls(found[1].strip(), found[2], found[3].strip())

    def holds(self, constants: Mapping[str, int]) -> bool:
        """Whether it is so."""
        a, b = (evaluate(side, constants, "when") for side in (self.left, self.right))
        return {"<": a < b, "<=": a <= b, "==": a == b}[self.sign]


def parse_lines(text: str) -> tuple[Line, ...]:
    """The lines of a pattern.

    Raises:
        ValueError: a line is not an instruction with plain or variable operands.
    """
    lines = tuple(_line(part.strip()) for part in text.splitlines() if part.strip())
    if not 1 <= len(lines) <= _MOST_LINES:
        raise ValueError(f"{len(lines)} lines; a template has one to {_MOST_LINES}")
    return lines


def _line(text: str) -> Line:
    word, _, rest = text.partition(" ")
    if not _MNEMONIC.match(word):
        raise ValueError(f"{word!r:.40} is no mnemonic")
    operands = [part.strip() for part in re.split(r",(?![^\[(]*[\])])", rest)] if rest else []
    modifiers = ""
    if operands:
        last = re.match(r"(\$\([^()]*\)|\S+)\s*(.*)$", operands[-1])
        if last is None:
            raise ValueError(f"{text!r:.60} ends in a comma")
        operands[-1], modifiers = last[1], last[2]
    for operand in operands:
        variable = _VARIABLE.match(operand)
        if variable and variable[3] is not None and variable[3] not in KINDS:
            raise ValueError(f"{variable[3]!r:.20} is no kind; there are {', '.join(KINDS)}")
        if not variable and not _COMPUTED.match(operand) and not _PLAIN.match(operand):
            raise ValueError(f"{operand!r:.40} is no operand of a template")
    if modifiers and not re.match(r"[\w:\[\], -]+$", modifiers):
        raise ValueError(f"{modifiers!r:.40} are no modifiers")
    return Line(word, tuple(operands), modifiers)


def variable_of(word: str) -> str | None:
    """The name of the variable that an operand is, or None."""
    found = _VARIABLE.match(word)
    return None if found is None else found[1]


def variables(lines: tuple[Line, ...]) -> dict[str, Kind]:
    """The variables of a pattern and their kinds.

    Raises:
        ValueError: a variable without a kind.
    """
    kinds: dict[str, Kind] = {}
    for line in lines:
        for operand in line.operands:
            found = _VARIABLE.match(operand)
            if found is None:
                continue
            name, half, kind = found[1], found[2], found[3]
            if kind is None and half is not None:
                kind = "pair"
            if name not in kinds:
                if kind is None:
                    raise ValueError(f"${name} has no kind where it stands first")
                kinds[name] = kind
    return kinds


def match(
    line: Line, inst: Instruction, kinds: Mapping[str, Kind], bound: dict[str, Value]
) -> bool:
    """Whether an instruction is an instance of a line; `bound` takes what its variables are."""
    if inst.base != line.mnemonic or inst.form not in _PLAIN_FORMS or inst.modifiers:
        return False
    if len(inst.operands) != len(line.operands) or not inst.editable:
        return False
    return all(
        _operand(word, operand, kinds, bound)
        for word, operand in zip(line.operands, inst.operands, strict=True)
    )


def _operand(
    word: str, operand: Operand, kinds: Mapping[str, Kind], bound: dict[str, Value]
) -> bool:
    if operand.neg or operand.abs or operand.sext:
        return False
    found = _VARIABLE.match(word)
    if found is None:
        return str(operand.value) == word
    name, half = found[1], found[2]
    value = _value(operand, kinds[name], half)
    if value is None:
        return False
    return bound.setdefault(name, value) == value


def _value(operand: Operand, kind: Kind, half: str | None) -> Value | None:
    value = operand.value
    if kind in CONSTANTS:
        if not isinstance(value, Imm):
            return None
        number = value.value & 0xFFFFFFFF
        if kind == "imm":
            return number
        number += kind == "mask"
        return number.bit_length() - 1 if number > 0 and not number & (number - 1) else None
    if not isinstance(value, Reg) or value.count != 1:
        return None
    if kind == "s":
        return str(value) if value.kind is RegKind.SGPR else None
    if value.kind is not RegKind.VGPR:
        return None
    if kind == "v":
        return str(value)
    low = value.index - int(half or 0)
    return None if low % 2 or low < 0 else f"v[{low}:{low + 1}]"


def fill(line: Line, bound: Bindings) -> str:
    """The line with what its variables are."""
    operands = ", ".join(_filled(word, bound) for word in line.operands)
    return " ".join(part for part in (line.mnemonic, operands, line.modifiers) if part)


def _filled(word: str, bound: Bindings) -> str:
    computed = _COMPUTED.match(word)
    if computed is not None:
        numbers = {k: v for k, v in bound.items() if isinstance(v, int)}
        return str(evaluate(computed[1], numbers, "replace"))
    found = _VARIABLE.match(word)
    if found is None:
        return word
    value = bound[found[1]]
    if isinstance(value, int):
        # Where it stands with its kind, the constant itself; elsewhere its exponent.
        exact = {"pow2": 1 << value, "mask": (1 << value) - 1} if value < 64 else {}
        return str(exact.get(found[3], value))
    if found[2] is None:
        return value
    low = int(value[2 : value.index(":")])
    return f"v{low + int(found[2])}"
