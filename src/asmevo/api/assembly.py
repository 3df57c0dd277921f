"""An object as assembly text, and assembly text as an object."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from asmevo.api.files import read_file
from asmevo.api.naming import naming
from asmevo.api.objects import ObjectLike, open
from asmevo.api.results import Result
from asmevo.codeobject import CodeObject
from asmevo.errors import BuildError, InputError
from asmevo.program import Program, recover
from asmevo.program.text import asmfile, asmread
from asmevo.wording import counted

LONGEST = 256 << 20  # bytes of an assembly file


@dataclass(frozen=True, slots=True, eq=False)
class Disassembly(Result):
    """Result of `disasm`.

    Attributes:
        lines: the text; with `complete`, `asm` makes the same bytes of it.
        complete: whether it is the whole object and not one function.
        instructions: how many there are.
        elsewhere: what assemblers other than `asm` make otherwise of the text, one line each.
    """

    lines: tuple[str, ...]
    complete: bool
    instructions: int
    elsewhere: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines as one string."""
        return "\n".join(self.lines) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class Assembled(Result):
    """Result of `asm`: `object` holds the bytes."""

    object: bytes


def disasm(object: ObjectLike, kernel: str | None = None) -> Disassembly:
    """Complete assembly of an object, or the listing of one kernel.

    Every instruction line ends in a comment with its index and its byte offset in `.text`; `asm`
    reads over them.

    Raises:
        InputError: no code object, or no such kernel.
        UnsupportedError: code that cannot be recovered.
    """
    opened = open(object)
    with naming(opened.path):
        program = recover(opened.code)
        if kernel is not None:
            name = opened.path.name if opened.path is not None else "object"
            lines = _listing(program, opened.code.kernel(kernel).name, name)
            chosen = (program.function(kernel),)
        else:
            lines = asmfile.write(program).splitlines()
            chosen = program.functions
    count = sum(f.last - f.first for f in chosen)
    data = {
        "target": opened.target,
        "instructions": count,
        "functions": [f.name for f in chosen],
        "complete": kernel is None,
        "ignored_bits": asmfile.ignored_bits(program),
        "debug": list(asmfile.debug_sections(program.object)),
    }
    return Disassembly(
        True,
        "ok",
        counted(count, "instruction"),
        data,
        tuple(lines),
        kernel is None,
        count,
        tuple(asmfile.elsewhere(program)),
    )


def _listing(program: Program, kernel: str, name: str) -> list[str]:
    function = program.function(kernel)
    return [
        f"; {name}: {program.target.target_id}",
        f"; function {function.name} alone; without --kernel the whole object is written",
        *asmfile.listing(program, function.first, function.last),
    ]


def asm(source: str | Path) -> Assembled:
    """The object that an assembly file describes; unedited, it has the original's bytes.

    Args:
        source: path of the file, or its text if it is a `str` with a line break.

    Raises:
        InputError: what is wrong with it: line, the line's text, and why.
        UnsupportedError: a target that is not known.
    """
    if isinstance(source, str) and "\n" in source:
        return assemble(source, Path("assembly"))
    return assemble(read_text(Path(source)), Path(source))


def assemble(text: str, path: Path) -> Assembled:
    """`asm` of a text that comes from `path`, which errors name."""
    with naming(path):
        try:
            built = asmread.build_of(text)
        except BuildError as err:
            # What does not assemble here is no failed edit but a wrong input.
            raise InputError(str(err.args[0]), err.remedy) from err
        code = CodeObject.open(built.data)
    data = built.data
    record = {
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "target": code.target.target_id,
        "kernels": [k.name for k in code.kernels],
        "notes": list(built.notes),
    }
    return Assembled(True, "ok", "", record, data)


def read_text(path: Path) -> str:
    """Text of an assembly file.

    Raises:
        InputError: unreadable, no UTF-8 text, or too long.
    """
    return decoded(read_file(path, LONGEST), path)


def decoded(data: bytes, path: Path) -> str:
    """Bytes as UTF-8 text; see `read_text`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as err:
        raise InputError(
            f"{path}: not a text file (byte {err.start})", "give the .s that `asmevo disasm` wrote"
        ) from err
