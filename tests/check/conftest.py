"""Fixtures of the checker's tests: hand-written text as a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.check.engine.view import View

sys.path.insert(0, str(Path(__file__).parent))

from text_program import TextProgram


@pytest.fixture(scope="session")
def text_view() -> Callable[..., View]:
    """Function (text, arch="gfx942") -> the checker's view of it."""

    def make(text: str, arch: str = "gfx942") -> View:
        return TextProgram.of(text, arch).view()

    return make
