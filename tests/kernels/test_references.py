"""The references against slower or independent formulations, and the committed kernels' files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from reference import kernels, vendor, vendor_attention, vendor_moe
from reference.launch import Expected

KERNELS = Path(__file__).resolve().parents[2] / "kernels"


def test_every_kernel_has_source_assembly_launch_and_reference() -> None:
    names = {p.stem for p in (KERNELS / "hip").glob("*.hip")}
    assert names == {p.stem for p in (KERNELS / "gfx942").glob("*.s")}
    assert names == {p.stem for p in (KERNELS / "launch").glob("*.yaml")}
    assert names == set(kernels.REFERENCES) == set(kernels.SIZES)


@pytest.mark.parametrize(
    "path", sorted(KERNELS.rglob("*.s")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_assembly_tells_nothing_of_the_machine(path: Path) -> None:
    text = path.read_text()
    assert re.match(r"; clang \d+\.\d+\.\d+ -O3 --offload-arch=gfx\w+ \w+\.hip ", text)
    for word in (".file", ".loc", ".ident", "/home", "/tmp", "/usr", "__hip_cuid"):
        assert word not in text
    assert f"amdgcn-amd-amdhsa--{path.parent.name}" in text


@pytest.mark.parametrize("path", sorted((KERNELS / "launch").rglob("*.yaml")), ids=lambda p: p.stem)
def test_launch_descriptions_are_complete(path: Path) -> None:
    spec = yaml.safe_load(path.read_text())
    assert spec["schema"] == "asmevo/launch/1"
    assert any(a.get("role") in ("out", "inout") for a in spec["args"])
    for argument in spec["args"]:
        assert ("shape" in argument) == ("role" in argument)


def test_matmul_reference_is_a_sum_of_products() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(5, 4))
    c = kernels.matmul({"A": a, "B": b})["C"]
    for i in range(3):
        for j in range(4):
            assert np.isclose(c[i, j], sum(a[i, k] * b[k, j] for k in range(5)), rtol=1e-14)


def test_softmax_reference_does_not_overflow() -> None:
    y = kernels.softmax({"x": np.array([[1000.0, 1000.0], [-1e30, 0.0]])})["y"]
    assert np.array_equal(y, [[0.5, 0.5], [0.0, 1.0]])


def test_reduce_reference_cuts_at_512() -> None:
    partial = kernels.reduce({"x": np.ones(1700)})["partial"]
    assert partial.tolist() == [512, 512, 512, 164]


def test_rmsnorm_reference_of_constant_rows() -> None:
    y = kernels.rmsnorm({"x": np.full((1, 7), -3.0), "w": np.arange(7.0), "eps": 0.0})["y"]
    assert np.allclose(y, -np.arange(7.0))


def test_preshuffle_places_elements_as_documented() -> None:
    for dtype, p in ((np.int8, 16), (np.float16, 8)):
        w = np.arange(32 * 64).reshape(32, 64).astype(dtype)
        flat = vendor.preshuffle(w).ravel()
        for n, k in ((0, 0), (5, 17), (16, 63), (31, 8)):
            index = n // 16 * 16 * 64 + k // p * 16 * p + n % 16 * p + k % p
            assert flat[index] == w[n, k]


def test_page_layouts_place_elements_as_documented() -> None:
    launch = vendor_attention.paged_decode("k", (20,), 2, 8, seed=0)
    by_name = {a.name: a.value for a in launch.args}
    keys, values = np.ascontiguousarray(by_name["K"]), np.ascontiguousarray(by_name["V"])
    assert keys.shape == (2, 2, 16, 16, 8)
    assert values.shape == (2, 2, 2, 128, 8)
    # Recompute one output element from the flat caches by the documented index formulas.
    table, q = by_name["BT"], np.float64(by_name["Q"])
    head, kv = 11, 1
    score, rows = [], []
    for t in range(20):
        page, slot = table[0, t // 16], t % 16
        base = (page * 2 + kv) * 16 * 128
        d = np.arange(128)
        key = np.float64(keys.ravel()[base + d // 8 * 128 + slot * 8 + d % 8])
        rows.append(np.float64(values.ravel()[base + slot // 8 * 1024 + d * 8 + slot % 8]))
        score.append(key @ q[0, head] / np.sqrt(128))
    p = np.exp(score) / np.exp(score).sum()
    assert np.allclose(launch.expected["O"].array[0, head], p @ np.array(rows))


def test_causal_mask_is_aligned_at_the_bottom_right() -> None:
    launch = vendor_attention.flash_forward("x", 1, 1, 1, 3, 5, seed=0, causal=True)
    by_name = {a.name: a.value for a in launch.args}
    q, k = np.float64(by_name["Q"][0, 0, 0]), np.float64(by_name["K"][0, :3, 0])
    seen = np.log(np.exp(k @ q / np.sqrt(128)).sum())  # query 0 of 3 sees keys 0..2 of 5
    assert np.isclose(launch.expected["LSE"].array[0, 0, 0], seen)


def test_routing_covers_every_slot_once() -> None:
    plan = vendor_moe.route(np.random.default_rng(1), tokens=9, experts=4, topk=2, block=16)
    assert len(plan.ids) == 16 * len(plan.experts)
    found = []
    for position, packed in enumerate(plan.ids.tolist()):
        token, slot = packed & 0xFFFFFF, packed >> 24
        if token == 9:
            assert (slot, plan.sorted_weights[position]) == (2, 0.0)
            continue
        assert plan.choice[token, slot] == plan.experts[position // 16]
        assert plan.sorted_weights[position] == plan.weights[token, slot]
        found.append((token, slot))
    assert sorted(found) == [(t, s) for t in range(9) for s in range(2)]


def test_ulp_distance_crosses_zero() -> None:
    tiny = np.array([1, 0x8001], np.uint16).view(vendor.BF16)  # smallest positive and negative
    Expected(tiny[:1], "ulp", 2).check(tiny[1:], "x")
    with pytest.raises(AssertionError):
        Expected(tiny[:1], "ulp", 1).check(tiny[1:], "x")
