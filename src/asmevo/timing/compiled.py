"""Functions that numba compiles, kept in the project's cache folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core import config as _numba_config

from asmevo.caches import cache_folder

_njit: Any = cast(Any, numba).njit


@cache
def _version() -> str:
    """Of all that compiled functions are made of.

    Numba keys what it keeps by the file of the outermost function, which sees neither the
    functions that it calls nor the constants of other modules.
    """
    here = Path(__file__).parent
    files = [here / f"{name}.py" for name in ("addresses", "state", "static", "touches")]
    digest = hashlib.sha256()
    for path in (*files, *sorted((here / "kernel").glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled on first use.

    Without a folder to write it is compiled again in every process. Numba's reference counting is
    off: a function allocates nothing.
    """
    settings = cast(Any, _numba_config)
    before = settings.CACHE_DIR
    try:
        folder = cache_folder("numba", _version())
        if folder is None:
            return _njit(nogil=True, _nrt=False)(function)
        settings.CACHE_DIR = str(folder)
        kept = _njit(cache=True, nogil=True, _nrt=False)(function)
    except RuntimeError:  # numba: no locator available
        return _njit(nogil=True, _nrt=False)(function)
    finally:
        settings.CACHE_DIR = before

    def run(*arguments: Any) -> Any:
        try:
            return kept(*arguments)
        except OSError:
            # It was compiled and could not be kept (a full disk); what is compiled stays usable.
            return kept(*arguments)

    return run
