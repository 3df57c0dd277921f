"""A program that calls the runtime through ctypes: modules, both ways of giving arguments, errors.

Usage: modules.py SAXPY.hsaco [MODE]. It imports nothing of the project; what it expects is
arithmetic of its own. Prints what it saw as JSON.
"""

import ctypes
import json
import struct
import sys
from pathlib import Path

hip = ctypes.CDLL("libamdhip64.so")
P, SIZE, U32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
N = 1000


def call(name, *arguments):
    return getattr(hip, name)(*arguments)


def must(name, *arguments):
    code = call(name, *arguments)
    if code:
        raise SystemExit(f"{name} gave {code}")


def allocate(size):
    p = P()
    must("hipMalloc", ctypes.byref(p), SIZE(size))
    return p


def load(data):
    module = P()
    code = call("hipModuleLoadData", ctypes.byref(module), data)
    return code, module


def function(module, name):
    f = P()
    must("hipModuleGetFunction", ctypes.byref(f), module, name.encode())
    return f


def launch_params(f, grid, block, *values):
    pointers = (P * len(values))(*(ctypes.cast(ctypes.byref(v), P) for v in values))
    return call("hipModuleLaunchKernel", f, *map(U32, (*grid, *block, 0)), P(0), pointers, P(0))


def launch_extra(f, grid, block, buffer):
    size = SIZE(len(buffer))
    extra = (P * 5)(1, ctypes.cast(ctypes.c_char_p(buffer), P), 2, ctypes.addressof(size), 3)
    return call("hipModuleLaunchKernel", f, *map(U32, (*grid, *block, 0)), P(0), P(0), extra)


def floats(values):
    return struct.pack(f"{len(values)}f", *values)


def main():
    data = Path(sys.argv[1]).read_bytes()
    mode = sys.argv[2] if len(sys.argv) > 2 else "plain"
    seen = {}
    count = ctypes.c_int()
    must("hipInit", U32(0))
    must("hipGetDeviceCount", ctypes.byref(count))
    seen["devices"] = count.value
    properties = ctypes.create_string_buffer(1472)
    must("hipGetDevicePropertiesR0600", properties, 0)
    seen["arch"] = properties.raw[1160:1416].split(b"\0")[0].decode()
    seen["cus"] = struct.unpack_from("i", properties.raw, 388)[0]
    code, module = load(data)
    if code:
        print(json.dumps({**seen, "load": code}))
        return
    f = function(module, "saxpy")
    x, y = allocate(4 * N), allocate(4 * N)
    xs, ys = [0.5 * i for i in range(N)], [float(i % 7) for i in range(N)]
    must("hipMemcpy", x, floats(xs), SIZE(4 * N), 1)
    must("hipMemcpy", y, floats(ys), SIZE(4 * N), 1)
    a, n = ctypes.c_float(2.0), ctypes.c_int(N)
    grid, block = ((N + 255) // 256, 1, 1), (256, 1, 1)
    if mode == "plain":
        seen["params"] = launch_params(f, grid, block, x, y, a, n)
        seen["extra"] = launch_extra(f, grid, block, struct.pack("QQfi", x.value, y.value, 3.0, N))
        must("hipDeviceSynchronize")
        out = (ctypes.c_float * N)()
        must("hipMemcpy", out, y, SIZE(4 * N), 2)
        seen["right"] = all(out[i] == ys[i] + 5.0 * xs[i] for i in range(N))
        seen["unknown function"] = call(
            "hipModuleGetFunction", ctypes.byref(P()), module, b"nothing"
        )
        seen["block too large"] = launch_params(f, (1, 1, 1), (2048, 1, 1), x, y, a, n)
        seen["last"] = call("hipGetLastError")
        seen["then"] = call("hipGetLastError")
        seen["graph"] = call("hipGraphCreate", ctypes.byref(P()), 0)
        seen["copy behind the end"] = call("hipMemcpy", x, floats(xs), SIZE(4 * N + 1), 1)
    elif mode == "behind":
        big = ctypes.c_int(N + 1000)  # both buffers end at N
        seen["launch"] = launch_params(f, (8, 1, 1), block, x, y, a, big)
        seen["right after"] = call("hipGetLastError")
        seen["synchronize"] = call("hipDeviceSynchronize")
        seen["malloc"] = call("hipMalloc", ctypes.byref(P()), SIZE(16))
        seen["name"] = (
            ctypes.cast(hip.hipGetErrorName(700), ctypes.c_char_p).value.decode()
            if (setattr(hip.hipGetErrorName, "restype", P) is None)
            else ""
        )
        must("hipDeviceReset")
        seen["after reset"] = launch_params(f, grid, block, x, y, a, n)
        seen["synchronize again"] = call("hipDeviceSynchronize")
    elif mode == "host":
        mine = (ctypes.c_float * N)()  # no device memory
        seen["launch"] = launch_params(f, grid, block, P(ctypes.addressof(mine)), y, a, n)
        seen["synchronize"] = call("hipDeviceSynchronize")
    elif mode == "freed":
        must("hipFree", x)
        seen["launch"] = launch_params(f, grid, block, x, y, a, n)
        seen["synchronize"] = call("hipDeviceSynchronize")
    print(json.dumps(seen))


main()
