"""Kernels compared by the prover, as the search asks for it."""

from __future__ import annotations

import pytest

from asmevo.program import Program
from asmevo.search.proof import Proofs
from program.frame import straight  # type: ignore[import-not-found]


def kernel(line: str) -> Program:
    return straight(
        "s_load_dwordx2 s[2:3], s[0:1], 0x0",
        "v_lshlrev_b32 v1, 2, v0",
        "s_waitcnt lgkmcnt(0)",
        line,
        "global_store_dword v1, v2, s[2:3]",
    )


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ("v_mul_lo_u32 v2, v0, 8", "identical"),
        ("v_lshlrev_b32 v2, 3, v0", "proved"),
        ("v_lshlrev_b32 v2, 2, v0", "refuted"),
        ("s_getreg_b32 s4, hwreg(HW_REG_HW_ID)", "unknown"),
    ],
)
def test_a_kernel_and_another_of_its_versions(other: str, status: str) -> None:
    found = Proofs("k").compare(kernel("v_mul_lo_u32 v2, v0, 8"), kernel(other))
    assert found.status == status
    assert found.holds == (status in ("identical", "proved"))
