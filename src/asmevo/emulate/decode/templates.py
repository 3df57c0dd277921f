"""Decoded instructions, kept by their bytes: what encoding a kernel again need not repeat.

A template is everything about an instruction's records that does not depend on where it stands.
Constants are tokens (negative numbers) that each kernel's own pool replaces. Candidates of a
search share nearly all instructions with their parent, so encoding one costs little more than
looking templates up.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from asmevo.emulate.decode.instruction import Decoder, Record, Unsupported
from asmevo.emulate.decode.operands import ConstantPool
from asmevo.emulate.decode.scalar import index_enables
from asmevo.emulate.decode.waits import pending_records, wait_record
from asmevo.emulate.native.variant import Variant
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.hwreg import VSKIP_BIT
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target

_UNSUPPORTED = Variant("unsupported", "unsupported")
_PASS = Variant("pass", "pass")
_SEEN_BY_OTHERS = frozenset({OpClass.VMEM, OpClass.FLAT, OpClass.LDS})
# Families that keep shadow memory.
_WATCHED = frozenset(
    {"vmem", "lds", "transpose", "typed", "lds_lane", "smem", "smem_store", "smem_atomic"}
)
# Families whose helpers can record what they touch.
_TOUCHING = frozenset({"vmem", "lds", "typed"})
_ENDS_BLOCK = frozenset({OpClass.BRANCH, OpClass.END, OpClass.BARRIER})
_MOST = 300_000  # templates kept per mode before starting over


@dataclass(frozen=True, slots=True)
class Style:
    """Which extra records and helper variants a run wants.

    Attributes:
        trace: block entries also append to the wave's trace.
        tick: a yield check stands behind every instruction (interleaved schedules).
        pause: a wave may pause in front of every memory instruction.
        exact: matrix instructions in exact instead of fast arithmetic.
        shadow: memory instructions check and update shadow memory (races, uninitialized reads).
        waits: loads arrive only at a sufficient wait; until then their destination holds junk.
        touch: memory instructions record the addresses that they touch.
        open_junk: undocumented result bits hold junk instead of zero or their old value.
    """

    trace: bool = False
    tick: bool = False
    pause: bool = False
    exact: bool = False
    shadow: bool = False
    waits: bool = False
    open_junk: bool = False
    touch: bool = False

    @property
    def holds(self) -> bool:
        """Whether other workgroups see stores late; the other sanitizers keep them as they are."""
        return self.pause and not self.waits and not self.shadow


PLAIN = Style()
_VARIANTS: dict[Variant, Variant] = {}  # one object per variant: they are compared by identity


def _holds(variant: Variant, effect: Decoded) -> bool:
    """Whether a helper has work of its own where stores are held back."""
    if variant.name == "s_endpgm":
        return True
    mode = variant.option("mode")
    return variant.family == "vmem" and effect.stores and mode not in ("scratch", "flat")


def _is_late(variant: Variant) -> bool:
    """Whether a helper has work of its own where loads arrive late."""
    if variant.name == "s_endpgm":
        return True
    return bool(variant.option("lds")) or variant.option("mode") == "flat"


class TokenPool(ConstantPool):
    """Constants of all kernels as tokens; thread-safe and never emptied."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens: dict[int, int] = {}
        self.values: list[int] = []
        self._lock = threading.Lock()

    def put(self, bits: int) -> int:
        """The token of a 64-bit constant: -1 for the first, -2 for the second, ..."""
        bits &= (1 << 64) - 1
        token = self._tokens.get(bits)
        if token is None:
            with self._lock:
                if bits not in self._tokens:
                    self.values.append(bits)
                    self._tokens[bits] = -len(self.values)
                token = self._tokens[bits]
        return token

    def value(self, token: int) -> int:
        """The constant behind a token."""
        return self.values[-token - 1]


TOKENS = TokenPool()


