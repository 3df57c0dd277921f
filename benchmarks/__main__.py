"""Run the benchmarks one after the other: `python -m benchmarks [NAME...]`.

Each writes its page under docs/results/. The long ones (mutation, vendor reports) have targets of
their own in the Makefile.
"""

from __future__ import annotations

import subprocess
import sys

DEFAULT = ("engine", "recover_speed", "check_speed", "verify_speed", "dynamic", "timing_traces")


def main() -> int:
    """Run the named benchmarks, or the default ones; the number of failures."""
    names = sys.argv[1:] or list(DEFAULT)
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False)
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
