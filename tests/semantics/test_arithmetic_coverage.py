"""Every entry of the second opinion has a whole computation; nothing disputed is called exact."""

from __future__ import annotations

from fnmatch import fnmatchcase

from asmevo.emulate.decode.fidelity import of_instruction
from asmevo.isa.semantics.table import all_semantics, width_of
from opinion import compare, corrections, known
from opinion.covered import COVERED, covers
from opinion.wave import assemble

from . import test_arithmetic, test_arithmetic_formats, test_division, test_dot_subnormals

# These register what they cover when they are imported.
MODULES = (test_arithmetic, test_arithmetic_formats)
covers("V_DIV_*_F32", "V_DIV_FMAS_F*", "V_DIV_SCALE_F*")(test_division.test_f32_division)
covers("V_DIV_*_F64")(test_division.test_f64_division)
covers("V_DIV_FIXUP_F16", "V_DIV_FIXUP_LEGACY_F16")(test_division.test_f16_division)
covers("V_SQRT_F*")(test_division.test_f32_square_root)
covers("V_DOT2*_F32_*")(test_dot_subnormals.test_num_dot2_subnormal)


def _covered(entry: str) -> bool:
    return any(fnmatchcase(entry, pattern) for pattern in COVERED)


def test_every_correction_has_a_whole_computation() -> None:
    entries = {*corrections.CORRECTIONS, *corrections.SUPPLEMENT}
    assert not [e for e in sorted(entries) if not _covered(e)]


def test_every_accepted_difference_has_a_whole_computation() -> None:
    rows = {row.opcode for row in known.KNOWN_DIFFERENCES}
    compared = {entry for _, entry in compare.comparable()}
    missing = [
        (row, entry)
        for row in sorted(rows)
        for entry in sorted(compared)
        if fnmatchcase(entry, row) and not _covered(entry)
    ]
    assert not missing


def test_every_pattern_names_an_entry() -> None:
    entries = {*corrections.CORRECTIONS, *corrections.SUPPLEMENT}
    entries |= {entry for _, entry in compare.comparable()}
    assert not [p for p in COVERED if not any(fnmatchcase(e, p) for e in entries)]


# What depends on MODE alone says nothing about the opcode in the default mode.
_MODE_ONLY = "MODE lets subnormals in but not out, and an operand is subnormal"


def test_what_is_disputed_is_not_called_exact() -> None:
    semantics = all_semantics()
    wrong = []
    for semantic, entry in compare.comparable():
        for row in known.KNOWN_DIFFERENCES:
            if row.condition != _MODE_ONLY and fnmatchcase(entry, row.opcode):
                level = semantics[semantic.name].exact.split()[0].rstrip(",")
                wrong += [semantic.name] * (level == "exact")
    assert not wrong


def test_high_halves_follow_what_is_known() -> None:
    """The other half after a 16-bit result: LLVM's list, and "open" where it has none."""
    wrong = []
    for semantic, entry in compare.comparable():
        narrow = any(width_of(d) == 16 for d in semantic.dsts if d != "m")
        policy = known.high_half(entry)
        if (
            semantic.scope == "lane"
            and narrow
            and policy
            and not (semantic.packed or semantic.part)
        ):
            want = {"unknown": "open"}.get(policy, policy)
            wrong += [semantic.name] * (semantic.high != want)
    assert not wrong


def test_high_halves_that_are_open_are_called_open() -> None:
    for text, arch in (
        ("v_ashr_pk_i8_i32 v1, v2, v3, v4", "gfx950"),
        ("v_ashr_pk_u8_i32 v1, v2, v3, v4", "gfx950"),
        ("v_min3_f16 v1, v2, v3, v4", "gfx942"),
        ("v_max3_u16 v1, v2, v3, v4", "gfx942"),
        ("v_med3_i16 v1, v2, v3, v4", "gfx942"),
    ):
        assert of_instruction(assemble(text, arch)[0], arch)[0] == "open", text
