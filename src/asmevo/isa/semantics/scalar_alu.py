"""SALU semantics (CDNA3 ISA chapters 5 and 12.1-12.5)."""

from __future__ import annotations

from collections.abc import Callable

from asmevo.isa.semantics.table import scalar
from asmevo.isa.semantics.values import (
    Value,
    bitreverse,
    concat,
    ctlz,
    cttz,
    popcount,
    where,
)

Pair = tuple[Value, Value]
_Binary = Callable[[Value, Value], Value]

_LOGIC: dict[str, _Binary] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}
# The saveexec forms have two more: the source inverted.
_SAVEEXEC: dict[str, _Binary] = {
    **_LOGIC,
    "andn1": lambda a, e: ~a & e,
    "orn1": lambda a, e: ~a | e,
}
_COMPARES: dict[str, _Binary] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def _nz(v: Value) -> Value:
    return v != 0


# --- add, subtract ---------------------------------------------------------------------------
@scalar("s_add_u32", "u32 scc", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    r = a + b
    return r, r < a


@scalar("s_sub_u32", "u32 scc", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    return a - b, a < b


@scalar("s_addc_u32", "u32 scc", "u32 u32 scc")
def _(a: Value, b: Value, c: Value) -> Pair:
    r = a.to(64) + b.to(64) + c.to(64)
    return r.to(32), (r >> 32) != 0


@scalar("s_subb_u32", "u32 scc", "u32 u32 scc")
def _(a: Value, b: Value, c: Value) -> Pair:
    borrow = c.to(64)
    return a - b - c.to(32), a.to(64) < (b.to(64) + borrow)


@scalar("s_add_i32 s_addk_i32", "i32 scc", "i32 i32")
def _(a: Value, b: Value) -> Pair:
    r = a + b
    return r, ((~(a ^ b) & (a ^ r)) < 0)


@scalar("s_sub_i32", "i32 scc", "i32 i32")
def _(a: Value, b: Value) -> Pair:
    r = a - b
    return r, (((a ^ b) & (a ^ r)) < 0)


for _n in (1, 2, 3, 4):

    def _lshl_add(a: Value, b: Value, n: int = _n) -> Pair:
        r = (a.to(64) << n) + b.to(64)
        return r.to(32), (r >> 32) != 0

    scalar(f"s_lshl{_n}_add_u32", "u32 scc", "u32 u32")(_lshl_add)


@scalar("s_mul_i32 s_mulk_i32", "i32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return a * b


@scalar("s_mul_hi_u32", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return ((a.to(64) * b.to(64)) >> 32).to(32)


@scalar("s_mul_hi_i32", "i32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return ((a.to(64) * b.to(64)) >> 32).to(32)


@scalar("s_min_i32", "i32 scc", "i32 i32")
@scalar("s_min_u32", "u32 scc", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    return where(a < b, a, b), a < b


# SCC at equality is 1: AMD's pseudocode writes "S0 >= S1" for the max forms.
@scalar("s_max_i32", "i32 scc", "i32 i32")
@scalar("s_max_u32", "u32 scc", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    return where(a >= b, a, b), a >= b


@scalar("s_abs_i32", "i32 scc", "i32")
def _(a: Value) -> Pair:
    r = where(a < 0, -a, a)
    return r, _nz(r)


@scalar("s_absdiff_i32", "i32 scc", "i32 i32")
def _(a: Value, b: Value) -> Pair:
    r = a - b
    r = where(r < 0, -r, r)
    return r, _nz(r)


# --- logic -----------------------------------------------------------------------------------
for _w in (32, 64):
    _t = f"b{_w}"
    for _name, _op in _LOGIC.items():

        def _logic(a: Value, b: Value, op: _Binary = _op) -> Pair:
            r = op(a, b)
            return r, _nz(r)

        scalar(f"s_{_name}_b{_w}", f"{_t} scc", f"{_t} {_t}")(_logic)

    def _not(a: Value) -> Pair:
        r = ~a
        return r, _nz(r)

    scalar(f"s_not_b{_w}", f"{_t} scc", _t)(_not)

    def _wqm(a: Value) -> Pair:
        quad = a | (a >> 1)
        quad = (quad | (quad >> 2)) & int("1" * (a.width // 4), 16)
        r = quad * 15
        return r, _nz(r)

    scalar(f"s_wqm_b{_w}", f"{_t} scc", _t)(_wqm)

    def _quadmask(a: Value) -> Pair:
        quad = a | (a >> 1)
        quad = (quad | (quad >> 2)) & int("1" * (a.width // 4), 16)
        r = a.const(0)
        for q in range(a.width // 4):
            r = r | (((quad >> (4 * q)) & 1) << q)
        return r, _nz(r)

    scalar(f"s_quadmask_b{_w}", f"{_t} scc", _t)(_quadmask)

    def _lshl(a: Value, n: Value) -> Pair:
        r = a << (n & (a.width - 1)).to(a.width)
        return r, _nz(r)

    scalar(f"s_lshl_b{_w}", f"{_t} scc", f"{_t} u32")(_lshl)

    def _lshr(a: Value, n: Value) -> Pair:
        r = a >> (n & (a.width - 1)).to(a.width)
        return r, _nz(r)

    scalar(f"s_lshr_b{_w}", f"{_t} scc", f"{_t} u32")(_lshr)
    scalar(f"s_ashr_i{_w}", f"i{_w} scc", f"i{_w} u32")(_lshr)

    def _bfm(n: Value, at: Value, w: int = _w) -> Value:
        n, at = (n & (w - 1)).to(w), (at & (w - 1)).to(w)
        return ((n.const(1) << n) - 1) << at

    scalar(f"s_bfm_b{_w}", _t, "u32 u32")(_bfm)

    def _mov(a: Value) -> Value:
        return a

    scalar(f"s_mov_b{_w}", _t, _t)(_mov)

    def _cmov(a: Value, scc: Value, old: Value) -> Value:
        return where(scc, a, old)

    scalar(f"s_cmov_b{_w}", _t, f"{_t} scc", reads_dst=True)(_cmov)

    def _cselect(a: Value, b: Value, scc: Value) -> Value:
        return where(scc, a, b)

    scalar(f"s_cselect_b{_w}", _t, f"{_t} {_t} scc")(_cselect)
    scalar(f"s_brev_b{_w}", _t, _t)(bitreverse)

    def _bcnt1(a: Value) -> Pair:
        r = popcount(a).to(32)
        return r, _nz(r)

    scalar(f"s_bcnt1_i32_b{_w}", "u32 scc", _t)(_bcnt1)

    def _bcnt0(a: Value) -> Pair:
        r = popcount(~a).to(32)
        return r, _nz(r)

    scalar(f"s_bcnt0_i32_b{_w}", "u32 scc", _t)(_bcnt0)

    def _ff1(a: Value) -> Value:
        n = cttz(a).to(32)
        return where(a == 0, n.const(0xFFFFFFFF), n)

    scalar(f"s_ff1_i32_b{_w}", "u32", _t)(_ff1)
    scalar(f"s_ff0_i32_b{_w}", "u32", _t)(lambda a: _ff1(~a))

    def _flbit(a: Value) -> Value:
        n = ctlz(a).to(32)
        return where(a == 0, n.const(0xFFFFFFFF), n)

    scalar(f"s_flbit_i32_b{_w}", "u32", _t)(_flbit)

    def _flbit_i(a: Value) -> Value:
        same = where(a.i < 0, ~a, a)
        n = ctlz(same).to(32)
        return where(same == 0, n.const(0xFFFFFFFF), n)

    scalar("s_flbit_i32" if _w == 32 else "s_flbit_i32_i64", "u32", _t)(_flbit_i)

    def _bitset1(at: Value, old: Value, w: int = _w) -> Value:
        return old | (old.const(1) << (at & (w - 1)).to(w))

    scalar(f"s_bitset1_b{_w}", _t, "u32", reads_dst=True)(_bitset1)

    def _bitset0(at: Value, old: Value, w: int = _w) -> Value:
        return old & ~(old.const(1) << (at & (w - 1)).to(w))

    scalar(f"s_bitset0_b{_w}", _t, "u32", reads_dst=True)(_bitset0)

    def _bitcmp1(a: Value, at: Value, w: int = _w) -> Value:
        return ((a >> (at & (w - 1)).to(w)) & 1) != 0

    scalar(f"s_bitcmp1_b{_w}", "scc", f"{_t} u32")(_bitcmp1)
    scalar(f"s_bitcmp0_b{_w}", "scc", f"{_t} u32")(lambda a, at, w=_w: ~_bitcmp1(a, at, w))

    # The saveexec family: D = old EXEC, EXEC = op, SCC = new EXEC != 0.
    for _name, _op2 in _SAVEEXEC.items():
        if _w == 32:
            continue  # wave32 forms write EXEC_LO; no gfx9 opcode

        def _saveexec(a: Value, e: Value, op: _Binary = _op2) -> tuple[Value, ...]:
            r = op(a, e)
            return e, _nz(r), r

        scalar(f"s_{_name}_saveexec_b64", "b64 scc exec", "b64 exec")(_saveexec)
        if _name in ("andn1", "andn2"):

            def _wrexec(a: Value, e: Value, op: _Binary = _op2) -> tuple[Value, ...]:
                r = op(a, e)
                return r, _nz(r), r

            scalar(f"s_{_name}_wrexec_b64", "b64 scc exec", "b64 exec")(_wrexec)


@scalar("s_bitreplicate_b64_b32", "b64", "b32")
def _(a: Value) -> Value:
    r = a.to(64).const(0)
    wide = a.to(64)
    for n in range(32):
        bit = (wide >> n) & 1
        r = r | (bit << (2 * n)) | (bit << (2 * n + 1))
    return r


# --- bit fields: width in [22:16], offset in the low bits --------------------------------------
def _bfe(a: Value, control: Value) -> Pair:
    w = a.width
    offset = (control & (w - 1)).to(w)
    count = ((control >> 16) & 0x7F).to(w)
    # Signed fields that reach past the top bit are filled with the sign.
    v = (a >> offset.i).u if a.kind == "i" else a.u >> offset.u
    masked = v & ((v.const(1) << (count.u & (w - 1))) - 1)
    whole = count.u >= w
    if a.kind == "i":
        # Sign extension starts at bit count-1 of the shifted value (only for 0 < count < w).
        up = (count.const(w).u - count.u) & (w - 1)
        extended = ((masked.u << up).i >> up.i).u
        masked = where(count.u == 0, masked.const(0), extended)
        r = where(whole, (a.i >> offset.i).u, masked)
    else:
        r = where(whole, v, masked)
    return r, _nz(r)


scalar("s_bfe_u32", "u32 scc", "u32 u32")(_bfe)
scalar("s_bfe_i32", "i32 scc", "i32 u32")(_bfe)
scalar("s_bfe_u64", "u64 scc", "u64 u32")(_bfe)
scalar("s_bfe_i64", "i64 scc", "i64 u32")(_bfe)


@scalar("s_sext_i32_i8", "u32", "u32")
def _(a: Value) -> Value:
    return a.to(8).i.to(32)


@scalar("s_sext_i32_i16", "u32", "u32")
def _(a: Value) -> Value:
    return a.to(16).i.to(32)


@scalar("s_pack_ll_b32_b16", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return concat(a.bits(0, 16), b.bits(0, 16))


@scalar("s_pack_lh_b32_b16", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return concat(a.bits(0, 16), b.bits(16, 16))


@scalar("s_pack_hh_b32_b16", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return concat(a.bits(16, 16), b.bits(16, 16))


@scalar("s_movk_i32", "i32", "i32")
def _(a: Value) -> Value:
    return a


@scalar("s_cmovk_i32", "i32", "i32 scc", reads_dst=True)
def _(a: Value, scc: Value, old: Value) -> Value:
    return where(scc, a, old)


# --- compares ----------------------------------------------------------------------------------
for _name, _cmp in _COMPARES.items():
    for _k in ("i", "u"):
        scalar(f"s_cmp_{_name}_{_k}32 s_cmpk_{_name}_{_k}32", "scc", f"{_k}32 {_k}32")(_cmp)
    if _name in ("eq", "lg"):
        scalar(f"s_cmp_{_name}_u64", "scc", "u64 u64")(_cmp)
