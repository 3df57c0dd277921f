"""Everything in the ROCm libraries of a distribution: found, counted and rebuilt.

    python -m benchmarks.libraries [--root FOLDER] [--fetch] [--sample N | --all] [--rows DIR]
                                   [PACKAGE...]

For each package (a folder below FOLDER with its unpacked files): the objects that `asmevo find`
lists, with time and memory of a fresh process; the number of code objects counted by their ELF
identification alone, with no container but compressed bundles unpacked; and the identity proof of a
random sample or of all. With `--rows` the figures are kept in a folder as they come, and a run that
was ended goes on from there.
`--fetch` downloads missing packages with `apt-get download` and unpacks them; nothing of them is
ever committed. Several gigabytes.

Targets: all objects found; a library of 2 GB in at most 60 s (CPU) and 1 GB; every object
identical or refused with a reason, at most 1 % of them.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    as_completed,
    wait,
)
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from asmevo.api.installation import corpora
from asmevo.codeobject.container import find
from asmevo.program.roundtrip import roundtrip_bytes
from benchmarks.common import report

PACKAGES = ("librocfft0", "librocrand1", "librccl1", "librocblas0", "librocsparse0",
            "librocsolver0", "libhipblaslt1")  # fmt: skip
_HSA_ELF = b"\x7fELF\x02\x01\x01\x40"
_EM_AMDGPU = b"\xe0\x00"
# A child begins with its parent's peak, so it reads its own.
_FIND = """
import atexit, sys

def peak():
    with open("/proc/self/status") as status:
        print(status.read().partition("VmHWM:")[2].split()[0], file=sys.stderr)

atexit.register(peak)
from asmevo.cli.main import main
main()
"""
# Compressed bundle -> bytes of its header (clang, `OffloadBundler.cpp`).
_BUNDLER_MAGICS = {b"CCOB\x01\x00": 20, b"CCOB\x02\x00": 24, b"CCOB\x03\x00": 32}

_CHUNK, _CHUNK_BYTES = 32, 64 << 20
Chunk = list[tuple[int, bytes, str]]  # (number, bytes, location) of objects of one target
Outcome = tuple[str, int, int, float]  # (reason or empty, instructions, kept as bytes, CPU seconds)


@dataclass
class Row:
    """Figures of one package."""

    package: str
    bytes: int = 0
    found: int = 0
    problems: dict[str, int] = field(default_factory=dict[str, int])
    counted: int = 0
    compressed: int = 0
    find_s: float = 0.0
    find_cpu: float = 0.0
    peak_mb: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, "Outcome"])

    @property
    def refused(self) -> Counter[str]:
        """Reasons why objects are not identical."""
        reasons = (reason for reason, *_ in self.outcomes.values() if reason)
        return Counter(re.sub(r"\d+", "N", reason.partition(";")[0]) for reason in reasons)


def root() -> Path:
    """Where the unpacked packages are."""
    return corpora.corpus_root() / "debian"


def fetch(folder: Path, package: str) -> None:
    """Download and unpack one package with the system's own tools."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        subprocess.run(["apt-get", "download", package], cwd=work, check=True)
        (archive,) = Path(work).glob("*.deb")
        unpacked = Path(work, "files")
        subprocess.run(["dpkg-deb", "-x", str(archive), str(unpacked)], check=True)
        unpacked.rename(folder / package)


def identified(data: bytes | mmap.mmap) -> int:
    """Places that begin like a code object: identification and machine."""
    objects, at = 0, data.find(_HSA_ELF)
    while at >= 0:
        objects += data[at + 18 : at + 20] == _EM_AMDGPU
        at = data.find(_HSA_ELF, at + 1)
    return objects


def counted(path: Path) -> tuple[int, int]:
    """(code objects by their identification, compressed bundles) anywhere in a file's bytes."""
    if path.stat().st_size == 0:
        return 0, 0
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        objects, packed = identified(data), 0
        for magic, header in _BUNDLER_MAGICS.items():
            at = data.find(magic)
            while at >= 0:
                method = int.from_bytes(data[at + 6 : at + 8], "little")
                unpack = zstandard.ZstdDecompressor() if method else zlib
                objects += identified(unpack.decompressobj().decompress(data[at + header :]))
                packed += 1
                at = data.find(magic, at + 1)
    return objects, packed


def regular(folder: Path) -> Iterator[Path]:
    """Every regular file below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def listed(folder: Path, row: Row) -> list[dict[str, Any]]:
    """What `asmevo find` lists, in a process of its own; its time and memory go into `row`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        command = [sys.executable, "-c", _FIND, "find", str(folder), "-f", "json"]
        process = subprocess.Popen(command, stdout=out, stderr=log)
        _, _, usage = os.wait4(process.pid, 0)
        row.find_s = time.perf_counter() - start
        row.find_cpu = usage.ru_utime + usage.ru_stime
        for stream in (out, log):
            stream.seek(0)
        row.peak_mb = int(log.read().split()[-1]) >> 10
        objects: list[dict[str, Any]] = json.loads(out.read())["objects"]
        return objects


def proved(chunk: Chunk) -> list[tuple[int, Outcome]]:
    """The identity proofs of some objects of one target, which share many encodings."""
    out: list[tuple[int, Outcome]] = []
    for number, data, location in chunk:
        r = roundtrip_bytes(data, location)
        reason = "" if r.status == "identical" else r.reason or r.status
        out.append((number, (reason, r.instructions, r.kept_as_bytes, r.seconds)))
    return out


