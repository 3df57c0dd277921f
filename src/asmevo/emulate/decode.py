"""From instruction text to helper variants and record fields.

`decode` chooses the helper variant of one instruction and where its operands live in the wave
state. Constants go to the pool behind the scalar file, expanded to the operand's type, so that
helpers never distinguish constants from SGPRs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.emit import Variant
from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import FloatImm, Imm, Operand, Reg, RegKind, Special
from asmevo.isa.semantics import table
from asmevo.isa.semantics.matrix import matrix_op
from asmevo.isa.semantics.memory import memory_op

# Functional no-ops: they order, wait or hint, and change no register.
_NO_EFFECT = re.compile(
    r"(s_waitcnt|s_wait_|s_nop|s_sleep|s_setprio|s_icache_inv|s_dcache|s_inst_prefetch|"
    r"s_set_inst_prefetch|s_incperflevel|s_decperflevel|s_ttracedata|s_code_end|"
    r"buffer_wbl2|buffer_inv|buffer_wbinvl1|v_nop|ds_nop|s_clause|s_delay_alu|s_sethalt 0)"
)
_SHARED_BASE, _PRIVATE_BASE = 0x10000, 0x20000  # high dwords of the LDS and scratch apertures


class Unsupported(UnsupportedError):
    """An instruction that the emulator cannot execute; carries the reason alone."""


@dataclass(slots=True)
class Record:
    """One record before layout: its helper and operand fields.

    `target` is an instruction index whose record's address goes into the immediate.
    """

    variant: Variant
    ops: list[int] = field(default_factory=lambda: [])
    imm: int = 0
    imm2: int = 0
    misc: int = 0
    index: int = -1
    target: int | None = None
    target2: int | None = None


class ConstantPool:
    """Deduplicated constants behind the scalar file; every entry is 8 bytes."""

    def __init__(self) -> None:
        self._offsets: dict[int, int] = {}

    def put(self, bits: int) -> int:
        """State offset of a 64-bit constant."""
        bits &= (1 << 64) - 1
        return self._offsets.setdefault(bits, L.CONSTANTS + 8 * len(self._offsets))

    def image(self) -> bytes:
        """The pool's bytes."""
        return b"".join(v.to_bytes(8, "little") for v in self._offsets)


def constant_bits(value: Imm | FloatImm, type_: str, packed: int = 0) -> int:
    """Bits of an inline constant or literal as an operand of `type_` reads it.

    Rules (semantics_traps, section 2): integers sign-extend; a literal of an f64 operand is the
    high dword, of a b64/u64 operand it is zero-extended; float inline constants take the
    operand's width, and in packed f16 operands stand in the low half only.
    """
    width = table.width_of(type_)
    if isinstance(value, FloatImm):
        if packed == 16:
            return value.bits(16) if type_[0] == "f" else value.bits(32)
        if packed == 32:
            return value.bits(32) * 0x1_0000_0001
        return value.bits(width if width in (16, 32, 64) else 32)
    n = value.value
    if packed:
        low = n & 0xFFFFFFFF
        return low if packed == 16 else low * 0x1_0000_0001
    if width == 64:
        if value.literal:
            if type_ == "f64":
                return (n & 0xFFFFFFFF) << 32
            if type_ == "i64":
                return (n & 0xFFFFFFFF) - ((n & 0x80000000) << 1)
            return n & 0xFFFFFFFF
        return n
    return n & ((1 << max(width, 32)) - 1)


