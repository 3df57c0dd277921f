"""Software data hazards: which pairs of instructions need wait states between them, as data.

`RULES` holds one row per documented pair: producer role, consumer role, register relation and the
wait states per architecture. `roles` says which roles an instruction plays. The engines (static:
`asmevo.check.rules.hazards`, dynamic: the emulator) only match the two, so a new part is further
rows.

Wait states between P and C are counted over the instructions strictly between: `s_nop N` gives
N+1, every other instruction 1 (an MFMA too). Every row names its sources: functions of LLVM's
`GCNHazardRecognizer.cpp`, the tables of manually inserted wait states of the CDNA3 ISA (11, 37)
and the CDNA4 ISA (11, 38), or a measurement. Where sources differ, the row has the larger number:
what only one of them asks for is a note on an object, and binding for an edit of it. A pair that
needs nothing although it looks as if it might is in `EXEMPTIONS`, with who says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from asmevo.isa.target import Target


class Mark(StrEnum):
    """Who asks for a rule."""

    BOTH = "R"  # LLVM and the ISA agree
    LLVM = "L"  # only LLVM
    ISA = "I"  # only the ISA document
    HARDWARE = "H"  # measured on hardware, whatever the documents say


class P(IntEnum):
    """Producer roles."""

    VALU_SGPR = 0  # VALU writes an SGPR or VCC
    VALU_EXEC = 1  # v_cmpx
    VALU_VGPR = 2  # VALU other than DOT writes a VGPR or AGPR
    ANY_VGPR = 3  # anything but a VALU writes a VGPR (LLVM's DPP rule)
    TRANS_VGPR = 4
    DSTSEL_VGPR = 5  # writes part of a VGPR through a destination select
    DOT_VGPR = 6
    STORE_DATA = 7  # reads store data wider than 64 bits
    SALU_M0 = 8
    SETREG = 9  # writes a hardware register
    VSKIP = 10
    XDL_D = 11
    SGEMM_D = 12
    D4_D = 13  # f64 4x4x4
    D16_D = 14  # f64 16x16x4
    XDL_C = 15  # XDL reads its C operand
    DGEMM = 16  # any f64 matrix instruction
    VALU_THEN_DGEMM = 17  # VALU writes a VGPR and a DGEMM follows
    STORE_DATA_SGPR = 18  # the same data of a buffer store whose offset is an SGPR


class C(IntEnum):
    """Consumer roles."""

    VMEM_SGPR = 0
    VMEM_EXEC = 1
    DIV_FMAS = 2
    LANE_SELECT = 3
    VALU_SCONST = 4  # VALU reads an SGPR as constant, not as carry or select mask
    VALU_EXEC = 5  # VALU names EXEC as operand
    LANE_EXEC = 6  # readlane, readfirstlane, writelane
    READLANE = 7  # source VGPR of readlane and readfirstlane
    DPP_VGPR = 8
    DPP_EXEC = 9
    PLAIN_VALU_READ = 10  # VALU that is not transcendental reads a VGPR
    VALU_READ = 11
    VALU_WRITE = 12
    MEM_READ = 13  # vector memory, LDS or export reads a VGPR
    LOAD_WRITE = 14  # destination of a vector memory or LDS load
    MFMA_AB = 15  # A, B, index or scale operand
    XDL_C = 16
    SGEMM_C = 17
    DGEMM_C = 18
    MFMA_EXEC = 19
    M0_ADDTID = 20
    M0_MESSAGE = 21
    M0_FLAT_LDSDMA = 22
    M0_MUBUF_LDSDMA = 23
    GETREG = 24
    SETREG = 25
    RFE = 26
    VECTOR = 27
    GETREG_MODE = 28
    ZERO_FLAG = 29  # VALU reads VCCZ or EXECZ
    PERMLANE_SWAP = 30
    PERMLANE_EXEC = 31
    DOT_AB = 32
    FMA64 = 33
    KEPT_PART = 34  # destination of a partial write that keeps its other part, nothing else
    MATRIX_WRITE = 35  # destination of a matrix instruction


class Relation(StrEnum):
    """How the two register sets must relate for a rule to hold."""

    OVERLAP = "overlap"
    SAME = "same"  # identical tuples (start and size)
    SAME_OTHER_PASSES = "same, other passes"  # identical tuples, passes differ
    UNEQUAL = "unequal"  # overlapping but not identical
    NONE = "none"  # registers do not matter


class Opcode(StrEnum):
    """Whether the pair's opcodes matter (DOT rules)."""

    ANY = "any"
    SAME = "same"
    OTHER = "other"


