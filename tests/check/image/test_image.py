"""Every byte of an edited file is the original's or follows from the edit.

Cases `A11_other_kernel` and `A12_section_vs_segment`, and their kin. What a loader does with a file
is from the gABI (chapter 5) and ROCr's loader: it copies PT_LOAD segments and relocates them, and
looks at no section header. Files are damaged here with `struct` at the offsets of the gABI.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from asmevo.check.comparison import compare_objects, examine
from asmevo.check.image import compare_images
from asmevo.check.rules import abi
from asmevo.codeobject import CodeObject
from asmevo.errors import AsmEvoError
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from reference.assembly import COPY, built

PHDR, SHDR = 56, 64  # sizes of the headers
TWO = {"one": COPY, "two": COPY.replace("v2, 1, v2", "v2, 7, v2")}


def opened(data: bytes) -> Program:
    return recover(CodeObject.open(data))


def edited(data: bytes, kernel: str, lines: tuple[str, ...], at: int = 0, drop: int = 0) -> bytes:
    program = opened(data)
    first = program.function(kernel).first + at
    return rebuild(apply(program, [Edit(first, first + drop, lines)]))


def rules(k0: bytes, k1: bytes, kernels: tuple[str, ...] | None = None) -> set[str]:
    return {f.rule for f in compare_images(opened(k0), opened(k1), kernels)}


def header(data: bytes, kind: int, flags: int) -> int:
    """File offset of the first program header of a type with these flags set."""
    at, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for n in range(count):
        found = struct.unpack_from("<II", data, at + n * PHDR)
        if found[0] == kind and found[1] & flags:
            return at + n * PHDR
    raise AssertionError("no such program header")


def section(data: bytes, name: str) -> tuple[int, int, int, int]:
    """(file offset of its header, address, offset, size) of a section."""
    found = next(s for s in CodeObject.open(data).elf.sections if s.name == name)
    return found.header_offset, found.address, found.offset, found.size


def put(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + struct.pack("<Q", value) + data[at + 8 :]


# --- honest edits --------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [(), ("s_nop 0",) * 3, ("s_nop 0",) * 70, ("s_nop 0",) * 3000])
@pytest.mark.parametrize("kernel", ["one", "two"])
def test_an_edit_of_one_kernel_explains_all_that_moves(kernel: str, lines: tuple[str, ...]) -> None:
    data = built(TWO)
    grown = edited(data, kernel, lines, at=3)
    assert rules(data, grown, (kernel,)) == set()
    assert compare_images(opened(grown), opened(data), (kernel,)) == []  # and shrinks


@pytest.mark.parametrize("function", ["table_walk", "remember", "_ZL8op_stepsii"])
def test_code_pointers_globals_and_relocations_follow(
    kernel_objects: Callable[..., bytes], function: str
) -> None:
    data = kernel_objects("calls", folder="recovery")
    assert rules(data, edited(data, function, ("s_nop 0",) * 64), None) == set()


def test_the_same_text_linked_again_is_no_other_file() -> None:
    longer = {**TWO, "two": "s_nop 0\n" * 900 + TWO["two"]}
    assert rules(built(TWO), built(longer), ("two",)) == set()


# --- other kernels (A11_other_kernel) ------------------------------------------------------------


@pytest.mark.parametrize("change", [("v_add_u32_e32 v2, 8, v2",), ("s_nop 0",), ("s_endpgm",)])
def test_another_kernel_may_not_change_unless_it_is_named(change: tuple[str, ...]) -> None:
    data = built(TWO)
    other = edited(data, "two", change, at=8, drop=len(change))
    assert rules(data, other, ("one",)) == {"image.other-function"}
    assert rules(data, other, ("one", "two")) == set()
    both = edited(other, "one", ("s_nop 0",))
    assert rules(data, both, ("one",)) == {"image.other-function"}


SHARED = """.p2align 8
.type shared,@function
shared:
v_add_u32_e32 v2, 3, v2
s_setpc_b64 s[30:31]
.Lend_shared:
.size shared, .Lend_shared-shared
"""
CALLS = COPY.replace("v_add_u32_e32 v2, 1, v2", "s_call_b64 s[30:31], shared")


def test_a_function_that_another_kernel_calls_belongs_to_both() -> None:
    data = built({"one": CALLS, "two": CALLS}, more=SHARED)
    changed = edited(data, "shared", ("v_add_u32_e32 v2, 4, v2",), drop=1)
    assert rules(data, changed, ("one",)) == {"image.other-function"}
    assert rules(data, changed, ("one", "two")) == set()
    alone = built({"one": CALLS, "two": COPY}, more=SHARED)
    changed = edited(alone, "shared", ("v_add_u32_e32 v2, 4, v2",), drop=1)
    assert rules(alone, changed, ("one",)) == set()


def test_a_call_or_data_address_of_another_kernel_may_not_go_elsewhere() -> None:
    both = SHARED + SHARED.replace("shared", "second").replace("3, v2", "4, v2")
    data = built({"one": COPY, "two": CALLS}, more=both)
    other = edited(data, "two", ("s_call_b64 s[30:31], second",), at=8, drop=1)
    assert rules(data, other, ("one",)) == {"image.other-function"}
    assert rules(data, other, ("two",)) == set()


# --- sections against segments (A12_section_vs_segment) -----------------------------------------


def with_benign_copy(data: bytes) -> bytes:
    """`.text` names a copy at the end of the file; what is loaded begins with `s_endpgm`."""
    at, _, offset, size = section(data, ".text")
    return put(
        data[:offset] + bytes.fromhex("000081bf") + data[offset + 4 :]
        + data[offset : offset + size], at + 24, len(data),
    )  # fmt: skip


def with_moved_segment(data: bytes) -> bytes:
    """The segment loads bytes of the file behind the code; the section stays."""
    at = header(data, 1, 1)
    offset = struct.unpack_from("<Q", data, at + 8)[0]
    room = -len(data) % 4096 + offset % 4096
    copy = b"\x00\x00\x81\xbf" * (struct.unpack_from("<Q", data, at + 32)[0] // 4)
    return put(data + bytes(room) + copy, at + 8, len(data) + room)


def with_moved_address(data: bytes) -> bytes:
    """The section claims another address than the one it is loaded at."""
    at, address, _, _ = section(data, ".text")
    return put(data, at + 16, address - 256)


def with_short_segment(data: bytes) -> bytes:
    """Half of the code is not in the file part of its segment: zeros are loaded."""
    at = header(data, 1, 1)
    size = struct.unpack_from("<Q", data, at + 32)[0]
    return put(data, at + 32, size // 2)


@pytest.mark.parametrize(
    "change", [with_benign_copy, with_moved_segment, with_moved_address, with_short_segment]
)
@pytest.mark.parametrize("arch", ["gfx942", "gfx90a"])
def test_what_is_loaded_is_what_is_judged(change: Callable[[bytes], bytes], arch: str) -> None:
    data = built({"k": "s_nop 0\n" * 100 + COPY}, arch)
    changed = CodeObject.open(change(data))
    found = compare_objects(examine(CodeObject.open(data)), changed).findings
    assert "image.segment" in {f.rule for f in found}


def test_a_relocation_on_code_is_refused(kernel_objects: Callable[..., bytes]) -> None:
    data = kernel_objects("calls", folder="recovery")
    program = opened(data)
    co = program.object
    table = next(s for s in co.elf.sections if s.type == 4)
    first = co.elf.relocations(table)[0]
    for place in (co.text_address + 16, co.text_address - 4, co.text_address + len(co.text) - 1):
        moved = opened(put(data, first.record_offset, place))
        assert "image.relocation" in {f.rule for f in compare_images(program, moved)}
        # Also when the original has it: what was looked at is not what runs.
        assert compare_images(moved, moved) != []


# --- every byte ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["two kernels", "pointers and data", "grown"])
def test_no_damage_of_headers_notes_tables_or_padding_passes(
    kernel_objects: Callable[..., bytes], kind: str
) -> None:
    """Random bit flips outside the code; 373 of 431 passed before there was this comparison."""
    data = built(TWO) if kind != "pointers and data" else kernel_objects("calls", folder="recovery")
    k0, name = opened(data), "table_walk" if kind == "pointers and data" else "one"
    whole = edited(data, name, ("s_nop 0",) * 70, at=2) if kind == "grown" else data
    _, _, offset, size = section(whole, ".text")
    rng = random.Random(kind)
    places = [n for n in range(len(whole)) if not offset <= n < offset + size]
    passed: list[int] = []
    for at in rng.sample(places, 500):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        try:
            k1 = opened(bytes(damaged))
        except AsmEvoError:
            continue
        if not compare_images(k0, k1, (name,)) and not abi.changes(k0.object, k1.object):
            passed.append(at)
    assert passed == []


@pytest.mark.parametrize("more", [b"\x01", b"abc" * 100, b"\0" * 64 + b"x"])
def test_bytes_behind_the_file_must_be_explained(more: bytes) -> None:
    data = built(TWO)
    assert rules(data, data + more) == {"image.padding"}
