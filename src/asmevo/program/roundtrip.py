"""The identity proof of many objects: open, recover, rebuild, compare, with the reasons.

A report never raises for a bad object: it carries the reason. Objects are spread over processes in
long runs of neighbours, because objects of one family share most of their encodings.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import Found, find
from asmevo.errors import AsmEvoError
from asmevo.program.encoding import table
from asmevo.program.model import Program
from asmevo.program.rebuild import rebuild
from asmevo.program.recover import recover

_RUN = 32  # objects handed to a process at a time,
_RUN_BYTES = 16 << 20  # and no more bytes, but one object at least


@dataclass(frozen=True, slots=True)
class Report:
    """Outcome for one object.

    Attributes:
        location: file, and the steps inside it.
        status: "identical", "different", or the status word of the error.
        reason: one line when not identical.
        instructions: of the code, padding left out.
        padding: padding words.
        kept_as_bytes: instructions without text or whose text does not encode to their bytes.
        kept_classes: their mnemonics (or `.long`) with counts, most frequent first.
        dont_care: instructions whose text encodes to other values of ignored bits.
        growth_refused: why edits must keep the size, or empty; None when it was not asked for.
        exit_code: 0 identical, 1 different, else the error's code.
    """

    location: str
    status: str
    reason: str = ""
    target: str = ""
    kernels: tuple[str, ...] = ()
    functions: int = 0
    instructions: int = 0
    padding: int = 0
    kept_as_bytes: int = 0
    kept_classes: tuple[tuple[str, int], ...] = ()
    dont_care: int = 0
    growth_refused: str | None = None
    seconds: float = 0.0
    exit_code: int = 0


def roundtrip_bytes(data: bytes, location: str = "", growth: bool = False) -> Report:
    """Prove the identity of one code object; with `growth`, also see whether it may grow."""
    start = time.process_time()
    try:
        co = CodeObject.open(data)
        program = recover(co)
        rebuilt = rebuild(program)
    except AsmEvoError as err:
        return Report(location, err.status, err.one_line(), exit_code=err.exit_code)
    if rebuilt != data:
        return Report(location, "different", first_difference(program, rebuilt), exit_code=1)
    kept: Counter[str] = Counter()
    loose, dont_care, code = table(co.target).loose, 0, 0
    for f in program.functions:
        for inst in program.instructions[f.first : f.last]:
            if not inst.editable:
                kept[inst.mnemonic if inst.text else ".long"] += 1
            elif inst.raw in loose:
                dont_care += 1
        code += f.last - f.first
    return Report(
        location=location,
        status="identical",
        target=co.target.target_id,
        kernels=tuple(k.name for k in co.kernels),
        functions=len(program.functions),
        instructions=code,
        padding=len(program.instructions) - code,
        kept_as_bytes=sum(kept.values()),
        kept_classes=tuple(kept.most_common()),
        dont_care=dont_care,
        growth_refused=program.growth_refused if growth else None,
        seconds=time.process_time() - start,
    )


def first_difference(program: Program, rebuilt: bytes) -> str:
    """One line that names the first byte, and the instruction, in which a rebuilt file differs."""
    original = program.object.data
    size = min(len(original), len(rebuilt))
    at = next((n for n in range(size) if original[n] != rebuilt[n]), size)
    inside = at - program.object.text_offset
    if 0 <= inside < len(program.text):
        index = next(
            i for i in reversed(range(len(program.offsets))) if program.offsets[i] <= inside
        )
        return f"first difference in instruction {index}: {program.line(index)}"
    return f"first difference at file offset {at}"


def _report(found: Found) -> Report:
    if found.error is not None:
        status, code = found.error.status, found.error.exit_code
        return Report(found.location, status, found.problem, exit_code=code)
    return roundtrip_bytes(found.data, found.location)


def _report_many(batch: list[Found]) -> list[Report]:
    return [_report(f) for f in batch]


def _batches(objects: Iterable[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    size = 0
    for found in objects:
        batch.append(found)
        size += found.size
        if len(batch) == _RUN or size >= _RUN_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def roundtrip(
    paths: Iterable[Path],
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Report]:
    """Reports for every code object in files, folders, wheels, bundles and host programs.

    Args:
        paths: what to search; see `asmevo.codeobject.container.find`.
        workers: processes; None is the number of usable cores, 1 stays in this process.
        progress: called with the number of finished objects.

    Raises:
        InputError: a path does not exist.
    """
    objects = (found for path in paths for found in find(path))
    workers = workers or len(os.sched_getaffinity(0))
    out: list[Report] = []
    batches = _batches(objects)
    first: list[Found] = next(batches, list[Found]())
    out.extend(_report_many(first))
    if progress:
        progress(len(out))
    second = next(batches, None)
    if second is None:
        return out
    batches = chain([second], batches)
    if workers == 1:
        for batch in batches:
            out.extend(_report_many(batch))
            if progress:
                progress(len(out))
        return out
    with ProcessPoolExecutor(workers) as pool:
        # Hand out a bounded number of batches, so that memory does not grow with the input.
        pending: list[Future[list[Report]]] = []
        for batch in batches:
            pending.append(pool.submit(_report_many, batch))
            if len(pending) > 2 * workers:
                out.extend(pending.pop(0).result())
                if progress:
                    progress(len(out))
        for future in pending:
            out.extend(future.result())
            if progress:
                progress(len(out))
    return out
