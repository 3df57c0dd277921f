"""Whole computations of small formats, counts and atomics against exact arithmetic.

Beside `test_arithmetic`, which says why.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from asmevo.emulate import layout as L
from opinion.covered import covers
from opinion.exact import floats
from opinion.sequences import bench
from opinion.wave import GLOBAL_BASE, Wave, assemble

from .test_arithmetic import _assert_same, _key, _one, _values

# --- small formats ----------------------------------------------------------------------------
_SMALL = {
    ("fp8", "gfx942"): ml_dtypes.float8_e4m3fnuz,
    ("bf8", "gfx942"): ml_dtypes.float8_e5m2fnuz,
    ("fp8", "gfx950"): ml_dtypes.float8_e4m3fn,
    ("bf8", "gfx950"): ml_dtypes.float8_e5m2,
}


@covers("V_CVT_SR_*")
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", ["fp8", "bf8"])
def test_stochastic_rounding_is_unbiased(name: str, arch: str) -> None:
    """Over evenly spread random numbers the mean of the results is the value (V_CVT_SR's prose)."""
    kind = _SMALL[name, arch]
    seeds = (np.arange(256, dtype=np.uint64) << np.uint64(24)).astype(np.uint64)
    for value in (1.0, 1.03125, -1.1, 3.7, 0.3, -5.0, 17.25, 0.05):
        bits = np.full(256, np.float32(value).view(np.uint32), np.uint64)
        text = f"v_mov_b32_e32 v40, 0\nv_cvt_sr_{name}_f32 v40, v2, v4"
        got = bench(text, arch)(bits, seeds, bits=32).astype(np.uint8).view(kind).astype(np.float64)
        assert abs(got.mean() - value) <= abs(value) / 256
        assert len(set(got.tolist())) <= 2


@covers("V_CVT_SCALEF32_F16_*")
@pytest.mark.parametrize("name", ["fp8", "bf8"])
def test_scaled_conversion_to_half(name: str) -> None:
    codes = np.arange(256, dtype=np.uint64)
    values = codes.astype(np.uint8).view(_SMALL[name, "gfx950"]).astype(np.float64)
    for power in (-3, 0, 5):
        scale = np.full(256, np.float32(2.0**power).view(np.uint32), np.uint64)
        text = f"v_mov_b32_e32 v40, 0\nv_cvt_scalef32_f16_{name} v40, v2, v4"
        got = bench(text, "gfx950")(codes, scale, bits=32, out_bits=16)
        with np.errstate(all="ignore"):
            want = (values * 2.0**power).astype(np.float16)
        nan = np.isnan(want)
        assert (np.isnan(floats(got, 16)) == nan).all()
        _assert_same(got[~nan], want.view(np.uint16)[~nan].tolist(), codes[~nan])


@covers("V_CVT_PK_U8_F32", "V_CVT_PKACCUM_U8_F32")
def test_float_to_byte() -> None:
    """Whole numbers are exact and saturate; others give a neighbour (which is open)."""
    x = np.concatenate([np.arange(-20, 300), np.linspace(-2, 258, 320)]).astype(np.float32)
    got = _one("v_cvt_pk_u8_f32 v40, v2, 0, 0", x.view(np.uint32), 32).astype(np.float64)
    assert (np.abs(got - np.clip(x, 0, 255)) < 1).all()
    whole = x == np.floor(x)
    assert (got[whole] == np.clip(x, 0, 255)[whole]).all()


@covers("V_CVT_*NORM_*")
@pytest.mark.parametrize(("kind", "scale", "low"), [("i", 32767, -1.0), ("u", 65535, 0.0)])
def test_normalised_integers(kind: str, scale: int, low: float) -> None:
    x = np.concatenate([np.linspace(-1.5, 1.5, 999), [0, 1, -1, 0.5]]).astype(np.float32)
    text = f"v_cvt_pknorm_{kind}16_f32 v40, v2, v2"
    got = _one(text, x.view(np.uint32), 32).astype(np.uint32)
    parts = got.view(np.uint16 if kind == "u" else np.int16).reshape(-1, 2)
    want = np.clip(x.astype(np.float64), low, 1.0) * scale
    assert (np.abs(parts - want[:, None]) <= 0.5).all()


# --- scalar and memory ------------------------------------------------------------------------
@covers("S_BCNT*_I32_B64")
def test_bit_counts() -> None:
    for bits in (0, 1, (1 << 64) - 1, 0xF0F0_0000_0000_0001, 1 << 63):
        for one in (0, 1):
            wave = Wave()
            wave.set_scalar(L.sgpr(4), bits, 8)
            wave.set_scalar(L.sgpr(9), 0xDEAD)
            wave.run(assemble(f"s_bcnt{one}_i32_b64 s8, s[4:5]", "gfx942"), "gfx942")
            count = bits.bit_count() if one else 64 - bits.bit_count()
            assert (wave.scalar(L.sgpr(8)), wave.scalar(L.SCC)) == (count, int(count > 0))
            assert wave.scalar(L.sgpr(9)) == 0xDEAD


_ATOMICS = [
    ("ds_{op}_f32 v5, v2", 32),
    ("ds_{op}_rtn_f32 v20, v5, v2", 32),
    ("ds_{op}_f64 v5, v[2:3]", 64),
    ("ds_{op}_rtn_f64 v[20:21], v5, v[2:3]", 64),
    ("global_atomic_{op}_f64 v[6:7], v[2:3], off", 64),
    ("flat_atomic_{op}_f64 v[6:7], v[2:3]", 64),
    ("buffer_atomic_{op}_f64 v[2:3], v5, s[8:11], 0 offen", 64),
]


@covers("DS_MIN*_F*", "DS_MAX*_F*", "*_ATOMIC_MIN_F64", "*_ATOMIC_MAX_F64")
@pytest.mark.parametrize(("text", "width"), _ATOMICS, ids=[t.split()[0] for t, _ in _ATOMICS])
@pytest.mark.parametrize("op", ["min", "max"])
def test_reduction_by_atomics(text: str, width: int, op: str) -> None:
    """64 lanes on one place leave the extreme value; quiet NaNs lose, -0 is below +0."""
    pool = _values(width, 40, 13)
    values = np.random.default_rng(14).choice(pool, 64)
    values[::9] = {32: 0x7FC00001, 64: 0x7FF8000000000001}[width]
    if width == 32 and text.startswith("ds"):
        values = np.where(values & 0x7F800000 == 0, values & 0x80000000, values)
    numbers = [int(v) for v in values if not np.isnan(floats(np.array([v]), width)[0])]
    want = (min if op == "min" else max)(numbers, key=lambda v: _key(v, width))
    wave = Wave()
    wave.row(2)[:] = values.astype(np.uint32)
    wave.row(3)[:] = (values >> np.uint64(32)).astype(np.uint32)
    wave.row(5)[:] = 16
    wave.row(6)[:] = (GLOBAL_BASE + 16) & 0xFFFFFFFF
    wave.row(7)[:] = (GLOBAL_BASE + 16) >> 32
    for n, bits in enumerate((GLOBAL_BASE & 0xFFFFFFFF, GLOBAL_BASE >> 32, 4096, 0x27000)):
        wave.set_scalar(L.sgpr(8 + n), bits)
    place = wave.lds if text.startswith("ds") else wave.memory
    first = int(values[np.flatnonzero([int(v) in numbers for v in values])[0]])
    place[16 : 16 + width // 8] = np.frombuffer(first.to_bytes(width // 8, "little"), np.uint8)
    wave.run(assemble(text.format(op=op), "gfx942"), "gfx942")
    got = int.from_bytes(place[16 : 16 + width // 8].tobytes(), "little")
    assert got == want, (hex(got), hex(want))
