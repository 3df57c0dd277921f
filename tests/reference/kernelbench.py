"""References of the KernelBench problems in `kernels/kernelbench/`, by kernel, from the formulas
of the problem statements; conventions as in `reference.kernels`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from reference.kernels import Inputs, Outputs

_erf = np.vectorize(math.erf, otypes=[np.float64])


def f64(value: object) -> np.ndarray:
    return np.asarray(value).astype(np.float64)


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def mish(x: np.ndarray) -> np.ndarray:
    return x * np.tanh(np.log1p(np.exp(x)))


def normalized(x: np.ndarray, axis: int | tuple[int, ...]) -> np.ndarray:
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)


def linear(g: Inputs) -> np.ndarray:
    """x w^T + b."""
    return f64(g["x"]) @ f64(g["w"]).T + f64(g["b"])


def groupnorm(g: Inputs) -> Outputs:
    x = f64(g["x"])
    b, c, h, v = x.shape
    y = normalized(x.reshape(b, g["G"], -1), 2).reshape(b, c, h, v)
    return {"y": y * f64(g["w"])[:, None, None] + f64(g["b"])[:, None, None]}


def groupnorm_clamp(g: Inputs) -> Outputs:
    h = f64(g["h"])
    y = normalized(h.reshape(h.shape[0], 16, -1), 2).reshape(h.shape)
    return {"y": np.clip(y * f64(g["gw"]) + f64(g["gb"]), -2, 2)}


def rmsnorm(g: Inputs) -> Outputs:
    x = f64(g["x"])
    return {"y": x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)}


def layernorm(g: Inputs) -> Outputs:
    return {"y": normalized(f64(g["x"]), (1, 2, 3)) * f64(g["w"]) + f64(g["b"])}


def maxpool2d(g: Inputs) -> Outputs:
    x = np.pad(f64(g["x"]), ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(x, (4, 4), axis=(2, 3))
    return {"y": windows.max(axis=(4, 5))}


def avgpool2d(g: Inputs) -> Outputs:
    x = f64(g["x"])
    b, c, h, v = x.shape
    rows, columns = h // 11, v // 11
    cut = x[:, :, : rows * 11, : columns * 11].reshape(b, c, rows, 11, columns, 11)
    return {"y": cut.mean(axis=(3, 5))}


def conv1d(g: Inputs) -> Outputs:
    x, w = f64(g["x"]), f64(g["w"])
    length = x.shape[2] - 2
    return {
        "y": sum(np.einsum("oi,bit->bot", w[:, :, k], x[:, :, k : k + length]) for k in range(3))
    }


def dwconv3x3(g: Inputs) -> Outputs:
    x, w = f64(g["x"]), f64(g["w"])
    h, v = x.shape[2] - 2, x.shape[3] - 2
    y = np.zeros((*x.shape[:2], h, v))
    for r in range(3):
        for c in range(3):
            y += w[None, :, 0, r, c, None, None] * x[:, :, r : r + h, c : c + v]
    return {"y": y}


def conv_relu_bias(g: Inputs) -> Outputs:
    x, w = f64(g["x"]), f64(g["w"])
    h, v = x.shape[2] - 2, x.shape[3] - 2
    y = np.zeros((x.shape[0], w.shape[0], h, v))
    for r in range(3):
        for c in range(3):
            y += np.einsum("oi,bihv->bohv", w[:, :, r, c], x[:, :, r : r + h, c : c + v])
    y = np.maximum(y + f64(g["cb"])[:, None, None], 0)
    return {"y": y + f64(g["bias"])[:, None, None]}


def mse_partial(g: Inputs) -> Outputs:
    squares = ((f64(g["p"]) - f64(g["t"])) ** 2).ravel()
    owner = np.arange(squares.size) // 256 % g["blocks"]
    return {"part": np.bincount(owner, squares, minlength=g["blocks"])}


def xent_rows(g: Inputs) -> Outputs:
    p = f64(g["p"])
    target = np.take_along_axis(p, np.asarray(g["t"])[:, None], axis=1)[:, 0]
    return {"part": np.log(np.exp(p).sum(axis=1)) - target}


def _leaky(v: np.ndarray) -> np.ndarray:
    return np.where(v > 0, v, 0.1 * v)


def _product(g: Inputs) -> Outputs:
    return {"C": f64(g["A"]) @ f64(g["B"])}


REFERENCES: dict[str, Callable[[Inputs], Outputs]] = {
    "matmul": _product,
    "bmm": _product,
    "matmul_irregular": _product,
    "matmul_ta": lambda g: {"C": f64(g["A"]).T @ f64(g["B"])},
    "matvec": lambda g: {"y": f64(g["A"]) @ f64(g["x"])},
    "diag_mul": lambda g: {"C": f64(g["a"])[:, None] * f64(g["B"])},
    "relu": lambda g: {"y": np.maximum(f64(g["x"]), 0)},
    "tanh_forward": lambda g: {"y": np.tanh(f64(g["x"]))},
    "softmax": lambda g: {"y": softmax(f64(g["x"]))},
    "gelu": lambda g: {"y": gelu(f64(g["x"]))},
    "groupnorm": groupnorm,
    "rmsnorm": rmsnorm,
    "layernorm": layernorm,
    "maxpool2d": maxpool2d,
    "avgpool2d": avgpool2d,
    "sum_dim1": lambda g: {"y": f64(g["x"]).sum(axis=1, keepdims=True)},
    "argmax_dim1": lambda g: {"y": f64(g["x"]).argmax(axis=1)},
    "conv1d": conv1d,
    "dwconv3x3": dwconv3x3,
    "cumsum": lambda g: {"y": f64(g["x"]).cumsum(axis=1)},
    "mse_partial": mse_partial,
    "sum_final": lambda g: {"y": f64(g["part"]).sum(keepdims=True) / g["n"]},
    "xent_rows": xent_rows,
    "mean_final": lambda g: {"y": f64(g["part"]).mean(keepdims=True)},
    "conv_relu_bias": conv_relu_bias,
    "gemm_mul_leaky": lambda g: {"y": _leaky(linear(g) * 2)},
    "gemm_mish": lambda g: {"y": mish(mish(linear(g)))},
    "gemm_bias": lambda g: {"h": linear(g)},
    "groupnorm_clamp": groupnorm_clamp,
    "gemv_sigmoid_sum": lambda g: {"y": (1 / (1 + np.exp(-linear(g)))).sum(axis=1, keepdims=True)},
    "gemm_add_relu_mfma": lambda g: {"y": np.maximum(linear(g), 0)},
    "gemm_div_gelu": lambda g: {"y": gelu(linear(g) / 10)},
    "gemm_gelu": lambda g: {"h": gelu(linear(g))},
    "softmax_rows": lambda g: {"y": softmax(f64(g["h"]))},
}

# Problems whose tolerance is absolute; the others' is relative to the largest output.
ABSOLUTE: dict[str, float] = {"tanh_forward": 2e-6, "gelu": 2e-6, "softmax": 1e-5}
EXACT = frozenset({"relu", "maxpool2d", "argmax_dim1"})
RELATIVE = 1e-4
RELATIVE_BF16 = 2e-2
