"""Static check of a whole corpus: the committed report on vendor kernels, and its time.

    python -m benchmarks.vendor_check [--root DIR] [--jobs 2] [-o docs/results/vendor-check.md]

Every error is listed, grouped by rule, then by the instruction pair and by kernel. Notes are
counted by rule and mark. Nothing of a kernel but single instruction texts gets into the report.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from asmevo.check.findings import ERROR, Finding
from asmevo.check.report import check_object
from asmevo.errors import AsmEvoError
from benchmarks.common import provenance

KINDS = {
    "wait.raw": "a result is read although no wait covers it on some path; it is right only "
    "because enough time passes",
    "wait.waw": "a register is written again while a load into it may still be under way; the late "
    "result can overwrite the new value",
    "register.undefined": "a register is read that nothing before it on any path has written",
    "hazard.": "fewer wait states between the two instructions than LLVM and the ISA both ask for",
    "register.beyond-count": "a register outside the declared allocation",
    "resource.": "declared resources do not cover what the code uses",
    "structure.": "control flow leaves the code",
}


@dataclass
class CheckedFile:
    """What a worker sends back for one file."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    refused: str = ""
    seconds: float = 0.0  # CPU time


def check_file(job: tuple[str, str]) -> CheckedFile:
    """Check one file; a refusal is part of the result."""
    root, name = job
    start = time.process_time()
    try:
        report = check_object(name, Path(root, name).read_bytes())
    except AsmEvoError as err:
        return CheckedFile(name, refused=err.one_line())
    return CheckedFile(name, list(report.findings), seconds=time.process_time() - start)


def kind_of(rule: str) -> str:
    """What kind of fault a rule finds, in words."""
    return next((text for key, text in KINDS.items() if rule.startswith(key)), "")


def _pairs(outcomes: Sequence[CheckedFile]) -> Iterator[str]:
    """Report lines: errors by rule, instruction pair, kernel."""
    by_rule: dict[str, dict[tuple[str, str], dict[str, list[Finding]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for o in outcomes:
        for f in o.findings:
            if f.severity == ERROR:
                pair = (f.producer_text.split(" ")[0], f.text.split(" ")[0])
                by_rule[f.rule][pair][o.name].append(f)
    for rule in sorted(by_rule):
        pairs = by_rule[rule]
        kernels = {name for group in pairs.values() for name in group}
        sites = sum(len(fs) for group in pairs.values() for fs in group.values())
        yield f"\n## `{rule}`: {sites} sites in {len(kernels)} kernels\n"
        yield f"Kind of fault: {kind_of(rule)}.\n"
        for (producer, consumer), group in sorted(pairs.items(), key=lambda p: -len(p[1])):
            yield f"### `{producer or '-'}` -> `{consumer or '-'}`: {len(group)} kernels\n"
            yield "| kernel | sites | nearest | first site |"
            yield "|---|---|---|---|"
            for name, found in sorted(group.items()):
                near = min((f.distance for f in found if f.distance is not None), default=None)
                f = min(found, key=lambda f: f.index)
                have = "" if f.have is None else f", has {f.have}"
                need = "" if f.need is None else f" (needs {f.need}{have})"
                at = f"{f.producer} -> {f.index}" if f.producer is not None else f"{f.index}"
                first = (
                    f"{at}: `{f.producer_text}` -> `{f.text}`"
                    if f.producer_text
                    else (f"{at}: `{f.text}`" if f.text else f.message)
                )
                yield f"| {name} | {len(found)} | {near or ''} | {first}{need} |"
            yield ""


def render(outcomes: Sequence[CheckedFile], seconds: float, jobs: int) -> str:
    """The report in Markdown."""
    bad = [o for o in outcomes if any(f.severity == ERROR for f in o.findings)]
    refused = [o for o in outcomes if o.refused]
    counts: Counter[tuple[str, str, str]] = Counter()
    files: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for o in outcomes:
        for f in o.findings:
            key = (f.severity, f.rule, f.mark)
            counts[key] += 1
            files[key].add(o.name)
    share = 100 * len(bad) / max(1, len(outcomes))
    lines = [
        "# Static check of the vendor corpus",
        "",
        provenance(),
        "",
        f"- {len(outcomes)} code objects, {seconds:.0f} s on {jobs} processes, "
        f"{sum(o.seconds for o in outcomes):.0f} s of CPU time (recovery included).",
        f"- Errors in {len(bad)} of them ({share:.1f} %); {len(refused)} refused.",
        "- Marks: R: LLVM and the ISA document agree; L, I: only LLVM, only the ISA; V!: broken by "
        "code that is known to run every day, so a note and not an error; -: the project's own.",
        "- Marked V! from this corpus, because whole families have them: LDS results used 107 or "
        "more instructions later without a wait, vector memory results overwritten 83 or more "
        "later, consecutive partial fp4 writes, VGPRs named from accum_offset on where no AGPR is "
        "used, XDL results of 8 passes read early on gfx950. Nearer or other pairs of the same "
        "rules are errors.",
        "- Paths are those of the control-flow graph; some of the listed ones may never be taken.",
        "- The numbers in a site are instruction indices in the object's code.",
        "",
        "| severity | rule | mark | sites | kernels |",
        "|---|---|---|---|---|",
    ]
    for (severity, rule, mark), n in sorted(counts.items()):
        lines.append(f"| {severity} | {rule} | {mark} | {n} | {len(files[severity, rule, mark])} |")
    lines += [f"\nRefused: {o.name}: {o.refused}" for o in refused]
    lines += _pairs(outcomes)
    return "\n".join(lines) + "\n"


def main() -> int:
    """Check the corpus, write the report, print its summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--root", type=Path, help="folder of .co files (default: the wheel)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=1, help="check every n-th file only")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    root: Path | None = options.root
    if root is None:
        from asmevo.api.installation import corpora as corpus

        if not corpus.available("aiter"):
            print(corpus.missing_reason("aiter"), file=sys.stderr)
            return 4
        root = corpus.corpus_path("aiter")
    names = sorted(str(p.relative_to(root)) for p in root.rglob("*.co"))[:: options.sample]
    start = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        work = [(str(root), name) for name in names]
        outcomes = list(pool.map(check_file, work, chunksize=16))
    seconds = time.perf_counter() - start
    text = render(outcomes, seconds, options.jobs)
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    print(text.split("\n## ")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
