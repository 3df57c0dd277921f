"""Launches of the vendor's gfx950 GEMMs on f8f6f4 instructions: fp4 with scales, and fp8.

See `vendor` for the conventions. An fp4 element is a 4-bit float (e2m1: 0 .5 1 1.5 2 3 4 6),
two to a byte, low half first; every 32 of them along K share a power of two (E8M0).
"""

from __future__ import annotations

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.vendor import BF16, fp8_of, preshuffle, symbol
from reference.vendor_moe import SPARE, route

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


def quantize(x: np.ndarray) -> np.ndarray:
    """Rows rounded to fp4 with a shared power of two per 32 elements, as values.

    The largest magnitude of a block, rounded to the nearest power of two, is scaled to 4.
    """
    blocks = x.astype(np.float32).reshape(*x.shape[:-1], -1, _BLOCK)
    top = np.abs(blocks).max(axis=-1, keepdims=True)
    rounded = ((top.view(np.uint32) + np.uint32(0x400000)) & np.uint32(0xFF800000)).view(np.float32)
    scale = np.where(rounded > 0, rounded / 4, np.float32(1))
    magnitude = np.float64(np.abs(blocks) / scale)
    edges = (_VALUES[1:] + _VALUES[:-1]) / 2
    low = np.searchsorted(edges, magnitude, side="left")
    high = np.searchsorted(edges, magnitude, side="right")
    code = np.where((low != high) & (low % 2 == 1), high, low)  # ties to the even code
    return (np.sign(blocks) * _VALUES[code] * scale).reshape(x.shape)


def fused_fp4(
    name: str, tokens: int, experts: int, topk: int, dim: int, inter: int, sub: int, seed: int
) -> Launch:
    """O[t] += sum over experts of weight * w2[e] q(silu(g) * u), (g, u) = w1[e] x[t]; all fp4.

    `sub` columns of the hidden layer belong to a workgroup, which quantizes them too.
    dim % 512 == 0 (seen in runs), inter % sub == 0; output is added by bf16 atomics.
    """
    rng = np.random.default_rng(seed)
    plan = route(rng, tokens, experts, topk, 32)

    def random(*shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        codes = rng.integers(0, 16, shape).astype(np.uint8)
        scales = rng.integers(121, 124, (*shape[:-1], shape[-1] // _BLOCK)).astype(np.uint8)
        power = np.repeat(2.0 ** (np.float64(scales) - 127), _BLOCK, axis=-1)
        return codes, scales, fp4(codes) * power

    x_codes, x_scales, x = random(tokens, dim)
    w1_codes, w1_scales, w1 = random(experts, 2 * inter, dim)
    w2_codes, w2_scales, w2 = random(experts, dim, inter)
    out = np.zeros((tokens, dim))
    for t in range(tokens):
        for s in range(topk):
            e = plan.choice[t, s]
            y = w1[e] @ x[t]
            gate, up = y[:inter], y[inter:]
            hidden = quantize(gate / (1.0 + np.exp(-gate)) * up)
            out[t] += float(plan.weights[t, s]) * (w2[e] @ hidden)
    rows = np.minimum(plan.ids & 0xFFFFFF, tokens - 1)  # padding may hold anything
    sorted_scales = x_scales[rows]

    def slabs(codes: np.ndarray) -> np.ndarray:
        return np.stack([preshuffle(pack(c)) for c in codes])

    def tiles(scales: np.ndarray) -> np.ndarray:
        return scale_tiles(scales.reshape(-1, scales.shape[-1]))

    spare = np.zeros((SPARE, dim // 2), np.uint8)
    numbers = {
        "dim": dim,
        "hdim": inter,
        "batch": tokens,
        "eprt": experts,
        "Xs": dim // 2,
        "GUs": dim // 2,
        "Ds": inter // 2,
        "Os": 2 * dim,
        "eGUs": dim * inter,
        "eDs": dim * inter // 2,
        "eGUQs": 2 * inter * dim // _BLOCK,
        "eDQs": dim * inter // _BLOCK,
        "eSMQs": 4 * inter,
        "topk": topk,
        "total_tgs": 0,
        "ps_deno": inter // sub,
    }
    return Launch(
        kernel=symbol(name),
        grid=(inter // sub, len(plan.experts), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "O", np.zeros((tokens, dim), BF16), "inout"),
            Arg(16, "X", np.concatenate([pack(x_codes), spare])),
            Arg(32, "G", slabs(w1_codes)),
            Arg(48, "XC", np.array([len(plan.ids), tokens], np.int32)),
            Arg(64, "D", slabs(w2_codes)),
            Arg(80, "XQ", scale_tiles(sorted_scales)),
            Arg(96, "GQ", tiles(w1_scales)),
            Arg(112, "DQ", tiles(w2_scales)),
            Arg(128, "SMQ", None),
            Arg(144, "STP", plan.ids),
            Arg(160, "SW", plan.sorted_weights),
            Arg(176, "SEP", plan.experts),
            *(Arg(192 + 16 * i, key, value) for i, (key, value) in enumerate(numbers.items())),
        ),
        expected={"O": Expected(out, rtol=2e-2)},
        label=f"{name} t{tokens} e{experts}",
    )
