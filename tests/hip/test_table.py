"""The one table of functions against what the built library exports."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from asmevo.hip import functions as table
from asmevo.hip.build import PERSONALITIES


@pytest.fixture(scope="module")
def exported(runtime):
    if not shutil.which("readelf"):
        pytest.skip("readelf (binutils) is not here")
    found = {}
    for number in PERSONALITIES:
        path = runtime / f"libamdhip64.so.{number}"
        done = subprocess.run(
            ["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True, check=True
        )
        words = [line.split() for line in done.stdout.splitlines()]
        found[number] = {w[7] for w in words if len(w) == 8 and w[6] != "UND" and "@@" in w[7]}
    return found


def test_every_function_is_exported_in_its_version_node(exported):
    wanted = {f"{f.name}@@{f.node}" for f in table.functions()}
    for number in PERSONALITIES:
        # The nodes themselves are absolute symbols of their own names.
        assert {n for n in exported[number] if not n.startswith("hip_")} == wanted


def test_nodes_that_vendor_binaries_ask_for():
    # readelf -V of Debian's librocrand 5.3.3 and librocsparse 5.3.0; HIP's 7.1 headers.
    nodes = {f.name: f.node for f in table.functions()}
    assert nodes["hipMalloc"] == nodes["__hipRegisterFatBinary"] == "hip_4.2"
    assert nodes["hipStreamIsCapturing"] == "hip_4.3"
    assert nodes["hipMallocAsync"] == "hip_5.1"
    assert nodes["hipGetDevicePropertiesR0600"] == "hip_6.0"
    assert nodes["hipGetProcAddress"] == "hip_6.1"


def test_sonames(runtime):
    for number in PERSONALITIES:
        raw = (runtime / f"libamdhip64.so.{number}").read_bytes()
        assert f"libamdhip64.so.{number}\0".encode() in raw


def test_without_asmevo_exec_there_is_no_device(runtime, tmp_path):
    program = (
        "import ctypes; h = ctypes.CDLL('libamdhip64.so'); n = ctypes.c_int(7); v = ctypes.c_int();"
        "print(h.hipGetDeviceCount(ctypes.byref(n)), n.value, h.hipInit(0),"
        " h.hipDriverGetVersion(ctypes.byref(v)), v.value)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"LD_LIBRARY_PATH": str(runtime / "hip7")}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    # As a runtime with no GPU: hipErrorNoDevice, and the version all the same.
    assert done.stdout.split() == ["100", "0", "100", "0", "70100000"]
    assert "asmevo exec" in done.stderr


def test_the_coverage_page_is_what_the_table_says():
    page = (Path(__file__).parents[2] / "docs" / "hip-runtime.md").read_text()
    assert page == table.coverage_page()
