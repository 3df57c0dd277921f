"""The metadata note: parsed, written as YAML that LLVM reads back, and patched in place."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from asmevo.codeobject import CodeObject, FormatError, metatext
from asmevo.codeobject import metadata as md
from asmevo.codeobject.elf import Note
from asmevo.codeobject.note import patch_numbers
from asmevo.errors import BuildError
from asmevo.isa.target import Target

Objects = Callable[..., bytes]
KERNEL: dict[str, Any] = {
    ".name": "k", ".symbol": "k.kd", ".kernarg_segment_size": 16, ".kernarg_segment_align": 8,
    ".group_segment_fixed_size": 0, ".private_segment_fixed_size": 0, ".wavefront_size": 64,
    ".sgpr_count": 10, ".vgpr_count": 20, ".max_flat_workgroup_size": 256,
}  # fmt: skip


def document(**changes: Any) -> dict[str, Any]:
    return {"amdhsa.version": [1, 2], "amdhsa.kernels": [{**KERNEL, **changes}]}


def parsed(doc: object) -> md.Metadata:
    return md.parse(Note("AMDGPU", 32, msgpack.packb(doc), 0))


def test_fields() -> None:
    args = [
        {".name": "x", ".offset": 0, ".size": 8, ".value_kind": "global_buffer",
         ".address_space": "global", ".actual_access": "read_only"},
        {".offset": 8, ".size": 12, ".value_kind": "by_value"},
        {".offset": 24, ".size": 4, ".value_kind": "hidden_block_count_x"},
    ]  # fmt: skip
    kernel = parsed(document(**{".args": args, ".reqd_workgroup_size": [64, 2, 1]})).kernels[0]
    assert kernel.args[0] == md.KernelArg("x", 0, 8, "global_buffer", "global", "read_only", None)
    assert (kernel.args[1].name, kernel.args[1].is_hidden) == (None, False)
    assert kernel.args[2].is_hidden
    assert kernel.reqd_workgroup_size == (64, 2, 1)
    assert kernel.kernarg_segment_size == 16
    assert kernel.kernarg_bytes == 28  # an argument may end past the declared segment
    assert (kernel.vgpr_count, kernel.agpr_count) == (20, 0)


@pytest.mark.parametrize(
    ("doc", "reason"),
    [
        ([], "not a map"),
        ({"amdhsa.version": 3}, "amdhsa.version"),
        ({"amdhsa.kernels": {}}, "not a list"),
        ({"amdhsa.kernels": [1]}, "no map"),
        (document(**{".vgpr_count": -1}), ".vgpr_count"),
        (document(**{".sgpr_count": "many"}), ".sgpr_count"),
        (document(**{".args": [[]]}), "no map"),
        (document(**{".reqd_workgroup_size": [1, 2]}), "three numbers"),
        (document(**{".name": None, ".symbol": None}), "neither"),
        (document(**{".name": 5}), "not a string"),
        (document(**{".kernarg_segment_size": 1 << 40}), "kernarg_segment_size"),
    ],
)
def test_wrong_documents_are_named(doc: object, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parsed(doc)


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_typed_error_or_metadata(data: bytes) -> None:
    note = Note("AMDGPU", 32, data, 0)
    try:
        md.parse(note)
    except FormatError as err:
        message = err.one_line()
    else:
        message = "metadata"
    assert "metadata" in message


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(FormatError):
        md.parse(Note("AMDGPU", 32, b"\x91" * 100_000, 0))


TEXT = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), min_size=1)


@settings(max_examples=60, deadline=None)
@example(name="INFINITY", count=0, size=0, access="read_only")
@example(name='00"', count=0, size=0, access="read_only")
@example(name="; // '", count=0, size=0, access="read_only")
@given(
    name=TEXT, count=st.integers(0, 512), size=st.integers(0, 1 << 31),
    access=st.sampled_from(["read_only", "write_only", "read_write"]),
)  # fmt: skip
def test_llvm_reads_the_yaml_back(name: str, count: int, size: int, access: str) -> None:
    arg = {".name": name, ".offset": 0, ".size": 8, ".value_kind": "global_buffer",
           ".address_space": "global", ".actual_access": access}  # fmt: skip
    doc = document(**{".vgpr_count": count, ".args": [arg], ".kernarg_segment_size": size,
                      ".uses_dynamic_stack": bool(count % 2)})  # fmt: skip
    made = metatext.assemble_block(metatext.block(parsed(doc)), Target("gfx942"), 5)
    assert made.raw == doc


def test_numbers_of_one_kernel_change_and_nothing_else(kernel_objects: Objects) -> None:
    data = kernel_objects("calls", "gfx942", "recovery")
    co = CodeObject.open(data)
    first, second = co.kernels
    changed = CodeObject.open(patch_numbers(data, co, second, {".vgpr_count": 9, ".absent": 3}))
    assert changed.kernels[0].metadata == first.metadata
    assert changed.kernels[1].metadata.vgpr_count == 9
    assert {**changed.kernels[1].metadata.raw, ".vgpr_count": 8} == second.metadata.raw
    assert patch_numbers(data, co, second, {}) == data
    assert sum(a != b for a, b in zip(changed.data, data, strict=True)) == 1


def test_every_note_of_an_object_counts(kernel_objects: Callable[..., bytes]) -> None:
    """Linked Tensile libraries have a note for each kernel; the note of two is split here."""
    whole = kernel_objects("calls", "gfx942", "recovery")
    co = CodeObject.open(whole)
    assert co.metadata is not None
    listed = co.metadata.raw["amdhsa.kernels"]
    assert len(listed) > 1
    notes = b""
    for one in listed:
        text = msgpack.packb({**co.metadata.raw, "amdhsa.kernels": [one]})
        notes += struct.pack("<III8s", 7, len(text), 32, b"AMDGPU") + text + bytes(-len(text) % 4)
    out = bytearray(whole + bytes(-len(whole) % 4))
    section = next(s for s in co.elf.sections if s.type == 7)
    struct.pack_into("<QQ", out, section.header_offset + 24, len(out), len(notes))
    again = CodeObject.open(bytes(out + notes))
    assert [k.name for k in again.kernels] == [k.name for k in co.kernels]
    assert again.metadata is not None
    assert again.metadata.raw == co.metadata.raw
    assert len(again.metadata.parts) == len(listed)
    for kernel in again.kernels:  # numbers go into the kernel's own note
        changed = patch_numbers(again.data, again, kernel, {".max_flat_workgroup_size": 512})
        sizes = [k.metadata.max_flat_workgroup_size for k in CodeObject.open(changed).kernels]
        assert [k.name for k, n in zip(again.kernels, sizes, strict=True)
                if n != k.metadata.max_flat_workgroup_size] == [kernel.name]  # fmt: skip
        with pytest.raises(BuildError, match="where others follow"):
            patch_numbers(again.data, again, kernel, {".kernarg_segment_size": 1 << 20})
