"""The program written back: sizes and places, relaxed branches, the file around the code."""

from asmevo.program.rebuild.image import rebuild

__all__ = ["rebuild"]
