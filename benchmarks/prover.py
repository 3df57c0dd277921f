"""How much the prover decides, how fast, and whether it is ever wrong.

Windows of 5 to 40 instructions from real kernels are put in another legal order, renamed, or
spoilt by a swap of two instructions that depend on each other or by a random edit. What is called
equal is then run on random states; one difference is a failure of the prover.

    python -m benchmarks.prover [--kernels 300] [--edits 2000] [--states 200] [--seed 1] [-o FILE]
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from asmevo.api.installation import corpora
from asmevo.codeobject import CodeObject
from asmevo.edits.order.dependence import Dependence, is_padding
from asmevo.errors import AsmEvoError
from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, MODE, VGPR0
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.cfg import blocks
from asmevo.program.dataflow import liveness
from asmevo.prove.replay.state import CannotRun
from asmevo.prove.replay.states import States, try_state
from asmevo.prove.verdict import Verdict
from asmevo.prove.versions.modes import float_mode
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Window
from asmevo.verify.proofs import prove, with_engine
from benchmarks.common import provenance

_KEEP = frozenset({EXEC, EXEC + 1, MODE})
_VECTOR = re.compile(r"\bv(\d+)\b")
_TUPLE = re.compile(r"\bv\[(\d+):(\d+)\]")
_APART = frozenset({OpClass.BRANCH, OpClass.END, OpClass.MESSAGE})


@dataclass
class Tally:
    """Answers to one kind of question."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count an answer."""
        self.answers[verdict.status] += 1
        self.seconds.append(verdict.seconds)
        if verdict.status == "unknown":
            self.reasons[re.sub(r"\bv?s?\d+|0x\w+|\[[\d:]+\]", "#", verdict.reason)[:90]] += 1

    def row(self, name: str) -> str:
        """A line of the table."""
        total = sum(self.answers.values())
        counts = " | ".join(
            str(self.answers[s]) for s in ("reordered", "proved", "refuted", "unknown")
        )
        median = 1000 * statistics.median(self.seconds) if self.seconds else 0.0
        worst = max(self.seconds, default=0.0)
        return f"| {name} | {total} | {counts} | {median:.1f} ms | {worst:.2f} s |"


def objects(count: int, rng: random.Random) -> Iterator[tuple[str, Program]]:
    """Recovered objects of the corpora, in a random order, for targets that are modelled."""
    found: list[Path] = []
    for folder in sorted(p for p in corpora.corpus_root().iterdir() if p.is_dir()):
        some = [p for end in ("*.co", "*.hsaco") for p in sorted(folder.rglob(end))]
        rng.shuffle(some)
        found += some[:count]
    rng.shuffle(found)
    for path in found:
        try:
            program = recover(CodeObject.open(path.read_bytes()))
        except AsmEvoError:
            continue
        if program.target.facts.modelled and program.object.kernels:
            yield path.name, program


def windows(program: Program, rng: random.Random, most: int) -> Iterator[Window]:
    """Straight runs of 5 to 40 instructions of the first kernel, both sides alike."""
    function = program.kernel_function(program.object.kernels[0])
    side = Side(program, function)
    mode = float_mode(side.program, side.function)
    if mode is None:
        return
    live = liveness(program, function)
    found = [b for b in blocks(program, function) if b.last - b.first >= 6]
    for _ in range(most):
        if not found:
            return
        block = rng.choice(found)
        size = min(rng.randint(5, 40), block.last - block.first - 1)
        first = rng.randint(block.first, block.last - 1 - size)
        code = tuple(program.instructions[first : first + size])
        kinds = {decode(i, program.target).kind for i in code if i.text is not None}
        if any(i.text is None for i in code) or kinds & _APART:
            continue
        out = live.live_after(first + size - 1) | _KEEP
        yield Window(program.target, code, code, frozenset(out), mode)


