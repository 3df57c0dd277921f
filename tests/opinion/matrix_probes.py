"""Published probe vectors of the matrix cores, each about one result element.

`U` is 2**14. The M rows are raw outputs of v_mfma_f32_16x16x32_fp8_fp8 on MI300 (probe notebook
of MMA-Sim); the "paper" rows are its equation 10 and table 8; the "derived" rows follow from the
models alone and are there because they tell apart the models that people use.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from .matrix_bench import Case, Parts, expected_parts
from .matrix_forms import WIDTH, form, input_places, put_element, result_places
from .matrix_sums import decode, to_float

FP8 = ("gfx942", "v_mfma_f32_16x16x32_fp8_fp8")
U = 2.0**14


@dataclass(frozen=True)
class Probe:
    """Products by k, C, and D's bits. Factors are exact in the form's formats."""

    label: str
    arch: str
    name: str
    products: dict[int, tuple[float, float]]
    c: float | int
    bits: int

    def __str__(self) -> str:
        return self.label

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=8)
def _codes(kind: str, arch: str) -> dict[Fraction, int]:
    found: dict[Fraction, int] = {}
    for code in range(1 << WIDTH[kind]):
        n = decode(code, kind, arch)
        if not n.special:
            found.setdefault(n.value, code)
    return found


def encode(x: float, kind: str, arch: str) -> int:
    """Code of an exactly representable number."""
    exact = Fraction(x)
    if kind in ("f64", "f32"):
        return to_float(exact, kind)
    return _codes(kind, arch)[exact]


def case_of(probe: Probe, i: int = 0, j: int = 0) -> tuple[Case, Parts]:
    """The probe as an instruction whose result element (i, j) of block 0 is meant."""
    f = form(probe.arch, probe.name)
    a = np.zeros((f.registers("a"), 64), np.uint32)
    b = np.zeros((f.registers("b"), 64), np.uint32)
    c = np.zeros((f.results, 64), np.uint32)
    places = input_places(f, "a"), input_places(f, "b")
    for k, factors in probe.products.items():
        for image, kind, (lane, slot), row, x in zip(
            (a, b), (f.a, f.b), places, (i, j), factors, strict=True
        ):
            code = int(x) & 0xFF if kind == "i8" else encode(x, kind, probe.arch)
            put_element(image, WIDTH[kind], int(lane[0, row, k]), int(slot[0, row, k]), code)
    lane, register = result_places(f)
    width = 64 if f.result == "f64" else 32
    code = int(probe.c) if f.result == "i32" else encode(float(probe.c), f.result, "gfx950")
    put_element(c, width, int(lane[0, i, j]), 0, 0)
    for n in range(width // 32):
        c[int(register[0, i, j]) * (width // 32) + n, int(lane[0, i, j])] = (
            code >> 32 * n & 0xFFFFFFFF
        )
    case = Case(f, a, b, c)
    return case, expected_parts(case)


def _b(x: float) -> int:
    return struct.unpack("<I", struct.pack("<f", x))[0]


def _split(e: int) -> tuple[float, float]:
    """2**-e as a product of two fp8 numbers."""
    return 2.0 ** -(e // 2), 2.0 ** -(e - e // 2)


def _fp8(label: str, products: dict[int, tuple[float, float]], c: float, bits: int) -> Probe:
    return Probe(label, *FP8, products, c, bits)


def _rows(zeros: str, *others: tuple[float, float]) -> list[tuple[float, float]]:
    """(s, result) pairs; those named in `zeros` give 0."""
    return [*((float(s), 0.0) for s in zeros.split()), *others]


def _measured() -> Iterator[Probe]:
    u, p, n = 2.0**-10, (2.0**7, 2.0**7), (-(2.0**7), 2.0**7)
    small = 2.0**-5
    down = [(x, -u) for x in (-0.25, -0.75, -0.5)]
    for base in (0, 1):
        for s, d in _rows("0.25 0.75 -0.25 -0.75 0.5 -0.5", (1.5, u), (-1.5, -u)):
            yield _fp8(
                f"M1 {base} {s}",
                {base: p, base + 2: n, base + 4: (s * small, small)},
                0,
                _b(d),
            )
        for s, d in _rows("0.25 0.75 0.5", *down, (1.5, u), (-1.5, -2 * u)):
            yield _fp8(
                f"M2 {base} {s}", {base: p, base + 2: n, 1 - base: (s * small, small)}, 0, _b(d)
            )
    for s, d in _rows(
        "0.25 0.75 0.5 -0.25 -0.125 -0.0625",
        *((x, -u) for x in (-0.5, -0.75, -1.0)),
        (1.5, u),
        (-1.5, -2 * u),
    ):
        yield _fp8(f"M3 {s}", {0: p, 2: n}, s * u, _b(d))
    for e in range(20, 30):
        c = -(2.0 ** (14 - e))
        d = _b(U + c) if e <= 24 else 0x467FFFFF if e == 25 else _b(U)
        yield _fp8(f"M4 {e}", {0: p}, c, d)
        half = (2.0**6, 2.0**7)
        yield _fp8(f"M5 {e}", {0: half, 1: half}, c, _b(U + c) if e <= 24 else _b(U))
    for s, d in [(0.25, _b(U)), (0.5, _b(U)), (0.75, 0x46800001), (1.5, 0x46800002)]:
        for sign in (1, -1):
            quarter = (sign * 2.0**5, 2.0**7)
            yield _fp8(
                f"M6 {sign * s}",
                {k: quarter for k in (0, 2, 4, 6)},
                sign * s * 2.0**-9,
                d | (0x80000000 if sign < 0 else 0),
            )
    for e in range(1, 10):
        d = 0x4B800001 if e <= 7 else 0x4B800000
        yield _fp8(f"M7 {e}", {0: (1, 1), 2: _split(e)}, 2.0**24, d)
        d = _b(2.0**24 + (10 if e <= 7 else 8))
        yield _fp8(f"M8 {e}", {0: (1, 1), 1: _split(e)}, 2.0**24 + 8, d)
        d = 0x4C000001 if e <= 6 else 0x4C000000
        yield _fp8(f"M9 {e}", {0: (10, 1), 1: _split(e)}, 2.0**25 - 8, d)
    for i in range(16):
        small_all = {k: (2.0**-6, 2.0**-5) for k in range(16)}
        for j in range(16):
            if i != j:
                products = small_all | {i: p, j: n}
                yield _fp8(f"M10 {i} {j}", products, u, _b((5 if (i - j) % 2 == 0 else 1) * u))
        yield _fp8(f"M10 C {i}", small_all | {i: n}, U, _b(8 * 2.0**-11))
    tiny = {k: (2.0**-9, 2.0**-9) for k in range(32)}
    for j in range(32):
        for i in range(j + 1, 32):
            d = _b(16 * 2.0**-18) if i < 16 else 0
            yield _fp8(f"M11 {i} {j}", tiny | {i: p, j: n}, 2.0**-18, d)
        d = _b(16 * 2.0**-18) if j < 16 else 0
        yield _fp8(f"M11 C {j}", tiny | {j: n}, U, d)
    for e in range(20, 30):
        left = 2.0 ** (14 - e)
        x = (2.0 ** ((14 - e) // 2), 2.0 ** ((14 - e) - (14 - e) // 2))
        d = _b(left) if e <= 24 else 0
        wide = 1.5 * 2.0**7
        yield _fp8(f"M12 {e}", {0: (wide, wide), 2: (-wide, wide), 4: x}, 0, d)
        yield _fp8(f"M13 {e}", {0: p, 2: p, 1: x}, -(2.0**15), d)


def _paper() -> Iterator[Probe]:
    a, b = (-(2.0**13), -0.5, -0.25, -0.125), (2.0**10, 1.0, 1.0, 1.0)
    products = dict(enumerate(zip(a, b, strict=True)))
    double = struct.unpack("<Q", struct.pack("<d", -0.875))[0]
    names = [
        ("gfx90a", "v_mfma_f64_16x16x4f64", double),
        ("gfx942", "v_mfma_f64_16x16x4_f64", double),
        ("gfx90a", "v_mfma_f32_32x32x4bf16", _b(-0.375)),
        ("gfx90a", "v_mfma_f32_16x16x8bf16", _b(-0.375)),
        ("gfx90a", "v_mfma_f32_32x32x8bf16_1k", 0),
        ("gfx90a", "v_mfma_f32_16x16x16bf16_1k", 0),
        ("gfx90a", "v_mfma_f32_32x32x8f16", 0),
        ("gfx90a", "v_mfma_f32_16x16x16f16", 0),
        ("gfx942", "v_mfma_f32_32x32x8_f16", _b(-0.5)),
        ("gfx942", "v_mfma_f32_16x16x16_bf16", _b(-0.5)),
        ("gfx942", "v_mfma_f32_32x32x8_bf16", _b(-0.5)),
        ("gfx942", "v_mfma_f32_16x16x32_bf8_bf8", _b(-1.0)),
        ("gfx942", "v_mfma_f32_32x32x16_bf8_bf8", _b(-1.0)),
    ]
    for arch, name, bits in names:
        yield Probe(f"paper {arch} {name}", arch, name, products, 2.0**23, bits)


def _derived() -> Iterator[Probe]:
    h8, h16 = ("gfx942", "v_mfma_f32_32x32x8_f16"), ("gfx942", "v_mfma_f32_16x16x16_f16")
    e16 = ("gfx942", "v_mfma_f32_32x32x16_fp8_fp8")
    one = {0: (1.0, 1.0)}
    for c, bits in (
        (-(2.0**-25), 0x3F7FFFFF),
        (2.0**-25, 0x3F800000),
        (-(2.0**-100), 0x3F7FFFFF),
    ):
        yield Probe(f"derived f16 {c}", *h8, one, c, bits)
    yield Probe("derived fp8 -25", *e16, one, -(2.0**-25), 0x3F7FFFFF)
    yield Probe("derived fp8 -26", *e16, one, -(2.0**-26), 0x3F800000)
    big, negative, fourth = (2.0**10, 2.0**10), (-(2.0**10), 2.0**10), (0.25, 0.25)
    yield Probe("derived chain 2", *h16, {0: big, 1: fourth, 2: negative}, 0, 0x3D800000)
    yield Probe("derived chain 8", *h16, {0: big, 1: fourth, 8: negative}, 0, 0)
    yield Probe("derived cut", *h16, {0: big, 1: (2.0**-5, 1.0), 2: negative}, 0, 0)
    for e, bits in ((7, 0x4B800001), (8, 0x4B800000)):
        yield Probe(f"derived far {e}", *h8, {0: (1, 1), 1: (2.0**-e, 1)}, 2.0**24, bits)
    subnormal = {0: (2.0**-24, 2.0**-24)}
    yield Probe("derived f16 subnormal", *h8, subnormal, 0, 0x27800000)
    yield Probe("derived f16 subnormal gfx90a", "gfx90a", "v_mfma_f32_32x32x8f16", subnormal, 0, 0)
    low = {0: (2.0**-126, 2.0**-7)}
    yield Probe("derived bf16 subnormal", "gfx942", "v_mfma_f32_32x32x8_bf16", low, 0, 0x10000)
    yield Probe("derived bf16 subnormal gfx90a", "gfx90a", "v_mfma_f32_32x32x8bf16_1k", low, 0, 0)
    p, n = (2.0**7, 2.0**7), (-(2.0**7), 2.0**7)
    little = (-(2.0**-6), 2.0**-6)
    yield Probe("derived parity", *e16, {0: p, 2: n, 1: little}, 0, 0xBA800000)
    yield Probe("derived same parity", *e16, {0: p, 2: n, 4: little}, 0, 0)
    x = 1 + 2.0**-12
    for arch, name in (
        ("gfx90a", "v_mfma_f32_32x32x2f32"),
        ("gfx942", "v_mfma_f32_32x32x2_f32"),
        ("gfx950", "v_mfma_f32_32x32x2_f32"),
    ):
        yield Probe(f"derived fused {arch}", arch, name, {0: (x, x)}, -1.0, 0x3A000400)
    for arch, name in (
        ("gfx90a", "v_mfma_i32_32x32x8i8"),
        ("gfx942", "v_mfma_i32_32x32x16_i8"),
        ("gfx950", "v_mfma_i32_16x16x64_i8"),
    ):
        yield Probe(f"derived wrap {arch}", arch, name, one, 0x7FFFFFFF, 0x80000000)


MEASURED = list(_measured())
PAPER = list(_paper())
DERIVED = list(_derived())
