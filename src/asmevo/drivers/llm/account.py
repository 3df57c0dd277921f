"""What a run may spend on a model, and what it has spent, kept in the run store's journal.

A call is noted before it is sent and again when it has ended, so that a killed run neither forgets
what it spent nor pays for the same answer twice: a call that was under way counts at its worst.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asmevo.drivers.llm.talk import EndpointError, Reply
from asmevo.errors import InputError
from asmevo.search.driver import Journal

SENT, ANSWERED, FAILED = "call", "answer", "fault"
_MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Limits:
    """Most that the whole run may spend; None is without limit.

    Attributes:
        tokens: tokens sent and received.
        usd: dollars, by `price_in` and `price_out`.
        seconds: of calls and gates together.
        price_in, price_out: dollars for a million tokens sent and received.
        answer_tokens: most tokens of one answer.
    """

    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    answer_tokens: int = 8192

    def __post_init__(self) -> None:
        for name in ("tokens", "usd", "seconds", "price_in", "price_out"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InputError(f"{name} is {value}", "give a number >= 0")
        if self.answer_tokens < 1:
            raise InputError("an answer needs tokens", "give a number >= 1")
        if self.usd is not None and (self.price_in is None or self.price_out is None):
            raise InputError(
                "a limit in dollars needs prices",
                "give --price-in and --price-out, dollars for a million tokens",
            )

    def cost(self, given: int, made: int) -> float:
        """Dollars of a call; 0 where there are no prices."""
        return (given * (self.price_in or 0.0) + made * (self.price_out or 0.0)) / _MILLION


class Account:
    """What was spent. `attach` reads the journal of earlier processes."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.input_tokens = 0
        self.output_tokens = 0
        self.seconds = 0.0
        self.calls = 0
        self.assumed = 0
        self.faults: Counter[str] = Counter()
        self._journal: Journal | None = None

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.input_tokens + self.output_tokens

    @property
    def usd(self) -> float:
        """Dollars, 0 without prices."""
        return self.limits.cost(self.input_tokens, self.output_tokens)

    def attach(self, journal: Journal) -> None:
        """Take over what earlier processes noted; calls without an end count at their worst."""
        self._journal = journal
        under_way: dict[int, Mapping[str, Any]] = {}
        for entry in journal.journal():
            if entry.kind == SENT:
                self.calls += 1
                under_way[int(entry.data["call"])] = entry.data
            elif entry.kind in (ANSWERED, FAILED):
                under_way.pop(int(entry.data["call"]), None)
                self._add(entry.data)
        for number, data in sorted(under_way.items()):
            self.failed(
                number,
                EndpointError(
                    "lost", "the process ended while the call was under way", charged=True
                ),
                int(data["input_estimate"]),
                int(data["most_tokens"]),
                0.0,
            )

    def _add(self, data: Mapping[str, Any]) -> None:
        self.input_tokens += int(data["input_tokens"])
        self.output_tokens += int(data["output_tokens"])
        self.seconds += float(data["seconds"])
        self.assumed += bool(data["assumed"])
        if "kind" in data:
            self.faults[str(data["kind"])] += 1

    def room(self, input_estimate: int) -> int:
        """Tokens that the next answer may have; 0 when a limit is reached."""
        limits = self.limits
        most = limits.answer_tokens
        if limits.tokens is not None:
            if self.tokens >= limits.tokens:
                return 0
            most = min(most, max(limits.tokens - self.tokens - input_estimate, 1))
        if limits.usd is not None:
            left = limits.usd - self.usd
            if left <= 0:
                return 0
            if limits.price_out:
                after = left - limits.cost(input_estimate, 0)
                most = min(most, max(int(after * _MILLION / limits.price_out), 1))
        return most

    def sent(self, most_tokens: int, input_estimate: int, data: Mapping[str, Any]) -> int:
        """Note a call that is about to be sent; gives its number."""
        number = self.calls
        self.calls += 1
        self._note(SENT, {
            "call": number, "most_tokens": most_tokens, "input_estimate": input_estimate, **data,
        })  # fmt: skip
        return number

    def answered(self, number: int, reply: Reply, seconds: float, data: Mapping[str, Any]) -> None:
        """Note an answer and what it cost."""
        row = {
            "call": number,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "seconds": seconds,
            "assumed": reply.estimated,
            **data,
        }
        self._note(ANSWERED, row)
        self._add(row)

    def failed(
        self, number: int, err: EndpointError, input_estimate: int, most_tokens: int, seconds: float
    ) -> None:
        """Note a call without an answer; one that may have been paid for counts at its worst."""
        row = {
            "call": number,
            "kind": err.kind,
            "text": str(err)[:400],
            "input_tokens": input_estimate if err.charged else 0,
            "output_tokens": most_tokens if err.charged else 0,
            "seconds": seconds,
            "assumed": err.charged,
        }
        self._note(FAILED, row)
        self._add(row)

    def _note(self, kind: str, data: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.note(kind, data)

    def to_json(self) -> dict[str, Any]:
        """What was spent, for the report."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "usd": self.usd if self.limits.price_in is not None else None,
            "seconds": round(self.seconds, 3),
            "assumed": self.assumed,
            "faults": dict(sorted(self.faults.items())),
        }
