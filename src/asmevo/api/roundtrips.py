"""Prove that recovering and rebuilding code objects changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import asmevo.program.roundtrip as engine
from asmevo.api.containers import nothing_in, require
from asmevo.api.objects import Progress
from asmevo.api.results import Result
from asmevo.errors import InputError, UnsupportedError


@dataclass(frozen=True, slots=True, eq=False)
class Roundtrip(Result):
    """Result of `roundtrip`: one report per object, and the exit code they make."""

    reports: tuple[engine.Report, ...]
    exit_code: int


def roundtrip(
    paths: Sequence[str | Path] | str | Path,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Roundtrip:
    """Recover and rebuild every object without edits; the whole file must be the same.

    Args:
        paths: objects, folders, wheels, bundles, host programs and libraries.
        jobs: processes; all cores if None.
        progress: told (objects done, 0, text).

    Raises:
        InputError: a path is not there, or there is no object.
        UnsupportedError: the only object is one that is not supported.
    """
    places = [Path(paths)] if isinstance(paths, str | Path) else [Path(p) for p in paths]
    require(places)

    def show(done: int) -> None:
        if progress is not None:
            progress(done, 0, "objects")

    reports = engine.roundtrip(places, jobs, show)
    if not reports:
        raise nothing_in(places)
    bad = [r for r in reports if r.status != "identical"]
    if len(reports) == 1 and bad and bad[0].exit_code in (2, 3):
        kind = UnsupportedError if bad[0].exit_code == 3 else InputError
        raise kind(f"{bad[0].location}: {bad[0].reason}")
    unsupported = sum(r.exit_code == UnsupportedError.exit_code for r in bad)
    same = len(reports) - len(bad)
    differ = unsupported < len(bad)
    return Roundtrip(
        not bad,
        "ok" if not bad else "build_invalid" if differ else "unsupported",
        f"{same} of {len(reports)} identical"
        + (f", {unsupported} unsupported" if unsupported else ""),
        {"objects": [asdict(r) for r in reports], "identical": same, "total": len(reports)},
        tuple(reports),
        0 if not bad else 1 if differ else UnsupportedError.exit_code,
    )
