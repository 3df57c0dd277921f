"""Opening code objects: what is found, and one clear line for what is not one."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject, FormatError, WrongObjectError
from asmevo.errors import AsmEvoError, InputError, UnsupportedError

Objects = Callable[..., bytes]


def test_kernel_of_a_compiled_object(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("softmax"))
    kernel = co.kernel()
    # Figures from the committed assembly file: .amdhsa_* directives and .amdgpu_metadata.
    assert (co.target.arch, co.abi_version) == ("gfx942", 6)
    assert (kernel.name, kernel.symbol) == ("softmax", "softmax.kd")
    d, m = kernel.descriptor, kernel.metadata
    assert (d.group_segment_fixed_size, d.kernarg_size, d.user_sgpr_count) == (1024, 20, 2)
    assert (d.vgprs, d.accum_offset, d.arch_vgprs, d.agprs) == (16, 16, 16, 0)
    assert d.sgprs == 48  # 35, and VCC, FLAT_SCRATCH and XNACK_MASK, in steps of 8
    assert (d.float_denorm_mode_32, d.float_denorm_mode_16_64) == (3, 3)
    assert (d.dx10_clamp, d.ieee_mode, d.enable_sgpr_kernarg_segment_ptr) == (1, 1, 1)
    assert [(a.offset, a.size, a.value_kind) for a in m.args] == [
        (0, 8, "global_buffer"),
        (8, 8, "global_buffer"),
        (16, 4, "by_value"),
    ]
    assert (m.vgpr_count, m.agpr_count, m.sgpr_count, m.wavefront_size) == (16, 0, 41, 64)
    assert m.kernarg_bytes == 20
    assert not m.uses_dynamic_stack


def test_kernel_by_each_of_its_names(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("calls", folder="recovery"))
    assert [k.name for k in co.kernels] == ["table_walk", "remember"]
    assert co.kernel("remember.kd") is co.kernel("remember")
    with pytest.raises(InputError, match=r"2 kernels \(table_walk, remember\)"):
        co.kernel()
    with pytest.raises(InputError, match=r"no kernel named 'walk'.*table_walk, remember"):
        co.kernel("walk")


def _patched(data: bytes, at: int, layout: str, value: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(layout, out, at, value)
    return bytes(out)


def test_bad_files_have_one_clear_line(kernel_objects: Objects) -> None:
    good = kernel_objects("saxpy")
    cases: list[tuple[bytes, type[AsmEvoError], int, str]] = [
        (b"", FormatError, 2, "not an ELF file (an empty file)"),
        (b"PK\x03\x04 zip", FormatError, 2, "not an ELF file"),
        (good[:40], FormatError, 2, "truncated ELF: the ELF header"),
        (good[:2000], FormatError, 2, "truncated ELF"),
        (_patched(good, 4, "<B", 1), FormatError, 2, "not 64-bit"),
        (_patched(good, 18, "<H", 62), FormatError, 2, "host ELF for x86-64"),
        (_patched(good, 7, "<B", 0), WrongObjectError, 3, "OS ABI 0"),
        (_patched(good, 8, "<B", 0), WrongObjectError, 3, "ABI byte 0"),
        (_patched(good, 16, "<H", 1), WrongObjectError, 3, "type 1"),
        (_patched(good, 48, "<I", 0x5FF), UnsupportedError, 3, "machine number 0xff"),
    ]
    for data, error, code, text in cases:
        with pytest.raises(error) as caught:
            CodeObject.open(data)
        line = caught.value.one_line()
        assert text in line
        assert "\n" not in line
        assert caught.value.exit_code == code


def test_host_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="host ELF"):
        CodeObject.open(Path("/proc/self/exe").read_bytes())


def test_every_truncation_is_a_typed_error(kernel_objects: Objects) -> None:
    good = kernel_objects("saxpy")
    for size in [*range(0, 400, 7), *range(400, len(good) - 1, 97)]:
        with pytest.raises(AsmEvoError):
            CodeObject.open(good[:size])
