"""Compressed bundles whose bytes were damaged."""

from __future__ import annotations

import pytest

from asmevo.codeobject import bundle
from asmevo.codeobject.elf import FormatError


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", [bundle.ZLIB, bundle.ZSTD])
def test_the_checksum_counts_in_every_header_version(version: int, method: int) -> None:
    packed = bundle.compress(b"contents of a bundle", version, method)
    assert bundle.parse_compressed(packed).contents == b"contents of a bundle"
    at = {1: 12, 2: 16, 3: 24}[version]  # the eight bytes in front of the body
    for n in range(at, at + 8):
        damaged = packed[:n] + bytes([packed[n] ^ 1]) + packed[n + 1 :]
        with pytest.raises(FormatError, match="checksum"):
            bundle.parse_compressed(damaged)
