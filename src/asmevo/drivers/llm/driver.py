"""The driver `llm`: asks a model, carries out its tools, hands its proposals to the gates.

One start after the other: each has a node, a window and an angle of its own, a conversation, and
notes that outlive it in the run store. Before the first start the rules may have a turn. What the
model says is only ever arguments of tools; what it is told is in the journal, with its cost.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from asmevo.drivers.llm import prompt
from asmevo.drivers.llm.account import ANSWERED, Account, Limits
from asmevo.drivers.llm.calls import CALL_SECONDS, Caller, Exhausted
from asmevo.drivers.llm.plan import Start, compositions, next_start
from asmevo.drivers.llm.talk import (
    Endpoint,
    Message,
    Reply,
    Results,
    Said,
    ToolForm,
    ToolUse,
    size_of,
)
from asmevo.drivers.rules import RulesDriver
from asmevo.drivers.tools import TOOLS, Answer, Refused, call, verdict
from asmevo.drivers.tools.model import (
    FailuresRequest,
    NoArguments,
    ProfileRequest,
    WindowRequest,
)
from asmevo.errors import InputError
from asmevo.program.edit import Edit
from asmevo.search.driver import Context, Journal
from asmevo.search.store import Entry
from asmevo.search.types import Attempt, Proposal, edit_id

BEGUN, PROPOSED, NOTES = "start", "proposed", "notes"
MOST_USES = 12  # tools carried out of one answer
MOST_TEXT = 60_000  # characters of an answer that are kept
_MOST_TALK = 120_000  # characters of a conversation, then it begins anew from its notes
_PATIENCE = 4  # proposals without a gain before a start is sent elsewhere
_REDIRECTIONS = 2
_MOST_IDLE = 10  # answers in a row of which no attempt came
_FAILED_CALLS = 3  # in a row, each after several tries
_NOTE = ToolForm(
    "note",
    "Keep a remark for later sessions of this run.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 2000}},
        "required": ["text"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class Options:
    """How the agent works.

    Attributes:
        starts: starts in all; those after a round without any gain are left out.
        first: attempts of the rules before the agent.
        limits: most that may be spent.
        call_seconds: most that one call may take.
    """

    starts: int = 4
    first: int = 0
    limits: Limits = field(default_factory=Limits)
    call_seconds: float = CALL_SECONDS

    def __post_init__(self) -> None:
        if self.starts < 1 or self.first < 0:
            raise InputError("the agent needs a start", "give --starts at least 1")


def tool_forms() -> list[ToolForm]:
    """The tools as a model is told of them."""
    return [
        *(ToolForm(t.name, t.description, inlined(t.parameters)) for t in TOOLS.values()),
        _NOTE,
    ]


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema without references, which not every endpoint resolves."""
    known = schema.get("$defs", {})

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(v) for v in cast(list[Any], value)]
        if not isinstance(value, dict):
            return value
        found = cast(dict[str, Any], value)
        if "$ref" in found:
            return walk(known[str(found["$ref"]).rpartition("/")[2]])
        return {k: walk(v) for k, v in found.items() if k != "$defs"}

    return walk(schema)


