"""Containers written from the descriptions of their formats, without the project's own code."""

from __future__ import annotations

import hashlib
import struct
import zlib

BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
HOST_ID = "host-x86_64-unknown-linux-gnu-"
GPU_ID = "hipv4-amdgcn-amd-amdhsa--gfx942"


def bundle(members: list[tuple[str, bytes]], alignment: int = 4096) -> bytes:
    """A clang offload bundle (clang manual, "Clang Offload Bundler")."""
    head_size = len(BUNDLE) + 8 + sum(24 + len(name) for name, _ in members)
    head, body = bytearray(BUNDLE + struct.pack("<Q", len(members))), bytearray()
    for name, data in members:
        at = -(-(head_size + len(body)) // alignment) * alignment
        body += bytes(at - head_size - len(body)) + data
        head += struct.pack("<QQQ", at, len(data), len(name)) + name.encode()
    return bytes(head + body)


def entries(*places: tuple[int, int], name: bytes = b"hip-a") -> bytes:
    """The header of a bundle whose entries claim some (offset, size)."""
    head = BUNDLE + struct.pack("<Q", len(places))
    return head + b"".join(struct.pack("<QQQ", o, s, len(name)) + name for o, s in places)


def compressed(data: bytes, claim: int | None = None, version: int = 2) -> bytes:
    """A zlib CCOB that claims `claim` bytes."""
    body = zlib.compress(data, 9)
    size = len(data) if claim is None else claim
    layout = {1: "<I", 2: "<II", 3: "<QQ"}[version]
    head_size = 8 + struct.calcsize(layout) + 8
    sizes = (size,) if version == 1 else (head_size + len(body), size)
    digest = hashlib.md5(data).digest()[:8]
    return b"CCOB" + struct.pack("<HH", version, 0) + struct.pack(layout, *sizes) + digest + body


def elf(sections: list[tuple[str, bytes]], flags: int = 2, types: dict[str, int] | None = None,
        machine: int = 62) -> bytes:  # fmt: skip
    """A host ELF64 with some PROGBITS sections, each on 16 bytes (gABI chapter 4)."""
    names, body, headers = b"\0", bytearray(64), [bytes(64)]
    for name, data in [*sections, (".shstrtab", b"")]:
        body += bytes(-len(body) % 16)
        place = len(names)
        names += name.encode() + b"\0"
        last = name == ".shstrtab"
        kind = 3 if last else (types or {}).get(name, 1)
        contents = names if last else data
        headers.append(struct.pack("<IIQQQQIIQQ", place, kind, 0 if last else flags, 0, len(body),
                                   len(contents), 0, 0, 16, 0))  # fmt: skip
        body += contents
    body += bytes(-len(body) % 8)
    struct.pack_into("<16sHHIQQQIHHHHHH", body, 0, b"\x7fELF\x02\x01\x01" + bytes(9), 3, machine, 1,
                     0, 0, len(body), 0, 64, 56, 0, 64, len(headers), len(headers) - 1)  # fmt: skip
    return bytes(body) + b"".join(headers)


def ar(members: list[tuple[str, bytes]], bsd: bool = False) -> bytes:
    """A static archive with GNU or BSD long names (ar(5)) and a symbol table without symbols."""
    out = bytearray(b"!<arch>\n")

    def add(name: str, data: bytes) -> None:
        out.extend(f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data)
        out.extend(b"\n" * (len(data) & 1))

    add("__.SYMDEF" if bsd else "/", bytes(8 if bsd else 4))
    table = "".join(f"{name}/\n" for name, _ in members if len(name) > 15)
    if table and not bsd:
        add("//", table.encode())
    for name, data in members:
        if len(name) <= 15:
            add(name + ("" if bsd else "/"), data)
        elif bsd:
            add(f"#1/{len(name)}", name.encode() + data)
        else:
            add(f"/{table.index(name + '/')}", data)
    return bytes(out)


def package(images: list[tuple[str, bytes]], version: int = 1, inflate: bool = False) -> bytes:
    """An LLVM offload package (llvm `OffloadBinary.h`), one image in version 1."""
    head_size, string_size = (40 if version == 3 else 32), (16 if version == 1 else 24)
    strings_at = head_size + 40 * len(images)
    texts_at = strings_at + 2 * string_size * len(images)
    texts, maps, records = b"\0", b"", b""

    def text(value: str) -> int:
        nonlocal texts
        place = texts_at + len(texts)
        texts += value.encode() + b"\0"
        return place

    for arch, _ in images:
        for key, value in (("triple", "amdgcn-amd-amdhsa"), ("arch", arch)):
            pair = struct.pack("<QQ", text(key), text(value))
            maps += pair + (struct.pack("<Q", len(value)) if version > 1 else b"")
    image_at = texts_at + len(texts) + -(texts_at + len(texts)) % 8
    bodies = b""
    for i, (_, data) in enumerate(images):
        records += struct.pack("<HHIQQQQ", 1, 4, 0, strings_at + 2 * string_size * i, 2,
                               image_at + len(bodies), len(data))  # fmt: skip
        bodies += data + bytes(-len(data) % 8)
    rest = records + maps + texts
    rest += bytes(image_at - head_size - len(rest)) + bodies
    size, count = head_size + len(rest), 40 if version == 1 else len(images)
    tail = b""
    if version == 3:
        tail = struct.pack("<Q", size if inflate else 0)
        if inflate:
            rest = zlib.compress(rest)
            size = head_size + len(rest)
    return b"\x10\xff\x10\xad" + struct.pack("<IQQQ", version, size, head_size, count) + tail + rest


def windows(fat: bytes) -> bytes:
    """A PE header with some data behind it, as HIP's section `.hip_fat` of a DLL is."""
    head = bytearray(b"MZ" + bytes(126))
    struct.pack_into("<I", head, 60, 128)
    return bytes(head) + b"PE\0\0" + bytes(508) + fat + bytes(100)
