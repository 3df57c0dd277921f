"""The process that owns a GPU: whatever a kernel does to the runtime, it does it here.

Requests and answers are pickled over the standard streams; the answer to a failure is an exception
that the device understands.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from asmevo.device.hip.dispatch import Dispatcher
from asmevo.device.hip.library import Hip, HipError
from asmevo.device.hip.wire import Failure, receive, send
from asmevo.errors import AsmEvoError


def answer(dispatcher: Dispatcher, request: tuple[str, tuple[Any, ...]]) -> object:
    """What a request gives: a result, a `Failure`, or a typed error."""
    name, arguments = request
    try:
        return getattr(dispatcher, name)(*arguments)
    except HipError as err:
        return Failure(err.call, err.code, str(err))
    except AsmEvoError as err:
        return err


def main() -> None:
    """Serve one device until the requests end."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the runtime prints is no answer
    try:
        hip = Hip()
        dispatcher = Dispatcher(hip, int(sys.argv[1]))
        first: object = (*hip.properties(int(sys.argv[1])), hip.devices(), hip.path)
    except HipError as err:
        first = Failure(err.call, err.code, str(err))
        dispatcher = None
    except AsmEvoError as err:
        first, dispatcher = err, None
    send(answers, first)
    while dispatcher is not None:
        try:
            request = receive(requests)
        except EOFError:
            return
        send(answers, answer(dispatcher, request))


if __name__ == "__main__":
    main()
