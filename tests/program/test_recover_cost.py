"""What recovery costs: code that is made to take long, and memory for each instruction.

hostile: hugetext (a zip of one huge text). A zip of 15 kB with 15 MiB of zero words took 20 s and
1 GB; siblings are other words, patterns, and words that nobody can decode.
"""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.container import find_in
from asmevo.errors import UnsupportedError
from asmevo.isa.codec.llvm import disassembler
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.encoding import EncodingTable
from asmevo.program.roundtrip import roundtrip
from codeobject.container.test_finding import zipped

Objects = Callable[..., bytes]
SECTION = struct.Struct("<IIQQQQIIQQ")
NOP = b"\0\0\x80\xbf"


def with_code(k: bytes, more: bytes) -> bytes:
    """An object whose code has more bytes behind it (and now stands at the file's end)."""
    data = bytearray(k)
    at, count = struct.unpack_from("<Q", k, 40)[0], struct.unpack_from("<H", k, 60)[0]
    headers = [list(SECTION.unpack_from(k, at + 64 * i)) for i in range(count)]
    code = next(h for h in headers if h[2] & 4)
    body = k[code[4] : code[4] + code[5]] + more
    data += bytes(-len(data) % 256)
    code[4:6] = len(data), len(body)
    data += body + bytes(-len(body) % 8)
    struct.pack_into("<Q", data, 40, len(data))
    return bytes(data) + b"".join(SECTION.pack(*h) for h in headers)


def patterns() -> dict[str, bytes]:
    rng = random.Random(5)
    moves = [struct.pack("<I", 0x7E000200 | rng.randrange(120) << 17 | rng.randrange(100))
             for _ in range(300)]  # fmt: skip
    unread = [struct.pack("<I", 0xD8000000 | rng.randrange(1 << 16)) for _ in range(9)]
    return {
        "zeros": bytes(4),
        "nops": NOP,
        "moves": b"".join(moves),
        "unread": b"".join(moves[:20] + unread + moves[20:30]),
        "mixed": bytes(400) + b"".join(moves) + NOP * 99,
    }


def peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


@pytest.mark.parametrize("kind", patterns())
def test_repeated_code_is_cheap(kind: str, kernel_objects: Objects) -> None:
    pattern = patterns()[kind]
    size = 6 << 20
    data = with_code(kernel_objects("saxpy"), (pattern * (size // len(pattern) + 1))[:size])
    Path("/proc/self/clear_refs").write_text("5")
    before, start = peak(), time.thread_time()
    program = recover(CodeObject.open(data))
    assert time.thread_time() - start < 4
    assert len(program.instructions) > size // 12
    assert peak() - before < 80 * len(program.instructions) + (32 << 20)


@pytest.mark.parametrize("size", [5, 15, 120])
def test_a_zip_of_zero_code(size: int, tmp_path: Path, kernel_objects: Objects) -> None:
    path = tmp_path / "k.zip"
    path.write_bytes(zipped(("k.co", with_code(kernel_objects("saxpy"), bytes(size << 20)))))
    start = time.thread_time()
    (report,) = roundtrip([path], workers=1)
    assert time.thread_time() - start < 5
    assert (report.status, report.exit_code) == ("unsupported", 3)
    assert "for a file of this size" in report.reason or "100 times" in report.reason


def test_a_zip_of_repeated_code_just_too_small(tmp_path: Path, kernel_objects: Objects) -> None:
    """Code that repeats itself within the ratio of real libraries costs what its size costs."""
    for count in (3, 300):
        some = patterns()["moves"][: 4 * count]
        body = with_code(kernel_objects("saxpy"), some * ((9 << 20) // len(some)))
        path = tmp_path / f"k{count}.zip"
        path.write_bytes(zipped(("k.co", body)))
        start = time.thread_time()
        (report,) = roundtrip([path], workers=1)
        assert time.thread_time() - start < 5
        assert (report.status, report.exit_code) == ("unsupported", 3)
        assert "100 times" in report.reason


def test_a_text_far_too_large_for_its_functions(kernel_objects: Objects) -> None:
    (found,) = find_in(with_code(kernel_objects("saxpy"), bytes(40 << 20)))
    co = CodeObject.open(found.data)
    start = time.thread_time()
    with pytest.raises(UnsupportedError, match="bytes of code; at most"):
        recover(co)
    assert time.thread_time() - start < 1


@pytest.mark.parametrize("seed", range(2))
def test_runs_of_words_are_read_as_llvm_reads_them(seed: int) -> None:
    """Runs of any length, of readable and unreadable words, between others; none is lost."""
    rng = random.Random(seed)
    target = Target("gfx942")
    words = [bytes(4), NOP, b"\x00\x02\x00\x7e", b"\xff\xff\xff\xff", b"\x01\x00\x00\xd8",
             b"\x03\x02\x02\x7e"]  # fmt: skip
    longer = [b"\x05\x01\x02\x02\x00\x00\x00\x00", b"\xff\x00\x80\xbe\x11\x22\x33\x44"]
    code = b"".join(
        rng.choice(words) * rng.choice([1, 2, 3, 7, 64, 1000, 40_000])
        if rng.random() < 0.7 else rng.choice(longer)
        for _ in range(40)
    )  # fmt: skip
    expected = [(code[d.offset : d.offset + d.size], d.text is not None)
                for d in disassembler(target).decode(code)]  # fmt: skip
    for _ in range(2):  # with an empty table, and with one that knows everything
        got = EncodingTable(target).decode(code)
        assert b"".join(i.raw for i in got) == code
        assert [(i.raw, i.text is not None) for i in got] == expected
