"""`asmevo bench`: modelled times of objects side by side, on the same launches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.cli.common import (
    KernelOption,
    LaunchOption,
    SeedOption,
    SizeOption,
    capsules,
    emulated,
    naming,
    open_object,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table

SCHEMA = "asmevo/bench/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("bench")
    def command(
        objects: Annotated[list[Path], typer.Argument(help="K0, and others to hold against it")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Model the cycles of one or more objects on the same launches (nothing is verified).

        Example: asmevo bench K0.hsaco K1.hsaco --launch launch.yaml
        """
        loaded = [(path, *open_object(path)) for path in objects]
        launches = capsules(loaded[0][2], launch, kernel, size, input_seed)
        rows: list[tuple[str, ...]] = []
        results: list[dict[str, Any]] = []
        with progress("bench") as advance:
            device = emulated(advance)
            base: dict[str, float] = {}
            for n, (path, data, _co) in enumerate(loaded):
                for capsule in launches:
                    advance(n * len(launches), len(loaded) * len(launches), path.name)
                    with naming(path):
                        e = device.estimate(data, capsule, split=True)
                    key = capsule.label
                    base.setdefault(key, e.cycles)
                    ratio = base[key] / e.cycles
                    rows.append(
                        (
                            path.name,
                            key or "-",
                            f"{e.cycles:.0f}",
                            f"{e.core_cycles:.0f}",
                            f"{e.memory_cycles:.0f}",
                            f"{ratio:.4f}x",
                            f"{e.band:.0%}",
                            e.validation_class,
                        )
                    )
                    results.append(
                        {
                            "object": str(path),
                            "launch": key,
                            "label": e.label,
                            "cycles": e.cycles,
                            "core_cycles": e.core_cycles,
                            "memory_cycles": e.memory_cycles,
                            "speedup": ratio,
                            "band": e.band,
                            "validation_class": e.validation_class,
                        }
                    )
        lines = table(
            rows,
            (
                "object",
                "launch",
                "modelled cycles",
                "core-bound",
                "memory-bound",
                "speedup",
                "band",
                "validation class",
            ),
        )
        emit(format, SCHEMA, {"results": results}, lines, ok=True, reason="modelled, not measured")

    del command
