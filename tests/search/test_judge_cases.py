"""Wrong objects that the first release accepted, as candidates of a search: each is refused.

The cases are pairs of whole objects. What an edit can make of K0 goes through the search's judge as
such an edit: the instructions that differ, aligned. Cases whose objects differ elsewhere (A11 in
another kernel, A12 in a section header, A22 in the descriptor) no edit of a search can make; the
tests of `check/` and `verify/` that name them have them. These stand on the folder; the same pairs
as text are in the tests of the rules.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.capsule.model import timed_launches
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.program import Program, recover
from asmevo.program.alignment import align
from asmevo.program.edit import Edit
from asmevo.search.bench import Bench, Problem
from asmevo.search.commit import CommitRule
from asmevo.search.judge import Task, judge
from asmevo.verify.report import VerifyConfig
from asmevo.verify.synthesize import capsules_for
from cheats.frame import slowed

STATIC, RUN, TESTED = "static_check", "differential", "tested"
REFUSED = ("divergent", "runtime_failure", "static_invalid", "untested", "canary_corruption")
CASES = (
    "A01_hardcoded_addresses", "A02_atomic_to_rmw", "A03_lds_atomic_to_rmw",
    "A05_conditional_barrier", "A07_load_before_invalidate", "A08_scope_dropped",
    "A10_device_global_dropped", "A14_wrong_for_large_and_inf", "A15_tolerance_mixed_scale",
    "A17_release_wait_dropped", "A19_stock_search_breaks_release_gfx90a",
    "A20_stock_search_flag_before_data_gfx942", "A21_block_size_hardcoded",
    "A24_lds_write_behind_barrier", "A25_wrong_edit_in_unexecuted_code",
)  # fmt: skip


def difference(before: Program, after: Program) -> tuple[Edit, ...]:
    """Edits that turn the instructions of one program into those of the other."""
    old = [i.text or i.raw.hex() for i in before.instructions]
    new = [i.text or i.raw.hex() for i in after.instructions]
    edits: list[Edit] = []
    at, other = 0, 0
    for a, b in [*align(old, new), (len(old), len(new))]:
        if a > at or b > other:
            lines = tuple(after.line(n) for n in range(other, b))
            edits.append(Edit(at, a, lines))
        at, other = a + 1, b + 1
    return tuple(edits)


@pytest.mark.parametrize("name", CASES)
def test_the_search_refuses_it(shared_root: Path, name: str) -> None:
    folder = shared_root / "cases" / "judge" / name
    k0, k1 = ((folder / f"{n}.hsaco").read_bytes() for n in ("K0", "K1"))
    capsules = capsules_for(k0, folder / "launch.yaml")
    device = EmulatedDevice()
    # Of a K0 eight times as slow, so that what is wrong is not stopped for being slow as well.
    timings = tuple(slowed(device.time(k0, c, 1)) for c in timed_launches(capsules))
    problem = Problem(
        k0, capsules[0].kernel, capsules, EmulatedDevice, VerifyConfig(), 1, CommitRule(), timings
    )
    edits = difference(*(recover(CodeObject.open(x)) for x in (k0, k1)))
    assert edits
    found = judge(Task(problem, k0, timings, edits), Bench(problem, device))
    assert found.status in REFUSED, f"{found.status} at {found.gate}: {found.reason}"
    assert found.gate in (STATIC, RUN, TESTED), f"{found.gate}: {found.reason}"