def examine(folder: Path, package: str) -> tuple[Row, list[str]]:
    """What is in a package, and the target of each object that `asmevo find` lists."""
    row = Row(package)
    for path in regular(folder):
        objects, packed = counted(path)
        row.bytes += path.stat().st_size
        row.counted += objects
        row.compressed += packed
    objects_found = listed(folder, row)
    row.found = sum(bool(o["bytes"]) for o in objects_found)
    for o in objects_found:
        if o["problem"]:
            text = re.sub(r"\d+", "N", str(o["problem"]).partition(";")[0])
            row.problems[text] = row.problems.get(text, 0) + 1
    return row, [str(o["target"]) for o in objects_found]


def chunks(folder: Path, chosen: set[int], targets: list[str]) -> Iterator[Chunk]:
    """The chosen objects in order, in chunks of one target each."""
    waiting: dict[str, Chunk] = {}
    for number, one in enumerate(find(folder)):
        if number not in chosen or one.error is not None:
            continue
        chunk = waiting.setdefault(targets[number], [])
        chunk.append((number, bytes(one.content), one.location))
        if len(chunk) >= _CHUNK or sum(len(data) for _, data, _ in chunk) >= _CHUNK_BYTES:
            yield waiting.pop(targets[number])
    yield from waiting.values()


def measure(folder: Path, package: str, sample: int | None, workers: int, kept: Path | None) -> Row:
    """All figures of one package; what `kept` holds of it already is not done again."""
    if kept is not None and kept.is_file():
        known = json.loads(kept.read_text())
        row, targets = Row(**known["row"]), known["targets"]
    else:
        row, targets = examine(folder, package)
    chosen = set(range(len(targets)))
    if sample is not None:
        chosen = set(random.Random(9).sample(sorted(chosen), min(sample, len(chosen))))
    chosen -= {int(number) for number in row.outcomes}
    if not chosen:
        return row
    # A fresh process now and then: the tables of encodings grow.
    with ProcessPoolExecutor(workers, max_tasks_per_child=8) as pool:
        for some in _bounded(pool, chunks(folder, chosen, targets), workers + 1):
            row.outcomes.update({str(number): outcome for number, outcome in some})
            if kept is not None:
                kept.write_text(json.dumps({"row": asdict(row), "targets": targets}))
    return row


def _bounded(
    pool: ProcessPoolExecutor, tasks: Iterator[Chunk], most: int
) -> Iterator[list[tuple[int, Outcome]]]:
    """Results as they come, with a bounded number of chunks in flight."""
    pending: set[Future[list[tuple[int, Outcome]]]] = set()
    for chunk in tasks:
        pending.add(pool.submit(proved, chunk))
        if len(pending) >= most:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    yield from (future.result() for future in as_completed(pending))


def main() -> int:
    """Write the page; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--root", type=Path, default=root())
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rows", type=Path, help="folder to keep the figures of each package in")
    options = parser.parse_args()
    options.root.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for package in options.packages:
        folder = options.root / package
        if not folder.is_dir() and options.fetch:
            fetch(options.root, package)
        if not folder.is_dir():
            print(f"{package}: not in {options.root} (--fetch downloads it)", file=sys.stderr)
            continue
        sample = None if options.all else options.sample
        kept: Path | None = options.rows / f"{package}.json" if options.rows else None
        rows.append(measure(folder, package, sample, len(os.sched_getaffinity(0)), kept))
        print(package, len(rows[-1].outcomes), rows[-1].refused, flush=True)
    return write_page(rows)


def write_page(rows: list[Row]) -> int:
    """The result page; 1 when a target is missed."""
    ok = bool(rows)
    lines = [
        "| package | MB | found | counted | find, s | find, CPU s | peak, MB | tried | identical "
        "| instructions | kept as bytes | CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        tried, refused = len(r.outcomes), r.refused.total()
        lines.append(
            f"| {r.package} | {r.bytes >> 20} | {r.found} | {r.counted} | {r.find_s:.1f} "
            f"| {r.find_cpu:.1f} | {r.peak_mb} | {tried} | {tried - refused} "
            f"| {sum(n for _, n, _, _ in r.outcomes.values())} "
            f"| {sum(n for _, _, n, _ in r.outcomes.values())} "
            f"| {sum(s for _, _, _, s in r.outcomes.values()):.0f} |"
        )
        ok &= r.found >= r.counted and r.peak_mb <= 1024
        ok &= r.find_cpu <= max(10.0, 30.0 * (r.bytes / (1 << 30)))
        ok &= refused <= 0.01 * tried
    lines += [
        "",
        "`found`: objects that `asmevo find` lists. `counted`: places in the files that begin like "
        "an HSA code object (identification and machine), with no container but compressed "
        "bundles unpacked. `tried`: objects that were recovered and rebuilt, `identical` to the "
        "byte, in so much CPU time. All times are of a shared machine.",
        "",
    ]
    for r in rows:
        for text, count in [*r.problems.items(), *r.refused.items()]:
            lines.append(f"- {r.package}: {count} × {text}")
        if r.compressed:
            lines.append(f"- {r.package}: {r.compressed} compressed bundles")
    lines += ["", f"Targets: {__doc__.partition('Targets: ')[2].strip()}" if __doc__ else ""]
    report("libraries", "ROCm libraries of a distribution", lines)
    return int(not ok)


if __name__ == "__main__":
    sys.exit(main())
