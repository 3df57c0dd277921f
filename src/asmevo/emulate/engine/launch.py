"""What a launch starts from: geometry, memory regions, initial registers, wave state images."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import CodeObject, Kernel
from asmevo.codeobject.relocations import RelocationType
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import IMAGE_BASE, EncodedKernel, aligned
from asmevo.emulate.engine.junk import scalar_junk
from asmevo.errors import InputError, UnsupportedError

DISPATCH_ADDRESS = 0x7D00_0000_0000  # the AQL packet, for kernels that ask for it
# Stack of a work-item whose callees are not known when compiling: HIP's default hipLimitStackSize.
DYNAMIC_STACK = 1024


@dataclass(slots=True, eq=False)
class MemoryRegion:
    """Host bytes that back a device address range; `data` is written in place."""

    name: str
    address: int
    data: NDArray[np.uint8]
    writable: bool
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """Geometry and inputs of one dispatch.

    `order` lists workgroup ids (linear, x fastest) in launch order; None is ascending.
    `quantum` > 0 interleaves waves every so many instructions; `shuffle` != 0 seeds wave order;
    `pause` seeds where waves pause in front of memory instructions (None: nowhere).
    `image` is the address that the object is loaded at, `packet` that of the dispatch packet.
    `budget` is the most instructions of one wave; every `slice` of them it is looked at for
    progress (see `spin`; 0 for never). `resident` workgroups share the machine at once. `shadow`
    and `waits` must be what the kernel was encoded with. Of the workgroups `traced`, each wave
    keeps at most `trace_capacity` block entries and `touch_capacity` words of `timing.touches`;
    `paths` asks for what each workgroup executed, all in a kernel encoded with traces.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds_dynamic: int
    kernarg: bytes
    kernarg_address: int
    order: Sequence[int] | None = None
    quantum: int = 0
    pause: int | None = None
    shuffle: int = 0
    resident: int = 1
    poison: int = 0
    budget: int = 2_000_000_000
    slice: int = 1 << 20
    traced: tuple[int, ...] = ()
    trace_capacity: int = 1 << 16
    touch_capacity: int = 0
    paths: bool = False
    shadow: bool = False
    waits: bool = False
    image: int = IMAGE_BASE
    packet: int = DISPATCH_ADDRESS


def object_image(co: CodeObject, base: int = IMAGE_BASE) -> list[MemoryRegion]:
    """The object's loadable segments at the device address `base`, relocated.

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
            MemoryRegion(f"segment@{segment.vaddr:#x}", base + segment.vaddr, data, writable)
        )
    for section in co.elf.sections:
        if section.type != 4:  # SHT_RELA
            continue
        for relocation in co.elf.relocations(section):
            if relocation.type != RelocationType.RELATIVE64:
                raise UnsupportedError(
                    f"relocation type {relocation.type} of the code object is not supported",
                    "only R_AMDGPU_RELATIVE64 is applied by the emulator",
                )
            for region in regions:
                at = base + relocation.offset - region.address
                if 0 <= at <= len(region.data) - 8:
                    value = base + relocation.addend
                    region.data[at : at + 8] = np.frombuffer(struct.pack("<Q", value), np.uint8)
    return regions


def private_bytes(kernel: Kernel) -> int:
    """Scratch bytes of a work-item; callees found at run time get the runtime's default stack."""
    fixed = kernel.descriptor.private_segment_fixed_size
    if kernel.descriptor.uses_dynamic_stack:
        return max(fixed, DYNAMIC_STACK)
    return fixed


def dispatch_packet(kernel: Kernel, launch: Launch) -> NDArray[np.uint8]:
    """AQL kernel dispatch packet (HSA 2.9.6): sizes, LDS, kernarg address."""
    gx, gy, gz = (g * b for g, b in zip(launch.grid, launch.block, strict=True))
    packet = struct.pack(
        "<HHHHHHIIIIIQQQQ",
        2,
        3,
        *launch.block,
        0,
        gx,
        gy,
        gz,
        private_bytes(kernel),
        kernel.descriptor.group_segment_fixed_size + launch.lds_dynamic,
        0,
        launch.kernarg_address,
        0,
        0,
    )
    data = aligned(len(packet))
    data[:] = np.frombuffer(packet, np.uint8)
    return data


