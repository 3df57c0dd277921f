"""A bundle from a real, small search."""

from __future__ import annotations

import pytest

from asmevo.api import evidence_bundle, optimize
from asmevo.api.optimization import Optimization
from tests.deliver.forging import small_problem


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Optimization:
    """A search that accepted something."""
    k0, launch = small_problem(tmp_path_factory.mktemp("bundle"))
    result = optimize(k0, launch, budget=8)
    assert result.ok, result.reason
    return result


@pytest.fixture(scope="session")
def bundle(searched: Optimization) -> bytes:
    """Its evidence."""
    return evidence_bundle(searched)
