"""Operands for the matrix tests: random, extreme, special and one-hot register images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .matrix_bench import Case, Image
from .matrix_forms import WIDTH, Form, form, put_element

# exponent bits, mantissa bits
FIELDS = {
    "f64": (11, 52),
    "f32": (8, 23),
    "xf32": (8, 23),
    "f16": (5, 10),
    "bf16": (8, 7),
    "fp8": (4, 3),
    "bf8": (5, 2),
    "fp6": (2, 3),
    "bf6": (3, 2),
    "fp4": (2, 1),
}
ONE = {"f64": 1023 << 52, "f32": 127 << 23, "xf32": 127 << 23, "f16": 15 << 10, "bf16": 127 << 7}
ONE |= {"i8": 1, "fp6": 8, "bf6": 12, "fp4": 2}


def one(kind: str, arch: str) -> int:
    """Code of 1.0 (of 1 for integers)."""
    if kind in ("fp8", "bf8"):
        return 0x40 if arch != "gfx950" else {"fp8": 0x38, "bf8": 0x3C}[kind]
    return ONE[kind]


def codes(
    kind: str, arch: str, count: int, rng: np.random.Generator, flavour: str
) -> NDArray[np.uint64]:
    """Random element codes.

    `flavour` is "plain" (a few binades round 1, some zeros), "wide" (every finite value),
    "special" (edges, infinities and NaNs among plain values) or "bits" (any pattern).
    """
    width = WIDTH[kind]
    raw = rng.integers(0, 1 << min(width, 63), count, dtype=np.uint64)
    if width == 64:
        raw = raw * np.uint64(2) + rng.integers(0, 2, count, dtype=np.uint64)
    if kind == "i8" or flavour == "bits":
        return raw
    exponent, mantissa = FIELDS[kind]
    top = (1 << exponent) - 1
    field = (raw >> np.uint64(mantissa)) & np.uint64(top)
    if flavour == "wide":
        last = top if width <= 8 else top - 1
        field = np.minimum(field, np.uint64(last))
    else:
        middle, reach = top // 2, max(1, min(6, top // 4))
        field = rng.integers(middle - reach, middle + reach + 1, count).astype(np.uint64)
    out = raw & np.uint64(((1 << width) - 1) ^ (top << mantissa)) | field << np.uint64(mantissa)
    out[rng.random(count) < 1 / 12] = 0
    if flavour == "special":
        edges = [0, 1, (1 << mantissa) - 1, 1 << mantissa, (top << mantissa) - 1]
        edges += [top << mantissa, (top << mantissa) + 1, (1 << width - 1) - 1]
        edges += [e | 1 << (width - 1) for e in edges]
        pick = rng.random(count) < 0.02
        out[pick] = rng.choice(np.array(edges, np.uint64), int(pick.sum()))
    if flavour != "special" and width == 8:  # keep NaN and infinity codes out
        bad = nan_codes(kind, arch)
        out[np.isin(out, bad)] = one(kind, arch)
    return out


def nan_codes(kind: str, arch: str) -> NDArray[np.uint64]:
    """Codes of an 8-bit format that are not finite."""
    if arch != "gfx950":
        found = [0x80]
    elif kind == "fp8":
        found = [0x7F, 0xFF]
    else:
        found = [s | c for s in (0, 0x80) for c in range(0x7C, 0x80)]
    return np.array(found, np.uint64)


def image(kind: str, arch: str, registers: int, rng: np.random.Generator, flavour: str) -> Image:
    """A register image [registers, 64] full of random elements."""
    width = WIDTH[kind]
    count = registers * 32 // width
    raw = codes(kind, arch, 64 * count, rng, flavour).reshape(64, count)
    if width in (8, 16, 32, 64):
        packed = np.ascontiguousarray(raw.astype(f"<u{width // 8}")).view(np.uint32)
        return np.ascontiguousarray(packed.reshape(64, registers).T)
    bits = (raw[:, :, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    flat = np.packbits(bits.reshape(64, -1).astype(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(flat.view(np.uint32).T)


def index_words(f: Form, rng: np.random.Generator) -> NDArray[np.uint32]:
    """Index registers: in each pair the first index is below the second."""
    pairs = np.array([0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110], np.uint32)
    words = np.zeros(64, np.uint32)
    for n in range(8):
        words |= rng.choice(pairs, 64) << np.uint32(4 * n)
    return words


def random_case(
    arch: str,
    name: str,
    seed: int,
    flavour: str = "plain",
    *,
    formats: tuple[int, int] = (0, 0),
    c_flavour: str | None = None,
) -> Case:
    """A case without modifiers, except those that carry formats."""
    rng = np.random.default_rng([seed, *name.encode()])
    f = form(arch, name, *formats)
    kind = {"f32": "f32", "f64": "f64", "i32": "bits"}[f.result]
    if kind == "bits":
        c = rng.integers(0, 1 << 32, (f.results, 64), dtype=np.uint32)
    else:
        c = image(kind, arch, f.results, rng, c_flavour or flavour)
    case = Case(
        f,
        image(f.a, arch, f.registers("a"), rng, flavour),
        image(f.b, arch, f.registers("b"), rng, flavour),
        c,
        cbsz=formats[0],
        blgp=formats[1],
    )
    if f.sparse:
        case.index = index_words(f, rng)
    if f.scaled:
        low, high = (100, 150) if flavour == "plain" else (0, 256)
        words = rng.integers(low, high, (2, 64, 4)).astype(np.uint8).view(np.uint32)[..., 0]
        case.scales = (words[0], words[1])
    return case


def one_hot(case: Case, side: str, lane: int, slot: int) -> Case:
    """The case with one operand cleared but for a single 1, and C zero."""
    f = case.form
    kind = f.a if side == "a" else f.b
    cleared = np.zeros_like(case.a if side == "a" else case.b)
    put_element(cleared, WIDTH[kind], lane, slot, one(kind, f.arch))
    setattr(case, side, cleared)
    case.c = np.zeros_like(case.c)
    return case
