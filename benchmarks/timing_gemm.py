"""Hold the whole clock against device times: six variants of one matrix product.

    python -m benchmarks.timing_gemm [--traces DIR] [--only NAME]

Unlike the replay of captured streams (`timing_traces`), everything is the model's own here: the
emulator executes the launch (control flow and addresses), workgroups are chosen and dispatched over
the chip, and the whole launch is timed. What counts is the order of the variants more than their
sizes. The constants were fitted on the instruction traces, not on these times. The kernels' text is
read from beside the checkout and stays there.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import struct
import sys
import time
from pathlib import Path

import numpy as np

from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.device.emulated import EmulatedDevice
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from asmevo.timing.machine import named
from benchmarks.common import report
from benchmarks.timing_traces import spearman

CHECKOUT = Path(__file__).resolve().parent.parent
SIZE = 8192
KERNARG, FIRST = 0x7C00_0000_0000, 0x7F00_0000_0000


def capsule(kernel: str, facts: dict) -> Capsule:
    """The launch that the times are of; see `launches.json`."""
    rng = np.random.default_rng(1)
    halves = (rng.random(SIZE * SIZE).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    contents = [halves.tobytes(), halves[::-1].tobytes(), bytes(4 * SIZE * SIZE)]
    kernarg = bytearray(400)
    buffers: list[BufferState] = []
    pointers: list[PointerSlot] = []
    for n, (name, data) in enumerate(zip("abc", contents, strict=True)):
        address = FIRST + (n << 32)
        struct.pack_into("<6Q", kernarg, 48 * n, address, 1, 1, SIZE, SIZE, 0)
        out = name == "c"
        buffers.append(
            BufferState(name, address, data, "f32" if out else "bf16", (SIZE, SIZE),
                        "out" if out else "in", guard=4096)
        )  # fmt: skip
        pointers.append(PointerSlot(48 * n, name))
    struct.pack_into("<3I3H", kernarg, 144, *facts["grid"], *facts["block"])
    return Capsule(
        kernel=kernel,
        grid=tuple(facts["grid"]),
        block=tuple(facts["block"]),
        lds_dynamic=facts["lds_dynamic"],
        kernarg=bytes(kernarg),
        buffers=tuple(buffers),
        kernarg_address=KERNARG,
        pointers=tuple(pointers),
    )


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Device times of six matrix products.")
    parser.add_argument("--traces", type=Path, default=CHECKOUT.parent / "shared" / "traces")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    folder = args.traces / "gemm"
    if not folder.is_dir():
        print(f"no device times in {folder}: they lie beside the checkout, if at all")
        return 4
    machine = named("mi325x")
    mhz = machine["clock_mhz"]
    rows: list[tuple[str, float, float]] = []
    kept: list[dict] = []
    for facts in json.loads((folder / "launches.json").read_text())["kernels"]:
        if args.only not in facts["name"]:
            continue
        start = time.perf_counter()
        text = gzip.decompress((folder / f"{facts['name']}.s.gz").read_bytes()).decode()
        data = assemble_object(text, Target("gfx942"))
        device = EmulatedDevice(machine=machine)
        name = device.program(data).object.kernels[0].name
        estimate = device.estimate(data, capsule(name, facts))
        modelled = estimate.cycles / mhz / 1e3
        rows.append((facts["name"], facts["ms"], modelled))
        kept.append(
            {
                "name": facts["name"],
                "measured": facts["ms"],
                "modelled": modelled,
                "point": estimate.point.tolist(),
            }
        )
        sys.stderr.write(
            f"{facts['name']}: {facts['ms']:.3f} ms measured, {modelled:.3f} modelled, "
            f"{time.perf_counter() - start:.0f} s\n"
        )
    errors = [m / t - 1 for _, t, m in rows]
    pairs = [
        ((a[1] - b[1]) * (a[2] - b[2]) > 0)
        for a, b in itertools.combinations(rows, 2)
        if abs(a[1] / b[1] - 1) > 0.03
    ]
    rank = spearman([r[1] for r in rows], [r[2] for r in rows])
    lines = ["| variant | measured ms | modelled ms | error |", "|---|---|---|---|"]
    lines += [f"| {n} | {t:.3f} | {m:.3f} | {m / t - 1:+.1%} |" for n, t, m in rows]
    lines += [
        "",
        f"Mean absolute error {np.mean(np.abs(errors)):.1%}; order right in {sum(pairs)} of "
        f"{len(pairs)} pairs more than 3 % apart; Spearman {rank:.2f}.",
        "",
        "Goals: 8 %, 85 %, 0.8. Version 0.1.0: 10.2 %, 66 %, 0.32 (in part on other kernels).",
    ]
    if not args.only:
        out = CHECKOUT / "build" / "timing-gemm.json"  # for `timing_validated`
        out.parent.mkdir(exist_ok=True)
        out.write_text(json.dumps(kept) + "\n")
        report("timing-gemm", "The clock against device times of six matrix products", lines)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
