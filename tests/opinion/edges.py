"""Operand values that find mistakes: limits, special floats, near powers of two, then noise.

Everything is a deterministic function of the arguments.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from .softfloat import BF16, F16, F32, F64, Format

FORMATS: dict[tuple[str, int], Format] = {
    ("F", 16): F16,
    ("F", 32): F32,
    ("F", 64): F64,
    ("BF", 16): BF16,
}


VECTORS = {"VF32": F32, "VF16": F16, "VBF16": BF16}


def float_edges(f: Format) -> list[int]:
    """Positive special patterns of a format, each followed by its negative."""
    one = f.bias << f.mant
    values = [
        0,
        1,  # smallest subnormal
        2,
        f.mant_mask >> 1,
        f.mant_mask,  # largest subnormal
        1 << f.mant,  # smallest normal
        (1 << f.mant) + 1,
        (2 << f.mant) - 1,
        f.inf - 1,  # largest finite
        f.inf - (1 << f.mant),
        f.inf,
        f.inf | 1,  # signalling NaN
        f.inf | (f.quiet >> 1) | 5,
        f.inf | f.quiet,  # quiet NaN
        f.inf | f.mant_mask,
        one,
        one - 1,
        one + 1,
        one + (1 << f.mant),  # 2
        one - (1 << f.mant),  # 0.5
        one - (1 << f.mant) - 1,  # just below 0.5
        one + (f.quiet),  # 1.5
        one + (1 << f.mant) + (f.quiet >> 1),  # 2.5
    ]
    for power in (8, 16, 24, 31, 32, 52, 63, 64):  # limits of integer conversions
        if power <= f.bias:
            at = (f.bias + power) << f.mant
            values += [at, at - 1, at + 1]
    third = one - (2 << f.mant) + (f.mant_mask // 3)
    values += [third, (f.bias + f.mant) << f.mant, ((f.bias + f.mant) << f.mant) + 1]
    return [bits for v in values for bits in (v, v | f.sign_bit)]


def int_edges(width: int) -> list[int]:
    """0, -1, extremes, small numbers and 2^k with its neighbours, as raw bits."""
    full = (1 << width) - 1
    top = 1 << (width - 1)
    values = [0, full, top, top - 1, top + 1, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, full - 1]
    for k in range(3, width, max(1, width // 16)):
        values += [1 << k, (1 << k) - 1, (1 << k) + 1, full ^ (1 << k)]
    values += [full // 3, full // 3 * 2, full // 255 * 0x80, full // 255 * 0x7F]
    return list(dict.fromkeys(v & full for v in values))


def edges(kind: str, width: int) -> list[int]:
    """Special values of a pseudocode type: `("F", 32)`, `("U", 16)`, `("PK16", 32)`..."""
    if (kind, width) in FORMATS:
        return float_edges(FORMATS[kind, width])
    if kind.startswith("V"):  # vectors of floats: each edge somewhere
        f = VECTORS[kind]
        inner, count = float_edges(f), width // f.width
        return [
            sum(inner[(i + 5 * n) % len(inner)] << (f.width * n) for n in range(count))
            for i in range(0, len(inner), 3)
        ]
    if kind.startswith("PK"):  # packed halves: every edge beside a rotated one
        inner = edges("F" if kind.endswith("F") else "U", width // 2)
        turn = len(inner) // 3
        return [
            a | (inner[(i * 7 + turn) % len(inner)] << (width // 2)) for i, a in enumerate(inner)
        ]
    return int_edges(width)


def noise(rng: random.Random, kind: str, width: int) -> int:
    """Random bits; floats favour exponents near each other and near the limits."""
    if (kind, width) in FORMATS:
        f = FORMATS[kind, width]
        how = rng.randrange(4)
        if how == 0:
            return rng.getrandbits(width)
        spread = (2, f.mant + 2, f.bias // 2)[how - 1]
        field = max(0, min(f.exp_max - 1, f.bias + rng.randint(-spread, spread)))
        return (rng.getrandbits(1) * f.sign_bit) | (field << f.mant) | rng.getrandbits(f.mant)
    if kind.startswith("V"):
        f = VECTORS[kind]
        name = "BF" if f is BF16 else "F"
        return sum(noise(rng, name, f.width) << (f.width * n) for n in range(width // f.width))
    if kind.startswith("PK"):
        inner = "F" if kind.endswith("F") else "U"
        half = width // 2
        return noise(rng, inner, half) | (noise(rng, inner, half) << half)
    how = rng.randrange(3)
    if how == 0:
        return rng.getrandbits(width) >> rng.randrange(width)
    return rng.getrandbits(width)


def tuples(types: list[tuple[str, int]], count: int, seed: int | str) -> Iterator[tuple[int, ...]]:
    """`count` operand tuples: edge combinations first in a seeded order, then mixtures.

    One tuple in eight is pure edges, a quarter pure noise or nearly so, the rest mixes the two;
    equal operands and zeros of both signs meet on purpose.
    """
    rng = random.Random(f"{seed}")
    pools = [edges(*t) for t in types]
    for i in range(count):
        how = i % 8
        row = [
            rng.choice(pool) if how == 0 or (how < 5 and rng.random() < 0.6) else noise(rng, *t)
            for t, pool in zip(types, pools, strict=True)
        ]
        if how == 5 and len(row) > 1 and types[0] == types[1]:
            row[1] = row[0]
        if how == 6:  # zeros of both signs, and equal magnitudes, meet in every position
            few = [rng.choice(pools[0]) & ~(1 << (types[0][1] - 1)), 0]
            signs = (0, 1 << (types[0][1] - 1))
            row = [
                rng.choice(few) | rng.choice(signs) if t == types[0] else bits
                for t, bits in zip(types, row, strict=True)
            ]
        yield tuple(row)
