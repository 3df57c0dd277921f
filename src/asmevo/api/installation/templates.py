"""Rewrite templates: which there are, and which of them are right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asmevo.api.results import Result
from asmevo.drivers.templates import Refusal, judged_templates
from asmevo.isa.target import Target
from asmevo.wording import counted


def check_templates(folders: Sequence[str | Path] = (), *, target: str = "gfx942") -> Result:
    """The built-in templates of a target and those of folders, each proved or refused.

    Args:
        folders: folders of template files (docs/search.md).
        target: processor name.

    Raises:
        InputError: an unknown processor, no folder, or no template file.
    """
    rows: list[dict[str, Any]] = []
    for judged in judged_templates(Target(target), tuple(Path(f) for f in folders)):
        refused = judged.reason if isinstance(judged, Refusal) else ""
        template = judged.template if isinstance(judged, Refusal) else judged
        rows.append(
            {
                "name": template.name,
                "description": template.description,
                "match": template.match.strip().splitlines(),
                "replace": template.replace.strip().splitlines(),
                "latency": template.latency,
                "throughput": template.throughput,
                "vgpr_pressure": template.vgpr_pressure,
                "refused": refused,
            }
        )
    wrong = sum(bool(row["refused"]) for row in rows)
    said = f"{counted(len(rows) - wrong, 'template')} proved"
    said += f", {wrong} refused" if wrong else ""
    return Result(not wrong, "refuted" if wrong else "ok", said, {"templates": rows})
