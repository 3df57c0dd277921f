"""Undocumented result bits hold junk on request, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate.decode.templates import Style
from emulate.harness import Setup, lanes

JUNK = Style(open_junk=True)
OLD = np.full(64, 0x12345678, np.uint32)
HALF = np.full(64, 0x00003C00, np.uint32)


@pytest.mark.parametrize(
    ("body", "low", "usual", "junk"),
    [
        ("v_min3_f16 v1, v2, v2, v2", 0x3C00, 0x00003C00, 0xEDCB3C00),
        ("v_fma_f16 v1, v2, v2, 0", 0x3C00, 0x12343C00, 0x12343C00),
        ("v_add_f16 v1, v2, 0", 0x3C00, 0x00003C00, 0x00003C00),
    ],
)
def test_other_half_of_a_16_bit_result(body: str, low: int, usual: int, junk: int) -> None:
    assert (lanes(body, OLD, HALF) == usual).all()
    assert (lanes(body, OLD, HALF, style=JUNK) == junk).all()
    assert junk & 0xFFFF == low


def test_other_half_of_a_d16_load() -> None:
    body = """
        v_lshlrev_b32 v2, 2, v2
        ds_write_b32 v2, v2
        s_waitcnt lgkmcnt(0)
        ds_read_u16_d16 v1, v2
        s_waitcnt lgkmcnt(0)
    """
    lane = np.arange(64, dtype=np.uint32)
    setup = Setup(lds=512)
    assert (lanes(body, OLD, lane, setup=setup) == 0x12340000 + 4 * lane).all()
    got = lanes(body, OLD, lane, setup=setup, style=JUNK)
    assert (got == 0xEDCB0000 + 4 * lane).all()
