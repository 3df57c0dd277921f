"""From a recovered program to a laid-out array of records that the engine runs."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import Kernel
from asmevo.emulate import layout as L
from asmevo.emulate.decode import ConstantPool, Decoder, Record, Unsupported
from asmevo.emulate.decode_scalar import MODE_EFFECTIVE, VSKIP_BIT, mode_change
from asmevo.emulate.decode_waits import pending_records, wait_record
from asmevo.emulate.emit import Variant
from asmevo.emulate.library import HelperLibrary, Progress
from asmevo.errors import UnsupportedError
from asmevo.isa.effects import OpClass, effects
from asmevo.isa.semantics.table import FloatMode
from asmevo.program import Program

_RUN_OFF = Variant("stop", "run_off")
_UNSUPPORTED = Variant("unsupported", "unsupported")
_TICK = Variant("tick", "tick")
_WATCHED = frozenset({"vmem", "lds", "transpose"})  # families that keep shadow memory
_PASS = Variant("pass", "pass")
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
        modes: effective MODE value per copy of the records; copy 0 is the one that starts.
        mode_table: what the engine looks MODE values up in (`layout.MODE_ENTRY` bytes each).
    """

    program: Program
    kernel: Kernel
    memory: NDArray[np.uint8]
    start: int
    constants: bytes
    blocks: list[EncodedBlock]
    pc_map: NDArray[np.int32]
    unsupported: dict[int, str]
    modes: tuple[int, ...]
    mode_table: NDArray[np.uint64]

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


@dataclass(frozen=True, slots=True)
class Style:
    """Which extra records and helper variants a run wants.

    Attributes:
        trace: block entries also append to the wave's trace.
        tick: a yield check stands behind every instruction (interleaved schedules).
        exact: matrix instructions in exact instead of fast arithmetic.
        shadow: memory instructions check and update shadow memory (races, uninitialized reads).
        waits: loads arrive only at a sufficient wait; until then their destination holds junk.
    """

    trace: bool = False
    tick: bool = False
    exact: bool = False
    shadow: bool = False
    waits: bool = False


def encode(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    style: Style = Style(),
    *,
    progress: Progress | None = None,
) -> EncodedKernel:
    """Decode, compile what is missing, and lay out the records of a kernel.

    Args:
        style: extra records and variants.
        progress: told about helpers that have to be compiled first.
    """
    modes = reachable_modes(program, kernel)
    pool = ConstantPool()
    block_variant = Variant("block", "block", "", (("trace", True),) if style.trace else ())
    copies: list[list[Record]] = []
    plan = _Plan({}, [], {})
    for bits in modes:
        plan = _Plan({}, [], {})
        copies.append(_records(program, kernel, pool, bits, block_variant, style, plan))
    return _lay_out(program, kernel, library, copies, modes, plan, pool, progress)


@dataclass(slots=True, eq=False)
class _Plan:
    """What the copies of a kernel's records share: all of them have the same shape."""

    record_of: dict[int, int]
    blocks: list[EncodedBlock]
    unsupported: dict[int, str]


_MOST_MODES = 16


def reachable_modes(program: Program, kernel: Kernel) -> tuple[int, ...]:
    """Effective MODE values that the kernel can set by constants, the initial one first.

    A value that only a register can supply is looked up at run time among these; the engine
    faults when it is none of them.
    """
    d = kernel.descriptor
    first = FloatMode(
        d.float_round_mode_32,
        d.float_round_mode_16_64,
        d.float_denorm_mode_32,
        d.float_denorm_mode_16_64,
        bool(d.dx10_clamp),
        bool(d.ieee_mode),
        bool(d.fp16_ovfl),
    ).bits()
    changes: set[tuple[int, int]] = set()
    for start, last in _code_ranges(program, kernel):
        for inst in program.instructions[start:last]:
            change = mode_change(inst) if inst.base.startswith("s_set") else None
            if change is None:
                continue
            mask, value = change[0] & MODE_EFFECTIVE, change[1]
            if inst.base == "s_setvskip":
                changes |= {(mask, 0), (mask, 1 << VSKIP_BIT)}
            elif value is not None:
                changes.add((mask, value & mask))
    found = [first]
    for bits in found:
        for mask, value in sorted(changes):
            new = (bits & ~mask) | value
            if new not in found:
                if len(found) == _MOST_MODES:
                    raise UnsupportedError(
                        f"kernel {kernel.name} sets more than {_MOST_MODES} MODE values",
                        "the emulator keeps one copy of the decoded kernel for each",
                    )
                found.append(new)
    return tuple(found)


