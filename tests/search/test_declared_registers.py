"""Fewer registers in the descriptor: taken where an edit declares them, and nothing else with it.

The wasteful object is a compiler's own text with larger counts in its directives, so what is right
is known: the counts that the compiler wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import KERNELS

import asmevo
from asmevo.api.agent.claims import recheck
from asmevo.api.optimization import evidence_bundle
from asmevo.check.comparison import compare_objects, examine
from asmevo.check.rules.declared import DECLARABLE
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.edits import LowerRegisters
from asmevo.errors import InputError
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, EditError, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.rebuild.resources import Resources, set_resources
from asmevo.program.recover import recover
from asmevo.search.types import (
    canonical_edits,
    declared_by,
    edits_from_json,
    edits_to_json,
)

LAUNCHES = KERNELS.parent / "launch"


def wasteful(source: str | None = None) -> bytes:
    """A matmul that declares 264 registers and names 44."""
    source = source or (KERNELS / "matmul_f32.s").read_text()
    for old in (".amdhsa_next_free_vgpr 44", ".vgpr_count:     44"):
        assert old in source
        new = old.replace("44", "264")
        source = source.replace(old, new)
    return assemble_object(source)


def lowered(data: bytes, **counts: int) -> CodeObject:
    co = CodeObject.open(data)
    return CodeObject.open(set_resources(co, co.kernels[0], Resources(**counts)))


def findings(k0: bytes, k1: CodeObject, declared: frozenset[str] = DECLARABLE) -> list[str]:
    found = compare_objects(examine(CodeObject.open(k0)), k1, declared=declared).findings
    return [f"{f.rule}: {f.message}" for f in found]


def test_the_rule_declares_what_the_code_names() -> None:
    k0 = wasteful()
    program = recover(CodeObject.open(k0))
    function = program.functions[0]
    edits = tuple(LowerRegisters().proposals(program, function.name, (0, 1)))
    assert [e.resources for e in edits] == [Resources(vgprs=44, agprs=0)]
    built = CodeObject.open(rebuild(apply(program, edits)))
    compiled = assemble_object((KERNELS / "matmul_f32.s").read_text())
    assert built.kernels[0].descriptor.raw == CodeObject.open(compiled).kernels[0].descriptor.raw
    assert built.text == program.object.text
    assert findings(k0, built) == []


def test_nothing_is_proposed_where_nothing_is_wasted() -> None:
    program = recover(CodeObject.open(assemble_object((KERNELS / "matmul_f32.s").read_text())))
    assert not list(LowerRegisters().proposals(program, program.functions[0].name, (0, 1)))


def test_the_change_must_be_declared() -> None:
    k0 = wasteful()
    assert any("granulated_vgprs" in f for f in findings(k0, lowered(k0, vgprs=44), frozenset()))
    with pytest.raises(InputError, match="cannot be declared"):
        asmevo.check(k0, against=k0, declare=("lds",))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda k0: lowered(k0, vgprs=40), "beyond the declared"),
        (lambda k0: lowered(k0, vgprs=256, agprs=200), "more than before"),
        (lambda k0: lowered(k0, vgprs=44, lds=0), "group_segment_fixed_size"),
        (lambda k0: lowered(k0, vgprs=44, sgprs=10), "sgpr"),
        # A tool that reads the metadata would be told another count than the loader.
        (lambda k0: noted(k0, b"r_count\xcd\x00\x2c", b"r_count\xcd\x00\x10"), "metadata says"),
        (lambda k0: noted(k0, b"amdhsa.version\x92\x01", b"amdhsa.version\x92\x02"), "notes"),
        (lambda k0: noted(k0, b"", b""), ""),
    ],
    ids=["too few", "AGPRs added", "LDS with it", "SGPRs with it", "metadata", "note", "nothing"],
)  # fmt: skip
def test_nothing_else_passes_with_it(change: Callable[[bytes], CodeObject], said: str) -> None:
    k0 = wasteful()
    found = findings(k0, change(k0))
    assert any(said in f for f in found) if said else True, found
    assert bool(found) == bool(said)


def noted(k0: bytes, old: bytes, new: bytes) -> CodeObject:
    """Fewer registers, and some bytes of the note replaced."""
    data = lowered(k0, vgprs=44).data
    if old in data:
        return CodeObject.open(data.replace(old, new, 1))
    assert old == new
    return CodeObject.open(data)


def test_what_picks_registers_at_run_time_keeps_them() -> None:
    source = (KERNELS / "matmul_f32.s").read_text()
    lines = "\ts_set_gpr_idx_on s0, gpr_idx(SRC0)\n\tv_mov_b32_e32 v0, v1\n\ts_set_gpr_idx_off\n"
    k0 = wasteful(source=source.replace("\ts_endpgm", lines + "\ts_endpgm", 1))
    program = recover(CodeObject.open(k0))
    assert not list(LowerRegisters().proposals(program, program.functions[0].name, (0, 1)))
    assert any("picks registers" in f for f in findings(k0, lowered(k0, vgprs=44)))


def test_an_edit_keeps_its_declaration_on_its_way() -> None:
    edits = (Edit(3, 3, (), "why", Resources(vgprs=44)),)
    assert edits_from_json(edits_to_json(edits)) == edits
    assert canonical_edits(edits) != canonical_edits([replace(edits[0], resources=None)])
    assert declared_by(edits) == DECLARABLE
    program = recover(CodeObject.open(wasteful()))
    with pytest.raises(EditError, match="in no kernel"):
        apply(
            program,
            [replace(edits[0], first=len(program.instructions), last=len(program.instructions))],
        )


def test_the_search_takes_it_and_the_bundle_tells_it(tmp_path: Path) -> None:
    """One wave per SIMD becomes several: with enough workgroups the latencies overlap."""
    k0, launch, sizes = wasteful(), LAUNCHES / "matmul_f32.yaml", {"M": "512", "N": "512"}
    found = asmevo.optimize(k0, launch, budget=1, sizes=sizes, store=tmp_path / "run")
    assert found.ok, found.reason
    assert [a.proposal.rule for a in found.search.attempts] == ["lower_registers"]
    assert found.data["lineage"][1]["edits"][0]["resources"] == {"vgprs": 44, "agprs": 0}
    winner = found.object
    assert winner is not None
    assert asmevo.verify(k0, winner, launch).status == "static_invalid"
    assert asmevo.verify(k0, winner, launch, declare=("registers",)).ok
    assert asmevo.check(winner, against=k0, declare=("registers",)).ok
    # As after a run that somebody else drove.
    lineage, launches = found.search.lineage, found.launches
    assert recheck(k0, "matmul_f32", lineage, launches, EmulatedDevice()) == winner
    bundle = tmp_path / "evidence.zip"
    bundle.write_bytes(evidence_bundle(found))
    assert asmevo.audit(bundle, seed=1).ok
