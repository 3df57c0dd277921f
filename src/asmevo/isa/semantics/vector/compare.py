"""Vector compares: v_cmp and v_cmpx of every type (CDNA3 ISA chapter 12.11)."""

from __future__ import annotations

from collections.abc import Callable

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value

_MANTISSA = {16: 10, 32: 23, 64: 52}


def _false(a: Value) -> Value:
    return (a.u ^ a.u) != 0


def _ordered(a: Value, b: Value) -> Value:
    return ~(a.is_nan | b.is_nan)


_Test = Callable[[Value, Value], Value]
_FLOAT: dict[str, _Test] = {
    "f": lambda a, b: _false(a),
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "lg": lambda a, b: (a < b) | (a > b),
    "ge": lambda a, b: a >= b,
    "o": _ordered,
    "u": lambda a, b: ~_ordered(a, b),
    "nge": lambda a, b: ~(a >= b),
    "nlg": lambda a, b: ~((a < b) | (a > b)),
    "ngt": lambda a, b: ~(a > b),
    "nle": lambda a, b: ~(a <= b),
    "neq": lambda a, b: ~(a == b),
    "nlt": lambda a, b: ~(a < b),
    "tru": lambda a, b: ~_false(a),
}
_INT: dict[str, _Test] = {
    "f": lambda a, b: _false(a),
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "t": lambda a, b: ~_false(a),
}

for _w in (16, 32, 64):
    for _name, _fn in _FLOAT.items():
        _t = f"f{_w}"
        lane(f"v_cmp_{_name}_{_t}", "m", f"{_t} {_t}")(_fn)
        lane(f"v_cmpx_{_name}_{_t}", "m", f"{_t} {_t}", writes_exec=True)(_fn)
    for _name, _fn in _INT.items():
        for _k in ("i", "u"):
            _t = f"{_k}{_w}"
            lane(f"v_cmp_{_name}_{_t}", "m", f"{_t} {_t}")(_fn)
            lane(f"v_cmpx_{_name}_{_t}", "m", f"{_t} {_t}", writes_exec=True)(_fn)


def _class(a: Value, mask: Value) -> Value:
    """v_cmp_class: which of the ten classes selected by the mask the raw bits fall in."""
    w, m = a.width, _MANTISSA[a.width]
    u = a.u
    field = (u >> m) & ((1 << (w - 1 - m)) - 1)
    fraction = u & ((1 << m) - 1)
    top = field == (1 << (w - 1 - m)) - 1
    nan = top & (fraction != 0)
    quiet = nan & (((u >> (m - 1)) & 1) != 0)
    infinite = top & (fraction == 0)
    zero = (field == 0) & (fraction == 0)
    sub = (field == 0) & (fraction != 0)
    normal = ~top & (field != 0)
    neg = a.sign
    classes = (
        nan & ~quiet,
        quiet,
        infinite & neg,
        normal & neg,
        sub & neg,
        zero & neg,
        zero & ~neg,
        sub & ~neg,
        normal & ~neg,
        infinite & ~neg,
    )  # bit 0 .. bit 9
    out = _false(a)
    for bit, is_class in enumerate(classes):
        out = out | (is_class & (((mask >> bit) & 1) != 0))
    return out


for _t in ("f16", "f32", "f64"):
    # Class tests look at the raw bits: never flushed.
    lane(f"v_cmp_class_{_t}", "m", f"{_t} u32", flush=False)(_class)
    lane(f"v_cmpx_class_{_t}", "m", f"{_t} u32", flush=False, writes_exec=True)(_class)
