"""Blocks of kernels with two entries.

Firmware that knows kernarg preload enters 256 bytes behind the descriptor's entry (AMDGPUUsage,
"Preloaded Kernel Arguments"), whether a branch goes there or not.
"""

from __future__ import annotations

import pytest

from asmevo.program.cfg import blocks
from program.frame import straight

PRELOAD = ("user_sgpr_kernarg_segment_ptr 1", "user_sgpr_kernarg_preload_length 2")


@pytest.mark.parametrize("behind", [1, 5])
def test_the_second_entry_starts_a_block(behind: int) -> None:
    program = straight(*["s_nop 0"] * (64 + behind), directives=PRELOAD)
    found = blocks(program, program.function())
    assert [(b.first, b.last, b.successors, b.predecessors) for b in found] == [
        (0, 64, (1,), ()),
        (64, 64 + behind + 1, (), (0,)),
    ]


def test_the_second_entry_is_found_behind_long_instructions() -> None:
    # 16 of 8 bytes and 32 of 4: 256 bytes.
    lines = ["s_mov_b32 s8, 0x12345678"] * 16 + ["s_nop 0"] * 33
    program = straight(*lines, directives=PRELOAD)
    assert [b.first for b in blocks(program, program.function())] == [0, 48]


def test_without_preload_there_is_one_entry() -> None:
    program = straight(*["s_nop 0"] * 65)
    assert [(b.first, b.last) for b in blocks(program, program.function())] == [(0, 66)]


def test_constants_behind_the_code_lead_nowhere() -> None:
    """As in `data_in_text`: a word that reads as a branch into the middle of an instruction."""
    program = straight("v_mov_b32 v4, 1", "s_endpgm", "v_mov_b32 v5, 0x12345", ".long 0xbf82fffe")
    found = blocks(program, program.functions[0])
    assert not any(b.unknown_successors for b in found)
    jump = straight("s_setpc_b64 s[4:5]", "v_mov_b32 v5, 0x12345", ".long 0xbf82fffe")
    assert sum(b.unknown_successors for b in blocks(jump, jump.functions[0])) == 2
