"""Mutated objects, containers and assembly files: typed errors only, in bounded time and memory.

    python -m benchmarks.fuzz [--objects N] [--containers N] [--texts N] [--launches N] [--seed S]

The mutations and the good containers are those of the tests. An object is recovered, edited,
rebuilt and recovered again; a container is searched and everything in it opened; a text is built; a
launch (capsule, description or bundle, see `fuzz_launches`) is read whole.
Anything but a typed error is a fault, which ends the run with its input beside the page.

Targets: 20,000 objects, 10,000 containers, 5,000 texts and 5,000 launches; no other exception; at
most 2 s of CPU and 512 MB each.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import find_in
from asmevo.errors import AsmEvoError
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from benchmarks import fuzz_launches
from benchmarks.common import report

_Input = TypeVar("_Input", bytes, str)
KERNELS = Path(__file__).resolve().parents[1] / "kernels"
SECONDS, BYTES = 2.0, 512 << 20
COUNTS = {"objects": 20_000, "containers": 10_000, "texts": 5_000, "launches": 5_000}
_EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 64) - 1)
_TAILS = (" ; x", ' .incbin "/etc/hostname"', '"', "\\", "\0", "\u2028", ", v0", ":", " 1",
          "\r.set x, 1", " " * 5000, "(" * 200, ".rept 1000000000", ".macro x", "/*", "*/",
          ".fill 0x7fffffff", ".zero 0xffffffff", ".p2align 40")  # fmt: skip


@dataclass
class Figures:
    """What one stream gave."""

    kind: str
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    slowest: float = 0.0
    most: int = 0
    seconds: float = 0.0


def kernel(name: str, arch: str, folder: str) -> bytes:
    """One of the project's kernels, built."""
    text = (KERNELS / folder / arch / f"{name}.s").read_text(encoding="utf-8")
    return assemble_object(text, Target(arch))


def good_objects() -> list[bytes]:
    """Kernels of three generations, with calls and tables, and one without section headers."""
    objects = [kernel(n, "gfx942", ".") for n in ("saxpy", "softmax", "matmul_f16", "reduce")]
    objects += [kernel("calls", a, "recovery") for a in ("gfx90a", "gfx942", "gfx1100")]
    stripped = bytearray(objects[-2])
    struct.pack_into("<Q", stripped, 40, 0)
    struct.pack_into("<HHH", stripped, 58, 0, 0, 0)
    return [*objects, bytes(stripped)]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Bits flipped, fields at extremes, pieces moved, put in and cut; headers more often."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        near = rng.choice([64, 600, 2300, len(out), len(out), len(out)])
        at = rng.randrange(min(near, len(out)))
        if rng.random() < 0.3:  # tables stand at the end, too
            at = len(out) - 1 - at
        kind = rng.randrange(5)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            width = rng.choice([1, 2, 4, 8])
            at -= at % width
            value = rng.choice(_EXTREMES) & (1 << 8 * width) - 1
            out[at : at + width] = value.to_bytes(width, "little")
        elif kind == 2:
            size, other = rng.randrange(1, 64), rng.randrange(len(out))
            out[at : at + size] = out[other : other + size]
        elif kind == 3:
            out[at : at + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(40))
        elif rng.random() < 0.3:
            del out[max(1, at) :]
    return bytes(out)


def mutate_text(source: list[str], rng: random.Random) -> str:
    """Lines deleted, repeated and moved, characters and numbers changed, tails put on."""
    lines = list(source)
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(i, lines[rng.randrange(len(lines))])
        elif kind == 2 and lines[i]:
            at = rng.randrange(len(lines[i]))
            lines[i] = lines[i][:at] + chr(rng.randrange(1, 0x2100)) + lines[i][at + 1 :]
        elif kind == 3:
            lines[i] += rng.choice(_TAILS)
        elif kind == 4:
            number = str(rng.choice([0, -1, 255, 65536, 1 << 40, 1 << 70]))
            lines[i] = re.sub(r"\b(0x[0-9a-f]+|\d+)", number, lines[i], count=1)
        else:
            j = rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def try_object(data: bytes) -> str:
    """Recover, grow, rebuild and recover again."""
    program = recover(CodeObject.open(data))
    program.listing()
    if len(program.instructions) > 1:
        recover(CodeObject.open(rebuild(apply(program, [Edit(1, 1, ("s_nop 0",) * 9)]))))
    return "recovered"


