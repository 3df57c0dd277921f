"""What `import asmevo` shows: quickly, frozen, typed, documented, and as documented."""

from __future__ import annotations

import dataclasses
import doctest
import importlib.resources
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import asmevo
from asmevo import api

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "api.md"


@pytest.fixture
def folder(
    tmp_path: Path, kernel_objects: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The working folder, with K0.hsaco and its launch.yaml."""
    (tmp_path / "K0.hsaco").write_bytes(kernel_objects("saxpy"))
    text = (CHECKOUT / "kernels" / "launch" / "saxpy.yaml").read_text()
    (tmp_path / "launch.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_of_the_page_run(folder: Path) -> None:
    failed, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL
    )
    assert tried > 10
    assert failed == 0


def test_every_function_is_shown_and_documented() -> None:
    page = PAGE.read_text()
    for name in api.__all__:
        assert getattr(asmevo, name) is getattr(api, name) or name in ("check", "verify")
        assert callable(getattr(asmevo, name))
        assert name in dir(asmevo)
        assert getattr(api, name).__doc__
        if name[0].islower():
            assert f"`{name}(" in page, name
    stub = Path(asmevo.__file__).with_suffix(".pyi").read_text()
    for name in api.__all__:
        assert f"{name} as {name}," in stub


def test_importing_it_loads_nothing() -> None:
    code = (
        "import sys, asmevo; loaded = set(sys.modules);"
        "print(sorted(m for m in loaded if m.startswith('asmevo.')),"
        " loaded & {'numpy', 'llvmlite', 'numba', 'typer', 'pydantic'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] set()\n"


def test_rooms_can_be_called_whoever_loads_them_first() -> None:
    for first in ("import asmevo", "import asmevo.check.report, asmevo.verify.oracle, asmevo"):
        code = f"{first}; print(callable(asmevo.check), callable(asmevo.verify))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout == "True True\n", done.stderr


def test_results_are_frozen_and_typed(folder: Path) -> None:
    result = asmevo.inspect("K0.hsaco")
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.ok = False  # type: ignore[misc]
    assert importlib.resources.files("asmevo").joinpath("py.typed").is_file()


def test_variants_test_and_are_not_timed(folder: Path) -> None:
    """The case `histo_toy`: launch.yaml has n=1000 and the variant n=65."""
    assert [c.timed for c in asmevo.launches("K0.hsaco", "launch.yaml")] == [True, False]
    got = asmevo.optimize("K0.hsaco", "launch.yaml", budget=3)
    assert [x["label"] for x in got.data["launches"]] == ["n=1000"]
    assert len(got.search.root.timings) == 1
    ratio = got.data["k0_time"] / got.data["k1_time"]
    assert ratio == pytest.approx(got.data["speedup"], rel=1e-12)
    bench = asmevo.bench(["K0.hsaco"], "launch.yaml")
    assert [x["launch"] for x in bench.data["results"]] == ["n=1000"]
    assert bench.data["untimed"] == 1
    checked = asmevo.verify("K0.hsaco", "K0.hsaco", "launch.yaml")
    assert checked.launches == 2  # both are compared


def test_no_cache_folder_is_no_obstacle(folder: Path, tmp_path: Path) -> None:
    """A home that does not exist, a cache that is a file: it works, and doctor says what is."""
    import os

    (tmp_path / "file").write_text("")
    code = (
        "import asmevo; d = asmevo.doctor();"
        "print(d.ok, [c['state'] for c in d.data['checks'] if c['name'] == 'cache']);"
        "from asmevo.timing import kernel; print(callable(kernel.run))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "ASMEVO_CACHE"}
    environment |= {"ASMEVO_CACHE": str(tmp_path / "file"), "HOME": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "True ['note']\nTrue\n", done.stderr
