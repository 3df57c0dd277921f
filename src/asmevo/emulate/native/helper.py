"""What every helper emitter shares: operand access, EXEC handling, the tail call."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import LANE_SET, Fn, Module
from asmevo.emulate.native.llvm_algebra import LLVMAlgebra
from asmevo.emulate.native.variant import Variant
from asmevo.isa.semantics.values import Value


class Helper:
    """One helper function under construction.

    `suffix` names a second function of a variant, to which the first hands over. Inside a helper a
    set of lanes is an i64 with one bit per lane, whatever the wave size; `load_mask` and
    `store_mask` know how wide it is in the state.
    """

    def __init__(self, module: Module, variant: Variant, suffix: str = "") -> None:
        self.module = module
        self.variant = variant
        self.lanes = variant.lanes
        self.fn = Fn(
            module,
            variant.symbol + suffix,
            "ptr noundef %st, ptr noundef %rec",
            lanes=self.lanes,
        )
        self.vector = LLVMAlgebra(self.fn, self.lanes)
        self.scalar = LLVMAlgebra(self.fn, 0)
        self._exec: str | None = None
        if variant.option("flags"):
            for mask, flag in ((L.VCC, L.VCCZ), (L.EXEC, L.EXECZ)):
                zero = self.fn.op(f"icmp eq i64 {self.mask_field(mask)}, 0")
                self.set_field(flag, self.fn.op(f"zext i1 {zero} to i64"))

    # --- record and operand addresses ---------------------------------------------------
    def slot(self, index: int) -> str:
        """Pointer into the state for operand `index` of the record."""
        f = self.fn
        offset = f.load("i32", f.at("%rec", L.R_OPS + 4 * index))
        wide = f.op(f"zext i32 {offset} to i64")
        if index in self.variant.option("idx", ()) and self.variant.kinds[index] == "v":
            # Inside s_set_gpr_idx: the register number is relative to M0[7:0].
            m0 = f.op(f"zext i32 {self.field(L.M0, 'i32')} to i64")
            rows = f.op(f"mul i64 {f.op(f'and i64 {m0}, 255')}, {L.ROW}")
            wide = f.op(f"add i64 {wide}, {rows}")
        return f.at("%st", wide)

    def imm(self) -> str:
        """The record's i64 immediate."""
        return self.fn.load("i64", self.fn.at("%rec", L.R_IMM), 8)

    def imm2(self) -> str:
        """The record's second i64 immediate."""
        return self.fn.load("i64", self.fn.at("%rec", L.R_IMM2), 8)

    def field(self, offset: int, kind: str = "i64") -> str:
        """Load a control field of the state."""
        return self.fn.load(kind, self.fn.at("%st", offset), 8 if kind in ("i64", "ptr") else 4)

    def set_field(self, offset: int, value: str, kind: str = "i64") -> None:
        """Store a control field of the state."""
        align = 8 if kind in ("i64", "ptr") else 4
        self.fn.store(kind, value, self.fn.at("%st", offset), align)

    def load_mask(self, pointer: str, align: int = 4) -> str:
        """The lanes of an architectural mask, as i64."""
        return self._widen(self.fn.load(f"i{self.lanes}", pointer, align))

    def store_mask(self, lanes: str, pointer: str, align: int = 4) -> None:
        """Write an architectural mask; nothing beside it changes."""
        self.fn.store(f"i{self.lanes}", self.narrow(lanes), pointer, align)

    def narrow(self, lanes: str) -> str:
        """A set of lanes in as many bits as the wave has lanes."""
        if self.lanes == LANE_SET:
            return lanes
        return self.fn.op(f"trunc i{LANE_SET} {lanes} to i{self.lanes}")

    def _widen(self, lanes: str) -> str:
        if self.lanes == LANE_SET:
            return lanes
        return self.fn.op(f"zext i{self.lanes} {lanes} to i{LANE_SET}")

    def mask_field(self, offset: int) -> str:
        """The lanes of EXEC or VCC, as i64."""
        return self.load_mask(self.fn.at("%st", offset), 8)

    # --- reading --------------------------------------------------------------------------
    def splat(self, scalar: str, w: int) -> str:
        """A scalar in every lane."""
        f, t = self.fn, self.fn.vec(f"i{w}")
        one = f.op(f"insertelement {t} poison, i{w} {scalar}, i64 0")
        return f.op(f"shufflevector {t} {one}, {t} poison, {f.i32s} zeroinitializer")

    def row(self, pointer: str) -> str:
        """Load a vector row."""
        return self.fn.load(self.fn.i32s, pointer, L.ROW_ALIGN)

    def join(self, low: str, high: str) -> str:
        """Two 32-bit rows as one of 64 bits."""
        f = self.fn
        lo = f.op(f"zext {f.i32s} {low} to {f.i64s}")
        hi = f.op(f"zext {f.i32s} {high} to {f.i64s}")
        up = f.op(f"shl {f.i64s} {hi}, splat (i64 32)")
        return f.op(f"or {f.i64s} {lo}, {up}")

    def split(self, wide: str) -> tuple[str, str]:
        """A row of 64 bits as its (low, high) rows."""
        f = self.fn
        low = f.op(f"trunc {f.i64s} {wide} to {f.i32s}")
        up = f.op(f"lshr {f.i64s} {wide}, splat (i64 32)")
        return low, f.op(f"trunc {f.i64s} {up} to {f.i32s}")

    def source_row(self, index: int, kind: str, part: int = 0) -> str:
        """32-bit lanes of an operand: a row, or a scalar broadcast; `part` counts dwords."""
        pointer = self.slot(index)
        if kind == "v":
            return self.row(self.fn.at(pointer, part * L.ROW))
        return self.splat(self.fn.load("i32", self.fn.at(pointer, part * 4)), 32)

    def source_wide(self, index: int, kind: str) -> str:
        """64-bit lanes of an operand."""
        pointer = self.slot(index)
        if kind == "v":
            return self.join(self.row(pointer), self.row(self.fn.at(pointer, L.ROW)))
        return self.splat(self.fn.load("i64", pointer), 64)

    def lane_numbers(self) -> str:
        """The constant vector 0, 1, 2, ..."""
        return "<" + ", ".join(f"i32 {i}" for i in range(self.lanes)) + ">"

    # --- EXEC -----------------------------------------------------------------------------
    def exec_bits(self) -> str:
        """EXEC as i64 (loaded once)."""
        if self._exec is None:
            self._exec = self.mask_field(L.EXEC)
        return self._exec

    def mask(self, bits: str) -> str:
        """A set of lanes as one i1 per lane."""
        narrow = self.narrow(bits)
        return self.fn.op(f"bitcast i{self.lanes} {narrow} to {self.fn.i1s}")

    def bits(self, mask: str) -> str:
        """One i1 per lane as a set of lanes."""
        f = self.fn
        return self._widen(f.op(f"bitcast {f.i1s} {mask} to i{self.lanes}"))

    def is_full(self, bits: str) -> str:
        """Whether a set has all lanes."""
        return self.fn.op(f"icmp eq i64 {bits}, {self.fn.all_lanes}")

    def store_masked(self, value: str, pointer: str, mask: str) -> None:
        """Masked store of a row (inactive lanes keep their old value)."""
        f = self.fn
        name = f"void @llvm.masked.store.v{f.lanes}i32.p0"
        self.module.declare(f"declare {name}({f.i32s}, ptr, i32 immarg, {f.i1s})")
        f.emit(f"call {name}({f.i32s} {value}, ptr {pointer}, i32 {L.ROW_ALIGN}, {f.i1s} {mask})")

    def store_rows(self, writes: list[tuple[str, str]], write_mask: str | None = None) -> None:
        """Store (value, pointer) rows under EXEC and finish the helper.

        With `write_mask` (i64 bits, EXEC already applied) all stores are masked by it; otherwise
        a full-EXEC fast path stores plainly.
        """
        f = self.fn
        if write_mask is not None:
            mask = self.mask(write_mask)
            for value, pointer in writes:
                self.store_masked(value, pointer, mask)
            self.next()
            return
        bits = self.exec_bits()
        fast, slow = f.label("full"), f.label("partial")
        f.cond(self.is_full(bits), fast, slow, likely=True)
        f.place(fast)
        for value, pointer in writes:
            f.store(f.i32s, value, pointer, L.ROW_ALIGN)
        self.next()
        f.place(slow)
        mask = self.mask(bits)
        for value, pointer in writes:
            self.store_masked(value, pointer, mask)
        self.next()

    # --- leaving --------------------------------------------------------------------------
    def next(self) -> None:
        """Tail-call the following record."""
        self.jump(self.fn.at("%rec", L.RECORD_SIZE))

    def jump(self, record: str) -> None:
        """Tail-call the helper of `record`."""
        target = self.fn.load("ptr", record, 8)
        self.fn.emit(f"musttail call void {target}(ptr noundef %st, ptr noundef {record})")
        self.fn.ret()

    def leave(self, status: int, resume: str | None = None) -> None:
        """Return to the scheduler with a status, to resume at `resume` (a record)."""
        self.set_field(L.STATUS, str(status), "i32")
        self.set_field(L.RECORD, resume or "%rec", "ptr")
        self.fn.ret()

    def fault(self, code: int, lanes: str = "0", address: str = "0") -> None:
        """Return to the scheduler with a fault at this record."""
        self.set_field(L.FAULT, str(code), "i32")
        self.set_field(L.FAULT_LANES, lanes)
        self.set_field(L.FAULT_ADDRESS, address)
        self.leave(L.FAULTED)

    def finish(self) -> None:
        """Close the function."""
        self.fn.finish()

    # --- values ---------------------------------------------------------------------------
    def v(self, raw: str, width: int, kind: str = "u") -> Value:
        """A value per lane."""
        return Value(self.vector, raw, width, kind)

    def s(self, raw: str, width: int, kind: str = "u") -> Value:
        """A scalar value."""
        return Value(self.scalar, raw, width, kind)
