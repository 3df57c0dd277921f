"""The LLVM instantiation of the value algebra: IR text over the lanes of a wave, or one scalar."""

from __future__ import annotations

from asmevo.emulate.native.ir import Fn
from asmevo.isa.semantics.values import Value

_FLOAT = {16: "half", 32: "float", 64: "double"}


class LLVMAlgebra:
    """Emits IR into `fn`; `lanes` is the wave's for VALU work and 0 for scalars.

    See `values.Algebra` for what each operation means.
    """

    def __init__(self, fn: Fn, lanes: int) -> None:
        self.fn = fn
        self.lanes = lanes

    # --- types and constants -----------------------------------------------------------------
    def t(self, w: int) -> str:
        """Type text of a w-bit value."""
        return f"<{self.lanes} x i{w}>" if self.lanes else f"i{w}"

    def ft(self, w: int) -> str:
        """Type text of a w-bit float."""
        return f"<{self.lanes} x {_FLOAT[w]}>" if self.lanes else _FLOAT[w]

    def _suffix(self, kind: str, w: int) -> str:
        return f"v{self.lanes}{kind}{w}" if self.lanes else f"{kind}{w}"

    def const(self, w: int, value: int) -> str:
        text = ("true" if value & 1 else "false") if w == 1 else str(value & ((1 << w) - 1))
        if w > 1 and value & (1 << (w - 1)):
            text = str((value & ((1 << w) - 1)) - (1 << w))
        return f"splat (i{w} {text})" if self.lanes else text

    # --- integers ----------------------------------------------------------------------------
    def _bin(self, op: str, w: int, a: str, b: str) -> str:
        return self.fn.op(f"{op} {self.t(w)} {a}, {b}")

    def add(self, w: int, a: str, b: str) -> str:
        return self._bin("add", w, a, b)

    def sub(self, w: int, a: str, b: str) -> str:
        return self._bin("sub", w, a, b)

    def mul(self, w: int, a: str, b: str) -> str:
        return self._bin("mul", w, a, b)

    def and_(self, w: int, a: str, b: str) -> str:
        return self._bin("and", w, a, b)

    def or_(self, w: int, a: str, b: str) -> str:
        return self._bin("or", w, a, b)

    def xor(self, w: int, a: str, b: str) -> str:
        return self._bin("xor", w, a, b)

    def shl(self, w: int, a: str, b: str) -> str:
        return self._bin("shl", w, a, b)

    def lshr(self, w: int, a: str, b: str) -> str:
        return self._bin("lshr", w, a, b)

    def ashr(self, w: int, a: str, b: str) -> str:
        return self._bin("ashr", w, a, b)

    def eq(self, w: int, a: str, b: str) -> str:
        return self._bin("icmp eq", w, a, b)

    def ult(self, w: int, a: str, b: str) -> str:
        return self._bin("icmp ult", w, a, b)

    def slt(self, w: int, a: str, b: str) -> str:
        return self._bin("icmp slt", w, a, b)

    def select(self, w: int, c: str, a: str, b: str) -> str:
        return self.fn.op(f"select {self.t(1)} {c}, {self.t(w)} {a}, {self.t(w)} {b}")

    def _cast(self, op: str, w: int, to: int, a: str) -> str:
        return self.fn.op(f"{op} {self.t(w)} {a} to {self.t(to)}")

    def zext(self, w: int, to: int, a: str) -> str:
        return self._cast("zext", w, to, a)

    def sext(self, w: int, to: int, a: str) -> str:
        return self._cast("sext", w, to, a)

    def trunc(self, w: int, to: int, a: str) -> str:
        return self._cast("trunc", w, to, a)

    def _unary(self, name: str, w: int, a: str, flag: str = "") -> str:
        t = self.t(w)
        return self.fn.call(
            t,
            f"llvm.{name}.{self._suffix('i', w)}",
            f"{t} {a}" + (f", i1 {flag}" if flag else ""),
            declare=t + (", i1" if flag else ""),
        )

    def popcount(self, w: int, a: str) -> str:
        return self._unary("ctpop", w, a)

    def ctlz(self, w: int, a: str) -> str:
        return self._unary("ctlz", w, a, "false")

    def cttz(self, w: int, a: str) -> str:
        return self._unary("cttz", w, a, "false")

    def bitreverse(self, w: int, a: str) -> str:
        return self._unary("bitreverse", w, a)

    # --- floats ------------------------------------------------------------------------------
    def _f(self, w: int, a: str) -> str:
        return self.fn.op(f"bitcast {self.t(w)} {a} to {self.ft(w)}")

    def _u(self, w: int, a: str) -> str:
        return self.fn.op(f"bitcast {self.ft(w)} {a} to {self.t(w)}")

    def _fbin(self, op: str, w: int, a: str, b: str) -> str:
        x, y = self._f(w, a), self._f(w, b)
        return self._u(w, self.fn.op(f"{op} {self.ft(w)} {x}, {y}"))

    def fadd(self, w: int, a: str, b: str) -> str:
        return self._fbin("fadd", w, a, b)

    def fsub(self, w: int, a: str, b: str) -> str:
        return self._fbin("fsub", w, a, b)

    def fmul(self, w: int, a: str, b: str) -> str:
        return self._fbin("fmul", w, a, b)

    def fdiv(self, w: int, a: str, b: str) -> str:
        return self._fbin("fdiv", w, a, b)

    def _fcall(self, name: str, w: int, *args: str) -> str:
        t = self.ft(w)
        values = ", ".join(f"{t} {self._f(w, a)}" for a in args)
        r = self.fn.call(
            t, f"llvm.{name}.{self._suffix('f', w)}", values, declare=", ".join([t] * len(args))
        )
        return self._u(w, r)

    def fma(self, w: int, a: str, b: str, c: str) -> str:
        return self._fcall("fma", w, a, b, c)

    def fsqrt(self, w: int, a: str) -> str:
        return self._fcall("sqrt", w, a)

    def frint(self, w: int, a: str) -> str:
        return self._fcall("roundeven", w, a)

    def ffloor(self, w: int, a: str) -> str:
        return self._fcall("floor", w, a)

    def fceil(self, w: int, a: str) -> str:
        return self._fcall("ceil", w, a)

    def ftrunc(self, w: int, a: str) -> str:
        return self._fcall("trunc", w, a)

    def _fcmp(self, kind: str, w: int, a: str, b: str) -> str:
        x, y = self._f(w, a), self._f(w, b)
        return self.fn.op(f"fcmp {kind} {self.ft(w)} {x}, {y}")

    def feq(self, w: int, a: str, b: str) -> str:
        return self._fcmp("oeq", w, a, b)

    def flt(self, w: int, a: str, b: str) -> str:
        return self._fcmp("olt", w, a, b)

    def fconvert(self, w: int, to: int, a: str) -> str:
        if (w, to) == (64, 16):
            a, w = self._narrow_odd(a), 32
        op = "fpext" if to > w else "fptrunc"
        return self._u(to, self.fn.op(f"{op} {self.ft(w)} {self._f(w, a)} to {self.ft(to)}"))

    def _narrow_odd(self, a: str) -> str:
        """f64 to f32 rounded to odd, so that the rounding to half that follows is the only one.

        x86 converts f64 to half only with AVX512-FP16; elsewhere LLVM calls a library function
        that the JIT does not have.
        """
        f = self.fn
        near = self.fconvert(64, 32, a)
        back = self.fconvert(32, 64, near)
        inexact = self._fcmp("one", 64, back, a)
        magnitude = self.const(64, (1 << 63) - 1)
        sizes = [self.and_(64, v, magnitude) for v in (back, a)]
        beyond = self._fcmp("ogt", 64, sizes[0], sizes[1])
        below = self.sub(32, near, self.zext(1, 32, beyond))
        return f.op(f"or {self.t(32)} {below}, {self.zext(1, 32, inexact)}")

    def from_sint(self, w: int, to: int, a: str) -> str:
        return self._u(to, self.fn.op(f"sitofp {self.t(w)} {a} to {self.ft(to)}"))

    def from_uint(self, w: int, to: int, a: str) -> str:
        return self._u(to, self.fn.op(f"uitofp {self.t(w)} {a} to {self.ft(to)}"))

    def to_sint(self, w: int, to: int, a: str) -> str:
        return self.fn.op(f"fptosi {self.ft(w)} {self._f(w, a)} to {self.t(to)}")

    def to_uint(self, w: int, to: int, a: str) -> str:
        return self.fn.op(f"fptoui {self.ft(w)} {self._f(w, a)} to {self.t(to)}")

    # --- wrapping ----------------------------------------------------------------------------
    def value(self, raw: str, width: int, kind: str = "u") -> Value:
        """Wrap IR text as a `Value`."""
        return Value(self, raw, width, kind)
