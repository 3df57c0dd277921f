"""Lengths from format bits, held against LLVM's assembler and against its raw disassembler."""

from __future__ import annotations

import ctypes
import random
import re
import struct
from pathlib import Path

import pytest

from asmevo.isa.codec.lengths import instruction_length
from asmevo.isa.codec.llvm import TRIPLE, AssemblyError, assembler, disassembler, library
from asmevo.isa.target import Target

KERNELS = Path(__file__).resolve().parents[3] / "kernels"
_CODE = re.compile(r"(s|v|ds|global|scratch|flat|buffer|image|tensor)_")

# (target, text, bytes): sizes by hand from the "Microcode Formats" chapters.
FORMS = [
    ("gfx942", "v_add_f32_e32 v0, 0x11223344, v1", 8),
    ("gfx942", "v_add_f32_sdwa v0, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", 8),
    ("gfx942", "v_fmaak_f32 v0, v1, v2, 0x11223344", 8),
    ("gfx942", "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 5", 8),
    ("gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 8),
    ("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3], v16, v17", 16),
    ("gfx1030", "v_add3_u32 v0, v1, v2, 0x11223344", 12),
    ("gfx1030", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]", 8),
    ("gfx1030", "image_sample v[0:3], [v4, v9, v20], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D",
     12),
    ("gfx1100", "v_add3_u32_e64_dpp v0, v1, v2, v3 quad_perm:[0,1,2,3]", 12),
    ("gfx1100", "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v7", 8),
    ("gfx1100", "v_dual_add_f32 v0, 0x11223344, v2 :: v_dual_mul_f32 v3, v4, v7", 12),
    ("gfx1100", "v_dual_fmaak_f32 v0, v1, v2, 0x11223344 :: v_dual_mul_f32 v3, v4, v7", 12),
    ("gfx1100", "lds_direct_load v0", 4),
    ("gfx1150", "s_fmaak_f32 s0, s1, s2, 0x11223344", 8),
    ("gfx1200", "buffer_load_b32 v0, v1, s[0:3], s4 offen", 12),
    ("gfx1200", "global_load_b32 v0, v1, s[0:1]", 12),
    ("gfx1200", "scratch_load_b32 v0, off, s1", 12),
    ("gfx1200", "image_load v[0:3], [v4, v9], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D", 12),
    ("gfx1200", "ds_load_b32 v0, v1", 8),
    ("gfx1200", "s_load_b32 s0, s[2:3], 0x0", 8),
    ("gfx1250", "s_mov_b64 s[0:1], 0x1122334455667788", 12),
    ("gfx1250", "s_add_nc_u64 s[0:1], s[0:1], 0x1122334455667788", 12),
    ("gfx1250", "v_fmaak_f64 v[0:1], v[2:3], v[4:5], 0x1122334455667788", 12),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "text", "size"), FORMS)
def test_each_rule_by_hand(arch: str, text: str, size: int) -> None:
    target = Target(arch)
    code = assembler(target).assemble(text)
    assert len(code) == size
    assert instruction_length(code + bytes(16), 0, target) == size


def _listing(path: Path) -> list[str]:
    lines = (" ".join(line.split(";")[0].split()) for line in path.read_text().splitlines())
    found = {x for x in lines if _CODE.match(x) and "@" not in x and "branch" not in x}
    return sorted(found)


