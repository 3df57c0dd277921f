"""Decoding of vector memory and LDS instructions into records."""

from __future__ import annotations

from typing import Any

from asmevo.emulate.decode.operands import Context, Record, Unsupported, integer_modifier
from asmevo.emulate.native.variant import Variant
from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.memory import flushes_subnormals, memory_op, transposed_bits, typed_op

_BY_LANE = ("ds_read_addtid_b32", "ds_write_addtid_b32", "ds_append", "ds_consume")


def decode_typed(ctx: Context, inst: Instruction) -> Record | None:
    """A typed buffer access, or None for any other instruction."""
    op = typed_op(inst.base)
    if op is None:
        return None
    mods, operands = inst.modifiers, list(inst.operands)
    if mods.get("tfe") or mods.get("lds"):
        raise Unsupported(f"{inst.base} with tfe or lds is not supported")
    options: dict[str, Any] = {
        "mode": "buffer",
        "load": op.action == "load",
        "components": op.components,
        "d16": op.d16,
    }
    if op.in_instruction:
        # MTBUF: data format in bits 22:19, number format in 25:23.
        word = int.from_bytes(inst.raw[:4], "little")
        options["formats"] = (word >> 19 & 15, word >> 23 & 7)
    ops = [ctx.pool.put(0)] * 4
    ops[0] = ctx.offset(operands.pop(0))
    vaddr = operands.pop(0) if len(operands) == 3 else None
    if vaddr is not None and vaddr.reg is not None:
        ops[1] = ctx.offset(vaddr)
    for word in ("offen", "idxen"):
        if mods.get(word):
            options[word] = True
    ops[2], ops[3] = ctx.offset(operands[0]), ctx.offset(operands[1], "u32")
    return Record(
        Variant("typed", inst.base, "", tuple(sorted(options.items()))),
        ops,
        imm=integer_modifier(inst, "offset"),
    )


def decode_vector_memory(ctx: Context, inst: Instruction) -> Record:
    """A buffer, global, flat or scratch instruction."""
    base, mods = inst.base, inst.modifiers
    typed = decode_typed(ctx, inst)
    if typed is not None:
        return typed
    op = memory_op(base)
    if op is None:
        raise Unsupported(f"{base} is not supported")
    if mods.get("tfe") or mods.get("lwe"):
        raise Unsupported(f"{base} with tfe or lwe is not supported")
    operands = list(inst.operands)
    to_lds = decode(inst, ctx.target).lds_dma
    returns = bool(mods.get("sc0") or mods.get("glc")) and op.action == "atomic"
    options: dict[str, Any] = {}
    if ctx.open_junk and op.extend.startswith("d16"):
        options["open"] = True
    if to_lds:
        options["lds"] = True
    if returns:
        options["returns"] = True
    if flushes_subnormals(op, ctx.arch, ctx.mode.denorm_32):
        options["flush"] = True
    zero = ctx.pool.put(0)
    ops = [zero] * 5
    if op.space == "buffer":
        options["mode"] = "buffer"
        if not to_lds:
            ops[0] = ctx.offset(operands.pop(0))
        vaddr = operands.pop(0) if len(operands) == 3 else None
        if vaddr is not None and vaddr.reg is not None:
            ops[1] = ctx.offset(vaddr)
        for word in ("offen", "idxen"):
            if mods.get(word):
                options[word] = True
        ops[2], ops[3] = ctx.offset(operands[0]), ctx.offset(operands[1], "u32")
        if returns:
            ops[4] = ops[0]
    else:
        if (op.action == "load" and not to_lds) or returns:
            destination = ctx.offset(operands.pop(0))
            ops[0 if op.action == "load" else 4] = destination
        vaddr = operands.pop(0)
        if op.action != "load":
            ops[0] = ctx.offset(operands.pop(0))
        saddr = operands.pop(0) if operands else None
        if vaddr.reg is not None:
            ops[1] = ctx.offset(vaddr)
        if saddr is not None and saddr.reg is not None:
            ops[2] = ctx.offset(saddr)
        if op.space == "scratch":
            options["mode"] = "scratch"
            options["vaddr"] = vaddr.reg is not None
            options["saddr"] = saddr is not None and saddr.reg is not None
        elif saddr is not None and saddr.reg is not None:
            options["mode"] = "saddr"
        else:
            options["mode"] = "flat" if op.space == "flat" else "vaddr"
    return Record(
        Variant("vmem", base, "", tuple(sorted(options.items()))),
        ops,
        imm=integer_modifier(inst, "offset"),
    )


def decode_lds(ctx: Context, inst: Instruction) -> Record:
    """A ds_ instruction."""
    base, mods, operands = inst.base, inst.modifiers, list(inst.operands)
    if mods.get("gds"):
        raise Unsupported(f"{base} with gds is not supported")
    offset = integer_modifier(inst, "offset") if base != "ds_swizzle_b32" else 0
    if base == "ds_swizzle_b32":
        pattern = int.from_bytes(inst.raw[:2], "little")
        return Record(
            Variant("swizzle", base, "vv", (("pattern", pattern),)),
            [ctx.offset(o) for o in operands],
        )
    if base in ("ds_bpermute_b32", "ds_permute_b32"):
        return Record(
            Variant("permute", base, "vvv"), [ctx.offset(o) for o in operands], imm=offset
        )
    bits = transposed_bits(base)
    if bits:
        return Record(
            Variant("transpose", base, "vv", (("bits", bits),)),
            [ctx.offset(o) for o in operands],
            imm=offset,
        )
    if base in _BY_LANE:
        return Record(Variant("lds_lane", base), [ctx.offset(o) for o in operands], imm=offset)
    op = memory_op(base)
    if op is None:
        raise Unsupported(f"{base} is not supported")
    zero = ctx.pool.put(0)
    ops = [zero] * 4
    if op.action == "load" or op.returns:
        ops[0] = ctx.offset(operands.pop(0))
    ops[1] = ctx.offset(operands.pop(0))
    for i, operand in enumerate(operands):
        ops[2 + i] = ctx.offset(operand)
    if op.atomic and op.pair:
        _check_pair(inst)
    options: tuple[tuple[str, Any], ...] = ()
    if flushes_subnormals(op, ctx.arch, ctx.mode.denorm_32):
        options = (("flush", True),)
    if ctx.open_junk and op.extend.startswith("d16"):
        options = (("open", True),)
    scale = op.pair or 1
    first = "offset0" if op.pair else "offset"
    return Record(
        Variant("lds", base, "", options),
        ops,
        imm=integer_modifier(inst, first) * scale,
        imm2=integer_modifier(inst, "offset1") * scale,
    )


def _check_pair(inst: Instruction) -> None:
    """Refuse a paired exchange whose first result overwrites its second datum."""
    result, data = inst.operands[0].reg, inst.operands[3].reg
    if result is not None and data is not None and set(result.units) & set(data.units):
        raise Unsupported(f"{inst.text}: the result overlaps the second datum")
