"""The instruction record: original bytes, LLVM's text, and operands parsed from it on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from asmevo.isa.operand import Operand, parse_operand

ModifierValue = int | str | tuple[int, ...] | bool

_SUFFIX = re.compile(r"_(e64_dpp|e64_sdwa|e32|e64|dpp8|dpp|sdwa)$")
# Modifiers that stand alone (flags). Everything else is `name:value`.
_FLAG_WORDS = (
    "offen idxen lds gds glc slc dlc scc sc0 sc1 nt clamp tfe lwe addr64 off high wave_shl "
    "row_mirror row_half_mirror bound_ctrl nv scale_offset "
    "a16 d16 r128 unorm lwe da done vm row_en"
)
_FLAGS = frozenset(_FLAG_WORDS.split())
_MODIFIER = re.compile(r"[a-z_0-9]+:(?:\[[^\]]*\]|[a-zA-Z_0-9]+\([^)]*\)|\S+)$")
_PARSED = frozenset({"mnemonic", "base", "form", "operands", "modifiers"})
_NESTING = re.compile(r'[\[\]()"]')
PAIR = " :: "  # between the halves of a dual-issue instruction (gfx11 and later)
_FREE_FORM = re.compile(r"s_(waitcnt|sendmsg|sendmsghalt|delay_alu|wait_alu|waitcnt_depctr)$")


class Instruction:
    """One machine instruction.

    Equality and hashing follow (`raw`, `text`). Offsets belong to the program, not to the
    instruction, so equal encodings can share one object.

    Attributes:
        raw: the encoding, 4 to 20 bytes.
        text: LLVM's text, or None when LLVM cannot decode the bytes.
        editable: False for bytes that LLVM cannot decode or does not re-encode to themselves.
        mnemonic: as printed, with its encoding suffix: `v_add_f32_e32`.
        base: mnemonic without encoding suffix: `v_add_f32`.
        form: encoding suffix: `e32`, `e64`, `dpp`, `sdwa`, `e64_dpp`, `dpp8` or empty.
        operands: operands in printed order.
        modifiers: by name: `{"offset": 16, "offen": True, "op_sel": (0, 1)}`.
    """

    __slots__ = (
        "base", "decoded", "editable", "form", "mnemonic", "modifiers", "operands", "raw", "text",
    )  # fmt: skip

    mnemonic: str
    base: str
    form: str
    operands: tuple[Operand, ...]
    modifiers: Mapping[str, ModifierValue]

    def __init__(self, raw: bytes, text: str | None, editable: bool = True) -> None:
        self.raw = raw
        self.text = text
        self.editable = editable and text is not None
        self.decoded: tuple[str, object] | None = None  # `isa.decoded.decode` keeps its record here

    def __getattr__(self, name: str) -> object:
        # Called for a slot that is still empty: the text is parsed when first asked about, and
        # every later look is a plain slot. The checks look at each instruction some twenty times.
        if name not in _PARSED:
            raise AttributeError(f"an instruction has no attribute {name!r}")
        self.mnemonic, self.base, self.form, self.operands, self.modifiers = parse_text(
            self.text or ".undecoded"
        )
        return object.__getattribute__(self, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and (self.raw, self.text) == (other.raw, other.text)

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Instruction({self.raw.hex()}, {self.text!r})"

    @property
    def size(self) -> int:
        """Encoded size in bytes."""
        return len(self.raw)

    @property
    def halves(self) -> tuple[Instruction, ...]:
        """The two operations of a dual-issue instruction (`X :: Y`), or the instruction itself."""
        if self.text is None or PAIR not in self.text:
            return (self,)
        return tuple(Instruction(self.raw, part.strip()) for part in self.text.split(PAIR))


def split_top_level(text: str) -> list[str]:
    """Split at commas outside brackets, parentheses, bars and quotes."""
    if not _NESTING.search(text):
        return [part.strip() for part in text.split(",")]
    parts: list[str] = []
    depth, start, quoted = 0, 0, False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return parts


def _split_words(text: str) -> list[str]:
    if " " not in text:
        return [text] if text else []
    words: list[str] = []
    depth, start = 0, 0
    for i, c in enumerate(text):
        if c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        elif c == " " and depth == 0:
            if i > start:
                words.append(text[start:i])
            start = i + 1
    if start < len(text):
        words.append(text[start:])
    return words


def _modifier(word: str) -> tuple[str, ModifierValue]:
    name, colon, value = word.partition(":")
    if not colon:
        return name, True
    try:
        if value.startswith("["):
            return name, tuple(int(x, 0) for x in value[1:-1].split(","))
        return name, int(value, 0)
    except ValueError:
        return name, value


def _is_modifier(word: str) -> bool:
    return word in _FLAGS or word.startswith("gpr_idx(") or bool(_MODIFIER.match(word))


@lru_cache(maxsize=400_000)
def parse_text(
    text: str,
) -> tuple[str, str, str, tuple[Operand, ...], Mapping[str, ModifierValue]]:
    """Parse LLVM's text into (mnemonic, base, form, operands, modifiers).

    Text that is no instruction yields no operands; parsing never raises on LLVM's output.
    """
    text = " ".join(text.split())
    if PAIR in text:
        # The operands of both halves, one after the other.
        first, second = (parse_text(part) for part in text.split(PAIR, 1))
        both = {**first[4], **second[4]}
        return first[0], first[1], first[2], (*first[3], *second[3]), both
    mnemonic, _, rest = text.partition(" ")
    m = _SUFFIX.search(mnemonic)
    base, form = (mnemonic[: m.start()], m.group(1)) if m else (mnemonic, "")
    modifiers: dict[str, ModifierValue] = {}
    if _FREE_FORM.match(mnemonic):
        return mnemonic, base, form, (parse_operand(rest),) if rest else (), modifiers
    operands: list[Operand] = []
    parts = split_top_level(rest) if rest else []
    for n, part in enumerate(parts):
        words = _split_words(part)
        # Only the last operand is followed by modifiers, but some print them after commas too.
        first_modifier = len(words)
        while first_modifier > 0 and _is_modifier(words[first_modifier - 1]):
            # A bare `off` is an address operand, and so is the first word of an earlier part.
            if words[first_modifier - 1] == "off" and (first_modifier == 1 or n < len(parts) - 1):
                break
            # The address flag of images stands behind an operand; alone, it is the AGPR.
            if words[first_modifier - 1] == "a16" and first_modifier == 1:
                break
            first_modifier -= 1
        for word in words[first_modifier:]:
            if word.startswith("gpr_idx("):
                operands.append(parse_operand(word))
                continue
            name, value = _modifier(word)
            modifiers[name] = value
        for word in words[:first_modifier]:
            operands.append(parse_operand(word))
    return mnemonic, base, form, tuple(operands), modifiers
