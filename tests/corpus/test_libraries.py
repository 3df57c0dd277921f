"""Debian's ROCm libraries, when they are there: everything found, what is tried is identical.

`python -m benchmarks.libraries --fetch` downloads and unpacks them (gigabytes).
"""

from __future__ import annotations

import os
import random

import pytest

from asmevo.codeobject.container import find
from asmevo.program.roundtrip import roundtrip_bytes
from benchmarks.libraries import PACKAGES, counted, regular, root

LONG = bool(os.environ.get("ASMEVO_CORPUS_TEST"))
SMALL = 64 << 20  # bytes of an object that is recovered
SHORT = 16 << 20  # bytes of a file that the short suite takes


@pytest.mark.corpus
@pytest.mark.parametrize("package", PACKAGES)
def test_library(package: str) -> None:
    folder = root() / package
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: python -m benchmarks.libraries --fetch {package}")
    files = [p for p in regular(folder) if LONG or p.stat().st_size <= SHORT]
    files = files if LONG else files[:8]
    expected = {p: counted(p) for p in files}
    objects = 0
    rng = random.Random(7)
    for path, (plain, packed) in expected.items():
        found = list(find(path))
        assert not [f.problem for f in found if f.error is not None]
        # Without compressed bundles both counts are the same; with them, more are found.
        assert len(found) == plain if not packed else len(found) >= plain
        objects += len(found)
        for one in rng.sample(found, min(len(found), 8 if LONG else 1)):
            if one.size > (SMALL if LONG else 4 << 20):
                continue
            report = roundtrip_bytes(one.data, one.location)
            assert report.status == "identical", (report.location, report.reason)
    assert objects or not LONG
