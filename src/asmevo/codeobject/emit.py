"""A relocatable object from a complete assembly file, with the LLVM library in process.

For the project's own files only (`kernels/**/*.s`, `asmevo asm`): the text may hold any directive,
`.incbin` included. Proposed edits never come here; `asmevo.program.grammar` guards their path.

The assembly goes through a module's inline assembly. LLVM's printer then pads `.text` and adds a
metadata note of its own; so the code is assembled in a section of another name, and the linker
takes the note that describes kernels.
"""

from __future__ import annotations

import ctypes
import re

from asmevo.errors import BuildError, InputError
from asmevo.isa.codec.llvm import TRIPLE, DiagnosticHandler, library
from asmevo.isa.target import MACH_OF_ARCH

CODE_SECTION = ".asmevo.text"
_TARGET = re.compile(r'^\s*\.amdgcn_target\s+"amdgcn-amd-amdhsa-[a-z]*-([^"]+)"', re.MULTILINE)
_VERSION = re.compile(r"^\s*\.amdhsa_code_object_version\s+(\d+)", re.MULTILINE)
_TEXT = re.compile(r"^[ \t]*(?:\.text|\.section[ \t]+\.text\b[^\n]*)[ \t]*$", re.MULTILINE)
_voidp = ctypes.c_void_p


_LINE = re.compile(r"<inline asm>:(\d+):")


def _own_line(match: re.Match[str]) -> str:
    """LLVM's line number without the section directive that was put in front."""
    return f"line {int(match.group(1)) - 1}, column "


def target_of(text: str) -> tuple[str, str]:
    """(processor, LLVM feature string) that the `.amdgcn_target` directive names.

    Raises:
        InputError: there is no such directive, or the processor is unknown.
    """
    match = _TARGET.search(text)
    if match is None:
        raise InputError("the assembly has no .amdgcn_target directive", "add one")
    processor, *features = match.group(1).split(":")
    if processor not in MACH_OF_ARCH:
        raise InputError(f"unknown processor {processor} in .amdgcn_target")
    return processor, ",".join(f"{f[-1]}{f[:-1]}" for f in features)


def emit_object(text: str) -> bytes:
    """The relocatable ELF of a complete assembly file; code is in `CODE_SECTION`.

    Raises:
        InputError: no usable `.amdgcn_target`.
        BuildError: LLVM reports an error; the message carries the first one with its line.
    """
    processor, features = target_of(text)
    if processor == "gfx1250":
        features = ",".join(filter(None, [features, "+real-true16"]))
    version = _VERSION.search(text)
    source = _TEXT.sub(f'\t.section {CODE_SECTION},"ax",@progbits', text)
    code = f'.section {CODE_SECTION},"ax",@progbits\n{source}\n'.encode()
    return _emit(processor, features, int(version.group(1)) if version else 6, code)


def _emit(processor: str, features: str, version: int, source: bytes) -> bytes:
    lib, _ = library()
    lib.LLVMInt32TypeInContext.restype = lib.LLVMConstInt.restype = _voidp
    lib.LLVMInt32TypeInContext.argtypes = [_voidp]
    lib.LLVMConstInt.argtypes = [_voidp, ctypes.c_uint64, ctypes.c_int]
    lib.LLVMValueAsMetadata.restype, lib.LLVMValueAsMetadata.argtypes = _voidp, [_voidp]
    lib.LLVMAddModuleFlag.restype = None
    lib.LLVMAddModuleFlag.argtypes = [_voidp, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t,
                                      _voidp]  # fmt: skip
    lib.LLVMDisposeTargetMachine.restype = None
    lib.LLVMDisposeTargetMachine.argtypes = [_voidp]
    errors: list[str] = []

    def on_diagnostic(info: int, _context: int) -> None:
        if lib.LLVMGetDiagInfoSeverity(info) == 0:
            message = lib.LLVMGetDiagInfoDescription(info)
            errors.append((ctypes.string_at(message) or b"?").decode("utf8", "replace"))
            lib.LLVMDisposeMessage(message)

    handler = DiagnosticHandler(on_diagnostic)
    target, problem = _voidp(), ctypes.c_char_p()
    lib.LLVMGetTargetFromTriple(TRIPLE, ctypes.byref(target), ctypes.byref(problem))
    machine = lib.LLVMCreateTargetMachine(
        target, TRIPLE, processor.encode(), features.encode(), 0, 0, 0
    )
    context = lib.LLVMContextCreate()
    lib.LLVMContextSetDiagnosticHandler(context, handler, None)
    module = lib.LLVMModuleCreateWithNameInContext(b"asmevo", context)
    memory, message, elf = _voidp(), ctypes.c_char_p(), b""
    try:
        lib.LLVMSetTarget(module, TRIPLE)
        flag = lib.LLVMConstInt(lib.LLVMInt32TypeInContext(context), version * 100, 0)
        name = b"amdhsa_code_object_version"
        lib.LLVMAddModuleFlag(module, 0, name, len(name), lib.LLVMValueAsMetadata(flag))
        lib.LLVMSetModuleInlineAsm2(module, source, len(source))
        failed = lib.LLVMTargetMachineEmitToMemoryBuffer(
            machine, module, 1, ctypes.byref(message), ctypes.byref(memory)
        )
        if failed and not errors:
            errors.append((message.value or b"?").decode("utf8", "replace"))
        if memory.value:
            elf = ctypes.string_at(lib.LLVMGetBufferStart(memory), lib.LLVMGetBufferSize(memory))
            lib.LLVMDisposeMemoryBuffer(memory)
    finally:
        lib.LLVMDisposeModule(module)
        lib.LLVMContextDispose(context)
        lib.LLVMDisposeTargetMachine(machine)
    if errors:
        where = _LINE.match(errors[0])
        first = _LINE.sub(_own_line, errors[0].splitlines()[0])
        failure = BuildError(f"assembly failed: {first}", "correct the line")
        failure.line = int(where.group(1)) - 1 if where else 0
        raise failure
    return elf
