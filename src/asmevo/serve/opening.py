"""The tool `open`: the one that names files, so the one that is held inside a folder."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from asmevo.api import Session
from asmevo.api.agent.session import BUDGET, reopened
from asmevo.drivers.tools.model import Answer, Request
from asmevo.errors import InputError


class OpenRequest(Request):
    """Which kernel, run how, and where the run is kept. All paths lie in the server's folder."""

    object: str | None = Field(
        default=None, max_length=1024, description="code object; left out to go on with a run"
    )
    launch: str | None = Field(default=None, max_length=1024, description="launch.yaml or capsule")
    store: str = Field(max_length=1024, description="run store to begin or to go on with")
    kernel: str | None = Field(default=None, max_length=1024)
    sizes: dict[str, int | str] = Field(default_factory=dict[str, int | str], max_length=64)
    input_seed: int | None = None
    budget: int = Field(default=BUDGET, ge=0, description="attempts of the whole run")


class Opened(Answer):
    """The run is open; `report` says where it stands."""

    name: ClassVar[str] = "opened"

    store: str
    attempts: int
    remaining: int


def inside(root: Path, name: str) -> Path:
    """A path inside `root`, links followed.

    Raises:
        InputError: it leads elsewhere.
    """
    try:
        path = (root / name).resolve()
        path.relative_to(root.resolve())
    except (ValueError, OSError, RuntimeError):
        raise InputError("the path leads out of the server's folder", "see --root") from None
    return path


def open_session(root: Path, request: OpenRequest) -> Session:
    """The session that a request asks for.

    Raises:
        InputError: a path outside `root`, half of object and launch, or what `Session` refuses.
    """
    store = inside(root, request.store)
    if (request.object is None) != (request.launch is None):
        raise InputError("a run begins with an object and a launch", "give both, or neither")
    if request.object is None or request.launch is None:
        return reopened(store)
    return Session(
        inside(root, request.object),
        inside(root, request.launch),
        store,
        kernel=request.kernel,
        sizes=request.sizes,
        input_seed=request.input_seed,
        budget=request.budget,
    )
