"""A program on hip-python: saxpy by a module launch. Usage: hip_python.py SAXPY.hsaco."""

import ctypes
import json
import sys
from pathlib import Path

import numpy as np

from hip import hip


def must(result):
    """The values of a call whose code is success."""
    code, *values = result if isinstance(result, tuple) else (result,)
    if code != hip.hipError_t.hipSuccess:
        raise SystemExit(str(code))
    return values[0] if len(values) == 1 else values


n = 1000
x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
dx, dy = must(hip.hipMalloc(x.nbytes)), must(hip.hipMalloc(y.nbytes))
must(hip.hipMemcpy(dx, x, x.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
must(hip.hipMemcpy(dy, y, y.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
module = must(hip.hipModuleLoadData(Path(sys.argv[1]).read_bytes()))
function = must(hip.hipModuleGetFunction(module, b"saxpy"))
properties = hip.hipDeviceProp_t()
try:
    must(hip.hipGetDeviceProperties(properties, 0))
except TypeError:
    properties = must(hip.hipGetDeviceProperties(0))
must(hip.hipModuleLaunchKernel(
    function, *(4, 1, 1), *(256, 1, 1), sharedMemBytes=0, stream=None, kernelParams=None,
    extra=(dx, dy, ctypes.c_float(2.0), ctypes.c_int(n)),
))  # fmt: skip
must(hip.hipDeviceSynchronize())
must(hip.hipMemcpy(y, dy, y.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
print(json.dumps({
    "right": bool((y == 2 * x + 1).all()),
    "arch": str(properties.gcnArchName),
}))  # fmt: skip
