"""The long runs of `make corpus-test`: the whole wheel, 300 grown objects, 20,000 mutated ones."""

from __future__ import annotations

import os
import random
import resource
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.api.installation import corpora as corpus
from asmevo.codeobject import CodeObject
from asmevo.codeobject import bundle as bd
from asmevo.codeobject.container import find_in
from asmevo.errors import AsmEvoError
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.roundtrip import roundtrip, roundtrip_bytes
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read

Objects = Callable[..., bytes]
KERNELS = Path(__file__).resolve().parents[2] / "kernels"
COMMITTED = sorted(KERNELS.glob("**/*.s"))
LONG = pytest.mark.skipif(
    not os.environ.get("ASMEVO_CORPUS_TEST"), reason="long run: set ASMEVO_CORPUS_TEST=1"
)


def test_every_committed_kernel(kernel_objects: Objects) -> None:
    assert len(COMMITTED) > 90
    for path in COMMITTED:
        folder = str(path.parent.parent.relative_to(KERNELS))
        data = kernel_objects(path.stem, path.parent.name, folder)
        report = roundtrip_bytes(data, str(path))
        assert (report.status, report.kept_as_bytes) == ("identical", 0), report
        assert read(write(recover(CodeObject.open(data)))) == data


@LONG
@pytest.mark.corpus
def test_whole_wheel(aiter_root: Path) -> None:
    reports = roundtrip([aiter_root])
    assert len(reports) >= 2613
    assert {r.status for r in reports} == {"identical"}
    for r in reports:
        if r.target.startswith("gfx942"):
            assert r.kept_as_bytes == 0
        assert all(name.startswith("v_mfma_scale") for name, _ in r.kept_classes)


@LONG
@pytest.mark.corpus
def test_all_triton_objects() -> None:
    root = corpus.corpus_root() / "triton"
    if not root.is_dir():
        pytest.skip(f"{root} is missing")
    kept: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for r in roundtrip([root]):
        assert r.status == "identical", r
        arch = r.target.partition(":")[0]
        kept[arch] += r.kept_as_bytes
        total[arch] += r.instructions
    assert total
    assert not kept["gfx942"] + kept["gfx950"]
    assert all(kept[arch] <= total[arch] // 100 for arch in total)


def grown(program: Program) -> tuple[Program, list[int]]:
    """A nop in front of every 50th instruction that may have one."""
    taken = {i for r in program.references for i in range(r.pc_read + 1, r.high + 1)}
    for k in program.object.kernels:
        if k.descriptor.kernarg_preload_length and program.target.is_gfx9:
            first = program.anchors[k.entry]
            end = program.offsets[first] + 256
            taken |= {i for i in range(first, len(program.offsets)) if program.offsets[i] < end}
    places = [i for i in range(0, len(program.instructions), 50) if i not in taken]
    return apply(program, [Edit(i, i, ("s_nop 0",)) for i in places]), places


@LONG
@pytest.mark.corpus
def test_300_objects_grow(aiter_root: Path, kernel_objects: Objects) -> None:
    files = sorted(aiter_root.rglob("*.co"))
    paths = files[:: len(files) // 150] + sorted(aiter_root.rglob("*.hsaco"))[::4]
    paths += sorted((corpus.corpus_root() / "triton").rglob("*.hsaco"))
    objects = [p.read_bytes() for p in paths]
    for path in COMMITTED:
        folder = str(path.parent.parent.relative_to(KERNELS))
        objects.append(kernel_objects(path.stem, path.parent.name, folder))
    assert len(objects) >= 250
    for data in objects:
        program = recover(CodeObject.open(data))
        edited, places = grown(program)
        again = recover(CodeObject.open(rebuild(edited)))
        assert [i.raw for i in again.instructions] == [i.raw for i in edited.instructions]
        assert dict(again.targets) == dict(edited.targets)
        fillers = ("s_nop", "s_code_end")
        kept = [i for i in again.instructions if i.mnemonic not in fillers]
        old = [i for i in program.instructions if i.mnemonic not in fillers]
        assert [i.mnemonic for i in kept] == [i.mnemonic for i in old]
        assert places
        assert [(s.name, s.info, s.other) for s in again.object.elf.all_symbols()] == [
            (s.name, s.info, s.other) for s in program.object.elf.all_symbols()
        ]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, fields at extremes, pieces moved, ends cut."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(out)) if rng.random() < 0.5 else rng.randrange(min(2300, len(out)))
        kind = rng.randrange(4)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            size = rng.choice([1, 2, 4, 8])
            value = rng.choice([0, 1, 127, 128, 255, 1 << 31, (1 << 64) - 1]) & (1 << 8 * size) - 1
            out[at : at + size] = value.to_bytes(size, "little")
        elif kind == 2:
            size = rng.randrange(1, 64)
            other = rng.randrange(len(out))
            out[at : at + size] = out[other : other + size]
        elif rng.random() < 0.1:
            del out[max(1, at) :]
    return bytes(out)


@LONG
def test_20000_mutations(kernel_objects: Objects) -> None:
    objects = [kernel_objects(n) for n in ("saxpy", "softmax", "matmul_f16")]
    objects += [kernel_objects("calls", a, "recovery") for a in ("gfx90a", "gfx942", "gfx1100")]
    raw = bd.build_bundle([("host-x", b""), ("hip-a", objects[0]), ("hip-b", objects[3])])
    sources = [*objects, raw, raw + bytes(99) + raw]
    sources += [bd.compress(raw, version, bd.ZLIB) for version in (1, 2, 3)]
    rng = random.Random(20_000)
    outcomes: Counter[str] = Counter()
    for _ in range(20_000):
        data = mutate(rng.choice(sources), rng)
        start = time.process_time()
        for found in find_in(data):
            try:
                program = recover(CodeObject.open(found.data))
                recover(CodeObject.open(rebuild(apply(program, [Edit(1, 1, ("s_nop 0",) * 9)]))))
                outcomes["recovered"] += 1
            except AsmEvoError as err:
                outcomes[type(err).__name__] += 1
        assert time.process_time() - start < 2
    assert outcomes["recovered"] > 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 512 << 10
