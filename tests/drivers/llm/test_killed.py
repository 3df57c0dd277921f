"""A run that is killed again and again loses no attempt, pays none twice, and counts every call."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from scripted import serving, tools, use

from asmevo.search.store import SqliteReader, SqliteStore

BUDGET, KILLS = 14, 4
FAKES = str(Path(__file__).parents[2] / "search")
SCRIPT = Path(__file__).parent / "killed.py"


def script(number: int, request: Any) -> Any:
    """Three proposals that nobody made before, and a tool that reads."""
    time.sleep(0.02)
    edits = [
        [{"first": 1 + n, "last": 1 + n, "lines": ["s_nop 0"] * (number + 1)}] for n in range(3)
    ]
    return tools(
        use("propose", edits=edits[0], node="root"), use("report"),
        use("propose", edits=edits[1], node="root"), use("propose", edits=edits[2], node="root"),
    )  # fmt: skip


def test_no_attempt_is_lost_or_paid_twice(tmp_path: Path) -> None:
    store, rng = tmp_path / "run.db", random.Random(4)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*(p for p in sys.path if p), FAKES]),
    }
    with serving(script) as server:
        command = [sys.executable, str(SCRIPT), server.url, str(store), str(BUDGET)]
        killed = 0
        for _ in range(KILLS):
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            # Not before it has begun, else nothing but imports is ever killed.
            seen, deadline = len(server.requests), time.monotonic() + 60
            while len(server.requests) == seen and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
                if SqliteStore.holds_run(store) and rng.random() < 0.002:
                    break
            time.sleep(rng.random() * 0.3)
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        requests = len(server.requests)
    assert killed >= 2
    with SqliteReader.open(store) as reader:
        attempts = reader.attempts()
        calls, answers = reader.journal("call"), reader.journal("answer")
        faults = reader.journal("fault")
        proposed = reader.journal("proposed")
    assert len(attempts) == BUDGET
    # Every call that was noted has an end, and none has two; no request went out unnoted.
    ends = sorted(e.data["call"] for e in [*answers, *faults])
    assert ends == list(range(len(calls)))
    assert len(calls) >= requests
    assert {e.data["kind"] for e in faults} <= {"lost"}
    assert all(e.data["output_tokens"] > 0 for e in faults)  # at its worst
    # Every attempt was asked for once, and what an answer asked for was tried before the next one.
    made = [(a.proposal.parent, a.proposal.edit) for a in attempts]
    assert len(set(made)) == BUDGET
    assert all(a.status != "duplicate" or a.gate != "duplicate" for a in attempts)
    assert len({(e.data["parent"], str(e.data["edits"])) for e in proposed}) == len(proposed)
    complete = answers[: BUDGET // 3 - 1]
    tried = [e.data["call"] for e in proposed][:BUDGET]
    for answer in complete:
        assert tried.count(answer.data["call"]) == 3
