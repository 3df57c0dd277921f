"""Device globals: variables of the object that its kernels may write.

They lie in the writable sections of the loaded image. A launch does not name them, but they are
buffers like any other: what a dispatch leaves in them counts, and what was in them before may be
anything that the host or an earlier dispatch put there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import SHF_ALLOC, SHF_WRITE, SHT_DYNAMIC, SHT_RELA, STT_OBJECT
from asmevo.emulate.engine.launch import MemoryRegion
from asmevo.errors import InputError

STATES = (1, 2)
"""Seeds of other initial contents: small integers, and ordinary floats."""
_NO_VARIABLES = (".relro_padding", ".got", ".got.plt")


@dataclass(frozen=True, slots=True)
class Variables:
    """One writable section.

    Attributes:
        name: its name.
        address: in the object.
        size: bytes.
        words: offsets of words that a relocation fills; they hold addresses.
    """

    name: str
    address: int
    size: int
    words: tuple[int, ...]


def variables(co: CodeObject) -> tuple[Variables, ...]:
    """The writable sections of an object, the loader's own left out."""
    places = [
        r.offset for s in co.elf.sections if s.type == SHT_RELA for r in co.elf.relocations(s)
    ]
    wanted = SHF_ALLOC | SHF_WRITE
    return tuple(
        Variables(
            s.name, s.address, s.size,
            tuple(p - s.address for p in places if s.address <= p <= s.address + s.size - 8),
        )
        for s in co.elf.sections
        if s.flags & wanted == wanted and s.size and s.type != SHT_DYNAMIC
        and s.name not in _NO_VARIABLES
    )  # fmt: skip


class Globals:
    """The variables of one loaded image.

    Args:
        sections: of the object, from `variables`.
        image: its segments in memory, relocated.
        base: device address that the object was loaded at.
        state: 0 leaves the file's contents; others of `STATES` draw new ones.
    """

    def __init__(
        self,
        sections: Sequence[Variables],
        image: Sequence[MemoryRegion],
        base: int,
        state: int = 0,
    ) -> None:
        self._parts: list[tuple[Variables, NDArray[np.uint8]]] = []
        for v in sections:
            for region in image:
                at = base + v.address - region.address
                if region.writable and at >= 0 and at + v.size <= len(region.data):
                    self._parts.append((v, region.data[at : at + v.size]))
        if state:
            for number, (v, data) in enumerate(self._parts):
                _fill(v, data, state, number)
        self._before = [data.tobytes() for _, data in self._parts]

    def after(self) -> dict[str, bytes]:
        """Contents by section; words that still hold an address that the loader put are zero."""
        found: dict[str, bytes] = {}
        for (v, data), before in zip(self._parts, self._before, strict=True):
            now = data.copy()
            for at in v.words:
                if now[at : at + 8].tobytes() == before[at : at + 8]:
                    now[at : at + 8] = 0
            found[v.name] = now.tobytes()
        return found

    def changed(self) -> tuple[str, ...]:
        """Sections that the dispatch changed."""
        return tuple(
            v.name
            for (v, data), before in zip(self._parts, self._before, strict=True)
            if data.tobytes() != before
        )


def _fill(v: Variables, data: NDArray[np.uint8], state: int, number: int) -> None:
    rng = np.random.default_rng([state, number])
    count = -(-v.size // 4)
    values = rng.integers(0, 8, count, np.uint32)
    if state != STATES[0]:
        values = rng.normal(0, 2, count).astype(np.float32).view(np.uint32)
    kept = [(at, data[at : at + 8].copy()) for at in v.words]
    data[:] = values.view(np.uint8)[: v.size]
    for at, word in kept:
        data[at : at + 8] = word


def set_variables(
    co: CodeObject,
    image: Sequence[MemoryRegion],
    base: int,
    contents: Sequence[tuple[str, bytes]],
) -> None:
    """Put recorded contents into the loaded image.

    Args:
        co: the object.
        image: its segments in memory.
        base: device address that it was loaded at.
        contents: (symbol, bytes) of its variables.

    Raises:
        InputError: the object has no such variable, or a smaller one.
    """
    if not contents:
        return
    symbols = {s.name: s for s in co.elf.all_symbols() if s.type == STT_OBJECT}
    for name, data in contents:
        symbol = symbols.get(name)
        place = -1 if symbol is None else base + symbol.value
        for region in image:
            at = place - region.address
            if (
                symbol is not None
                and len(data) <= symbol.size
                and 0 <= at <= len(region.data) - len(data)
            ):
                region.data[at : at + len(data)] = np.frombuffer(data, np.uint8)
                break
        else:
            raise InputError(
                f"the object has no module variable {name!r} of {len(data)} bytes",
                "use the object that the capsule was recorded with",
            )


def named(co: CodeObject, section: str, offset: int) -> str:
    """The variable at a place of a writable section, for messages."""
    for s in co.elf.sections:
        if s.name != section:
            continue
        for symbol in co.elf.all_symbols():
            inside = symbol.value <= s.address + offset < symbol.value + symbol.size
            if symbol.section == s.index and inside:
                return f"byte {s.address + offset - symbol.value} of device global {symbol.name}"
    return f"byte {offset} of {section}"
