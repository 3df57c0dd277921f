"""How much of a launch is inferred without help, against launches that are known.

Ground truth: the launch descriptions of the KernelBench kernels, the Triton suite's facts, and the
vendor launches of the tests. A buffer's size counts as right when the inferred expression, given
the true scalars and grid, is the true number of bytes at every size of the description.

    python -m benchmarks.infer [--triton FOLDER] [-o docs/results/infer.md]

FOLDER has the objects that `tests/corpus/build_triton.py --keep-ttir` makes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asmevo.api import infer_launch
from asmevo.api.drafts.inferring import Inference
from asmevo.capsule.dtypes import dtype
from asmevo.capsule.expressions import evaluate
from asmevo.capsule.spec import ArgSpec, LaunchSpec
from asmevo.capsule.synthesize import match_arguments
from asmevo.codeobject import CodeObject
from asmevo.device.probe.explore import FREE
from asmevo.device.probe.run import Prober, Setup, roles
from asmevo.errors import AsmEvoError
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from benchmarks.common import provenance

ROOT = Path(__file__).resolve().parents[1]
_SAME = {"u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64"}


@dataclass(frozen=True)
class Buffer:
    """A pointer of the true launch: role, element type, bytes; None for a null pointer."""

    role: str
    dtype: str
    size: int


@dataclass(frozen=True)
class Point:
    """The true launch at one size: by position of the argument, pointers and scalars; the grid."""

    buffers: Mapping[int, Buffer | None]
    scalars: Mapping[int, int]
    grid: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A kernel and its true launches."""

    name: str
    object: Path | bytes
    kernel: str | None
    points: tuple[Point, ...]


@dataclass
class Score:
    """What was right of one kernel."""

    name: str
    roles: int = 0
    dtypes: int = 0
    sizes: int = 0
    pointers: int = 0
    grid: bool = False
    trial: str = ""
    seconds: float = 0.0
    notes: str = ""

    @property
    def right(self) -> bool:
        """Everything."""
        return self.roles == self.dtypes == self.sizes == self.pointers > 0


# --- ground truth ---------------------------------------------------------------------------
def kernelbench(arch: str = "gfx942") -> Iterator[Case]:
    """The project's KernelBench kernels and their launch descriptions."""
    folder = ROOT / "kernels" / "launch" / "kernelbench"
    for path in sorted(folder.glob("*.yaml")):
        spec = LaunchSpec.load(path)
        source = ROOT / "kernels" / "kernelbench" / arch / f"{path.stem.split('-')[0]}.s"
        data = assemble_object(source.read_text(), Target(arch))
        metadata = CodeObject.open(data).kernel(spec.kernel).metadata
        entries = [e for _, e in match_arguments(spec, metadata)]
        points = tuple(_described(spec, entries, v, arch) for v in ({}, *spec.variants))
        yield Case(path.stem, data, spec.kernel, points)


def _described(
    spec: LaunchSpec, entries: list[ArgSpec], variant: Mapping[str, Any], arch: str
) -> Point:
    names = spec.resolve_sizes(variant)
    buffers: dict[int, Buffer | None] = {}
    scalars: dict[int, int] = {}
    for n, e in enumerate(entries):
        if e.shape is not None and e.dtype is not None:
            size = dtype(e.dtype, arch).size
            for s in e.shape:
                size *= evaluate(s, names, "shape")
            buffers[n] = Buffer(e.role or "in", dtype(e.dtype, arch).name, size)
        elif e.null:
            buffers[n] = None
        elif e.dtype is not None and e.dtype.startswith(("i", "u")) and e.value is not None:
            scalars[n] = evaluate(e.value, names, "value")  # type: ignore[arg-type]
    grid = [evaluate(g, names, "grid") for g in spec.grid]
    return Point(buffers, scalars, tuple([*grid, 1, 1][:3]))


def triton(folder: Path, arch: str) -> Iterator[Case]:
    """The Triton suite's kernels, with `.json` and `.ttir` beside the objects."""
    suite = json.loads((ROOT / "tests" / "corpus" / "triton_suite.json").read_text())
    facts = suite["targets"][arch]
    for entry in suite["kernels"]:
        objects: dict[str, list[str]] = {}
        for size, name in entry["built"][arch]["object_of_size"].items():
            objects.setdefault(name, []).append(size)
        for name, sizes in objects.items():
            path = folder / arch / name
            if path.is_file():
                points = tuple(_suite_point(entry, arch, s, name, facts) for s in sizes)
                yield Case(path.stem, path, None, points)


