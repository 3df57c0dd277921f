"""A user's own rocprofv3 trace of a kernel: measured latencies, clocks by instruction, durations.

Read are decoded thread traces (ATT: folders `ui_output_agent_*` with `code.json` and a file for
each wave, `[attempt, category, stall, duration, line]` by executed instruction; also the compact
gzip form of `att`), and rocpd databases (SQLite: kernel dispatches). An ATT listing is matched
with the program by addresses and mnemonics; a trace of other code is refused.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing.static import STORE, Kind, StaticProgram, static_program

_F64 = NDArray[np.float64]
_I64 = NDArray[np.int64]
_LARGEST = 1 << 30
_MOST_FILES = 20_000
_COLUMNS = {"isa": 0, "vaddr": 5}  # of code.json, if it names none
_REMEDY = "give the output folder of rocprofv3 --att (decoded) or of --output-format rocpd"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What was measured of a kernel.

    Attributes:
        sources: files that it comes from.
        latency: median clocks from issue to arrival of each vector load whose wait stalled, -1
            where none did, float64 [instructions of the program].
        clocks: clocks that traced waves spent at each instruction, float64 [instructions].
        executions: of traced waves, int64 [instructions].
        waves: traced waves.
        nanoseconds: durations of the kernel's dispatches (rocpd).
    """

    sources: tuple[str, ...]
    latency: _F64
    clocks: _F64
    executions: _I64
    waves: int
    nanoseconds: tuple[float, ...]

    @property
    def instructions(self) -> bool:
        """Whether instructions were traced, not only whole dispatches."""
        return self.waves > 0


def read_trace(
    place: Path, instructions: Sequence[Instruction], offsets: Sequence[int], target: Target,
    kernel: str,
) -> Trace:  # fmt: skip
    """Everything below a folder (or in one file) that tells of a kernel.

    Args:
        place: folder, or a single database or compact trace.
        instructions, offsets: the program.
        target: its architecture.
        kernel: its name, as rocpd has it.

    Raises:
        InputError: nothing there, nothing readable, or only of other code.
    """
    if not place.exists():
        raise InputError(f"{place}: no such file or folder", _REMEDY)
    files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
    if len(files) > _MOST_FILES:
        raise InputError(f"{place} holds {len(files)} files", "give the folder of one trace")
    flat = static_program(instructions, target, offsets)
    size = len(instructions)
    clocks, executions = np.zeros(size), np.zeros(size, np.int64)
    seen: list[list[float]] = [[] for _ in range(size)]
    waves, other = 0, 0
    sources: list[str] = []
    durations: list[float] = []
    for path in files:
        if path.name == "code.json" or path.name.endswith(".json.gz"):
            listing, events = _att(path)
            index = _matched(listing, instructions, offsets)
            if index is None:
                other += 1
                continue
            sources.append(str(path))
            for wave in events:
                waves += _count(flat, index, wave, clocks, executions, seen)
        elif path.suffix == ".db":
            found = _dispatches(path, kernel)
            durations += found
            sources += [str(path)] if found else []
            other += not found
    if not sources:
        what = "is of other code" if other else "holds no decoded thread trace and no database"
        raise InputError(f"{place} {what} (kernel {kernel})", _REMEDY)
    latency = np.array([float(np.median(s)) if s else -1.0 for s in seen])
    return Trace(tuple(sources), latency, clocks, executions, waves, tuple(durations))


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path} is too large", _REMEDY)
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as stream:
                raw = stream.read(_LARGEST + 1)
            if len(raw) > _LARGEST:
                raise InputError(f"{path} is too large", _REMEDY)
        else:
            raw = path.read_bytes()
        return json.loads(raw)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as err:
        raise InputError(f"{path} is no trace ({type(err).__name__}: {err})", _REMEDY) from err


def _att(path: Path) -> tuple[list[tuple[str, int]], list[_I64]]:
    """((text, address) of each line of the listing, events [n, 5] of each wave)."""
    data = _json(path)
    try:
        if path.suffix == ".gz":
            rows = data["code_isa_vaddr_hit_latency_stall_idle"]
            listing = [(str(r[0]), int(r[1])) for r in rows]
            events = [_events(w["ev_dt_stall_dur_line_cat"]) for w in data["waves"]]
            for wave in events:  # times since the previous attempt
                wave[:, 0] = np.cumsum(wave[:, 0])
                wave[:] = wave[:, [0, 4, 1, 2, 3]]
            return listing, events
        names = [n.strip().lower() for n in str(data.get("header", "")).split(",")]
        at = {key: names.index(key) if key in names else n for key, n in _COLUMNS.items()}
        listing = [(str(r[at["isa"]]), int(r[at["vaddr"]])) for r in data["code"]]
        found: list[_I64] = []
        for file in sorted(path.parent.glob("se*_sm*_sl*_wv*.json")):
            found.append(_events(_json(file)["wave"]["instructions"]))
        return listing, found
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as err:
        raise InputError(f"{path} is no decoded thread trace ({err})", _REMEDY) from err


