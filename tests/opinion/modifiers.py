"""What VOP3 and VOP3P modifiers do, stated on bits: the reference side of the engine's tests.

Order (`facts/semantics_traps.md` section 6): select, abs, neg, input flush (inside the
pseudocode), operation, output flush (inside), output modifier, clamp.
"""

from __future__ import annotations

from dataclasses import dataclass

from .softfloat import F16, F32, F64, Format, Mode, is_nan, less, mul

FLOATS: dict[int, Format] = {16: F16, 32: F32, 64: F64}


@dataclass(frozen=True)
class Modifiers:
    """Modifiers of one instruction; bit n of `neg`, `abs` is source n."""

    neg: int = 0
    abs: int = 0
    clamp: bool = False
    omod: str = ""  # "mul:2", "mul:4", "div:2"
    op_sel: tuple[int, ...] = ()
    op_sel_hi: tuple[int, ...] = ()
    neg_lo: tuple[int, ...] = ()
    neg_hi: tuple[int, ...] = ()
    table: int = -1  # v_bitop3's truth table

    def source(self, text: str, position: int) -> str:
        """Operand text with its own modifiers."""
        if self.abs >> position & 1:
            text = f"|{text}|"
        return f"-{text}" if self.neg >> position & 1 else text

    def suffix(self) -> str:
        """Modifiers behind the operands."""
        words = [self.omod] if self.omod else []
        for name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
            value = getattr(self, name)
            if value:
                words.append(f"{name}:[{','.join(map(str, value))}]")
        if self.clamp:
            words.append("clamp")
        if self.table >= 0:
            words.append(f"bitop3:{self.table:#x}")
        return "".join(" " + w for w in words)

    def __str__(self) -> str:
        words = []
        if self.neg:
            words.append(f"neg={self.neg:#b}")
        if self.abs:
            words.append(f"abs={self.abs:#b}")
        return (" ".join(words) + self.suffix()).strip() or "plain"


def read_source(m: Modifiers, position: int, bits: int, width: int) -> int:
    """Source value after half selection, abs and neg; `bits` is the 32- or 64-bit register."""
    if width == 16:
        if position < len(m.op_sel) and m.op_sel[position]:
            bits >>= 16
        bits &= 0xFFFF
    top = 1 << (width - 1)
    if m.abs >> position & 1:
        bits &= ~top
    if m.neg >> position & 1:
        bits ^= top
    return bits


def read_packed(m: Modifiers, position: int, bits: int, half: int, *, is_float: bool) -> int:
    """Packed source after op_sel, op_sel_hi, neg_lo and neg_hi."""
    mask = (1 << half) - 1
    low, high = bits & mask, bits >> half & mask
    pick_low = m.op_sel[position] if m.op_sel else 0
    pick_high = m.op_sel_hi[position] if m.op_sel_hi else 1
    first, second = (high if pick_low else low), (high if pick_high else low)
    if is_float:
        top = 1 << (half - 1)
        if m.neg_lo and m.neg_lo[position]:
            first ^= top
        if m.neg_hi and m.neg_hi[position]:
            second ^= top
    return first | second << half


def finish_float(m: Modifiers, f: Format, bits: int, mode: Mode) -> int:
    """Output modifier and clamp of a float result.

    The output modifier is ignored when MODE.IEEE is set or output subnormals are enabled, which
    is every default compute kernel; clamp turns NaN into +0 with DX10_CLAMP.
    """
    if m.omod and not mode.ieee and not f.denorm(mode) & 2:
        power = {"mul:2": 1, "mul:4": 2, "div:2": -1}[m.omod]
        factor = (f.bias + power) << f.mant
        bits = mul(f, bits, factor, mode) if not is_nan(f, bits) else bits
        if not bits & f.abs_mask:
            bits = 0
    if m.clamp:
        one = f.bias << f.mant
        if is_nan(f, bits):
            return 0 if mode.dx10_clamp else bits
        if less(f, one, bits):
            return one
        return bits if less(f, 0, bits) else 0
    return bits


def saturate(name: str, sources: list[int], width: int) -> int:
    """Integer add and subtract with clamp, from the mathematical result."""
    signed = name.endswith(("_i16", "_i32"))
    values = [
        v - (1 << width) if signed and v >> (width - 1) else v
        for v in (s & ((1 << width) - 1) for s in sources)
    ]
    a, b = values[:2]
    if "subrev" in name:
        exact = b - a
    elif "sub" in name:
        exact = a - b
    elif "mad" in name:
        exact = a * b + values[2]
    else:
        exact = a + b
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    return max(low, min(high, exact)) & ((1 << width) - 1)
