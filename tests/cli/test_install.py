"""An installed package that nobody may write to, run by a user without a home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import asmevo

from .conftest import contents

# A kernel on the emulator, and one small part of the cycle model: all of it takes long to compile.
CODE = """
import sys, numpy as np
from asmevo.cli.main import main
code = main(sys.argv[1:])
from asmevo.timing import addresses, compiled
compiled.compiled(addresses._starts)(np.zeros(0, np.uint64), 64, np.zeros(1, np.int64))
sys.exit(code)
"""


def test_a_read_only_install_keeps_everything_in_the_named_cache(
    saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    """Compiled helpers and the compiled model go to `ASMEVO_CACHE`, and nothing anywhere else."""
    site, cache, scratch = (tmp_path / n for n in ("site", "cache", "scratch"))
    shutil.copytree(
        Path(asmevo.__file__).parent, site / "asmevo", ignore=shutil.ignore_patterns("__pycache__")
    )
    scratch.mkdir()
    before = contents(site)
    for folder in (site, *(p for p in site.rglob("*") if p.is_dir())):
        folder.chmod(0o555)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",  # root, who may write, would leave compiled modules
        "ASMEVO_CACHE": str(cache),
        "TMPDIR": str(scratch),
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", CODE, "run", saxpy, "--launch", launch],
            capture_output=True, text=True, env=environment, cwd=scratch,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        assert contents(site) == before
    finally:
        for folder in (site, *(p for p in site.rglob("*") if p.is_dir())):
            folder.chmod(0o755)
    assert {p.name for p in cache.iterdir()} == {"helpers", "numba"}
    assert list(scratch.iterdir()) == []
