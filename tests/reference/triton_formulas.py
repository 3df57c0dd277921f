"""Expected outputs of the Triton suite, in double precision, from the suite's semantics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference.launch import Expected
from reference.vendor import fp8_of

Results = dict[str, Expected]


@dataclass(frozen=True)
class Given:
    """Buffers before the launch (`given.x` is float64), size names and architecture."""

    arrays: dict[str, np.ndarray]
    names: dict[str, Any]
    arch: str

    def __getattr__(self, name: str) -> np.ndarray:
        return self.arrays[name].astype(np.float64)

    @property
    def fp8_max(self) -> float:
        return float(self.names["FP8_MAX"])

    def fp8(self, values: np.ndarray) -> np.ndarray:
        limit = self.fp8_max
        return np.clip(values, -limit, limit).astype(np.float32).astype(fp8_of(self.arch))


def bf16(values: np.ndarray, atol: float = 0.0) -> Expected:
    """A bf16 output: within 2e-2 of the largest value."""
    return Expected(values, rtol=2e-2, atol=atol)


def fp32(values: np.ndarray, rtol: float = 1e-5) -> Expected:
    return Expected(values, rtol=rtol)


def codes(values: np.ndarray, share: float = 0.97) -> Expected:
    """An fp8 output: neighbouring codes at rounding boundaries only."""
    return Expected(values, "ulp", 1, exact_share=share)


def cdiv(a: int, b: int) -> int:
    return (a + b - 1) // b


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def rms(x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    return 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)


def softmax_parts(score: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normalized weights, maximum and sum of exponentials over the last axis."""
    top = score.max(axis=-1, keepdims=True)
    p = np.exp(score - top)
    total = p.sum(axis=-1, keepdims=True)
    return p / total, top[..., 0], total[..., 0]


