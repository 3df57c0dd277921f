"""gfx9 compares that write EXEC and an SGPR pair (case `cmpx_sdst`): recovered, edited, run.

Half of the gfx9 objects of a BLAS library hold them. The expected values are those of `v_cmp`,
which the semantics tests hold against AMD's pseudocode; the Vega ISA says that a `v_cmpx` writes
the same mask to EXEC and to its destination.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from emulate.harness import DEFAULT, encoded, run_body

_STORE = "v_lshlrev_b32 v1, 2, v0\nglobal_store_dword v1, v2, s[2:3]"


def _names() -> list[str]:
    floats = ["f", "lt", "eq", "le", "gt", "lg", "ge", "o"]
    floats += ["u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"]
    numbers = ["f", "lt", "eq", "le", "gt", "ne", "ge", "t"]
    return [
        *(f"class_f{bits}" for bits in (16, 32, 64)),
        *(f"{op}_f{bits}" for op in floats for bits in (16, 32, 64)),
        *(f"{op}_{s}{bits}" for op in numbers for s in "iu" for bits in (16, 32, 64)),
    ]


def test_cmpx_sdst_of_one_lane() -> None:
    body = f"""
        v_mov_b32 v2, 7
        s_mov_b32 s34, 5
        v_cmpx_eq_u32_e64 s[34:35], v0, s34
        v_mov_b32 v2, 9
        s_mov_b64 exec, -1
        {_STORE}
        s_waitcnt vmcnt(0)
        v_mov_b32 v3, s34
        global_store_dword v1, v3, s[2:3] offset:256
    """
    out = run_body(body, np.zeros(128, np.uint32))[0].view(np.uint32)
    expected = np.full(64, 7)
    expected[5] = 9
    assert (out[:64] == expected).all()
    assert (out[64:] == 1 << 5).all()


@pytest.mark.parametrize("part", range(3))
def test_all_99_write_both_masks(part: int) -> None:
    """s[30:31] collects every difference to the mask of `v_cmp`, s[32:33] every set bit."""
    lines = ["s_mov_b64 s[30:31], 0", "s_mov_b64 s[32:33], 0"]
    # Lane-dependent operands of both signs, small as integers and different as floats.
    lines += ["v_sub_u32 v4, v0, 32", "v_sub_u32 v5, 20, v0", "v_mov_b32 v6, v0",
              "v_xor_b32 v7, 21, v0", "s_nop 4"]  # fmt: skip
    names = _names()[part::3]
    assert len(names) == 33
    for name in names:
        a = "v[4:5]" if name.endswith("64") else "v4"
        b = "v[6:7]" if name.endswith("64") and "class" not in name else "v6"
        lines += [
            f"v_cmp_{name}_e64 s[20:21], {a}, {b}",
            f"v_cmpx_{name}_e64 s[22:23], {a}, {b}",
            "s_mov_b64 s[24:25], exec",
            "s_mov_b64 exec, -1",
            *(x for other in ("s[22:23]", "s[24:25]") for x in (
                f"s_xor_b64 s[26:27], s[20:21], {other}",
                "s_or_b64 s[30:31], s[30:31], s[26:27]",
            )),
            "s_or_b64 s[32:33], s[32:33], s[22:23]",
        ]  # fmt: skip
    lines += [
        "v_mov_b32 v2, s30", "v_mov_b32 v3, s31", "v_mov_b32 v8, s32", "v_mov_b32 v9, s33",
        "v_lshlrev_b32 v1, 4, v0", "global_store_dwordx2 v1, v[2:3], s[2:3]",
        "global_store_dwordx2 v1, v[8:9], s[2:3] offset:8",
    ]  # fmt: skip
    out = run_body("\n".join(lines), np.zeros(256, np.uint32))[0].view(np.uint64)
    assert (out[0::2] == 0).all()
    assert (out[1::2] == np.uint64(2**64 - 1)).all()


def test_the_object_round_trips_and_takes_edits() -> None:
    body = f"v_mov_b32 v2, 7\nv_cmpx_lt_f32_e64 s[34:35], v0, s34\n{_STORE}"
    data = encoded(body, DEFAULT).program.object.data
    program = recover(CodeObject.open(data))
    assert rebuild(program) == data
    assert read(write(program)) == data
    (at,) = (i for i, x in enumerate(program.instructions) if x.base == "v_cmpx_lt_f32")
    assert program.instructions[at].editable
    assert program.instructions[at].size == 8
    edited = apply(program, [Edit(at, at + 1, ("v_cmpx_lt_f32_e64 vcc, v0, s34",))])
    again = recover(CodeObject.open(rebuild(edited)))
    assert again.instructions[at].text == "v_cmpx_lt_f32_e64 vcc, v0, s34"
    assert len(again.instructions) == len(program.instructions)
