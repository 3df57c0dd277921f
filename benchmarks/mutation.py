"""Does the gate see broken edits? Mutates real kernels and judges each mutant with `--against`.

Kinds of mutants: delete each wait, weaken each count by one, delete or shorten each nop, move the
first use of a result before its wait, delete each barrier, shift a register by one, raise a
register past the declared count, swap two dependent neighbours.

Whether a mutant is unsafe is decided here by an oracle of its own: it replays straight paths
through the mutated place with explicit queues, knowing nothing of the checker's engine, and calls
a mutant unsafe when a path has a hazard or an uncovered result that the original path lacks.

    python -m benchmarks.mutation [--objects FILE ...] [--per-kind N] [--kernels N] [-f json]

Without objects, the compiled kernels of the project and, when fetched, the vendor corpus.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from asmevo.check.against import worse_findings
from asmevo.check.findings import Finding
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError
from asmevo.isa.counters import counter_max, decode_wait, encode_wait, events
from asmevo.isa.effects import OpClass, effects, vector_registers
from asmevo.isa.hazards.roles import roles, wait_states_of
from asmevo.isa.hazards.rows import Opcode, Relation, pair_table
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program import Function, Program, recover
from asmevo.program.edit import Edit, apply
from benchmarks.common import provenance

Step = tuple[int, Instruction]  # (identity in the original, instruction)
CHECKOUT = Path(__file__).resolve().parent.parent


# --- the oracle ---------------------------------------------------------------------------------
def uncovered(path: Sequence[Step], target: Target) -> set[tuple[int, int]]:
    """(producer, consumer) identities of results used before a wait on a straight path."""
    limits = counter_max(target)
    queues: dict[str, list[tuple[str, int, frozenset[int]]]] = defaultdict(list)
    found: set[tuple[int, int]] = set()
    for identity, inst in path:
        effect = effects(inst, target)
        own = [(e.counter, e.order.value) for e in events(inst, target)]
        for counter, pending in queues.items():
            for order, producer, registers in pending:
                if registers & effect.uses:
                    found.add((producer, identity))
                elif registers & effect.defs:
                    in_order = order in ("lds", "vmem") and (counter, order) in own
                    if not in_order:
                        found.add((producer, identity))
        for counter, count in decode_wait(inst, target).items():
            pending = queues[counter]
            if count == 0:
                pending.clear()
                continue
            if target.is_gfx9 and any(order == "flat" for order, _, _ in pending):
                continue
            for order in ("vmem", "lds", "store", "scratch_store"):
                same = [p for p in pending if p[0] == order]
                for gone in same[: max(0, len(same) - count)]:
                    pending.remove(gone)
        late = frozenset(
            u
            for i in effect.def_operands
            if effect.returns and (reg := inst.operands[i].reg) is not None
            for u in reg.units
        )
        for counter, order in own:
            queues[counter].append((order, identity, late))
            same = [p for p in queues[counter] if p[0] == order]
            if order in ("vmem", "lds") and len(same) > limits[counter]:
                queues[counter].remove(same[0])
    return found


def relations(made: object, read: object) -> set[Relation]:
    """How the register tuples of a matrix producer and consumer stand to each other.

    Keys of matrix roles are (first register, count, passes); other roles have no such key, and no
    rule that asks for more than an overlap.
    """
    found = {Relation.OVERLAP, Relation.NONE}
    if isinstance(made, tuple) and isinstance(read, tuple):
        first, second = cast(tuple[int, ...], made), cast(tuple[int, ...], read)
        if first[:2] != second[:2]:
            found.add(Relation.UNEQUAL)
        else:
            found.add(Relation.SAME)
            if first[2] != second[2]:
                found.add(Relation.SAME_OTHER_PASSES)
    return found


def shortfalls(path: Sequence[Step], target: Target) -> dict[tuple[int, int, str], int]:
    """Wait states of each pair that lacks some, by direct comparison of all near pairs."""
    table = pair_table(target)
    found: dict[tuple[int, int, str], int] = {}
    for c, (consumer_id, consumer) in enumerate(path):
        consumed = roles(consumer, target).consumes
        if not consumed:
            continue
        states = 0
        overwritten = 0
        for p in range(c - 1, -1, -1):
            producer_id, producer = path[p]
            if states > 20:
                break
            effect = effects(producer, target)
            for role, mask, key, passes in roles(producer, target).produces:
                for other, sensitive, other_key in consumed:
                    for rule in table.get(role * 64 + other, ()):
                        hit = mask & sensitive
                        if rule.kind == "RAW":
                            hit &= ~overwritten
                        if rule.relation is not Relation.NONE and not hit:
                            continue
                        if rule.relation not in relations(key, other_key):
                            continue
                        if rule.opcode is Opcode.SAME and key != consumer.base:
                            continue
                        if rule.opcode is Opcode.OTHER and key == consumer.base:
                            continue
                        if states < rule.wait_states(passes):
                            name = (producer_id, consumer_id, rule.name)
                            found[name] = min(states, found.get(name, states))
            for unit in effect.defs:
                overwritten |= 1 << unit
            states += wait_states_of(producer, target)
    return found


def undefined_tuple(inst: Instruction, target: Target) -> bool:
    """Whether a register tuple starts where the hardware cannot encode it."""
    for operand in inst.operands:
        reg = operand.reg
        if reg is None or reg.count < 2:
            continue
        if reg.kind == "s":
            if reg.index < 102 and reg.index % min(4, reg.count + reg.count % 2):
                return True
        elif target.unified_vgprs and reg.index % 2:
            return True
    return False


# --- mutants ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Mutant:
    """One mutation: the edit, and how it looks on a path (`swap` or replacement texts)."""

    kind: str
    at: int
    edit: Edit
    unsafe_by_rule: bool | None = None  # decided by kind alone, not by the path oracle


_VGPR = re.compile(r"\b([va])(\d+)\b(?!\])|\b([va])\[(\d+):(\d+)\]")


def _shift(text: str, amount: int) -> str | None:
    """The text with its first vector register (or tuple) renumbered by `amount`."""

    def put(m: re.Match[str]) -> str:
        if m.group(1):
            return f"{m.group(1)}{int(m.group(2)) + amount}"
        return f"{m.group(3)}[{int(m.group(4)) + amount}:{int(m.group(5)) + amount}]"

    changed, n = _VGPR.subn(put, text, count=1)
    return changed if n else None


def first_undeclared(program: Program, function: Function) -> int:
    """Lowest VGPR that the kernel must not name, 0 when it may name all 256.

    A kernel that already names registers above accum_offset has the whole unified file.
    """
    kernel = next(k for k in program.object.kernels if program.kernel_function(k) == function)
    d = kernel.descriptor
    code = program.instructions[function.first : function.last]
    used = max((vector_registers(i)[0] for i in code), default=0)
    top = d.vgprs if used > d.arch_vgprs else d.arch_vgprs
    return top if top < 256 else 0


def mutants(program: Program, function: Function, limit: int) -> Iterator[Mutant]:
    """Mutants of a function in program order of their places."""
    target = program.target
    maxima = counter_max(target)
    top = first_undeclared(program, function)
    for i in range(function.first, function.last):
        inst = program.instructions[i]
        if inst.text is None or i in program.targets:
            continue
        wait = dict(decode_wait(inst, target))
        if wait:
            yield Mutant("delete wait", i, Edit(i, i + 1, ()))
            for counter, count in wait.items():
                weaker = {**wait, counter: count + 1}
                if weaker[counter] >= maxima[counter]:
                    del weaker[counter]
                lines = (encode_wait(weaker, target),) if weaker else ()
                yield Mutant("weaken count", i, Edit(i, i + 1, lines))
            follower = i + 1
            if follower < function.last and follower not in program.labels:
                after = program.instructions[follower]
                if after.text and after.base.startswith(("v_", "ds_", "global_", "buffer_")):
                    yield Mutant("use before wait", i, Edit(i, i + 2, (after.text, inst.text)))
        elif inst.base == "s_nop":
            yield Mutant("delete nop", i, Edit(i, i + 1, ()))
            states = wait_states_of(inst, target)
            if states > 1:
                yield Mutant("shorten nop", i, Edit(i, i + 1, (f"s_nop {states - 2}",)))
        elif effects(inst, target).kind is OpClass.BARRIER:
            yield Mutant("delete barrier", i, Edit(i, i + 1, ()), True)
        elif inst.base.startswith("v_") and i % limit == 0:
            shifted = _shift(inst.text, 1)
            if shifted:
                yield Mutant("shift register", i, Edit(i, i + 1, (shifted,)))
            raised = re.sub(r"\bv\d+\b", f"v{top}", inst.text, count=1)
            if top and raised != inst.text:
                yield Mutant("register past count", i, Edit(i, i + 1, (raised,)), True)
            follower = i + 1
            if follower < function.last and follower not in program.labels:
                after = program.instructions[follower]
                a, b = effects(inst, target), effects(after, target)
                if after.text and follower not in program.targets and a.defs & b.uses:
                    yield Mutant("swap dependent", i, Edit(i, i + 2, (after.text, inst.text)))


# --- paths --------------------------------------------------------------------------------------
def walk(program: Program, function: Function, at: int, rng: random.Random) -> list[int]:
    """A random straight path of instruction indices through `at`, a few hundred long."""
    before = predecessors(program, function)
    path = [at]
    here = at
    for _ in range(400):
        options = before.get(here)
        if not options:
            break
        here = rng.choice(options)
        path.append(here)
    path.reverse()
    here = at
    for _ in range(500):
        inst = program.instructions[here]
        nexts: list[int] = []
        if here in program.targets:
            nexts.append(program.targets[here])
        if not inst.base.startswith(("s_branch", "s_endpgm", "s_setpc")):
            nexts.append(here + 1)
        nexts = [n for n in nexts if function.first <= n < function.last]
        if not nexts:
            break
        here = rng.choice(nexts)
        path.append(here)
    return path


_PREDECESSORS: dict[int, dict[int, list[int]]] = {}


def predecessors(program: Program, function: Function) -> dict[int, list[int]]:
    """Instruction index -> indices that can run right before it."""
    key = id(program)
    if key not in _PREDECESSORS:
        _PREDECESSORS.clear()
        found: dict[int, list[int]] = defaultdict(list)
        for i in range(function.first, function.last):
            inst = program.instructions[i]
            if not inst.base.startswith(("s_branch", "s_endpgm", "s_setpc")):
                found[i + 1].append(i)
            if i in program.targets:
                found[program.targets[i]].append(i)
        _PREDECESSORS[key] = found
    return _PREDECESSORS[key]


def mutated_path(
    path: Sequence[int], program: Program, edited: Program, mutant: Mutant
) -> list[Step]:
    """The path with the mutant's instructions; identities stay those of the original."""
    first, last = mutant.edit.first, mutant.edit.last
    new = edited.instructions[first : first + len(mutant.edit.lines)]
    steps: list[Step] = []
    skip = False
    for n, i in enumerate(path):
        if not first <= i < last:
            steps.append((i, program.instructions[i]))
            continue
        if i == first:
            names = list(range(first, last))
            if len(new) == 2:
                names.reverse()
            steps += zip(names, new, strict=False)
            skip = last - first == 2 and n + 1 < len(path) and path[n + 1] == first + 1
        elif not skip:
            steps.append((i, program.instructions[i]))
    return steps


