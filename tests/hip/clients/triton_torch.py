"""Triton with torch CPU tensors that lie in the device's memory, and an autotune of three.

Usage: triton_torch.py. What the kernels must compute is torch's own answer on the CPU.
"""

import ctypes
import json
import time

import torch
import triton
import triton.language as tl
from triton.backends import amd

hip = ctypes.CDLL("libamdhip64.so")
launches = 0


class Event:
    """A HIP event, as Triton's benchmark uses it."""

    def __init__(self, enable_timing=True):
        self.p = ctypes.c_void_p()
        hip.hipEventCreate(ctypes.byref(self.p))

    def record(self):
        hip.hipEventRecord(self.p, None)

    def elapsed_time(self, other):
        ms = ctypes.c_float()
        hip.hipEventElapsedTime(ctypes.byref(ms), self.p, other.p)
        return ms.value


class Interface:
    """What Triton asks torch.cuda for."""

    Event = Event

    @staticmethod
    def synchronize():
        hip.hipDeviceSynchronize()

    @staticmethod
    def current_device():
        return 0


class EmulatedDriver(amd.driver.HIPDriver):
    """Triton's driver without torch.cuda."""

    def __init__(self):
        self.utils, self.launcher_cls = amd.driver.HIPUtils(), amd.driver.HIPLauncher
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device: 0
        self.set_current_device = lambda device: None
        self.get_device_capability = lambda device=0: (9, 4)

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return Interface

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1024, dtype=torch.int)


triton.runtime.driver.set_active(EmulatedDriver())


def on_device(values):
    """The tensor's copy in memory of the device."""
    p = ctypes.c_void_p()
    size = values.numel() * values.element_size()
    assert hip.hipMalloc(ctypes.byref(p), ctypes.c_size_t(size)) == 0
    raw = (ctypes.c_char * size).from_address(p.value)
    out = torch.frombuffer(raw, dtype=values.dtype).reshape(values.shape)
    out.copy_(values)
    return out


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@triton.autotune(
    configs=[triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((128, 1), (256, 4), (512, 4))],
    key=["n"],
)
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 3.0, i < n)


torch.manual_seed(0)
n = 3000
x, y = on_device(torch.randn(n)), on_device(torch.randn(n))
out = on_device(torch.zeros(n))
add[(12,)](x, y, out, n, BLOCK=256)
seen = {"add": torch.equal(out, x + y)}
start = time.perf_counter()
tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
seen["autotune"] = torch.equal(out, x * 3.0)
seen["autotune seconds"] = time.perf_counter() - start
print(json.dumps(seen))
