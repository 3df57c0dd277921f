"""Which vendor kernels race, read undefined contents or use loads too early, when they are run.

Runs every vendor launch of the tests through the dynamic check and writes a table per kernel, with
one pair of instructions per kind of finding. Needs the fetched corpus (`asmevo corpus fetch`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from asmevo.api.installation import corpora as corpus
from asmevo.check.findings import Finding
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import AsmEvoError
from asmevo.verify.dynamic import check_dynamic
from benchmarks.common import report

ROOT = Path(__file__).resolve().parents[1]
RULES = {
    "race.lds": "LDS race",
    "race.memory": "memory race in a workgroup",
    "race.workgroups": "memory race between workgroups",
    "uninitialized.lds": "undefined LDS",
    "uninitialized.memory": "undefined memory",
    "uninitialized.register": "undefined register",
    "wait.raw": "load used too early",
    "wait.waw": "load overwritten too early",
    "wait.lds-dma": "LDS-DMA data read too early",
    "wait.late-load": "late loads change the result",
    "race.divergent-barrier": "waves at different barriers",
}


def _pair(f: Finding) -> str:
    if f.producer is None:
        return f"`{f.text}` (#{f.index})"
    return f"`{f.producer_text}` (#{f.producer}) and `{f.text}` (#{f.index})"


def _counts(found: list[Finding]) -> str:
    kinds = Counter(f.rule for f in found if f.rule in RULES)
    return ", ".join(f"{RULES[rule]} {kinds[rule]}" for rule in RULES if kinds[rule]) or "nothing"


def main() -> None:
    """Run the launches and write docs/results/dynamic_vendor.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="launches whose id contains this")
    only = parser.parse_args().only
    sys.path.insert(0, str(ROOT / "tests"))
    from reference.vendor_cases import CASES

    if not corpus.available("aiter"):
        raise SystemExit(corpus.missing_reason("aiter"))
    wheel = corpus.corpus_path("aiter")
    device = EmulatedDevice()
    by_kernel: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    launches: Counter[tuple[str, str]] = Counter()
    late: dict[tuple[str, str], bool] = defaultdict(bool)
    failed: list[str] = []
    start = time.perf_counter()
    for case in CASES:
        if only not in case.id:
            continue
        data = (wheel / case.file).read_bytes()
        co = CodeObject.open(data)
        size = co.kernel(None).metadata.kernarg_segment_size
        capsule = case.build().capsule(size, co.target.target_id)
        key = (case.arch, case.path.removesuffix(".co"))
        try:
            found = check_dynamic(data, [capsule], device)
            plain = device.run(data, capsule, RunOptions(poison=1))
            slow = device.run(data, capsule, RunOptions(poison=1, late_loads=True))
        except AsmEvoError as error:
            failed.append(f"- {case.arch} {case.id}: {error.one_line()}")
            continue
        launches[key] += 1
        by_kernel[key] += found
        late[key] |= plain.buffers != slow.buffers
        print(f"{case.arch} {case.id}: {_counts(found)}", flush=True)
    rows = [
        "Pairs are distinct (first, second) instructions over all launches of a kernel; an error "
        "is a race or an effect on the result, a note is neither.",
        "",
        "| target | kernel | launches | errors (pairs) | notes (pairs) | right with late loads |",
        "|---|---|---|---|---|---|",
    ]
    details: list[str] = []
    clean = 0
    for (arch, kernel), all_found in by_kernel.items():
        found = list({(f.rule, f.index, f.producer, f.severity): f for f in all_found}.values())
        errors = [f for f in found if f.severity == "error"]
        notes = [f for f in found if f.severity != "error"]
        clean += not errors
        answer = "no" if late[arch, kernel] else "yes"
        rows.append(
            f"| {arch} | {kernel} | {launches[arch, kernel]} | {_counts(errors)} | "
            f"{_counts(notes)} | {answer} |"
        )
        examples = {f.rule: f for f in reversed(found) if f.rule in RULES}
        if any(r != "race.divergent-barrier" for r in examples):
            details += ["", f"{arch} {kernel}:", ""]
            details += [
                f"- {RULES[rule]}: {_pair(examples[rule])}"
                for rule in RULES
                if rule in examples and rule != "race.divergent-barrier"
            ]
    seconds = time.perf_counter() - start
    rows += ["", f"{clean} of {len(by_kernel)} kernels have no error ({seconds:.0f} s in all).", ""]
    rows += ["## One pair of each kind", *details]
    if failed:
        rows += ["", "## Not run", "", *failed]
    report("dynamic_vendor", "Dynamic check of vendor kernels", rows)


if __name__ == "__main__":
    main()
