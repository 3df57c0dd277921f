"""Launches of the vendor's gfx950 GEMMs on f8f6f4 instructions: fp4 with scales, and fp8.

See `vendor` for the conventions. An fp4 element is a 4-bit float (e2m1: 0 .5 1 1.5 2 3 4 6),
two to a byte, low half first; every 32 of them along K share a power of two (E8M0).
"""

from __future__ import annotations

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.vendor import BF16, fp8_of, preshuffle, symbol

_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
_BLOCK = 32  # elements along K that share a scale


def fp4(codes: np.ndarray) -> np.ndarray:
    """Values of unpacked 4-bit codes."""
    return np.where(codes & 8, -1.0, 1.0) * _VALUES[codes & 7]


def pack(codes: np.ndarray) -> np.ndarray:
    """Codes `[rows, k]` as bytes `[rows, k / 2]`, the even element in the low half."""
    return (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)


def scale_tiles(scales: np.ndarray) -> np.ndarray:
    """E8M0 codes `[rows, k / 32]` in the kernel's order, padded to 256 rows and 8 columns.

    A tile is 32 rows by 8 columns: `[column % 4][row % 16][column / 4][row / 16]`, so that a lane's
    dword holds the four scales it needs for two rows and two blocks.
    """
    rows, columns = (-(-n // p) * p for n, p in zip(scales.shape, (256, 8), strict=True))
    padded = np.full((rows, columns), 127, np.uint8)
    padded[: scales.shape[0], : scales.shape[1]] = scales
    tiles = padded.reshape(rows // 32, 2, 16, columns // 8, 2, 4).transpose(0, 3, 5, 2, 4, 1)
    return np.ascontiguousarray(tiles).reshape(rows, columns)


def f4gemm(m: int, n: int, k: int, tile_m: int, tile_n: int, seed: int) -> Launch:
    """D[M,N] (bf16) = (A * 2^sa)[M,K] (B * 2^sb)[N,K]^T, B in layout (16,16) of bytes.

    Any M (D is padded to 32 rows), N % tile_n == 0, K % 256 == 0. Strides count elements.
    """
    rng = np.random.default_rng(seed)
    rows = -(-m // 32) * 32
    a_codes = rng.integers(0, 16, (m, k)).astype(np.uint8)
    b_codes = rng.integers(0, 16, (n, k)).astype(np.uint8)
    a_scales = rng.integers(120, 131, (m, k // _BLOCK)).astype(np.uint8)
    b_scales = rng.integers(120, 131, (n, k // _BLOCK)).astype(np.uint8)

    def values(codes: np.ndarray, scales: np.ndarray) -> np.ndarray:
        return fp4(codes) * np.repeat(2.0 ** (np.float64(scales) - 127), _BLOCK, axis=1)

    expected = values(a_codes, a_scales) @ values(b_codes, b_scales).T
    a_tiles, b_tiles = scale_tiles(a_scales), scale_tiles(b_scales)
    out = np.zeros((rows, n), BF16)
    whole = np.zeros((rows, n))
    whole[:m] = expected
    return Launch(
        kernel=symbol(f"f4gemm_bf16_per1x32Fp4_BpreShuffle_{tile_m}x{tile_n}"),
        grid=(n // tile_n, -(-m // tile_m), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "D", out, "out"),
            Arg(16, "C", None),
            Arg(32, "A", pack(a_codes)),
            Arg(48, "B", preshuffle(pack(b_codes))),
            Arg(64, "alpha", 1.0),
            Arg(80, "beta", 0.0),
            Arg(96, "stride_D0", 0),
            Arg(112, "stride_D1", 0),
            Arg(128, "stride_C0", n),
            Arg(144, "stride_C1", 0),
            Arg(160, "stride_A0", k),
            Arg(176, "stride_A1", 0),
            Arg(192, "stride_B0", k),
            Arg(208, "stride_B1", 0),
            Arg(224, "M", m),
            Arg(240, "N", n),
            Arg(256, "K", k),
            Arg(272, "ScaleA", a_tiles),
            Arg(288, "ScaleB", b_tiles),
            Arg(304, "stride_ScaleA0", a_tiles.shape[1]),
            Arg(320, "stride_ScaleA1", 0),
            Arg(336, "stride_ScaleB0", b_tiles.shape[1]),
            Arg(352, "stride_ScaleB1", 0),
            Arg(368, "log2_k_split", 0),
        ),
        expected={"D": Expected(whole.astype(BF16), "exact")},
        label=f"f4gemm {m}x{n}x{k}",
    )


def block_scale(m: int, n: int, k: int, tile_m: int, seed: int) -> Launch:
    """C[M,N] (bf16) = sum over 128-wide k blocks of (X W^T) * sx[kb, m] * sw[n/128, kb], fp8 e4m3.

    It runs on unscaled f8f6f4 instructions. W is in layout (16,16); N % 256 == 0 (with 128 columns
    left over it reads past W and sw), K % 128 == 0, K >= 512. An LDS tile is overwritten without a
    barrier, so waves have to run abreast. X and sx get spare rows for prefetches.
    """
    rng = np.random.default_rng(seed)
    e4m3 = fp8_of("gfx950")
    spare_x = rng.normal(size=(m + 2, k)).astype(e4m3)
    spare_sx = rng.uniform(0.5, 1.5, size=(k // 128 + 2, m)).astype(np.float32)
    w = rng.normal(size=(n, k)).astype(e4m3)
    sw = rng.uniform(0.5, 1.5, size=(n // 128, k // 128)).astype(np.float32)
    left = np.float64(spare_x[:m]) * np.repeat(spare_sx[: k // 128], 128, axis=0).T
    right = np.float64(w) * np.repeat(np.repeat(sw, 128, axis=0), 128, axis=1)
    pointers = ("C", "X", "W", "Xc", "XQ", "WQ", "SMQ", "STP", "SEP")
    buffers = {
        "C": np.zeros((m, n), BF16),
        "X": spare_x,
        "W": preshuffle(w),
        "XQ": spare_sx,
        "WQ": sw,
    }
    numbers = {"K": k, "N": n, "M": m, "experts": 1, "Xs": k, "Ws": k, "Cs": 2 * n}
    rest = ("s0", "s1", "s2", "s3", "splitk", "activation")
    values = [*numbers.items(), *((name, 0) for name in rest)]
    return Launch(
        kernel=f"f8_block_scale_mi350_x{tile_m}",
        grid=(-(-n // 256), -(-m // tile_m), 1),
        block=(256, 1, 1),
        args=(
            *(
                Arg(16 * i, name, buffers.get(name), "out" if name == "C" else "in")
                for i, name in enumerate(pointers)
            ),
            *(Arg(144 + 16 * i, name, value) for i, (name, value) in enumerate(values)),
            Arg(352, "t3", None),
        ),
        expected={"C": Expected(left @ right.T, rtol=5e-3)},
        schedule="interleave:16",
        label=f"f8_block_scale {m}x{n}x{k}",
    )
