"""A few instructions of one wave on given registers, without a kernel around them.

For instructions that touch registers alone: there is no memory, and nothing communicates.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asmevo.emulate import layout as L
from asmevo.emulate.decode.instruction import ConstantPool, Decoder, Record
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.emulate.native.variant import Variant
from asmevo.errors import UnsupportedError
from asmevo.isa.decoded import MEMORY_CLASSES, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target

_WITH_OTHERS = frozenset({OpClass.BARRIER, OpClass.MESSAGE})
_STATE_BYTES = L.CONSTANTS + 64 * 1024


def _aligned(size: int) -> NDArray[np.uint8]:
    raw = np.zeros(size + 64, np.uint8)
    shift = -raw.ctypes.data % 64
    return raw[shift : shift + size]


class Straight:
    """Instructions, decoded and compiled, that run on one register state as often as wanted.

    Attributes:
        vector: (512, 64) dwords: VGPRs, then AGPRs; read and written in place.
        scalar: 128 dwords by GFX9 operand code, likewise.

    Raises:
        UnsupportedError: an instruction that the emulator does not execute, or one that touches
            memory or changes control flow.
    """

    def __init__(
        self, instructions: Sequence[Instruction], target: Target, mode: FloatMode
    ) -> None:
        for inst in instructions:
            d = decode(inst, target)
            leaves = d.flow.changes or (d.access is not None and not d.access.permutes)
            if leaves or d.kind in _WITH_OTHERS or (d.kind in MEMORY_CLASSES and not d.access):
                raise UnsupportedError(f"{inst.text}: not an instruction of registers alone")
        self._state = _aligned(_STATE_BYTES)
        pool = ConstantPool()
        decoder = Decoder(pool, mode, target.arch)
        records = [r for r in map(decoder.decode, instructions) if r is not None]
        records.append(decoder.sized(Record(Variant("stop", "s_endpgm"))))
        image = pool.image()
        self._state[L.CONSTANTS : L.CONSTANTS + len(image)] = np.frombuffer(image, np.uint8)
        addresses = shared_library().addresses(r.variant for r in records)
        self._table = _aligned(len(records) * L.RECORD_SIZE)
        for n, record in enumerate(records):
            entry = self._table[n * L.RECORD_SIZE : (n + 1) * L.RECORD_SIZE]
            entry[L.R_FN : L.R_FN + 8].view(np.uint64)[0] = addresses[record.variant]
            for i, op in enumerate(record.ops):
                entry[L.R_OPS + 4 * i : L.R_OPS + 4 * i + 4].view(np.uint32)[0] = op
            entry[L.R_IMM : L.R_IMM + 8].view(np.int64)[0] = record.imm
            entry[L.R_IMM2 : L.R_IMM2 + 8].view(np.int64)[0] = record.imm2
            entry[L.R_MISC : L.R_MISC + 4].view(np.uint32)[0] = record.misc
        self.vector: NDArray[np.uint32] = (
            self._state[: 512 * L.ROW].view(np.uint32).reshape(512, -1)
        )
        self.scalar: NDArray[np.uint32] = self._state[L.SGPRS : L.SCC].view(np.uint32)
        self._scc = self._state[L.SCC : L.SCC + 4].view(np.uint32)
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            int(self._table[L.R_FN : L.R_FN + 8].view(np.uint64)[0])
        )

    @property
    def scc(self) -> bool:
        """The scalar condition code."""
        return bool(self._scc[0])

    @scc.setter
    def scc(self, value: bool) -> None:
        self._scc[0] = value

    def run(self) -> None:
        """Execute the instructions once."""
        for at in (L.BUDGET, L.TICKS):
            self._state[at : at + 8].view(np.int64)[0] = 1 << 40
        self._call(self._state.ctypes.data, self._table.ctypes.data)
        status = int(self._state[L.STATUS : L.STATUS + 4].view(np.uint32)[0])
        assert status == L.ENDED, f"a wave of registers alone stopped with status {status}"
