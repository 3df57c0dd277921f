"""The format of evidence bundles: whole, sealed, and hostile ones refused in one line."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from asmevo.api.optimization import Optimization
from asmevo.deliver.bundle import BundleError, unpack
from tests.deliver.forging import members, packed


def test_a_bundle_holds_what_was_searched(searched: Optimization, bundle: bytes) -> None:
    read = unpack(bundle, "b")
    assert read.k0 == searched.original.data
    assert read.k1 == searched.object
    assert read.launches == searched.launches
    assert read.record["attempts"] == len(searched.search.attempts)
    assert [s.node for s in read.manifest.steps] == [n.id for n in searched.search.lineage[1:]]
    assert (
        read.manifest.launches[0].k1_cases.keys()
        == dict(searched.search.best.timings[0].cases).keys()
    )


def test_every_changed_member_shows(bundle: bytes) -> None:
    contents = members(bundle)
    for name in contents:
        changed = bytearray(contents[name])
        changed[len(changed) // 2] ^= 1
        with pytest.raises(BundleError):
            unpack(packed({**contents, name: bytes(changed)}), "b")


@pytest.mark.parametrize("what", ["lost", "added", "twice", "renamed"])
def test_members_come_and_go_with_the_seal(bundle: bytes, what: str) -> None:
    contents = members(bundle)
    if what == "lost":
        del contents["launches/0.capsule"]
    elif what == "added":
        contents["launches/9.capsule"] = b"x"
    elif what == "renamed":
        contents["../k1.hsaco"] = contents.pop("k1.hsaco")
    data = packed(contents)
    if what == "twice":
        out = io.BytesIO(data)
        with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("k1.hsaco", b"another")
        data = out.getvalue()
    with pytest.raises(BundleError):
        unpack(data, "b")


def test_a_manifest_without_its_seal_or_with_more_is_refused(bundle: bytes) -> None:
    contents = members(bundle)
    manifest = json.loads(contents["manifest.json"])
    for changed in (
        {k: v for k, v in manifest.items() if k != "seal"},
        {**manifest, "more": 1},
        {**manifest, "speedup": 100.0},
        {**manifest, "steps": []},
        {**manifest, "steps": list(reversed(manifest["steps"] * 2))},
        {**manifest, "members": {}},
        [],
    ):
        with pytest.raises(BundleError):
            unpack(packed({**contents, "manifest.json": json.dumps(changed).encode()}), "b")


def test_a_bomb_is_not_unpacked(bundle: bytes) -> None:
    contents = members(bundle)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in contents:
            archive.writestr(name, contents[name] if name != "k1.hsaco" else bytes(64 << 20))
    with pytest.raises(BundleError, match="packed in another way"):
        unpack(out.getvalue(), "b")
    with pytest.raises(BundleError, match="unpacks to"):
        unpack(packed({"manifest.json": b"[" * (65 << 20)}), "b")
    with pytest.raises(BundleError):
        unpack(packed({"manifest.json": b"[" * 1_000_000}), "b")


def test_damage_anywhere_gives_one_line(bundle: bytes) -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        data = bytearray(bundle)
        for _ in range(int(rng.integers(1, 6))):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
        if rng.random() < 0.3:
            data = data[: int(rng.integers(len(data)))]
        assert _outcome(bytes(data)) in ("refused", unpack(bundle, "b").manifest.seal)


def _outcome(data: bytes) -> str:
    """`refused` in one line, or the seal (where only bits changed that zip does not read)."""
    try:
        return unpack(data, "b").manifest.seal
    except BundleError as err:
        return "refused" if "\n" not in err.one_line() else err.one_line()
