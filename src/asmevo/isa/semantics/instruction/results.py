"""Commit, first part: output modifiers, clamp, flushing, and where a narrow result lands."""

from __future__ import annotations

from typing import Any

from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.state import State
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector import clamp
from asmevo.isa.semantics.vector.floats import flush

_TRUE_INFINITY = ("v_rcp", "v_rsq", "v_log", "v_div_fixup")
_OMOD = {"mul2": 2.0, "mul4": 4.0, "div2": 0.5}


def _magnitude(value: Value) -> Value:
    return value.u & ((1 << (value.width - 1)) - 1)


def _limit_f16(name: str, arguments: list[Any], value: Value) -> Value:
    """FP16_OVFL: a finite overflow becomes the largest half; true infinities stay."""
    true = value.u != value.u
    for arg in arguments:
        if isinstance(arg, Value) and arg.kind == "f":
            inf = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}[arg.width]
            true = true | (_magnitude(arg) == inf)
            if name.startswith(_TRUE_INFINITY):
                true = true | (_magnitude(arg) == 0)
    overflow = (_magnitude(value) == 0x7C00) & ~true
    return where(overflow, value.u - 1, value.u).f


def clamped(value: Value, mode: table.FloatMode) -> Value:
    """A float between 0 and 1; a NaN becomes 0, or stays without DX10_CLAMP."""
    out = where(value > 1.0, value.const(1.0), where(value > 0.0, value, value.const(0.0)))
    return out if mode.dx10_clamp else where(value.is_nan, value, out)


def finish_float(form: Form, arguments: list[Any], value: Value) -> Value:
    """FP16_OVFL, MODE flushing, omod and clamp of a float result, in this order."""
    if value.width == 16 and form.mode.fp16_ovfl:
        value = _limit_f16(form.semantic.name, arguments, value)
    return settled(form, value)


def settled(form: Form, value: Value) -> Value:
    """MODE flushing, omod and clamp of a float result, in this order."""
    if form.flushes_result(value.width):
        value = flush(value)
    if form.omod:
        # Zero and what underflows lose their value; MODE's denormal setting is flush here.
        scaled = value * _OMOD[form.omod]
        value = where(_magnitude(value) == 0, value.const(0.0), flush(scaled))
    return clamped(value, form.mode) if form.clamp else value


def finish(form: Form, arguments: list[Any], type_: str, value: Value) -> Value:
    """A result of the opcode's function after the modifiers of its type."""
    if table.kind_of(type_) == "f":
        return finish_float(form, arguments, value.f)
    if form.clamp and clamp.clampable(form.semantic.name):
        return clamp.saturated(form.semantic.name, arguments, value)
    return value


# --- where a result lands -----------------------------------------------------------------------
def _place_part(form: Form, state: State, operand: int, value: Value) -> Value:
    """A byte or word result in the part of the destination that op_sel names, the rest kept."""
    byte = form.semantic.part == "byte"
    bits = 8 if byte else 16
    at = 8 * (form.part >> 2 & 3) if byte else 16 * (form.part >> 3 & 1)
    field = ((1 << bits) - 1) << at
    part = value.u.to(32)
    return (state.dword(operand) & (0xFFFFFFFF ^ field)) | (part << at if at else part)


def _place_16(form: Form, state: State, operand: int, value: Value) -> Value:
    """A 16-bit result as a 32-bit row.

    op_sel's last bit writes the high half and keeps the low one; otherwise the high half becomes
    zero or is kept, as the opcode has it (GFX9).
    """
    low = value.u.to(32)
    if form.selected("op_sel", form.sources):
        return (state.dword(operand) & 0xFFFF) | (low << 16)
    if form.junk:
        return (~state.dword(operand) & 0xFFFF0000) | low
    if form.semantic.high == "keep":
        return (state.dword(operand) & 0xFFFF0000) | low
    return low


def _place_sdwa(form: Form, state: State, operand: int, value: Value) -> Value:
    """SDWA destination selection: byte or word, the rest zero, sign or preserved."""
    assert form.sdwa is not None
    dst, unused = form.sdwa.dst, form.sdwa.unused
    value = value.u.to(32)
    if dst == "DWORD":
        return value
    size, at = (8, int(dst[-1]) * 8) if dst.startswith("BYTE") else (16, int(dst[-1]) * 16)
    field = (1 << size) - 1
    part = (value & field) << at
    if unused == "UNUSED_PRESERVE":
        return (state.dword(operand) & (0xFFFFFFFF ^ (field << at))) | part
    if unused == "UNUSED_SEXT":
        up = 32 - size - at
        return ((part << up).i >> up).u if up else part
    return part


def place(form: Form, state: State, operand: int, value: Value) -> list[Value]:
    """The dwords that a result writes to a destination."""
    if value.width == 64:
        return [value.u.to(32), (value.u >> 32).to(32)]
    if form.sdwa is not None:
        return [_place_sdwa(form, state, operand, value)]
    if form.semantic.part:
        return [_place_part(form, state, operand, value)]
    if value.width == 16:
        return [_place_16(form, state, operand, value)]
    return [value.u.to(32)]
