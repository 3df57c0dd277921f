"""The tools that a proposer has, whoever it is: a model, a person's agent, another program.

One table: the language model driver, the external protocol, the MCP server and the command line
all offer these and no others. A tool reads the run, or makes a proposal that the gates judge. None
accepts, installs, changes a threshold or has an effect outside the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from asmevo.drivers.tools import looking, model, proposing, remembering
from asmevo.drivers.tools.facts import facts
from asmevo.drivers.tools.model import Answer, Refused, Request, Verdict
from asmevo.drivers.tools.text import shown
from asmevo.drivers.tools.verdicts import verdict
from asmevo.errors import AsmEvoError, InputError
from asmevo.search.driver import Context
from asmevo.search.types import Proposal

_Carry = Callable[[Context, Any], Answer | Proposal]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: its name.
        description: what it is for, as a model reads it.
        request: form of its arguments.
        answer: form of its result.
        carry: carries it out; a `Proposal` goes to the gates and comes back as a `Verdict`.
    """

    name: str
    description: str
    request: type[Request]
    answer: type[Answer]
    carry: _Carry

    @property
    def proposes(self) -> bool:
        """Whether a call costs an attempt."""
        return self.answer is Verdict

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return self.request.model_json_schema()


def _report(context: Context, request: model.NoArguments) -> Answer:
    del request
    return remembering.report(context)


_ALL = (
    Tool("listing", "Instructions of a node's kernel as `index: text`, labels as `LN:`.",
         model.ListingRequest, model.Listing, looking.listing),
    Tool("window", "A hot window (rank 0 is the hottest) or a range: text, stall cycles per "
         "instruction, live-in and live-out registers, registers that are free in all of it.",
         model.WindowRequest, model.Window, looking.window),
    Tool("profile", "Where a node's time goes: hot windows, stalls by kind of instruction, "
         "registers and occupancy.", model.ProfileRequest, model.Profiled, looking.profile),
    Tool("facts", "What instructions do and ask for: operands, wait counters, clocks, hazards with "
         "their wait states.", model.FactsRequest, model.Facts, facts),
    Tool("propose", "Propose edits of an accepted node. Each replaces instructions [first, last) "
         "by lines, each one instruction or one `label:`. Costs an attempt; all gates judge it.",
         model.ProposeRequest, Verdict, proposing.propose),
    Tool("compose", "Propose what was accepted on another branch as edits of a node. Costs an "
         "attempt.", model.ComposeRequest, Verdict, proposing.compose),
    Tool("history", "The last attempts with their verdicts, and all accepted nodes.",
         model.HistoryRequest, model.History, remembering.history),
    Tool("failures", "What failed, grouped by gate and cause; with edits: whether this change "
         "failed before.", model.FailuresRequest, model.Failures, remembering.failures),
    Tool("diff", "What stands otherwise in one accepted node than in another.",
         model.DiffRequest, model.Diff, looking.diff),
    Tool("report", "Where the run stands: best node, lineage, verdicts, attempts left.",
         model.NoArguments, model.Report, _report),
)  # fmt: skip
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}


def call(context: Context, name: str, arguments: object) -> Answer | Proposal:
    """Carry out one call by name. Never raises on what a caller may get wrong.

    Args:
        context: the run.
        name: of the tool.
        arguments: as JSON gives them; anything but an object that fits is refused.

    Returns:
        The answer, a `Proposal` for the gates, or `Refused`.
    """
    tool = TOOLS.get(name)
    if tool is None:
        return Refused(
            error=f"there is no tool {shown(name, 60)}", remedy="tools are " + ", ".join(TOOLS)
        )
    if not isinstance(arguments, Mapping):
        return Refused(error="arguments must be a JSON object")
    try:
        request = tool.request.model_validate(dict(cast(Mapping[str, Any], arguments)))
    except ValidationError as err:
        return Refused(error=faults(err), remedy=f"see the parameters of {name}")
    except RecursionError:
        return Refused(error="arguments are nested too deep")
    try:
        return tool.carry(context, request)
    except AsmEvoError as err:
        if err.status == "infrastructure_error":
            raise
        remedy = err.remedy if isinstance(err, InputError) else ""
        return Refused(error=shown(str(err.args[0]) if err.args else ""), remedy=shown(remedy))


def faults(err: ValidationError) -> str:
    """The first faults of a request in words, without the values themselves."""
    found = [
        f"{'.'.join(str(p) for p in e['loc']) or 'arguments'}: {e['msg']}"
        for e in err.errors(include_input=False, include_url=False)[:4]
    ]
    return shown("; ".join(found), 400)


__all__ = ["TOOLS", "Answer", "Refused", "Request", "Tool", "Verdict", "call", "faults", "verdict"]
