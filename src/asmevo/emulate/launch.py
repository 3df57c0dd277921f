"""Running an encoded kernel: memory regions, wave state images, the native scheduler, results."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import CodeObject, Kernel
from asmevo.emulate import layout as L
from asmevo.emulate import runtime as R
from asmevo.emulate.encode import IMAGE_BASE, EncodedKernel, aligned
from asmevo.emulate.library import HelperLibrary
from asmevo.errors import InputError, UnsupportedError

DISPATCH_ADDRESS = 0x7D00_0000_0000  # the AQL packet, for kernels that ask for it
# Stack of a work-item whose callees are not known when compiling: HIP's default hipLimitStackSize.
DYNAMIC_STACK = 1024
_LDS_GRANULE = {"gfx950": 1280}
_RELATIVE64 = 13  # R_AMDGPU_RELATIVE64, AMDGPUUsage "Relocation Records"


@dataclass(slots=True, eq=False)
class MemoryRegion:
    """Host bytes that back a device address range; `data` is written in place."""

    name: str
    address: int
    data: NDArray[np.uint8]
    writable: bool


@dataclass(frozen=True, slots=True)
class Launch:
    """Geometry and inputs of one dispatch.

    `order` lists workgroup ids (linear, x fastest) in launch order; None is ascending.
    `quantum` > 0 interleaves waves every so many instructions; `shuffle` != 0 seeds wave order.
    `resident` workgroups share the machine at once.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds_dynamic: int
    kernarg: bytes
    kernarg_address: int
    order: Sequence[int] | None = None
    quantum: int = 0
    shuffle: int = 0
    resident: int = 1
    poison: int = 0
    budget: int = 2_000_000_000
    trace_groups: int = 0
    trace_capacity: int = 1 << 16


@dataclass(slots=True, eq=False)
class Outcome:
    """What a launch did. `fault` is a code of `layout.FAULT_KINDS` or a negative scheduler code."""

    fault: int = 0
    fault_index: int = -1
    fault_lanes: int = 0
    fault_address: int = 0
    fault_group: int = -1
    budget_spent: bool = False
    executed: int = 0
    block_counts: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    traces: list[tuple[int, int, NDArray[np.uint32], bool]] = field(default_factory=lambda: [])


def object_image(co: CodeObject) -> list[MemoryRegion]:
    """The object's loadable segments at `IMAGE_BASE`, relocated.

    Raises:
        UnsupportedError: a relocation other than RELATIVE64.
    """
    regions: list[MemoryRegion] = []
    for segment in co.elf.segments:
        if segment.type != 1 or not segment.mem_size:  # PT_LOAD
            continue
        data = aligned(segment.mem_size)
        raw = co.data[segment.offset : segment.offset + segment.file_size]
        data[: len(raw)] = np.frombuffer(raw, np.uint8)
        writable = bool(segment.flags & 2)
        regions.append(
            MemoryRegion(f"segment@{segment.vaddr:#x}", IMAGE_BASE + segment.vaddr, data,
                         writable)
        )
    for section in co.elf.sections:
        if section.type != 4:  # SHT_RELA
            continue
        for relocation in co.elf.relocations(section):
            if relocation.type != _RELATIVE64:
                raise UnsupportedError(
                    f"relocation type {relocation.type} of the code object is not supported",
                    "only R_AMDGPU_RELATIVE64 is applied by the emulator",
                )
            for region in regions:
                at = IMAGE_BASE + relocation.offset - region.address
                if 0 <= at <= len(region.data) - 8:
                    value = IMAGE_BASE + relocation.addend
                    region.data[at : at + 8] = np.frombuffer(
                        struct.pack("<Q", value), np.uint8
                    )
    return regions


def private_bytes(kernel: Kernel) -> int:
    """Scratch bytes of a work-item; callees found at run time get the runtime's default stack."""
    fixed = kernel.descriptor.private_segment_fixed_size
    if kernel.descriptor.uses_dynamic_stack:
        return max(fixed, DYNAMIC_STACK)
    return fixed


def _dispatch_packet(kernel: Kernel, launch: Launch) -> NDArray[np.uint8]:
    """AQL kernel dispatch packet (HSA 2.9.6): sizes, LDS, kernarg address."""
    gx, gy, gz = (g * b for g, b in zip(launch.grid, launch.block, strict=True))
    packet = struct.pack(
        "<HHHHHHIIIIIQQQQ", 2, 3, *launch.block, 0, gx, gy, gz,
        private_bytes(kernel),
        kernel.descriptor.group_segment_fixed_size + launch.lds_dynamic,
        0, launch.kernarg_address, 0, 0,
    )
    data = aligned(64)
    data[:] = np.frombuffer(packet, np.uint8)
    return data


