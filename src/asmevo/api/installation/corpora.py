"""Fetch the public wheels whose kernels serve as real inputs; nothing of them is ever committed.

A corpus is one wheel of the Python package index, pinned by version and sha256. `fetch` downloads
it with pip, checks the hash, unpacks it and renames the finished folder into place, so that a
folder that is there is complete. The root is `$ASMEVO_CORPUS` or the user's cache folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

import platformdirs

from asmevo.errors import EnvironmentFault, InputError

MARKER = ".asmevo-corpus.json"

# Limits on what a wheel may unpack to; the largest pinned one has 9,111 files and 168 MB.
MAX_FILES = 50_000
MAX_BYTES = 1 << 30
_DOWNLOAD_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Corpus:
    """One pinned wheel.

    Attributes:
        name: the word a user types, also the folder's name under the corpus root.
        package: name in the package index.
        version: exact version.
        wheel: file name of the wheel.
        sha256: hash of that file, lower-case hex.
        licence: SPDX identifier of what the wheel says about itself.
        content: what it is, one line for people.
        pip_options: further options that select this wheel whatever Python runs pip.
    """

    name: str
    package: str
    version: str
    wheel: str
    sha256: str
    licence: str
    content: str
    pip_options: tuple[str, ...] = ()


CORPORA: Mapping[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "aiter",
            "amd-aiter",
            "0.1.7.post2.dev18",
            "amd_aiter-0.1.7.post2.dev18-py3-none-any.whl",
            "fe139d74438217c35e87e3b961166bac8db2d381eadccb371da2e63615f05a31",
            "MIT",
            "2,501 prebuilt assembly kernels for gfx942 and gfx950; Triton kernel sources (40 MB)",
        ),
        Corpus(
            "sglang",
            "sglang",
            "0.5.23",
            "sglang-0.5.23-cp311-cp311-manylinux_2_34_x86_64.whl",
            "00b3cd5b265ac76c64185fbb6b95424f324ddd9f428d0306b77bc9db9d859937",
            "Apache-2.0",
            "Triton kernel sources of a serving system",
            ("--python-version", "3.11", "--platform", "manylinux_2_34_x86_64"),
        ),
        Corpus(
            "conch",
            "conch-triton-kernels",
            "1.3",
            "conch_triton_kernels-1.3-py3-none-any.whl",
            "bbbdbbcc2ea5650f582a00d9c9ad9ca65b822a64b3cf41856c5e83efcdbe7cea",
            "Apache-2.0",
            "Triton kernel sources of a kernel library",
        ),
    )
}


def corpus_root() -> Path:
    """Folder that holds the fetched corpora: `$ASMEVO_CORPUS`, else the user's cache folder."""
    override = os.environ.get("ASMEVO_CORPUS")
    if override:
        return Path(override)
    return platformdirs.user_cache_path("asmevo") / "corpus"


def _corpus(name: str) -> Corpus:
    corpus = CORPORA.get(name)
    if corpus is None:
        raise InputError(f"no corpus is called '{name}'", "known are " + ", ".join(CORPORA))
    return corpus


def corpus_path(name: str, root: Path | None = None) -> Path:
    """Folder of a corpus, whether it is there or not.

    Raises:
        InputError: no corpus has this name.
    """
    return (root if root is not None else corpus_root()) / _corpus(name).name


def _marker(folder: Path) -> dict[str, Any]:
    try:
        loaded: object = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, Any], loaded) if isinstance(loaded, dict) else {}


def available(name: str, root: Path | None = None) -> bool:
    """Whether the pinned version of a corpus lies complete in its folder.

    Raises:
        InputError: no corpus has this name.
    """
    return _marker(corpus_path(name, root)).get("sha256") == _corpus(name).sha256


def missing_reason(name: str, root: Path | None = None) -> str:
    """One line that says what is missing and how to get it (for skipped tests and `doctor`)."""
    return (
        f"corpus '{name}' is not in {corpus_path(name, root).parent}: "
        f"run `asmevo corpus fetch {name}`"
    )


