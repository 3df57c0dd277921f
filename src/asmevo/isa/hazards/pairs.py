"""Which wait-state rules a producer and a consumer fall short of: the match of roles with rules.

The static checker, which judges, and the edit rules, which pad what they propose, both ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from asmevo.isa.hazards.roles import Consumed
from asmevo.isa.hazards.rows import C, HazardRule, Opcode, P, Relation

KILLED_BY_WRITE = frozenset(
    {P.VALU_SGPR, P.VALU_VGPR, P.ANY_VGPR, P.TRANS_VGPR, P.DSTSEL_VGPR, P.DOT_VGPR, P.SALU_M0,
     P.XDL_D, P.SGEMM_D, P.D4_D, P.D16_D, P.VALU_THEN_DGEMM}
)  # fmt: skip
"""Roles that end for a register when something else writes it: the nearest producer counts."""

_Key = tuple[int, int, int]

# The kept part of a partial write has a row of its own after another partial write.
_SPLIT = frozenset({(int(P.DSTSEL_VGPR), int(C.VALU_READ))})


def _related(rule: HazardRule, producer_key: object, key: object, base: str) -> bool:
    relation = rule.relation
    if relation is Relation.OVERLAP or relation is Relation.NONE:
        if rule.opcode is Opcode.SAME:
            return producer_key == base
        return rule.opcode is Opcode.ANY or producer_key != base
    # Keys are (first register, count, passes).
    made, read = cast(_Key, producer_key), cast(_Key, key)
    same = made[:2] == read[:2]
    if relation is Relation.SAME_OTHER_PASSES:
        return same and made[2] != read[2]
    return same is (relation is Relation.SAME)


def shortfalls(
    pairs: Mapping[int, tuple[HazardRule, ...]],
    producer: tuple[int, int, object, int],
    consumes: Iterable[Consumed],
    uses: int,
    base: str,
    have: int,
) -> list[tuple[HazardRule, int, int]]:
    """Rules that ask for more than `have` wait states between the two.

    Args:
        pairs: the target's `pair_table`.
        producer: (role, mask of its registers that still count, key, passes).
        consumes: the consumer's roles.
        uses: mask of all registers that the consumer reads.
        base: the consumer's mnemonic without encoding suffix.
        have: wait states between them.

    Returns:
        (rule, mask of the registers in question, wait states needed) of each.
    """
    made, live, made_key, passes = producer
    found: list[tuple[HazardRule, int, int]] = []
    kept = 0
    for role, mask, key in consumes:
        if role == C.KEPT_PART:
            kept = mask  # comes before the plain read
        rules = pairs.get(made * 64 + role)
        if not rules:
            continue
        overlap = live & mask
        if (made, role) in _SPLIT:
            overlap &= ~kept
        for rule in rules:
            # A read of the same register has a rule of its own, which covers the write.
            hit = overlap & ~uses if rule.kind == "WAW" else overlap
            if not hit and rule.relation is not Relation.NONE:
                continue
            need = rule.wait_states(passes)
            if have < need and _related(rule, made_key, key, base):
                found.append((rule, hit, need))
    return found
