"""What failed before is known again wherever it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit
from asmevo.search.memory import fingerprint


def test_a_failure_is_remembered_by_text_and_not_by_place(
    kernel_objects: Callable[..., bytes],
) -> None:
    program = recover(CodeObject.open(kernel_objects("softmax")))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i in range(program.function().last):
        places[program.line(i)].append(i)
    a, b, *_ = next(found for found in places.values() if len(found) > 1)
    other = next(found[0] for text, found in places.items() if a not in found)

    def of(*edits: tuple[int, str]) -> str:
        return fingerprint(program, [Edit(i, i + 1, (line,)) for i, line in edits])

    assert of((a, "s_nop 0")) == of((b, "s_nop  0"))
    assert of((a, "s_nop 0")) != of((other, "s_nop 0"))
    assert of((a, "s_nop 0")) != of((a, "s_nop 1"))
    assert of((a, "s_nop 0"), (other, "s_nop 1")) == of((other, "s_nop 1"), (b, "s_nop 0"))
