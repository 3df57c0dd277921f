"""`libamdhip64.so` through ctypes: where it is looked for, and the calls that a device needs.

Search order (hip-python's, and `$ASMEVO_HIP_LIBRARY` before it): a `rocm_sdk` wheel, `$ROCM_PATH`
or `$ROCM_HOME` (else /opt/rocm), then the system's loader.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asmevo.errors import EnvironmentFault

NAME = "libamdhip64.so"
INVALID_IMAGE, NO_BINARY, NOT_FOUND = 200, 209, 500
OUT_OF_MEMORY, ILLEGAL_ADDRESS, TIMEOUT = 2, 700, 702
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2

_P, _SIZE, _INT, _U32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint32
_OUT = ctypes.POINTER(_P)
# The functions of a device, with the types of their arguments; each gives a hipError_t.
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "hipInit": (_U32,),
    "hipGetDeviceCount": (ctypes.POINTER(_INT),),
    "hipSetDevice": (_INT,),
    "hipGetDevicePropertiesR0600": (_P, _INT),
    "hipDriverGetVersion": (ctypes.POINTER(_INT),),
    "hipMalloc": (_OUT, _SIZE),
    "hipFree": (_P,),
    "hipMemcpy": (_P, _P, _SIZE, _INT),
    "hipMemset": (_P, _INT, _SIZE),
    "hipMemGetInfo": (ctypes.POINTER(_SIZE), ctypes.POINTER(_SIZE)),
    "hipModuleLoadData": (_OUT, _P),
    "hipModuleUnload": (_P,),
    "hipModuleGetFunction": (_OUT, _P, ctypes.c_char_p),
    "hipModuleGetGlobal": (_OUT, ctypes.POINTER(_SIZE), _P, ctypes.c_char_p),
    "hipModuleLaunchKernel": (_P, *(_U32,) * 7, _P, _P, _P),
    "hipDeviceSynchronize": (),
    "hipEventCreate": (_OUT,),
    "hipEventDestroy": (_P,),
    "hipEventRecord": (_P, _P),
    "hipEventSynchronize": (_P,),
    "hipEventElapsedTime": (ctypes.POINTER(ctypes.c_float), _P, _P),
}


class HipError(Exception):
    """A HIP call that failed; `code` is its hipError_t, `call` its name."""

    def __init__(self, call: str, code: int, name: str) -> None:
        super().__init__(f"{call} gave {code} ({name})")
        self.call = call
        self.code = code


def candidates() -> Iterator[str]:
    """Paths to try, best first; the last one is left to the system's loader."""
    asked = os.environ.get("ASMEVO_HIP_LIBRARY")
    if asked:
        yield asked
        return
    sdk = importlib.util.find_spec("_rocm_sdk_core")
    for place in (sdk.submodule_search_locations or ()) if sdk is not None else ():
        yield str(Path(place) / "lib" / NAME)
    root = os.environ.get("ROCM_PATH") or os.environ.get("ROCM_HOME") or "/opt/rocm"
    yield str(Path(root) / "lib" / NAME)
    yield NAME


class Hip:
    """The loaded library; `call` raises `HipError` for every code but success.

    Raises:
        EnvironmentFault: no library, or one without a function that is needed.
    """

    def __init__(self) -> None:
        self.path = ""
        said = ""
        for path in candidates():
            try:
                self._library = ctypes.CDLL(path)
            except OSError as err:
                said = said or str(err)
                continue
            self.path = path
            break
        if not self.path:
            raise EnvironmentFault(
                f"no HIP runtime: {said}", "install ROCm, or set ASMEVO_HIP_LIBRARY to a library"
            )
        for name, types in SIGNATURES.items():
            function = getattr(self._library, name, None)
            if function is None:
                raise EnvironmentFault(f"{self.path} has no {name}", "HIP 6 or later is needed")
            function.argtypes = types
            function.restype = _INT
        self._library.hipGetErrorName.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: object) -> None:
        """Call a function of the table.

        Raises:
            HipError: it failed.
        """
        code = int(getattr(self._library, name)(*arguments))
        if code:
            raw = self._library.hipGetErrorName(code)
            raise HipError(name, code, raw.decode() if raw else "unknown")

    def pointer(self, name: str, *arguments: object) -> int:
        """Call a function whose first argument is where it writes a pointer."""
        out = _P()
        self.call(name, ctypes.byref(out), *arguments)
        return out.value or 0

    def devices(self) -> int:
        """How many there are."""
        count = _INT()
        self.call("hipGetDeviceCount", ctypes.byref(count))
        return count.value

    def properties(self, number: int) -> tuple[str, str]:
        """(name, target id) of a device; offsets of hipDeviceProp_tR0600 (HIP 6 and 7)."""
        raw = ctypes.create_string_buffer(1472)
        self.call("hipGetDevicePropertiesR0600", raw, number)
        name, arch = raw.raw[:256], raw.raw[1160:1416]
        return name.split(b"\0")[0].decode(), arch.split(b"\0")[0].decode()
