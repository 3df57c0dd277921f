"""Numbers of things, for people."""

from __future__ import annotations


def counted(number: int, noun: str, many: str = "") -> str:
    """`1 edit`, `2 edits`; `many` is the plural where it is not the noun and an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"
