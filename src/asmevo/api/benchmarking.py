"""Modelled times of objects side by side, on the same launches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asmevo.api.naming import naming
from asmevo.api.objects import (
    LaunchLike,
    MachineLike,
    Object,
    Progress,
    Sizes,
    emulated,
    idle_notes,
    launches,
    open,
)
from asmevo.api.results import Result
from asmevo.capsule.model import timed_launches


def bench(
    objects: Sequence[Object | str | Path],
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    machine: MachineLike | None = None,
    progress: Progress | None = None,
) -> Result:
    """Model the cycles of objects on the timed launches; nothing is verified.

    Size variants only test correctness and are left out, as they are in a search.

    Args:
        objects: K0, and others to hold against it.
        launch, kernel, sizes, input_seed: see `launches`.
        machine: see `machine_of`.
        progress: told (done, total, name).

    Raises:
        InputError: the launch does not fit.
        UnsupportedError: an instruction or target without emulation or machine table.
        RunFault: a kernel faulted.
    """
    loaded = [open(o) for o in objects]
    every = launches(loaded[0], launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
    capsules = timed_launches(every)
    device = emulated(progress, machine)
    results: list[dict[str, Any]] = []
    headlines: list[dict[str, Any]] = []
    base: dict[str, float] = {}
    for n, opened in enumerate(loaded):
        product = 0.0
        for capsule in capsules:
            if progress is not None:
                done = n * len(capsules)
                progress(done, len(loaded) * len(capsules), Path(opened.name).name)
            with naming(opened.path):
                e = device.estimate(opened.data, capsule, split=True)
            key = capsule.label
            base.setdefault(key, e.cycles)
            ratio = base[key] / e.cycles
            product += math.log(ratio)
            results.append(
                {
                    "object": opened.name,
                    "launch": key,
                    "label": e.label,
                    "machine": device.machine(opened.data, capsule.kernel).title,
                    "cycles": e.cycles,
                    "core_cycles": e.core_cycles,
                    "memory_cycles": e.memory_cycles,
                    "speedup": ratio,
                    "band": e.band,
                    "validation_class": e.validation_class,
                    "speedup_band": e.validation.difference,
                    "speedup_class": e.validation.difference_name,
                }
            )
        headlines.append({"object": opened.name, "speedup": math.exp(product / len(capsules))})
    data = {
        "results": results,
        "objects": headlines,
        "untimed": len(every) - len(capsules),
        "notes": idle_notes(loaded[0], capsules, machine),
    }
    return Result(True, "ok", "modelled, not measured", data)
