"""Exact arithmetic of the engine: probes, the NumPy models and rationals, to the bit."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from opinion.matrix_bench import Case, expected_parts, result_bits, sample
from opinion.matrix_expect import exact_bits
from opinion.matrix_forms import NAMES, form
from opinion.matrix_numpy import model_results
from opinion.matrix_operands import codes, random_case
from opinion.matrix_probes import DERIVED, MEASURED, PAPER, Probe, case_of

ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
EVERY = [(arch, name) for arch in NAMES for name in NAMES[arch]]
FLAVOURS = ("plain", "wide", "special", "bits")
MIXED = [n for n in NAMES["gfx950"] if n.endswith("f8f6f4")]
FORMATS = [(a, b) for a in range(5) for b in range(5)]
CHOSEN = FORMATS if ALL else [(1, 1), (2, 3), (0, 4)]
WORD = (1 << 64) - 1


def check(case: Case, samples: int = 12, numpy: bool = True) -> None:
    """Engine against rationals (some results) and the NumPy models (all of them)."""
    f = case.form
    parts = expected_parts(case)
    got = result_bits(f, case.run(exact=True), parts.lane, parts.register)
    for at in sample(parts, samples, np.random.default_rng(1)):
        expected = exact_bits(case, parts, at)
        assert int(got[at]) & WORD == expected, (case.text(), at, hex(expected))
    if numpy and f.result != "i32":
        np.testing.assert_array_equal(got, model_results(case, parts), case.text())


def run_probe(probe: Probe, i: int, j: int) -> None:
    """A probe at result element (i, j)."""
    case, parts = case_of(probe, i, j)
    got = result_bits(case.form, case.run(exact=True), parts.lane, parts.register)
    found = int(got[0, i, j]) & WORD
    assert found == probe.bits, f"{probe.label}: {found:#x}, not {probe.bits:#x}"


@pytest.mark.parametrize("family", sorted({p.label.split()[0] for p in MEASURED}))
def test_hardware_probes(family: str) -> None:
    probes = [p for p in MEASURED if p.label.split()[0] == family]
    for n, probe in enumerate(probes):
        run_probe(probe, n % 16, (5 * n + 3) % 16)


@pytest.mark.parametrize("probe", [*PAPER, *DERIVED], ids=str)
def test_published_and_derived_vectors(probe: Probe) -> None:
    run_probe(probe, 2, 7)


@pytest.mark.parametrize(("arch", "name"), EVERY)
def test_every_form(arch: str, name: str) -> None:
    n = EVERY.index((arch, name))
    flavours = FLAVOURS if ALL else (FLAVOURS[1 + n % 3],)
    for flavour in flavours:
        check(random_case(arch, name, 31, flavour))


@pytest.mark.parametrize("formats", CHOSEN, ids=str)
@pytest.mark.parametrize("name", MIXED)
def test_mixed_formats(name: str, formats: tuple[int, int]) -> None:
    for flavour in ("wide", "special"):
        check(random_case("gfx950", name, 32, flavour, formats=formats))


@pytest.mark.parametrize(
    ("arch", "name", "modifiers"),
    [
        ("gfx942", "v_mfma_f32_4x4x4_16b_f16", {"cbsz": 3, "abid": 5, "blgp": 4}),
        ("gfx942", "v_mfma_f32_32x32x4_2b_bf16", {"cbsz": 1, "abid": 1, "blgp": 2}),
        ("gfx90a", "v_mfma_f32_16x16x4f16", {"cbsz": 2, "abid": 3, "blgp": 3}),
        ("gfx942", "v_smfmac_f32_16x16x32_bf16", {"abid": 3}),
        ("gfx942", "v_smfmac_f32_32x32x32_fp8_bf8", {"abid": 1}),
        ("gfx950", "v_smfmac_f32_32x32x32_f16", {"abid": 1}),
        ("gfx950", "v_mfma_scale_f32_32x32x64_f8f6f4", {"select": (2, 1)}),
        ("gfx942", "v_mfma_f32_16x16x16_f16", {"files": "aaaa", "in_place": True}),
        ("gfx942", "v_mfma_f32_16x16x16_f16", {"c": -4.0}),
        ("gfx90a", "v_mfma_f32_32x32x8f16", {"c": 0.5, "files": "avvv"}),
        ("gfx942", "v_mfma_f64_16x16x4_f64", {"negate": (1, 0, 1)}),
    ],
)
def test_modifiers(arch: str, name: str, modifiers: dict[str, object]) -> None:
    case = replace(random_case(arch, name, 33, "wide"), **modifiers)  # type: ignore[arg-type]
    check(case, numpy=not any(case.negate))


def test_addend_shifted_against_the_result() -> None:
    """C that overlaps D partly is read as a whole first."""
    # LLVM lets only the small results overlap.
    case = random_case("gfx942", "v_mfma_f32_16x16x16_f16", 34, "wide")
    parts = expected_parts(case)
    expected = model_results(case, parts)

    for shift in (2, -2, 4):
        moved = replace(case, shift=shift)
        got = result_bits(case.form, moved.run(exact=True), parts.lane, parts.register)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["v_mfma_f32_32x32x8_bf16", "v_mfma_f32_16x16x8_xf32"])
def test_products_beyond_f32_are_infinite_before_the_sum(name: str) -> None:
    case = random_case("gfx942", name, 35, "wide")
    kind = case.form.a
    for side in ("a", "b"):
        image = getattr(case, side)
        # Exponents near the top: products from 2**124 to 2**130.
        if kind == "bf16":
            image[:] = image & 0x807F807F | 0x5F005F00
        else:
            image[:] = image & 0x80FFFFFF | 0x5F000000
    check(case, samples=60)


def test_infinite_accumulator_survives_later_groups() -> None:
    """A sum that overflows in the first group stays infinite whatever the next one adds."""
    arch, name = "gfx942", "v_mfma_f32_16x16x16_f16"
    case = random_case(arch, name, 36)
    f = case.form
    case.a[:] = 0x7BFF7BFF
    sign = np.where(np.arange(64) // 16 >= 2, 0x80008000, 0)  # k = 8 and above
    case.b = np.broadcast_to(0x7BFF7BFF | sign, (2, 64)).astype(np.uint32).copy()
    case.c = np.full((f.results, 64), 0x7F7FFFFF, np.uint32)
    check(case, samples=30)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_one_group_on_many_bit_patterns(arch: str) -> None:
    """2,000 and more result elements of random patterns per type, against the NumPy models."""
    suffixes = ("f16", "bf16", "fp8_fp8", "bf8_fp8")
    for suffix in suffixes:
        name = f"v_mfma_f32_32x32x{16 if '8_' in suffix else 8}_{suffix}"
        for seed in range(2 if not ALL else 20):
            check(random_case(arch, name, 40 + seed, "bits"), samples=2)


def test_signed_zeros_and_zero_sums() -> None:
    """An exactly zero sum is +0 in the aligned models; the chain follows IEEE."""
    for name, minus in (("v_mfma_f32_32x32x8_f16", 0), ("v_mfma_f32_32x32x2_f32", 0x80000000)):
        case = random_case("gfx942", name, 50)
        case.a[:] = 0x80008000 if "f16" in name else 0x80000000
        case.b[:] = 0x3C003C00 if "f16" in name else 0x3F800000
        case.c = np.full((case.form.results, 64), 0x80000000, np.uint32)
        assert np.all(case.run(exact=True) == minus)
        check(case)


def test_gfx90a_flushes_inputs_products_and_sums() -> None:
    rng = np.random.default_rng(51)
    for name in ("v_mfma_f32_32x32x8f16", "v_mfma_f32_16x16x8bf16", "v_mfma_f32_4x4x4bf16_1k"):
        case = random_case("gfx90a", name, 51)
        kind = case.form.a
        raw = codes(kind, "gfx90a", case.a.size * 2, rng, "bits").astype(np.uint16)
        small = raw & (0x83FF if kind == "f16" else 0x807F) | rng.integers(0, 3, raw.size).astype(
            np.uint16
        ) << (10 if kind == "f16" else 7)
        case.a = small.view(np.uint32).reshape(case.a.shape).copy()
        case.c = rng.integers(0, 1 << 32, (case.form.results, 64), dtype=np.uint32) & 0x81FFFFFF
        check(case, samples=60)


def test_scales_beyond_range_and_nan_codes() -> None:
    case = random_case("gfx950", "v_mfma_scale_f32_32x32x64_f8f6f4", 52, formats=(4, 4))
    assert case.scales is not None
    for code in (0, 1, 254, 255):
        scales = (case.scales[0].copy(), case.scales[1].copy())
        scales[0][::3] = code * 0x01010101
        scales[1][::5] = code * 0x01010101
        check(replace(case, scales=scales), samples=40)


def test_sparse_index_form() -> None:
    assert all(form(a, n).stored * 2 == form(a, n).k for a, n in EVERY if "smfmac" in n)
