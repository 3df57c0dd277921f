"""What a later audit needs to decide a window anew: all of it as JSON, and a hash over it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from asmevo.errors import InputError
from asmevo.isa.codec.llvm import disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target
from asmevo.prove.window import Assumptions, Diamond, Region, Window

SCHEMA = "asmevo/proof/1"


def certificate(window: Window, status: str, solver: str) -> dict[str, Any]:
    """The certificate of a window that was decided so; its MODE is known."""
    assert window.mode is not None
    facts = window.assumptions
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "target": window.target.arch,
        "name": window.name,
        "before": _region(window.before),
        "after": _region(window.after),
        "live_out": sorted(window.live_out),
        "mode": window.mode.bits(),
        "assumptions": {
            "exec_full": facts.exec_full,
            "disjoint": sorted(facts.disjoint),
            "uniform": sorted(facts.uniform),
        },
        "status": status,
        "solver": solver,
    }
    return made | {"sha256": _hash(made)}


def window_of(made: Mapping[str, Any]) -> Window:
    """The window that a certificate is about.

    Raises:
        InputError: it is none of this version, or was changed.
    """
    body = {k: v for k, v in made.items() if k != "sha256"}
    if body.get("schema") != SCHEMA or made.get("sha256") != _hash(body):
        raise InputError("the proof's certificate is damaged or of another version")
    target, facts = Target(body["target"]), body["assumptions"]
    return Window(
        target,
        _read(body["before"], target),
        _read(body["after"], target),
        frozenset(body["live_out"]),
        FloatMode.from_bits(body["mode"]).on_target(target.arch),
        Assumptions(facts["exec_full"], frozenset(facts["disjoint"]), frozenset(facts["uniform"])),
        body["name"],
    )


def _hash(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _region(region: Region) -> list[Any]:
    return [
        {
            "branch": i.branch.raw.hex(),
            "falls": _region(i.falls),
            "taken": _region(i.taken),
        }
        if isinstance(i, Diamond)
        else i.raw.hex()
        for i in region
    ]


def _read(rows: list[Any], target: Target) -> Region:
    return tuple(_item(row, target) for row in rows)


def _item(row: Any, target: Target) -> Instruction | Diamond:
    if isinstance(row, str):
        return _instruction(row, target)
    falls, taken = (_read(row[name], target) for name in ("falls", "taken"))
    return Diamond(_instruction(row["branch"], target), falls, taken)


def _instruction(raw: str, target: Target) -> Instruction:
    data = bytes.fromhex(raw)
    found = disassembler(target).decode(data)
    if len(found) != 1 or found[0].text is None:
        raise InputError(f"the proof's certificate holds {raw}, which is no instruction")
    return Instruction(data, found[0].text)
