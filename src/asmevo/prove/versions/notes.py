"""What an edit means for the wave: where work is done, which lanes, which memory, in which order.

Notes are for a reader and for whoever looks for the reason of a difference in time; they claim
nothing about equivalence. Sources: CDNA3 ISA 3.3 (EXEC), 9 and 11 (memory, LDS); LLVM AMDGPUUsage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from asmevo.isa.access import Access, Space
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.names import operation
from asmevo.isa.operand import EXEC, VGPR0
from asmevo.isa.target import Target

NoteKind = Literal["scalar-vector", "exec", "cross-lane", "memory", "order"]
_VECTOR = frozenset({OpClass.VALU, OpClass.TRANS, OpClass.MFMA})
_EXEC = frozenset((EXEC, EXEC + 1))
_BANKS = 32  # of the LDS, a dword each


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on one window.

    Attributes:
        kind: "scalar-vector", "exec", "cross-lane", "memory" or "order".
        text: one line.
    """

    kind: NoteKind
    text: str


def notes(
    before: Sequence[Instruction], after: Sequence[Instruction], target: Target
) -> list[Note]:
    """Remarks on a window's two sides."""
    old, new = ([decode(i, target) for i in side] for side in (before, after))
    return [*_moved_units(old, new), *_masks(old, new), *_lanes(old, new), *_memory(old, new)]


def _moved_units(old: list[Decoded], new: list[Decoded]) -> Iterator[Note]:
    """Scalar work that became vector work, and back."""
    counts = [
        {unit: Counter(_core(d) for d in side if d.kind in kinds and not d.traits.copies)
         for unit, kinds in (("scalar", {OpClass.SALU}), ("vector", _VECTOR))}
        for side in (old, new)
    ]  # fmt: skip
    for source, goal in (("scalar", "vector"), ("vector", "scalar")):
        gone = counts[0][source] - counts[1][source]
        come = counts[1][goal] - counts[0][goal]
        for core in sorted(gone & come):
            if source == "scalar":
                kept = _uniform(new, core)
                how = "uniformity kept: every lane computes the same" if kept else (
                    "uniformity not kept: an operand is a vector register"
                )  # fmt: skip
            else:
                reads = any(d.name.startswith("v_readfirstlane") for d in new)
                how = "of the first active lane, through v_readfirstlane" if reads else (
                    "from scalar operands"
                )  # fmt: skip
            yield Note("scalar-vector", f"{core} moved from {source} to {goal}; {how}")


def _core(d: Decoded) -> str:
    return operation(d.name)


def _uniform(side: list[Decoded], core: str) -> bool:
    """Whether a vector operation's operands are scalars, or copies of them made in the window."""
    copies: set[int] = set()
    for d in side:
        vectors = {u for u in d.uses if u >= VGPR0}
        if d.kind in _VECTOR and _core(d) == core and not vectors <= copies:
            return False
        if d.kind in _VECTOR and vectors <= copies and not d.traits.crosses_lanes:
            copies |= d.defs
        else:
            copies -= d.defs
    return True


def _masks(old: list[Decoded], new: list[Decoded]) -> Iterator[Note]:
    """EXEC: other writes of it, and vector instructions on its other side."""
    writes = [[d.inst.text for d in side if d.defs & _EXEC] for side in (old, new)]
    if writes[0] != writes[1]:
        yield Note(
            "exec", f"EXEC is written {len(writes[0])} times before and {len(writes[1])} after"
            if len(writes[0]) != len(writes[1]) else "EXEC is written by other instructions",
        )  # fmt: skip
        return
    if not writes[0]:
        return
    places = [_regions(side) for side in (old, new)]
    crossed = sorted(t for t in places[0].keys() & places[1].keys() if places[0][t] != places[1][t])
    for text in crossed[:4]:
        yield Note("exec", f"`{text}` runs under another EXEC")