@dataclass(frozen=True, slots=True)
class Template:
    """The records of one instruction, positions left open.

    Attributes:
        records: the instruction's own record first; empty for functional no-ops.
        ends_block: a counted block ends behind it.
        targets: it has a branch target.
        reason: why the emulator cannot execute it, or empty.
    """

    records: tuple[Record, ...]
    ends_block: bool
    targets: bool
    reason: str = ""


class Templates:
    """Templates for one mode, target and style."""

    def __init__(self, mode: int, arch: str, style: Style) -> None:
        self._target = Target(arch)
        self._style = style
        vskip = bool(mode >> VSKIP_BIT & 1)
        self._decoder = Decoder(TOKENS, FloatMode.from_bits(mode), arch, vskip, style.exact)
        self._decoder.gpr_idx = index_enables(mode)
        self._decoder.static_index = True
        self._decoder.open_junk = style.open_junk
        self._found: dict[bytes, Template] = {}

    def of(self, inst: Instruction) -> Template:
        """The template of an instruction of this target."""
        found = self._found.get(inst.raw)
        if found is None:
            if len(self._found) >= _MOST:
                self._found.clear()
            found = self._found[inst.raw] = self._make(inst)
        return found

    def _make(self, inst: Instruction) -> Template:
        style, target = self._style, self._target
        effect = decode(inst, target)
        reason = ""
        record: Record | None
        try:
            record = self._decoder.decode(inst)
        except Unsupported as err:
            reason = str(err.args[0])
            record = Record(_UNSUPPORTED)
        if record is None and style.waits:
            record = wait_record(inst, target)
        if record is None and style.holds and "vmcnt" in effect.waits:
            record = Record(Variant("let_go", "let_go"), imm=effect.waits["vmcnt"])
        if record is not None and style.holds and _holds(record.variant, effect):
            options = (*record.variant.options, ("held", True))
            record.variant = replace(record.variant, options=options)
        skipped = self._decoder.skips(inst)
        if record is None and skipped:
            # Another copy of the records holds the instruction here: keep the shape.
            record = Record(_PASS)
        if record is not None and style.shadow and record.variant.family in _WATCHED:
            options = (*record.variant.options, ("shadow", True))
            if style.waits:
                options = (*options, ("hold", True))
            record.variant = replace(record.variant, options=options)
        if record is not None and style.touch and record.variant.family in _TOUCHING:
            record.variant = replace(
                record.variant, options=(*record.variant.options, ("touch", True))
            )
        if record is not None and style.waits and _is_late(record.variant):
            options = (*record.variant.options, ("late", True))
            record.variant = replace(record.variant, options=options)
        if record is not None and style.trace and record.variant.family == "jump":
            record.variant = replace(record.variant, options=(("trace", True),))
        records = [record] if record is not None else []
        if style.pause and record is not None and effect.kind in _SEEN_BY_OTHERS:
            # A scalar load in a loop of its own is interrupted by the end of its slice.
            records.insert(0, Record(_PASS if skipped else self._pause(record, effect)))
        if style.waits and not reason:
            pending = pending_records(self._decoder, inst, -1, target)
            records += [Record(_PASS) for _ in pending] if skipped else pending
        for one in map(self._decoder.sized, records):
            one.variant = _VARIANTS.setdefault(one.variant, one.variant)
        branches = record is not None and (record.target is not None or record.target2 is not None)
        return Template(tuple(records), effect.kind in _ENDS_BLOCK, branches, reason)

    def _pause(self, record: Record, effect: Decoded) -> Variant:
        """The record in front of a memory instruction; its own loads see what the wave stored."""
        options: list[tuple[str, Any]] = []
        if self._style.holds and effect.kind is not OpClass.LDS:
            options.append(("counted", True))
            if not record.variant.option("held"):
                options.append(("flush", True))
        return Variant("pause", "pause", "", tuple(options))


@lru_cache(maxsize=64)
def templates(mode: int, arch: str, style: Style) -> Templates:
    """The shared templates for a MODE value, a target and a style."""
    return Templates(mode, arch, style)