# --- edits ----------------------------------------------------------------------------------------
def rescheduled(window: Window, rng: random.Random) -> Window | None:
    """Another order that keeps every dependence, by the scheduler's graph."""
    code = window.before
    graph = Dependence(code, window.target)  # type: ignore[arg-type]
    left = [len(p) for p in graph.predecessors]
    ready = [i for i, n in enumerate(left) if not n]
    order: list[int] = []
    while ready:
        i = ready.pop(rng.randrange(len(ready)))
        order.append(i)
        for j in graph.successors[i]:
            left[j] -= 1
            if not left[j]:
                ready.append(j)
    return None if order == sorted(order) else replace(window, after=tuple(code[i] for i in order))


def assembled(texts: Sequence[str], target: Target) -> tuple[Instruction, ...] | None:
    """Instructions of texts, or None if LLVM refuses one."""
    try:
        code = assembler(target).assemble("\n".join(texts))
    except AsmEvoError:
        return None
    found = disassembler(target).decode(code)
    ends = [d.offset for d in found[1:]] + [len(code)]
    return tuple(Instruction(code[d.offset : e], d.text) for d, e in zip(found, ends, strict=True))


def renamed(window: Window, rng: random.Random) -> Window | None:
    """One VGPR's live range inside the window in another register."""
    code: tuple[Instruction, ...] = window.before  # type: ignore[assignment]
    records = [decode(i, window.target) for i in code]
    busy = {u for d in records for u in d.uses | d.defs}
    free = [u for u in range(VGPR0, VGPR0 + 256) if u not in busy and u not in window.live_out]
    tupled = {
        n for i in code for m in _TUPLE.finditer(i.text or "")
        for n in range(int(m[1]), int(m[2]) + 1)
    }  # fmt: skip
    choices: list[tuple[int, int, int]] = []
    for start, d in enumerate(records):
        for unit in d.defs - d.uses:
            if not VGPR0 <= unit < VGPR0 + 256 or unit - VGPR0 in tupled:
                continue
            later = [n for n in range(start + 1, len(code)) if unit in records[n].defs]
            pure = [n for n in later if unit not in records[n].uses]
            if pure or unit not in window.live_out:
                choices.append((start, pure[0] if pure else len(code), unit))
    if not choices or not free:
        return None
    start, end, unit = rng.choice(choices)
    old, new = f"v{unit - VGPR0}", f"v{rng.choice(free) - VGPR0}"
    texts = [i.text or "" for i in code]
    for n in range(start, end):
        texts[n] = re.sub(rf"\b{old}\b", new, texts[n])
    if end < len(code) and unit in records[end].uses:
        return None
    made = assembled(texts, window.target)
    # The unit before its new range must not have been read from outside, nor be live.
    return None if made is None else replace(window, after=made)


def swapped(window: Window, rng: random.Random) -> Window | None:
    """A producer and its consumer, neighbours, change places."""
    code: tuple[Instruction, ...] = window.before  # type: ignore[assignment]
    records = [decode(i, window.target) for i in code]
    pairs = [
        n for n in range(len(code) - 1)
        if (records[n].defs & records[n + 1].uses) - _KEEP
        and not is_padding(code[n], window.target) and not is_padding(code[n + 1], window.target)
    ]  # fmt: skip
    if not pairs:
        return None
    n = rng.choice(pairs)
    return replace(window, after=(*code[:n], code[n + 1], code[n], *code[n + 2 :]))


def edited(window: Window, rng: random.Random) -> Window | None:
    """A random edit: an operand, a constant or an opcode's letters, a deletion, a copy, a move."""
    code: tuple[Instruction, ...] = window.before  # type: ignore[assignment]
    n, kind = rng.randrange(len(code)), rng.randrange(6)
    if kind == 0:
        return replace(window, after=(*code[:n], *code[n + 1 :]))
    if kind == 1:
        m = rng.randrange(len(code))
        rest = [*code[:n], *code[n + 1 :]]
        return replace(window, after=(*rest[:m], code[n], *rest[m:]))
    text = code[n].text or ""
    operands = re.split(r"(?<=,) ", text)
    if kind == 2 and len(operands) >= 3:
        a, b = rng.sample(range(1, len(operands)), 2)
        x, y = operands[a].rstrip(","), operands[b].rstrip(",")
        operands[a] = operands[a].replace(x, y)
        operands[b] = operands[b].replace(y, x)
        text = " ".join(operands)
    elif kind == 3:
        names = re.findall(r"\b[vs]\d+\b", text)
        pool = re.findall(r"\b[vs]\d+\b", " ".join(i.text or "" for i in code))
        if names and pool:
            text = re.sub(rf"\b{rng.choice(names)}\b", rng.choice(pool), text, count=1)
    elif kind == 4:
        text = re.sub(
            r"\b(\d+)\b(?!:)", lambda m: str(int(m[1]) ^ 1 << rng.randrange(3)), text, count=1
        )
    else:
        pool = [i.text for i in code if i.text]
        text = rng.choice(pool)
    made = assembled([text], window.target)
    return None if made is None else replace(window, after=(*code[:n], *made, *code[n + 1 :]))


