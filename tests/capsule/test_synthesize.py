"""Capsules from descriptions: kernarg bytes against struct layouts, and every mistake's message."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize, synthesize_all
from asmevo.codeobject.metadata import KernelArg, KernelMetadata
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.isa.target import Target

GFX942 = Target("gfx942")

SAXPY = """
schema: asmevo/launch/1
sizes: {n: 1000}
grid: [cdiv(n, 256), 1, 1]
block: [256, 1, 1]
seed: 1
args:
  - {name: x, dtype: f32, shape: [n], init: "normal(0, 1)", role: in}
  - {name: y, dtype: f32, shape: [n], init: zeros, role: out}
  - {name: a, dtype: f32, value: 2.5}
  - {name: n, dtype: i32, value: n}
"""


def arg(kind, offset, size, name=None):
    return KernelArg(name=name, offset=offset, size=size, value_kind=kind)


def kernel(args, *, name="k", size=0, most=256, fixed_lds=0, required=None):
    metadata = KernelMetadata(
        name=name,
        symbol=f"{name}.kd",
        kernarg_segment_size=size,
        args=tuple(args),
        max_flat_workgroup_size=most,
        reqd_workgroup_size=required,
    )
    descriptor = SimpleNamespace(group_segment_fixed_size=fixed_lds)
    return SimpleNamespace(name=name, symbol=f"{name}.kd", metadata=metadata, descriptor=descriptor)


def saxpy_args(named=False):
    kinds = (("x", "global_buffer", 8), ("y", "global_buffer", 8), ("a", "by_value", 4))
    found, offset = [], 0
    for name, kind, size in (*kinds, ("n", "by_value", 4)):
        found.append(arg(kind, offset, size, name if named else None))
        offset += size
    return found


def spec(text=SAXPY, directory=None):
    return LaunchSpec.parse(text, "launch.yaml", directory)


def line(text=SAXPY, args=None, sizes=None, **options) -> str:
    """The one-line error of a description."""
    with pytest.raises(AsmEvoError) as caught:
        synthesize(
            spec(text), kernel(saxpy_args() if args is None else args, **options), GFX942, sizes
        )
    assert isinstance(caught.value, InputError | UnsupportedError)
    found = caught.value.one_line()
    assert "\n" not in found
    return found


def test_positional_arguments_fill_the_segment():
    capsule = synthesize(spec(), kernel(saxpy_args()), GFX942)
    x, y = capsule.buffer("x"), capsule.buffer("y")
    assert capsule.kernarg == struct.pack("<QQfi", x.address, y.address, 2.5, 1000)
    assert capsule.grid == (4, 1, 1)
    assert (
        x.array().tobytes()
        == np.random.default_rng([1, 0]).normal(0, 1, 1000).astype(np.float32).tobytes()
    )
    assert (x.role, x.undefined, y.role, y.undefined) == ("in", False, "out", True)
    assert capsule.target == "gfx942"
    assert capsule.label == "n=1000"


def test_named_arguments_ignore_order_padding_and_coerce_suffix():
    """Sixteen-byte slots as hand-written kernels use them, names out of order."""
    args = [
        arg("global_buffer", 0, 8, "y"), arg("by_value", 8, 4, "pad"),
        arg("by_value", 12, 4, "_pad1"),
        arg("global_buffer", 16, 8, "x.coerce"), arg("by_value", 24, 4, "padding_0"),
        arg("by_value", 32, 4, "n"), arg("by_value", 36, 4, "pad"), arg("by_value", 48, 4, "a"),
    ]  # fmt: skip
    capsule = synthesize(spec(), kernel(args, size=40), GFX942)
    x, y = capsule.buffer("x").address, capsule.buffer("y").address
    assert capsule.kernarg == struct.pack("<QQQQiiQf", y, 0, x, 0, 1000, 0, 0, 2.5)
    assert {(p.offset, p.buffer) for p in capsule.pointers} == {(0, "y"), (16, "x")}


def test_hidden_arguments_are_filled_by_kind():
    hidden = [
        ("hidden_block_count_x", 24, 4), ("hidden_block_count_y", 28, 4),
        ("hidden_block_count_z", 32, 4), ("hidden_group_size_x", 36, 2),
        ("hidden_group_size_y", 38, 2), ("hidden_group_size_z", 40, 2),
        ("hidden_remainder_x", 42, 2), ("hidden_remainder_y", 44, 2),
        ("hidden_remainder_z", 46, 2), ("hidden_global_offset_x", 64, 8),
        ("hidden_global_offset_y", 72, 8), ("hidden_global_offset_z", 80, 8),
        ("hidden_grid_dims", 88, 2), ("hidden_dynamic_lds_size", 144, 4),
        ("hidden_none", 148, 4),
    ]  # fmt: skip
    args = saxpy_args() + [arg(*h) for h in hidden]
    text = SAXPY.replace("256), 1, 1]", "256), 2, 3]").replace("block:", "lds: 2 * n\nblock:")
    text = text.replace("[256, 1, 1]", "[32, 4, 2]")
    capsule = synthesize(spec(text), kernel(args, size=280), GFX942)
    assert len(capsule.kernarg) == 280
    assert struct.unpack_from("<IIIHHHHHH", capsule.kernarg, 24) == (4, 2, 3, 32, 4, 2, 0, 0, 0)
    assert struct.unpack_from("<QQQH", capsule.kernarg, 64) == (0, 0, 0, 3)
    assert struct.unpack_from("<I", capsule.kernarg, 144) == (2000,)
    assert capsule.lds_dynamic == 2000


@pytest.mark.parametrize(
    "kind",
    [
        "hidden_hostcall_buffer", "hidden_queue_ptr", "hidden_heap_v1",
        "hidden_multigrid_sync_arg", "hidden_default_queue", "hidden_completion_action",
    ],
)  # fmt: skip
def test_runtime_state_is_refused_unless_declared_unused(kind):
    args = [*saxpy_args(), arg(kind, 24, 8)]
    found = line(args=args)
    assert kind in found
    assert "hidden: zero" in found
    capsule = synthesize(spec(SAXPY + "hidden: zero\n"), kernel(args), GFX942)
    assert capsule.kernarg[24:] == bytes(8)
    assert capsule.provenance["zero_filled"] == [kind]


def test_unknown_hidden_and_explicit_kinds_are_refused():
    assert "hidden_new_thing" in line(args=[*saxpy_args(), arg("hidden_new_thing", 24, 8)])
    assert "image" in line(args=[*saxpy_args(), arg("image", 24, 8)])


def test_segment_covers_arguments_beyond_the_declared_size():
    assert len(synthesize(spec(), kernel(saxpy_args(), size=8), GFX942).kernarg) == 24


def test_null_shared_and_raw_arguments():
    text = SAXPY.replace(
        'shape: [n], init: zeros, role: out}', "shape: [n], role: out}"
    ) + """
  - {name: C, null: true}
  - {name: tail, buffer: y, offset: 4 * n - 4}
  - {name: raw, bytes: "01 02 0304"}
