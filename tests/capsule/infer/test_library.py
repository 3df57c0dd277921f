"""The library of vendor launches: every file of it loads, and fits only what it is made for."""

from __future__ import annotations

import dataclasses
from importlib import resources

import pytest
import yaml

from asmevo.capsule.infer import library
from asmevo.capsule.spec import LaunchSpec
from asmevo.codeobject.metadata import KernelArg, KernelMetadata

FOLDER = resources.files("asmevo.capsule.infer") / "templates"
FAMILIES = sorted(e.name for e in FOLDER.iterdir() if e.name.endswith(".yaml"))


def metadata(arguments: tuple[KernelArg, ...]) -> KernelMetadata:
    from asmevo.codeobject import CodeObject
    from asmevo.isa.target import Target
    from asmevo.program.build import assemble_object
    from benchmarks.common import kernel_source

    one = CodeObject.open(assemble_object(kernel_source("", "gfx942"), Target("gfx942")))
    return dataclasses.replace(one.kernels[0].metadata, args=arguments)


def arguments_of(document: dict) -> tuple[KernelArg, ...]:
    """Arguments as the family has them: pointers of 8 bytes, words of 4."""
    made: dict[int, KernelArg] = {}
    for a in document["args"]:
        pointer = "value" not in a
        kind = "global_buffer" if pointer else "by_value"
        made[a["at"]] = KernelArg(a["name"], a["at"], 8 if pointer else 4, kind)
    return tuple(made[o] for o in sorted(made))


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_gives_a_launch_that_loads(name: str) -> None:
    document = yaml.safe_load((FOLDER / name).read_text())
    stems = document["examples"]
    arguments = arguments_of(document)
    for stem in stems:
        found = library.find(metadata(arguments), "symbol", stem)
        assert found is not None, stem
        spec = LaunchSpec.parse(found.yaml())
        spec.resolve_sizes()
        assert name[:-5] in found.source
        # Another kernel with this name but other arguments is not this family's.
        fewer = (*arguments, KernelArg("more", 4096, 8, "global_buffer"))
        assert library.find(metadata(fewer), "symbol", stem) is None


def test_topksoftmax_takes_its_numbers_from_the_name() -> None:
    document = yaml.safe_load((FOLDER / "topksoftmax.yaml").read_text())
    kernel = metadata(arguments_of(document))
    found = library.find(kernel, "s", "topksoftmax_12x256x8_bf16")
    assert found is not None
    assert found.sizes == {"rows": 12, "experts": 256, "topk": 8, "tokens": "rows + 1"}
    assert found.args[2].entry["dtype"] == "bf16"
    assert library.find(kernel, "s", "something_else") is None
