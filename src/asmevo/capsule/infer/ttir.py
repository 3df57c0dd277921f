"""Names and types of a Triton kernel's arguments, from the `.ttir` that Triton keeps beside it.

Only the signature of the kernel's function is read (MLIR, `tt.func public @name(...)`): arguments
that Triton specialised away are not in it, and the pointers that it appends are not, either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LONGEST = 16 << 20
_HEAD = re.compile(r"tt\.func\s+public\s+@([\w.$-]+)\(")
_ARG = re.compile(r"%([A-Za-z_]\w*)\s*:\s*(!tt\.ptr<\s*([\w.]+)[^>]*>|!tt\.tensordesc|[a-z]+\w*)")
_DIVISIBLE = re.compile(r"tt\.divisibility\s*=\s*(\d+)")
_TYPES = {
    "f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16",
    "i1": "i8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "f8E4M3FNUZ": "e4m3fnuz", "f8E5M2FNUZ": "e5m2fnuz", "f8E4M3FN": "e4m3fn", "f8E5M2": "e5m2",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TritonArgument:
    """One argument of the signature.

    Attributes:
        name: as in the Python source.
        dtype: of the value, or of the elements behind a pointer; empty where it is not known.
        pointer: whether it is a pointer.
        divisible: every value is a multiple of this, as the compiler was told.
    """

    name: str
    dtype: str
    pointer: bool
    divisible: int = 1


def signature(text: str, kernel: str) -> tuple[TritonArgument, ...]:
    """Arguments of the kernel's function in order; empty where the text has no such function."""
    for head in _HEAD.finditer(text):
        if head[1] == kernel or kernel.startswith(head[1]):
            return tuple(_argument(part) for part in _parts(text, head.end()))
    return ()


def read(object: Path, kernel: str) -> tuple[TritonArgument, ...]:
    """`signature` of the `.ttir` beside an object; empty where there is none that can be read."""
    path = object.with_suffix(".ttir")
    try:
        if path.stat().st_size > LONGEST:
            return ()
        return signature(path.read_text(encoding="utf-8"), kernel)
    except (OSError, ValueError):
        return ()


def _parts(text: str, start: int) -> list[str]:
    """The arguments between the parenthesis that opens before `start` and the one that closes."""
    depth, first, parts = 0, start, list[str]()
    quoted = False
    for at in range(start, len(text)):
        c = text[at]
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            if c == ")" and depth == 0:
                parts.append(text[first:at])
                return [p for p in parts if p.strip()]
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[first:at])
            first = at + 1
    return []


def _argument(part: str) -> TritonArgument:
    found = _ARG.search(part)
    if found is None:
        return TritonArgument("", "", "ptr" in part)
    name, whole, element = found.groups()
    divisible = _DIVISIBLE.search(part)
    return TritonArgument(
        name,
        _TYPES.get(element or whole, ""),
        element is not None,
        int(divisible[1]) if divisible else 1,
    )
