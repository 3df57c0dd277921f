"""References of the six kernels in `kernels/`, after their definitions and not their code.

Each function maps the launch description's arguments by name (arrays as they are before the
dispatch, scalars as Python numbers) to the expected contents of the buffers it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Inputs = Mapping[str, Any]
Outputs = dict[str, np.ndarray]


def saxpy(given: Inputs) -> Outputs:
    x, y = np.float64(given["x"]), np.float64(given["y"])
    return {"y": given["a"] * x + y}


def softmax(given: Inputs) -> Outputs:
    x = np.float64(given["x"])
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": e / e.sum(axis=1, keepdims=True)}


def rmsnorm(given: Inputs) -> Outputs:
    x, w = np.float64(given["x"]), np.float64(given["w"])
    return {"y": x / np.sqrt((x * x).mean(axis=1, keepdims=True) + given["eps"]) * w}


def reduce(given: Inputs) -> Outputs:
    x = np.float64(given["x"])
    return {"partial": np.array([x[i : i + 512].sum() for i in range(0, len(x), 512)])}


def matmul(given: Inputs) -> Outputs:
    return {"C": np.float64(given["A"]) @ np.float64(given["B"])}


def _word(value: int) -> int:
    """Two's complement of 32 bits."""
    return (value + 0x80000000) % 0x100000000 - 0x80000000


def _steps(a: int, b: int) -> int:
    return a if b <= 0 else _word(_steps(_steps(_word(a + 1), b - 2), b - 3) * 3 + b)


WEIGHTS = (3, 1, 4, 1, 5, 9, 2, 6)


def table_walk(given: Inputs) -> Outputs:
    x, program = given["x"].tolist(), given["program"].tolist()
    operations: tuple[Callable[[int, int], int], ...] = (
        lambda a, b: _word(a + b),
        lambda a, b: _word(a * 31 + (b ^ a)),
        lambda a, b: _word(a + WEIGHTS[b & 7]),
        _steps,
    )
    y = []
    for i, value in enumerate(x):
        start, t = i - i % 256, i % 256
        staging = x[start : start + 256]
        staging += [0] * (256 - len(staging))
        seen = list(range(64))
        for s, code in enumerate(program):
            value = operations[code & 3](value, staging[(t + s) & 255] & 7)
            seen[value & 63] += code
        y.append(_word(value + seen[(value >> 4) & 63]))
    return {"y": np.array(y, np.int32)}


def remember(given: Inputs) -> Outputs:
    values = [_word(v * 31 + (i ^ v)) for i, v in enumerate(given["x"].tolist())]
    return {"y": np.array([_word(v + (v >> 1)) for v in values], np.int32)}


REFERENCES: dict[str, Callable[[Inputs], Outputs]] = {
    "saxpy": saxpy,
    "softmax": softmax,
    "rmsnorm": rmsnorm,
    "reduce": reduce,
    "matmul_f32": matmul,
    "matmul_f16": matmul,
}

# The kernels of the object that is hard to recover; exact.
RECOVERY: dict[str, Callable[[Inputs], Outputs]] = {"table_walk": table_walk, "remember": remember}

# Largest allowed |delta|, relative to the largest |expected| of the buffer.
TOLERANCES: dict[str, float] = dict.fromkeys(REFERENCES, 1e-5) | {"matmul_f16": 1e-2}

# Besides the sizes in the launch description: one that fills its workgroups exactly, one with
# less than a wave of work, one that is larger and odd.
SIZES: dict[str, tuple[dict[str, int], ...]] = {
    "saxpy": ({}, {"n": 512}, {"n": 1}, {"n": 65}, {"n": 4099}),
    "softmax": ({}, {"rows": 2, "columns": 256}, {"rows": 1, "columns": 3}, {"columns": 1031}),
    "rmsnorm": ({}, {"rows": 2, "columns": 512}, {"rows": 1, "columns": 3}, {"columns": 1031}),
    "reduce": ({}, {"n": 1024}, {"n": 3}, {"n": 5121}),
    "matmul_f32": ({}, {"M": 32, "N": 16, "K": 48}, {"M": 1, "N": 1, "K": 1}, {"M": 65, "K": 33}),
    "matmul_f16": ({}, {"M": 64, "N": 64, "K": 32}, {"M": 1, "N": 3, "K": 5}, {"M": 129, "K": 71}),
}
