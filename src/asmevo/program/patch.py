"""Patches of bytes in place, for objects that cannot be recovered.

The new instructions are not longer than the old ones, the rest is filled up with `s_nop 0`, and not
one other byte of the file changes. Recovered programs that must keep their size are edited in the
same way by `asmevo.program.edit`.
"""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.codeobject import CodeObject
from asmevo.program.encoding import table
from asmevo.program.grammar import EditError, vet


def patch_in_place(co: CodeObject, start: int, stop: int, lines: Sequence[str]) -> bytes:
    """The file with the code bytes `[start, stop)` (offsets in `.text`) replaced by `lines`.

    Needs no recovery. The range must start and end between instructions; nothing may branch into
    it, and the lines may hold neither labels nor branches.

    Raises:
        EditError: one of these does not hold, or the lines are longer than the range.
    """
    if not 0 <= start < stop <= len(co.text):
        raise EditError(f"range {start}..{stop} is outside the code of {len(co.text)} bytes")
    statements = vet(lines)
    if any(s.label is not None or s.branch is not None for s in statements):
        raise EditError("a patch in place has neither labels nor branches", "use straight code")
    encodings = table(co.target)
    entries = [s.value - co.text_address for s in co.function_symbols]
    entry = max((e for e in entries if e <= start), default=0)
    boundaries: set[int] = set()
    at = entry
    for inst in encodings.decode(co.text, entry):
        boundaries.add(at)
        if inst.raw in encodings.branches:
            target = at + 4 + 4 * int.from_bytes(inst.raw[:2], "little", signed=True)
            if start < target < stop:
                raise EditError(f"a branch at 0x{at:x} goes into the range", "choose another range")
            if start <= at < stop:
                raise EditError("the range holds a branch", "choose straight code")
        at += inst.size
    if start not in boundaries or (stop not in boundaries and stop != len(co.text)):
        raise EditError("the range does not start and end between instructions")
    made = encodings.assemble([s.text for s in statements if s.text is not None])
    code = b"".join(i.raw for i in made)
    if any(i.raw in encodings.pc_reads for i in made):
        raise EditError("a line reads the program counter", "leave PC-relative code as it is")
    if len(code) > stop - start:
        raise EditError(f"the lines take {len(code)} bytes where {stop - start} are replaced")
    (nop,) = encodings.assemble(["s_nop 0"])
    code += nop.raw * ((stop - start - len(code)) // 4)
    begin = co.text_offset + start
    return co.data[:begin] + code + co.data[begin + len(code) :]
