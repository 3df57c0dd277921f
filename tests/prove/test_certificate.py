"""A certificate holds all that another needs to decide the same window."""

from __future__ import annotations

import json

import pytest

from asmevo.errors import InputError
from asmevo.prove.certificate import window_of
from asmevo.prove.prover import prove_window, recheck
from prove.frame import window  # type: ignore[import-not-found]


def test_it_survives_json_and_decides_alike() -> None:
    asked = window("v_mul_lo_u32 v0, v1, 8", "v_lshlrev_b32 v0, 3, v1", exec_full=True)
    found = prove_window(asked)
    made = json.loads(json.dumps(found.certificate))
    assert window_of(made) == asked
    assert recheck(made).status == found.status == "proved"


def test_what_is_not_equal_has_none() -> None:
    assert not prove_window(window("v_mov_b32 v0, 1", "v_mov_b32 v0, 2")).certificate


@pytest.mark.parametrize("key", ["after", "live_out", "assumptions", "mode", "target"])
def test_a_changed_one_is_refused(key: str) -> None:
    first = prove_window(window("v_mul_lo_u32 v0, v1, 8", "v_lshlrev_b32 v0, 3, v1")).certificate
    other = prove_window(
        window("v_add_u32 v0, v1, v1", "v_lshlrev_b32 v0, 1, v1", "v0 vcc")
    ).certificate
    changed = {**first, key: other[key] if other[key] != first[key] else 7}
    with pytest.raises(InputError, match="damaged"):
        recheck(changed)
