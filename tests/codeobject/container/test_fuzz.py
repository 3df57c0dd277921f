"""Mutated containers of every kind: objects or typed errors, within 2 s and 512 MB each."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import resource
import time
from collections import Counter
from collections.abc import Callable

import pytest
import zstandard

from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import find_in, replace
from asmevo.errors import AsmEvoError

from . import makers
from .test_finding import tarred, zipped

Objects = Callable[..., bytes]
LONG = bool(os.environ.get("ASMEVO_CORPUS_TEST"))


def sources(k: bytes, other: bytes) -> dict[str, bytes]:
    """One container of every kind, and some in one another."""
    fat = makers.bundle([(makers.HOST_ID, b""), (makers.GPU_ID, k)], 64)
    host = makers.elf([(".text", bytes(64)), (".rodata", b"x" + other), (".hip_fatbin", fat)])
    package = makers.package([("gfx942", k), ("gfx950", other)], 2)
    wheel = zipped(("pkg/lib.so", host), ("pkg/k.co", k))
    return {
        "bundle": fat + bytes(40) + fat,
        "ccob1": makers.compressed(fat, version=1),
        "ccob2": makers.compressed(fat) + fat,
        "ccob3": makers.compressed(fat, version=3),
        "package1": makers.package([("gfx942", k)]),
        "package2": package,
        "package3": makers.package([("gfx942", k)], 3, inflate=True),
        "host": host,
        "offloading": makers.elf([(".llvm.offloading", package)]),
        "ar": makers.ar([("a.o", host), ("a_long_member_name.o", k)]),
        "bsd": makers.ar([("a_long_member_name.o", k), ("b", other)], bsd=True),
        "zip": wheel,
        "tar": tarred(("lib.so", host), ("x" * 120, k)),
        "gzip": gzip.compress(tarred(("k", k))),
        "zstd": zstandard.ZstdCompressor().compress(fat),
        "xz": lzma.compress(k),
        "bzip2": bz2.compress(k),
        "pe": makers.windows(fat),
        "nested": gzip.compress(makers.ar([("w.whl", zipped(("w", wheel)))])),
    }


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Fields at extremes, bits flipped, pieces moved, ends cut; headers more often."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        near = rng.choice([64, 600, len(out)])
        at = rng.randrange(min(near, len(out)))
        if rng.random() < 0.3:  # tables stand at the end, too
            at = len(out) - 1 - at
        kind = rng.randrange(5)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            size = rng.choice([1, 2, 4, 8])
            value = rng.choice([0, 1, 127, 255, 4096, 1 << 31, 1 << 40, (1 << 64) - 1])
            out[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        elif kind == 2:
            size, other = rng.randrange(1, 64), rng.randrange(len(out))
            out[at : at + size] = out[other : other + size]
        elif kind == 3:
            out[at : at + rng.randrange(1, 9)] = rng.randbytes(rng.randrange(9))
        elif rng.random() < 0.2:
            del out[max(1, at) :]
        if not out:
            out = bytearray(b"\0")
    return bytes(out)


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_mutated_containers(seed: int, kernel_objects: Objects) -> None:
    """2,000 of them; 20 times as many in the long suite."""
    kinds = sources(kernel_objects("saxpy"), kernel_objects("softmax"))
    names = sorted(kinds)
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for n in range(2000):
        data = mutate(kinds[names[n % len(names)]], rng)
        start = time.thread_time()
        for found in find_in(data):
            if found.error is not None:
                outcomes[type(found.error).__name__] += 1
                continue
            try:
                CodeObject.open(found.data)
                outcomes["opened"] += 1
            except AsmEvoError as err:
                outcomes[type(err).__name__] += 1
            try:
                replace(data, found.steps, found.data + bytes(rng.choice([0, 4096])))
            except AsmEvoError as err:
                outcomes["replace: " + type(err).__name__] += 1
        assert time.thread_time() - start < 2, names[n % len(names)]
    assert outcomes["opened"] > 200
    assert outcomes["FormatError"] > 50
    if LONG:
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20
