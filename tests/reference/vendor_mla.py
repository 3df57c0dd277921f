"""Launch of the vendor's latent attention (MLA) decode, first stage. See `vendor` for conventions.

The metadata's argument names are those of paged attention and wrong; the launcher's are used.
"""

from __future__ import annotations

import math

import numpy as np

from reference.launch import Arg, Launch
from reference.vendor import BF16, symbol

HEADS, HEAD, VALUE = 16, 576, 512
BLOCK = 64  # keys a split has at least


def decode_stage1(lengths: tuple[int, ...], splits: int, seed: int) -> Launch:
    """One query token of 16 heads a sequence; keys [576] hold the values in their first 512.

    Pages of one token. Every split of a sequence's keys gives a normalized output and a
    log-sum-exp (fp32); splits without keys are not written. How the keys are divided is the
    kernel's own affair: the check combines the splits as the second stage does.
    """
    rng = np.random.default_rng(seed)
    sequences, tokens = len(lengths), sum(lengths)
    q = rng.normal(size=(sequences, HEADS, HEAD)).astype(BF16)
    kv = rng.normal(size=(tokens, 1, 1, HEAD)).astype(BF16)
    pages = rng.permutation(tokens).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    expected = np.zeros((sequences, HEADS, VALUE))
    log_sums = np.zeros((sequences, HEADS))
    for s in range(sequences):
        keys = np.float64(kv[pages[starts[s] : starts[s + 1]], 0, 0])
        score = np.float64(q[s]) @ keys.T / math.sqrt(HEAD)
        top = score.max(axis=1, keepdims=True)
        p = np.exp(score - top)
        total = p.sum(axis=1, keepdims=True)
        expected[s] = p / total @ keys[:, :VALUE]
        log_sums[s] = (np.log(total) + top)[:, 0]

    def combined(found: dict[str, np.ndarray]) -> None:
        for s, length in enumerate(lengths):
            used = min(splits, -(-length // BLOCK))
            sums = np.float64(found["LSE"][s, :used, :, 0])
            weight = np.exp(sums - log_sums[s])
            assert np.abs(weight.sum(axis=0) - 1).max() < 1e-4, f"sequence {s}: log-sum-exp"
            out = (weight[..., None] * np.float64(found["O"][s, :used])).sum(axis=0)
            delta = np.abs(out - expected[s]).max()
            assert delta < 8e-3, f"sequence {s}: |delta| {delta:g}"
            assert not found["O"][s, used:].any(), f"sequence {s}: a split without keys is written"

    return Launch(
        kernel=symbol("mla_dec_stage1_bf16_a16w16_subQ16_mqa16"),
        grid=(1, sequences, splits),
        block=(256, 1, 1),
        args=(
            Arg(0, "O", np.zeros((sequences, splits, HEADS, VALUE), np.float32), "out"),
            Arg(16, "LSE", np.zeros((sequences, splits, HEADS, 1), np.float32), "out"),
            Arg(32, "Q", q),
            Arg(48, "KV", kv),
            Arg(64, "kv_indptr", starts),
            Arg(80, "kv_page_indices", pages),
            Arg(96, "kv_last_page_lens", np.ones(sequences, np.int32)),  # tokens in the last page
            Arg(112, "scalar", 1 / math.sqrt(HEAD)),
            Arg(128, "mqa", HEADS),
            Arg(144, "kv_split", splits),
            Arg(160, "Q_Bs", HEADS * HEAD * 2),
            Arg(176, "Bs", HEAD * 2),
            Arg(192, "log2_plen", 0),  # log2 of the page size
        ),
        expected={},
        also=combined,
        label=f"mla {list(lengths)} splits {splits}",
    )
