"""Undefined registers that travel by copies before they matter (case `undefined-descriptor-base`).

Every kernel reads one register that nothing has written; the way to its use differs. What has to
be named is worked out by hand: the register and the instruction that reads it first.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from asmevo.capsule.model import BufferState
from asmevo.check.findings import ERROR, Finding
from asmevo.device.protocol import RunOptions
from asmevo.program.build import assemble_object
from asmevo.verify.dynamic import check_dynamic
from asmevo.verify.poison import poisoned
from reference import sanitizers
from reference.sanitizers import built, capsule, device

OUT = "global_store_dword v1, v10, s[4:5]\n"
LGKM = "s_waitcnt lgkmcnt(0)\n"
_LOAD = "s_mov_b32 s46, 0x100\ns_mov_b32 s47, 0x27000\ns_nop 4\n" + (
    "buffer_load_dword v10, v1, s[44:47], 0 offen\ns_waitcnt vmcnt(0)\n" + OUT
)
_BACK = "s_nop 4\nv_readfirstlane_b32 s44, v21\ns_mov_b32 s45, s41\n"
# Ways from s[40:41], never written, into the base of a descriptor.
COPIES = {
    "scalar move": "s_mov_b64 s[44:45], s[40:41]\n",
    "two moves": "s_mov_b32 s50, s40\ns_mov_b32 s44, s50\ns_mov_b32 s45, s41\n",
    "lanes": "v_writelane_b32 v20, s40, 0\nv_writelane_b32 v20, s41, 1\ns_nop 4\n"
    "v_readlane_b32 s44, v20, 0\nv_readlane_b32 s45, v20, 1\n",
    "vector and back": "v_mov_b32 v20, s40\nv_mov_b32 v21, s41\ns_nop 4\n"
    "v_readfirstlane_b32 s44, v20\nv_readfirstlane_b32 s45, v21\n",
    "accumulator": "v_accvgpr_write_b32 a4, s40\ns_nop 4\nv_accvgpr_read_b32 v20, a4\ns_nop 4\n"
    "v_readfirstlane_b32 s44, v20\ns_mov_b32 s45, s41\n",
    "LDS": "v_mov_b32 v20, s40\nds_write_b32 v1, v20\n" + LGKM + "ds_read_b32 v21, v1\n" + LGKM
    + "s_nop 4\nv_readfirstlane_b32 s44, v21\ns_mov_b32 s45, s41\n",
    "scratch": "v_mov_b32 v20, s40\nscratch_store_dword off, v20, off offset:4\n"
    "s_waitcnt vmcnt(0)\nscratch_load_dword v21, off, off offset:4\ns_waitcnt vmcnt(0)\n"
    "s_nop 4\nv_readfirstlane_b32 s44, v21\ns_mov_b32 s45, s41\n",
    "permute": "v_mov_b32 v20, s40\nds_bpermute_b32 v21, v1, v20\n" + LGKM
    + "s_nop 4\nv_readfirstlane_b32 s44, v21\ns_mov_b32 s45, s41\n",
    "push": "v_mov_b32 v20, s40\nds_permute_b32 v21, v1, v20\n" + LGKM + _BACK,
    "swizzle": "v_mov_b32 v20, s40\nds_swizzle_b32 v21, v20 offset:swizzle(SWAP,1)\n" + LGKM
    + _BACK,
    "DPP": "v_mov_b32 v20, s40\ns_nop 4\n"
    "v_mov_b32_dpp v21, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n" + _BACK,
    "SDWA": "v_mov_b32 v20, s40\ns_nop 4\n"
    "v_mov_b32_sdwa v21, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD\n" + _BACK,
    "packed move": "v_mov_b32 v22, s40\nv_mov_b32 v23, s40\n"
    "v_pk_mov_b32 v[20:21], v[22:23], v[22:23] op_sel:[0,1]\n" + _BACK,
    "vector swap": "v_mov_b32 v20, s40\nv_mov_b32 v21, 0\nv_swap_b32 v20, v21\n" + _BACK,
    "lane by a register": "v_mov_b32 v20, s40\ns_mov_b32 m0, 5\ns_nop 4\n"
    "v_readlane_b32 s44, v20, m0\ns_mov_b32 s45, s41\n",
    "scalar selection": "s_cmp_eq_u32 s2, s2\ns_cselect_b64 s[44:45], s[40:41], s[4:5]\n",
    "vector selection": "v_mov_b32 v20, s40\nv_mov_b32 v22, 0\ns_mov_b64 vcc, -1\ns_nop 4\n"
    "v_cndmask_b32 v21, v22, v20, vcc\n" + _BACK,
    "LDS pair": "v_mov_b32 v20, s40\nds_write2_b32 v1, v1, v20 offset1:64\n" + LGKM
    + "ds_read2_b32 v[22:23], v1 offset0:64 offset1:0\n" + LGKM + "v_mov_b32 v21, v22\n" + _BACK,
}  # fmt: skip


def _first(name: str) -> str:
    """Opcode of the first instruction that reads s[40:41]."""
    return next(x for x in COPIES[name].splitlines() if "s40" in x or "s[40:41]" in x).split()[0]


def _object(body: str) -> bytes:
    """Like `built`, with scratch."""
    text = sanitizers._TEMPLATE.replace(
        "  .amdhsa_next_free_vgpr", "  .amdhsa_private_segment_fixed_size 64\n"
        "  .amdhsa_enable_private_segment 1\n  .amdhsa_next_free_vgpr"
    ).replace(".private_segment_fixed_size: 0", ".private_segment_fixed_size: 64")  # fmt: skip
    return assemble_object(text.format(body=sanitizers._HEAD + body, arch="gfx942"))


def _errors(body: str) -> list[Finding]:
    found = check_dynamic(_object(body), [capsule(waves=1)], device())
    return [f for f in found if f.severity == ERROR]


@pytest.mark.parametrize("name", COPIES)
def test_a_fault_names_the_undefined_register_behind_its_copies(name: str) -> None:
    errors = _errors(COPIES[name] + _LOAD)
    assert {f.rule for f in errors} == {"dynamic.fault", "uninitialized.register"}
    (named,) = [f for f in errors if f.rule == "uninitialized.register"]
    assert named.text.startswith("buffer_load_dword")
    assert "s44" in named.message
    assert "s40" in named.what
    # The first to read it is the first of the copies.
    assert named.producer_text.startswith(_first(name))
    (fault,) = [f for f in errors if f.rule == "dynamic.fault"]
    assert "s44 holds what undefined s40 held" in fault.message


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("v_mov_b32 v30, v40\nv_mov_b32 v31, v41\nglobal_load_dword v10, v[30:31], off\n", "v40"),
        ("v_accvgpr_read_b32 v30, a9\ns_nop 4\nflat_load_dword v10, v[30:31]\n", "a9"),
        ("ds_read_b32 v30, v1 offset:64\n" + LGKM + "v_mov_b32 v31, 0x7777\n"
         "global_load_dword v10, v[30:31], off\n", "LDS byte 0x40"),
        ("ds_read_b32 v10, v44\n" + LGKM + OUT, "v44"),
    ],
)  # fmt: skip
def test_other_faulting_addresses(body: str, place: str) -> None:
    errors = _errors(body)
    assert any(place in f.what for f in errors if f.rule.startswith("uninitialized."))


def test_a_defined_wrong_address_names_nothing() -> None:
    errors = _errors(
        "v_mov_b32 v30, 0\nv_mov_b32 v31, 0x7777\nglobal_load_dword v10, v[30:31], off\n"
    )
    assert [f.rule for f in errors] == ["dynamic.fault"]
    assert "undefined" not in errors[0].message


@pytest.mark.parametrize("name", COPIES)
def test_a_stored_result_names_the_register_it_comes_from(name: str) -> None:
    body = COPIES[name] + "v_mov_b32 v10, s44\n" + OUT
    (found,) = _errors(body)
    assert found.rule == "uninitialized.register"
    first = _first(name)
    if found.what == "s40":  # memory in between: the first read is named
        assert found.text.startswith(first)
    else:  # the use or the way into memory, and where the value comes from
        assert "_store_" in found.text or "_write" in found.text
        assert "value of s40" in found.message
        assert first in found.message


@pytest.mark.parametrize(
    ("use", "rule"),
    [
        ("s_and_b32 s48, s44, 1\ns_cmp_eq_u32 s48, 0\n", "s_and_b32"),  # of a branch
        ("s_and_b64 exec, exec, s[44:45]\n", "s_and_b64"),  # of EXEC
        ("v_lshrrev_b32 v22, v0, s44\nv_and_b32 v22, 1, v22\nv_cmp_eq_u32 vcc, 1, v22\n"
         "s_and_b64 exec, exec, vcc\n", "v_lshrrev_b32"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["scalar move", "lanes", "vector and back", "accumulator"])
def test_a_computed_use_is_named_behind_copies(name: str, use: str, rule: str) -> None:
    tail = "s_cbranch_scc1 .Lskip\nv_mov_b32 v10, 1\n" + OUT + ".Lskip:\n"
    body = "v_mov_b32 v10, 2\n" + COPIES[name] + "s_nop 4\n" + use
    (found,) = _errors(body + (tail if "s_cmp_eq" in use else OUT))
    assert found.rule == "uninitialized.register"
    assert found.text.startswith(rule)


def test_undefined_scratch_differs_between_seeds() -> None:
    body = "scratch_load_dword v10, off, off offset:8\ns_waitcnt vmcnt(0)\n" + OUT
    launch = capsule(waves=1)
    runs = [
        device().run(_object(body), launch, RunOptions(poison=seed)).buffers["a"]
        for seed in (1, 2, 1)
    ]
    assert runs[0] == runs[2]
    assert runs[0] != runs[1]
    assert _errors(body)


def test_scratch_buffers_are_poisoned() -> None:
    # A buffer of role `scratch` means nothing before the launch, in both patterns.
    launch = capsule()
    extra = BufferState("w", 0x7F20_0000_0000, bytes(64), "u32", (16,), "scratch", guard=256,
                        undefined=True)  # fmt: skip
    launch = replace(launch, buffers=(*launch.buffers, extra))
    a, b = (poisoned(launch, p, 5).buffer("w").data for p in ("A", "B"))
    assert a != bytes(64)
    assert bytes(x ^ 0xFF for x in a) == b


def test_a_candidate_that_reads_undefined_scratch_memory_is_an_error() -> None:
    launch = capsule(waves=1)
    a, b = launch.buffers
    launch = replace(launch, buffers=(a, replace(b, role="scratch", undefined=True)))
    body = "global_load_dword v10, v1, s[6:7]\ns_waitcnt vmcnt(0)\n" + OUT
    found = check_dynamic(built(body), [launch], device())
    assert "uninitialized.memory" in {f.rule for f in found if f.severity == ERROR}
