"""Parser of AMD's pseudocode language: text -> statement tree.

The language has no published grammar. What is accepted here is what the strings use: statements
separated by `;` or by keywords, C operators plus `**` and `<>`, sized literals and casts
(`16'255`, `64'U(x)`), type suffixes (`S0.u32`), bit and range selects (`[i]`, `[hi : lo]`,
`[lo +: n]`), concatenations, `declare`, counted `for`, `lambda`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class PcodeSyntaxError(Exception):
    """The text is not in the language (prose, tables, or a construct not handled)."""


# --- tree -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Num:
    """Integer or float literal; `width`/`kind` None when the text gives no size."""

    value: int | str  # float literals keep their text
    kind: str  # "U", "I", "F"
    width: int
    hexadecimal: bool = False


@dataclass(frozen=True)
class Name:
    id: str


@dataclass(frozen=True)
class Typed:
    """`base.u32`: the bits of base seen as a type."""

    base: object
    kind: str
    width: int


@dataclass(frozen=True)
class Field:
    """`WAVE_MODE.IEEE`: a named field."""

    base: object
    name: str


@dataclass(frozen=True)
class Index:
    base: object
    index: object


@dataclass(frozen=True)
class Range:
    """`base[hi : lo]`."""

    base: object
    hi: object
    lo: object


@dataclass(frozen=True)
class Part:
    """`base[lo +: count]`."""

    base: object
    lo: object
    count: object


@dataclass(frozen=True)
class Call:
    name: str
    args: tuple[object, ...]


@dataclass(frozen=True)
class Cast:
    kind: str
    width: int
    value: object


@dataclass(frozen=True)
class Unary:
    op: str
    value: object


@dataclass(frozen=True)
class Binary:
    op: str
    left: object
    right: object


@dataclass(frozen=True)
class Ternary:
    test: object
    yes: object
    no: object


@dataclass(frozen=True)
class Concat:
    parts: tuple[object, ...]  # most significant first


@dataclass(frozen=True)
class Assign:
    targets: tuple[object, ...]
    op: str  # "=", "+=", "-="
    value: object


@dataclass(frozen=True)
class If:
    arms: tuple[tuple[object, tuple[object, ...]], ...]
    otherwise: tuple[object, ...]


@dataclass(frozen=True)
class For:
    var: str
    first: object
    last: object
    body: tuple[object, ...]


@dataclass(frozen=True)
class Declare:
    name: str
    kind: str
    width: int
    count: int | None


@dataclass(frozen=True)
class Lambda:
    name: str
    params: tuple[str, ...]
    body: tuple[object, ...]


@dataclass(frozen=True)
class Return:
    value: object


@dataclass(frozen=True)
class Break:
    pass


@dataclass(frozen=True)
class Eval:
    """Expression statement (a call for its effect, or a quoted remark)."""

    value: object


# --- tokens -----------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*)
  | (?P<cast>\d+'(?:BF|[UIFB])(?=[(\[\s;]|$))
  | (?P<sized>\d+'(?:0x[0-9a-fA-F]+|\d+\.\d+|\d+)[UI]?)
  | (?P<float>\d+\.\d+F?)
  | (?P<hex>0x[0-9a-fA-F]+(?:ULL|LL|U)?)
  | (?P<int>\d+(?:ULL|LL|U)?)
  | (?P<id>[A-Za-z_]\w*)
  | (?P<str>"[^"]*")
  | (?P<op>\+:|\*\*|<<|>>|<>|<=|>=|==|!=|&&|\|\||\+=|-=|[-+*/%&|^~!?:<>=;,.(){}\[\]])
    """,
    re.VERBOSE,
)
_TYPE = re.compile(r"^(bf|fp|[uifb])(\d+)$")
_KEYWORDS = {"if", "elsif", "else", "endif", "for", "endfor", "declare", "return", "break"}
_KEYWORDS |= {"then", "do", "in"}


def suffix_type(name: str) -> tuple[str, int] | None:
    """`u32` -> ("U", 32), `bf16` -> ("BF", 16), `fp8` -> ("FP", 8), `bf8` -> ("BF", 8)."""
    found = _TYPE.match(name)
    if found is None:
        return None
    return found[1].upper(), int(found[2])


