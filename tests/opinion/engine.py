"""Compare compiled instructions of the product's engine with the second opinion.

A trial is one opcode with one set of modifiers, a MODE and an EXEC mask: it is assembled, run on
one wave whose lanes hold different operands, and every lane is compared with the pseudocode.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from asmevo.emulate import layout as L
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import IMPLICIT, Semantic, kind_of, width_of

from . import known, special
from .compare import (
    FORMAT,
    Mismatch,
    dot2_close,
    operands,
    within,
)
from .evaluator import evaluate
from .modifiers import FLOATS, Modifiers, finish_float, read_packed, read_source, saturate
from .softfloat import DOWN, UP, ZERO, Mode
from .wave import Wave, first_accepted

ARCHS = ("gfx942", "gfx950", "gfx90a")
FULL, M32 = (1 << 64) - 1, (1 << 32) - 1
SOURCE, RESULT, STEP = 8, 160, 40  # first source and result registers, and their spacing
MASK_IN, MASK_OUT = 20, 24  # SGPR pairs of lane masks
CONSTANT = {"f16": 0x3D9A, "f32": 0x3FC66666}  # literal of the madmk, madak, fmamk, fmaak forms


@dataclass(frozen=True)
class Trial:
    """One instruction to run on one wave."""

    semantic: Semantic
    entry: str
    arch: str
    instruction: Instruction
    modifiers: Modifiers
    uses_vcc: bool  # masks live in VCC (e32), not in SGPR pairs

    @property
    def label(self) -> str:
        return f"{self.instruction.text} ({self.arch})"


def _register(s: Semantic, kind: str, first: int, letter: str = "v") -> str:
    count = dwords(s, kind)
    return f"{letter}[{first}:{first + count - 1}]" if count > 1 else f"{letter}{first}"


def dwords(s: Semantic, kind: str) -> int:
    """Registers of an operand."""
    return 2 if s.packed == 32 else max(1, width_of(kind) // 32)


def _constant_at(s: Semantic) -> int | None:
    return {"v_madmk": 1, "v_fmamk": 1, "v_madak": 2, "v_fmaak": 2}.get(s.name[:7])


def _operand_texts(s: Semantic, m: Modifiers, *, vcc: bool) -> list[str]:
    out = []
    for i, kind in enumerate(d for d in s.dsts if d not in IMPLICIT):
        if kind == "m":
            out.append("vcc" if vcc else f"s[{MASK_OUT}:{MASK_OUT + 1}]")
        else:
            out.append(_register(s, kind, RESULT + STEP * i))
    if s.name == "v_swap_b32":
        return [f"v{RESULT}", f"v{SOURCE}"]
    position = 0
    for kind in s.srcs:
        if kind in IMPLICIT:
            continue
        if kind == "m":
            out.append("vcc" if vcc else f"s[{MASK_IN}:{MASK_IN + 1}]")
            continue
        if _constant_at(s) == position:
            out.append(hex(CONSTANT[kind]))
        else:
            out.append(m.source(_register(s, kind, SOURCE + STEP * position), position))
        position += 1
    return out


def trial(s: Semantic, entry: str, m: Modifiers) -> Trial | None:
    """The first encoding of an opcode with these modifiers that LLVM accepts."""
    for vcc in (False, True):
        texts = ", ".join(_operand_texts(s, m, vcc=vcc)) + m.suffix()
        forms = [f"{s.name}{suffix} {texts}" for suffix in ("_e64", "", "_e32")]
        found = first_accepted([(arch, text) for arch in ARCHS for text in forms])
        if found is not None:
            return Trial(s, entry, found[0], found[1], m, vcc)
    return None


def encoded_op_sel(instruction: Instruction) -> int:
    """OPSEL field, bits 14:11 of the VOP3 encodings (0 elsewhere)."""
    word = int.from_bytes(instruction.raw[:4], "little")
    return word >> 11 & 15 if word >> 26 == 0b110100 else 0


def truth_table(table: int) -> dict[str, int]:
    """Fields in which V_BITOP3 carries its truth table."""
    return {"INST.OMOD": table >> 6, "INST.ABS": table >> 3 & 7, "INST.NEG": table & 7}


def modifier_sets(s: Semantic) -> Iterator[Modifiers]:
    """Modifier combinations worth trying on an opcode (LLVM rejects what does not exist)."""
    if s.immediates:
        for table in (0xCA, 0x96, 0xE8, 0x01, 0xFE):
            yield Modifiers(table=table)
        return
    yield Modifiers()
    if s.part or s.source_part:
        for size in (2, 3, 4):
            for pattern in range(1, 1 << size):
                op_sel = tuple(pattern >> i & 1 for i in range(size))
                yield Modifiers(op_sel=op_sel)
        return
    kinds = [k for k in s.srcs if k not in IMPLICIT and k != "m"]
    count = len(kinds)
    floats = [i for i, k in enumerate(kinds) if kind_of(k) == "f"]
    if s.packed:
        yield Modifiers(op_sel=(1,) * count, op_sel_hi=(0,) * count)
        yield Modifiers(op_sel=(1, 0, 1)[:count], op_sel_hi=(1,) * count)
        if floats:
            yield Modifiers(neg_lo=(1, 0, 1)[:count], neg_hi=(0, 1, 1)[:count])
        yield Modifiers(clamp=True)
        return
    if floats:
        everything = sum(1 << i for i in floats)
        yield Modifiers(neg=everything)
        yield Modifiers(abs=everything)
        yield Modifiers(neg=1 << floats[-1], abs=1 << floats[-1] | 1 << floats[0])
    if kind_of(s.dsts[0]) == "f":
        yield Modifiers(clamp=True)
        yield Modifiers(omod="mul:2")
        yield Modifiers(omod="div:2")
    elif saturates(s.name):
        yield Modifiers(clamp=True)
    if any(width_of(k) == 16 for k in (*kinds, *s.dsts)):
        yield Modifiers(op_sel=(*(1 for _ in range(count)), 0))
        yield Modifiers(op_sel=(*(i & 1 for i in range(count)), 1))


def saturates(name: str) -> bool:
    """Opcodes whose integer clamp the reference states."""
    return bool(re.fullmatch(r"v_(add|sub|subrev|mad)_[ui](16|32)", name))


def _columns(t: Trial, seed: str) -> list[tuple[int, ...]]:
    """64 operand tuples; registers of 16-bit operands also hold noise in their other half."""
    s = t.semantic
    rows = operands(s, 64, seed)
    rng = random.Random(f"{seed} upper halves {s.name}")
    kinds = list(s.srcs) + ([s.dsts[0]] if s.reads_dst else [])
    out = []
    for lane, row in enumerate(rows):
        fixed = list(row)
        for i, kind in enumerate(kinds):
            if kind == "lane":
                fixed[i] = lane
            elif width_of(kind) == 16 and not s.packed and not s.part:
                other = rng.getrandbits(16)
                low, high = (row[i], other) if rng.random() < 0.5 else (other, row[i])
                fixed[i] = low | high << 16
        at = _constant_at(s)
        if at is not None:
            fixed[at] = CONSTANT[s.srcs[at]]
        out.append(tuple(fixed))
    return out


def _put(wave: Wave, first: int, values: list[int], count: int) -> None:
    for d in range(count):
        wave.row(first + d)[:] = np.array([v >> (32 * d) & M32 for v in values], np.uint32)


def _get(wave: Wave, first: int, count: int) -> list[int]:
    rows = [wave.row(first + d).tolist() for d in range(count)]
    return [sum(r[lane] << (32 * d) for d, r in enumerate(rows)) for lane in range(64)]


@dataclass
class Result:
    """What a trial found; `unknown` counts lanes whose difference is an accepted one."""

    trial: Trial
    mismatches: list[Mismatch]
    accepted: int = 0


def run(t: Trial, mode: Mode, exec_mask: int = FULL, seed: str = "engine") -> Result:
    """Run a trial and compare all lanes."""
    s = t.semantic
    mode = replace(mode, fnuz=t.arch == "gfx942")
    rows = _columns(t, seed)
    rng = random.Random(f"{seed} old {s.name}")
    old = {
        i: [rng.getrandbits(32 * dwords(s, kind)) for _ in range(64)]
        for i, kind in enumerate(s.dsts)
    }
    wave = Wave()
    position = 0
    for i, kind in enumerate(s.srcs):
        column = [r[i] for r in rows]
        if kind in ("m", "vccbit"):
            bits = sum((v & 1) << lane for lane, v in enumerate(column))
            in_vcc = t.uses_vcc or kind == "vccbit"
            wave.set_scalar(L.VCC if in_vcc else L.sgpr(MASK_IN), bits, 8)
        elif kind not in IMPLICIT:
            if s.name == "v_swap_b32":
                old[position] = column
                if position == 1:
                    _put(wave, SOURCE, column, 1)
            elif _constant_at(s) != position:
                _put(wave, SOURCE + STEP * position, column, dwords(s, kind))
            position += 1
    if s.reads_dst:
        old[0] = [r[-1] for r in rows]
    for i, kind in enumerate(s.dsts):
        if kind != "m" and not (s.name == "v_swap_b32" and i == 1):
            _put(wave, RESULT + STEP * i, old[i], dwords(s, kind))
    wave.set_scalar(L.EXEC, exec_mask, 8)
    wave.run([t.instruction], t.arch, mode)
    return _compare(t, mode, exec_mask, rows, old, wave)


def _compare(
    t: Trial,
    mode: Mode,
    exec_mask: int,
    rows: list[tuple[int, ...]],
    old: dict[int, list[int]],
    wave: Wave,
) -> Result:
    s = t.semantic
    result = Result(t, [])
    got: dict[int, list[int]] = {}
    for i, kind in enumerate(s.dsts):
        if kind == "m":
            bits = wave.scalar(L.VCC if t.uses_vcc else L.sgpr(MASK_OUT), 8)
            got[i] = [bits >> lane & 1 for lane in range(64)]
        else:
            at = SOURCE if s.name == "v_swap_b32" and i == 1 else RESULT + STEP * i
            got[i] = _get(wave, at, dwords(s, kind))
    for lane in range(64):
        active = exec_mask >> lane & 1
        env = environment(t, rows[lane], lane, old[0][lane])
        for i, kind in enumerate(s.dsts):
            seen = got[i][lane]
            if not active:
                want = 0 if kind == "m" else old[i][lane]
                want &= (1 << (32 * dwords(s, kind))) - 1
                if seen != want:
                    result.mismatches.append(
                        Mismatch({"lane": lane}, {f"inactive D{i}": want}, {f"D{i}": seen})
                    )
                continue
            want, care = expected(t, mode, env, i, old[i][lane])
            if matches(t, env, i, want & care, seen & care):
                continue
            if known.accepted(t.entry, env, mode) is not None:
                result.accepted += 1
                continue
            shown = {k: v for k, v in env.items() if isinstance(v, int)}
            result.mismatches.append(Mismatch(shown, {f"D{i}": want}, {f"D{i}": seen}))
    if s.writes_exec:
        wanted = sum(
            expected(t, mode, environment(t, rows[n], n, 0), 0, 0)[0] << n
            for n in range(64)
            if exec_mask >> n & 1
        )
        if wave.scalar(L.EXEC, 8) != wanted:
            result.mismatches.append(
                Mismatch({}, {"EXEC": wanted}, {"EXEC": wave.scalar(L.EXEC, 8)})
            )
    return result


def environment(t: Trial, row: tuple[int, ...], lane: int, old: int) -> dict[str, Any]:
    """Pseudocode environment of one lane, source modifiers applied."""
    s, m = t.semantic, t.modifiers
    env: dict[str, Any] = {"laneId": lane, "D0": old}
    position = at = 0
    for i, kind in enumerate(s.srcs):
        bits = row[i]
        if kind in ("m", "vccbit"):
            env["VCC"] = (bits & 1) << lane
            continue
        if kind in IMPLICIT:
            continue
        if s.name == "v_swap_b32":
            env["D0" if position == 0 else "S0"] = bits
            position += 1
            continue
        if s.packed:
            value = read_packed(m, position, bits, s.packed, is_float=kind_of(kind) == "f")
        else:
            plain = bool(s.part or s.source_part)
            chosen = replace(m, op_sel=()) if plain else m
            value = (
                read_source(chosen, position, bits, width_of(kind))
                if width_of(kind) <= 64
                else bits
            )
        if _constant_at(s) == position:
            env["SIMM16" if kind == "f16" else "SIMM32"] = value
        else:
            env[f"S{at}"] = value
            at += 1
        position += 1
    return env


def expected(t: Trial, mode: Mode, env: dict[str, Any], which: int, old: int) -> tuple[int, int]:
    """(bits, mask of bits that matter) of one result in one active lane."""
    s, m = t.semantic, t.modifiers
    kind = s.dsts[which]
    lane = env["laneId"]
    case = dict(env)
    case["OPSEL"] = encoded_op_sel(t.instruction)
    if s.immediates:
        case.update(truth_table(m.table))
    got = evaluate(t.entry, case, mode)
    if kind == "m":
        if t.entry.startswith(("V_CMP_", "V_CMPX_")):
            return got["D0"] >> lane & 1, 1
        return (got["D1"] & 1 if "D1" in got else got["VCC"] >> lane & 1), 1
    if s.name == "v_swap_b32":
        return got["D0" if which == 0 else "S0"] & 0xFFFFFFFF, 0xFFFFFFFF
    full = (1 << (32 * dwords(s, kind))) - 1
    width = width_of(kind)
    bits = got["D0"]
    if s.part:
        return bits & full, full
    if s.packed:
        halves = [bits >> at & ((1 << s.packed) - 1) for at in (0, s.packed)]
        if kind_of(kind) == "f":
            halves = [finish_float(m, FLOATS[s.packed], h, mode) for h in halves]
        elif m.clamp and saturates(name := s.name.replace("v_pk_", "v_")):
            # Minimum and maximum stay in range by themselves.
            sources = [[env[f"S{i}"] >> at for i in range(len(s.srcs))] for at in (0, s.packed)]
            halves = [saturate(name, x, s.packed) for x in sources]
        return halves[0] | halves[1] << s.packed, full
    if kind in FORMAT:
        bits = finish_float(m, FORMAT[kind], bits & ((1 << width) - 1), mode)
    elif m.clamp:
        bits = saturate(s.name, [env[f"S{i}"] for i in range(len(s.srcs))], width)
    if width != 16:
        return bits & full, full
    low = bits & 0xFFFF
    sources = len([k for k in s.srcs if k not in IMPLICIT])
    if len(m.op_sel) > sources and m.op_sel[sources]:
        return low << 16 | (old & 0xFFFF), full
    policy = known.high_half(t.entry)
    if policy == "zero":
        return low, full
    if policy == "keep":
        return low | (old & 0xFFFF0000), full
    return low, 0xFFFF


def matches(t: Trial, env: dict[str, Any], which: int, want: int, got: int) -> bool:
    """Equality of bits, NaN payloads included; tables of tolerances apply to numbers."""
    s = t.semantic
    kind = s.dsts[which]
    if want == got:
        return True
    if t.entry.startswith("V_DOT2") and "_F32_" in t.entry:
        return dot2_close(s, env, want, got)
    f = FORMAT.get(kind)
    tolerance = special.TOLERANCE.get(t.entry)
    if f is None or tolerance is None:
        return False
    low = (1 << f.width) - 1
    return not (want ^ got) & ~low and within(f, want & low, got & low, tolerance)


def modes(s: Semantic) -> list[Mode]:
    """MODE settings that matter to an opcode."""
    if any(kind_of(k) == "f" for k in (*s.srcs, *s.dsts) if k not in IMPLICIT):
        return [
            Mode(),
            Mode(denorm_32=0),
            Mode(denorm_32=0, denorm_16_64=0),
            Mode(denorm_32=1, denorm_16_64=2, ieee=False, dx10_clamp=False),
            Mode(round_32=UP, round_16_64=DOWN),
            Mode(round_32=ZERO, round_16_64=UP, denorm_32=0, fp16_ovfl=True),
        ]
    return [Mode()]
