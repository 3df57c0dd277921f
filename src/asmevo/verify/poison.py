"""Poison: junk in memory that a kernel must not read, in two complementary patterns.

Besides buffers that is what lies between and behind the arguments of the kernarg segment.

A byte that holds pattern A after a run with A, and pattern B after a run with B, was not written:
the patterns differ in every byte, so no value stored in both runs equals both. This gives the
exact set of written bytes without any help from the device.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule

Pattern = Literal["A", "B"]
PATTERNS: tuple[Pattern, Pattern] = ("A", "B")


def poison_bytes(name: str, length: int, pattern: Pattern, seed: int) -> bytes:
    """Junk for the buffer called `name`: pseudo-random for A, its complement for B."""
    key = hashlib.sha256(f"asmevo poison {seed} {name}".encode()).digest()
    rng = np.random.Generator(np.random.PCG64(int.from_bytes(key[:16], "little")))
    data = rng.bytes(length)
    if pattern == "A":
        return data
    return np.bitwise_not(np.frombuffer(data, dtype=np.uint8)).tobytes()


def poisoned(capsule: Capsule, pattern: Pattern, seed: int) -> Capsule:
    """The capsule with junk in every buffer whose contents before the dispatch are undefined."""
    return capsule.with_data(
        {
            b.name: poison_bytes(b.name, b.size, pattern, seed)
            for b in capsule.buffers
            if b.undefined
        }
    )


def poisoned_arguments(
    capsule: Capsule, spans: Sequence[tuple[int, int]], pattern: Pattern, seed: int
) -> Capsule:
    """The capsule with junk in the spans (first byte, end) of its kernarg segment."""
    if not spans:
        return capsule
    segment = bytearray(capsule.kernarg)
    junk = poison_bytes("the kernarg segment", len(segment), pattern, seed)
    for first, end in spans:
        segment[first:end] = junk[first:end]
    return replace(capsule, kernarg=bytes(segment))


def written(before_a: bytes, after_a: bytes, before_b: bytes, after_b: bytes) -> NDArray[np.bool_]:
    """Which bytes were written: bool array [bytes].

    Args:
        before_a: pattern A of the buffer.
        after_a: its contents after the run with A.
        before_b: pattern B of the buffer.
        after_b: its contents after the run with B.
    """
    kept_a = _u8(before_a) == _u8(after_a)
    kept_b = _u8(before_b) == _u8(after_b)
    return ~(kept_a & kept_b)


def depends_on_poison(mask: NDArray[np.bool_], after_a: bytes, after_b: bytes) -> NDArray[np.bool_]:
    """Written bytes that differ between the runs: their value depends on undefined contents."""
    return mask & (_u8(after_a) != _u8(after_b))


def _u8(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)
