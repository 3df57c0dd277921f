"""Wait counters: encodings against LLVM's assembler, events against the ISA's table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.errors import UnsupportedError
from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.counters import (
    Event,
    Order,
    counter_max,
    counters_of,
    decode_depctr,
    decode_wait,
    encode_wait,
    encode_waits,
    events,
    merge_waits,
    untracked_waits,
)
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target


def assemble(text: str, arch: str) -> list[Instruction]:
    target = Target(arch)
    code = assembler(target).assemble(text)
    return [
        Instruction(code[d.offset : d.offset + d.size], d.text)
        for d in disassembler(target).decode(code)
    ]


# LLVM's own symbolic text against what is decoded from the encoding.
@pytest.mark.parametrize(
    ("arch", "text", "expected"),
    [
        ("gfx942", "s_waitcnt vmcnt(3) lgkmcnt(0)", {"vmcnt": 3, "lgkmcnt": 0}),
        ("gfx942", "s_waitcnt vmcnt(17)", {"vmcnt": 17}),
        ("gfx942", "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)", {}),
        ("gfx942", "s_waitcnt 0", {"vmcnt": 0, "expcnt": 0, "lgkmcnt": 0}),
        ("gfx90a", "s_waitcnt expcnt(2)", {"expcnt": 2}),
        ("gfx1030", "s_waitcnt lgkmcnt(40)", {"lgkmcnt": 40}),
        ("gfx1030", "s_waitcnt_vscnt null, 0x3", {"vscnt": 3}),
        ("gfx1030", "s_waitcnt_vscnt s4, 0x3", {}),
        ("gfx1030", "s_waitcnt_vmcnt null, 0x2", {"vmcnt": 2}),
        ("gfx1100", "s_waitcnt vmcnt(17) lgkmcnt(5)", {"vmcnt": 17, "lgkmcnt": 5}),
        ("gfx1200", "s_wait_loadcnt 0x3", {"loadcnt": 3}),
        ("gfx1200", "s_wait_loadcnt_dscnt 0x301", {"loadcnt": 3, "dscnt": 1}),
        ("gfx1200", "s_wait_storecnt_dscnt 0x4", {"storecnt": 0, "dscnt": 4}),
        ("gfx1200", "s_wait_kmcnt 0x0", {"kmcnt": 0}),
        ("gfx1200", "s_wait_idle", dict.fromkeys(counter_max(Target("gfx1200")), 0)),
        ("gfx1250", "s_wait_asynccnt 0x1", {"asynccnt": 1}),
        ("gfx942", "s_nop 0", {}),
    ],
)
def test_decode_wait(arch: str, text: str, expected: dict[str, int]) -> None:
    (inst,) = assemble(text, arch)
    assert dict(decode_wait(inst, Target(arch))) == expected


def test_depctr_fields() -> None:
    (inst,) = assemble("s_waitcnt_depctr 0xfffe", "gfx1100")
    assert dict(decode_depctr(inst, Target("gfx1100"))) == {"sa_sdst": 0}
    (inst,) = assemble("s_waitcnt_depctr 0xfff", "gfx1100")
    assert dict(decode_depctr(inst, Target("gfx1100"))) == {"va_vdst": 0}


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"])
@given(data=st.data())
def test_encode_then_assemble_then_decode(arch: str, data: st.DataObject) -> None:
    target = Target(arch)
    wanted = data.draw(
        st.fixed_dictionaries(
            {}, optional={n: st.integers(0, m) for n, m in counter_max(target).items()}
        )
    )
    lines = encode_waits(wanted, target)
    got: dict[str, int] = {}
    for inst in assemble("\n".join(lines), arch):
        got |= dict(decode_wait(inst, target))
    assert got == {n: v for n, v in wanted.items() if v < counter_max(target)[n]}


def test_encode_wait_is_one_instruction_or_refused() -> None:
    assert encode_wait({"vmcnt": 3, "lgkmcnt": 0}, Target("gfx942")) == (
        "s_waitcnt vmcnt(3) lgkmcnt(0)"
    )
    with pytest.raises(UnsupportedError, match="wait instructions"):
        encode_wait({"vmcnt": 0, "vscnt": 0}, Target("gfx1030"))
    with pytest.raises(UnsupportedError, match="cannot wait for vscnt"):
        encode_wait({"vscnt": 0}, Target("gfx942"))
    with pytest.raises(UnsupportedError):
        encode_wait({"vmcnt": 63}, Target("gfx942"))


def test_merge_takes_the_minimum_per_counter() -> None:
    assert merge_waits({"vmcnt": 3}, {"vmcnt": 1, "lgkmcnt": 4}) == {"vmcnt": 1, "lgkmcnt": 4}


VMEM, STORE, LDS, SMEM, FLAT = Order.VMEM, Order.STORE, Order.LDS, Order.SMEM, Order.FLAT


@pytest.mark.parametrize(
    ("arch", "text", "expected"),
    [
        ("gfx942", "global_load_dword v1, v[2:3], off", (Event("vmcnt", VMEM),)),
        ("gfx942", "global_store_dword v[2:3], v1, off", (Event("vmcnt", VMEM),)),
        ("gfx942", "global_load_lds_dword v[2:3], off", (Event("vmcnt", VMEM),)),
        ("gfx942", "buffer_load_dword v1, s[0:3], 0 offen lds", (Event("vmcnt", VMEM),)),
        ("gfx942", "flat_load_dword v1, v[2:3]", (Event("vmcnt", FLAT), Event("lgkmcnt", FLAT))),
        ("gfx942", "ds_read_b32 v1, v2", (Event("lgkmcnt", LDS),)),
        ("gfx942", "ds_bpermute_b32 v1, v2, v3", (Event("lgkmcnt", LDS),)),
        ("gfx942", "s_load_dword s0, s[2:3], 0x0", (Event("lgkmcnt", SMEM, 1),)),
        ("gfx942", "s_load_dwordx4 s[4:7], s[2:3], 0x0", (Event("lgkmcnt", SMEM, 2),)),
        ("gfx942", "s_memtime s[0:1]", (Event("lgkmcnt", SMEM, 2),)),
        ("gfx942", "buffer_wbl2 sc1", (Event("vmcnt", VMEM),)),
        # case buffer-inv-counts: llvm-project#220694 counts it on gfx942 and gfx950 only
        ("gfx942", "buffer_inv sc1", (Event("vmcnt", VMEM),)),
        ("gfx950", "buffer_inv sc0 sc1", (Event("vmcnt", VMEM),)),
        ("gfx90a", "buffer_wbl2", (Event("vmcnt", VMEM),)),
        ("gfx90a", "buffer_invl2", ()),
        ("gfx90a", "buffer_wbinvl1_vol", ()),
        ("gfx942", "s_dcache_wb", (Event("lgkmcnt", SMEM),)),
        ("gfx942", "s_icache_inv", ()),
        ("gfx942", "s_sendmsg sendmsg(MSG_INTERRUPT)", (Event("lgkmcnt", Order.MESSAGE),)),
        ("gfx942", "flat_atomic_add v[2:3], v1", (Event("vmcnt", FLAT), Event("lgkmcnt", FLAT))),
        ("gfx942", "v_mov_b32_e32 v1, v2", ()),
        ("gfx1030", "global_store_dword v[2:3], v1, off", (Event("vscnt", STORE),)),
        ("gfx1030", "scratch_store_dword off, v1, s2", (Event("vscnt", Order.SCRATCH_STORE),)),
        ("gfx1030", "global_atomic_add v1, v[2:3], v4, off glc", (Event("vmcnt", VMEM),)),
        ("gfx1030", "global_atomic_add v[2:3], v4, off", (Event("vscnt", STORE),)),
        ("gfx1030", "flat_store_dword v[2:3], v1", (Event("vscnt", STORE), Event("lgkmcnt", LDS))),
        ("gfx1200", "global_load_b32 v1, v[2:3], off", (Event("loadcnt", VMEM),)),
        ("gfx1200", "ds_load_b32 v1, v2", (Event("dscnt", LDS),)),
        ("gfx1200", "s_load_b64 s[0:1], s[2:3], 0x0", (Event("kmcnt", SMEM, 2),)),
        # llvm-project#135340: write-backs in storecnt, invalidates in loadcnt
        ("gfx1200", "global_wb", (Event("storecnt", STORE),)),
        ("gfx1200", "global_wbinv", (Event("storecnt", STORE),)),
        ("gfx1200", "global_inv", (Event("loadcnt", VMEM),)),
        (
            "gfx1200",
            "image_sample v0, [v1, v2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
            (Event("samplecnt", Order.SAMPLE),),
        ),
        # LLVM SIInsertWaitcnts: SCC_WRITE and s_get_barrier_state are kmcnt events
        ("gfx1200", "s_barrier_signal_isfirst -1", (Event("kmcnt", Order.MESSAGE),)),
        ("gfx1200", "s_barrier_signal -1", ()),
        ("gfx1200", "s_get_barrier_state s0, -1", (Event("kmcnt", Order.MESSAGE),)),
        (
            "gfx1200",
            "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)",
            (Event("kmcnt", Order.MESSAGE),),
        ),
        ("gfx1200", "export mrt0 v0, v1, v2, v3 done", (Event("expcnt", Order.EXPORT),)),
        ("gfx1100", "exp mrt0 v0, v1, v2, v3 done", (Event("expcnt", Order.EXPORT),)),
        ("gfx1100", "lds_param_load v1, attr0.x wait_vdst:0", (Event("expcnt", Order.EXPORT),)),
        (
            "gfx1250",
            "global_load_async_to_lds_b32 v1, v2, s[8:9]",
            (Event("asynccnt", Order.ASYNC),),
        ),
        (
            "gfx1250",
            "cluster_load_async_to_lds_b32 v1, v2, s[8:9]",
            (Event("asynccnt", Order.ASYNC),),
        ),
        (
            "gfx1250",
            "global_store_async_from_lds_b32 v1, v2, s[8:9]",
            (Event("asynccnt", Order.ASYNC),),
        ),
        ("gfx1250", "ds_atomic_async_barrier_arrive_b64 v1", (Event("asynccnt", Order.ASYNC),)),
    ],
)
def test_events(arch: str, text: str, expected: tuple[Event, ...]) -> None:
    (inst,) = assemble(text, arch)
    assert events(inst, Target(arch)) == expected


def test_an_unknown_generation_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="gfx1300"):
        counter_max(Target("gfx1300"))


# ISA: RDNA4 section 5.6 and LLVM AMDGPUBaseInfo (counter widths); gfx9 vmcnt 6, lgkmcnt 4 bits.
@pytest.mark.parametrize(
    ("arch", "expected"),
    [
        ("gfx942", {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 15}),
        ("gfx1030", {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 63, "vscnt": 63}),
        ("gfx1100", {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 63, "vscnt": 63}),
        (
            "gfx1200",
            {"loadcnt": 63, "storecnt": 63, "dscnt": 63, "kmcnt": 31, "samplecnt": 63,
             "bvhcnt": 7, "expcnt": 7},
        ),
        (
            "gfx1250",
            {"loadcnt": 63, "storecnt": 63, "dscnt": 63, "kmcnt": 31, "xcnt": 63, "asynccnt": 63,
             "tensorcnt": 63},
        ),
    ],
)  # fmt: skip
def test_maxima(arch: str, expected: dict[str, int]) -> None:
    assert dict(counter_max(Target(arch))) == expected
    assert {n: c.maximum for n, c in counters_of(Target(arch)).items()} == expected


def test_a_counter_that_nothing_follows_says_so() -> None:
    """Case gfx1250-xcnt: its waits are known as waits, and as waits that are not judged."""
    found = counters_of(Target("gfx1250"))
    assert {n for n, c in found.items() if c.untracked} == {"xcnt", "tensorcnt"}
    assert found["xcnt"].waits == ("s_wait_xcnt",)
    assert found["dscnt"].waits == (
        "s_wait_dscnt", "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt",
    )  # fmt: skip
    target = Target("gfx1250")
    (xcnt,) = assemble("s_wait_xcnt 0x0", "gfx1250")
    (load,) = assemble("s_wait_loadcnt 0x0", "gfx1250")
    assert set(untracked_waits(xcnt, target)) == {"xcnt"}
    assert not untracked_waits(load, target)
    assert not any(c.untracked for c in counters_of(Target("gfx942")).values())