@pytest.mark.parametrize(
    "path", sorted(KERNELS.rglob("*.s")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_the_assembler_makes_as_many_instructions_as_lengths_find(path: Path) -> None:
    """One line, one instruction: walking the bytes by length finds each start that LLVM made."""
    arch = re.search(r"amdhsa--(gfx\w+)", path.read_text()).group(1)  # type: ignore[union-attr]
    lines = _listing(path)
    assert len(lines) > 5
    target = Target(arch)
    code = assembler(target).assemble("\n".join(lines))
    found, at = 0, 0
    while at < len(code):
        at += instruction_length(code, at, target)
        found += 1
    assert (found, at) == (len(lines), len(code))


def _random_word(r: random.Random) -> int:
    word = r.getrandbits(32)
    if r.random() < 0.35:
        word |= 3 << 30
    for at in (0, 8, 9, 18):
        if r.random() < 0.15:
            special = r.choice((0xFF, 0xFE, 0xF9, 0xFA, 0xE9, 0xEA, 0x80))
            word = word & ~(0xFF << at) | special << at
    for mask in (0xFFFF, 0xFF00, 0x1FE00, 0x7FC0000, 0x7C00):
        if r.random() < 0.25:
            word &= ~mask
    return word


@pytest.mark.parametrize(
    "arch", ["gfx900", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100",
             "gfx1150", "gfx1200", "gfx1250"],
)  # fmt: skip
def test_llvm_agrees_wherever_it_decodes_random_words(arch: str) -> None:
    """LLVM's own size, asked without the project's decoder; the text must mean the bytes.

    A few formats of older generations are still decoded on newer ones by this LLVM; their text
    does not assemble to their bytes, so that they do not count.
    """
    target, r = Target(arch), random.Random(arch)
    lib, _ = library()
    features = b"+real-true16" if arch == "gfx1250" else b""
    handle = lib.LLVMCreateDisasmCPUFeatures(TRIPLE, arch.encode(), features, None, 0, None, None)
    text = ctypes.create_string_buffer(1024)
    decoded = 0
    for _ in range(6000):
        code = struct.pack("<5I", *(_random_word(r) for _ in range(2)), 0, _random_word(r), 0)
        # Words that end the process are skipped; the project's decoder says which.
        if disassembler(target).decode(code)[0].text is None and target.major < 11:
            continue
        buffer = ctypes.create_string_buffer(code, 32)
        size = lib.LLVMDisasmInstruction(handle, ctypes.addressof(buffer), 32, 0, text, 1024)
        if not size:
            continue
        decoded += 1
        if size != instruction_length(code, 0, target):
            try:
                again = assembler(target).assemble(text.value.decode().strip())
            except AssemblyError:
                continue
            assert again != code[:size], (arch, code.hex(), text.value)
    lib.LLVMDisasmDispose(handle)
    assert decoded > 1000


# Instructions that this LLVM refuses (reserved opcodes), with a second or third word that reads as
# an instruction of its own: s_endpgm (bf810000), v_mov_b32 v0, v1 (7e000301).
_PHANTOM = struct.pack("<I", 0x7E000301)
REFUSED = [
    ("gfx942", [0xDBFF0000, 0x7E000301]),  # DS, reserved opcode
    ("gfx942", [0xD3FF0000, 0x7E000301]),  # VOP3P
    ("gfx942", [0xC3FC0000, 0x7E000301]),  # SMEM
    ("gfx1030", [0xD7FF0000, 0x7E0300FF, 0x7E000301]),  # VOP3 with a literal
    ("gfx1100", [0xCCFF0000, 0x7E0004FA, 0x7E000301]),  # VOP3P with DPP
    ("gfx1100", [0xCBC400FF, 0x7E000301, 0x7E000301]),  # VOPD with a literal
    ("gfx1200", [0xC7FFC000, 0x7E000301, 0x7E000301]),  # VBUFFER
    ("gfx1250", [0xD0710001, 0x7C000000, 0x7C7C1008]),  # gfx1250-tensorcnt: tensor_load_to_lds
    ("gfx1250", [0xEEFFC000, 0x7E000301, 0x7E000301]),  # VGLOBAL
]


@pytest.mark.parametrize(("arch", "words"), REFUSED)
def test_a_refused_instruction_keeps_all_its_words(arch: str, words: list[int]) -> None:
    target = Target(arch)
    end = assembler(target).assemble("s_endpgm")
    code = struct.pack(f"<{len(words)}I", *words) + end
    decoded = disassembler(target).decode(code)
    assert [(d.size, d.text) for d in decoded] == [(4 * len(words), None), (4, "s_endpgm")]


def test_a_cut_off_instruction_ends_with_the_code() -> None:
    for arch, words in REFUSED:
        code = struct.pack(f"<{len(words)}I", *words)[:-4]
        (only,) = disassembler(Target(arch)).decode(code)
        assert (only.size, only.text) == (len(code), None)


def _cmpx_names() -> list[str]:
    floats = ["f", "lt", "eq", "le", "gt", "lg", "ge", "o"]
    floats += ["u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"]
    numbers = ["f", "lt", "eq", "le", "gt", "ne", "ge", "t"]
    names = [f"v_cmpx_class_f{bits}" for bits in (16, 32, 64)]
    names += [f"v_cmpx_{op}_f{bits}" for op in floats for bits in (16, 32, 64)]
    names += [
        f"v_cmpx_{op}_{sign}{bits}" for op in numbers for sign in "iu" for bits in (16, 32, 64)
    ]
    return names


@pytest.mark.parametrize("arch", ["gfx900", "gfx90a", "gfx942", "gfx950"])
def test_cmpx_sdst_every_compare_reads_back_its_destination(arch: str) -> None:
    """All 99 of the Vega ISA's VOPC list, with destinations the assembler takes (`cmpx_sdst`)."""
    names = _cmpx_names()
    assert len(names) == 99
    target = Target(arch)
    lines: list[str] = []
    for n, name in enumerate(names):
        wide = name.endswith("64")
        first = "v[2:3]" if wide else "v2"
        second = "v[4:5]" if wide and "class" not in name else "v4"
        register = (
            "vcc",
            "exec",
            "s[0:1]",
            "s[100:101]",
            "ttmp[0:1]",
            f"s[{2 * n % 100}:{2 * n % 100 + 1}]",
        )
        lines.append(f"{name}_e64 {register[n % 6]}, {first}, {second}")
    code = assembler(target).assemble("\n".join(lines))
    assert [d.text for d in disassembler(target).decode(code)] == lines
