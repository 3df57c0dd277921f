"""What every result has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Answer of a use case.

    Attributes:
        ok: yes, or a well-founded no.
        status: the verdict word.
        reason: why it is a no, or what was achieved; may be empty.
        data: the fields of the JSON object, plain values only.
    """

    ok: bool
    status: str
    reason: str
    data: dict[str, Any]
