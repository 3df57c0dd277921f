"""One wave of the product's engine, run on a straight line of instructions.

A thin bench around the engine's own decoder and compiled helpers: registers are set, a few
instructions run, registers are read back. Nothing here knows what an instruction means.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from asmevo.emulate import layout as L
from asmevo.emulate.decode.instruction import ConstantPool, Decoder, Record
from asmevo.emulate.engine.toolchain import helper_library
from asmevo.emulate.native.library import HelperLibrary
from asmevo.emulate.native.variant import Variant
from asmevo.isa.codec.llvm import AssemblyError, assembler, disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

from .compare import product_mode
from .softfloat import DEFAULT, Mode

_STATE_BYTES = L.CONSTANTS + 64 * 1024


@lru_cache(maxsize=1)
def helpers() -> HelperLibrary:
    """The process's compiled helpers."""
    return helper_library()


def assemble(text: str, arch: str) -> list[Instruction]:
    """Instructions of a text for a target.

    Raises:
        AssemblyError: LLVM rejects the text.
    """
    target = Target(arch)
    code = assembler(target).assemble(text)
    found = disassembler(target).decode(code)
    ends = [d.offset for d in found] + [len(code)]
    return [Instruction(code[a:b], d.text) for d, (a, b) in zip(found, pairwise(ends), strict=True)]


def first_accepted(candidates: Sequence[tuple[str, str]]) -> tuple[str, Instruction] | None:
    """First (arch, text) of the candidates that assembles to one instruction."""
    for arch, text in candidates:
        try:
            made = assemble(text, arch)
        except AssemblyError:
            continue
        if len(made) == 1:
            return arch, made[0]
    return None


GLOBAL_BASE = 0x7000_0000_0000  # device address of the bench's one global buffer


class Wave:
    """Register state of one wave; rows are arrays of 64 dwords whatever the number of lanes.

    `lds` is the workgroup's LDS, `memory` a buffer at device address GLOBAL_BASE. `lanes` chooses
    the helpers; the text of the instructions is the target's.
    """

    def __init__(self, lds: int = 4096, memory: int = 4096, lanes: int = 64) -> None:
        self.lanes = lanes
        raw = np.zeros(_STATE_BYTES + 64, np.uint8)
        shift = -raw.ctypes.data % 64
        self.state: NDArray[np.uint8] = raw[shift : shift + _STATE_BYTES]
        self.lds = np.zeros(lds, np.uint8)
        self._word(L.LDS_BASE, self.lds.ctypes.data, 8)
        self._word(L.LDS_SIZE, lds, 8)
        self.memory = np.zeros(memory, np.uint8)
        self._regions = np.zeros(L.REGION_SIZE // 8, np.uint64)
        host = self.memory.ctypes.data
        for offset, value in (
            (L.REGION_BASE, GLOBAL_BASE),
            (L.REGION_BYTES, memory),
            (L.REGION_DELTA, (host - GLOBAL_BASE) & ((1 << 64) - 1)),
            (L.REGION_FLAGS, L.READABLE | L.WRITABLE),
        ):
            self._regions[offset // 8] = value
        self._word(L.REGIONS, self._regions.ctypes.data, 8)
        self._word(L.REGION_COUNT, 1, 8)
        self._word(L.BUDGET, 1 << 40, 8)
        self._word(L.TICKS, 1 << 40, 8)
        self.set_scalar(L.EXEC, (1 << lanes) - 1, 8)

    def _word(self, offset: int, value: int, size: int) -> None:
        data = (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
        self.state[offset : offset + size] = np.frombuffer(data, np.uint8)

    def row(self, number: int, *, agpr: bool = False) -> NDArray[np.uint32]:
        """View of a vector register."""
        at = L.agpr(number) if agpr else L.vgpr(number)
        return self.state[at : at + L.ROW].view(np.uint32)

    def set_scalar(self, offset: int, value: int, size: int = 4) -> None:
        """Write SGPRs, VCC, EXEC, M0 or SCC (state offsets of `layout`)."""
        self._word(offset, value, size)

    def scalar(self, offset: int, size: int = 4) -> int:
        """Read SGPRs, VCC, EXEC, M0 or SCC."""
        return int.from_bytes(self.state[offset : offset + size].tobytes(), "little")

    def run(
        self,
        instructions: Sequence[Instruction],
        arch: str,
        mode: Mode = DEFAULT,
        *,
        exact: bool = False,
    ) -> None:
        """Execute the instructions in order; `exact` is the arithmetic of matrix instructions.

        Raises:
            Unsupported: the engine does not execute one of them.
        """
        self.start(self.load(instructions, arch, mode, exact=exact))

    def load(
        self,
        instructions: Sequence[Instruction],
        arch: str,
        mode: Mode = DEFAULT,
        *,
        exact: bool = False,
    ) -> NDArray[np.uint8]:
        """Records of the instructions, for `start`; their constants go into this wave's state.

        Raises:
            Unsupported: the engine does not execute one of them.
        """
        pool = ConstantPool()
        decoder = Decoder(pool, product_mode(mode), arch, exact=exact)
        decoder.lanes = self.lanes
        records = [r for r in map(decoder.decode, instructions) if r is not None]
        records.append(Record(Variant("stop", "s_endpgm")))
        image = pool.image()
        self.state[L.CONSTANTS : L.CONSTANTS + len(image)] = np.frombuffer(image, np.uint8)
        addresses = helpers().addresses(r.variant for r in records)
        raw = np.zeros((len(records) + 1) * L.RECORD_SIZE, np.uint8)
        table = raw[-raw.ctypes.data % 64 :][: len(records) * L.RECORD_SIZE]
        for n, record in enumerate(records):
            at = n * L.RECORD_SIZE
            entry = table[at : at + L.RECORD_SIZE]
            entry[L.R_FN : L.R_FN + 8].view(np.uint64)[0] = addresses[record.variant]
            for i, op in enumerate(record.ops):
                entry[L.R_OPS + 4 * i : L.R_OPS + 4 * i + 4].view(np.uint32)[0] = op
            entry[L.R_IMM : L.R_IMM + 8].view(np.int64)[0] = record.imm
            entry[L.R_IMM2 : L.R_IMM2 + 8].view(np.int64)[0] = record.imm2
            entry[L.R_REGION : L.R_REGION + 8].view(np.uint64)[0] = self._regions.ctypes.data
            entry[L.R_MISC : L.R_MISC + 4].view(np.uint32)[0] = record.misc
        return table

    def start(self, table: NDArray[np.uint8]) -> None:
        """Execute loaded records from the first to the end."""
        first = int(table[L.R_FN : L.R_FN + 8].view(np.uint64)[0])
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(first)
        call(self.state.ctypes.data, table.ctypes.data)
        status = self.scalar(L.STATUS)
        if status != L.ENDED:
            raise RuntimeError(f"the wave stopped with status {status}, not at its end")