def _events(rows: Any) -> _I64:
    return np.array([[int(v) for v in row[:5]] for row in rows], np.int64).reshape(-1, 5)


def _mnemonic(text: str) -> str:
    words = text.split()
    return words[0] if words else ""


def _matched(
    listing: Sequence[tuple[str, int]], instructions: Sequence[Instruction], offsets: Sequence[int]
) -> NDArray[np.int32] | None:
    """Instruction of each line of a listing, -1 for none; None when it is of other code.

    The code lies somewhere in memory: some distance takes its addresses to the program's offsets.
    """
    at = {offset: i for i, offset in enumerate(offsets)}
    mine = [inst.mnemonic for inst in instructions]
    lines = [(n, _mnemonic(text), place) for n, (text, place) in enumerate(listing)]
    lines = [line for line in lines if line[1] and not line[1].startswith(";")]
    count = Counter(mine)
    known = [line for line in lines if count[line[1]]]
    if not known:
        return None
    anchor = min(known, key=lambda line: count[line[1]])
    for i, name in enumerate(mine):
        if name != anchor[1]:
            continue
        base = anchor[2] - offsets[i]
        out = np.full(len(listing), -1, np.int32)
        inside = [(n, name, at.get(place - base)) for n, name, place in lines]
        if any(k is not None and mine[k] != name for _, name, k in inside):
            continue
        hits = [(n, k) for n, _, k in inside if k is not None]
        if len(hits) * 2 < min(len(lines), len(mine)):
            continue
        for n, k in hits:
            out[n] = k
        return out
    return None


def _count(
    flat: StaticProgram,
    index: NDArray[np.int32],
    events: _I64,
    clocks: _F64,
    executions: _I64,
    seen: Sequence[list[float]],
) -> int:
    """Count a wave in; 1 if it ran the program's code.

    A load has arrived when the wait that it is the last one of lets the wave go; only waits that
    stalled tell when that was.
    """
    if not len(events) or events[:, 4].min() < 0 or events[:, 4].max() >= len(index):
        return 0
    which = index[events[:, 4]]
    if (which < 0).any():
        return 0
    np.add.at(clocks, which, events[:, 3].astype(np.float64))
    np.add.at(executions, which, 1)
    out: list[tuple[int, int]] = []  # vector memory operations not known to be done
    for (time, _, stall, duration, _), i in zip(events.tolist(), which.tolist(), strict=True):
        kind = int(flat.kind[i])
        if kind == Kind.VMEM:
            out.append((i, time + stall))
        elif kind == Kind.WAIT and 0 <= flat.wait_vm[i] < len(out):
            left = int(flat.wait_vm[i])
            last, issued = out[len(out) - 1 - left]
            if stall > 0 and not flat.flags[last] & STORE:
                seen[last].append(float(time + duration - issued))
            del out[: len(out) - left]
    return 1


def _dispatches(path: Path, kernel: str) -> list[float]:
    """Nanoseconds of a kernel's dispatches in a rocpd database."""
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error as err:
        raise InputError(f"{path} cannot be opened ({err})", _REMEDY) from err
    try:
        tables = [str(r[0]) for r in base.execute("SELECT name FROM sqlite_master")]
        found: list[float] = []
        for dispatches in _named(tables, "rocpd_kernel_dispatch"):
            symbols = dispatches.replace("rocpd_kernel_dispatch", "rocpd_info_kernel_symbol")
            if symbols not in tables:
                continue
            query = (
                f'SELECT K."end" - K.start FROM "{dispatches}" K JOIN "{symbols}" S '
                "ON S.id = K.kernel_id WHERE S.kernel_name IN (?, ?) OR S.display_name IN (?, ?)"
            )
            names = (kernel, f"{kernel}.kd") * 2
            rows = cast("list[tuple[Any]]", base.execute(query, names).fetchall())
            found += [float(r[0]) for r in rows if r[0] is not None and r[0] > 0]
        return found
    except (sqlite3.Error, ValueError, TypeError) as err:
        raise InputError(f"{path} is no rocpd database ({err})", _REMEDY) from err
    finally:
        base.close()


def _named(tables: Sequence[str], name: str) -> list[str]:
    """The view over all processes' tables if there is one, else the tables."""
    if name in tables:
        return [name]
    return [t for t in tables if t.startswith(f"{name}_") and '"' not in t]