Needs = int | Mapping[int, int]  # wait states, or wait states by passes of the producer


@dataclass(frozen=True, slots=True)
class HazardRule:
    """One documented pair on one architecture.

    Attributes:
        name: rule id without the architecture (`xdl-valu-read`).
        producer, consumer, relation, opcode: what must match.
        kind: `RAW`, `WAW`, `WAR` or `other`.
        need: wait states required, possibly by passes of the producer.
        mark: who asks for it.
        source: where it is written: LLVM function, ISA table, or measurement.
        broken: passes (0 for rules without passes) for which code known to run every day breaks
            the rule ("V!"), so that breaking it is a note and never an error.
        llvm_bound: wait states at which LLVM's own search ends; at or above it a shortfall is
            only a note, because compiled code has it.
        text: what the pair is, for people.
    """

    name: str
    producer: P
    consumer: C
    relation: Relation
    opcode: Opcode
    kind: str
    need: Needs
    mark: Mark
    source: str
    broken: frozenset[int]
    llvm_bound: int | None
    text: str

    def wait_states(self, passes: int) -> int:
        """Wait states that a producer of `passes` passes needs (0: none)."""
        if isinstance(self.need, int):
            return self.need
        return self.need.get(passes, 0)


_ARCHS = ("gfx90a", "gfx942", "gfx950")
_Columns = tuple[Needs, Needs, Needs]


def _passes(two: int, four: int, eight: int, sixteen: int) -> dict[int, int]:
    return {2: two, 4: four, 8: eight, 16: sixteen}


def _row(
    name: str,
    pair: tuple[P, C],
    columns: _Columns | int,
    text: str,
    source: str,
    *,
    kind: str = "RAW",
    relation: Relation = Relation.OVERLAP,
    opcode: Opcode = Opcode.ANY,
    mark: Mark = Mark.BOTH,
    broken: Mapping[str, frozenset[int]] | None = None,
    llvm_bound: int | None = None,
) -> dict[str, HazardRule]:
    """The rule per architecture that needs any wait state."""
    needs = (columns,) * 3 if isinstance(columns, int) else columns
    found: dict[str, HazardRule] = {}
    for arch, need in zip(_ARCHS, needs, strict=True):
        if need == 0:
            continue
        bad = (broken or {}).get(arch, frozenset())
        found[arch] = HazardRule(
            name, *pair, relation, opcode, kind, need, mark, source, bad,
            llvm_bound if arch == "gfx950" else None, text,
        )  # fmt: skip
    return found


_0 = frozenset({0})
_942_950 = {"gfx942": _0, "gfx950": _0}
_S, _U, _N = Relation.SAME, Relation.UNEQUAL, Relation.NONE
_OTHER_PASSES = Relation.SAME_OTHER_PASSES
# gfx90a: passes 2/8/16 (SGEMM counts as XDL there); gfx942; gfx950.
_AFTER_XDL: _Columns = (_passes(5, 0, 11, 19), _passes(5, 7, 11, 19), _passes(5, 8, 12, 20))
_AFTER_SGEMM: _Columns = (0, _passes(4, 6, 10, 18), _passes(4, 6, 10, 18))
_FIRST_PASSES_ONLY: _Columns = (0, _passes(2, 0, 0, 0), _passes(2, 0, 0, 0))
_XDL_TO_XDL_C: _Columns = (_passes(2, 0, 8, 16), _passes(3, 5, 9, 17), _passes(4, 6, 10, 18))
_XDL_TO_SD_C: _Columns = (0, _passes(3, 5, 9, 17), _passes(3, 6, 10, 18))
_SGEMM_TO_SD_C: _Columns = (0, _passes(2, 4, 8, 16), _passes(2, 4, 8, 16))

