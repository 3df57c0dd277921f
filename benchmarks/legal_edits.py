"""Does the gate refuse edits that are right? Rebuilt, renamed and re-scheduled originals.

Each kernel is compared with a rebuild of itself, with itself after a permutation of vector
registers that only ever stand alone, and with orders that the list scheduler proposes. None may
be worse; what is refused is printed with its reason.

    python -m benchmarks.legal_edits [--kernels 300] [--schedules 2] [-o FILE]
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asmevo.check.against import worse_findings
from asmevo.check.findings import Finding
from asmevo.check.rules import abi
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.edits import Schedule
from asmevo.errors import AsmEvoError
from asmevo.program import Function, Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from benchmarks.common import provenance

_VECTOR = re.compile(r"\bv(?:(\d+)\b|\[(\d+):(\d+)\])")


HEAD = """# Edits that are right

{provenance}

An edit that is called worse here moved something between a producer and a consumer that no wait
covers in the original, or brought such a pair or a broken wait-state row (V!) closer together.
There elapsed time is what keeps the original right, so refusing is what the gate is for.

"""


@dataclass
class Tally:
    """Outcome of one kind of edit."""

    tried: int = 0
    worse: list[str] = field(default_factory=list)


def renaming(program: Program, function: Function, rng: random.Random) -> dict[int, int]:
    """A permutation of the VGPRs (v0 and up) that never appear in a tuple, entry values apart."""
    single: set[int] = set()
    tupled: set[int] = {0, 1, 2}  # may hold work-item ids at entry
    for inst in program.instructions[function.first : function.last]:
        for m in _VECTOR.finditer(inst.text or ""):
            if m.group(1) is not None:
                single.add(int(m.group(1)))
            else:
                tupled.update(range(int(m.group(2)), int(m.group(3)) + 1))
    # From accum_offset on a VGPR number means another register (see check.registers).
    kernel = next(k for k in program.object.kernels if program.kernel_function(k) == function)
    free = sorted(v for v in single - tupled if v < kernel.descriptor.arch_vgprs)
    shuffled = free[:]
    rng.shuffle(shuffled)
    return dict(zip(free, shuffled, strict=True))


def renamed(program: Program, function: Function, table: dict[int, int]) -> Program:
    """The program with registers renamed in place; encodings keep their sizes."""
    texts: list[str] = []
    places: list[int] = []
    for i in range(function.first, function.last):
        text = program.instructions[i].text
        if text is None or i in program.targets:
            continue
        new = _VECTOR.sub(
            lambda m: m.group(0) if m.group(1) is None
            else f"v{table.get(int(m.group(1)), int(m.group(1)))}",
            text,
        )  # fmt: skip
        if new != text:
            texts.append(new)
            places.append(i)
    edits = [Edit(i, i + 1, (t,)) for i, t in zip(places, texts, strict=True)]
    return apply(program, edits)


def schedules(program: Program, name: str, count: int) -> Iterator[tuple[str, Program]]:
    """Programs with single blocks in another order, as the scheduler proposes them."""
    f = program.function(name)
    middle = (f.first + f.last) // 2
    found = 0
    for edit in Schedule(variants=1, seed=3).proposals(program, name, (middle, middle + 200)):
        try:
            yield edit.note, apply(program, [edit])
        except AsmEvoError:
            continue
        found += 1
        if found >= count:
            return


def examine(
    path: Path, rng: random.Random, count: int, tallies: dict[str, Tally], reasons: Counter[str]
) -> None:
    """Run all kinds on one object."""
    data = path.read_bytes()
    co = CodeObject.open(data)
    program = recover(co)
    before = check_program(program)

    def judge(kind: str, edited: Program, extra: list[Finding] | None = None) -> None:
        tally = tallies[kind]
        tally.tried += 1
        worse = (extra or []) + worse_findings(before, program, check_program(edited), edited)
        if worse:
            tally.worse.append(f"{path.stem}: {worse[0].one_line()}")
            reasons[f"{kind}: {worse[0].rule}"] += 1

    again = CodeObject.open(rebuild(program))
    judge("rebuilt", recover(again), abi.changes(co, again))
    kernel = co.kernels[0]
    function = program.kernel_function(kernel)
    table = renaming(program, function, rng)
    try:
        judge("renamed", renamed(program, function, table))
    except AsmEvoError as err:
        reasons[f"renamed: not built ({type(err).__name__})"] += 1
    try:
        for _, edited in schedules(program, kernel.name, count):
            judge("re-scheduled", edited)
    except AsmEvoError as err:
        reasons[f"re-scheduled: {type(err).__name__}"] += 1


def main() -> int:
    """Run the bench; exit 1 when a legal edit is called worse."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kernels", type=int, default=300)
    parser.add_argument("--schedules", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="also write the report as Markdown")
    options = parser.parse_args()
    from asmevo.api.installation import corpora as corpus

    if not corpus.available("aiter"):
        print(corpus.missing_reason("aiter"), file=sys.stderr)
        return 4
    rng = random.Random(options.seed)
    paths = sorted(corpus.corpus_path("aiter").rglob("*.co"))
    chosen = rng.sample(paths, min(options.kernels, len(paths)))
    tallies: dict[str, Tally] = defaultdict(Tally)
    reasons: Counter[str] = Counter()
    start = time.perf_counter()
    for path in chosen:
        examine(path, rng, options.schedules, tallies, reasons)
    lines = [f"{len(chosen)} kernels, {time.perf_counter() - start:.0f} s"]
    for kind, tally in tallies.items():
        lines.append(f"{kind:14} {tally.tried:6} tried, {len(tally.worse)} called worse")
        lines += [f"   {line}" for line in dict.fromkeys(tally.worse)]
    lines += [f"{n:6} {reason}" for reason, n in reasons.most_common()]
    print("\n".join(lines))
    output: Path | None = options.output
    if output is not None:
        text = HEAD.format(provenance=provenance()) + "```\n" + "\n".join(lines) + "\n```\n"
        output.write_text(text, encoding="utf-8")
    return int(any(t.worse for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
