"""Code objects: ELF parts, kernel descriptor, metadata; raw bytes kept beside every view."""

from asmevo.codeobject.descriptor import KernelDescriptor
from asmevo.codeobject.elf import FormatError, WrongObjectError
from asmevo.codeobject.link import build
from asmevo.codeobject.metadata import KernelArg, KernelMetadata
from asmevo.codeobject.object import CodeObject, Kernel

__all__ = [
    "CodeObject",
    "FormatError",
    "Kernel",
    "KernelArg",
    "KernelDescriptor",
    "KernelMetadata",
    "WrongObjectError",
    "build",
]
