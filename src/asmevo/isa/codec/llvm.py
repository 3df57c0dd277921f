"""In-process AMDGPU assembler and disassembler: LLVM's C API through ctypes.

Look-up order of the library: `$ASMEVO_LLVM` (a file), `$ROCM_PATH/llvm/lib`, the
`rocm-llvm-python` wheel, a system libLLVM. Two traps of the C API are handled here:

* assembling goes through module inline assembly, whose printer adds its own note and padding to
  `.text`; so the code is put in a section of its own and only that section's bytes are taken;
* the return code is 0 on syntax errors; so a diagnostic handler collects every error.

Only instruction text may reach `assemble`; `asmevo.program.grammar` vets proposals before it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import re
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from asmevo.errors import BuildError, EnvironmentFault, UnsupportedError
from asmevo.isa.codec.decoder_faults import affected, is_fatal, twin_without_x
from asmevo.isa.codec.lengths import instruction_length
from asmevo.isa.target import Target

TRIPLE = b"amdgcn-amd-amdhsa"
_SECTION = ".asmevo"

_voidp, _charp, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_WORD, _TWO_WORDS = struct.Struct("<I"), struct.Struct("<II")
_DIAGNOSTIC_LINE = re.compile(r"<inline asm>:(\d+):")
DiagnosticHandler = ctypes.CFUNCTYPE(None, _voidp, _voidp)


class AssemblyError(BuildError):
    """LLVM rejected the text; the message carries its first diagnostic.

    Attributes:
        lines: 0-based numbers of the rejected lines, as far as LLVM told them.
    """

    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Disassembled:
    """One disassembled instruction: its byte offset, size in bytes, and LLVM's text.

    `text` is None where LLVM could not decode what is at `offset`; the size is then the one that
    the format bits tell, or what is left of the code.
    """

    offset: int
    size: int
    text: str | None


def candidate_libraries() -> Iterator[Path]:
    """Paths that may hold an LLVM with the AMDGPU target, in look-up order."""
    explicit = os.environ.get("ASMEVO_LLVM")
    if explicit:
        yield Path(explicit)
        return
    rocm = os.environ.get("ROCM_PATH")
    if rocm:
        yield from sorted(Path(rocm, "llvm", "lib").glob("libLLVM*.so*"))
        yield from sorted(Path(rocm, "lib", "llvm", "lib").glob("libLLVM*.so*"))
    spec = importlib.util.find_spec("rocm")
    for root in (spec.submodule_search_locations or []) if spec else []:
        yield Path(root, "llvm", "librocmllvm.so")
    system = ctypes.util.find_library("LLVM")
    if system:
        yield Path(system)


def _load() -> tuple[ctypes.CDLL, Path]:
    tried: list[str] = []
    for path in candidate_libraries():
        try:
            lib = ctypes.CDLL(str(path))
            for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"):
                getattr(lib, f"LLVMInitializeAMDGPU{part}")()
            lib.LLVMInitializeAMDGPUDisassembler()
        except (OSError, AttributeError) as err:
            tried.append(f"{path} ({err})")
            continue
        _declare(lib)
        return lib, path
    raise EnvironmentFault(
        "no LLVM with the AMDGPU assembler found: " + ("; ".join(tried) or "no candidate"),
        "install rocm-llvm-python or set ASMEVO_LLVM to a libLLVM with the AMDGPU target",
    )


def _declare(lib: ctypes.CDLL) -> None:
    def sig(name: str, result: object, *args: object) -> None:
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = result, list(args)

    sig(
        "LLVMCreateDisasmCPUFeatures",
        _voidp,
        _charp,
        _charp,
        _charp,
        _voidp,
        ctypes.c_int,
        _voidp,
        _voidp,
    )
    sig("LLVMDisasmDispose", None, _voidp)
    sig(
        "LLVMDisasmInstruction",
        _size,
        _voidp,
        _voidp,
        ctypes.c_uint64,
        ctypes.c_uint64,
        _charp,
        _size,
    )
    sig(
        "LLVMGetTargetFromTriple",
        ctypes.c_int,
        _charp,
        ctypes.POINTER(_voidp),
        ctypes.POINTER(_charp),
    )
    sig(
        "LLVMCreateTargetMachine",
        _voidp,
        _voidp,
        _charp,
        _charp,
        _charp,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
    )
    sig("LLVMContextCreate", _voidp)
    sig("LLVMContextDispose", None, _voidp)
    sig("LLVMContextSetDiagnosticHandler", None, _voidp, DiagnosticHandler, _voidp)
    sig("LLVMGetDiagInfoDescription", _voidp, _voidp)
    sig("LLVMGetDiagInfoSeverity", ctypes.c_int, _voidp)
    sig("LLVMDisposeMessage", None, _voidp)
    sig("LLVMModuleCreateWithNameInContext", _voidp, _charp, _voidp)
    sig("LLVMDisposeModule", None, _voidp)
    sig("LLVMSetTarget", None, _voidp, _charp)
    sig("LLVMSetModuleInlineAsm2", None, _voidp, _charp, _size)
    sig(
        "LLVMTargetMachineEmitToMemoryBuffer",
        ctypes.c_int,
        _voidp,
        _voidp,
        ctypes.c_int,
        ctypes.POINTER(_charp),
        ctypes.POINTER(_voidp),
    )
    sig("LLVMGetBufferStart", _voidp, _voidp)
    sig("LLVMGetBufferSize", _size, _voidp)
    sig("LLVMDisposeMemoryBuffer", None, _voidp)


_LOCK = threading.RLock()


@lru_cache(maxsize=1)
def library() -> tuple[ctypes.CDLL, Path]:
    """The loaded LLVM library and its path.

    Raises:
        EnvironmentFault: no candidate could be loaded; the message lists what was tried.
    """
    with _LOCK:
        return _load()


def _cpu(target: Target) -> tuple[bytes, bytes]:
    # Real-true16 lets LLVM decode 16-bit register halves that gfx11+ compilers emit.
    features = b"+real-true16" if target.arch in ("gfx1250",) else b""
    return target.arch.encode(), features


class Disassembler:
    """LLVM's MC disassembler for one target. Not shared between threads."""

    def __init__(self, target: Target) -> None:
        self._lib, _ = library()
        self._target = target
        cpu, features = _cpu(target)
        self._handle = self._lib.LLVMCreateDisasmCPUFeatures(
            TRIPLE, cpu, features, None, 0, None, None
        )
        if not self._handle:
            raise UnsupportedError(
                f"LLVM cannot disassemble for {target.arch}", "use an LLVM that knows it"
            )
        self._text = ctypes.create_string_buffer(1024)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.LLVMDisasmDispose(self._handle)

    def decode(self, code: bytes, start: int = 0, stop: int | None = None) -> list[Disassembled]:
        """Disassemble `code[start:stop]`; offsets are relative to the start of `code`.

        What LLVM cannot decode, or reads as longer or shorter than its format, becomes one
        `Disassembled` with `text=None` and the length that its format bits tell. Words are never
        dropped (LLVM issues #59467, #51065), nor the later ones read as instructions.
        """
        stop = len(code) if stop is None else stop
        out: list[Disassembled] = []
        # LLVM reads at most 20 bytes ahead; zero padding keeps it inside the buffer.
        buffer = ctypes.create_string_buffer(code + bytes(32), len(code) + 32)
        base = ctypes.addressof(buffer)
        text, handle = self._text, self._handle
        step, size_of_text = self._lib.LLVMDisasmInstruction, len(self._text)
        target, guarded = self._target, affected(self._target)
        foreign = target.major > 9
        words = memoryview(buffer).cast("B")
        at = start
        while at < stop:
            word, following = _TWO_WORDS.unpack_from(words, at)
            size = 0
            if not guarded or not is_fatal(word, following, target):
                # LLVM crashes on an instruction whose literal is cut off: show it the padding.
                size = step(handle, base + at, stop - at + 32, 0, text, size_of_text)
                twin = twin_without_x(word, target) if size == 0 else None
                if twin is not None:
                    _WORD.pack_into(words, at, twin)
                    size = step(handle, base + at, stop - at + 32, 0, text, size_of_text)
                    _WORD.pack_into(words, at, word)
                    text.value = text.value.replace(b"v_cmp_", b"v_cmpx_", 1)
            # From gfx10 on LLVM also reads some formats of older generations; a size that is not
            # the format's shows them.
            length = size
            if size == 0 or foreign:
                length = instruction_length(code, at, target)
            if size == length <= stop - at:
                out.append(Disassembled(at, size, text.value.decode("ascii", "replace").strip()))
            else:
                size = min(length, stop - at)
                out.append(Disassembled(at, size, None))
            at += size
        return out


