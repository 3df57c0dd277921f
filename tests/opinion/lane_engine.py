"""DPP and SDWA instructions of the product's engine against `lanes` and the pseudocode."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from asmevo.emulate import layout as L

from . import edges
from .compare import Mismatch
from .evaluator import evaluate
from .lanes import Dpp, sdwa_read, sdwa_write
from .modifiers import Modifiers
from .softfloat import F16, F32, Mode, is_nan
from .wave import Wave, assemble

FULL = (1 << 64) - 1
M32 = 0xFFFFFFFF


@dataclass(frozen=True)
class Op:
    """An opcode of the DPP and SDWA tests: AMD's entry, operand kind and width, source count."""

    mnemonic: str
    entry: str
    kind: str  # "F", "U" or "I"
    width: int
    sources: int
    carry: bool = False
    compare: bool = False


OPS = [
    Op("v_mov_b32", "V_MOV_B32", "U", 32, 1),
    Op("v_add_f32", "V_ADD_F32", "F", 32, 2),
    Op("v_max_f32", "V_MAX_F32", "F", 32, 2),
    Op("v_add_u32", "V_ADD_U32", "U", 32, 2),
    Op("v_or_b32", "V_OR_B32", "U", 32, 2),
    Op("v_lshlrev_b32", "V_LSHLREV_B32", "U", 32, 2),
    Op("v_mul_i32_i24", "V_MUL_I32_I24", "I", 32, 2),
    Op("v_cvt_f32_u32", "V_CVT_F32_U32", "U", 32, 1),
    Op("v_add_u16", "V_ADD_U16", "U", 16, 2),
    Op("v_add_f16", "V_ADD_F16", "F", 16, 2),
    Op("v_mul_f16", "V_MUL_F16", "F", 16, 2),
]
SDWA_OPS = [
    *OPS,
    Op("v_add_co_u32", "V_ADD_CO_U32", "U", 32, 2, carry=True),
    Op("v_cmp_lt_u32", "V_CMP_LT_U32", "U", 32, 2, compare=True),
    Op("v_cmp_eq_f16", "V_CMP_EQ_F16", "F", 16, 2, compare=True),
]
CONTROLS = [
    "quad_perm:[3,0,2,1]",
    "row_shl:1",
    "row_shl:5",
    "row_shr:1",
    "row_shr:15",
    "row_ror:3",
    "row_mirror",
    "row_half_mirror",
    "row_bcast:15",
    "row_bcast:31",
    "row_newbcast:6",
    "wave_shl:1",
    "wave_shr:1",
    "wave_rol:1",
    "wave_ror:1",
]


def _values(op: Op, seed: str, count: int) -> list[list[int]]:
    """Operand columns; floats without NaN (NaN rules are tested without lane modifiers)."""
    kind = "F" if op.kind == "F" else "U"
    rows = list(edges.tuples([(kind, 32 if kind == "U" else op.width)] * count, 64, seed))
    rng = random.Random(seed)
    columns = [[r[i] for r in rows] for i in range(count)]
    if kind == "F":
        f = F16 if op.width == 16 else F32
        columns = [[v & f.abs_mask & f.inf if is_nan(f, v) else v for v in c] for c in columns]
    if kind == "F" and op.width == 16:
        columns = [[v | rng.randrange(0x7C00) << 16 for v in c] for c in columns]
    return columns


def _same(op: Op, want: int, got: int) -> bool:
    """Equality; inf - inf may give any NaN."""
    f = F16 if op.width == 16 else F32
    low = (1 << f.width) - 1
    return want == got or (
        op.kind == "F"
        and not (want ^ got) & ~low
        and is_nan(f, want & low)
        and is_nan(f, got & low)
    )


def _setup(op: Op, seed: str, exec_mask: int) -> tuple[Wave, list[list[int]], list[int]]:
    wave = Wave()
    columns = _values(op, seed, 2)
    old = [random.Random(f"{seed} {i}").getrandbits(32) for i in range(64)]
    wave.row(8)[:] = np.array(columns[0], np.uint32)
    wave.row(12)[:] = np.array(columns[1], np.uint32)
    wave.row(32)[:] = np.array(old, np.uint32)
    wave.set_scalar(L.EXEC, exec_mask, 8)
    wave.set_scalar(L.VCC, random.Random(seed).getrandbits(64), 8)
    return wave, columns, old


