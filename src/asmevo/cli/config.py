"""Settings from `asmevo.toml`: defaults of options, one table per command.

```toml
machine = "mi308x"          # of every command that has such an option

[optimize]
budget = 400
driver = "rules"

["launch infer"]
kernel = "gemm"
```

A key is an option's long name without the dashes. What the command line or an environment
variable says wins. The file is `asmevo.toml` of the working folder, or the one that
`ASMEVO_CONFIG` names (empty: none). `--force` is left out: overwriting is asked for each time.
Environment variables mirror every option: `ASMEVO_OPTIMIZE_BUDGET=400`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from asmevo.errors import InputError

VARIABLE = "ASMEVO_CONFIG"
FILE = "asmevo.toml"
PREFIX = "ASMEVO"
"""Of the environment variables that mirror options."""

_LARGEST = 1 << 20
_NEVER = ("force",)


def defaults(options: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """What the settings file says, as click's `default_map`; empty without one.

    Args:
        options: command (`optimize`, `launch infer`) -> its options' long names -> parameters.

    Raises:
        InputError: the file cannot be read, or names a command or an option that there is not.
    """
    where = path()
    if where is None:
        return {}
    try:
        with where.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InputError(f"{where}: larger than 1 MiB", "that is no settings file")
        read = tomllib.loads(data.decode())
    except OSError as err:
        raise InputError(f"{where}: {err.strerror}", f"check {VARIABLE}") from err
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as err:
        raise InputError(f"{where}: {err}", "correct the file") from err
    return _mapped(where, read, options)


def path() -> Path | None:
    """The settings file, or None."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    found = Path(FILE)
    return found if found.is_file() else None


def _mapped(
    path: Path, read: Mapping[str, Any], options: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    everywhere = {k: v for k, v in read.items() if not isinstance(v, dict)}
    for name, value in everywhere.items():
        having = [c for c, names in options.items() if name in names and name not in _NEVER]
        if not having:
            raise InputError(f"{path}: no command has an option --{name}", "see `asmevo --help`")
        for command in having:
            _put(found, command, options[command][name], _plain(path, name, value))
    for command, table in read.items():
        if not isinstance(table, dict):
            continue
        if command not in options:
            raise InputError(f"{path}: no command [{command}]", "see `asmevo --help`")
        for name, value in cast("dict[str, Any]", table).items():
            if name not in options[command] or name in _NEVER:
                raise InputError(
                    f"{path}: {command} has no option --{name} that a file may set",
                    f"see `asmevo {command} --help`",
                )
            _put(found, command, options[command][name], _plain(path, name, value))
    return found


def _plain(path: Path, name: str, value: Any) -> Any:
    """The value as the command line would have it: text, or a list of texts, or a switch."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        return [_plain(path, name, v) for v in cast("list[Any]", value)]
    raise InputError(f"{path}: {name} is neither text, number, switch nor list", "correct it")


def _put(found: dict[str, Any], command: str, parameter: str, value: Any) -> None:
    at = found
    for word in command.split():
        at = at.setdefault(word, {})
    at[parameter] = value
