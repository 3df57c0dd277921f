"""The same ways to a computed address in the spellings of all generations.

gfx12 renamed the carries (`s_add_co_u32`), gfx1250 the program counter (`s_set_pc_i64`) and adds
64 bits at once (`s_add_nc_u64`); gfx9 has forks, gfx1250 jumps by a distance. Which must be refused
follows from the ISA, as in `test_jump_idioms`; that what is followed reaches the instructions it
reached is worked out here from the encodings of getpc, additions and branches.
"""

from __future__ import annotations

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import rebuild
from program.frame import straight

_OLD = {"get": "s_getpc_b64", "set": "s_setpc_b64", "swap": "s_swappc_b64", "call": "s_call_b64",
        "add": "s_add_u32", "addc": "s_addc_u32", "sub": "s_sub_u32"}  # fmt: skip
_GFX12 = {**_OLD, "add": "s_add_co_u32", "addc": "s_add_co_ci_u32", "sub": "s_sub_co_u32"}
_GFX1250 = {**_GFX12, "get": "s_get_pc_i64", "set": "s_set_pc_i64", "swap": "s_swap_pc_i64",
            "call": "s_call_i64"}  # fmt: skip
NAMES = {"gfx90a": _OLD, "gfx950": _OLD, "gfx1030": _OLD, "gfx1100": _OLD, "gfx1201": _GFX12,
         "gfx1250": _GFX1250}  # fmt: skip
_END = ("s_endpgm", "base:", "L0: v_mov_b32 v2, 5", "s_endpgm", "L1: v_mov_b32 v2, 7")
_GOTO = ("{set} s[8:9]", *_END)
_SUM = ("@base 8", "{add} s8, s8, s10", "{addc} s9, s9, 0")
_TWO = ("@L0 8", "@L1 12", "s_cmp_eq_u32 s6, 1")
_LANES = ("v_writelane_b32 v6, s8, 3", "v_writelane_b32 v6, s9, 4", "v_readlane_b32 s16, v6, 3",
          "v_readlane_b32 s17, v6, 4", "{set} s[16:17]")  # fmt: skip
REFUSED = {
    "sum": (*_SUM, *_GOTO),
    "difference": ("@L1 8", "{sub} s8, s8, s10", *_GOTO),
    "sum-copied": (*_SUM, "s_mov_b64 s[16:17], s[8:9]", "{set} s[16:17]", *_END),
    "copy-then-sum": ("@base 8", "s_mov_b64 s[16:17], s[8:9]", "{add} s16, s16, s10",
                      "{addc} s17, s17, 0", "{set} s[16:17]", *_END),
    "sum-called": (*_SUM, "s_mov_b64 s[16:17], s[8:9]", "{swap} s[30:31], s[16:17]", *_END),
    "sum-selected": (*_SUM, "@L0 12", "s_cmp_eq_u32 s6, 1",
                     "s_cselect_b64 s[8:9], s[12:13], s[8:9]", *_GOTO),
    "sum-in-lanes": (*_SUM, *_LANES, *_END),
    "counter-by-a-call": ("{call} s[8:9], Lhere", "Lhere: {add} s8, s8, L1-Lhere",
                          "{addc} s9, s9, 0", *_GOTO),
    "return-skips-words": ("{call} s[30:31], Lskip", "s_endpgm", "s_endpgm",
                           "Lskip: {add} s30, s30, 4", "{addc} s31, s31, 0", "{set} s[30:31]",
                           *_END),
    "counter-copied": ("{get} s[8:9]", "Lpc: s_mov_b64 s[16:17], s[8:9]",
                       "{add} s16, s16, L1-Lpc", "{addc} s17, s17, 0", "{set} s[16:17]", *_END),
}  # fmt: skip
FOLLOWED = {
    "plain": ("@L1 8", *_GOTO),
    "copied": ("@L1 8", "s_mov_b64 s[16:17], s[8:9]", "{set} s[16:17]", *_END),
    "selected": (*_TWO, "s_cselect_b64 s[8:9], s[12:13], s[8:9]", *_GOTO),
    "selected-by-halves": (*_TWO, "s_cselect_b32 s8, s12, s8", "s_cselect_b32 s9, s13, s9", *_GOTO),
    "in-lanes": ("@L0 8", *_LANES, *_END),
    "called": ("@Lf 8", "s_mov_b64 s[16:17], s[8:9]", "{swap} s[30:31], s[16:17]", *_END,
               "s_endpgm", "Lf: {set} s[30:31]"),
    "call-returns-by-a-copy": ("{call} s[30:31], Lf", *_END, "s_endpgm",
                               "Lf: s_mov_b64 s[16:17], s[30:31]", "{set} s[16:17]"),
}  # fmt: skip
ONLY = {
    ("gfx90a", "fork"): (*_SUM, "s_cbranch_g_fork s[12:13], s[8:9]", *_END),
    ("gfx1250", "distance"): ("s_add_pc_i64 s[10:11]", *_END),
    ("gfx1250", "literal distance"): ("s_add_pc_i64 12", *_END),
    ("gfx1250", "wide sum"): ("@base 8", "s_add_nc_u64 s[8:9], s[8:9], s[10:11]", *_GOTO),
    ("gfx1250", "wide sum of the counter"): (
        "s_get_pc_i64 s[8:9]", "s_add_nc_u64 s[8:9], s[8:9], s[10:11]", *_GOTO,
    ),
    ("gfx1201", "prefetched, then added to"): (
        "s_getpc_b64 s[8:9]", "Lpc: s_prefetch_inst s[8:9], 0x0, null, 0",
        "s_add_co_u32 s8, s8, L1-Lpc", "s_add_co_ci_u32 s9, s9, 0", *_GOTO,
    ),
}  # fmt: skip


