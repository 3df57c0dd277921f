"""Launch of the vendor's fp8 latent attention decode for gfx950: four query tokens a sequence.

See `vendor` for conventions. Scores run on 16x16x128 and the values on 32x32x64 f8f6f4
instructions. Both operands of each come through the same permutation of k, so that the kernel
does not tell how eight-bit elements are spread over the lanes.
"""

from __future__ import annotations

import math

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.vendor import BF16, fp8_of, symbol

HEADS, HEAD, VALUE, QUERIES = 16, 576, 512, 4
Q_SCALE, KV_SCALE = 0.75, 1.25


def decode_fp8(lengths: tuple[int, ...], seed: int) -> Launch:
    """O[t, h] (bf16) = softmax(q k / sqrt(576)) v, causal over the last four tokens.

    Keys hold the values in their first 512 elements; pages of one token; one split of the keys,
    so that the first stage writes the final result. The kernel rounds the probabilities to fp8.
    Waves hand LDS tiles to each other without a barrier: they have to run abreast, instruction
    by instruction.
    """
    rng = np.random.default_rng(seed)
    fp8 = fp8_of("gfx950")
    sequences, tokens = len(lengths), sum(lengths)
    q = rng.normal(size=(sequences * QUERIES, HEADS, HEAD)).astype(fp8)
    kv = rng.normal(size=(tokens, 1, 1, HEAD)).astype(fp8)
    pages = rng.permutation(tokens).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    expected = np.zeros((sequences * QUERIES, 1, HEADS, VALUE))
    log_sums = np.zeros((sequences * QUERIES, 1, HEADS, 1), np.float32)  # not written here
    for s, length in enumerate(lengths):
        keys = np.float64(kv[pages[starts[s] : starts[s + 1]], 0, 0]) * KV_SCALE
        for t in range(QUERIES):
            seen = keys[: length - (QUERIES - 1 - t)]
            row = s * QUERIES + t
            score = np.float64(q[row]) * Q_SCALE @ seen.T / math.sqrt(HEAD)
            p = np.exp(score - score.max(axis=1, keepdims=True))
            expected[row, 0] = p / p.sum(axis=1, keepdims=True) @ seen[:, :VALUE]
    steps = np.arange(sequences + 1, dtype=np.int32)
    return Launch(
        kernel=symbol("mla_a8w8_qh16_qseqlen4_gqaratio16"),
        grid=(1, sequences, 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "O", np.zeros(expected.shape, BF16), "out"),
            Arg(16, "LSE", log_sums, "out"),
            Arg(32, "Q", q),
            Arg(48, "KV", kv),
            Arg(64, "kv_indptr", starts),
            Arg(80, "kv_page_indices", pages),
            Arg(96, "kv_last_page_lens", np.ones(sequences, np.int32)),
            Arg(112, "scalar", 1 / math.sqrt(HEAD)),
            Arg(128, "mqa", HEADS * QUERIES),
            Arg(144, "kv_split", 1),
            Arg(160, "Q_Bs", HEADS * HEAD * QUERIES),
            Arg(176, "Bs", HEAD),
            Arg(192, "log2_plen", 0),
            Arg(208, "qo_indptr", QUERIES * steps),
            Arg(224, "num_kv_splits_indptr", steps),
            Arg(240, "final", np.zeros((sequences * QUERIES, HEADS, VALUE), BF16), "out"),
            Arg(256, "q_scale", np.array([Q_SCALE], np.float32)),
            Arg(272, "kv_scale", np.array([KV_SCALE], np.float32)),
            Arg(288, "out_16_nosplit", 1),
        ),
        expected={"O": Expected(expected, atol=5e-2), "LSE": Expected(log_sums, "exact")},
        schedule="interleave:1",
        label=f"mla fp8 {list(lengths)}",
    )
