"""Launches of hand-written vendor kernels and what they must compute: top-k, GEMM, layer norm.

Arguments lie in 16-byte slots of the kernarg segment (value first, the rest padding). Roles,
layouts and formulas come from the launchers in the same wheel and from runs of the binaries with
random data; the binaries themselves are never part of this repository.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from reference.launch import Arg, Expected, Launch

BF16 = np.dtype(ml_dtypes.bfloat16)


def fp8_of(arch: str) -> np.dtype:
    """The e4m3 format that the architecture's matrix instructions read."""
    return np.dtype(ml_dtypes.float8_e4m3fn if arch == "gfx950" else ml_dtypes.float8_e4m3fnuz)


def preshuffle(w: np.ndarray, rows: int = 16) -> np.ndarray:
    """Weight layout (rows,16): `[n, k]` -> `[n/rows][k/p][rows][p]`, p elements being 16 bytes."""
    n, k = w.shape
    p = 16 // w.dtype.itemsize
    return np.ascontiguousarray(w.reshape(n // rows, rows, k // p, p).transpose(0, 2, 1, 3))


def symbol(name: str) -> str:
    """`aiter::name` as the Itanium ABI mangles a variable."""
    return f"_ZN5aiter{len(name)}{name}E"


def topksoftmax(
    tokens: int, experts: int, topk: int, rows: int, renormalize: int, seed: int
) -> Launch:
    """Indices and softmax weights of the `topk` largest logits of each token, descending.

    rows: tokens a workgroup serves, the first number of the file name (4 or 12).
    """
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(tokens, experts)).astype(np.float32)
    p = np.exp(np.float64(logits))
    p /= p.sum(axis=1, keepdims=True)
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :topk].astype(np.int32)
    weights = np.take_along_axis(p, chosen, axis=1)
    if renormalize:
        weights /= weights.sum(axis=1, keepdims=True)
    return Launch(
        kernel=symbol(f"topksoftmax_{rows}x{experts}x{topk}"),
        grid=(-(-tokens // rows), 1, 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "T", np.zeros_like(chosen), "out"),
            Arg(16, "W", np.zeros(weights.shape, np.float32), "out"),
            Arg(32, "A", logits),
            Arg(48, "batch", tokens),
            Arg(64, "expert", experts),
            Arg(80, "topk", topk),
            Arg(96, "renormalize", renormalize),
            Arg(112, "out_stride", 4 * topk),
        ),
        expected={"T": Expected(chosen, "exact"), "W": Expected(weights, atol=1e-6)},
        label=f"topksoftmax {tokens}x{experts}x{topk}",
    )


def bf16gemm(m: int, n: int, k: int, tile_m: int, seed: int) -> Launch:
    """D[M,N] (fp32) = A[M,K] B[N,K]^T with bf16 inputs; N % 64 == 0, K % 64 == 0, any M."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(m, k)).astype(BF16)
    b = rng.normal(size=(n, k)).astype(BF16)
    return Launch(
        kernel=symbol(f"bf16gemm_outf32_tn_{tile_m}x64_pf3"),
        grid=(n // 64, -(-m // tile_m), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "D", np.zeros((m, n), np.float32), "out"),
            Arg(16, "C", None),
            Arg(32, "A", a),
            Arg(48, "B", b),
            Arg(64, "alpha", 1.0),
            Arg(80, "beta", 0.0),
            Arg(96, "strideD0", 0),
            Arg(112, "strideD1", 0),
            Arg(128, "strideC0", 4 * n),
            Arg(144, "strideC1", 0),
            Arg(160, "strideA0", 2 * k),
            Arg(176, "strideA1", 0),
            Arg(192, "strideB0", 2 * k),
            Arg(208, "strideB1", 0),
            Arg(224, "Mdim", m),
            Arg(240, "Ndim", n),
            Arg(256, "Kdim", k),
            Arg(272, "splitk", 1),
        ),
        expected={"D": Expected(np.float64(a) @ np.float64(b).T, rtol=1e-5)},
        label=f"bf16gemm {m}x{n}x{k}",
    )


def i8gemm(m: int, n: int, k: int, tile_m: int, seed: int) -> Launch:
    """C[M,N] (bf16) = (A[M,K] B[N,K]^T) * SA[m] * SB[n] + bias[n], int8, B in layout (32,16).

    N % 128 == 0, K % 128 == 0, any M. KS is the number of K splits, 1 here.
    """
    rng = np.random.default_rng(seed)
    a = rng.integers(-127, 128, size=(m, k)).astype(np.int8)
    b = rng.integers(-127, 128, size=(n, k)).astype(np.int8)
    sa = (rng.uniform(0.5, 1.5, size=m) / 4096).astype(np.float32)
    sb = rng.uniform(0.5, 1.5, size=n).astype(np.float32)
    bias = rng.normal(size=n).astype(np.float32)
    out = (np.float64(a) @ np.float64(b).T) * np.float64(sa)[:, None] * sb + bias
    return Launch(
        kernel=symbol(f"I8gemm_bf16_perTokenI8_BpreShuffle_{tile_m}x128"),
        grid=(n // 128, -(-m // tile_m), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "C", np.zeros((m, n), BF16), "out"),
            Arg(16, "A", a),
            Arg(32, "B", preshuffle(b, 32)),
            Arg(48, "SA", sa),
            Arg(64, "SB", sb),
            Arg(80, "BIAS", bias),
            Arg(96, "M", m),
            Arg(112, "N", n),
            Arg(128, "K", k),
            Arg(144, "PA", k),
            Arg(160, "PB", k),
            Arg(176, "PC", 2 * n),
            Arg(192, "KS", 1),
        ),
        expected={"C": Expected(out, rtol=5e-3)},
        label=f"i8gemm {m}x{n}x{k}",
    )


def flatmm(m: int, n: int, k: int, seed: int) -> Launch:
    """D[M,N] (fp16) = sum over 128-wide k blocks of (A B^T) * sa[kb, m] * sb[kb, n/128], fp8.

    Arguments are packed here, B is in layout (16,16). N % 256 == 0, K % 128 == 0. The kernel
    prefetches a k block past the end of A and reads whole tiles of sa: both get spare rows.
    """
    rng = np.random.default_rng(seed)
    fp8 = fp8_of("gfx942")
    spare_a = rng.normal(size=(m + 2, k)).astype(fp8)
    spare_sa = rng.uniform(0.5, 1.5, size=(k // 128 + 2, m)).astype(np.float32)
    a, sa = spare_a[:m], spare_sa[: k // 128]
    b = rng.normal(size=(n, k)).astype(fp8)
    sb = rng.uniform(0.5, 1.5, size=(k // 128, n // 128)).astype(np.float32)
    left = np.float64(a) * np.repeat(sa, 128, axis=0).T
    right = np.float64(b) * np.repeat(np.repeat(sb, 128, axis=0), 128, axis=1).T
    name = "flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32"
    unused = ("dbg_int_ptr", "dbg_fp8_ptr", "dbg_f16_ptr", "dbg_fp32_ptr")
    sizes = ("hidden_size", "intermediate_size", "num_tokens")
    return Launch(
        kernel=name,
        grid=(n // 256, -(-m // 128), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "a_ptr", spare_a),
            Arg(8, "b_ptr", preshuffle(b)),
            Arg(16, "c_ptr", None),
            Arg(24, "sa_ptr", spare_sa),
            Arg(32, "sb_ptr", sb),
            Arg(40, "d_ptr", None),
            Arg(48, "d_f16_ptr", np.zeros((m, n), np.float16), "out"),
            *(Arg(56 + 8 * i, text, None) for i, text in enumerate(unused)),
            *(Arg(88 + 4 * i, t, v) for i, (t, v) in enumerate(zip(sizes, (k, n, m), strict=True))),
            Arg(100, "num_experts", 0),
            Arg(104, "topk", 0),
            Arg(108, "stride_token", 0),
        ),
        expected={"d_f16_ptr": Expected(left @ right.T, rtol=2e-3)},
        label=f"flatmm {m}x{n}x{k}",
    )


def layer_norm(m: int, seed: int) -> Launch:
    """OutResidual = In + InResidual; Out = layer norm of it over N = 8192 (bf16); M even."""
    n, epsilon = 8192, 1e-5
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, n)).astype(BF16)
    residual = rng.normal(size=(m, n)).astype(BF16)
    weight = rng.normal(1, 0.1, size=n).astype(BF16)
    bias = rng.normal(0, 0.1, size=n).astype(BF16)
    total = np.float64(x) + np.float64(residual)
    mean = total.mean(axis=1, keepdims=True)
    deviation = np.sqrt(total.var(axis=1, keepdims=True) + epsilon)
    out = (total - mean) / deviation * np.float64(weight) + np.float64(bias)
    return Launch(
        kernel="layer_norm_kernel_func",
        grid=(m // 2, 1, 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "OutBuffer", np.zeros((m, n), BF16), "out"),
            Arg(16, "InBuffer", x),
            Arg(32, "WeightBuffer", weight),
            Arg(48, "BiasBuffer", bias),
            Arg(64, "epsilon", epsilon),
            Arg(80, "M", m),
            Arg(96, "N", n),
            Arg(112, "OutResidualBuffer", np.zeros((m, n), BF16), "out"),
            Arg(128, "InResidualBuffer", residual),
            Arg(144, "OutYScaleBuffer", None),
            Arg(160, "XScaleBuffer", None),
        ),
        expected={
            "OutBuffer": Expected(out, rtol=2e-2),  # several truncations to bf16 on the way
            "OutResidualBuffer": Expected(total, rtol=1e-2),
        },
        label=f"layer_norm {m}x{n}",
    )
