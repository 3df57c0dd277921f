#!/usr/bin/env python3
"""Compile the Triton kernels of `triton_suite.json` to code objects, without torch and GPU.

A development tool, not a part of the product. Its output is input for tests (recovery, emulation)
and never committed. It needs a Python with `triton==3.9.0` (a 286 MB wheel), `packaging` and
`numpy`, and the three source wheels as `asmevo corpus fetch aiter|sglang|conch` unpacks them:

    asmevo corpus fetch aiter; asmevo corpus fetch sglang; asmevo corpus fetch conch
    python3.11 -m venv V && V/bin/pip install triton==3.9.0 packaging numpy
    V/bin/python tests/corpus/build_triton.py --root CORPUS_ROOT [--arch gfx942 ...] [ID ...]

With `--keep-ttir` Triton's `.json` and `.ttir` are kept beside each object, as in its cache.
Objects go to `CORPUS_ROOT/triton/ARCH/NAME.hsaco`; beside them `manifest.json` tells which hash of
`.text` was expected. Exit code 1 when a kernel of gfx942 or gfx950 does not compile or differs.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.machinery
import importlib.util
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

SUITE = Path(__file__).with_name("triton_suite.json")
SOURCES = {"aiter": "aiter", "sglang": "sglang", "conch": "conch"}  # package -> corpus
# Targets beyond the suite's two serve for recovery only: another wave size and encoding family.
MORE_TARGETS = {
    "gfx1100": {"fp8": "fp8e4nv", "FP8_MAX": 448.0, "NUM_CU": 96, "wave": 32},
    "gfx1250": {"fp8": "fp8e4nv", "FP8_MAX": 448.0, "NUM_CU": 256, "wave": 32},
}
OPTIONS_OF_MFMA = ("matrix_instr_nonkdim", "kpack")


class Stub:
    """Inert stand-in: falsy, any attribute or call gives another, decorates to the function."""

    def __init__(self, name: str, known: dict[str, Any]) -> None:
        self.__dict__.update(_name=name, _known=known)

    def __getattr__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(f"{self._name}.{name}", self._known)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and (callable(args[0]) or hasattr(args[0], "fn")):
            return args[0]
        return Stub(f"{self._name}()", self._known)

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        # Tables keyed by `torch.float16` and the like are built and read while a module loads.
        return isinstance(other, Stub) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __iter__(self) -> Any:
        return iter(())

    def __getitem__(self, key: Any) -> Any:
        return Stub(f"{self._name}[]", self._known)

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (object,)


class StubModule(types.ModuleType):
    """Module whose every attribute is a stub."""

    def __init__(self, name: str, known: dict[str, Any]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._stub = Stub(name, known)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)


class Finder:
    """Finds the source packages in their corpora without running any `__init__`, and the stubs."""

    def __init__(self, root: Path, stubs: list[str], known: dict[str, Any]) -> None:
        self.root, self.stubs, self.known = root, stubs, known

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if any(name == s or name.startswith(s + ".") for s in self.stubs):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        top = name.partition(".")[0]
        if top not in SOURCES:
            return None
        place = self.root / SOURCES[top] / Path(*name.split("."))
        if place.is_dir():
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        source = place.with_suffix(".py")
        if source.is_file():
            return importlib.util.spec_from_file_location(name, source)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        return StubModule(spec.name, self.known)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def overrides(arch: str, facts: dict[str, Any]) -> dict[str, Any]:
    """The few values that must be real, under the names the sources use."""
    limits = types.SimpleNamespace(min=-facts["FP8_MAX"], max=facts["FP8_MAX"])
    known: dict[str, Any] = {
        "get_arch": lambda: arch,
        "is_hip": lambda: True,
        "_is_hip": True,
        "is_fp8_fnuz": lambda: arch == "gfx942",
        "finfo": lambda *_: limits,
    }
    for vendor in ("cuda", "xpu", "npu", "musa", "cpu", "nvidia"):
        known[f"is_{vendor}"] = lambda: False
    return known


def evaluate(text: Any, names: dict[str, Any]) -> Any:
    """Value of an expression of the suite; other values pass."""
    if not isinstance(text, str):
        return text
    functions = {
        "cdiv": lambda a, b: -(-a // b),
        "next_pow2": lambda n: 1 << math.ceil(math.log2(n)),
        "min": min,
        "max": max,
    }
    return eval(text, {"__builtins__": {}}, {**functions, **names})


def size_names(entry: dict[str, Any], size: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Values of all names of an entry at one size."""
    names: dict[str, Any] = {"NUM_CU": facts["NUM_CU"], "FP8_MAX": facts["FP8_MAX"]}
    for source in (entry["sizes"][size], entry.get("derived", {})):
        for name, text in source.items():
            names[name] = evaluate(text, names)
    return names


