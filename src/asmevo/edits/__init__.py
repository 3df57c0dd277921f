"""Rewrite rules: they propose edits of a program and judge nothing."""

from asmevo.edits.base import CompositeRule, Rule, Window
from asmevo.edits.batch_loop import BatchLoop
from asmevo.edits.hoist_load import HoistLoad
from asmevo.edits.hoist_wait import HoistWait
from asmevo.edits.move import Move
from asmevo.edits.relax_wait import RelaxWait
from asmevo.edits.remove_redundant import RemoveRedundant
from asmevo.edits.schedule import Schedule
from asmevo.edits.sink_store import SinkStore
from asmevo.edits.skip_branch import SkipBranch

__all__ = [
    "BatchLoop",
    "CompositeRule",
    "HoistLoad",
    "HoistWait",
    "Move",
    "RelaxWait",
    "RemoveRedundant",
    "Rule",
    "Schedule",
    "SinkStore",
    "SkipBranch",
    "Window",
]
