"""Speed of the emulator's engine: loops of plain instructions, one core, guards on.

Each figure is the difference of two loop counts (so set-up does not count), the best of many
short runs. `--tinygrad DIR` runs the same ALU loop through tinygrad's emulator, which its package
does not contain: DIR is a checkout of its repository (tested with the parts of a version between
0.13 and 0.14 that the loop needs, adapted to either package). tinygrad needs `clang` on PATH.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from asmevo.codeobject import CodeObject
from asmevo.emulate.decode.encode import Style, aligned, encode
from asmevo.emulate.engine.launch import Launch, MemoryRegion
from asmevo.emulate.engine.machine import Machine
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.emulate.native.library import host_cpu
from asmevo.program import recover
from asmevo.program.build import assemble_object
from benchmarks.common import kernel_source, report

BUFFER, KERNARG = 0x7F00_0000_0000, 0x7C00_0000_0000

ALU = """v_add_f32 v1, v2, v3
v_fma_f32 v4, v1, v2, v5
v_mul_lo_u32 v6, v4, v7
v_lshlrev_b32 v8, 3, v6
v_add_u32 v9, v8, v1"""
MIXED_HEAD = """s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32 v10, 2, v0
v_and_b32 v10, 0xff, v10
v_mov_b32 v12, 1.0
v_mov_b32 v13, 2.0
v_mov_b32 v1, 0
"""
MIXED = """v_cmp_lt_f32 vcc, v1, v13
s_and_saveexec_b64 s[6:7], vcc
global_load_dword v14, v10, s[4:5]
s_mov_b64 exec, s[6:7]
v_add_f32 v1, v12, v13
ds_write_b32 v10, v14
v_xor_b32 v17, v14, v1
ds_read_b32 v15, v10
v_add_u32 v16, v15, v14
v_xor_b32 v17, v16, v1
v_mul_f32 v18, v17, v13
v_max_f32 v19, v18, v12
v_mov_b32 v1, 0
global_store_dword v10, v18, s[4:5] offset:256"""
VALU = "\n".join(
    f"{op} v{20 + i % 40}, v{30 + (i * 7) % 40}, v{25 + (i * 5) % 40}"
    for i, op in enumerate(
        [
            "v_add_f32",
            "v_mul_f32",
            "v_add_u32",
            "v_xor_b32",
            "v_max_i32",
            "v_and_b32",
            "v_sub_f32",
            "v_lshlrev_b32",
            "v_min_u32",
            "v_or_b32",
        ]
        * 10
    )
)
MFMA = "\n".join(
    f"v_mfma_f32_32x32x8_f16 a[{16 * i}:{16 * i + 15}], v[2:3], v[4:5], a[{16 * i}:{16 * i + 15}]"
    for i in range(4)
)
LOAD_HEAD = """s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32 v10, 4, v0
v_and_b32 v10, 0x3ff, v10
"""
LOADS = "\n".join(
    f"global_load_dwordx4 v[{20 + 4 * i}:{23 + 4 * i}], v10, s[4:5]" for i in range(8)
)


def loop(body: str, count: int) -> str:
    """A counted loop around `body`."""
    return (
        f"s_mov_b32 s20, {count}\n.Ltop:\n{body}\ns_sub_u32 s20, s20, 1\n"
        "s_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Ltop\n"
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One loop: head, body, and how many instructions of the body one figure counts."""

    name: str
    head: str
    body: str
    counts: tuple[int, int]
    per: int
    exact: bool = False
    goal: str = ""


def runner(case: Case, count: int) -> Callable[[int], float]:
    """A function (threads) -> seconds of one run of the loop."""
    library = shared_library()
    source = kernel_source(case.head + loop(case.body, count))
    co = CodeObject.open(assemble_object(source))
    encoded = encode(recover(co), co.kernels[0], library, Style(exact=case.exact))
    buffer, kernarg = aligned(8192), aligned(64)
    kernarg[:8] = np.frombuffer(BUFFER.to_bytes(8, "little"), np.uint8)
    regions = [
        MemoryRegion("b", BUFFER, buffer, True),
        MemoryRegion("kernarg", KERNARG, kernarg, False),
    ]
    machine = Machine(library)

    def run(threads: int) -> float:
        groups = max(1, threads)
        launch = Launch((groups, 1, 1), (64, 1, 1), 0, bytes(64), KERNARG)
        start = time.perf_counter()
        outcome = machine.run(encoded, launch, regions, threads)
        seconds = time.perf_counter() - start
        assert not outcome.stopped, (case.name, outcome.fault, outcome.fault_index)
        return seconds

    return run


