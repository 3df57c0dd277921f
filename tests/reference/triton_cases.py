"""Launches of the Triton suite's kernels and what they must compute.

Shapes, arguments and constants come from `tests/corpus/triton_suite.json`; inputs are drawn in
the order of its buffers. Objects are made by `tests/corpus/build_triton.py`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from reference.launch import Arg, Expected, Launch
from reference.triton_formulas import FORMULAS, Given
from reference.vendor import BF16, fp8_of
from reference.vendor_moe import route

SUITE = Path(__file__).resolve().parents[1] / "corpus" / "triton_suite.json"
DTYPES: dict[str, Any] = {
    "fp32": np.float32,
    "fp16": np.float16,
    "bf16": BF16,
    "i32": np.int32,
    "i64": np.int64,
}


@functools.cache
def suite() -> dict[str, Any]:
    return json.loads(SUITE.read_text())


def entries() -> dict[str, dict[str, Any]]:
    return {entry["id"]: entry for entry in suite()["kernels"]}


def evaluate(text: Any, names: dict[str, Any]) -> Any:
    if not isinstance(text, str):
        return text
    functions: dict[str, Any] = {
        "cdiv": lambda a, b: -(-a // b),
        "next_pow2": lambda n: 1 << math.ceil(math.log2(n)),
    }
    return eval(text, {"__builtins__": {}}, {**functions, **names})


def object_name(entry: dict[str, Any], arch: str, size: str) -> str:
    return entry["built"][arch]["object_of_size"][size]


class Draw:
    """The suite's initializer words on one generator."""

    def __init__(self, seed: int, names: dict[str, Any]) -> None:
        self.rng = np.random.default_rng(seed)
        self.names = names
        self.routing: dict[tuple[int, ...], Any] = {}

    def __call__(self, text: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        word, _, inside = text.partition("(")
        values = evaluate(f"({inside.removesuffix(')')},)", self.names) if inside else ()
        count = math.prod(shape)
        if word == "zeros":
            return np.zeros(shape, dtype)
        if dtype.itemsize == 1 and word == "normal":  # fp8: random sign, mid-range magnitudes
            codes = self.rng.integers(0x28, 0x44, count) | self.rng.integers(0, 2, count) << 7
            return codes.astype(np.uint8).view(dtype).reshape(shape)
        if word.startswith("moe_"):
            return self._routed(word, values, dtype, count).reshape(shape)
        words: dict[str, Callable[[], Any]] = {
            "normal": lambda: self.rng.normal(*values, count),
            "uniform": lambda: self.rng.uniform(*values, count),
            "randint": lambda: self.rng.integers(*values, count),
            "fill": lambda: np.full(count, values[0]),
            "permutation": lambda: self.rng.permutation(values[0])[:count],
            "indptr": lambda: np.arange(count) * values[0],
        }
        return words[word]().astype(dtype).reshape(shape)

    def _routed(self, word: str, key: tuple[int, ...], dtype: np.dtype, count: int) -> np.ndarray:
        tokens, topk, experts, block = key
        if key not in self.routing:
            self.routing[key] = route(self.rng, tokens, experts, topk, block)
        plan = self.routing[key]
        if word == "moe_num_padded":
            return np.array([len(plan.ids)], dtype)
        if word == "moe_expert_ids":
            out = np.zeros(count, dtype)
            out[: len(plan.experts)] = plan.experts
            return out
        # Slots token*topk+k here, not slot<<24|token.
        token, slot = plan.ids & 0xFFFFFF, plan.ids >> 24
        out = np.full(count, tokens * topk, dtype)
        out[: len(plan.ids)] = np.where(token == tokens, tokens * topk, token * topk + slot)
        return out


def build(name: str, arch: str, size: str = "small", seed: int = 0) -> Launch:
    """The launch of a suite entry at one of its sizes."""
    entry = entries()[name]
    facts = suite()["targets"][arch]
    names: dict[str, Any] = {"NUM_CU": facts["NUM_CU"], "FP8_MAX": facts["FP8_MAX"]}
    for source in (entry["sizes"][size], entry.get("derived", {})):
        for key, text in source.items():
            names[key] = evaluate(text, names)
    draw = Draw(seed, names)
    arrays: dict[str, np.ndarray] = {}
    for buffer, spec in entry["buffers"].items():
        fp8 = spec["dtype"] == "{fp8}"
        dtype = fp8_of(arch) if fp8 else np.dtype(DTYPES[spec["dtype"]])
        shape = tuple(evaluate(s, names) for s in spec["shape"])
        arrays[buffer] = draw(spec["init"], dtype, shape)
    built = entry["built"][arch]["objects"][object_name(entry, arch, size)]
    by_name = {a["name"]: a for a in entry["args"]}
    grid = [evaluate(g, names) for g in entry["grid"]]
    grid += [1] * (3 - len(grid))
    args: list[Arg] = []
    made: set[str] = set()
    for argument, offset, length in built["kernarg"]:
        given = by_name.get(argument)
        if given is None:  # Triton's two scratch pointers: their sizes are 0 here
            args.append(Arg(offset, argument, None))
        elif given["kind"] == "ptr":
            buffer = given["buffer"]
            role = entry["buffers"][buffer]["role"]
            if buffer in made:
                args.append(Arg(offset, argument, 0, size=8, alias=buffer))
            else:
                args.append(Arg(offset, buffer, arrays[buffer], role))
                made.add(buffer)
        elif given["kind"] == "float":
            args.append(Arg(offset, argument, float(evaluate(given["value"], names))))
        else:
            args.append(Arg(offset, argument, evaluate(given["value"], names), size=length))
    hidden = {f"hidden_block_count_{d}": grid[i] for i, d in enumerate("xyz")}
    hidden |= {f"hidden_group_size_{d}": built["block"][i] for i, d in enumerate("xyz")}
    hidden["hidden_dynamic_lds_size"] = built["lds_bytes"]
    for argument, offset, length in built["hidden_args"]:
        args.append(Arg(offset, argument, hidden[argument], size=length))
    expected: dict[str, Expected] = FORMULAS[name](Given(arrays, names, arch))
    return Launch(
        kernel=built["symbol"],
        grid=(grid[0], grid[1], grid[2]),
        block=tuple(built["block"]),
        args=tuple(args),
        expected=expected,
        lds_dynamic=built["lds_bytes"],
        label=f"{name} {arch} {size}",
    )
