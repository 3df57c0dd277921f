"""The table of instruction semantics: how an opcode's meaning is registered and looked up.

Operand types (one per printed operand, destinations first, implicit ones by name at the end):

* `u32 i32 f32 u16 i16 f16 u64 i64 f64 b32 b64` a value of that kind and width; float types take
  part in MODE's denormal flushing (`b` types never do, though they accept float modifiers);
* `m` a lane mask: one bit per lane in an SGPR pair or VCC;
* `scc vcc exec m0` implicit scalar operands, not printed;
* `vccbit` the lane's bit of VCC, `lane` the lane number: implicit too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asmevo.isa.semantics.values import Value

Function = Callable[..., Any]

IMPLICIT = frozenset({"scc", "vcc", "vccbit", "exec", "m0", "lane"})


@dataclass(frozen=True, slots=True)
class Semantic:
    """Meaning of one opcode that is a function of its operands.

    Attributes:
        name: LLVM base mnemonic.
        scope: "lane" (VALU, per lane) or "scalar" (SALU).
        dsts: destination types in printed order, implicit ones last.
        srcs: source types in printed order, implicit ones last.
        fn: the function over `Value`s; returns one value or a tuple matching `dsts`.
        reads_dst: the old destination is passed as a last argument (v_fmac, v_dot2c).
        exact: "exact", or a statement of the accuracy for the fidelity report.
        packed: 0, or the width of each half of a packed (VOP3P) operation.
        flush: float inputs and results obey MODE's denormal setting.
        writes_exec: the compare result also becomes EXEC (v_cmpx on GFX9).
    """

    name: str
    scope: str
    dsts: tuple[str, ...]
    srcs: tuple[str, ...]
    fn: Function
    reads_dst: bool = False
    exact: str = "exact"
    packed: int = 0
    flush: bool = True
    writes_exec: bool = False


_TABLE: dict[str, Semantic] = {}


def width_of(kind: str) -> int:
    """Bits of an operand type; 1 for masks and SCC."""
    if kind in ("m", "scc", "vccbit"):
        return 1
    if kind in ("vcc", "exec"):
        return 64
    if kind in ("m0", "lane"):
        return 32
    return int(kind.lstrip("uifb"))


def kind_of(kind: str) -> str:
    """Value kind of an operand type: "u", "i", "f" or "b" (boolean)."""
    if kind in ("m", "scc", "vccbit"):
        return "b"
    if kind in IMPLICIT or kind[0] == "b":
        return "u"
    return kind[0]


def _register(semantic: Semantic) -> None:
    if semantic.name in _TABLE:
        raise ValueError(f"{semantic.name} is defined twice")
    _TABLE[semantic.name] = semantic


def _definer(scope: str, names: str, dsts: str, srcs: str, **options: Any) -> Callable[
    [Function], Function
]:
    def define(fn: Function) -> Function:
        for name in names.split():
            _register(
                Semantic(name, scope, tuple(dsts.split()), tuple(srcs.split()), fn, **options)
            )
        return fn

    return define


def lane(names: str, dsts: str, srcs: str, **options: Any) -> Callable[[Function], Function]:
    """Define VALU opcodes (several names share one meaning): `@lane("v_add_u32", "u32", ...)`."""
    return _definer("lane", names, dsts, srcs, **options)


def scalar(names: str, dsts: str, srcs: str, **options: Any) -> Callable[[Function], Function]:
    """Define SALU opcodes: `@scalar("s_add_u32", "u32 scc", "u32 u32")`."""
    return _definer("scalar", names, dsts, srcs, **options)


def packed(names: str, width: int, dst: str, srcs: str, **options: Any) -> Callable[
    [Function], Function
]:
    """Define VOP3P opcodes by the meaning of one half of `width` bits."""
    return _definer("lane", names, dst, srcs, packed=width, **options)


def lookup(base: str) -> Semantic | None:
    """The meaning of a base mnemonic, or None when this table does not define it."""
    _load_all()
    return _TABLE.get(base)


def all_semantics() -> dict[str, Semantic]:
    """Every opcode of the table by base mnemonic."""
    _load_all()
    return dict(_TABLE)


_LOADED = False
_ROOMS = (
    "scalar_alu", "vector_int", "vector_float", "vector_convert", "vector_compare",
    "transcendental", "packed_math",
)


def _load_all() -> None:
    global _LOADED
    if not _LOADED:
        import importlib

        for room in _ROOMS:
            importlib.import_module(f"asmevo.isa.semantics.{room}")
        _LOADED = True


def apply(semantic: Semantic, args: list[Value]) -> tuple[Value, ...]:
    """Call the function and normalise its result to a tuple matching `dsts`."""
    result = semantic.fn(*args)
    return result if isinstance(result, tuple) else (result,)