"""  # fmt: skip
    args = [
        *saxpy_args(), arg("global_buffer", 24, 8), arg("global_buffer", 32, 8),
        arg("by_value", 40, 4),
    ]  # fmt: skip
    capsule = synthesize(spec(text), kernel(args), GFX942)
    y = capsule.buffer("y").address
    assert struct.unpack_from("<QQ", capsule.kernarg, 24) == (0, y + 3996)
    assert capsule.kernarg[40:] == bytes([1, 2, 3, 4])
    assert len(capsule.buffers) == 2


def test_scratch_is_undefined_only_without_an_initializer():
    for init, undefined in (("", True), ("init: zeros, ", False)):
        text = SAXPY.replace("init: zeros, role: out", f"{init}role: scratch")
        capsule = synthesize(spec(text), kernel(saxpy_args()), GFX942)
        assert capsule.buffer("y").undefined is undefined


def test_sizes_are_overridden_and_may_depend_on_each_other():
    text = SAXPY.replace("sizes: {n: 1000}", "sizes: {blocks: 4, n: 256 * blocks - 24}")
    assert synthesize(spec(text), kernel(saxpy_args()), GFX942).label == "blocks=4 n=1000"
    capsule = synthesize(spec(text), kernel(saxpy_args()), GFX942, {"blocks": 1})
    assert capsule.buffer("x").shape == (232,)
    assert capsule.grid == (1, 1, 1)


def test_variants_give_further_capsules_with_other_data():
    text = SAXPY + "variants: [{n: 1}, {n: 257}, {n: 1000}]\n"
    found = synthesize_all(spec(text), kernel(saxpy_args()), GFX942)
    assert [c.label for c in found] == ["n=1000", "n=1", "n=257", "n=1000"]
    assert [c.grid[0] for c in found] == [4, 1, 2, 4]
    assert found[0].buffer("x").data != found[3].buffer("x").data
    again = synthesize_all(spec(text), kernel(saxpy_args()), GFX942)
    assert [c.digest() for c in found] == [c.digest() for c in again]
    other = synthesize_all(spec(text), kernel(saxpy_args()), GFX942, seed=2)
    assert other[0].buffer("x").data != found[0].buffer("x").data


def test_fp8_follows_the_target():
    text = SAXPY.replace("dtype: f32, shape", "dtype: fp8, shape")
    for arch, name in (("gfx942", "e4m3fnuz"), ("gfx950", "e4m3fn")):
        capsule = synthesize(spec(text), kernel(saxpy_args()), Target(arch))
        assert capsule.buffer("x").dtype == name


def test_the_kernel_must_be_the_one_described():
    text = SAXPY + "kernel: saxpy\n"
    for name in ("saxpy", "saxpy.kd"):
        synthesize(spec(SAXPY + f"kernel: {name}\n"), kernel(saxpy_args(), name="saxpy"), GFX942)
    assert "'saxpy'" in line(text, name="other")


MISTAKES = [
    ("  - {name: n, dtype: i32, value: n}", "", ("number 4 of 4", "by_value", "missing", "add")),
    ("value: n}", "value: n}\n  - {name: z, dtype: i32, value: 1}", ("'z'", "one too many")),
    ("name: x, dtype: f32, shape: [n]", "name: x, dtype: f32, shape: [0]", ("'x'", "empty")),
    ("shape: [n], init: zeros", "shape: [m], init: zeros", ("'y'", "unknown size 'm'")),
    ("dtype: i32, value: n", "dtype: i64, value: n", ("'n'", "8 bytes", "4 bytes")),
    ("dtype: i32, value: n", "dtype: i32, value: n * n * n * n", ("'n'", "does not fit")),
    ("dtype: i32, value: n", "dtype: u32, value: -1", ("'n'", "does not fit")),
    ("dtype: i32, value: n", "dtype: i32, value: 2.5", ("'n'", "integer")),
    ("dtype: f32, value: 2.5", "dtype: f32, value: 1.0e+39", ("'a'", "overflows")),
    ("dtype: f32, value: 2.5", "dtype: f32, shape: [1], init: zeros, role: in", ("'a'", "buffer")),
    ("dtype: f32, value: 2.5", "null: true", ("'a'", "4 bytes")),
    ("shape: [n], init: zeros, role: out", "value: 1.0", ("'y'", "global_buffer", "null")),
    ("cdiv(n, 256), 1, 1", "n - 1000, 1, 1", ("grid", "[0, 1, 1]", "at least 1")),
    ("cdiv(n, 256), 1, 1", "-1, 1, 1", ("grid", "negative")),
    ("cdiv(n, 256), 1, 1", "16777217, 1, 1", ("grid", "2^32")),
    ("cdiv(n, 256), 1, 1", "q, 1, 1", ("grid[0]", "unknown size 'q'")),
    ("[256, 1, 1]", "[256, 2, 1]", ("block", "512", "256")),
    ("[256, 1, 1]", "[0, 1, 1]", ("block", "at least 1")),
    ("seed: 1", "lds: 65537", ("lds", "65536")),
    ("seed: 1", "lds: -4", ("lds", "-4")),
    ("normal(0, 1)", "gaussian(0, 1)", ("'x'", "gaussian", "normal")),
    ("sizes: {n: 1000}", "sizes: {n: -1}", ("size n", "negative")),
    ("shape: [n], init: zeros", "shape: [n * 100000000], init: zeros", ("'y'", "GiB")),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), MISTAKES)
def test_mistakes_name_the_argument_and_the_file(old, new, words):
    assert old in SAXPY
    found = line(SAXPY.replace(old, new))
    assert "launch.yaml" in found
    for word in words:
        assert word in found, found


def test_named_mistakes():
    named = saxpy_args(named=True)
    missing = line(SAXPY.replace("  - {name: n, dtype: i32, value: n}\n", ""), named)
    assert "'n'" in missing
    assert "missing" in missing
    extra = line(SAXPY + "  - {name: z, dtype: i32, value: 1}\n", named)
    assert "no argument 'z'" in extra
    assert "x, y, a, n" in extra
    assert "'x'" in line(SAXPY.replace("name: x", "name: xx"), named)


def test_required_block_and_lds_on_top_of_the_descriptor():
    assert "requires block [64, 1, 1]" in line(required=(64, 1, 1))
    found = line(SAXPY.replace("seed: 1", "lds: 40000"), fixed_lds=30000)
    assert "30000" in found
    assert "unknown size 'q'" in line(sizes={"q": 1})


def test_aligned_pairs_of_addresses_survive_the_kernels_of_this_project(kernel_objects):
    from asmevo.verify.synthesize import capsules_for

    folder = Path(__file__).resolve().parents[2] / "kernels" / "launch"
    for path in sorted(folder.glob("*.yaml")):
        (capsule, *_) = capsules_for(kernel_objects(path.stem), path)
        assert capsule.kernel == path.stem
        for slot in capsule.pointers:
            held = struct.unpack_from("<Q", capsule.kernarg, slot.offset)[0]
            assert held == capsule.buffer(slot.buffer).address
