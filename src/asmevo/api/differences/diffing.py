"""How do two objects differ, and is every difference one that changes nothing?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.api.differences.record import (
    DIFF_SCHEMA,
    CounterexamplePart,
    DiffRecord,
    FunctionPart,
    Line,
    ObjectPart,
    ResourcePart,
    Resources,
    Structure,
    ValueChange,
    WaveNote,
    WindowPart,
)
from asmevo.api.naming import naming
from asmevo.api.objects import Object, ObjectLike, Progress, open
from asmevo.api.results import Result
from asmevo.check.rules import abi
from asmevo.codeobject import Kernel
from asmevo.errors import AsmEvoError, UnsupportedError
from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import VGPR0
from asmevo.program import recover
from asmevo.prove.replay.states import unit_name
from asmevo.prove.verdict import Counterexample, Verdict
from asmevo.prove.versions import notes, values
from asmevo.prove.versions.comparing import Judged
from asmevo.prove.versions.matching import graphs_differ
from asmevo.prove.versions.programs import FunctionPair, ProgramPair, compare_programs
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Window, instructions
from asmevo.timing.occupancy import occupancy
from asmevo.verify.proofs import prove as prove_window
from asmevo.wording import counted

# What an edit may ask more or less of, without being another contract with the launcher.
_RESOURCES = frozenset({
    "vgprs", "accum_offset", "sgprs", "group_segment_fixed_size", "private_segment_fixed_size",
    "granulated_vgprs", "granulated_accum_offset", "granulated_sgprs", ".vgpr_count",
    ".agpr_count", ".sgpr_count", ".group_segment_fixed_size", ".private_segment_fixed_size",
    ".sgpr_spill_count", ".vgpr_spill_count",
})  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Diff(Result):
    """Result of `diff`; `data` is described by `asmevo.schema("diff")`.

    Attributes:
        original, other: the objects.
        compared: functions, windows and verdicts.
        record: `data` with types.
    """

    original: Object
    other: Object
    compared: ProgramPair
    record: DiffRecord


def diff(
    original: ObjectLike,
    other: ObjectLike,
    *,
    kernel: str | None = None,
    limit_seconds: float = 2.0,
    memory_mb: int = 1024,
    progress: Progress | None = None,
) -> Diff:
    """What is different in an object, and whether it is proved to do the same as the original.

    `ok` is true if all differences are proved, or mere reorderings, or none is left; false for
    a window with a counterexample (`refuted`) and for one that could not be decided (`unknown`).
    A proof is of values: waits, wait states and registers beyond the declared are for `check`.

    Args:
        original: K0.
        other: K1.
        kernel: only this kernel, and the functions that are no kernels.
        limit_seconds: for each window; then it is `unknown`.
        memory_mb: likewise, MB.
        progress: told (windows decided, 0, name of the last).

    Raises:
        InputError: an object is damaged, or has no such kernel.
        UnsupportedError: they are of different targets, have different kernels, or another ABI.
    """
    k0, k1 = open(original), open(other)
    if k0.target != k1.target:
        raise UnsupportedError(
            f"the original is for {k0.target}, the other object for {k1.target}",
            "compare objects of one target",
        )
    name = None if kernel is None else k0.code.kernel(kernel).name
    _same_contract(k0, k1, name)
    done = 0

    def prove(window: Window) -> Verdict:
        nonlocal done
        verdict = prove_window(window, limit_seconds=limit_seconds, memory_mb=memory_mb)
        done += 1
        if progress is not None:
            progress(done, 0, window.name)
        return verdict

    with naming(k0.path):
        before = recover(k0.code)
    with naming(k1.path):
        after = recover(k1.code)
    found = compare_programs(before, after, name, prove=prove)
    reason = _reason(found)
    record = DiffRecord(
        schema=DIFF_SCHEMA,
        ok=found.holds,
        status=found.status,
        reason=reason,
        target=k0.target,
        before=ObjectPart(name=k0.name, sha256=k0.sha256),
        after=ObjectPart(name=k1.name, sha256=k1.sha256),
        kernel=name,
        same=list(found.same),
        functions=[_function(k0, k1, pair) for pair in found.functions],
    )
    data = record.model_dump(mode="json", exclude={"schema_", "ok", "status", "reason"})
    return Diff(found.holds, found.status, reason, data, k0, k1, found, record)


def _same_contract(k0: Object, k1: Object, kernel: str | None) -> None:
    """Raise unless both offer the launcher the same, resources aside.

    Raises:
        UnsupportedError: they do not.
    """
    for finding in abi.changes(k0.code, k1.code):
        mine = kernel is None or finding.kernel in ("", "-", kernel)
        if mine and finding.what not in _RESOURCES:
            where = f" of {finding.kernel}" if finding.kernel.strip("-") else ""
            raise UnsupportedError(
                f"the objects have different ABIs: {finding.message}{where}",
                "compare versions of one object",
            )


def _reason(found: ProgramPair) -> str:
    windows = [j for pair in found.functions for j in pair.compared.windows]
    if not found.functions:
        return "the same instructions"
    counts = {
        word: sum(j.verdict.status == word for j in windows)
        for word in ("refuted", "unknown", "proved", "reordered")
    }
    said = [f"{n} {word}" for word, n in counts.items() if n]
    lost = [p for p in found.functions if p.compared.status == "unknown" and not any(
        j.verdict.status == "unknown" for j in p.compared.windows)]  # fmt: skip
    if lost:
        return f"{lost[0].name}: {lost[0].compared.reason}"
    if not windows:
        return "branches alone differ, which change nothing"
    return f"{counted(len(windows), 'window')}: {', '.join(said)}"


def _function(k0: Object, k1: Object, pair: FunctionPair) -> FunctionPart:
    before, after = pair.before, pair.after
    return FunctionPart(
        name=pair.name,
        is_kernel=before.function.is_kernel,
        status=pair.compared.status,
        reason=pair.compared.reason,
        structure=Structure(
            blocks_before=len(before.blocks),
            blocks_after=len(after.blocks),
            instructions_before=before.function.last - before.function.first,
            instructions_after=after.function.last - after.function.first,
            graph=graphs_differ(before, after),
            places=len(pair.compared.places),
        ),
        resources=Resources(before=_resources(k0, before), after=_resources(k1, after)),
        windows=[_window(j) for j in pair.compared.windows],
    )


def _resources(object: Object, side: Side) -> ResourcePart:
    f = side.function
    size = sum(side.inst(i).size for i in range(f.first, f.last))
    kernel = next((k for k in object.kernels if side.program.kernel_function(k) == f), None)
    if kernel is None:
        return ResourcePart(
            vgprs=None, arch_vgprs=None, agprs=None, sgprs=None, lds=None, scratch=None,
            waves_per_simd=None, code_bytes=size,
        )  # fmt: skip
    d = kernel.descriptor
    return ResourcePart(
        vgprs=d.vgprs, arch_vgprs=d.arch_vgprs, agprs=d.agprs, sgprs=d.sgprs,
        lds=d.group_segment_fixed_size, scratch=d.private_segment_fixed_size,
        waves_per_simd=_waves(kernel), code_bytes=size,
    )  # fmt: skip


def _waves(kernel: Kernel) -> int | None:
    """Waves per SIMD at the largest workgroup; None where no machine is known or it fits none."""
    m, d = kernel.metadata, kernel.descriptor
    block = m.reqd_workgroup_size or (min(m.max_flat_workgroup_size or 256, 1024), 1, 1)
    x, y, z = block
    try:
        return occupancy(d.target, d.vgprs, d.group_segment_fixed_size, (x, y, z)).waves_per_simd
    except AsmEvoError:
        return None


def _window(judged: Judged) -> WindowPart:
    piece, verdict = judged.piece, judged.verdict
    window = piece.window
    sides = [list(instructions(side)) for side in (window.before, window.after)]
    return WindowPart(
        name=window.name,
        verdict=verdict.status,
        reason=verdict.reason,
        solver=verdict.solver,
        seconds=round(verdict.seconds, 4),
        inexact=verdict.inexact,
        live_in=registers(_read(sides, window)),
        live_out=registers(window.live_out),
        before=_lines(sides[0], piece.before, piece.notes),
        after=_lines(sides[1], piece.after, piece.notes),
        values=[
            ValueChange(kind=c.kind, text=c.text, before=list(c.before), after=list(c.after))
            for c in values.changes(sides[0], sides[1], window.target)
        ],
        notes=[
            WaveNote(kind=n.kind, text=n.text)
            for n in notes.notes(sides[0], sides[1], window.target)
        ],
        counterexample=_example(verdict.counterexample),
    )


def _read(sides: Sequence[Sequence[Instruction]], window: Window) -> frozenset[int]:
    """Units that either side reads before it writes them."""
    found: set[int] = set()
    for side in sides:
        written: set[int] = set()
        for inst in side:
            d = decode(inst, window.target)
            found |= d.uses - written
            written |= d.defs
    return frozenset(found)


def _lines(
    side: Sequence[Instruction], indices: Sequence[int], notes: frozenset[Instruction]
) -> list[Line]:
    places = iter(indices)
    return [
        Line(index=-1 if inst in notes else next(places), text=inst.text or inst.raw.hex())
        for inst in side
    ]


def _example(found: Counterexample | None) -> CounterexamplePart | None:
    if found is None:
        return None
    lane = found.lane or 0
    return CounterexamplePart(
        output=found.output,
        lane=found.lane,
        address=found.address,
        before=found.before,
        after=found.after,
        scalars={unit_name(u): v for u, v in sorted(found.scalars.items())},
        vectors={unit_name(u): row[lane] for u, row in sorted(found.vectors.items())},
        memory={f"0x{at:x}": byte for at, byte in sorted(found.memory.items())},
    )


def registers(units: frozenset[int]) -> list[str]:
    """Names of register units, runs of a register file as one: `s4`, `v[2:5]`, `vcc_lo`."""
    out: list[str] = []
    run: list[int] = []

    def close() -> None:
        if len(run) > 1:
            kind = unit_name(run[0])[0]
            out.append(f"{kind}[{unit_name(run[0])[1:]}:{unit_name(run[-1])[1:]}]")
        elif run:
            out.append(unit_name(run[0]))
        run.clear()

    for unit in sorted(units):
        if run and (unit != run[-1] + 1 or not _numbered(unit)):
            close()
        run.append(unit)
        if not _numbered(unit):
            close()
    close()
    return out


def _numbered(unit: int) -> bool:
    return unit < 102 or unit >= VGPR0
