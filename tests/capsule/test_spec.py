"""Reading launch.yaml: what is accepted, and one line for everything that is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.capsule.spec import LaunchSpec
from asmevo.errors import InputError

GOOD = """
schema: asmevo/launch/1
grid: [1, 1, 1]
block: [64]
args:
  - {name: x, dtype: f32, shape: [cdiv(4, 2), 8], init: zeros, role: inout}
  - {name: off, dtype: i32, value: 1}
"""


def line(text, source="dir/launch.yaml"):
    with pytest.raises(InputError) as caught:
        LaunchSpec.parse(text, source)
    found = caught.value.one_line()
    assert source in found
    assert "\n" not in found
    return found


def test_commas_inside_parentheses_need_no_quotes():
    spec = LaunchSpec.parse(GOOD.replace("[1, 1, 1]", "[cdiv(max(7, 5), 2), min(1, 2), 1]"))
    assert spec.grid == ("cdiv(max(7, 5), 2)", "min(1, 2)", 1)
    assert spec.args[0].shape == ("cdiv(4, 2)", 8)


def test_words_of_yaml_1_1_are_names_and_small_floats_are_numbers():
    text = GOOD.replace("schema", "tolerance: {tau: 1e-5}\nschema", 1)
    spec = LaunchSpec.parse(text)
    assert spec.args[1].name == "off"
    assert spec.tolerance.tau == 1e-5
    assert spec.tolerance.theta == 0.9999


def test_null_pointer_key_is_not_a_yaml_null():
    spec = LaunchSpec.parse(GOOD + "  - {name: p, null: true}\n")
    assert spec.args[2].null is True


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("schema: asmevo/launch/1", "schema: asmevo/launch/2", ("asmevo/launch/1",)),
        ("schema: asmevo/launch/1", "", ("schema",)),
        ("block: [64]", "blok: [64]", ("'blok'", "'block'")),
        ("block: [64]", "", ("'block'", "missing")),
        ("block: [64]", "block: [1, 1, 1, 1]", ("block",)),
        ("block: [64]", "block: 64", ("block",)),
        ("block: [64]", "block: [64]\nblock: [64]", ("'block'", "twice")),
        ("dtype: i32", "dtyp: i32", ("'off'", "'dtyp'", "'dtype'")),
        ("dtype: i32", "dtype: i33", ("'i33'",)),
        ("dtype: i32, ", "", ("'off'", "no dtype")),
        ("value: 1", "value: 1, null: true", ("'off'", "value and null")),
        ("dtype: i32, value: 1", "dtype: i32", ("'off'", "exactly one")),
        ("value: 1", "value: 1, role: in", ("'off'", "role")),
        ("role: inout", "role: output", ("'x'", "role")),
        (", role: inout", "", ("'x'", "without role")),
        ("init: zeros, ", "", ("'x'", "no init")),
        ("name: off", "name: x", ("'x'", "twice")),
        ("dtype: i32, value: 1", "buffer: z", ("'off'", "'z'")),
        ("grid:", "schedule: random\ngrid:", ("schedule", "interleave")),
        ("grid:", "tolerance: {theta: 2}\ngrid:", ("theta",)),
        ("grid:", "tolerance: {tau: .nan}\ngrid:", ("tau",)),
        ("grid:", "sizes: {cdiv: 2}\ngrid:", ("'cdiv'",)),
        ("grid:", "sizes: {n: 2}\nvariants: [{m: 1}]\ngrid:", ("'m'", "variants[0]")),
        ("grid:", "seed: -1\ngrid:", ("seed",)),
        ("grid: [1, 1, 1]", "grid: [1, 1.5, 1]", ("grid",)),
        ("grid: [1, 1, 1]", "grid: &a [1, 1, 1]\nsizes: {n: *a}", ("aliases",)),
        ("grid: [1, 1, 1]", "grid: [1, 1", ("YAML",)),
        ("grid: [1, 1, 1]", "grid: !!python/object/apply:os.system [ls]", ("YAML",)),
        ("grid:", "{[1]: 2}: 3\ngrid:", ("YAML",)),
    ],
)
def test_mistakes_are_one_line(old, new, words):
    assert old in GOOD
    found = line(GOOD.replace(old, new, 1))
    for word in words:
        assert word in found, found


def test_files_that_are_no_descriptions(tmp_path):
    for text in ("", "[]", "42", "just text", "\x00\x01"):
        line(text)
    path = tmp_path / "launch.yaml"
    path.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(InputError, match="not a text file"):
        LaunchSpec.load(path)
    with pytest.raises(InputError, match="cannot read"):
        LaunchSpec.load(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot read"):
        LaunchSpec.load(tmp_path)
    path.write_text(GOOD + "#" * (1 << 20))
    with pytest.raises(InputError, match="more than"):
        LaunchSpec.load(path)


def test_deeply_nested_yaml_is_refused():
    line("schema: asmevo/launch/1\ngrid: " + "[" * 3000 + "]" * 3000)


@given(st.integers(0, len(GOOD) - 1), st.characters(max_codepoint=0x2FF))
def test_a_changed_character_never_escapes_as_another_error(position, character):
    text = GOOD[:position] + character + GOOD[position + 1 :]
    try:
        LaunchSpec.parse(text)
    except InputError as error:
        one = error.one_line()
    else:
        one = ""
    assert "\n" not in one
