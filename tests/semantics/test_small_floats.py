"""Small float formats against ml_dtypes, every code and a dense set of values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from asmevo.isa.semantics import numpy_algebra
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.vector.small_floats import decode, encode, encode_stochastic, small_format

FORMATS: list[tuple[str, bool, Any]] = [
    ("fp8", True, ml_dtypes.float8_e4m3fnuz),
    ("bf8", True, ml_dtypes.float8_e5m2fnuz),
    ("fp8", False, ml_dtypes.float8_e4m3fn),
    ("bf8", False, ml_dtypes.float8_e5m2),
    ("fp6", False, ml_dtypes.float6_e2m3fn),
    ("bf6", False, ml_dtypes.float6_e3m2fn),
    ("fp4", False, ml_dtypes.float4_e2m1fn),
]
IDS = [f"{name}-{'fnuz' if fnuz else 'ocp'}" for name, fnuz, _ in FORMATS]


def _f32(bits: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(bits.astype(np.uint32)).view(np.float32)


def _values(name: str, fnuz: bool, dtype: Any) -> np.ndarray:
    """Finite values, midpoints between neighbours, and their f32 neighbours."""
    width = small_format(name, FloatMode(fnuz=fnuz)).width
    codes = np.arange(1 << width, dtype=np.uint8).view(dtype).astype(np.float32)
    finite = np.unique(codes[np.isfinite(codes)])
    middle = (finite[1:] + finite[:-1]) / 2
    near = np.concatenate([finite, middle])
    around = [np.nextafter(near, np.float32(s)) for s in (-np.inf, np.inf)]
    random = np.random.default_rng(3).normal(0, 4, 4000).astype(np.float32)
    return np.concatenate([near, *around, random]).astype(np.float32)


@pytest.mark.parametrize(("name", "fnuz", "dtype"), FORMATS, ids=IDS)
def test_decode_every_code(name: str, fnuz: bool, dtype: Any) -> None:
    s = small_format(name, FloatMode(fnuz=fnuz))
    codes = np.arange(1 << s.width, dtype=np.uint8)
    got = _f32(decode(s, numpy_algebra.value(codes, 32)).raw)
    want = codes.view(dtype).astype(np.float32)
    assert (np.isnan(got) == np.isnan(want)).all()
    number = ~np.isnan(want)
    assert (got.view(np.uint32)[number] == want.view(np.uint32)[number]).all()


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize(("name", "fnuz", "dtype"), FORMATS, ids=IDS)
def test_encode_nearest_even(name: str, fnuz: bool, dtype: Any, width: int) -> None:
    mode = FloatMode(fnuz=fnuz)
    s = small_format(name, mode)
    x = _values(name, fnuz, dtype)
    source = x if width == 32 else x.astype(np.float64)
    bits = source.view(f"u{width // 8}")
    got = np.asarray(encode(s, numpy_algebra.value(bits, width, "f"), mode).raw, np.uint8)
    want = x.astype(dtype).view(np.uint8)
    largest = float(np.array([s.largest], np.uint8).view(dtype).astype(np.float32)[0])
    # Overflow is the formats' own business (FP16_OVFL); ml_dtypes saturates fp6 and fp4 too.
    step = 2.0 ** np.floor(np.log2(largest)) / (1 << s.mantissa)
    inside = np.abs(x) < largest + step / 2
    assert (got[inside] == want[inside]).all()


@pytest.mark.parametrize(
    ("name", "fnuz", "saturate", "code"),
    [
        ("fp8", True, False, 0x80),
        ("fp8", True, True, 0x7F),
        ("bf8", True, False, 0x80),
        ("fp8", False, False, 0x7F),
        ("fp8", False, True, 0x7E),
        ("bf8", False, False, 0x7C),
        ("bf8", False, True, 0x7B),
        ("fp4", False, False, 0x7),
        ("bf6", False, False, 0x1F),
    ],
)
def test_overflow(name: str, fnuz: bool, saturate: bool, code: int) -> None:
    mode = FloatMode(fnuz=fnuz, fp16_ovfl=saturate)
    for x in (1e9, float("inf")):
        bits = np.array([x], np.float32).view(np.uint32)
        got = encode(small_format(name, mode), numpy_algebra.value(bits, 32, "f"), mode).raw
        assert int(got[0]) == code


@pytest.mark.parametrize("name", ["fp8", "bf8"])
def test_stochastic_rounding_is_a_threshold(name: str) -> None:
    """The share of seeds that round up equals the distance from the lower neighbour."""
    mode = FloatMode(fnuz=False)
    s = small_format(name, mode)
    dtype = ml_dtypes.float8_e4m3fn if name == "fp8" else ml_dtypes.float8_e5m2
    seeds = (np.arange(1 << 12, dtype=np.uint32) << 20) + 0x80000
    for x in (1.0625, 1.3, 0.01, 3e-3, 2.0**-9, 1e-6):
        bits = np.full(len(seeds), x, np.float32).astype(np.float64).view(np.uint64)
        a = numpy_algebra.value(bits, 64, "f")
        codes = np.asarray(
            encode_stochastic(s, a, numpy_algebra.value(seeds, 32), "f32", mode).raw, np.uint8
        )
        mean = float(codes.view(dtype).astype(np.float64).mean())
        spacing = max(x / (1 << s.mantissa), 2.0 ** (1 - s.bias - s.mantissa))
        assert abs(mean - x) < spacing * 2e-3
        assert len(np.unique(codes)) <= 2