def unsafe(
    program: Program, function: Function, edited: Program, mutant: Mutant, rng: random.Random
) -> bool:
    """Whether the oracle finds something on a path that the original path lacks."""
    if mutant.unsafe_by_rule is not None:
        return mutant.unsafe_by_rule
    target = program.target
    if mutant.kind == "shift register":
        return undefined_tuple(edited.instructions[mutant.at], target)
    for _ in range(3):
        path = walk(program, function, mutant.at, rng)
        old = [(i, program.instructions[i]) for i in path]
        new = mutated_path(path, program, edited, mutant)
        if uncovered(new, target) - uncovered(old, target):
            return True
        before = shortfalls(old, target)
        for key, have in shortfalls(new, target).items():
            if key not in before or have < before[key]:
                return True
    return False


PASSED = {
    "delete wait": "redundant waits: another wait covers the same results",
    "weaken count": "redundant counts: another wait covers the result that this one adds",
    "use before wait": "uses of something the wait does not cover",
    "delete nop": "redundant wait states: no rule needs them (LLVM puts some before carry-ins, "
    "where the ISA asks for none)",
    "shorten nop": "redundant wait states",
    "shift register": "other values, no rule broken: left to differential execution",
    "swap dependent": "other values, no rule broken: left to differential execution",
}