def _records(
    program: Program,
    kernel: Kernel,
    pool: ConstantPool,
    mode: int,
    block_variant: Variant,
    style: Style,
    plan: _Plan,
) -> list[Record]:
    """The kernel's records for one MODE value.

    Every instruction has one record (and its tick) whatever the mode, so that a change of mode
    continues at the same place of another copy.
    """
    records: list[Record] = []
    record_of, blocks = plan.record_of, plan.blocks
    vskip = bool(mode >> VSKIP_BIT & 1)
    skipped = Record(_PASS)
    for first, last in _code_ranges(program, kernel):
        decoder = Decoder(pool, FloatMode.from_bits(mode), program.target.arch, vskip, style.exact)
        leaders = _leaders(program, first, last)
        starts = sorted(i for i in leaders if first <= i < last)
        ends = [*starts[1:], last]
        length = dict(zip(starts, ends, strict=True))
        for i in range(first, last):
            record_of[i] = len(records)
            if i in length:
                records.append(Record(block_variant, imm=len(blocks), misc=length[i] - i, index=i))
                blocks.append(EncodedBlock(i, length[i]))
            inst = program.instructions[i]
            try:
                record = decoder.decode(inst)
            except Unsupported as err:
                plan.unsupported[i] = str(err.args[0])
                record = Record(_UNSUPPORTED)
            if record is None and style.waits:
                record = wait_record(inst, program.target)
            if record is None:
                if not decoder.skips(inst):
                    continue
                record = replace(skipped)
            record.index = i
            if record.target is not None:
                record.target = program.branch_target(i)
            if record.target2 is not None:
                record.target2 = program.branch_target(i)
            if record.variant.family == "jump":
                record.imm = (
                    IMAGE_BASE + program.object.text_address + (program.offsets[i] + inst.size)
                )
            if style.shadow and record.variant.family in _WATCHED:
                options = (*record.variant.options, ("shadow", True))
                record.variant = replace(record.variant, options=options)
            records.append(record)
            if style.waits and not decoder.skips(inst):
                records += pending_records(decoder, inst, i, program.target)
            if style.tick:
                records.append(Record(_TICK, index=i))
        records.append(Record(_RUN_OFF, index=last - 1))
    return records


def _lay_out(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    copies: list[list[Record]],
    modes: tuple[int, ...],
    plan: _Plan,
    pool: ConstantPool,
    progress: Progress | None,
) -> EncodedKernel:
    addresses = library.addresses((r.variant for c in copies for r in c), progress)
    count = len(copies[0])
    assert all(len(c) == count for c in copies)
    memory = aligned(len(copies) * count * L.RECORD_SIZE)
    dtype = np.dtype(
        {
            "names": ["fn", "ops", "imm", "region", "index", "misc", "imm2"],
            "formats": ["u8", ("u4", 6), "i8", "u8", "u4", "u4", "i8"],
            "offsets": [L.R_FN, L.R_OPS, L.R_IMM, L.R_REGION, L.R_INDEX, L.R_MISC, L.R_IMM2],
            "itemsize": L.RECORD_SIZE,
        }
    )
    table = memory.view(dtype)
    mode_table = np.zeros((len(copies), 2), np.uint64)
    for n, (bits, records) in enumerate(zip(modes, copies, strict=True)):
        base = memory.ctypes.data + n * count * L.RECORD_SIZE
        mode_table[n] = (bits, base)
        _fill(table[n * count : (n + 1) * count], records, base, plan.record_of, addresses)
    pc_map = np.full(len(program.object.text) // 4 + 1, -1, np.int32)
    for i, n in plan.record_of.items():
        slot = program.offsets[i] // 4
        if slot < len(pc_map):
            pc_map[slot] = n
    entry = _entry_index(program, kernel)
    start = memory.ctypes.data + plan.record_of[entry] * L.RECORD_SIZE
    return EncodedKernel(
        program,
        kernel,
        memory,
        start,
        pool.image(),
        plan.blocks,
        pc_map,
        plan.unsupported,
        modes,
        mode_table,
    )


def _fill(
    table: NDArray[np.void],
    records: list[Record],
    base: int,
    record_of: dict[int, int],
    addresses: dict[Variant, int],
) -> None:
    """Write one copy of the records, whose record 0 lies at address `base`."""
    off_end = record_of.get(-1, len(records) - 1)

    def where(target: int | None) -> int:
        return base + record_of.get(-1 if target is None else target, off_end) * L.RECORD_SIZE

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
    table["fn"] = np.fromiter((addresses[r.variant] for r in records), np.uint64, len(records))
    table["ops"], table["imm"], table["imm2"] = ops, imm, imm2
    table["index"], table["misc"] = index, misc


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
