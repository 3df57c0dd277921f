"""How every HTML page is made: it stands alone, and whatever it shows is escaped.

No script, no font, no address. Names, texts and notes come from binaries and proposers.
"""

from __future__ import annotations

from typing import Any

import jinja2

from asmevo.cli.output import printable


def _shown(value: object) -> object:
    # Markup is the output of this page's own macros, escaped already.
    return printable(value) if type(value) is str else value


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("asmevo.cli.render", "templates"),
    autoescape=True,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


def page(template: str, **values: Any) -> str:
    """The page that a template of this room makes of values."""
    return _ENVIRONMENT.get_template(template).render(**values)
