"""The usual v_perm_b32: a scalar selector that picks one 16-bit word of each half.

Packing two words is what compilers and vendor kernels use it for; other selectors go to the
general version of the helper.
"""

from __future__ import annotations

from asmevo.emulate.native.helper import Helper


def applies(h: Helper) -> bool:
    """Whether a helper can take the short way: vector words, scalar selector, no modifiers."""
    return h.variant.name == "v_perm_b32" and h.variant.kinds == "vvvs" and not h.variant.options


def emit_words(h: Helper, general: str) -> None:
    """Emit the helper; `general` is the function that handles every selector."""
    f = h.fn
    selector = f.load("i32", h.slot(3))
    low = f.op(f"and i32 {selector}, {0x00FF00FF}")
    following = f.op(f"shl i32 {f.op(f'add i32 {low}, {0x00010001}')}, 8")
    words = f.op(f"icmp eq i32 {selector}, {f.op(f'or i32 {low}, {following}')}")
    # Selectors 0, 2, 4 and 6 name the words of source 1, then of source 0.
    plain = f.op(f"icmp eq i32 {f.op(f'and i32 {low}, {0x00F900F9}')}, 0")
    short, other = f.label("words"), f.label("other")
    f.cond(f.op(f"and i1 {words}, {plain}"), short, other, likely=True)
    f.place(other)
    f.emit(f"musttail call void @{general}(ptr noundef %st, ptr noundef %rec)")
    f.ret()
    f.place(short)
    a, b = h.source_row(1, "v"), h.source_row(2, "v")
    halves: list[str] = []
    for at in (0, 16):
        chosen = f.op(f"lshr i32 {selector}, {at}")
        first = f.op(f"icmp ne i32 {f.op(f'and i32 {chosen}, 4')}, 0")
        row = f.op(f"select i1 {first}, {f.i32s} {a}, {f.i32s} {b}")
        shift = h.splat(f.op(f"shl i32 {f.op(f'and i32 {chosen}, 2')}, 3"), 32)
        word = f.op(f"lshr {f.i32s} {row}, {shift}")
        if at:
            halves.append(f.op(f"shl {f.i32s} {word}, splat (i32 16)"))
        else:
            halves.append(f.op(f"and {f.i32s} {word}, splat (i32 65535)"))
    h.store_rows([(f.op(f"or {f.i32s} {halves[0]}, {halves[1]}"), h.slot(0))])
    h.finish()
