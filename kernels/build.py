#!/usr/bin/env python3
"""Compile the project's HIP kernels to the assembly files that are committed beside them.

Only whoever changes a `.hip` file runs this; it needs clang with the AMDGPU back end (the
committed files come from the version named in their first line). Users, tests and CI assemble the
committed `.s`.

    python kernels/build.py [--clang clang-22] [--check] [NAME...]

`--check` compiles and compares with the committed files instead of writing them, exit code 1 on a
difference.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Folder of sources, folder of outputs and the processors to compile for.
SETS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("hip", ".", ("gfx942",)),
    ("kernelbench", "kernelbench", ("gfx942", "gfx90a", "gfx950")),
    ("recovery", "recovery", ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")),
)

# No ROCm installation, no offload bundle, no debug lines, no paths, no ident string.
FLAGS = (
    "-x",
    "hip",
    "--cuda-device-only",
    "--no-gpu-bundle-output",
    "-nogpuinc",
    "-nogpulib",
    "-O3",
    "-fuse-cuid=none",
    "-fno-ident",
    "-S",
    "-o",
    "-",
)


def clang_version(clang: str) -> str:
    """Version number of the compiler, without distribution and installation path."""
    text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"clang version (\d+\.\d+\.\d+)", text)
    if match is None:
        raise SystemExit(f"{clang} does not tell its version: {text[:80]!r}")
    return match.group(1)


def tidy(assembly: str) -> str:
    """Drop what says nothing about the kernel: comments and clang's per-file id variable."""
    lines: list[str] = []
    metadata = False
    dropping = False
    for line in assembly.splitlines():
        stripped = line.strip()
        if stripped == ".amdgpu_metadata":
            metadata = True
        if not metadata:
            if re.match(r"\.type\s+__hip_cuid_", stripped):
                dropping = True
            if dropping:
                dropping = not re.match(r"\.size\s+__hip_cuid_", stripped)
                continue
            if stripped.startswith(".addrsig"):
                continue
            if '"' not in line:
                line = line.split(";", 1)[0].rstrip()
            if not line.strip():
                continue
        lines.append(line.rstrip())
    return "\n".join(lines).rstrip() + "\n"


def compile_one(clang: str, version: str, source: Path, arch: str) -> str:
    """Assembly text of one source for one processor."""
    command = [clang, *FLAGS, f"--offload-arch={arch}", "-I", "../hip", source.name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=source.parent, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{source.name} for {arch}:\n{done.stderr}")
    head = f"; clang {version} -O3 --offload-arch={arch} {source.name} (kernels/build.py)\n"
    return head + tidy(done.stdout)


def main() -> int:
    """Compile what the command line names; 0 when all is written or equal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", help="source names without .hip; all by default")
    options = parser.parse_args()
    version = clang_version(options.clang)
    different = 0
    for sources, outputs, archs in SETS:
        for source in sorted((HERE / sources).glob("*.hip")):
            if options.names and source.stem not in options.names:
                continue
            for arch in archs:
                text = compile_one(options.clang, version, source, arch)
                path = HERE / outputs / arch / f"{source.stem}.s"
                if options.check:
                    if not path.is_file() or path.read_text() != text:
                        print(f"{path.relative_to(HERE)} differs", file=sys.stderr)
                        different += 1
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
