"""Device globals are compared like buffers (case `A10_device_global_dropped`, and its kin).

What a kernel leaves in a variable is worked out from its few lines in the comments.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import asmevo
from asmevo.api.verification import Verification
from reference.assembly import HEAD, built, launch

BSS = """.bss
.globl counter
.protected counter
.p2align 4
.type counter,@object
counter:
.zero 1024
.size counter, 1024
"""
DATA = BSS.replace(".bss", ".data").replace(".zero 1024", ".long 3\n.zero 1020")
ADDRESS = """s_getpc_b64 s[10:11]
s_add_u32 s10, s10, counter@rel32@lo+4
s_addc_u32 s11, s11, counter@rel32@hi+12
"""
# y[i] = x[i] + 1; counter[i] = x[i] for the first workgroup's work-items.
STORES = (
    HEAD
    + ADDRESS
    + """global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v2
global_store_dword v1, v3, s[6:7]
global_store_dword v1, v2, s[10:11]
s_endpgm
"""
)
STORE = "global_store_dword v1, v2, s[10:11]\n"
# y[i] = x[i] + counter[0].
READS = (
    HEAD
    + ADDRESS
    + """s_load_dword s12, s[10:11], 0x0
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_u32_e32 v3, s12, v2
global_store_dword v1, v3, s[6:7]
s_endpgm
"""
)


def verified(
    tmp_path: Path, k0: str, k1: str, data: str = BSS, arch: str = "gfx942",
    schedules: tuple[str, ...] = ("shuffle:2",), **changes: str,
) -> Verification:  # fmt: skip
    description = tmp_path / "launch.yaml"
    description.write_text(launch(**changes))
    objects = (built({"k": body}, arch, data=data) for body in (k0, k1))
    return asmevo.verify(*objects, description, schedules=schedules)


WRONG = {
    "dropped": (STORE, "s_nop 0\n"),
    "another value": (STORE, STORE.replace("v2", "v3")),
    "another place": (STORE, STORE.replace("\n", " offset:4\n")),
    "half of it": (STORE, STORE.replace("dword", "short")),
    "one more": (STORE, STORE + STORE.replace("\n", " offset:128\n").replace("v2", "v3")),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(("arch", "data"), [("gfx942", BSS), ("gfx90a", DATA)])
def test_what_is_left_in_a_global_counts(tmp_path: Path, name: str, arch: str, data: str) -> None:
    old, new = WRONG[name]
    assert STORES.count(old) == 1
    found = verified(tmp_path, STORES, STORES.replace(old, new), data, arch)
    assert found.status == "divergent", found.reason
    assert "device global counter" in found.reason
    assert verified(tmp_path, STORES, STORES, data, arch).ok


def test_what_was_in_a_global_before_may_be_anything(tmp_path: Path) -> None:
    """The file says 3; the host may have written something else since."""
    constant = READS.replace("v_add_u32_e32 v3, s12, v2", "v_add_u32_e32 v3, 3, v2")
    found = verified(tmp_path, READS, constant, DATA)
    assert found.status == "divergent", found.reason
    doubled = READS.replace("v_add_u32_e32 v3, s12, v2", "v_add3_u32 v3, v2, s12, 0")
    assert verified(tmp_path, READS, doubled, DATA).ok


def test_a_kernel_that_writes_only_a_global_can_be_judged(tmp_path: Path) -> None:
    only = STORES.replace("global_store_dword v1, v3, s[6:7]\n", "")
    given = "{name: out, dtype: u32, shape: [m], init: zeros, role: in}"
    assert verified(tmp_path, only, only, out=given).ok
    wrong = only.replace(STORE, STORE.replace("v2", "v3"))
    assert verified(tmp_path, only, wrong, out=given).status == "divergent"


def test_globals_that_move_with_longer_code_are_the_same(tmp_path: Path) -> None:
    longer = STORES.replace("s_endpgm", "s_nop 0\n" * 1500 + "s_endpgm")
    found = verified(tmp_path, STORES, longer)
    assert found.ok, found.reason


def test_what_varies_between_k0s_own_runs_is_left_out_and_named(tmp_path: Path) -> None:
    """The last workgroup to run leaves its number; K0's own wave orders differ."""
    last = (
        HEAD
        + ADDRESS
        + """v_mov_b32_e32 v5, 0
v_mov_b32_e32 v4, s2
global_store_dword v1, v4, s[6:7]
global_store_dword v5, v4, s[10:11]
s_endpgm
"""
    )
    found = verified(tmp_path, last, last, n=str(2000))
    assert found.ok, found.reason
    notes = [n for c in found.data["results"] for n in c["notes"]]
    assert any("device global counter: K0's own runs differ" in n for n in notes)
