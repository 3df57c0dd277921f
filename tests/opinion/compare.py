"""Compare the product's table of semantics with the second opinion, opcode by opcode.

The product's function runs once over NumPy arrays of operands, the pseudocode once per element.
Float operands and results are compared with subnormals kept (MODE flushing happens outside the
table's functions). NaN results count as equal when both are NaN unless `payload` is asked for:
which payload comes out is the engine's business, not the table's.

`python compare.py [opcode ...]` (with tests/ on PYTHONPATH) prints a report.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asmevo.isa.semantics import numpy_algebra
from asmevo.isa.semantics.table import (
    FloatMode,
    Semantic,
    all_semantics,
    apply,
    kind_of,
    width_of,
)

from . import corrections, edges, evaluator, known, names, special
from .softfloat import BF16, F16, F32, F64, Format, Mode, is_nan

FORMAT: dict[str, Format] = {"f16": F16, "f32": F32, "f64": F64}

# Results that are pairs of 16-bit floats though their type says bits.
_PAIRS = {"v_cvt_pkrtz_f16_f32": F16, "v_cvt_pk_f16_f32": F16, "v_cvt_pk_bf16_f32": BF16}

# Opcodes whose table function is deliberately less than the opcode: what is compared elsewhere.
ELSEWHERE: dict[str, str] = {
    "v_pk_mov_b32": "op_sel chooses the sources in the generic layer",
}
# Opcodes that AMD's table does not define, or defines only in prose.
NO_TEXT: dict[str, str] = {
    "v_exp_legacy_f32": "listed by the XML only",
    "v_log_legacy_f32": "listed by the XML only",
    "v_accvgpr_mov_b32": "empty in the table",
    "v_accvgpr_read_b32": "empty in the table",
    "v_accvgpr_write_b32": "empty in the table",
    "v_mul_lo_i32": "an LLVM alias",
    "v_mad_legacy_f32": "gfx90a only",
}


@dataclass
class Mismatch:
    """One element where the two disagree."""

    operands: dict[str, int]
    expected: dict[str, int]
    got: dict[str, int]

    def __str__(self) -> str:
        def show(d: dict[str, int]) -> str:
            return " ".join(f"{k}={v:#x}" for k, v in d.items())

        return f"{show(self.operands)} -> expected {show(self.expected)}, product {show(self.got)}"


@dataclass
class Outcome:
    """Result for one opcode."""

    mnemonic: str
    entry: str
    count: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    accepted: dict[str, int] = field(default_factory=dict)  # known condition -> elements

    @property
    def ok(self) -> bool:
        return not self.mismatches


def entry_for(mnemonic: str) -> str | None:
    """Entry that defines a product mnemonic, None when the table has no usable text."""
    if mnemonic in NO_TEXT:
        return None
    found = names.entry_of(mnemonic, evaluator.table())
    if found is None and mnemonic.upper() in corrections.SUPPLEMENT:
        return mnemonic.upper()
    return found


def comparable() -> Iterator[tuple[Semantic, str]]:
    """Every opcode of the product's table that the pseudocode defines."""
    for name, semantic in sorted(all_semantics().items()):
        entry = entry_for(name)
        if entry is not None and name not in ELSEWHERE:
            yield semantic, entry


def _operand_names(s: Semantic) -> list[str]:
    """Register of the pseudocode behind each source of the product's function."""
    out: list[str] = []
    at = 0
    constant = {"v_madmk": 1, "v_fmamk": 1, "v_madak": 2, "v_fmaak": 2}.get(s.name[:7])
    for i, kind in enumerate(s.srcs):
        if kind == "m":
            out.append("VCCBIT")
        elif kind in ("scc", "exec", "vcc", "m0"):
            out.append(kind.upper())
        elif kind == "vccbit":
            out.append("VCCBIT")
        elif kind == "lane":
            out.append("laneId")
        elif constant == i:
            out.append("SIMM16" if kind == "f16" else "SIMM32")
        else:
            out.append(f"S{at}")
            at += 1
    if s.name in ("s_addk_i32", "s_mulk_i32"):
        out = ["D0", "S0"]
    if s.name == "v_swap_b32":
        out = ["D0", "S0"]
    if s.reads_dst:
        out.append("D0")
    return out