def _program(lines: tuple[str, ...], arch: str) -> Program:
    names, out = NAMES[arch], list[str]()
    for line in lines:
        if line.startswith("@"):
            label, n = line[1:].split()
            pair = f"s[{n}:{int(n) + 1}]"
            if arch == "gfx1250":
                out += [f"s_get_pc_i64 {pair}", f"s_add_nc_u64 {pair}, {pair}, {label}@rel64+4"]
            else:
                out += [
                    f"s_getpc_b64 {pair}",
                    f"{names['add']} s{n}, s{n}, {label}@rel32@lo+4",
                    f"{names['addc']} s{int(n) + 1}, s{int(n) + 1}, {label}@rel32@hi+12",
                ]
        else:
            out.append(line.format(**names))
    return straight(*out, arch=arch)


def _goals(program: Program) -> list[str]:
    """What stands where each formed address and each call leads, by the bytes of the code."""
    at = dict(zip(program.offsets, program.instructions, strict=True))
    found: list[str] = []
    for n, (offset, inst) in enumerate(at.items()):
        text, rest = inst.text or "", program.instructions[n + 1 :]
        goal = None
        if text.startswith(("s_getpc_b64", "s_get_pc_i64")):
            adds = [i for i in rest if (i.text or "").startswith("s_add")]
            if (adds[0].text or "").startswith("s_add_nc"):
                distance = int.from_bytes(adds[0].raw[4:], "little", signed=True)
            else:
                words = adds[0].raw[4:8] + adds[1].raw[4:8]
                distance = int.from_bytes(words, "little", signed=True)
            goal = offset + 4 + distance
        elif text.startswith("s_call"):
            goal = offset + 4 + 4 * int.from_bytes(inst.raw[:2], "little", signed=True)
        if goal is not None:
            while (at[goal].text or "") == "s_nop 5":
                goal += 4
            found.append(at[goal].text or "")
    return found


@pytest.mark.parametrize("arch", NAMES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_follow_is_refused(name: str, arch: str) -> None:
    program = _program(REFUSED[name], arch)
    assert program.growth_refused
    with pytest.raises(EditError, match="must keep its size"):
        apply(program, [Edit(0, 0, ("s_nop 5",))])


@pytest.mark.parametrize(("arch", "name"), ONLY)
def test_what_only_one_generation_has_is_refused(arch: str, name: str) -> None:
    assert _program(ONLY[arch, name], arch).growth_refused


@pytest.mark.parametrize("arch", NAMES)
@pytest.mark.parametrize("name", FOLLOWED)
def test_what_follows_leads_to_the_same_instructions(name: str, arch: str) -> None:
    program = _program(FOLLOWED[name], arch)
    assert program.growth_refused == ""
    before = _goals(program)
    assert before
    edits = [Edit(i, i, ("s_nop 5",)) for i in range(len(program.instructions))]
    larger = recover(CodeObject.open(rebuild(apply(program, edits))))
    assert len(larger.text) >= len(program.text) + 4 * len(edits)
    assert _goals(larger) == before
