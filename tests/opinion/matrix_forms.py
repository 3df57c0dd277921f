"""Matrix instructions as the tests know them: names by target, shapes, formats, layouts.

Written from the register layout formulas (AMD matrix instruction calculator; CDNA3 and CDNA4 ISA
chapter 7), not from the product's tables: lanes and slots are NumPy index arrays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

# Every v_mfma and v_smfmac that LLVM 22 assembles, found by trying 17,280 spellings per target and
# keeping the spelling that its disassembler prints.
_OLD = """
f32_32x32x1f32 f32_16x16x1f32 f32_4x4x1f32 f32_32x32x2f32 f32_16x16x4f32
f32_32x32x4f16 f32_16x16x4f16 f32_4x4x4f16 f32_32x32x8f16 f32_16x16x16f16
i32_32x32x4i8 i32_16x16x4i8 i32_4x4x4i8 i32_32x32x8i8 i32_16x16x16i8
f32_32x32x2bf16 f32_16x16x2bf16 f32_4x4x2bf16 f32_32x32x4bf16 f32_16x16x8bf16
f32_32x32x4bf16_1k f32_16x16x4bf16_1k f32_4x4x4bf16_1k f32_32x32x8bf16_1k f32_16x16x16bf16_1k
f64_16x16x4f64 f64_4x4x4f64
"""
_COMMON = """
f32_32x32x1_2b_f32 f32_16x16x1_4b_f32 f32_4x4x1_16b_f32 f32_32x32x2_f32 f32_16x16x4_f32
f32_32x32x4_2b_f16 f32_16x16x4_4b_f16 f32_4x4x4_16b_f16 f32_32x32x8_f16 f32_16x16x16_f16
f32_32x32x4_2b_bf16 f32_16x16x4_4b_bf16 f32_4x4x4_16b_bf16 f32_32x32x8_bf16 f32_16x16x16_bf16
i32_32x32x4_2b_i8 i32_16x16x4_4b_i8 i32_4x4x4_16b_i8 i32_32x32x16_i8 i32_16x16x32_i8
f64_16x16x4_f64 f64_4x4x4_4b_f64
"""
_EIGHT = ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8")
_EIGHT_DENSE = [f"f32_{s}_{p}" for s in ("16x16x32", "32x32x16") for p in _EIGHT]
_SPARSE = [
    *(f"f32_{s}_{t}" for s in ("16x16x32", "32x32x16") for t in ("f16", "bf16")),
    "i32_16x16x64_i8",
    "i32_32x32x32_i8",
    *(f"f32_{s}_{p}" for s in ("16x16x64", "32x32x32") for p in _EIGHT),
]
_DOUBLED = """
f32_16x16x32_f16 f32_32x32x16_f16 f32_16x16x32_bf16 f32_32x32x16_bf16
i32_16x16x64_i8 i32_32x32x32_i8
"""
_SPARSE_DOUBLED = [
    *(f"f32_{s}_{t}" for s in ("16x16x64", "32x32x32") for t in ("f16", "bf16")),
    "i32_16x16x128_i8",
    "i32_32x32x64_i8",
    *(f"f32_{s}_{p}" for s in ("16x16x128", "32x32x64") for p in _EIGHT),
]
_MIXED = [
    f"v_mfma_{scale}f32_{s}_f8f6f4" for s in ("16x16x128", "32x32x64") for scale in ("", "scale_")
]


def _names(prefix: str, spellings: str | list[str]) -> list[str]:
    words = spellings.split() if isinstance(spellings, str) else spellings
    return [prefix + w for w in words]


NAMES: dict[str, list[str]] = {
    "gfx90a": _names("v_mfma_", _OLD),
    "gfx942": [
        *_names("v_mfma_", _COMMON),
        "v_mfma_f32_16x16x8_xf32",
        "v_mfma_f32_32x32x4_xf32",
        *_names("v_mfma_", _EIGHT_DENSE),
        *_names("v_smfmac_", _SPARSE),
    ],
    "gfx950": [
        *_names("v_mfma_", _COMMON),
        *_names("v_mfma_", _EIGHT_DENSE),
        *_names("v_smfmac_", _SPARSE),
        *_names("v_mfma_", _DOUBLED),
        *_names("v_smfmac_", _SPARSE_DOUBLED),
        *_MIXED,
    ],
}
WIDTH = {"f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8}
WIDTH |= {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}
CODES = ("fp8", "bf8", "fp6", "bf6", "fp4")  # CBSZ and BLGP of the f8f6f4 forms


@dataclass(frozen=True)
class Form:
    """One instruction on one target; `k` is the dense depth.

    `old` marks gfx90a's first bf16 forms. `size` is M and N (they are always equal).
    """

    arch: str
    name: str
    result: str
    size: int
    k: int
    blocks: int
    a: str
    b: str
    sparse: bool
    scaled: bool
    old: bool = False

    @property
    def stored(self) -> int:
        """Elements of A per row."""
        return self.k // 2 if self.sparse else self.k

    def registers(self, side: str) -> int:
        """Registers of A or B."""
        depth, kind = (self.stored, self.a) if side == "a" else (self.k, self.b)
        return self.size * depth * self.blocks * WIDTH[kind] // (64 * 32)

    @property
    def results(self) -> int:
        """Registers of C and D."""
        return self.size**2 * self.blocks * (2 if self.result == "f64" else 1) // 64


_FORM = re.compile(
    r"v_(mfma|smfmac)_(scale_)?(f32|f64|i32)_(\d+)x\d+x(\d+)_?(?:(\d+)b_)?"
    r"(f64|f32|xf32|f16|bf16(?:_1k)?|i8|(?:fp8|bf8)_(?:fp8|bf8)|f8f6f4)$"
)
# gfx90a leaves the block count out: these are the shapes with one block.
_ONE_BLOCK = {
    "f32": {(32, 2), (16, 4)},
    "f16": {(32, 8), (16, 16)},
    "bf16": {(32, 4), (16, 8)},
    "bf16_1k": {(32, 8), (16, 16)},
    "i8": {(32, 8), (16, 16)},
    "f64": {(16, 4)},
}


@lru_cache(maxsize=1024)
def form(arch: str, name: str, cbsz: int = 0, blgp: int = 0) -> Form:
    """The form of a mnemonic; CBSZ and BLGP only matter for f8f6f4."""
    found = _FORM.match(name)
    assert found is not None, name
    kind, scale, result, size, k, blocks, types = found.groups()
    m, depth = int(size), int(k)
    old = arch == "gfx90a" and types == "bf16"
    count = int(blocks or 1)
    if arch == "gfx90a" and (m, depth) not in _ONE_BLOCK[types]:
        count = {32: 2, 16: 4, 4: 4 if types == "f64" else 16}[m]
    types = types.removesuffix("_1k")
    a, b = types.split("_") if types.count("8") == 2 else (types, types)
    if types == "f8f6f4":
        a, b = CODES[cbsz], CODES[blgp]
    return Form(arch, name, result, m, depth, count, a, b, kind == "smfmac", scale is not None, old)


# --- places -------------------------------------------------------------------------------------
def input_places(f: Form, side: str) -> tuple[Indices, Indices]:
    """(lane, slot) of A as [block, row, k] or of B as [block, column, k]."""
    depth, kind = (f.stored, f.a) if side == "a" else (f.k, f.b)
    block, i, k = np.ogrid[: f.blocks, : f.size, :depth]
    groups = 64 // (f.size * f.blocks)
    per_lane = depth // groups
    if WIDTH[kind] == 8 and per_lane > 16:
        # Sixteen bytes of a lane, then sixteen of the next group of lanes.
        lane = i + f.size * ((k // 16) % groups) + 0 * block
        slot = 16 * (k // (16 * groups)) + k % 16 + 0 * (i + block)
    else:
        lane = i + f.size * block + f.size * f.blocks * (k // per_lane)
        slot = k % per_lane + 0 * (i + block)
    return lane, slot


def result_places(f: Form) -> tuple[Indices, Indices]:
    """(lane, register or register pair) of D as [block, row, column]."""
    run = 1 if f.result == "f64" else 4
    n = f.size
    r = 64 // n
    q = -(-64 * run // (n * n))
    block, i, j = np.ogrid[: f.blocks, :n, :n]
    register = block * (n * n // 64) + run * (i // (run * r)) + i % run + 0 * j
    lane = j + n * (block % q) + n * q * ((i // run) % r)
    return lane, register


def b_source_lane(lane: Indices, blgp: int) -> Indices:
    """Lane from which a lane takes B under BLGP."""
    table = {0: lane, 1: lane % 32, 2: 32 + lane % 32, 3: (lane + 16) % 64}
    return table.get(blgp, lane % 16 + 16 * (blgp - 4))


def a_source_block(f: Form, cbsz: int, abid: int) -> Indices:
    """Block of A that each block uses under CBSZ and ABID."""
    block = np.arange(f.blocks)
    return 2**cbsz * (block // 2**cbsz) + abid


def index_places(f: Form, cbsz: int, abid: int) -> tuple[Indices, Indices]:
    """(lane, bit) of the index of A's stored elements, [row, stored k] (sparse forms)."""
    i, s = np.ogrid[: f.size, : f.stored]
    per_lane = f.stored * f.size // 64
    bits = 2 * per_lane
    base = 0
    if bits < 32 and cbsz == 0:
        base = bits * (abid % (32 // bits))
    lane = i + f.size * (s // per_lane)
    return lane, base + 4 * ((s // 2) % (per_lane // 2)) + 2 * (s % 2) + 0 * i


# --- register images ----------------------------------------------------------------------------
def element_codes(image: NDArray[np.uint32], width: int, lane: Indices, slot: Indices) -> Indices:
    """Elements (as unsigned integers) at (lane, slot) of a register image [register, 64]."""
    bits = np.unpackbits(
        np.ascontiguousarray(image.T).view(np.uint8).reshape(64, -1), axis=1, bitorder="little"
    )
    count = bits.shape[1] // width
    parts = bits[:, : count * width].reshape(64, count, width)
    padded = np.zeros((64, count, 64), np.uint8)
    padded[..., :width] = parts
    codes = np.packbits(padded, axis=2, bitorder="little").view(np.uint64)[..., 0]
    return codes[lane, slot].astype(np.int64)


def put_element(image: NDArray[np.uint32], width: int, lane: int, slot: int, code: int) -> None:
    """Write one element into a register image [register, 64]."""
    whole = sum(int(word) << (32 * n) for n, word in enumerate(image[:, lane]))
    mask = ((1 << width) - 1) << (slot * width)
    whole = (whole & ~mask) | (code << (slot * width))
    for n in range(len(image)):
        image[n, lane] = whole >> (32 * n) & 0xFFFFFFFF
