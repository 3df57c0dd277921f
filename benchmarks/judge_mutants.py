"""Semantic mutants of ten kernels against the judge: none that differs anywhere may survive.

    python -m benchmarks.judge_mutants [--count 700] [--seed 1]

A mutant changes one instruction of K0 so that it may compute something else: another operand or
constant, another comparison or bound, a dropped carry, a changed EXEC mask, an exchanged pair. Each
goes through every gate of the search but the clock's. Whatever survives is then run beside K0 on
sizes, seeds and placements that the judge never saw: a difference there is a wrong object accepted.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import LaunchSpec
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.errors import AsmEvoError
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit
from asmevo.search import gates
from asmevo.search.bench import Bench, Problem
from asmevo.search.commit import CommitRule
from asmevo.search.gates import Candidate
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig
from asmevo.verify.synthesize import capsules_for
from benchmarks.common import report

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
TEN = (
    "l1_019_relu", "l1_047_sum_dim1", "l1_040_layernorm", "l1_004_matvec", "l1_023_softmax",
    "l1_051_argmax_dim1", "l1_045_avgpool2d", "l1_089_cumsum", "l1_001_matmul", "l1_067_conv1d",
)  # fmt: skip
_GATES = (
    gates.Assemble, gates.SameObject, gates.AbiAndResources, gates.StaticCheck, gates.Differential,
    gates.Tested,
)  # fmt: skip
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne", "lg")


@dataclass(frozen=True)
class Mutant:
    """A changed instruction: what kind of change, where, and the new text."""

    kind: str
    edit: Edit


def mutants(program: Program, kernel: str, rng: random.Random) -> Iterator[Mutant]:
    """Random mutants of a kernel's instructions, without end."""
    function = program.function(kernel)
    places = [
        i
        for i in range(function.first, function.last)
        if program.instructions[i].text and "endpgm" not in str(program.instructions[i].text)
    ]
    while True:
        at = rng.choice(places)
        text = str(program.instructions[at].text)
        kind, lines = rng.choice(_KINDS)(text, rng), ()
        name, changed = kind
        if changed is None or changed == text:
            continue
        lines = (changed,) if changed else ("s_nop 0",)
        yield Mutant(name, Edit(at, at + 1, lines))


def _register(text: str, rng: random.Random) -> tuple[str, str | None]:
    found = list(re.finditer(r"\b([vs])(\d+)\b", text))
    if not found:
        return "operand", None
    one = rng.choice(found)
    other = max(0, int(one[2]) + rng.choice((-2, -1, 1, 2)))
    return "operand", f"{text[: one.start()]}{one[1]}{other}{text[one.end() :]}"


def _constant(text: str, rng: random.Random) -> tuple[str, str | None]:
    found = [m for m in re.finditer(r"(?<=[ :])-?(?:0x[0-9a-f]+|\d+)\b", text)]
    if not found:
        return "constant", None
    one = rng.choice(found)
    value = int(one[0], 0) + rng.choice((-1, 1, 2, 4, 8))
    return "constant", f"{text[: one.start()]}{value}{text[one.end() :]}"


def _comparison(text: str, rng: random.Random) -> tuple[str, str | None]:
    found = re.search(r"_(cmpx?)_(lt|le|gt|ge|eq|ne|lg)_", text)
    if not found:
        return "bound", None
    return "bound", text.replace(f"_{found[2]}_", f"_{rng.choice(_COMPARISONS)}_", 1)


def _carry(text: str, rng: random.Random) -> tuple[str, str | None]:
    del rng
    return "carry", text.replace("s_addc_u32", "s_add_u32") if "s_addc_u32" in text else None


def _exec(text: str, rng: random.Random) -> tuple[str, str | None]:
    swaps = {
        "s_and_saveexec_b64": "s_or_saveexec_b64",
        "s_or_b64 exec": "s_and_b64 exec",
        "s_andn2_b64 exec": "s_and_b64 exec",
        "s_cbranch_execz": "s_cbranch_execnz",
        "s_cbranch_scc0": "s_cbranch_scc1",
        "s_cbranch_scc1": "s_cbranch_scc0",
        "s_cbranch_vccnz": "s_cbranch_vccz",
        "s_cbranch_vccz": "s_cbranch_vccnz",
    }
    hits = [k for k in swaps if k in text]
    if not hits:
        return "mask or branch", None
    hit = rng.choice(hits)
    return "mask or branch", text.replace(hit, swaps[hit], 1)


def _operation(text: str, rng: random.Random) -> tuple[str, str | None]:
    swaps = {
        "v_add_f32": "v_sub_f32", "v_mul_f32": "v_add_f32", "v_max_f32": "v_min_f32",
        "v_add_u32": "v_sub_u32", "v_fmac_f32": "v_mul_f32", "s_add_u32": "s_sub_u32",
        "s_add_i32": "s_sub_i32", "s_lshl_b32": "s_lshr_b32", "v_and_b32": "v_or_b32",
        "v_cndmask_b32": "v_mov_b32", "s_mul_i32": "s_add_i32", "s_min_i32": "s_max_i32",
    }  # fmt: skip
    hits = [k for k in swaps if text.startswith(k)]
    if not hits:
        return "operation", None
    hit = rng.choice(hits)
    return "operation", text.replace(hit, swaps[hit], 1)


