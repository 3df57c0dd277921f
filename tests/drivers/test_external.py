"""Programs that propose by JSON lines, good ones and others."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "search"))

from fakes import FakeDevice, capsule, kernel_object

from asmevo.drivers.external import PROTOCOL, ExternalDriver
from asmevo.errors import InputError
from asmevo.search.controller import Config, Controller, SearchResult
from asmevo.verify.report import VerifyConfig

HEAD = """
import json, sys, time, os
hello = json.loads(sys.stdin.readline())
def call(tool, **arguments):
    print(json.dumps({"id": 1, "tool": tool, "arguments": arguments}), flush=True)
    return json.loads(sys.stdin.readline())
NOP = {"first": 1, "last": 1, "lines": ["s_nop 0"]}
"""


def searched(
    tmp_path: Path, body: str, patience: float = 20.0, budget: int = 3
) -> tuple[SearchResult, ExternalDriver]:
    program = tmp_path / "propose.py"
    program.write_text(HEAD + body)
    driver = ExternalDriver(f"{sys.executable} {program}", patience)
    config = Config(
        kernel_object("saxpy"), None, (capsule("saxpy"),), FakeDevice(), driver,
        tmp_path / "run.db", budget=budget, verify=VerifyConfig(allow_untested=True),
    )  # fmt: skip
    result = Controller(config).run()
    driver.close()
    return result, driver


def test_a_program_reads_proposes_and_is_told(tmp_path: Path) -> None:
    result, driver = searched(
        tmp_path,
        """
window = call("window")
verdict = call("propose", edits=[NOP], reason="to see")
out = open(os.path.join(os.path.dirname(__file__), "said.json"), "w")
json.dump([hello, window, verdict], out)
out.close()
print(json.dumps({"done": True}), flush=True)
""",
    )
    hello, window, verdict = json.loads((tmp_path / "said.json").read_text())
    assert hello["protocol"] == PROTOCOL
    assert "propose" in hello["tools"]
    assert window["answer"]["schema"] == "asmevo/tool-window/1"
    assert verdict == {"id": 1, "answer": verdict["answer"]}
    assert verdict["answer"]["status"] == "insufficient_speedup"
    assert [a.status for a in result.attempts] == ["insufficient_speedup"]
    assert driver.stopped == "the program is done"


BAD = {
    "ends": ("sys.exit(3)", "the program has ended"),
    "nonsense": ("print('accepted', flush=True); time.sleep(0.1); print('{', flush=True)", "ended"),
    "hangs": ("time.sleep(60)", "no line in"),
    "long line": ("print('x' * 3000000, flush=True); time.sleep(9)", "more than"),
    "floods": ("while True: print('{}', flush=True)", ""),
    "forged verdict": (
        "print(json.dumps({'answer': {'status': 'accepted', 'speedup': 9}}), flush=True)", "ended"),
    "forged field": (
        "print(json.dumps({'tool': 'propose', 'arguments': {'edits': [NOP], 'status': 'accepted'}}"
        "), flush=True); time.sleep(0.1)", "ended"),
    "wrong tool": ("call('accept', node='best'); call('install')", "ended"),
    "closes": ("os.close(1); time.sleep(9)", "ended"),
    "deep": ("print('[' * 100000, flush=True)", "ended"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_program_that_does_its_worst_ends_its_turn(tmp_path: Path, kind: str) -> None:
    body, says = BAD[kind]
    start = time.monotonic()
    result, driver = searched(tmp_path, body, patience=4.0)
    assert time.monotonic() - start < 40
    assert result.attempts == ()
    assert result.best == result.root
    assert says in driver.stopped
    assert driver.report()["stopped"] == driver.stopped
    assert driver.stopped


def test_what_the_program_started_ends_with_it(tmp_path: Path) -> None:
    body = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(os.path.join(os.path.dirname(__file__), "pid"), "w").write(str(child.pid))
call("propose", edits=[NOP])
time.sleep(600)
"""
    searched(tmp_path, body, budget=1)
    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the program's child is still running")


@pytest.mark.parametrize("command", ["", "  ", "'", "/nowhere/at/all"])
def test_a_command_that_is_none(tmp_path: Path, command: str) -> None:
    def begun() -> None:
        config = Config(
            kernel_object("saxpy"), None, (capsule("saxpy"),), FakeDevice(),
            ExternalDriver(command), tmp_path / "run.db", budget=1,
        )  # fmt: skip
        Controller(config).run()

    with pytest.raises(InputError, match="external"):
        begun()
