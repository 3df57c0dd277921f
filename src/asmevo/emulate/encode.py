"""From a recovered program to a laid-out array of records that the engine runs."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import Kernel
from asmevo.emulate import layout as L
from asmevo.emulate.decode import ConstantPool, Decoder, Record, Unsupported
from asmevo.emulate.emit import Variant
from asmevo.emulate.library import HelperLibrary, Progress
from asmevo.isa.effects import OpClass, effects
from asmevo.program import Program

_RUN_OFF = Variant("stop", "run_off")
_UNSUPPORTED = Variant("unsupported", "unsupported")
_TICK = Variant("tick", "tick")
IMAGE_BASE = 0x7E00_0000_0000  # device address at which the object's segments are loaded


@dataclass(frozen=True, slots=True, eq=False)
class EncodedBlock:
    """A straight run of instructions `[first, last)` counted together."""

    first: int
    last: int


@dataclass(slots=True, eq=False)
class EncodedKernel:
    """Records of one kernel, ready to run.

    Attributes:
        memory: the records, 64-byte aligned, `RECORD_SIZE` each.
        start: address of the kernel's first record.
        constants: image of the constant pool.
        blocks: counted blocks; block numbers index it.
        pc_map: record number per code dword, -1 where no instruction starts.
        unsupported: instruction index -> why the emulator cannot execute it.
        executed: base mnemonics present, for the fidelity report.
    """

    program: Program
    kernel: Kernel
    memory: NDArray[np.uint8]
    start: int
    constants: bytes
    blocks: list[EncodedBlock]
    pc_map: NDArray[np.int32]
    unsupported: dict[int, str]

    @property
    def address(self) -> int:
        """Address of record 0."""
        return self.memory.ctypes.data


def aligned(size: int, alignment: int = 64) -> NDArray[np.uint8]:
    """A zeroed byte array whose data is aligned."""
    raw = np.zeros(size + alignment, dtype=np.uint8)
    shift = -raw.ctypes.data % alignment
    return raw[shift : shift + size]


def _leaders(program: Program, first: int, last: int) -> set[int]:
    found = {first}
    for i in range(first, last):
        kind = effects(program.instructions[i], program.target).kind
        if kind in (OpClass.BRANCH, OpClass.END, OpClass.BARRIER):
            found.add(i + 1)
        target = program.branch_target(i)
        if target is not None:
            found.add(target)
    return found


def _code_ranges(program: Program, kernel: Kernel) -> list[tuple[int, int]]:
    """Instruction ranges to encode: the kernel's function, and the others if it may call them."""
    own = program.kernel_function(kernel)
    ranges = [(own.first, own.last)]
    calls = any(
        program.instructions[i].base in ("s_swappc_b64", "s_setpc_b64", "s_call_b64")
        for i in range(own.first, own.last)
    )
    if calls:
        ranges += [(f.first, f.last) for f in program.functions if f is not own]
    return ranges


def encode(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    *,
    trace: bool = False,
    tick: bool = False,
    progress: Progress | None = None,
) -> EncodedKernel:
    """Decode, compile what is missing, and lay out the records of a kernel.

    Args:
        trace: block entries also append to the wave's trace.
        tick: put a yield check behind every instruction (interleaved schedules).
        progress: told about helpers that have to be compiled first.
    """
    descriptor = kernel.descriptor
    pool = ConstantPool()
    denorm = (descriptor.float_denorm_mode_32, descriptor.float_denorm_mode_16_64)
    block_variant = Variant("block", "block", "", (("trace", True),) if trace else ())
    records: list[Record] = []
    record_of: dict[int, int] = {}
    blocks: list[EncodedBlock] = []
    unsupported: dict[int, str] = {}
    for first, last in _code_ranges(program, kernel):
        decoder = Decoder(pool, denorm, program.target.arch)
        leaders = _leaders(program, first, last)
        starts = sorted(i for i in leaders if first <= i < last)
        ends = [*starts[1:], last]
        length = dict(zip(starts, ends, strict=True))
        for i in range(first, last):
            if i in length:
                record_of[i] = len(records)
                records.append(Record(block_variant, imm=len(blocks), misc=length[i] - i, index=i))
                blocks.append(EncodedBlock(i, length[i]))
            else:
                record_of[i] = len(records)
            inst = program.instructions[i]
            try:
                record = decoder.decode(inst)
            except Unsupported as err:
                unsupported[i] = str(err.args[0])
                record = Record(_UNSUPPORTED)
            if record is None:
                continue
            record.index = i
            if record.target is not None:
                record.target = program.branch_target(i)
            if record.target2 is not None:
                record.target2 = program.branch_target(i)
            if record.variant.family == "jump":
                record.imm = (
                    IMAGE_BASE + program.object.text_address + (program.offsets[i] + inst.size)
                )
            records.append(record)
            if tick:
                records.append(Record(_TICK, index=i))
        records.append(Record(_RUN_OFF, index=last - 1))
    return _lay_out(
        program, kernel, library, records, record_of, blocks, pool, unsupported, progress
    )