def lds_bytes(kernel: Kernel, launch: Launch) -> int:
    """LDS allocation of a workgroup, rounded to the target's granule.

    Raises:
        InputError: more than a workgroup may have.
    """
    target = kernel.descriptor.target
    wanted = kernel.descriptor.group_segment_fixed_size + launch.lds_dynamic
    rounded = -(-wanted // target.lds_granule) * target.lds_granule
    if wanted > target.lds_bytes_per_cu:
        raise InputError(
            f"kernel {kernel.name}: {wanted} bytes of LDS exceed the {target.lds_bytes_per_cu} "
            f"that a {target.arch} workgroup may have",
            "lower `lds` in the launch description",
        )
    return min(rounded, target.lds_bytes_per_cu)


def user_sgprs(kernel: Kernel, launch: Launch) -> tuple[dict[int, int], dict[str, int]]:
    """(initial SGPR values, SGPR number of workgroup ids x, y, z) by AMDGPUUsage's order."""
    d = kernel.descriptor
    values: dict[int, int] = {}
    at = 0

    def pair(value: int) -> None:
        nonlocal at
        values[at], values[at + 1] = value & 0xFFFFFFFF, value >> 32
        at += 2

    if d.enable_sgpr_private_segment_buffer:
        values |= dict(enumerate(_private_buffer(), at))
        at += 4
    if d.enable_sgpr_dispatch_ptr:
        pair(launch.packet)
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
    if d.enable_private_segment and d.enable_sgpr_private_segment_buffer:
        values[at] = 0  # scratch wave offset: every wave's scratch starts its own window
    return values, places


def _private_buffer() -> tuple[int, int, int, int]:
    """The scratch V#: swizzled by lane, the dwords of all lanes side by side (GFX9)."""
    base = L.PRIVATE_WINDOW
    return base & 0xFFFFFFFF, base >> 32 | 1 << 31, 0xFFFFFFFF, 1 << 23 | 3 << 21


def region_table(regions: Sequence[MemoryRegion]) -> NDArray[np.uint64]:
    """The native region table of a launch."""
    table = np.zeros((len(regions), L.REGION_SIZE // 8), np.uint64)
    for n, region in enumerate(regions):
        host = region.data.ctypes.data
        flags = L.READABLE | (L.WRITABLE if region.writable else 0)
        flags |= L.UNDEFINED if region.undefined else 0
        delta = (host - region.address) & (2**64 - 1)
        table[n] = (region.address, len(region.data), delta, flags, n)
    return table


def tail_image(
    encoded: EncodedKernel,
    launch: Launch,
    table: NDArray[np.uint64],
    count: int,
    counts: NDArray[np.uint64],
    lds: int,
    shadow_table: int = 0,
    reports: int = 0,
) -> NDArray[np.uint8]:
    """Everything from the scalar file on, as each wave starts with it."""
    size = L.CONSTANTS - L.SGPRS + len(encoded.constants)
    image = aligned(-(-size // 64) * 64)
    scalars = scalar_junk(launch.poison)
    image[: len(scalars)] = scalars

    def put(offset: int, form: str, value: int) -> None:
        raw = struct.pack(form, value)
        at = offset - L.SGPRS
        image[at : at + len(raw)] = np.frombuffer(raw, np.uint8)

    for number, value in user_sgprs(encoded.kernel, launch)[0].items():
        put(L.sgpr(number), "<I", value)
    put(L.SCC, "<I", launch.poison & 1)
    put(L.BUDGET, "<q", min(launch.budget, launch.slice or launch.budget))
    put(L.LDS_SIZE, "<Q", lds)
    put(L.REGIONS, "<Q", table.ctypes.data)
    put(L.REGION_COUNT, "<Q", count)
    put(L.COUNTS, "<Q", counts.ctypes.data)
    put(L.RECORDS, "<Q", encoded.address)
    put(L.PC_MAP, "<Q", encoded.pc_map.ctypes.data)
    put(L.REST_MAP, "<Q", encoded.rest_map.ctypes.data)
    put(L.BLOCK_COUNT, "<Q", len(encoded.blocks))
    put(L.CODE_ADDRESS, "<Q", launch.image + encoded.program.object.text_address)
    put(L.CODE_SIZE, "<Q", 4 * (len(encoded.pc_map) - 1))
    put(L.SHADOW_TABLE, "<Q", shadow_table)
    put(L.REPORTS, "<Q", reports)
    put(L.PAUSES, "<Q", launch.pause or 0)
    put(L.PAUSE_SEED, "<Q", launch.pause or 0)
    put(L.PRIVATE_SIZE, "<Q", private_bytes(encoded.kernel))
    put(L.MODE_BITS, "<I", encoded.modes[0])
    put(L.MODES, "<Q", encoded.mode_table.ctypes.data)
    put(L.MODE_COUNT, "<Q", len(encoded.modes))
    at = L.CONSTANTS - L.SGPRS
    pool = np.frombuffer(encoded.constants, np.uint8)
    image[at : at + len(pool)] = pool
    return image


def work_items(
    kernel: Kernel, launch: Launch, waves: int
) -> tuple[NDArray[np.uint8], int, NDArray[np.uint64]]:
    """(id rows per wave, rows to copy, initial EXEC per wave)."""
    bx, by, bz = launch.block
    total = bx * by * bz
    lanes = kernel.descriptor.target.wave_size
    linear = np.arange(waves * lanes, dtype=np.uint32)
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
    view = image.view(np.uint32).reshape(waves, 3, L.WIDEST)
    for n, values in enumerate(ids):
        view[:, n, :lanes] = np.where(active, values, 0xDEADBEEF).reshape(waves, lanes)
    masks = np.zeros(waves, np.uint64)
    for w in range(waves):
        masks[w] = (1 << min(lanes, total - lanes * w)) - 1
    return image, rows, masks


def group_list(launch: Launch) -> NDArray[np.uint32]:
    """(x, y, z, linear id) of the workgroups in launch order, uint32 [workgroups, 4]."""
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
