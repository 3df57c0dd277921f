"""A conversation with a model, whatever its vendor calls the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Fault = Literal[
    "rate_limit", "server", "connection", "timeout", "cut", "too_large", "invalid", "refused",
    "lost",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that the model calls. `arguments` is what JSON gave, or the text where it is none."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: its words.
        uses: tools that it calls, in order.
        input_tokens, output_tokens: as the endpoint counts, else estimated.
        estimated: the endpoint gave no usable counts.
    """

    text: str
    uses: tuple[ToolUse, ...]
    input_tokens: int
    output_tokens: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user: the task, a reminder."""

    text: str


@dataclass(frozen=True, slots=True)
class Results:
    """Answers to the tools that the last reply called: (use, JSON text)."""

    answers: tuple[tuple[ToolUse, str], ...]


Message = Said | Reply | Results


@dataclass(frozen=True, slots=True)
class ToolForm:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]


class EndpointError(Exception):
    """A call that gave no answer.

    Attributes:
        kind: what happened.
        retry_after: seconds that the endpoint asks to wait, or None.
        charged: whether it may have been paid for all the same.
    """

    def __init__(
        self, kind: Fault, text: str, retry_after: float | None = None, *, charged: bool = False
    ) -> None:
        super().__init__(text)
        self.kind: Fault = kind
        self.retry_after = retry_after
        self.charged = charged

    @property
    def again(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind not in ("refused", "lost")


class Endpoint(Protocol):
    """Where a model is asked."""

    def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Reply:
        """One answer of at most `most_tokens` tokens, within about `seconds`.

        Raises:
            EndpointError: there was none.
        """
        ...

    def hidden(self, text: str) -> str:
        """The text without the key, should an endpoint have put it there."""
        ...


def size_of(message: Message) -> int:
    """Characters of a message."""
    if isinstance(message, Said):
        return len(message.text)
    if isinstance(message, Reply):
        return len(message.text) + sum(len(str(u.arguments)) + len(u.name) for u in message.uses)
    return sum(len(text) for _, text in message.answers)


def estimated_tokens(characters: int) -> int:
    """Tokens that a text may have: a cautious three characters each."""
    return characters // 3 + 1
