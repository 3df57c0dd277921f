"""The recovered program: instructions, symbolic branch targets, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from asmevo.codeobject import CodeObject, Kernel
from asmevo.errors import InputError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Function:
    """A function as instruction indices: `[first, last)` is code, `[last, padding_last)` padding.

    `last` ends after the last instruction that is not padding (`s_nop`, `s_code_end` or zero
    words behind the final terminator).
    """

    name: str
    first: int
    last: int
    padding_last: int
    is_kernel: bool

    @property
    def padding(self) -> int:
        """Padding instructions after the code."""
        return self.padding_last - self.last


@dataclass(frozen=True, slots=True)
class PcReference:
    """An address computed from the program counter.

    `low` and `high` are instruction indices of the additions whose literals hold the distance
    from the end of the `pc_read` instruction (`high` is equal to `low` for a 64-bit literal).
    `address` is the virtual address in the original file; `target` is the instruction index when
    the address lies in `.text`.

    In the long branches of Tensile a register gets the distance as literal plus `addend` (`low`)
    and is then added to the counter or subtracted from it (`high` is the last of these); `sign` is
    the only sign that the distance may have there, 0 for both. Else `addend` is None.
    """

    pc_read: int
    low: int
    high: int
    address: int
    target: int | None
    addend: int | None = None
    sign: int = 0

    @property
    def literals(self) -> tuple[int, ...]:
        """Indices of the instructions whose literals hold the distance."""
        return (self.low,) if self.addend is not None else (self.low, self.high)


class Growth:
    """Why code must not change its size; looked for when it is first asked for, and once.

    Nothing else of a program needs the answer, and finding it may cost more than all the rest.
    """

    def __init__(self, refused: str | Callable[[], str] = "") -> None:
        self._refused = refused

    @property
    def refused(self) -> str:
        """The reason, or an empty string."""
        if not isinstance(self._refused, str):
            self._refused = self._refused()
        return self._refused

    def __reduce__(self) -> tuple[type[Growth], tuple[str]]:
        """What another process needs: the reason."""
        return Growth, (self.refused,)


@dataclass(frozen=True)
class Program:
    """The code of one object. Immutable; edits make a new one.

    Attributes:
        object: the container that a rebuild patches (the original, also after edits).
        instructions: all of `.text` in order, padding included.
        offsets: byte offset in `.text` of each instruction.
        targets: branch instruction index -> target instruction index.
        labels: instruction index -> label.
        functions: in address order; together they cover all instructions.
        references: PC-relative addresses that move with the code.
        anchors: byte offset in the original `.text` (of a symbol, its end, a relocation's target)
            -> index of the instruction that it now names; `len(instructions)` is the end.
        soft_anchors: those of `anchors` that only local labels of the symbol table name; an edit
            may replace the code around them.
        moved: whether an edit was applied, so that anchors may have moved.
        growth: what `growth_refused` says.
    """

    object: CodeObject
    instructions: tuple[Instruction, ...]
    offsets: Sequence[int]
    targets: Mapping[int, int]
    labels: Mapping[int, str]
    functions: tuple[Function, ...]
    references: tuple[PcReference, ...] = ()
    anchors: Mapping[int, int] = field(default_factory=lambda: {})
    soft_anchors: frozenset[int] = frozenset()
    moved: bool = False
    growth: Growth = field(default_factory=Growth, compare=False)

    @property
    def growth_refused(self) -> str:
        """Why the code must not change its size, or an empty string."""
        return self.growth.refused

    @property
    def target(self) -> Target:
        """Processor and feature settings."""
        return self.object.target

    @cached_property
    def text(self) -> bytes:
        """Bytes of the code as it is now."""
        # In pieces: joining takes 80 bytes of memory for each part.
        starts = range(0, len(self.instructions), _PIECE)
        pieces = (self.instructions[at : at + _PIECE] for at in starts)
        return b"".join([b"".join([i.raw for i in piece]) for piece in pieces])

    @cached_property
    def index_of_label(self) -> Mapping[str, int]:
        """Label -> instruction index."""
        return {name: index for index, name in self.labels.items()}

    @cached_property
    def labels_by_offset(self) -> Mapping[int, str]:
        """Byte offset in the original `.text` -> label of the instruction it names now."""
        found = ((offset, self.labels.get(index)) for offset, index in self.anchors.items())
        return {offset: label for offset, label in found if label is not None}

    def function(self, name: str | None = None) -> Function:
        """A function by symbol, or a kernel by any of its names; None is the only kernel.

        Raises:
            InputError: there is none; the message lists the names.
        """
        if name is not None:
            for f in self.functions:
                if f.name == name:
                    return f
        try:
            kernel = self.object.kernel(name)
        except InputError as err:
            if name is None:
                raise
            names = ", ".join(f.name for f in self.functions)
            raise InputError(f"no function named {name!r}; there is {names}") from err
        return self.kernel_function(kernel)

    def kernel_function(self, kernel: Kernel) -> Function:
        """The function that a kernel's descriptor points to."""
        entry = kernel.symbol.removesuffix(".kd")
        for f in self.functions:
            if f.is_kernel and f.name in (entry, kernel.name):
                return f
        raise InputError(f"kernel {kernel.name} has no function in the code")

    def function_at(self, index: int) -> Function:
        """The function that holds the instruction, its padding included."""
        for f in self.functions:
            if f.first <= index < f.padding_last:
                return f
        raise InputError(f"instruction index {index} is outside the program")

    def branch_target(self, index: int) -> int | None:
        """Instruction index that a direct branch or call goes to, or None."""
        return self.targets.get(index)

    def line(self, index: int) -> str:
        """Text of one instruction with its branch operand as a label.

        Bytes without text are written as `.long` words, which only `asm` files may contain.
        """
        inst = self.instructions[index]
        if inst.text is None:
            words = [inst.raw[i : i + 4] for i in range(0, len(inst.raw), 4)]
            return ".long " + ", ".join(f"0x{int.from_bytes(w, 'little'):08x}" for w in words)
        target = self.targets.get(index)
        label = self.labels.get(target) if target is not None else None
        if label is None:
            return inst.text
        return f"{inst.text[: inst.text.rindex(' ')]} {label}"

    def listing(self, first: int = 0, last: int | None = None) -> list[str]:
        """Text lines of `[first, last)`: label lines `name:`, instructions with label operands."""
        last = len(self.instructions) if last is None else last
        out: list[str] = []
        for i in range(first, last):
            label = self.labels.get(i)
            if label is not None:
                out.append(f"{label}:")
            out.append(self.line(i))
        return out
