"""Races and uninitialized reads: a corpus of small racy and clean kernels."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from asmevo.device.protocol import RunOptions
from reference.sanitizers import built, capsule, device, observed, run

RAW, WAW, WAR = "race-read-after-write", "race-write-after-write", "race-write-after-read"
UNSET, BARRIER = "uninitialized-read", "divergent-barrier"
SYNC = "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_barrier\n"
FILL = "ds_write_b32 v1, v0\n" + SYNC
Found = tuple[str, str, str]


@dataclass(frozen=True)
class Case:
    """A body and all that a watched run has to see when each wave runs to its barrier."""

    name: str
    body: str
    found: frozenset[Found] = frozenset()
    waves: int = 2
    groups: int = 1
    undefined: bool = False


def racy(name: str, body: str, *found: Found, **launch: int) -> Case:
    return Case(name, body, frozenset(found), **launch)


def clean(name: str, body: str, **launch: int) -> Case:
    return Case(name, body, **launch)


def only_wave(number: int, lines: str) -> str:
    """Lines that one wave executes."""
    return f"s_cmp_lg_u32 s8, {number}\ns_cbranch_scc1 .Lskip{number}\n{lines}.Lskip{number}:\n"


def only_group(number: int, lines: str) -> str:
    """Lines that one workgroup executes."""
    return f"s_cmp_lg_u32 s2, {number}\ns_cbranch_scc1 .Lg{number}\n{lines}.Lg{number}:\n"


def width(write: str, read: str, data: str, result: str, shift: int) -> tuple[str, str]:
    """Own and neighbouring element of another size: two bodies, without and with a barrier."""
    head = f"v_lshlrev_b32 v1, {shift}, v0\nv_xor_b32 v2, {64 << shift}, v1\n"
    fill = f"{head}{write} v1, {data}\n{SYNC}{write} v1, {data}\n"
    wait = "s_waitcnt lgkmcnt(0)\n"
    return f"{fill}{wait}{read} {result}, v2\n", f"{fill}{SYNC}{read} {result}, v2\n"


PAIRS = [
    width("ds_write_b32", "ds_read_b32", "v0", "v3", 2),
    width("ds_write_b64", "ds_read_b64", "v[4:5]", "v[10:11]", 3),
    width("ds_write_b128", "ds_read_b128", "v[4:7]", "v[10:13]", 4),
    width("ds_write_b8", "ds_read_u8", "v0", "v3", 0),
    width("ds_write_b16", "ds_read_u16_d16_hi", "v0", "v3", 1),
]

LOOP = """s_mov_b32 s20, 4
.Lloop:
v_xor_b32 v5, 0x400, v5
ds_write_b32 v5, v0
s_waitcnt lgkmcnt(0)
s_barrier
v_xor_b32 v6, 256, v5
ds_read_b32 v7, v6
s_waitcnt lgkmcnt(0)
{more}s_sub_u32 s20, s20, 1
s_cmp_lg_u32 s20, 0
s_cbranch_scc1 .Lloop
"""
# Far more barriers than numbers of intervals in an LDS entry.
LONG = """ds_write_b32 v1, v0 offset:2048
s_movk_i32 s20, 700
.Lloop:
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v7, v2
s_waitcnt lgkmcnt(0)
s_barrier
s_sub_u32 s20, s20, 1
s_cmp_lg_u32 s20, 0
s_cbranch_scc1 .Lloop
ds_read_b32 v7, v2 offset:2048
"""
DMA = "s_mov_b32 m0, 0\ns_lshl_b32 s9, s8, 8\ns_mov_b32 m0, s9\nglobal_load_lds_dword v1, s[6:7]\n"
BUFFER = "s_mov_b32 s12, s4\ns_mov_b32 s13, s5\ns_mov_b32 s14, 0x2000\ns_mov_b32 s15, 0x24fac\n"
G_STORE, G_LOAD = "global_store_dword v1, v0, s[4:5]\n", "global_load_dword v3, v2, s[4:5]\n"
SAME = "v_mov_b32 v5, 0\n"

CASES = [
    # LDS between waves.
    clean("lds-own-dword", FILL + "ds_read_b32 v3, v1\nds_write_b32 v1, v3\n"),
    racy(
        "lds-one-wave-reads-early",
        FILL + only_wave(0, "ds_write_b32 v1, v0\n") + only_wave(1, "ds_read_b32 v3, v2\n"),
        (RAW, "ds_write_b32", "ds_read_b32"),
    ),
    racy(
        "lds-write-after-read",
        FILL + only_wave(0, "ds_read_b32 v3, v2\n") + only_wave(1, "ds_write_b32 v1, v0\n"),
        (WAR, "ds_read_b32", "ds_write_b32"),
    ),
    racy(
        "lds-write-after-write",
        FILL + only_wave(0, "ds_write_b32 v1, v0\n") + only_wave(1, "ds_write_b64 v2, v[0:1]\n"),
        (WAW, "ds_write_b32", "ds_write_b64"),
    ),
    clean("lds-disjoint-ranges", FILL + "ds_read_b32 v3, v1\nds_write_b32 v1, v3 offset:2048\n"),
    clean(
        "lds-one-reads-many-write-nothing",
        FILL + SAME + "ds_read_b128 v[8:11], v5\nds_read_b32 v3, v2\n",
    ),
    racy(
        "lds-two-readers-one-writer",
        FILL + SAME + "ds_read_b32 v3, v5\n" + only_wave(1, "ds_write_b32 v5, v0\n"),
        (WAR, "ds_read_b32", "ds_write_b32"),
    ),
    clean(
        "lds-bytes-of-a-dword",
        SAME
        + "v_mov_b32 v5, s8\nds_write_b8 v5, v0\n"
        + SYNC
        + "ds_read_u8 v3, v5\nds_write_b8 v5, v0\n",
    ),
    racy("lds-same-byte", SAME + "ds_write_b8 v5, v0\n", (WAW, "ds_write_b8", "ds_write_b8")),
    racy(
        "lds-byte-and-dword",
        FILL
        + SAME
        + only_wave(0, "ds_write_b8 v5, v0 offset:3\n")
        + only_wave(1, "ds_read_b32 v3, v5\n"),
        (RAW, "ds_write_b8", "ds_read_b32"),
    ),
    clean(
        "lds-halves-of-a-dword",
        SAME + "v_mov_b32 v5, s8\nv_lshlrev_b32 v5, 1, v5\n"
        "ds_write_b16 v5, v0\nds_read_u16 v3, v5\n",
    ),
    clean(
        "lds-masked-lanes",
        FILL + "v_lshlrev_b32 v5, 2, v3\nv_and_b32 v6, 1, v0\nv_cmp_eq_u32 vcc, s8, v6\n"
        "v_and_b32 v7, 63, v0\nv_lshlrev_b32 v7, 2, v7\ns_mov_b64 exec, vcc\n"
        "ds_write_b32 v7, v0 offset:1024\n",
    ),
    racy(
        "lds-masked-lanes-meet",
        FILL + "v_and_b32 v7, 63, v0\nv_lshlrev_b32 v7, 2, v7\ns_mov_b64 exec, 2\n"
        "ds_write_b32 v7, v0 offset:1024\n",
        (WAW, "ds_write_b32", "ds_write_b32"),
    ),
    clean("lds-no-lane", FILL + "s_mov_b64 exec, 0\nds_write_b32 v2, v0\n"),
    clean(
        "lds-atomics",
        SAME + "ds_write_b32 v1, v0\n" + SYNC + "ds_add_u32 v5, v0\n"
        "ds_add_rtn_u32 v6, v5, v0\n" + SYNC + "ds_read_b32 v3, v5\n",
    ),
    racy(
        "lds-atomic-and-plain-write",
        FILL + SAME + only_wave(0, "ds_add_u32 v5, v0\n") + only_wave(1, "ds_write_b32 v5, v0\n"),
        (WAW, "ds_add_u32", "ds_write_b32"),
    ),
    racy(
        "lds-plain-write-and-atomic",
        FILL + SAME + only_wave(0, "ds_write_b32 v5, v0\n") + only_wave(1, "ds_add_u32 v5, v0\n"),
        (WAW, "ds_write_b32", "ds_add_u32"),
    ),
    racy(
        "lds-atomic-and-plain-read",
        FILL + SAME + only_wave(0, "ds_add_u32 v5, v0\n") + only_wave(1, "ds_read_b32 v3, v5\n"),
        (RAW, "ds_add_u32", "ds_read_b32"),
    ),
    clean("lds-double-buffer", FILL + "v_mov_b32 v5, v1\n" + LOOP.format(more="")),
    racy(
        "lds-double-buffer-without-barrier",
        FILL + "v_mov_b32 v5, v1\n" + LOOP.format(more="").replace("s_barrier\n", "", 1),
        (RAW, "ds_write_b32", "ds_read_b32"),
        (WAR, "ds_read_b32", "ds_write_b32"),
        (UNSET, "ds_read_b32", "ds_read_b32"),
    ),
    racy(
        "lds-single-buffer-one-barrier",
        FILL + "v_mov_b32 v5, v1\n" + LOOP.format(more="").replace("0x400", "0"),
        (WAR, "ds_read_b32", "ds_write_b32"),
        (RAW, "ds_write_b32", "ds_read_b32"),
    ),
    clean(
        "lds-single-buffer-two-barriers",
        FILL + "v_mov_b32 v5, v1\n" + LOOP.format(more="s_barrier\n").replace("0x400", "0"),
    ),
    clean("lds-more-barriers-than-interval-numbers", LONG),
    clean("lds-permutes-touch-no-memory", "ds_bpermute_b32 v3, v2, v0\nds_swizzle_b32 v4, v0\n"),
    racy(
        "lds-transposed-order",
        FILL + "v_sub_u32 v5, 0x1fc, v1\nds_read_b32 v3, v5\nds_write_b32 v1, v0\n",
        (WAR, "ds_read_b32", "ds_write_b32"),
        (RAW, "ds_write_b32", "ds_read_b32"),
    ),
    # LDS-DMA.
    clean("lds-dma-own", DMA + "s_waitcnt vmcnt(0)\nds_read_b32 v3, v1\n"),
    clean("lds-dma-barrier", DMA + SYNC + "ds_read_b32 v3, v2\n"),
    racy(
        "lds-dma-no-barrier",
        FILL + only_wave(0, DMA + "s_waitcnt vmcnt(0)\n") + only_wave(1, "ds_read_b32 v3, v2\n"),
        (RAW, "global_load_lds_dword", "ds_read_b32"),
    ),
    # Uninitialized reads.
    racy("lds-never-written", "ds_read_b32 v3, v1\n", (UNSET, "ds_read_b32", "ds_read_b32")),
    racy(
        "lds-half-written",
        "ds_write_b16 v1, v0\n" + SYNC + "ds_read_b32 v3, v1\n",
        (UNSET, "ds_read_b32", "ds_read_b32"),
    ),
    racy(
        "memory-never-written",
        "global_load_dword v3, v1, s[4:5]\n",
        (UNSET, "global_load_dword", "global_load_dword"),
        undefined=True,
    ),
    clean(
        "memory-written-before",
        G_STORE + SYNC + "global_load_dword v3, v1, s[4:5]\n",
        undefined=True,
    ),
    clean("memory-defined", "global_load_dword v3, v1, s[4:5]\n"),
    # Device memory between waves of a workgroup.
    racy(
        "memory-no-barrier",
        only_wave(0, G_STORE) + only_wave(1, G_LOAD),
        (RAW, "global_store_dword", "global_load_dword"),
    ),
    clean("memory-barrier", only_wave(0, G_STORE) + SYNC + only_wave(1, G_LOAD)),
    clean("memory-inputs-are-read-by-all", "global_load_dword v3, v2, s[6:7]\n", groups=3),
    racy(
        "memory-bytes-meet",
        "v_mov_b32 v5, 3\nglobal_store_byte v5, v0, s[4:5]\n",
        (WAW, "global_store_byte", "global_store_byte"),
    ),
    clean("memory-bytes", "v_mov_b32 v5, s8\nglobal_store_byte v5, v0, s[4:5]\n"),
    racy(
        "flat-and-global",
        "v_mov_b32 v8, s4\nv_mov_b32 v9, s5\n"
        + only_wave(0, "flat_store_dword v[8:9], v0\n")
        + only_wave(1, "v_mov_b32 v2, 0\n" + G_LOAD),
        (RAW, "flat_store_dword", "global_load_dword"),
    ),
    racy(
        "buffer-dwordx4",
        "s_mov_b32 s12, s4\ns_mov_b32 s13, s5\ns_mov_b32 s14, 0x2000\ns_mov_b32 s15, 0x20000\n"
        "v_and_b32 v5, 63, v0\nv_lshlrev_b32 v5, 4, v5\n"
        + only_wave(0, "buffer_store_dwordx4 v[4:7], v5, s[12:15], 0 offen\n")
        + only_wave(1, "buffer_load_dwordx4 v[8:11], v5, s[12:15], 0 offen offset:8\n"),
        (RAW, "buffer_store_dwordx4", "buffer_load_dwordx4"),
    ),
    # Between workgroups.
    racy(
        "groups-same-place",
        G_STORE,
        (WAW, "global_store_dword", "global_store_dword"),
        groups=2,
    ),
    racy(
        "groups-barrier-does-not-help",
        only_group(0, G_STORE) + SYNC + only_group(1, G_LOAD),
        (RAW, "global_store_dword", "global_load_dword"),
        groups=2,
    ),
    racy(
        "groups-read-then-write",
        only_group(0, G_LOAD)
        + only_group(1, "global_load_dword v4, v2, s[4:5]\n")
        + only_group(2, G_STORE),
        (WAR, "global_load_dword", "global_store_dword"),
        groups=3,
    ),
    racy(
        "groups-read-then-the-last-reader-writes",
        "global_load_dword v3, v1, s[4:5]\ns_waitcnt vmcnt(0)\n" + only_group(1, G_STORE),
        (WAR, "global_load_dword", "global_store_dword"),
        waves=1,
        groups=2,
    ),
    racy(
        "groups-read-backwards-then-the-last-reader-writes",
        "v_sub_u32 v5, 0xfc, v1\nglobal_load_dword v3, v5, s[4:5]\ns_waitcnt vmcnt(0)\n"
        + only_group(1, "global_store_dword v5, v0, s[4:5]\n"),
        (WAR, "global_load_dword", "global_store_dword"),
        waves=1,
        groups=2,
    ),
    clean(
        "groups-own-place",
        "s_lshl_b32 s9, s2, 9\nv_add_u32 v1, s9, v1\n"
        + G_STORE
        + "global_load_dword v3, v1, s[4:5]\n",
        groups=3,
    ),
    clean(
        "groups-atomics",
        SAME + "global_atomic_add v5, v0, s[4:5]\nglobal_atomic_add v6, v5, v0, s[4:5] sc0\n",
        groups=3,
    ),
    racy(
        "groups-atomic-and-plain",
        SAME
        + only_group(0, "global_atomic_add v5, v0, s[4:5]\n")
        + only_group(1, "global_load_dword v3, v5, s[4:5]\n"),
        (RAW, "global_atomic_add", "global_load_dword"),
        groups=2,
    ),
    clean("groups-have-their-own-lds", FILL + "ds_read_b32 v3, v2\n", groups=3),
    racy(
        "groups-do-not-inherit-lds",
        only_group(0, "ds_write_b32 v1, v0\n") + only_group(1, "ds_read_b32 v3, v1\n"),
        (UNSET, "ds_read_b32", "ds_read_b32"),
        groups=2,
    ),
    # Other ways to the same bytes.
    racy(
        "scalar-load",
        only_wave(0, "v_mov_b32 v5, 0\nglobal_store_dword v5, v0, s[4:5]\n")
        + only_wave(1, "s_load_dword s20, s[4:5], 0x0\n"),
        (RAW, "global_store_dword", "s_load_dword"),
    ),
    racy(
        "typed-store",
        BUFFER
        + only_wave(0, "buffer_store_format_x v0, v1, s[12:15], 0 offen\n")
        + only_wave(1, "global_load_dword v3, v2, s[4:5]\n"),
        (RAW, "buffer_store_format_x", "global_load_dword"),
    ),
    racy(
        "by-lane-number",
        FILL
        + "s_mov_b32 m0, 0\n"
        + only_wave(0, "ds_write_addtid_b32 v0\n")
        + only_wave(1, "ds_read_addtid_b32 v3\n"),
        (RAW, "ds_write_addtid_b32", "ds_read_addtid_b32"),
    ),
    clean(
        "append-and-consume",
        FILL + "s_mov_b32 m0, 0\nds_append v3\nds_consume v4\n" + SYNC + "ds_read_b32 v3, v2\n",
    ),
    racy(
        "append-and-plain",
        FILL
        + "v_mov_b32 v5, 0\ns_mov_b32 m0, 0\n"
        + only_wave(0, "ds_append v3\n")
        + only_wave(1, "ds_read_b32 v3, v5\n"),
        (RAW, "ds_append", "ds_read_b32"),
    ),
    # One wave, whatever it does.
    clean(
        "one-wave",
        "ds_write_b32 v1, v0\nds_read_b32 v3, v1\nds_write_b32 v1, v3\n"
        + G_STORE
        + "global_load_dword v3, v1, s[4:5]\n"
        + G_STORE,
        waves=1,
    ),
    # Barriers.
    racy(
        "barriers-differ",
        only_wave(0, "s_barrier\n") + only_wave(1, "s_barrier\n"),
        (BARRIER, "s_barrier", "s_barrier"),
    ),
    clean("barrier-in-a-loop", "s_barrier\ns_barrier\n"),
    clean("a-wave-ends-early", only_wave(0, "s_endpgm\n") + "s_barrier\n"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_corpus(case: Case) -> None:
    launch = capsule(case.waves, case.groups, case.undefined)
    assert observed(case.body, launch, "barrier") == case.found
    # Waves that run abreast meet in another order, but it is the same instructions that meet.
    abreast = observed(case.body, launch, "interleave:1")
    assert bool(abreast) == bool(case.found)
    assert {frozenset(x[1:]) for x in abreast} <= {frozenset(x[1:]) for x in case.found}


@pytest.mark.parametrize("pair", PAIRS, ids=["b32", "b64", "b128", "b8", "b16"])
@pytest.mark.parametrize("waves", [2, 4])
def test_every_width_with_and_without_a_barrier(pair: tuple[str, str], waves: int) -> None:
    bad, good = pair
    seen = observed(bad, capsule(waves), "barrier")
    assert {kind for kind, _, _ in seen} == {RAW, WAR}
    assert not observed(good, capsule(waves), "barrier")


def test_a_finding_names_place_waves_and_workgroups() -> None:
    body = (
        "v_mov_b32 v5, 8\n"
        + only_group(1, "global_store_dword v5, v0, s[4:5]\n")
        + only_group(3, "global_load_dword v3, v5, s[4:5]\n")
    )
    launch = capsule(waves=1, groups=4)
    result = run(body, launch, RunOptions(watch_memory=True))
    (one,) = result.observations
    texts = [i.text for i in device().program(built(body)).instructions]
    assert texts[one.first].startswith("global_store_dword")
    assert texts[one.second].startswith("global_load_dword")
    assert (one.space, one.address) == ("memory", launch.buffer("a").address + 8)
    assert (one.other_workgroup, one.workgroup, one.waves) == (1, 3, (0, 0))


def test_watching_changes_no_result() -> None:
    body = FILL + "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v3, s[4:5]\n"
    plain = run(body, capsule(4), RunOptions(poison=1))
    watched = run(body, capsule(4), RunOptions(poison=1, watch_memory=True))
    assert plain.buffers == watched.buffers
    assert not watched.observations


def test_a_second_launch_starts_from_nothing() -> None:
    body = only_group(0, G_STORE)
    for _ in range(2):
        assert not observed(body, capsule(), "barrier")
    assert observed("ds_read_b32 v3, v1\n", capsule())
    assert not observed(FILL, capsule())
    assert observed("ds_read_b32 v3, v1\n", capsule())


@pytest.mark.parametrize("access", ["flat_store_byte v[20:21], v0", "ds_write_b8 v20, v0"])
def test_neighbouring_bytes_of_two_waves_are_no_race(access: str) -> None:
    # Even bytes by wave 0, odd ones by wave 1: side by side in the same dwords of LDS.
    body = (
        "s_mov_b64 s[20:21], src_shared_base\nv_mov_b32 v21, s21\nv_and_b32 v20, 63, v0\n"
        f"v_lshl_add_u32 v20, v20, 1, s8\n{access}\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
    )
    assert not observed(body, capsule())
    # The same byte of both is one.
    assert observed(body.replace(", 1, s8", ", 1, 0"), capsule())
