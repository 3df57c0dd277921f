"""Helpers compiled by other processes: same code, and the caller's script does not run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from asmevo.emulate.engine.toolchain import TOOLCHAIN
from asmevo.emulate.native.compile_worker import compile_in_processes
from asmevo.emulate.native.library import compile_batch
from asmevo.emulate.native.variant import Variant

BATCHES = [[Variant("lane", name, "vvv")] for name in ("v_add_u32", "v_and_b32", "v_or_b32")]


def test_order_and_content() -> None:
    found = compile_in_processes(BATCHES, 2, TOOLCHAIN.worker)
    assert list(found) == [compile_batch(b) for b in BATCHES]


def test_a_script_without_main_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('ran')\n"
        "from asmevo.emulate.native.compile_worker import compile_in_processes\n"
        "from asmevo.emulate.engine.toolchain import TOOLCHAIN\n"
        "from asmevo.emulate.native.variant import Variant\n"
        "batches = [[Variant('lane', 'v_add_u32', 'vvv')], [Variant('lane', 'v_or_b32', 'vvv')]]\n"
        "found = compile_in_processes(batches, 2, TOOLCHAIN.worker)\n"
        "print(sum(len(c) > 0 for c in found))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ran", "2"]
