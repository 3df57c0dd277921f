"""A model that is a script, behind real HTTP on the loopback address.

`Scripted` serves both protocols. Each item of its script answers one request: a dictionary is a
message (`text`, `tools`), a function does what it likes with the handler. When the script is used
up, the model says that it is done.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Item = dict[str, Any] | Callable[["Handler"], None]


def use(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def tools(*uses: dict[str, Any], text: str = "", tokens: tuple[int, int] = (100, 20)) -> Item:
    return {"text": text, "tools": list(uses), "tokens": tokens}


class Handler(BaseHTTPRequestHandler):
    server: Any
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body)
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(request)
            self.server.headers.append(dict(self.headers))
        script = self.server.script
        item = (
            script(number, request)
            if callable(script)
            else (script[number] if number < len(script) else {"text": "done"})
        )
        if callable(item):
            item(self)
        else:
            self.message(item)

    def message(self, item: dict[str, Any]) -> None:
        anthropic = self.path.endswith("/messages")
        self.send(200, (_anthropic if anthropic else _openai)(item))

    def send(self, code: int, row: Any, **headers: str) -> None:
        data = row if isinstance(row, bytes) else json.dumps(row).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        pass


def _openai(item: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": item.get("text", "")}
    calls = [
        {
            "id": f"c{n}", "type": "function",
            "function": {
                "name": u["name"],
                "arguments": u["arguments"] if isinstance(u["arguments"], str)
                else json.dumps(u["arguments"]),
            },
        }
        for n, u in enumerate(item.get("tools", []))
    ]  # fmt: skip
    if calls:
        message["tool_calls"] = calls
    given, made = item.get("tokens", (100, 20))
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": given, "completion_tokens": made},
    }  # fmt: skip


def _anthropic(item: dict[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": item.get("text") or "-"}]
    content += [
        {"type": "tool_use", "id": f"c{n}", "name": u["name"], "input": u["arguments"]}
        for n, u in enumerate(item.get("tools", []))
    ]
    given, made = item.get("tokens", (100, 20))
    return {
        "id": "x", "type": "message", "role": "assistant", "model": "scripted",
        "content": content, "stop_reason": "end_turn",
        "usage": {"input_tokens": given, "output_tokens": made},
    }  # fmt: skip


class Scripted(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, script: Any) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the client went away: that is what some scripts are about


@contextmanager
def serving(script: Any) -> Iterator[Scripted]:
    server = Scripted(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
