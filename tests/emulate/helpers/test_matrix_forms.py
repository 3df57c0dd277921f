"""Layouts, formats and modifiers of every matrix instruction, in fast arithmetic.

Operands are whole register images; what each result element sums is gathered by the formulas in
`opinion.matrix_forms`. Sums are compared within the stated bound of fused accumulation, integers
to the bit, and one-hot operands to the bit.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from asmevo.emulate import layout as L
from asmevo.emulate.decode.instruction import Unsupported
from asmevo.isa.codec.llvm import AssemblyError
from asmevo.isa.semantics.matrix import matrix_op
from asmevo.isa.semantics.matrix_models import chain_error
from opinion.matrix_bench import Case, expected_parts, result_bits
from opinion.matrix_doubles import as_floats, sums
from opinion.matrix_forms import NAMES, WIDTH, form
from opinion.matrix_operands import image, one_hot, random_case
from opinion.softfloat import Mode
from opinion.wave import Wave, assemble

ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
EVERY = [(arch, name) for arch in NAMES for name in NAMES[arch]]
MIXED = [n for n in NAMES["gfx950"] if n.endswith("f8f6f4")]
FORMATS = [(a, b) for a in range(5) for b in range(5)]
CHOSEN = FORMATS if ALL else [(4, 4), (2, 3), (1, 2), (3, 0)]
MULTI = [(a, n) for a, n in EVERY if form(a, n).blocks > 1 and form(a, n).result != "f64"]


def check(case: Case, **options: int) -> None:
    """The engine's fast result against the sums."""
    f = case.form
    parts = expected_parts(case)
    got = result_bits(f, case.run(exact=False, **options), parts.lane, parts.register)
    if f.result == "i32":
        np.testing.assert_array_equal(got, sums(case, parts)[0].astype(np.int64) & 0xFFFFFFFF)
        return
    total, size = sums(case, parts)
    found = as_floats(got, f.result, f.arch)
    if f.result == "f64":
        limit = size * f.k * 2.0**-52
    else:
        steps = f.stored + (3 * f.k // 32 if f.scaled else 0)
        limit = np.vectorize(chain_error)(steps, size) + size * f.k * 2.0**-52
    worst = np.abs(found - total) - limit
    assert not np.any(~(worst <= 0)), (case.text(), float(np.max(worst)))


@pytest.mark.parametrize("arch", NAMES)
def test_every_name_and_only_these_targets(arch: str) -> None:
    others = {n for names in NAMES.values() for n in names} - set(NAMES[arch])
    for name in NAMES[arch]:
        case = random_case(arch, name, 0)
        assert len(assemble(case.text(), arch)) == 1
        assert matrix_op(name) is not None
    for name in others:
        try:
            made = assemble(random_case("gfx950", name, 0).text(), arch)
        except (AssemblyError, AssertionError, KeyError):
            continue
        # Spellings of the other generation are aliases.
        assert made[0].base in NAMES[arch], name


@pytest.mark.parametrize(("arch", "name"), EVERY)
def test_random_operands(arch: str, name: str) -> None:
    check(random_case(arch, name, 1))


@pytest.mark.parametrize("formats", CHOSEN, ids=str)
@pytest.mark.parametrize("name", MIXED)
def test_mixed_formats(name: str, formats: tuple[int, int]) -> None:
    check(random_case("gfx950", name, 2, formats=formats))


@pytest.mark.parametrize(("arch", "name"), EVERY)
def test_one_hot_operands(arch: str, name: str) -> None:
    rng = np.random.default_rng(3)
    formats = tuple(rng.integers(0, 5, 2)) if name.endswith("f8f6f4") and ALL else (0, 0)
    for side in ("a", "b"):
        for seed in range(3):
            case = random_case(arch, name, seed, formats=formats)
            slots = case.form.registers(side) * 32 // WIDTH[getattr(case.form, side)]
            case = one_hot(case, side, int(rng.integers(64)), int(rng.integers(slots)))
            parts = expected_parts(case)
            got = result_bits(case.form, case.run(exact=False), parts.lane, parts.register)
            total, size = sums(case, parts)
            if case.form.result == "i32":
                np.testing.assert_array_equal(got, total.astype(np.int64) & 0xFFFFFFFF)
            else:
                np.testing.assert_array_equal(as_floats(got, case.form.result, arch), total)
            assert np.any(size), case.text()


@pytest.mark.parametrize(("arch", "name"), MULTI)
def test_broadcast_of_a(arch: str, name: str) -> None:
    case = random_case(arch, name, 4)
    top = case.form.blocks.bit_length() - 1
    sizes = range(1, top + 1) if ALL else [1 + MULTI.index((arch, name)) % top]
    for cbsz in sizes:
        for abid in range(1 << cbsz) if ALL else [(1 << cbsz) - 1]:
            check(replace(case, cbsz=cbsz, abid=abid))


# Elsewhere BLGP means something else or is not there.
PERMUTED = [
    (a, n)
    for a, n in EVERY
    if form(a, n).result != "f64" and not form(a, n).sparse and n not in MIXED
]


@pytest.mark.parametrize(("arch", "name"), PERMUTED if ALL else PERMUTED[::4])
def test_permutation_of_b(arch: str, name: str) -> None:
    for blgp in range(1, 8) if ALL else (1 + EVERY.index((arch, name)) % 7,):
        check(replace(random_case(arch, name, 5), blgp=blgp))


def test_permutation_of_b_every_pattern() -> None:
    for blgp in range(1, 8):
        check(replace(random_case("gfx942", "v_mfma_f32_32x32x8_f16", 5), blgp=blgp))


SPARSE = [(a, n) for a, n in EVERY if form(a, n).sparse]


@pytest.mark.parametrize(("arch", "name"), SPARSE)
def test_index_sets(arch: str, name: str) -> None:
    sets = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 2)]
    for cbsz, abid in sets if ALL else sets[SPARSE.index((arch, name)) % 5 :: 5]:
        case = random_case(arch, name, 6)
        check(replace(case, cbsz=cbsz, abid=abid))


