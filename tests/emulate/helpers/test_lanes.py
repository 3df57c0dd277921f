"""The number of lanes is a parameter: helpers for 32 lanes, beside those for 64 as a control.

Expected values are NumPy's or written by hand. Registers and operands are those of gfx942, whose
text is assembled; only the wave is narrower. In the state (`emulate.layout`) a row keeps room for
64 dwords, of which a wave of 32 lanes may touch the first 32, and a mask in SGPRs, VCC or EXEC is
as wide as the wave: the dword behind a 32-lane mask is another scalar and keeps its value.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import FAMILIES, Variant
from opinion.wave import GLOBAL_BASE, Wave, assemble

ARCH = "gfx942"
OLD = 0x0BADF00D  # of registers and memory that nothing may write
BOTH = pytest.mark.parametrize("lanes", [32, 64])


class Narrow(Wave):
    """A wave whose untouched lanes, scalars and memory are recognizable."""

    def __init__(self, lanes: int, **sizes: int) -> None:
        super().__init__(lanes=lanes, **sizes)
        for number in range(16):
            self.row(number)[:] = OLD
        for sgpr in range(16):
            self.set_scalar(L.sgpr(sgpr), OLD)
        self.row(0)[:lanes] = np.arange(lanes)

    def put(self, number: int, values: NDArray[np.generic]) -> None:
        """Set the lanes of a register (of a pair for 64-bit values)."""
        bits = np.ascontiguousarray(values)
        words = bits.view(np.uint32).reshape(self.lanes, -1)
        for part in range(words.shape[1]):
            self.row(number + part)[: self.lanes] = words[:, part]

    def get(self, number: int) -> NDArray[np.uint32]:
        """The lanes of a register; what lies behind them must be untouched."""
        row = self.row(number)
        assert (row[self.lanes :] == OLD).all(), f"v{number} was written behind the last lane"
        return row[: self.lanes].copy()

    def go(self, text: str) -> None:
        """Run assembly of the target."""
        self.run(assemble(text, ARCH), ARCH)


def _random(lanes: int, seed: int = 1) -> NDArray[np.uint32]:
    return np.random.default_rng(seed).integers(0, 1 << 32, lanes, np.uint32)


def _mask(chosen: NDArray[np.bool_]) -> int:
    return sum(1 << int(n) for n in np.flatnonzero(chosen))


# --- VALU ------------------------------------------------------------------------------------
@BOTH
def test_valu(lanes: int) -> None:
    wave, a, b = Narrow(lanes), _random(lanes, 1), _random(lanes, 2)
    wave.put(2, a)
    wave.put(3, b)
    wave.go("v_add_u32_e32 v5, v2, v3\nv_mul_hi_u32 v4, v2, v3\nv_lshlrev_b64 v[6:7], v0, v[2:3]")
    assert (wave.get(5) == a + b).all()
    assert (wave.get(4) == (a.astype(np.uint64) * b >> np.uint64(32))).all()
    whole = (b.astype(np.uint64) << np.uint64(32) | a) << np.arange(lanes, dtype=np.uint64)
    assert (wave.get(6) == whole.astype(np.uint32)).all()
    assert (wave.get(7) == (whole >> np.uint64(32))).all()


@BOTH
def test_floats_and_nan(lanes: int) -> None:
    """The usual path and, with a NaN in the last lane alone, the one that knows every NaN rule."""
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(lanes).astype(np.float32) for _ in range(2))
    for last in (1.5, np.nan):
        a[-1] = last
        wave = Narrow(lanes)
        wave.put(1, a)
        wave.put(2, b)
        wave.go("v_add_f32_e32 v3, v1, v2\nv_max_f32_e32 v4, v1, v2")
        np.testing.assert_array_equal(wave.get(3).view(np.float32), a + b)
        np.testing.assert_array_equal(wave.get(4).view(np.float32), np.fmax(a, b))


@BOTH
def test_exec_masks(lanes: int) -> None:
    wave, a = Narrow(lanes), _random(lanes)
    wave.put(1, a)
    wave.put(3, np.full(lanes, OLD, np.uint32))
    active = np.arange(lanes) % 3 == 1
    wave.set_scalar(L.EXEC, _mask(active), 8)
    wave.go("v_not_b32_e32 v3, v1")
    assert (wave.get(3) == np.where(active, ~a, OLD)).all()


@BOTH
def test_dpp_and_sdwa(lanes: int) -> None:
    wave, a = Narrow(lanes), _random(lanes)
    wave.put(1, a)
    wave.put(3, np.full(lanes, OLD, np.uint32))
    wave.go(
        "v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
        "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
        "v_mov_b32_sdwa v4, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2"
    )
    number = np.arange(lanes)
    assert (wave.get(2) == a[number ^ 1]).all()
    assert (wave.get(3) == np.where(number % 16 == 0, 0, a[number - 1])).all()
    assert (wave.get(4) == (a >> 16 & 255)).all()


# --- masks -----------------------------------------------------------------------------------
@BOTH
def test_comparisons_write_a_mask_as_wide_as_the_wave(lanes: int) -> None:
    wave, a, b = Narrow(lanes), _random(lanes, 4), _random(lanes, 5)
    wave.put(1, a)
    wave.put(2, b)
    wave.set_scalar(L.VCC, OLD << 32 | OLD, 8)
    active = np.arange(lanes) % 5 != 2
    wave.set_scalar(L.EXEC, _mask(active), 8)
    wave.go("v_cmp_lt_u32_e64 s[4:5], v1, v2\nv_cmp_eq_u32_e32 vcc, v1, v1")
    size = lanes // 8
    assert wave.scalar(L.sgpr(4), size) == _mask((a < b) & active)
    assert wave.scalar(L.VCC, size) == _mask(active)
    if lanes == 32:
        assert wave.scalar(L.sgpr(5)) == OLD
        assert wave.scalar(L.VCC + 4) == OLD


@BOTH
def test_cmpx_writes_exec(lanes: int) -> None:
    wave, a = Narrow(lanes), _random(lanes)
    wave.put(1, a)
    if lanes == 32:
        wave.set_scalar(L.EXEC + 4, OLD)
    wave.go("v_cmpx_gt_i32_e32 vcc, 0, v1\nv_mov_b32_e32 v2, 7")
    negative = a.view(np.int32) < 0
    assert wave.scalar(L.EXEC, lanes // 8) == _mask(negative)
    assert (wave.get(2) == np.where(negative, 7, OLD)).all()
    if lanes == 32:
        assert wave.scalar(L.EXEC + 4) == OLD


@BOTH
def test_masks_as_sources(lanes: int) -> None:
    wave, a, b = Narrow(lanes), _random(lanes, 6), _random(lanes, 7)
    wave.put(1, a)
    wave.put(2, b)
    chosen = np.arange(lanes) % 2 == 0
    wave.set_scalar(L.sgpr(4), _mask(chosen), lanes // 8)
    wave.set_scalar(L.VCC, _mask(~chosen), lanes // 8)
    wave.go("v_cndmask_b32_e64 v3, v1, v2, s[4:5]\nv_addc_co_u32_e32 v4, vcc, v1, v2, vcc")
    assert (wave.get(3) == np.where(chosen, b, a)).all()
    total = a.astype(np.uint64) + b + (~chosen).astype(np.uint64)
    assert (wave.get(4) == total.astype(np.uint32)).all()
    assert wave.scalar(L.VCC, lanes // 8) == _mask(total >> np.uint64(32) != 0)


@BOTH
@pytest.mark.parametrize("none", [False, True])
def test_execz_looks_at_the_lanes_alone(lanes: int, none: bool) -> None:
    wave = Narrow(lanes)
    wave.set_scalar(L.EXEC, 0 if none else 1 << (lanes - 1), lanes // 8)
    if lanes == 32:
        wave.set_scalar(L.EXEC + 4, OLD)
    wave.go("s_mov_b32 s4, src_execz")
    assert wave.scalar(L.sgpr(4)) == none


# --- between lanes ---------------------------------------------------------------------------
@BOTH
def test_lane_reads_and_writes_wrap_at_the_wave_size(lanes: int) -> None:
    wave, a = Narrow(lanes), _random(lanes)
    wave.put(1, a)
    wave.set_scalar(L.sgpr(6), lanes + 3)
    wave.go("v_readlane_b32 s4, v1, s6\nv_writelane_b32 v1, 17, s6\nv_readfirstlane_b32 s5, v1")
    assert wave.scalar(L.sgpr(4)) == a[3]
    a[3] = 17
    assert (wave.get(1) == a).all()
    assert wave.scalar(L.sgpr(5)) == a[0]
    wave.set_scalar(L.EXEC, 1 << (lanes - 1), 8)
    wave.go("v_readfirstlane_b32 s4, v1")
    assert wave.scalar(L.sgpr(4)) == a[-1]
    wave.set_scalar(L.EXEC, 0, 8)
    wave.go("v_readfirstlane_b32 s4, v1")
    assert wave.scalar(L.sgpr(4)) == a[0]


@BOTH
def test_permutes(lanes: int) -> None:
    wave, a = Narrow(lanes), _random(lanes)
    rng = np.random.default_rng(8)
    order = rng.permutation(lanes)
    wave.put(1, a)
    wave.put(2, (4 * (order + lanes)).astype(np.uint32))  # the lane number wraps
    wave.go(
        "ds_bpermute_b32 v3, v2, v1\nds_permute_b32 v4, v2, v1\n"
        "ds_swizzle_b32 v5, v1 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)"
    )
    assert (wave.get(3) == a[order]).all()
    pushed = np.empty_like(a)
    pushed[order] = a
    assert (wave.get(4) == pushed).all()
    assert (wave.get(5) == a[np.arange(lanes) ^ 16]).all()


@BOTH
def test_bit_counts_below_the_lane(lanes: int) -> None:
    wave = Narrow(lanes)
    wave.go("v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v2, -1, v1")
    assert (wave.get(1) == np.minimum(np.arange(lanes), 32)).all()
    assert (wave.get(2) == np.arange(lanes)).all()


# --- memory ----------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize("dwords", [1, 2, 3, 4])
def test_contiguous_memory_ends_with_the_last_lane(lanes: int, dwords: int) -> None:
    """The buffer ends exactly behind the last lane: reading one element more would fault."""
    size = 4 * lanes * dwords
    wave = Narrow(lanes, memory=2 * size)
    words = np.random.default_rng(9).integers(0, 1 << 32, lanes * dwords, np.uint32)
    wave.memory[size:] = words.view(np.uint8)
    wave.set_scalar(L.sgpr(2), GLOBAL_BASE, 8)
    name = "dword" if dwords == 1 else f"dwordx{dwords}"
    last = "v4" if dwords == 1 else f"v[4:{3 + dwords}]"
    wave.go(
        f"v_mul_u32_u24_e32 v1, {4 * dwords}, v0\nv_add_u32_e32 v2, {size:#x}, v1\n"
        f"global_load_{name} {last}, v2, s[2:3]\ns_waitcnt vmcnt(0)\n"
        f"global_store_{name} v1, {last}, s[2:3]"
    )
    for part in range(dwords):
        assert (wave.get(4 + part) == words[part::dwords]).all()
    assert (wave.memory[:size].view(np.uint32) == words).all()


@BOTH
def test_scattered_memory(lanes: int) -> None:
    wave = Narrow(lanes, memory=4096)
    order = np.random.default_rng(10).permutation(lanes)
    a = _random(lanes)
    active = np.arange(lanes) % 4 != 3
    wave.put(1, (8 * order).astype(np.uint32))
    wave.put(2, a)
    wave.set_scalar(L.sgpr(2), GLOBAL_BASE, 8)
    wave.set_scalar(L.EXEC, _mask(active), 8)
    wave.go(
        "global_store_dword v1, v2, s[2:3]\ns_waitcnt vmcnt(0)\nglobal_load_ushort v3, v1, s[2:3]\n"
        "v_mov_b32_e32 v4, 5\nglobal_atomic_add v5, v1, v4, s[2:3] sc0\ns_waitcnt vmcnt(0)"
    )
    want = np.zeros(1024, np.uint32)
    want[2 * order[active]] = a[active] + 5
    assert (wave.memory.view(np.uint32) == want).all()
    assert (wave.get(3) == np.where(active, a & 0xFFFF, OLD)).all()
    assert (wave.get(5) == np.where(active, a, OLD)).all()


@BOTH
def test_buffer_bounds(lanes: int) -> None:
    """Out of range reads as zero, in the last lanes alone."""
    wave = Narrow(lanes, memory=4096)
    words = _random(1024)
    wave.memory[:] = words.view(np.uint8)
    for n, value in enumerate(
        (GLOBAL_BASE & 0xFFFFFFFF, GLOBAL_BASE >> 32, 4 * lanes - 12, 0x20000)
    ):
        wave.set_scalar(L.sgpr(4 + n), value)
    wave.go(
        "v_lshlrev_b32_e32 v1, 2, v0\nbuffer_load_dword v2, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)"
    )
    assert (wave.get(2)[:-3] == words[: lanes - 3]).all()
    assert (wave.get(2)[-3:] == 0).all()


@BOTH
def test_scratch(lanes: int) -> None:
    """A dword of all lanes is a row, so a lane's next dword lies a row further."""
    wave = Narrow(lanes)
    private = np.full(8 * 64, OLD, np.uint32)
    wave.set_scalar(L.PRIVATE, private.ctypes.data, 8)
    wave.set_scalar(L.PRIVATE_SIZE, 32, 8)
    a = _random(lanes)
    wave.put(1, a)
    wave.go(
        "scratch_store_dword off, v1, off offset:8\ns_waitcnt vmcnt(0)\n"
        "scratch_load_dword v2, off, off offset:8\ns_waitcnt vmcnt(0)"
    )
    assert (wave.get(2) == a).all()
    assert (private[128 : 128 + lanes] == a).all()
    assert (np.delete(private, np.s_[128 : 128 + lanes]) == OLD).all()


