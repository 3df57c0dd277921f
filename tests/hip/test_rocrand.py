"""The vendor's rocRAND (Debian's package, five architectures, code object version 4) as a client.

Independent answers: Philox4x32-10 as its paper gives it (Salmon et al., "Parallel Random Numbers:
As Easy as 1, 2, 3", SC11); Sobol's first dimension, whose direction numbers are 2^31, 2^30, ...,
in the order of the Gray code (Antonov and Saleev).
"""

import json
import sys

import numpy as np
import pytest

from hip.conftest import CLIENTS

SEED = 0x1234_5678_9ABC_DEF0
COUNT = 1000


def philox(count: int) -> list[int]:
    """Words of the counters 0, 1, 2, ... under the key SEED."""
    found: list[int] = []
    for number in range(-(-count // 4)):
        c, k = [number, 0, 0, 0], [SEED & 0xFFFFFFFF, SEED >> 32]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            low = 0xFFFFFFFF
            c = [q >> 32 ^ c[1] ^ k[0], q & low, p >> 32 ^ c[3] ^ k[1], p & low]
            k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
        found += c
    return found[:count]


def sobol(count: int) -> list[int]:
    """The first dimension."""
    x, found = 0, []
    for n in range(count):
        found.append(x)
        x ^= 1 << (31 - ((~n & (n + 1)).bit_length() - 1))
    return found


def test_the_references_know_published_values():
    # Random123's known answer test of philox4x32-10 for an all-zero counter and key.
    c, k = [0, 0, 0, 0], [0, 0]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    assert c == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert [x / 2**32 for x in sobol(5)] == [0, 0.5, 0.75, 0.25, 0.375]


@pytest.fixture(scope="module")
def drawn(vendor_library, tmp_path_factory):
    from asmevo.api.programs.executing import execute

    library = vendor_library("librocrand.so.1", "librocrand1")
    out = tmp_path_factory.mktemp("rocrand") / "words"
    with out.open("w") as stream:
        result = execute(
            [sys.executable, str(CLIENTS / "rocrand.py"), str(library), str(COUNT),
             "philox,sobol32,xorwow,mrg32k3a,mtgp32"],
            arch="gfx90a", output=stream.fileno(),
        )  # fmt: skip
    assert result.ok, result.reason
    return json.loads(out.read_text())


def test_philox_is_philox(drawn):
    assert drawn["philox"]["words"] == philox(COUNT)


def test_sobol_is_sobol(drawn):
    assert drawn["sobol32"]["words"] == sobol(COUNT)


def test_normals_are_normal(drawn):
    values = np.array(drawn["philox"]["normals"])
    assert abs(values.mean() - 1.0) < 4 * 2.0 / COUNT**0.5
    assert abs(values.std() - 2.0) < 0.2


def test_all_generators_run(drawn):
    for kind, one in drawn.items():
        assert set(one["status"]) == {0}, kind
        words = np.array(one["words"], np.float64) / 2**32
        assert len(set(one["words"])) == COUNT, kind
        assert abs(words.mean() - 0.5) < 4 * 0.2887 / COUNT**0.5, kind
