"""Good sessions through the real endpoint path: a scripted model replays what a person found.

The least speedup of each kernel is that of `tests/drivers/test_end_to_end.py` for the same kind
of change; what is accepted is verified by a fresh oracle with inputs of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted import serving, tools, use

import asmevo
from asmevo.search.store import SqliteReader

LAUNCHES = Path(__file__).resolve().parents[3] / "kernels" / "launch"
SESSIONS = Path(__file__).parent / "sessions"
KEY = "sk-secret-0123456789"


@pytest.mark.parametrize(
    ("kernel", "least", "protocol"),
    [
        ("saxpy", 1.02, "openai"),
        ("saxpy", 1.02, "anthropic"),
        ("rmsnorm", 1.25, "openai"),
        ("matmul_f16", 1.19, "openai"),
    ],
)
def test_a_good_session_reaches_its_known_speedup(
    kernel_objects: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    kernel: str, least: float, protocol: str,
) -> None:  # fmt: skip
    edits: list[Any] = json.loads((SESSIONS / f"{kernel}.json").read_text())
    script = [
        tools(use("profile"), use("window", rank=0)),
        tools(use("propose", edits=[{"first": 1, "last": 1, "lines": ["s_nop 0"]}], reason="try")),
        tools(use("note", text="nops cost time")),
        tools(use("propose", edits=edits, reason="what a person found", kind="replay")),
    ]
    monkeypatch.setenv("ASMEVO_API_KEY", KEY)
    store = tmp_path / "run.db"
    k0 = kernel_objects(kernel)
    with serving(script) as server:
        url = server.url if protocol == "openai" else server.url.removesuffix("/v1")
        result = asmevo.optimize(
            k0, LAUNCHES / f"{kernel}.yaml", driver="llm", budget=4, store=store,
            agent=asmevo.Agent(f"{protocol}:scripted", url, starts=1, first=0, price_in=1.0,
                               price_out=2.0),
        )  # fmt: skip
    assert result.ok
    assert result.data["speedup"] >= least
    assert result.object is not None
    assert asmevo.verify(k0, result.object, LAUNCHES / f"{kernel}.yaml", input_seed=77).ok
    agent = result.data["agent"]
    assert agent["calls"] == len(server.requests)
    assert agent["input_tokens"] == 100 * agent["calls"]
    assert agent["usd"] == pytest.approx(agent["calls"] * (100 * 1.0 + 20 * 2.0) / 1e6)
    assert agent["proposals"][1]["call"] == 3
    assert agent["notes"][-1]["words"] == ["nops cost time"]
    # The key went to the endpoint and nowhere else.
    sent = {name.lower(): value for name, value in server.headers[0].items()}
    assert f"Bearer {KEY}" == sent.get("authorization") or sent.get("x-api-key") == KEY
    assert KEY not in json.dumps(result.data)
    assert KEY.encode() not in store.read_bytes()
    with SqliteReader.open(store) as reader:
        kinds = [e.kind for e in reader.journal()]
        assert kinds.count("call") == kinds.count("answer") == agent["calls"]
        assert [a.proposal.rule for a in reader.attempts()] == ["edit", "replay"]
    # What the model was told of the first verdict.
    told = json.dumps(server.requests[2])
    assert "insufficient_speedup" in told
    assert "stalls_after" in told


def test_rules_first_then_the_agent_from_their_best(
    kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    k0 = kernel_objects("saxpy")
    script = [tools(use("propose", edits=[{"first": 1, "last": 1, "lines": ["s_nop 0"]}]))]
    with serving(script) as server:
        result = asmevo.optimize(
            k0, LAUNCHES / "saxpy.yaml", driver="llm", budget=5,
            agent=asmevo.Agent("scripted", server.url, starts=1, first=2),
        )  # fmt: skip
    rules = [row["rule"] for row in result.data["attempt_log"]]
    assert "edit" not in rules[:2]
    assert rules[2] == "edit"
    best = max(result.search.lineage, key=lambda n: n.speedup)
    if best.sequence in (0, 1):
        assert result.search.attempts[2].proposal.parent == best.id
