"""Every slip of `tests/mutants` can be made in the code as it is, and its tests are there."""

from __future__ import annotations

import shutil
from pathlib import Path

from .mutants.__main__ import ROOT, load


def test_every_row_is_true(tmp_path: Path) -> None:
    wrong: list[str] = []
    for slip in load():
        source, copy = (root / "src" / "asmevo" / slip.path for root in (ROOT, tmp_path))
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file():
            shutil.copyfile(source, copy)
        if why := slip.apply(tmp_path):
            wrong.append(f"{slip.name}: {why}")
        wrong += [
            f"{slip.name}: {word} does not exist"
            for word in slip.tests
            if word.startswith("tests/") and not (ROOT / word.partition("::")[0]).exists()
        ]
    assert not wrong
