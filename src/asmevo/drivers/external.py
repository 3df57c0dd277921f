"""The driver `external:CMD`: another program proposes, by JSON lines over stdin and stdout.

The protocol is in docs/agents.md. The program calls tools and gets answers; a proposal's answer is
its verdict. It is started without a shell, and ended with everything that it started. Whatever it
does (ends, hangs, floods, talks nonsense) ends its turn and never the run.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, cast

from asmevo.drivers.tools import TOOLS, Answer, Refused, call, verdict
from asmevo.drivers.tools.text import shown
from asmevo.errors import InputError
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal

PROTOCOL = "asmevo/external/1"
PATIENCE = 600.0  # seconds that the program may think about one line
MOST_CALLS = 1000  # lines in a row that propose nothing
_LONGEST = 1 << 20
_AHEAD = 64  # lines read before they are asked for
_FIELDS = frozenset({"id", "tool", "arguments"})


class ExternalDriver:
    """See the module.

    Args:
        command: the program and its arguments, as a shell would split them.
        patience: seconds to wait for one line.
    """

    name = "external"
    deterministic = False
    seed = 0

    def __init__(self, command: str, patience: float = PATIENCE) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._command = shlex.split(command)
        except ValueError as err:
            raise InputError(f"--driver external:{shown(command, 60)}: {err}") from None
        if not self._command:
            raise InputError("--driver external: names no program", "e.g. external:./propose.py")
        self._patience = patience
        self._lines: queue.Queue[bytes] = queue.Queue(_AHEAD)
        self._context: Context | None = None
        self._open: tuple[object] | None = None
        self.stopped = ""
        self.calls = 0
        self.refused = 0

    def ask(self, context: Context) -> Proposal | None:
        """Serve the program's calls until one proposes; None when it has ended or is ended."""
        self._context = context
        if self.stopped:
            return None
        if self._process is None:
            self._begin(context)
        for _ in range(MOST_CALLS):
            line = self._read()
            if line is None:
                break
            found = self._serve(context, line)
            if isinstance(found, Proposal):
                return found
            if self.stopped:
                break
        else:
            self.stopped = f"{MOST_CALLS} calls in a row proposed nothing"
        self.close()
        return None

    def tell(self, attempt: Attempt) -> None:
        """Answer the call that proposed it."""
        opened, self._open = self._open, None
        if opened is not None and self._context is not None:
            self._answer(opened[0], verdict(self._context, attempt))
            if self._context.remaining < 1:
                self.close()

    def report(self) -> dict[str, Any]:
        """What the program did."""
        return {
            "protocol": PROTOCOL,
            "calls": self.calls,
            "refused": self.refused,
            "stopped": self.stopped,
        }

    def close(self) -> None:
        """End the program and what it started. Safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        # Last, as closing a full pipe waits for somebody to read it.
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError, ValueError):  # it has gone already
                    stream.close()

    def __del__(self) -> None:
        self.close()

    # --- the program --------------------------------------------------------------------------
    def _begin(self, context: Context) -> None:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # a group of its own, to be ended as one
            )
        except (OSError, ValueError) as err:
            raise InputError(
                f"--driver external: {shown(self._command[0], 60)} does not start: {err}"
            ) from None
        self._process = process
        assert process.stdout is not None, "it was asked for"
        threading.Thread(target=_pump, args=(process.stdout, self._lines), daemon=True).start()
        self._write(
            {
                "protocol": PROTOCOL,
                "tools": {t.name: t.parameters for t in TOOLS.values()},
                "report": cast(Answer, call(context, "report", {})).to_json(),
            }
        )

    def _read(self) -> bytes | None:
        try:
            line = self._lines.get(timeout=self._patience)
        except queue.Empty:
            self.stopped = f"no line in {self._patience:.0f} s"
            return None
        if not line:
            self.stopped = self.stopped or "the program has ended"
            return None
        if len(line) > _LONGEST:
            self.stopped = f"a line of more than {_LONGEST} bytes"
            return None
        return line

    def _serve(self, context: Context, line: bytes) -> Proposal | None:
        """Carry out one line."""
        self.calls += 1
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            self._answer(None, Refused(error="a line is one JSON object", remedy=f"see {PROTOCOL}"))
            return None
        row = cast(dict[str, Any], given)
        if row == {"done": True}:
            self.stopped = "the program is done"
            return None
        odd = sorted(set(row) - _FIELDS)
        if odd or not isinstance(row.get("tool"), str):
            why = f"there is no field {shown(odd[0], 40)}" if odd else "tool must be a name"
            self._answer(row.get("id"), Refused(error=why, remedy="fields are id, tool, arguments"))
            return None
        outcome = call(context, row["tool"], row.get("arguments", {}))
        if isinstance(outcome, Answer):
            self._answer(row.get("id"), outcome)
            return None
        self._open = (row.get("id"),)
        return outcome

    def _answer(self, number: object, answer: Answer) -> None:
        self.refused += isinstance(answer, Refused)
        known = number if isinstance(number, int | str) and len(str(number)) < 200 else None
        self._write({"id": known, "answer": answer.to_json()})

    def _write(self, row: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        # In a thread, as a program that does not read fills the pipe.
        stream, data = process.stdin, json.dumps(row).encode() + b"\n"

        def work() -> None:
            with suppress(OSError, ValueError):  # it has gone; reading says so
                stream.write(data)
                stream.flush()

        writer = threading.Thread(target=work, daemon=True)
        writer.start()
        writer.join(self._patience)
        if writer.is_alive():
            self.stopped = self.stopped or "the program does not read its answers"


def _pump(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    """Lines of a stream into a queue; an empty one at its end."""
    try:
        while line := stream.readline(_LONGEST + 2):
            lines.put(line)
            if len(line) > _LONGEST:
                break
    except (OSError, ValueError):
        pass  # closed from this side
    lines.put(b"")
