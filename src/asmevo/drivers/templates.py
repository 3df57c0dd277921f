"""Templates that the prover has passed: the only ones that drivers propose.

What was proved is kept in the cache folder, keyed by the template's text, the target and the
version; whoever changes a template, or takes another version, has it proved again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from asmevo import __version__
from asmevo.caches import cache_folder
from asmevo.edits.templates import Template, load_templates, results, samples
from asmevo.errors import BuildError
from asmevo.isa.operand import EXEC
from asmevo.isa.semantics.table import DEFAULT_MODE
from asmevo.isa.target import Target
from asmevo.program.encoding import table
from asmevo.prove.backend import NAME
from asmevo.prove.window import Window
from asmevo.verify.proofs import prove

_LIMIT = 60.0  # seconds for one instance, helpers compiled in it included; it is done once


@dataclass(frozen=True, slots=True)
class Refusal:
    """A template that is not used, and why: with the counterexample where there is one."""

    template: Template
    reason: str


def judged_templates(target: Target, folders: Iterable[Path] = ()) -> Iterator[Template | Refusal]:
    """The templates of a target, each proved on all its instances, or refused.

    Raises:
        InputError: see `load_templates`.
    """
    for template in load_templates(target, folders):
        refusal = _kept(target, template)
        yield template if not refusal else Refusal(template, refusal)


@lru_cache(maxsize=64)
def proved_templates(target: Target, folders: tuple[Path, ...] = ()) -> tuple[Template, ...]:
    """Those of `judged_templates` that were proved.

    Raises:
        InputError: see `load_templates`.
    """
    return tuple(t for t in judged_templates(target, folders) if isinstance(t, Template))


def checked_folders(target: Target, folders: Iterable[str | Path]) -> tuple[Path, ...]:
    """The folders, after their files were read: what is wrong with one is said at once.

    Raises:
        InputError: see `load_templates`.
    """
    found = tuple(Path(folder) for folder in folders)
    proved_templates(target, found)
    return found


def _kept(target: Target, template: Template) -> str:
    """Why the template is refused, empty if it is not; from the cache where it is there."""
    folder = cache_folder("templates")
    if folder is None:
        return _refusal(target, template)
    text = f"{__version__} {NAME} {target.arch} {template.model_dump_json()}"
    path = folder / hashlib.sha256(text.encode()).hexdigest()
    try:
        return path.read_text()
    except OSError:
        pass
    refusal = _refusal(target, template)
    if "limit of time" not in refusal:
        with contextlib.suppress(OSError):
            fresh = path.with_suffix(f".{os.getpid()}")
            fresh.write_text(refusal)
            fresh.replace(path)
    return refusal


def _refusal(target: Target, template: Template) -> str:
    tried = 0
    for sample in samples(template):
        try:
            before = tuple(table(target).assemble(sample.before))
        except BuildError:
            continue  # no code has such constants
        tried += 1
        try:
            after = tuple(table(target).assemble(sample.after))
        except BuildError as err:
            return f"{'; '.join(sample.after)}: {err.one_line()}"
        live = frozenset((EXEC, EXEC + 1, *results(sample)))
        mode = DEFAULT_MODE.on_target(target.arch)
        window = Window(target, before, after, live, mode)
        verdict = prove(window, limit_seconds=_LIMIT)
        if not verdict.holds:
            shown = "; ".join(sample.before) + " -> " + "; ".join(sample.after)
            why = verdict.counterexample.one_line() if verdict.counterexample else verdict.reason
            return f"{verdict.status} on {shown}: {why}"
    return "" if tried else "no instance of it is code of this target"
