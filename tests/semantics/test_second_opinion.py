"""Every opcode of the semantics table against AMD's pseudocode, bit for bit.

`make test` runs a seeded sample of 64 operand tuples per opcode; with ASMEVO_OPINION_INPUTS=2000
the same test runs 2,000. Accepted differences are the rows of `opinion.known.KNOWN_DIFFERENCES`.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

import pytest

from asmevo.isa.semantics.table import Semantic, all_semantics
from opinion import compare, evaluator

INPUTS = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64"))
CASES = list(compare.comparable())


@pytest.mark.parametrize(("semantic", "entry"), CASES, ids=[s.name for s, _ in CASES])
def test_table_agrees_with_the_pseudocode(semantic: Semantic, entry: str) -> None:
    outcome = compare.compare(semantic, entry, INPUTS, seed="second opinion")
    left = outcome.mismatches
    assert not left, f"{len(left)} of {outcome.count}: " + "; ".join(str(m) for m in left[:3])


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