def try_container(data: bytes) -> str:
    """Open whatever is found; the worst outcome counts."""
    outcome = "nothing found"
    for found in find_in(data):
        if found.error is not None:
            raise found.error
        CodeObject.open(found.data)
        outcome = "opened"
    return outcome


def try_text(text: str) -> str:
    """Build an assembly file."""
    CodeObject.open(read(text))
    return "built"


def _cpu() -> float:
    """CPU seconds of this process and of the children in which texts are assembled."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _peak(reset: bool = False) -> int:
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


def run(
    kind: str, inputs: Iterator[_Input], count: int, attempt: Callable[[_Input], str]
) -> Figures:
    """Figures of `count` inputs; any exception but a typed one passes through."""
    figures = Figures(kind)
    begin = _cpu()
    for _ in range(count):
        one = next(inputs)
        before, start = _peak(reset=True), _cpu()
        try:
            outcome = attempt(one)
        except AsmEvoError as err:
            printable = err.one_line().isprintable()
            outcome = type(err).__name__ if printable else "a message that is no line"
        except BaseException:
            path = Path(f"fuzz-{kind}.input")
            path.write_bytes(one if isinstance(one, bytes) else one.encode("utf8", "replace"))
            print(f"the input is {path}", file=sys.stderr)
            raise
        figures.slowest = max(figures.slowest, _cpu() - start)
        figures.most = max(figures.most, _peak() - before)
        figures.outcomes[outcome] += 1
        figures.tried += 1
    figures.seconds = _cpu() - begin
    return figures


def objects(rng: random.Random) -> Iterator[bytes]:
    """Mutated objects without end."""
    sources = good_objects()
    while True:
        yield mutate(rng.choice(sources), rng)


def containers(rng: random.Random) -> Iterator[bytes]:
    """Mutated containers of every kind without end."""
    from tests.codeobject.container.test_fuzz import sources

    kinds = sorted(
        sources(kernel("saxpy", "gfx942", "."), kernel("softmax", "gfx942", ".")).items()
    )
    while True:
        yield mutate(rng.choice(kinds)[1], rng)


def texts(rng: random.Random) -> Iterator[str]:
    """Mutated assembly files without end: of recovered objects, and written by hand."""
    sources = [write(recover(CodeObject.open(d))).split("\n") for d in good_objects()[:6:2]]
    plain = KERNELS / "gfx942" / "saxpy.s"
    sources.append(plain.read_text(encoding="utf-8").split("\n"))
    while True:
        yield mutate_text(rng.choice(sources), rng)


def figures(counts: dict[str, int], seed: int) -> list[Figures]:
    """All streams that are asked for."""
    found: list[Figures] = []
    if counts["objects"]:
        found.append(run("objects", objects(random.Random(seed)), counts["objects"], try_object))
    if counts["containers"]:
        made = containers(random.Random(seed))
        found.append(run("containers", made, counts["containers"], try_container))
    if counts["texts"]:
        found.append(run("texts", texts(random.Random(seed)), counts["texts"], try_text))
    if counts["launches"]:
        with fuzz_launches.stream(random.Random(seed)) as (made, attempt):
            found.append(run("launches", made, counts["launches"], attempt))
    return found


def main() -> int:
    """Write the page; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, count in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=20_000)
    options = vars(parser.parse_args())
    rows = figures({name: options[name] for name in COUNTS}, options["seed"])
    lines = ["| inputs | tried | slowest, CPU s | most memory, MB | CPU s | outcomes |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for r in rows:
        outcomes = ", ".join(f"{n} {name}" for name, n in r.outcomes.most_common())
        lines.append(
            f"| {r.kind} | {r.tried} | {r.slowest:.2f} | {r.most >> 20} | {r.seconds:.0f} "
            f"| {outcomes} |"
        )
    lines += ["", "`most memory`: the largest growth of the process's peak by one input.", "",
              "Targets: " + (__doc__ or "").partition("Targets: ")[2].strip()]  # fmt: skip
    report("fuzz", "Mutated inputs", lines)
    return int(any(r.slowest > SECONDS or r.most > BYTES for r in rows))


if __name__ == "__main__":
    sys.exit(main())
