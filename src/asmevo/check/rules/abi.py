"""ABI: what a launcher sees of an object must not change, apart from what an edit declares.

Symbols, kernel arguments, descriptor fields, loaded data, the entry's alignment and the 256 bytes
before the entry with preloaded arguments. Why: the launcher, and other code of the same program,
was made for the original.

Source: LLVM `AMDGPUUsage` (code object metadata, kernel descriptor, preloaded kernel arguments).
"""

from __future__ import annotations

from collections.abc import Collection

from asmevo.check.findings import ERROR, Finding
from asmevo.codeobject import CodeObject, Kernel, KernelDescriptor
from asmevo.codeobject.descriptor import PRELOAD_PROLOGUE, fields
from asmevo.codeobject.descriptor import SIZE as DESCRIPTOR_BYTES
from asmevo.codeobject.elf import SHF_ALLOC, SHT_PROGBITS, SHT_RELA, Section

# Descriptor fields that follow from the code's place and size, not from its contract.
_FOLLOWS = frozenset({"_entry", "_inst_pref_6", "_inst_pref_8"})
# Bit fields behind the count names that edits declare.
_DECLARED_AS = {
    "vgprs": "granulated_vgprs",
    "accum_offset": "granulated_accum_offset",
    "sgprs": "granulated_sgprs",
}
# Metadata entries that restate descriptor counts.
_METADATA_OF = {
    "vgprs": (".vgpr_count", ".agpr_count"),
    "accum_offset": (".vgpr_count", ".agpr_count"),
    "sgprs": (".sgpr_count",),
    "group_segment_fixed_size": (".group_segment_fixed_size",),
}
_LOADER = frozenset({".interp", ".eh_frame", ".eh_frame_hdr"})  # no data of the kernels


def _finding(rule: str, kernel: str, message: str, what: str, fix: str) -> Finding:
    return Finding(f"abi.{rule}", "R", ERROR, kernel, -1, "", message=message, what=what, fix=fix)


def _descriptor(k0: Kernel, k1: Kernel, declared: Collection[str]) -> list[Finding]:
    allowed = {_DECLARED_AS.get(name, name) for name in declared} | _FOLLOWS
    d0, d1 = k0.descriptor, k1.descriptor
    found: list[Finding] = []
    for name in fields(d0.target):
        a, b = getattr(d0, name), getattr(d1, name)
        if a != b and name not in allowed:
            found.append(
                _finding(
                    "descriptor",
                    k0.name,
                    f"descriptor field {name} was {a}, is {b}",
                    name,
                    "restore it, or declare the change (registers can be: --declare registers)",
                )
            )
    if not found and _masked(d0) != _masked(d1):
        found.append(
            _finding(
                "descriptor",
                k0.name,
                "reserved descriptor bits changed",
                "reserved",
                "restore them",
            )
        )
    return found


def _masked(d: KernelDescriptor) -> bytes:
    """The descriptor with every known field cleared."""
    raw = d.raw
    for name in fields(d.target):
        raw = vars(KernelDescriptor)[name].put(raw, 0)
    return raw


def _metadata(k0: Kernel, k1: Kernel, declared: Collection[str]) -> list[Finding]:
    allowed = {key for name in declared for key in _METADATA_OF.get(name, ())}
    found: list[Finding] = []
    for key in sorted(k0.metadata.raw.keys() | k1.metadata.raw.keys()):
        a, b = k0.metadata.raw.get(key), k1.metadata.raw.get(key)
        if a != b and key not in allowed:
            rule = "kernarg-layout" if key in (".args", ".kernarg_segment_size") else "metadata"
            found.append(
                _finding(
                    rule, k0.name, f"metadata {key} was {a!r:.80}, is {b!r:.80}", key, "restore it"
                )
            )
    return found


def _data(k0: CodeObject, k1: CodeObject) -> list[Finding]:
    """Loaded data that differs: initialized sections other than the code and the loader's tables.

    Kernel descriptors are compared field by field, and words that a relocation fills hold
    addresses, which move with the code; both are masked.
    """
    found: list[Finding] = []
    others = {s.name: s for s in k1.elf.sections}
    code = {s.index for s in k0.code_sections}
    for section in k0.elf.sections:
        loaded = section.flags & SHF_ALLOC and section.type == SHT_PROGBITS
        if not loaded or section.index in code or section.name in _LOADER:
            continue
        other = others.get(section.name)
        a = _without_addresses(k0, section)
        b = b"" if other is None else _without_addresses(k1, other)
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(b))
            found.append(
                _finding(
                    "data",
                    "",
                    f"section {section.name} differs from byte {at} on",
                    section.name,
                    "leave the data as it is",
                )
            )
    return found


def _without_addresses(co: CodeObject, section: Section) -> bytes:
    data = bytearray(co.elf.contents(section))

    def clear(address: int, size: int) -> None:
        at = address - section.address
        if 0 <= at < len(data):
            data[at : at + size] = bytes(min(size, len(data) - at))

    for kernel in co.kernels:
        clear(kernel.descriptor_address, DESCRIPTOR_BYTES)
    for table in co.elf.sections:
        if table.type == SHT_RELA:
            for relocation in co.elf.relocations(table):
                clear(relocation.offset, 8)
    return bytes(data)


def changes(k0: CodeObject, k1: CodeObject, declared: Collection[str] = ()) -> list[Finding]:
    """Differences between two objects that a launcher of the first could notice.

    `declared` names the descriptor fields that the edit says it changes (`vgprs`,
    `accum_offset`, `sgprs`, `group_segment_fixed_size`, or a bit field's own name).
    """
    found: list[Finding] = []
    for what, a, b in (
        ("e_flags", k0.e_flags, k1.e_flags),
        ("abi_version", k0.abi_version, k1.abi_version),
        ("kernels", [k.name for k in k0.kernels], [k.name for k in k1.kernels]),
        ("symbols", [k.symbol for k in k0.kernels], [k.symbol for k in k1.kernels]),
    ):
        if a != b:
            found.append(_finding("object", "", f"{what} was {a}, is {b}", what, "restore it"))
    found += _data(k0, k1)
    others = {k.symbol: k for k in k1.kernels}
    for kernel in k0.kernels:
        other = others.get(kernel.symbol)
        if other is None:
            continue  # reported above
        found += _descriptor(kernel, other, declared)
        found += _metadata(kernel, other, declared)
        if kernel.descriptor.kernarg_preload_length:
            # The loader may start at the entry or 256 bytes on, so this much code is fixed.
            a = k0.text[kernel.entry : kernel.entry + PRELOAD_PROLOGUE]
            b = k1.text[other.entry : other.entry + PRELOAD_PROLOGUE]
            if a != b:
                found.append(
                    _finding(
                        "preload-entry",
                        kernel.name,
                        f"the {PRELOAD_PROLOGUE} bytes before the preload entry changed",
                        "entry",
                        "leave them as they are",
                    )
                )
        if (kernel.entry ^ other.entry) & 0xFF:
            found.append(
                _finding(
                    "entry-alignment",
                    kernel.name,
                    f"entry at +0x{kernel.entry:x}, is at +0x{other.entry:x}",
                    "entry",
                    "keep the entry 256-byte aligned",
                )
            )
    return found
