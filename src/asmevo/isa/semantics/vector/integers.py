"""VALU integer and bit semantics (CDNA3 ISA chapters 6 and 12.7-12.12)."""

from __future__ import annotations

from asmevo.isa.semantics.table import lane
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


@lane("v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "b32", "b32")
@lane("v_mov_b64", "b64", "b64")
def _(a: Value) -> Value:
    return a


@lane("v_swap_b32", "b32 b32", "b32 b32")
def _(a: Value, b: Value) -> Pair:
    return b, a


@lane("v_cndmask_b32", "b32", "b32 b32 m")
def _(a: Value, b: Value, m: Value) -> Value:
    return where(m, b, a)


# --- add, subtract ---------------------------------------------------------------------------
@lane("v_add_u32 v_add_i32", "u32", "u32 u32")
@lane("v_add_u16", "u16", "u16 u16")
@lane("v_add_i16", "u16", "u16 u16", high="open")
def _(a: Value, b: Value) -> Value:
    return a + b


@lane("v_sub_u32 v_sub_i32", "u32", "u32 u32")
@lane("v_sub_u16", "u16", "u16 u16")
@lane("v_sub_i16", "u16", "u16 u16", high="open")
def _(a: Value, b: Value) -> Value:
    return a - b


@lane("v_subrev_u32", "u32", "u32 u32")
@lane("v_subrev_u16", "u16", "u16 u16")
def _(a: Value, b: Value) -> Value:
    return b - a


@lane("v_add_co_u32", "u32 m", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    r = a + b
    return r, r < a


@lane("v_sub_co_u32", "u32 m", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    return a - b, a < b


@lane("v_subrev_co_u32", "u32 m", "u32 u32")
def _(a: Value, b: Value) -> Pair:
    return b - a, b < a


@lane("v_addc_co_u32", "u32 m", "u32 u32 m")
def _(a: Value, b: Value, c: Value) -> Pair:
    carry = c.to(32)
    partial = a + b
    r = partial + carry
    return r, (partial < a) | (r < partial)


def _subb(a: Value, b: Value, c: Value) -> Pair:
    borrow = c.to(32)
    partial = a - b
    return partial - borrow, (a < b) | (partial < borrow)


lane("v_subb_co_u32", "u32 m", "u32 u32 m")(_subb)
lane("v_subbrev_co_u32", "u32 m", "u32 u32 m")(lambda a, b, c: _subb(b, a, c))


@lane("v_add3_u32", "u32", "u32 u32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    return a + b + c


@lane("v_lshl_add_u32", "u32", "u32 u32 u32")
def _(a: Value, n: Value, c: Value) -> Value:
    return (a << (n & 31)) + c


@lane("v_add_lshl_u32", "u32", "u32 u32 u32")
def _(a: Value, b: Value, n: Value) -> Value:
    return (a + b) << (n & 31)


@lane(
    "v_lshl_add_u64",
    "u64",
    "u64 u32 u64",
    exact="open (counts 5 to 7: the manual makes them 0, the pseudocode keeps three bits)",
)
def _(a: Value, n: Value, c: Value) -> Value:
    return (a << (n & 7).to(64)) + c


@lane("v_xad_u32", "u32", "u32 u32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    return (a ^ b) + c


# --- multiply --------------------------------------------------------------------------------
@lane("v_mul_lo_u32 v_mul_lo_i32", "u32", "u32 u32")
@lane("v_mul_lo_u16", "u16", "u16 u16")
def _(a: Value, b: Value) -> Value:
    return a * b


@lane("v_mul_hi_u32", "u32", "u32 u32")
@lane("v_mul_hi_i32", "i32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return ((a.to(64) * b.to(64)) >> 32).to(32)


def _u24(a: Value) -> Value:
    return a & 0xFFFFFF


def _i24(a: Value) -> Value:
    return (a.i << 8) >> 8


@lane("v_mul_u32_u24", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return _u24(a) * _u24(b)


@lane("v_mul_i32_i24", "i32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return _i24(a) * _i24(b)


@lane("v_mul_hi_u32_u24", "u32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return ((_u24(a).to(64) * _u24(b).to(64)) >> 32).to(32)


@lane("v_mul_hi_i32_i24", "i32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return ((_i24(a).to(64) * _i24(b).to(64)) >> 32).to(32)


@lane("v_mad_u32_u24", "u32", "u32 u32 u32")
def _(a: Value, b: Value, c: Value) -> Value:
    return _u24(a) * _u24(b) + c


@lane("v_mad_i32_i24", "i32", "i32 i32 i32")
def _(a: Value, b: Value, c: Value) -> Value:
    return _i24(a) * _i24(b) + c


@lane("v_mad_legacy_u16 v_mad_legacy_i16", "u16", "u16 u16 u16")
@lane("v_mad_u16 v_mad_i16", "u16", "u16 u16 u16", high="keep")
def _(a: Value, b: Value, c: Value) -> Value:
    return a * b + c


@lane("v_mad_u32_u16", "u32", "u16 u16 u32")
@lane("v_mad_i32_i16", "i32", "i16 i16 i32")
def _(a: Value, b: Value, c: Value) -> Value:
    return a.to(32) * b.to(32) + c


@lane("v_mad_u64_u32", "u64 m", "u32 u32 u64")
def _(a: Value, b: Value, c: Value) -> Pair:
    r = a.to(64) * b.to(64) + c
    return r, r < c


@lane("v_mad_i64_i32", "i64 m", "i32 i32 i64")
def _(a: Value, b: Value, c: Value) -> Pair:
    product = a.to(64) * b.to(64)
    r = product + c
    # The mask holds bit 64 of the 65-bit sum of the sign-extended operands.
    return r, ((~(product ^ c) & (product ^ r)) < 0) ^ (r < 0)


# --- logic and shifts ------------------------------------------------------------------------
@lane("v_and_b32", "b32", "b32 b32")
def _(a: Value, b: Value) -> Value:
    return a & b


@lane("v_or_b32", "b32", "b32 b32")
def _(a: Value, b: Value) -> Value:
    return a | b


@lane("v_xor_b32", "b32", "b32 b32")
def _(a: Value, b: Value) -> Value:
    return a ^ b


@lane("v_xnor_b32", "b32", "b32 b32")
def _(a: Value, b: Value) -> Value:
    return ~(a ^ b)


@lane("v_not_b32", "b32", "b32")
def _(a: Value) -> Value:
    return ~a


@lane("v_and_or_b32", "b32", "b32 b32 b32")
def _(a: Value, b: Value, c: Value) -> Value:
    return (a & b) | c


@lane("v_or3_b32", "b32", "b32 b32 b32")
def _(a: Value, b: Value, c: Value) -> Value:
    return a | b | c


@lane("v_lshl_or_b32", "b32", "b32 u32 b32")
def _(a: Value, n: Value, c: Value) -> Value:
    return (a << (n & 31)) | c


for _w in (16, 32, 64):
    _n = "u16" if _w == 16 else "u32"

    def _shift_left(n: Value, a: Value) -> Value:
        return a << (n & (a.width - 1)).to(a.width)

    def _shift_right(n: Value, a: Value) -> Value:
        return a >> (n & (a.width - 1)).to(a.width)

    lane(f"v_lshlrev_b{_w}", f"b{_w}", f"{_n} b{_w}")(_shift_left)
    lane(f"v_lshrrev_b{_w}", f"b{_w}", f"{_n} b{_w}")(_shift_right)
    lane(f"v_ashrrev_i{_w}", f"i{_w}", f"{_n} i{_w}")(_shift_right)


@lane("v_bfe_u32", "u32", "u32 u32 u32")
def _(a: Value, at: Value, n: Value) -> Value:
    n = n & 31
    return (a >> (at & 31)) & ((n.const(1) << n) - 1)


@lane("v_bfe_i32", "i32", "i32 u32 u32")
def _(a: Value, at: Value, n: Value) -> Value:
    n = n & 31
    field = (a >> (at & 31).i).u & ((n.const(1) << n) - 1)
    up = (32 - n) & 31
    return where(n == 0, n.const(0), ((field << up).i >> up.i).u)


@lane("v_bfi_b32", "b32", "b32 b32 b32")
def _(m: Value, a: Value, b: Value) -> Value:
    return (m & a) | (~m & b)


@lane("v_bfm_b32", "b32", "u32 u32")
def _(n: Value, at: Value) -> Value:
    return ((n.const(1) << (n & 31)) - 1) << (at & 31)


@lane("v_alignbit_b32", "b32", "b32 b32 u32")
def _(high: Value, low: Value, n: Value) -> Value:
    return (concat(low, high) >> (n & 31).to(64)).to(32)


@lane("v_alignbyte_b32", "b32", "b32 b32 u32")
def _(high: Value, low: Value, n: Value) -> Value:
    return (concat(low, high) >> ((n & 3) * 8).to(64)).to(32)


@lane("v_perm_b32", "b32", "b32 b32 b32")
def _(a: Value, b: Value, selector: Value) -> Value:
    # Selector bytes 0-3 take b's bytes, 4-7 a's; 8-11 replicate the sign of bytes 1, 3, 5, 7;
    # 12 gives 0x00 and everything above 0xff.
    both = concat(b, a)
    out = a.const(0)
    for i in range(4):
        s = (selector >> (8 * i)) & 0xFF
        plain = (both >> ((s & 7) * 8).to(64)).to(32) & 0xFF
        sign_at = (((s & 3) * 16) + 15).to(64)
        sign = where(((both >> sign_at) & 1) != 0, both.const(0xFF), 0).to(32)
        byte = where(s < 8, plain, where(s < 12, sign, where(s == 12, s.const(0), s.const(0xFF))))
        out = out | (byte << (8 * i))
    return out


# --- counting --------------------------------------------------------------------------------
@lane("v_bcnt_u32_b32", "u32", "b32 u32")
def _(a: Value, b: Value) -> Value:
    return popcount(a) + b


@lane("v_ffbh_u32", "u32", "u32")
def _(a: Value) -> Value:
    return where(a == 0, a.const(0xFFFFFFFF), ctlz(a))


@lane("v_ffbh_i32", "u32", "i32")
def _(a: Value) -> Value:
    same = where(a < 0, ~a, a).u
    return where(same == 0, same.const(0xFFFFFFFF), ctlz(same))


@lane("v_ffbl_b32", "u32", "u32")
def _(a: Value) -> Value:
    return where(a == 0, a.const(0xFFFFFFFF), cttz(a))


@lane("v_bfrev_b32", "b32", "b32")
def _(a: Value) -> Value:
    return bitreverse(a)


def _below(lane_id: Value) -> Value:
    """Mask of the bits below `lane_id` mod 32."""
    return (lane_id.const(1) << (lane_id & 31)) - 1


@lane("v_mbcnt_lo_u32_b32", "u32", "b32 u32 lane")
def _(mask: Value, base: Value, lane_id: Value) -> Value:
    low = where(lane_id < 32, _below(lane_id), lane_id.const(0xFFFFFFFF))
    return popcount(mask & low) + base


@lane("v_mbcnt_hi_u32_b32", "u32", "b32 u32 lane")
def _(mask: Value, base: Value, lane_id: Value) -> Value:
    high = where(lane_id < 32, lane_id.const(0), _below(lane_id))
    return popcount(mask & high) + base


# --- minimum, maximum, median ------------------------------------------------------------------
def _min(a: Value, b: Value) -> Value:
    return where(a < b, a, b)


def _max(a: Value, b: Value) -> Value:
    return where(a > b, a, b)


for _k in ("u32", "i32", "u16", "i16"):
    _high = "open" if _k.endswith("16") else "zero"
    lane(f"v_min_{_k}", _k, f"{_k} {_k}")(_min)
    lane(f"v_max_{_k}", _k, f"{_k} {_k}")(_max)
    lane(f"v_min3_{_k}", _k, f"{_k} {_k} {_k}", high=_high)(lambda a, b, c: _min(_min(a, b), c))
    lane(f"v_max3_{_k}", _k, f"{_k} {_k} {_k}", high=_high)(lambda a, b, c: _max(_max(a, b), c))
    lane(f"v_med3_{_k}", _k, f"{_k} {_k} {_k}", high=_high)(
        lambda a, b, c: _max(_min(a, b), _min(_max(a, b), c))
    )


@lane("v_prng_b32", "u32", "u32")
def _(a: Value) -> Value:
    return (a << 1) ^ where(a.i < 0, a.const(0xC5), a.const(0))


@lane("v_pack_b32_f16", "b32", "f16 f16", flush=False)
def _(a: Value, b: Value) -> Value:
    return concat(a.u, b.u)


@lane("v_bitop3_b32", "b32", "b32 b32 b32", immediates=("bitop3",))
@lane("v_bitop3_b16", "b16", "b16 b16 b16", immediates=("bitop3",), high="open")
def _(a: Value, b: Value, c: Value, bitop3: int = 0) -> Value:
    # The truth table's index is (a, b, c) with a as the high bit.
    terms: list[Value] = []
    for row in range(8):
        if bitop3 >> row & 1:
            x = a if row & 4 else ~a
            y = b if row & 2 else ~b
            terms.append(x & y & (c if row & 1 else ~c))
    out = a.const(0)
    for term in terms:
        out = out | term
    return out
