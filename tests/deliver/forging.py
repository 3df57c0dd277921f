"""Bundles that were changed, with and without new seals."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asmevo.api.files import write_file
from asmevo.program.build import assemble_object
from tests.timing.launches import TEMPLATE

BODY = """s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt vmcnt(0) lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_f32_e32 v2, 1.0, v2
s_nop 7
s_nop 7
s_nop 7
s_nop 7
global_store_dword v1, v2, s[4:5]
"""
LAUNCH = """schema: asmevo/launch/1
kernel: k
sizes: {n: 64}
grid: [1, 1, 1]
block: [64, 1, 1]
seed: 1
args:
  - {name: x, dtype: f32, shape: [n], init: "normal(0, 1)", role: inout}
  - {name: pad, dtype: u64, value: 0}
"""


def small_problem(folder: Path) -> tuple[Path, Path]:
    """K0 with nops that nothing needs, and its launch."""
    k0, launch = folder / "K0.hsaco", folder / "launch.yaml"
    write_file(k0, assemble_object(TEMPLATE.format(body=BODY, arch="gfx942")))
    launch.write_text(LAUNCH)
    return k0, launch


def members(bundle: bytes) -> dict[str, bytes]:
    """Name -> contents."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {i.filename: archive.read(i) for i in archive.infolist()}


def packed(contents: dict[str, bytes]) -> bytes:
    """The members as an archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            kind = zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED
            archive.writestr(name, data, kind)
    return out.getvalue()


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def resealed(bundle: bytes, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """A bundle by someone who knows the format: changed, and every hash made anew.

    `change` gets the manifest and the other members.
    """
    contents = members(bundle)
    manifest = json.loads(contents.pop("manifest.json"))
    change(manifest, contents)
    manifest["members"] = {n: hashlib.sha256(d).hexdigest() for n, d in contents.items()}
    manifest["k0"] = manifest["members"]["k0.hsaco"]
    manifest["k1"] = manifest["members"]["k1.hsaco"]
    before = manifest["k0"]
    for step in manifest["steps"]:
        del step["seal"]
        before = step["seal"] = _digest({"before": before, "step": dict(step)})
    del manifest["seal"]
    manifest["seal"] = _digest(manifest)
    return packed({"manifest.json": json.dumps(manifest).encode(), **contents})
