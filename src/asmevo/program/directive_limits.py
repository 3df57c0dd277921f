"""Which directives an assembly file of the user's own may hold.

Such a file is assembled in this process, so a directive that reads other files, repeats text or
fills memory without bound would do so here. Compiler output needs none of these.
"""

from __future__ import annotations

import re

from asmevo.errors import InputError

# They read files, run text many times, or could spell one of the others.
_REFUSED = re.compile(
    r"\.(incbin|include|rept|rep|irp|irpc|macro|altmacro|endr|endm|dcb\w*|ds|bundle_\w+)\b",
    re.IGNORECASE,
)
_SIZED = re.compile(
    r"^\s*(?:[\w.$]+:\s*)?\.(fill|zero|space|skip|org|p2align[wl]?|align|balign[wl]?)\b(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"(0x[0-9a-f]+|\d+)$", re.IGNORECASE)
_MOST_BYTES = 1 << 24
_MOST_ALIGNMENT = 1 << 16


def vet(text: str) -> None:
    """Refuse text whose directives would reach beyond itself.

    Raises:
        InputError: the directive, and that the file must do without it.
    """
    found = _REFUSED.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(
            f"line {line}: directive .{found.group(1)} is not allowed",
            "write out what it would insert",
        )
    for m in _SIZED.finditer(text):
        _check_size(m.group(1).lower(), m.group(2), text.count("\n", 0, m.start()) + 1)


def _check_size(name: str, rest: str, line: int) -> None:
    words = re.split(r"[;/#]", rest, maxsplit=1)[0].split(",")
    numbers: list[int] = []
    for word in words:
        if not word.strip():
            continue
        number = _NUMBER.match(word.strip())
        if number is None:
            raise InputError(
                f"line {line}: .{name} with {word.strip()[:40]!r}", "use plain numbers"
            )
        numbers.append(int(number.group(1), 0))
    first = numbers[0] if numbers else 0
    if name.startswith("p2align"):
        size, limit = 1 << min(first, 64), _MOST_ALIGNMENT
    elif "align" in name:
        size, limit = first, _MOST_ALIGNMENT
    else:
        unit = numbers[1] if name == "fill" and len(numbers) > 1 else 1
        size, limit = first * unit, _MOST_BYTES
    if size > limit:
        raise InputError(f"line {line}: .{name} of {size} bytes", f"at most {limit}")
