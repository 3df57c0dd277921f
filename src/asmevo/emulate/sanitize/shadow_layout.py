"""Layout of shadow entries, of the areas that have them, and of the report buffer.

An entry of LDS has 32 bits, one of device memory 64: instruction index + 1 [0:18), wave [18:22),
two flags [22], [23], barrier interval [24:32) or [24:44), workgroup [44:64). 0 is "never".
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Fn

READ, WRITE, ATOMIC = 1, 2, 4  # what an access does
CARRIED = 8  # it was issued in an earlier interval and is still outstanding: only enter it

INDEX_BITS, WAVE_SHIFT, EPOCH_SHIFT = 18, 18, 24
MANY = 1 << 22  # of reads: several waves read in this interval; of a write: it was atomic
MANY_GROUPS = 1 << 23  # of reads: several workgroups read; of a write: several waves, atomically
LDS_INTERVALS = 255  # numbers of barrier intervals in LDS entries: 1..255, then 1 again
_MEMORY_EPOCHS, _GROUPS = (1 << 20) - 1, (1 << 20) - 1

# An area: LDS of a workgroup, or a region of device memory.
AREA_SIZE = 64
A_HOST, A_BYTES, A_WRITES, A_READS, A_SHIFT, A_UNDEFINED, A_DEVICE = range(0, 56, 8)

# Report kinds.
KINDS = (
    "none",
    "read after write by another wave",
    "write after write by another wave",
    "write after read by another wave",
    "uninitialized read",
    "waves wait at different barriers",
    "read before an LDS-DMA load arrived",
)
(
    NONE,
    READ_AFTER_WRITE,
    WRITE_AFTER_WRITE,
    WRITE_AFTER_READ,
    UNINITIALIZED,
    BARRIER,
    EARLY,
) = range(7)
OUTSTANDING = 16  # added to a race's kind: the earlier access was taken over the last barrier

# Report buffer: a u64 count, then entries.
REPORT_CAPACITY = 512
REPORT_HEAD = 16
REPORT_SIZE = 48
P_KIND, P_FIRST, P_SECOND, P_SPACE, P_GROUP, P_WAVES = range(0, 24, 4)
P_ADDRESS, P_COUNT, P_OTHER = 24, 32, 40
LDS_SPACE, GLOBAL_SPACE = 0, 1


@dataclass(frozen=True, slots=True)
class Space:
    """Entry format of an address space."""

    name: str
    bits: int

    @property
    def type(self) -> str:
        """IR type of an entry."""
        return f"i{self.bits}"

    @property
    def group_shift(self) -> int:
        """Where the workgroup stands."""
        return 44

    def tag(self, f: Fn) -> str:
        """This wave's entry without an instruction, as the entry type."""
        epoch = f.load("i32", f.at("%st", L.EPOCH))
        wave = f.load("i32", f.at("%st", L.WAVE_NUMBER))
        wave = f.op(f"shl i32 {wave}, {WAVE_SHIFT}")
        if self.bits == 32:
            number = f.op(f"urem i32 {f.op(f'sub i32 {epoch}, 1')}, {LDS_INTERVALS}")
            number = f.op(f"add i32 {number}, 1")
            return f.op(f"or i32 {f.op(f'shl i32 {number}, {EPOCH_SHIFT}')}, {wave}")
        number = f.op(f"and i32 {epoch}, {_MEMORY_EPOCHS}")
        group = f.op(f"urem i32 {f.load('i32', f.at('%st', L.GROUP))}, {_GROUPS}")
        group = f.op(f"add i64 {f.op(f'zext i32 {group} to i64')}, 1")
        high = f.op(f"shl i64 {group}, {self.group_shift}")
        middle = f.op(f"shl i64 {f.op(f'zext i32 {number} to i64')}, {EPOCH_SHIFT}")
        low = f.op(f"zext i32 {wave} to i64")
        return f.op(f"or i64 {f.op(f'or i64 {high}, {middle}')}, {low}")

    def entry(self, f: Fn, tag: str) -> str:
        """The tag with the record's instruction."""
        index = f.op(f"add i32 {f.load('i32', f.at('%rec', L.R_INDEX))}, 1")
        if self.bits == 64:
            index = f.op(f"zext i32 {index} to i64")
        return f.op(f"or {self.type} {tag}, {index}")


LDS, MEMORY = Space("lds", 32), Space("memory", 64)