def _types(s: Semantic) -> list[tuple[str, int]]:
    """Edge-generator type of each source (packed operands as pairs of halves)."""
    kinds = list(s.srcs) + ([s.dsts[0]] if s.reads_dst else [])
    out: list[tuple[str, int]] = []
    for kind in kinds:
        if s.packed:
            out.append((f"PK{kind_of(kind).upper()}", 2 * s.packed))
        elif width_of(kind) > 64:
            out.append((element_kind(s.name), width_of(kind)))
        elif kind_of(kind) == "f":
            out.append(("F", width_of(kind)))
        else:
            out.append(("U", max(width_of(kind), 1)))
    # Classes and byte-wise opcodes read b32 operands that deserve float or small patterns.
    if "dot2" in s.name and "_f32_" in s.name:
        out = [("PKF", 32) if t == ("U", 32) else t for t in out]
    return out


def element_kind(name: str) -> str:
    """Element type of a wide source: that of the conversion's source."""
    found = re.search(r"_(f32|f16|bf16|fp6|bf6)$", name)
    return f"V{found[1].upper()}" if found and found[1] in ("f32", "f16", "bf16") else "U"


def operands(s: Semantic, count: int, seed: int | str) -> list[tuple[int, ...]]:
    """Operand tuples for one opcode."""
    rows = list(edges.tuples(_types(s), count, f"{seed}:{s.name}"))
    rng = random.Random(f"{seed}:{s.name}:lanes")
    labels = _operand_names(s)
    if "laneId" in labels:
        at = labels.index("laneId")
        rows = [(*r[:at], rng.randrange(64), *r[at + 1 :]) for r in rows]
    if s.name.startswith(("s_movk", "s_addk", "s_mulk", "s_cmovk", "s_cmpk")):
        # The 16-bit immediate reaches the product's function already extended to 32 bits.
        at = 1 if len(s.srcs) > 1 and s.srcs[1] != "scc" else 0
        signed = not s.name.endswith("_u32")
        rows = [(*r[:at], _extend(r[at] & 0xFFFF, signed), *r[at + 1 :]) for r in rows]
    return rows


def _extend(value: int, signed: bool) -> int:
    return value | 0xFFFF0000 if signed and value & 0x8000 else value


