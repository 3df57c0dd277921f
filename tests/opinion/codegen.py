"""Statement tree -> Python source of one function `run(env, m) -> dict`.

`env` maps register names (S0, S1, S2, D0, VCC, EXEC, SCC, M0, laneId, OPSEL, MEM, ...) to raw
bits; the result maps every register the text assigns to its new bits. Reads of `S0.f32` and the
like flush subnormals per MODE when `flush` is set (arithmetic opcodes; not moves or class tests).

Texts that write `VGPR[laneId][VDST.u32]` or read `VGPR[laneId][SRC0.u32]` mean the lane's own D0
and S0, and are read that way; other VGPR accesses are cross-lane and need `env["VGPR"]`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from . import calls
from .places import ALIASES, CONSTANTS, DATA, FIELDS, FLUSHED, REGISTERS, Place, Var
from .syntax import (
    Assign,
    Binary,
    Break,
    Call,
    Cast,
    Concat,
    Declare,
    Eval,
    Field,
    For,
    If,
    Index,
    Lambda,
    Name,
    Num,
    Part,
    Range,
    Return,
    Ternary,
    Typed,
    Unary,
)
from .values import (
    FORMATS,
    PcodeTypeError,
    Val,
    binary,
    from_raw,
    mask,
    number,
    raw,
    to_float,
    to_int,
    unary,
    unify,
)


class Generator:
    """Generates one entry; `entry(name)` gives the run function of another entry."""

    def __init__(self, *, flush: bool, entry: Callable[[str], str]) -> None:
        self.flush = flush
        self.entry = entry
        self.lines: list[str] = []
        self.depth = 1
        self.vars: dict[str, Var] = {}
        self.lambdas: dict[str, Lambda] = {}
        self.reads: dict[str, str] = {}  # register -> python name
        self.writes: set[str] = set()
        self.temps = 0
        self.returns: list[tuple[str, int]] | None = None

    # --- output ---

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def temp(self) -> str:
        self.temps += 1
        return f"t{self.temps}"

    def source(self, body: tuple[object, ...]) -> str:
        self.block(body)
        head = ["def run(env, m):"]
        head += [f"    {py} = env[{name!r}]" for name, py in sorted(self.reads.items())]
        out = ", ".join(f"{n!r}: {self.reads.get(n, 'r_' + n)}" for n in sorted(self.writes))
        return "\n".join([*head, *self.lines, f"    return {{{out}}}"])

    # --- statements ---

    def block(self, body: tuple[object, ...]) -> None:
        if not body:
            self.emit("pass")
        for statement in body:
            self.statement(statement)

    def nested(self, body: tuple[object, ...]) -> None:
        self.depth += 1
        self.block(body)
        self.depth -= 1

    def statement(self, node: object) -> None:
        match node:
            case Assign(targets, op, value):
                self.assign(targets, op, value)
            case If(arms, otherwise):
                for i, (test, body) in enumerate(arms):
                    before = len(self.lines)
                    code = self.expr(test).code
                    if i and len(self.lines) != before:
                        raise PcodeTypeError("test of an elsif needs statements")
                    self.emit(f"{'elif' if i else 'if'} {code}:")
                    self.nested(body)
                if otherwise:
                    self.emit("else:")
                    self.nested(otherwise)
            case For(var, first, last, body):
                py = f"v_{var}"
                self.vars[var] = Var(py, "I", 32)
                first_code, last_code = self.expr(first).code, self.expr(last).code
                self.emit(f"for {py} in range({first_code}, {last_code} + 1):")
                self.nested(body)
            case Declare():
                self.declare(node)
            case Lambda(name):
                self.lambdas[name] = node
            case Break():
                self.emit("break")
            case Return(value):
                got = self.expr(value)
                assert self.returns is not None
                self.returns.append((got.kind, got.width))
                self.emit(f"return {raw(got)}")
            case Eval(Call("nop")) | Eval(str()):
                self.emit("pass")
            case _:
                raise PcodeTypeError(f"statement {node}")

    def declare(self, node: Declare) -> None:
        name = node.name
        if name == "S" and node.count == 3:
            parts = ", ".join(self.register(f"S{i}").get for i in range(3))
            self.vars[name] = Var("v_S", node.kind, node.width, 3)
            self.emit(f"v_S = [{parts}]")
        elif name == "CVT_OFF_TABLE":
            self.vars[name] = Var("CVT_OFF_TABLE", node.kind, node.width, node.count)
        elif name == "RETURN_DATA" and node.count:
            self.vars[name] = Var("r_RETURN_DATA", node.kind, node.width, node.count)
            self.writes.add(name)
            self.emit(f"r_RETURN_DATA = [0] * {node.count}")
        elif name in REGISTERS:
            py = self.register(name).get
            self.vars[name] = Var(py, node.kind, node.width, register=name)
        else:
            self.vars[name] = Var(f"v_{name}", node.kind, node.width, node.count)
            self.emit(f"v_{name} = " + (f"[0] * {node.count}" if node.count else "0"))

    def assign(self, targets: tuple[object, ...], op: str, value: object) -> None:
        if isinstance(targets[0], Name) and targets[0].id == "ROUND_MODE":
            got = self.expr(value)
            self.emit(
                f"m = with_rounding(m, {got.code})"
                if got.code in ("RNE", "ZERO")
                else f"m = {got.code}"
            )
            return
        got = self.expr(value)
        if op != "=":
            got = binary(op[0], self.read(self.place(targets[0])), got)
        if len(targets) > 1:
            name = self.temp()
            self.emit(f"{name} = {got.code}")
            got = replace(got, code=name)
        for target in targets:
            self.store(target, got)

    def store(self, target: object, got: Val) -> None:
        if isinstance(target, Concat):
            name = self.temp()
            self.emit(f"{name} = {raw(got)}")
            lo = 0
            for part in reversed(target.parts):
                place = self.place(part)
                width = place.width or 64
                self.put(place, Val(f"(({name} >> {lo}) & {mask(width)})", "B", width))
                lo += width
            return
        if isinstance(target, Name):
            name = ALIASES.get(target.id, target.id)
            if name not in self.vars and name not in REGISTERS:
                if got.kind in ("P", "MODE"):
                    self.vars[name] = Var(f"v_{name}", got.kind, got.width)
                    self.emit(f"v_{name} = {'m' if got.kind == 'MODE' else got.code}")
                    return
                self.vars[name] = Var(f"v_{name}", got.kind, got.width)
        elif self._first_use(target):
            base = target
            while not isinstance(base, Name):
                base = base.base  # type: ignore[attr-defined]
            self.vars[base.id] = Var(f"v_{base.id}", "B", None)
            self.emit(f"v_{base.id} = 0")
        self.put(self.place(target), got)

    def _first_use(self, target: object) -> bool:
        while isinstance(target, (Typed, Range, Index, Part)):
            target = target.base
        return (
            isinstance(target, Name)
            and target.id not in self.vars
            and ALIASES.get(target.id, target.id) not in REGISTERS
            and target.id not in ("MEM", "LDS", "VGPR", "SGPR", "HW_REGISTERS")
        )

    def put(self, place: Place, got: Val) -> None:
        if place.unit is not None:
            width = place.width or got.width
            place = replace(place, put=place.unit(width)[1], width=width, unit=None)
        if place.put is None:
            raise PcodeTypeError(f"cannot write {place.get}")
        width = place.width
        if place.kind in ("F", "BF") and got.is_float and width is not None:
            if (place.kind, width) in FORMATS and (got.kind, got.width) != (place.kind, width):
                got = to_float(got, place.kind, width)
        elif place.kind in ("F",) and got.is_int and got.kind != "B":
            raise PcodeTypeError("integer stored to a float")
        elif place.kind in ("U", "I") and got.kind == "F":
            raise PcodeTypeError("float stored to an integer")
        bits = raw(got)
        flushed = self.flush and place.origin == "D0" and (place.kind, width) in FLUSHED
        if flushed:  # moved operands leave the ALU through the output stage too
            bits = f"flush_out({FORMATS[place.kind, width or 0]}, {bits}, m)"
        if width is not None and got.width > width:
            bits = f"({bits} & {mask(width)})"
        if place.backwards:
            bits = f"reverse_bits({bits}, {width})"
        if place.whole:
            self.emit(place.put(bits))
            return
        if width is None:
            width = got.width
        keep = (
            hex(((1 << width) - 1) << int(place.lo))
            if place.lo.isdigit()
            else f"({mask(width)} << {place.lo})"
        )
        self.emit(place.put(f"({place.get} & ~{keep}) | ({bits} << {place.lo})"))

    # --- places ---

    def register(self, name: str) -> Place:
        kind, width = REGISTERS.get(name, ("U", FIELDS.get(name, 1)))
        py = "r_" + name.replace(".", "_")
        self.reads[name] = py

        def put(code: str) -> str:
            self.writes.add(name)
            return f"{py} = {code}"

        return Place(py, put, kind, width, held=width, origin=name)

    def place(self, node: object) -> Place:
        match node:
            case Name(id):
                name = ALIASES.get(id, id)
                if name in self.vars:
                    var = self.vars[name]
                    if var.count is not None:
                        raise PcodeTypeError(f"array {name} without index")
                    if var.register:
                        return replace(self.register(var.register), kind=var.kind, width=var.width)
                    return Place(
                        var.py, lambda c: f"{var.py} = {c}", var.kind, var.width, held=var.width
                    )
                if name in REGISTERS:
                    return self.register(name)
                raise PcodeTypeError(f"unknown name {id}")
            case Field(Name(base), name):
                return self.register(f"{base}.{name}")
            case Typed(base, kind, width):
                return self.typed(self.place(base), kind, width)
            case Index(base, index):
                return self.index(base, index)
            case Range(base, hi, lo):
                return self.range(base, hi, lo)
            case Part(base, lo, count):
                if not isinstance(count, Num):
                    raise PcodeTypeError("variable part size")
                return self.select(self.place(base), self.expr(lo).code, int(count.value))
            case _:
                name = self.temp()
                got = self.expr(node)
                self.emit(f"{name} = {raw(got)}")
                return Place(name, None, got.kind, got.width, held=got.width)

    def typed(self, place: Place, kind: str, width: int) -> Place:
        if place.unit is not None:
            get, put = place.unit(width)
            return replace(place, get=get, put=put, kind=kind, width=width, held=width, unit=None)
        if place.backwards:
            return replace(place, kind=kind)
        whole = place.whole and (place.held is not None and place.held <= width)
        return replace(place, kind=kind, width=width, whole=whole)

    def select(self, place: Place, lo: str, width: int) -> Place:
        if place.unit is not None:
            get, put = place.unit(32)
            place = replace(place, get=get, put=put, width=32, held=32, unit=None)
        kind = "B" if place.kind in ("B", "F", "BF", "FP") else "U"
        at = (
            lo
            if place.lo == "0"
            else str(int(lo) + int(place.lo))
            if (lo.isdigit() and place.lo.isdigit())
            else f"({place.lo} + {lo})"
        )
        return replace(place, kind=kind, width=width, held=width, lo=at, whole=False)

    def index(self, base: object, index: object) -> Place:
        if isinstance(base, Name):
            if base.id in self.vars and self.vars[base.id].count is not None:
                var = self.vars[base.id]
                code = f"{var.py}[{self.expr(index).code}]"
                return Place(code, lambda c: f"{code} = {c}", var.kind, var.width, held=var.width)
            if base.id in ("MEM", "LDS", "SGPR"):
                return self.memory(base.id, index)
            if base.id == "HW_REGISTERS":
                self.reads[base.id] = "r_HW_REGISTERS"
                code = f"r_HW_REGISTERS[{self.expr(index).code}]"
                return Place(code, lambda c: f"{code} = {c}", "B", 32, held=32)
        if isinstance(base, Index) and base.base == Name("VGPR"):
            return self.vgpr(base.index, index)
        return self.select(self.place(base), self.expr(index).code, 1)

    def memory(self, name: str, index: object) -> Place:
        self.reads[name] = f"r_{name}"
        address = self.expr(index).code
        if index == Name("ADDR"):  # these texts leave out the instruction offset
            address = f"({address} + {self.register('OFFSET').get})"
        at = self.temp()
        self.emit(f"{at} = {address}")

        def unit(width: int) -> tuple[str, Callable[[str], str]]:
            return (
                f"r_{name}.read({at}, {width})",
                lambda c: f"r_{name}.write({at}, {width}, {c})",
            )

        return Place("", None, "B", None, unit=unit)

    def vgpr(self, lane: object, number_: object) -> Place:
        text = (lane, number_)
        if lane == Name("laneId") and number_ == Typed(Name("VDST"), "U", 32):
            return self.register("D0")
        if lane == Name("laneId") and number_ == Typed(Name("SRC0"), "U", 32):
            return self.register("S0")
        self.reads["VGPR"] = "r_VGPR"
        lane_code, number_code = (self.expr(part).code for part in text)
        code = f"r_VGPR[{lane_code}][{number_code}]"
        return Place(code, lambda c: f"{code} = {c}", "B", 32, held=32)

    def range(self, base: object, hi: object, lo: object) -> Place:
        place = self.place(base)
        if isinstance(hi, Num) and isinstance(lo, Num):
            first, last = int(hi.value), int(lo.value)
            got = self.select(place, str(min(first, last)), abs(first - last) + 1)
            return replace(got, backwards=True) if first < last else got
        width = self.span(hi, lo)
        return self.select(place, self.expr(lo).code, width)

    @staticmethod
    def span(hi: object, lo: object) -> int:
        """Width of `[x + a : x + b]` or `[x + a : x]`."""
        if isinstance(hi, Binary) and hi.op == "+" and isinstance(hi.right, Num):
            top = int(hi.right.value)
            if hi.left == lo:
                return top + 1
            if isinstance(lo, Binary) and isinstance(lo.right, Num) and lo.left == hi.left:
                return top - int(lo.right.value) + 1
        raise PcodeTypeError("range of unknown width")

    def read(self, place: Place) -> Val:
        if place.unit is not None:
            place = self.typed(place, "B", 32)
        width = place.width
        if width is None:
            width = 32 if place.origin else 64  # a register or container used whole
        code = place.get
        if not (place.whole and place.held is not None and place.held <= width):
            if place.lo != "0":
                code = f"({code} >> {place.lo})"
            held = min(width, place.held) if place.held is not None else width
            code = f"({code} & {mask(held)})"
        if place.backwards:
            code = f"reverse_bits({code}, {width})"
        got = from_raw(code, place.kind, width)
        if self.flush and place.origin in DATA and (place.kind, width) in FLUSHED:
            return replace(got, code=f"flush_in({FORMATS[place.kind, width]}, {code}, m)")
        return got

    # --- expressions ---

    def expr(self, node: object) -> Val:
        match node:
            case Num(value, kind, width, hexadecimal):
                return number(value, kind, width, hexadecimal)
            case Name("ROUND_MODE"):
                return Val("m", "MODE", 0)
            case Name(id) if id in CONSTANTS and id not in self.vars:
                return CONSTANTS[id]
            case Name(id) if id in self.vars and self.vars[id].kind in ("P", "MODE"):
                var = self.vars[id]
                return Val(var.py, var.kind, var.width or 0)
            case Name("UNDERFLOW_F32" | "UNDERFLOW_F64" | "OVERFLOW_F32" | "OVERFLOW_F64"):
                what, size = node.id.split("_F")
                name = f"F{size}"
                code = "1" if what == "UNDERFLOW" else f"{name}.inf"
                return Val(code, "F", int(size), what)
            case Field(Name("WAVE_MODE"), "IEEE"):
                return Val("m.ieee", "U", 1)
            case Typed(Name("INF" | "NAN" | "DENORM") as base, "F", width):
                name = FORMATS["F", width]
                attribute = {"INF": "inf", "NAN": "nan", "DENORM": "inf"}[base.id]
                return Val(f"{name}.{attribute}", "F", width, base.id)
            case Typed(Name(id), _, width) if id in CONSTANTS:
                value = int(CONSTANTS[id].literal or 0) & ((1 << width) - 1)
                return Val(str(value), "U", width, value)
            case Cast("B", 1201):
                return Val("TWO_OVER_PI_1201", "B", 1201)
            case Cast(kind, width, value):
                return self.cast(self.expr(value), kind, width)
            case Unary(op, value):
                return unary(op, self.expr(value))
            case Binary(op, left, right):
                return binary(op, self.expr(left), self.expr(right))
            case Ternary(test, yes, no):
                a, b = unify(self.expr(yes), self.expr(no))
                return Val(f"({a.code} if {self.expr(test).code} else {b.code})", a.kind, a.width)
            case Concat(parts):
                code, lo = "0", 0
                for part in reversed(parts):
                    got = self.expr(part)
                    code += f" | ({raw(got)} << {lo})"
                    lo += got.width
                return Val(f"({code[4:]})", "B", lo)
            case Call(name, args):
                return self.call(name, [self.expr(a) for a in args])
            case _:
                return self.read(self.place(node))

    def cast(self, got: Val, kind: str, width: int) -> Val:
        if kind in ("F", "BF"):
            return to_float(got, kind, width)
        if kind == "B" and not got.is_int:
            return Val(f"({raw(got)} & {mask(width)})", "B", width)
        return to_int(got, kind, width)

    def call(self, name: str, args: list[Val]) -> Val:
        if name in self.lambdas:
            return self.apply(self.lambdas[name], args)
        if name.startswith("v_") and name not in calls.FUNCTIONS and "imum3" not in name:
            kind, width = name.rsplit("_", 1)[1][0].upper(), int(name.rsplit("_", 1)[1][1:])
            if name.endswith("sad_u8"):
                kind, width = "U", 32
            env = ", ".join(f"'S{i}': {raw(a)}" for i, a in enumerate(args))
            code = f"({self.entry(name.upper())}({{{env}, 'D0': 0}}, m)['D0'] & {mask(width)})"
            return from_raw(code, kind, width)
        return calls.call(name, args)

    def apply(self, function: Lambda, args: list[Val]) -> Val:
        """Call of a lambda: a nested Python function for these argument types."""
        inner = Generator(flush=self.flush, entry=self.entry)
        inner.lambdas = {k: v for k, v in self.lambdas.items() if k != function.name}
        inner.depth = self.depth + 1
        inner.temps = self.temps + 100
        inner.returns = []
        py = f"f_{function.name}_{self.temp()}"
        names = [f"v_{p}" for p in function.params]
        for param, arg in zip(function.params, args, strict=True):
            inner.vars[param] = Var(f"v_{param}", arg.kind, arg.width)
        inner.block(function.body)
        self.emit(f"def {py}({', '.join(names)}, m):")
        self.lines += inner.lines
        kinds = set(inner.returns)
        width = max(w for _, w in kinds)
        kind = next(iter(kinds))[0] if len(kinds) == 1 else "B"
        if kind == "I":
            kind = "U"  # results are absolute differences or bytes
        return Val(f"{py}({', '.join(raw(a) for a in args)}, m)", kind, width)
