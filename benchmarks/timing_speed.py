"""How fast the clock is: simulated wave instructions, and the re-score of an edited kernel.

    python -m benchmarks.timing_speed [--write]

Both are CPU time of one core. The rate is that of the compute unit's simulation with the address
of every access known. A re-score is everything that a candidate costs the clock: recover the
edited object, encode it, run the launch with streams and addresses recorded, flatten the program,
and simulate; helpers are compiled before. Its kernel has 4,400 instructions.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable

import numpy as np

from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.device import clock
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.program.build import assemble_object
from asmevo.timing.static import static_program
from asmevo.timing.unit import Load, Shared, grouped
from benchmarks.common import kernel_source, report

GOAL_RATE, GOAL_SCORE = 10.0, 100.0
SIZE = 1 << 16
BUFFER, KERNARG = 0x7F00_0000_0000, 0x7C00_0000_0000
_HEAD = "v_lshlrev_b32_e32 v1, 2, v0\ns_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
_MIX = (
    "global_load_dword v2, v1, s[4:5]\n"
    "v_fma_f32 v3, v3, v4, v5\nv_add_f32_e32 v6, v6, v7\ns_add_u32 s9, s9, s10\n"
    "ds_write_b32 v1, v3\nv_mul_f32_e32 v8, v8, v9\ns_waitcnt lgkmcnt(0)\nds_read_b32 v10, v1\n"
    "v_fma_f32 v11, v11, v4, v5\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_f32_e32 v3, v3, v2\n"
)


def body(instructions: int, turns: int) -> str:
    """About so many instructions in a loop of so many turns, a store at its end."""
    repeat = instructions // _MIX.count("\n")
    return (
        f"{_HEAD}s_mov_b32 s8, {turns}\n.Ltop:\n{_MIX * repeat}s_sub_u32 s8, s8, 1\n"
        "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Ltop\nglobal_store_dword v1, v3, s[4:5]\n"
    )


def capsule(groups: int, waves: int) -> Capsule:
    """A launch on one buffer."""
    return Capsule(
        kernel="k",
        grid=(groups, 1, 1),
        block=(64 * waves, 1, 1),
        lds_dynamic=0,
        kernarg=BUFFER.to_bytes(8, "little") + bytes(8),
        buffers=(BufferState("a", BUFFER, bytes(SIZE), "u32", (SIZE // 4,), "inout", guard=256),),
        kernarg_address=KERNARG,
        pointers=(PointerSlot(0, "a"),),
    )


def cpu(work: Callable[[], object], repeats: int = 5) -> float:
    """Least CPU seconds of a call."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def rate() -> tuple[float, int]:
    """(M wave instructions per second of one core, instructions) with addresses."""
    data, launch = assemble_object(kernel_source(body(400, 60))), capsule(8, 4)
    device = EmulatedDevice()
    program = device.program(data)
    kernel = program.object.kernels[0]
    plan = clock.plan(kernel, launch)

    def record(recording: clock.Recording) -> tuple[list, np.ndarray]:
        result, paths = device._execute(data, launch, RunOptions(), recording)
        return result.wave_traces, paths

    streams = clock.streams(plan, record)
    flat = static_program(program.instructions, program.target, program.offsets)
    groups = grouped(streams.traces, 0, len(flat))
    loads = [Load.of(flat, group, plan.machine, 8) for group in groups]
    assert all(load.known for load in loads)
    unit = Shared(flat, loads, np.ones(len(loads), np.int64), 8, None, True)
    executed = unit.run(plan.machine).executed
    return executed / cpu(lambda: unit.run(plan.machine)) / 1e6, executed


def rescore() -> tuple[float, int, EmulatedDevice, Callable[[], object]]:
    """(milliseconds of a re-score, instructions of the kernel, device, another one)."""
    device = EmulatedDevice()
    launch, text = capsule(32, 4), body(4400, 1)
    objects = iter(
        assemble_object(kernel_source(text.replace("v_mul_f32_e32 v8, v8, v9", edit, 1)))
        for edit in (
            "v_mul_f32_e32 v8, v9, v8",
            *(f"v_mul_f32_e32 v8, v9, v{n}" for n in range(20, 40)),
        )
    )
    count = len(device.program(next(objects)).instructions)
    for _ in range(2):
        device.time(next(objects), launch, 1)
    made = [next(objects) for _ in range(6)]
    left = iter(made[1:])

    def one() -> object:
        return device.time(next(left), launch, 1, below=0.0)

    return 1e3 * cpu(one, 4), count, device, lambda: device.time(made[0], launch, 1, below=0.0)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the result page")
    parser.add_argument("--profile", action="store_true", help="where a re-score's time goes")
    options = parser.parse_args()
    speed, executed = rate()
    score, count, _, again = rescore()
    if options.profile:
        profiler = cProfile.Profile()
        profiler.runcall(again)
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)
    lines = [
        "| what | now | goal |",
        "|---|---|---|",
        f"| simulation with addresses, M wave instructions/s ({executed:,}) | {speed:.1f} "
        f"| at least {GOAL_RATE:.0f} |",
        f"| re-score of an edited kernel of {count:,} instructions, ms | {score:.0f} "
        f"| at most {GOAL_SCORE:.0f} |",
    ]
    print("\n".join(lines))
    if options.write:
        report("timing-speed", "Speed of the clock", lines)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
