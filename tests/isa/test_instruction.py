"""Operands and modifiers of LLVM's text. Expected values are read off the text by eye."""

from __future__ import annotations

import pytest

from asmevo.isa.instruction import parse_text


@pytest.mark.parametrize("register", [f"a{n}" for n in range(256)])
def test_every_accumulation_register_is_an_operand_wherever_it_stands(register: str) -> None:
    # `a16` is the name of an image's flag as well.
    for text, place in (
        (f"v_accvgpr_write_b32 {register}, v4", 0),
        (f"v_accvgpr_read_b32 v0, {register}", 1),
        (f"v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, {register}, 1.0 cbsz:1", 2),
        (f"ds_write_b32 v0, {register} offset:4", 1),
        (f"global_store_dword v[0:1], {register}, off nt", 1),
        (f"buffer_store_dword {register}, v0, s[0:3], 0 offen", 0),
    ):
        operands = parse_text(text)[3]
        assert str(operands[place].reg) == register, text


@pytest.mark.parametrize(
    ("text", "operands", "modifiers"),
    [
        (
            "image_load v[0:3], v[0:1], s[0:7] dmask:0xf unorm a16",
            3,
            {"dmask": 15, "unorm": True, "a16": True},
        ),
        ("image_store v[0:3], v[0:1], s[0:7] dmask:0xf unorm a16 da", 3, {"a16": True, "da": True}),
        ("exp mrt0 v0, v1, v2, v3 done vm", 5, {"done": True, "vm": True}),
    ],
)
def test_flags_of_images_and_exports(
    text: str, operands: int, modifiers: dict[str, object]
) -> None:
    _, _, _, parsed, found = parse_text(text)
    assert len(parsed) == operands
    assert modifiers.items() <= dict(found).items()
