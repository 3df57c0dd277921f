"""Messages between the device and its process: pickled values on pipes."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

_SIZE = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Failure:
    """A HIP call that failed: its name, hipError_t and the message."""

    call: str
    code: int
    message: str


def send(stream: BinaryIO, value: object) -> None:
    """Write one message."""
    raw = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_SIZE.pack(len(raw)))
    stream.write(raw)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; EOFError at the end of the stream."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    (size,) = _SIZE.unpack(head)
    raw = stream.read(size)
    if len(raw) < size:
        raise EOFError
    return pickle.loads(raw)
