"""LLVM on a text that a person wrote: in a child process, because it may end its process.

Some faults of a text are errors that LLVM does not report but dies of, such as a `.size` of a label
that is not there ("Size expression must be absolute"). The child also takes what LLVM prints to the
standard error stream, and has a limit of CPU time.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import tempfile
from collections.abc import Callable
from typing import TypeVar, cast

from asmevo.errors import AsmEvoError, BuildError

_Result = TypeVar("_Result")
_SECONDS = 20  # far above what the largest library's assembly takes


def guarded(work: Callable[[], _Result]) -> _Result:
    """What `work` returns, done in a child process where the system can fork.

    Raises:
        BuildError: the child died; the message is the last line that LLVM wrote.
        AsmEvoError: what `work` raised.
    """
    if not hasattr(os, "fork"):
        return work()
    with tempfile.TemporaryFile() as log:
        receive, send = os.pipe()
        pid = os.fork()
        if pid == 0:
            _child(work, send, log.fileno())
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
    lines = [line.strip() for line in said if "LLVM ERROR" in line] or ["it gave no reason"]
    raise BuildError(
        f"LLVM ended on this text: {lines[0].removeprefix('LLVM ERROR: ')[:200]}",
        "look for labels that are used and not defined",
    )


def _child(work: Callable[[], object], send: int, log: int) -> None:
    """Do the work, send its result or its typed error, and end without any cleaning up."""
    try:
        faulthandler.disable()  # the death is expected, and LLVM says why
        os.dup2(log, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        try:
            answer: object = work()
        except AsmEvoError as err:
            answer = err
        with os.fdopen(send, "wb") as stream:
            stream.write(pickle.dumps(answer))
        os._exit(0)
    finally:
        os._exit(1)
