"""The driver protocol, for whoever writes a driver (its definition lies with the controller)."""

from asmevo.search.driver import Context, Driver
from asmevo.search.types import Attempt, Proposal

__all__ = ["Attempt", "Context", "Driver", "Proposal"]
