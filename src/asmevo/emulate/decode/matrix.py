"""Decoding of matrix instructions into records."""

from __future__ import annotations

from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.decode.operands import Context, Record, Unsupported
from asmevo.emulate.native.variant import Variant
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.matrix import matrix_op, names_formats
from asmevo.isa.semantics.table import FloatMode


def decode_matrix(ctx: Context, inst: Instruction) -> Record:
    """A v_mfma or v_smfmac instruction."""
    base, mods = inst.base, inst.modifiers
    mixed = names_formats(base)
    cbsz, abid, blgp = (_number(mods, name) for name in ("cbsz", "abid", "blgp"))
    op = matrix_op(base, cbsz, blgp) if mixed else matrix_op(base)
    if op is None:
        raise Unsupported(f"{base} with cbsz:{cbsz} blgp:{blgp} is not supported")
    options: dict[str, Any] = {}
    if ctx.exact and op.acc != "i32":
        options["exact"] = True
    if ctx.arch == "gfx90a" and op.a.name in ("f16", "bf16"):
        options["arch"] = ctx.arch
    # Of MODE and target only what the results depend on, so that more kernels share a helper.
    flushes = op.a.name == "f32" and ctx.mode.denorm_32 in (0, 2)
    fnuz = ctx.mode.fnuz or not {op.a.name, op.b.name} & {"fp8", "bf8"}
    if flushes or not fnuz:
        options["mode"] = FloatMode(denorm_32=0 if flushes else 3, fnuz=fnuz)
    known = {"cbsz", "abid", "blgp"}
    if mixed:
        options["formats"] = (cbsz, blgp)
        known |= {"op_sel", "op_sel_hi"}
    elif op.acc == "f64":
        known = {"neg"}
        if "neg" in mods:
            options["neg3"] = mods["neg"]
    else:
        legal = abid < 4 if op.sparse else (1 << cbsz) <= op.blocks and abid < 1 << cbsz
        if not legal:
            raise Unsupported(f"{base} with cbsz:{cbsz} abid:{abid} is not legal")
        options |= {k: v for k, v in (("cbsz", cbsz), ("abid", abid), ("blgp", blgp)) if v}
    for name in mods:
        if name not in known:
            raise Unsupported(f"{base} with {name} is not supported")
    d, a, b, c, *scales = inst.operands
    kind, at = ctx.place(c, {"f32": "f32", "f64": "f64", "i32": "u32"}[op.acc])
    to = ctx.offset(d)
    if not op.sparse and kind == "v" and 0 < abs(at - to) < op.acc_registers * L.ROW:
        # Compilers do emit C shifted against D, e.g. v[10:13] from v[8:11].
        options["overlap"] = True
    ops = [to, ctx.offset(a), ctx.offset(b), at]
    if op.scaled:
        ops += _scales(ctx, inst, scales, options)
    return Record(Variant("matrix", base, "vvv" + kind, tuple(sorted(options.items()))), ops)


def _number(mods: Any, name: str) -> int:
    value = mods.get(name, 0)
    return value if isinstance(value, int) else 0


def _scales(
    ctx: Context, inst: Instruction, scales: list[Any], options: dict[str, Any]
) -> list[int]:
    """Slots of the two scale registers; each word's byte is op_sel + 2 * op_sel_hi."""
    places = [ctx.place(s, "u32") for s in scales]
    if [kind for kind, _ in places] != ["v", "v"]:  # LLVM assembles nothing else
        raise Unsupported(f"{inst.base} without two scale VGPRs is not supported")
    low: Any = inst.modifiers.get("op_sel", (0, 0, 0))
    high: Any = inst.modifiers.get("op_sel_hi", (0, 0, 0))
    options["scale_bytes"] = tuple(int(low[n]) + 2 * int(high[n]) for n in (0, 1))
    return [at for _, at in places]
