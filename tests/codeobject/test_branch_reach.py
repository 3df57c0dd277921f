"""Branches that the linker resolves: the last distance that 16 bits of words hold, and one more.

The reach is the ISA's: SIMM16 words from the end of the branch, 32767 forward and 32768 back.
"""

from __future__ import annotations

import pytest

from asmevo.codeobject import CodeObject
from asmevo.errors import BuildError
from asmevo.program.build import assemble_object
from program.frame import source


def _object(body: str) -> CodeObject:
    return CodeObject.open(assemble_object(source(body)))


@pytest.mark.parametrize(("words", "fits"), [(32767, True), (32768, False), (65534, False)])
def test_forward(words: int, fits: bool) -> None:
    # A weak symbol is resolved by the linker, not by the assembler.
    body = f"s_branch far\n.fill {words}, 4, 0xbf800000\n.weak far\nfar: s_nop 0"
    if fits:
        assert _object(body).text[:4] == bytes.fromhex("ff7f82bf")
    else:
        with pytest.raises(BuildError, match=r"out of reach"):
            _object(body)


@pytest.mark.parametrize(("words", "fits"), [(32767, True), (32768, False), (65535, False)])
def test_backward(words: int, fits: bool) -> None:
    body = f".weak far\nfar:\n.fill {words}, 4, 0xbf800000\ns_branch far"
    if fits:
        assert _object(body).text[4 * words : 4 * words + 4] == bytes.fromhex("008082bf")
    else:
        with pytest.raises(BuildError, match=r"out of reach"):
            _object(body)
