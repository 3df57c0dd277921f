"""A run that somebody else drives: tools over it, without a way around the gates."""

from asmevo.api.agent.finishing import Finished, finish
from asmevo.api.agent.session import Session, ask, tell

__all__ = ["Finished", "Session", "ask", "finish", "tell"]
