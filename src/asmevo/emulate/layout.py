"""Byte layout of the wave state and of the decoded records that the helpers share.

A wave's state is one block: 512 vector rows of 256 bytes (VGPRs, then AGPRs), the scalar file,
control fields, and the kernel's constant pool. A record is 64 bytes: the helper's address, up to
six operand offsets into the state, an immediate and bookkeeping. Scalar constants live in the
pool, so that an operand is always "an offset into the state" whatever it was in the text.

The layout is the same for every wave size: rows of registers and of scratch and the host addresses
of an access have room for the widest wave, and a narrower one uses the first lanes of each. A set
of lanes in a control field is a u64 whose upper bits are zero in a narrower wave. Where the
architecture has a mask (EXEC, VCC, an SGPR destination of a comparison) it is as wide as the wave:
eight bytes for 64 lanes, and four for 32, whose neighbour is a scalar of its own.
"""

from __future__ import annotations

from asmevo.isa.hwreg import VSKIP_BIT

WIDEST = 64  # lanes of the widest wave
ROW = 4 * WIDEST
ROW_ALIGN = 64  # bytes
AGPR_ROW = 256  # rows 256..511 hold AGPRs
SGPRS = 512 * ROW
SCC = SGPRS + 128 * 4
CONTROL = SGPRS + 1024

STATUS = CONTROL + 0  # u32, see below
FAULT = CONTROL + 4  # u32, see below
FAULT_LANES = CONTROL + 8  # u64
FAULT_ADDRESS = CONTROL + 16  # u64
RECORD = CONTROL + 24  # ptr: record to resume at, or that faulted
BUDGET = CONTROL + 32  # i64: wave instructions left
TICKS = CONTROL + 40  # i64: instructions until the wave yields
LDS_BASE = CONTROL + 48  # ptr
LDS_SIZE = CONTROL + 56  # u64
REGIONS = CONTROL + 64  # ptr to the region table
REGION_COUNT = CONTROL + 72  # u64
COUNTS = CONTROL + 80  # ptr to u64 per block
TRACE = CONTROL + 88  # ptr to u32 block numbers
TRACE_LENGTH = CONTROL + 96  # u64
TRACE_CAPACITY = CONTROL + 104  # u64
RECORDS = CONTROL + 112  # ptr to record 0
PC_MAP = CONTROL + 120  # ptr to i32 per dword of code: record number or -1
CODE_ADDRESS = CONTROL + 128  # u64 device address of the code
CODE_SIZE = CONTROL + 136  # u64
TIME = CONTROL + 144  # u64, s_memtime
PRIVATE = CONTROL + 152  # ptr: scratch memory of the wave, in rows as registers
PRIVATE_SIZE = CONTROL + 160  # u64 bytes per lane
WAVE_NUMBER = CONTROL + 168  # u32 within the workgroup
MODE_BITS = CONTROL + 172  # u32 MODE register
HOST = CONTROL + 256  # u64 per lane: scratch for resolved host addresses
EXECUTED = CONTROL + 176  # u64 wave instructions executed
MODES = CONTROL + 184  # ptr to (u32 effective MODE bits, u32 0, ptr record 0) per mode
MODE_COUNT = CONTROL + 192  # u64
REST_MAP = CONTROL + 200  # ptr to u32 per dword of code: instructions to the end of its block
BLOCK_COUNT = CONTROL + 208  # u64 counted blocks; entries inside blocks are counted behind them
# Streams for the clock (traced runs only).
TOUCHES = CONTROL + 216  # ptr to the wave's touch entries, see `sanitize.touched`
TOUCH_LENGTH = CONTROL + 224  # u64 words written
TOUCH_CAPACITY = CONTROL + 232  # u64 words; 0 once an entry had no room
PATH = CONTROL + 240  # u64 hash of the blocks entered so far
# Sanitizers (shadow memory, loads that have not arrived).
SHADOW_LDS = CONTROL + 768  # ptr to the workgroup's LDS area
EPOCH = CONTROL + 776  # u32 barrier interval
GROUP = CONTROL + 780  # u32 linear workgroup id
SHADOW_TABLE = CONTROL + 784  # ptr to the areas of the regions
REPORTS = CONTROL + 792  # ptr to the report buffer
PENDING = CONTROL + 800  # ptr to the wave's queue
VM_ISSUED = CONTROL + 808  # u64 vector memory operations so far
LDS_ISSUED = CONTROL + 816  # u64 LDS operations so far
FLAT_PENDING = CONTROL + 824  # u64, bit 0 for vmcnt, bit 1 for lgkmcnt
VM_OLDEST = CONTROL + 832  # u64 number of the oldest pending one, 0 for none
LDS_OLDEST = CONTROL + 840  # u64
DMA_PENDING = CONTROL + 856  # u64 LDS-DMA loads in the queue
SIBLINGS = CONTROL + 864  # ptr to the state pointers of the workgroup's waves
FLAT_IN_LDS = CONTROL + 848  # u64 lanes of the last flat operation that went to LDS
PAUSES = CONTROL + 872  # u64 random state of schedules that pause waves
PAUSE_SEED = CONTROL + 880  # u64
PAUSED_AT = CONTROL + 888  # u64 address of the last record that a wave could pause at
HELD = CONTROL + 896  # ptr to the stores that other workgroups do not see yet
VCCZ, EXECZ = CONTROL + 976, CONTROL + 984  # u64 flags, written by helpers that read them
COMPONENTS = CONTROL + 960  # 4 x u32: the element that a typed store converts
CONSTANTS = CONTROL + 1024

