"""What a proposed edit may say: one instruction or one label on each line, nothing else.

Proposals come from untrusted drivers and their text ends in an assembler that knows directives
which read files (`.incbin`, `.include`) or expand without bound (`.rept`, macros). So the check
comes first, and it lists what is allowed instead of what is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.errors import BuildError
from asmevo.isa.flow import FlowKind, flow_of
from asmevo.isa.instruction import PAIR, parse_text
from asmevo.isa.operand import Raw, Special

MAX_LINES = 4096
MAX_LINE = 400

_LABEL = re.compile(r"([A-Za-z_.$][A-Za-z0-9_.$]{0,200}):\Z")
_NAME = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]{0,200}\Z")
_INSTRUCTION = re.compile(
    r"(?:s|v|ds|buffer|tbuffer|global|flat|scratch|image|tensor|cluster|exp|export|lds)"
    r"(?:_[a-z0-9_]+)?(?: [A-Za-z0-9_ ,.:|\[\]()&+-]*)?\Z"
)
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+|\d+\.\d*(?:[eE][-+]?\d+)?)\Z")
_CALL = re.compile(
    r"(?:hwreg|sendmsg|gpr_idx|quad_perm|swizzle|sub_dword|mul)\([A-Za-z0-9_, ]*\)\Z"
)
# Interpolated attributes, export targets.
_GRAPHICS = re.compile(r"(?:attr\d+\.[xyzw]|p0|p10|p20|mrtz?\d*|pos\d|param\d+|prim)\Z")
_SOURCES = frozenset(
    f"src_{name}" for name in (
        "shared_base", "shared_limit", "private_base", "private_limit", "vccz", "execz", "scc",
        "lds_direct", "pops_exiting_wave_id", "flat_scratch_base_lo", "flat_scratch_base_hi",
    )
)  # fmt: skip
_FREE_FORM = re.compile(r"s_(?:waitcnt\w*|sendmsg\w*|delay_alu|wait_\w+|clause|version)\Z")
_FREE_GROUPS = re.compile(
    r"(?:-?(?:0[xX][0-9a-fA-F]+|\d+)|[a-z_0-9]+\([A-Za-z0-9_, ]*\)|null\b|"
    r"(?:s|ttmp)\d+\b|m0\b|(?:vcc|exec)_(?:lo|hi)\b|UC_VERSION_[A-Z0-9_]+\b|[|&, ])+\Z"
)
# The one operand with a string: the five-bit pattern of ds_swizzle.
_BIT_PATTERN = re.compile(r'(?<=\boffset:swizzle\(BITMASK_PERM),"[01pi]{5}"(?=\))')


class EditError(BuildError):
    """A proposed edit is not allowed, does not assemble, or cannot be placed."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A vetted line.

    Attributes:
        label: the label that the line defines, or None.
        text: the instruction with single spaces, or None; a branch has `0` for its label.
        branch: the label that the branch goes to, or None.
    """

    label: str | None = None
    text: str | None = None
    branch: str | None = None


def _refuse(line: str, why: str) -> EditError:
    shown = "".join(c if c.isprintable() else "?" for c in line[:80])
    return EditError(f"line {shown!r}: {why}", "write one instruction or one `label:` a line")


def vet_line(line: str) -> Statement:
    """Check and split one line.

    Raises:
        EditError: anything but one instruction or one label definition.
    """
    if len(line) > MAX_LINE:
        raise _refuse(line, f"longer than {MAX_LINE} characters")
    if not (line.isascii() and line.replace("\t", " ").isprintable()):
        raise _refuse(line, "contains a line break or a character that is not printable ASCII")
    text = " ".join(line.split())
    label = _LABEL.match(text)
    if label:
        return Statement(label=label.group(1))
    if text.startswith("."):
        raise _refuse(line, "assembler directives are not allowed")
    if not _INSTRUCTION.match(_BIT_PATTERN.sub("", text)):
        raise _refuse(line, "not an instruction (comments, strings and macros are not allowed)")
    mnemonic, _, rest = text.partition(" ")
    flow = flow_of(mnemonic)
    if flow.direct and flow.kind is not FlowKind.FORK:
        head, comma, name = rest.rpartition(",")
        name = name.strip()
        if not _NAME.match(name):
            raise _refuse(line, "a branch goes to a label")
        return Statement(text=f"{mnemonic} {head.strip()}{', ' if comma else ''}0", branch=name)
    if _FREE_FORM.match(mnemonic):
        if rest and not _FREE_GROUPS.match(rest):
            raise _refuse(line, "operand is not a number or name(value)")
        return Statement(text=text)
    halves = _BIT_PATTERN.sub("", text).split(PAIR)
    if len(halves) > 2 or not all(_INSTRUCTION.match(half) for half in halves):
        raise _refuse(line, "not a pair of instructions")
    for half in halves:
        _check_operands(line, half)
    return Statement(text=text)


def _check_operands(line: str, text: str) -> None:
    _, _, _, operands, modifiers = parse_text(text)
    for operand in operands:
        value = operand.value
        known = (_NUMBER, _CALL, _GRAPHICS)
        if isinstance(value, Raw) and not any(form.match(value.text) for form in known):
            raise _refuse(line, f"operand {value.text} is no register, number or known name")
        name = value.name if isinstance(value, Special) else ""
        if name.startswith("src_") and name not in _SOURCES:
            raise _refuse(line, f"operand {name} is no register or known name")
    for name, value in modifiers.items():
        if isinstance(value, str) and value.startswith((".", "$", "_")):
            raise _refuse(line, f"modifier {name} refers to a symbol")


def vet(lines: Sequence[str]) -> list[Statement]:
    """Check all lines of a proposal; empty lines are not allowed either.

    Raises:
        EditError: the first line that is refused, or too many lines.
    """
    if len(lines) > MAX_LINES:
        raise EditError(f"{len(lines)} lines in one edit; at most {MAX_LINES}", "split the edit")
    return [vet_line(line) for line in lines]