# --- LDS -------------------------------------------------------------------------------------
@BOTH
def test_lds_ends_with_the_last_lane(lanes: int) -> None:
    wave = Narrow(lanes, lds=8 * lanes)
    a, b = _random(lanes, 11), _random(lanes, 12)
    wave.put(2, a)
    wave.put(3, b)
    wave.go(
        "v_lshlrev_b32_e32 v1, 3, v0\nds_write_b64 v1, v[2:3]\ns_waitcnt lgkmcnt(0)\n"
        "ds_read2_b32 v[4:5], v1 offset1:1\nds_read_u8 v6, v1 offset:1\n"
        "ds_add_rtn_u32 v7, v1, v0\ns_waitcnt lgkmcnt(0)"
    )
    pairs = wave.lds.view(np.uint32).reshape(lanes, 2)
    assert (wave.get(4) == a).all()
    assert (wave.get(5) == b).all()
    assert (wave.get(6) == (a >> 8 & 255)).all()
    assert (wave.get(7) == a).all()
    assert (pairs[:, 0] == a + np.arange(lanes, dtype=np.uint32)).all()
    assert (pairs[:, 1] == b).all()


@BOTH
def test_lds_by_lane_and_counters(lanes: int) -> None:
    wave, a = Narrow(lanes, lds=4 * lanes + 4), _random(lanes)
    wave.put(1, a)
    wave.set_scalar(L.M0, 0)
    wave.go(
        "ds_write_addtid_b32 v1\ns_waitcnt lgkmcnt(0)\nds_read_addtid_b32 v2\ns_waitcnt lgkmcnt(0)"
    )
    assert (wave.get(2) == a).all()
    wave.go(f"ds_append v3 offset:{4 * lanes}\ns_waitcnt lgkmcnt(0)")
    assert (wave.get(3) == 0).all()
    assert wave.lds.view(np.uint32)[lanes] == lanes


