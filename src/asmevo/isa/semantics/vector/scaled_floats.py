"""v_cvt_scalef32_*: gfx950's conversions between small floats and f32, f16, bf16 with a scale.

One definition per shape, stated for every format. Fields of packed tuples are counted from bit
0; stochastic forms advance the pseudorandom number after each element (pseudocode V_PRNG_B32).
"""

from __future__ import annotations

from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import Value, concat, where
from asmevo.isa.semantics.vector.small_floats import (
    decode,
    encode,
    encode_stochastic,
    narrow,
    scale_of,
    small_format,
    times_power,
    widen,
)

_DECODE = {"uses": ("fnuz",), "flush": False, "rounds": False}
_ENCODE = {"uses": ("fnuz", "fp16_ovfl"), "flush": False, "rounds": False}
_WIDTH = {"f32": 32, "f16": 16, "bf16": 16}


def _decoded(small: str, code: Value, scale: Value, target: str, mode: FloatMode) -> Value:
    exponent, bad = scale_of(scale)
    value = decode(small_format(small, mode), code)
    wide = times_power(value.fconvert(64), exponent)
    # A NaN scale gives a quiet NaN of the code's sign.
    signed = (value.u.to(64) << 32) & (1 << 63)
    wide = where(bad, (signed | (0x7FF8 << 48)).f, wide)
    return narrow(wide, target)


def _encoded(
    small: str, a: Value, scale: Value, source: str, mode: FloatMode, seed: Value | None = None
) -> Value:
    exponent, bad = scale_of(scale)
    s = small_format(small, mode)
    wide = times_power(widen(a, source), -exponent)
    if seed is None:
        return encode(s, wide, mode, bad)
    return encode_stochastic(s, wide, seed, source, mode, bad)


def prng(a: Value) -> Value:
    """The next pseudorandom number (v_prng_b32)."""
    return (a << 1) ^ where(a.i < 0, a.const(0xC5), a.const(0))


def _element(words: list[Value], index: int, width: int) -> Value:
    """Element `index` of `width` bits of a packed tuple, in the low bits of a 32-bit value."""
    at = index * width
    word, shift = divmod(at, 32)
    value = words[word] >> shift if shift else words[word]
    if shift + width > 32:
        value = value | (words[word + 1] << (32 - shift))
    return value if width == 32 else value & ((1 << width) - 1)