# --- the bench ----------------------------------------------------------------------------------
@dataclass
class Row:
    """Counts of one kind of mutant."""

    total: int = 0
    refused: int = 0
    unsafe: int = 0
    unsafe_refused: int = 0
    rejected_by_assembler: int = 0


def bench_object(
    name: str, data: bytes, per_kind: int, rng: random.Random, table: dict[str, Row],
    misses: list[str],
) -> None:  # fmt: skip
    """Mutate the first kernel of an object and add the outcome to `table`."""
    program = recover(CodeObject.open(data))
    function = next(f for f in program.functions if f.is_kernel)
    before: list[Finding] = check_program(program)
    by_kind: dict[str, list[Mutant]] = defaultdict(list)
    stride = max(1, (function.last - function.first) // 200)
    for m in mutants(program, function, stride):
        by_kind[m.kind].append(m)
    for kind, group in by_kind.items():
        row = table.setdefault(kind, Row())
        for m in rng.sample(group, min(per_kind, len(group))):
            row.total += 1
            try:
                edited = apply(program, [m.edit])
            except AsmEvoError:
                row.rejected_by_assembler += 1  # an earlier gate stops it
                continue
            refused = bool(worse_findings(before, program, check_program(edited), edited))
            bad = unsafe(program, function, edited, m, rng)
            row.refused += refused
            row.unsafe += bad
            row.unsafe_refused += bad and refused
            if bad and not refused:
                misses.append(f"{name}#{m.at} {kind}: {program.line(m.at)} -> {m.edit.lines}")


def default_objects(count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Compiled kernels of the project, then vendor kernels spread over families."""
    from asmevo.api.installation import corpora as corpus
    from asmevo.program.build import assemble_object

    sources = sorted(CHECKOUT.glob("kernels/gfx942/*.s"))
    sources += sorted(CHECKOUT.glob("kernels/kernelbench/gfx9*/*.s"))[::6]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        yield f"{path.parent.name}/{path.stem}", assemble_object(text, Target(path.parent.name))
    if not corpus.available("aiter"):
        print("vendor corpus missing: " + corpus.missing_reason("aiter"), file=sys.stderr)
        return
    families: dict[Path, list[Path]] = defaultdict(list)
    for path in sorted(corpus.corpus_path("aiter").rglob("*.co")):
        families[path.parent].append(path)
    chosen: list[Path] = []
    while len(chosen) < count:
        for group in families.values():
            if group and len(chosen) < count:
                chosen.append(group.pop(rng.randrange(len(group))))
    for path in chosen:
        yield path.stem, path.read_bytes()


def render(table: dict[str, Row], misses: Sequence[str], kernels: int, seconds: float) -> str:
    """The bench's table as text."""
    lines = [f"{'kind':22} {'mutants':>8} {'not assembled':>14} {'refused':>8} {'unsafe':>7} "
             f"{'unsafe refused':>15} {'safe, passed':>13} {'safe, refused':>14}"]  # fmt: skip
    total = Row()
    for kind, row in sorted(table.items()):
        built = row.total - row.rejected_by_assembler
        passed = built - row.refused - (row.unsafe - row.unsafe_refused)
        lines.append(
            f"{kind:22} {row.total:8} {row.rejected_by_assembler:14} {row.refused:8} "
            f"{row.unsafe:7} {row.unsafe_refused:15} {passed:13} "
            f"{row.refused - row.unsafe_refused:14}"
        )
        total.unsafe += row.unsafe
        total.unsafe_refused += row.unsafe_refused
        total.total += row.total
    share = 100 * total.unsafe_refused / max(1, total.unsafe)
    lines.append(
        f"{kernels} kernels, {total.total} mutants, {total.unsafe} unsafe by the path oracle, "
        f"{share:.2f} % of them refused, {seconds:.0f} s"
    )
    lines += [f"missed: {m}" for m in misses]
    lines += ["", "What the mutants that passed are:"]
    lines += [f"  {kind}: {PASSED[kind]}" for kind in sorted(table) if kind in PASSED]
    lines.append(
        "Safe by the path oracle and refused all the same: a memory operation then counts as"
    )
    lines.append(
        "pending at a barrier or LDS access where it did not, something moved inside a pair"
    )
    lines.append("that the original leaves uncovered, or the oracle's three paths missed it.")
    return "\n".join(lines)


def main() -> int:
    """Run the bench; exit 1 when less than 99 % of the unsafe mutants are refused."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--objects", nargs="*", type=Path, default=[])
    parser.add_argument("--per-kind", type=int, default=12)
    parser.add_argument("--kernels", type=int, default=30, help="vendor kernels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text")
    parser.add_argument("-o", "--output", type=Path, help="also write the table as Markdown")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    table: dict[str, Row] = {}
    misses: list[str] = []
    kernels = Counter[str]()
    start = time.perf_counter()
    objects: Iterator[tuple[str, bytes]] = (
        ((p.stem, p.read_bytes()) for p in options.objects)
        if options.objects
        else default_objects(options.kernels, rng)
    )
    for name, data in objects:
        print(f"{name}", file=sys.stderr)
        bench_object(name, data, options.per_kind, rng, table, misses)
        kernels[name] += 1
    seconds = time.perf_counter() - start
    if options.format == "json":
        rows = {kind: vars(row) for kind, row in table.items()}
        record = {
            "schema": "asmevo/mutation-bench/1",
            "kernels": kernels.total(),
            "seconds": round(seconds, 1),
            "kinds": rows,
            "missed": misses,
        }
        print(json.dumps(record))
    else:
        print(render(table, misses, kernels.total(), seconds))
    output: Path | None = options.output
    if output is not None:
        text = render(table, misses, kernels.total(), seconds)
        output.write_text(
            f"# Mutation bench\n\n{provenance()}\n\n"
            f"```\n{text}\n```\n\nKernels: {', '.join(sorted(kernels))}\n",
            encoding="utf-8",
        )
    bad = sum(r.unsafe for r in table.values())
    seen = sum(r.unsafe_refused for r in table.values())
    return 0 if seen >= 0.99 * bad else 1


if __name__ == "__main__":
    sys.exit(main())
