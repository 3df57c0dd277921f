"""Programs: recover, control flow, dataflow, edits, rebuild."""

from asmevo.program.model import Function, Program
from asmevo.program.recover import RecoverError, recover

__all__ = ["Function", "Program", "RecoverError", "recover"]
