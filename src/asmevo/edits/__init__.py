"""Rewrite rules: they propose edits of a program and judge nothing."""

from asmevo.edits.base import CompositeRule, Rule, Window
from asmevo.edits.hoist_load import HoistLoad
from asmevo.edits.loops.batch_loop import BatchLoop
from asmevo.edits.loops.hoist_wait import HoistWait
from asmevo.edits.lower_registers import LowerRegisters
from asmevo.edits.order.move import Move
from asmevo.edits.order.schedule import Schedule
from asmevo.edits.remove_redundant import RemoveRedundant
from asmevo.edits.sink_store import SinkStore
from asmevo.edits.skip_branch import SkipBranch
from asmevo.edits.waits.relax_wait import RelaxWait

__all__ = [
    "BatchLoop",
    "CompositeRule",
    "HoistLoad",
    "HoistWait",
    "LowerRegisters",
    "Move",
    "RelaxWait",
    "RemoveRedundant",
    "Rule",
    "Schedule",
    "SinkStore",
    "SkipBranch",
    "Window",
]
