"""Compiled helpers: built lazily by variant, kept as object files in the user's cache.

The cache key holds everything that shapes the machine code: a hash of the sources that emit it,
LLVM's version, and the host CPU with its features. An object is used only if it lies in a folder
of the user's own and its content matches the digest recorded beside it; otherwise it is built
again.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite  # pyright: ignore[reportMissingTypeStubs]
import llvmlite.binding as _binding  # pyright: ignore[reportMissingTypeStubs]

import asmevo
from asmevo import caches
from asmevo.caches import cache_root
from asmevo.emulate.native.compile_worker import compile_in_processes
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import FAMILIES, Variant

llvm: Any = _binding  # it has no type information
_BATCH = 24  # variants per object: small enough that one new opcode compiles quickly
_PARALLEL_BATCHES = 4  # from so many on, starting processes pays
_KEPT_VERSIONS = 4
# What shapes machine code, below the package; whatever these import is listed, too. Decoding and
# launching only choose among variants, whose names say everything about them.
EMITTING = (
    "emulate/layout.py",
    "emulate/native",
    "emulate/helpers",
    "emulate/sanitize",
    "emulate/engine/runtime.py",
    "emulate/engine/schedule.py",
    "emulate/engine/spin.py",
    "isa",
    "timing/touches.py",
)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What the rooms above bring: the emitters of helpers are registered once it exists.

    Attributes:
        runtime: makes the module of the runtime functions.
        called: runtime functions that helpers call by name.
        entries: runtime functions that the engine calls.
        worker: module that `python -m` compiles batches with (see `compile_worker.serve`).
    """

    runtime: Callable[[], Module]
    called: tuple[str, ...]
    entries: tuple[str, ...]
    worker: str


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Hash of every source file that can change what a helper does."""
    root = Path(asmevo.__file__).parent
    digest = hashlib.sha256()
    for place in EMITTING:
        for path in sorted((root / place).rglob("*.py") if "." not in place else [root / place]):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def host_cpu() -> tuple[str, str]:
    """(CPU name, feature string) to compile for; `ASMEVO_CPU` overrides the name."""
    name = os.environ.get("ASMEVO_CPU")
    if name:
        return name, ""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target_machine() -> Any:
    _initialize()
    name, features = host_cpu()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=3, reloc="default", codemodel="jitdefault", jit=True
    )


@lru_cache(maxsize=1)
def _compiler() -> Any:
    """The target machine that compiles; the engine owns another one."""
    return _target_machine()


def _object(module: Module) -> bytes:
    machine = _compiler()
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return machine.emit_object(parsed)


def compile_batch(variants: Sequence[Variant]) -> bytes:
    """Object code of helpers and their address table."""
    module = Module()
    for variant in variants:
        FAMILIES[variant.family](module, variant)
    return _object(_with_table(module, [v.symbol for v in variants]))


def _prune(keep: Path) -> None:
    """Delete the oldest cache folders of other versions."""
    try:
        others = sorted(
            (p for p in keep.parent.iterdir() if p.is_dir() and p != keep),
            key=lambda p: p.stat().st_mtime,
            reverse=True,
        )
        for folder in others[_KEPT_VERSIONS - 1 :]:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # only disk space is at stake


def cache_key() -> str:
    """Identity of the cache folder."""
    text = "\n".join(
        [source_digest(), llvmlite.__version__, str(llvm.llvm_version_info), *host_cpu()]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def cache_folder() -> Path | None:
    """This key's cache folder, made private to the user; None where none can be had."""
    parts = ("helpers", cache_key())
    fresh = not cache_root().joinpath(*parts).exists()
    folder = caches.cache_folder(*parts)
    if folder is not None and fresh:
        _prune(folder)
    return folder


