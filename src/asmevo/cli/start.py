"""Where the command begins: Ctrl-C is heard before the slow imports.

Loading the command line takes from one to several seconds. An interrupt in that time would end in
a traceback of whatever module was being loaded, or be taken by a library for a failed import; a
SIGTERM would say nothing at all.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence

INTERRUPTED = 130


def json_wanted(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, however it spells the option."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return any(
        a in ("-fjson", "--format=json") or (a in ("-f", "--format") and b == "json")
        for a, b in pairs
    )


def error_text(status: str, reason: str, code: int) -> str:
    """The object that a program gets for an error, as one line-terminated text."""
    record = {
        "schema": "asmevo/error/1",
        "ok": False,
        "status": status,
        "reason": reason,
        "exit_code": code,
    }
    return json.dumps(record, indent=2) + "\n"


def _interrupted(_number: int, _frame: object) -> None:
    # Nothing has begun, so nothing is to be put in order.
    if json_wanted(sys.argv[1:]):
        os.write(1, error_text("interrupted", "interrupted", INTERRUPTED).encode())
    os.write(2, b"asmevo: interrupted\n")
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; see `asmevo.cli.main`."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` and the like
            signal.signal(number, _interrupted)
    from asmevo.cli.main import main as run  # slow, see the module

    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
