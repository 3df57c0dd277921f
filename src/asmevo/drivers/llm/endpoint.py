"""Endpoints of language models: OpenAI-compatible ones and Anthropic's, through the vendors' SDKs.

The SDKs are the extra `asmevo[llm]` and are imported when an endpoint is made. They retry nothing
here: whoever calls counts what is spent. The key comes from the environment, goes into the SDK's
client and nowhere else; an endpoint that puts it into its answers is not repeated.
"""

from __future__ import annotations

import email.utils
import json
import math
import os
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from asmevo.drivers.llm.talk import (
    EndpointError,
    Message,
    Reply,
    Said,
    ToolForm,
    ToolUse,
    estimated_tokens,
    size_of,
)
from asmevo.errors import EnvironmentFault, InputError

if TYPE_CHECKING:
    from asmevo.drivers.llm.transport import BoundedTransport

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
OWN_KEY = "ASMEVO_API_KEY"
LONGEST_WAIT = 60.0  # seconds that an endpoint may ask to be left alone
_GRACE = 2.0
_NOT_NEEDED = "none"  # local servers take any key


def provider_of(model: str, endpoint: str | None) -> tuple[str, str]:
    """(provider, model name) of `--model`; a prefix `openai:` or `anthropic:` decides."""
    prefix, colon, name = model.partition(":")
    if colon and prefix in KEYS:
        return prefix, name
    if model.startswith("claude") and (endpoint is None or "anthropic" in endpoint):
        return "anthropic", model
    return "openai", model


def make_endpoint(model: str, endpoint: str | None = None) -> SdkEndpoint:
    """The endpoint of a model.

    Args:
        model: its name, `openai:NAME` or `anthropic:NAME` where that is not clear.
        endpoint: base URL; the vendor's own by default.

    Raises:
        InputError: no model, no usable URL, or no key where one is needed.
        EnvironmentFault: the extra is not installed.
    """
    provider, name = provider_of(model, endpoint)
    if not name or not name.isprintable():
        raise InputError("--model is empty", "name a model of the endpoint")
    if endpoint is not None and not endpoint.startswith(("http://", "https://")):
        raise InputError(f"--endpoint {endpoint!r} is no URL", "e.g. http://127.0.0.1:8000/v1")
    key = os.environ.get(OWN_KEY) or os.environ.get(KEYS[provider]) or ""
    if not key and endpoint is None:
        raise InputError(f"there is no key for {provider}", f"set {KEYS[provider]}")
    try:
        kind = AnthropicEndpoint if provider == "anthropic" else OpenAIEndpoint
        return kind(name, endpoint, key or _NOT_NEEDED)
    except ImportError as err:
        raise EnvironmentFault(
            f"the driver llm needs the package {err.name}",
            "install it with: pip install asmevo[llm]",
        ) from err


