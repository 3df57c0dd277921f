"""What the benchmarks share: a kernel around a loop body, and result pages."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"

_TEMPLATE = """.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.amdhsa_code_object_version 6
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_next_free_vgpr 512
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 256
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{arch}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 512
    .agpr_count: 256
    .max_flat_workgroup_size: 1024
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""


def kernel_source(body: str, arch: str = "gfx942", lds: int = 8192) -> str:
    """A complete `.s` of a kernel `k` with this body."""
    return _TEMPLATE.format(body=body, arch=arch, lds=lds)


def machine() -> str:
    """The machine in a few words."""
    model = "unknown CPU"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def provenance() -> str:
    """One paragraph: date, machine and the command that is running.

    Where things lie on this machine concerns no reader: of an absolute path the name is given, and
    the output (`-o`) is left out.
    """
    words = sys.argv[1:]
    if "-o" in words:
        at = words.index("-o")
        del words[at : at + 2]
    words = [Path(word).name if Path(word).is_absolute() else word for word in words]
    command = " ".join([f"python -m benchmarks.{Path(sys.argv[0]).stem}", *words])
    return f"{datetime.date.today().isoformat()}, {machine()}.\nCommand: `{command}`."


def report(name: str, title: str, lines: list[str], note: str = "") -> Path:
    """Write `docs/results/NAME.md` with date, machine and command."""
    page = [f"# {title}", "", provenance(), note, "", *lines, ""]
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text("\n".join(page))
    print(f"wrote docs/results/{name}.md")
    return path
