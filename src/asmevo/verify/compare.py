"""Comparison of buffers after two runs (design section 4, "Equivalence").

Floats: cosine similarity at least theta and every |delta| at most tau times the largest finite
|reference|; NaN only where the reference has NaN, infinities at the same places with the same
sign; and each element within bounds of its own neighbourhood (`verify.elements`). Integers and
opaque bytes: byte for byte. Bytes that the reference did not write must hold what they held before.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState, Tolerance
from asmevo.errors import InputError
from asmevo.verify.elements import judge_elements

_CHUNK = 1 << 20  # elements at a time: bounds the float64 copies of large buffers
# Rounding of the cosine itself; far below any theta in use.
_COSINE_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class BufferComparison:
    """How one buffer after the candidate relates to the same buffer after the reference.

    Attributes:
        name: buffer name.
        ok: equal under the rules.
        exact: equal byte for byte.
        reason: why not, or an empty string.
        elements: elements compared (written by the reference).
        differing: of these, how many differ in any bit.
        max_delta: largest |delta| divided by `scale` (finite elements; 0 for integers).
        cosine: cosine similarity over finite elements (1 for integers).
        scale: largest finite |reference|.
        worst: index of the largest deviation, or None.
        theta: least cosine that was asked (floats).
        tau: most `max_delta` that was asked (floats).
    """

    name: str
    ok: bool
    exact: bool
    reason: str = ""
    elements: int = 0
    differing: int = 0
    max_delta: float = 0.0
    cosine: float = 1.0
    scale: float = 0.0
    worst: tuple[int, ...] | None = None
    theta: float | None = None
    tau: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values; infinities and NaN as text, which JSON has not."""
        found = asdict(self)
        for key, value in found.items():
            if isinstance(value, float) and not math.isfinite(value):
                found[key] = str(value)
        return found


def compare_buffer(
    buffer: BufferState,
    reference: bytes,
    candidate: bytes,
    tolerance: Tolerance,
    written: NDArray[np.bool_] | None = None,
) -> BufferComparison:
    """Compare the contents of `buffer` after the candidate with those after the reference.

    Args:
        buffer: gives dtype and shape; its own tolerance overrides `tolerance`.
        reference: bytes after the reference.
        candidate: bytes after the candidate.
        tolerance: for float elements.
        written: bool array [bytes], bytes that the reference wrote; the others must be equal in
            both and do not count for scale and cosine. None: all.

    Raises:
        InputError: the contents have another size than the buffer.
    """
    if not len(reference) == len(candidate) == buffer.size:
        raise InputError(
            f"buffer {buffer.name!r}: {len(reference)} and {len(candidate)} bytes after the runs, "
            f"{buffer.size} before"
        )
    size = buffer.element.size
    mask = _element_mask(buffer, written)
    elements = buffer.size // size if mask is None else int(mask.sum())
    if reference == candidate:
        return BufferComparison(buffer.name, True, True, elements=elements)
    a, b = (np.frombuffer(x, dtype=np.uint8) for x in (reference, candidate))
    unequal = (a != b).reshape(-1, size).any(axis=1)
    differing = int(unequal.sum())
    if mask is not None:
        stray = np.flatnonzero(unequal & ~mask)
        if stray.size:
            return _exactly(
                buffer, f"differs in {stray.size} elements that K0 does not write in full",
                elements, differing, int(stray[0]),
            )  # fmt: skip
    if buffer.element.kind != "float":
        first = int(np.flatnonzero(unequal)[0])
        return _exactly(
            buffer, f"{differing} of {elements} elements differ", elements, differing, first
        )
    limits = buffer.tolerance or tolerance
    return _floats(buffer, reference, candidate, limits, mask, elements, differing)


def _element_mask(
    buffer: BufferState, written: NDArray[np.bool_] | None
) -> NDArray[np.bool_] | None:
    """Elements whose every byte was written; a partly written one is compared byte for byte."""
    if written is None:
        return None
    whole: NDArray[np.bool_] = np.all(written.reshape(-1, buffer.element.size), axis=1)
    return whole


def _exactly(
    buffer: BufferState, why: str, elements: int, differing: int, first: int
) -> BufferComparison:
    where = _index(first, buffer.shape)
    return BufferComparison(
        buffer.name,
        ok=False,
        exact=False,
        reason=f"{buffer.name}: {why}, first at {list(where)}",
        elements=elements,
        differing=differing,
        worst=where,
    )


