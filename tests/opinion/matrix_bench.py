"""One matrix instruction on the product's engine, with operands as register images.

`Case` holds the images and modifiers; `expected_parts` gathers what each result element sums, by
the layout formulas of `matrix_forms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.emulate import layout as L

from . import matrix_forms as forms
from .matrix_forms import WIDTH, Form, Indices
from .softfloat import DEFAULT, Mode
from .wave import Wave, assemble

Image = NDArray[np.uint32]
A_AT, B_AT, C_AT, D_AT, X_AT = 8, 32, 64, 160, 230


@dataclass
class Case:
    """A form with operands and modifiers.

    Attributes:
        a, b: register images [registers, 64].
        c: C's image; of sparse forms the old D. A number is an inline constant.
        index: index register of sparse forms.
        scales: scale words of A and B, [64] each.
        select: byte of the scale words for A and B.
        files: "v" or "a" for D, A, B and C.
        in_place: D is C.
        shift: registers by which D is shifted against C.
    """

    form: Form
    a: Image
    b: Image
    c: Image | float
    index: NDArray[np.uint32] | None = None
    scales: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
    select: tuple[int, int] = (0, 0)
    cbsz: int = 0
    abid: int = 0
    blgp: int = 0
    negate: tuple[int, int, int] = (0, 0, 0)
    files: str = "vvvv"
    in_place: bool = False
    shift: int = 0

    def text(self) -> str:
        """The instruction."""
        f = self.form

        def registers(letter: str, first: int, count: int) -> str:
            return f"{letter}[{first}:{first + count - 1}]" if count > 1 else f"{letter}{first}"

        d, a, b, c = self.files
        constant = not isinstance(self.c, np.ndarray)
        parts = [
            registers(d, self.result_at, f.results),
            registers(a, A_AT, len(self.a)),
            registers(b, B_AT, len(self.b)),
        ]
        if f.sparse:
            parts.append(f"v{X_AT}")
        else:
            parts.append(repr(self.c) if constant else registers(c, C_AT, f.results))
        if f.scaled:
            parts += [f"v{X_AT}", f"v{X_AT + 1}"]
        text = f"{f.name} {', '.join(parts)}"
        if f.scaled:
            (a_byte, b_byte) = self.select
            text += f" op_sel:[{a_byte & 1},{b_byte & 1},0]"
            text += f" op_sel_hi:[{a_byte >> 1},{b_byte >> 1},0]"
        if any(self.negate):
            text += " neg:[{},{},{}]".format(*self.negate)
        for name in ("cbsz", "abid", "blgp"):
            if getattr(self, name):
                text += f" {name}:{getattr(self, name)}"
        return text

    @property
    def result_at(self) -> int:
        """First register of D."""
        return C_AT + self.shift if self.in_place or self.shift else D_AT

    def run(self, exact: bool, mode: Mode = DEFAULT, exec_mask: int = (1 << 64) - 1) -> Image:
        """D's image as the engine computes it."""
        wave = Wave()
        f = self.form
        d, a, b, c = self.files
        fill(wave, a, A_AT, self.a)
        fill(wave, b, B_AT, self.b)
        if isinstance(self.c, np.ndarray):
            fill(wave, d if f.sparse else c, self.result_at if f.sparse else C_AT, self.c)
        if self.index is not None:
            wave.row(X_AT)[:] = self.index
        if self.scales is not None:
            wave.row(X_AT)[:], wave.row(X_AT + 1)[:] = self.scales
        wave.set_scalar(L.EXEC, exec_mask, 8)
        wave.run(assemble(self.text(), f.arch), f.arch, mode, exact=exact)
        rows = [wave.row(self.result_at + n, agpr=d == "a").copy() for n in range(f.results)]
        return np.stack(rows)


def fill(wave: Wave, letter: str, first: int, image: Image) -> None:
    """Copy a register image into the wave."""
    for n, row in enumerate(image):
        wave.row(first + n, agpr=letter == "a")[:] = row


