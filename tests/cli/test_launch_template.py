"""`inspect --launch-template`: a description that loads and runs as it is, with marked guesses."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from asmevo.api.drafts.templates import template
from asmevo.codeobject import CodeObject
from asmevo.codeobject.metadata import KernelArg

from .conftest import Run


@pytest.mark.parametrize(
    "name", ["saxpy", "softmax", "rmsnorm", "reduce", "matmul_f32", "matmul_f16"]
)
def test_own_kernels_run_with_their_template(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path, name: str
) -> None:
    path, launch = tmp_path / "K0.hsaco", tmp_path / "first.yaml"
    path.write_bytes(kernel_objects(name))
    got = run("inspect", path, "--launch-template", launch)
    assert got.code == 0
    assert launch.read_text().count("guess") >= 4
    ran = run("run", path, "--launch", launch, "--size", "n=64")
    # A guess may be wrong for the kernel, and then the fault says where; it is never an error.
    assert ran.code in (0, 1), ran.err
    run("inspect", path, "--launch-template", launch).complaint(2, "exists")


def test_metadata_decides_where_it_speaks(kernel_objects: Callable[..., bytes]) -> None:
    kernel = CodeObject.open(kernel_objects("saxpy")).kernels[0]
    args = (
        KernelArg("x", 0, 8, "global_buffer", "global", "read_only", "f16"),
        KernelArg("out", 8, 8, "global_buffer", "global", "write_only"),
        KernelArg("_pad0", 16, 8, "by_value"),
        KernelArg("evil: [\n\x1b", 24, 8, "by_value"),
        KernelArg("no", 32, 12, "by_value"),
        KernelArg(None, 44, 4, "hidden_block_count_x"),
    )
    metadata = dataclasses.replace(kernel.metadata, args=args, reqd_workgroup_size=(64, 2, 1))
    text = template(dataclasses.replace(kernel, name="0x\nkernel: y", metadata=metadata), {})
    data = yaml.safe_load(text)
    assert data["kernel"] == "0x\nkernel: y"
    assert data["block"] == [64, 2, 1]
    assert [a["name"] for a in data["args"]] == ["x", "out", "evil: [\n\x1b", "no"]
    assert data["args"][0]["dtype"] == "f16"
    assert [a.get("role") for a in data["args"]] == ["in", "out", None, None]
    assert data["args"][3]["bytes"].split() == ["00"] * 12


def test_triton_facts_give_block_and_lds(run: Run, saxpy: Path, tmp_path: Path) -> None:
    saxpy.with_suffix(".json").write_text(json.dumps({"num_warps": 2, "shared": 96}))
    launch = tmp_path / "first.yaml"
    assert run("inspect", saxpy, "--launch-template", launch).code == 0
    data = yaml.safe_load(launch.read_text())
    assert (data["block"], data["lds"]) == ([128, 1, 1], 96)
