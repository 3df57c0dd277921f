"""Other inputs for a launch: where ordinary random numbers do not tell candidates apart.

With unit normals, a softmax that lost part of its maximum search, or a normalization that lost its
epsilon, is right to the last digit. Each kind below moves float inputs to where such code shows,
within the range of each buffer's own type:

- `wide`: shuffled, scaled by 2^10 (clipped to the finite range): exponentials overflow unless the
  exact maximum was taken off first.
- `vast`: shuffled, scaled by the largest value to the power 0.4 (2^51 for f32): sums of squares are
  near the end of the range, where divisions and roots are scaled.
- `peak`: shuffled, cubed (sign kept) and scaled by 2^6: few elements dominate every sum.
- `tiny`: shuffled, scaled by 2^-12: epsilons and underflow decide.
- `minute`: shuffled, scaled by 2^-30, with a scalar of the launch at 0: what an epsilon hides.
- `negative`: shuffled, minus the absolute value: a maximum that starts from 0 shows.
- `deep`: shuffled, minus one more than the absolute value, scaled by 2^10: every element is far
  below zero, so that exponentials vanish unless the exact maximum was taken off first.
- `special`: few elements become zeros of either sign, infinities, NaN, denormals, extremes.
- `dense`: most elements are special or random bits: every exponent, NaN with payloads (quiet ones:
  IEEE 754 leaves open what an operation makes of a signalling one, and code may count on none).
- `large`: magnitudes spread evenly over the exponents from 1 to the root of the largest value, so
  that products stay finite: saturation, narrower types and conversions to integers show.
- `faint`: likewise from the root of the smallest normal value down: narrower types lose them.
- `denormal`: all elements are denormals: flushing shows.
- `zeros`: half of the elements are zeros of either sign.
- `spike`: one element of each row is 2^12 times the others: whoever leaves it out shows.
- `runs`: stretches of up to four rows are all minus infinity (masked rows), infinity or zero: a
  maximum that starts from a finite number shows.

and integer inputs, which may be indices, sizes and codes:

- `bounds`: each element is the least or the largest that the buffer held.
- `edges`: some elements are 0, -1 or at either end of the type.

K0 decides what is right, and what is legal, here, too; where it cannot run, or where its result
depends on the order of waves (an index that appears twice), the stressed launch is left out and
noted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Literal, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState, Capsule

Stress = Literal[
    "wide", "vast", "peak", "tiny", "negative", "deep", "special", "dense", "large", "faint",
    "denormal", "zeros", "spike", "runs", "bounds", "edges", "minute",
]  # fmt: skip
FLOAT_STRESSES: tuple[Stress, ...] = (
    "wide", "vast", "peak", "tiny", "negative", "deep", "special", "dense", "large", "faint",
    "denormal", "zeros", "spike", "runs",
)  # fmt: skip
INTEGER_STRESSES: tuple[Stress, ...] = ("bounds", "edges")
STRESSES = (*FLOAT_STRESSES, *INTEGER_STRESSES)
ALL_STRESSES = (*STRESSES, "minute")
BARE: Stress = "minute"  # of variations without an added constant; of no others

_WIDE, _PEAK, _TINY, _MINUTE, _SPIKE = 2.0**10, 2.0**6, 2.0**-12, 2.0**-30, 2.0**12
_BLOCK = 4096
_SPECIAL_SHARE = 512  # one element of so many, and at least one
_ROW = 64  # elements of a "row" of a buffer that has no long last dimension


_Change = Callable[[BufferState, np.random.Generator], NDArray[Any]]


def stressed(capsule: Capsule, kind: Stress, seed: int) -> Capsule | None:
    """The launch with other inputs, or None when it has none that the kind changes.

    Args:
        capsule: the launch.
        kind: how to change its inputs.
        seed: of positions and orders; equal arguments give equal capsules.
    """
    contents: dict[str, bytes] = {}
    for b in subjects(capsule, kind):
        key = hashlib.sha256(f"asmevo stress {seed} {kind} {b.name}".encode()).digest()
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(key[:16], "little")))
        changed = _as_type(b, _KINDS[kind](b, rng)).tobytes()
        contents[b.name] = capsule.with_pointers(b.name, changed)
    if all(data == capsule.buffer(name).data for name, data in contents.items()):
        return None
    provenance = {"stress": kind, "stress_seed": seed}
    return capsule.with_data(contents).derived(f"+{kind}", provenance)


def subjects(capsule: Capsule, kind: Stress) -> list[BufferState]:
    """The buffers that a kind of stress changes."""
    wanted = "int" if kind in INTEGER_STRESSES else "float"
    return [
        b
        for b in capsule.buffers
        if b.role in ("in", "inout") and not b.undefined and b.element.kind == wanted and b.size
    ]


def _scaled(factor: float) -> _Change:
    return lambda b, rng: _clipped(b, _shuffled(b, rng) * factor)


def _vast(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    return _clipped(b, _shuffled(b, rng) * _limits(b)[2] ** 0.4)


def _peak(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    values = _shuffled(b, rng)
    return _clipped(b, values * values * values * _PEAK)


def _negative(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    return -np.abs(_shuffled(b, rng))


def _deep(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    return _clipped(b, -(np.abs(_shuffled(b, rng)) + 1.0) * _WIDE)


def _clipped(b: BufferState, values: NDArray[np.float64]) -> NDArray[np.float64]:
    limit = _limits(b)[2]
    return np.clip(values, -limit, limit)


def _shuffled(b: BufferState, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random order; of large arrays one order within blocks and a rotation, which is cheap."""
    values = b.array().reshape(-1)
    if len(values) <= 1 << 16:
        return values[rng.permutation(len(values))].astype(np.float64)
    whole = len(values) // _BLOCK * _BLOCK
    blocks = values[:whole].reshape(-1, _BLOCK)[:, rng.permutation(_BLOCK)].reshape(-1)
    tail = values[whole:][rng.permutation(len(values) - whole)]
    mixed = np.concatenate([blocks, tail])
    return np.roll(mixed, int(rng.integers(len(values)))).astype(np.float64)


