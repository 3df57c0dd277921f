"""Text that comes from binaries and from proposals, as it may be shown to a model or a person.

Symbol names, metadata strings and constants of a kernel can spell anything, instructions to a
language model included. So listings rename labels, names are masked down to identifier characters
and cut, and every other text is escaped and bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from asmevo.isa.flow import FlowKind, flow_of
from asmevo.program.model import Program

_NAME = re.compile(r"[^A-Za-z0-9_.$]")
_LABEL = re.compile(r"L(\d+)\Z")


def masked(name: str, most: int = 64) -> str:
    """A name from a binary: identifier characters only, and no more than `most` of them."""
    clean = _NAME.sub("?", name)
    return clean if len(clean) <= most else f"{clean[: most - 3]}..."


def shown(text: str, most: int = 400) -> str:
    """Any text on one line: unprintable and non-ASCII characters escaped, cut to `most`."""
    out = "".join(
        c if " " <= c <= "~" else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text[:most]
    )
    return out if len(text) <= most else f"{out}... ({len(text)} characters)"


class Labels:
    """Stable names for labels: those of the original are `L0`, `L1`, ... in program order.

    Labels that proposals defined keep the names they were given. Only branch operands and label
    definitions are ever translated, whatever a symbol of the binary is called.

    Args:
        original: the program of K0.
        program: the program to list.
    """

    def __init__(self, original: Program, program: Program) -> None:
        self._program = program
        self._shown = {original.labels[i]: f"L{n}" for n, i in enumerate(sorted(original.labels))}
        own = set(program.labels.values()) - set(self._shown)
        self._shown |= {name: f"own_{name}" if _LABEL.match(name) else name for name in own}
        self._real = {short: name for name, short in self._shown.items()}

    def line(self, index: int) -> str:
        """Text of one instruction, its branch operand under the shown name."""
        program = self._program
        target = program.targets.get(index)
        label = program.labels.get(target) if target is not None else None
        text = program.line(index)
        return text if label is None else f"{text[: text.rindex(' ')]} {self._shown[label]}"

    def listing(self, first: int, last: int) -> list[str]:
        """Lines of [first, last): `LN:` and `index: text`."""
        lines: list[str] = []
        for i in range(first, last):
            label = self._program.labels.get(i)
            if label is not None:
                lines.append(f"{self._shown[label]}:")
            lines.append(f"{i}: {self.line(i)}")
        return lines

    def back(self, line: str) -> str:
        """A proposed line with the program's own labels; whether it may stand is the gates' say."""
        text = " ".join(line.split())
        if text.endswith(":"):
            return f"{self._name(text[:-1])}:"
        mnemonic, _, rest = text.partition(" ")
        flow = flow_of(mnemonic)
        if not rest or not flow.direct or flow.kind is FlowKind.FORK:
            return line
        head, comma, name = rest.rpartition(",")
        return f"{mnemonic} {head}{comma}{' ' if comma else ''}{self._name(name.strip())}"

    def _name(self, word: str) -> str:
        if word in self._real:
            return self._real[word]
        return f".Lnew_{word}" if _LABEL.match(word) else word


def rounded(values: Mapping[str, float], digits: int = 4) -> dict[str, float]:
    """Values for reading, largest first; what rounds to nothing is left out."""
    ordered = sorted(values.items(), key=lambda item: -item[1])
    return {name: round(value, digits) for name, value in ordered if round(value, digits)}
