"""The one-page HTML report of an optimization."""

from __future__ import annotations

from typing import Any

import jinja2

# Everything is escaped: kernel names, edit text and notes come from binaries and proposers.
_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("asmevo.cli", "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


def render(record: dict[str, Any], steps: list[dict[str, Any]]) -> str:
    """The report page.

    Args:
        record: the run's JSON record.
        steps: per accepted node its edits with the lines before and after.
    """
    return _ENVIRONMENT.get_template("report.html").render(
        record=record,
        steps=steps,
        evidence=record.get("evidence"),
    )
