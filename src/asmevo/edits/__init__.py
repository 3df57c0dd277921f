"""Rewrite rules: they propose edits of a program and judge nothing."""

from asmevo.edits.base import Rule, Window
from asmevo.edits.move import Move
from asmevo.edits.relax_wait import RelaxWait
from asmevo.edits.remove_redundant import RemoveRedundant
from asmevo.edits.schedule import Schedule

__all__ = ["Move", "RelaxWait", "RemoveRedundant", "Rule", "Schedule", "Window"]
