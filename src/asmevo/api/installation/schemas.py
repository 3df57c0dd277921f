"""JSON Schemas of the files that AsmEvo reads and writes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from asmevo.api.differences.record import DiffRecord
from asmevo.capsule.file import Header
from asmevo.capsule.spec import LaunchSpec
from asmevo.deliver.bundle import Manifest
from asmevo.drivers.tools import TOOLS, Answer, Refused
from asmevo.errors import InputError

_MODELS: dict[str, type[BaseModel]] = {
    "bundle": Manifest,
    "capsule": Header,
    "diff": DiffRecord,
    "launch": LaunchSpec,
    **{f"call-{tool.name}": tool.request for tool in TOOLS.values()},
    **{f"tool-{tool.answer.name}": tool.answer for tool in TOOLS.values()},
    "tool-refused": Refused,
}
SCHEMA_NAMES = tuple(_MODELS)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of `launch` (launch.yaml), `capsule` (its header), `bundle`
    or `diff` (what the command prints).

    `call-NAME` is that of a tool's arguments, `tool-NAME` that of an answer.

    Raises:
        InputError: no such schema.
    """
    if name not in _MODELS:
        raise InputError(f"no schema {name!r}", "there are " + ", ".join(SCHEMA_NAMES))
    model = _MODELS[name]
    found = model.form() if issubclass(model, Answer) else model.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