class _Kept:
    """A journal with its entries in memory: what was noted can be told when the store is closed."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._entries = list(journal.journal())

    def note(self, kind: str, data: Mapping[str, Any]) -> Entry:
        """See `search.driver.Journal`."""
        self._entries.append(self._journal.note(kind, data))
        return self._entries[-1]

    def journal(self, kind: str | None = None) -> Sequence[Entry]:
        """See `search.driver.Journal`."""
        return [e for e in self._entries if kind in (None, e.kind)]


class LlmDriver:
    """See the module.

    Args:
        endpoint: where the model is asked.
        options: how to work.
        seed: of the rules, where they go first.
    """

    name = "llm"
    deterministic = False

    def __init__(self, endpoint: Endpoint, options: Options | None = None, seed: int = 0) -> None:
        self.seed = seed
        self.options = options or Options()
        self.account = Account(self.options.limits)
        self.stopped = ""
        self._endpoint = endpoint
        self._caller = Caller(endpoint, self.account, self.options.call_seconds)
        self._rules: RulesDriver | None = RulesDriver(seed)
        self._journal: _Kept | None = None
        self._context: Context | None = None
        self._forms = tool_forms()
        self._starts: list[Start] = []
        self._start: Start | None = None
        self._messages: list[Message] = []
        self._new: list[str] = []
        self._uses: deque[ToolUse] = deque()
        self._answers: list[tuple[ToolUse, str]] = []
        self._open: ToolUse | None = None
        self._own: deque[Proposal] = deque()  # compositions, and what a killed process left over
        self._asked: str = ""  # who made the proposal that is with the gates
        self._failed = 0
        self._gates = 0.0
        self._seen = 0
        self._recovered = False

    # --- the driver's part --------------------------------------------------------------------
    def attach(self, journal: Journal) -> None:
        """Take the journal, and over what earlier processes spent."""
        self._journal = _Kept(journal)
        self.account.attach(self._journal)

    def ask(self, context: Context) -> Proposal | None:
        """The next proposal; None when the agent stops, and `stopped` says why."""
        self._context = context
        if not self._recovered:
            self._recovered = True
            self._recover(context)
        try:
            while True:
                found = self._next(context)
                if found is not None:
                    return found
        except Exhausted as err:
            self.stopped = str(err)
        self._end_start()
        return None

    def tell(self, attempt: Attempt) -> None:
        """Take note of a finished attempt and tell the model, if it was the one to propose it."""
        self._seen += 1
        self._gates += attempt.seconds
        if self._asked == "rules" and self._rules is not None:
            self._rules.tell(attempt)
        if self._asked in ("model", "left over") and self._start is not None:
            self._start.told(attempt)
        if self._open is not None and self._context is not None:
            self._answers.append((self._open, verdict(self._context, attempt).as_text()))
        self._open, self._asked = None, ""

    def report(self) -> dict[str, Any]:
        """What the agent did and spent."""
        return {
            **self.account.to_json(),
            "starts": len(self._starts),
            "stopped": self.stopped,
            "notes": [dict(e.data) for e in self._entries(NOTES)],
            "proposals": [
                {k: e.data[k] for k in ("attempt", "call", "start")}
                for e in self._entries(PROPOSED)
            ],
        }

    # --- where proposals come from ------------------------------------------------------------
    def _next(self, context: Context) -> Proposal | None:
        if self._rules is not None:
            found = self._rules.ask(context) if self._seen < self.options.first else None
            if found is not None:
                self._asked = "rules"
                return found
            self._rules = None
        if self._own:
            found = self._own.popleft()
            self._asked = self._asked_for(found)
            if not context.tried(found.parent, found.edits):
                return found
            return None
        if self._uses:
            return self._carry(context, self._uses.popleft())
        if self._answers:
            self._say(Results(tuple(self._answers)))
            self._answers = []
        self._turn(context)
        return None

    def _asked_for(self, proposal: Proposal) -> str:
        return "compose" if proposal.rule == "compose" else "left over"

    def _carry(self, context: Context, use: ToolUse) -> Proposal | None:
        """Carry out one tool of an answer; a proposal that was tried already is answered here."""
        assert self._start is not None, "a tool without a start"
        if use.name == _NOTE.name:
            self._answers.append((use, self._noted(use)))
            return None
        outcome = call(context, use.name, use.arguments)
        if isinstance(outcome, Answer):
            self._answers.append((use, outcome.as_text()))
            return None
        if context.tried(outcome.parent, outcome.edits):
            self._answers.append((use, self._known(context, outcome).as_text()))
            return None
        self._note_proposal(context, outcome, self._caller.last_call)
        self._open, self._asked = use, "model"
        return outcome

    def _known(self, context: Context, proposal: Proposal) -> Answer:
        for attempt in context.attempts:
            same = (attempt.proposal.parent, attempt.proposal.edit)
            if same == (proposal.parent, proposal.edit):
                return verdict(context, attempt)
        return Refused(error="this exact edit was tried already")

    def _noted(self, use: ToolUse) -> str:
        assert self._start is not None, "a note without a start"
        given: Any = use.arguments
        text = cast(dict[str, Any], given).get("text") if isinstance(given, dict) else None
        if not isinstance(text, str) or len(text) > 2000:
            return Refused(error="note takes a text of at most 2000 characters").as_text()
        self._start.words.append(text)
        return '{"schema":"asmevo/tool-note/1","kept":true}'

    # --- the conversation ---------------------------------------------------------------------
    def _turn(self, context: Context) -> None:
        """One question to the model and its answer, within a start that is worth going on with."""
        if self._start is not None and self._finished(context, self._start):
            self._end_start()
            self._own.extend(compositions(context, 2))
            return
        if self._start is None:
            self._begin(context)
        assert self._start is not None, "no start was begun"
        if sum(map(size_of, self._messages)) > _MOST_TALK:
            self._open_talk(context, self._start, going_on=True)
        start = self._start
        new, self._new = self._new, []
        reply = self._caller.ask(
            prompt.SYSTEM, self._messages, self._forms, lambda: self.account.seconds + self._gates,
            {"start": start.number, "said": [self._endpoint.hidden(text) for text in new]},
            self._kept,
        )  # fmt: skip
        if reply is None:
            self._failed += 1
            if self._failed >= _FAILED_CALLS:
                raise Exhausted("the endpoint does not answer")
            return
        self._failed = 0
        self._hear(start, reply)

    def _hear(self, start: Start, reply: Reply) -> None:
        kept = Reply(
            self._endpoint.hidden(reply.text[:MOST_TEXT]),
            tuple(self._clean(use) for use in reply.uses[: 4 * MOST_USES]),
            reply.input_tokens,
            reply.output_tokens,
        )
        self._messages.append(kept)
        start.idle += 1  # until an attempt comes of it
        self._uses.extend(kept.uses[:MOST_USES])
        over = Refused(error=prompt.TOO_MANY).as_text()
        self._answers = [(use, over) for use in kept.uses[MOST_USES:]]
        if not kept.uses:
            words = kept.text.strip()
            if words.lower().rstrip(".!") == "done" or len(words) < 1:
                start.idle += _MOST_IDLE // 2
            self._say(Said(prompt.NUDGE))

    def _clean(self, use: ToolUse) -> ToolUse:
        """A use without the key, should the endpoint have put it there."""
        text = self._endpoint.hidden(json.dumps([use.id[:80], use.name[:80], use.arguments]))
        return ToolUse(*json.loads(text))

    def _kept(self, reply: Reply) -> dict[str, Any]:
        """A reply as the journal keeps it: bounded, without the key."""
        uses = [
            [use.id[:80], use.name[:80], json.dumps(use.arguments)[:MOST_TEXT]]
            for use in reply.uses[: 4 * MOST_USES]
        ]
        row = json.dumps([reply.text[:MOST_TEXT], uses, len(reply.uses)])
        text, tools, count = json.loads(self._endpoint.hidden(row))
        return {"text": text, "uses": tools, "tools": count}

    def _say(self, message: Said | Results) -> None:
        self._messages.append(message)
        texts = [message.text] if isinstance(message, Said) else [t for _, t in message.answers]
        self._new.extend(text[:MOST_TEXT] for text in texts)

    # --- starts -------------------------------------------------------------------------------
    def _finished(self, context: Context, start: Start) -> bool:
        """Whether a start is over; one that stalls is sent elsewhere first."""
        share = -(-(context.remaining + len(start.attempts)) // self._left())
        if start.idle >= _MOST_IDLE or len(start.attempts) >= max(share, 1):
            return True
        if start.barren >= _PATIENCE * (start.redirected + 1):
            if start.redirected >= _REDIRECTIONS:
                return True
            start.redirected += 1
            angle = prompt.ANGLES[(start.angle + start.redirected) % len(prompt.ANGLES)]
            windows = context.windows(context.best.id)
            hot = windows[(start.rank + start.redirected) % len(windows)]
            where = {"node": context.best.id[:16], "first": hot.first, "last": hot.last}
            self._say(Said(prompt.redirection(start.barren, angle, where)))
        return False

    def _left(self) -> int:
        """Starts that the remaining attempts are for, the present one included."""
        return max(self.options.starts - len(self._starts) + 1, 1)

    def _begin(self, context: Context) -> None:
        if len(self._starts) >= self.options.starts:
            raise Exhausted("all starts are used up")
        start = next_start(context, self._starts, len(self._starts), len(prompt.ANGLES))
        self._starts.append(start)
        self._start = start
        self._note(
            BEGUN,
            {"start": start.number, "node": start.node, "rank": start.rank, "angle": start.angle},
        )
        self._open_talk(context, start, going_on=False)

    def _open_talk(self, context: Context, start: Start, *, going_on: bool) -> None:
        if going_on:
            self._note(NOTES, {**start.notes(), "going_on": True})
        node = context.best.id if going_on else start.node
        parts: dict[str, Answer] = {}
        wanted: Sequence[tuple[str, Any]] = (
            ("report", NoArguments()),
            ("profile", ProfileRequest(node=node)),
            ("window", WindowRequest(node=node, rank=start.rank)),
            ("failures", FailuresRequest(node=node)),
        )
        for name, request in wanted:
            found = call(context, name, request.model_dump())
            if isinstance(found, Answer):
                parts[name] = found
        notes = [e.data for e in self._entries(NOTES)][-4:]
        self._messages, self._answers = [], []
        self._uses.clear()
        angle = prompt.ANGLES[start.angle]
        self._say(Said(prompt.opening(start.number, angle, parts, notes, going_on)))

    def _end_start(self) -> None:
        if self._start is not None:
            self._note(NOTES, {**self._start.notes(), "going_on": False})
        self._start = None
        self._uses.clear()
        self._answers = []

    # --- the journal --------------------------------------------------------------------------
    def _note(self, kind: str, row: dict[str, Any]) -> None:
        if self._journal is not None:
            self._journal.note(kind, json.loads(self._endpoint.hidden(json.dumps(row))))

    def _entries(self, kind: str) -> Sequence[Entry]:
        return self._journal.journal(kind) if self._journal is not None else ()

    def _recover(self, context: Context) -> None:
        """Go on where a killed process left off: starts, notes, and proposals paid for."""
        ended = {int(e.data["start"]) for e in self._entries(NOTES) if not e.data["going_on"]}
        proposed = [e.data for e in self._entries(PROPOSED)]
        for entry in self._entries(BEGUN):
            row = entry.data
            self._starts.append(Start(row["start"], row["node"], row["rank"], row["angle"]))
        if not self._starts or self._starts[-1].number in ended:
            return
        # The start that was under way goes on: with a new conversation, from the notes.
        self._start = self._starts[-1]
        done = {(a.proposal.parent, a.proposal.edit): a for a in context.attempts}
        for row in proposed:
            attempt = done.get((row["parent"], edit_id(_edits_of(row))))
            if row["start"] == self._start.number and attempt is not None:
                self._start.told(attempt)
        self._open_talk(context, self._start, going_on=True)
        self._own.extend(self._left_over(context, proposed))

    def _left_over(self, context: Context, proposed: Sequence[Any]) -> list[Proposal]:
        """Proposals of the last answer that no gate has seen: they are paid for."""
        answers = self._entries(ANSWERED)
        if not answers:
            return []
        last = answers[-1].data
        rows = [row for row in proposed if row["call"] == last["call"]]
        found = [Proposal(r["parent"], _edits_of(r), r["rationale"], r["rule"]) for r in rows]
        uses = [u for u in last["uses"][:MOST_USES] if u[1] in TOOLS and TOOLS[u[1]].proposes]
        # An answer whose proposal had been tried before has a use more than it has rows.
        for _, name, arguments in uses[len(rows) :]:
            try:
                outcome = call(context, name, json.loads(arguments))
            except ValueError:
                continue
            if isinstance(outcome, Proposal):
                found.append(outcome)
                self._note_proposal(context, outcome, int(last["call"]))
        return [p for p in found if not context.tried(p.parent, p.edits)]

    def _note_proposal(self, context: Context, proposal: Proposal, number: int) -> None:
        assert self._start is not None, "a proposal without a start"
        self._note(PROPOSED, {
            "attempt": len(context.attempts),
            "call": number,
            "start": self._start.number,
            "parent": proposal.parent,
            "edits": [[e.first, e.last, list(e.lines)] for e in proposal.edits],
            "rationale": proposal.rationale,
            "rule": proposal.rule,
        })  # fmt: skip


def _edits_of(row: Any) -> tuple[Edit, ...]:
    return tuple(Edit(first, last, tuple(lines)) for first, last, lines in row["edits"])
