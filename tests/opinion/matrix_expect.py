"""Expected results of a matrix case in exact rational arithmetic, element by element."""

from __future__ import annotations

from fractions import Fraction as Q

from . import matrix_sums as sums
from .matrix_bench import Case, Parts
from .matrix_sums import Number


def _pairs(case: Case, parts: Parts, at: tuple[int, int, int]) -> list[tuple[Number, Number]]:
    f = case.form
    block, i, j = at
    # A single block of the sparse forms' B stands for all.
    codes = zip(parts.a[block, i, j].tolist(), parts.b[block, i, j].tolist(), strict=True)
    return [(sums.decode(x, f.a, f.arch), sums.decode(y, f.b, f.arch)) for x, y in codes]


def exact_bits(case: Case, parts: Parts, at: tuple[int, int, int]) -> int:
    """Bits under the published model of the case's target (gfx950: gfx942's, chained)."""
    f = case.form
    block, i, j = at
    acc = int(parts.c[block, i, j]) & ((1 << 64) - 1)
    a, b = parts.a[block, i, j].tolist(), parts.b[block, i, j].tolist()
    if f.result == "i32":
        signed = [(x ^ 128) - 128 for x in a], [(y ^ 128) - 128 for y in b]
        return (acc + sum(x * y for x, y in zip(*signed, strict=True))) & 0xFFFFFFFF
    if f.a in ("f32", "f64"):
        if case.negate[2]:
            acc ^= 1 << 63
        for x, y in zip(a, b, strict=True):
            wide = [v & ((1 << 64) - 1) for v in (x, y)]
            wide = [v ^ (n << 63) for v, n in zip(wide, case.negate, strict=False)]
            acc = sums.fma(f.result, wide[0], wide[1], acc)
        return acc
    if f.arch == "gfx90a":
        return sums.pairwise(acc, list(zip(a, b, strict=True)), f.a, 2 if f.old else 4)
    pairs = _pairs(case, parts, at)
    kind, size = "gtr", 16
    if f.a in ("f16", "bf16"):
        kind, size = "tr", min(8, f.stored)
    elif f.a == "xf32":
        kind, size = "tr", 4
    for first in range(0, len(pairs), size):
        shift, bad = scale_of(parts, at, first)
        acc = sums.NAN if bad else sums.group(kind, acc, pairs[first : first + size], shift)
    return acc


def scale_of(parts: Parts, at: tuple[int, int, int], k: int) -> tuple[int, bool]:
    """Exponent of the scales at k, and whether one of them is NaN."""
    if parts.scales is None:
        return 0, False
    x, y = (int(s[at[1], at[2], k // 32]) for s in parts.scales)
    return x + y - 254, 255 in (x, y)


def true_sum(case: Case, parts: Parts, at: tuple[int, int, int]) -> tuple[Q, Q]:
    """Exact real result and the sum of the magnitudes of all terms (finite operands only)."""
    block, i, j = at
    c = sums.decode(int(parts.c[block, i, j]) & ((1 << 64) - 1), case.form.result, "gfx950")
    pairs = []
    for k, (x, y) in enumerate(_pairs(case, parts, at)):
        shift, _ = scale_of(parts, at, k)
        pairs.append((Number(x.value * Q(2) ** shift, x.e), y))
    return sums.true_sum(c.value, pairs)
