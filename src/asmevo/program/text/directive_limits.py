"""Which directives an assembly file of the user's own may hold, and how much they may ask for.

Such a file is assembled in this process, so a directive that reads other files, repeats text or
fills memory without bound would do so here, and an expression nested without bound would end the
process. What is not listed is refused, whatever comes before it on its line: the text is split as
LLVM's lexer splits it (comments, strings, labels), not searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from asmevo.errors import InputError

# What compilers and hand-written kernels use. Not here: .incbin, .include, .rept, .irp, .macro and
# all others that read, repeat or redefine text.
_ALLOWED = frozenset(
    """
    text data bss rodata section pushsection popsection previous subsection
    globl global weak local protected hidden internal type size symver
    set equ equiv if ifdef ifndef ifeq ifne else elseif endif
    byte short hword half word int long quad octa 2byte 4byte 8byte value
    float single double uleb128 sleb128 ascii asciz string
    fill zero space skip org p2align p2alignw p2alignl align balign balignw balignl comm lcomm
    file loc ident line addrsig addrsig_sym
    amdgcn_target amdhsa_code_object_version amdhsa_kernel end_amdhsa_kernel
    amdgpu_metadata end_amdgpu_metadata
    """.split()  # noqa: SIM905
)
_PREFIXES = ("amdhsa_", "cfi_", "amdgcn.", "amdgpu")
_SIZED = frozenset("fill zero space skip org comm lcomm".split())  # noqa: SIM905
_ALIGNED = re.compile(r"p2align[wl]?|b?align[wl]?")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+", re.IGNORECASE)
_MOST_BYTES = 1 << 24  # of all sized directives together
_MOST_ALIGNMENT = 1 << 16
_MOST_NESTING = 64  # operators of an operand, brackets, assignments that refer to each other

_PIECE = re.compile(
    r"""(?P<block>/\*.*?\*/)|(?P<open>/\*)|(?P<line>;[^\n]*|//[^\n]*|\#[^\n]*)"""
    r"""|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<quote>'(?:[^'\\\n]|\\.)')|(?P<end>\n)""",
    re.DOTALL | re.VERBOSE,
)
_LABEL = re.compile(r'\s*(?:[A-Za-z_.$@][\w.$@?]*|\d+|"(?:[^"\\]|\\.)*")\s*:(?!:)')
_DIRECTIVE = re.compile(r"\s*\.([\w.$]+)\s*(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*([A-Za-z_.$][\w.$]*|\.)\s*==?(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
_OPERATOR = re.compile(r"<<|>>|&&|\|\||[-+~!*/%&|^<>(=]")
_DOTTED = re.compile(r"(?<![\w.$@?])\.[A-Za-z_$][\w.$@?]*")
# Directives that begin like the symbols of compilers, beyond those that are allowed.
_LIKE_SYMBOLS = frozenset("ln linkonce linker_option loh lsym lto_discard".split())  # noqa: SIM905
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def vet(text: str) -> None:
    """Refuse text whose directives would reach beyond itself.

    Raises:
        InputError: the line and directive, and that the file must do without it.
    """
    depths: dict[str, int] = {}
    used = 0
    for line, statement in _statements(text):
        label = _LABEL.match(statement)
        while label:
            statement = statement[label.end() :]
            label = _LABEL.match(statement)
        _check_nesting(line, statement)
        assigned = _ASSIGNMENT.match(statement)
        directive = _DIRECTIVE.match(statement)
        if assigned and not statement.lstrip().startswith(".amdhsa_"):
            _check_assignment(line, depths, assigned.group(1), assigned.group(2))
        elif directive:
            name, rest = directive.group(1).lower(), directive.group(2)
            if name not in _ALLOWED and not name.startswith(_PREFIXES):
                raise InputError(
                    f"line {line}: directive .{name[:40]} is not allowed",
                    "write out what it would insert",
                )
            if name in ("set", "equ", "equiv"):
                symbol, _, value = rest.partition(",")
                _check_assignment(line, depths, symbol.strip(), value)
            if "amd" in name:
                _check_alone(line, name, rest)
            used += _size(name, rest, line)
            if used > _MOST_BYTES:
                raise InputError(
                    f"line {line}: .{name} brings the sized directives to {used} bytes",
                    f"at most {_MOST_BYTES} in a file",
                )


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """(line number, text) of each line, comments taken out and strings kept.

    A comment over several lines joins them, as the lexer does. Metadata is left out, but for the
    nesting of its brackets.
    """
    line, start, parts, at = 1, 1, list[str](), 0
    in_metadata = False
    while True:
        piece = _PIECE.search(text, at)
        parts.append(text[at : piece.start() if piece else len(text)])
        if piece and piece.group("open"):
            raise InputError(f"line {line}: a comment does not end", "close it")
        if piece is None or piece.group("end"):
            statement = "".join(parts)
            word = statement.strip().lower()
            if in_metadata and not word.startswith(".end_amdgpu_metadata"):
                _check_metadata(start, statement)
            else:
                in_metadata = word == ".amdgpu_metadata"
                if word:
                    yield start, statement
            parts = []
            line += 1
            start = line
            if piece is None:
                return
        elif piece.group("block"):
            if in_metadata:
                raise InputError(f"line {line}: a comment inside the metadata", "take it out")
            parts.append(" ")
            line += piece.group().count("\n")
        elif piece.group("string"):
            parts.append(piece.group())
        elif piece.group("quote"):
            parts.append("0")
        at = piece.end()


def _check_alone(line: int, name: str, rest: str) -> None:
    """LLVM does not look for the end of the line behind these, and reads on with a directive.

    Symbols that they may name begin with `.L` or `.amdgcn.`; names of directives match in any case.
    """
    for word in _DOTTED.findall(_QUOTED.sub(" ", rest)):
        plain = word[1:].lower()
        symbol = word.startswith(".L") or plain.startswith("amdgcn.next_free")
        if not symbol or plain in _ALLOWED or plain in _LIKE_SYMBOLS:
            raise InputError(
                f"line {line}: {word[:40]} behind .{name[:40]}", "write it on a line of its own"
            )


def _check_nesting(line: int, statement: str) -> None:
    plain = _QUOTED.sub("", statement)
    for operand in plain.split(","):
        if len(_OPERATOR.findall(operand)) > _MOST_NESTING:
            raise InputError(
                f"line {line}: an expression of more than {_MOST_NESTING} operators", "simplify it"
            )


def _check_metadata(line: int, text: str) -> None:
    plain = _QUOTED.sub("", text)
    if max(plain.count("["), plain.count("{"), plain.count("- "), plain.count("? ")) > 16:
        raise InputError(f"line {line}: metadata nested too deep", "write one entry on a line")
    if len(text) - len(text.lstrip(" ")) > _MOST_NESTING:
        raise InputError(f"line {line}: metadata indented too far", "nest it less")


def _check_assignment(line: int, depths: dict[str, int], symbol: str, value: str) -> None:
    """Values of symbols are worked out through each other, one call deeper for each."""
    if symbol == ".":
        raise InputError(f"line {line}: an assignment to the place counter", "use .zero")
    depth = 1 + max((depths.get(n, 0) for n in _NAME.findall(_QUOTED.sub("", value))), default=0)
    if depth > _MOST_NESTING:
        raise InputError(
            f"line {line}: {symbol[:40]} depends on {depth} other assignments", "use a number"
        )
    depths[symbol] = max(depth, depths.get(symbol, 0))


def _size(name: str, rest: str, line: int) -> int:
    """Most bytes that a directive adds, or 0.

    Raises:
        InputError: not plain numbers, or an alignment beyond the limit.
    """
    aligned = _ALIGNED.fullmatch(name)
    if not aligned and name not in _SIZED:
        return 0
    words = [w.strip() for w in rest.split(",")]
    if name in ("comm", "lcomm"):
        words = words[1:]
    numbers: list[int] = []
    for word in words:
        if word and not _NUMBER.fullmatch(word):
            raise InputError(f"line {line}: .{name} with {word[:40]!r}", "use plain numbers")
        numbers.append(int(word, 0 if word[:2].lower() == "0x" else 10) if word else 0)
    first = numbers[0] if numbers else 0
    if aligned:
        size = 1 << min(first, 64) if name.startswith("p2") else first
        if size > _MOST_ALIGNMENT:
            raise InputError(f"line {line}: .{name} of {size} bytes", f"at most {_MOST_ALIGNMENT}")
        return size
    size = first * (numbers[1] if name == "fill" and len(numbers) > 1 else 1)
    if size > _MOST_BYTES:
        raise InputError(f"line {line}: .{name} of {size} bytes", f"at most {_MOST_BYTES}")
    return size