def _packed(values: list[Value], width: int) -> list[Value]:
    """Elements of `width` bits packed into 32-bit values."""
    values = [value.u.to(32) for value in values]
    words = [values[0].const(0) for _ in range(len(values) * width // 32)]
    for index, value in enumerate(values):
        word, shift = divmod(index * width, 32)
        words[word] = words[word] | (value << shift if shift else value)
        if shift + width > 32:
            words[word + 1] = words[word + 1] | (value >> (32 - shift))
    return words


def _define_decoders(small: str) -> None:
    bits = 4 if small == "fp4" else 8
    part = "byte" if small == "fp4" else "word"
    for target in ("f32", "f16", "bf16"):

        def two(a: Value, scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = target) -> Value:
            low = _decoded(small, a, scale, t, mode)
            return concat(low, _decoded(small, a >> bits, scale, t, mode))

        kind = "b64" if target == "f32" else "b32"
        lane(f"v_cvt_scalef32_pk_{target}_{small}", kind, "b32 b32", source_part=part, **_DECODE)(
            two
        )
        if small == "fp4" or target == "bf16":
            continue

        def one(a: Value, scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = target) -> Value:
            return _decoded(small, a, scale, t, mode)

        lane(
            f"v_cvt_scalef32_{target}_{small}",
            f"b{_WIDTH[target]}",
            "b32 b32",
            source_part="byte",
            part="word" if target == "f16" else "",
            **_DECODE,
        )(one)


def _define_encoders(small: str) -> None:
    bits = 4 if small == "fp4" else 8
    part, width = ("byte", 8) if small == "fp4" else ("word", 16)
    kind = f"b{width}"

    def pair(low: Value, high: Value) -> Value:
        return (low | (high << bits)).to(width)

    def from_f32(a: Value, b: Value, scale: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
        return pair(*(_encoded(small, v, scale, "f32", mode) for v in (a, b)))

    lane(f"v_cvt_scalef32_pk_{small}_f32", kind, "b32 b32 b32", part=part, **_ENCODE)(from_f32)
    for source in ("f16", "bf16"):

        def from_16(
            a: Value, scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = source
        ) -> Value:
            return pair(*(_encoded(small, v, scale, t, mode) for v in (a, a >> 16)))

        lane(f"v_cvt_scalef32_pk_{small}_{source}", kind, "b32 b32", part=part, **_ENCODE)(from_16)
    for source in ("f32", "f16", "bf16"):
        if small == "fp4":
            _define_stochastic_fp4(source)
            continue

        def one(
            a: Value, seed: Value, scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = source
        ) -> Value:
            return _encoded(small, a, scale, t, mode, seed).to(8)

        lane(f"v_cvt_scalef32_sr_{small}_{source}", "b8", "b32 u32 b32", part="byte", **_ENCODE)(
            one
        )


def _define_stochastic_fp4(source: str) -> None:
    def two(a: Value, seed: Value, scale: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
        width = _WIDTH[source]
        low, high = a.bits(0, width), a.bits(width, width)
        first = _encoded("fp4", low.to(32), scale, source, mode, seed)
        second = _encoded("fp4", high.to(32), scale, source, mode, prng(seed))
        return (first | (second << 4)).to(8)

    kind = "b64" if source == "f32" else "b32"
    lane(f"v_cvt_scalef32_sr_pk_fp4_{source}", "b8", f"{kind} u32 b32", part="byte", **_ENCODE)(two)


def _define_six_bit(small: str) -> None:
    for target in ("f32", "f16", "bf16"):
        width = _WIDTH[target]

        def unpack(
            a: list[Value], scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = target
        ) -> list[Value]:
            out = [_decoded(small, _element(a, i, 6), scale, t, mode) for i in range(32)]
            return _packed(out, _WIDTH[t])

        lane(f"v_cvt_scalef32_pk32_{target}_{small}", f"b{32 * width}", "b192 b32", **_DECODE)(
            unpack
        )

        def pack(
            a: list[Value], scale: Value, mode: FloatMode = DEFAULT_MODE, t: str = target
        ) -> list[Value]:
            elements = [_element(a, i, _WIDTH[t]) for i in range(32)]
            return _packed([_encoded(small, e, scale, t, mode) for e in elements], 6)

        if target != "f32":
            lane(f"v_cvt_scalef32_pk32_{small}_{target}", "b192", f"b{32 * width} b32", **_ENCODE)(
                pack
            )

        def stochastic(
            a: list[Value],
            seed: Value,
            scale: Value,
            mode: FloatMode = DEFAULT_MODE,
            t: str = target,
        ) -> list[Value]:
            out: list[Value] = []
            for i in range(32):
                out.append(_encoded(small, _element(a, i, _WIDTH[t]), scale, t, mode, seed))
                seed = prng(seed)
            return _packed(out, 6)

        lane(
            f"v_cvt_scalef32_sr_pk32_{small}_{target}", "b192", f"b{32 * width} u32 b32", **_ENCODE
        )(stochastic)

    def interleave(
        a: list[Value], b: list[Value], scale: Value, mode: FloatMode = DEFAULT_MODE
    ) -> list[Value]:
        out: list[Value] = []
        for i in range(16):
            out += [_encoded(small, v[i], scale, "f32", mode) for v in (a, b)]
        return _packed(out, 6)

    lane(f"v_cvt_scalef32_2xpk16_{small}_f32", "b192", "b512 b512 b32", **_ENCODE)(interleave)


for _small in ("fp8", "bf8", "fp4"):
    _define_decoders(_small)
    _define_encoders(_small)
for _small in ("fp6", "bf6"):
    _define_six_bit(_small)
