"""Sorted expert routing of mixture-of-experts kernels, as their host side prepares it.

TOPK distinct experts are drawn for each of T tokens. Experts in ascending order then list their
(token, slot) pairs in token order, each expert padded to a multiple of the block BM. Two encodings
of a pair exist: Triton kernels use `token*TOPK + slot` padded with `T*TOPK`; AITer's hand-written
ones use `slot << 24 | token` padded with `TOPK << 24 | T`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError

WORDS = (
    "moe_sorted_ids",
    "moe_expert_ids",
    "moe_num_padded",
    "aiter_sorted_ids",
    "aiter_expert_ids",
    "aiter_num_valid",
)
_MOST_PAIRS = 1 << 26


@dataclass(frozen=True, eq=False)
class Routing:
    """One drawn routing.

    Attributes:
        pairs: int64 array [padded, 2] of (token, slot); padding rows are (T, TOPK).
        experts: int64 array [padded / BM], expert of each block.
        tokens: T.
        topk: TOPK.
    """

    pairs: NDArray[np.int64]
    experts: NDArray[np.int64]
    tokens: int
    topk: int

    @classmethod
    def draw(
        cls, rng: np.random.Generator, tokens: int, topk: int, experts: int, block: int, where: str
    ) -> Routing:
        """Draw a routing.

        Raises:
            InputError: parameters that no routing has.
        """
        if min(tokens, topk, experts, block) < 1 or topk > experts:
            raise InputError(f"{where}: routing needs T, E, BM >= 1 and 1 <= TOPK <= E")
        if (tokens * topk + experts * block) > _MOST_PAIRS or tokens * experts > _MOST_PAIRS:
            raise InputError(f"{where}: routing of {tokens} tokens over {experts} experts is huge")
        chosen = np.argsort(rng.random((tokens, experts)), axis=1)[:, :topk]
        pairs: list[NDArray[np.int64]] = []
        blocks: list[int] = []
        for expert in range(experts):
            found = np.argwhere(chosen == expert)
            if not len(found):
                continue
            padding = -len(found) % block
            pairs += [found, np.full((padding, 2), (tokens, topk))]
            blocks += [expert] * ((len(found) + padding) // block)
        return cls(np.concatenate(pairs), np.array(blocks, dtype=np.int64), tokens, topk)

    def buffer(self, word: str, count: int, where: str) -> NDArray[Any]:
        """Contents of the buffer that `word` names, with its tail up to `count` elements.

        Raises:
            InputError: the buffer is too short for the routing.
        """
        family, _, what = word.partition("_")
        if what == "sorted_ids":
            token, slot = self.pairs[:, 0], self.pairs[:, 1]
            if family == "moe":
                pad = self.tokens * self.topk
                values = np.where(token < self.tokens, token * self.topk + slot, pad)
            else:
                pad = self.topk << 24 | self.tokens
                values = slot << 24 | token
        elif what == "expert_ids":
            values, pad = self.experts, 0
        else:
            whole = (
                [len(self.pairs)] if word == "moe_num_padded" else [len(self.pairs), self.tokens]
            )
            values, pad = np.array(whole), 0
        if len(values) > count:
            raise InputError(
                f"{where}: the routing needs {len(values)} elements, the buffer has {count}"
            )
        return np.concatenate([values, np.full(count - len(values), pad, dtype=np.int64)])
