"""Error of each float element, judged against its own size and that of its neighbours.

The cosine and the largest |delta| of a whole buffer say nothing of its small elements once one
element is large: with one value of 1e9, 4999 of 5000 elements may be wrong. So each element is
judged against a scale of its own, the larger of its |reference| and the median |reference| of the
64 elements around it, which is what a sum of terms of that size may lose by another order. Three
rules, any of which a deviation can break:

- *local*: an element is off by more than twice `tau` (at least `LOCAL`, and a few steps of its
  type) of its scale; twice, because the scale of most elements is below the buffer's largest;
- *outlier*: among many elements a few are off far beyond the others. Rounding spreads over a
  buffer, a wrong element does not; this holds whatever tolerance was asked for;
- *share*: many elements are off by more than half of themselves, whatever was asked for.

Bounds: a sum of 4096 float32 terms in any order stays within 2^-13 of the size of its terms
(Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2: error grows as n*eps at
worst, as sqrt(n)*eps as a rule).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEIGHBOURS = 64  # elements whose median is the scale of each of them
LOCAL = 2.0e-3  # least relative bound of one element; twice tau where that is larger
STEPS = 4  # steps of the element type that rounding in another order may take
ISOLATED = 2.0**-13  # deviations below it are never called outliers
_ISOLATED_STEPS = 8
_OUTLIER = 16.0  # times the root mean square of the other deviations
_MANY = 256  # fewer elements have no "others" to compare with
_LEFT_OUT = 1000  # one element of so many may be the outlier itself
_LOST = 0.5  # an element off by more than this share of itself is lost
_MOST_LOST = 0.1
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Wrong:
    """An element that is wrong by a rule of the module: its flat index, and why in one line."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Steps:
    """Relative step and smallest positive value of an element type."""

    epsilon: float
    smallest: float

    @staticmethod
    def of(kind: np.dtype[Any]) -> _Steps:
        finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)
        info = finfo(kind)
        return _Steps(float(info.eps), float(info.smallest_subnormal))


def judge_elements(
    reference: NDArray[Any],
    candidate: NDArray[Any],
    shape: tuple[int, ...],
    mask: NDArray[np.bool_] | None,
    tau: float,
) -> Wrong | None:
    """The worst element that breaks a rule, or None.

    Args:
        reference: flat, of a float type.
        candidate: likewise; its infinities and NaN are where the reference has them.
        shape: elements per dimension; neighbours lie in one row (last dimension) where rows have
            at least `NEIGHBOURS` elements.
        mask: bool array [elements], those that count; None for all.
        tau: the relative tolerance that was asked for.
    """
    steps = _Steps.of(reference.dtype)
    local = max(2 * tau, LOCAL, STEPS * steps.epsilon)
    isolated = max(ISOLATED, _ISOLATED_STEPS * steps.epsilon)
    columns = shape[-1] if shape and shape[-1] >= NEIGHBOURS else len(reference)
    fallback = _fallback(reference, mask, columns)
    errors = np.zeros(len(reference))
    lost = counted = 0
    first_lost = -1
    worst, at = 0.0, 0
    for first, rows, width in _spans(len(reference), columns):
        part = slice(first, first + rows * width)
        keep = None if mask is None else mask[part]
        r, delta = _part(reference, candidate, part, keep)
        own = np.abs(r)
        scale = np.maximum(own, _scales(own.reshape(rows, width), fallback).reshape(-1))
        over = np.maximum(delta - STEPS * steps.smallest, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(over > 0.0, over / scale, 0.0)
        errors[part] = relative
        gone = (own > 0.0) & (over > max(_LOST, STEPS * steps.epsilon) * own)
        if gone.any() and first_lost < 0:
            first_lost = first + int(gone.argmax())
        lost, counted = lost + int(gone.sum()), counted + int((own > 0.0).sum())
        if relative.size and relative.max() > worst:
            worst, at = float(relative.max()), first + int(relative.argmax())
    if worst > local:
        return Wrong(at, f"|delta| {worst:.3g} of the elements around it is above {local:.3g}")
    if lost > _MOST_LOST * counted:
        return Wrong(first_lost, f"{lost} of {counted} elements lost more than half of themselves")
    if worst > isolated and len(errors) >= _MANY:
        others = np.partition(errors, len(errors) - 1 - len(errors) // _LEFT_OUT)
        rest = others[: len(errors) - 1 - len(errors) // _LEFT_OUT]
        spread = float(np.sqrt(np.mean(rest * rest)))
        if worst > _OUTLIER * spread:
            return Wrong(
                at, f"|delta| {worst:.3g} of the elements around it stands alone "
                f"(root mean square of the others {spread:.3g})",
            )  # fmt: skip
    return None


def _spans(count: int, columns: int) -> Iterator[tuple[int, int, int]]:
    """(first element, rows, columns) of pieces of about `_CHUNK` elements."""
    if columns > _CHUNK:
        for row in range(0, count, columns):
            for column in range(0, columns, _CHUNK):
                yield row + column, 1, min(_CHUNK, columns - column)
        return
    step = max(1, _CHUNK // max(1, columns))
    rows = count // max(1, columns)
    for row in range(0, rows, step):
        yield row * columns, min(step, rows - row), columns


def _part(
    a: NDArray[Any], b: NDArray[Any], part: slice, keep: NDArray[np.bool_] | None
) -> tuple[Array, Array]:
    """Reference and |delta| of a span; what does not count, and is not finite, is 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        x, y = a[part].astype(np.float64), b[part].astype(np.float64)
        usable = np.isfinite(x) & np.isfinite(y)
        if keep is not None:
            usable &= keep
        x = np.where(usable, x, 0.0)
        # Halves cannot overflow.
        delta = np.where(usable, 2.0 * np.abs(np.where(usable, y, 0.0) / 2 - x / 2), 0.0)
    return x, delta


def _median(values: Array) -> Array:
    """Median of the positive values of each row (the lower one of two); 0 where there is none."""
    ordered = np.sort(values, axis=-1)
    width = values.shape[-1]
    positive = (ordered > 0.0).sum(axis=-1)
    # Zeros come first; the median lies in the middle of what follows them.
    where = np.minimum(width - positive + (positive - 1) // 2, width - 1)
    found = np.take_along_axis(ordered, where[..., None], axis=-1)[..., 0]
    return np.where(positive > 0, found, 0.0)


def _scales(own: Array, fallback: float) -> Array:
    """Scale of each element of [rows, columns] from its neighbours in the row."""
    rows, columns = own.shape
    whole = columns // NEIGHBOURS * NEIGHBOURS
    out = np.empty_like(own)
    if whole:
        pieces = _median(own[:, :whole].reshape(rows, -1, NEIGHBOURS))
        out[:, :whole] = np.repeat(pieces, NEIGHBOURS, axis=1)
    if whole < columns:
        out[:, whole:] = _median(own[:, -NEIGHBOURS:])[:, None]
    return np.where(out > 0.0, out, fallback)


def _fallback(reference: NDArray[Any], mask: NDArray[np.bool_] | None, columns: int) -> float:
    """Scale where all neighbours are zero: the median of the buffer's nonzero medians."""
    found: list[Array] = []
    for first, rows, width in _spans(len(reference), columns):
        part = slice(first, first + rows * width)
        keep = None if mask is None else mask[part]
        own = np.abs(_part(reference, reference, part, keep)[0])
        found.append(_median(_scales(own.reshape(rows, width), 0.0)))
    medians = np.concatenate(found) if found else np.zeros(0)
    return float(_median(medians[None, :])[0]) if medians.size else 0.0