def _suite_point(
    entry: dict[str, Any], arch: str, size: str, name: str, facts: dict[str, Any]
) -> Point:
    names: dict[str, int] = {"NUM_CU": facts["NUM_CU"]}
    for source in (entry["sizes"][size], entry.get("derived", {})):
        for key, text in source.items():
            value = text.get(arch, text) if isinstance(text, dict) else text
            names[key] = evaluate(value, names, key)
    by_name = {a["name"]: a for a in entry["args"]}
    buffers: dict[int, Buffer | None] = {}
    scalars: dict[int, int] = {}
    for n, (argument, _, _) in enumerate(entry["built"][arch]["objects"][name]["kernarg"]):
        given = by_name.get(argument)
        if given is None:
            buffers[n] = None
        elif given["kind"] == "ptr":
            b = entry["buffers"][given["buffer"]]
            element = dtype(b["dtype"].strip("{}"), arch)
            total = element.size
            for s in b["shape"]:
                total *= evaluate(s, names, "shape")
            buffers[n] = Buffer(b["role"], element.name, total)
        elif given["kind"] == "int":
            scalars[n] = evaluate(given["value"], names, "value")
    grid = [evaluate(g, names, "grid") for g in entry["grid"]]
    return Point(buffers, scalars, tuple([*grid, 1, 1][:3]))


def vendor_roles(root: Path, say: Callable[[str], None]) -> list[str]:
    """Roles of AITer's pointers by probing alone, with grid and scalars of the tests' launches."""
    sys.path.insert(0, str(ROOT / "tests"))
    from reference.vendor_cases import CASES

    right = total = 0
    rows: list[str] = []
    done: set[str] = set()
    for case in CASES:
        path = root / case.file
        if case.file in done or not path.is_file():
            continue
        done.add(case.file)
        launch = case.build()
        prober = Prober(path.read_bytes())
        values: dict[int, bytes] = {}
        for a in launch.args:
            if isinstance(a.value, float):
                values[a.offset] = np.float32(a.value).tobytes()
            elif isinstance(a.value, int) and a.offset not in prober.pointers:
                values[a.offset] = a.value.to_bytes(a.size, "little", signed=a.value < 0)
        lds = getattr(launch, "lds", 0)
        found = roles(prober, Setup(launch.grid, launch.block, lds, values))
        true = {
            a.offset: "unused" if a.value is None else a.role
            for a in launch.args
            if a.offset in prober.pointers
        }
        wrong = [
            f"{a.name}: {found[a.offset]}, not {true[a.offset]}"
            for a in launch.args
            if a.offset in true and found[a.offset] != true[a.offset]
        ]
        right += len(true) - len(wrong)
        total += len(true)
        rows.append(
            f"| {path.stem} | {len(true)} | {len(true) - len(wrong)} | {'; '.join(wrong)} |"
        )
        say(rows[-1])
    return [
        "## AITer (gfx942, gfx950), roles alone, grid and scalars given", "",
        f"Of {total} pointers of {len(rows)} objects, {right / max(total, 1):.1%} have the right "
        "role; contents of memory are not given.", "",
        "| object | pointers | right | what is wrong |", "|---|---|---|---|", *rows, "",
    ]  # fmt: skip


# --- comparison -----------------------------------------------------------------------------
def score(case: Case, found: Inference) -> Score:
    """Hold an inferred launch against the truth."""
    out = Score(case.name)
    entries = found.spec.args
    first = case.points[0]
    for n, true in first.buffers.items():
        entry = entries[n]
        out.pointers += 1
        if true is None:
            right = entry.null
            out.roles += right
            out.dtypes += right
            out.sizes += right
            continue
        if entry.null:
            out.notes += f" {entry.name}: taken for null;"
            continue
        role_right = entry.role == true.role or (
            true.role == "scratch" and entry.role in ("out", "inout")
        )
        element = dtype(entry.dtype or "bytes", "gfx942").name
        same = _SAME.get(element, element) == _SAME.get(true.dtype, true.dtype)
        out.roles += role_right
        out.dtypes += same
        sizes = [(_bytes(found, entry, p), p.buffers[n]) for p in case.points]
        fits = all(t is not None and s == t.size for s, t in sizes)
        out.sizes += fits
        if not role_right:
            out.notes += f" {entry.name}: role {entry.role}, not {true.role};"
        if not same:
            out.notes += f" {entry.name}: {element}, not {true.dtype};"
        if not fits:
            wrong = next((s, t) for s, t in sizes if t is None or s != t.size)
            out.notes += f" {entry.name}: {wrong[0]} bytes, not {wrong[1].size if wrong[1] else 0};"
    out.grid = all(_grid(found, p) == p.grid for p in case.points)
    out.trial = found.data["trial"]["problem"]
    return out