def _dropped(text: str, rng: random.Random) -> tuple[str, str | None]:
    del rng
    droppable = ("v_", "s_add", "s_mul", "s_mov", "ds_", "global")
    return "dropped", "" if text.startswith(droppable) else None


_KINDS = (_register, _register, _constant, _comparison, _carry, _exec, _operation, _dropped)


class Judged:
    """A kernel, its judge, and launches that the judge never sees."""

    def __init__(self, name: str, arch: str) -> None:
        text = (KERNELS / "kernelbench" / arch / f"{name}.s").read_text(encoding="utf-8")
        self.object = assemble_object(text, Target(arch))
        self.program = recover(CodeObject.open(self.object))
        launch = KERNELS / "launch" / "kernelbench" / f"{name}.yaml"
        self.capsules = capsules_for(self.object, launch)
        self.device = EmulatedDevice()
        problem = Problem(
            self.object, self.capsules[0].kernel, self.capsules, EmulatedDevice, VerifyConfig(), 1,
            CommitRule(), (),
        )  # fmt: skip
        self.bench = Bench(problem, self.device)
        self.bench.prepare()
        unseen: list[Capsule] = []
        sizes = LaunchSpec.load(launch).resolve_sizes()
        for seed, change in ((101, 0), (102, 1), (103, -1), (104, 7)):
            other = {n: v + change for n, v in sizes.items()} if change else None
            try:
                unseen += capsules_for(self.object, launch, other, seed=seed)[:4]
            except AsmEvoError:
                continue  # sizes that the launch does not allow
        self.strict = VerifyConfig(
            poison_seed=0xABCDEF, schedules=("shuffle:9", "interleave:3"), exact=False
        )
        oracle = DifferentialOracle(self.object, self.device, self.strict)
        # Where K0 differs from itself or faults, the launch is not legal.
        self.unseen = tuple(c for c in unseen if oracle.verify(self.object, [c]).ok)

    def verdict(self, mutant: Mutant) -> tuple[str, bytes | None]:
        """(status and gate, the object if nothing refused it)."""
        candidate = Candidate(self.program, (mutant.edit,), (), frozenset(), {})
        for kind in _GATES:
            try:
                found = kind(self.bench).judge(candidate)
            except AsmEvoError as err:
                return f"{err.status} at {kind.name}", None
            if found is not None:
                return f"{found.status} at {found.gate}", None
        return "passed", candidate.object

    def differs(self, candidate: bytes) -> str:
        """What differs on launches that the judge never saw, or an empty string."""
        oracle = DifferentialOracle(self.object, self.device, self.strict)
        found = oracle.verify(candidate, self.unseen)
        return "" if found.ok else f"{found.status}: {found.reason}"


def main() -> int:
    """Run the benchmark; 1 if a wrong mutant survived."""
    parser = argparse.ArgumentParser(description="Semantic mutants against the judge.")
    parser.add_argument("--count", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arch", default="gfx942")
    args = parser.parse_args()
    start = time.perf_counter()
    verdicts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    equal: list[str] = []
    wrong: list[str] = []
    for number, name in enumerate(TEN):
        judged = Judged(name, args.arch)
        rng = random.Random(f"{args.seed}:{name}")
        source = mutants(judged.program, judged.capsules[0].kernel, rng)
        seen: set[tuple[int, tuple[str, ...]]] = set()
        quota = args.count * (number + 1) // len(TEN) - args.count * number // len(TEN)
        while len(seen) < quota:
            mutant = next(source)
            key = (mutant.edit.first, mutant.edit.lines)
            if key in seen:
                continue
            seen.add(key)
            kinds[mutant.kind] += 1
            verdict, built = judged.verdict(mutant)
            verdicts[verdict] += 1
            if built is not None:
                how = judged.differs(built)
                was = judged.program.instructions[mutant.edit.first].text
                what = f"{name}: {mutant.kind}: `{was}` -> `{mutant.edit.lines[0]}`"
                (wrong if how else equal).append(f"{what}{': ' if how else ''}{how}")
        sys.stderr.write(f"{name}: {dict(verdicts)}, {len(wrong)} wrong survivors\n")
    seconds = time.perf_counter() - start
    seconds = time.perf_counter() - start
    lines = [
        f"{sum(kinds.values())} mutants of {len(TEN)} kernels ({args.arch}), seed {args.seed}, "
        f"{seconds:.0f} s: " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())) + ".",
        "",
        "```",
        *(f"{n:5}  {verdict}" for verdict, n in verdicts.most_common()),
        "```",
        "",
        f"Survivors that differ on sizes, seeds or placements not seen before: {len(wrong)}.",
        *(f"* {w}" for w in wrong),
        "",
        f"Survivors that are equal there too: {len(equal)}. They change what cannot matter:",
        "",
        *(f"* {w}" for w in sorted(equal)),
    ]
    print(report("judge-mutants", "Semantic mutants against the judge", lines))
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