def _index(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


@dataclass
class _Sums:
    """Running figures of a chunked pass."""

    dot: float = 0.0
    norm_a: float = 0.0
    norm_b: float = 0.0
    delta: float = 0.0
    worst: int = 0
    special: int = -1  # first element whose NaN or infinity has no counterpart


def _floats(
    buffer: BufferState,
    reference: bytes,
    candidate: bytes,
    limits: Tolerance,
    mask: NDArray[np.bool_] | None,
    elements: int,
    differing: int,
) -> BufferComparison:
    kind = buffer.element.numpy
    a, b = np.frombuffer(reference, dtype=kind), np.frombuffer(candidate, dtype=kind)
    spans = [slice(i, min(len(a), i + _CHUNK)) for i in range(0, len(a), _CHUNK)]
    scale = max((_largest(_pick(a, mask, s)) for s in spans), default=0.0)
    sums = _Sums()
    for span in spans:
        _accumulate(sums, a, b, mask, span, scale)
    worst = sums.special if sums.special >= 0 else sums.worst
    if sums.norm_a == sums.norm_b == 0.0:
        cosine = 1.0
    elif sums.norm_a == 0.0 or sums.norm_b == 0.0:
        cosine = 0.0
    else:
        cosine = sums.dot / math.sqrt(sums.norm_a) / math.sqrt(sums.norm_b)
        # An overflowing candidate has no meaningful angle.
        cosine = min(1.0, max(-1.0, cosine)) if math.isfinite(cosine) else 0.0
    reason = ""
    if sums.special >= 0:
        reason = f"NaN or infinity moved: K0 gives {a[worst]!s}, the candidate {b[worst]!s}"
    elif sums.delta > limits.tau:
        reason = f"|delta| {sums.delta:.3g} of the scale {scale:.6g} is above tau {limits.tau:g}"
    elif cosine < limits.theta - _COSINE_SLACK:
        reason = f"cosine {cosine:.9g} is below theta {limits.theta:g}"
    else:
        wrong = judge_elements(a, b, buffer.shape, mask, limits.tau)
        if wrong is not None:
            worst, reason = wrong.index, f"{wrong.reason}: K0 gives {a[wrong.index]!s}, "
            reason += f"the candidate {b[wrong.index]!s}"
    where = _index(worst, buffer.shape)
    if reason:
        reason = f"{buffer.name}{list(where)}: {reason}"
    return BufferComparison(
        buffer.name,
        ok=not reason,
        exact=False,
        reason=reason,
        elements=elements,
        differing=differing,
        max_delta=sums.delta,
        cosine=cosine,
        scale=scale,
        worst=where,
        theta=limits.theta,
        tau=limits.tau,
    )


def _pick(values: NDArray[Any], mask: NDArray[np.bool_] | None, span: slice) -> NDArray[np.float64]:
    # A signalling NaN sets the invalid flag when it is widened.
    with np.errstate(invalid="ignore"):
        part = values[span].astype(np.float64)
    if mask is not None:
        # Unwritten elements are equal in both runs; as zeros they take no part in any figure.
        part = np.where(mask[span], part, 0.0)
    return part


def _largest(values: NDArray[np.float64]) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0))


def _accumulate(
    sums: _Sums,
    a: NDArray[Any],
    b: NDArray[Any],
    mask: NDArray[np.bool_] | None,
    span: slice,
    scale: float,
) -> None:
    x, y = _pick(a, mask, span), _pick(b, mask, span)
    special = ~(np.isfinite(x) & np.isfinite(y))
    if special.any():
        same = (np.isnan(x) & np.isnan(y)) | (x == y)
        wrong = np.flatnonzero(special & ~same)
        if wrong.size and sums.special < 0:
            sums.special = span.start + int(wrong[0])
        x, y = np.where(special, 0.0, x), np.where(special, 0.0, y)
    # Division by the scale keeps squares within range and makes delta relative.
    unit = scale or 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        x, y = x / unit, y / unit
        delta = np.abs(y - x)
        if scale == 0.0:
            # All-zero reference: nothing but zero is within any relative bound.
            delta = np.where(delta > 0.0, math.inf, 0.0)
        sums.dot += float(x @ y)
        sums.norm_a += float(x @ x)
        sums.norm_b += float(y @ y)
    largest = int(delta.argmax()) if delta.size else 0
    if delta.size and delta[largest] > sums.delta:
        sums.delta, sums.worst = float(delta[largest]), span.start + largest
