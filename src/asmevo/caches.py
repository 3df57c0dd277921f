"""Where the project keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_root() -> Path:
    """`ASMEVO_CACHE`, or the user's cache folder. It need not exist, nor be writable."""
    return Path(os.environ.get("ASMEVO_CACHE") or platformdirs.user_cache_dir("asmevo"))
