"""The table of HIP functions, and what is made of it: sources, version script, coverage page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from asmevo.wording import counted

NATIVE = Path(__file__).parent / "native"
_MARKS = {"=": (True, False), "@": (True, True), "-": (False, False)}


@dataclass(frozen=True, slots=True)
class Function:
    """One exported function.

    Attributes:
        name: as a program asks for it.
        node: node of the version script that it belongs to, e.g. `hip_4.2`.
        supported: has a body; the others log their name and answer hipErrorNotSupported.
        hooked: seen by whoever records launches on a GPU.
    """

    name: str
    node: str
    supported: bool
    hooked: bool


@lru_cache(maxsize=1)
def functions() -> tuple[Function, ...]:
    """The table `native/functions.txt`, nodes ascending.

    Raises:
        ValueError: a line that is no line of the table, or a name that occurs twice.
    """
    found: dict[str, Function] = {}
    node = ""
    for line in (NATIVE / "functions.txt").read_text().splitlines():
        words = line.split()
        if not words or words[0] == "#" or line.startswith("#"):
            continue
        if words[0].startswith("hip_"):
            node = words[0]
            continue
        supported, hooked = _MARKS[words[0]]
        for name in words[1:]:
            if name in found:
                raise ValueError(f"{name} is in the table twice")
            found[name] = Function(name, node, supported, hooked)
    return tuple(found.values())


def version_script() -> str:
    """The linker's version script: each name in its node, nodes chained as in ROCm's."""
    nodes: dict[str, list[str]] = {}
    for f in functions():
        nodes.setdefault(f.node, []).append(f.name)
    parts: list[str] = []
    before = ""
    for node, names in nodes.items():
        listed = " ".join(f"{n};" for n in names)
        parts.append(f"{node} {{ global: {listed} local: *; }}{before};")
        before = f" {node}"
    return "\n".join(parts) + "\n"


def table_source() -> str:
    """C: bodies of what is not supported, and the look-up of functions by name."""
    listed = functions()
    lines = ["/* Made from functions.txt. */", '#include "runtime.h"', "#include <string.h>"]
    for f in listed:
        if f.supported:
            lines.append(f"extern char {f.name}[];")
        else:
            lines.append(f"EXPORT hipError_t {f.name}(void) {{ return not_supported(__func__); }}")
    lines.append("static const struct { const char *name; void *address; } TABLE[] = {")
    lines += [f'    {{"{f.name}", (void *){f.name}}},' for f in listed]
    lines.append("};")
    lines += [
        "void *function_address(const char *name) {",
        "    for (size_t n = 0; n < COUNT_OF(TABLE); n++)",
        "        if (!strcmp(TABLE[n].name, name)) return TABLE[n].address;",
        "    return NULL;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def coverage_page() -> str:
    """Markdown: which functions the emulated runtime has, by version node."""
    listed = functions()
    have = sum(f.supported for f in listed)
    lines = [
        "# The emulated HIP runtime: functions",
        "",
        f"{counted(have, 'function')} of {len(listed)} are there; the others are exported, say "
        "their name on the",
        "error stream and answer `hipErrorNotSupported` (801). Made from",
        "`src/asmevo/hip/native/functions.txt` by `asmevo.hip.functions.coverage_page`.",
        "",
        "| node | there | not supported |",
        "|---|---|---|",
    ]
    for node in dict.fromkeys(f.node for f in listed):
        here = [f for f in listed if f.node == node]
        cells = [
            " ".join(f"`{f.name}`" for f in here if f.supported is wanted) or "none"
            for wanted in (True, False)
        ]
        lines.append(f"| {node} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"
