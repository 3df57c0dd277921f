"""Helpers for SALU opcodes of the semantics table."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.emit import Helper, Variant, family
from asmevo.emulate.native.ir import Module
from asmevo.isa.semantics import table
from asmevo.isa.semantics.values import Value


def _read(h: Helper, index: int, type_: str) -> Value:
    if type_ == "scc":
        raw = h.fn.load("i32", h.fn.at("%st", L.SCC))
        return h.s(h.fn.op(f"icmp ne i32 {raw}, 0"), 1, "b")
    if type_ == "exec":
        return h.s(h.exec_bits(), 64)
    if type_ == "m0":
        return h.s(h.field(L.M0, "i32"), 32)
    width = table.width_of(type_)
    raw = h.fn.load(f"i{width}", h.slot(index))
    return h.s(raw, width, table.kind_of(type_))


@family("scalar")
def emit_scalar(module: Module, variant: Variant) -> None:
    """A SALU opcode of the semantics table."""
    semantic = table.lookup(variant.name)
    assert semantic is not None, variant
    h = Helper(module, variant)
    explicit = [d for d in semantic.dsts if d not in table.IMPLICIT]
    slot = len(explicit)
    args: list[Value] = []
    for type_ in semantic.srcs:
        args.append(_read(h, slot, type_))
        if type_ not in table.IMPLICIT:
            slot += 1
    if semantic.reads_dst:
        args.append(_read(h, 0, semantic.dsts[0]))
    results = table.apply(semantic, args)
    # Write in order; EXEC last, since a saveexec destination may alias the source.
    index = 0
    for type_, value in zip(semantic.dsts, results, strict=True):
        if type_ == "scc":
            wide = h.fn.op(f"zext i1 {value.raw} to i32")
            h.fn.store("i32", wide, h.fn.at("%st", L.SCC))
        elif type_ == "exec":
            h.set_field(L.EXEC, value.raw)
        else:
            h.fn.store(f"i{value.width}", value.raw, h.slot(index))
            index += 1
    h.next()
    h.finish()
