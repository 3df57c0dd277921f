"""The folder for what can be made again: compiled helpers, the compiled model.

`$ASMEVO_CACHE`, else the user's cache folder. Machine code is loaded from it, so it must be the
user's own and writable by nobody else; where there is no such folder, nothing is kept.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import platformdirs


def cache_root() -> Path:
    """The root, whether it exists or not."""
    return Path(os.environ.get("ASMEVO_CACHE") or platformdirs.user_cache_dir("asmevo"))


def cache_folder(*parts: str) -> Path | None:
    """A folder below the root, made private to the user; None where none can be had."""
    return None if _refusal(*parts) else cache_root().joinpath(*parts)


def cache_problem() -> str:
    """Why nothing can be kept, in one line; empty when all is well."""
    return _refusal("helpers") or _refusal("numba")


def _refusal(*parts: str) -> str:
    folder = cache_root().joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
    except OSError as err:
        return f"no cache folder {folder}: {err.strerror or err}"
    if status.st_uid != os.getuid():
        return f"the cache folder {folder} belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"the cache folder {folder} is writable by others"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the cache folder {folder} is read-only"
    return ""
