"""The shipped library of vendor launches: one file per family of kernels, in `templates/`.

A file has `match` (patterns over the object's file name or the symbol; a named group that is a
number becomes a size, any other is a mark), `source` (where its facts are from), `sizes`, `grid`,
`block`, `lds`, `tolerance`, `why` and `questions` as in a draft, and `args`: entries of a launch
description with `at` (kernarg offset), `why`, and `if` or `unless` (a mark).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, cast

import yaml

from asmevo.capsule.infer.draft import Argument, Draft
from asmevo.capsule.kernarg import explicit_arguments
from asmevo.codeobject.metadata import KernelMetadata
from asmevo.errors import AsmEvoError

_FOLDER = "templates"
_OWN = frozenset({"at", "why", "if", "unless"})


def find(metadata: KernelMetadata, symbol: str, stem: str) -> Draft | None:
    """The library's launch for a kernel, or None.

    Args:
        metadata: its arguments must be those of the family, in number, offset and kind.
        symbol: of the kernel.
        stem: file name of the object without its ending.
    """
    for family, document in _families().items():
        for pattern in cast("list[str]", document["match"]):
            found = re.search(pattern, stem) or re.search(pattern, symbol)
            if found is not None and _fits(document, metadata):
                return _filled(family, document, found.groupdict(), metadata)
    return None


@lru_cache(maxsize=1)
def _families() -> Mapping[str, dict[str, Any]]:
    folder = resources.files("asmevo.capsule.infer") / _FOLDER
    found: dict[str, dict[str, Any]] = {}
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".yaml"):
            found[entry.name[:-5]] = cast("dict[str, Any]", yaml.safe_load(entry.read_text()))
    return found


def _fits(document: Mapping[str, Any], metadata: KernelMetadata) -> bool:
    """Whether the kernel has the family's arguments."""
    try:
        own = {a.offset: a.value_kind == "global_buffer" for a in explicit_arguments(metadata)}
    except AsmEvoError:
        return False
    given = {
        a["at"]: "shape" in a or "buffer" in a or bool(a.get("null")) for a in document["args"]
    }
    return all(given.get(offset) == pointer for offset, pointer in own.items())


def _filled(
    family: str,
    document: Mapping[str, Any],
    groups: Mapping[str, str | None],
    metadata: KernelMetadata,
) -> Draft:
    numbers = {n: int(g) for n, g in groups.items() if g is not None and g.isdigit()}
    marks = {n for n, g in groups.items() if g}
    named = {a.offset: a.name for a in explicit_arguments(metadata)}
    args: list[Argument] = []
    for given in cast("list[dict[str, Any]]", document["args"]):
        entry = {k: v for k, v in given.items() if k not in _OWN}
        if not _applies(given, marks) or given["at"] not in named:
            continue
        name = named[given["at"]] or given["name"]
        args.append(
            Argument(
                {"name": name, **{k: v for k, v in entry.items() if k != "name"}},
                (str(given["why"]),) if "why" in given else (),
            )
        )
    sizes: dict[str, int | str] = {**numbers}
    sizes |= {n: v for n, v in document.get("sizes", {}).items() if n not in numbers}
    grid = [str(g) for g in document["grid"]]
    block = document["block"]
    return Draft(
        kernel=metadata.name,
        source=f"library of vendor launches, family {family}: {document['source']}",
        sizes=sizes,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        lds=int(document.get("lds", 0)),
        args=tuple(args),
        tolerance=document.get("tolerance"),
        reasons={str(k): str(v) for k, v in document.get("why", {}).items()},
        questions=tuple(document.get("questions", ())),
    )


def _applies(given: Mapping[str, Any], marks: set[str]) -> bool:
    wanted, unwanted = given.get("if"), given.get("unless")
    return (wanted is None or wanted in marks) and (unwanted is None or unwanted not in marks)
