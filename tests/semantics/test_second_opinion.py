"""Every opcode of the semantics table against AMD's pseudocode, bit for bit.

`make test` runs a seeded sample of 64 operand tuples per opcode; with ASMEVO_OPINION_INPUTS=2000
the same test runs 2,000. Accepted differences are the rows of `opinion.known.KNOWN_DIFFERENCES`;
`PENDING` holds what the product still owes.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

import pytest

from asmevo.isa.semantics.table import Semantic, all_semantics
from opinion import compare, evaluator
from opinion.softfloat import F16, F32, F64, Format, is_signal_nan

INPUTS = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64"))
CASES = list(compare.comparable())

# Opcodes whose handling of one kind of operand is not built yet, with what is missing.
PENDING: list[tuple[str, str]] = [
    (
        "v_*m[aie][nxd]*_f*",
        "with MODE.IEEE set a signalling NaN operand is returned quiet; the table treats it as "
        "any NaN and returns the other operand",
    ),
    (
        "v_ma[cd]*_f32",
        "v_mad_f32 and v_mac_f32 (gfx90a) flush f32 subnormals whatever MODE says",
    ),
]


def _signalling(s: Semantic, mismatch: compare.Mismatch) -> bool:
    formats: dict[int, Format] = {16: F16, 32: F32, 64: F64}
    f = formats[int(s.name.rsplit("_f", 1)[1])]
    full = (1 << f.width) - 1
    values = [v for k, v in mismatch.operands.items() if k in ("S0", "S1", "S2")]
    parts = [v >> at & full for v in values for at in (0, s.packed)]
    return any(is_signal_nan(f, part) for part in parts)


def _pending(s: Semantic, mismatch: compare.Mismatch) -> bool:
    if fnmatchcase(s.name, PENDING[1][0]):
        return True
    return fnmatchcase(s.name, PENDING[0][0]) and _signalling(s, mismatch)


@pytest.mark.parametrize(("semantic", "entry"), CASES, ids=[s.name for s, _ in CASES])
def test_table_agrees_with_the_pseudocode(semantic: Semantic, entry: str) -> None:
    outcome = compare.compare(semantic, entry, INPUTS, seed="second opinion")
    left = [m for m in outcome.mismatches if not _pending(semantic, m)]
    assert not left, f"{len(left)} of {outcome.count}: " + "; ".join(str(m) for m in left[:3])


@pytest.mark.xfail(reason=PENDING[0][1], strict=False)
@pytest.mark.parametrize("name", ["v_min_f32", "v_max_f16", "v_pk_min_f16", "v_med3_f32"])
def test_signalling_nan_with_ieee(name: str) -> None:
    semantic = all_semantics()[name]
    entry = compare.entry_for(name)
    assert entry is not None
    assert compare.compare(semantic, entry, 256).ok


def test_what_has_no_pseudocode_is_listed() -> None:
    compared = {s.name for s, _ in CASES}
    rest = set(all_semantics()) - compared
    assert rest <= set(compare.ELSEWHERE) | set(compare.NO_TEXT), sorted(rest)


def test_only_the_accepted_differences_exist() -> None:
    """A row that accepts differences is needed only while it matches some opcode compared here."""
    from opinion import known

    entries = {entry for _, entry in CASES} | set(evaluator.table())
    for row in known.KNOWN_DIFFERENCES:
        assert any(fnmatchcase(e, row.opcode) for e in entries), row.opcode