def tokens(text: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise PcodeSyntaxError(f"unexpected text: {text[at : at + 30]!r}")
        at = found.end()
        group = found.lastgroup or ""
        if group != "skip":
            out.append((group, found.group()))
    return out


# --- parser -----------------------------------------------------------------------------------

_BINARY: list[tuple[str, ...]] = [
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!=", "<>"),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
]


class Parser:
    """Recursive-descent parser over one entry's text."""

    def __init__(self, text: str) -> None:
        self.toks = tokens(text)
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        i = self.at + ahead
        return self.toks[i][1] if i < len(self.toks) else ""

    def kind(self) -> str:
        return self.toks[self.at][0] if self.at < len(self.toks) else "end"

    def next(self) -> str:
        if self.at >= len(self.toks):
            raise PcodeSyntaxError("text ends too early")
        self.at += 1
        return self.toks[self.at - 1][1]

    def expect(self, want: str) -> None:
        got = self.next()
        if got != want:
            raise PcodeSyntaxError(f"expected {want!r}, found {got!r}")

    def accept(self, want: str) -> bool:
        if self.peek() == want:
            self.at += 1
            return True
        return False

    def program(self) -> tuple[object, ...]:
        body = self.block(())
        if self.at != len(self.toks):
            raise PcodeSyntaxError(f"left over: {self.peek()!r}")
        return body

    def block(self, ends: tuple[str, ...]) -> tuple[object, ...]:
        out: list[object] = []
        while self.at < len(self.toks) and self.peek() not in ends:
            if self.accept(";"):
                continue
            out.append(self.statement())
        return tuple(out)

    def statement(self) -> object:
        word = self.peek()
        if word == "if":
            return self.if_statement()
        if word == "for":
            return self.for_statement()
        if word == "declare":
            return self.declare()
        if word == "return":
            self.next()
            return Return(self.expression())
        if word == "break":
            self.next()
            return Break()
        if self.kind() == "str":
            return Eval(self.next())
        if self.kind() == "id" and self.peek(1) == "=" and self.peek(2) == "lambda":
            return self.lambda_statement()
        return self.assignment()

    def if_statement(self) -> If:
        arms: list[tuple[object, tuple[object, ...]]] = []
        self.expect("if")
        while True:
            test = self.expression()
            self.expect("then")
            arms.append((test, self.block(("elsif", "else", "endif"))))
            if not self.accept("elsif"):
                break
        otherwise = self.block(("endif",)) if self.accept("else") else ()
        self.expect("endif")
        return If(tuple(arms), otherwise)

    def for_statement(self) -> For:
        self.expect("for")
        var = self.next()
        self.expect("in")
        first = self.expression()
        self.expect(":")
        last = self.expression()
        self.expect("do")
        body = self.block(("endfor",))
        self.expect("endfor")
        return For(var, first, last, body)

    def declare(self) -> Declare:
        self.expect("declare")
        name = self.next()
        self.expect(":")
        if self.kind() != "cast":
            raise PcodeSyntaxError(f"declare needs a type, found {self.peek()!r}")
        width, kind = self.next().split("'")
        count = None
        if self.accept("["):
            count = int(self.next())
            self.expect("]")
        return Declare(name, kind, int(width), count)

    def lambda_statement(self) -> Lambda:
        name = self.next()
        self.expect("=")
        self.expect("lambda")
        self.expect("(")
        params = [self.next()]
        while self.accept(","):
            params.append(self.next())
        self.expect(")")
        self.expect("(")
        if self.peek() in ("if", "for", "declare"):
            body = self.block((")",))
        else:
            body = (Return(self.expression()),)
        self.expect(")")
        return Lambda(name, tuple(params), body)

    def assignment(self) -> object:
        first = self.expression()
        op = self.peek()
        if op in ("+=", "-="):
            self.next()
            return Assign((first,), op, self.expression())
        if op != "=":
            if isinstance(first, Call):
                return Eval(first)
            raise PcodeSyntaxError(f"not a statement before {op!r}")
        targets = [first]
        value: object = None
        while self.accept("="):
            value = self.expression()
            if self.peek() == "=":
                targets.append(value)
        return Assign(tuple(targets), "=", value)

    def expression(self) -> object:
        test = self.binary(0)
        if not self.accept("?"):
            return test
        yes = self.expression()
        self.expect(":")
        return Ternary(test, yes, self.expression())

    def binary(self, level: int) -> object:
        if level == len(_BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in _BINARY[level] and self.kind() == "op":
            op = self.next()
            left = Binary(op, left, self.binary(level + 1))
        return left

    def unary(self) -> object:
        if self.kind() == "op" and self.peek() in ("-", "+", "!", "~"):
            op = self.next()
            return Unary(op, self.unary())
        base = self.postfix()
        if self.accept("**"):
            return Binary("**", base, self.unary())
        return base

    def postfix(self) -> object:
        node = self.primary()
        while True:
            if self.accept("."):
                name = self.next()
                typed = suffix_type(name)
                node = Typed(node, *typed) if typed else Field(node, name)
            elif self.accept("["):
                first = self.expression()
                if self.accept("+:"):
                    node = Part(node, first, self.expression())
                elif self.accept(":"):
                    node = Range(node, first, self.expression())
                else:
                    node = Index(node, first)
                self.expect("]")
            else:
                return node

    def primary(self) -> object:
        group, word = self.kind(), self.next()
        if group == "cast":
            width, kind = word.split("'")
            self.expect("(")
            value = self.expression()
            self.expect(")")
            return Cast(kind, int(width), value)
        if group == "sized":
            return _sized(word)
        if group == "float":
            return Num(word.rstrip("F"), "F", 32 if word.endswith("F") else 64)
        if group in ("int", "hex"):
            return _integer(word)
        if word == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        if word == "{":
            parts = [self.expression()]
            while self.accept(","):
                parts.append(self.expression())
            self.expect("}")
            return Concat(tuple(parts))
        if group == "id" and word not in _KEYWORDS - {"in"}:
            if self.accept("("):
                return Call(word, self.arguments())
            return Name(word)
        raise PcodeSyntaxError(f"unexpected {word!r}")

    def arguments(self) -> tuple[object, ...]:
        if self.accept(")"):
            return ()
        args = [self.expression()]
        while self.accept(","):
            args.append(self.expression())
        self.expect(")")
        return tuple(args)


def _sized(word: str) -> Num:
    size, rest = word.split("'")
    if "." in rest:
        return Num(rest, "F", int(size))
    kind = "U" if rest.endswith("U") else "I"
    digits = rest.rstrip("UI")
    return Num(int(digits, 0), kind, int(size), digits.startswith("0x"))


def _integer(word: str) -> Num:
    digits = word.rstrip("UL")
    suffix = word[len(digits) :]
    width = 64 if "LL" in suffix else 32
    return Num(int(digits, 0), "U" if "U" in suffix else "I", width, digits.startswith("0x"))


def parse(text: str) -> tuple[object, ...]:
    """Statements of one entry.

    Raises:
        PcodeSyntaxError: prose or an unknown construct.
    """
    return Parser(text).program()