# --- attack ------------------------------------------------------------------------------------
def attacked(window: Window, states: int, seed: int) -> tuple[int, str]:
    """(states run, the first difference) of a window that was called equal."""
    ran = 0
    for state in islice(States(window, seed), states):
        try:
            found = try_state(window, state, with_engine)
        except CannotRun:
            return ran, ""
        ran += 1
        if found is not None:
            return ran, found.one_line()
    return ran, ""


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kernels", type=int, default=300)
    parser.add_argument("--per-kernel", type=int, default=3)
    parser.add_argument("--edits", type=int, default=1000, help="random edits in all")
    parser.add_argument("--states", type=int, default=20, help="states per window called equal")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="print what is not as expected")
    parser.add_argument("-o", type=Path)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    makers = {"re-scheduled": rescheduled, "renamed": renamed, "swapped": swapped, "edited": edited}
    tallies = {name: Tally() for name in makers}
    end = time.monotonic() + 60 * args.minutes
    kernels = edits = ran = attacked_windows = 0
    wrong: list[str] = []
    for name, program in objects(args.kernels, rng):
        if kernels >= args.kernels or time.monotonic() > end:
            break
        kernels += 1
        for window in windows(program, rng, args.per_kernel):
            for kind, make in makers.items():
                repeat = (
                    1 if kind != "edited" else -(-args.edits // (args.kernels * args.per_kernel))
                )
                for _ in range(repeat):
                    changed = make(window, rng)
                    if changed is None or changed.before == changed.after:
                        continue
                    verdict = prove(changed)
                    tallies[kind].add(verdict)
                    edits += kind == "edited"
                    if verdict.holds and (kind in ("swapped", "edited") or rng.random() < 0.1):
                        states, found = attacked(changed, args.states, rng.randrange(1 << 30))
                        ran += states
                        attacked_windows += states > 0
                        if found:
                            wrong.append(
                                f"{name} ({kind}, {verdict.status}): {found}\n" + shown(changed)
                            )
                    expected = kind in ("re-scheduled", "renamed")
                    if args.v and verdict.holds != expected and kind != "edited":
                        print(f"--- {name} {kind}: {verdict.status}: {verdict.reason}")
                        print(shown(changed))
    rows = [t.row(n) for n, t in tallies.items()]
    text = "\n".join([
        f"{kernels} kernels; {edits} random edits; {attacked_windows} windows called equal run on "
        f"{ran} states: {len(wrong)} differ", "",
        "| edit | windows | reordered | proved | refuted | unknown | median | worst |",
        "|---|---|---|---|---|---|---|---|", *rows, "",
        *(f"{n}: {c} x {r}" for n, t in tallies.items() for r, c in t.reasons.most_common(6)),
    ])  # fmt: skip
    print(text)
    for one in wrong[:10]:
        print(one)
    if args.o:
        args.o.write_text(f"# The prover on real windows\n\n{provenance()}\n\n{text}\n")
    return 1 if wrong else 0


def shown(window: Window) -> str:
    """Both sides, beside each other where they differ."""
    a = [i.text or "" for i in window.before]  # type: ignore[union-attr]
    b = [i.text or "" for i in window.after]  # type: ignore[union-attr]
    lines = [
        f"  {x:70} | {y}" if x != y else f"  {x}"
        for x, y in zip(a + [""] * (len(b) - len(a)), b + [""] * (len(a) - len(b)), strict=True)
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
