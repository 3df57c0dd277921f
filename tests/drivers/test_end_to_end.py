"""The deterministic driver on the project's kernels, emulator and all.

What it accepts is checked again by a fresh oracle on inputs, sizes and wave orders that the search
never saw.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import make_driver
from asmevo.search.controller import Config, Controller
from asmevo.verify.oracle import verify
from asmevo.verify.report import VerifyConfig

LAUNCHES = Path(__file__).resolve().parents[2] / "kernels" / "launch"
# Kernel -> least modelled speedup to find, and sizes that the search does not see.
EXPECTED: dict[str, tuple[float, list[dict[str, int]]]] = {
    "saxpy": (1.01, [{"n": 1}, {"n": 4096}, {"n": 777}]),
    "softmax": (1.03, [{"rows": 2, "columns": 64}, {"rows": 1, "columns": 2050}]),
    "rmsnorm": (1.10, [{"rows": 2, "columns": 1}, {"rows": 1, "columns": 3000}]),
    "reduce": (1.002, [{"n": 1}, {"n": 512}, {"n": 5000}]),
    "matmul_f32": (1.10, [{"M": 16, "N": 16, "K": 16}, {"M": 17, "N": 3, "K": 70}]),
    "matmul_f16": (1.20, [{"M": 64, "N": 64, "K": 16}, {"M": 5, "N": 70, "K": 33}]),
}


def capsules(data: bytes, name: str, sizes: list[dict[str, int]], seed: int) -> list[Capsule]:
    opened = CodeObject.open(data)
    spec = LaunchSpec.load(LAUNCHES / f"{name}.yaml")
    kernel = opened.kernel(None)
    return [synthesize(spec, kernel, opened.target, s, seed=seed) for s in sizes]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_faster_object_is_found_and_holds_elsewhere(
    kernel_objects: Callable[..., bytes], tmp_path: Path, name: str
) -> None:
    k0 = kernel_objects(name)
    device = EmulatedDevice()
    least, sizes = EXPECTED[name]
    search = Config(
        k0, None, tuple(capsules(k0, name, [{}], 1)), device, make_driver("rules", 0),
        tmp_path / "run.db", budget=14,
    )  # fmt: skip
    report = Controller(search).run()
    assert report.verdicts.get("accepted", 0) >= 1
    assert report.best.time < report.root.time
    assert report.best.speedup >= least
    assert report.best.label == "modelled"
    config = VerifyConfig(poison_seed=99, schedules=("shuffle:3", "interleave:5"))
    found = verify(k0, report.object, capsules(k0, name, [{}, *sizes], 77), device, config)
    assert found.status == "accepted", found.reason
    assert found.evidence_class == "tested-exact"
