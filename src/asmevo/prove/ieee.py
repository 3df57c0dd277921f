"""Float operations as IEEE 754 has them, for a few at a time.

The pattern of a NaN result is left open: it is a variable that is only known to be a NaN.
"""

from __future__ import annotations

from typing import Any

from asmevo.prove.backend import Kind, RoundingMode
from asmevo.prove.terms.node import Node

Term = Any
_SORTS = {16: (5, 11), 32: (8, 24), 64: (11, 53)}
_ROUNDED = {"add": Kind.FP_ADD, "mul": Kind.FP_MUL, "div": Kind.FP_DIV, "sub": Kind.FP_SUB,
            "fma": Kind.FP_FMA, "sqrt": Kind.FP_SQRT}  # fmt: skip
_INTEGRAL = {
    "rint": RoundingMode.RNE, "floor": RoundingMode.RTN, "ceil": RoundingMode.RTP,
    "trunc": RoundingMode.RTZ,
}  # fmt: skip


class Ieee:
    """Makes terms of the theory of floats; facts about their bits go to `facts`."""

    def __init__(self, tm: Any, facts: list[Term]) -> None:
        self._tm, self._facts = tm, facts

    def _sort(self, width: int) -> Term:
        return self._tm.mk_fp_sort(*_SORTS[width])

    def _float(self, bits: Term, width: int) -> Term:
        return self._tm.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], list(_SORTS[width]))

    def _rounding(self, mode: Any = RoundingMode.RNE) -> Term:
        return self._tm.mk_rm_value(mode)

    def _bits(self, number: Term, width: int, name: str) -> Term:
        bits = self._tm.mk_const(self._tm.mk_bv_sort(width), name)
        same = self._tm.mk_term(Kind.EQUAL, [self._float(bits, width), number])
        self._facts.append(same)
        return bits

    def term(self, node: Node, args: list[Term]) -> Term | None:
        """A "float" node as bits, or None for an operation that is not here."""
        name, width = str(node.data), node.width
        rounding = self._rounding()
        if name in _ROUNDED:
            numbers = [self._float(a, width) for a in args]
            made = self._tm.mk_term(_ROUNDED[name], [rounding, *numbers])
        elif name in _INTEGRAL:
            number = self._float(args[0], width)
            made = self._tm.mk_term(Kind.FP_RTI, [self._rounding(_INTEGRAL[name]), number])
        elif name.startswith("convert"):
            number = self._float(args[0], node.args[0].width)
            made = self._tm.mk_term(Kind.FP_TO_FP_FROM_FP, [rounding, number], list(_SORTS[width]))
        elif name.startswith(("from_sint", "from_uint")):
            kind = Kind.FP_TO_FP_FROM_SBV if "sint" in name else Kind.FP_TO_FP_FROM_UBV
            made = self._tm.mk_term(kind, [rounding, args[0]], list(_SORTS[width]))
        elif name.startswith(("to_sint", "to_uint")):
            # Callers ask for it in range only, where the theory and the machine agree.
            kind = Kind.FP_TO_SBV if "sint" in name else Kind.FP_TO_UBV
            number = self._float(args[0], node.args[0].width)
            mode = self._rounding(RoundingMode.RTZ)
            return self._tm.mk_term(kind, [mode, number], [width])
        else:
            return None
        return self._bits(made, width, f"float{node.number}.{len(self._facts)}")
