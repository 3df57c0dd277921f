"""Complete assembly files of the project to code objects, for a stated target."""

from __future__ import annotations

from asmevo.codeobject.emit import target_of
from asmevo.codeobject.link import build
from asmevo.errors import InputError
from asmevo.isa.target import Target


def assemble_object(text: str, target: Target | None = None) -> bytes:
    """The code object of a complete assembly file (trusted text: any directive is obeyed).

    Raises:
        InputError: no `.amdgcn_target`, or it names another processor than `target`.
        BuildError: the assembly is wrong or refers to something undefined.
    """
    processor, _ = target_of(text)
    if target is not None and processor != target.arch:
        raise InputError(
            f"the assembly is for {processor}, not {target.arch}", "take the file of that target"
        )
    return build(text)
