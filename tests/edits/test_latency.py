"""The scheduler's latencies are the rows of the machine table of the target."""

from __future__ import annotations

import pytest
from edit_tokens import GFX942, assemble

from asmevo.edits.order.latency import latencies_of
from asmevo.isa.decoded import decode
from asmevo.isa.target import Target


# Clocks as the public traces show them (see `asmevo.timing.machine`): LDS writes of 1, 2 and 4
# dwords hold the issue for 8, 12 and 20 clocks, a read for 8.
@pytest.mark.parametrize(
    ("line", "clocks"),
    [
        ("ds_write_b32 v0, v1", 8),
        ("ds_write_b64 v0, v[2:3]", 12),
        ("ds_write_b128 v0, v[4:7]", 20),
        ("ds_read_b128 v[4:7], v0", 8),
        ("v_rcp_f32 v0, v1", 16),
        ("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 32),
    ],
)
def test_clocks_of_the_issue(line: str, clocks: int) -> None:
    (inst,) = assemble([line])
    assert latencies_of(GFX942).issue(inst, decode(inst, GFX942), GFX942) == clocks


@pytest.mark.parametrize(("arch", "clocks"), [("gfx942", 24), ("gfx950", 16), ("gfx1100", 24)])
def test_transcendental_results_reach_memory_later(arch: str, clocks: int) -> None:
    rcp, store = assemble(["v_rcp_f32 v2, v1", "global_store_dword v[4:5], v2, off"])
    target = Target(arch)
    found = latencies_of(target).result(rcp, decode(rcp, GFX942), decode(store, GFX942), target)
    assert found == clocks
