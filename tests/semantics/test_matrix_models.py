"""The accumulation models: published probes, a third opinion in rationals, and stated bounds."""

from __future__ import annotations

from fractions import Fraction as Q

import numpy as np
import pytest

from asmevo.isa.semantics.matrix import (
    a_block,
    b_lane,
    matrix_op,
    scale_lane,
)
from asmevo.isa.semantics.matrix_models import (
    chain_error,
    group_error,
    matrix_fidelity,
    model_of,
)
from opinion import matrix_forms as forms
from opinion.matrix_bench import expected_parts, joined, pick, result_bits, sample
from opinion.matrix_expect import exact_bits, true_sum
from opinion.matrix_forms import NAMES, form
from opinion.matrix_numpy import model_results
from opinion.matrix_operands import random_case
from opinion.matrix_probes import DERIVED, MEASURED, PAPER, Probe, case_of
from opinion.matrix_sums import Number, decode, floor_log2, group

FLOATS = [(a, n) for a in NAMES for n in NAMES[a] if form(a, n).result != "i32"]
SUMMED = [
    ("gfx942", "v_mfma_f32_32x32x8_f16"),
    ("gfx942", "v_mfma_f32_4x4x4_16b_bf16"),
    ("gfx942", "v_mfma_f32_16x16x8_xf32"),
    ("gfx942", "v_mfma_f32_16x16x32_fp8_bf8"),
    ("gfx942", "v_smfmac_f32_16x16x64_bf8_fp8"),
    ("gfx950", "v_mfma_f32_16x16x32_bf16"),
    ("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4"),
    ("gfx90a", "v_mfma_f32_16x16x8bf16"),
    ("gfx90a", "v_mfma_f32_16x16x16f16"),
    ("gfx90a", "v_mfma_f32_16x16x4f32"),
    ("gfx942", "v_mfma_f64_4x4x4_4b_f64"),
]


def _check(probes: list[Probe]) -> None:
    """Probes of one form in rationals and, all at once, in the model over NumPy."""
    at = (0, 1, 2)
    cases = [case_of(probe, 1, 2) for probe in probes]
    for probe, (case, parts) in zip(probes, cases, strict=True):
        assert exact_bits(case, parts, at) == probe.bits, probe.label
    if cases[0][0].form.result != "i32":
        parts = joined([pick(p, at) for _, p in cases])
        found = model_results(cases[0][0], parts).ravel().tolist()
        for probe, bits in zip(probes, found, strict=True):
            assert bits & ((1 << 64) - 1) == probe.bits, f"{probe.label}: {bits:#x}"


@pytest.mark.parametrize("family", sorted({p.label.split()[0] for p in MEASURED}))
def test_hardware_probes(family: str) -> None:
    _check([p for p in MEASURED if p.label.split()[0] == family])


@pytest.mark.parametrize("probe", [*PAPER, *DERIVED], ids=str)
def test_published_and_derived_vectors(probe: Probe) -> None:
    _check([probe])


@pytest.mark.parametrize("flavour", ["plain", "wide", "special", "bits"])
@pytest.mark.parametrize(("arch", "name"), SUMMED)
def test_models_against_rationals(arch: str, name: str, flavour: str) -> None:
    rng = np.random.default_rng(1)
    case = random_case(arch, name, 21, flavour)
    parts = expected_parts(case)
    found = model_results(case, parts)
    for at in sample(parts, 40, rng):
        assert int(found[at]) & ((1 << 64) - 1) == exact_bits(case, parts, at), at


@pytest.mark.parametrize(("arch", "name"), [(a, n) for a in NAMES for n in NAMES[a]])
def test_layouts_agree_with_the_formulas(arch: str, name: str) -> None:
    for formats in ((0, 0), (2, 4), (4, 1)) if name.endswith("f8f6f4") else ((0, 0),):
        f = form(arch, name, *formats)
        op = matrix_op(name, *formats)
        assert op is not None
        assert (op.m, op.n, op.k, op.blocks, op.sparse) == (
            f.size,
            f.size,
            f.k,
            f.blocks,
            f.sparse,
        )
        assert (op.a.name, op.b.name, op.acc, op.scaled) == (f.a, f.b, f.result, f.scaled)
        for side, place, depth in (("a", op.a_place, f.stored), ("b", op.b_place, f.k)):
            lane, slot = forms.input_places(f, side)
            for block in range(f.blocks):
                for i in range(0, f.size, 3):
                    for k in range(depth):
                        assert place(i, k, block) == (lane[block, i, k], slot[block, i, k])
        lane, register = forms.result_places(f)
        for block in range(f.blocks):
            for i in range(f.size):
                for j in range(0, f.size, 3):
                    got = op.result_place(i, j, block)
                    assert got == (lane[block, i, j], register[block, i, j])
        places = np.unique(lane + 64 * register)
        assert places.size == lane.size, "every result has a place of its own"


def test_index_and_broadcast_places() -> None:
    for arch, name in ((a, n) for a in NAMES for n in NAMES[a] if "smfmac" in n):
        f, op = form(arch, name), matrix_op(name)
        assert op is not None
        for cbsz in (0, 1):
            for abid in range(4):
                lane, bit = forms.index_places(f, cbsz, abid)
                for i in range(0, f.size, 5):
                    for s in range(f.stored):
                        assert op.index_place(i, s, cbsz, abid) == (lane[i, s], bit[i, s])
    many = form("gfx942", "v_mfma_f32_4x4x4_16b_f16")
    for cbsz in range(5):
        for abid in range(1 << cbsz):
            blocks = forms.a_source_block(many, cbsz, abid)
            assert [a_block(b, cbsz, abid) for b in range(16)] == blocks.tolist()
    lanes = np.arange(64)
    for blgp in range(8):
        assert [b_lane(n, blgp) for n in range(64)] == forms.b_source_lane(lanes, blgp).tolist()
    assert scale_lane(16, 5, 3) == 53


