"""Launches of the vendor's mixture-of-experts kernels. See `vendor` for the conventions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.vendor import BF16, fp8_of, preshuffle, symbol

# Rows after the last token: padding rows carry token id `tokens`, and the kernels prefetch them
# and two k tiles further.
SPARE = 4


@dataclass(frozen=True)
class Routing:
    """Experts of each token and the block-sorted lists the kernels read.

    choice [tokens, topk]: expert of each slot. ids: experts ascending, for each its (token, slot)
    pairs in token order as slot<<24 | token, padded to a multiple of the block with
    topk<<24 | tokens. experts: expert of each block. sorted_weights: routing weight beside each
    id, 0 for padding.
    """

    choice: np.ndarray
    weights: np.ndarray
    ids: np.ndarray
    experts: np.ndarray
    sorted_weights: np.ndarray


def route(rng: np.random.Generator, tokens: int, experts: int, topk: int, block: int) -> Routing:
    choice = np.stack([rng.permutation(experts)[:topk] for _ in range(tokens)])
    weights = rng.uniform(0.2, 1.0, size=(tokens, topk)).astype(np.float32)
    ids: list[int] = []
    block_experts: list[int] = []
    sorted_weights: list[float] = []
    for e in range(experts):
        pairs = [(t, s) for t in range(tokens) for s in range(topk) if choice[t, s] == e]
        if not pairs:
            continue
        padding = -len(pairs) % block
        ids += [s << 24 | t for t, s in pairs] + [topk << 24 | tokens] * padding
        sorted_weights += [float(weights[t, s]) for t, s in pairs] + [0.0] * padding
        block_experts += [e] * ((len(pairs) + padding) // block)
    return Routing(
        choice,
        weights,
        np.array(ids, np.int32),
        np.array(block_experts, np.int32),
        np.array(sorted_weights, np.float32),
    )


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The tanh approximation of GELU."""
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def stage1(
    name: str,
    tokens: int,
    experts: int,
    topk: int,
    dim: int,
    inter: int,
    tile_m: int,
    tile_n: int,
    seed: int,
    arch: str,
    quantized: str = "int8",
    gelu: bool = False,
    schedule: str = "barrier",
) -> Launch:
    """O[t,s] = act(g) * u of (W[e] x[t]) * scale[e] * scale[t]; gate rows first, then up rows.

    quantized: `int8` or `fp8`. The product rounds to the nearest bf16. The `pf2` files with 32 rows
    and more read one LDS tile and write the next to the same place without a barrier between the
    two, so they need waves that run abreast (`interleave:N`).
    """
    rng = np.random.default_rng(seed)
    plan = route(rng, tokens, experts, topk, tile_m)
    if quantized == "int8":
        x = rng.integers(-127, 128, size=(tokens + SPARE, dim)).astype(np.int8)
        w = rng.integers(-127, 128, size=(experts, 2 * inter, dim)).astype(np.int8)
        unit = 1.0 / (64 * 64 * np.sqrt(dim))
    else:
        x = rng.normal(size=(tokens + SPARE, dim)).astype(fp8_of(arch))
        w = rng.normal(size=(experts, 2 * inter, dim)).astype(fp8_of(arch))
        unit = 1.0 / np.sqrt(dim)
    x_scale = rng.uniform(0.5, 1.5, size=tokens + 1).astype(np.float32)
    w_scale = (rng.uniform(0.5, 1.5, size=(experts, 2 * inter)) * unit).astype(np.float32)
    out = np.zeros((tokens, topk, inter))
    for t in range(tokens):
        for s in range(topk):
            e = plan.choice[t, s]
            y = np.float64(w[e]) @ np.float64(x[t])
            y *= np.float64(w_scale[e]) * float(x_scale[t])
            gate, up = y[:inter], y[inter:]
            out[t, s] = (gelu_tanh(gate) if gelu else gate * _sigmoid(gate)) * up
    shuffled = np.stack([preshuffle(slab) for slab in w])
    return Launch(
        kernel=symbol(name),
        grid=(inter // tile_n, len(plan.experts), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "O", np.zeros((tokens, topk, inter), BF16), "out"),
            Arg(16, "X", x),
            Arg(32, "G", shuffled),
            Arg(48, "Xc", np.array([len(plan.ids), tokens], np.int32)),
            Arg(64, "XQ", x_scale),
            Arg(80, "GQ", w_scale),
            Arg(96, "SMQ", None),
            Arg(112, "STP", plan.ids),
            Arg(128, "SEP", plan.experts),
            Arg(144, "dim", dim),
            Arg(160, "hdim", inter),
            Arg(176, "batch", tokens),
            Arg(192, "eprt", experts),
            Arg(208, "Xs", dim),
            Arg(224, "GUs", dim),
            Arg(240, "Os", topk * inter * 2),
            Arg(256, "eGUs", 2 * inter * dim),
            Arg(272, "eGUQs", 2 * inter * 4),
            Arg(288, "eSMQs", inter * 4),
            Arg(304, "topk", topk),
            Arg(320, "splitk", 0),
            Arg(336, "activation", int(gelu)),
            Arg(352, "SW", None),
        ),
        expected={"O": Expected(out.astype(np.float32).astype(BF16), "ulp", 1, exact_share=0.98)},
        schedule=schedule,
        label=f"{name} t{tokens} e{experts}",
    )


