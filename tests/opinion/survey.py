"""What of AMD's table this package can evaluate, and what of it the product's table covers.

Run as `python -m opinion.survey` with tests/ on PYTHONPATH.
"""

from __future__ import annotations

import collections
import re

from . import corrections, evaluator
from .syntax import PcodeSyntaxError
from .values import PcodeTypeError

_FAMILIES = (
    ("SALU", r"S_(?!LOAD|STORE|BUFFER|SCRATCH|ATOMIC|DCACHE|MEM)"),
    ("SMEM", r"S_"),
    ("VOP3P", r"V_(PK_|DOT|MAD_MIX)"),
    ("matrix", r"V_S?MFMA"),
    ("compare", r"V_CMPX?_"),
    ("VALU", r"V_"),
    ("LDS", r"DS_"),
    ("buffer format", r"T?BUFFER_(LOAD|STORE)_FORMAT"),
    ("vector memory", r"(BUFFER|GLOBAL|FLAT|SCRATCH)_"),
)


def family(name: str) -> str:
    """Family of an entry, for the counts."""
    for label, pattern in _FAMILIES:
        if re.match(pattern, name):
            return label
    return "other"


def states(arch: str = "cdna") -> dict[str, str]:
    """Entry -> "evaluates", "corrected", "prose" or "undefined: why"."""
    out: dict[str, str] = {}
    for name in evaluator.table(arch):
        try:
            evaluator.compiled(name, arch)
        except PcodeSyntaxError:
            out[name] = "prose"
        except PcodeTypeError as error:
            out[name] = f"undefined: {error}"
        else:
            out[name] = "corrected" if name in corrections.CORRECTIONS else "evaluates"
    return out


def empty_entries(arch: str = "cdna") -> list[str]:
    """Opcodes of tinygrad's enumerations that have no text at all."""
    import importlib

    enum = importlib.import_module(f"tinygrad.runtime.autogen.amd.{arch}.enum")
    known_names = set(evaluator.table(arch))
    names: set[str] = set()
    for kind in vars(enum).values():
        members = getattr(kind, "__members__", None)
        label = getattr(kind, "__name__", "")
        if members and re.match(r"(SOP|SMEM|VOP|DS|FLAT|GLOBAL|SCRATCH|MUBUF|MTBUF)", label):
            names |= {evaluator.base_name(m) for m in members}
    return sorted(names - known_names)


def main() -> None:
    found = states()
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, state in found.items():
        counts[family(name)][state.split(":")[0]] += 1
    for label in (*(f[0] for f in _FAMILIES), "other"):
        if label in counts:
            print(f"{label:15}", dict(counts[label]))
    print("total", collections.Counter(s.split(":")[0] for s in found.values()))
    print("undefined", sorted(n for n, s in found.items() if s.startswith("undefined")))
    print("without text", empty_entries())


if __name__ == "__main__":
    main()
