"""Launches of the vendor's attention kernels: paged decode and flash attention forward.

Head size is 128 everywhere. See `vendor` for the conventions.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.vendor import BF16, symbol

HEAD = 128
PAGE = 16


def paged_decode(
    kernel: str,
    contexts: tuple[int, ...],
    kv_heads: int,
    gqa: int,
    seed: int,
    dtype: np.dtype = BF16,
    cache: np.dtype | None = None,
    pass_gqa: bool = True,
    atol: float = 8e-3,
) -> Launch:
    """One query token a sequence against a paged cache with 16 tokens a page.

    Caches, with p elements being 16 bytes: K `[page, kv head, 128/p, 16, p]`,
    V `[page, kv head, 16/p, 128, p]`. An 8-bit cache has a scale per token and head,
    `[page, kv head, 16]` for each of K and V. The older files have no GQA argument (it is 8
    there) and no offset of the kv head: they serve one.
    """
    rng = np.random.default_rng(seed)
    cache = cache or dtype
    p = 16 // cache.itemsize
    sequences, heads = len(contexts), kv_heads * gqa
    pages_of = [-(-c // PAGE) for c in contexts]
    stride = max(pages_of)
    table = np.zeros((sequences, stride), np.int32)
    order = rng.permutation(sum(pages_of)).astype(np.int32)
    position = 0
    for s, count in enumerate(pages_of):
        table[s, :count] = order[position : position + count]
        position += count
    q = rng.normal(size=(sequences, heads, HEAD)).astype(dtype)
    shape = (len(order), kv_heads, PAGE, HEAD)
    if cache.kind == "i":
        k, v = (rng.integers(-127, 128, size=shape).astype(cache) for _ in range(2))
        unit = 1 / 64
    else:
        k, v = (rng.normal(size=shape).astype(cache) for _ in range(2))
        unit = 1.0
    k_values, v_values = np.float64(k), np.float64(v)
    scales: list[np.ndarray | None] = [None, None]
    if cache.itemsize == 1:
        k_scale, v_scale = (
            (rng.uniform(0.5, 1.5, size=shape[:3]) * unit).astype(np.float32) for _ in range(2)
        )
        scales = [k_scale, v_scale]
        k_values *= k_scale[..., None]
        v_values *= v_scale[..., None]
    k_cache = k.reshape(-1, kv_heads, PAGE, HEAD // p, p).transpose(0, 1, 3, 2, 4)
    v_cache = v.reshape(-1, kv_heads, PAGE // p, p, HEAD).transpose(0, 1, 2, 4, 3)

    out = np.zeros((sequences, heads, HEAD))
    for s, context in enumerate(contexts):
        pages = table[s, : pages_of[s]]
        for h in range(heads):
            keys = k_values[pages, h // gqa].reshape(-1, HEAD)[:context]
            values = v_values[pages, h // gqa].reshape(-1, HEAD)[:context]
            score = keys @ np.float64(q[s, h]) / math.sqrt(HEAD)
            weight = np.exp(score - score.max())
            out[s, h] = weight @ values / weight.sum()
    args = [
        Arg(0, "O", np.zeros((sequences, heads, HEAD), dtype), "out"),
        Arg(16, "Q", q),
        Arg(32, "K", k_cache),
        Arg(48, "V", v_cache),
        Arg(64, "BT", table),
        Arg(80, "CL", np.array(contexts, np.int32)),
        Arg(96, "KQ", scales[0]),
        Arg(112, "VQ", scales[1]),
        Arg(128, "sclg", math.log2(math.e) / math.sqrt(HEAD)),
        Arg(144, "mblk", stride),
        Arg(160, "batch", kv_heads),
        Arg(176, "Qs", heads * HEAD * 2),
        Arg(192, "Bs", kv_heads * PAGE * HEAD * cache.itemsize),
        Arg(208, "KVs", PAGE * HEAD * cache.itemsize),
    ]
    if pass_gqa:
        args.append(Arg(224, "GQA", gqa))
    if pass_gqa and cache.itemsize == 2:
        args.append(Arg(240, "QTP", None))
    return Launch(
        kernel=kernel,
        grid=(kv_heads, sequences, 1),
        block=(256, 1, 1),
        args=tuple(args),
        expected={"O": Expected(out, atol=atol)},
        label=f"pa {list(contexts)} kv{kv_heads} gqa{gqa}",
    )


def flash_forward(
    name: str,
    batch: int,
    heads: int,
    kv_heads: int,
    sq: int,
    sk: int,
    seed: int,
    causal: bool = False,
    lse: bool = True,
    atol: float = 6e-3,
) -> Launch:
    """O = softmax(Q K^T / sqrt(128)) V in bf16 with fp32 log-sum-exp, layout [b, s, h, 128].

    Causal means aligned at the bottom right: query i sees keys j <= i + sk - sq.
    """
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(batch, sq, heads, HEAD)).astype(BF16)
    k = rng.normal(size=(batch, sk, kv_heads, HEAD)).astype(BF16)
    v = rng.normal(size=(batch, sk, kv_heads, HEAD)).astype(BF16)
    group = heads // kv_heads
    out = np.zeros((batch, sq, heads, HEAD))
    sums = np.zeros((batch, heads, sq))
    hidden = np.arange(sk)[None, :] > np.arange(sq)[:, None] + sk - sq
    for b in range(batch):
        for h in range(heads):
            score = np.float64(q[b, :, h]) @ np.float64(k[b, :, h // group]).T / math.sqrt(HEAD)
            if causal:
                score[hidden] = -np.inf
            top = score.max(axis=1, keepdims=True)
            p = np.exp(score - top)
            total = p.sum(axis=1, keepdims=True)
            out[b, :, h] = p / total @ np.float64(v[b, :, h // group])
            sums[b, h] = (np.log(total) + top)[:, 0]
    tiles = -(-sq // 256)
    row_q, row_k = heads * HEAD * 2, kv_heads * HEAD * 2
    expected = {"R": Expected(out, atol=atol, rtol=2**-9)}  # and the rounding of the output
    if lse:
        expected["LSE"] = Expected(sums, atol=1e-5)
    lse_buffer = Arg(64, "LSE", np.zeros((batch, heads, sq), np.float32), "out")
    return Launch(
        kernel=symbol(f"fmha_{name}"),
        grid=(-(-tiles // 2) if causal else tiles, heads, batch),
        block=(512, 1, 1),
        args=(
            Arg(0, "R", np.zeros((batch, sq, heads, HEAD), BF16), "out"),
            Arg(16, "Q", q),
            Arg(32, "K", k),
            Arg(48, "V", v),
            lse_buffer if lse else Arg(64, "LSE", None),
            Arg(80, "scalar", 1 / math.sqrt(HEAD)),
            Arg(96, "seq_len", sq),
            Arg(112, "Seqs", row_q),
            Arg(128, "Ts", 256 * row_q),
            Arg(144, "Hs", HEAD * 2),
            Arg(160, "Bs", sq * row_q),
            Arg(176, "gqa", group),
            Arg(192, "k_Seqs", row_k),
            Arg(208, "k_Hs", HEAD * 2),
            Arg(224, "k_Bs", sk * row_k),
            Arg(240, "msk_opt", 3 if causal and heads % 8 else 5),
            Arg(256, "lse", int(lse)),
            Arg(272, "kv_seq_len", sk),
            Arg(288, "qk_head_dim", HEAD),
            Arg(304, "v_head_dim", HEAD),
            Arg(320, "q_head_num", heads),
            Arg(336, "v_Seqs", row_k),
            Arg(352, "v_Hs", HEAD * 2),
            Arg(368, "v_Bs", sk * row_k),
            Arg(384, "r_Seqs", row_q),
            Arg(400, "r_Hs", HEAD * 2),
            Arg(416, "r_Bs", sq * row_q),
            Arg(432, "ptr_qseq", None),
            Arg(448, "ptr_kseq", None),
            Arg(464, "lse_Hs", 4 * sq),
            Arg(480, "ptr_qseq_padding", None),
            Arg(496, "ptr_kseq_padding", None),
        ),
        expected=expected,
        label=f"fmha {name} b{batch} h{heads}/{kv_heads} sq{sq} sk{sk}",
    )


def flash_group(
    name: str,
    queries: tuple[int, ...],
    keys: tuple[int, ...],
    heads: int,
    kv_heads: int,
    seed: int,
    causal: bool = False,
) -> Launch:
    """Flash attention on sequences of different lengths, packed along the token axis.

    Q and O are [tokens, heads, 128], LSE is [heads, tokens]; the cumulative lengths replace the
    batch strides. Grid: heads, sequences, query tiles.
    """
    rng = np.random.default_rng(seed)
    starts_q = np.concatenate([[0], np.cumsum(queries)]).astype(np.int32)
    starts_k = np.concatenate([[0], np.cumsum(keys)]).astype(np.int32)
    total_q, total_k = int(starts_q[-1]), int(starts_k[-1])
    q = rng.normal(size=(total_q, heads, HEAD)).astype(BF16)
    k = rng.normal(size=(total_k, kv_heads, HEAD)).astype(BF16)
    v = rng.normal(size=(total_k, kv_heads, HEAD)).astype(BF16)
    out, sums = np.zeros((total_q, heads, HEAD)), np.zeros((heads, total_q))
    for b, (sq, sk) in enumerate(zip(queries, keys, strict=True)):
        rows, columns = slice(starts_q[b], starts_q[b + 1]), slice(starts_k[b], starts_k[b + 1])
        hidden = np.arange(sk)[None, :] > np.arange(sq)[:, None] + sk - sq
        for h in range(heads):
            kv = h * kv_heads // heads
            score = np.float64(q[rows, h]) @ np.float64(k[columns, kv]).T / math.sqrt(HEAD)
            if causal:
                score[hidden] = -np.inf
            top = score.max(axis=1, keepdims=True)
            p = np.exp(score - top)
            total = p.sum(axis=1, keepdims=True)
            out[rows, h] = p / total @ np.float64(v[columns, kv])
            sums[h, rows] = (np.log(total) + top)[:, 0]
    # Everything but the batch axis is as in the launch of one batch with the largest lengths.
    batch = flash_forward(name, 1, heads, kv_heads, max(queries), max(keys), seed, causal)
    changed: dict[str, object] = {
        "R": np.zeros((total_q, heads, HEAD), BF16),
        "Q": q,
        "K": k,
        "V": v,
        "LSE": np.zeros((heads, total_q), np.float32),
        "Bs": 0,
        "k_Bs": 0,
        "v_Bs": 0,
        "r_Bs": 0,
        "lse_Hs": 4 * total_q,
        "ptr_qseq": starts_q,
        "ptr_kseq": starts_k,
        "ptr_qseq_padding": starts_q.copy(),
        "ptr_kseq_padding": starts_k.copy(),
    }
    return replace(
        batch,
        grid=(heads, len(queries), batch.grid[0]),
        args=tuple(replace(a, value=changed.get(a.name, a.value)) for a in batch.args),
        expected={"R": Expected(out, atol=6e-3, rtol=2**-9), "LSE": Expected(sums, atol=1e-5)},
        label=f"fmha {name} {list(queries)} {list(keys)}",
    )
