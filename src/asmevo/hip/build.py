"""Compile the emulated runtime on first use, and keep it.

With the system's C compiler (`$CC`, cc, gcc, clang) or, where there is none, the one of the PyPI
package `ziglang`. What is built depends on the sources, the compiler's name and the flags. It
lies in the user's cache (where there is none, it is built for this process); another build of the
same at the same time does no harm.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from asmevo.caches import cache_folder
from asmevo.errors import EnvironmentFault
from asmevo.hip.functions import NATIVE, table_source, version_script

PERSONALITIES = (5, 6, 7)
"""Numbers of the SONAME, and so of the HIP version, that the library can have."""
_FLAGS = (
    "-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra",
    "-pthread", "-Wl,-Bsymbolic", "-Wl,-z,defs",
)  # fmt: skip
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler: how it is called, and how it is called in reports."""

    command: tuple[str, ...]
    name: str


def compiler() -> Compiler:
    """The C compiler to use.

    Raises:
        EnvironmentFault: there is none.
    """
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        words = name.split()
        path = shutil.which(words[0]) if words else None
        if path is not None:
            return Compiler((path, *words[1:]), path)
    if importlib.util.find_spec("ziglang") is not None:
        return Compiler((sys.executable, "-m", "ziglang", "cc"), "ziglang")
    raise EnvironmentFault(
        "no C compiler for the emulated HIP runtime",
        "install gcc or clang, or `pip install ziglang`",
    )


def sources() -> dict[str, str]:
    """File name -> text of everything that is compiled, generated files included."""
    found = {p.name: p.read_text() for p in sorted(NATIVE.glob("*.[ch]"))}
    return found | {"table.c": table_source(), "exports.map": version_script()}


def build(extra: Sequence[str] = ()) -> Path:
    """The folder with `libamdhip64.so` and its personalities, built if need be.

    Args:
        extra: more flags for the compiler, e.g. of a sanitizer.

    Raises:
        EnvironmentFault: no compiler, or it does not compile.
    """
    texts, chosen = sources(), compiler()
    key = hashlib.sha256(repr((texts, chosen.command, _FLAGS, tuple(extra))).encode()).hexdigest()
    parent = cache_folder("hip") or _passing()
    folder = parent / key[:24]
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory(dir=parent) as work:
        made = Path(work) / "made"
        made.mkdir()
        for name, text in texts.items():
            (Path(work) / name).write_text(text)
        for number in PERSONALITIES:
            _compile(chosen, Path(work), made, number, extra)
            # The plain name, for who asks for no version; `lib` for who looks below ROCM_PATH.
            plain = made / f"hip{number}"
            plain.mkdir()
            (plain / "libamdhip64.so").symlink_to(f"../libamdhip64.so.{number}")
            (plain / "lib").symlink_to(".")
        try:
            made.rename(folder)
        except OSError:
            if not folder.exists():
                raise
    return folder


@lru_cache(maxsize=1)
def _passing() -> Path:
    """A folder for this process, where nothing can be kept."""
    folder = tempfile.TemporaryDirectory(prefix="asmevo-hip-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _compile(chosen: Compiler, work: Path, to: Path, number: int, extra: Sequence[str]) -> None:
    name = f"libamdhip64.so.{number}"
    command = [
        *chosen.command, *_FLAGS, *extra, f"-DHIP_MAJOR={number}", f"-Wl,-soname,{name}",
        "-Wl,--version-script=exports.map", "-o", str(to / name),
        *(p.name for p in sorted(work.glob("*.c"))),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as err:
        raise EnvironmentFault(f"{chosen.name} does not run: {err}") from err
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
        raise EnvironmentFault(
            f"{chosen.name} does not compile the emulated HIP runtime: {first.strip()[:300]}",
            "set CC to another C compiler",
        )
