"""What a launch description leaves free, one change at a time."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from asmevo.capsule.synthesize import Recipe, synthesize
from asmevo.capsule.variation import HUGE, LARGE, MARK, variations
from asmevo.codeobject import CodeObject
from asmevo.verify.synthesize import capsules_for

KERNELS = Path(__file__).resolve().parents[2] / "kernels"


def varied(data, path, sizes=None):
    code = CodeObject.open(data)
    capsule = capsules_for(code, path, sizes)[0]
    assert capsule.recipe is not None
    kernel = code.kernel(capsule.kernel)
    return capsule, {
        v.label: v for v in variations(capsule.recipe, kernel, code.target)
    }, kernel, code.target  # fmt: skip


def test_sizes_blocks_grids_and_scalars_of_saxpy(kernel_objects):
    """n = 1000 in four blocks of 256; the object declares hidden_group_size_x and no limit."""
    _, found, kernel, target = varied(kernel_objects("saxpy"), KERNELS / "launch" / "saxpy.yaml")
    assert {"n=999", "n=1001", "n=1", "n=255", "n=257", f"n={LARGE}"} <= set(found)
    assert {"block=128", "block=160", "block=64", "grid=3", "grid=5"} <= set(found)
    assert {"a=0", "a=-4", f"n={HUGE} grid=3"} <= set(found)
    half = found["block=128"].capsule(kernel, target)
    assert (half.grid, half.block) == ((8, 1, 1), (128, 1, 1))
    assert half.kernarg[36:38] == (128).to_bytes(2, "little"), "hidden_group_size_x at offset 36"
    assert half.label.endswith(f"{MARK}block=128")
    assert not half.timed
    odd = found["block=160"].capsule(kernel, target)
    assert (odd.grid, odd.block) == ((7, 1, 1), (160, 1, 1)), "1024 work-items, and not fewer"
    huge = found[f"n={HUGE} grid=3"].capsule(kernel, target)
    assert huge.kernarg[20:24] == HUGE.to_bytes(4, "little")
    assert huge.buffer("x").shape == (1000,)
    more = found["n=1001"].capsule(kernel, target)
    assert more.buffer("x").shape == (1001,)
    assert more.kernarg[20:24] == (1001).to_bytes(4, "little")
    assert (
        more.buffer("x").data[:400] != found["n=999"].capsule(kernel, target).buffer("x").data[:400]
    )


def test_each_axis_that_has_more_than_one(kernel_objects, tmp_path):
    """Blocks of 32 by 8 in a grid of 4 by 1 by 3: x and y of the block, x and z of the grid."""
    path = tmp_path / "launch.yaml"
    text = (KERNELS / "launch" / "saxpy.yaml").read_text(encoding="utf-8")
    text = text.replace("block: [256, 1, 1]", "block: [32, 8, 1]")
    path.write_text(text.replace("grid: [cdiv(n, 256), 1, 1]", "grid: [4, 1, 3]"))
    _, found, kernel, target = varied(kernel_objects("saxpy"), path)
    half = found["block.y=4"].capsule(kernel, target)
    assert (half.grid, half.block) == ((4, 2, 3), (32, 4, 1))
    assert half.kernarg[38:40] == (4).to_bytes(2, "little"), "hidden_group_size_y at offset 38"
    assert "block.y=16" not in found, "the metadata allows 256 work-items"
    assert {"block=16", "block.y=5", "grid=3", "grid.z=2", "grid.z=4"} <= set(found)
    assert not any(label.startswith(("block.z", "grid.y")) for label in found)


def test_a_kernel_that_cannot_know_its_block_keeps_it(kernel_objects):
    data = kernel_objects("l1_019_relu", "gfx950", "kernelbench")
    path = KERNELS / "launch" / "kernelbench" / "l1_019_relu.yaml"
    _, found, _, _ = varied(data, path)
    assert not any("block" in label for label in found)
    assert {"B=3", "B=5", "D=999", "D=1001", "D=1", "grid=15", "grid=17"} <= set(found)


def test_sizes_given_on_the_command_line_are_the_start(kernel_objects):
    capsule, found, kernel, target = varied(
        kernel_objects("softmax"), KERNELS / "launch" / "softmax.yaml", {"columns": 40}
    )
    assert "columns=41" in found
    assert found["columns=41"].capsule(kernel, target).buffer("x").shape == (3, 41)
    assert capsule.buffer("x").shape == (3, 40)


def test_what_costs_much_is_worth_it_for_new_code_only(kernel_objects):
    _, found, _, _ = varied(kernel_objects("softmax"), KERNELS / "launch" / "softmax.yaml")
    assert found["rows=512"].only_for_code, "170 times the launch"
    assert not found["columns=1025"].only_for_code
    assert found["columns=1025"].growth == pytest.approx(1025 / 601)
    assert not found[f"columns={LARGE}"].only_for_code


def test_a_capsule_with_its_recipe_pickles_and_compares_without(kernel_objects):
    capsule, *_ = varied(kernel_objects("saxpy"), KERNELS / "launch" / "saxpy.yaml")
    again = pickle.loads(pickle.dumps(capsule))
    assert again == capsule
    assert again.recipe.spec == capsule.recipe.spec
    code = CodeObject.open(kernel_objects("saxpy"))
    recipe: Recipe = again.recipe
    made = synthesize(recipe.spec, code.kernel("saxpy"), code.target, recipe.sizes)
    assert made.digest() == capsule.digest()
