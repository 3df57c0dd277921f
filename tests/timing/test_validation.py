"""Which measured kernels a figure's band is of: neighbours by what is executed, not by opcodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from asmevo.isa.target import Target
from asmevo.timing.machine import machine_for, named
from asmevo.timing.static import static_program
from asmevo.timing.validation import (
    FEATURES,
    NOT_VALIDATED,
    RADIUS,
    UNVALIDATED_BAND,
    Validation,
    distance,
    features,
    table,
    validate,
)
from tests.timing.conftest import Bench

ROWS, DIFFERENCES = table()
GEMM = next(r for r in ROWS if "256_128_64_16_25890" in r.name)


def of(lines: Sequence[str], turns: int, arch: str = "gfx942", **options: float) -> Validation:
    """The class of a loop that is executed so often by full SIMDs."""
    program = static_program(Bench(arch).code(lines), Target(arch))
    point = features(program, np.full(len(program), float(turns)), options.get("waves", 0.25))
    return validate(machine_for(arch), point, options.get("load", 1.0))


# A tuned GEMM's loop in small: as many matrix instructions as all memory ones together, fed
# through the LDS, with wide loads, a barrier and few scalar instructions (shares as published for
# composable kernels' main loops, not those of a capture).
TUNED = (
    ["v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]"] * 18
    + ["ds_read_b64 v[4:5], v6"] * 10
    + ["ds_write_b64 v6, v[4:5]"] * 3
    + ["buffer_load_dwordx4 v[8:11], v6, s[0:3], 0 offen"] * 2
    + ["v_add_u32_e32 v6, v6, v7"] * 14
    + ["s_add_u32 s4, s4, s5"] * 6
    + ["s_barrier", "s_barrier", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"]
)
# The loop of a matmul as a compiler makes it of three nested loops: a matrix instruction, or a
# multiply-add, for every two loads, no LDS and no barrier.
NAIVE_MATRIX = [
    "global_load_dwordx2 v[4:5], v6, s[0:1]",
    "global_load_dwordx2 v[8:9], v7, s[2:3]",
    "v_add_u32_e32 v6, 8, v6",
    "v_add_u32_e32 v7, v10, v7",
    "s_waitcnt vmcnt(0)",
    "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[8:9], a[0:3]",
    "s_add_u32 s4, s4, 1",
    "s_cmp_lg_u32 s4, s5",
    "s_nop 0",
]
NAIVE = [
    *NAIVE_MATRIX[:5],
    "v_fma_f32 v0, v4, v8, v0",
    "v_fma_f32 v1, v5, v9, v1",
    *NAIVE_MATRIX[6:],
]


def test_a_tuned_gemm_is_like_those_that_were_measured() -> None:
    found = of(TUNED, 200)
    assert found.known
    assert "bf16 GEMM" in found.name
    assert "mi325x" in found.name
    assert 0 < found.band < 0.25
    assert found.difference == DIFFERENCES["gfx942"]["error"] > 0.02
    assert "pairs" in found.difference_name


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("loop", [NAIVE_MATRIX, NAIVE])
def test_a_naive_matmul_does_not_inherit_its_band(arch: str, loop: list[str]) -> None:
    found = of(loop, 200, arch)
    assert found.name.startswith(NOT_VALIDATED)
    assert found.band == found.difference == UNVALIDATED_BAND
    assert not found.neighbours


@pytest.mark.parametrize(
    "lines",
    [
        ["v_add_f32_e32 v0, v1, v2"],
        ["global_load_dword v0, v1, s[0:1]", "s_waitcnt vmcnt(0)"],
        ["ds_read_b128 v[0:3], v4", "s_waitcnt lgkmcnt(0)"],
        ["v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]"],
        ["s_nop 0"],
    ],
)
def test_one_kind_of_instruction_is_like_nothing(lines: list[str]) -> None:
    for arch in ("gfx942", "gfx950"):
        assert not of(lines * 50, 100, arch).known


def test_what_no_kernel_was_measured_on_is_not_validated() -> None:
    for name in ("mi308x", "mi300a", "mi210", "mi250x"):
        found = validate(named(name), GEMM.point, 1.0)
        assert "no kernel was measured on" in found.name
    # The same compute dies behind other memory and at another clock count.
    for name in ("mi300x", "mi325x"):
        assert validate(named(name), GEMM.point, 1.0).known
    changed = named("mi300x").with_values(lds_latency=10.0)
    assert not validate(changed, GEMM.point, 1.0).known
    assert "idle" in validate(named("mi300x"), GEMM.point, 0.3).name


def test_every_measured_kernel_is_its_own_neighbour() -> None:
    for row in ROWS:
        found = validate(named(row.machine), row.point, 1.0)
        assert row.name in found.neighbours
        assert found.distance == 0
        near = [
            abs(r.error) for r in ROWS if r.name in found.neighbours and r.machine == row.machine
        ]
        assert np.mean(near) - 1e-9 <= found.band <= max(near) + 1e-9


def test_speedups_of_kernels_without_pairs_have_no_small_band() -> None:
    row = next(r for r in ROWS if r.machine == "mi350x")
    found = validate(named("mi350x"), row.point, 1.0)
    assert found.known
    assert found.difference == UNVALIDATED_BAND
    assert "no pair" in found.difference_name


def test_the_table_is_complete() -> None:
    """The captures and device times that stand beside the project: 19 traces, six times."""
    assert sum(r.source == "att" for r in ROWS) == 19
    assert sum(r.source == "gemm" for r in ROWS) == 6
    for row in ROWS:
        assert row.point.shape == (len(FEATURES),)
        assert row.point.min() >= 0
        assert row.point.max() <= 1
        assert abs(row.error) < 0.7
    assert distance(ROWS[0].point, ROWS[0].point) == 0
    assert 0 < RADIUS < 0.2
