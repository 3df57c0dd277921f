"""Other inputs for a launch: where ordinary random numbers do not tell candidates apart.

With unit normals, a softmax that lost part of its maximum search, or a normalization that lost its
epsilon, is right to the last digit. Each kind below moves float inputs to where such code shows:

- `wide`: shuffled, scaled by 2^10 (clipped to the finite range): exponentials overflow unless the
  exact maximum was taken off first.
- `peak`: shuffled, cubed (sign kept) and scaled by 2^6: few elements dominate every sum.
- `tiny`: shuffled, scaled by 2^-12: epsilons and underflow decide.
- `negative`: shuffled, minus the absolute value: a maximum that starts from 0 shows.
- `special`: few elements become zeros of either sign, infinities, NaN, denormals, extremes.

Integers stay as they are: they are indices, sizes and codes, and other values may be illegal.
K0 decides what is right here, too; where it cannot run, the stressed launch is left out and noted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState, Capsule

Stress = Literal["wide", "peak", "tiny", "negative", "special"]
STRESSES: tuple[Stress, ...] = ("wide", "peak", "tiny", "negative", "special")

_WIDE, _PEAK, _TINY = 2.0**10, 2.0**6, 2.0**-12
_BLOCK = 4096
_SPECIAL_SHARE = 512  # one element of so many, and at least one


def stressed(capsule: Capsule, kind: Stress, seed: int) -> Capsule | None:
    """The launch with other float inputs, or None when it has no float inputs.

    Args:
        capsule: the launch.
        kind: how to change its inputs.
        seed: of positions and orders; equal arguments give equal capsules.
    """
    contents: dict[str, bytes] = {}
    for b in capsule.buffers:
        if b.undefined or b.role not in ("in", "inout") or b.element.kind != "float" or not b.size:
            continue
        key = hashlib.sha256(f"asmevo stress {seed} {kind} {b.name}".encode()).digest()
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(key[:16], "little")))
        contents[b.name] = _changed(b, kind, rng).tobytes()
    if not contents:
        return None
    label = f"{capsule.label} +{kind}".strip()
    provenance = {**capsule.provenance, "stress": kind, "stress_seed": seed}
    return replace(capsule.with_data(contents), label=label, provenance=provenance)


def _changed(buffer: BufferState, kind: Stress, rng: np.random.Generator) -> NDArray[Any]:
    values = buffer.array().reshape(-1)
    if kind == "special":
        return _sprinkled(values, rng)
    shuffled = _shuffled(values, rng).astype(np.float64)
    if kind == "negative":
        changed = -np.abs(shuffled)
    elif kind == "peak":
        changed = shuffled * shuffled * shuffled * _PEAK
    else:
        changed = shuffled * (_WIDE if kind == "wide" else _TINY)
    limit = _limits(values.dtype)[2]
    changed = np.clip(changed, -limit, limit)
    return changed.astype(values.dtype)


def _shuffled(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A random order; of large arrays one order within blocks and a rotation, which is cheap."""
    if len(values) <= 1 << 16:
        return values[rng.permutation(len(values))]
    whole = len(values) // _BLOCK * _BLOCK
    blocks = values[:whole].reshape(-1, _BLOCK)[:, rng.permutation(_BLOCK)].reshape(-1)
    tail = values[whole:][rng.permutation(len(values) - whole)]
    mixed = np.concatenate([blocks, tail])
    return np.roll(mixed, int(rng.integers(len(values))))


def _limits(kind: np.dtype[Any]) -> tuple[float, float, float]:
    """Smallest denormal, smallest normal and largest value of a float type."""
    finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)
    info = finfo(kind)
    return float(info.smallest_subnormal), float(info.smallest_normal), float(info.max)


def _sprinkled(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    smallest, normal, largest = _limits(values.dtype)
    # The most telling first: a small buffer gets only these.
    pool = [np.nan, np.inf, smallest, -np.inf, -0.0, largest, -largest]
    pool += [-smallest, normal - smallest, normal, 0.0, 1.0, -1.0]
    count = max(1, len(values) // _SPECIAL_SHARE)
    where = rng.choice(len(values), size=count, replace=False)
    changed = values.copy()
    # Formats without infinity turn it into NaN; that is special enough.
    with np.errstate(all="ignore"):
        changed[where] = np.resize(np.array(pool), count).astype(values.dtype)
    return changed
