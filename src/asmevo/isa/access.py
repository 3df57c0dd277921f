"""What a memory instruction touches: space, width, address operands, offsets and cache bits.

Operand places follow LLVM's printed order, which is the same for all generations: a result first,
then the address, then data, then scalar bases; buffer instructions print data first.
Sources: CDNA3 ISA chapters 8-11, RDNA3 and RDNA4 ISA on memory, LLVM `BUFInstructions.td`,
`FLATInstructions.td`, `DSInstructions.td`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from asmevo.isa.effects import MEMORY_CLASSES, Effects, OpClass, returns_old_value
from asmevo.isa.instruction import Instruction


class Space(StrEnum):
    """Address spaces as the opcode names them."""

    BUFFER = "buffer"  # through a descriptor
    GLOBAL = "global"
    FLAT = "flat"  # global, scratch or LDS, by address
    SCRATCH = "scratch"
    LDS = "lds"
    GDS = "gds"
    SCALAR = "scalar"  # constant memory through the scalar cache
    IMAGE = "image"
    TENSOR = "tensor"  # gfx1250 tensor DMA between memory and LDS


_SCOPE_BITS = ("sc0", "sc1", "glc", "dlc", "scc")


@dataclass(frozen=True, slots=True)
class Access:
    """The memory side of one instruction.

    Attributes:
        space: address space.
        size: bytes that one lane moves (SMEM: the instruction as a whole); 0 when the opcode does
            not say.
        address: indices of the printed operands that form the address (vector address, scalar
            base or descriptor, scalar offset).
        data: indices of the printed operands whose contents are sent to memory.
        offsets: immediate offsets in bytes (LDS pair forms have two).
        cache: cache and scope bits as printed: `sc0`, `nt`, `glc`, `th:TH_NT`, `scope:SCOPE_SYS`.
        atomic: the operation of an atomic (`add`, `cmpswap`), else empty.
        returning: an atomic that gives back the old value.
        part: a load into part of a register: "lo", "hi", or empty.
        typed: a format conversion takes place (`buffer_load_format_*`, `tbuffer_*`).
        lds_dma: data goes from memory to LDS without registers.
        from_lds: data goes from LDS to memory without registers.
        asynchronous: gfx1250 async and tensor operations, with counters of their own.
        permutes: an LDS instruction that moves values between lanes and touches no memory.
    """

    space: Space
    size: int
    address: tuple[int, ...]
    data: tuple[int, ...]
    offsets: tuple[int, ...]
    cache: tuple[str, ...]
    atomic: str
    returning: bool
    part: str
    typed: bool
    lds_dma: bool
    from_lds: bool
    asynchronous: bool
    permutes: bool

    @property
    def ordered(self) -> bool:
        """Whether scope or return bits may make it an acquire or a release."""
        return any(
            word in ("sc0", "sc1", "glc", "dlc", "scc") or word.startswith("scope:")
            for word in self.cache
        )

    @property
    def may_touch_lds(self) -> bool:
        """Whether LDS is read or written."""
        return self.space in (Space.LDS, Space.FLAT, Space.TENSOR) or self.lds_dma or self.from_lds


_SPACES = (
    ("s_scratch_", Space.SCRATCH),
    ("buffer_", Space.BUFFER), ("tbuffer_", Space.BUFFER), ("global_", Space.GLOBAL),
    ("cluster_", Space.GLOBAL), ("flat_", Space.FLAT), ("scratch_", Space.SCRATCH),
    ("image_", Space.IMAGE), ("tensor_", Space.TENSOR), ("s_", Space.SCALAR),
)  # fmt: skip
_CACHE_FLAGS = ("sc0", "sc1", "nt", "glc", "slc", "dlc", "scc", "nv")
_CACHE_VALUES = ("th", "scope")
_COUNTED = {"x": 1, "xy": 2, "xyz": 3, "xyzw": 4}
_FORMAT = re.compile(r"_format_(d16_)?(hi_)?(xyzw|xyz|xy|x)$")
_TRANSPOSE = re.compile(r"_tr\d*_b(\d+)$|_tr_b(\d+)$|ds_read_b(\d+)_tr_")
_WORDS = re.compile(r"dword(?:x(\d+))?(?:_|$)")
_BITS = re.compile(r"_(?:pk_)?(?:[a-z]*?)([biuf]|bf)(8|16|32|64|96|128|192|256|512)(?:_|$)")
_PART = re.compile(r"_d16(_hi)?(?:_|$)")
_ATOMIC_NAME = re.compile(r"_atomic_(\w+?)(_x2|_b32|_b64|_u32|_u64|_i32|_i64)?$")
_LDS_PAIR = re.compile(r"ds_(read|write|wrxchg)2|_2addr_")
_LDS_PERMUTE = re.compile(r"ds_(bpermute|permute|swizzle)")
_LDS_ATOMIC = re.compile(
    r"ds_(?!read|write|load|store|append|consume|ordered|gws|nop|bvh|bpermute|permute|swizzle|"
    r"param|direct)(\w+?)(_rtn)?_([biuf]|bf)(16|32|64)$"
)


@lru_cache(maxsize=4096)
def access_bytes(base: str) -> int:
    """Bytes that one lane moves with a memory opcode (an SMEM opcode: in all); 0 if unsaid."""
    found = _TRANSPOSE.search(base)
    if found:
        return int(next(g for g in found.groups() if g)) // 8
    found = _FORMAT.search(base)
    if found:
        # Sixteen-bit elements, two to a register.
        return _COUNTED[found.group(3)] * (2 if found.group(1) else 4)
    found = _WORDS.search(base)
    if found:
        return 4 * int(found.group(1) or 1)
    if re.search(r"byte", base):
        return 1
    if re.search(r"short", base):
        return 2
    pair = 2 if _LDS_PAIR.search(base) else 1
    bits = [int(m.group(2)) for m in _BITS.finditer(base)]
    if bits:
        # `_u8_d16`, `_pk_add_f16`: the width moved is the narrowest said, but packed is a dword.
        return pair * (4 if "_pk_" in base else bits[0] // 8)
    if "_atomic" in base:
        return 8 if base.endswith("_x2") else 4
    return 16 * 8 if "_block" in base else 0


def _space(base: str, gds: bool) -> Space:
    if base.startswith(("ds_", "lds_")):
        return Space.GDS if gds or base.startswith(("ds_gws", "ds_ordered")) else Space.LDS
    return next(space for prefix, space in _SPACES if base.startswith(prefix))


def _lds_places(effect: Effects, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first = 1 if effect.def_operands else 0
    rest = range(first + 1, count)
    return ((first,) if count > first else ()), tuple(rest)


def _buffer_places(
    inst: Instruction, effect: Effects, lds_dma: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = len(inst.operands)
    if lds_dma:
        return tuple(range(count)), ()
    sends = effect.stores
    return tuple(range(1, count)), ((0,) if sends else ())


def _global_places(
    effect: Effects, count: int, atomic: bool, asynchronous: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if asynchronous:  # LDS address, memory address, scalar base
        return tuple(range(count)), ()
    first = 1 if effect.def_operands else 0
    sends = (effect.stores or atomic) and not effect.lds_dma
    if not sends:
        return tuple(range(first, count)), ()
    return (first, *range(first + 2, count)), (first + 1,)


def _offsets(inst: Instruction, scalar: bool) -> tuple[int, ...]:
    found: list[int] = []
    for name in ("offset", "offset0", "offset1"):
        value = inst.modifiers.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            found.append(value)
    if scalar and inst.operands:
        last = inst.operands[-1].value
        value = getattr(last, "value", None)
        if isinstance(value, int):
            found.append(value)
    return tuple(found)


def _places(
    inst: Instruction, effect: Effects, space: Space, atomic: bool, asynchronous: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = len(inst.operands)
    if space in (Space.LDS, Space.GDS):
        return _lds_places(effect, count)
    if space is Space.BUFFER:
        return _buffer_places(inst, effect, effect.lds_dma or "_lds" in inst.base)
    if inst.base.startswith("s_"):
        sends = effect.stores and count > 0
        return tuple(range(1, count)), ((0,) if sends else ())
    if space is Space.IMAGE:
        return tuple(range(1, count)), ((0,) if effect.stores else ())
    if space is Space.TENSOR:
        return tuple(range(count)), ()
    return _global_places(effect, count, atomic, asynchronous)


def access_of(inst: Instruction, effect: Effects) -> Access | None:
    """The memory side of `inst`, or None when it is no memory instruction."""
    if effect.kind not in MEMORY_CLASSES:
        return None
    base = inst.base
    space = _space(base, inst.modifiers.get("gds") is True)
    found = _ATOMIC_NAME.search(base) or _LDS_ATOMIC.match(base)
    atomic = found.group(1) if found else ""
    if space is Space.LDS:
        returning = bool(atomic) and bool(effect.def_operands)
    else:
        returning = bool(atomic) and returns_old_value(inst)
    asynchronous = "_async" in base or space is Space.TENSOR
    part = _PART.search(base) if effect.loads else None
    mods = inst.modifiers
    cache = tuple(name for name in _CACHE_FLAGS if mods.get(name) is True) + tuple(
        f"{name}:{mods[name]}" for name in _CACHE_VALUES if name in mods
    )
    address, data = _places(inst, effect, space, bool(atomic), asynchronous)
    return Access(
        space, access_bytes(base), address, data, _offsets(inst, base.startswith("s_")), cache,
        atomic, returning, ("hi" if part and part.group(1) else "lo") if part else "",
        base.startswith("tbuffer_") or "_format_" in base, effect.lds_dma,
        "_store_lds" in base or "_from_lds" in base, asynchronous,
        effect.kind is OpClass.LDS and _LDS_PERMUTE.match(base) is not None,
    )  # fmt: skip