# Sources. T11: manually inserted wait states, table 11 of the CDNA3 and CDNA4 ISA documents; T38:
# VOP3P matrix opcodes, table 37 (CDNA3) and 38 (CDNA4). Functions are LLVM's.
_T11, _T38 = "ISA table 11", "ISA table 37/38"
_VALU = "checkVALUHazards"
_MAI, _MAI_VALU = "checkMAIHazards90A", "checkMAIVALUHazards"
_VMEM, _M0, _DPP = "checkVMEMHazards", "checkReadM0Hazards", "checkDPPHazards"

_ROWS: tuple[dict[str, HazardRule], ...] = (
    # --- scalar registers, EXEC, M0, hardware registers -----------------------------------
    _row("sgpr-vmem", (P.VALU_SGPR, C.VMEM_SGPR), 5, "VALU writes an SGPR that VMEM reads",
         f"{_VMEM}; {_T11}", broken={"gfx942": _0}),
    _row("exec-vmem", (P.VALU_EXEC, C.VMEM_EXEC), 5, "VALU writes EXEC before VMEM",
         f"{_VMEM} (implicit reads)", mark=Mark.LLVM),
    _row("vcc-divfmas", (P.VALU_SGPR, C.DIV_FMAS), 4, "VALU writes VCC before v_div_fmas",
         f"checkDivFMasHazards; {_T11}"),
    _row("lane-select", (P.VALU_SGPR, C.LANE_SELECT), 4,
         "VALU writes the SGPR that selects a lane", f"checkRWLaneHazards; {_T11}"),
    _row("sgpr-valu-const", (P.VALU_SGPR, C.VALU_SCONST), (0, 2, 2),
         "VALU writes an SGPR that VALU reads as constant",
         f"{_VALU} (hasVDecCoExecHazard); {_T11}", broken=_942_950),
    _row("exec-valu-const", (P.VALU_EXEC, C.VALU_EXEC), (0, 2, 2),
         "VALU writes EXEC that VALU reads as operand", f"{_VALU}; {_T11}"),
    _row("exec-lane", (P.VALU_EXEC, C.LANE_EXEC), (0, 4, 4),
         "VALU writes EXEC before a lane read or write", f"{_VALU}; {_T11}"),
    _row("exec-dpp", (P.VALU_EXEC, C.DPP_EXEC), 5, "VALU writes EXEC before a DPP instruction",
         f"{_DPP}; {_T11}"),
    _row("exec-mfma", (P.VALU_EXEC, C.MFMA_EXEC), 4, "VALU writes EXEC before an MFMA",
         f"{_MAI}; {_T38}"),
    _row("cmpx-permlane", (P.VALU_EXEC, C.PERMLANE_EXEC), (0, 0, 4),
         "v_cmpx before a lane swap", f"checkPermlaneHazards; {_T11}"),
    _row("vccz-data", (P.VALU_SGPR, C.ZERO_FLAG), 5, "VALU writes VCC that is read as VCCZ",
         _T11, mark=Mark.ISA),
    _row("execz-data", (P.VALU_EXEC, C.ZERO_FLAG), 5, "VALU writes EXEC that is read as EXECZ",
         _T11, mark=Mark.ISA),
    _row("m0-addtid", (P.SALU_M0, C.M0_ADDTID), 1,
         "SALU writes M0 before an add-tid LDS access, movrel or interpolation",
         f"{_M0}; {_T11}"),
    _row("m0-msg", (P.SALU_M0, C.M0_MESSAGE), 1,
         "SALU writes M0 before a message, GDS or LDS-direct read", f"{_M0}; {_T11}"),
    _row("m0-ldsdma-flat", (P.SALU_M0, C.M0_FLAT_LDSDMA), 1,
         "SALU writes M0 before a global or scratch load to LDS", f"{_M0}; {_T11}"),
    _row("m0-ldsdma-mubuf", (P.SALU_M0, C.M0_MUBUF_LDSDMA), (1, 0, 0),
         "SALU writes M0 before a buffer load to LDS", _M0, mark=Mark.LLVM),
    _row("setreg-getreg", (P.SETREG, C.GETREG), 2, "s_setreg before s_getreg of one register",
         f"checkGetRegHazards; {_T11}"),
    _row("setreg-setreg", (P.SETREG, C.SETREG), 2, "two s_setreg of one register",
         f"checkSetRegHazards; {_T11}", kind="WAW"),
    _row("trapsts-rfe", (P.SETREG, C.RFE), 1, "s_setreg TRAPSTS before s_rfe",
         f"checkRFEHazards; {_T11}", kind="other"),
    _row("vskip", (P.VSKIP, C.VECTOR), 2, "VSKIP changes before a vector instruction", _T11,
         kind="other", relation=_N, mark=Mark.ISA),
    _row("vskip-getreg", (P.VSKIP, C.GETREG_MODE), 2, "VSKIP changes before s_getreg MODE", _T11,
         kind="other", relation=_N, mark=Mark.ISA),
    # --- vector registers -----------------------------------------------------------------
    _row("vgpr-readlane", (P.VALU_VGPR, C.READLANE), (0, 1, 1),
         "VALU writes a VGPR that readlane reads", f"{_VALU}; {_T11}"),
    _row("vgpr-dpp", (P.VALU_VGPR, C.DPP_VGPR), 2, "VALU writes a VGPR that DPP reads",
         f"{_DPP}; {_T11}", broken=_942_950),
    _row("vgpr-dpp-load", (P.ANY_VGPR, C.DPP_VGPR), 2, "a load writes a VGPR that DPP reads",
         f"{_DPP} (any writer)", mark=Mark.LLVM, broken=_942_950),
    _row("trans-valu", (P.TRANS_VGPR, C.PLAIN_VALU_READ), (0, 1, 1),
         "a transcendental result is read by VALU",
         f"{_VALU} (hasTransForwardingHazard); {_T11}"),
    _row("dstsel-valu-read", (P.DSTSEL_VGPR, C.VALU_READ), (0, 1, 1),
         "a destination-select result is read by VALU",
         f"{_VALU} (hasDstSelForwardingHazard); {_T11}"),
    _row("dstsel-kept", (P.DSTSEL_VGPR, C.KEPT_PART), (0, 1, 1),
         "a destination-select result is extended by another partial write",
         f"{_VALU} (tied destination); {_T11}", broken={"gfx950": _0}),
    _row("dstsel-valu-write", (P.DSTSEL_VGPR, C.VALU_WRITE), (0, 1, 1),
         "a destination-select result is overwritten by VALU",
         "consumesDstSelForwardingOperand", kind="WAW", mark=Mark.LLVM),
    _row("store-data-war", (P.STORE_DATA, C.VALU_WRITE), (1, 2, 2),
         "VALU overwrites the data of a store wider than 64 bits",
         f"{_VALU} (createsVALUHazard); {_T11}", kind="WAR"),
    # The ISA and older LLVM exempt SGPR offsets; on gfx950 the store then wrote the new data.
    _row("store-data-war", (P.STORE_DATA_SGPR, C.VALU_WRITE), (0, 1, 1),
         "VALU overwrites the data of a buffer store wider than 64 bits with an SGPR offset",
         "measured on gfx950, LLVM pull request 197267; against ISA table 11", kind="WAR",
         mark=Mark.HARDWARE),
    _row("store-data-war-matrix", (P.STORE_DATA, C.MATRIX_WRITE), (1, 2, 2),
         "a matrix instruction overwrites the data of a store wider than 64 bits",
         f"{_VALU} (a matrix instruction is VALU there); {_T11} asks 1 of any writer", kind="WAR",
         mark=Mark.LLVM),
    _row("store-data-war-matrix", (P.STORE_DATA_SGPR, C.MATRIX_WRITE), (0, 1, 1),
         "a matrix instruction overwrites the data of a buffer store with an SGPR offset",
         "LLVM pull request 197267", kind="WAR", mark=Mark.LLVM),
    _row("store-data-war-nonvalu", (P.STORE_DATA, C.LOAD_WRITE), 1,
         "a load overwrites the data of a store wider than 64 bits", _T11, kind="WAR",
         mark=Mark.ISA),
    _row("permlane", (P.VALU_VGPR, C.PERMLANE_SWAP), (0, 0, 2),
         "VALU writes a VGPR that a lane swap reads", f"checkPermlaneHazards; {_T11}",
         broken={"gfx950": _0}),
    _row("dot-other", (P.DOT_VGPR, C.VALU_READ), 3, "a DOT result is read by another VALU",
         f"{_MAI_VALU}; {_T38}", opcode=Opcode.OTHER),
    _row("dot-mem", (P.DOT_VGPR, C.MEM_READ), 3, "a DOT result is read by memory or export",
         f"{_MAI_VALU}; {_T38}"),
    _row("dot-same-ab", (P.DOT_VGPR, C.DOT_AB), 3, "a DOT result is A or B of the same DOT",
         f"{_MAI_VALU}; {_T38}", opcode=Opcode.SAME),
    _row("dot-waw", (P.DOT_VGPR, C.VALU_WRITE), 3, "a DOT result is overwritten by another VALU",
         f"{_MAI_VALU}; {_T38}", kind="WAW", opcode=Opcode.OTHER),
    _row("dot-waw-matrix", (P.DOT_VGPR, C.MATRIX_WRITE), 3,
         "a DOT result is overwritten by an MFMA", f"{_T38} (any opcode)", kind="WAW",
         mark=Mark.ISA),
    _row("dot-waw-load", (P.DOT_VGPR, C.LOAD_WRITE), 3, "a DOT result is overwritten by a load",
         f"{_T38} (any opcode)", kind="WAW", mark=Mark.ISA),
    _row("dot-mfma-ab", (P.DOT_VGPR, C.MFMA_AB), 3, "a DOT result is read by an MFMA",
         f"{_T38} (any opcode)", mark=Mark.ISA),
    *(
        _row("dot-mfma-c", (P.DOT_VGPR, c), 3, "a DOT result is C of an MFMA",
             f"{_T38} (any opcode)", mark=Mark.ISA)
        for c in (C.XDL_C, C.SGEMM_C, C.DGEMM_C)
    ),
    _row("valu-dgemm-mem", (P.VALU_THEN_DGEMM, C.MEM_READ), (2, 0, 0),
         "VALU writes a VGPR, a DGEMM follows, then memory reads it",
         f"{_MAI_VALU} (DMFMABetweenVALUWriteVMEMRead)", mark=Mark.LLVM),
    # --- matrix instructions --------------------------------------------------------------
    *(
        _row("valu-mfma", (P.VALU_VGPR, c), 2, "VALU writes a register that an MFMA reads",
             f"{_MAI}; {_T38}", broken={"gfx950": _0})
        for c in (C.MFMA_AB, C.XDL_C, C.SGEMM_C, C.DGEMM_C)
    ),
    *(
        _row("xdl-c-same", (P.XDL_D, c), _FIRST_PASSES_ONLY,
             "an XDL result is C of an MFMA (same tuple)", f"{_MAI}; {_T38}", relation=_S)
        for c in (C.XDL_C, C.SGEMM_C, C.DGEMM_C)
    ),
    # Forwarding needs equal passes by the ISA; LLVM looks at the tuples only.
    _row("xdl-c-passes", (P.XDL_D, C.XDL_C), _XDL_TO_XDL_C,
         "an XDL result is C of an XDL of other passes (same tuple)", _T38,
         relation=_OTHER_PASSES, mark=Mark.ISA),
    _row("xdl-sd-c-same", (P.XDL_D, C.SGEMM_C), _XDL_TO_SD_C,
         "an XDL result is C of an SGEMM (same tuple)",
         f"{_T38} (no exemption for the same tuple)", relation=_S, mark=Mark.ISA),
    _row("xdl-xdl-c", (P.XDL_D, C.XDL_C), _XDL_TO_XDL_C,
         "an XDL result overlaps C of an XDL", f"{_MAI}; {_T38}", relation=_U),
    _row("xdl-sd-c", (P.XDL_D, C.SGEMM_C), _XDL_TO_SD_C,
         "an XDL result overlaps C of an SGEMM", f"{_MAI}; {_T38}", relation=_U),
    _row("xdl-sd-c", (P.XDL_D, C.DGEMM_C), (_passes(3, 0, 9, 17), *_XDL_TO_SD_C[1:]),
         "an XDL result overlaps C of a DGEMM", f"{_MAI}; {_T38}", relation=_U),
    _row("xdl-ab", (P.XDL_D, C.MFMA_AB), _AFTER_XDL, "an XDL result is A or B of an MFMA",
         f"{_MAI}; {_T38}", llvm_bound=19),
    _row("xdl-valu-read", (P.XDL_D, C.VALU_READ), _AFTER_XDL, "an XDL result is read by VALU",
         f"{_MAI_VALU}; {_T38}",
         broken={"gfx942": frozenset({4, 8}), "gfx950": frozenset({4, 8, 16})}, llvm_bound=19),
    _row("xdl-mem-read", (P.XDL_D, C.MEM_READ), _AFTER_XDL,
         "an XDL result is read by memory or export", f"{_MAI_VALU}; {_T38}", llvm_bound=19),
    *(
        _row("xdl-waw", (P.XDL_D, c), _AFTER_XDL, "an XDL result is overwritten",
             f"{_MAI_VALU}; {_T38}", kind="WAW", llvm_bound=19)
        for c in (C.VALU_WRITE, C.LOAD_WRITE)
    ),
    *(
        _row("xdl-war-c", (P.XDL_C, c),
             (_passes(1, 0, 7, 15), _passes(1, 3, 7, 15), _passes(1, 3, 7, 15)),
             "C of an XDL is overwritten while it is read", f"{_MAI_VALU}; {_T38}", kind="WAR")
        for c in (C.VALU_WRITE, C.LOAD_WRITE)
    ),
    _row("sgemm-sgemm-c-same", (P.SGEMM_D, C.SGEMM_C), _FIRST_PASSES_ONLY,
         "an SGEMM result is C of an SGEMM (same tuple)", f"{_MAI}; {_T38}", relation=_S),
    _row("sgemm-c-passes", (P.SGEMM_D, C.SGEMM_C), _SGEMM_TO_SD_C,
         "an SGEMM result is C of an SGEMM of other passes (same tuple)", _T38,
         relation=_OTHER_PASSES, mark=Mark.ISA),
    # LLVM waits after two passes on both; for gfx950 the CDNA4 ISA says 0 by name.
    _row("sgemm-xdl-c-same", (P.SGEMM_D, C.XDL_C), (0, _passes(2, 0, 0, 0), 0),
         "an SGEMM result is C of an XDL (same tuple)", _MAI, relation=_S, mark=Mark.LLVM),
    *(
        _row("sgemm-sd-c", (P.SGEMM_D, c), _SGEMM_TO_SD_C,
             "an SGEMM result overlaps C of an SGEMM or DGEMM", f"{_MAI}; {_T38}", relation=_U)
        for c in (C.SGEMM_C, C.DGEMM_C)
    ),
    _row("sgemm-ab", (P.SGEMM_D, C.MFMA_AB), _AFTER_SGEMM, "an SGEMM result is A or B",
         f"{_MAI}; {_T38}"),
    _row("sgemm-valu-read", (P.SGEMM_D, C.VALU_READ), _AFTER_SGEMM,
         "an SGEMM result is read by VALU", f"{_MAI_VALU}; {_T38}"),
    _row("sgemm-mem-read", (P.SGEMM_D, C.MEM_READ), _AFTER_SGEMM,
         "an SGEMM result is read by memory or export", f"{_MAI_VALU}; {_T38}"),
    *(
        _row("sgemm-waw", (P.SGEMM_D, c), _AFTER_SGEMM, "an SGEMM result is overwritten",
             f"{_MAI_VALU}; {_T38}", kind="WAW")
        for c in (C.VALU_WRITE, C.LOAD_WRITE)
    ),
    _row("d4-c", (P.D4_D, C.DGEMM_C), 4, "a 4x4x4 f64 result is C of a DGEMM",
         f"{_MAI}; {_T38}"),
    _row("d4-sgemm-c", (P.D4_D, C.SGEMM_C), (0, 4, 4), "a 4x4x4 f64 result is C of an SGEMM",
         f"{_MAI}; {_T38}"),
    _row("d16-d-c", (P.D16_D, C.DGEMM_C), (9, 9, 17),
         "a 16x16x4 f64 result overlaps C of a DGEMM", f"{_MAI}; {_T38}", relation=_U),
    _row("d16-sgemm-c", (P.D16_D, C.SGEMM_C), (0, 9, 17),
         "a 16x16x4 f64 result overlaps C of an SGEMM", f"{_MAI}; {_T38}"),
    *(
        _row("d4-ab-valu", (P.D4_D, c), 6, "a 4x4x4 f64 result is A or B, or read by VALU",
             f"{_MAI}, {_MAI_VALU}; {_T38}")
        for c in (C.MFMA_AB, C.VALU_READ)
    ),
    *(
        _row("d4-waw", (P.D4_D, c), 6, "a 4x4x4 f64 result is overwritten",
             f"{_MAI_VALU}; {_T38}", kind="WAW")
        for c in (C.VALU_WRITE, C.LOAD_WRITE)
    ),
    _row("d4-mem", (P.D4_D, C.MEM_READ), 9, "a 4x4x4 f64 result is read by memory or export",
         f"{_MAI_VALU}; {_T38}"),
    *(
        _row("d16-ab-valu", (P.D16_D, c), (11, 11, 19),
             "a 16x16x4 f64 result is A or B, or read by VALU", f"{_MAI}, {_MAI_VALU}; {_T38}")
        for c in (C.MFMA_AB, C.VALU_READ)
    ),
    *(
        # LLVM inserts 11 on gfx950 where the ISA asks for 19.
        _row("d16-waw", (P.D16_D, c), (11, 11, 19), "a 16x16x4 f64 result is overwritten",
             f"{_MAI_VALU}; {_T38}", kind="WAW", llvm_bound=11)
        for c in (C.VALU_WRITE, C.LOAD_WRITE)
    ),
    _row("d16-mem", (P.D16_D, C.MEM_READ), 18, "a 16x16x4 f64 result is read by memory or export",
         f"{_MAI_VALU}; {_T38}"),
    _row("dgemm-fma64", (P.DGEMM, C.FMA64), 2, "an f64 MFMA before v_fma_f64",
         f"{_MAI_VALU} (DMFMABackToBack)", kind="other", relation=_N, mark=Mark.LLVM),
)  # fmt: skip


