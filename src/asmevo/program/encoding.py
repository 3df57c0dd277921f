"""Decoding with proof: every distinct encoding is decoded once and re-assembled once.

One table per architecture holds the encodings seen so far in this process. An instruction whose
text does not assemble back to its bytes keeps the bytes and is marked not editable (LLVM issues
#56091, #59467, ROCm/hcc#852); nothing is ever dropped.

An AMDGPU encoding says its own length in its leading words, so a known encoding can be found by
trying 4, 8, 12, 16 and 20 bytes. The exceptions are the scale prefixes of matrix instructions,
which decode alone and as the head of a pair; they are never looked up by their own bytes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence

from asmevo.isa.codec.dont_care import candidates, ignored
from asmevo.isa.codec.lengths import LONGEST
from asmevo.isa.codec.llvm import AssemblyError, assembler, disassembler
from asmevo.isa.flow import FlowKind, flow_of_text, reads_pc
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import FloatImm, Imm
from asmevo.isa.target import Target

_SIZES = (4, 8, 12, 16, 20)
_WINDOW = 1 << 16  # bytes decoded at once where everything is new
_MOST_UNREAD = 1 << 16
_LOOKAHEAD = LONGEST  # bytes that may be needed to decode one instruction
# Upper halves of the first dword of v_mfma_ld_scale_b32 and the v_wmma scale prefixes.
_SCALE_PREFIXES = {
    "gfx950": frozenset({b"\xac\xd3"}),
    "gfx1250": frozenset({b"\x35\xcc", b"\x3a\xcc"}),
}
_LITERAL = re.compile(r"\blit(64)?\((-?(?:0x[0-9a-fA-F]+|\d+))\)")
_STAND_IN = 0x5A5A5A5A5A5A5A5A  # a literal that is no inline constant and has no shorter form


def _assemble_literal(target: Target, text: str) -> bytes:
    """Bytes of one instruction with a forced literal, `lit(n)` or `lit64(n)`.

    Some LLVM versions drop the wrapper and use the inline constant or the shorter literal; so
    another literal is assembled and the last dwords replaced.
    """
    match = _LITERAL.search(text)
    if match is None:
        return _assemble_wide(target, text)
    size = 8 if match.group(1) else 4
    stand_in = (_STAND_IN & (1 << 8 * size) - 1).to_bytes(size, "little")
    plain = f"{text[: match.start()]}0x{stand_in.hex()}{text[match.end() :]}"
    code = assembler(target).assemble(plain)
    if code[-size:] != stand_in:
        raise AssemblyError(f"no literal in {text}", "write the constant without lit()")
    value = int(match.group(2), 0) & (1 << 8 * size) - 1
    return code[:-size] + value.to_bytes(size, "little")


def _assemble_wide(target: Target, text: str) -> bytes:
    """Bytes of an `s_set_vgpr_msb` whose immediate has more bits than this LLVM accepts."""
    mnemonic, _, operand = text.partition(" ")
    if mnemonic != "s_set_vgpr_msb" or not operand.startswith("0x"):
        return assembler(target).assemble(text)
    return int(operand, 16).to_bytes(2, "little") + assembler(target).assemble(f"{mnemonic} 0")[2:]


def _literal_forms(inst: Instruction) -> Iterator[str]:
    """Texts of `inst` with one constant written as the forced literal it is."""
    head, _, rest = (inst.text or "").partition(" ")
    parts = rest.split(", ")
    for wrapper, size in (("lit", 4), ("lit64", 8)):
        if len(inst.raw) < 4 + size:
            continue
        value = int.from_bytes(inst.raw[-size:], "little")
        for n, operand in enumerate(inst.operands):
            constant = operand.value
            if isinstance(constant, FloatImm):
                same = constant.bits(8 * size) == value
            else:
                same = isinstance(constant, Imm) and constant.value & (1 << 8 * size) - 1 == value
            if same and n < len(parts):
                forced = f"{wrapper}(0x{value:x})"
                yield f"{head} {', '.join([*parts[:n], forced, *parts[n + 1 :]])}"


def _repeats(code: bytes, at: int, stop: int, word: bytes) -> int:
    """How often a word stands from `at` on, without a gap."""
    count, size = 0, 1
    while size:
        if at + 4 * size <= stop and code.startswith(word * size, at):
            count, at, size = count + size, at + 4 * size, min(2 * size, 1 << 14)
        else:
            size //= 2
    return count


def _equal_but(a: bytes, b: bytes, mask: bytes) -> bool:
    """Whether two encodings are equal outside the bits of `mask`."""
    return len(a) == len(b) == len(mask) and all(
        (x ^ y) & ~m & 0xFF == 0 for x, y, m in zip(a, b, mask, strict=True)
    )


class EncodingTable:
    """Encodings of one architecture that this process has decoded and checked."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.by_bytes: dict[bytes, Instruction] = {}
        self.by_text: dict[str, Instruction] = {}
        self.branches: set[bytes] = set()
        self.calls: set[bytes] = set()  # to an address in registers
        self.pc_reads: set[bytes] = set()
        self.stops: set[bytes] = set()  # nothing falls through
        self.marked: set[bytes] = set()  # changes or reads the program counter
        self.loose: set[bytes] = set()  # text encodes to other don't-care bits
        self._canonical: dict[bytes, bytes] = {}
        self._opaque: dict[bytes, Instruction] = {}
        self._unread: dict[bytes, Instruction] = {}  # what does not decode, with what follows it
        self._prefixes = _SCALE_PREFIXES.get(target.arch, frozenset[bytes]())

    def decode(self, code: bytes, start: int = 0, stop: int | None = None) -> list[Instruction]:
        """Instructions of `code[start:stop]`, in order and without gaps.

        What LLVM cannot decode becomes one instruction of the length that its format bits tell,
        with no text.
        """
        stop = len(code) if stop is None else stop
        out: list[Instruction] = []
        fresh: dict[bytes, Instruction] = {}
        known = self.by_bytes.get
        window, at = 64, start
        last: Instruction | None = None
        while at < stop:
            found = known(code[at : at + 4]) or known(code[at : at + 8])
            if found is None:
                for size in _SIZES[2:]:
                    found = known(code[at : at + size])
                    if found is not None:
                        break
            if found is not None and at + len(found.raw) <= stop:
                out.append(found)
                at += len(found.raw)
                window = 64
                if found is last and len(found.raw) == 4:  # padding: the same word many times
                    more = _repeats(code, at, stop, found.raw)
                    out.extend([found] * more)
                    at += 4 * more
                last = found
                continue
            found = self._not_yet_admitted(code, at, stop, fresh)
            if found is not None:
                out.append(found)
                at += len(found.raw)
                continue
            opaque = self._unread.get(code[at : at + _LOOKAHEAD])
            if opaque is not None and at + _LOOKAHEAD <= stop:
                out.append(opaque)
                at += len(opaque.raw)
                continue
            decoded = self._decode_window(code, at, min(at + window, stop), stop, fresh)
            out.extend(decoded)
            at += sum(len(i.raw) for i in decoded)
            last = None
            window *= 2
            if window > _WINDOW:  # from here on much of it may be known
                self._admit(fresh)
                fresh, window = {}, 64
        self._admit(fresh)
        return out

    def _not_yet_admitted(
        self, code: bytes, at: int, stop: int, fresh: dict[bytes, Instruction]
    ) -> Instruction | None:
        """What was decoded since encodings were last put into the table, and stands here again."""
        for size in _SIZES if fresh else ():
            found = fresh.get(code[at : at + size])
            if found is not None and at + size <= stop:
                prefix = size == 8 and found.raw[2:4] in self._prefixes
                return None if prefix else found
        return None

    def _admit(self, fresh: dict[bytes, Instruction]) -> None:
        """Check new encodings and put them into the table."""
        if fresh:
            self._prove(list(fresh.values()))
            self._force_literals(fresh.values())
            self._publish(fresh)

    def _decode_window(
        self, code: bytes, at: int, end: int, stop: int, fresh: dict[bytes, Instruction]
    ) -> list[Instruction]:
        """Decode from `at` to about `end`, and one instruction at least, without the table."""
        reach = min(end + _LOOKAHEAD, stop)
        out: list[Instruction] = []
        position = at
        for d in disassembler(self.target).decode(code[at:reach]):
            offset = at + d.offset
            if offset < position:
                continue  # inside an instruction that was decoded in another form
            if offset > position or offset >= end:
                break
            raw, text = code[offset : offset + d.size], d.text
            if text is None:
                other = self._decode_other_form(code[offset : min(offset + _LOOKAHEAD, stop)])
                raw, text = other or (raw, None)
            if text is None or len(raw) % 4:
                inst = self._opaque.setdefault(raw, Instruction(raw, None, editable=False))
                if offset + _LOOKAHEAD <= stop and len(self._unread) < _MOST_UNREAD:
                    self._unread[code[offset : offset + _LOOKAHEAD]] = inst
            else:
                inst = self.by_bytes.get(raw) or fresh.get(raw)
                if inst is None:
                    inst = fresh[raw] = Instruction(raw, text.replace("\t", " "))
            out.append(inst)
            position += len(raw)
        return out

    def _decode_other_form(self, raw: bytes) -> tuple[bytes, str] | None:
        """Decode an instruction whose don't-care bits LLVM does not accept; None if it is none."""
        for other, trusted in candidates(raw, self.target):
            d = disassembler(self.target).decode(other)[0]
            if d.text is None:
                continue
            mine, size = raw[: d.size], d.size
            if trusted:
                self._canonical[mine] = other[:size]
            # A changed field that the text shows is no don't-care field.
            elif not _equal_but(mine, other[:size], ignored(self.target, d.text, size)):
                continue
            return mine, d.text
        return None

    def _prove(self, instructions: Sequence[Instruction]) -> None:
        """Mark as not editable what does not re-assemble to its bytes, in one batch if possible."""
        good: list[Instruction] = [i for i in instructions if i.text is not None]
        while good:
            try:
                code = assembler(self.target).assemble("\n".join([i.text or "" for i in good]))
            except AssemblyError as err:
                bad = set(err.lines)
                if not bad or max(bad) >= len(good):
                    return self._prove_halves(good)
                for n in bad:
                    good[n].editable = False
                good = [i for n, i in enumerate(good) if n not in bad]
                continue
            if code != b"".join([i.raw for i in good]):
                self._compare(good, code)
            return

    def _prove_halves(self, good: Sequence[Instruction]) -> None:
        if len(good) == 1:
            good[0].editable = False
            return
        middle = len(good) // 2
        self._prove(good[:middle])
        self._prove(good[middle:])

    def _compare(self, good: Sequence[Instruction], code: bytes) -> None:
        """Find the instructions whose re-assembled bytes differ."""
        pieces = [(d.offset, d.size) for d in disassembler(self.target).decode(code)]
        if len(pieces) != len(good):
            return self._prove_halves(good)
        for inst, (offset, size) in zip(good, pieces, strict=True):
            made = code[offset : offset + size]
            if made != inst.raw:
                inst.editable = self._same_but_ignored(inst, made)

    def _same_but_ignored(self, inst: Instruction, made: bytes) -> bool:
        """Whether the text encodes to the bytes except in bits that the instruction ignores."""
        known = self._canonical.get(inst.raw, inst.raw)
        mask = ignored(self.target, inst.text or "", len(inst.raw))
        same = _equal_but(made, known, mask)
        if same:
            self.loose.add(inst.raw)
        return same

    def _force_literals(self, instructions: Iterable[Instruction]) -> None:
        """Find the literal form of instructions whose literal LLVM prints as inline constant."""
        for inst in instructions:
            if inst.editable or inst.text is None:
                continue
            forms = _literal_forms(inst) if len(inst.raw) >= 8 else [inst.text]
            for text in forms:
                try:
                    code = _assemble_literal(self.target, text)
                except AssemblyError:
                    continue
                if code == inst.raw:
                    inst.text, inst.editable = text, True
                    break

    def _publish(self, fresh: dict[bytes, Instruction]) -> None:
        for raw, inst in fresh.items():
            text = inst.text or ""
            if text.startswith("s_"):
                flow = flow_of_text(text)
                if not flow.falls:
                    self.stops.add(raw)
                if flow.kind is FlowKind.CALL and not flow.direct:
                    self.calls.add(raw)
                if flow.direct:
                    self.branches.add(raw)
                elif reads_pc(text):
                    self.pc_reads.add(raw)
                if flow.changes or raw in self.pc_reads:
                    self.marked.add(raw)
            if inst.editable and raw not in self.loose:
                self.by_text.setdefault(text, inst)
            if len(raw) != 8 or raw[2:4] not in self._prefixes:
                self.by_bytes[raw] = inst

    def add_branch(self, made: Instruction, like: Instruction) -> None:
        """Put a branch into the table that differs from a known one in its displacement only."""
        self.by_bytes[made.raw] = made
        for group in (self.branches, self.stops, self.marked):
            if like.raw in group:
                group.add(made.raw)

    def assemble(self, lines: Sequence[str]) -> list[Instruction]:
        """Instructions for lines of text, one each; branch operands must be numbers.

        The result carries LLVM's own text for the bytes, so equal encodings look equal.

        Raises:
            AssemblyError: LLVM rejects a line, or a line is not exactly one instruction.
        """
        missing = list(dict.fromkeys([t for t in lines if t not in self.by_text]))
        for text in [t for t in missing if _LITERAL.search(t) or t.startswith("s_set_vgpr_msb 0x")]:
            (self.by_text[text],) = self.decode(_assemble_literal(self.target, text))
            missing.remove(text)
        if missing:
            code = assembler(self.target).assemble("\n".join(missing))
            decoded = self.decode(code)
            if len(decoded) != len(missing):
                raise AssemblyError(
                    f"{len(missing)} lines assembled to {len(decoded)} instructions",
                    "write one instruction on each line",
                )
            for text, inst in zip(missing, decoded, strict=True):
                self.by_text[text] = inst
        return [self.by_text[t] for t in lines]


_LOCAL = threading.local()


def table(target: Target) -> EncodingTable:
    """This thread's table for the target's architecture."""
    tables: dict[str, EncodingTable] = _LOCAL.__dict__.setdefault("tables", {})
    found = tables.get(target.arch)
    if found is None:
        found = tables[target.arch] = EncodingTable(target)
    return found