@pytest.mark.parametrize(("kind", "fmt", "size"), [("tr", "f16", 8), ("gtr", "fp8", 16)])
def test_one_group_stays_within_its_stated_error(kind: str, fmt: str, size: int) -> None:
    rng = np.random.default_rng(2)
    name = "v_mfma_f32_32x32x8_f16" if kind == "tr" else "v_mfma_f32_32x32x16_fp8_fp8"
    op = matrix_op(name)
    assert op is not None
    model = model_of(op, "gfx942", name)
    assert (model.kind, model.group, model.measured) == (kind, size, True)
    largest = 0.0
    for _ in range(800):
        bits = 16 if fmt == "f16" else 8
        a, b = rng.integers(0, 1 << bits, (2, size)).tolist()
        pairs = [
            (decode(x, fmt, "gfx942"), decode(y, fmt, "gfx942")) for x, y in zip(a, b, strict=True)
        ]
        if any(n.special for p in pairs for n in p):
            continue
        acc = int(rng.integers(0, 1 << 8)) << 23 | int(rng.integers(0, 1 << 23))
        acc = ((acc & 0x7FFFFF) | int(rng.integers(60, 190)) << 23) | int(rng.integers(2)) << 31
        c = decode(acc, "f32", "gfx950")
        found = decode(group(kind, acc, pairs), "f32", "gfx950")
        exact = c.value + sum((x.value * y.value for x, y in pairs), Q(0))
        e = max((x.e + y.e for x, y in pairs if x.value * y.value), default=-200)
        limit = group_error(model, e, max(e, c.e), max(found.e, -126))
        error = abs(float(found.value - exact))
        assert error <= limit
        largest = max(largest, error / limit)
    assert largest > 0.2, "the bound says something"


@pytest.mark.parametrize("flavour", ["plain", "wide"])
@pytest.mark.parametrize(
    ("arch", "name"),
    [("gfx942", "v_mfma_f32_16x16x16_f16"), ("gfx942", "v_mfma_f32_16x16x32_fp8_fp8")],
)
def test_distance_of_fast_from_exact(arch: str, name: str, flavour: str) -> None:
    """|fast - exact| is within the chain's bound plus that of every group."""
    rng = np.random.default_rng(3)
    case = random_case(arch, name, 22, flavour, c_flavour="plain")
    f, op = case.form, matrix_op(name)
    assert op is not None
    model = model_of(op, arch, name)
    parts = expected_parts(case)
    fast = result_bits(f, case.run(exact=False), parts.lane, parts.register)
    exact = result_bits(f, case.run(exact=True), parts.lane, parts.register)
    for at in sample(parts, 60, rng):
        values = [decode(int(r[at]), "f32", "gfx950").value for r in (fast, exact)]
        total, size = true_sum(case, parts, at)
        top = floor_log2(size) + 1 if size else -126
        # Every e, m and result exponent of a step is at most that of the sum of magnitudes
        # (subnormal operands raise e by the format's places).
        e = top + 20
        if flavour == "plain":
            e = top
        limit = chain_error(f.k, float(size)) + f.k / model.group * group_error(model, e, e, top)
        assert abs(float(values[0] - values[1])) <= limit
        assert abs(float(values[0] - total)) <= chain_error(f.k, float(size))


def test_fidelity_texts() -> None:
    name = "v_mfma_f32_32x32x8_f16"
    assert matrix_fidelity(name, "gfx942", True) == "exact (published model)"
    assert matrix_fidelity(name, "gfx942", False).startswith("approximate (|error| <= 8*2^-24")
    assert matrix_fidelity(name, "gfx950", True) == "open (model not published for gfx950)"
    assert "not published for gfx950" in matrix_fidelity(name, "gfx950", False)
    assert matrix_fidelity("v_mfma_i32_16x16x64_i8", "gfx950", False) == "exact (integers)"
    for exact in (False, True):
        assert (
            matrix_fidelity("v_mfma_f64_16x16x4_f64", "gfx942", exact) == "exact (published model)"
        )
    sparse = matrix_fidelity("v_smfmac_f32_16x16x32_f16", "gfx942", True)
    assert sparse == "open (model not published for sparse forms of gfx942)"
    assert matrix_fidelity("v_mfma_f32_16x16x8f16x", "gfx942", True) == "unsupported"
    for arch in NAMES:
        for known in NAMES[arch]:
            for exact in (False, True):
                word = matrix_fidelity(known, arch, exact).split()[0]
                assert word in ("exact", "approximate", "open")


def test_numbers_of_the_third_opinion() -> None:
    assert decode(0x7F, "fp8", "gfx942").value == 240
    assert decode(0x7E, "fp8", "gfx950").value == 448
    assert decode(0x7F, "bf8", "gfx942").value == 57344
    assert decode(0x7C, "bf8", "gfx950").special == "+inf"
    assert decode(0x1F, "fp6", "gfx950").value == Q(15, 2)
    assert decode(0x1F, "bf6", "gfx950").value == 28
    assert decode(0x7, "fp4", "gfx950").value == 6
    assert decode(1, "f16", "gfx942") == Number(Q(1, 1 << 24), -14)
