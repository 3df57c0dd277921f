"""Mutated launches: capsules as files, folders and archives, launch descriptions, bundles.

Half of the manifests and headers are sealed anew after a change, so that not the seal but what
stands behind it is tried. Every input lies in a folder of its own; a file that is opened elsewhere
while it is read is a fault.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import shutil
import struct
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zstandard

import asmevo
from asmevo.api import evidence_bundle, optimize
from asmevo.capsule import file as capsule_file
from asmevo.capsule import synthesize
from asmevo.capsule.recorded.manifest import sealed
from asmevo.deliver import bundle
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from asmevo.verify.synthesize import capsules_for

# Modules that are imported late, and what they read of themselves.
_PROGRAM = (str(Path(asmevo.__file__).parent), sys.prefix, sys.base_prefix, "/usr/lib")
_MOST_BYTES = 64 << 20  # of buffers here: a launch may ask for gigabytes, and get them
_ODD = (0, 1, -1, 2, 7, 63, 1 << 16, 1 << 31, 1 << 32, 1 << 47, (1 << 63) - 1, 1 << 64, 1 << 70,
        -(1 << 63), 0.5, 1e308, None, True, "", "x", "../../etc/passwd", "/etc/passwd", "a" * 5000,
        "\0", "\u2028", [], {}, [[]], "0" * 64, "f" * 64, "zstd", "raw", "zero")  # fmt: skip
_LINES = ('init: "file:/etc/passwd"', 'init: "file:../x.npy"', "grid: [1<<60]", "shape: [10**30]",
          "shape: [n*n*n*n*n*n*n]", "&a [*a]", "value: 1e999", "value: .inf", "schedule: pause:9e9",
          "{", "- -", "\t", "guard: 99999999999", "lds: 10000000", "seed: -1", "dtype: u64",
          "role: out", "kernel: '../x'", "value: n/0", "sizes: {n: n}",
          'init: "normal(0"')  # fmt: skip


def mutated(value: Any, rng: random.Random) -> Any:
    """A JSON value with one to three places changed: other values, twice, gone."""
    found = json.loads(json.dumps(value))
    for _ in range(rng.randint(1, 3)):
        holder: Any = found
        while True:
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            if not keys:
                break
            key = rng.choice(list(keys))
            inner = holder[key]
            if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
                holder = inner
                continue
            _change(holder, key, rng)
            break
    return found


def _change(holder: Any, key: Any, rng: random.Random) -> None:
    kind = rng.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif kind == 2 and isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] += rng.choice((-1, 1, 8, 4096, 1 << 32))
    elif kind == 3 and isinstance(holder[key], str) and holder[key]:
        at = rng.randrange(len(holder[key]))
        holder[key] = holder[key][:at] + chr(rng.randrange(1, 0x2100)) + holder[key][at + 1 :]
    else:
        holder[key] = copy.deepcopy(rng.choice(_ODD))


class Reader:
    """Reads mutated launches in a folder of its own; callable with the bytes of one.

    The first byte of an input says what it is: `f` a capsule file, `z` an archive, `d` an archive
    to unpack as a folder (members that begin with `->` become links), `l` a launch description,
    `b` a bundle.

    Args:
        folder: empty; what lies beside it must not be opened.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._code = kernel()
        self._opened: list[str] = []
        self._watching = False
        # There is no way to take a hook away again.
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        watched = ("open", "os.rename", "os.remove", "os.mkdir", "os.link")
        if self._watching and event in watched and not isinstance(arguments[0], int):
            self._opened.append(str(arguments[0]))

    def __call__(self, data: bytes) -> str:
        """What came of it: `read`, or the name of the error.

        Raises:
            RuntimeError: something outside the folder was opened.
        """
        place = self._folder / "input"
        self._put(place, data)
        self._opened.clear()
        self._watching = True
        try:
            return self._read(chr(data[0]), place, data[1:])
        finally:
            self._watching = False
            odd = [p for p in self._opened if not self._inside(p)]
            if odd:
                raise RuntimeError(f"outside the folder: {odd[0]}")
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    def _inside(self, path: str) -> bool:
        mine = ("/proc/meminfo", str(self._folder) + "/", *_PROGRAM)
        if path.startswith(mine) and ".." not in path:
            return True
        # Relative to a handle: names of members.
        return path in ("manifest.json", "blobs") or (len(path) == 64 and path.isalnum())

    def _put(self, place: Path, data: bytes) -> None:
        if data[:1] != b"d":
            place.write_bytes(data[1:])
            return
        place.mkdir()
        with zipfile.ZipFile(io.BytesIO(data[1:])) as archive:
            for info in archive.infolist():
                path = place / info.filename.removeprefix("->")
                path.parent.mkdir(exist_ok=True)
                contents = archive.read(info)
                if info.filename.startswith("->"):
                    path.symlink_to(contents.decode())
                else:
                    path.write_bytes(contents)

    def _read(self, kind: str, place: Path, data: bytes) -> str:
        if kind == "b":
            bundle.unpack(data, "bundle")
        else:
            for capsule in capsules_for(self._code, place):
                capsule.digest()
        return "read"