@pytest.mark.parametrize(
    ("arch", "name"),
    [
        ("gfx90a", "v_mfma_f32_32x32x8f16"),
        ("gfx942", "v_mfma_f32_16x16x32_fp8_bf8"),
        ("gfx942", "v_smfmac_f32_16x16x32_f16"),
        ("gfx942", "v_mfma_f64_16x16x4_f64"),
        ("gfx942", "v_mfma_i32_4x4x4_16b_i8"),
        ("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4"),
    ],
)
def test_register_files(arch: str, name: str) -> None:
    for files in ("aaaa", "vaav", "avva", "aava"):
        case = replace(random_case(arch, name, 7), files=files)
        check(case)
        check(replace(case, in_place=True))


@pytest.mark.parametrize(
    ("arch", "name", "constants"),
    [
        ("gfx90a", "v_mfma_f32_16x16x4f32", (0, 1.0, -4.0)),
        ("gfx942", "v_mfma_f32_32x32x4_2b_f16", (0, 0.5, -2.0)),
        ("gfx942", "v_mfma_f64_16x16x4_f64", (0, 1.0, -4.0)),
        ("gfx942", "v_mfma_f64_4x4x4_4b_f64", (2.0,)),
        ("gfx942", "v_mfma_i32_32x32x16_i8", (0, 17, -16)),
        ("gfx950", "v_mfma_f32_16x16x32_bf16", (0, 4.0)),
        ("gfx950", "v_mfma_f32_32x32x64_f8f6f4", (0, 1.0)),
        ("gfx950", "v_mfma_scale_f32_32x32x64_f8f6f4", (0, -1.0)),
    ],
)
def test_constant_addend(arch: str, name: str, constants: tuple[float, ...]) -> None:
    for value in constants:
        case = random_case(arch, name, 8)
        # "1.0" is a float constant, "1" would be an integer's bits.
        case.c = value
        text = case.text()
        if isinstance(value, float):
            assert "." in text.split(",", 3)[3], text
        check(case)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", ["v_mfma_f64_16x16x4_f64", "v_mfma_f64_4x4x4_4b_f64"])
def test_negation_of_doubles(arch: str, name: str) -> None:
    for bits in range(1, 8):
        check(replace(random_case(arch, name, 9), negate=(bits & 1, bits >> 1 & 1, bits >> 2)))


def test_scale_bytes() -> None:
    for n, name in enumerate(m for m in MIXED if "scale" in m):
        for select in [(a, b) for a in range(4) for b in range(4)]:
            if ALL or (select[0] + 2 * select[1] + n) % 3 == 0:
                check(replace(random_case("gfx950", name, 10), select=select))


def test_exec_does_not_matter() -> None:
    for name in ("v_mfma_f32_16x16x16_f16", "v_smfmac_i32_16x16x64_i8", "v_mfma_f64_4x4x4_4b_f64"):
        for mask in (0, 0xF0F0_1234_5678_9ABC):
            check(random_case("gfx942", name, 12), exec_mask=mask)


