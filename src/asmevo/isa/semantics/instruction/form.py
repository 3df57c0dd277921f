"""What is static about one instruction: its opcode's meaning, modifiers and MODE.

`decode.options_of` reads it from an instruction; equal forms behave equally on equal registers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from asmevo.isa.semantics.table import DEFAULT_MODE, IMPLICIT, FloatMode, Semantic

_MODE_FIELDS = tuple(f.name for f in fields(FloatMode))


@dataclass(frozen=True, slots=True)
class Dpp:
    """A DPP control: `amount` is its argument (a tuple for quad_perm)."""

    control: str
    amount: Any
    row_mask: int
    bank_mask: int
    bound: bool


@dataclass(frozen=True, slots=True)
class Sdwa:
    """SDWA selections: "DWORD", "BYTE_0".., "WORD_0"..; `unused` as LLVM prints it."""

    dst: str
    unused: str
    sources: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Form:
    """One instruction without its registers.

    Attributes:
        semantic: meaning of the opcode.
        vector: per printed operand, whether it is a row of lanes (op_sel applies to those).
        neg, abs, sext: bit n is source n.
        omod: "", "mul2", "mul4" or "div2"; empty where MODE switches it off.
        op_sel, op_sel_hi, neg_lo, neg_hi: per operand, empty for the default.
        part: OPSEL of opcodes that read or write a byte or word it names.
        immediates: further arguments of the opcode's function by name.
        mode: MODE and target, as far as the opcode depends on them.
        rounding: MODE rounding by float width where it is not nearest even.
        junk: undocumented result bits hold junk.
    """

    semantic: Semantic
    vector: tuple[bool, ...]
    neg: int = 0
    abs: int = 0
    sext: int = 0
    clamp: bool = False
    omod: str = ""
    op_sel: tuple[int, ...] = ()
    op_sel_hi: tuple[int, ...] = ()
    neg_lo: tuple[int, ...] = ()
    neg_hi: tuple[int, ...] = ()
    dpp: Dpp | None = None
    sdwa: Sdwa | None = None
    part: int = 0
    immediates: tuple[tuple[str, int], ...] = ()
    mode: FloatMode = DEFAULT_MODE
    rounding: tuple[tuple[int, int], ...] = ()
    junk: bool = False

    @property
    def destinations(self) -> int:
        """Number of printed destinations."""
        return len([d for d in self.semantic.dsts if d not in IMPLICIT])

    @property
    def sources(self) -> int:
        """Number of printed sources."""
        return len([s for s in self.semantic.srcs if s not in IMPLICIT])

    def selected(self, name: str, position: int, default: int = 0) -> bool:
        """Bit `position` of op_sel, op_sel_hi, neg_lo or neg_hi."""
        bits: tuple[int, ...] = getattr(self, name)
        return bool(bits[position]) if position < len(bits) else bool(default and not bits)

    def flushes_source(self, position: int, width: int) -> bool:
        """Whether a float source of a width loses its subnormals."""
        return position not in self.semantic.kept and not self._denorm(width) & 1

    def flushes_result(self, width: int) -> bool:
        """Whether a float result of a width loses its subnormals."""
        return self.semantic.flush_result and not self._denorm(width) & 2

    def _denorm(self, width: int) -> int:
        # MODE denormal settings: bit 0 allows subnormal inputs, bit 1 subnormal results.
        if not self.semantic.flush:
            return 3
        if self.semantic.forced_flush and width == 32:
            return 0
        return self.mode.denorm_of(width)


def form_from(
    semantic: Semantic, vector: Iterable[bool], options: Iterable[tuple[str, Any]]
) -> Form:
    """The form that a list of options (as `decode.options_of` gives it) stands for."""
    given = dict(options)
    dpp, sdwa = given.get("dpp"), given.get("sdwa")
    single, other = given.get("denorm", (3, 3))
    mode = {name: given[name] for name in _MODE_FIELDS if name in given}
    mode = {"denorm_32": single, "denorm_16_64": other, **mode}
    mode["dx10_clamp"] = given.get("dx10", True)
    rounding = ()
    if "round" in given:
        single, other = given["round"]
        rounding = ((16, other), (32, single), (64, other))
        mode |= {"round_32": single, "round_16_64": other}
    return Form(
        semantic,
        tuple(vector),
        neg=given.get("neg", 0),
        abs=given.get("abs", 0),
        sext=given.get("sext", 0),
        clamp=bool(given.get("clamp")),
        omod=given.get("omod", ""),
        op_sel=tuple(given.get("op_sel", ())),
        op_sel_hi=tuple(given.get("op_sel_hi", ())),
        neg_lo=tuple(given.get("neg_lo", ())),
        neg_hi=tuple(given.get("neg_hi", ())),
        dpp=Dpp(*dpp) if dpp else None,
        sdwa=Sdwa(sdwa[0], sdwa[1], (sdwa[2], sdwa[3])) if sdwa else None,
        part=given.get("part", 0),
        immediates=tuple((name, given.get(name, 0)) for name in semantic.immediates),
        mode=FloatMode(**mode),
        rounding=rounding,
        junk=bool(given.get("open")),
    )
