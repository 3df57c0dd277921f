"""Loaded code objects: picked out of what a program passed, placed in the arena, described."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from asmevo.codeobject import CodeObject, Kernel
from asmevo.codeobject.bundle import COMPRESSED_MAGIC, MAGIC, parse_bundle, parse_compressed
from asmevo.codeobject.elf import STT_OBJECT
from asmevo.emulate.engine.launch import MemoryRegion, object_image
from asmevo.emulate.native.library import HelperLibrary
from asmevo.errors import AsmEvoError, InputError
from asmevo.hip.arena import Arena
from asmevo.hip.devices import Presented, choose, matches
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.timing.occupancy import occupancy

_PAGE = 4096


class NoBinary(InputError):
    """None of the code objects is for the device."""


@dataclass(eq=False)
class Module:
    """A code object of the program.

    Attributes:
        data: its bytes, as loaded.
        base: address of its image in the arena; 0 until it is placed.
        segments: its loaded segments, in the arena.
    """

    data: bytes
    code: CodeObject
    base: int = 0
    segments: list[MemoryRegion] = field(default_factory=lambda: [])
    _program: Program | None = None

    @cached_property
    def sha256(self) -> bytes:
        """Digest of its bytes."""
        return hashlib.sha256(self.data).digest()

    @property
    def program(self) -> Program:
        """Recovered when something of it first runs."""
        if self._program is None:
            self._program = recover(self.code)
        return self._program

    @property
    def span(self) -> int:
        """Bytes of its image."""
        ends = [s.vaddr + s.mem_size for s in self.code.elf.segments if s.type == 1]
        return -(-max(ends, default=0) // _PAGE) * _PAGE

    def place(self, arena: Arena, base: int, keep: bool) -> None:
        """Put the image at `base`; with `keep` its memory is there already.

        Raises:
            UnsupportedError: a relocation that the loader does not know.
        """
        self.base = base
        self.segments = []
        for region in object_image(self.code, base):
            data = arena.view(region.address, len(region.data))
            if not keep:
                data[:] = region.data
            self.segments.append(MemoryRegion(region.name, region.address, data, region.writable))


def pick(data: bytes, device: Presented) -> bytes:
    """The code object in `data` (bare, bundled or compressed) that the device runs.

    Raises:
        NoBinary: there is none.
        AsmEvoError: damaged.
    """
    if data[:4] == COMPRESSED_MAGIC:
        data = bytes(parse_compressed(data).contents)
    if data[: len(MAGIC)] != MAGIC:
        return data
    bundle = parse_bundle(data)
    entry = choose(device.target, bundle.entries)
    if entry is None:
        ids = ", ".join(e.id for e in bundle.entries if "amdgcn" in e.id) or "none"
        raise NoBinary(
            f"the program has no code object for {device.arch}; it has {ids}",
            "give the program's architecture: asmevo exec --arch",
        )
    return data[entry.offset : entry.offset + entry.size]


def load(data: bytes, device: Presented) -> Module:
    """A module of the bytes that a program passed.

    Raises:
        NoBinary: nothing in it is for the device.
        AsmEvoError: damaged, or not supported.
    """
    picked = pick(data, device)
    code = CodeObject.open(picked)
    if not matches(device.target, code.target):
        raise NoBinary(
            f"the code object is for {code.target.target_id}, the device is {device.arch}",
            f"give asmevo exec --arch {code.target.target_id}",
        )
    return Module(picked, code)


def description(handle: int, module: Module) -> bytes:
    """What the library is told of a module: kernels with their arguments, and variables."""
    kernels = module.code.kernels
    symbols = {
        s.name: (s.value, s.size)
        for s in module.code.elf.all_symbols()
        if s.type == STT_OBJECT and s.section and s.size and not s.name.endswith(".kd")
    }
    parts = [struct.pack("<IQII", handle, module.span, len(kernels), len(symbols))]
    parts += [_described(k, module.code.target) for k in kernels]
    for name, (value, size) in symbols.items():
        parts.append(struct.pack("<QQ", value, size) + _text(name))
    return b"".join(parts)


def _text(name: str) -> bytes:
    raw = name.encode("utf8", "surrogateescape")
    return struct.pack("<I", len(raw)) + raw


def _described(kernel: Kernel, target: Target) -> bytes:
    meta, d = kernel.metadata, kernel.descriptor
    args = sorted((a for a in meta.args if not a.is_hidden), key=lambda a: a.offset)
    head = struct.pack(
        "<7I",
        meta.kernarg_bytes,
        d.group_segment_fixed_size,
        d.private_segment_fixed_size,
        meta.vgpr_count or d.arch_vgprs,
        min(1024, meta.max_flat_workgroup_size or 1024),
        _waves(kernel, target),
        len(args),
    )
    rows = np.array([(a.offset, a.size) for a in args], "<u4").tobytes()
    return head + rows + _text(kernel.name)


def _waves(kernel: Kernel, target: Target) -> int:
    """Waves that a compute unit holds, by registers."""
    d = kernel.descriptor
    try:
        one = occupancy(target, d.arch_vgprs, 0, d.wave_size, d.agprs, d.wave_size)
    except AsmEvoError:
        return 1
    return one.waves_per_simd * 4


def helpers() -> HelperLibrary:
    """The compiled helpers, shared by the whole worker."""
    from asmevo.emulate.engine.toolchain import shared_library

    return shared_library()
