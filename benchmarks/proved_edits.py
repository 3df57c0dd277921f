"""How many accepted edits are proved: `python -m benchmarks.proved_edits [BUDGET]`.

The `rules` driver searches the project's six kernels and the KernelBench problems; every accepted
edit, parent against child, goes through the prover as `asmevo diff` does.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import make_driver
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.prove.versions.programs import compare_programs
from asmevo.search.controller import Config, Controller
from asmevo.search.store.sqlite import SqliteReader
from asmevo.verify.proofs import prove
from asmevo.verify.synthesize import capsules_for
from benchmarks.common import report

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
GOOD = ("identical", "proved", "reordered")


def problems() -> Iterator[tuple[str, Path, Path]]:
    """Name, launch description and assembly of every problem."""
    for folder, code in ((".", "gfx942"), ("kernelbench", "kernelbench/gfx942")):
        for launch in sorted((KERNELS / "launch" / folder).glob("*.yaml")):
            yield launch.stem, launch, KERNELS / code / f"{launch.stem.split('-')[0]}.s"


def edits(launch: Path, source: Path, budget: int) -> Iterator[tuple[str, bytes, bytes]]:
    """Rule, parent and child of every accepted edit of a search."""
    data = assemble_object(source.read_text(), Target("gfx942"))
    capsules = capsules_for(data, launch)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "run.db")
        found = Controller(
            Config(
                data, capsules[0].kernel, tuple(capsules[:1]), EmulatedDevice(),
                make_driver("rules", 0), store, budget=budget,
            )
        ).run()  # fmt: skip
        rules = {o.node: o.proposal.rule for o in found.attempts if o.accepted}
        with SqliteReader.open(store) as reader:
            for node in reader.nodes():
                if node.parent is not None:
                    yield rules.get(node.id, "?"), reader.blob(node.parent), reader.blob(node.id)


def main() -> int:
    """Run and write the page."""
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    by_rule: dict[str, Counter[str]] = defaultdict(Counter)
    rest: list[str] = []
    seconds: list[float] = []
    for name, launch, source in problems():
        for rule, parent, child in edits(launch, source, budget):
            start = time.process_time()
            k0, k1 = (recover(CodeObject.open(b)) for b in (parent, child))
            found = compare_programs(k0, k1, prove=prove)
            seconds.append(time.process_time() - start)
            by_rule[rule][found.status] += 1
            if found.status not in GOOD:
                rest.append(f"| {name} | {rule} | {found.status} | {found.reason} |")
            print(name, rule, found.status, found.reason, flush=True)
    total = sum((c for c in by_rule.values()), Counter[str]())
    good = sum(total[w] for w in GOOD)
    words = ("identical", "reordered", "proved", "unknown", "refuted")
    lines = [
        "| rule | " + " | ".join(words) + " |",
        "|---" * (len(words) + 1) + "|",
        *(f"| {rule} | " + " | ".join(str(c[w]) for w in words) + " |"
          for rule, c in sorted(by_rule.items())),
        "", f"{good} of {total.total()} accepted edits ({good / max(total.total(), 1):.1%}) are "
        f"proved, reordered or change nothing but branches; {sum(seconds) / len(seconds):.2f} s of "
        f"CPU time for an edit in the mean, {max(seconds):.1f} s at most.",
        "", "The others:", "", "| problem | rule | answer | why |", "|---|---|---|---|", *rest,
    ]  # fmt: skip
    report("proved-edits", "Accepted edits that are proved", lines, f"Budget {budget} attempts.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
