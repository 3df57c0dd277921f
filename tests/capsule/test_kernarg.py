"""Which bytes of a kernarg segment nobody fills; expected spans counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asmevo.capsule.kernarg import unfilled
from asmevo.codeobject import CodeObject
from asmevo.codeobject.metadata import KernelArg, KernelMetadata
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from tests.conftest import KERNELS


@pytest.fixture(scope="module")
def metadata() -> KernelMetadata:
    text = (KERNELS / "gfx942" / "saxpy.s").read_text(encoding="utf-8")
    return CodeObject.open(assemble_object(text, Target("gfx942"))).kernel("saxpy").metadata


def test_gaps_between_and_behind_arguments(metadata: KernelMetadata) -> None:
    # Remainders end at 48, global offsets are 64 to 88, the number of dimensions 88 to 90.
    assert unfilled(metadata, 280) == [(48, 64), (90, 280)]
    assert unfilled(metadata, 90) == [(48, 64)]


@pytest.mark.parametrize("kind", ["hidden_hostcall_buffer", "hidden_heap_v1", "hidden_none"])
def test_state_of_a_runtime_is_not_promised(metadata: KernelMetadata, kind: str) -> None:
    last = metadata.args[-1]
    more = replace(last, offset=96, size=8, value_kind=kind)
    assert unfilled(replace(metadata, args=(*metadata.args, more)), 104)[-1] == (90, 104)


def test_without_declared_arguments_nothing_is_known(metadata: KernelMetadata) -> None:
    none: tuple[KernelArg, ...] = ()
    assert unfilled(replace(metadata, args=none), 280) == []
