"""From a recovered program to a laid-out array of records that the engine runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import Kernel
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE
from asmevo.emulate import layout as L
from asmevo.emulate.decode.operands import ConstantPool, Record
from asmevo.emulate.decode.scalar import mode_changes
from asmevo.emulate.decode.templates import PLAIN, TOKENS, Style, Templates, templates
from asmevo.emulate.native.library import HelperLibrary, Progress
from asmevo.emulate.native.variant import Variant
from asmevo.emulate.sanitize.shadow import granule_shifts
from asmevo.errors import UnsupportedError
from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.program import Program

_RUN_OFF = Record(Variant("stop", "run_off"))
_TICK = Record(Variant("tick", "tick"))
_COMPUTED = frozenset({"s_swappc_b64", "s_setpc_b64", "s_rfe_b64"})
_CALLS = _COMPUTED | {"s_call_b64"}
_DTYPE = np.dtype(
    {
        "names": ["fn", "ops", "imm", "region", "index", "misc", "imm2"],
        "formats": ["u8", ("u4", 6), "i8", "u8", "u4", "u4", "i8"],
        "offsets": [L.R_FN, L.R_OPS, L.R_IMM, L.R_REGION, L.R_INDEX, L.R_MISC, L.R_IMM2],
        "itemsize": L.RECORD_SIZE,
    }
)
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
        rest_map: per code dword, how many instructions of its block follow it (itself included)
            where a computed jump would enter the block behind its counter; 0 elsewhere. Such an
            entry at dword d is counted as block `len(blocks) + d`.
        unsupported: instruction index -> why the emulator cannot execute it.
        modes: effective MODE value per copy of the records; copy 0 is the one that starts.
        mode_table: what the engine looks MODE values up in (`layout.MODE_ENTRY` bytes each).
        granules: log2 of the bytes that shadow memory tells apart in LDS and in device memory.
        links: int64, records whose immediate is a code address (of return addresses, `s_getpc`).
        image: device address that these assume the object to be loaded at.
    """

    program: Program
    kernel: Kernel
    memory: NDArray[np.uint8]
    start: int
    constants: bytes
    blocks: list[EncodedBlock]
    pc_map: NDArray[np.int32]
    rest_map: NDArray[np.uint32]
    unsupported: dict[int, str]
    modes: tuple[int, ...]
    mode_table: NDArray[np.uint64]
    granules: tuple[int, int] = (2, 2)
    links: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    image: int = IMAGE_BASE

    def load_at(self, image: int) -> None:
        """Assume the object at another device address."""
        if image != self.image:
            self.memory.view(_DTYPE)["imm"][self.links] += image - self.image
            self.image = image

    def span(self, number: int) -> tuple[int, int]:
        """Instructions [first, last) of a counted block, or of an entry inside one."""
        if number < len(self.blocks):
            block = self.blocks[number]
            return block.first, block.last
        dword = number - len(self.blocks)
        first = bisect_left(self.program.offsets, 4 * dword)
        return first, first + int(self.rest_map[dword])

    @property
    def counters(self) -> int:
        """Counters that a run needs: one per block, then one per code dword."""
        return len(self.blocks) + len(self.rest_map)

    @property
    def longest(self) -> int:
        """Instructions of the longest block."""
        return max((b.last - b.first for b in self.blocks), default=1)

    @property
    def address(self) -> int:
        """Address of record 0."""
        return self.memory.ctypes.data


def aligned(size: int, alignment: int = 64) -> NDArray[np.uint8]:
    """A zeroed byte array whose data is aligned."""
    raw = np.zeros(size + alignment, dtype=np.uint8)
    shift = -raw.ctypes.data % alignment
    return raw[shift : shift + size]


def _code_ranges(program: Program, kernel: Kernel) -> list[tuple[int, int]]:
    """Instruction ranges to encode: the kernel's function, and the others if it may call them."""
    own = program.kernel_function(kernel)
    ranges = [(own.first, own.last)]
    calls = any(inst.base in _CALLS for inst in _distinct(program, ranges))
    if calls or _leaves(program, own.first, own.last):
        ranges += [(f.first, f.last) for f in program.functions if f is not own]
    return ranges


def _leaves(program: Program, first: int, last: int) -> bool:
    """Whether a branch goes out of the range."""
    return any(
        first <= i < last and not first <= target < last for i, target in program.targets.items()
    )


def _distinct(program: Program, ranges: list[tuple[int, int]]) -> list[Instruction]:
    """One instruction per encoding that occurs in the ranges."""
    found: dict[bytes, Instruction] = {}
    for first, last in ranges:
        found.update({inst.raw: inst for inst in program.instructions[first:last]})
    return list(found.values())


