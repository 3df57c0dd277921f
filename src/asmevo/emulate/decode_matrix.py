"""Decoding of matrix instructions into records."""

from __future__ import annotations

from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.emit import Variant
from asmevo.emulate.operands import Context, Record, Unsupported
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.matrix import matrix_op


def decode_matrix(ctx: Context, inst: Instruction) -> Record:
    """A v_mfma instruction."""
    base, mods = inst.base, inst.modifiers
    op = matrix_op(base)
    if op is None:
        raise Unsupported(f"{base} is not supported")
    options: dict[str, Any] = {"arch": ctx.arch}
    for name, value in mods.items():
        if name in ("cbsz", "abid", "blgp") and value == 0:
            continue
        if op.acc == "f64" and name == "neg":
            options["neg3"] = value
            continue
        raise Unsupported(f"{base} with {name} is not supported")
    type_ = {"f32": "f32", "f64": "f64", "i32": "u32"}[op.acc]
    d, a, b, c = inst.operands
    kind, at = ctx.place(c, type_)
    to = ctx.offset(d)
    if kind == "v" and 0 < abs(at - to) < op.acc_registers * L.ROW:
        # Compilers do emit C shifted against D, e.g. v[10:13] from v[8:11].
        options["overlap"] = True
    return Record(
        Variant("matrix", base, "vvv" + kind, tuple(sorted(options.items()))),
        [to, ctx.offset(a), ctx.offset(b), at],
    )
