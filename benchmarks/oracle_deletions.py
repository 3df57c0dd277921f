"""How much does differential execution alone see? Deletes each instruction of a kernel in turn.

Every instruction of the project's kernels is replaced by `s_nop 0` of the same size, and the
result judged by the oracle (no static check, no proof). What it accepts is either equivalent on
the launch's sizes, or never executed by it, or a gap in the inputs. The table tells these apart:

- launch: rejected on the launch itself;  stress: rejected on stressed inputs only;
- untested: accepted, and no tested launch executes the instruction (the report says so);
- waits: accepted deletions of `s_waitcnt`; an emulator that completes memory operations in order
  cannot see these, the static check does;
- same: accepted although executed.

    python -m benchmarks.oracle_deletions [--kernels NAME ...] [--no-stress] [--list] [-f json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.errors import AsmEvoError
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import STRESSES, VerifyConfig
from asmevo.verify.synthesize import capsules_for

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
OWN = ("saxpy", "reduce", "softmax", "rmsnorm", "matmul_f32", "matmul_f16")
COLUMNS = ("mutants", "launch", "stress", "untested", "waits", "same", "other")


def deleted(program: Program, index: int) -> bytes:
    """The object with one instruction replaced by nops of its size."""
    words = len(program.instructions[index].raw) // 4
    return rebuild(apply(program, [Edit(index, index + 1, ("s_nop 0",) * words)]))


def bench(name: str, stress: bool) -> tuple[Counter[str], list[str]]:
    """Counts by column for one kernel, and the accepted deletions of executed instructions."""
    text = (KERNELS / "gfx942" / f"{name}.s").read_text(encoding="utf-8")
    k0 = assemble_object(text, Target("gfx942"))
    capsules = capsules_for(k0, KERNELS / "launch" / f"{name}.yaml")
    config = VerifyConfig(stress=STRESSES if stress else (), budget_floor=200_000)
    oracle = DifferentialOracle(k0, EmulatedDevice(), config)
    program = recover(CodeObject.open(k0))
    function = program.function(capsules[0].kernel)
    counts: Counter[str] = Counter()
    same: list[str] = []
    for index in range(function.first, function.last):
        instruction = program.instructions[index].text
        if instruction.startswith(("s_nop", "s_endpgm")):
            continue
        counts["mutants"] += 1
        try:
            report = oracle.verify(deleted(program, index), capsules)
        except AsmEvoError:
            counts["other"] += 1
            continue
        if not report.ok:
            stressed = bool(report.capsules) and len(report.capsules) > len(capsules)
            counts["stress" if stressed else "launch"] += 1
        elif report.untested(index, index + 1):
            counts["untested"] += 1
        elif instruction.startswith("s_waitcnt"):
            counts["waits"] += 1
        else:
            counts["same"] += 1
            same.append(f"{name} {index} {instruction} ({report.evidence_class})")
    return counts, same


def main(argv: list[str] | None = None) -> int:
    """Run the bench and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kernels", nargs="+", default=list(OWN), choices=OWN)
    parser.add_argument("--no-stress", action="store_true", help="the launches' own inputs only")
    parser.add_argument("--list", action="store_true", help="name accepted, executed deletions")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    start = time.perf_counter()
    rows: dict[str, Counter[str]] = {}
    accepted: list[str] = []
    for name in options.kernels:
        rows[name], same = bench(name, not options.no_stress)
        accepted += same
        print(f"{name} done, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    rows["total"] = sum(rows.values(), Counter())
    if options.format == "json":
        document = {"schema": "asmevo/oracle-deletions/1", "rows": rows, "same": accepted}
        print(json.dumps(document))
        return 0
    print(f"{'kernel':12}" + "".join(f"{c:>10}" for c in COLUMNS))
    for name, counts in rows.items():
        print(f"{name:12}" + "".join(f"{counts[c]:>10}" for c in COLUMNS))
    if options.list:
        print("\n".join(accepted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
