"""Reports of the identity proof over many containers, and fuzz of whole objects."""

from __future__ import annotations

import json
import random
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject import bundle as bd
from asmevo.errors import AsmEvoError
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.roundtrip import Report, roundtrip, roundtrip_bytes

Objects = Callable[..., bytes]


def test_reports_of_a_folder(tmp_path: Path, kernel_objects: Objects) -> None:
    (tmp_path / "a.co").write_bytes(kernel_objects("saxpy"))
    members = [("hipv4-amdgcn-amd-amdhsa--gfx950", kernel_objects("calls", "gfx950", "recovery"))]
    (tmp_path / "b.bin").write_bytes(bd.build_bundle(members))
    (tmp_path / "c.co").write_bytes(kernel_objects("saxpy")[:3000])
    (tmp_path / "d.txt").write_text("nothing")
    first, second, third = roundtrip([tmp_path])
    assert (first.status, first.exit_code, first.kernels) == ("identical", 0, ("saxpy",))
    assert (first.instructions, first.kept_as_bytes, first.dont_care) == (21, 0, 0)
    assert second.functions == 6
    assert second.target == "gfx950"
    assert third.status == "input_invalid"
    assert third.exit_code == 2
    assert "truncated" in third.reason


def test_parallel_and_serial_reports_agree(tmp_path: Path, kernel_objects: Objects) -> None:
    for n in range(70):
        (tmp_path / f"{n:03}.co").write_bytes(kernel_objects(("saxpy", "softmax", "reduce")[n % 3]))
    seen: list[int] = []

    def key(r: Report) -> tuple[object, ...]:
        return r.location, r.status, r.instructions, r.kernels

    serial = roundtrip([tmp_path], workers=1)
    parallel = roundtrip([tmp_path], workers=2, progress=seen.append)
    assert [key(r) for r in serial] == [key(r) for r in parallel]
    assert seen[-1] == len(serial) == 70


@pytest.mark.corpus
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx1100", "gfx1250"])
def test_triton_objects(triton_object: Callable[[str, str], bytes], arch: str) -> None:
    suite = json.loads((Path(__file__).parents[1] / "corpus" / "triton_suite.json").read_text())
    names = [k["id"] for k in suite["kernels"]]
    total = kept = 0
    for name in names[-5:]:
        report = roundtrip_bytes(triton_object(arch, f"{name}.{arch}.hsaco"), name)
        assert report.status == "identical", report.reason
        total += report.instructions
        kept += report.kept_as_bytes
    assert kept <= total // 100
    if arch in ("gfx942", "gfx950"):
        assert kept == 0


EXTREMES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 62, (1 << 64) - 1]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Flip bytes, put extremes in fields, cut, repeat or swap pieces."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        # Headers, notes and tables are where the structure is; hit them more often than code.
        at = rng.randrange(len(out)) if rng.random() < 0.5 else rng.randrange(min(0x900, len(out)))
        kind = rng.randrange(5)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            width = rng.choice(["<B", "<H", "<I", "<Q"])
            at -= at % struct.calcsize(width)
            value = rng.choice(EXTREMES) & (1 << 8 * struct.calcsize(width)) - 1
            if at + struct.calcsize(width) <= len(out):
                struct.pack_into(width, out, at, value)
        elif kind == 2:
            out[at : at + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(0, 40))
        elif kind == 3 and rng.random() < 0.3:
            del out[at:]
        else:
            size = rng.randrange(1, 64)
            other = rng.randrange(len(out))
            out[at : at + size] = out[other : other + size]
        if not out:
            break
    return bytes(out)


@pytest.mark.parametrize("name", ["saxpy", "reduce", "calls"])
def test_mutated_objects_give_typed_errors_in_time(kernel_objects: Objects, name: str) -> None:
    folder = "recovery" if name == "calls" else "."
    good = kernel_objects(name, "gfx942", folder)
    rng = random.Random(name)
    refusals: list[str] = []
    for _ in range(250):
        data = mutate(good, rng)
        start = time.process_time()
        try:
            program = recover(CodeObject.open(data))
            program.listing()
            recover(CodeObject.open(rebuild(apply(program, [Edit(1, 1, ("s_nop 0",) * 9)]))))
        except AsmEvoError as err:
            refusals.append(err.one_line())
        assert time.process_time() - start < 2
    assert 100 < len(refusals) < 240
    assert not any("\n" in line for line in refusals)
