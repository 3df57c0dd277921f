"""The metadata note as the YAML of an `.amdgpu_metadata` block, and back through LLVM."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import yaml

from asmevo.codeobject.directives import header
from asmevo.codeobject.elf import Elf
from asmevo.codeobject.emit import emit_object
from asmevo.codeobject.metadata import NT_AMDGPU_METADATA, Metadata, parse
from asmevo.errors import BuildError
from asmevo.isa.target import Target

_events = cast("Callable[[str], Iterable[object]]", yaml.parse)  # pyright: ignore
_PLAIN = re.compile(r"[A-Za-z_.][A-Za-z0-9_.$/+-]*\Z")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", ".nan", ".inf"})
_NUMERIC = re.compile(r"[-+0-9]|\.[0-9]|\Z|inf|nan")
_MAX_DEPTH = 16


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if value is None:
        return "null"
    text = value.decode("utf8", "backslashreplace") if isinstance(value, bytes) else str(value)
    # LLVM takes a number or truth value for one even in quotes, unless it is tagged as a string;
    # what C's strtod reads (inf, nan) are numbers, too.
    low = text.lower()
    tagged = low in _WORDS or bool(_NUMERIC.match(low))
    if _PLAIN.match(text) and not tagged:
        return text
    tag = "!str " if tagged else ""
    return f'{tag}"{"".join(_escaped(c) for c in text)}"'


def _escaped(c: str) -> str:
    """A character in double quotes; the assembler's lexer must see neither quote nor comment."""
    if c.isascii() and c.isprintable() and c not in "\"\\;'":
        return c
    if ord(c) < 0x100:
        return f"\\x{ord(c):02X}"
    return f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}"


def _lines(value: object, indent: int) -> list[str]:
    """Block-style YAML of a map or list."""
    if indent > 2 * _MAX_DEPTH:
        raise BuildError("metadata is nested too deep to be written")
    pad = " " * indent
    out: list[str] = []
    if isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            out += _entry(f"{pad}{_scalar(key)}:", item, indent + 2)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            nested = _lines(item, indent + 2)
            if nested:
                out.append(f"{pad}- {nested[0][indent + 2 :]}")
                out += nested[1:]
            else:
                out += _entry(f"{pad}-", item, indent + 2)
    return out


def _entry(head: str, item: object, indent: int) -> list[str]:
    nested = _lines(item, indent)
    if nested:
        return [head, *nested]
    if isinstance(item, dict | list):
        return [f"{head} {'{}' if isinstance(item, dict) else '[]'}"]
    return [f"{head} {_scalar(item)}"]


def block(metadata: Metadata) -> list[str]:
    """Lines of the `.amdgpu_metadata` block."""
    return [".amdgpu_metadata", "---", *_lines(metadata.raw, 0), "...", ".end_amdgpu_metadata"]


def assemble_block(lines: Sequence[str], target: Target, version: int) -> Metadata:
    """The metadata that LLVM makes of an `.amdgpu_metadata` block.

    Raises:
        BuildError: LLVM refuses the block; `line` counts from the block's first line.
    """
    try:  # LLVM prints what is wrong with the syntax to stderr by itself
        list(_events("\n".join(lines[1:-1])))
    except yaml.YAMLError as err:
        problem = " ".join(str(err).split())[:200]
        failure = BuildError(f"metadata is not YAML: {problem}", "correct the block")
        mark = getattr(err, "problem_mark", None)
        failure.line = mark.line + 2 if mark is not None else 1  # the block's first line is no YAML
        raise failure from err
    text = "\n".join([*header(target, version), *lines]) + "\n"
    notes = [n for n in Elf.parse(emit_object(text)).notes() if n.type == NT_AMDGPU_METADATA]
    if not notes:
        raise BuildError("the metadata block gives no note", "correct it")
    return parse(max(notes, key=lambda n: len(n.desc)))
