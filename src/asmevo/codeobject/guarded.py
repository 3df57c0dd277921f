"""LLVM on a text that a person wrote: in a child process, because it may end its process.

Some faults of a text are errors that LLVM does not report but dies of, such as a `.size` of a label
that is not there ("Size expression must be absolute"). The child also takes what LLVM prints to the
standard error stream, and has limits of CPU time and memory by the size of the text.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import signal
import tempfile
from collections.abc import Callable
from typing import TypeVar, cast

from asmevo.errors import AsmEvoError, BuildError

_Result = TypeVar("_Result")
# A line of 30 bytes takes LLVM some 30 us and 1 kB.
_SECONDS, _BYTES_PER_SECOND = 1, 1 << 18
_MEMORY, _MEMORY_PER_BYTE = 384 << 20, 128


def guarded(work: Callable[[], _Result], size: int) -> _Result:
    """What `work` returns, done in a child process where the system can fork.

    Args:
        work: what to do.
        size: bytes of the text that it is about.

    Raises:
        BuildError: the child died; the message is the last line that LLVM wrote, or the time that
            the text took.
        AsmEvoError: what `work` raised.
    """
    if not hasattr(os, "fork"):
        return work()
    with tempfile.TemporaryFile() as log:
        receive, send = os.pipe()
        pid = os.fork()
        if pid == 0:
            _child(work, size, send, log.fileno())
        os.close(send)
        with os.fdopen(receive, "rb") as stream:
            answer = stream.read()
        _, status = os.waitpid(pid, 0)
        if status == 0 and answer:
            result: object = pickle.loads(answer)
            if isinstance(result, AsmEvoError):
                raise result
            return cast("_Result", result)
        log.seek(0)
        said = log.read().decode("utf8", "replace").split("\n")
    reason = "it gave no reason"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        reason = "it takes longer than a text of this size may"
    lines = [line.strip() for line in said if "LLVM ERROR" in line] or [reason]
    raise BuildError(
        f"LLVM ended on this text: {lines[0].removeprefix('LLVM ERROR: ')[:200]}",
        "look for labels that are used and not defined",
    )


def _child(work: Callable[[], object], size: int, send: int, log: int) -> None:
    """Do the work, send its result or its typed error, and end without any cleaning up."""
    try:
        faulthandler.disable()  # the death is expected, and LLVM says why
        os.dup2(log, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = _SECONDS + size // _BYTES_PER_SECOND
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        _limit_memory(_MEMORY + _MEMORY_PER_BYTE * size)
        try:
            answer: object = work()
        except AsmEvoError as err:
            answer = err
        with os.fdopen(send, "wb") as stream:
            stream.write(pickle.dumps(answer))
        os._exit(0)
    finally:
        os._exit(1)


def _limit_memory(more: int) -> None:
    """Let this process take so many bytes more than it has mapped, where that is known."""
    try:
        with open("/proc/self/statm") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mapped + more
    if hard in (resource.RLIM_INFINITY, -1) or wanted < hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