def fetch(name: str, root: Path | None = None) -> Path:
    """Download, verify and unpack a corpus, unless it is already there.

    Args:
        name: a key of `CORPORA`.
        root: corpus root; `corpus_root()` when None.

    Returns:
        The folder with the unpacked wheel.

    Raises:
        InputError: no corpus has this name.
        EnvironmentFault: pip fails, the hash differs, the wheel is unsafe to unpack, or the
            folder cannot be written.
    """
    corpus = _corpus(name)
    target = corpus_path(name, root)
    if available(name, root):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
            wheel = _download(corpus, Path(scratch) / "wheel")
            verify_sha256(wheel, corpus.sha256)
            unpacked = Path(scratch) / "unpacked"
            unpack(wheel, unpacked)
            marker = {"package": corpus.package, "version": corpus.version, "sha256": corpus.sha256}
            (unpacked / MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
            _put_in_place(unpacked, target, Path(scratch) / "replaced")
    except OSError as error:
        raise EnvironmentFault(
            f"corpus '{name}' cannot be written to {target}: {error.strerror or error}",
            "set ASMEVO_CORPUS to a folder with 300 MB free",
        ) from error
    if not available(name, root):  # another fetch put an unfinished or foreign folder there
        raise EnvironmentFault(f"{target} is not the pinned corpus '{name}'", "remove it")
    return target


def _download(corpus: Corpus, folder: Path) -> Path:
    folder.mkdir()
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "download",
        "--quiet",
        "--no-input",
        "--no-deps",
        "--only-binary=:all:",
        *corpus.pip_options,
        "--dest",
        str(folder),
        f"{corpus.package}=={corpus.version}",
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DOWNLOAD_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"pip did not download {corpus.package} in {_DOWNLOAD_SECONDS} s", "check the network"
        ) from error
    wheel = folder / corpus.wheel
    if done.returncode != 0 or not wheel.is_file():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        why = lines[-1] if lines else f"exit code {done.returncode}, {corpus.wheel} did not arrive"
        raise EnvironmentFault(
            f"pip cannot download {corpus.package}=={corpus.version}: {why}",
            "check the network and pip's index settings",
        )
    return wheel


def verify_sha256(path: Path, expected: str) -> None:
    """Check a file's hash.

    Raises:
        EnvironmentFault: it differs from `expected` (lower-case hex).
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != expected:
        raise EnvironmentFault(
            f"{path.name} has sha256 {digest.hexdigest()}, not the pinned {expected}",
            "the index gave another file; do not use it",
        )


def unpack(
    wheel: Path, folder: Path, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> None:
    """Unpack a zip file of regular files into a new folder.

    Every member is checked before the first one is written; sizes are also enforced while
    writing, because a zip directory can lie about them.

    Raises:
        EnvironmentFault: not a zip file, a member that is absolute, climbs out of the folder or
            is no regular file, or more files or bytes than the limits.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            if len(members) > max_files or sum(m.file_size for m in members) > max_bytes:
                raise EnvironmentFault(
                    f"{wheel.name} unpacks to more than {max_files} files or {max_bytes} bytes",
                    "it is not the pinned wheel",
                )
            for member in members:
                _refuse_unsafe(wheel.name, member)
            left = max_bytes
            for member in members:
                path = folder.joinpath(*PurePosixPath(member.filename).parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, path.open("xb") as sink:
                    while block := source.read(1 << 20):
                        left -= len(block)
                        if left < 0:
                            raise EnvironmentFault(
                                f"{wheel.name} unpacks to more than {max_bytes} bytes",
                                "it is not the pinned wheel",
                            )
                        sink.write(block)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise EnvironmentFault(f"{wheel.name} is no readable zip file: {error}") from error


def _refuse_unsafe(wheel: str, member: zipfile.ZipInfo) -> None:
    name = member.filename
    path = PurePosixPath(name)
    kind = stat.S_IFMT(member.external_attr >> 16)
    unsafe = (
        path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or ":" in name
        or "\0" in name
        or not path.parts
        or kind not in (0, stat.S_IFREG)
    )
    if unsafe:
        raise EnvironmentFault(
            f"{wheel} has the member {name!r}, which is no plain file inside it",
            "it is not the pinned wheel",
        )


def _put_in_place(unpacked: Path, target: Path, aside: Path) -> None:
    # A folder is renamed onto nothing or onto an empty folder in one step. What is there and is
    # not the pinned version is moved aside first and deleted with the scratch folder.
    if target.exists() or target.is_symlink():
        if target.is_symlink() or not target.is_dir():
            raise EnvironmentFault(f"{target} is in the way and no folder", "remove it")
        if any(target.iterdir()) and not _marker(target):
            raise EnvironmentFault(
                f"{target} is in the way: it was not made by this command", "move it away"
            )
        os.rename(target, aside)
        shutil.rmtree(aside, ignore_errors=True)
    try:
        os.rename(unpacked, target)
    except OSError:
        if not _marker(target):  # not a second fetch that was faster
            raise
