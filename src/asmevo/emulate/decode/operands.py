"""Operand placement: where an instruction's operands live in the wave state.

Constants go to a pool behind the scalar file, expanded to the operand's type, so that helpers
never distinguish constants from SGPRs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.native.variant import Variant
from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import FloatImm, Imm, Operand, Reg, RegKind, Special
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.constants import constant_bits
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target


class Unsupported(UnsupportedError):
    """An instruction that the emulator cannot execute; carries the reason alone."""


OPERANDS = 6
"""Operand fields of a record."""


@dataclass(slots=True)
class Record:
    """One record before layout: its helper and operand fields.

    `target` is an instruction index whose record's address goes into the immediate.
    """

    variant: Variant
    ops: list[int] = field(default_factory=lambda: [])
    imm: int = 0
    imm2: int = 0
    misc: int = 0
    index: int = -1
    target: int | None = None
    target2: int | None = None
    _row: tuple[int, ...] | None = None

    @property
    def row(self) -> tuple[int, ...]:
        """`imm`, `imm2`, `misc` and the operands; kept, as programs share records."""
        if self._row is None:
            padding = (0,) * (OPERANDS - len(self.ops))
            self._row = (self.imm, self.imm2, self.misc, *self.ops, *padding)
        return self._row


class ConstantPool:
    """Deduplicated constants behind the scalar file; every entry is 8 bytes."""

    def __init__(self) -> None:
        self._offsets: dict[int, int] = {}

    def put(self, bits: int) -> int:
        """State offset of a 64-bit constant."""
        bits &= (1 << 64) - 1
        return self._offsets.setdefault(bits, L.CONSTANTS + 8 * len(self._offsets))

    def image(self) -> bytes:
        """The pool's bytes."""
        return b"".join(v.to_bytes(8, "little") for v in self._offsets)


class Context:
    """What decoding one kernel for one mode needs: the pool, the mode, the target.

    Attributes:
        mode: float mode in force.
        vskip: MODE.VSKIP: vector instructions are skipped.
        arch: target name such as "gfx942".
        target: of that name.
        lanes: of a wave.
        exact: matrix instructions follow the published accumulation models.
        gpr_idx: enables of the active s_set_gpr_idx region.
        open_junk: undocumented result bits hold junk.
        reads_flags: the instruction being decoded reads VCCZ or EXECZ.
        static_index: `gpr_idx` belongs to the mode; decoding does not change it.
    """

    def __init__(
        self,
        pool: ConstantPool,
        mode: FloatMode | tuple[int, int],
        arch: str,
        vskip: bool = False,
        exact: bool = False,
    ) -> None:
        self.pool = pool
        if isinstance(mode, tuple):
            mode = FloatMode(denorm_32=mode[0], denorm_16_64=mode[1])
        self.mode = mode.on_target(arch)
        self.arch = arch
        self.target = Target(arch)
        self.lanes = self.target.wave_size
        self.vskip = vskip
        self.exact = exact
        self.gpr_idx = 0
        self.static_index = False
        self.reads_flags = False
        self.open_junk = False

    def sized(self, record: Record) -> Record:
        """The record, with a helper for this wave size."""
        if record.variant.lanes != self.lanes:
            record.variant = replace(record.variant, lanes=self.lanes)
        return record

    def place(self, operand: Operand, type_: str = "b32", packed: int = 0) -> tuple[str, int]:
        """(kind letter, state offset) of an operand read as `type_`."""
        value = operand.value
        if isinstance(value, Reg):
            if value.kind is RegKind.VGPR:
                return "v", L.vgpr(value.index)
            if value.kind is RegKind.AGPR:
                return "v", L.agpr(value.index)
            return "s", L.sgpr(value.index)
        if isinstance(value, Imm | FloatImm):
            return "s", self.pool.put(constant_bits(value, type_, packed))
        if isinstance(value, Special):
            return "s", self._special(value.name, table.width_of(type_))
        raise Unsupported(f"operand {getattr(value, 'text', value)!r} is not supported")

    def _special(self, name: str, width: int) -> int:
        base = {
            "src_shared_base": L.SHARED_BASE,
            "src_private_base": L.PRIVATE_BASE,
        }.get(name)
        if base is not None:
            return self.pool.put(base << 32 if width == 64 else base)
        if name in ("src_shared_limit", "src_private_limit"):
            return self.pool.put(0xFFFFFFFF)
        if name in ("scc", "src_scc"):
            return L.SCC
        if name in ("src_vccz", "src_execz"):
            # The helper writes both flags before it reads its operands.
            self.reads_flags = True
            return L.VCCZ if name == "src_vccz" else L.EXECZ
        raise Unsupported(f"operand {name} is not supported")

    def offset(self, operand: Operand, type_: str = "b32") -> int:
        """State offset alone."""
        return self.place(operand, type_)[1]

    def index_option(self, destinations: int) -> tuple[tuple[str, Any], ...]:
        """Which record slots M0 indexes inside an s_set_gpr_idx region."""
        if not self.gpr_idx:
            return ()
        slots = [destinations + i for i in range(3) if self.gpr_idx >> i & 1]
        if self.gpr_idx & 8:
            slots.append(0)
        return (("idx", tuple(sorted(slots))),)


def integer(operand: Operand) -> int:
    """Value of an immediate operand, 0 for anything else."""
    return operand.value.value if isinstance(operand.value, Imm) else 0


def integer_modifier(inst: Instruction, name: str) -> int:
    """Value of an integer modifier, 0 when it is absent."""
    value = inst.modifiers.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unsupported(f"{inst.base}: {name}:{value} is not supported")
    return value