def _section_bytes(elf: bytes, name: str) -> bytes:
    """Contents of one section of a little-endian 64-bit ELF that LLVM has just written."""
    (shoff,) = struct.unpack_from("<Q", elf, 0x28)
    shentsize, shnum, shstrndx = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, shoff + i * shentsize) for i in range(shnum)]
    names_at = headers[shstrndx][4]
    wanted = name.encode() + b"\0"
    for sh_name, _type, _flags, _addr, offset, size in headers:
        at = names_at + sh_name
        if elf[at : at + len(wanted)] == wanted:
            return elf[offset : offset + size]
    return b""


class Assembler:
    """LLVM's MC assembler for one target, in process. Not shared between threads."""

    def __init__(self, target: Target) -> None:
        self._lib, _ = library()
        triple_target, error = _voidp(), _charp()
        if self._lib.LLVMGetTargetFromTriple(
            TRIPLE, ctypes.byref(triple_target), ctypes.byref(error)
        ):
            raise EnvironmentFault(f"LLVM has no AMDGPU target: {error.value!r}")
        cpu, features = _cpu(target)
        self._target = target
        self._machine = self._lib.LLVMCreateTargetMachine(
            triple_target, TRIPLE, cpu, features, 0, 0, 0
        )

    def assemble(self, text: str) -> bytes:
        """Bytes of `text`: instructions and local labels, one per line.

        Raises:
            AssemblyError: LLVM reported an error; the message holds the first one.
        """
        lib = self._lib
        errors: list[str] = []

        def on_diagnostic(info: int, _context: int) -> None:
            if lib.LLVMGetDiagInfoSeverity(info) == 0:
                message = lib.LLVMGetDiagInfoDescription(info)
                errors.append((ctypes.string_at(message) or b"?").decode("utf8", "replace"))
                lib.LLVMDisposeMessage(message)

        handler = DiagnosticHandler(on_diagnostic)
        source = f'.section {_SECTION},"ax"\n{text}\n'.encode()
        context = lib.LLVMContextCreate()
        lib.LLVMContextSetDiagnosticHandler(context, handler, None)
        module = lib.LLVMModuleCreateWithNameInContext(b"asmevo", context)
        memory, message = _voidp(), _charp()
        try:
            lib.LLVMSetTarget(module, TRIPLE)
            lib.LLVMSetModuleInlineAsm2(module, source, len(source))
            failed = lib.LLVMTargetMachineEmitToMemoryBuffer(
                self._machine, module, 1, ctypes.byref(message), ctypes.byref(memory)
            )
            if failed and not errors:
                errors.append((message.value or b"?").decode("utf8", "replace"))
            elf = b""
            if memory.value:
                elf = ctypes.string_at(
                    lib.LLVMGetBufferStart(memory), lib.LLVMGetBufferSize(memory)
                )
                lib.LLVMDisposeMemoryBuffer(memory)
        finally:
            lib.LLVMDisposeModule(module)
            lib.LLVMContextDispose(context)
        if errors:
            failure = AssemblyError(
                f"assembly for {self._target.arch} failed: {errors[0].splitlines()[0]}",
                "correct the instruction text",
            )
            # The section directive is line 1 of the source.
            numbers = (_DIAGNOSTIC_LINE.match(e) for e in errors)
            failure.lines = tuple(sorted({int(n.group(1)) - 2 for n in numbers if n}))
            raise failure
        return _section_bytes(elf, _SECTION)


_LOCAL = threading.local()


def disassembler(target: Target) -> Disassembler:
    """This thread's disassembler for the target's architecture."""
    cache: dict[str, Disassembler] = _LOCAL.__dict__.setdefault("dis", {})
    if target.arch not in cache:
        cache[target.arch] = Disassembler(target)
    return cache[target.arch]


def assembler(target: Target) -> Assembler:
    """This thread's assembler for the target's architecture."""
    cache: dict[str, Assembler] = _LOCAL.__dict__.setdefault("asm", {})
    if target.arch not in cache:
        cache[target.arch] = Assembler(target)
    return cache[target.arch]
