"""A launch description that was inferred: every line with its reason, and what remains to ask."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asmevo.capsule.spec import SCHEMA

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


@dataclass(frozen=True, slots=True)
class Argument:
    """One entry of `args`.

    Attributes:
        entry: its keys and values, in the order in which they are written.
        reasons: why each is so, one line each.
    """

    entry: Mapping[str, object]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """An inferred launch.

    Attributes:
        kernel: its name.
        source: what it was taken from, one line.
        sizes: values or expressions by name.
        grid: expressions of the workgroups along x, y and z.
        block: workitems of a workgroup.
        lds: dynamic LDS bytes.
        args: by rising kernarg offset.
        variants: further sizes to test.
        hidden_zero: the kernel takes state of the runtime that is filled with zeros.
        reasons: of `sizes`, `grid`, `block` and `lds`, one line each.
        questions: what only someone who knows the kernel can say.
    """

    kernel: str
    source: str
    sizes: Mapping[str, int | str]
    grid: tuple[str, str, str]
    block: tuple[int, int, int]
    lds: int
    args: tuple[Argument, ...]
    variants: tuple[Mapping[str, int], ...] = ()
    hidden_zero: bool = False
    tolerance: Mapping[str, float] | None = None
    reasons: Mapping[str, str] | None = None
    questions: tuple[str, ...] = ()

    def yaml(self) -> str:
        """The text of a launch.yaml; it loads as it is."""
        why = self.reasons or {}
        lines = [f"# Inferred: {_line(self.source)}. Each line says why."]
        lines += [f"# QUESTION: {_line(q)}" for q in self.questions]
        lines += [
            f"schema: {SCHEMA}",
            f"kernel: {_scalar(self.kernel)}",
            _with(f"sizes: {_flow(self.sizes)}", why.get("sizes")),
        ]
        if self.variants:
            lines.append(f"variants: [{', '.join(_flow(v) for v in self.variants)}]")
        grid = ", ".join(g if g.isdecimal() else _scalar(g) for g in self.grid)
        block = ", ".join(str(b) for b in self.block)
        lines += [
            _with(f"grid: [{grid}]", why.get("grid")),
            _with(f"block: [{block}]", why.get("block")),
            _with(f"lds: {self.lds}", why.get("lds")),
            "seed: 1",
        ]
        if self.hidden_zero:
            lines.append("hidden: zero  # state of the runtime that the kernel is taken not to use")
        if self.tolerance:
            lines.append(f"tolerance: {_flow(self.tolerance)}")
        lines.append("args:" if self.args else "args: []")
        lines += [_with(f"  - {_flow(a.entry)}", "; ".join(a.reasons)) for a in self.args]
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kernel": self.kernel,
            "source": self.source,
            "sizes": dict(self.sizes),
            "variants": [dict(v) for v in self.variants],
            "grid": list(self.grid),
            "block": list(self.block),
            "lds": self.lds,
            "hidden": "zero" if self.hidden_zero else "refuse",
            "args": [{**a.entry, "reasons": list(a.reasons)} for a in self.args],
            "reasons": dict(self.reasons or {}),
            "questions": list(self.questions),
        }


def _line(text: str) -> str:
    """One printable line: a name from a binary may hold anything."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _with(line: str, reason: str | None) -> str:
    return f"{line}  # {_line(reason)}" if reason else line


def _scalar(value: object) -> str:
    """A value in YAML's flow style; JSON strings are YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text)


def _flow(mapping: Mapping[str, object]) -> str:
    parts: list[str] = []
    for key, value in mapping.items():
        if isinstance(value, list | tuple):
            inner = ", ".join(_scalar(v) for v in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            parts.append(f"{key}: [{inner}]")
        else:
            parts.append(f"{key}: {_scalar(value)}")
    return "{" + ", ".join(parts) + "}"
