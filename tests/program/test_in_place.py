"""Code that must keep its size is patched in place, and says so.

The kernels of `jumptable_rodata` and `data_in_text` and siblings cannot grow; edits that are not
longer than what they replace are made, and every byte around them stays where it is.
"""

from __future__ import annotations

import re

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import notes, rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import build_of
from asmevo.program.text.hold import firm, missing
from program.frame import straight

_JUMP = ("s_add_u32 s8, s8, s10", "s_addc_u32 s9, s9, 0", "s_setpc_b64 s[8:9]")
KERNELS = {
    "jumptable": (
        "v_add_f32_e64 v1, v2, v3", "v_mov_b32 v4, 1", "v_mov_b32 v5, 0x12345", *_JUMP,
        "v_mov_b32 v2, 5", "s_endpgm", "v_mov_b32 v2, 7",
    ),
    "data behind the code": (
        "v_add_f32_e64 v1, v2, v3", "v_mov_b32 v4, 1", "v_mov_b32 v5, 0x12345", "s_endpgm",
        ".long 0xbf82fffd, 0xbf82fffd",
    ),
    "return address used": (
        "v_add_f32_e64 v1, v2, v3", "v_mov_b32 v4, 1", "v_mov_b32 v5, 0x12345",
        "s_call_b64 s[8:9], Lx", "Lx: s_load_dword s4, s[8:9], 0x0",
    ),
}  # fmt: skip


def _same_but(before: Program, after: bytes, first: int, last: int) -> bool:
    """Whether only the bytes of instructions [first, last) differ."""
    co = before.object
    begin = co.text_offset + before.offsets[first]
    end = co.text_offset + before.offsets[last]
    return after[:begin] == co.data[:begin] and after[end:] == co.data[end:]


@pytest.mark.parametrize("name", KERNELS)
def test_shorter_edits_are_filled_up(name: str) -> None:
    program = straight(*KERNELS[name])
    assert program.growth_refused
    edited = apply(program, [Edit(0, 1, ("v_add_f32_e32 v1, v2, v3",)), Edit(1, 2, ())])
    data = rebuild(edited)
    assert _same_but(program, data, 0, 2)
    texts = [i.text for i in recover(CodeObject.open(data)).instructions[:4]]
    assert texts == ["v_add_f32_e32 v1, v2, v3", "s_nop 0", "s_nop 0", "v_mov_b32_e32 v5, 0x12345"]
    assert notes(edited) == (
        f"patched in place; the code must keep its size: {program.growth_refused}",
    )


@pytest.mark.parametrize("name", KERNELS)
def test_longer_edits_are_refused(name: str) -> None:
    program = straight(*KERNELS[name])
    for edit in (
        Edit(1, 2, ("v_mov_b32 v4, 0x12345",)), Edit(2, 2, ("s_nop 0",)),
        Edit(0, 2, ("v_add_f32_e64 v1, v2, v3", "v_mov_b32 v4, 0x12345")),
    ):  # fmt: skip
        with pytest.raises(EditError, match=re.escape(program.growth_refused)):
            apply(program, [edit])
    # As much in one place as is taken away in another moves what lies between.
    with pytest.raises(EditError, match="where 0 are replaced"):
        apply(program, [Edit(0, 1, ()), Edit(2, 2, ("s_nop 0", "s_nop 0"))])


@pytest.mark.parametrize("name", KERNELS)
def test_assembly_files_are_filled_up_at_the_place(name: str) -> None:
    program = straight(*KERNELS[name])
    text = write(program)
    assert build_of(text).data == program.object.data
    assert build_of(text).notes == ()
    line = next(x for x in text.splitlines() if x.startswith("\tv_mov_b32_e32 v4, 1"))
    built = build_of(text.replace(line + "\n", "", 1))
    assert _same_but(program, built.data, 1, 2)
    assert built.notes == (
        f"patched in place; the code must keep its size: {program.growth_refused}",
    )
    # Without the comments the labels hold the places behind what nothing falls through.
    plain = "\n".join(x if x.startswith("; asm") else x.partition(" ;")[0]
                      for x in text.replace(line + "\n", "", 1).splitlines())  # fmt: skip
    held = recover(CodeObject.open(build_of(plain).data))
    end = next(i for i, t in enumerate(held.instructions) if t.raw == program.instructions[-1].raw)
    assert held.offsets[end] == program.offsets[end]
    with pytest.raises(EditError, match="must keep its size"):
        build_of(text.replace(line, f"{line}\n\ts_nop 0", 1))
    other = next(x for x in text.splitlines() if x.startswith("\tv_mov_b32_e32 v5"))
    with pytest.raises(EditError, match="must keep its size"):  # the same size in all
        build_of(text.replace(line + "\n", "", 1).replace(other, f"{other}\n\ts_nop 0", 1))


def test_lines_that_change_places_hold_those_around_them() -> None:
    program = straight(*KERNELS["jumptable"])
    text = write(program)
    lines = [
        x for x in text.splitlines() if x.startswith(("\tv_add_f32_e64", "\tv_mov_b32_e32 v4"))
    ]
    swapped = text.replace("\n".join(lines), "\n".join(reversed(lines)))
    data = build_of(swapped).data
    assert data != program.object.data
    assert _same_but(program, data, 0, 2)


def test_firm_places() -> None:
    assert firm({0: 0, 1: 4, 2: 12, 3: 16}) == {0: 0, 1: 4, 2: 12, 3: 16}
    assert firm({0: 0, 1: 12, 2: 4, 3: 16}) == {0: 0, 3: 16}
    assert firm({0: 0, 1: 16, 2: 4, 3: 12}) == {0: 0}
    assert firm({0: 8, 1: 8}) == {}


def test_missing_words() -> None:
    code = straight("v_mov_b32 v4, 1", "v_mov_b32 v5, 0x12345").instructions[:2]  # 4 and 8 bytes
    assert missing(code, {}, 12, "x") == []
    assert missing(code, {1: 8}, 20, "x") == [(1, 1), (2, 1)]
    with pytest.raises(EditError, match=r"offset 0x8 takes 4 bytes more.*: why"):
        missing(code, {2: 8}, 12, "why")
