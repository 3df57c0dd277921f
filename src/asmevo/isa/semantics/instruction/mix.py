"""v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16 (CDNA3 ISA 12.10).

Each source is an f32 or either half of its register. One rounding to f32; the f16 forms round
the f32 result again (pseudocode V_MAD_MIX*).
"""

from __future__ import annotations

from typing import Any

from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.results import settled
from asmevo.isa.semantics.instruction.state import State
from asmevo.isa.semantics.rounding.directed import directed
from asmevo.isa.semantics.table import FloatMode, Semantic
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector.floats import flush, fma_full

MIX = {
    name: Semantic(name, "lane", (type_,), ("f32", "f32", "f32"), fma_full)
    for name, type_ in (
        ("v_fma_mix_f32", "f32"),
        ("v_fma_mixlo_f16", "f16"),
        ("v_fma_mixhi_f16", "f16"),
    )
}


def mix_semantic(base: str) -> Semantic | None:
    """The entry of a mixed-precision opcode (printed v_mad_mix* on older targets), or None."""
    return MIX.get(base.replace("v_mad_mix", "v_fma_mix"))


def mix_options(inst: Instruction, mode: FloatMode) -> dict[str, Any]:
    """The options of one instruction in one mode, as `decode.options_of` gives them.

    Raises:
        UnsupportedForm: a modifier that these opcodes do not have.
    """
    mods = inst.modifiers
    options: dict[str, Any] = {
        "op_sel": mods.get("op_sel", ()),
        "op_sel_hi": mods.get("op_sel_hi", ()),
    }
    for name in ("neg", "abs"):
        bits = sum(1 << i for i, o in enumerate(inst.operands[1:]) if getattr(o, name))
        if bits:
            options[name] = bits
    for name in mods:
        if name == "clamp":
            options["clamp"] = True
            if not mode.dx10_clamp:
                options["dx10"] = False
        elif name not in ("op_sel", "op_sel_hi"):
            raise UnsupportedForm(f"modifier {name} of {inst.base} is not supported")
    if (mode.denorm_32, mode.denorm_16_64) != (3, 3):
        options["denorm"] = (mode.denorm_32, mode.denorm_16_64)
    if (mode.round_32, mode.round_16_64) != (0, 0):
        options["round"] = (mode.round_32, mode.round_16_64)
    if mode.fp16_ovfl and not inst.base.endswith("f32"):
        options["fp16_ovfl"] = True
    return options


def mix_types(options: dict[str, Any]) -> list[str]:
    """Types of the three sources: op_sel_hi chooses f16."""
    halves = options["op_sel_hi"]
    return ["f16" if n < len(halves) and halves[n] else "f32" for n in range(3)]


def _source(form: Form, state: State, position: int) -> Value:
    """A source as f32: op_sel_hi chooses f16, op_sel its half; then abs and neg."""
    value = state.dword(1 + position)
    if form.selected("op_sel_hi", position):
        half = value.bits(16 if form.selected("op_sel", position) else 0, 16).f
        half = flush(half) if form.flushes_source(position, 16) else half
        value = half.fconvert(32)
    else:
        value = flush(value.f) if form.flushes_source(position, 32) else value.f
    if form.abs >> position & 1:
        value = value.fabs()
    return -value if form.neg >> position & 1 else value


def execute_mix(form: Form, state: State) -> None:
    """Run one mixed-precision fused multiply-add on a state."""
    a, b, c = (_source(form, state, position) for position in range(3))
    modes = dict(form.rounding)
    if any(modes.values()):
        alg = directed(state.algebra, {width: modes[width] for width in (16, 32)})
        a, b, c = (Value(alg, v.raw, v.width, v.kind) for v in (a, b, c))
    result = fma_full(a, b, c)
    if form.semantic.dsts[0] == "f32":
        result = settled(form, Value(state.algebra, result.raw, 32, "f"))
        state.commit([(0, 0, result.u)], None)
        return
    half = Value(state.algebra, result.fconvert(16).raw, 16, "f")
    if form.mode.fp16_ovfl:
        infinite = (result.u & 0x7FFFFFFF) == 0x7F800000
        infinite = Value(state.algebra, infinite.raw, 1, "b")
        overflow = ((half.u & 0x7FFF) == 0x7C00) & ~infinite
        half = where(overflow, half.u - 1, half.u).f
    low = settled(form, half).u.to(32)
    old = state.dword(0)
    if form.semantic.name == "v_fma_mixlo_f16":
        row = (old & 0xFFFF0000) | low
    else:
        row = (old & 0xFFFF) | (low << 16)
    state.commit([(0, 0, row)], None)
