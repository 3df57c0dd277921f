"""The solver's Python module, which has no types of its own."""

from __future__ import annotations

import importlib
from typing import Any

_module: Any = importlib.import_module("bitwuzla")

Bitwuzla: Any = _module.Bitwuzla
Kind: Any = _module.Kind
Option: Any = _module.Option
Options: Any = _module.Options
Result: Any = _module.Result
RoundingMode: Any = _module.RoundingMode
TermManager: Any = _module.TermManager
NAME = f"bitwuzla {_module.version()}"
