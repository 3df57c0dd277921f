"""Hostile images through hipModuleLoadData, and the library under sanitizers.

Images are mutations of a real object and of bundles of it (seeded): bits flipped, cut, header
fields set to extremes. Whatever they are, the program gets an error code or a module, and lives.
"""

import os
import random
import subprocess

import pytest

from asmevo.codeobject.bundle import build_bundle, compress
from hip.conftest import CLIENTS, WARNINGS, facts

LONG = "ASMEVO_CORPUS_TEST" in os.environ
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def mutations(data: bytes, count: int, seed: int):
    rng = random.Random(seed)
    bundle = build_bundle([("host-x86_64-unknown-linux--", b""),
                           ("hipv4-amdgcn-amd-amdhsa--gfx942", data)])  # fmt: skip
    bases = [data, bundle, compress(bundle, 3, 1), compress(bundle, 2, 0)]
    for n in range(count):
        raw = bytearray(bases[n % len(bases)])
        kind = rng.randrange(4)
        if kind == 0:
            for _ in range(rng.randint(1, 8)):
                raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del raw[rng.randrange(1, len(raw)) :]
        elif kind == 2:  # a field of the first headers
            at = rng.randrange(4, 120) & ~7
            raw[at : at + 8] = rng.choice(
                [b"\xff" * 8, bytes(8), (1 << 40).to_bytes(8, "little"), b"\x7f" + b"\xff" * 7]
            )
        else:
            raw[4:64] = rng.randbytes(60)
        yield bytes(raw)


@pytest.fixture
def files(tmp_path, saxpy):
    def make(count, seed):
        made = []
        for n, raw in enumerate(mutations(saxpy.read_bytes(), count, seed)):
            path = tmp_path / f"{n}"
            path.write_bytes(raw)
            made.append(path)
        return made

    return make


def test_hostile_images_never_end_the_program(run, registered, affine, files):
    _, text = run(registered, affine, "hostile", *files(400 if LONG else 60, 1))
    seen = facts(text.replace(" refused ", "\nrefused "))
    assert int(seen["loaded"]) + int(seen["refused"]) == (400 if LONG else 60)
    assert int(seen["refused"]) > int(seen["loaded"])
    assert (seen["null"], seen["unmapped"]) == ("1", "200")
    assert seen["synchronize"] == "0"


@pytest.mark.skipif(not LONG, reason="long: make corpus-test")
def test_the_library_under_sanitizers(tmp_path, affine, files, monkeypatch):
    from asmevo.api.programs.executing import execute
    from asmevo.hip import build as builder

    probe = tmp_path / "probe"
    command = [*builder.compiler().command, *SANITIZERS, "-x", "c", "-", "-o", str(probe)]
    if subprocess.run(command, input=b"int main(void){return 0;}", capture_output=True).returncode:
        pytest.skip("this compiler has no sanitizers")
    folder = builder.build(SANITIZERS)
    monkeypatch.setattr("asmevo.api.programs.executing.build", lambda: folder)
    client = tmp_path / "client"
    subprocess.run(
        [*builder.compiler().command, *WARNINGS, *SANITIZERS, "-g", str(CLIENTS / "registered.c"),
         "-o", str(client), f"-L{folder / 'hip6'}", "-lamdhip64", "-lpthread"],
        check=True,
    )  # fmt: skip
    for mode in (["everything"], ["threads"], ["lose"], ["fork"], ["hostile", *files(200, 2)]):
        with (tmp_path / "out").open("w") as out:
            result = execute(
                [str(client), str(affine), *map(str, mode)], output=out.fileno(),
                settings={"ASAN_OPTIONS": "detect_leaks=0"},
            )  # fmt: skip
        assert result.returncode == 0, mode[0]