# --- the code --------------------------------------------------------------------------------
def test_the_wave_size_is_part_of_a_helper() -> None:
    """Two sizes are two functions, of which the narrow one has no row of 64 lanes."""
    texts: dict[int, str] = {}
    for lanes in (32, 64):
        module = Module()
        variant = Variant("lane", "v_add_u32", "vvv", lanes=lanes)
        FAMILIES["lane"](module, variant)
        texts[lanes] = str(module)
        assert variant.symbol in texts[lanes]
    assert "<64 x" not in texts[32]
    assert "<32 x" not in texts[64]


_SOURCE = Path(L.__file__).parent
# 64 as a width in bits, or as bytes or time: what the number may stand for in a helper.
_NOT_LANES = (
    (r"h\.(splat|s|v)\(|self\.splat\(|self\._h\.v\(|scale_lanes\(", "width of an element"),
    (r"check_alignment\(", "width of an address"),
    (r"(width|bits|w, to\)) == \(?64|64: \"double\"|64 // bits", "width of an element"),
    (r"fconvert|_fcmp|self\.(and_|sub|const)\(|\.to\(64\)", "width of a value"),
    (r"of 64 bits|64 bits of them", "width of an element"),
    (r"bits >> 63 << 64", "a set of lanes as a signed number"),
    (r"^LANE_SET = 64", "width of a set of lanes, whatever the wave"),
    (r"in units of 64 dwords", "granule of the LDS_ALLOC register"),
    (r"field\(L\.TIME\)", "step of the clock"),
    (r"value & 63", "a six-bit element"),
)


def test_no_helper_takes_a_wave_for_64_lanes() -> None:
    number = re.compile(r"(?<![\w.])6[34](?![\w-])")
    files = [
        *_SOURCE.glob("helpers/**/*.py"),
        *(_SOURCE / "native" / f"{n}.py" for n in ("helper", "ir", "variant", "loops")),
        _SOURCE / "native" / "llvm_algebra.py",
    ]
    assert len(files) > 20
    found = [
        f"{path.relative_to(_SOURCE)}:{at}: {line.strip()}"
        for path in files
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if number.search(line) and not any(re.search(p, line) for p, _ in _NOT_LANES)
    ]
    assert not found, "\n".join(found)
