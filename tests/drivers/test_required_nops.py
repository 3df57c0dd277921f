"""store-sgpr-soffset: the search keeps wait states that hardware needs and no run shows.

A MUBUF store wider than 64 bits with an SGPR offset needs one wait state before a VALU overwrites
its data (measured on gfx950, llvm-project#197267). The emulator stores at once, so only the static
gate and the rules can know.
"""

from __future__ import annotations

from pathlib import Path

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import make_driver
from asmevo.program.build import assemble_object
from asmevo.program.recover import recover
from asmevo.search.controller import Config, Controller

LAUNCH = """
schema: asmevo/launch/1
kernel: k
sizes: {n: 256}
grid: [1, 1, 1]
block: [256, 1, 1]
seed: 1
args:
  - {name: x, dtype: f32, shape: [4*n], init: "normal(0, 1)", role: in}
  - {name: out, dtype: f32, shape: [16*n], role: out}
"""


def states_before_overwrite(object: bytes) -> list[int]:
    """Wait states from each wide store to the next write of its data."""
    program = recover(CodeObject.open(object))
    lines = [program.line(i) for i in range(len(program.instructions))]
    found: list[int] = []
    for n, line in enumerate(lines):
        if not line.startswith("buffer_store_dwordx4"):
            continue
        states = 0
        for later in lines[n + 1 :]:
            word, _, rest = later.partition(" ")
            if word == "s_endpgm":
                break
            if word.startswith("v_") and rest.startswith(("v[2:3]", "v[4:5]")):
                found.append(states)
                break
            states += int(rest) + 1 if word == "s_nop" else 1
    return found


def test_the_search_never_takes_the_wait_states_behind_a_wide_store(tmp_path: Path) -> None:
    k0 = assemble_object((Path(__file__).parent / "data" / "wide_stores.s").read_text())
    assert states_before_overwrite(k0) == [2, 2, 2]
    (tmp_path / "launch.yaml").write_text(LAUNCH)
    opened = CodeObject.open(k0)
    capsule = synthesize(
        LaunchSpec.load(tmp_path / "launch.yaml"), opened.kernel(None), opened.target
    )
    result = Controller(
        Config(
            k0, None, (capsule,), EmulatedDevice(), make_driver("rules", 0), tmp_path / "run.db",
            budget=30,
        )
    ).run()  # fmt: skip
    states = states_before_overwrite(result.object)
    assert len(states) == 3
    assert min(states) >= 1