def _names(found: Inference, point: Point) -> dict[str, int]:
    """Sizes of the inferred launch that give the true scalars and grid."""
    spec = found.spec
    names = {n: evaluate(v, {}, n) for n, v in spec.sizes.items()}
    for n, value in point.scalars.items():
        if spec.args[n].name in names:
            names[spec.args[n].name] = value
    for text, count in zip(spec.grid, point.grid, strict=False):
        if text in FREE:
            names[str(text)] = count
    if "batch" in names:
        for n, value in point.scalars.items():
            text = spec.args[n].value
            if isinstance(text, str) and text.startswith("batch*"):
                each = evaluate(text, {**names, "batch": 1}, "batch")
                names["batch"] = value // max(each, 1)
    return names


def _bytes(found: Inference, entry: ArgSpec, point: Point) -> int:
    names = _names(found, point)
    total = dtype(entry.dtype or "bytes", "gfx942").size
    for s in entry.shape or ():
        total *= evaluate(s, names, "shape")
    return total


def _grid(found: Inference, point: Point) -> tuple[int, ...]:
    names = _names(found, point)
    return tuple(evaluate(g, names, "grid") for g in found.spec.grid)


def measure(cases: Iterator[Case], say: Callable[[str], None]) -> list[Score]:
    """Infer every case."""
    scores: list[Score] = []
    for case in cases:
        start = time.monotonic()
        try:
            found = infer_launch(case.object, case.kernel)
            result = score(case, found)
        except AsmEvoError as err:
            result = Score(case.name, pointers=len(case.points[0].buffers), notes=err.one_line())
        result.seconds = time.monotonic() - start
        scores.append(result)
        say(
            f"{'right' if result.right else 'WRONG'} {result.name}: {result.pointers} pointers, "
            f"roles {result.roles}, types {result.dtypes}, sizes {result.sizes}, grid "
            f"{result.grid}, {result.seconds:.1f} s; {result.trial};{result.notes}"
        )
    return scores


def table(title: str, scores: list[Score]) -> list[str]:
    """One suite's part of the page."""
    right = sum(s.right for s in scores)
    pointers = sum(s.pointers for s in scores) or 1
    lines = [
        f"## {title}", "",
        f"Everything right (roles, types and sizes of all pointers): {right} of {len(scores)} "
        f"({right / max(len(scores), 1):.0%}). Of {pointers} pointers: roles "
        f"{sum(s.roles for s in scores) / pointers:.1%}, types "
        f"{sum(s.dtypes for s in scores) / pointers:.1%}, sizes "
        f"{sum(s.sizes for s in scores) / pointers:.1%}. Grid right: "
        f"{sum(s.grid for s in scores)}. Runs of the inferred launch that fault or write nothing: "
        f"{sum(bool(s.trial) for s in scores)}.",
        "",
        "| kernel | pointers | roles | types | sizes | grid | seconds | what is wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for s in scores:
        grid = "yes" if s.grid else "no"
        notes = "; ".join(filter(None, (s.notes.strip(" ;"), s.trial))).replace("|", "/")
        lines.append(
            f"| {s.name} | {s.pointers} | {s.roles} | {s.dtypes} | {s.sizes} | {grid} | "
            f"{s.seconds:.1f} | {notes} |"
        )
    return [*lines, ""]


def main() -> int:
    """Infer everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triton", type=Path, help="folder with ARCH/NAME.hsaco, .json, .ttir")
    parser.add_argument("--aiter", type=Path, help="root of the unpacked amd-aiter wheel")
    parser.add_argument("--arch", nargs="+", default=["gfx942", "gfx950"], help="of --triton")
    parser.add_argument("--only", help="kernels whose name has this")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()

    def chosen(cases: Iterator[Case]) -> Iterator[Case]:
        return (c for c in cases if not options.only or options.only in c.name)

    def say(text: str) -> None:
        print(text, flush=True)

    page = ["# Launches inferred without help", "", __doc__.split("\n\n")[1].replace("\n", " ")]
    page += ["", provenance(), ""]
    page += table("KernelBench (gfx942)", measure(chosen(kernelbench()), say))
    if options.triton:
        for arch in options.arch:
            scores = measure(chosen(triton(options.triton, arch)), say)
            page += table(f"Triton ({arch}), with .json and .ttir", scores)
    if options.aiter:
        page += vendor_roles(options.aiter, say)
    text = "\n".join(page)
    if options.output:
        options.output.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
