"""Programs that are clients of the emulated runtime, built here with the system's compiler."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.api.programs.executing import Execution, execute
from asmevo.errors import EnvironmentFault
from asmevo.hip.build import build, compiler
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

CLIENTS = Path(__file__).parent / "clients"
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def facts(text: str) -> dict[str, str]:
    """Lines `name value` of a client."""
    return dict(line.rsplit(" ", 1) for line in text.splitlines())


@pytest.fixture(scope="session")
def runtime() -> Path:
    """The folder of the built runtime, or skip where nothing can compile it."""
    try:
        compiler()
    except EnvironmentFault as err:
        pytest.skip(err.one_line())
    return build()


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Path:
    """The C client that registers its kernels as compiled HIP C++ does."""
    out = tmp_path_factory.mktemp("hip") / "registered"
    command = [
        *compiler().command, *WARNINGS, "-g", str(CLIENTS / "registered.c"), "-o", str(out),
        f"-L{runtime / 'hip6'}", "-lamdhip64", "-lpthread",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return out


@pytest.fixture(scope="session")
def affine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code object of the C client."""
    out = tmp_path_factory.mktemp("object") / "registered.hsaco"
    text = (CLIENTS / "registered.s").read_text()
    out.write_bytes(assemble_object(text, Target("gfx942")))
    return out


@pytest.fixture(scope="session")
def saxpy(tmp_path_factory: pytest.TempPathFactory, kernel_objects: Callable[..., bytes]) -> Path:
    """The project's saxpy."""
    out = tmp_path_factory.mktemp("object") / "saxpy.hsaco"
    out.write_bytes(kernel_objects("saxpy"))
    return out


@pytest.fixture
def run(tmp_path: Path, runtime: Path) -> Callable[..., tuple[Execution, str]]:
    """Function (command, options) -> (result, standard output) of a program under `execute`."""
    del runtime  # built, or the test is skipped

    def call(*command: object, **options: object) -> tuple[Execution, str]:
        out = tmp_path / "stdout"
        with out.open("w") as stream:
            result = execute([str(c) for c in command], output=stream.fileno(), **options)  # type: ignore[arg-type]
        return result, out.read_text()

    return call


@pytest.fixture(scope="session")
def vendor_library() -> Callable[[str, str], Path]:
    """Function (file name, Debian package) -> a vendor's library, or skip."""
    folders = [Path("/usr/lib/x86_64-linux-gnu")]
    if "ASMEVO_VENDOR_LIBRARIES" in os.environ:
        folders.insert(0, Path(os.environ["ASMEVO_VENDOR_LIBRARIES"]))

    def find(name: str, package: str) -> Path:
        for folder in folders:
            for path in (folder / name, *folder.glob(f"**/x86_64-linux-gnu/{name}")):
                if path.exists():
                    return path
        pytest.skip(
            f"{name} is not here: apt-get install {package}, or unpack that package into the "
            "folder ASMEVO_VENDOR_LIBRARIES"
        )

    return find


@pytest.fixture(scope="session")
def python_with() -> Callable[[str], str]:
    """Function (module) -> a Python that has it: this one, or `$ASMEVO_CLIENT_PYTHON`; or skip."""

    def find(module: str) -> str:
        for python in (os.environ.get("ASMEVO_CLIENT_PYTHON"), sys.executable):
            if (
                python
                and not subprocess.run(
                    [python, "-c", f"import importlib.util as u; assert u.find_spec('{module}')"],
                    capture_output=True,
                ).returncode
            ):
                return python
        pytest.skip(
            f"no Python with {module}: make an environment with it and set ASMEVO_CLIENT_PYTHON "
            "to its interpreter"
        )

    return find


@pytest.fixture
def modules() -> tuple[str, str]:
    """The command of the ctypes client."""
    return sys.executable, str(CLIENTS / "modules.py")
