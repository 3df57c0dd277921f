"""The product's accumulation models over NumPy arrays, fed with gathered operands."""

from __future__ import annotations

import numpy as np

from asmevo.isa.semantics.matrix import matrix_op
from asmevo.isa.semantics.matrix_models import accumulate, model_of
from asmevo.isa.semantics.numpy_algebra import value
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Value

from .matrix_bench import Case, Parts
from .matrix_forms import Indices


def _bits(codes: Indices, width: int = 32, kind: str = "u") -> Value:
    return value(codes.astype(np.uint64).astype(f"u{width // 8}"), width, kind)


def model_results(case: Case, parts: Parts) -> Indices:
    """Bits of every result element under the product's model, in NumPy."""
    f = case.form
    formats = (case.cbsz, case.blgp) if f.name.endswith("f8f6f4") else (0, 0)
    op = matrix_op(f.name, *formats)
    assert op is not None
    mode = FloatMode(fnuz=f.arch != "gfx950")
    model = model_of(op, f.arch, f.name)
    width = 64 if f.result == "f64" else 32
    a = [_bits(parts.a[..., k], width) for k in range(f.stored)]
    b = [_bits(parts.b[..., k], width) for k in range(f.stored)]
    scales = []
    if parts.scales is not None:
        for block in range(f.k // 32):
            x, y = (np.asarray(s[..., block])[None] for s in parts.scales)
            scales.append((_bits(x, 32, "i"), _bits(y, 32, "i")))
    result = accumulate(op, model, mode, _bits(parts.c, width, "f"), a, b, scales)
    return np.asarray(result.raw).astype(np.uint64).view(np.int64)
