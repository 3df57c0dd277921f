"""One question to a model: within the limits, accounted for, repeated when that may help."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from asmevo.drivers.llm.account import Account
from asmevo.drivers.llm.talk import (
    Endpoint,
    EndpointError,
    Message,
    Reply,
    ToolForm,
    estimated_tokens,
    size_of,
)

TRIES = 4
CALL_SECONDS = 300.0
_FIRST_WAIT = 0.5


class Exhausted(Exception):
    """A limit is reached, or the endpoint cannot be used; the text says which."""


class Caller:
    """See the module.

    Args:
        endpoint: where to ask.
        account: what is spent.
        seconds: most of one call.
        sleep: waits; tests take another.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        account: Account,
        seconds: float = CALL_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint
        self.account = account
        self._seconds = seconds
        self._sleep = sleep
        self.last_call = -1

    def ask(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        spent: Callable[[], float],
        data: Mapping[str, Any],
        kept: Callable[[Reply], Mapping[str, Any]],
    ) -> Reply | None:
        """The model's answer, or None when the endpoint gave none in all tries.

        Args:
            system, messages, tools: what is asked.
            spent: seconds of the run so far, calls and gates.
            data: noted in the journal with the call.
            kept: what to note of a reply, in the same entry as its cost.

        Raises:
            Exhausted: a limit is reached, or the endpoint refuses such calls.
        """
        characters = len(system) + sum(map(size_of, messages))
        estimate = estimated_tokens(characters + sum(len(str(t.parameters)) for t in tools))
        for n in range(TRIES):
            most = self.account.room(estimate)
            if most < 1:
                raise Exhausted("the limit of tokens or dollars is reached")
            left = self._left(spent)
            number = self.account.sent(
                most, estimate, data if n == 0 else {"again": self.last_call}
            )
            self.last_call = number
            start = time.monotonic()
            try:
                reply = self._endpoint.complete(
                    system, messages, tools, most, min(self._seconds, left)
                )
            except EndpointError as err:
                text = EndpointError(
                    err.kind, self._endpoint.hidden(str(err)), err.retry_after, charged=err.charged
                )
                self.account.failed(number, text, estimate, most, time.monotonic() - start)
                if not err.again:
                    raise Exhausted(f"the endpoint refuses the call: {text}") from None
                if n + 1 < TRIES:
                    wait = err.retry_after if err.retry_after is not None else _FIRST_WAIT * 2**n
                    self._sleep(min(wait, self._left(spent)))
                continue
            self.account.answered(number, reply, time.monotonic() - start, kept(reply))
            return reply
        return None

    def _left(self, spent: Callable[[], float]) -> float:
        limit = self.account.limits.seconds
        if limit is None:
            return math.inf
        left = limit - spent()
        if left <= 0:
            raise Exhausted("the limit of time is reached")
        return left
