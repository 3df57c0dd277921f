"""Directives of a user's own assembly file: what compilers write passes, what reaches out not."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from asmevo.codeobject.guarded import guarded
from asmevo.errors import AsmEvoError, BuildError, InputError
from asmevo.program.text.asmread import read
from asmevo.program.text.directive_limits import vet

KERNELS = Path(__file__).resolve().parents[3] / "kernels"


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.s")), ids=lambda p: p.parent.name + p.stem)
def test_compiler_output_passes(path: Path) -> None:
    vet(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        '.incbin "/dev/zero"',
        '  .INCLUDE "x.s"',
        'L: .include "x"',
        ".rept 1000000000\n.endr",
        ".irp x, 1, 2",
        ".macro m\n.endm",
        ".fill 100000000000, 8, 1",
        ".fill 1<<40",
        ".zero 0xffffffffff",
        ".space 16777217",
        ".skip (1+1)",
        ".org 0x10000000",
        ".p2align 60",
        ".p2align 17",
        ".balign 131072",
        "L: .zero 0xffffffffff",
        # The same behind comments, labels, in other cases and sums.
        "/**/ .fill 100000000000, 8, 1",
        '/* a\nb */ .incbin "x"',
        "a: b: .fill 100000000000",
        'a: "b c": .fill 100000000000',
        '"x;y": .include "x"',
        '"x\\"y": .rept 5',
        "1: .fill 100000000000",
        "a : /* c */ .Skip 0xffffffffff",
        ".comm big, 0xffffffffff, 4",
        ".lcomm big, 0xffffffffff",
        "\n".join([".zero 9000000"] * 2),
        "\n".join(["x: .space 100"] * 200000),
        ".p2align 8\n" * 70000,
        ".fill 16777216, 2",
        ".long " + "-" * 5000 + "1",
        ".long " + "(" * 5000 + "1" + ")" * 5000,
        "s_mov_b32 s0, " + "~" * 5000 + "1",
        ".long " + "+".join(["1"] * 5000),
        "s_mov_b32 s0, /* " + '" */ ' + "!" * 100 + "1",
        "\n".join(f".set a{n + 1}, a{n} + 1" for n in range(300)),
        "\n".join(f"a{n + 1} = a{n}" for n in range(300)),
        ". = 0x100000000",
        ".purgem x",
        ".loc_mark_labels 1\n.exitm",
        ".amdgpu_metadata\n" + "[" * 5000 + "\n.end_amdgpu_metadata",
        ".amdgpu_metadata\n" + "- " * 5000 + "\n.end_amdgpu_metadata",
    ],
)
def test_directives_that_reach_out_are_refused(line: str) -> None:
    with pytest.raises(InputError, match=r"line \d"):
        vet(f"\t.text\n{line}\n")


def test_the_line_of_the_file_is_named() -> None:
    with pytest.raises(InputError, match=r"line 5: directive \.incbin"):
        vet('/* one\ntwo */\n\t.text ; .rept\na:\n b: /* x */ .incbin "y"\n')


@pytest.mark.parametrize(
    "line",
    [
        ".fill 256, 4, 3212836864",
        ".zero 256",
        ".p2align 8 ; words",
        '.asciz "; .incbin /* " // .rept',
        ".long ';', '\\'' # .rept",
        "x: .set y, x+4*(1-2)",
        ".amdhsa_next_free_vgpr max(1, 2)",
        '.ascii "a: .rept"',
        ".comm small, 64, 8",
    ],
)
def test_modest_directives_pass(line: str) -> None:
    vet(f"\t.text\n\t{line}\n")


PLAIN = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
k:
s_endpgm
{line}
"""


@pytest.mark.parametrize(
    "line",
    [
        ".size k, .Lend-k",  # a label that is not there
        ".size k, other",
        ".size k, k-other+4",
        ".size k, .-undefined",
    ],
)
def test_what_llvm_dies_of_is_an_error(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    """LLVM calls `report_fatal_error`, which ends its process; nothing reaches our stderr."""
    with pytest.raises(BuildError, match="Size expression must be absolute"):
        read(PLAIN.format(line=line))
    assert capfd.readouterr() == ("", "")


def test_metadata_that_llvm_reads_as_faulty_prints_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    text = PLAIN.format(line=".amdgpu_metadata\namdhsa.kernels: [\n.end_amdgpu_metadata")
    with pytest.raises(AsmEvoError):
        read(text)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "hidden", [".p2align 40", '.incbin "/etc/hostname"', ".Include \"x\"", ".Lcomm x, 1", ".rept 9",
               "again: .zero 4", ".LOC 1 1"],
)  # fmt: skip
@pytest.mark.parametrize(
    "front",
    [
        '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"',
        ".amdhsa_code_object_version 5 ",
        ".amdhsa_next_free_vgpr 8 ",
        ".amdhsa_kernel k ",
        ".end_amdhsa_kernel ",
        ".end_amdgpu_metadata ",
    ],
)
def test_no_directive_hides_behind_one_of_the_target(front: str, hidden: str) -> None:
    """LLVM reads on behind `.amdgcn_target "..."` on the same line; a fuzzed text found it."""
    with pytest.raises(InputError, match=r"line 3: .*(behind|not allowed|zero)"):
        vet(f"\n\n{front}{hidden}\n")


@pytest.mark.parametrize(
    "line",
    [
        ".amdhsa_next_free_vgpr .amdgcn.next_free_vgpr",
        ".amdhsa_next_free_vgpr max(totalnumvgprs(.Lk.num_agpr, .L_Zk.num_vgpr), 1, 0)",
        ".amdhsa_kernel .Lloop",
        ".set .Lk.num_vgpr, max(1, amdgpu.max_num_vgpr)",
    ],
)
def test_symbols_that_compilers_write_are_let_through(line: str) -> None:
    vet(line + "\n")


def test_a_text_that_takes_memory_or_time_without_end_is_ended() -> None:
    def memory() -> int:
        return len(bytes(2 << 30))

    def time_without_end() -> int:
        while True:
            pass

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for work, reason in ((memory, "ended"), (time_without_end, "takes longer than a text")):
        with pytest.raises(BuildError, match=reason):
            guarded(work, 100)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 3
    assert guarded(lambda: 7, 0) == 7