def run_dpp(op: Op, dpp: Dpp, m: Modifiers, exec_mask: int, arch: str = "gfx942") -> list[Mismatch]:
    """Run one DPP instruction and compare all lanes."""
    texts = [m.source(f"v{8 + 4 * i}", i) for i in range(op.sources)]
    text = f"{op.mnemonic}_dpp v32, {', '.join(texts)} {dpp}"
    seed = f"{text} {exec_mask:x}"
    wave, columns, old = _setup(op, seed, exec_mask)
    wave.run(assemble(text, arch), arch)
    got = wave.row(32).tolist()
    found: list[Mismatch] = []
    for lane in range(64):
        moved, written = dpp.read(columns[0], lane, exec_mask)
        env = {"laneId": lane, "D0": old[lane]}
        top = 1 << (op.width - 1)
        for i, bits in enumerate((moved, columns[1][lane])[: op.sources]):
            if m.abs >> i & 1:
                bits &= ~top
            if m.neg >> i & 1:
                bits ^= top
            env[f"S{i}"] = bits
        want = old[lane]
        if written:
            want = evaluate(op.entry, env, Mode())["D0"] & M32
            if op.width == 16:
                want &= 0xFFFF
        if not _same(op, want, got[lane]):
            found.append(Mismatch(env, {"D0": want}, {"D0": got[lane]}))
    return found


@dataclass(frozen=True)
class Sdwa:
    """One SDWA modifier set."""

    dst: str = "DWORD"
    unused: str = "UNUSED_PAD"
    src0: str = "DWORD"
    src1: str = "DWORD"
    sext: int = 0

    def suffix(self, op: Op) -> str:
        words = [] if op.compare else [f"dst_sel:{self.dst} dst_unused:{self.unused}"]
        words.append(f"src0_sel:{self.src0}")
        if op.sources > 1:
            words.append(f"src1_sel:{self.src1}")
        return " ".join(words)


def run_sdwa(op: Op, sdwa: Sdwa, m: Modifiers, exec_mask: int) -> list[Mismatch]:
    """Run one SDWA instruction and compare all lanes."""
    texts = []
    for i in range(op.sources):
        text = f"v{8 + 4 * i}"
        texts.append(f"sext({text})" if sdwa.sext >> i & 1 else m.source(text, i))
    result = "vcc, " if op.compare else "v32, vcc, " if op.carry else "v32, "
    line = f"{op.mnemonic}_sdwa {result}{', '.join(texts)} {sdwa.suffix(op)}"
    seed = f"{line} {exec_mask:x}"
    wave, columns, old = _setup(op, seed, exec_mask)
    wave.run(assemble(line, "gfx942"), "gfx942")
    got, mask = wave.row(32).tolist(), wave.scalar(L.VCC, 8)
    found: list[Mismatch] = []
    for lane in range(64):
        env = {"laneId": lane, "D0": old[lane], "VCC": 0}
        top = 1 << (op.width - 1)
        for i, select in enumerate((sdwa.src0, sdwa.src1)[: op.sources]):
            bits = sdwa_read(select, columns[i][lane], sext=bool(sdwa.sext >> i & 1))
            if m.abs >> i & 1:
                bits &= ~top
            if m.neg >> i & 1:
                bits ^= top
            env[f"S{i}"] = bits
        active = exec_mask >> lane & 1
        made = evaluate(op.entry, {**env, "D0": 0} if op.compare else env, Mode())
        want: dict[str, int] = {}
        seen: dict[str, int] = {}
        if not op.compare:
            bits = made["D0"] & (0xFFFF if op.width == 16 else M32)
            new = sdwa_write(sdwa.dst, sdwa.unused, old[lane], bits)
            want["D0"] = new if active else old[lane]
            seen["D0"] = got[lane]
        if op.compare or op.carry:
            flag = made["D0" if op.compare else "VCC"] >> lane & 1
            want["VCC"], seen["VCC"] = flag if active else 0, mask >> lane & 1
        if want != seen and not (
            sdwa.dst in ("DWORD", "WORD_0") and not op.compare and _same(op, want["D0"], seen["D0"])
        ):
            found.append(Mismatch(env, want, seen))
    return found