def specialise(
    entry: dict[str, Any], arch: str, size: str, facts: dict[str, Any], tl: Any
) -> tuple[dict[str, str], dict[Any, Any], dict[Any, Any]]:
    """Signature, constants and attributes as Triton's JIT would choose them at every size."""
    dtypes = {"fp16": tl.float16, "bf16": tl.bfloat16, "fp32": tl.float32}
    every = [size_names(entry, s, facts) for s in entry["sizes"]]
    here = size_names(entry, size, facts)

    def at_arch(value: Any) -> Any:
        return value.get(arch, value["gfx950"]) if isinstance(value, dict) else value

    signature: dict[str, str] = {}
    constants: dict[Any, Any] = {}
    attributes: dict[Any, Any] = {}
    for index, arg in enumerate(entry["args"]):
        name, kind = arg["name"], arg["kind"]
        if kind in ("none", "constexpr"):
            signature[name] = "constexpr"
            if kind == "none":
                constants[(index,)] = None
            elif "dtype" in arg:
                constants[(index,)] = dtypes[arg["dtype"]]
            elif "text" in arg:
                constants[(index,)] = at_arch(arg["text"])
            else:
                constants[(index,)] = evaluate(at_arch(arg["value"]), here)
        elif kind == "ptr":
            signature[name] = arg["type"].replace("{fp8}", facts["fp8"])
            attributes[(index,)] = [["tt.divisibility", 16]] if arg["align16"] else []
            if arg["range32"]:
                attributes[(index,)].append(["tt.pointer_range", 32])
        else:
            signature[name] = arg["type"]
            if kind == "int":
                values = [evaluate(arg["value"], names) for names in every]
                if all(v == 1 for v in values):
                    signature[name] = "constexpr"
                    constants[(index,)] = 1
                elif all(v % 16 == 0 for v in values):
                    attributes[(index,)] = [["tt.divisibility", 16]]
    return signature, constants, attributes


def text_section(data: bytes) -> bytes:
    """Bytes of `.text` of an ELF64 file."""
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, offset, length in headers:
        if data[strings + name :].startswith(b".text\0"):
            return data[offset : offset + length]
    raise SystemExit("an object without .text")


def build(root: Path, arch: str, wanted: list[str], keep: bool) -> int:
    """Compile for one architecture in this process; number of failures that matter."""
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    suite = json.loads(SUITE.read_text())
    facts = {"wave": 64, **suite["targets"].get(arch, MORE_TARGETS.get(arch, {}))}
    stubs = [*suite["imports"]["stub_modules"], "aiter.ops.triton.utils._triton.arch_info"]
    sys.meta_path.insert(0, Finder(root, stubs, overrides(arch, facts)))  # type: ignore[arg-type]
    folder = root / "triton" / arch
    folder.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, Any] = {}
    failures = 0
    for entry in suite["kernels"]:
        if wanted and entry["id"] not in wanted:
            continue
        built = entry["built"].get(arch, {})
        objects = built.get("object_of_size") or {"small": f"{entry['id']}.{arch}.hsaco"}
        options = dict(entry["options"].get(arch) or entry["options"]["gfx950"])
        if arch in MORE_TARGETS:
            options = {k: v for k, v in options.items() if k not in OPTIONS_OF_MFMA}
        try:
            function = getattr(importlib.import_module(entry["module"]), entry["kernel"])
            while not isinstance(function, triton.runtime.jit.JITFunction):
                function = function.fn
            assert function.arg_names == [a["name"] for a in entry["args"]], "argument order"
        except Exception as error:
            print(f"{arch} {entry['id']}: cannot load: {error!r}", file=sys.stderr)
            failures += arch not in MORE_TARGETS
            continue
        for name, size in {n: s for s, n in objects.items()}.items():
            signature, constants, attributes = specialise(entry, arch, size, facts, tl)
            source = ASTSource(function, signature, constants, attributes)
            try:
                kernel = triton.compile(
                    source, target=GPUTarget("hip", arch, facts["wave"]), options=options
                )
            except Exception as error:
                line = str(error).strip().splitlines()[-1:] or [repr(error)]
                print(f"{arch} {name}: {line[0][:200]}", file=sys.stderr)
                failures += arch not in MORE_TARGETS
                continue
            data = kernel.asm["hsaco"]
            found = hashlib.sha256(text_section(data)).hexdigest()
            expected = built.get("objects", {}).get(name, {}).get("text_sha256")
            if expected not in (None, found):
                print(f"{arch} {name}: .text differs from the suite's", file=sys.stderr)
                failures += 1
            (folder / name).write_bytes(data)
            if keep:
                plain = (int, str, float, bool)
                facts_of = kernel.metadata._asdict().items()
                text = json.dumps({k: v for k, v in facts_of if isinstance(v, plain)})
                (folder / name).with_suffix(".json").write_text(text)
                (folder / name).with_suffix(".ttir").write_text(kernel.asm["ttir"])
            manifest[name] = {
                "id": entry["id"],
                "sizes": [s for s, n in objects.items() if n == name],
                "text_sha256": found,
                "lds_bytes": kernel.metadata.shared,
                "block": [kernel.metadata.num_warps * facts["wave"], 1, 1],
            }
    path = folder / "manifest.json"
    if wanted and path.is_file():
        manifest = {**json.loads(path.read_text()), **manifest}
    path.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    print(f"{arch}: {len(manifest)} objects in {folder}")
    return failures


def main() -> int:
    """Compile for each architecture in a process of its own: the sources keep global state."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, required=True, help="corpus root (ASMEVO_CORPUS)")
    parser.add_argument("--arch", nargs="+", default=["gfx942", "gfx950"])
    parser.add_argument("--keep-ttir", action="store_true", help="also .json and .ttir")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    if len(options.arch) == 1:
        return (
            1
            if build(options.root.resolve(), options.arch[0], options.ids, options.keep_ttir)
            else 0
        )
    cache = tempfile.mkdtemp(prefix="triton-cache-")
    environment = {
        **os.environ,
        **json.loads(SUITE.read_text())["compiler"]["environment"],
        "TRITON_CACHE_DIR": cache,
    }
    try:
        codes = [
            subprocess.run(
                [
                    sys.executable,
                    __file__,
                    "--root",
                    options.root,
                    "--arch",
                    arch,
                    *(["--keep-ttir"] if options.keep_ttir else []),
                    *options.ids,
                ],
                env=environment,
                check=False,
            ).returncode
            for arch in options.arch
        ]
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
