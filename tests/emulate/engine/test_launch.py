"""What a wave starts with (AMDGPUUsage, "Initial Kernel Execution State")."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from emulate.harness import DEFAULT, encoded, launched


@pytest.mark.parametrize("unused", [0, 1, 8])
def test_workgroup_id_follows_all_user_sgprs(unused: int) -> None:
    # The descriptor's count may be above the registers that are enabled: those are loaded with
    # nothing in particular, and the workgroup id stands behind them.
    number = 2 + unused
    body = f"""
    v_mov_b32 v1, s{number + 20}
    v_lshlrev_b32 v0, 2, v1
    global_store_dword v0, v1, s[2:3]
    """
    # The head of every body overwrites s[2:3], so the id is kept before it.
    kernel = encoded(
        body,
        replace(DEFAULT, unused_user_sgprs=unused),
        first=f"s_mov_b32 s{number + 20}, s{number}",
    )
    data, outcome = launched(kernel, np.full(64, 7, np.uint32), groups=3)
    assert not outcome.fault
    assert data.view(np.uint32)[:4].tolist() == [0, 1, 2, 7]