def nanoseconds(case: Case, repeats: int) -> float:
    """Best time of one counted instruction."""
    low, high = case.counts
    runs = runner(case, low), runner(case, high)
    best = [min(run(1) for _ in range(repeats)) for run in runs]
    return (best[1] - best[0]) / ((high - low) * case.per) * 1e9


CASES = (
    Case("ALU loop (5 VALU + 3 SALU)", "", ALU, (20_000, 60_000), 8, goal=">= 50 M/s"),
    Case("VALU, 100 different", "", VALU, (1_000, 4_000), 103, goal=">= 120 M/s"),
    Case("mixed VALU/LDS/global/EXEC", MIXED_HEAD, MIXED, (10_000, 40_000), 17, goal=">= 80 M/s"),
    Case("v_mfma_f32_32x32x8_f16, fast", "", MFMA, (1_000, 3_000), 4, goal="<= 220 ns"),
    Case("v_mfma_f32_32x32x8_f16, exact", "", MFMA, (200, 600), 4, True, goal="<= 3000 ns"),
    Case("128-bit load, coalesced", LOAD_HEAD, LOADS, (2_000, 6_000), 8, goal="<= 60 ns"),
)


def scaling(repeats: int) -> float:
    """How much more two threads do than one (two workgroups of the ALU loop)."""
    run = runner(CASES[0], 400_000)
    one = min(run(1) for _ in range(repeats))
    two = min(run(2) for _ in range(repeats))
    return 2 * one / two


def numpy_reference(repeats: int) -> float:
    """Nanoseconds per VALU instruction of the ALU loop in the NumPy instantiation of semantics.

    The same definitions, one Python call per instruction: what an emulator without compiled
    helpers pays at least.
    """
    from asmevo.isa.semantics import table
    from asmevo.isa.semantics.numpy_algebra import value

    rng = np.random.Generator(np.random.PCG64(1))
    v = [rng.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(10)]
    steps = (
        ("v_add_f32", (2, 3), 1),
        ("v_fma_f32", (1, 2, 5), 4),
        ("v_mul_lo_u32", (4, 7), 6),
        ("v_lshlrev_b32", (3, 6), 8),
        ("v_add_u32", (8, 1), 9),
    )
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(20):
            for name, sources, destination in steps:
                semantic = table.lookup(name)
                assert semantic is not None
                arguments = [
                    value(v[n], table.width_of(t), table.kind_of(t))
                    for n, t in zip(sources, semantic.srcs, strict=True)
                ]
                v[destination] = table.apply(semantic, arguments)[0].raw
        best = min(best, (time.perf_counter() - start) / (20 * len(steps)))
    return best * 1e9


