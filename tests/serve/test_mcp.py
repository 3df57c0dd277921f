"""The MCP server, spoken to by the official SDK's client in another process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from asmevo.drivers.tools import TOOLS
from asmevo.search.store import SqliteReader

LAUNCH = Path(__file__).resolve().parents[2] / "kernels" / "launch" / "saxpy.yaml"


@pytest.fixture
def folder(tmp_path: Path, kernel_objects: Callable[..., bytes]) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "K0.hsaco").write_bytes(kernel_objects("saxpy"))
    (root / "launch.yaml").write_text(LAUNCH.read_text())
    (tmp_path / "outside.hsaco").write_bytes(b"x")
    return root


def talk(folder: Path, conversation: Callable[[Client], Awaitable[None]], *options: str) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "asmevo.cli.main", "mcp", "--root", str(folder), *options, "-q"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )

    async def run() -> None:
        with anyio.fail_after(120):
            async with Client(server) as client:
                await conversation(client)

    anyio.run(run)


async def told(client: Client, name: str, arguments: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    got = await client.call_tool(name, arguments)
    data = got.structured_content
    assert json.loads(got.content[0].text) == data  # type: ignore[union-attr]
    return not got.is_error, data


OPEN = {"object": "K0.hsaco", "launch": "launch.yaml", "store": "run.db", "budget": 5}
CALLS: dict[str, dict[str, Any]] = {
    "listing": {"node": "root"}, "window": {"widen": 2}, "profile": {},
    "facts": {"lines": ["v_mul_f32_e32 v0, v1, v2", "nonsense"]},
    "propose": {"edits": [{"first": 9, "last": 9, "lines": ["s_nop 0"]}], "reason": "to see"},
    "history": {}, "failures": {}, "diff": {}, "report": {},
}  # fmt: skip


def test_every_tool_answers_the_official_client(folder: Path) -> None:
    async def conversation(client: Client) -> None:
        listed = {t.name: t for t in (await client.list_tools()).tools}
        assert set(listed) == {"open", *TOOLS}
        assert not {"accept", "install", "commit"} & set(listed)
        for tool in listed.values():
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema is not None
            assert tool.output_schema["properties"]["schema"]["const"].startswith("asmevo/tool-")
        ok, refused = await told(client, "report", {})
        assert not ok
        assert "open" in refused["remedy"]
        ok, opened = await told(client, "open", OPEN)
        assert ok
        assert opened["remaining"] == 5
        for name, arguments in CALLS.items():
            ok, data = await told(client, name, arguments)
            assert ok, (name, data)
            assert data["schema"] == f"asmevo/tool-{TOOLS[name].answer.name}/1"
        ok, data = await told(client, "compose", {"other": "root"})
        assert not ok
        assert "nothing to bring over" in data["error"]
        ok, data = await told(client, "report", {})
        assert data["attempts"] == 1

    talk(folder, conversation)
    with SqliteReader.open(folder / "run.db") as store:
        assert [a.status for a in store.attempts()] == ["insufficient_speedup"]


MALFORMED: list[tuple[str, dict[str, Any], str]] = [
    ("accept", {}, "no tool"),
    ("propose\n", {}, "no tool"),
    ("window", {"rank": "0"}, "rank"),
    ("window", {"rank": -1}, "rank"),
    ("window", {"node": 5}, "node"),
    ("window", {"x": 1}, "not permitted"),
    ("facts", {"lines": []}, "lines"),
    ("propose", {}, "edits"),
    ("propose", {"edits": [{"first": 0, "last": 1, "lines": ["s_nop 0"]}], "accept": True},
     "not permitted"),
    ("propose", {"edits": [{"first": 0, "last": 1, "lines": [None]}]}, "lines"),
    ("propose", {"edits": [{"first": 0, "last": 1, "lines": []}], "kind": "A b"}, "kind"),
    ("propose", {"edits": [{"first": 0, "last": 1, "lines": ["s_nop 0"] * 5000}]}, "lines"),
    ("open", {"store": "../x.db"}, "leads out"),
    ("open", {**OPEN, "object": "../outside.hsaco"}, "leads out"),
    ("open", {**OPEN, "object": "/etc/passwd"}, "leads out"),
    ("open", {"store": "none.db"}, "no run store"),
    ("open", {**OPEN, "object": "launch.yaml", "store": "b.db"}, "YAML"),
    ("open", {"store": "a.db", "object": "K0.hsaco"}, "both"),
    ("open", {**OPEN, "budget": -1}, "budget"),
]  # fmt: skip


def test_malformed_calls_are_refused_and_the_server_goes_on(folder: Path) -> None:
    async def conversation(client: Client) -> None:
        assert (await told(client, "open", OPEN))[0]
        for name, arguments, says in MALFORMED:
            if name == "open" and says == "no run store":
                pass
            ok, data = await told(client, name, arguments)
            assert not ok, name
            assert data["schema"] == "asmevo/tool-refused/1"
            assert says in data["error"], (name, arguments, data)
            if name == "open":
                assert (await told(client, "open", OPEN))[0]
        ok, data = await told(client, "report", {})
        assert ok
        assert data["attempts"] == 0

    talk(folder, conversation)
    assert {p.name for p in folder.iterdir()} >= {"K0.hsaco", "launch.yaml", "run.db"}


def test_a_run_goes_on_in_a_new_server(folder: Path) -> None:
    async def first(client: Client) -> None:
        await told(client, "open", OPEN)
        await told(client, "propose", CALLS["propose"])

    async def second(client: Client) -> None:
        ok, data = await told(client, "report", {})
        assert (ok, data["attempts"], data["remaining"]) == (True, 1, 4)

    talk(folder, first)
    talk(folder, second, "--store", "run.db")
