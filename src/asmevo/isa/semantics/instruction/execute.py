"""The text of a VALU instruction: fetch, modify, compute, commit."""

from __future__ import annotations

from typing import Any, cast

from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.lanes import Lanes
from asmevo.isa.semantics.instruction.results import finish, place
from asmevo.isa.semantics.instruction.sources import Moves, arguments, packed_arguments
from asmevo.isa.semantics.instruction.state import Results, State
from asmevo.isa.semantics.rounding.directed import directed
from asmevo.isa.semantics.values import Value, concat


def rounded(form: Form, args: list[Any]) -> list[Any]:
    """Arguments whose algebra rounds results of the opcode's float widths as MODE says."""
    widths = {table.width_of(d) for d in form.semantic.dsts if d[0] == "f"}
    modes = {w: mode for w, mode in form.rounding if w in widths and mode}
    if not modes:
        return args
    alg = directed(args[0].alg, modes)
    return [Value(alg, a.raw, a.width, a.kind) if isinstance(a, Value) else a for a in args]


def evaluate(form: Form, args: list[Any], *, fast: bool = False) -> Results:
    """Results of the opcode's function, rounded as MODE says.

    With `fast`, its cheaper function, whose results hold only where the guard is silent.
    """
    immediates = {} if fast else dict(form.immediates)
    args = rounded(form, args)
    return table.apply(form.semantic, args, form.mode, fast=fast, **immediates)


def _plain(value: Value, state: State) -> Value:
    """A result over the state's own algebra again (rounding is over)."""
    return Value(state.algebra, value.raw, value.width, value.kind)


def _commit_mask(form: Form, state: State, moves: Moves, operand: int, value: Value) -> None:
    """A lane mask result: inactive lanes become 0; lanes that DPP suppresses keep their bit."""
    if moves is not None:
        bits = moves.side_result(value, state.mask(operand))
    else:
        bits = value & state.implicit("exec")
    state.write_mask(operand, bits)
    if form.semantic.writes_exec:
        state.write_exec(bits)


def _packed(form: Form, state: State, moves: Moves) -> list[tuple[int, int, Value]]:
    halves = packed_arguments(form, state, moves)
    type_ = form.semantic.dsts[0]
    low, high = (
        finish(form, args, type_, _plain(results[0], state))
        for args, results in zip(halves, state.evaluate(form, halves), strict=True)
    )
    if form.semantic.packed == 32:
        return [(0, 0, low.u), (0, 1, high.u)]
    return [(0, n, v) for n, v in enumerate(place(form, state, 0, concat(low, high)))]


def execute(form: Form, state: State) -> None:
    """Run one VALU instruction of the semantics table on a state."""
    moves = Lanes(state, form.dpp) if form.dpp is not None else None
    writes: list[tuple[int, int, Value]] = []
    if form.semantic.packed:
        writes = _packed(form, state, moves)
    else:
        args = arguments(form, state, moves)
        (results,) = state.evaluate(form, [args])
        for operand, (type_, value) in enumerate(zip(form.semantic.dsts, results, strict=True)):
            if type_ == "m":
                _commit_mask(form, state, moves, operand, value)
            elif isinstance(value, list):
                parts = cast("list[Value]", value)
                writes += [(operand, part, v) for part, v in enumerate(parts)]
            else:
                done = finish(form, args, type_, _plain(value, state))
                dwords = place(form, state, operand, done)
                writes += [(operand, part, v) for part, v in enumerate(dwords)]
    state.commit(writes, moves.written if moves is not None and writes else None)