def _limits(b: BufferState) -> tuple[float, float, float]:
    """Smallest denormal, smallest normal and largest value of a buffer's float type."""
    finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)
    info = finfo(b.element.numpy)
    return float(info.smallest_subnormal), float(info.smallest_normal), float(info.max)


def _count(b: BufferState) -> int:
    return b.size // b.element.size


def _pool(b: BufferState) -> list[float]:
    """Special values, the most telling first: a small buffer gets only these."""
    smallest, normal, largest = _limits(b)
    return [
        np.nan, np.inf, smallest, -np.inf, -0.0, largest, -largest, -smallest, normal - smallest,
        normal, 0.0, 1.0, -1.0, largest / 4, -largest / 8,
    ]  # fmt: skip


def _as_type(b: BufferState, values: NDArray[Any]) -> NDArray[Any]:
    # Formats without infinity turn it into NaN; that is special enough.
    with np.errstate(all="ignore"):
        return values.astype(b.element.numpy)


def _special(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    count = max(1, _count(b) // _SPECIAL_SHARE)
    where = rng.choice(_count(b), size=count, replace=False)
    changed = b.array().reshape(-1).copy()
    changed[where] = _as_type(b, np.resize(np.array(_pool(b)), count))
    return changed


def _dense(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    """A quarter as it was, a quarter special, one half random bits."""
    count = _count(b)
    drawn = np.frombuffer(rng.bytes(b.size), b.element.numpy)
    # Two of the largest values overflow in one order of a sum and not in another.
    pool = [v for v in _pool(b) if abs(v) != _limits(b)[2]]
    special = _as_type(b, rng.choice(np.array(pool), count))
    which = rng.random(count)
    which[rng.integers(count)] = 0.3  # a small buffer gets one special element, too
    with np.errstate(invalid="ignore"):
        mixed = np.where(which < 0.5, special, drawn)
        mixed = np.where(which < 0.25, b.array().reshape(-1), mixed)
        return _with_payloads(mixed, rng)


def _with_payloads(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Every NaN quiet, with random payload bits; 8-bit types have none to choose."""
    kind = values.dtype
    if kind.itemsize == 1:
        return values
    finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)
    quiet = 1 << (int(finfo(kind).nmant) - 1)
    bits = values.copy().view(f"u{kind.itemsize}")
    nan = np.flatnonzero(np.isnan(values))
    payload = rng.integers(0, quiet, len(nan), dtype=np.uint64).astype(bits.dtype)
    bits[nan] = (bits[nan] ^ payload) | bits.dtype.type(quiet)
    return bits.view(kind)


def _spread(low: Callable[[BufferState], float], high: Callable[[BufferState], float]) -> _Change:
    """Random signs, magnitudes even in the logarithm between two limits."""

    def change(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
        exponents = rng.uniform(np.log2(low(b)), np.log2(high(b)), _count(b))
        return np.exp2(exponents) * rng.choice([-1.0, 1.0], _count(b))

    return change


def _zeros(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    zeros = _as_type(b, rng.choice([0.0, -0.0], _count(b)))
    return np.where(rng.random(_count(b)) < 0.5, zeros, b.array().reshape(-1))


def _spike(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    """In the first row its first element, in the last its last, in others a random one."""
    values = _shuffled(b, rng)
    columns = b.shape[-1] if b.shape and b.shape[-1] >= _ROW else min(_ROW, len(values))
    starts = np.arange(0, len(values), columns)
    where = np.minimum(starts + rng.integers(0, columns, len(starts)), len(values) - 1)
    where[0], where[-1] = 0, len(values) - 1
    if len(starts) == 1:
        where = np.array([rng.choice([0, len(values) - 1])])
    values[where] = np.where(values[where] == 0.0, 1.0, values[where]) * _SPIKE
    return _clipped(b, values)


def _runs(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    """Every other stretch as it was; the first is minus infinity."""
    count = _count(b)
    row = b.shape[-1] if len(b.shape) > 1 else _ROW
    ends = np.cumsum(rng.integers(1, 4 * row + 1, 2 * (count // row) + 2))
    stretch = np.searchsorted(ends, np.arange(count), "right")
    pool = np.array([-np.inf, -np.inf, np.inf, 0.0])
    special = pool[rng.integers(0, len(pool), len(ends) + 1)]
    special[0] = -np.inf
    return np.where(stretch % 2 == 0, _as_type(b, special)[stretch], b.array().reshape(-1))


def _bounds(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    values: NDArray[np.integer[Any]] = b.array().reshape(-1)
    return np.where(rng.random(len(values)) < 0.5, np.min(values), np.max(values))


def _edges(b: BufferState, rng: np.random.Generator) -> NDArray[Any]:
    info = np.iinfo(b.element.numpy)
    pool = [info.min, info.max, 0, 1, *((-1,) if info.min < 0 else (info.max >> 1,))]
    pool += [info.max - 1, info.min + 1]
    count = max(1, _count(b) // 8)
    changed = b.array().reshape(-1).copy()
    where = rng.choice(_count(b), size=count, replace=False)
    changed[where] = np.resize(np.array(pool, dtype=b.element.numpy), count)
    return changed


_KINDS: dict[Stress, _Change] = {
    "wide": _scaled(_WIDE),
    "vast": _vast,
    "peak": _peak,
    "tiny": _scaled(_TINY),
    "minute": _scaled(_MINUTE),
    "negative": _negative,
    "deep": _deep,
    "special": _special,
    "dense": _dense,
    "large": _spread(lambda b: 1.0, lambda b: _limits(b)[2] ** 0.5),
    "faint": _spread(lambda b: _limits(b)[1], lambda b: _limits(b)[1] ** 0.5),
    "denormal": _spread(lambda b: _limits(b)[0], lambda b: _limits(b)[1]),
    "zeros": _zeros,
    "spike": _spike,
    "runs": _runs,
    "bounds": _bounds,
    "edges": _edges,
}
