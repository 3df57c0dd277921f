"""The driver `asked`: whoever holds it calls tools and proposes; it only passes things on.

The controller runs in a thread of its own and owns the store, the device and the run's state.
Calls come through a queue and are carried out in that thread, so that a caller never touches
anything but answers. A proposal goes to the gates; its verdict is the answer to the call.
"""

from __future__ import annotations

import queue
from dataclasses import dataclass, field

from asmevo.drivers.tools import Answer, Refused, call, verdict
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call on its way: `reply` gets exactly one answer."""

    name: str
    arguments: object
    reply: queue.SimpleQueue[Answer] = field(default_factory=queue.SimpleQueue[Answer])


class AskedDriver:
    """See the module.

    Args:
        name: for the lineage.
        budget: attempts of the whole run; reading goes on when they are used up.
    """

    deterministic = False
    seed = 0

    def __init__(self, name: str, budget: int) -> None:
        self.name = name
        self._budget = budget
        self._inbox: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._context: Context | None = None
        self._pending: Call | None = None

    def submit(self, item: Call | None) -> None:
        """Hand in a call from any thread; None ends the run."""
        self._inbox.put(item)

    def ask(self, context: Context) -> Proposal | None:
        """Carry out calls until one of them proposes something."""
        self._context = context
        while (item := self._inbox.get()) is not None:
            outcome = call(context, item.name, item.arguments)
            if isinstance(outcome, Answer):
                item.reply.put(self._limited(outcome))
            elif self._left(context) < 1:
                item.reply.put(Refused(error="the budget of attempts is used up"))
            else:
                self._pending = item
                return outcome
        return None

    def tell(self, attempt: Attempt) -> None:
        """Answer the call that proposed it; recorded attempts of earlier processes have none."""
        item, self._pending = self._pending, None
        if item is not None and self._context is not None:
            item.reply.put(self._limited(verdict(self._context, attempt)))

    def abandon(self, answer: Answer) -> None:
        """Give every call that still waits this answer: the run has ended."""
        if self._pending is not None:
            self._pending.reply.put(answer)
            self._pending = None
        while not self._inbox.empty():
            item = self._inbox.get()
            if item is not None:
                item.reply.put(answer)

    def _left(self, context: Context) -> int:
        return self._budget - len(context.attempts)

    def _limited(self, answer: Answer) -> Answer:
        # The controller's own budget is without end here, so that tools can still be read.
        if self._context is None or not hasattr(answer, "remaining"):
            return answer
        return answer.model_copy(update={"remaining": max(self._left(self._context), 0)})
