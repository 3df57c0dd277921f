"""What a check with launches adds to the static one, and what it does not say again."""

from __future__ import annotations

from collections import Counter

import pytest

import asmevo
from asmevo.check.findings import ERROR
from reference.sanitizers import built, capsule

STORE = "v_mov_b32 v10, s10\nglobal_store_dword v1, v10, s[4:5]\n"
# A lane number too close behind its VALU write (LLVM VALUWriteSGPR, four wait states), and a load
# that is used at once.
HAZARD = "v_readfirstlane_b32 s9, v3\nv_readlane_b32 s10, v0, s9\n" + STORE
EARLY = (
    "global_load_dword v12, v1, s[6:7]\nv_readfirstlane_b32 s10, v12\ns_waitcnt vmcnt(0)\n" + STORE
)


@pytest.mark.parametrize(("body", "rule"), [(HAZARD, "hazard."), (EARLY, "wait.raw")])
def test_a_finding_is_told_once(body: str, rule: str) -> None:
    """Both checks see it; the reader is told once, and nothing of the static check is lost."""
    data = built(body)
    both = asmevo.check_launches(data, capsule(waves=1)).report
    places = Counter((f.rule, f.index, f.what) for o in both.objects for f in o.findings)
    assert max(places.values()) == 1
    assert any(found.startswith(rule) for found, _, _ in places)
    alone = asmevo.check(data).report
    static = {(f.rule, f.index, f.what): f.severity for o in alone.objects for f in o.findings}
    assert static.keys() <= places.keys()
    kept = {(f.rule, f.index, f.what): f.severity for o in both.objects for f in o.findings}
    assert all(kept[place] == severity for place, severity in static.items())


def test_what_only_a_run_shows_is_added() -> None:
    report = asmevo.check_launches(built(EARLY), capsule(waves=1)).report
    errors = [f for o in report.objects for f in o.findings if f.severity == ERROR]
    assert any("changes when loads arrive late" in f.message for f in errors)