def _lay_out(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    records: list[Record],
    record_of: dict[int, int],
    blocks: list[EncodedBlock],
    pool: ConstantPool,
    unsupported: dict[int, str],
    progress: Progress | None,
) -> EncodedKernel:
    addresses = library.addresses((r.variant for r in records), progress)
    memory = aligned(len(records) * L.RECORD_SIZE)
    base = memory.ctypes.data
    dtype = np.dtype(
        {
            "names": ["fn", "ops", "imm", "region", "index", "misc", "imm2"],
            "formats": ["u8", ("u4", 6), "i8", "u8", "u4", "u4", "i8"],
            "offsets": [L.R_FN, L.R_OPS, L.R_IMM, L.R_REGION, L.R_INDEX, L.R_MISC, L.R_IMM2],
            "itemsize": L.RECORD_SIZE,
        }
    )
    table = memory.view(dtype)
    off_end = record_of.get(-1, len(records) - 1)

    def where(target: int | None) -> int:
        return base + record_of.get(-1 if target is None else target, off_end) * L.RECORD_SIZE

    fn = np.fromiter((addresses[r.variant] for r in records), np.uint64, len(records))
    table["fn"] = fn
    ops = np.zeros((len(records), 6), np.uint32)
    imm = np.zeros(len(records), np.int64)
    imm2 = np.zeros(len(records), np.int64)
    index = np.zeros(len(records), np.uint32)
    misc = np.zeros(len(records), np.uint32)
    for n, record in enumerate(records):
        if record.ops:
            ops[n, : len(record.ops)] = record.ops
        family = record.variant.family
        imm[n] = where(record.target) if family == "branch" else record.imm
        imm2[n] = where(record.target2) if record.target2 is not None else record.imm2
        index[n], misc[n] = record.index, record.misc
    table["ops"], table["imm"], table["imm2"] = ops, imm, imm2
    table["index"], table["misc"] = index, misc
    pc_map = np.full(len(program.object.text) // 4 + 1, -1, np.int32)
    for i, n in record_of.items():
        slot = program.offsets[i] // 4
        if slot < len(pc_map):
            pc_map[slot] = n
    entry = _entry_index(program, kernel)
    start = base + record_of[entry] * L.RECORD_SIZE
    return EncodedKernel(program, kernel, memory, start, pool.image(), blocks, pc_map, unsupported)


def _entry_index(program: Program, kernel: Kernel) -> int:
    """Instruction at which the hardware starts: behind the compatibility prologue with preload."""
    function = program.kernel_function(kernel)
    if not kernel.descriptor.kernarg_preload_length:
        return function.first
    wanted = program.offsets[function.first] + 256
    for i in range(function.first, function.last):
        if program.offsets[i] >= wanted:
            return i
    return function.first


def records_pointer(encoded: EncodedKernel) -> ctypes.c_void_p:
    """Record 0 as a C pointer."""
    return ctypes.c_void_p(encoded.address)
