"""Sums of a matrix case in double precision, all result elements at once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .matrix_bench import Case, Parts
from .matrix_forms import WIDTH, Indices
from .matrix_sums import decode

Doubles = NDArray[np.float64]


@lru_cache(maxsize=16)
def _table(kind: str, arch: str) -> Doubles:
    special = {"nan": np.nan, "+inf": np.inf, "-inf": -np.inf}
    numbers = [decode(code, kind, arch) for code in range(1 << WIDTH[kind])]
    return np.array([special.get(n.special, float(n.value)) for n in numbers])


def as_floats(codes: Indices, kind: str, arch: str) -> Doubles:
    """Codes as doubles (i8 and i32 as signed integers)."""
    if kind == "i8":
        return ((codes ^ 128) - 128).astype(np.float64)
    if kind == "i32":
        return ((codes ^ (1 << 31)) - (1 << 31)).astype(np.float64)
    if kind == "f64":
        return codes.view(np.float64)
    if kind in ("f32", "xf32"):
        kept = codes & ~0x1FFF if kind == "xf32" else codes
        return kept.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "bf16":
        return (codes << 16).astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "f16":
        return codes.astype(np.uint16).view(np.float16).astype(np.float64)
    return _table(kind, arch)[codes]


def sums(case: Case, parts: Parts) -> tuple[Doubles, Doubles]:
    """(C plus all products, sum of the magnitudes), as [block, row, column]."""
    f = case.form
    a = as_floats(parts.a, f.a, f.arch)
    b = as_floats(parts.b, f.b, f.arch)
    c = as_floats(np.ascontiguousarray(parts.c), f.result, f.arch)
    terms = a * b
    if parts.scales is not None:
        power = np.ldexp(1.0, (parts.scales[0] + parts.scales[1] - 254).astype(np.int32))
        terms = terms * np.repeat(power, 32, axis=2)[None]
    if case.negate[0] ^ case.negate[1]:
        terms = -terms
    if case.negate[2]:
        c = -c
    return c + terms.sum(axis=3), np.abs(c) + np.abs(terms).sum(axis=3)
