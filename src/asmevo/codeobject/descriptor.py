"""The 64-byte kernel descriptor: typed view over its raw words, per-architecture fields.

The raw bytes are the value; every field is a view, so decode followed by encode is the identity
for any 64 bytes and unknown or reserved bits survive. Source: LLVM `AMDGPUUsage` ("Kernel
Descriptor", tables per generation) and `AMDHSAKernelDescriptor.h`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import overload

from asmevo.codeobject.elf import FormatError
from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.target import Target

SIZE = 64
PRELOAD_PROLOGUE = 256  # bytes that firmware without kernarg preload executes first (gfx9)
_RSRC3, _RSRC1, _RSRC2, _PROPERTIES, _PRELOAD = 44, 48, 52, 56, 58


def _gfx1250(target: Target) -> bool:
    return target.arch == "gfx1250"


class Bits:
    """A bit field of the descriptor: byte offset of its 32-bit word (16 for the last), lsb, width.

    `only` names the generations that have the field ("9", "90a", "10", "11", "12", "1250");
    reading it elsewhere gives 0, and setting it elsewhere is refused.
    """

    def __init__(self, word: int, lsb: int, width: int = 1, only: str = "", size: int = 4) -> None:
        self.word, self.lsb, self.width, self.size = word, lsb, width, size
        self.only = tuple(only.split())
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def exists(self, target: Target) -> bool:
        """Whether the field is defined for the target."""
        if not self.only:
            return True
        keys = {str(target.major)}
        if target.unified_vgprs:
            keys.add("90a")
        if _gfx1250(target):
            keys = {"1250"}
        return not keys.isdisjoint(self.only)

    def get(self, raw: bytes) -> int:
        """Field value in raw descriptor bytes."""
        word = int.from_bytes(raw[self.word : self.word + self.size], "little")
        return word >> self.lsb & ((1 << self.width) - 1)

    def put(self, raw: bytes, value: int) -> bytes:
        """Raw descriptor bytes with the field set to `value`."""
        if not 0 <= value < 1 << self.width:
            raise InputError(f"descriptor field {self.name} cannot hold {value}")
        mask = ((1 << self.width) - 1) << self.lsb
        word = int.from_bytes(raw[self.word : self.word + self.size], "little")
        word = word & ~mask | value << self.lsb
        return raw[: self.word] + word.to_bytes(self.size, "little") + raw[self.word + self.size :]

    @overload
    def __get__(self, instance: None, owner: type) -> Bits: ...
    @overload
    def __get__(self, instance: KernelDescriptor, owner: type) -> int: ...
    def __get__(self, instance: KernelDescriptor | None, owner: type) -> Bits | int:
        if instance is None:
            return self
        known = instance.read.get(self.name)
        if known is None:
            known = self.get(instance.raw) if self.exists(instance.target) else 0
            instance.read[self.name] = known
        return known


@dataclass(frozen=True, slots=True)
class KernelDescriptor:
    """One kernel descriptor. Bit fields read as integers (flags as 0 or 1).

    `read` keeps the fields that were read: each launch asks for fifty of them.
    """

    raw: bytes
    target: Target
    read: dict[str, int] = field(
        default_factory=dict[str, int], init=False, compare=False, repr=False
    )

    group_segment_fixed_size = Bits(0, 0, 32)
    private_segment_fixed_size = Bits(4, 0, 32)
    kernarg_size = Bits(8, 0, 32)
    _entry = Bits(16, 0, 64, size=8)

    granulated_vgprs = Bits(_RSRC1, 0, 6)
    granulated_sgprs = Bits(_RSRC1, 6, 4)
    priority = Bits(_RSRC1, 10, 2)
    float_round_mode_32 = Bits(_RSRC1, 12, 2)
    float_round_mode_16_64 = Bits(_RSRC1, 14, 2)
    float_denorm_mode_32 = Bits(_RSRC1, 16, 2)
    float_denorm_mode_16_64 = Bits(_RSRC1, 18, 2)
    dx10_clamp = Bits(_RSRC1, 21, 1, "8 9 90a 10 11")
    round_robin = Bits(_RSRC1, 21, 1, "12 1250")
    ieee_mode = Bits(_RSRC1, 23, 1, "8 9 90a 10 11")
    disable_perf = Bits(_RSRC1, 23, 1, "12 1250")
    fp16_ovfl = Bits(_RSRC1, 26, 1, "9 90a 10 11 12 1250")
    flat_scratch_is_nv = Bits(_RSRC1, 27, 1, "1250")
    workgroup_processor_mode = Bits(_RSRC1, 29, 1, "10 11 12")
    memory_ordered = Bits(_RSRC1, 30, 1, "10 11 12 1250")
    forward_progress = Bits(_RSRC1, 31, 1, "10 11 12 1250")

    enable_private_segment = Bits(_RSRC2, 0)
    _user_sgprs_5 = Bits(_RSRC2, 1, 5)
    _user_sgprs_6 = Bits(_RSRC2, 1, 6, "1250")
    enable_sgpr_workgroup_id_x = Bits(_RSRC2, 7)
    enable_sgpr_workgroup_id_y = Bits(_RSRC2, 8)
    enable_sgpr_workgroup_id_z = Bits(_RSRC2, 9)
    enable_sgpr_workgroup_info = Bits(_RSRC2, 10)
    enable_vgpr_workitem_id = Bits(_RSRC2, 11, 2)
    granulated_lds = Bits(_RSRC2, 15, 9)
    exception_fp_ieee_invalid_op = Bits(_RSRC2, 24)
    exception_fp_denorm_src = Bits(_RSRC2, 25)
    exception_fp_ieee_div_zero = Bits(_RSRC2, 26)
    exception_fp_ieee_overflow = Bits(_RSRC2, 27)
    exception_fp_ieee_underflow = Bits(_RSRC2, 28)
    exception_fp_ieee_inexact = Bits(_RSRC2, 29)
    exception_int_div_zero = Bits(_RSRC2, 30)

    granulated_accum_offset = Bits(_RSRC3, 0, 6, "90a")
    tg_split = Bits(_RSRC3, 16, 1, "90a")
    shared_vgpr_count = Bits(_RSRC3, 0, 4, "10 11")
    _inst_pref_6 = Bits(_RSRC3, 4, 6, "11")
    _inst_pref_8 = Bits(_RSRC3, 4, 8, "12 1250")
    named_barrier_count = Bits(_RSRC3, 14, 3, "1250")

    enable_sgpr_private_segment_buffer = Bits(_PROPERTIES, 0, size=2)
    enable_sgpr_dispatch_ptr = Bits(_PROPERTIES, 1, size=2)
    enable_sgpr_queue_ptr = Bits(_PROPERTIES, 2, size=2)
    enable_sgpr_kernarg_segment_ptr = Bits(_PROPERTIES, 3, size=2)
    enable_sgpr_dispatch_id = Bits(_PROPERTIES, 4, size=2)
    enable_sgpr_flat_scratch_init = Bits(_PROPERTIES, 5, size=2)
    enable_sgpr_private_segment_size = Bits(_PROPERTIES, 6, size=2)
    _wave32 = Bits(_PROPERTIES, 10, 1, "10 11 12 1250", size=2)
    uses_dynamic_stack = Bits(_PROPERTIES, 11, size=2)
    kernarg_preload_length = Bits(_PRELOAD, 0, 7, "90a 1250", size=2)
    kernarg_preload_offset = Bits(_PRELOAD, 7, 9, "90a 1250", size=2)

    @classmethod
    def decode(cls, raw: bytes, target: Target) -> KernelDescriptor:
        """View of 64 descriptor bytes.

        Raises:
            FormatError: not 64 bytes.
        """
        if len(raw) != SIZE:
            raise FormatError(f"kernel descriptor has {len(raw)} bytes, not {SIZE}")
        return cls(bytes(raw), target)

    def encode(self) -> bytes:
        """The 64 bytes."""
        return self.raw

    @property
    def kernel_code_entry_byte_offset(self) -> int:
        """Signed byte distance from the descriptor to the first instruction."""
        value = self._entry
        return value - (1 << 64) if value >> 63 else value

    @property
    def wavefront_size32(self) -> bool:
        """Whether the kernel runs 32 lanes per wave."""
        return _gfx1250(self.target) or bool(self._wave32)

    @property
    def wave_size(self) -> int:
        """Lanes per wave."""
        return 32 if self.wavefront_size32 else 64

    @property
    def vgpr_granule(self) -> int:
        """VGPRs per step of the descriptor's count (LLVM `getVGPREncodingGranule`)."""
        return self.target.facts.vgpr_granules[self.wave_size]

    @property
    def vgprs(self) -> int:
        """Vector registers allocated per lane; on unified files VGPRs and AGPRs together."""
        return (self.granulated_vgprs + 1) * self.vgpr_granule

    @property
    def accum_offset(self) -> int:
        """First AGPR inside a unified file, that is, the arch VGPRs; 0 without unified file."""
        if not self.target.unified_vgprs:
            return 0
        return (self.granulated_accum_offset + 1) * 4

    @property
    def arch_vgprs(self) -> int:
        """VGPRs that code may name as v0.. (AGPRs not counted)."""
        return self.accum_offset if self.target.unified_vgprs else self.vgprs

    @property
    def agprs(self) -> int:
        """AGPRs that code may name as a0..: the rest of a unified file, gfx908's own file."""
        if self.target.unified_vgprs:
            return max(0, self.vgprs - self.accum_offset)
        return self.vgprs if self.target.arch == "gfx908" else 0

    @property
    def sgprs(self) -> int:
        """SGPRs per wave, VCC and the other trailing ones included; 128 on gfx10 and later.

        In the descriptor's steps of 8; the hardware allocates steps of 16 of them.
        """
        return (self.granulated_sgprs + 1) * 8 if self.target.is_gcn else 128

    @property
    def user_sgpr_count(self) -> int:
        """SGPRs that the dispatch fills before the workgroup ids."""
        return self._user_sgprs_6 if _gfx1250(self.target) else self._user_sgprs_5

    @property
    def inst_pref_size(self) -> int:
        """Code prefetch length in units of 128 bytes (gfx11+), else 0."""
        return self._inst_pref_6 or self._inst_pref_8

    def replace(self, **fields: int) -> KernelDescriptor:
        """A copy with these fields set; `vgprs`, `accum_offset`, `sgprs` take register counts.

        Counts are rounded up to the granule.

        Raises:
            InputError: unknown field or a value that does not fit.
            UnsupportedError: the target has no such field.
        """
        out = self
        for name, value in fields.items():
            field = _FIELDS.get(name)
            if name == "vgprs":
                field, value = _FIELDS["granulated_vgprs"], -(-value // out.vgpr_granule) - 1
            elif name == "accum_offset":
                field, value = _FIELDS["granulated_accum_offset"], -(-value // 4) - 1
            elif name == "sgprs" and self.target.is_gcn:
                field, value = _FIELDS["granulated_sgprs"], max(1, -(-value // 8)) - 1
            elif name == "user_sgpr_count":
                field = _FIELDS["_user_sgprs_6" if _gfx1250(self.target) else "_user_sgprs_5"]
            elif name == "inst_pref_size":
                field = _FIELDS["_inst_pref_6" if self.target.major == 11 else "_inst_pref_8"]
            elif name == "wavefront_size32":
                field = _FIELDS["_wave32"]
            elif name == "kernel_code_entry_byte_offset":
                field, value = _FIELDS["_entry"], value & (1 << 64) - 1
            if field is None:
                raise InputError(f"kernel descriptor has no field {name}")
            if not field.exists(self.target):
                raise UnsupportedError(f"{self.target.arch} has no descriptor field {name}")
            out = KernelDescriptor(field.put(out.raw, value), self.target)
        return out


_FIELDS: dict[str, Bits] = {
    name: field for name, field in vars(KernelDescriptor).items() if isinstance(field, Bits)
}


def fields(target: Target) -> tuple[str, ...]:
    """Names of the raw bit fields that the target's descriptor has."""
    return tuple(name for name, field in _FIELDS.items() if field.exists(target))