@pytest.mark.parametrize("arch", NAMES)
def test_f32_inputs_follow_fp_denorm(arch: str) -> None:
    rng = np.random.default_rng(13)
    name = next(n for n in NAMES[arch] if "16x16x4" in n and n.endswith("f32"))
    case = random_case(arch, name, 13)
    tiny = image("f32", arch, 1, rng, "bits") & np.uint32(0x807FFFFF)
    case.a = np.where(rng.random((1, 64)) < 0.5, tiny, case.a).astype(np.uint32)
    # Scaled so that what a subnormal adds shows.
    case.b = np.full_like(case.b, (127 + 100) << 23)
    case.c = np.zeros_like(case.c)
    for flush in (False, True):
        seen = replace(case, a=np.where(flush & (case.a & 0x7F800000 == 0), 0, case.a))
        parts = expected_parts(replace(seen, a=seen.a.astype(np.uint32)))
        total, size = sums(seen, parts)
        mode = Mode(denorm_32=0 if flush else 3)
        got = result_bits(case.form, case.run(exact=False, mode=mode), parts.lane, parts.register)
        error = np.abs(as_floats(got, "f32", arch) - total)
        assert np.all(error <= size * 2.0**-20)


def test_gfx90a_flushes_subnormal_inputs_in_fast_too() -> None:
    rng = np.random.default_rng(15)
    for name in ("v_mfma_f32_16x16x16f16", "v_mfma_f32_32x32x8bf16_1k"):
        case = random_case("gfx90a", name, 15)
        mask = 0x83FF83FF if case.form.a == "f16" else 0x807F807F
        case.a = np.where(rng.random(case.a.shape) < 0.5, case.a & mask, case.a).astype(np.uint32)
        flushed = np.where((case.a & ~np.uint32(mask)) == 0, 0, case.a).astype(np.uint32)
        np.testing.assert_array_equal(
            case.run(exact=False), replace(case, a=flushed).run(exact=False)
        )
        check(replace(case, a=flushed))


def test_illegal_modifiers_are_refused() -> None:
    case = random_case("gfx942", "v_mfma_f32_32x32x8_f16", 14)
    many = random_case("gfx942", "v_mfma_f32_32x32x4_2b_f16", 14)
    wrongs = (replace(case, cbsz=1), replace(case, abid=5), replace(many, abid=1))
    for wrong in wrongs:
        with pytest.raises(Unsupported, match="not legal"):
            wrong.run(exact=False)
    double = random_case("gfx90a", "v_mfma_f64_16x16x4f64", 14)
    with pytest.raises(Unsupported, match="blgp"):
        replace(double, blgp=1).run(exact=False)


MODELESS = [
    ("gfx942", "v_mfma_f32_32x32x8_f16"),
    ("gfx942", "v_mfma_f32_16x16x16_bf16"),
    ("gfx942", "v_mfma_f32_16x16x8_xf32"),
    ("gfx942", "v_mfma_f32_16x16x32_bf8_fp8"),
    ("gfx942", "v_mfma_f64_16x16x4_f64"),
    ("gfx950", "v_mfma_i32_16x16x64_i8"),
    ("gfx950", "v_mfma_f32_16x16x128_f8f6f4"),
]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("arch", "name"), MODELESS)
def test_mode_rounding_and_denormals_do_not_matter(arch: str, name: str, exact: bool) -> None:
    case = random_case(arch, name, 16, "wide")
    expected = case.run(exact)
    for mode in (Mode(round_32=3, round_16_64=3), Mode(denorm_32=0, denorm_16_64=0)):
        np.testing.assert_array_equal(case.run(exact, mode=mode), expected)


@pytest.mark.parametrize("exact", [False, True])
def test_addend_and_result_never_flush(exact: bool) -> None:
    """Only A and B of f32 forms follow MODE; C passes through as it is."""
    for arch, name in (
        ("gfx942", "v_mfma_f32_16x16x4_f32"),
        ("gfx950", "v_mfma_f32_4x4x1_16b_f32"),
    ):
        case = random_case(arch, name, 17)
        case.a = np.zeros_like(case.a)
        tiny = np.arange(1, 1 + 64 * case.form.results, dtype=np.uint32)
        case.c = tiny.reshape(case.form.results, 64)
        parts = expected_parts(case)
        for mode in (Mode(), Mode(denorm_32=0)):
            got = result_bits(case.form, case.run(exact, mode=mode), parts.lane, parts.register)
            np.testing.assert_array_equal(got, parts.c)


@pytest.mark.parametrize("exact", [False, True])
def test_sources_are_read_before_the_result_is_written(exact: bool) -> None:
    """D over A, B and C at once, as LLVM allows it for small results."""
    case = random_case("gfx942", "v_mfma_f32_16x16x16_f16", 18)
    assert isinstance(case.c, np.ndarray)
    whole = np.concatenate([case.a, case.b])
    apart = replace(case, c=whole).run(exact)
    wave = Wave()
    for n, row in enumerate(whole):
        wave.row(8 + n)[:] = row
    wave.set_scalar(L.EXEC, 0, 8)
    text = "v_mfma_f32_16x16x16_f16 v[8:11], v[8:9], v[10:11], v[8:11]"
    wave.run(assemble(text, "gfx942"), "gfx942", exact=exact)
    np.testing.assert_array_equal(np.stack([wave.row(8 + n) for n in range(4)]), apart)
