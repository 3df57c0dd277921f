"""The second back end: `llvm-mc` and `ld.lld` as programs, if they are installed.

It answers the same two questions as the library in process (`asmevo.isa.codec.llvm`,
`codeobject.build`):
text to instruction bytes, and a whole assembly file to a code object. The product never needs it;
tests hold the two against each other, and it serves where LLVM is to be the one of a ROCm install.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asmevo.codeobject.elf import Elf
from asmevo.codeobject.emit import target_of
from asmevo.errors import BuildError, EnvironmentFault
from asmevo.isa.codec.llvm import AssemblyError
from asmevo.isa.target import Target

_SECTION = ".asmevo"
_SECONDS = 60
_OLDEST = 20  # LLVM release that knows gfx950 and gfx1250's neighbours
_VERSION = re.compile(r"(?:LLVM|LLD)(?: version)? (\d+)\.")


def _candidates(name: str) -> Iterator[str]:
    """Paths of an LLVM program: `$ASMEVO_LLVM_BIN`, `$ROCM_PATH/llvm/bin`, then PATH."""
    folders = [os.environ.get("ASMEVO_LLVM_BIN")]
    if "ROCM_PATH" in os.environ:
        folders.append(os.path.join(os.environ["ROCM_PATH"], "llvm", "bin"))
    for folder in folders:
        found = shutil.which(name, path=folder) if folder else None
        if found:
            yield found
    for versioned in (name, *(f"{name}-{n}" for n in range(24, _OLDEST - 1, -1))):
        found = shutil.which(versioned)
        if found:
            yield found


def _version(path: str) -> int:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10,
                              check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(done.stdout)
    return int(match.group(1)) if match else 0


def installed(name: str) -> str | None:
    """Path of an LLVM program (`llvm-mc`, `ld.lld`, `llvm-objdump`, ...) new enough, or None."""
    return next((p for p in _candidates(name) if _version(p) >= _OLDEST), None)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Paths of the two programs."""

    assembler: str
    linker: str

    @classmethod
    def find(cls) -> Toolchain:
        """The installed programs.

        Raises:
            EnvironmentFault: one of them is missing.
        """
        found = {name: installed(name) for name in ("llvm-mc", "ld.lld")}
        missing = [name for name, path in found.items() if path is None]
        if missing:
            raise EnvironmentFault(
                f"{' and '.join(missing)} of LLVM {_OLDEST} or newer not found",
                "install LLVM, or use the built-in back end",
            )
        return cls(str(found["llvm-mc"]), str(found["ld.lld"]))

    def _run(self, command: list[str]) -> None:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as err:
            raise EnvironmentFault(f"{command[0]} did not run: {err}") from err
        if done.returncode:
            first = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:200])
            raise AssemblyError(f"{Path(command[0]).name}: {first}", "correct the line")

    def _object(self, text: str, processor: str, features: str, folder: Path) -> Path:
        source, out = folder / "a.s", folder / "a.o"
        source.write_text(text, encoding="utf-8")
        if processor == "gfx1250":
            features = ",".join(filter(None, [features, "+real-true16"]))
        command = [self.assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={processor}",
                   "-filetype=obj", str(source), "-o", str(out)]  # fmt: skip
        self._run([*command, f"-mattr={features}"] if features else command)
        return out

    def assemble(self, text: str, target: Target) -> bytes:
        """Bytes of instruction lines, as `asmevo.isa.codec.llvm.Assembler.assemble` gives them.

        The text must be vetted (`asmevo.program.grammar`).

        Raises:
            AssemblyError: a line is wrong.
        """
        with tempfile.TemporaryDirectory() as folder:
            source = f'.section {_SECTION},"ax"\n{text}\n'
            path = self._object(source, target.arch, "", Path(folder))
            elf = Elf.parse(path.read_bytes())
        section = elf.section(_SECTION)
        return elf.contents(section) if section else b""

    def build(self, text: str) -> bytes:
        """The code object of a whole assembly file of the project (trusted text).

        Raises:
            InputError: no usable `.amdgcn_target`.
            AssemblyError: a line is wrong, or a symbol is undefined.
            BuildError: nothing came out.
        """
        processor, features = target_of(text)
        with tempfile.TemporaryDirectory() as folder:
            relocatable = self._object(text, processor, features, Path(folder))
            linked = Path(folder, "a.co")
            self._run([self.linker, "-shared", str(relocatable), "-o", str(linked)])
            if not linked.is_file():
                raise BuildError("the linker wrote nothing")
            return linked.read_bytes()