class Exemption(NamedTuple):
    """A pair that needs no wait state although a rule of its family might suggest one.

    Attributes:
        text: the pair.
        archs: where it holds.
        source: who says so; a pair without such a word has a row instead.
    """

    text: str
    archs: tuple[str, ...]
    source: str


EXEMPTIONS = (
    Exemption("VALU writes an SGPR that VALU reads as carry-in or select mask",
              ("gfx942", "gfx950"),
              f"{_T11}: carry-in is 0 by name (LLVM inserts 2); 213,000 sites in 1,867 vendor "
              "kernels have v_cndmask at 0 or 1"),
    Exemption("SALU writes M0 before a buffer load to LDS", ("gfx942", "gfx950"),
              f"{_T11} lists the other forms (LLVM inserts 1); 29,000 sites in 2,182 vendor "
              "kernels have it at 0"),
    Exemption("v_cmpx before a VALU that does not name EXEC", ("gfx942", "gfx950"),
              f"{_T11}: 0 by name"),
    Exemption("SALU writes an SGPR that anything reads", _ARCHS, f"{_T11} and LLVM: VALU only"),
    Exemption("SALU writes M0 before an ordinary LDS access", _ARCHS,
              f"{_T11} and {_M0}: add-tid only"),
    Exemption("a transcendental result is read by another one or by memory", _ARCHS,
              f"{_T11} and {_VALU}: non-transcendental VALU only"),
    Exemption("data of a store up to 64 bits, or of an LDS store, is overwritten", _ARCHS,
              f"{_T11} and createsVALUHazard: not listed"),
    Exemption("VALU overwrites the data of a buffer store with an SGPR offset", ("gfx90a",),
              f"{_T11} and LLVM pull request 197267: before gfx940 no hazard"),
    Exemption("a load overwrites the data of a buffer store with an SGPR offset", _ARCHS,
              f"{_T11}; the measured window of one state is that of a VALU"),
    Exemption("a DOT result is C of the same DOT", _ARCHS, f"{_T38}: 0 by name"),
    Exemption("a 16x16x4 f64 result is C of the next one (same tuple)", _ARCHS,
              f"{_T38}: 0 by name"),
    Exemption("an f64 result is C of an XDL", _ARCHS, f"{_T38}: 0 by name (hardware waits)"),
    Exemption("an SGEMM result is C of an XDL (same tuple)", ("gfx950",),
              f"{_T38}: 0 by name (LLVM inserts 2 after two passes)"),
    Exemption("an SGEMM result overlaps C of an XDL", ("gfx942", "gfx950"),
              f"{_T38}: 0 by name; {_MAI}"),
    Exemption("an SGEMM or DGEMM reads C that is overwritten", ("gfx942", "gfx950"),
              f"{_T38} and {_MAI_VALU}: XDL only"),
    Exemption("VCC written by name and read by number", _ARCHS,
              f"{_T11} asks 1, but gfx9 encodings have one number for it"),
)  # fmt: skip