def memory_cost(gibibytes: float = 1.0) -> float:
    """Resident bytes that a launch adds per byte of a large buffer it fills."""
    import resource

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    size = int(gibibytes * (1 << 30))
    body = """s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
s_lshl_b32 s6, s2, 12
s_add_u32 s4, s4, s6
s_addc_u32 s5, s5, 0
v_lshlrev_b32 v3, 4, v0
global_store_dwordx4 v3, v[4:7], s[4:5]
global_store_dwordx4 v3, v[4:7], s[4:5] offset:1024
global_store_dwordx4 v3, v[4:7], s[4:5] offset:2048
global_store_dwordx4 v3, v[4:7], s[4:5] offset:3072
"""
    library = shared_library()
    co = CodeObject.open(assemble_object(kernel_source(body)))
    encoded = encode(recover(co), co.kernels[0], library)
    kernarg = aligned(64)
    kernarg[:8] = np.frombuffer(BUFFER.to_bytes(8, "little"), np.uint8)
    before = peak()
    buffer = aligned(size)
    regions = [
        MemoryRegion("b", BUFFER, buffer, True),
        MemoryRegion("kernarg", KERNARG, kernarg, False),
    ]
    launch = Launch((size // 4096, 1, 1), (64, 1, 1), 0, bytes(64), KERNARG)
    outcome = Machine(library).run(encoded, launch, regions)
    assert not outcome.stopped
    return (peak() - before) / size


def first_launch() -> float:
    """Seconds from a code object to the end of its first run, helpers cached, a new process."""
    import subprocess
    import sys

    script = (
        "import time\n"
        "from benchmarks.engine import CASES, runner\n"
        "from asmevo.emulate.engine.toolchain import shared_library\n"
        "from asmevo.codeobject import CodeObject\n"
        "from asmevo.program import recover\n"
        "from asmevo.emulate.decode.encode import encode\n"
        "from asmevo.program.build import assemble_object\n"
        "from pathlib import Path\n"
        "data = assemble_object(Path('kernels/gfx942/matmul_f16.s').read_text())\n"
        "co = CodeObject.open(data); p = recover(co); lib = shared_library()\n"
        "start = time.perf_counter()\n"
        "encode(p, co.kernels[0], lib)\n"
        "print(time.perf_counter() - start)\n"
    )
    best = float("inf")
    for _ in range(5):
        out = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        best = min(best, float(out.stdout))
    return best


def avx2(case: int, repeats: int) -> float:
    """Nanoseconds of a case compiled for a CPU without AVX-512."""
    import os
    import subprocess
    import sys

    script = (
        "from benchmarks.engine import CASES, nanoseconds\n"
        f"print(nanoseconds(CASES[{case}], {repeats}))\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ASMEVO_CPU": "haswell"},
    )
    return float(out.stdout)


def tinygrad_rate(checkout: Path, repeats: int) -> float:
    """Instructions per second of the ALU loop through tinygrad's emulator.

    Its kernels are compiled once per shape of instruction, outside the timed runs. The runs take
    a few milliseconds, as ours do, so that the best of them was not interrupted.

    Raises:
        ImportError: the checkout has no emulator that this knows how to call.
    """
    import ctypes
    import sys

    sys.path.insert(0, str(checkout))
    from test.mockgpu.amd.emu import run_asm  # type: ignore[import-not-found]

    def prepared(count: int) -> Callable[[], float]:
        co = CodeObject.open(assemble_object(kernel_source(loop(ALU, count))))
        code = ctypes.create_string_buffer(co.text, len(co.text))
        kernarg = ctypes.create_string_buffer(64)
        where, args = ctypes.addressof(code), ctypes.addressof(kernarg)

        def run(_code: object = code, _kernarg: object = kernarg) -> float:
            start = time.perf_counter()
            run_asm(where, len(co.text), 1, 1, 1, 64, 1, 1, args, arch="cdna")
            return time.perf_counter() - start

        run()
        return run

    low, high = 100, 500
    runs = prepared(low), prepared(high)
    times = [[run() for run in runs] for _ in range(repeats)]
    best = [min(column) for column in zip(*times, strict=True)]
    return 8 * (high - low) / (best[1] - best[0])


def main() -> None:
    """Run the cases and write docs/results/engine.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--tinygrad", type=Path, default=None)
    options = parser.parse_args()
    rows = ["| loop | ns per instruction | M/s | goal |", "|---|---|---|---|"]
    alu = 0.0
    for case in CASES:
        ns = nanoseconds(case, options.repeats)
        alu = alu or ns
        rows.append(f"| {case.name} | {ns:.2f} | {1e3 / ns:.1f} | {case.goal} |")
        print(rows[-1], flush=True)
    rows.append(f"| two threads against one | {scaling(options.repeats // 4):.2f}x | | >= 1.7x |")
    print(rows[-1])
    for number in (1, 2):
        ns = avx2(number, options.repeats)
        name = CASES[number].name
        rows.append(f"| {name}, AVX2 only | {ns:.2f} | {1e3 / ns:.1f} | half of AVX-512 |")
        print(rows[-1], flush=True)
    rows.append(f"| host memory per byte of a 1 GiB buffer | {memory_cost():.3f} B | | <= 1.1 |")
    print(rows[-1])
    rows.append(
        f"| first launch of matmul_f16, warm cache | {1e3 * first_launch():.0f} ms | | <= 50 ms |"
    )
    print(rows[-1])
    slow = numpy_reference(options.repeats)
    rows.append(
        f"| ALU loop, NumPy reference (VALU only) | {slow:.0f} | {1e3 / slow:.2f} | "
        f"the engine is {slow / alu:.0f}x faster |"
    )
    print(rows[-1])
    if options.tinygrad is not None:
        rate = tinygrad_rate(options.tinygrad, 10 * options.repeats)
        rows.append(
            f"| ALU loop, tinygrad's emulator | {1e9 / rate:.0f} | {rate / 1e6:.2f} | "
            f"{1e9 / alu / rate:.0f}x slower |"
        )
    else:
        rows += [
            "",
            "tinygrad's emulator was not run: its package does not contain it. Give a "
            "checkout of its repository with `--tinygrad DIR`.",
        ]
    report(
        "engine",
        "Engine speed",
        rows,
        note=f"LLVM host CPU {host_cpu()[0]}, "
        f"Python {platform.python_version()}, one core unless stated.",
    )


if __name__ == "__main__":
    main()
