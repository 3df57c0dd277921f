"""What some bytes are, by their first 512: code objects and everything that can hold them."""

from __future__ import annotations

HEAD = 512  # bytes that decide: the magic of tar is at 257

_MAGICS = (
    (b"\x7fELF", "elf"),
    (b"__CLANG_OFFLOAD_BUNDLE__", "bundle"),
    (b"CCOB", "compressed"),
    (b"\x10\xff\x10\xad", "package"),
    (b"PK\x03\x04", "zip"),
    (b"!<arch>\n", "ar"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
)

# What may hold objects and is not opened: said, never passed over.
_UNOPENED = (
    (b"!<thin>\n", "thin archive", "its members are files beside it: search those"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive", "unpack it first"),
    (b"Rar!\x1a\x07", "RAR archive", "unpack it first"),
    (b"\xed\xab\xee\xdb", "RPM package", "unpack it first: rpm2cpio"),
    (b"070701", "cpio archive", "unpack it first"),
    (b"\x04\x22\x4d\x18", "LZ4 stream", "unpack it first: lz4 -d"),
)

_DEVICE_ONLY = (
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode (wrapped)"),
    (b"\x03\x02\x23\x07", "SPIR-V"),
)


def kind_of(head: bytes | memoryview) -> str:
    """The kind of a container or object by its first `HEAD` bytes, or an empty string.

    "elf", "bundle", "compressed" (bundle), "package" (offload package), "zip", "ar", "tar",
    "gzip", "zstd", "xz", "bzip2" or "pe".
    """
    head = bytes(head[:HEAD])
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            return kind
    if head[257:262] == b"ustar":
        return "tar"
    return "pe" if head[:2] == b"MZ" and len(head) >= 64 else ""


def unopened(head: bytes | memoryview) -> tuple[str, str] | None:
    """(name, remedy) of an archive format that is known and not opened."""
    head = bytes(head[:16])
    return next(((name, todo) for magic, name, todo in _UNOPENED if head.startswith(magic)), None)


def not_machine_code(head: bytes | memoryview) -> str:
    """Name of what a device member is when it is no machine code, or an empty string."""
    head = bytes(head[:16])
    return next((name for magic, name in _DEVICE_ONLY if head.startswith(magic)), "")