def encode(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    style: Style = PLAIN,
    *,
    progress: Progress | None = None,
    met: Sequence[int] = (),
    weights: Sequence[int] | None = None,
) -> EncodedKernel:
    """Decode, compile what is missing, and lay out the records of a kernel.

    Args:
        style: extra records and variants.
        progress: told about helpers that have to be compiled first.
        met: effective MODE values that runs met beyond `reachable_modes` (see `MODE_FAULT`).
        weights: what each instruction of the program counts for, instead of 1; a run then says
            how much was executed by this measure.

    Raises:
        UnsupportedError: more MODE values than the emulator keeps copies for.
    """
    ranges = _code_ranges(program, kernel)
    modes = reachable_modes(program, kernel, met)
    arch = program.target.arch
    entry = _entry_index(program, kernel)
    plan = _plan(program, ranges, entry, templates(modes[0], arch, style), style)
    copies = [_copy(program, plan, templates(bits, arch, style), style, weights) for bits in modes]
    encoded = _lay_out(program, kernel, library, copies, modes, plan, progress)
    if style.shadow:
        encoded.granules = granule_shifts(inst.base for inst in _distinct(program, ranges))
    return encoded


@dataclass(slots=True, eq=False)
class _Plan:
    """What the copies of a kernel's records share: all of them have the same shape."""

    ranges: list[tuple[int, int]]
    record_of: dict[int, int]  # instruction -> its first record
    blocks: list[EncodedBlock]
    block_at: dict[int, int]  # instruction -> number of the block that starts there
    unsupported: dict[int, str]
    indices: list[int] = field(default_factory=lambda: [])  # instruction per record
    targets: list[tuple[int, int]] = field(default_factory=lambda: [])  # (record, instruction)
    jumps: list[tuple[int, int]] = field(default_factory=lambda: [])


_FORESEEN_MODES = 16  # copies made before a run asks for one
_MOST_MODES = 64


def _traced(style: Style) -> tuple[tuple[str, bool], ...]:
    """The option of helpers that count block entries."""
    return (("trace", True),) if style.trace else ()


def reachable_modes(program: Program, kernel: Kernel, met: Sequence[int] = ()) -> tuple[int, ...]:
    """Effective MODE values that the kernel can set by constants, the initial one first.

    Constants are immediates of s_setreg_imm32 and what the kernel moves into the register of an
    s_setreg. Any other value is looked up at run time; the engine faults when it is none of
    these, and the value that it met goes into `met` of the next encoding. So every kernel runs in
    its own modes whatever the constants foresee.

    Raises:
        UnsupportedError: more than 64 values in `met`.
    """
    if len(met) >= _MOST_MODES:
        raise UnsupportedError(
            f"kernel {kernel.name} sets more than {_MOST_MODES} MODE values",
            "the emulator keeps one copy of the decoded kernel for each",
        )
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
    distinct = _distinct(program, _code_ranges(program, kernel))
    changes: set[tuple[int, int]] = set()
    for inst in distinct:
        if decode(inst, program.target).traits.sets_mode:
            changes |= set(mode_changes(inst, distinct))
    found = [first, *(m for m in dict.fromkeys(met) if m != first)]
    for bits in found:
        for mask, value in sorted(changes):
            new = (bits & ~mask) | value
            if new not in found and len(found) < _FORESEEN_MODES:
                found.append(new)
    return tuple(found)


def _plan(
    program: Program, ranges: list[tuple[int, int]], entry: int, found: Templates, style: Style
) -> _Plan:
    """Blocks and record numbers."""
    plan = _Plan(ranges, {}, [], {}, {})
    count = 0
    starts = {entry, *(first for first, _ in ranges)}
    for first, last in ranges:
        for i, inst in enumerate(program.instructions[first:last], first):
            template = found.of(inst)
            if template.ends_block:
                starts.add(i + 1)
            if template.targets or template.ends_block:
                target = program.branch_target(i)
                if target is not None:
                    starts.add(target)
    for first, last in ranges:
        ordered = sorted(i for i in starts if first <= i < last)
        for i, end in zip(ordered, [*ordered[1:], last], strict=True):
            plan.block_at[i] = len(plan.blocks)
            plan.blocks.append(EncodedBlock(i, end))
        for i, inst in enumerate(program.instructions[first:last], first):
            plan.record_of[i] = count
            if i in plan.block_at:
                plan.indices.append(i)
                count += 1
            template = found.of(inst)
            if template.reason:
                plan.unsupported[i] = template.reason
            records = template.records
            if not records:
                continue
            if template.targets:
                plan.targets.append((count, i))
            if records[0].variant.family == "jump":
                plan.jumps.append((count, i))
            size = len(records) + style.tick
            plan.indices += [i] * size
            count += size
        plan.indices.append(last - 1)
        count += 1
    return plan


