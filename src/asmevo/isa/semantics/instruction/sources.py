"""Fetch and modify: operands as typed values with DPP, SDWA, op_sel, abs, neg and flushing."""

from __future__ import annotations

from typing import Any

from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.lanes import Lanes
from asmevo.isa.semantics.instruction.state import State
from asmevo.isa.semantics.values import Value, concat
from asmevo.isa.semantics.vector.floats import flush

# Shared by what reads sources and what writes results; None without DPP.
Moves = Lanes | None


def select_part(value: Value, part: str, signed: bool) -> Value:
    """SDWA source selection of a byte or word, zero- or sign-extended to 32 bits."""
    if part == "DWORD":
        return value
    size, at = (8, int(part[-1]) * 8) if part.startswith("BYTE") else (16, int(part[-1]) * 16)
    piece = value.bits(at, size)
    return (piece.i if signed else piece).to(32).u


def _typed(value: Value, width: int, kind: str) -> Value:
    return Value(value.alg, value.raw, width, kind)


def _negated(value: Value) -> Value:
    sign = 1 << (value.width - 1)
    return _typed(value.u ^ sign, value.width, value.kind)


def _dword(form: Form, state: State, moves: Moves, position: int) -> Value:
    """The first dword of source `position` after DPP and SDWA."""
    value = state.dword(form.destinations + position)
    if position == 0 and moves is not None:
        value = moves.read(value)
    if form.sdwa is not None and position < 2:
        signed = bool(form.sext >> position & 1)
        value = select_part(value, form.sdwa.sources[position], signed)
    return value


def _narrow(form: Form, state: State, moves: Moves, position: int, width: int) -> Value:
    """Source of at most 32 bits, unmodified but for the choice of its part."""
    value = _dword(form, state, moves, position)
    if position == 0 and form.semantic.source_part:
        byte = form.semantic.source_part == "byte"
        at = 8 * (form.part & 3) if byte else 16 * (form.part & 1)
        value = value >> at if at else value
    if position in form.semantic.pairs:
        low, high = _halves_of(form, position, [value.bits(0, 16), value.bits(16, 16)])
        return concat(low, high)
    if width < 32:
        vector = form.vector[form.destinations + position]
        if vector and form.selected("op_sel", position):
            value = value >> 16
        value = value.to(width)
    return value


def _modified(form: Form, position: int, value: Value) -> Value:
    """Flushing per MODE, then abs and neg."""
    if value.kind == "f" and form.flushes_source(position, value.width):
        value = flush(value)
    if form.abs >> position & 1:
        value = value.fabs()
    return _negated(value) if form.neg >> position & 1 else value


def source(form: Form, state: State, moves: Moves, position: int, type_: str) -> Any:
    """Printed source `position` as a typed value, every modifier applied.

    Types wider than 64 bits come as a list of 32-bit values.
    """
    operand = form.destinations + position
    width, kind = table.width_of(type_), table.kind_of(type_)
    if type_ == "m":
        return state.mask(operand)
    if width > 64:
        return [state.dword(operand, part) for part in range(width // 32)]
    if width == 64:
        value = state.qword(operand)
        if position == 0 and moves is not None:
            value = moves.read(value)
    else:
        value = _narrow(form, state, moves, position, width)
    return _modified(form, position, _typed(value, width, kind))


def old_destination(form: Form, state: State) -> Any:
    """The destination's value before the instruction, as a source of its type."""
    type_ = form.semantic.dsts[0]
    width, kind = table.width_of(type_), table.kind_of(type_)
    if width > 64:
        return [state.dword(0, part) for part in range(width // 32)]
    old = state.qword(0) if width == 64 else state.dword(0).to(width)
    return _old(form, _typed(old, width, kind))


def _old(form: Form, value: Value) -> Value:
    """An old destination that is an operand: flushed like one."""
    position = len(form.semantic.srcs)
    flushed = value.kind == "f" and form.flushes_source(position, value.width)
    return flush(value) if flushed else value


def arguments(form: Form, state: State, moves: Moves) -> list[Any]:
    """Arguments of the opcode's function."""
    out: list[Any] = []
    position = 0
    for type_ in form.semantic.srcs:
        if type_ in table.IMPLICIT:
            out.append(state.implicit(type_))
        else:
            out.append(source(form, state, moves, position, type_))
            position += 1
    if form.semantic.reads_dst:
        out.append(old_destination(form, state))
    return out


# --- packed (VOP3P) ---------------------------------------------------------------------------
def _halves_of(form: Form, position: int, parts: list[Value]) -> tuple[Value, Value]:
    """Low and high operand of a pair after op_sel, op_sel_hi, neg_lo and neg_hi."""
    low = parts[form.selected("op_sel", position)]
    high = parts[form.selected("op_sel_hi", position, 1)]
    low = _negated(low) if form.selected("neg_lo", position) else low
    return low, _negated(high) if form.selected("neg_hi", position) else high


def _parts(form: Form, state: State, moves: Moves, position: int) -> list[Value]:
    """Low and high part of a packed source."""
    if form.semantic.packed == 16:
        whole = _dword(form, state, moves, position)
        return [whole.bits(0, 16), whole.bits(16, 16)]
    operand = form.destinations + position
    return [state.dword(operand, part) for part in (0, 1)]


def packed_arguments(form: Form, state: State, moves: Moves) -> list[list[Any]]:
    """Arguments of the opcode's function for the low and for the high half."""
    semantic, width = form.semantic, form.semantic.packed
    halves: list[list[Any]] = [[], []]
    for position, type_ in enumerate(semantic.srcs):
        kind = table.kind_of(type_)
        parts = [_typed(v, width, kind) for v in _parts(form, state, moves, position)]
        if kind == "f" and form.flushes_source(position, width):
            parts = [flush(v) for v in parts]
        if semantic.name == "v_pk_mov_b32":
            # The low result takes half op_sel[0] of source 0, the high one op_sel[1] of 1.
            chosen = parts[form.selected("op_sel", position)]
            halves[position] = [chosen, chosen]
            continue
        for half, value in zip(halves, _halves_of(form, position, parts), strict=True):
            half.append(value)
    if semantic.reads_dst:
        old = (
            [state.dword(0).bits(at, 16) for at in (0, 16)]
            if width == 16
            else [state.dword(0, part) for part in (0, 1)]
        )
        for half, value in zip(halves, old, strict=True):
            half.append(_old(form, _typed(value, width, table.kind_of(semantic.dsts[0]))))
    return halves
