"""What a file is that is no code object, and what to do with it."""

from __future__ import annotations

from pathlib import Path

from asmevo.errors import InputError

_HIP = "compile it first: hipcc --offload-arch=gfx942 --genco {path} -o {stem}.hsaco"
# By suffix, as the contents of source files look alike: (what it is, remedy).
_SUFFIXES: dict[str, tuple[str, str]] = {
    ".hip": ("HIP source, not an ELF file", _HIP),
    ".cu": ("CUDA source, not an ELF file", "make HIP of it (hipify-clang), then an object"),
    ".cpp": ("C++ source, not an ELF file", _HIP),
    ".cc": ("C++ source, not an ELF file", _HIP),
    ".cl": (
        "OpenCL source, not an ELF file",
        "compile it first: clang -target amdgcn-amd-amdhsa -mcpu=gfx942 {path} -o {stem}.hsaco",
    ),
    ".s": (
        "assembly, not an ELF file",
        "make an object of it: asmevo asm {path} -o {stem}.hsaco",
    ),
    ".ll": (
        "LLVM IR, not an ELF file",
        "compile it first: clang -target amdgcn-amd-amdhsa -mcpu=gfx942 {path} -o {stem}.hsaco",
    ),
    ".py": (
        "Python source, not an ELF file",
        "Triton keeps the objects of its kernels: asmevo find ~/.triton/cache",
    ),
    ".yaml": (
        "YAML, not an ELF file",
        "give the code object first, a launch description with --launch",
    ),
    ".json": ("JSON, not an ELF file", "give the .hsaco beside it"),
    ".ptx": ("NVIDIA assembly, not an ELF file", "give an object for an AMD GPU"),
    ".cubin": ("an NVIDIA object", "give an object for an AMD GPU"),
}
_SUFFIXES[".asm"] = _SUFFIXES[".S"] = _SUFFIXES[".s"]
_SUFFIXES[".cxx"] = _SUFFIXES[".cc"]
_SUFFIXES[".yml"] = _SUFFIXES[".yaml"]
# By first bytes.
_MAGICS: tuple[tuple[bytes, str, str], ...] = (
    (
        b"BC\xc0\xde",
        "LLVM bitcode, not an ELF file",
        "compile it first: clang -target amdgcn-amd-amdhsa -mcpu=gfx942 {path} -o {stem}.hsaco",
    ),
    (b"ASMEVO\x00C", "a capsule file", "give the code object first, the capsule with --launch"),
    (b"SQLite format 3\x00", "a run store", "give the code object, the store with --store"),
)
_CONTAINERS = (b"\x7fELF", b"CCOB", b"__CLANG_OFFLOAD_BUNDLE__", b"PK\x03\x04", b"!<arch>")
_TEXT_SAMPLE = 4096


def explain(path: Path, data: bytes) -> None:
    """Refuse a file that is known to be something else than a code object, and say what to do.

    Raises:
        InputError: it is empty, source text, IR, or another file of this program.
    """
    if data.startswith(_CONTAINERS):
        return
    stem = path.with_suffix("")
    if not data:
        raise InputError(f"{path}: is empty, not an ELF file", "give an AMDGPU code object")
    for magic, what, remedy in _MAGICS:
        if data.startswith(magic):
            raise InputError(f"{path}: is {what}", remedy.format(path=path, stem=stem))
    known = _SUFFIXES.get(path.suffix) or _SUFFIXES.get(path.suffix.lower())
    if known is not None:
        what, remedy = known
        raise InputError(f"{path}: is {what}", remedy.format(path=path, stem=stem))
    if _is_text(data):
        if b".amdhsa_kernel" in data or b".amdgcn_target" in data:
            what, remedy = _SUFFIXES[".s"]
            raise InputError(f"{path}: is {what}", remedy.format(path=path, stem=stem))
        raise InputError(
            f"{path}: is a text file, not an ELF file",
            "give an AMDGPU code object (.hsaco, .co); sources are compiled first",
        )


def _is_text(data: bytes) -> bool:
    sample = data[:_TEXT_SAMPLE]
    if b"\0" in sample:
        return False
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as err:
        return err.start > len(sample) - 4 and len(data) > _TEXT_SAMPLE
    return True
