"""Programs of a few instructions against what hardware takes for them.

Clocks per round were measured by others: gfx942 by tingqli/pyhip on an MI308X, gfx950 in a public
pull request to a Triton fork (no. 2507). Within 5 %; what the model does not say yet stands in
`docs/results/timing.md` under "Open rows", with the reason.
"""

from __future__ import annotations

import pytest

from tests.timing.conftest import Bench

MFMA = "v_mfma_f32_16x16x16_bf16 v[{0}:{1}], v[80:81], v[82:83], v[{0}:{1}]"
ROUNDS = 64


def mfma(n: int) -> str:
    return MFMA.format(8 + 4 * (n % 8), 11 + 4 * (n % 8))


def adds(n: int, count: int) -> list[str]:
    return [f"v_add_f32_e32 v{100 + (3 * n + k) % 40}, v1, v2" for k in range(count)]


def packed(n: int, count: int) -> list[str]:
    low = [100 + 2 * ((2 * n + k) % 20) for k in range(count)]
    return [f"v_pk_mul_f32 v[{r}:{r + 1}], v[2:3], v[4:5]" for r in low]


def exps(n: int, count: int) -> list[str]:
    return [f"v_exp_f32_e32 v{100 + (2 * n + k) % 40}, v1" for k in range(count)]


GFX942 = {
    "v_add_f32_e32": (4.01, lambda n: adds(n, 1)),
    "v_fma_f32 at 8-byte places": (4.02, lambda n: [f"v_fma_f32 v{100 + n % 40}, v1, v2, v3"]),
    "v_pk_mul_f32": (4.01, lambda n: packed(n, 1)),
    "v_exp_f32": (16.0, lambda n: exps(n, 1)),
    "MFMA": (16.03, lambda n: [mfma(n)]),
    "MFMA and 1 v_add": (16.05, lambda n: [mfma(n), *adds(n, 1)]),
    "MFMA and 2 v_add": (16.05, lambda n: [mfma(n), *adds(n, 2)]),
    "MFMA and 3 v_add": (16.05, lambda n: [mfma(n), *adds(n, 3)]),
    "MFMA and 4 v_add": (20.05, lambda n: [mfma(n), *adds(n, 4)]),
    "MFMA and 1 v_pk_mul": (28.04, lambda n: [mfma(n), *packed(n, 1)]),
    "MFMA and 2 v_pk_mul": (32.04, lambda n: [mfma(n), *packed(n, 2)]),
    "MFMA and 1 v_exp": (20.06, lambda n: [mfma(n), *exps(n, 1)]),
    "MFMA and 2 v_exp": (36.06, lambda n: [mfma(n), *exps(n, 2)]),
    "MFMA, 3 VALU, MFMA, v_exp": (
        36.05, lambda n: [mfma(2 * n), *adds(n, 3), mfma(2 * n + 1), *exps(n, 1)]),
    "MFMA, MFMA, 3 VALU, v_exp": (
        48.05, lambda n: [mfma(2 * n), mfma(2 * n + 1), *adds(n, 3), *exps(n, 1)]),
    "v_exp and v_add": (20.04, lambda n: [*exps(n, 1), *adds(n, 1)]),
    "ds_read_b32": (4.0, lambda n: [f"ds_read_b32 v{100 + n % 40}, v1"]),
    "ds_read_b128": (
        16.0, lambda n: [f"ds_read_b128 v[{100 + 4 * (n % 10)}:{103 + 4 * (n % 10)}], v1"]),
}  # fmt: skip


def _per_round(bench: Bench, make: object) -> float:
    """Clocks of one more round, from the difference of two lengths."""

    def clocks(rounds: int) -> float:
        lines = [line for n in range(rounds) for line in make(n)]  # type: ignore[operator]
        return bench.clocks([*lines, "s_endpgm"])

    return (clocks(2 * ROUNDS) - clocks(ROUNDS)) / ROUNDS


@pytest.mark.parametrize("name", GFX942)
def test_a_round_takes_what_hardware_takes(name: str, mi300: Bench) -> None:
    measured, make = GFX942[name]
    assert _per_round(mi300, make) == pytest.approx(measured, rel=0.05)


def test_eight_byte_instructions_at_odd_places_take_five_clocks(mi300: Bench) -> None:
    """One of four crosses a fetch window of 32 bytes (5.01 measured)."""
    lines = [f"v_fma_f32 v{100 + n % 40}, v1, v2, v3" for n in range(2 * ROUNDS)]
    moved = ["v_mov_b32_e32 v50, v51", *lines]
    one = mi300.clocks([*moved, "s_endpgm"]) - mi300.clocks([*moved[: ROUNDS + 1], "s_endpgm"])
    assert one / ROUNDS == pytest.approx(5.01, rel=0.05)


@pytest.mark.parametrize(
    ("other", "measured"),
    [("v_exp_f32_e32 v100, v1", 19.99), ("v_pk_mul_f32 v[100:101], v[2:3], v[4:5]", 20.96)],
)
def test_two_waves_of_one_simd_share_it(other: str, measured: float, mi300: Bench) -> None:
    """One wave of matrix instructions beside one of vector ones: clocks per pair."""
    lines = [mfma(n) for n in range(2 * ROUNDS)] + [other] * (2 * ROUNDS)

    def clocks(rounds: int) -> float:
        first = range(rounds)
        second = range(2 * ROUNDS, 2 * ROUNDS + rounds)
        return mi300.clocks(lines, streams=[first, second], simds=[0, 0], waves=2)

    per_pair = (clocks(2 * ROUNDS) - clocks(ROUNDS)) / ROUNDS
    assert per_pair == pytest.approx(measured, rel=0.05)