def lds_bytes(kernel: Kernel, launch: Launch) -> int:
    """LDS allocation of a workgroup, rounded to the target's granule.

    Raises:
        InputError: more than a workgroup may have.
    """
    target = kernel.descriptor.target
    wanted = kernel.descriptor.group_segment_fixed_size + launch.lds_dynamic
    granule = _LDS_GRANULE.get(target.arch, 512)
    rounded = -(-wanted // granule) * granule
    if wanted > target.lds_bytes_per_cu:
        raise InputError(
            f"kernel {kernel.name}: {wanted} bytes of LDS exceed the {target.lds_bytes_per_cu} "
            f"that a {target.arch} workgroup may have",
            "lower `lds` in the launch description",
        )
    return min(rounded, target.lds_bytes_per_cu)


def _user_sgprs(kernel: Kernel, launch: Launch) -> tuple[dict[int, int], dict[str, int]]:
    """(initial SGPR values, SGPR number of workgroup ids x, y, z) by AMDGPUUsage's order."""
    d = kernel.descriptor
    values: dict[int, int] = {}
    at = 0

    def pair(value: int) -> None:
        nonlocal at
        values[at], values[at + 1] = value & 0xFFFFFFFF, value >> 32
        at += 2

    if d.enable_sgpr_private_segment_buffer:
        at += 4
    if d.enable_sgpr_dispatch_ptr:
        pair(DISPATCH_ADDRESS)
    if d.enable_sgpr_queue_ptr:
        pair(0)
    if d.enable_sgpr_kernarg_segment_ptr:
        pair(launch.kernarg_address)
    if d.enable_sgpr_dispatch_id:
        pair(0)
    if d.enable_sgpr_flat_scratch_init:
        pair(0)
    if d.enable_sgpr_private_segment_size:
        values[at] = private_bytes(kernel)
        at += 1
    first = 4 * d.kernarg_preload_offset
    for n in range(d.kernarg_preload_length):
        word = launch.kernarg[first + 4 * n : first + 4 * n + 4].ljust(4, b"\0")
        values[at] = int.from_bytes(word, "little")
        at += 1
    # The hardware loads `user_sgpr_count` registers; workgroup ids follow them.
    at = max(at, d.user_sgpr_count)
    places: dict[str, int] = {}
    for axis in "xyz":
        if getattr(d, f"enable_sgpr_workgroup_id_{axis}"):
            places[axis] = at
            at += 1
    if d.enable_sgpr_workgroup_info:
        places["info"] = at
        at += 1
    return values, places


class Machine:
    """Runs encoded kernels. Not shared between threads."""

    def __init__(self, library: HelperLibrary) -> None:
        self._run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(library.address("asmevo_run"))

    def run(
        self, encoded: EncodedKernel, launch: Launch, regions: Sequence[MemoryRegion]
    ) -> Outcome:
        """Execute all workgroups; the regions' data changes in place.

        Raises:
            InputError: the launch asks for more LDS than there is.
        """
        kernel = encoded.kernel
        keep: list[object] = []  # what the native side points to
        waves = -(-int(np.prod(launch.block)) // 64)
        resident = max(1, min(launch.resident, int(np.prod(launch.grid))))
        all_regions = [
            *regions,
            MemoryRegion("dispatch packet", DISPATCH_ADDRESS, _dispatch_packet(kernel, launch),
                         False),
        ]
        table = self._region_table(all_regions)
        keep.append(table)
        # Every record starts with the first region as the one it hit last.
        encoded.memory.view(np.uint64)[L.R_REGION // 8 :: L.RECORD_SIZE // 8] = table.ctypes.data
        counts = np.zeros(max(1, len(encoded.blocks)), np.uint64)
        lds = lds_bytes(kernel, launch)
        tail = self._tail_image(encoded, launch, table, len(all_regions), counts, lds)
        state_size = -(-(L.SGPRS + len(tail)) // 4096) * 4096
        states = aligned(state_size * waves * resident)
        pointers = np.arange(waves * resident, dtype=np.uint64) * np.uint64(state_size) + np.uint64(
            states.ctypes.data
        )
        rng = np.random.Generator(np.random.PCG64(launch.poison + 0x9E3779B9))
        vgprs = max(3, min(256, kernel.descriptor.arch_vgprs))
        agprs = min(256, kernel.descriptor.agprs)
        v_junk = _junk(rng, vgprs * L.ROW)
        a_junk = _junk(rng, max(1, agprs) * L.ROW)
        lds_stride = -(-max(64, lds) // 64) * 64 + 64
        lds_memory = aligned(lds_stride * resident)
        lds_image = _junk(rng, max(1, lds))
        ids, id_rows, exec_masks = _work_items(kernel, launch, waves)
        groups = _groups(launch)
        private = private_bytes(kernel)
        private_stride = max(64, private * 64)
        private_memory = aligned(private_stride * waves * resident)
        traced = min(launch.trace_groups, len(groups))
        capacity = launch.trace_capacity if traced else 0
        trace = np.zeros(max(1, traced * waves * capacity), np.uint32)
        lengths = np.zeros(max(1, traced * waves), np.uint64)
        places = _user_sgprs(kernel, launch)[1]
        ctx = np.zeros(R.CONTEXT_SIZE // 8, np.int64)

        def put(offset: int, value: int) -> None:
            ctx[offset // 8] = value

        def point(offset: int, array: NDArray[np.generic]) -> None:
            keep.append(array)
            ctx[offset // 8] = array.ctypes.data

        point(R.C_STATES, pointers)
        put(R.C_WAVES, waves)
        put(R.C_RESIDENT, resident)
        point(R.C_GROUPS, groups)
        put(R.C_GROUP_COUNT, len(groups))
        point(R.C_VGPRS, v_junk)
        put(R.C_VGPR_BYTES, len(v_junk))
        point(R.C_AGPRS, a_junk)
        put(R.C_AGPR_BYTES, agprs * L.ROW)
        point(R.C_TAIL, tail)
        put(R.C_TAIL_BYTES, len(tail))
        point(R.C_IDS, ids)
        put(R.C_ID_ROWS, id_rows)
        point(R.C_EXEC, exec_masks)
        for axis, offset in (("x", R.C_SGPR_X), ("y", R.C_SGPR_Y), ("z", R.C_SGPR_Z)):
            put(offset, L.sgpr(places[axis]) if axis in places else -1)
        point(R.C_LDS, lds_memory)
        put(R.C_LDS_STRIDE, lds_stride)
        point(R.C_LDS_IMAGE, lds_image)
        put(R.C_LDS_BYTES, lds)
        put(R.C_TICKS, launch.quantum or (1 << 62))
        put(R.C_SHUFFLE, launch.shuffle)
        point(R.C_TRACE, trace)
        put(R.C_TRACE_CAPACITY, capacity)
        put(R.C_TRACE_GROUPS, traced)
        point(R.C_TRACE_LENGTHS, lengths)
        point(R.C_PRIVATE, private_memory)
        put(R.C_PRIVATE_STRIDE, private_stride)
        put(R.C_START, encoded.start)
        keep.append(states)
        code = self._run(ctx.ctypes.data)
        return self._outcome(code, ctx, encoded, counts, trace, lengths, traced, waves, capacity)

    # --- images -----------------------------------------------------------------------------
    @staticmethod
    def _region_table(regions: Sequence[MemoryRegion]) -> NDArray[np.uint64]:
        table = np.zeros((len(regions), L.REGION_SIZE // 8), np.uint64)
        for n, region in enumerate(regions):
            host = region.data.ctypes.data
            flags = L.READABLE | (L.WRITABLE if region.writable else 0)
            delta = (host - region.address) & (2**64 - 1)
            table[n] = (region.address, len(region.data), delta, flags, n)
        return table

    @staticmethod
    def _tail_image(
        encoded: EncodedKernel, launch: Launch, table: NDArray[np.uint64], count: int,
        counts: NDArray[np.uint64], lds: int,
    ) -> NDArray[np.uint8]:
        """Everything from the scalar file on, as each wave starts with it."""
        size = L.CONSTANTS - L.SGPRS + len(encoded.constants)
        rng = np.random.Generator(np.random.PCG64(launch.poison + 0x5851F42D))
        image = aligned(-(-size // 64) * 64)
        image[: 129 * 4] = rng.integers(0, 256, 129 * 4, dtype=np.uint8)

        def put(offset: int, form: str, value: int) -> None:
            raw = struct.pack(form, value)
            at = offset - L.SGPRS
            image[at : at + len(raw)] = np.frombuffer(raw, np.uint8)

        for number, value in _user_sgprs(encoded.kernel, launch)[0].items():
            put(L.sgpr(number), "<I", value)
        put(L.SCC, "<I", launch.poison & 1)
        put(L.BUDGET, "<q", launch.budget)
        put(L.LDS_SIZE, "<Q", lds)
        put(L.REGIONS, "<Q", table.ctypes.data)
        put(L.REGION_COUNT, "<Q", count)
        put(L.COUNTS, "<Q", counts.ctypes.data)
        put(L.RECORDS, "<Q", encoded.address)
        put(L.PC_MAP, "<Q", encoded.pc_map.ctypes.data)
        put(L.CODE_ADDRESS, "<Q", IMAGE_BASE + encoded.program.object.text_address)
        put(L.CODE_SIZE, "<Q", 4 * (len(encoded.pc_map) - 1))
        put(L.PRIVATE_SIZE, "<Q", private_bytes(encoded.kernel))
        at = L.CONSTANTS - L.SGPRS
        pool = np.frombuffer(encoded.constants, np.uint8)
        image[at : at + len(pool)] = pool
        return image

    @staticmethod
    def _outcome(
        code: int, ctx: NDArray[np.int64], encoded: EncodedKernel, counts: NDArray[np.uint64],
        trace: NDArray[np.uint32], lengths: NDArray[np.uint64], traced: int, waves: int,
        capacity: int,
    ) -> Outcome:
        out = Outcome(executed=int(ctx[R.C_EXECUTED // 8]), block_counts=counts)
        if code == R.STOPPED:
            state = int(ctx[R.C_FAULT_STATE // 8])

            def read(offset: int, form: str) -> int:
                raw = ctypes.string_at(state + offset, struct.calcsize(form))
                return int(struct.unpack(form, raw)[0])

            record = (read(L.RECORD, "<Q") - encoded.address) // L.RECORD_SIZE
            at = record * L.RECORD_SIZE + L.R_INDEX
            out.fault_index = int.from_bytes(encoded.memory[at : at + 4].tobytes(), "little")
            out.fault_group = int(ctx[R.C_FAULT_GROUP // 8])
            if read(L.STATUS, "<I") == L.OUT_OF_BUDGET:
                out.budget_spent = True
            else:
                out.fault = read(L.FAULT, "<I")
                out.fault_lanes = read(L.FAULT_LANES, "<Q")
                out.fault_address = read(L.FAULT_ADDRESS, "<Q")
            out.executed += read(L.EXECUTED, "<Q")
        for group in range(traced):
            for wave in range(waves):
                n = group * waves + wave
                length = int(lengths[n])
                kept = trace[n * capacity : n * capacity + min(length, capacity)].copy()
                out.traces.append((group, wave, kept, length > capacity))
        return out


def _junk(rng: np.random.Generator, size: int) -> NDArray[np.uint8]:
    data = aligned(size)
    data[:] = rng.integers(0, 256, size, dtype=np.uint8)
    return data


def _work_items(
    kernel: Kernel, launch: Launch, waves: int
) -> tuple[NDArray[np.uint8], int, NDArray[np.uint64]]:
    """(id rows per wave, rows to copy, initial EXEC per wave)."""
    bx, by, bz = launch.block
    total = bx * by * bz
    linear = np.arange(waves * 64, dtype=np.uint32)
    x, y, z = linear % bx, linear // bx % by, linear // (bx * by)
    active = linear < total
    wanted = kernel.descriptor.enable_vgpr_workitem_id
    if kernel.descriptor.target.unified_vgprs:
        packed = x.copy()
        if wanted >= 1:
            packed |= y << 10
        if wanted >= 2:
            packed |= z << 20
        rows, ids = 1, [packed, packed, packed]
    else:
        rows, ids = wanted + 1, [x, y, z]
    image = aligned(waves * 3 * L.ROW)
    view = image.view(np.uint32).reshape(waves, 3, 64)
    for n, values in enumerate(ids):
        view[:, n, :] = np.where(active, values, 0xDEADBEEF).reshape(waves, 64)
    masks = np.zeros(waves, np.uint64)
    for w in range(waves):
        lanes = min(64, total - 64 * w)
        masks[w] = (1 << lanes) - 1
    return image, rows, masks


def _groups(launch: Launch) -> NDArray[np.uint32]:
    gx, gy, gz = launch.grid
    numbers = np.arange(gx * gy * gz, dtype=np.uint32)
    if launch.order is not None:
        numbers = np.asarray(launch.order, np.uint32)
    out = np.empty((len(numbers), 4), np.uint32)
    out[:, 0] = numbers % gx
    out[:, 1] = numbers // gx % gy
    out[:, 2] = numbers // (gx * gy)
    out[:, 3] = numbers
    return np.ascontiguousarray(out)