class HelperLibrary:
    """Addresses of compiled helpers, shared by all kernels of the process. Thread-safe."""

    def __init__(
        self, toolchain: Toolchain, folder: Path | None = None, use_cache: bool = True
    ) -> None:
        self._toolchain = toolchain
        backing = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(backing, _target_machine())
        self._addresses: dict[str, int] = {}
        self._found: dict[Variant, int] = {}  # a symbol is a hash of its variant, dear to make
        self._lock = threading.RLock()
        self._folder = folder if folder is not None else (cache_folder() if use_cache else None)
        self.compiled = 0  # helpers compiled (not loaded) by this process
        self._index: dict[str, str] = {}  # symbol -> object file stem
        if self._folder is not None:
            self._read_index()
        self._load_runtime()

    # --- public -----------------------------------------------------------------------------
    def addresses(
        self, variants: Iterable[Variant], progress: Progress | None = None
    ) -> dict[Variant, int]:
        """Function addresses of the variants, compiling those that are missing.

        Args:
            progress: called with (done, total) while missing helpers compile.
        """
        wanted = list(dict.fromkeys(variants))
        with self._lock:
            found = self._found
            fresh = [v for v in wanted if v not in found]
            if not fresh:
                return {v: found[v] for v in wanted}
            missing = [v for v in fresh if v.symbol not in self._addresses]
            stems = {self._index[v.symbol] for v in missing if v.symbol in self._index}
            for stem in sorted(stems):
                self._load_cached(stem)
            missing = [v for v in missing if v.symbol not in self._addresses]
            batches = [missing[n : n + _BATCH] for n in range(0, len(missing), _BATCH)]
            done = 0
            if progress is not None and missing:
                progress(0, len(missing))
            for batch, code in zip(batches, self._objects(batches), strict=True):
                symbols = [v.symbol for v in batch]
                self._add(code, symbols)
                self._save(code, symbols)
                self.compiled += len(symbols)
                done += len(symbols)
                if progress is not None:
                    progress(done, len(missing))
            found.update((v, self._addresses[v.symbol]) for v in fresh)
            return {v: found[v] for v in wanted}

    def _objects(self, batches: Sequence[Sequence[Variant]]) -> Iterator[bytes]:
        """Object code of each batch; many batches compile in processes of their own.

        llvmlite holds one lock over all of LLVM, so threads would not help.
        """
        workers = min(os.cpu_count() or 1, len(batches))
        if len(batches) < _PARALLEL_BATCHES or workers < 2:
            for batch in batches:
                yield compile_batch(batch)
            return
        yield from compile_in_processes(batches, workers, self._toolchain.worker)

    def address(self, symbol: str) -> int:
        """Address of a runtime function."""
        return self._addresses[symbol]

    # --- loading ------------------------------------------------------------------------------
    def _load_runtime(self) -> None:
        tools = self._toolchain
        names = [*tools.called, *tools.entries]
        stem = self._index.get(names[0])
        if stem is not None:
            self._load_cached(stem)
        if not all(name in self._addresses for name in names):
            code = _object(_with_table(tools.runtime(), names))
            self._add(code, names)
            self._save(code, names)
        for name in tools.called:
            llvm.add_symbol(name, self._addresses[name])

    def _add(self, code: bytes, symbols: Sequence[str]) -> None:
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        table = self._engine.get_function_address(_table_name(symbols))
        pointers = (ctypes.c_uint64 * len(symbols)).from_address(_call_table(table))
        for symbol, address in zip(symbols, pointers, strict=True):
            self._addresses[symbol] = address

    # --- cache ------------------------------------------------------------------------------
    def _read_index(self) -> None:
        assert self._folder is not None
        for path in self._folder.glob("*.json"):
            try:
                data: Any = json.loads(path.read_text())
                symbols = data["symbols"]
                if not all(isinstance(s, str) for s in symbols):
                    continue
            except (OSError, ValueError, KeyError, TypeError):
                continue
            for symbol in symbols:
                self._index.setdefault(symbol, path.stem)

    def _load_cached(self, stem: str) -> None:
        assert self._folder is not None
        try:
            data: Any = json.loads((self._folder / f"{stem}.json").read_text())
            code = (self._folder / f"{stem}.o").read_bytes()
            symbols: list[str] = [str(s) for s in data["symbols"]]
            good = _digest(code, symbols) == data["sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            good, code, symbols = False, b"", []
        if not good or any(s in self._addresses for s in symbols):
            # Damaged, or it overlaps what is loaded: forget it and compile what is needed.
            for symbol in [s for s, other in self._index.items() if other == stem]:
                del self._index[symbol]
            return
        self._add(code, symbols)

    def _save(self, code: bytes, symbols: Sequence[str]) -> None:
        if self._folder is None:
            return
        stem = hashlib.sha256("\n".join(symbols).encode()).hexdigest()[:24]
        note = {"symbols": list(symbols), "sha256": _digest(code, symbols)}
        try:
            _write(self._folder / f"{stem}.o", code)
            _write(self._folder / f"{stem}.json", json.dumps(note).encode())
        except OSError:
            return  # a full or read-only disk only costs the next start its time
        for symbol in symbols:
            self._index.setdefault(symbol, stem)


def _digest(code: bytes, symbols: Sequence[str]) -> str:
    """Digest of a cache entry: of the code, and of which symbol stands at which place of its table.

    A list that was reordered or cut would call one opcode's code for another.
    """
    head = json.dumps(list(symbols)).encode()
    return hashlib.sha256(len(head).to_bytes(8, "little") + head + code).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _table_name(symbols: Sequence[str]) -> str:
    return "asmevo_table_" + hashlib.sha256("\n".join(symbols).encode()).hexdigest()[:20]


def _with_table(module: Module, symbols: Sequence[str]) -> Module:
    """Add a function that returns the address of a table of all symbols.

    One look-up by name per object instead of one per helper: MCJIT's are slow.
    """
    name = _table_name(symbols)
    entries = ", ".join(f"ptr @{s}" for s in symbols)
    module.globals.append(f"@{name}_data = internal constant [{len(symbols)} x ptr] [{entries}]")
    module.functions.append(f"define ptr @{name}() {{\n  ret ptr @{name}_data\n}}")
    return module


def _call_table(address: int) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_uint64)(address)())
