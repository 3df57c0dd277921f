"""Element types of buffers and scalars, by the names that launch descriptions use.

A name maps to a NumPy dtype; the 8-bit and bfloat16 floats come from `ml_dtypes`. `fp8` and `bf8`
stand for the format that the target's conversion and matrix instructions read: the FNUZ formats
on gfx942 and older, the OCP formats on gfx950 and gfx12 (ISA documents, "FP8 and BF8 formats").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np

from asmevo.errors import InputError

Kind = Literal["float", "int", "opaque"]


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    Attributes:
        name: canonical name, e.g. `bf16`.
        numpy: the NumPy dtype, little endian.
        kind: `float` is compared with a tolerance, `int` and `opaque` byte for byte.
    """

    name: str
    numpy: np.dtype[Any]
    kind: Kind

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return int(self.numpy.itemsize)


def _table() -> dict[str, DType]:
    floats: dict[str, Any] = {
        "f64": np.float64,
        "f32": np.float32,
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
        "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
        "e4m3fn": ml_dtypes.float8_e4m3fn,
        "e5m2": ml_dtypes.float8_e5m2,
    }
    integers: dict[str, Any] = {
        "i8": np.int8,
        "u8": np.uint8,
        "i16": np.int16,
        "u16": np.uint16,
        "i32": np.int32,
        "u32": np.uint32,
        "i64": np.int64,
        "u64": np.uint64,
    }
    table = {n: DType(n, np.dtype(t), "float") for n, t in floats.items()}
    table |= {n: DType(n, np.dtype(t), "int") for n, t in integers.items()}
    table["bytes"] = DType("bytes", np.dtype(np.uint8), "opaque")
    return table


DTYPES: dict[str, DType] = _table()

# Other spellings in use: Triton and HIP names, and the long fp8 names of PyTorch and ml_dtypes.
ALIASES: dict[str, str] = {
    "fp64": "f64",
    "fp32": "f32",
    "fp16": "f16",
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "double": "f64",
    "float": "f32",
    "half": "f16",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "int": "i32",
    "fp8e4m3fnuz": "e4m3fnuz",
    "fp8e5m2fnuz": "e5m2fnuz",
    "fp8e4m3fn": "e4m3fn",
    "fp8e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float8_e4m3fn": "e4m3fn",
    "float8_e5m2": "e5m2",
}

_FNUZ = {"fp8": "e4m3fnuz", "bf8": "e5m2fnuz"}
_OCP = {"fp8": "e4m3fn", "bf8": "e5m2"}


def dtype(name: str, arch: str | None = None) -> DType:
    """The element type called `name`.

    Args:
        name: canonical name, alias, or `fp8`/`bf8` for the format of `arch`.
        arch: architecture, e.g. `gfx942`; needed for `fp8` and `bf8` only.

    Raises:
        InputError: unknown name, or a target-dependent name without a target.
    """
    key = name.strip().strip("{}").lower()
    if key in _FNUZ:
        if arch is None:
            raise InputError(
                f"dtype {name!r} depends on the target",
                "name the format itself: " + ", ".join((_FNUZ[key], _OCP[key])),
            )
        ocp = arch == "gfx950" or arch.startswith("gfx12")
        return DTYPES[_OCP[key] if ocp else _FNUZ[key]]
    found = DTYPES.get(ALIASES.get(key, key))
    if found is None:
        raise InputError(f"unknown dtype {name!r}", "known are " + ", ".join(DTYPES))
    return found
