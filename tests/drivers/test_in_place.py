"""A search on code that must keep its size: it offers what fits, and finds something.

The project's kernels with constants behind their end that read as branches, as in `data_in_text2`:
nothing may grow, so every proposal is a reorder, a replacement of the same size or less, or a
weaker wait.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asmevo
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import make_driver
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.search.controller import Config, Controller

from .test_end_to_end import LAUNCHES, capsules

KERNELS = LAUNCHES.parent / "gfx942"
_CONSTANTS = ".long 0xbf82fffd, 0xbf82fffd"  # two that read as s_branch to real instructions


def kept(name: str) -> bytes:
    """The kernel with constants behind its last instruction."""
    text = (KERNELS / f"{name}.s").read_text()
    head, end, rest = text.rpartition("\ts_endpgm\n")
    return assemble_object(f"{head}{end}\t{_CONSTANTS}\n{rest}")


@pytest.mark.parametrize("name", ["softmax", "matmul_f32", "matmul_f16"])
def test_an_edit_in_place_is_accepted(tmp_path: Path, name: str) -> None:
    k0 = kept(name)
    before = recover(CodeObject.open(k0))
    assert before.growth_refused
    search = Config(
        k0, None, tuple(capsules(k0, name, [{}], 1)), EmulatedDevice(), make_driver("rules", 0),
        tmp_path / "run.db", budget=20,
    )  # fmt: skip
    report = Controller(search).run()
    assert report.verdicts.get("accepted", 0) >= 1
    assert not any("must keep its size" in a.reason for a in report.attempts)
    after = recover(CodeObject.open(report.object))
    assert len(report.object) == len(k0)
    assert after.text != before.text
    constants = bytes.fromhex("fdff82bf" * 2)
    assert after.text.index(constants) == before.text.index(constants)


def test_the_result_says_that_it_was_patched_in_place(tmp_path: Path) -> None:
    path = tmp_path / "k0.hsaco"
    path.write_bytes(kept("softmax"))
    result = asmevo.optimize(path, LAUNCHES / "softmax.yaml", budget=8)
    assert "may be data" in result.data["growth"]
    json.dumps(result.data)
