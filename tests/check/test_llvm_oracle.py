"""The rule table against LLVM's recognizer itself, where `llc` is installed.

Each pair is written twice: as MIR for `llc -run-pass=post-RA-hazard-rec` and as text for the
checker. The wait states that LLVM inserts must be what the checker says is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from asmevo.check.rules.hazards import check_hazards
from asmevo.check.rules.waits import check_waits

LLC = shutil.which("llc-22") or (
    "/usr/lib/llvm-22/bin/llc" if Path("/usr/lib/llvm-22/bin/llc").exists() else None
)
pytestmark = pytest.mark.skipif(LLC is None, reason="llc 22 is not installed")

X, M = "implicit $exec", "implicit $mode, implicit $exec"


def tup(first: int, count: int, kind: str = "vgpr") -> str:
    return "$" + "_".join(f"{kind}{i}" for i in range(first, first + count))


def mfma(op: str, d: int, n: int, a: int, b: int, c: int, wide: int = 2) -> str:
    return f"{tup(d, n)} = {op} {tup(a, wide)}, {tup(b, wide)}, {tup(c, n)}, 0, 0, 0, {M}"


X32, X16, S16 = (
    "V_MFMA_F32_32X32X8F16_vgprcd_e64",
    "V_MFMA_F32_16X16X16F16_vgprcd_e64",
    "V_MFMA_F32_16X16X4F32_vgprcd_e64",
)
READ = f"$vgpr100 = V_ADD_F32_e32 $vgpr16, $vgpr16, {M}"
READ_TEXT = "v_add_f32_e32 v100, v16, v16"
STORE = f"DS_WRITE_B32_gfx9 $vgpr90, $vgpr16, 0, 0, {X}"
LOAD = f"$vgpr16 = DS_READ_B32_gfx9 $vgpr90, 0, 0, {X}"
MFMA32_TEXT = "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]"
MFMA16_TEXT = "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[2:3], v[16:19]"
SGEMM_TEXT = "v_mfma_f32_16x16x4_f32 v[16:19], v0, v2, v[16:19]"

# name, producer MIR, producer text, consumer MIR, consumer text
PAIRS: list[tuple[str, str, str, str, str]] = [
    ("trans", f"$vgpr1 = V_EXP_F32_e32 $vgpr2, {M}", "v_exp_f32_e32 v1, v2",
     f"$vgpr3 = V_ADD_F32_e32 $vgpr1, $vgpr1, {M}", "v_add_f32_e32 v3, v1, v1"),
    ("sgpr_const", f"$sgpr4 = V_READFIRSTLANE_B32 $vgpr1, {X}", "v_readfirstlane_b32 s4, v1",
     f"$vgpr9 = V_ADD_U32_e32 $sgpr4, $vgpr2, {X}", "v_add_u32_e32 v9, s4, v2"),
    ("lane_select", f"$sgpr4 = V_READFIRSTLANE_B32 $vgpr1, {X}", "v_readfirstlane_b32 s4, v1",
     "$sgpr9 = V_READLANE_B32 $vgpr2, $sgpr4", "v_readlane_b32 s9, v2, s4"),
    ("readlane", f"$vgpr1 = V_MOV_B32_e32 $vgpr2, {X}", "v_mov_b32_e32 v1, v2",
     f"$sgpr9 = V_READFIRSTLANE_B32 $vgpr1, {X}", "v_readfirstlane_b32 s9, v1"),
    ("sgpr_vmem", f"$sgpr4 = V_READFIRSTLANE_B32 $vgpr1, {X}", "v_readfirstlane_b32 s4, v1",
     f"$vgpr9 = BUFFER_LOAD_DWORD_OFFEN $vgpr8, $sgpr0_sgpr1_sgpr2_sgpr3, $sgpr4, 0, 0, 0, {X}",
     "buffer_load_dword v9, v8, s[0:3], s4 offen"),
    ("dpp", f"$vgpr1 = V_MOV_B32_e32 $vgpr2, {X}", "v_mov_b32_e32 v1, v2",
     f"$vgpr3 = V_MOV_B32_dpp $vgpr3, $vgpr1, 177, 15, 15, 0, {X}",
     "v_mov_b32_dpp v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    ("valu_mfma", f"$vgpr0 = V_MOV_B32_e32 $vgpr9, {X}", "v_mov_b32_e32 v0, v9",
     mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT),
    ("xdl8_valu", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, READ, READ_TEXT),
    ("xdl4_valu", mfma(X16, 16, 4, 0, 2, 16), MFMA16_TEXT, READ, READ_TEXT),
    ("sgemm8_valu", mfma(S16, 16, 4, 0, 2, 16, 1), SGEMM_TEXT, READ, READ_TEXT),
    ("xdl8_store", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, STORE, "ds_write_b32 v90, v16"),
    ("xdl8_load", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, LOAD, "ds_read_b32 v16, v90"),
    ("xdl8_ab", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, mfma(X16, 40, 4, 16, 2, 40),
     "v_mfma_f32_16x16x16_f16 v[40:43], v[16:17], v[2:3], v[40:43]"),
    ("xdl8_c_unequal", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, mfma(X16, 18, 4, 0, 2, 18),
     "v_mfma_f32_16x16x16_f16 v[18:21], v[0:1], v[2:3], v[18:21]"),
    ("xdl8_c_same", mfma(X32, 16, 16, 0, 2, 16), MFMA32_TEXT, mfma(X32, 16, 16, 0, 2, 16),
     MFMA32_TEXT),
    ("xdl8_c_war", mfma(X32, 40, 16, 0, 2, 16),
     "v_mfma_f32_32x32x8_f16 v[40:55], v[0:1], v[2:3], v[16:31]",
     f"$vgpr16 = V_MOV_B32_e32 $vgpr9, {X}", "v_mov_b32_e32 v16, v9"),
    ("trans_trans", f"$vgpr1 = V_EXP_F32_e32 $vgpr2, {M}", "v_exp_f32_e32 v1, v2",
     f"$vgpr3 = V_LOG_F32_e32 $vgpr1, {M}", "v_log_f32_e32 v3, v1"),
    ("salu_sgpr", "$sgpr4 = S_MOV_B32 0", "s_mov_b32 s4, 0",
     f"$vgpr9 = V_ADD_U32_e32 $sgpr4, $vgpr2, {X}", "v_add_u32_e32 v9, s4, v2"),
]  # fmt: skip


def run_llc(tmp_path: Path, arch: str, passes: str, functions: list[tuple[str, str]]) -> str:
    """LLVM's output for one-block functions given as (name, body)."""
    parts = [
        f"---\nname: {name}\nbody: |\n  bb.0:\n"
        + "".join(f"    {line}\n" for line in body.splitlines())
        + "    S_ENDPGM 0\n...\n"
        for name, body in functions
    ]
    source = tmp_path / "pairs.mir"
    source.write_text("".join(parts))
    assert LLC is not None
    command = [LLC, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", f"-run-pass={passes}",
               "-o", "-", str(source)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def spell(text: str, arch: str) -> str:
    """The text in the architecture's spelling: gfx90a writes MFMA types without underscore."""
    if arch != "gfx90a":
        return text
    return re.sub(r"(v_mfma_\w+x\d+)_(f16|f32)", r"\1\2", text)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_nops_that_llvm_inserts_are_what_the_checker_misses(
    arch: str, tmp_path: Path, text_view
) -> None:
    functions = [(name, f"{p}\n{c}") for name, p, _, c, _ in PAIRS]
    output = run_llc(tmp_path, arch, "post-RA-hazard-rec", functions)
    inserted = {
        part.split()[0]: sum(int(n) + 1 for n in re.findall(r"S_NOP (\d+)", part))
        for part in re.split(r"^name: +", output, flags=re.M)[1:]
    }
    assert len(inserted) == len(PAIRS)
    missing: dict[str, int] = {}
    for name, _, producer, _, consumer in PAIRS:
        text = spell(f"{producer}\n{consumer}\ns_endpgm", arch)
        found = check_hazards(text_view(text, arch))
        missing[name] = max((f.need - f.have for f in found), default=0)
    assert missing == inserted


WAITS: list[tuple[str, str, str]] = [
    ("one_of_two",
     f"$vgpr1 = DS_READ_B32_gfx9 $vgpr0, 0, 0, {X}\n$vgpr2 = DS_READ_B32_gfx9 $vgpr0, 4, 0, {X}\n"
     f"$vgpr9 = V_ADD_F32_e32 $vgpr1, $vgpr1, {M}",
     "ds_read_b32 v1, v0\nds_read_b32 v2, v0 offset:4\nv_add_f32_e32 v9, v1, v1"),
    ("smem",
     "$sgpr4 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, 0, 0\n$sgpr5 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, 4, 0\n"
     "$sgpr6 = S_MOV_B32 $sgpr4",
     "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\ns_mov_b32 s6, s4"),
    ("store_between",
     f"$vgpr1 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, {X}\n"
     f"GLOBAL_STORE_DWORD $vgpr6_vgpr7, $vgpr8, 0, 0, {X}\n$vgpr9 = V_ADD_F32_e32 $vgpr1, $vgpr1, "
     f"{M}",
     "global_load_dword v1, v[4:5], off\nglobal_store_dword v[6:7], v8, off\n"
     "v_add_f32_e32 v9, v1, v1"),
    ("waw",
     f"$vgpr1 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, {X}\n$vgpr1 = V_MOV_B32_e32 0, {X}",
     "global_load_dword v1, v[4:5], off\nv_mov_b32_e32 v1, 0"),
    ("address_reuse",
     f"$vgpr1 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, {X}\n$vgpr4 = V_MOV_B32_e32 0, {X}",
     "global_load_dword v1, v[4:5], off\nv_mov_b32_e32 v4, 0"),
]  # fmt: skip


def test_counts_that_llvm_waits_for_are_what_the_checker_asks(tmp_path: Path, text_view) -> None:
    output = run_llc(tmp_path, "gfx942", "si-insert-waitcnts", [(n, m) for n, m, _ in WAITS])
    wanted: dict[str, list[tuple[str, int]]] = {}
    for part in re.split(r"^name: +", output, flags=re.M)[1:]:
        words = [int(n) for n in re.findall(r"S_WAITCNT (\d+)", part)]
        # The first one is the wait at a function's entry for what the caller left pending.
        found: list[tuple[str, int]] = []
        for word in words[1:]:
            vm, lgkm = word & 15 | word >> 10 & 48, word >> 8 & 15
            found += [("vmcnt", vm)] if vm < 63 else []
            found += [("lgkmcnt", lgkm)] if lgkm < 15 else []
        wanted[part.split()[0]] = found
    asked: dict[str, list[tuple[str, int]]] = {}
    for name, _, text in WAITS:
        findings = check_waits(text_view(f"{text}\ns_endpgm"))
        asked[name] = [
            (re.findall(r"(\w+cnt)\((\d+)\)", f.fix)[0][0], f.need or 0) for f in findings
        ]
    assert asked == wanted
