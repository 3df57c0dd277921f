"""Growth of objects that others compiled: right, or refused by name.

    python -m benchmarks.growth [--root DIR] [--sample N] [--largest MIB] [--rows DIR] [SET...]

`s_nop 13` is put before every instruction of a random sample of objects: of the ROCm libraries of a
distribution (`benchmarks.libraries` fetches them) and of the corpora. Each grown object is compared
with its original by a reader and a disassembly that share nothing with the rebuilding
(`tests/reference/growth.py`); objects with a known launch are run by the tests. With `--rows` the
figures of each set are kept in a folder, and sets that are there are not measured again.

Targets: at least 95 % of the sample right; the rest refused by name; none wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from asmevo.api.installation import corpora
from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import find
from asmevo.errors import AsmEvoError
from asmevo.program import Program, recover
from asmevo.program.text.asmfile import END_OF_TEXT, write
from asmevo.program.text.asmread import read
from benchmarks.common import report
from benchmarks.libraries import root

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from reference.growth import MARKER_TEXT, compare  # noqa: E402

# Set -> its share of the sample.
SHARES = {
    "librocblas0": 40, "libhipblaslt1": 40, "librocsparse0": 40, "librocsolver0": 40,
    "librocfft0": 15, "librocrand1": 15, "librccl1": 10,
    "aiter": 70, "triton": 44, "sglang": 1,
}  # fmt: skip


@dataclass
class Row:
    """Figures of one set."""

    name: str
    objects: int = 0
    too_large: int = 0
    tried: int = 0
    right: int = 0
    instructions: int = 0
    refused: dict[str, int] = field(default_factory=dict[str, int])
    wrong: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def grown(program: Program) -> bytes:
    """The object with a marker before every instruction of its text.

    Raises:
        AsmEvoError: it must not grow.
    """
    out: list[str] = []
    inside = False
    for line in write(program).splitlines():
        inside = inside or line.strip() == ".text"
        inside = inside and line != f"{END_OF_TEXT}:"
        if inside and line.startswith("\t") and line[1] not in ".;":
            out.append("\t" + MARKER_TEXT)
        out.append(line)
    return read("\n".join(out))


def judge(data: bytes, location: str, row: Row) -> None:
    """Grow one object and note what came of it."""
    row.tried += 1
    try:
        co = CodeObject.open(data)
        program = recover(co)
        after = grown(program)
    except AsmEvoError as err:
        reason = re.sub(r"0x[0-9a-f]+", "N", str(err.args[0]))
        reason = re.sub(r"\d+", "n", reason)
        row.refused[reason] = row.refused.get(reason, 0) + 1
        return
    row.instructions += len(program.instructions)
    faults = compare(data, after, co.target)
    if faults:
        row.wrong[location] = faults
    else:
        row.right += 1


def measure(folder: Path, name: str, count: int, largest: int) -> Row:
    """Figures of one set, of `count` objects below `largest` bytes."""
    row = Row(name)
    sizes = {n: o.size for n, o in enumerate(find(folder)) if o.error is None}
    row.objects = len(sizes)
    small = sorted(n for n, size in sizes.items() if size <= largest)
    row.too_large = len(sizes) - len(small)
    chosen = set(random.Random(9).sample(small, min(count, len(small))))
    # In the order of the file: what it unpacks to is let go once it was seen.
    for n, one in enumerate(find(folder)):
        if n in chosen:
            judge(bytes(one.content), one.location, row)
    return row


def main() -> int:
    """Write the page; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("sets", nargs="*", default=list(SHARES))
    parser.add_argument("--root", type=Path, default=root())
    parser.add_argument("--sample", type=int, default=sum(SHARES.values()))
    parser.add_argument("--largest", type=float, default=2.0, help="MiB of an object")
    parser.add_argument("--rows", type=Path, help="folder to keep the figures of each set in")
    options = parser.parse_args()
    rows: list[Row] = []
    for name in options.sets:
        kept: Path | None = options.rows / f"{name}.json" if options.rows else None
        if kept is not None and kept.is_file():
            rows.append(Row(**json.loads(kept.read_text())))
            continue
        folder = options.root / name
        if not folder.is_dir():
            folder = corpora.corpus_root() / name
        if not folder.is_dir():
            print(f"{name}: not there", file=sys.stderr)
            continue
        share = max(1, round(options.sample * SHARES[name] / sum(SHARES.values())))
        rows.append(measure(folder, name, share, int(options.largest * (1 << 20))))
        print(rows[-1], flush=True)
        if kept is not None:
            kept.write_text(json.dumps(asdict(rows[-1])))
    return write_page(rows, options.largest)


def write_page(rows: list[Row], largest: float) -> int:
    """The result page; 1 when a target is missed."""
    tried, right = sum(r.tried for r in rows), sum(r.right for r in rows)
    wrong = sum(len(r.wrong) for r in rows)
    lines = [
        "| set | objects | tried | right | refused | wrong | instructions |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| {r.name} | {r.objects} | {r.tried} | {r.right} | {sum(r.refused.values())} "
            f"| {len(r.wrong)} | {r.instructions} |"
        )
    lines += [
        f"| all | {sum(r.objects for r in rows)} | {tried} | {right} ({right / max(tried, 1):.1%}) "
        f"| {tried - right - wrong} | {wrong} | {sum(r.instructions for r in rows)} |",
        "",
        f"`{MARKER_TEXT}` before every instruction, and the comparison that "
        "`tests/reference/growth.py` describes. "
        f"Objects above {largest:g} MiB are left out of the draw: "
        + (", ".join(f"{r.too_large} of {r.name}" for r in rows if r.too_large) or "none")
        + ".",
        "",
    ]
    for r in rows:
        lines += [f"- {r.name}: {count} refused: {text}" for text, count in r.refused.items()]
        lines += [f"- {r.name}: WRONG {place}: {'; '.join(f)}" for place, f in r.wrong.items()]
    lines += ["", f"Targets: {__doc__.partition('Targets: ')[2].strip()}" if __doc__ else ""]
    report("growth", "Growth of compiled objects", lines)
    return int(wrong > 0 or right < 0.95 * tried)


if __name__ == "__main__":
    sys.exit(main())
