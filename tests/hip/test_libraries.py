"""More vendor libraries and bindings as clients."""

import json
import sys

from hip.conftest import CLIENTS


def test_hip_python(run, python_with, saxpy):
    result, text = run(python_with("hip"), CLIENTS / "hip_python.py", saxpy)
    assert result.ok, result.reason
    assert json.loads(text) == {"right": True, "arch": "gfx942:sramecc+:xnack-"}


def test_rocsparse_against_numpy(run, vendor_library):
    library = vendor_library("librocsparse.so.0", "librocsparse0")
    result, text = run(sys.executable, CLIENTS / "rocsparse.py", library, arch="gfx90a")
    assert result.ok, result.reason
    seen = json.loads(text)
    assert len(seen) == 11
    assert seen == dict.fromkeys(seen, True)
