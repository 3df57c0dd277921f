"""The program written back: sizes and places, relaxed branches, the file around the code."""

from asmevo.program.rebuild.image import notes, rebuild

__all__ = ["notes", "rebuild"]