def _copy(
    program: Program,
    plan: _Plan,
    found: Templates,
    style: Style,
    weights: Sequence[int] | None = None,
) -> list[Record]:
    """The kernel's records for one MODE value.

    Every instruction has the same number of records whatever the mode, so that a change of mode
    continues at the same place of another copy.
    """
    variant = Variant("block", "block", "", _traced(style))
    records: list[Record] = []
    of, block_at, blocks = found.of, plan.block_at, plan.blocks
    for first, last in plan.ranges:
        for i, inst in enumerate(program.instructions[first:last], first):
            if i in block_at:
                number = block_at[i]
                block = blocks[number]
                length = block.last - block.first
                if weights is not None:
                    length = sum(weights[block.first : block.last])
                records.append(Record(variant, imm=number, misc=length))
            own = of(inst).records
            if own:
                records += own
                if style.tick:
                    records.append(_TICK)
        records.append(_RUN_OFF)
    return records


def _lay_out(
    program: Program,
    kernel: Kernel,
    library: HelperLibrary,
    copies: list[list[Record]],
    modes: tuple[int, ...],
    plan: _Plan,
    progress: Progress | None,
) -> EncodedKernel:
    variants = {id(r.variant): r.variant for c in copies for r in c}
    addresses = library.addresses(variants.values(), progress)
    address_of = {key: addresses[variant] for key, variant in variants.items()}
    count = len(plan.indices)
    assert all(len(c) == count for c in copies)
    memory = aligned(len(copies) * count * L.RECORD_SIZE)
    table = memory.view(_DTYPE)
    table["index"] = np.tile(np.array(plan.indices, np.int64), len(copies))
    table["fn"] = np.fromiter(
        (address_of[id(r.variant)] for c in copies for r in c), np.uint64, len(copies) * count
    )
    rows = np.array([r.row for c in copies for r in c], np.int64)
    for column, name in enumerate(("imm", "imm2", "misc")):
        table[name] = rows[:, column]
    pool = ConstantPool()
    table["ops"] = _placed(np.ascontiguousarray(rows[:, 3:]), pool)
    mode_table = np.zeros((len(copies), 2), np.uint64)
    for n, bits in enumerate(modes):
        base = memory.ctypes.data + n * count * L.RECORD_SIZE
        mode_table[n] = (bits, base)
        _connect(program, plan, copies[n], table[n * count : (n + 1) * count], base)
    pc_map = np.full(len(program.object.text) // 4 + 1, -1, np.int32)
    for i, n in plan.record_of.items():
        slot = program.offsets[i] // 4
        if slot < len(pc_map):
            pc_map[slot] = n
    rest_map = _rest_map(program, plan, len(pc_map))
    jumps = np.array([n for n, _ in plan.jumps], np.int64)
    links = (np.arange(len(copies))[:, None] * count + jumps).reshape(-1)
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
        rest_map,
        plan.unsupported,
        modes,
        mode_table,
        links=links,
    )


def _rest_map(program: Program, plan: _Plan, dwords: int) -> NDArray[np.uint32]:
    """See `EncodedKernel.rest_map`; empty for a kernel without computed jumps."""
    if not any(inst.base in _COMPUTED for inst in _distinct(program, plan.ranges)):
        return np.zeros(0, np.uint32)
    out = np.zeros(dwords, np.uint32)
    for block in plan.blocks:
        for i in range(block.first + 1, block.last):
            out[program.offsets[i] // 4] = block.last - i
    return out


def _placed(ops: NDArray[np.int64], pool: ConstantPool) -> NDArray[np.int64]:
    """Operand offsets with constants' tokens replaced by places in the kernel's own pool."""
    flat = ops.ravel()
    where = np.flatnonzero(flat < 0)
    tokens, inverse = np.unique(flat[where], return_inverse=True)
    places = np.array([pool.put(TOKENS.value(int(t))) for t in tokens], np.int64)
    out = flat.copy()
    if len(where):
        out[where] = places[inverse]
    return out.reshape(ops.shape)


def _connect(
    program: Program, plan: _Plan, records: list[Record], table: NDArray[np.void], base: int
) -> None:
    """Write branch targets and return addresses into one copy, whose record 0 lies at `base`."""
    off_end = len(records) - 1
    for n, i in plan.jumps:
        address = IMAGE_BASE + program.object.text_address + program.offsets[i]
        table["imm"][n] = address + program.instructions[i].size
    for n, i in plan.targets:
        target = program.branch_target(i)
        number = plan.record_of.get(-1 if target is None else target, off_end)
        column = "imm" if records[n].target is not None else "imm2"
        table[column][n] = base + number * L.RECORD_SIZE


def _entry_index(program: Program, kernel: Kernel) -> int:
    """Instruction at which the hardware starts: behind the compatibility prologue with preload."""
    function = program.kernel_function(kernel)
    if not kernel.descriptor.kernarg_preload_length:
        return function.first
    wanted = program.offsets[function.first] + PRELOAD_PROLOGUE
    for i in range(function.first, function.last):
        if program.offsets[i] >= wanted:
            return i
    return function.first
