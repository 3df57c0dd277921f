"""What memory opcodes move: the one table of loads, stores and atomics by mnemonic.

Address forms (buffer, global, flat, scratch, LDS) are the engine's business; this table says how
many bytes travel per lane and how they land in registers. Source: CDNA3 ISA chapters 9-11.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from asmevo.isa.semantics.values import Value, concat, where
from asmevo.isa.semantics.vector.floats import add, fmax, fmin


@dataclass(frozen=True, slots=True)
class MemoryOp:
    """One memory opcode.

    Attributes:
        space: "buffer", "global", "flat", "scratch" or "lds".
        action: "load", "store" or "atomic".
        size: bytes moved per lane and access (1, 2, 4, 8, 12, 16).
        extend: how a sub-dword load lands: "u", "s" (whole register), "d16", "d16_hi" (one half,
            the other kept; "s" variants in `signed`), or "" for whole dwords. For stores "hi"
            means the data is the register's upper half.
        signed: the sub-dword value is sign-extended.
        atomic: key into `ATOMICS`, or empty.
        pair: 0, or the scale in bytes of the two offsets of ds_read2/ds_write2 forms.
        float_compare: a compare-and-swap that compares as floats (ds_cmpst_f32).
        returns: an LDS atomic that returns the old value by its name (vector memory atomics
            return by their sc0/glc bit instead).
    """

    space: str
    action: str
    size: int
    extend: str = ""
    signed: bool = False
    atomic: str = ""
    pair: int = 0
    returns: bool = False
    float_compare: bool = False

    @property
    def dwords(self) -> int:
        """Registers that one access fills or empties."""
        return max(1, self.size // 4)


_SIZES = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
_VMEM = re.compile(r"(buffer|global|flat|scratch)_(load|store)_(lds_)?(\w+)$")
_SUB = re.compile(r"(u|s)?(byte|short)(_d16)?(_hi)?$")
_VMEM_ATOMIC = re.compile(r"(buffer|global|flat)_atomic_(\w+?)(_x2)?$")
_DS = re.compile(r"ds_(read|write)(2st64|2)?_([bui])(8|16|32|64|96|128)(_d16)?(_hi)?$")
_DS_ATOMIC = re.compile(r"ds_(\w+?)(_rtn)?_(u32|i32|b32|u64|i64|b64|f32|f64|f16|bf16)$")

_DS_EXCHANGE_PAIR = re.compile(r"ds_wrxchg2(st64)?_rtn_b(32|64)$")

AtomicFn = Callable[[Value, Value], Value]


def _inc(old: Value, data: Value) -> Value:
    return where(old >= data, old.const(0), old + 1)


def _dec(old: Value, data: Value) -> Value:
    return where((old == 0) | (old > data), data, old - 1)


def _pk_f16(old: Value, data: Value) -> Value:
    parts = [add(old.bits(at, 16).f, data.bits(at, 16).f) for at in (0, 16)]
    return concat(parts[0], parts[1])


def _pk_bf16(old: Value, data: Value) -> Value:
    from asmevo.isa.semantics.vector.convert import round_bf16

    def wide(v: Value, at: int) -> Value:
        return (v.bits(at, 16).to(32) << 16).f

    parts = [round_bf16(wide(old, at) + wide(data, at)) for at in (0, 16)]
    return concat(parts[0], parts[1])


def _conditional_exchange(old: Value, data: Value) -> Value:
    """Each half is replaced by the data's low 31 bits if the data's top bit is set."""
    halves: list[Value] = []
    for at in (0, 32):
        new = data.bits(at, 32)
        halves.append(where(new.i < 0, new & 0x7FFFFFFF, old.bits(at, 32)))
    return concat(halves[0], halves[1])


# old, data -> new; both as unsigned values of the access width.
ATOMICS: dict[str, AtomicFn] = {
    "swap": lambda old, data: data,
    "add": lambda old, data: old + data,
    "sub": lambda old, data: old - data,
    "rsub": lambda old, data: data - old,
    "smin": lambda old, data: where(data.i < old.i, data, old),
    "umin": lambda old, data: where(data < old, data, old),
    "smax": lambda old, data: where(data.i > old.i, data, old),
    "umax": lambda old, data: where(data > old, data, old),
    "and": lambda old, data: old & data,
    "or": lambda old, data: old | data,
    "xor": lambda old, data: old ^ data,
    "inc": _inc,
    "dec": _dec,
    "add_f": lambda old, data: add(old.f, data.f).u,
    "min_f": lambda old, data: fmin(old.f, data.f).u,
    "max_f": lambda old, data: fmax(old.f, data.f).u,
    "pk_add_f16": _pk_f16,
    "pk_add_bf16": _pk_bf16,
    "condxchg": _conditional_exchange,
}
_FLOAT_ATOMICS = {
    "add_f32": ("add_f", 4),
    "add_f64": ("add_f", 8),
    "min_f64": ("min_f", 8),
    "max_f64": ("max_f", 8),
    "pk_add_f16": ("pk_add_f16", 4),
    "pk_add_bf16": ("pk_add_bf16", 4),
}
_DS_NAMES = {
    "add": "add",
    "sub": "sub",
    "rsub": "rsub",
    "inc": "inc",
    "dec": "dec",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "wrxchg": "swap",
    "cmpst": "cmpst",
    "min": "min",
    "max": "max",
    "mskor": "mskor",
    "wrap": "wrap",
    "pk_add": "pk_add",
}


def _vmem(base: str) -> MemoryOp | None:
    m = _VMEM.match(base)
    if m:
        space, action, _lds, what = m.groups()
        if what in _SIZES:
            return MemoryOp(space, action, _SIZES[what])
        sub = _SUB.match(what)
        if sub is None:
            return None
        sign, unit, d16, high = sub.groups()
        size = 1 if unit == "byte" else 2
        if action == "store":
            return MemoryOp(space, action, size, "hi" if high else "")
        extend = ("d16_hi" if high else "d16") if d16 else "whole"
        # `short_d16` has no sign letter: the half is taken as it is.
        return MemoryOp(space, action, size, extend, signed=sign == "s")
    m = _VMEM_ATOMIC.match(base)
    if m:
        space, name, wide = m.groups()
        if name in _FLOAT_ATOMICS:
            key, size = _FLOAT_ATOMICS[name]
            return MemoryOp(space, "atomic", size, atomic=key)
        if name == "cmpswap":
            return MemoryOp(space, "atomic", 8 if wide else 4, atomic="cmpswap")
        if name in ATOMICS:
            return MemoryOp(space, "atomic", 8 if wide else 4, atomic=name)
    return None


def _lds(base: str) -> MemoryOp | None:
    m = _DS.match(base)
    if m:
        verb, two, kind, bits, d16, high = m.groups()
        size = int(bits) // 8
        pair = {"2": size, "2st64": size * 64}.get(two or "", 0)
        action = "load" if verb == "read" else "store"
        if action == "store":
            return MemoryOp("lds", action, size, "hi" if high else "", pair=pair)
        extend = ""
        if size < 4:
            extend = ("d16_hi" if high else "d16") if d16 else "whole"
        return MemoryOp("lds", action, size, extend, signed=kind == "i", pair=pair)
    m = _DS_EXCHANGE_PAIR.match(base)
    if m:
        size = int(m.group(2)) // 8
        scale = size * (64 if m.group(1) else 1)
        return MemoryOp("lds", "atomic", size, atomic="swap", pair=scale, returns=True)
    if base == "ds_condxchg32_rtn_b64":
        return MemoryOp("lds", "atomic", 8, atomic="condxchg", returns=True)
    m = _DS_ATOMIC.match(base)
    if m:
        name, rtn, kind = m.groups()
        size = 8 if kind.endswith("64") else 4
        key = _DS_NAMES.get(name)
        if key is None:
            return None
        if key in ("min", "max"):
            key = {"u": "u", "i": "s", "f": ""}[kind[0]] + key + ("_f" if kind[0] == "f" else "")
        elif key == "add" and kind[0] == "f":
            key = "add_f"
        elif key == "pk_add":
            key = f"pk_add_{kind}"
        if key not in ATOMICS and key not in ("cmpst", "mskor", "wrap"):
            return None
        return MemoryOp(
            "lds",
            "atomic",
            size,
            atomic=key,
            returns=rtn is not None,
            float_compare=key == "cmpst" and kind[0] == "f",
        )
    return None


@lru_cache(maxsize=4096)
def memory_op(base: str) -> MemoryOp | None:
    """The memory operation of a vector memory or LDS mnemonic, or None."""
    return _lds(base) if base.startswith("ds_") else _vmem(base)


@dataclass(frozen=True, slots=True)
class ScalarMemoryOp:
    """A load or store through the scalar cache (GFX9 names).

    Attributes:
        action: `load` or `store`.
        space: `buffer` or `scratch`, empty for a plain address.
        dwords: how many it moves.
    """

    action: str
    space: str
    dwords: int


_SCALAR = re.compile(r"s_(?:(buffer|scratch)_)?(load|store)_dword(?:x(\d+))?$")


@lru_cache(maxsize=256)
def scalar_memory_op(base: str) -> ScalarMemoryOp | None:
    """The scalar load or store of a mnemonic, or None."""
    found = _SCALAR.match(base)
    if found is None:
        return None
    return ScalarMemoryOp(found[2], found[1] or "", int(found[3] or 1))


@dataclass(frozen=True, slots=True)
class ScalarAtomicOp:
    """An atomic through the scalar cache (GFX9 names).

    Attributes:
        buffer: its address is a buffer descriptor.
        name: key into `ATOMICS`, or `cmpswap`.
        size: bytes, 4 or 8.
    """

    buffer: bool
    name: str
    size: int


_SCALAR_ATOMIC = re.compile(r"s_(buffer_)?atomic_(\w+?)(_x2)?$")


def scalar_atomic_op(base: str) -> ScalarAtomicOp | None:
    """The scalar atomic of a mnemonic, or None."""
    found = _SCALAR_ATOMIC.match(base)
    if found is None:
        return None
    return ScalarAtomicOp(found[1] is not None, found[2], 8 if found[3] else 4)


@dataclass(frozen=True, slots=True)
class TypedOp:
    """A buffer access that converts the elements' format.

    Attributes:
        action: `load` or `store`.
        components: how many of X, Y, Z, W.
        d16: "" for dwords, "d16" for halves, "hi" for the upper half of a register.
        in_instruction: the instruction names the format (MTBUF), not the descriptor.
    """

    action: str
    components: int
    d16: str
    in_instruction: bool


_TYPED = re.compile(r"(t)?buffer_(load|store)_format_(d16_)?(hi_)?(xyzw|xyz|xy|x)$")


def typed_op(base: str) -> TypedOp | None:
    """The typed access of a mnemonic (GFX9 names), or None."""
    found = _TYPED.match(base)
    if found is None:
        return None
    d16 = "hi" if found[4] else "d16" if found[3] else ""
    return TypedOp(found[2], len(found[5]), d16, found[1] is not None)


_TRANSPOSE = re.compile(r"ds_read_b(64|96)_tr_b(16|8|6|4)$")


def transposed_bits(base: str) -> int:
    """Bits of the elements that a transposed LDS read (gfx950) exchanges; 0 for others."""
    found = _TRANSPOSE.match(base)
    return int(found[2]) if found is not None else 0


def flushes_subnormals(op: MemoryOp, arch: str, denorm_32: int) -> bool:
    """Whether an f32 atomic addition flushes subnormal operands and results to zero.

    LDS follows MODE.FP_DENORM. The L2 does not see MODE: gfx90a's flushes always (CDNA2 ISA; LLVM
    expands IEEE f32 atomics to a compare-and-swap loop there), gfx942's and gfx950's keep them by
    LLVM (`FeatureMemoryAtomicFAddF32DenormalSupport`; see `l2_denormals_open`).
    """
    if op.atomic != "add_f" or op.size != 4:
        return False
    if op.space == "lds":
        return denorm_32 == 0
    return arch == "gfx90a"


def l2_denormals_open(op: MemoryOp, arch: str) -> bool:
    """Whether sources disagree: the CDNA3 and CDNA4 manuals flush where LLVM keeps subnormals."""
    return op.atomic == "add_f" and op.size == 4 and op.space != "lds" and arch != "gfx90a"
