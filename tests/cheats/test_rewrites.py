"""Honest rewrites of eleven kernels: other code, same results, and no gate may take it for a cheat.

Made by local rewrites whose rightness is plain from the ISA: other encodings of one operation,
commuted operands, equal address arithmetic, independent neighbours exchanged, waits that cover
more, priorities, more code. Whether they pay is not asked; only that nothing calls them wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from frame import REFUSED, Base, Subject, subject

import asmevo
from asmevo.isa.decoded import OpClass, decode
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.search.judge import Task, judge

BASES = [
    *(Base(name) for name in ("saxpy", "softmax", "reduce", "rmsnorm", "matmul_f32")),
    *(Base(name, arch, "kernelbench") for arch in ("gfx90a", "gfx950")
      for name in ("l1_019_relu", "l1_047_sum_dim1", "l1_040_layernorm")),
]  # fmt: skip
_COMMUTES = ("v_add_f32_e32", "v_mul_f32_e32", "v_max_f32_e32", "v_or_b32_e32", "v_and_b32_e32")


def _texts(s: Subject) -> Iterator[tuple[int, str]]:
    function = s.program.function(s.capsules[0].kernel)
    for i in range(function.first, function.last):
        text = s.program.instructions[i].text
        if text:
            yield i, text


def longer_encoding(s: Subject) -> list[Edit]:
    """`_e32` as `_e64`: the same operation in eight bytes."""
    for i, text in _texts(s):
        if re.match(r"v_(add|mul|max|sub)_(f32|u32)_e32 v\d+, [vs]\d+, v\d+$", text):
            return [Edit(i, i + 1, (text.replace("_e32", "_e64"),))]
    return []


def commuted(s: Subject) -> list[Edit]:
    """The two sources of a commutative operation exchanged."""
    for i, text in _texts(s):
        name, _, rest = text.partition(" ")
        operands = rest.split(", ")
        if name in _COMMUTES and len(operands) == 3 and all(o[0] == "v" for o in operands):
            return [Edit(i, i + 1, (f"{name} {operands[0]}, {operands[2]}, {operands[1]}",))]
    return []


def shift_as_product(s: Subject) -> list[Edit]:
    """A shift to the left as a product with a power of two."""
    for i, text in _texts(s):
        found = re.match(r"v_lshlrev_b32_e32 (v\d+), (\d+), (v\d+)$", text)
        if found and int(found[2]) <= 6:
            line = f"v_mul_lo_u32 {found[1]}, {found[3]}, {1 << int(found[2])}"
            return [Edit(i, i + 1, (line,))]
    return []


def exchanged(s: Subject) -> list[Edit]:
    """Two neighbours that share no register."""
    vector = (OpClass.VALU, OpClass.SALU)
    function = s.program.function(s.capsules[0].kernel)
    for i in range(function.first, function.last - 1):
        pair = [decode(s.program.instructions[n], s.program.target) for n in (i, i + 1)]
        a, b = pair
        if (
            any(d.kind not in vector or d.inst.text is None for d in pair)
            or i + 1 in s.program.labels
        ):
            continue
        if set(a.defs) & (set(b.uses) | set(b.defs)) or set(b.defs) & set(a.uses):
            continue
        return [Edit(i, i + 2, (str(b.inst.text), str(a.inst.text)))]
    return []


def waits_for_more(s: Subject) -> list[Edit]:
    """A wait for some of the operations as a wait for all."""
    for i, text in _texts(s):
        if text.startswith("s_waitcnt "):
            return [Edit(i, i + 1, ("s_waitcnt vmcnt(0) lgkmcnt(0)",))]
    return []


def more_code(s: Subject) -> list[Edit]:
    """Code that does nothing, in front of everything."""
    first = s.program.function(s.capsules[0].kernel).first
    return [Edit(first, first, ("s_nop 0", "s_setprio 1", "s_setprio 0"))]


def a_copy_in_between(s: Subject) -> list[Edit]:
    """A stored value by way of a register that nothing else uses."""
    spare = s.program.object.kernel(s.capsules[0].kernel).descriptor.arch_vgprs - 1
    used = {w for _, t in _texts(s) for w in re.findall(r"v\d+", t)}
    ranges = {int(b) for _, t in _texts(s) for a, b in re.findall(r"v\[(\d+):(\d+)\]", t)}
    for i, text in _texts(s):
        found = re.match(r"global_store_dword (\S+), (v\d+), (.*)$", text)
        if found and f"v{spare}" not in used and spare not in ranges:
            copy = f"v_mov_b32_e32 v{spare}, {found[2]}"
            return [Edit(i, i + 1, (copy, f"global_store_dword {found[1]}, v{spare}, {found[3]}"))]
    return []


KINDS = (
    longer_encoding, commuted, shift_as_product, exchanged, waits_for_more, more_code,
    a_copy_in_between,
)  # fmt: skip
VARIANTS = [(base, kind) for base in BASES for kind in KINDS]


@pytest.mark.parametrize(
    ("base", "kind"), VARIANTS, ids=[f"{k.__name__}-{b.name}-{b.arch}" for b, k in VARIANTS]
)
def test_it_is_not_called_wrong(base: Base, kind: object) -> None:
    s = subject(base)
    edits: list[Edit] = kind(s)  # type: ignore[operator]
    if not edits:
        return  # counted below
    task = Task(s.bench.problem, s.object, s.bench.problem.k0_timings, tuple(edits))
    judgement = judge(task, s.bench)
    assert judgement.status not in REFUSED, f"{judgement.gate}: {judgement.reason}"
    result = asmevo.verify(s.object, rebuild(apply(s.program, edits)), base.launch)
    assert result.ok, result.reason
    assert result.report is not None
    # The first source's NaN goes on: commuted ones differ in its payload.
    exact = kind is not commuted
    assert result.report.evidence_class == "tested-exact" or not exact


def test_there_are_many_of_them() -> None:
    assert sum(bool(kind(subject(base))) for base, kind in VARIANTS) >= 50
