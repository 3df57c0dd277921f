"""Fixtures that several rooms share; what is missing is skipped with the command that gets it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from asmevo.api.installation import corpora as corpus

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
KERNELS = CHECKOUT / "kernels"

# The same examples in every run, so that a failure is a change's and not the day's; the long
# corpus runs draw new ones. No deadline: the first example may load LLVM on a busy machine.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", print_blob=True, deadline=None)
settings.load_profile("explore" if os.environ.get("ASMEVO_CORPUS_TEST") else "fixed")

# The NumPy references are a package of the tests: `from reference.kernels import ...`.
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def aiter_root() -> Path:
    """Folder of the unpacked amd-aiter wheel (`aiter_meta/hsa/gfx942/...` lies under it)."""
    if not corpus.available("aiter"):
        pytest.skip(corpus.missing_reason("aiter"))
    return corpus.corpus_path("aiter")


@pytest.fixture(scope="session")
def shared_root() -> Path:
    """Folder of the development material (facts, suites, traces) beside the checkout."""
    root = CHECKOUT.parent / "shared"
    if not (root / "design.md").is_file():
        pytest.skip("the development material (../shared) is not beside this checkout")
    return root


@pytest.fixture(scope="session")
def kernel_objects() -> Callable[..., bytes]:
    """Function (name, arch="gfx942", folder=".") -> code object, built from the committed `.s`.

    `folder` is "." for the six kernels of the project, "kernelbench" or "recovery". Objects are
    built once in a test run.
    """
    from asmevo.isa.target import Target
    from asmevo.program.build import assemble_object

    built: dict[tuple[str, str, str], bytes] = {}

    def build(name: str, arch: str = "gfx942", folder: str = ".") -> bytes:
        key = (name, arch, folder)
        if key not in built:
            text = (KERNELS / folder / arch / f"{name}.s").read_text(encoding="utf-8")
            built[key] = assemble_object(text, Target(arch))
        return built[key]

    return build


@pytest.fixture(scope="session")
def triton_object() -> Callable[[str, str], bytes]:
    """Function (arch, file name) -> a code object of the Triton suite, or skip."""

    def load(arch: str, name: str) -> bytes:
        path = corpus.corpus_root() / "triton" / arch / name
        if not path.is_file():
            root = corpus.corpus_root()
            pytest.skip(
                f"Triton objects are not in {root}: run tests/corpus/build_triton.py --root {root}"
            )
        return path.read_bytes()

    return load