def fused_bf16(
    tokens: int,
    experts: int,
    topk: int,
    dim: int,
    inter: int,
    seed: int,
    schedule: str = "interleave:16",
) -> Launch:
    """O[t] = sum over experts of weight * w2[e] bf16(gelu_tanh(w1[e] x[t])), bf16 atomics.

    The kernel reads and overwrites one LDS tile without a barrier between the two: it needs waves
    that run abreast, so the schedule is part of the launch. dim % 256 == 0 and >= 512,
    inter % 512 == 0.
    """
    rng = np.random.default_rng(seed)
    plan = route(rng, tokens, experts, topk, 32)
    x = rng.normal(size=(tokens + SPARE, dim)).astype(BF16)
    w1 = (rng.normal(size=(experts, inter, dim)) / np.sqrt(dim)).astype(BF16)
    w2 = (rng.normal(size=(experts, dim, inter)) / np.sqrt(inter)).astype(BF16)
    out = np.zeros((tokens, dim))
    for t in range(tokens):
        for s in range(topk):
            e = plan.choice[t, s]
            hidden = gelu_tanh(np.float64(w1[e]) @ np.float64(x[t]))
            hidden = hidden.astype(np.float32).astype(BF16)
            out[t] += float(plan.weights[t, s]) * (np.float64(w2[e]) @ np.float64(hidden))
    return Launch(
        kernel="fmoe_kernel_func",
        grid=(inter // 512, len(plan.experts), 1),
        block=(256, 1, 1),
        args=(
            Arg(0, "O", np.zeros((tokens, dim), BF16), "inout"),
            Arg(16, "X", x),
            Arg(32, "G", np.stack([preshuffle(slab) for slab in w1])),
            Arg(48, "U", np.array([len(plan.ids), tokens], np.int32)),
            Arg(64, "D", np.stack([preshuffle(slab) for slab in w2])),
            Arg(80, "XQ", None),
            Arg(96, "GQ", None),
            Arg(112, "DQ", None),
            Arg(128, "SMQ", None),
            Arg(144, "STP", plan.ids),
            Arg(160, "SW", plan.sorted_weights),
            Arg(176, "SEP", plan.experts),
            Arg(192, "dim", dim),
            Arg(208, "hdim", inter),
            Arg(224, "batch", tokens),
            Arg(240, "eprt", experts),
            Arg(256, "Xs", 2 * dim),
            Arg(272, "GUs", 2 * dim),
            Arg(288, "Ds", 2 * inter),
            Arg(304, "Os", 2 * dim),
            Arg(320, "eGUs", 2 * dim * inter),
            Arg(336, "eDs", 2 * dim * inter),
            Arg(352, "eGUQs", 0),
            Arg(368, "eDQs", 0),
            Arg(384, "eSMQs", 0),
            Arg(400, "topk", topk),
        ),
        expected={"O": Expected(out, atol=2e-2)},
        schedule=schedule,
        label=f"fmoe_b16 t{tokens} e{experts}",
    )