class Decoder:
    """Decodes the instructions of one kernel for one mode and target.

    `denorm` is MODE's denormal setting as (f32, f16/f64); `arch` selects format differences.
    """

    def __init__(self, pool: ConstantPool, denorm: tuple[int, int], arch: str) -> None:
        self.pool = pool
        self.denorm = denorm
        self.arch = arch
        self._gpr_idx = 0  # enables of the active s_set_gpr_idx region

    # --- operands ---------------------------------------------------------------------------
    def place(self, operand: Operand, type_: str = "b32", packed: int = 0) -> tuple[str, int]:
        """(kind letter, state offset) of an operand read as `type_`."""
        value = operand.value
        if isinstance(value, Reg):
            if value.kind is RegKind.VGPR:
                return "v", L.vgpr(value.index)
            if value.kind is RegKind.AGPR:
                return "v", L.agpr(value.index)
            return "s", L.sgpr(value.index)
        if isinstance(value, Imm | FloatImm):
            return "s", self.pool.put(constant_bits(value, type_, packed))
        if isinstance(value, Special):
            return "s", self._special(value.name, table.width_of(type_))
        raise Unsupported(f"operand {getattr(value, 'text', value)!r} is not supported")

    def _special(self, name: str, width: int) -> int:
        base = {
            "src_shared_base": _SHARED_BASE,
            "src_private_base": _PRIVATE_BASE,
        }.get(name)
        if base is not None:
            return self.pool.put(base << 32 if width == 64 else base)
        if name in ("src_shared_limit", "src_private_limit"):
            return self.pool.put(0xFFFFFFFF)
        if name in ("scc", "src_scc"):
            return L.SCC
        raise Unsupported(f"operand {name} is not supported")

    def offset(self, operand: Operand, type_: str = "b32") -> int:
        """State offset alone."""
        return self.place(operand, type_)[1]

    # --- dispatch -----------------------------------------------------------------------------
    def decode(self, inst: Instruction) -> Record | None:
        """The record of one instruction; None for functional no-ops.

        Raises:
            Unsupported: opcode, operand or modifier that the emulator does not execute.
        """
        base = inst.base
        if inst.text is None:
            raise Unsupported("the bytes do not decode")
        if _NO_EFFECT.match(inst.text):
            return None
        semantic = table.lookup(base)
        if semantic is not None:
            if semantic.scope == "scalar":
                return self._scalar(inst, semantic)
            return self._lane(inst, semantic)
        if base.startswith("s_"):
            return self._scalar_other(inst)
        if base.startswith("ds_"):
            return self._lds(inst)
        if base.startswith(("global_", "buffer_", "scratch_", "flat_")):
            return self._vector_memory(inst)
        if base in ("v_readfirstlane_b32", "v_readlane_b32"):
            places = [self.place(o) for o in inst.operands]
            return Record(
                Variant("readlane", base, "".join(k for k, _ in places), self._index_option(1)),
                [p for _, p in places],
            )
        if base == "v_writelane_b32":
            places = [self.place(o) for o in inst.operands]
            return Record(
                Variant("writelane", base, "vss", self._index_option(1)), [p for _, p in places]
            )
        if re.match(r"v_permlane(16|32)_swap_b32$", base):
            return Record(
                Variant("permlane_swap", base, "vv"), [self.offset(o) for o in inst.operands]
            )
        if base.startswith("v_mfma"):
            return self._matrix(inst)
        raise Unsupported(f"{base} is not supported")

    # --- VALU -----------------------------------------------------------------------------------
    def _index_option(self, destinations: int) -> tuple[tuple[str, Any], ...]:
        """Which record slots M0 indexes inside an s_set_gpr_idx region."""
        if not self._gpr_idx:
            return ()
        slots = [destinations + i for i in range(3) if self._gpr_idx >> i & 1]
        if self._gpr_idx & 8:
            slots.append(0)
        return (("idx", tuple(sorted(slots))),)

    def _lane(self, inst: Instruction, semantic: table.Semantic) -> Record:
        base, mods = inst.base, inst.modifiers
        operands = list(inst.operands)
        if base == "v_swap_b32":
            operands = operands * 2
        explicit = [d for d in semantic.dsts if d not in table.IMPLICIT]
        types = explicit + [s for s in semantic.srcs if s not in table.IMPLICIT]
        if len(operands) != len(types):
            raise Unsupported(f"{inst.text}: {len(operands)} operands, {len(types)} expected")
        places = [
            self.place(o, t, semantic.packed) for o, t in zip(operands, types, strict=True)
        ]
        options: dict[str, Any] = {}
        sources = operands[len(explicit) :]
        for name in ("neg", "abs", "sext"):
            bits = sum(1 << i for i, o in enumerate(sources) if getattr(o, name))
            if bits:
                options[name] = bits
        for name, value in mods.items():
            self._lane_modifier(inst, options, name, value)
        if "dpp" in inst.form:
            options["dpp"] = _dpp_control(mods)
        if inst.form == "sdwa":
            options["sdwa"] = (
                str(mods.get("dst_sel", "DWORD")), str(mods.get("dst_unused", "UNUSED_PAD")),
                str(mods.get("src0_sel", "DWORD")), str(mods.get("src1_sel", "DWORD")),
            )
        if any(t[0] == "f" for t in types) and self.denorm != (3, 3):
            options["denorm"] = self.denorm
        if options.get("clamp") and not _clampable(semantic):
            raise Unsupported(f"{base} with clamp is not supported")
        kinds = "".join(k for k, _ in places)
        extra = self._index_option(len(explicit))
        return Record(
            Variant("lane", base, kinds, tuple(sorted(options.items())) + extra),
            [p for _, p in places],
        )

    def _lane_modifier(
        self, inst: Instruction, options: dict[str, Any], name: str, value: Any
    ) -> None:
        if name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
            options[name] = value
        elif name == "clamp":
            options["clamp"] = True
        elif name in ("mul", "div"):
            options["omod"] = f"{name}{value}"
        elif name in _DPP_WORDS or name in (
            "row_mask", "bank_mask", "bound_ctrl", "dst_sel", "dst_unused", "src0_sel", "src1_sel",
        ):
            return
        elif name == "bitop3":
            options["bitop3"] = value
        else:
            raise Unsupported(f"modifier {name} of {inst.base} is not supported")

    # --- SALU -----------------------------------------------------------------------------------
    def _scalar(self, inst: Instruction, semantic: table.Semantic) -> Record:
        base = inst.base
        operands = list(inst.operands)
        explicit = [d for d in semantic.dsts if d not in table.IMPLICIT]
        types = explicit + [s for s in semantic.srcs if s not in table.IMPLICIT]
        if base in ("s_addk_i32", "s_mulk_i32"):
            operands = [operands[0], *operands]
        if re.match(r"s_(addk|mulk|movk|cmovk|cmpk_\w+)_i32$", base):
            # The 16-bit immediate is printed as its unsigned pattern; I32 forms sign-extend it.
            last = operands[-1].value
            assert isinstance(last, Imm)
            low = last.value & 0xFFFF
            signed = low - 0x10000 if low & 0x8000 else low
            operands[-1] = Operand(Imm(signed))
        if len(operands) != len(types):
            raise Unsupported(f"{inst.text}: {len(operands)} operands, {len(types)} expected")
        ops = [self.offset(o, t) for o, t in zip(operands, types, strict=True)]
        return Record(Variant("scalar", base), ops)

    def _scalar_other(self, inst: Instruction) -> Record:
        base, operands = inst.base, inst.operands
        if base in ("s_barrier", "s_endpgm"):
            return Record(Variant("stop", base))
        if base == "s_trap":
            return Record(Variant("stop", base), misc=_integer(operands[0]))
        if base == "s_branch" or re.match(r"s_cbranch_(scc[01]|vccn?z|execn?z)$", base):
            return Record(Variant("branch", base), target=-1)
        if base in ("s_getpc_b64", "s_setpc_b64", "s_swappc_b64"):
            return Record(Variant("jump", base), [self.offset(o) for o in operands])
        if base == "s_call_b64":
            return Record(Variant("jump", base), [self.offset(operands[0])], target2=-1)
        m = re.match(r"s_(buffer_)?load_dword(?:x(\d+))?$", base)
        if m:
            return self._scalar_load(inst, bool(m.group(1)), int(m.group(2) or 1))
        if base in ("s_memtime", "s_memrealtime"):
            return Record(Variant("time", base), [self.offset(operands[0])])
        if base.startswith("s_set_gpr_idx"):
            return self._gpr_index(inst)
        raise Unsupported(f"{base} is not supported")

    def _scalar_load(self, inst: Instruction, buffered: bool, dwords: int) -> Record:
        destination, base, *rest = inst.operands
        imm = _integer_modifier(inst, "offset")
        soffset = self.pool.put(0)
        if rest:
            value = rest[0].value
            if isinstance(value, Imm):
                imm += value.value
            else:
                soffset = self.offset(rest[0])
        return Record(
            Variant("smem", "s_load", "", (("buffer", buffered), ("dwords", dwords))),
            [self.offset(destination), self.offset(base), soffset], imm=imm,
        )

    def _gpr_index(self, inst: Instruction) -> Record:
        base = inst.base
        if base == "s_set_gpr_idx_off":
            self._gpr_idx = 0
            return Record(Variant("pass", "pass"))
        bits = 0
        for operand in inst.operands:
            text = getattr(operand.value, "text", "")
            for i, word in enumerate(("SRC0", "SRC1", "SRC2", "DST")):
                if re.search(rf"\b{word}\b", text):
                    bits |= 1 << i
        ops: list[int] = []
        if base != "s_set_gpr_idx_mode":
            ops = [self.offset(inst.operands[0])]
        if base != "s_set_gpr_idx_idx":
            self._gpr_idx = bits
        return Record(Variant("gpridx", base), ops, imm=bits)

    # --- memory -----------------------------------------------------------------------------------
    def _vector_memory(self, inst: Instruction) -> Record:
        base, mods = inst.base, inst.modifiers
        op = memory_op(base)
        if op is None:
            raise Unsupported(f"{base} is not supported")
        if mods.get("tfe") or mods.get("lwe"):
            raise Unsupported(f"{base} with tfe or lwe is not supported")
        operands = list(inst.operands)
        to_lds = bool(mods.get("lds")) or "_load_lds" in base
        returns = bool(mods.get("sc0") or mods.get("glc")) and op.action == "atomic"
        options: dict[str, Any] = {}
        if to_lds:
            options["lds"] = True
        if returns:
            options["returns"] = True
        zero = self.pool.put(0)
        ops = [zero] * 5
        if op.space == "buffer":
            options["mode"] = "buffer"
            if not to_lds:
                ops[0] = self.offset(operands.pop(0))
            vaddr = operands.pop(0) if len(operands) == 3 else None
            if vaddr is not None and vaddr.reg is not None:
                ops[1] = self.offset(vaddr)
            for word in ("offen", "idxen"):
                if mods.get(word):
                    options[word] = True
            ops[2], ops[3] = self.offset(operands[0]), self.offset(operands[1], "u32")
            if returns:
                ops[4] = ops[0]
        else:
            if (op.action == "load" and not to_lds) or returns:
                destination = self.offset(operands.pop(0))
                ops[0 if op.action == "load" else 4] = destination
            vaddr = operands.pop(0)
            if op.action != "load":
                ops[0] = self.offset(operands.pop(0))
            saddr = operands.pop(0) if operands else None
            if vaddr.reg is not None:
                ops[1] = self.offset(vaddr)
            if saddr is not None and saddr.reg is not None:
                ops[2] = self.offset(saddr)
            if op.space == "scratch":
                options["mode"] = "scratch"
                options["vaddr"] = vaddr.reg is not None
                options["saddr"] = saddr is not None and saddr.reg is not None
            elif saddr is not None and saddr.reg is not None:
                options["mode"] = "saddr"
            else:
                options["mode"] = "vaddr"
        return Record(
            Variant("vmem", base, "", tuple(sorted(options.items()))), ops,
            imm=_integer_modifier(inst, "offset"),
        )

    def _lds(self, inst: Instruction) -> Record:
        base, mods, operands = inst.base, inst.modifiers, list(inst.operands)
        if mods.get("gds"):
            raise Unsupported(f"{base} with gds is not supported")
        if base == "ds_swizzle_b32":
            pattern = int.from_bytes(inst.raw[:2], "little")
            return Record(
                Variant("swizzle", base, "vv", (("pattern", pattern),)),
                [self.offset(o) for o in operands],
            )
        if base in ("ds_bpermute_b32", "ds_permute_b32"):
            return Record(
                Variant("permute", base, "vvv"), [self.offset(o) for o in operands],
                imm=_integer_modifier(inst, "offset"),
            )
        op = memory_op(base)
        if op is None:
            raise Unsupported(f"{base} is not supported")
        zero = self.pool.put(0)
        ops = [zero] * 4
        if op.action == "load" or op.returns:
            ops[0] = self.offset(operands.pop(0))
        ops[1] = self.offset(operands.pop(0))
        for i, operand in enumerate(operands):
            ops[2 + i] = self.offset(operand)
        scale = op.pair or 1
        first = "offset0" if op.pair else "offset"
        return Record(
            Variant("lds", base), ops,
            imm=_integer_modifier(inst, first) * scale,
            imm2=_integer_modifier(inst, "offset1") * scale,
        )

    # --- matrix ---------------------------------------------------------------------------------
    def _matrix(self, inst: Instruction) -> Record:
        base, mods = inst.base, inst.modifiers
        op = matrix_op(base)
        if op is None:
            raise Unsupported(f"{base} is not supported")
        options: dict[str, Any] = {"arch": self.arch}
        for name, value in mods.items():
            if name in ("cbsz", "abid", "blgp") and value == 0:
                continue
            if op.acc == "f64" and name == "neg":
                options["neg3"] = value
                continue
            raise Unsupported(f"{base} with {name} is not supported")
        type_ = {"f32": "f32", "f64": "f64", "i32": "u32"}[op.acc]
        d, a, b, c = inst.operands
        kind, at = self.place(c, type_)
        return Record(
            Variant("matrix", base, "vvv" + kind, tuple(sorted(options.items()))),
            [self.offset(d), self.offset(a), self.offset(b), at],
        )


_DPP_WORDS = (
    "quad_perm", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror",
    "row_newbcast", "row_bcast", "wave_shl", "wave_shr", "wave_rol", "wave_ror",
)


def _dpp_control(mods: Any) -> tuple[Any, ...]:
    for word in _DPP_WORDS:
        if word in mods:
            return (
                word, mods[word], int(mods.get("row_mask", 0xF)), int(mods.get("bank_mask", 0xF)),
                bool(mods.get("bound_ctrl", False)),
            )
    raise Unsupported("a DPP instruction without a known DPP control")


def _clampable(semantic: table.Semantic) -> bool:
    if any(d[0] == "f" for d in semantic.dsts):
        return True
    return bool(re.match(r"v_(pk_)?(add|sub|subrev)_[ui](16|32)$", semantic.name))


def _integer(operand: Operand) -> int:
    return operand.value.value if isinstance(operand.value, Imm) else 0


def _integer_modifier(inst: Instruction, name: str) -> int:
    value = inst.modifiers.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unsupported(f"{inst.base}: {name}:{value} is not supported")
    return value