# --- what each result element sums --------------------------------------------------------------
@dataclass
class Parts:
    """Per result element [block, row, column]: codes of A and B along k, C, and scales.

    Attributes:
        a, b: [block, row, column, stored k] codes.
        c: [block, row, column] bits of C.
        scales: [row, column, block of 32] pairs of E8M0 codes, or None.
        lane, register: where D stands.
    """

    a: Indices
    b: Indices
    c: Indices
    scales: tuple[Indices, Indices] | None
    lane: Indices
    register: Indices


def expected_parts(case: Case) -> Parts:
    """Gather by the layout formulas."""
    f = case.form
    lane, slot = forms.input_places(f, "a")
    a = forms.element_codes(case.a, WIDTH[f.a], lane, slot)  # [block, i, s]
    lane, slot = forms.input_places(f, "b")
    mixed = f.name.endswith("f8f6f4")
    if f.result != "f64" and not mixed:
        lane = forms.b_source_lane(lane, case.blgp)
    b = forms.element_codes(case.b, WIDTH[f.b], lane, slot)  # [block, j, k]
    if f.blocks > 1 and f.result != "f64":
        a = a[forms.a_source_block(f, case.cbsz, case.abid)]
    n = f.size
    a = np.broadcast_to(a[:, :, None, :], (f.blocks, n, n, f.stored))
    if f.sparse:
        assert case.index is not None
        lane, bit = forms.index_places(f, case.cbsz, case.abid)
        chosen = (case.index[lane] >> bit.astype(np.uint32) & 3).astype(np.int64)  # [i, s]
        k = 4 * (np.arange(f.stored) // 2) + chosen
        b = b[0][:, k].transpose(1, 0, 2)[None]  # [1, i, j, s]
    else:
        b = np.broadcast_to(b[:, None, :, :], (f.blocks, n, n, f.k))
    lane, register = forms.result_places(f)
    scales = None
    if case.scales is not None:
        i, block = np.ogrid[:n, : f.k // 32]
        words = [
            (s[i + n * block] >> np.uint32(8 * byte) & 255).astype(np.int64)
            for s, byte in zip(case.scales, case.select, strict=True)
        ]
        scales = (
            np.broadcast_to(words[0][:, None, :], (n, n, f.k // 32)),
            np.broadcast_to(words[1][None, :, :], (n, n, f.k // 32)),
        )
    return Parts(a, b, result_bits(f, case.c, lane, register), scales, lane, register)


def pick(parts: Parts, at: tuple[int, int, int]) -> Parts:
    """One result element alone."""
    block, i, j = (slice(n, n + 1) for n in at)
    scales = parts.scales and (parts.scales[0][i, j], parts.scales[1][i, j])
    return Parts(
        *(x[block, i, j] for x in (parts.a, parts.b, parts.c)),
        scales,
        *(x[block, i, j] for x in (parts.lane, parts.register)),
    )


def joined(parts: list[Parts]) -> Parts:
    """Unscaled parts of one form, one after the other along the block axis."""
    columns = [
        np.concatenate([getattr(p, name) for p in parts])
        for name in ("a", "b", "c", "lane", "register")
    ]
    return Parts(*columns[:3], None, *columns[3:])


def result_bits(f: Form, image: Image | float, lane: Indices, register: Indices) -> Indices:
    """C or D as [block, row, column] bits."""
    if not isinstance(image, np.ndarray):
        kind = {"f32": np.float32, "f64": np.float64, "i32": np.int32}[f.result]
        bits = np.array([image], kind).view(np.uint64 if f.result == "f64" else np.uint32)
        return np.broadcast_to(bits.astype(np.int64), lane.shape)
    if f.result != "f64":
        return image[register, lane].astype(np.int64)
    wide = image[2 * register, lane].astype(np.uint64)
    return (wide | image[2 * register + 1, lane].astype(np.uint64) << np.uint64(32)).view(np.int64)


def sample(parts: Parts, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int, int]]:
    """Some result elements (block, row, column)."""
    shape = parts.c.shape
    for flat in rng.choice(int(np.prod(shape)), min(count, int(np.prod(shape))), replace=False):
        block, i, j = np.unravel_index(int(flat), shape)
        yield int(block), int(i), int(j)