def _regions(side: list[Decoded]) -> dict[str, list[int]]:
    """Text of each vector instruction -> numbers of EXEC writes in front of it."""
    found: dict[str, list[int]] = {}
    region = 0
    for d in side:
        if EXEC in d.uses and d.kind is not OpClass.SALU:
            found.setdefault(d.inst.text or "", []).append(region)
        region += not d.defs.isdisjoint(_EXEC)
    return found


def _lanes(old: list[Decoded], new: list[Decoded]) -> Iterator[Note]:
    """Instructions that read other lanes."""
    counts = [
        Counter(d.inst.text or "" for d in side if d.traits.crosses_lanes or "dpp" in d.inst.form)
        for side in (old, new)
    ]
    for word, more in (("gone", counts[0] - counts[1]), ("new", counts[1] - counts[0])):
        for text in sorted(more)[:4]:
            yield Note("cross-lane", f"{word}: `{text}`")


def _memory(old: list[Decoded], new: list[Decoded]) -> Iterator[Note]:
    """Accesses with another address, width, alignment, cache bits, or in another order."""
    sides = [
        [d for d in side if d.access is not None and not d.access.permutes] for side in (old, new)
    ]
    texts = [[d.inst.text or "" for d in side] for side in sides]
    left = [Counter(t) - Counter(u) for t, u in (texts, texts[::-1])]
    changed = [
        [d for d in side if gone[d.inst.text or ""]] for side, gone in zip(sides, left, strict=True)
    ]
    kinds = {_kind(d): None for side in changed for d in side}
    for kind in kinds:
        a, b = ([d for d in side if _kind(d) == kind] for side in changed)
        if len(a) != len(b):
            yield Note("memory", f"{kind}: {len(a)} other accesses before, {len(b)} after")
        for x, y in zip(a, b, strict=False):
            yield from _access(kind, x, y)
    if not left[0] and not left[1] and texts[0] != texts[1]:
        yield Note("order", "memory instructions are issued in another order")


def _kind(d: Decoded) -> str:
    access = d.access
    assert access is not None
    return f"{access.space} {'atomic' if access.atomic else 'load' if d.loads else 'store'}"


def _access(kind: str, x: Decoded, y: Decoded) -> Iterator[Note]:
    one, two = x.access, y.access
    assert one is not None, "only memory instructions come here"
    assert two is not None, "only memory instructions come here"
    where = f"`{x.inst.text}` -> `{y.inst.text}`"
    if one.size != two.size:
        yield Note(
            "memory", f"{kind}: {one.size} bytes of a lane became {two.size}, which changes "
            f"{'bank use' if one.space is Space.LDS else 'coalescing'}: {where}",
        )  # fmt: skip
    if _address(x, one) != _address(y, two):
        yield Note("memory", f"{kind}: other address operands: {where}")
    elif one.offsets != two.offsets:
        became = f"offset {_numbers(one)} became {_numbers(two)}{_effect(one, two)}"
        yield Note("memory", f"{kind}: {became}: {where}")
    if one.cache != two.cache:
        yield Note(
            "memory", f"{kind}: cache bits {' '.join(one.cache) or 'none'} became "
            f"{' '.join(two.cache) or 'none'}: {where}",
        )  # fmt: skip


def _address(d: Decoded, access: Access) -> tuple[str, ...]:
    return tuple(str(d.inst.operands[n].value) for n in access.address if n < len(d.inst.operands))


def _numbers(access: Access) -> str:
    return " ".join(map(str, access.offsets)) or "0"


def _effect(one: Access, two: Access) -> str:
    a, b = (x.offsets[0] if x.offsets else 0 for x in (one, two))
    said: list[str] = []
    size = max(one.size, 1)
    if a % size != b % size:
        said.append("another alignment")
    if one.space is Space.LDS and (a // 4) % _BANKS != (b // 4) % _BANKS:
        said.append("other banks")
    return f" ({', '.join(said)})" if said else ""