def kernel() -> bytes:
    """The kernel that all launches are of: it has everything that a recording can hold."""
    from tests.reference.recorded import SOURCE

    return assemble_object(SOURCE, Target("gfx942"))


def _members(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _packed(members: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def _recorded(members: dict[str, bytes], rng: random.Random) -> tuple[dict[str, bytes], int]:
    """Members of a capsule after one kind of damage, and how to pack them."""
    found = dict(members)
    blobs = sorted(n for n in found if n.startswith("blobs/"))
    kind = rng.randrange(6)
    how = zipfile.ZIP_STORED
    if kind < 3:
        document = json.loads(found["manifest.json"])
        seal = document.pop("seal")
        changed = mutated(document, rng)
        raw = (
            sealed(changed) if isinstance(changed, dict) and kind else json.dumps(changed).encode()
        )
        found["manifest.json"] = raw if kind else raw[:-1] + b',"seal":"' + seal.encode() + b'"}'
    elif kind == 3:
        name = rng.choice([*blobs, "manifest.json"])
        found[name] = flipped(found[name], rng)
    elif kind == 4:
        name = rng.choice(blobs)
        data = found.pop(name)
        odd = ("../" + name, "/tmp/" + name[-64:], name.upper(), name + "/x", name[:-1] + "g")
        new = rng.choice([*odd, "->" + name])
        found[new] = data if not new.startswith("->") else rng.choice(
            [b"/etc/passwd", b"../../outside", b"/proc/self/mem", b".", b"/dev/zero"])  # fmt: skip
    else:
        how = zipfile.ZIP_DEFLATED
        bomb = zstandard.ZstdCompressor().compress(bytes(1 << rng.choice([10, 22, 26])))
        found[rng.choice(blobs)] = bomb
    return found, how


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Bits flipped, or a piece cut off, put in or at an extreme."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(max(1, len(out)))
        if len(out) < 2 or rng.random() < 0.15:
            del out[at:]
            out += rng.randbytes(rng.randrange(20))
        elif rng.random() < 0.4:
            out[at : at + 8] = (rng.choice((0, 1 << 31, 1 << 63, (1 << 64) - 1))).to_bytes(
                8, "little"
            )
        else:
            out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


def _file(data: bytes, rng: random.Random) -> bytes:
    """A capsule file with a changed header under a new hash, or with changed bytes."""
    if rng.random() < 0.4:
        return flipped(data, rng)
    head = struct.Struct("<8sIIQ32s")
    magic, version, length, size, _ = head.unpack_from(data)
    header = json.dumps(mutated(json.loads(data[head.size : head.size + length]), rng)).encode()
    rest = data[head.size + length :]
    digest = hashlib.sha256(header + rest).digest()
    return head.pack(magic, version, len(header), size, digest) + header + rest


def _description(lines: list[str], rng: random.Random) -> str:
    out = list(lines)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(out))
        kind = rng.randrange(4)
        if kind == 0:
            del out[at]
            out = out or [""]
        elif kind == 1:
            out.insert(at, rng.choice(_LINES))
        elif kind == 2 and out[at]:
            n = rng.randrange(len(out[at]))
            out[at] = out[at][:n] + chr(rng.randrange(1, 0x2100)) + out[at][n + 1 :]
        else:
            numbers = [i for i, c in enumerate(out[at]) if c.isdigit()]
            if numbers:
                n = rng.choice(numbers)
                out[at] = out[at][:n] + str(rng.choice(_ODD[:13])) + out[at][n + 1 :]
    return "\n".join(out)


LAUNCH = """schema: asmevo/launch/1
kernel: gather
sizes: {n: 64, groups: 3}
variants: [{n: 63}, {groups: 1}]
grid: [groups, 1, 1]
block: [64, 1, 1]
lds: 512
seed: 7
schedule: barrier
hidden: zero
tolerance: {theta: 0.9999, tau: 1.0e-3}
args:
  - {name: table, dtype: u64, shape: [8], init: zeros, role: in}
  - {name: out, dtype: f32, shape: [groups, n], role: out}
  - {name: state, dtype: i32, shape: [n], init: "randint(0, 9)", role: inout}
"""


def inputs(rng: random.Random, scratch: Path, bundles: bool) -> Iterator[bytes]:
    """Mutated launches without end; `scratch` is a folder for the good ones."""
    from tests.deliver.forging import members, small_problem
    from tests.reference.recorded import recorded

    code = kernel()
    capsule = _members(recorded(code, scratch / "good.capsule"))
    (scratch / "launch.yaml").write_text(LAUNCH)
    single = capsule_file.dumps(capsules_for(code, scratch / "launch.yaml")[0])
    evidence: dict[str, bytes] = {}
    if bundles:  # one of a real search
        evidence = members(evidence_bundle(optimize(*small_problem(scratch), budget=8)))
    lines = LAUNCH.split("\n")
    while True:
        kind = rng.choice("ffzdlllb" if bundles else "ffzdlll")
        if kind == "f":
            yield b"f" + _file(single, rng)
        elif kind == "l":
            yield b"l" + _description(lines, rng).encode("utf8", "replace")
        elif kind == "b":
            yield b"b" + _bundle(evidence, rng)
        else:
            changed, how = _recorded(capsule, rng)
            if kind == "d":
                changed = {n: d for n, d in changed.items() if not n.startswith(("/", ".."))}
                yield b"d" + _packed(changed)
            else:
                data = _packed(changed, how if rng.random() < 0.5 else zipfile.ZIP_STORED)
                yield b"z" + (flipped(data, rng) if rng.random() < 0.3 else data)


def _bundle(contents: dict[str, bytes], rng: random.Random) -> bytes:
    """A bundle with a changed manifest and seal, or with changed bytes."""
    if rng.random() < 0.4:
        return flipped(_packed(contents, zipfile.ZIP_STORED), rng)
    changed = dict(contents)
    if rng.random() < 0.3:
        name = rng.choice(sorted(changed))
        changed[name] = flipped(changed[name], rng)
    manifest = mutated(json.loads(contents["manifest.json"]), rng)
    if isinstance(manifest, dict):
        manifest.pop("seal", None)
        text = json.dumps(manifest, sort_keys=True, separators=(",", ":"))
        manifest["seal"] = hashlib.sha256(text.encode()).hexdigest()
    changed["manifest.json"] = json.dumps(manifest).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in changed.items():
            archive.writestr(
                name, data, zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED
            )
    return out.getvalue()


@contextmanager
def stream(
    rng: random.Random, bundles: bool = True
) -> Iterator[tuple[Iterator[bytes], Callable[[bytes], str]]]:
    """Inputs, and what reads them; files beside the reader's folder must stay unread."""
    most, synthesize.MOST_BYTES = synthesize.MOST_BYTES, _MOST_BYTES
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for folder in ("good", "reader"):
            (Path(name) / folder).mkdir()
        (Path(name) / "outside").write_bytes(b"not yours")
        made = inputs(rng, Path(name) / "good", bundles)
        next(made)  # what the good ones need is made before anything is watched
        try:
            yield made, Reader(Path(name) / "reader")
        finally:
            synthesize.MOST_BYTES = most
