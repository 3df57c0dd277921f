"""Compiling helpers in processes of their own.

`multiprocessing` would import the caller's main module again in each worker, and with it run any
script that has no main guard. These workers are started as `python -m` instead: they read pickled
batches from standard input and write object code, each with its length before it.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import IO

from asmevo.emulate.native.variant import Variant
from asmevo.errors import EnvironmentFault

_LENGTH = struct.Struct("<Q")
Batch = Sequence[Variant]


def compile_in_processes(batches: Sequence[Batch], workers: int, module: str) -> Iterator[bytes]:
    """Object code of each batch, in order; batch n is worker n modulo `workers`' business.

    `module` is started with `python -m`: it registers the emitters and calls `serve`.

    Raises:
        EnvironmentFault: a worker ended early.
    """
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    command = [sys.executable, "-m", module]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(workers):
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
            running.append(process)
            assert process.stdin is not None
            process.stdin.write(pickle.dumps([tuple(b) for b in batches[number::workers]]))
            process.stdin.close()
        for n in range(len(batches)):
            output = running[n % workers].stdout
            assert output is not None
            yield _read(output)
    finally:
        for process in running:
            if process.stdout is not None:
                process.stdout.close()
            process.terminate()
            process.wait()


def _read(stream: IO[bytes]) -> bytes:
    head = stream.read(_LENGTH.size)
    if len(head) == _LENGTH.size:
        (size,) = _LENGTH.unpack(head)
        code = stream.read(size)
        if len(code) == size:
            return code
    raise EnvironmentFault(
        "a process that compiles helpers ended early",
        "its message stands above; the emulator needs memory for one LLVM per processor",
    )


def serve() -> None:
    """Compile the batches given on standard input."""
    from asmevo.emulate.native.library import compile_batch

    batches: list[Batch] = pickle.load(sys.stdin.buffer)
    for batch in batches:
        code = compile_batch(batch)
        sys.stdout.buffer.write(_LENGTH.pack(len(code)) + code)
        sys.stdout.buffer.flush()
