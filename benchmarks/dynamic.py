"""What the dynamic mode costs: plain runs against runs that watch memory and delay loads.

Times are CPU time of the engine's thread (the machine may be busy), the best of many runs; for
loops the difference of two loop counts, so that set-up does not count.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from asmevo.capsule.model import Capsule
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.emulate.decode.encode import aligned, encode
from asmevo.emulate.decode.templates import Style
from asmevo.emulate.engine.launch import Launch, MemoryRegion
from asmevo.emulate.engine.machine import Machine
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.program import recover
from asmevo.program.build import assemble_object
from benchmarks import engine
from benchmarks.common import kernel_source, report

ROOT = Path(__file__).resolve().parents[1]
MODES = {
    "plain": (False, False),
    "watched": (True, False),
    "late loads": (False, True),
    "both": (True, True),
}
GOAL = 4.0
LAUNCHES = {
    "matmul_f32": {"M": 128, "N": 128, "K": 128},
    "matmul_f16": {"M": 128, "N": 128, "K": 128},
    "softmax": {"rows": 256, "columns": 1000},
    "rmsnorm": {"rows": 256, "columns": 1000},
    "reduce": {"n": 1 << 20},
    "saxpy": {"n": 1 << 20},
}
# Waits that the engine's own loops leave out, for loops that must survive late loads.
WAIT = "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
MIXED = engine.MIXED.replace("s_mov_b64 exec, s[6:7]\n", "s_mov_b64 exec, s[6:7]\n" + WAIT).replace(
    "ds_read_b32 v15, v10\n", "ds_read_b32 v15, v10\n" + WAIT
)
# Head, body, low count, high count, whether the goal is for it.
LOOPS = {
    "mixed VALU/LDS/global/EXEC loop": (engine.MIXED_HEAD, MIXED, 5_000, 20_000, True),
    "128-bit loads, coalesced, loop": (
        engine.LOAD_HEAD,
        engine.LOADS + "\n" + WAIT,
        1_000,
        4_000,
        False,
    ),
    "VALU, 100 different, loop": ("", engine.VALU, 1_000, 4_000, True),
}


def best(run: Callable[[], None], repeats: int) -> float:
    """Least CPU time of a call."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)


def loop_runner(head: str, body: str, count: int, style: Style) -> Callable[[], None]:
    """A call that runs one loop of one wave."""
    library = shared_library()
    co = CodeObject.open(assemble_object(kernel_source(head + engine.loop(body, count))))
    encoded = encode(recover(co), co.kernels[0], library, style)
    buffer, kernarg = aligned(8192), aligned(64)
    kernarg[:8] = np.frombuffer(engine.BUFFER.to_bytes(8, "little"), np.uint8)
    regions = [
        MemoryRegion("b", engine.BUFFER, buffer, True),
        MemoryRegion("kernarg", engine.KERNARG, kernarg, False),
    ]
    machine = Machine(library)
    launch = Launch(
        (1, 1, 1), (64, 1, 1), 0, bytes(64), engine.KERNARG, shadow=style.shadow, waits=style.waits
    )

    def run() -> None:
        outcome = machine.run(encoded, launch, regions)
        assert not outcome.stopped, (outcome.fault, outcome.fault_index)

    return run


def launch_runner(data: bytes, capsule: Capsule, options: RunOptions) -> Callable[[], None]:
    """A call that runs one launch; only the engine's part of it is long."""
    device = EmulatedDevice()

    def run() -> None:
        result = device.run(data, capsule, options)
        assert result.fault is None, result.fault.one_line()

    return run


def row(name: str, times: dict[str, float], instructions: int) -> str:
    """One line of the table."""
    plain = times["plain"]
    factors = " | ".join(f"{times[m] / plain:.2f}x" for m in MODES if m != "plain")
    return f"| {name} | {plain / instructions * 1e9:.1f} ns | {factors} |"


def main() -> None:
    """Measure and write docs/results/dynamic.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=30)
    repeats = parser.parse_args().repeats
    sys.path.insert(0, str(ROOT / "tests"))
    from reference.inputs import capsule_and_inputs, launch_paths

    rows = [
        f"| run | plain, per instruction | {' | '.join(m for m in MODES if m != 'plain')} |",
        "|---|---|---|---|---|",
    ]
    worst = 0.0
    for name, sizes in LAUNCHES.items():
        data = assemble_object((ROOT / "kernels" / "gfx942" / f"{name}.s").read_text())
        path = next(p for p in launch_paths() if p.stem == name)
        capsule, _ = capsule_and_inputs(data, path, sizes)
        count = EmulatedDevice().run(data, capsule, RunOptions()).instructions
        times = {
            mode: best(
                launch_runner(data, capsule, RunOptions(watch_memory=watch, late_loads=late)),
                repeats,
            )
            for mode, (watch, late) in MODES.items()
        }
        label = f"{name} " + " ".join(f"{k}={v}" for k, v in sizes.items())
        rows.append(row(label, times, count))
        worst = max(worst, *(t / times["plain"] for t in times.values()))
        print(rows[-1], flush=True)
    for name, (head, body, low, high, counts) in LOOPS.items():
        per = body.count("\n") + 4
        times = {}
        for mode, (watch, late) in MODES.items():
            style = Style(shadow=watch, waits=late)
            few, many = (best(loop_runner(head, body, n, style), repeats) for n in (low, high))
            times[mode] = many - few
        rows.append(row(name, times, (high - low) * per))
        if counts:
            worst = max(worst, *(t / times["plain"] for t in times.values()))
        print(rows[-1], flush=True)
    verdict = "held" if worst <= GOAL else "missed"
    rows += [
        "",
        f"Goal: at most {GOAL:.0f} times a plain run; the worst is {worst:.2f}x ({verdict}).",
        "",
        "The loop of nothing but 128-bit loads from writable memory is no run that occurs; it "
        "bounds what the dynamic mode can cost.",
    ]
    report("dynamic", "Cost of the dynamic mode", rows, note="CPU time, the best of many runs.")


if __name__ == "__main__":
    main()