def _argument(kind: str, column: list[int], at: int) -> Any:
    """One source as the product's functions take it: a value, or a list of dwords."""
    width = width_of(kind)
    if width > 64:
        return [
            numpy_algebra.value([c >> (32 * d) & 0xFFFFFFFF for c in column], 32)
            for d in range(width // 32)
        ]
    mask = (1 << width) - 1
    return numpy_algebra.value([c >> at & mask for c in column], width, kind_of(kind))


def _bits(kind: str, result: Any, count: int) -> list[int]:
    """Results as integers, one per row."""
    parts = result if isinstance(result, list) else [result]
    out = [0] * count
    at = 0
    for part in parts:
        width = part.width
        full = np.broadcast_to(part.raw, (count,)).tolist()
        out = [o | (int(b) & ((1 << width) - 1)) << at for o, b in zip(out, full, strict=True)]
        at += width
    mask = (1 << width_of(kind)) - 1
    return [o & mask for o in out]


def _product(
    s: Semantic, rows: list[tuple[int, ...]], mode: Mode, immediates: dict[str, int]
) -> list[dict[str, int]]:
    """Results of the product's function, one dict per row."""
    kinds = list(s.srcs) + ([s.dsts[0]] if s.reads_dst else [])
    columns = [[r[i] for r in rows] for i in range(len(kinds))]
    out: list[dict[str, int]] = [{} for _ in rows]
    for at in (0, s.packed) if s.packed else (0,):
        args = [_argument(kind, column, at) for kind, column in zip(kinds, columns, strict=True)]
        results = apply(s, args, product_mode(mode), **immediates)
        for label, kind, result in zip(_result_names(s), s.dsts, results, strict=True):
            for row, bits in zip(out, _bits(kind, result, len(rows)), strict=True):
                row[label] = row.get(label, 0) | bits << at
    return out


def product_mode(mode: Mode) -> FloatMode:
    """The product's view of a MODE."""
    return FloatMode(
        round_32=mode.round_32,
        round_16_64=mode.round_16_64,
        denorm_32=mode.denorm_32,
        denorm_16_64=mode.denorm_16_64,
        dx10_clamp=mode.dx10_clamp,
        ieee=mode.ieee,
        fp16_ovfl=mode.fp16_ovfl,
        fnuz=mode.fnuz,
    )


def _result_names(s: Semantic) -> list[str]:
    out: list[str] = []
    for i, kind in enumerate(s.dsts):
        if kind in ("scc", "exec", "vcc", "m0"):
            out.append(kind.upper())
        elif kind == "m":
            out.append("BIT")
        else:
            out.append(f"D{i}")
    return out


def _environment(s: Semantic, row: tuple[int, ...]) -> dict[str, Any]:
    env: dict[str, Any] = {"laneId": 7}
    for label, bits in zip(_operand_names(s), row, strict=True):
        env[label] = bits
    if "VCCBIT" in env:
        env["VCC"] = env.pop("VCCBIT") << env["laneId"]
    return env


def _reference(s: Semantic, entry: str, env: dict[str, Any], mode: Mode) -> dict[str, int]:
    got = evaluator.evaluate(entry, env, mode)
    lane = env["laneId"]
    out: dict[str, int] = {}
    for i, (label, kind) in enumerate(zip(_result_names(s), s.dsts, strict=True)):
        width = (2 if s.packed else 1) * width_of(kind)
        if label == "BIT":
            if entry.startswith(("V_CMP_", "V_CMPX_")):
                out[label] = (got["D0"] >> lane) & 1
            elif "D1" in got:
                out[label] = got["D1"] & 1
            else:
                out[label] = (got["VCC"] >> lane) & 1
        elif s.name == "v_swap_b32":
            out[label] = got["D0" if i == 0 else "S0"]
        else:
            out[label] = int(got.get(label, env.get(label, 0))) & ((1 << width) - 1)
    return out


def _close(s: Semantic, entry: str, label: str, kind: str, want: int, got: int) -> bool:
    """Equality of one result under the opcode's tolerance; NaN equals NaN."""
    if want == got:
        return True
    f = FORMAT.get(kind)
    if s.name in _PAIRS:
        f = _PAIRS[s.name]
        pairs = ((want & 0xFFFF, got & 0xFFFF), (want >> 16, got >> 16))
        return all(a == b or (is_nan(f, a) and is_nan(f, b)) for a, b in pairs)
    if f is None or not label.startswith("D"):
        return False
    if s.packed:
        half = (1 << s.packed) - 1
        pairs = [(want & half, got & half), (want >> s.packed, got >> s.packed)]
        return all(a == b or (is_nan(f, a) and is_nan(f, b)) for a, b in pairs)
    if is_nan(f, want) and is_nan(f, got):
        return True
    tolerance = special.TOLERANCE.get(entry)
    if tolerance is None:
        return False
    return within(f, want, got, tolerance)


def dot2_close(s: Semantic, env: dict[str, Any], want: int, got: int) -> bool:
    """v_dot2_f32_*: |difference| <= 2^-21 of the summed magnitudes (order is undocumented)."""
    half = BF16 if "bf16" in s.name else F16
    a, b = env["S0"], env["S1"]
    pairs = [(a & 0xFFFF, b & 0xFFFF), (a >> 16, b >> 16)]
    if any(known.subnormal(half, x) for pair in pairs for x in pair):
        return True  # flushed whatever MODE says, according to RJ-079; not measured
    addend = special.to_float(F32, env["D0"] if s.reads_dst else env["S2"])
    size = abs(addend) + sum(
        abs(special.to_float(half, x) * special.to_float(half, y)) for x, y in pairs
    )
    if not size < special.to_float(F32, F32.inf - 1) / 4:
        return True  # infinities, NaN, or sums whose order decides about overflow
    difference = abs(special.to_float(F32, want) - special.to_float(F32, got))
    return difference <= size * 2.0**-21 + 2.0**-126


def within(f: Format, want: int, got: int, tolerance: special.Tolerance) -> bool:
    """Whether got lies within the tolerance of want (both finite, or neighbours of limits)."""
    if is_nan(f, want) or is_nan(f, got):
        return False

    def order(a: int) -> int:
        return -(a & f.abs_mask) if a & f.sign_bit else a

    # A result that hardware flushes (f32 forms) may come out subnormal elsewhere.
    if abs(order(want) - order(got)) <= tolerance.ulp:
        return True
    a, b = special.to_float(f, want), special.to_float(f, got)
    if abs(a - b) <= tolerance.absolute:
        return True
    smallest_normal = special.to_float(f, 1 << f.mant)
    return f is F32 and abs(a) < smallest_normal and abs(b) < smallest_normal


def modes(s: Semantic) -> list[Mode]:
    """MODE settings that the table's function itself depends on."""
    if "scalef32" in s.name:  # gfx950 only
        return [Mode(fnuz=False), Mode(fnuz=False, fp16_ovfl=True)]
    out = [Mode()]
    if "fnuz" in s.uses:
        out.append(Mode(fnuz=False))
    if "fp16_ovfl" in s.uses:
        out += [Mode(fp16_ovfl=True), Mode(fp16_ovfl=True, fnuz=False)]
    if "ieee" in s.uses:
        out.append(Mode(ieee=False))
    return out


def immediate_sets(s: Semantic) -> list[dict[str, int]]:
    """Values of the modifiers that are operands (v_bitop3's truth table)."""
    if not s.immediates:
        return [{}]
    return [{name: value for name in s.immediates} for value in (0xCA, 0x96, 0xE8, 0x01, 0xFE)]


def compare(s: Semantic, entry: str, count: int, seed: int | str = 1) -> Outcome:
    """Run one opcode on `count` operand tuples, divided among its modes and immediates."""
    outcome = Outcome(s.name, entry)
    settings = [(m, i) for m in modes(s) for i in immediate_sets(s)]
    share = max(16, count // len(settings))
    for n, (mode, immediates) in enumerate(settings):
        rows = operands(s, share, f"{seed}:{n}")
        outcome.count += len(rows)
        product = _product(s, rows, mode, immediates)
        for row, got in zip(rows, product, strict=True):
            env = _environment(s, row)
            if "bitop3" in immediates:
                table = immediates["bitop3"]
                env["INST.OMOD"] = table >> 6
                env["INST.ABS"] = table >> 3 & 7
                env["INST.NEG"] = table & 7
            _judge(s, entry, env, mode, got, outcome)
    return outcome


def _subnormal_f32(*cases: dict[str, Any]) -> bool:
    names = ("S0", "S1", "S2", "D0", "SIMM32")
    values = [c[n] & 0xFFFFFFFF for c in cases for n in names if n in c]
    products = abs(sum(((v & F32.inf) >> F32.mant) - F32.bias for v in values[:2]))
    return any(known.subnormal(F32, v) for v in values) or products > F32.bias - 2


def _judge(
    s: Semantic,
    entry: str,
    env: dict[str, Any],
    mode: Mode,
    got: dict[str, int],
    outcome: Outcome,
) -> None:
    want = _reference(s, entry, env, mode)
    if all(
        _close(s, entry, label, kind, want[label], got[label])
        for label, kind in zip(_result_names(s), s.dsts, strict=True)
    ):
        return
    if s.forced_flush and _subnormal_f32(env, want, got):
        return  # flushed around the table's function, by the engine
    why = known.accepted(entry, env, mode)
    if why is not None and entry.startswith("V_DOT2") and "_F32_" in entry:
        why = why if dot2_close(s, env, want["D0"], got["D0"]) else None
    if why is not None:
        outcome.accepted[why.condition] = outcome.accepted.get(why.condition, 0) + 1
    else:
        shown = {k: v for k, v in env.items() if isinstance(v, int)}
        outcome.mismatches.append(Mismatch(shown, want, got))


def main() -> None:
    import sys

    wanted, count = set(sys.argv[1:]), 400
    for s, entry in comparable():
        if wanted and s.name not in wanted:
            continue
        try:
            outcome = compare(s, entry, count)
        except Exception as error:  # a report goes on to the next opcode
            print(f"{s.name}: {type(error).__name__}: {error}")
            continue
        if outcome.mismatches or outcome.accepted:
            print(
                f"{s.name}: {len(outcome.mismatches)}/{outcome.count} differ, "
                f"accepted {outcome.accepted}"
            )
            for mismatch in outcome.mismatches[:4]:
                print("   ", mismatch)


if __name__ == "__main__":
    main()