class SdkEndpoint(ABC):
    """What both SDKs have in common: a bounded client, a deadline, and typed faults."""

    def __init__(self, model: str, key: str) -> None:
        from asmevo.drivers.llm.transport import BoundedTransport

        self.model = model
        self._key = key
        self._transport: BoundedTransport = BoundedTransport()

    def hidden(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self._key, "***") if self._key != _NOT_NEEDED else text

    def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Reply:
        """See `Endpoint.complete`."""
        # In a thread of its own: whatever the endpoint does to the connection, the run goes on.
        found: queue.SimpleQueue[Reply | BaseException] = queue.SimpleQueue()
        self._transport.deadline = time.monotonic() + seconds

        def work() -> None:
            try:
                found.put(self._reply(system, messages, tools, most_tokens, seconds))
            except BaseException as err:
                found.put(err)

        threading.Thread(target=work, name="asmevo-call", daemon=True).start()
        try:
            got = found.get(timeout=seconds + _GRACE)
        except queue.Empty:
            raise EndpointError("timeout", "no answer in time", charged=True) from None
        if isinstance(got, Reply):
            return got
        raise self._fault(got) from None

    def _reply(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Reply:
        raw = self._send(system, messages, tools, most_tokens, seconds)
        text, uses, usage = self._read(raw)
        tokens = _tokens(usage)
        if tokens is not None:
            return Reply(text, uses, *tokens)
        sent = (
            len(system)
            + sum(map(size_of, messages))
            + len(json.dumps([t.parameters for t in tools]))
        )
        came = size_of(Reply(text, uses, 0, 0))
        return Reply(text, uses, estimated_tokens(sent), estimated_tokens(came), True)

    @abstractmethod
    def _send(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Any:
        """The endpoint's JSON object."""

    @abstractmethod
    def _read(self, raw: dict[str, Any]) -> tuple[str, tuple[ToolUse, ...], tuple[object, object]]:
        """(text, tools called, counts of tokens) of the JSON object."""

    def _fault(self, err: BaseException) -> EndpointError:
        from asmevo.drivers.llm.transport import TooLarge, TooLate

        chain: list[BaseException] = []
        at: BaseException | None = err
        while at is not None and at not in chain:
            chain.append(at)
            at = at.__cause__ or at.__context__
        text = self.hidden(f"{type(err).__name__}: {str(err)[:300]}")
        if any(isinstance(e, TooLarge) for e in chain):
            return EndpointError("too_large", "the answer is too large", charged=True)
        if any(isinstance(e, TooLate) or "Timeout" in type(e).__name__ for e in chain):
            return EndpointError("timeout", "no answer in time", charged=True)
        code = getattr(err, "status_code", None)
        if isinstance(code, int) and code >= 300:
            wait = _retry_after(getattr(err, "response", None))
            if code == 429:
                return EndpointError("rate_limit", text, wait)
            if code >= 500 or code in (408, 409):
                return EndpointError("server", text, wait)
            return EndpointError("refused", text)
        if any("ConnectError" in type(e).__name__ for e in chain):
            return EndpointError("connection", text)
        if any("Protocol" in type(e).__name__ or "ReadError" in type(e).__name__ for e in chain):
            return EndpointError("cut", text, charged=True)
        if "Connection" in type(err).__name__:
            return EndpointError("connection", text, charged=True)
        return EndpointError("invalid", text, charged=True)


class OpenAIEndpoint(SdkEndpoint):
    """Chat completions, as vLLM, SGLang, llama.cpp and hosted endpoints offer them."""

    def __init__(self, model: str, endpoint: str | None, key: str) -> None:
        import httpx2
        import openai

        super().__init__(model, key)
        self._client = openai.OpenAI(
            api_key=key, base_url=endpoint, max_retries=0,
            http_client=httpx2.Client(transport=self._transport, follow_redirects=False),
        )  # fmt: skip
        self._limit = "max_tokens" if endpoint is not None else "max_completion_tokens"

    def _send(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Any:
        rows: list[dict[str, Any]] = [{"role": "system", "content": system}]
        for message in messages:
            rows.extend(_openai_rows(message))
        body: dict[str, Any] = {
            "model": self.model,
            "messages": rows,
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": t.name, "description": t.description, "parameters": t.parameters,
                    },
                }
                for t in tools
            ],
            self._limit: most_tokens,
        }  # fmt: skip
        create = cast(Any, self._client.chat.completions.with_raw_response.create)
        return json.loads(create(**body, timeout=seconds).http_response.content)

    def _read(self, raw: dict[str, Any]) -> tuple[str, tuple[ToolUse, ...], tuple[object, object]]:
        message = raw["choices"][0]["message"]
        uses: list[ToolUse] = []
        for n, called in enumerate(message.get("tool_calls") or []):
            function = called["function"]
            arguments = function.get("arguments")
            uses.append(
                ToolUse(
                    str(called.get("id") or f"call-{n}"), str(function.get("name")),
                    _parsed(arguments),
                )
            )  # fmt: skip
        counts = _counts(raw, "prompt_tokens", "completion_tokens")
        return _text(message.get("content")), tuple(uses), counts


