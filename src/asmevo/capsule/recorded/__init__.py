"""Recorded dispatches: capsules as a folder or a zip archive, from writer to device.

`write_capsule(path, recording)` or a `CapsuleWriter` (one dispatch after another) write one,
`open_capsule(path)` reads it without reading its memory, `launches(recording)` gives what a device
runs.
"""

from asmevo.capsule.recorded.contents import Contents
from asmevo.capsule.recorded.model import (
    Allocation,
    CapsuleError,
    Dispatch,
    Recording,
    Variable,
)
from asmevo.capsule.recorded.reader import OpenedCapsule, is_recording, open_capsule
from asmevo.capsule.recorded.writer import CapsuleWriter, write_capsule

__all__ = [
    "Allocation",
    "CapsuleError",
    "CapsuleWriter",
    "Contents",
    "Dispatch",
    "OpenedCapsule",
    "Recording",
    "Variable",
    "is_recording",
    "open_capsule",
    "write_capsule",
]