RULES: dict[str, tuple[HazardRule, ...]] = {
    arch: tuple(row[arch] for row in _ROWS if arch in row) for arch in _ARCHS
}


@lru_cache(maxsize=64)
def rules_of(target: Target) -> tuple[HazardRule, ...] | None:
    """The wait-state rules of the target; None when no table exists for it yet.

    gfx10.3 parts have no data hazards of this kind (LLVM "no data dep hazard"): an empty tuple.
    """
    if target.arch.startswith("gfx103"):
        return ()
    return RULES.get(target.arch)


def rule_by_name(arch: str, name: str) -> HazardRule:
    """First rule called `name` on `arch`.

    Raises:
        KeyError: no such rule.
    """
    for rule in RULES[arch]:
        if rule.name == name:
            return rule
    raise KeyError(f"{arch}.{name}")


@lru_cache(maxsize=64)
def pair_table(target: Target) -> Mapping[int, tuple[HazardRule, ...]]:
    """Rules by `producer * 64 + consumer`; empty for targets without rules."""
    table: dict[int, list[HazardRule]] = {}
    for rule in rules_of(target) or ():
        table.setdefault(rule.producer * 64 + rule.consumer, []).append(rule)
    return {key: tuple(rows) for key, rows in table.items()}


@lru_cache(maxsize=1024)
def reach(target: Target, producer: P, passes: int) -> int:
    """Most wait states that any rule asks for after this producer (0: no rule)."""
    needs = [r.wait_states(passes) for r in rules_of(target) or () if r.producer is producer]
    return max(needs, default=0)


@lru_cache(maxsize=64)
def interest(target: Target) -> tuple[int, ...]:
    """Per producer role, the bit set of consumer roles that any rule pairs it with."""
    bits = [0] * len(P)
    for rule in rules_of(target) or ():
        bits[rule.producer] |= 1 << rule.consumer
    return tuple(bits)