def _openai_rows(message: Message) -> list[dict[str, Any]]:
    if isinstance(message, Said):
        return [{"role": "user", "content": message.text}]
    if isinstance(message, Reply):
        row: dict[str, Any] = {"role": "assistant", "content": message.text or ""}
        if message.uses:
            row["tool_calls"] = [
                {
                    "id": u.id,
                    "type": "function",
                    "function": {
                        "name": u.name,
                        "arguments": json.dumps(u.arguments),
                    },
                }
                for u in message.uses
            ]
        return [row]
    return [
        {"role": "tool", "tool_call_id": use.id, "content": text} for use, text in message.answers
    ]


class AnthropicEndpoint(SdkEndpoint):
    """Anthropic's messages."""

    def __init__(self, model: str, endpoint: str | None, key: str) -> None:
        import anthropic
        import httpx2

        super().__init__(model, key)
        self._client = anthropic.Anthropic(
            api_key=key, base_url=endpoint, max_retries=0,
            http_client=httpx2.Client(transport=self._transport, follow_redirects=False),
        )  # fmt: skip

    def _send(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolForm],
        most_tokens: int,
        seconds: float,
    ) -> Any:
        body: dict[str, Any] = {
            "model": self.model,
            "system": system,
            "messages": [_anthropic_row(m) for m in messages],
            "tools": [
                {"name": t.name, "description": t.description, "input_schema": t.parameters}
                for t in tools
            ],
            "max_tokens": most_tokens,
        }
        create = cast(Any, self._client.messages.with_raw_response.create)
        return json.loads(create(**body, timeout=seconds).http_response.content)

    def _read(self, raw: dict[str, Any]) -> tuple[str, tuple[ToolUse, ...], tuple[object, object]]:
        words: list[str] = []
        uses: list[ToolUse] = []
        for n, block in enumerate(raw["content"]):
            if block.get("type") == "text":
                words.append(_text(block.get("text")))
            elif block.get("type") == "tool_use":
                uses.append(
                    ToolUse(
                        str(block.get("id") or f"call-{n}"), str(block.get("name")),
                        block.get("input"),
                    )
                )  # fmt: skip
        return "\n".join(words), tuple(uses), _counts(raw, "input_tokens", "output_tokens")


def _anthropic_row(message: Message) -> dict[str, Any]:
    if isinstance(message, Said):
        return {"role": "user", "content": message.text}
    if isinstance(message, Reply):
        blocks: list[dict[str, Any]] = []
        if message.text.strip():
            blocks.append({"type": "text", "text": message.text})
        blocks += [
            {
                "type": "tool_use", "id": u.id, "name": u.name,
                "input": _object(u.arguments),
            }
            for u in message.uses
        ]  # fmt: skip
        return {"role": "assistant", "content": blocks or [{"type": "text", "text": "-"}]}
    return {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": use.id, "content": text}
            for use, text in message.answers
        ],
    }


def _object(arguments: Any) -> dict[str, Any]:
    return cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}


def _counts(raw: dict[str, Any], given: str, made: str) -> tuple[object, object]:
    usage = raw.get("usage")
    if not isinstance(usage, dict):
        return None, None
    found = cast(dict[str, object], usage)
    return found.get(given), found.get(made)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _parsed(arguments: object) -> Any:
    """Arguments as JSON; text that is none stays text, and the tool refuses it."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _tokens(usage: tuple[object, object]) -> tuple[int, int] | None:
    given, made = usage
    if type(given) is not int or type(made) is not int or given < 0 or made < 0 or not given + made:
        return None
    return given, made


def _retry_after(response: Any) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, section 10.2.3), within reason."""
    try:
        value = str(response.headers.get("retry-after", "")).strip()
    except AttributeError:
        return None
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    if not math.isfinite(seconds):
        return LONGEST_WAIT
    return min(max(seconds, 0.0), LONGEST_WAIT)
