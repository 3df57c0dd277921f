"""Device globals are compared like buffers: byte for byte, because nobody declares their type.

Bytes in which K0's own runs differ (in wave order, placement, or what was undefined) are no fixed
reference: they are left out and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import CodeObject
from asmevo.device.globals import named
from asmevo.errors import AsmEvoError

Contents = Mapping[str, bytes]


def varying(runs: Sequence[Contents]) -> dict[str, NDArray[np.bool_]]:
    """Bytes of each section that are not the same after all runs of K0 from one state."""
    first = runs[0]
    found: dict[str, NDArray[np.bool_]] = {}
    for name, contents in first.items():
        mask = np.zeros(len(contents), np.bool_)
        for other in runs[1:]:
            mask |= _unequal(contents, other.get(name, contents))
        if mask.any():
            found[name] = mask
    return found


def differing(
    expected: Contents, found: Contents, unstable: Mapping[str, NDArray[np.bool_]], object: bytes
) -> str:
    """The first variable that a candidate leaves otherwise than K0, or an empty string.

    Args:
        expected: after K0.
        found: after the candidate.
        unstable: bytes that do not count, as `varying` gives them.
        object: the candidate, whose symbols name the place.
    """
    for name, contents in expected.items():
        other = found.get(name)
        if other is None or len(other) != len(contents):
            return f"device globals in {name} are of another size"
        unequal = _unequal(contents, other)
        if name in unstable:
            unequal &= ~unstable[name]
        if unequal.any():
            at = int(unequal.argmax())
            return (
                f"{place(object, name, at)}: {contents[at]:#04x} after K0, {other[at]:#04x} after "
                f"the candidate; {int(unequal.sum())} bytes differ"
            )
    return ""


def place(object: bytes, section: str, offset: int) -> str:
    """The variable at a place of a writable section, as its symbols name it."""
    try:
        return named(CodeObject.open(object), section, offset)
    except AsmEvoError:
        return f"byte {offset} of {section}"


def _unequal(a: bytes, b: bytes) -> NDArray[np.bool_]:
    if a == b:
        return np.zeros(len(a), np.bool_)
    return np.frombuffer(a, np.uint8) != np.frombuffer(b, np.uint8)
