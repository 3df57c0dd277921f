"""The AMDGPU metadata note: msgpack bytes kept, and a typed view of the kernels in it.

Source: LLVM `AMDGPUUsage`, "Code Object V3 Metadata" and later. Versions 3 to 6 share the keys
that are read here; what is not known stays in `raw`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import msgpack  # pyright: ignore[reportMissingTypeStubs]

from asmevo.codeobject.elf import FormatError, Note

NT_AMDGPU_METADATA = 32
_unpack = cast("Callable[..., object]", msgpack.unpackb)  # pyright: ignore
_MAX_U32 = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class KernelArg:
    """One kernel argument; offset and size are bytes in the kernarg segment."""

    name: str | None
    offset: int
    size: int
    value_kind: str
    address_space: str | None = None
    access: str | None = None
    value_type: str | None = None

    @property
    def is_hidden(self) -> bool:
        """Whether the runtime fills the argument (`hidden_*`)."""
        return self.value_kind.startswith("hidden_")


@dataclass(frozen=True, slots=True)
class KernelMetadata:
    """Metadata of one kernel. Counts are registers, sizes are bytes; absent numbers are 0."""

    name: str
    symbol: str
    kernarg_segment_size: int = 0
    group_segment_fixed_size: int = 0
    private_segment_fixed_size: int = 0
    args: tuple[KernelArg, ...] = ()
    reqd_workgroup_size: tuple[int, int, int] | None = None
    max_flat_workgroup_size: int = 0
    wavefront_size: int = 0
    vgpr_count: int = 0
    agpr_count: int = 0
    sgpr_count: int = 0
    uses_dynamic_stack: bool = False
    raw: dict[str, Any] = field(default_factory=lambda: {}, hash=False)

    @property
    def kernarg_bytes(self) -> int:
        """Bytes that a launch must provide: the segment size, or the last argument's end.

        Some vendor objects declare an argument past the declared segment size; the larger wins.
        """
        return max([self.kernarg_segment_size, *(a.offset + a.size for a in self.args)])


@dataclass(frozen=True, slots=True)
class Metadata:
    """The whole note: original bytes, document, typed kernels.

    A linker that joins objects keeps one note of each (Tensile's libraries have thousands): then
    `parts` are those, `kernels` and the document's list of kernels are those of all, and bytes and
    place are the first one's.
    """

    data: bytes
    data_offset: int
    raw: dict[str, Any]
    version: tuple[int, int]
    target: str
    kernels: tuple[KernelMetadata, ...]
    parts: tuple[Metadata, ...] = ()

    def part_of(self, symbol: str) -> Metadata:
        """The note that describes the kernel with that descriptor symbol."""
        return next((p for p in self.parts if any(k.symbol == symbol for k in p.kernels)), self)


def joined(parts: Sequence[Metadata]) -> Metadata | None:
    """One view of all metadata notes of an object, in their order; None when there is none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    first = parts[0]
    listed = [k for p in parts for k in cast("list[object]", p.raw.get("amdhsa.kernels", []))]
    return replace(
        first,
        raw={**first.raw, "amdhsa.kernels": listed},
        kernels=tuple(k for p in parts for k in p.kernels),
        parts=tuple(parts),
    )


def _int(map_: dict[str, Any], key: str) -> int:
    value = map_.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_U32:
        raise FormatError(f"metadata {key} is {str(value)[:40]}, not an unsigned 32-bit number")
    return value


def _text(map_: dict[str, Any], key: str) -> str | None:
    value = map_.get(key)
    if value is not None and not isinstance(value, str):
        raise FormatError(f"metadata {key} is not a string")
    return value


def _maps(value: object, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise FormatError(f"metadata {key} is not a list")
    items = cast("list[object]", value)
    for item in items:
        if not isinstance(item, dict):
            raise FormatError(f"metadata {key} holds an entry that is no map")
    return cast("list[dict[str, Any]]", items)


def _arg(map_: dict[str, Any]) -> KernelArg:
    return KernelArg(
        name=_text(map_, ".name"),
        offset=_int(map_, ".offset"),
        size=_int(map_, ".size"),
        value_kind=_text(map_, ".value_kind") or "",
        address_space=_text(map_, ".address_space"),
        access=_text(map_, ".actual_access") or _text(map_, ".access"),
        value_type=_text(map_, ".value_type"),
    )


def _workgroup_size(map_: dict[str, Any]) -> tuple[int, int, int] | None:
    value = map_.get(".reqd_workgroup_size")
    if value is None:
        return None
    sizes = cast("list[object]", value) if isinstance(value, list) else []
    if len(sizes) != 3 or not all(isinstance(x, int) and 0 <= x <= _MAX_U32 for x in sizes):
        raise FormatError("metadata .reqd_workgroup_size is not three numbers")
    x, y, z = cast("list[int]", sizes)
    return x, y, z


def _kernel(map_: dict[str, Any]) -> KernelMetadata:
    name, symbol = _text(map_, ".name"), _text(map_, ".symbol")
    if name is None and symbol is None:
        raise FormatError("a kernel in the metadata has neither .name nor .symbol")
    return KernelMetadata(
        name=name or (symbol or "").removesuffix(".kd"),
        symbol=symbol or f"{name}.kd",
        kernarg_segment_size=_int(map_, ".kernarg_segment_size"),
        group_segment_fixed_size=_int(map_, ".group_segment_fixed_size"),
        private_segment_fixed_size=_int(map_, ".private_segment_fixed_size"),
        args=tuple(_arg(a) for a in _maps(map_.get(".args", []), ".args")),
        reqd_workgroup_size=_workgroup_size(map_),
        max_flat_workgroup_size=_int(map_, ".max_flat_workgroup_size"),
        wavefront_size=_int(map_, ".wavefront_size"),
        vgpr_count=_int(map_, ".vgpr_count"),
        agpr_count=_int(map_, ".agpr_count"),
        sgpr_count=_int(map_, ".sgpr_count"),
        uses_dynamic_stack=bool(map_.get(".uses_dynamic_stack", False)),
        raw=map_,
    )


def parse(note: Note) -> Metadata:
    """Typed view of one NT_AMDGPU_METADATA note.

    Raises:
        FormatError: not msgpack, or a field has the wrong type.
    """
    try:
        document = _unpack(note.desc, raw=False, strict_map_key=False)
    except (ValueError, TypeError, RecursionError) as err:
        raise FormatError(f"metadata note is not msgpack ({type(err).__name__}: {err})") from err
    if not isinstance(document, dict):
        raise FormatError("metadata note is not a map")
    root = cast("dict[str, Any]", document)
    version = root.get("amdhsa.version", [0, 0])
    parts = cast("list[object]", version) if isinstance(version, list) else []
    if len(parts) != 2 or not all(isinstance(x, int) for x in parts):
        raise FormatError("metadata amdhsa.version is not two numbers")
    major, minor = cast("list[int]", parts)
    kernels = _maps(root.get("amdhsa.kernels", []), "amdhsa.kernels")
    return Metadata(
        data=note.desc,
        data_offset=note.desc_offset,
        raw=root,
        version=(major, minor),
        target=_text(root, "amdhsa.target") or "",
        kernels=tuple(_kernel(k) for k in kernels),
    )
