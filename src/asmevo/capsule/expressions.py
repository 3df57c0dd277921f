"""Arithmetic expressions of launch descriptions, evaluated on their syntax tree (never `eval`).

Integer expressions (grids, shapes, sizes, integer arguments) know `+ - * // %`, unary minus,
parentheses and `cdiv`, `next_pow2`, `min`, `max`. Number expressions (initializer parameters,
float arguments) know in addition float literals, `/`, `sqrt`, `exp` and `log`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping

from asmevo.errors import InputError

LONGEST = 400  # characters
LARGEST = 1 << 64  # integers beyond this are a mistake, and bound the work of a hostile text
Number = int | float


def cdiv(a: int, b: int) -> int:
    """Quotient rounded up."""
    return -(-a // b)


def next_pow2(n: int) -> int:
    """Least power of two that is at least n (1 for n < 2)."""
    return 1 << max(0, n - 1).bit_length()


_INTEGER_FUNCTIONS: dict[str, tuple[int, Callable[..., int]]] = {
    "cdiv": (2, cdiv),
    "next_pow2": (1, next_pow2),
    "min": (-1, lambda *values: min(values)),
    "max": (-1, lambda *values: max(values)),
}
_FLOAT_FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "sqrt": (1, math.sqrt),
    "exp": (1, math.exp),
    "log": (1, math.log),
}
_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_SIGNS: dict[type[ast.operator], str] = {ast.Div: "/", ast.Pow: "**"}
FUNCTIONS = tuple(_INTEGER_FUNCTIONS)


def parse(text: str, what: str) -> ast.expr:
    """Syntax tree of an expression.

    Args:
        text: the expression.
        what: what it is for, named in errors, e.g. `grid[0]`.

    Raises:
        InputError: not one expression, or longer than `LONGEST` characters.
    """
    if len(text) > LONGEST:
        raise InputError(f"{what}: expression of {len(text)} characters", f"most is {LONGEST}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(
            f"{what}: {text!r} is not an expression",
            f"use integers, size names, + - * // % and {', '.join(FUNCTIONS)}",
        ) from None


def evaluate(value: int | str, names: Mapping[str, int], what: str) -> int:
    """Value of an integer or integer expression.

    Args:
        value: an integer, or the text of an expression.
        names: values of the size names it may use.
        what: what it is for, named in errors.

    Raises:
        InputError: malformed text, an unknown name or function, a division by zero, a value
            beyond 64 bits.
    """
    if isinstance(value, int):
        return int(value)
    found = _guarded(parse(value, what), names, what, value, fractional=False)
    assert isinstance(found, int)
    return found


def evaluate_number(value: Number | str, names: Mapping[str, int], what: str) -> Number:
    """Value of a number or number expression (see the module's text); errors as `evaluate`."""
    if isinstance(value, int | float):
        return value
    text = value.strip()
    if text.lower().lstrip("+-") in ("inf", "nan", "infinity"):
        return float(text)
    return _guarded(parse(text, what), names, what, text, fractional=True)


def evaluate_node(node: ast.expr, names: Mapping[str, int], what: str) -> Number:
    """Value of a number expression that is already a syntax tree; errors as `evaluate`."""
    return _guarded(node, names, what, ast.unparse(node), fractional=True)


def _guarded(
    node: ast.expr, names: Mapping[str, int], what: str, text: str, *, fractional: bool
) -> Number:
    try:
        return _Evaluator(names, what, text, fractional).visit(node)
    except ZeroDivisionError:
        raise InputError(f"{what}: {text!r} divides by zero") from None
    except (OverflowError, ValueError):
        raise InputError(f"{what}: {text!r} has no finite value") from None
    except RecursionError:
        raise InputError(f"{what}: {text!r} is nested too deeply") from None


class _Evaluator:
    """Walks one tree; `fractional` admits floats."""

    def __init__(self, names: Mapping[str, int], what: str, text: str, fractional: bool) -> None:
        self.names, self.what, self.text, self.fractional = names, what, text, fractional

    def fail(self, why: str, remedy: str = "") -> InputError:
        return InputError(f"{self.what}: {why} in {self.text!r}", remedy)

    def visit(self, node: ast.expr) -> Number:
        value = self.value(node)
        if isinstance(value, int) and abs(value) > LARGEST:
            raise self.fail("value beyond 64 bits")
        if isinstance(value, float) and not math.isfinite(value):
            raise self.fail("value is not finite")
        return value

    def value(self, node: ast.expr) -> Number:
        if isinstance(node, ast.Constant):
            return self.literal(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.visit(node.operand)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            return self.visit(node.operand)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node.func.id, node.args)
        raise self.fail(f"{type(node).__name__} is not allowed")

    def literal(self, value: object) -> Number:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and self.fractional:
            return value
        raise self.fail(f"literal {value!r} is not allowed", "write an integer")

    def name(self, name: str) -> int:
        if name not in self.names:
            known = ", ".join(self.names) or "none"
            raise self.fail(f"unknown size {name!r}", f"sizes are: {known}")
        return self.names[name]

    def binary(self, node: ast.BinOp) -> Number:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Div) and self.fractional:
            return left / right
        operation = _OPERATORS.get(type(node.op))
        if operation is None:
            sign = _SIGNS.get(type(node.op), type(node.op).__name__)
            raise self.fail(f"operator {sign} is not allowed", "use + - * // %")
        return operation(left, right)

    def call(self, name: str, arguments: list[ast.expr]) -> Number:
        entry = _INTEGER_FUNCTIONS.get(name)
        if entry is None and self.fractional:
            entry = _FLOAT_FUNCTIONS.get(name)
        if entry is None:
            raise self.fail(f"unknown function {name!r}", f"functions are {', '.join(FUNCTIONS)}")
        count, function = entry
        if (count >= 0 and len(arguments) != count) or not arguments:
            raise self.fail(f"{name} takes {count if count >= 0 else 'one or more'} argument(s)")
        values = [self.visit(a) for a in arguments]
        if name in ("cdiv", "next_pow2") and not all(isinstance(v, int) for v in values):
            raise self.fail(f"{name} takes integers")
        return function(*values)
