"""The cases `asm_lines`: an error names the file's own line and quotes it, and exits with 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v_fmac_f32_e32 v5, s4, v4", "v_fmacc_f32 v5, s4, v4"),
        ("v_fmac_f32_e32 v5, s4, v4", "v_fmac_f32_e32 v5, s4, v999"),
        ("s_endpgm", "s_branch .LX"),
        (".amdhsa_next_free_vgpr", ".amdhsa_next_free_vgprr"),
    ],
)
def test_the_line_is_named(run: Run, saxpy: Path, old: str, new: str, whole: bool) -> None:
    source = saxpy.parent / "K.s"
    assert run("disasm", saxpy, "-o", source).code == 0
    text = source.read_text()
    if not whole:  # without the container: assembled and linked as it is
        text = "".join(x for x in text.splitlines(True) if "asmevo-container" not in x)
        if ".LX" in new:
            return  # LLVM reports an undefined symbol without a line
    lines = text.replace(old, new, 1).splitlines()
    source.write_text("\n".join(lines) + "\n")
    number = next(n for n, line in enumerate(lines, 1) if new in line)
    quoted = " ".join(lines[number - 1].partition(";")[0].split())
    got = run("asm", source, "-o", saxpy.parent / "x")
    got.complaint(2, f"K.s: line {number} `{quoted}`: ")


def test_listings_number_instructions(run: Run, saxpy: Path) -> None:
    """saxpy's first instructions: an s_load_dword of 8 bytes at 0, the next one at 8."""
    for words in (["disasm", saxpy], ["disasm", saxpy, "-k", "saxpy"]):
        lines = [x for x in run(*words).out.splitlines() if "s_load_dword" in x]
        assert lines[0].endswith("; 0: 0x0")
        assert lines[1].endswith("; 1: 0x8")
