"""Buffer contents against NumPy calls written out by hand."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.initializers import Initializer
from asmevo.errors import InputError

NAMES = {"K": 16, "L": 5}


def fill(text, kind, shape, seed=3, directory=Path(), target=None):
    source = Initializer(seed, NAMES, directory)
    element = dtype(kind, target)
    return np.frombuffer(source.fill(text, element, shape, "x"), element.numpy).reshape(shape)


def test_normal_is_numpys_stream_cast_to_the_dtype():
    wanted = np.random.default_rng(3).normal(1, 0.1, (7, 9))
    assert np.array_equal(fill("normal(1, 0.1)", "f32", (7, 9)), wanted.astype(np.float32))
    assert np.array_equal(fill("normal(1, 0.1)", "f16", (7, 9)), wanted.astype(np.float16))


@pytest.mark.parametrize("text", ["normal(0, 1)", "uniform(-1, 1)", "randint(-5, 100000)"])
def test_large_buffers_are_one_stream_in_spite_of_chunks(text):
    count = (1 << 20) + 77
    rng = np.random.default_rng(3)
    wanted = {
        "normal(0, 1)": lambda: rng.normal(0, 1, count).astype(np.float32),
        "uniform(-1, 1)": lambda: rng.uniform(-1, 1, count).astype(np.float32),
        "randint(-5, 100000)": lambda: rng.integers(-5, 100000, count).astype(np.int32),
    }[text]()
    kind = "i32" if text.startswith("randint") else "f32"
    assert np.array_equal(fill(text, kind, (count,)), wanted)


def test_buffers_draw_in_order_from_one_generator():
    source = Initializer(9, NAMES, Path())
    first = source.fill("normal(0, 1)", dtype("f64"), (4,), "a")
    second = source.fill("uniform(0, 1)", dtype("f64"), (4,), "b")
    rng = np.random.default_rng(9)
    assert first == rng.normal(0, 1, 4).tobytes()
    assert second == rng.uniform(0, 1, 4).tobytes()


def test_fixed_words():
    assert fill("zeros", "f32", (3,)).tolist() == [0, 0, 0]
    assert fill("fill(-1)", "i32", (2,)).tolist() == [-1, -1]
    assert fill("fill(L - 1)", "i64", (2,)).tolist() == [4, 4]
    assert fill("fill(0.25)", "bf16", (2,)).tolist() == [0.25, 0.25]
    assert fill("arange", "u8", (2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert fill("arange(10, -2)", "i16", (3,)).tolist() == [10, 8, 6]
    assert fill("indptr(L)", "i32", (4,)).tolist() == [0, 5, 10, 15]
    assert fill("fill(18446744073709551615)", "u64", (1,)).tolist() == [2**64 - 1]
    assert fill("normal(0, 1)", "f32", ()).shape == ()


def test_scaled_words():
    wanted = np.random.default_rng(3).uniform(-1, 1, 50) / 4
    assert np.allclose(fill("uniform(-1, 1) / sqrt(K)", "f64", (50,)), wanted, rtol=1e-15)
    assert fill("fill(3) * 2", "i32", (1,)).tolist() == [6]


@given(st.integers(1, 400), st.integers(0, 99))
@settings(max_examples=30)
def test_permutation_has_distinct_elements(count, spare):
    values = fill(f"permutation({count + spare})", "i32", (count,))
    assert len(set(values.tolist())) == count
    assert 0 <= values.min() <= values.max() < count + spare


def test_codes_have_random_signs_and_bounded_magnitudes():
    codes = fill("codes(0x28, 0x44)", "fp8", (4000,), target="gfx942").view(np.uint8)
    magnitudes = codes & 0x7F
    assert magnitudes.min() == 0x28
    assert magnitudes.max() == 0x43
    assert 0.45 < (codes >> 7).mean() < 0.55


def test_routing_words_describe_one_routing():
    tokens, topk, experts, block = 13, 2, 4, 8
    padded = (tokens * topk // block + experts + 1) * block
    source = Initializer(1, {}, Path())
    call = f"({tokens}, {topk}, {experts}, {block})"

    def get(word, count):
        return np.frombuffer(source.fill(word + call, dtype("i32"), (count,), word), np.int32)

    ids, blocks = get("moe_sorted_ids", padded), get("moe_expert_ids", padded // block)
    total = int(get("moe_num_padded", 1)[0])
    assert total % block == 0
    assert total <= padded
    real = ids[ids < tokens * topk]
    assert sorted(real.tolist()) == list(range(tokens * topk))
    assert (ids[total:] == tokens * topk).all()
    chosen: dict[int, set[int]] = {}
    for position, slot in enumerate(ids[:total]):
        if slot < tokens * topk:
            chosen.setdefault(slot // topk, set()).add(int(blocks[position // block]))
    assert all(len(c) == topk for c in chosen.values()), "experts of a token are distinct"
    assert (np.diff(blocks[: total // block]) >= 0).all()
    packed, valid = get("aiter_sorted_ids", padded), get("aiter_num_valid", 2)
    assert valid.tolist() == [total, tokens]
    mine = packed[:total] != (topk << 24 | tokens)
    same = (packed[:total] & 0xFFFFFF) * topk + (packed[:total] >> 24)
    assert np.array_equal(same[mine], real)


def test_files_give_arrays_with_shape_and_dtype(tmp_path):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "a.npy", array)
    assert np.array_equal(fill("file:a.npy", "f32", (2, 3), directory=tmp_path), array)
    np.save(tmp_path / "b.npy", np.array([0x3F80], np.uint16))
    assert fill("file:b.npy", "bf16", (1,), directory=tmp_path).tolist() == [1.0]
    for name, kind, shape, word in (
        ("a.npy", "f32", (3, 2), "shape"),
        ("a.npy", "f16", (2, 3), "float32"),
        ("none.npy", "f32", (1,), "cannot read"),
        ("../a.npy", "f32", (2, 3), "refused"),
        ("/a.npy", "f32", (2, 3), "refused"),
        ("a.txt", "f32", (2, 3), "refused"),
    ):
        with pytest.raises(InputError, match=word):
            fill(f"file:{name}", kind, shape, directory=tmp_path)


def test_pickled_arrays_are_never_loaded(tmp_path):
    np.save(tmp_path / "p.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot read"):
        fill("file:p.npy", "f32", (1,), directory=tmp_path)


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("gauss(0, 1)", "f32", "unknown initializer 'gauss'"),
        ("normal(0)", "f32", "takes 2"),
        ("normal(0, -1)", "f32", "negative deviation"),
        ("uniform(2, 1)", "f32", "empty"),
        ("randint(3, 3)", "i32", "empty"),
        ("randint(0, 1.5)", "i32", "integers"),
        ("randint(0, 300)", "u8", "fit"),
        ("fill(-1)", "u32", "fit"),
        ("normal(0, 1)", "i32", "fractions"),
        ("permutation(3)", "i32", "shorter"),
        ("codes(0, 5)", "f32", "8-bit"),
        ("codes(5, 200)", "u8", "codes"),
        ("uniform(0, 1) / 0", "f32", "zero"),
        ("normal(0, 1) + 1", "f32", "not understood"),
        ("zeros; import os", "f32", "not an expression"),
        ("moe_sorted_ids(4, 9, 2, 8)", "i32", "routing"),
        ("moe_sorted_ids(4, 2, 2, 8)", "i32", "elements"),
    ],
)
def test_refusals_name_the_buffer(text, kind, word):
    with pytest.raises(InputError, match=word) as caught:
        fill(text, kind, (8,))
    assert "init of x" in caught.value.one_line()


def test_file_stays_in_its_folder(tmp_path):
    """Neither a link nor a FIFO nor a folder that is a link leads out or waits."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    np.save(outside / "a.npy", np.zeros(2, np.float32))
    np.save(inside / "a.npy", np.zeros(2, np.float32))
    (inside / "link.npy").symlink_to(outside / "a.npy")
    (inside / "own.npy").symlink_to(inside / "a.npy")
    (inside / "folder").symlink_to(outside)
    os.mkfifo(inside / "fifo.npy")
    (inside / "d.npy").mkdir()
    assert fill("file:a.npy", "f32", (2,), directory=inside).tolist() == [0, 0]
    for name in ("link.npy", "own.npy", "folder/a.npy", "fifo.npy", "d.npy", "none.npy"):
        with pytest.raises(InputError, match="cannot read"):
            fill(f"file:{name}", "f32", (2,), directory=inside)
    with (inside / "huge.npy").open("wb") as out:
        out.truncate(1 << 40)
    with pytest.raises(InputError, match="wanted are at most"):
        fill("file:huge.npy", "f32", (2,), directory=inside)
