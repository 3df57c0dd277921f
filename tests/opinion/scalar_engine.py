"""Compare compiled SALU instructions of the product's engine with the second opinion."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from asmevo.emulate import layout as L
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import IMPLICIT, Semantic, width_of

from .compare import Mismatch, operands
from .evaluator import evaluate
from .wave import Wave, first_accepted

SOURCE, RESULT = 8, 32
IMMEDIATES = (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234)
ARCHS = ("gfx942", "gfx90a", "gfx950")


@dataclass(frozen=True)
class ScalarTrial:
    """One SALU instruction; `immediate` is the 16-bit constant of a SOPK form."""

    semantic: Semantic
    entry: str
    arch: str
    instruction: Instruction
    immediate: int | None


def takes_immediate(name: str) -> bool:
    return name.startswith(("s_movk", "s_cmovk", "s_addk", "s_mulk", "s_cmpk"))


def _register(kind: str, first: int) -> str:
    return f"s[{first}:{first + 1}]" if width_of(kind) == 64 else f"s{first}"


def trials(s: Semantic, entry: str) -> list[ScalarTrial]:
    """Instructions to try for one opcode."""
    out: list[ScalarTrial] = []
    for immediate in IMMEDIATES if takes_immediate(s.name) else (None,):
        words = [_register(k, RESULT) for k in s.dsts if k not in IMPLICIT]
        explicit = [k for k in s.srcs if k not in IMPLICIT]
        if immediate is not None:
            if s.name.startswith("s_cmpk"):
                words.append(f"s{SOURCE}")
            words.append(hex(immediate))
        else:
            words += [_register(k, SOURCE + 4 * i) for i, k in enumerate(explicit)]
        text = f"{s.name} {', '.join(words)}"
        found = first_accepted([(arch, text) for arch in ARCHS])
        if found is not None:
            out.append(ScalarTrial(s, entry, found[0], found[1], immediate))
    return out


def run(t: ScalarTrial, count: int, seed: str = "scalar") -> list[Mismatch]:
    """Run `count` operand sets through one instruction."""
    s = t.semantic
    rng = random.Random(f"{seed} {s.name}")
    wave = Wave()
    found: list[Mismatch] = []
    for row in operands(s, count, seed):
        scc = rng.getrandbits(1)
        exec_mask, old = rng.getrandbits(64), rng.getrandbits(64)
        env: dict[str, Any] = {"D0": old, "SCC": scc, "EXEC": exec_mask}
        _load(t, wave, row, env)
        env["OLD_SCC"] = env["SCC"]
        wave.set_scalar(L.SCC, env["SCC"])
        wave.set_scalar(L.EXEC, env["EXEC"], 8)
        wave.set_scalar(L.sgpr(RESULT), env["D0"], 8)
        wave.run([t.instruction], t.arch)
        want = evaluate(t.entry, env)
        wide = any(width_of(k) == 64 for k in s.dsts if k not in IMPLICIT)
        bits = want.get("D0", env["D0"])
        if not wide:  # the next SGPR is not touched
            bits = (bits & 0xFFFFFFFF) | (env["D0"] & ~0xFFFFFFFF)
        expected = {
            "D0": bits & ((1 << 64) - 1),
            "SCC": int(want.get("SCC", env["SCC"])),
            "EXEC": want.get("EXEC", env["EXEC"]),
        }
        got = {
            "D0": wave.scalar(L.sgpr(RESULT), 8),
            "SCC": wave.scalar(L.SCC) & 1,
            "EXEC": wave.scalar(L.EXEC, 8),
        }
        if expected != got:
            shown = {k: v for k, v in env.items() if isinstance(v, int)}
            found.append(Mismatch(shown, expected, got))
    return found


def _load(t: ScalarTrial, wave: Wave, row: tuple[int, ...], env: dict[str, Any]) -> None:
    s = t.semantic
    at = 0
    for kind, bits in zip(s.srcs, row, strict=False):
        if kind == "scc":
            env["SCC"] = bits & 1
        elif kind == "exec":
            env["EXEC"] = bits
        elif kind not in IMPLICIT:
            if t.immediate is None or (s.name.startswith("s_cmpk") and at == 0):
                wave.set_scalar(L.sgpr(SOURCE + 4 * at), bits, 8)
                env[f"S{at}"] = bits & ((1 << width_of(kind)) - 1)
            at += 1
    if s.reads_dst:
        env["D0"] = row[-1] | (env["D0"] & ~0xFFFFFFFF if width_of(s.dsts[0]) == 32 else 0)
    if t.immediate is not None:
        env["S1" if s.name.startswith("s_cmpk") else "S0"] = t.immediate
