"""Control flow: the one list of what branches, calls, returns, ends and traps.

Names of all generations are keys here; what is no key runs on to the next instruction. Sources: ISA
chapters on program control (Vega, CDNA3, RDNA2, RDNA3, RDNA4), LLVM `SOPInstructions.td` (gfx1250
spells `s_setpc_b64` as `s_set_pc_i64`, `s_swappc_b64` as `s_swap_pc_i64`, and so on).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class FlowKind(Enum):
    """What an instruction does to the program counter."""

    NEXT = auto()  # runs on to the next instruction
    JUMP = auto()  # always to its label
    CONDITIONAL = auto()  # to its label or on
    CALL = auto()  # leaves a return address; to its label, or to a register's address
    COMPUTED = auto()  # to an address in a register: a return, a jump table, an exception's end
    FORK = auto()  # gfx9 fork and join: change EXEC through a stack as well
    TRAP = auto()  # to the trap handler, which may return here
    END = auto()  # the wave ends


class Condition(Enum):
    """What a conditional branch looks at; `units` of `asmevo.isa.effects` follow from it."""

    SCC = "scc"
    VCC = "vcc"
    EXEC = "exec"
    DEBUG = "debug"  # bits that only a debugger sets
    SUBVECTOR = "subvector"  # gfx10 subvector loops: EXEC halves and their own register


@dataclass(frozen=True, slots=True)
class Flow:
    """Control flow of one opcode.

    Attributes:
        kind: what it does.
        direct: its last operand is a label (a signed count of dwords from the next instruction).
        falls: control may reach the next instruction without coming back from elsewhere; true for
            a call as well, whose callee returns there.
        condition: what a conditional branch looks at, else None.
        when: value of SCC, or "is zero" for VCC and EXEC, under which the branch is taken.
    """

    kind: FlowKind
    direct: bool = False
    falls: bool = True
    condition: Condition | None = None
    when: bool | None = None

    @property
    def changes(self) -> bool:
        """Whether control may go anywhere but to the next instruction."""
        return self.kind is not FlowKind.NEXT

    @property
    def ends_block(self) -> bool:
        """Whether a basic block ends behind it (a trap ends one, because a handler runs)."""
        return self.kind is not FlowKind.NEXT

    @property
    def skips_without_lanes(self) -> bool:
        """Whether it jumps when EXEC is zero: what lies between has no active lane then."""
        return self.condition is Condition.EXEC and self.when is True


NEXT = Flow(FlowKind.NEXT)
_JUMP = Flow(FlowKind.JUMP, direct=True, falls=False)
_CALL = Flow(FlowKind.CALL, direct=True)
_CALL_REGISTER = Flow(FlowKind.CALL)
_COMPUTED = Flow(FlowKind.COMPUTED, falls=False)
_FORK = Flow(FlowKind.FORK)
_END = Flow(FlowKind.END, falls=False)
_DEBUG = Flow(FlowKind.CONDITIONAL, direct=True, condition=Condition.DEBUG)
_SUBVECTOR = Flow(FlowKind.CONDITIONAL, direct=True, condition=Condition.SUBVECTOR)


def _when(condition: Condition, when: bool) -> Flow:
    return Flow(FlowKind.CONDITIONAL, direct=True, condition=condition, when=when)


FLOW: dict[str, Flow] = {
    "s_branch": _JUMP,
    "s_cbranch_scc0": _when(Condition.SCC, False),
    "s_cbranch_scc1": _when(Condition.SCC, True),
    "s_cbranch_vccz": _when(Condition.VCC, True),
    "s_cbranch_vccnz": _when(Condition.VCC, False),
    "s_cbranch_execz": _when(Condition.EXEC, True),
    "s_cbranch_execnz": _when(Condition.EXEC, False),
    "s_cbranch_cdbgsys": _DEBUG,
    "s_cbranch_cdbguser": _DEBUG,
    "s_cbranch_cdbgsys_or_user": _DEBUG,
    "s_cbranch_cdbgsys_and_user": _DEBUG,
    "s_subvector_loop_begin": _SUBVECTOR,
    "s_subvector_loop_end": _SUBVECTOR,
    "s_cbranch_g_fork": _FORK,
    "s_cbranch_i_fork": Flow(FlowKind.FORK, direct=True),
    "s_cbranch_join": _FORK,
    "s_call_b64": _CALL,
    "s_call_i64": _CALL,
    "s_swappc_b64": _CALL_REGISTER,
    "s_swap_pc_i64": _CALL_REGISTER,
    "s_setpc_b64": _COMPUTED,
    "s_set_pc_i64": _COMPUTED,
    "s_add_pc_i64": _COMPUTED,  # relative, by a register or a literal
    "s_rfe_b64": _COMPUTED,
    "s_rfe_i64": _COMPUTED,
    "s_rfe_restore_b64": _COMPUTED,
    "s_trap": Flow(FlowKind.TRAP),
    "s_endpgm": _END,
    "s_endpgm_saved": _END,
    "s_endpgm_ordered_ps_done": _END,
}
# Opcodes that read the program counter into a register.
PC_READS = frozenset({"s_getpc_b64", "s_get_pc_i64"})
_INVERSE = {(f.condition, f.when): name for name, f in FLOW.items() if f.when is not None}


def flow_of(base: str) -> Flow:
    """Control flow of an opcode (mnemonic without encoding suffix)."""
    return FLOW.get(base, NEXT)


def flow_of_text(text: str) -> Flow:
    """Control flow of an instruction's text."""
    return FLOW.get(text.partition(" ")[0], NEXT)


def reads_pc(text: str) -> bool:
    """Whether an instruction's text reads the program counter into a register."""
    return text.partition(" ")[0] in PC_READS


def inverse(base: str) -> str | None:
    """The conditional branch with the opposite condition, or None."""
    flow = flow_of(base)
    return None if flow.when is None else _INVERSE[flow.condition, not flow.when]