# High dwords of the addresses at which flat instructions see LDS and scratch.
SHARED_BASE, PRIVATE_BASE = 0x10000, 0x20000
# Device address that the scratch buffer descriptor of older targets points to: there, as in all
# scratch memory, the dwords of the lanes lie side by side.
PRIVATE_WINDOW = 0x7C00_0000_0000
MODE_ENTRY = 16  # bytes per entry of the table at MODES

# MODE bits that results depend on: rounding, denormals, DX10 clamp, IEEE, FP16_OVFL, VSKIP, and
# GPR_IDX_EN. The exception enables in [15:12] are not modelled; their place holds the register
# index enables (M0[15:12] in hardware), so that one number names a copy of the records.
INDEX_BITS = 0xF << 12 | 1 << 27
MODE_EFFECTIVE = 0x3FF | 1 << 23 | 1 << VSKIP_BIT | INDEX_BITS

NO_TICKS = 1 << 62  # in TICKS: a wave that is looked at never yields

# Statuses a wave returns to the scheduler with.
RUNNING, AT_BARRIER, ENDED, FAULTED, OUT_OF_BUDGET, YIELDED, STUCK = range(7)

# Fault codes.
FAULT_KINDS = (
    "none",
    "out-of-bounds load",
    "out-of-bounds store",
    "out-of-bounds LDS access",
    "out-of-bounds scratch access",
    "jump outside the code",
    "trap",
    "misaligned atomic",
    "unsupported buffer descriptor",
    "unsupported instruction",
    "MODE value that no constant in the code sets",
    "too many loads without a wait",
    "scratch access that crosses a dword",
)
(
    NO_FAULT,
    LOAD_FAULT,
    STORE_FAULT,
    LDS_FAULT,
    SCRATCH_FAULT,
    JUMP_FAULT,
    TRAP_FAULT,
    ALIGN_FAULT,
    DESCRIPTOR_FAULT,
    UNSUPPORTED_FAULT,
    MODE_FAULT,
    PENDING_FAULT,
    SCRATCH_ALIGN_FAULT,
) = range(13)

# Record fields.
RECORD_SIZE = 64
R_FN = 0
R_OPS = 8  # six u32 offsets
R_IMM = 32  # i64
R_REGION = 40  # ptr: the region this instruction hit last
R_INDEX = 48  # u32 instruction index in the program
R_MISC = 52  # u32
R_IMM2 = 56  # i64

# Region table entry.
REGION_SIZE = 40
REGION_BASE, REGION_BYTES, REGION_DELTA, REGION_FLAGS, REGION_ID = 0, 8, 16, 24, 32
READABLE, WRITABLE = 1, 2
UNDEFINED = 4  # contents before the dispatch carry no meaning


def vgpr(index: int) -> int:
    """State offset of a VGPR row."""
    return index * ROW


def agpr(index: int) -> int:
    """State offset of an AGPR row."""
    return (AGPR_ROW + index) * ROW


def sgpr(code: int) -> int:
    """State offset of a scalar by its GFX9 operand code (VCC 106, M0 124, EXEC 126)."""
    return SGPRS + 4 * code


VCC, M0, EXEC = sgpr(106), sgpr(124), sgpr(126)
