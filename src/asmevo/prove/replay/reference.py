"""The slow reference of whole regions: the table's NumPy instance, and plain memory around it.

Waits and hints do nothing. Matrix instructions, atomics and everything that other waves or the
machine around decide are not run here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.decoded import MEMORY_CLASSES, Decoded, OpClass, decode
from asmevo.isa.flow import Condition
from asmevo.isa.hwreg import HwReg, hwreg_field
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, VCC, Imm, Operand, RegKind
from asmevo.isa.semantics import numpy_algebra, table
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.lanes import swizzle_lanes
from asmevo.isa.semantics.instruction.mix import mix_semantic
from asmevo.isa.semantics.instruction.reference import Registers, run
from asmevo.isa.semantics.memory import (
    ATOMICS,
    MemoryOp,
    flushes_subnormals,
    memory_op,
    scalar_memory_op,
    transposed_bits,
)
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target
from asmevo.prove.replay.state import LDS, SCRATCH, CannotRun, State, Step
from asmevo.prove.window import Diamond, Region

_M32, _M64 = (1 << 32) - 1, (1 << 64) - 1
# A wave alone meets nobody at a barrier, and sees its own writes whatever caches do.
_NO_VALUE = frozenset({OpClass.WAIT, OpClass.NOP, OpClass.BARRIER, OpClass.CACHE})


def run_region(
    region: Region, state: State, target: Target, mode: FloatMode, other: Step | None = None
) -> None:
    """Run a region on a state (`state.Executor`).

    Args:
        region, state, target, mode: see there.
        other: who executes instructions that are not here.
    """
    _Run(state, target, mode, other).region(region)


def _nobody(inst: Instruction, state: State, target: Target, mode: FloatMode) -> None:
    raise CannotRun(str(inst.text))


class _Run:
    def __init__(self, state: State, target: Target, mode: FloatMode, other: Step | None) -> None:
        self._state, self._target, self._mode = state, target, mode
        self._other = other or _nobody

    @property
    def _registers(self) -> Registers:
        return self._state.registers

    def region(self, region: Region) -> None:
        for item in region:
            if isinstance(item, Diamond):
                taken = self._taken(decode(item.branch, self._target))
                self.region(item.taken if taken else item.falls)
            else:
                self._step(item)

    def _taken(self, d: Decoded) -> bool:
        flow = d.flow
        if flow.condition is Condition.SCC:
            found = self._registers.scc
        elif flow.condition in (Condition.VCC, Condition.EXEC):
            code = VCC if flow.condition is Condition.VCC else EXEC
            found = not self._registers.read_scalar(code, 64)
        else:
            raise CannotRun(str(d.inst.text))
        return found == flow.when

    def _step(self, inst: Instruction) -> None:
        d = decode(inst, self._target)
        if d.traits.indirect or inst.text is None:
            raise CannotRun(str(inst.text))
        try:
            if d.kind in _NO_VALUE or inst.base in ("v_nop", "ds_nop"):
                return
            if table.lookup(inst.base) is not None or mix_semantic(inst.base) is not None:
                run(inst, self._registers, self._mode)
            elif d.access is not None and d.access.permutes:
                self._permute(inst)
            elif d.kind in MEMORY_CLASSES:
                self._memory(inst, d)
            elif d.traits.sets_mode:
                self._set_mode(inst)
            elif not self._cross(inst):
                self._other(inst, self._state, self._target, self._mode)
        except UnsupportedForm as err:
            raise CannotRun(f"{inst.text}: {err}") from None

    def _set_mode(self, inst: Instruction) -> None:
        number, at, count = hwreg_field(inst)
        if inst.base != "s_setreg_imm32_b32" or number != HwReg.MODE:
            raise CannotRun(str(inst.text))
        mask = ((1 << count) - 1) << at
        bits = int.from_bytes(inst.raw[4:8], "little") << at
        new = FloatMode.from_bits(self._mode.bits() & ~mask | bits & mask)
        self._mode = new.on_target(self._target.arch)

    # --- registers ------------------------------------------------------------------------
    def _row(self, operand: Operand) -> int:
        reg = operand.reg
        if reg is None or reg.kind is RegKind.SGPR:
            raise CannotRun("a scalar where a row is expected")
        return reg.index + (256 if reg.kind is RegKind.AGPR else 0)

    def _is_row(self, operand: Operand) -> bool:
        return operand.reg is not None and operand.reg.kind is not RegKind.SGPR

    def _rows(self, operand: Operand) -> NDArray[np.uint32]:
        return self._registers.vector[self._row(operand)].copy()

    def _scalar(self, operand: Operand) -> int:
        if operand.reg is not None:
            return int(self._registers.scalar[operand.reg.index])
        if isinstance(operand.value, Imm):
            return operand.value.value & _M32
        raise CannotRun(f"operand {operand.value}")

    @property
    def _exec(self) -> int:
        return self._registers.read_scalar(EXEC, 64)

    def _active(self) -> NDArray[np.bool_]:
        bits = self._exec
        return np.array([bool(bits >> n & 1) for n in range(64)])

    def _write(self, row: int, values: NDArray[np.uint32]) -> None:
        target = self._registers.vector[row]
        target[:] = np.where(self._active(), values, target)

    # --- lanes ----------------------------------------------------------------------------
    def _cross(self, inst: Instruction) -> bool:
        ops, base = inst.operands, inst.base
        vector = self._registers.vector
        if base in ("v_readfirstlane_b32", "v_readlane_b32"):
            assert ops[0].reg is not None
            if not self._is_row(ops[1]):
                value = self._scalar(ops[1])
            else:
                first = (self._exec & -self._exec).bit_length() - 1 if self._exec else 0
                lane = first if "first" in base else self._scalar(ops[2]) & 63
                value = int(vector[self._row(ops[1]), lane])
            self._state.write(ops[0].reg.index, value)
            return True
        if base == "v_writelane_b32":
            vector[self._row(ops[0]), self._scalar(ops[2]) & 63] = self._scalar(ops[1])
            return True
        if base in ("v_permlane16_swap_b32", "v_permlane32_swap_b32"):
            step = 16 if "16" in base else 32
            a, b = self._rows(ops[0]), self._rows(ops[1])
            x, y = a.copy(), b.copy()
            for lane in range(64):
                if lane // step & 1:
                    x[lane], y[lane - step] = b[lane - step], a[lane]
            self._write(self._row(ops[0]), x)
            self._write(self._row(ops[1]), y)
            return True
        return False

    def _permute(self, inst: Instruction) -> None:
        ops, base = inst.operands, inst.base
        active = self._active()
        if base == "ds_swizzle_b32":
            sent = np.where(active, self._rows(ops[1]), 0).astype(np.uint32)
            sources = swizzle_lanes(int.from_bytes(inst.raw[:2], "little"), 64)
            self._write(self._row(ops[0]), sent[np.array(sources)])
            return
        offset = inst.modifiers.get("offset", 0)
        assert isinstance(offset, int), "an offset is a number"
        lanes = (self._rows(ops[1]) + np.uint32(offset)) >> np.uint32(2) & np.uint32(63)
        data = self._rows(ops[2])
        if base == "ds_bpermute_b32":
            sent = np.where(active, data, 0).astype(np.uint32)
            self._write(self._row(ops[0]), sent[lanes])
            return
        out = np.zeros(64, np.uint32)
        for lane in np.flatnonzero(active):  # ascending: the highest source wins
            out[lanes[lane]] = data[lane]
        self._write(self._row(ops[0]), out)

    # --- memory ---------------------------------------------------------------------------
    def _memory(self, inst: Instruction, d: Decoded) -> None:
        access = d.access
        assert access is not None
        if access.typed or access.asynchronous or access.from_lds:
            raise CannotRun(str(inst.text))
        if any(m in inst.modifiers for m in ("tfe", "lwe", "gds", "addr64")):
            raise CannotRun(str(inst.text))
        bits = transposed_bits(d.name)
        if bits and bits != 6:
            self._transposed(inst, bits)
            return
        if d.kind is OpClass.SMEM:
            self._scalar_load(inst, d)
            return
        op = memory_op(d.name)
        if op is None or op.space == "flat":
            raise CannotRun(str(inst.text))
        if op.action == "atomic":
            self._atomic(inst, d, op)
            return
        operands = list(inst.operands)
        if d.lds_dma:
            self._to_lds(inst, op, operands)
            return
        data = operands.pop(0) if op.action == "load" or op.space == "buffer" else None
        if op.space == "lds":
            self._lds(inst, op, operands, data)
            return
        if op.space == "buffer":
            assert data is not None
            self._move(op, *self._buffer(inst, operands, data))
            return
        places, stored = self._addresses(inst, op, operands)
        self._move(op, places, data if op.action == "load" else stored)

    def _atomic(self, inst: Instruction, d: Decoded, op: MemoryOp) -> None:
        """One lane after the other, ascending."""
        change = ATOMICS.get(op.atomic)
        denormals = flushes_subnormals(op, self._target.arch, self._mode.denorm_32)
        if change is None or op.pair or denormals or op.atomic == "condxchg":
            raise CannotRun(str(inst.text))
        operands = list(inst.operands)
        result = self._row(operands[0]) if d.returns else None
        limits: list[int] | None = None
        if op.space == "buffer":
            places, data, limits = self._buffer(inst, operands[1:], operands[0])
        else:
            rest = operands[1:] if d.returns else operands
            data = rest[1]
            if op.space == "lds":
                offset = self._int(inst, "offset")
                places = [LDS + (int(a) + offset & _M32) for a in self._rows(rest[0])]
            else:
                places, _ = self._addresses(inst, replace(op, action="store"), rest)
        row, old = self._row(data), np.zeros((op.dwords, 64), np.uint32)
        for lane in np.flatnonzero(self._active()):
            if limits is not None and op.size > limits[lane]:
                continue
            words = [self._state.memory.load(places[lane] + 4 * n, 4) for n in range(op.dwords)]
            sent = [int(self._registers.vector[row + n, lane]) for n in range(op.dwords)]
            wide = [numpy_algebra.value(_joined(w), 32 * op.dwords) for w in (words, sent)]
            new = int(np.asarray(change(*wide).raw).item())
            for n in range(op.dwords):
                self._state.memory.store(places[lane] + 4 * n, 4, new >> 32 * n & _M32)
                old[n, lane] = words[n]
        if result is not None:
            for n in range(op.dwords):
                self._write(result + n, old[n])

    def _int(self, inst: Instruction, name: str) -> int:
        value = inst.modifiers.get(name, 0)
        assert isinstance(value, int)
        return value

    def _scalar_load(self, inst: Instruction, d: Decoded) -> None:
        op = scalar_memory_op(d.name)
        if op is None or op.action != "load" or op.space == "scratch":
            raise CannotRun(str(inst.text))
        data, base, *rest = inst.operands
        assert data.reg is not None
        assert base.reg is not None
        offset = self._int(inst, "offset") + sum(map(self._scalar, rest))
        low = self._registers.read_scalar(base.reg.index, 64)
        values: list[int] = []
        if op.space == "buffer":
            records = int(self._registers.scalar[base.reg.index + 2])
            stride = low >> 48 & 0x3FFF
            offset = offset & _M64 & ~3
            at = ((low & (1 << 48) - 1) + offset) & ~3
            limit = records * stride if stride else records
            for n in range(op.dwords):
                inside = offset + 4 * n + 4 <= limit
                values.append(self._state.memory.load(at + 4 * n, 4) if inside else 0)
        else:
            at = (low + offset) & _M64 & ~3
            values = [self._state.memory.load(at + 4 * n & _M64, 4) for n in range(op.dwords)]
        for n, value in enumerate(values):
            self._state.write(data.reg.index + n, value)

    def _lds(
        self, inst: Instruction, op: MemoryOp, operands: list[Operand], data: Operand | None
    ) -> None:
        address = self._rows(operands[0]).astype(object)
        if op.pair:
            offsets = [self._int(inst, f"offset{n}") * op.pair for n in (0, 1)]
        else:
            offsets = [self._int(inst, "offset")]
        places = [[LDS + ((int(a) + at) & _M32) for a in address] for at in offsets]
        if op.action == "load":
            assert data is not None
            loaded = [self._loaded(op, at, self._row(data)) for at in places]
            for n, row in enumerate(r for rows in loaded for r in rows):
                self._write(self._row(data) + n, row)
            return
        for at, operand in zip(places, operands[1:], strict=False):
            self._move(op, at, operand)

    def _addresses(
        self, inst: Instruction, op: MemoryOp, operands: list[Operand]
    ) -> tuple[list[int], Operand | None]:
        vaddr = operands.pop(0)
        stored = operands.pop(0) if op.action == "store" else None
        saddr = operands.pop(0) if operands else None
        has_base = saddr is not None and saddr.reg is not None
        imm = self._int(inst, "offset")
        if op.space == "scratch":
            rows = self._rows(vaddr) if self._is_row(vaddr) else np.zeros(64, np.uint32)
            base = self._scalar(saddr) if has_base and saddr is not None else 0
            return [
                SCRATCH + (n << 32) + ((int(r) + base + imm) & _M32) for n, r in enumerate(rows)
            ], stored
        row = self._row(vaddr)
        low = self._registers.vector[row]
        if has_base and saddr is not None and saddr.reg is not None:
            base = self._registers.read_scalar(saddr.reg.index, 64)
            return [(base + int(a) + imm) & _M64 for a in low], stored
        high = self._registers.vector[row + 1]
        return [
            ((int(h) << 32 | int(a)) + imm) & _M64 for a, h in zip(low, high, strict=True)
        ], stored

    def _to_lds(self, inst: Instruction, op: MemoryOp, operands: list[Operand]) -> None:
        """LDS-DMA: the lanes' elements side by side from M0's base on (CDNA3 ISA 9.1.9)."""
        if op.space == "buffer":
            places, data, limits = self._buffer(inst, operands, operands[0])
            del data
        elif op.space == "global":
            places, limits = self._addresses(inst, op, operands)[0], None
        else:
            raise CannotRun(str(inst.text))
        rows = self._loaded(op, places, 0, limits)
        base = (int(self._registers.scalar[M0]) & 0xFFFF) + self._int(inst, "offset")
        step = 4 * op.dwords
        for n, row in enumerate(rows):
            for lane in np.flatnonzero(self._active()):
                at = LDS + base + step * int(lane) + 4 * n
                self._state.memory.store(at, 4, int(row[lane]))

    def _transposed(self, inst: Instruction, bits: int) -> None:
        """Sixteen lanes read rows and receive columns (CDNA4 ISA, DS_READ_B64_TR)."""
        target, address = inst.operands[:2]
        offset, per_lane = self._int(inst, "offset"), 64 // bits
        rows = self._rows(address)
        whole = [0] * 64
        for lane in np.flatnonzero(self._active()):
            at = LDS + (int(rows[lane]) + offset & _M32)
            load = self._state.memory.load
            whole[lane] = load(at, 4) | load(at + 4, 4) << 32
        out = np.zeros(64, np.uint64)
        for lane in range(64):
            base, column = lane & ~15, lane % 16
            value = 0
            for element in range(per_lane):
                source = base + element * (16 // per_lane) + column // per_lane
                part = whole[source] >> bits * (column % per_lane) & (1 << bits) - 1
                value |= part << bits * element
            out[lane] = value
        self._write(self._row(target), out.astype(np.uint32))
        self._write(self._row(target) + 1, (out >> np.uint64(32)).astype(np.uint32))

    def _buffer(
        self, inst: Instruction, operands: list[Operand], data: Operand
    ) -> tuple[list[int], Operand, list[int]]:
        vaddr = operands.pop(0) if len(operands) == 3 else None
        descriptor, soffset = operands
        assert descriptor.reg is not None
        low = self._registers.read_scalar(descriptor.reg.index, 64)
        records, word3 = (int(self._registers.scalar[descriptor.reg.index + n]) for n in (2, 3))
        if word3 >> 23 & 1:
            raise CannotRun("a buffer that adds the lane")
        stride, base = low >> 48 & 0x3FFF, low & (1 << 48) - 1
        scalar = self._scalar(soffset)
        index: NDArray[np.uint32] | None = None
        offset = np.zeros(64, np.uint32)
        if vaddr is not None and self._is_row(vaddr):
            row = self._row(vaddr)
            if inst.modifiers.get("idxen"):
                index = self._registers.vector[row].copy()
                row += 1
            if inst.modifiers.get("offen"):
                offset = self._registers.vector[row].copy()
        offset = offset + np.uint32(self._int(inst, "offset"))
        places: list[int] = []
        limits: list[int] = []
        for lane in range(64):
            at = base + scalar + int(offset[lane])
            number = 0 if index is None else int(index[lane])
            places.append((at + number * stride) & _M64)
            if index is not None and stride:
                limits.append(1 << 40 if number < records else 0)
            else:
                limits.append(records - scalar - int(offset[lane]))
        return places, data, limits

    def _loaded(
        self, op: MemoryOp, places: list[int], row: int, limits: list[int] | None = None
    ) -> list[NDArray[np.uint32]]:
        memory, active = self._state.memory, self._active()
        step = min(op.size, 4)
        rows: list[NDArray[np.uint32]] = []
        for n in range(op.dwords):
            values = np.zeros(64, np.uint32)
            for lane in np.flatnonzero(active):
                if limits is None or 4 * n + step <= limits[lane]:
                    values[lane] = memory.load(places[lane] + 4 * n, step)
            rows.append(values)
        if op.size < 4:
            old = self._registers.vector[row]
            rows = [_extended(op, rows[0], old)]
        return rows

    def _move(
        self,
        op: MemoryOp,
        places: list[int],
        data: Operand | None,
        limits: list[int] | None = None,
    ) -> None:
        assert data is not None
        row = self._row(data)
        if op.action == "load":
            for n, values in enumerate(self._loaded(op, places, row, limits)):
                self._write(row + n, values)
            return
        step = min(op.size, 4)
        low = 16 if op.extend == "hi" else 0
        for n in range(op.dwords):
            for lane in np.flatnonzero(self._active()):
                if limits is None or 4 * n + step <= limits[lane]:
                    value = int(self._registers.vector[row + n, lane]) >> low
                    self._state.memory.store(places[lane] + 4 * n, step, value)


def _joined(words: list[int]) -> int:
    return sum(word << 32 * n for n, word in enumerate(words))


def _extended(op: MemoryOp, raw: NDArray[np.uint32], old: NDArray[np.uint32]) -> NDArray[np.uint32]:
    bits = 8 * op.size
    value = raw
    if op.signed:
        sign = np.uint32(1 << (bits - 1))
        value = (raw ^ sign) - sign
    if op.extend == "whole":
        return value
    half = value & np.uint32(0xFFFF)
    if op.extend == "d16":
        return (old & np.uint32(0xFFFF0000)) | half
    return (old & np.uint32(0xFFFF)) | half << np.uint32(16)
