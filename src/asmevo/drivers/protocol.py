"""The driver protocol, for whoever writes a driver (its definition lies with the controller)."""

from asmevo.search.driver import Context, Driver
from asmevo.search.types import Outcome, Proposal

__all__ = ["Context", "Driver", "Outcome", "Proposal"]
