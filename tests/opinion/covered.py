"""Which entries of the second opinion have a test of whole computations."""

from __future__ import annotations

from collections.abc import Callable

COVERED: dict[str, Callable[..., None]] = {}


def covers(*entries: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Name the entries (globs) that a test is the whole computation of."""

    def register(test: Callable[..., None]) -> Callable[..., None]:
        COVERED.update(dict.fromkeys(entries, test))
        return test

    return register
