"""Numbers in the metadata note changed in place; every other byte of the note stays.

The note is walked as msgpack without decoding it, to find where a number is encoded. A number that
needs a longer encoding takes the padding behind the note, or room that is made there. Source: the
MessagePack specification; LLVM `AMDGPUUsage`, "Note Records".
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from asmevo.codeobject.elf import SHT_NOTE, FormatError
from asmevo.codeobject.metadata import Metadata
from asmevo.codeobject.object import CodeObject, Kernel
from asmevo.codeobject.room import make_room
from asmevo.errors import BuildError

_MAX_DEPTH = 32


class _Walker:
    """A cursor over msgpack bytes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def _take(self, size: int) -> bytes:
        out = self.data[self.at : self.at + size]
        if len(out) != size:
            raise FormatError("metadata note ends inside a value")
        self.at += size
        return out

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "big")

    def head(self) -> tuple[str, int]:
        """(kind, count or size) of the next value: "map", "list", "text" or "other".

        The cursor then stands behind the head; "other" values are skipped as a whole.
        """
        code = self._number(1)
        if code <= 0x7F or code >= 0xE0 or code in (0xC0, 0xC2, 0xC3):
            return "other", 0
        if code <= 0x8F:
            return "map", code & 15
        if code <= 0x9F:
            return "list", code & 15
        if code <= 0xBF:
            return "text", code & 31
        sizes = {0xD9: ("text", 1), 0xDA: ("text", 2), 0xDB: ("text", 4), 0xDC: ("list", 2),
                 0xDD: ("list", 4), 0xDE: ("map", 2), 0xDF: ("map", 4)}  # fmt: skip
        if code in sizes:
            kind, width = sizes[code]
            return kind, self._number(width)
        fixed = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2,
                 0xD2: 4, 0xD3: 8}  # fmt: skip
        if code in fixed:
            self._take(fixed[code])
            return "other", 0
        if code in (0xC4, 0xC5, 0xC6):
            self._take(self._number(1 << (code - 0xC4)))
            return "other", 0
        raise FormatError(f"metadata note holds msgpack type 0x{code:02x}")

    def text(self) -> str:
        """The next value as a map key."""
        kind, size = self.head()
        return self._take(size).decode("utf8", "replace") if kind == "text" else ""

    def skip(self, depth: int = 0) -> None:
        """Skip one value with all it holds."""
        if depth > _MAX_DEPTH:
            raise FormatError("metadata note is nested too deep")
        kind, count = self.head()
        if kind == "text":
            self._take(count)
        elif kind in ("map", "list"):
            for _ in range(count * (2 if kind == "map" else 1)):
                self.skip(depth + 1)


def _spans(data: bytes, symbol: str) -> dict[str, tuple[int, int]]:
    """Key -> (start, end) of its value, for the kernel with that `.symbol`."""
    w = _Walker(data)
    kind, count = w.head()
    for _ in range(count if kind == "map" else 0):
        if w.text() != "amdhsa.kernels":
            w.skip()
            continue
        _, kernels = w.head()
        for _ in range(kernels):
            spans: dict[str, tuple[int, int]] = {}
            _, keys = w.head()
            for _ in range(keys):
                key, start = w.text(), w.at
                w.skip()
                spans[key] = (start, w.at)
            value = spans.get(".symbol", (0, 0))
            if data[slice(*value)].endswith(symbol.encode()):
                named = _Walker(data[slice(*value)])
                if named.text() == symbol:
                    return spans
    return {}


def _encode(value: int, size: int) -> bytes:
    """Shortest msgpack of an unsigned number, not shorter than `size` if that can be had."""
    forms: list[bytes] = []
    if value <= 0x7F:
        forms.append(bytes([value]))
    for code, layout, most in ((0xCC, ">B", 0xFF), (0xCD, ">H", 0xFFFF), (0xCE, ">I", 0xFFFFFFFF)):
        if value <= most:
            forms.append(bytes([code]) + struct.pack(layout, value))
    return next((f for f in forms if len(f) == size), forms[0])


def patch_numbers(data: bytes, co: CodeObject, kernel: Kernel, numbers: Mapping[str, int]) -> bytes:
    """`data` (a file with the layout of `co`) with numbers of a kernel's metadata replaced.

    Keys that the kernel does not have are left out; the widths of other values do not change.

    Raises:
        BuildError: a longer number has no room, and none can be made.
    """
    if co.metadata is None:
        return data
    part = co.metadata.part_of(kernel.metadata.symbol)
    note = part.data
    spans = _spans(note, kernel.metadata.symbol)
    changes = sorted((spans[k], v) for k, v in numbers.items() if k in spans)
    out = bytearray()
    done = 0
    for (start, end), value in changes:
        out += note[done:start] + _encode(value, end - start)
        done = end
    out += note[done:]
    return put_note(data, co, part, bytes(out))


def put_note(data: bytes, co: CodeObject, part: Metadata, content: bytes) -> bytes:
    """`data` (a file with the layout of `co`) with another content of a metadata note.

    A note that became longer than the padding behind it moves what follows (`room.make_room`).

    Raises:
        BuildError: others follow it in its section, or what follows cannot move.
    """
    at = part.data_offset
    old_end, new_end = at + (len(part.data) + 3 & ~3), at + (len(content) + 3 & ~3)
    if new_end != old_end and co.metadata is not None and co.metadata.parts:
        raise BuildError(
            "the metadata note would change its length where others follow it",
            "keep the numbers within their present width",
        )
    if new_end > old_end:
        follows = [s.offset for s in co.elf.sections if s.offset >= old_end and s.size]
        follows += [p.offset for p in co.elf.segments if p.offset >= old_end and p.file_size]
        room = min([*follows, len(data)])
        if new_end > room:
            last = (s for s in co.elf.sections if s.type == SHT_NOTE and s.offset <= at < old_end)
            section = next((s for s in last if s.offset + s.size == old_end), None)
            if section is None:
                raise BuildError(
                    f"the metadata note needs {new_end - old_end} more bytes, "
                    f"{room - old_end} are free",
                    "keep the numbers within their present width",
                )
            data = make_room(data, section, new_end - room)
            co = CodeObject.open(data)
    result = bytearray(data)
    result[at : max(old_end, new_end)] = content + bytes(max(old_end, new_end) - at - len(content))
    struct.pack_into("<I", result, at - 16, len(content))
    _resize(result, co, at, old_end, new_end)
    return bytes(result)


def _resize(data: bytearray, co: CodeObject, at: int, old_end: int, new_end: int) -> None:
    """Let the note's section and segments end where the note now ends."""
    if new_end == old_end:
        return
    for s in co.elf.sections:
        if s.type == SHT_NOTE and s.offset <= at < s.offset + s.size == old_end:
            struct.pack_into("<Q", data, s.header_offset + 32, new_end - s.offset)
    for p in co.elf.segments:
        if p.type == 4 and p.offset <= at < p.offset + p.file_size == old_end:
            for field in (32, 40):
                struct.pack_into("<Q", data, p.header_offset + field, new_end - p.offset)