def neox(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    """Rotary embedding on halves; cos and sin broadcast against one half."""
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def grouped(g: Given, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """fp8 codes and scales of groups of 128 columns."""
    blocks = x.reshape(*x.shape[:-1], -1, 128)
    scale = np.maximum(np.abs(blocks).max(axis=-1), 1e-10) / g.fp8_max
    return g.fp8(blocks / scale[..., None]).reshape(x.shape), scale


def fused_add_rmsnorm(g: Given) -> Results:
    total = g.x + g.res_in
    scale = rms(total)
    return {
        "res_out": bf16(total),
        "rsigma": fp32(scale[:, 0], 1e-2),
        "y": bf16(total * scale * g.g),
    }


def per_token_quant(g: Given) -> Results:
    scale = np.abs(g.x).max(axis=1) / g.fp8_max
    return {"scale": fp32(scale), "q": codes(g.fp8(g.x / scale[:, None]))}


def rms_group_quant(g: Given) -> Results:
    total = g.x + g.res
    q, scale = grouped(g, total * rms(total) * g.w)
    return {"res_out": bf16(total), "s": fp32(scale), "q": codes(q)}


def silu_group_quant(g: Given) -> Results:
    n = g.x.shape[1] // 2
    q, scale = grouped(g, silu(g.x[:, :n]) * g.x[:, n:])
    return {"s": fp32(scale, 1e-3), "q": codes(q, 0.95)}


def gemm_blockscale(g: Given) -> Results:
    a = g.a * np.repeat(g.sa, 128, axis=1)
    w = g.w * np.repeat(np.repeat(g.sb, 128, axis=0), 128, axis=1)
    return {"c": bf16(a @ w.T)}


def fused_moe(g: Given) -> Results:
    ids, experts = g.arrays["ids"], g.arrays["eids"]
    slots, out = len(g.tw), np.zeros(g.arrays["c"].shape)
    topk = g.names["TOPK"]
    for position in range(int(g.arrays["npad"][0])):
        slot = ids[position]
        if slot < slots:
            out[slot] = g.arrays["w"][experts[position // 128]].astype(np.float64) @ (
                g.arrays["a"][slot // topk].astype(np.float64)
            )
    return {"c": bf16(out * g.tw[:, None])}


def paged_decode_partial(g: Given) -> Results:
    n = g.names
    s, kv, group, length = n["S"], n["KVH"], n["G"], n["L"]
    sums, tops, outs = (np.zeros(g.arrays[k].shape) for k in ("es", "ml", "po"))
    keys, values, q = g.kc, g.vc, g.q
    for b in range(s):
        pages = g.arrays["bt"][b]
        for h in range(kv):
            k = keys[pages, h].reshape(-1, 128)[:length]
            v = values[pages, h].reshape(-1, 128)[:length]
            score = q[b, h * group : (h + 1) * group] @ k.T / math.sqrt(128)
            for part in range(n["NP"]):
                cut = slice(part * 1024, min(length, part * 1024 + 1024))
                p, tops[b, h, part], sums[b, h, part] = softmax_parts(score[:, cut])
                outs[b, h, part] = p @ v[cut]
    return {
        "po": bf16(outs, 2e-3),
        "ml": Expected(tops, atol=5e-2),
        "es": Expected(sums, rtol=5e-2),
    }


def unified_attention(g: Given) -> Results:
    s, queries, length = g.names["S"], g.names["Q"], g.names["L"]
    out = np.zeros(g.arrays["o"].shape)
    keys, values, q = g.kc, g.vc, g.q
    hidden = np.arange(length)[None, :] > np.arange(queries)[:, None] + length - queries
    for b in range(s):
        pages = g.arrays["bt"][b]
        rows = slice(b * queries, (b + 1) * queries)
        for h in range(32):
            k = keys[pages][:, :, h // 4].reshape(-1, 128)[:length]
            v = values[pages][:, :, h // 4].reshape(-1, 128)[:length]
            score = np.where(hidden, -np.inf, q[rows, h] @ k.T / math.sqrt(128))
            out[rows, h] = softmax_parts(score)[0] @ v
    return {"o": bf16(out)}


def _interleaved(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 1::2] * cos + x[..., 0::2] * sin
    return out


def mla_stage1(g: Given) -> Results:
    """Splits of cdiv(L, 8) tokens; the last value of each row is the log-sum-exp."""
    length = g.names["L"]
    share = cdiv(length, 8)
    out, last = np.zeros(g.arrays["ao"].shape), np.zeros(g.arrays["kpe"].shape)
    q, kv, table = g.q, g.kv[:, 0], g.cs
    for b in range(q.shape[0]):
        position = int(g.arrays["pos"][b])
        cos, sin = table[position, :32], table[position, 32:]
        tokens = kv[g.arrays["ix"][b * length : (b + 1) * length]].copy()
        tokens[-1, 512:] = _interleaved(tokens[-1, 512:], cos, sin)
        last[b] = tokens[-1, 512:]
        query = q[b].copy()
        query[:, 512:] = _interleaved(query[:, 512:], cos, sin)
        score = query @ tokens.T / math.sqrt(192)
        for split in range(8):
            cut = slice(split * share, min(length, (split + 1) * share))
            p, top, total = softmax_parts(score[:, cut])
            out[b, :, split, :512] = p @ tokens[cut, :512]
            out[b, :, split, 512] = top + np.log(total)
    # The scores' magnitude is about 14, so bf16 roundings of the queries move the weights.
    return {"ao": Expected(out, rtol=2e-2), "kpe": bf16(last)}


def qk_rope_cache(g: Given) -> Results:
    position, slot = g.arrays["pos"], g.arrays["slot"]
    cos, sin = g.cos[position][:, None], g.sin[position][:, None]
    qo, ko = neox(g.q, cos, sin), neox(g.k, cos, sin)
    kc, vc = g.kc, g.vc
    for t in range(len(slot)):
        page, row = slot[t] // 16, slot[t] % 16
        kc[page, :, :, row, :] = ko[t].reshape(8, 16, 8)
        vc[page, :, :, row] = g.arrays["v"][t].astype(np.float64)
    return {"qo": bf16(qo), "ko": bf16(ko), "kc": bf16(kc), "vc": Expected(vc, "exact")}


def decode_grouped(g: Given) -> Results:
    """Splits of cdiv(L, 8) tokens rounded up to 32; splits past the end are not written."""
    length = g.names["L"]
    share = cdiv(cdiv(length, 8), 32) * 32
    out, sums = np.zeros(g.arrays["ao"].shape), np.zeros(g.arrays["al"].shape)
    for b in range(g.names["BS"]):
        tokens = g.arrays["ix"][b * length : (b + 1) * length]
        for h in range(32):
            k, v = g.kb[tokens, h // 4], g.vb[tokens, h // 4]
            score = k @ g.q[b, h] / math.sqrt(128)
            for split in range(cdiv(length, share)):
                cut = slice(split * share, min(length, (split + 1) * share))
                p, top, total = softmax_parts(score[cut])
                out[b, h, split] = p @ v[cut]
                sums[b, h, split] = top + np.log(total)
    return {"ao": Expected(out, rtol=2e-2), "al": Expected(sums, rtol=1e-2)}


def decode_stage2(g: Given) -> Results:
    length = g.names["L"]
    share = cdiv(cdiv(length, 8), 32) * 32
    used = cdiv(length, share)
    weight = softmax_parts(g.ml[:, :, :used])[0]
    return {"o": bf16((weight[..., None] * g.mo[:, :, :used]).sum(axis=2))}


def moe_align(g: Given) -> Results:
    ids, block = g.arrays["ti"], 16
    ordered, experts = [], []
    for e in range(256):
        found = np.flatnonzero(ids == e).tolist()
        padding = -len(found) % block
        ordered += found + [len(ids)] * padding
        experts += [e] * ((len(found) + padding) // block)
    so, eo = g.arrays["so"].copy(), g.arrays["eo"].copy()
    so[: len(ordered)], eo[: len(experts)] = ordered, experts
    total = np.array([len(ordered)], np.int32)
    return {n: Expected(v, "exact") for n, v in (("so", so), ("eo", eo), ("np", total))}


def softmax_partial(g: Given) -> Results:
    x = g.x / g.t[:, None]
    tops, sums = np.zeros(g.arrays["pm"].shape), np.zeros(g.arrays["ps"].shape)
    for i in range(tops.shape[1]):
        _, tops[:, i], sums[:, i] = softmax_parts(x[:, i * 2048 : (i + 1) * 2048])
    return {"pm": fp32(tops), "ps": fp32(sums, 1e-4)}


def gated_delta(g: Given) -> Results:
    h, out = g.h, np.zeros(g.arrays["o"].shape)
    for n in range(g.names["BS"]):
        state = int(g.arrays["si"][n])
        for hv in range(32):
            qk = hv // 2
            q = g.x[n, qk * 128 : qk * 128 + 128]
            k = g.x[n, 2048 + qk * 128 : 2048 + qk * 128 + 128]
            v = g.x[n, 4096 + hv * 128 : 4096 + hv * 128 + 128]
            q = q / np.sqrt((q * q).sum() + 1e-6) / math.sqrt(128)
            k = k / np.sqrt((k * k).sum() + 1e-6)
            decay = np.exp(-np.exp(g.al[hv]) * np.log1p(np.exp(g.a[n, hv] + g.dt[hv])))
            beta = 1 / (1 + np.exp(-g.b[n, hv]))
            old = h[state, hv] * decay
            new = old + np.outer((v - old @ k) * beta, k)
            out[n, 0, hv], h[state, hv] = new @ q, new
    return {"o": bf16(out), "h": fp32(h, 1e-2)}  # the gate is rounded to bf16 in between


def cache_fp8(g: Given) -> Results:
    kc, vc = g.arrays["kc"].copy(), g.arrays["vc"].copy()
    slot = g.arrays["slot"]
    kc.reshape(-1, 8, 128)[slot] = g.fp8(g.k / g.ks[0])
    vc.reshape(-1, 8, 128)[slot] = g.fp8(g.v / g.vs[0])
    return {"kc": codes(kc, 1.0), "vc": codes(vc, 1.0)}


def rotary(g: Given) -> Results:
    table = g.cs[g.arrays["pos"]][:, None]
    cos, sin = table[..., :64], table[..., 64:]
    q = neox(g.q.reshape(-1, 32, 128), cos, sin).reshape(g.arrays["q"].shape)
    k = neox(g.k.reshape(-1, 8, 128), cos, sin).reshape(g.arrays["k"].shape)
    return {"q": bf16(q), "k": bf16(k)}


def gemm_w4(g: Given) -> Results:
    packed = g.arrays["w"].view(np.uint32)
    k = packed.shape[0] * 8
    nibbles = (packed[np.arange(k) // 8] >> (np.arange(k) % 8 * 4)[:, None].astype(np.uint32)) & 15
    weight = (nibbles.astype(np.float64) - 8) * np.repeat(g.s, 128, axis=0)
    return {"c": Expected(g.a @ weight, rtol=5e-3)}


FORMULAS: dict[str, Callable[[Given], Results]] = {
    "aiter_fused_add_rmsnorm": fused_add_rmsnorm,
    "aiter_per_token_quant_fp8": per_token_quant,
    "aiter_rms_fp8_group_quant": rms_group_quant,
    "aiter_silu_mul_fp8_group_quant": silu_group_quant,
    "aiter_gemm_a16w16": lambda g: {"c": bf16(g.a @ g.w.T)},
    "aiter_gemm_a8w8_blockscale": gemm_blockscale,
    "aiter_fused_moe_bf16": fused_moe,
    "aiter_paged_attn_decode_v2": paged_decode_partial,
    "aiter_unified_attention_2d": unified_attention,
    "aiter_mla_decode_rope_stage1": mla_stage1,
    "aiter_qk_rope_reshape_cache": qk_rope_cache,
    "sglang_decode_grouped_stage1": decode_grouped,
    "sglang_decode_stage2": decode_stage2,
    "sglang_moe_align_small": moe_align,
    "sglang_temperature_softmax_partial": softmax_partial,
    "sglang_gdn_packed_decode": gated_delta,
    "conch_silu_and_mul": lambda g: {
        "y": bf16(silu(g.x[:, : g.x.shape[1] // 2]) * g.x[:, g.x.shape[1] // 2 :])
    },
    "conch_reshape_and_cache_fp8": cache_fp8,
    "conch_rotary_embedding": rotary,
    "conch_gemm_w4a16": gemm_w4,
}
