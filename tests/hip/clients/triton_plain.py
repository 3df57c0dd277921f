"""Triton kernels with no torch: `@triton.jit` functions compiled and launched on the runtime.

Memory comes from hipMalloc; what a kernel must compute is NumPy's answer. Prints JSON.
"""

import ctypes
import json
import sys
import time

import numpy as np
import triton
import triton.language as tl
from triton.backends import amd

hip = ctypes.CDLL("libamdhip64.so")


class EmulatedDriver(amd.driver.HIPDriver):
    """Triton's own driver asks torch which device is active; this one does without."""

    def __init__(self):
        self.utils, self.launcher_cls = amd.driver.HIPUtils(), amd.driver.HIPLauncher
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device: 0
        self.set_current_device = lambda device: None
        self.get_device_capability = lambda device=0: (9, 4)


triton.runtime.driver.set_active(EmulatedDriver())


class Array:
    """A device array: what Triton asks of a tensor, and a NumPy view (memory is shared)."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        p = ctypes.c_void_p()
        assert hip.hipMalloc(ctypes.byref(p), ctypes.c_size_t(values.nbytes)) == 0
        self.pointer, self.dtype = p.value, str(values.dtype)
        buffer = (ctypes.c_char * values.nbytes).from_address(p.value)
        self.numpy = np.frombuffer(buffer, values.dtype).reshape(values.shape)
        self.numpy[...] = values

    def data_ptr(self):
        return self.pointer


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, i < columns, other=-float("inf"))
    e = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), i < columns)


@triton.jit
def matmul(a, b, c, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr):
    m = tl.program_id(0) * T + tl.arange(0, T)
    n = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        i = k + tl.arange(0, T)
        left = tl.load(a + m[:, None] * K + i[None, :])
        right = tl.load(b + i[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, i < n, other=0), 1, i < n)


def main():
    rng = np.random.default_rng(1)
    seen = {}
    n = 1000
    x, y = rng.normal(size=(2, n)).astype(np.float32)
    a, b, out = Array(x), Array(y), Array(np.zeros_like(x))
    add[(4,)](a, b, out, n, BLOCK=256)
    seen["add"] = bool((out.numpy == x + y).all())
    rows = rng.normal(size=(7, 100)).astype(np.float32)
    given, out = Array(rows), Array(np.zeros_like(rows))
    softmax[(7,)](given, out, 100, BLOCK=128)
    e = np.exp(rows - rows.max(1, keepdims=True))
    seen["softmax"] = float(np.abs(out.numpy - e / e.sum(1, keepdims=True)).max())
    left, right = rng.normal(size=(2, 64, 64)).astype(np.float16)
    out = Array(np.zeros((64, 64), np.float32))
    matmul[(2, 2)](Array(left), Array(right), out, N=64, K=64, T=32)
    wanted = left.astype(np.float32) @ right.astype(np.float32)
    seen["matmul"] = float(np.abs(out.numpy - wanted).max() / np.abs(wanted).max())
    values = rng.integers(0, 10, n).astype(np.int32)
    counts = Array(np.zeros(10, np.int32))
    histogram[(4,)](Array(values), counts, n, BLOCK=256)
    seen["histogram"] = bool((counts.numpy == np.bincount(values, minlength=10)).all())
    elsewhere = np.zeros(4, np.float32)
    foreign = type("Foreign", (), {"dtype": "float32", "data_ptr": lambda s: elsewhere.ctypes.data})
    try:
        add[(1,)](foreign(), b, out, 4, BLOCK=256)
        seen["foreign"] = "taken"
    except ValueError as err:
        seen["foreign"] = str(err)
    if len(sys.argv) > 1:
        launches = int(sys.argv[1])
        start = time.perf_counter()
        for _ in range(launches):
            add[(4,)](a, b, out, n, BLOCK=256)
        seen["seconds"] = time.perf_counter() - start
    print(json.dumps(seen))


main()
