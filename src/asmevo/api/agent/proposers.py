"""Drivers that need more than a name: a language model, another program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from asmevo.drivers import make_driver
from asmevo.drivers.external import ExternalDriver
from asmevo.errors import InputError
from asmevo.search.driver import Driver

EXTERNAL = "external:"
LLM = "llm"


@dataclass(frozen=True, slots=True)
class Agent:
    """How the driver `llm` works. None is without limit, or the endpoint's default.

    Attributes:
        model: name of the model, `openai:NAME` or `anthropic:NAME` where that is not clear.
        endpoint: base URL of an OpenAI-compatible endpoint, or of Anthropic's.
        starts: starts from different nodes, windows and kinds of edit.
        first: attempts of the rules before the agent; a quarter of the budget if None.
        seconds: most seconds of calls and gates together.
        tokens: most tokens, sent and received.
        usd: most dollars, by `price_in` and `price_out` (for a million tokens).
        answer_tokens: most tokens of one answer.
        call_seconds: most seconds of one call.
    """

    model: str | None = None
    endpoint: str | None = None
    starts: int = 4
    first: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    usd: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    answer_tokens: int = 8192
    call_seconds: float = 300.0


def proposer(
    name: str,
    seed: int,
    budget: int,
    agent: Agent | None = None,
    templates: tuple[Path, ...] = (),
) -> Driver:
    """A driver by name: one of `drivers.DRIVER_NAMES`, `external:CMD`, or `llm`.

    `templates` are folders of further rewrite templates, for the drivers that use the rules.

    Raises:
        InputError: no such driver, or an option that does not fit.
        EnvironmentFault: the driver needs a package that is not installed.
    """
    if name != LLM and agent is not None and agent != Agent():
        raise InputError("the agent's options are for --driver llm", "leave them out")
    if name.startswith(EXTERNAL):
        return ExternalDriver(name.removeprefix(EXTERNAL))
    if name != LLM:
        return make_driver(name, seed, templates)
    agent = agent or Agent()
    if not agent.model:
        raise InputError("--driver llm needs a model", "give --model, and --endpoint")
    from asmevo.drivers.llm.account import Limits
    from asmevo.drivers.llm.driver import LlmDriver, Options
    from asmevo.drivers.llm.endpoint import make_endpoint

    limits = Limits(
        agent.tokens, agent.usd, agent.seconds, agent.price_in, agent.price_out, agent.answer_tokens
    )
    first = budget // 4 if agent.first is None else agent.first
    options = Options(agent.starts, first, limits, agent.call_seconds)
    return LlmDriver(make_endpoint(agent.model, agent.endpoint), options, seed)
