"""A small writer of LLVM IR text: fresh names, loads and stores, branches, tail calls.

`llvmlite.ir` has no splat constants, no target attributes and no musttail through opaque
pointers, and is slow; the text is parsed and verified by LLVM anyway.

Values are strings and not typed objects, by measurement: of 50 helpers that softmax, rmsnorm and a
matrix product use (2,475 instructions), writing takes 4 ms of CPU time and LLVM 190 ms. Replayed
through typed values that check their operands, the same instructions cost 2.9 ms instead of 1.0
ms, about 1 % of the whole, and 16 ms with `llvmlite.ir`; what such checks find, LLVM's
verifier refuses too, with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.emulate.layout import WIDEST

LANE_SET = 64  # bits of a set of lanes as a value, whatever the wave size


def vec(element: str, count: int) -> str:
    """Vector type text: `<4 x i32>`."""
    return f"<{count} x {element}>"


class Module:
    """Functions and intrinsic declarations of one IR module, as text."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.declarations: set[str] = set()
        self.globals: list[str] = []

    def declare(self, text: str) -> None:
        """Declare an external function (idempotent): `declare float @llvm.fma.f32(...)`."""
        self.declarations.add(text)

    def __str__(self) -> str:
        attributes = (
            'attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512"'
            ' "frame-pointer"="none" }\n'
            'attributes #1 = { noinline nounwind "prefer-vector-width"="512" '
            '"min-legal-vector-width"="512" }'
        )
        return "\n".join(
            [*self.globals, *sorted(self.declarations), *self.functions, attributes, ""]
        )


class Fn:
    """One function under construction. Values are strings such as `%7` or constants.

    Attributes:
        lanes: lanes per wave that it is for. Functions that all waves share are for the widest
            one: the sets of lanes that a narrower wave gives them end earlier.
        i1s, i32s, i64s, pointers: vector types with one element per lane (`vec` for others).
    """

    def __init__(
        self,
        module: Module,
        name: str,
        params: str,
        result: str = "void",
        noinline: bool = False,
        lanes: int = WIDEST,
    ) -> None:
        self.module = module
        self.name = name
        self.lanes = lanes
        self.i1s, self.i32s, self.i64s, self.pointers = (
            vec(element, lanes) for element in ("i1", "i32", "i64", "ptr")
        )
        self._head = f"define {result} @{name}({params}) #{1 if noinline else 0} {{"
        self._lines: list[str] = ["entry:"]
        self._next = 0
        self.block = "entry"

    # --- plumbing ------------------------------------------------------------------------
    def fresh(self, prefix: str = "v") -> str:
        """A name that nothing else has."""
        self._next += 1
        return f"%{prefix}{self._next}"

    def emit(self, text: str) -> None:
        """Append one instruction line."""
        self._lines.append("  " + text)

    def op(self, text: str) -> str:
        """Emit `%new = text` and return the new name."""
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def label(self, prefix: str) -> str:
        """A fresh block label (not yet placed)."""
        self._next += 1
        return f"{prefix}{self._next}"

    def place(self, label: str) -> None:
        """Start the block `label`."""
        self._lines.append(f"{label}:")
        self.block = label

    def finish(self) -> None:
        """Close the function and add it to the module."""
        self.module.functions.append("\n".join([self._head, *self._lines, "}"]))

    # --- lanes ---------------------------------------------------------------------------
    def vec(self, element: str) -> str:
        """Type of one element per lane: `<32 x i8>`."""
        return vec(element, self.lanes)

    @property
    def all_lanes(self) -> str:
        """The set of all lanes, a constant of `LANE_SET` bits."""
        return "-1" if self.lanes == LANE_SET else str((1 << self.lanes) - 1)

    # --- control -------------------------------------------------------------------------
    def br(self, label: str) -> None:
        """Branch."""
        self.emit(f"br label %{label}")

    def cond(self, c: str, yes: str, no: str, likely: bool | None = None) -> None:
        """Conditional branch; `likely` adds branch weights."""
        weights = ""
        if likely is not None:
            self._weights()
            weights = f", !prof !{0 if likely else 1}"
        self.emit(f"br i1 {c}, label %{yes}, label %{no}{weights}")

    def _weights(self) -> None:
        meta = [
            '!0 = !{!"branch_weights", i32 2000, i32 1}',
            '!1 = !{!"branch_weights", i32 1, i32 2000}',
        ]
        for line in meta:
            if line not in self.module.globals:
                self.module.globals.append(line)

    def ret(self, text: str = "void") -> None:
        """Return."""
        self.emit(f"ret {text}")

    def phi(self, kind: str, arms: Sequence[tuple[str, str]]) -> str:
        """A phi of (value, block) arms."""
        return self.op(f"phi {kind} " + ", ".join(f"[ {v}, %{b} ]" for v, b in arms))

    # --- memory --------------------------------------------------------------------------
    def at(self, base: str, offset: str | int) -> str:
        """Pointer `base + offset` bytes (offset an i64 value or an int)."""
        if offset == 0:
            return base
        return self.op(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, pointer: str, align: int = 4) -> str:
        """Load a value of LLVM type `kind`."""
        return self.op(f"load {kind}, ptr {pointer}, align {align}")

    def store(self, kind: str, value: str, pointer: str, align: int = 4) -> None:
        """Store a value of LLVM type `kind`."""
        self.emit(f"store {kind} {value}, ptr {pointer}, align {align}")

    def call(self, result: str, name: str, args: str, declare: str | None = None) -> str:
        """Call a function; `declare` gives its parameter types when it is external."""
        if declare is not None:
            self.module.declare(f"declare {result} @{name}({declare})")
        if result == "void":
            self.emit(f"call void @{name}({args})")
            return ""
        return self.op(f"call {result} @{name}({args})")
