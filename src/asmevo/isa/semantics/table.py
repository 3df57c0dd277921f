"""The table of instruction semantics: how an opcode's meaning is registered and looked up.

Operand types (one per printed operand, destinations first, implicit ones by name at the end):

* `u32 i32 f32 u16 i16 f16 u64 i64 f64 b32 b64` a value of that kind and width; float types take
  part in MODE's denormal flushing (`b` types never do, though they accept float modifiers);
* `m` a lane mask: one bit per lane in an SGPR pair or VCC;
* `scc vcc exec m0` implicit scalar operands, not printed;
* `vccbit` the lane's bit of VCC, `lane` the lane number: implicit too;
* types wider than 64 bits (`b128`, `b192`, ...) stand for the dwords of a register tuple and are
  passed and returned as lists of 32-bit values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast, overload

from asmevo.isa.semantics.values import Value

Function = Callable[..., Any]
_Result = Any  # a Value, a tuple of them, or lists of them for wide types


class Definer(Protocol):
    """Registers a function under the names given before and returns it unchanged.

    The overloads type the parameters of a lambda; values of wide types come as lists.
    """

    @overload
    def __call__(self, fn: Callable[[Value], _Result], /) -> Function: ...
    @overload
    def __call__(self, fn: Callable[[Value, Value], _Result], /) -> Function: ...
    @overload
    def __call__(self, fn: Callable[[Value, Value, Value], _Result], /) -> Function: ...
    @overload
    def __call__(self, fn: Callable[[Value, Value, Value, Value], _Result], /) -> Function: ...
    @overload
    def __call__(self, fn: Function, /) -> Function: ...


IMPLICIT = frozenset({"scc", "vcc", "vccbit", "exec", "m0", "lane"})


@dataclass(frozen=True, slots=True)
class FloatMode:
    """The bits of the MODE register that results depend on (CDNA3 ISA 3.3.1).

    Rounding: 0 nearest even, 1 up, 2 down, 3 towards zero. Denormals: 0 flush inputs and
    results, 1 allow as inputs only, 2 allow as results only, 3 keep.
    """

    round_32: int = 0
    round_16_64: int = 0
    denorm_32: int = 3
    denorm_16_64: int = 3
    dx10_clamp: bool = True
    ieee: bool = True
    fp16_ovfl: bool = False
    # No MODE bits: facts of the target (`on_target`).
    fnuz: bool = True  # 8-bit floats are FNUZ (gfx940 to gfx942), not OCP
    dot2_flush: bool = False  # f16 inputs of v_dot2 lose their subnormals (gfx90a)

    @classmethod
    def from_bits(cls, bits: int) -> FloatMode:
        """The fields of a MODE register value."""
        return cls(
            bits & 3,
            bits >> 2 & 3,
            bits >> 4 & 3,
            bits >> 6 & 3,
            bool(bits >> 8 & 1),
            bool(bits >> 9 & 1),
            bool(bits >> 23 & 1),
        )

    def bits(self) -> int:
        """The MODE register value with every other bit zero."""
        return (
            self.round_32
            | self.round_16_64 << 2
            | self.denorm_32 << 4
            | self.denorm_16_64 << 6
            | int(self.dx10_clamp) << 8
            | int(self.ieee) << 9
            | int(self.fp16_ovfl) << 23
        )

    def round_of(self, width: int) -> int:
        """Rounding of results of a float width."""
        return self.round_32 if width == 32 else self.round_16_64

    def denorm_of(self, width: int) -> int:
        """Denormal setting of a float width."""
        return self.denorm_32 if width == 32 else self.denorm_16_64

    def on_target(self, arch: str) -> FloatMode:
        """The same MODE with the facts of a target such as "gfx942"."""
        return replace(self, fnuz=arch != "gfx950", dot2_flush=arch == "gfx90a")


DEFAULT_MODE = FloatMode()


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
        kept: positions of float sources that are read as they are all the same.
        flush_result: float results obey it, too.
        writes_exec: the compare result also becomes EXEC (v_cmpx on GFX9).
        high: what a 16-bit result does to the destination's other half: "zero", "keep", or
            "open" (undecided; zero here) (LLVM GCNSubtarget::zeroesHigh16BitsOfDest).
        uses: FloatMode fields that `fn` needs; it then takes a keyword `mode`.
        fast: a cheaper function that agrees with `fn` unless `guard` fires.
        guard: "result" (some float result is NaN) or "source" (some float source is).
        rounds: results are rounded as MODE says; otherwise to nearest even or not at all.
        part: the result is a byte ("byte") or word ("word") of the destination that op_sel
            chooses; the rest is kept.
        source_part: source 0 is the byte or word that op_sel chooses, moved to the low bits.
        immediates: modifiers that `fn` takes as keyword integers (`bitop3`).
        forced_flush: f32 subnormals are flushed whatever MODE says.
        pairs: positions of `b32` sources that are pairs of 16-bit values: op_sel, op_sel_hi,
            neg_lo and neg_hi choose and negate their halves (v_dot2).
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
    kept: tuple[int, ...] = ()
    flush_result: bool = True
    writes_exec: bool = False
    high: str = "zero"
    uses: tuple[str, ...] = ()
    fast: Function | None = None
    guard: str = "result"
    rounds: bool = True
    part: str = ""
    source_part: str = ""
    immediates: tuple[str, ...] = ()
    forced_flush: bool = False
    pairs: tuple[int, ...] = ()


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


def _definer(scope: str, names: str, dsts: str, srcs: str, **options: Any) -> Definer:
    def define(fn: Function) -> Function:
        for name in names.split():
            _register(
                Semantic(name, scope, tuple(dsts.split()), tuple(srcs.split()), fn, **options)
            )
        return fn

    return define


def lane(names: str, dsts: str, srcs: str, **options: Any) -> Definer:
    """Define VALU opcodes (several names share one meaning): `@lane("v_add_u32", "u32", ...)`."""
    return _definer("lane", names, dsts, srcs, **options)


def scalar(names: str, dsts: str, srcs: str, **options: Any) -> Definer:
    """Define SALU opcodes: `@scalar("s_add_u32", "u32 scc", "u32 u32")`."""
    return _definer("scalar", names, dsts, srcs, **options)


def packed(names: str, width: int, dst: str, srcs: str, **options: Any) -> Definer:
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


_loaded: list[bool] = []


def _load_all() -> None:
    """Import every module that defines opcodes: the room `vector` and the scalar ALU."""
    if not _loaded:
        import importlib
        import pkgutil

        from asmevo.isa.semantics import vector

        rooms = [f"vector.{m.name}" for m in pkgutil.iter_modules(vector.__path__)]
        for room in ("scalar_alu", *sorted(rooms)):
            importlib.import_module(f"asmevo.isa.semantics.{room}")
        _loaded.append(True)


def apply(
    semantic: Semantic,
    args: list[Any],
    mode: FloatMode = DEFAULT_MODE,
    *,
    fast: bool = False,
    **immediates: int,
) -> tuple[Any, ...]:
    """Call the function and normalise its result to a tuple matching `dsts`.

    With `fast`, call the cheaper function, whose results hold only where the guard is silent.
    """
    if fast:
        assert semantic.fast is not None
        result = semantic.fast(*args)
    elif semantic.uses:
        result = semantic.fn(*args, mode=mode, **immediates)
    else:
        result = semantic.fn(*args, **immediates)
    return cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result,)
